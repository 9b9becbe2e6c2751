"""Small random collections of odd ids, ties and gaps, as dictionaries and as shuffled text."""

from __future__ import annotations

import io
import random
from dataclasses import dataclass, field

# Byte order is not the order people expect of these: capitals, digits, bytes above 127.
IDS = ["d1", "d10", "d2", "D3", "a#4", "5", "é6", "d1-x", "NA", '"q"', "z", "Z"]
SCORES = [3.0, 2.5, 2.5000000001, 1.0, 1.0, 0.0, -0.0, -1.5]


@dataclass
class Collection:
    """Made-up labels and runs: plain dictionaries, and the same as shuffled text."""

    top: int
    labels: dict[str, dict[str, int]]  # topic -> document -> grade
    runs: dict[str, dict[str, dict[str, float]]]  # system -> topic -> document -> score
    chance: random.Random = field(repr=False)

    def pool(self, topic: str) -> list[int]:
        return list(self.labels[topic].values())

    def ranked(self, system: str, topic: str) -> list[int | None]:
        """A list's labels in trec_eval's order, empty where the system has none."""
        lines = self.runs[system].get(topic, {})
        documents = sorted(lines, key=lambda d: (lines[d], d.encode()), reverse=True)
        return [self.labels[topic].get(d) for d in documents]

    def qrels_text(self) -> io.StringIO:
        lines = [f"{t} 0 {d} {g}\n" for t, judged in self.labels.items() for d, g in judged.items()]
        self.chance.shuffle(lines)
        return io.StringIO("".join(lines))

    def run_text(self, system: str, together: bool = False) -> io.StringIO:
        """A run's lines in any order; `together`: the lines of a topic one after the other."""
        blocks = [
            [f"{t} Q0 {d}\t{self.chance.randrange(9)} {s!r} {system}\n" for d, s in lines.items()]
            for t, lines in self.runs[system].items()
        ]
        for block in blocks:
            self.chance.shuffle(block)
        self.chance.shuffle(blocks)
        lines = [line for block in blocks for line in block]
        if not together:
            self.chance.shuffle(lines)
        return io.StringIO("".join(lines))

    def run_texts(self, together: bool = False) -> list[io.StringIO]:
        return [self.run_text(system, together) for system in self.runs]


def random_collection(
    seed: int, topics: int = 4, systems: int = 3, negative: bool = True
) -> Collection:
    """Pools and lists of any length from the same few ids, scores with many ties.

    A list may be missing, except the first; every run has a topic that nobody judged.
    """
    chance = random.Random(seed)
    grades = [0, 0, 1, 2, 3, 4] + ([-1, -2] if negative else [])
    labels: dict[str, dict[str, int]] = {}
    for t in range(topics):
        mine = chance.choice([grades, [0, 1], [0, 0, -1]] if t else [grades])
        labels[f"q{t}"] = {d: chance.choice(mine) for d in _some(chance, 1)}
    runs: dict[str, dict[str, dict[str, float]]] = {}
    for s in range(systems):
        least = dict.fromkeys(labels, 0) | {"unknown": 1} | ({"q0": 1} if s == 0 else {})
        lists = {t: {d: chance.choice(SCORES) for d in _some(chance, n)} for t, n in least.items()}
        runs[f"s{s}"] = {t: lines for t, lines in lists.items() if lines}
    return Collection(4, labels, runs, chance)


def _some(chance: random.Random, least: int) -> list[str]:
    return chance.sample(IDS, chance.randint(least, len(IDS)))
