"""What several test files need: reference data, and made-up collections."""

from __future__ import annotations

import io
import os
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from builders.browsers import chromium
from builders.paths import SHARED

# Continuous integration tries the same examples every time; people explore new ones.
SAME_EXAMPLES = os.environ.get("CI", "") != ""
settings.register_profile(
    "hungjury", deadline=None, print_blob=not SAME_EXAMPLES, derandomize=SAME_EXAMPLES
)
settings.load_profile("hungjury")

# Byte order is not the order people expect of these: capitals, digits, bytes above 127.
IDS = ["d1", "d10", "d2", "D3", "a#4", "5", "é6", "d1-x", "NA", '"q"', "z", "Z"]
SCORES = [3.0, 2.5, 2.5000000001, 1.0, 1.0, 0.0, -0.0, -1.5]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of reference data beside the project; tests that want it skip without it."""
    if not SHARED.is_dir():
        pytest.skip("no reference data: ../shared/data is not beside the project")
    return SHARED


@pytest.fixture(scope="session")
def dl21_panel(shared_data: Path) -> tuple[Any, Any, Any]:
    """TREC 2021 Deep Learning: judgments of 27 LLM judges, runs, and gold labels."""
    import hungjury as hj

    home = shared_data / "dl21"
    judges = sorted(map(str, (home / "judges-llama").glob("*.qrels.gz")))
    runs = sorted(map(str, (home / "runs").glob("*.run.gz")))
    return (
        hj.read_judgments(judges, duplicates="first", grades=range(4), outside="clip"),
        hj.read_runs(runs, score_precision="single"),
        hj.read_qrels(str(home / "qrels.nist.txt")),
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever asks for a browser is marked by it."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A real browser; tests that want it skip without one."""
    with chromium() as one:
        yield one


@pytest.fixture(scope="session")
def study_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small collection for studies; tests must not write into it."""
    import hungjury as hj

    folder = tmp_path_factory.mktemp("study")
    hj.simulate(systems=3, topics=4, documents=40, depth=10).write(folder)
    return folder


@pytest.fixture(scope="session")
def study_sources(study_folder: Path) -> Any:
    from hungjury.studies.data import Sources

    return Sources.in_folder(study_folder)


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


def _simulate(seed: int, topics: int = 4, systems: int = 3, negative: bool = True) -> Collection:
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


@pytest.fixture(scope="session")
def simulate() -> Callable[..., Collection]:
    """`simulate(seed)`: a small collection made from a seed."""
    return _simulate
