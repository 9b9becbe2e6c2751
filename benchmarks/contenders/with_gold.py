"""hungjury|ppi QRELS JUDGES SAMPLES RUN...: correct a panel's P@10 with 200 gold labels.

JUDGES is a folder of qrels. The gold labels are uniform random samples of QRELS, which is the
truth: each of the samples is corrected once, and the differences between all pairs of systems are
compared with the true ones. What counts are the seconds of a correction, labels and runs in memory.
"""

import json
import random
import sys
import time
from pathlib import Path

import numpy as np

import hungjury as hj

LABELS, DEPTH = 200, 10

who, qrels, folder, samples, *paths = sys.argv[1:]
panel = hj.read_judgments(str(Path(folder) / "*.qrels"))
runs = hj.read_runs(paths)
truth = hj.evaluate(qrels, runs, "P@10")
true = dict(zip(truth.systems, truth.mean()[0].tolist(), strict=True))
lines = [line.split() for line in Path(qrels).read_text(encoding="ascii").splitlines()]


def by_hungjury(sample):
    gold = {}
    for topic, _, document, label in sample:
        gold.setdefault(topic, {})[document] = int(label)
    board = hj.leaderboard(
        panel, runs, "P@10", gold=gold, gold_design="random", target="topics", draws=200
    )
    return dict(zip(board.systems, board.mean.tolist(), strict=True))


def shown(systems, place):
    """[system, document]: 1 where a system shows a document of the pool in its first ranks."""
    weight = np.zeros((len(systems), len(place)))
    for number, path in enumerate(paths):
        by_topic = {}
        for line in Path(path).read_text(encoding="ascii").splitlines():
            topic, _, document, rank, *_ = line.split()
            if int(rank) <= DEPTH and (topic, document) in place:
                by_topic.setdefault(topic, []).append(place[topic, document])
        for found in by_topic.values():
            weight[number, found] = 1
    return weight


def ppi_corrector():
    from ppi_py import ppi_mean_pointestimate

    systems = [Path(path).stem for path in paths]
    place = {(topic, document): n for n, (topic, _, document, _) in enumerate(lines)}
    weight = shown(systems, place)
    votes = np.zeros(len(lines))
    files = sorted(Path(folder).glob("*.qrels"))
    for file in files:
        for line in file.read_text(encoding="ascii").splitlines():
            topic, _, document, label = line.split()
            votes[place[topic, document]] += int(label) / len(files)
    size = len({topic for topic, *_ in lines}) * DEPTH

    def correct(sample):
        """The mean over the pool of (shown by the system) x (label), as P@10 is."""
        chosen = [place[topic, document] for topic, _, document, _ in sample]
        label = np.array([float(label) for *_, label in sample])
        found = {}
        for system, mine in zip(systems, weight, strict=True):
            mean = ppi_mean_pointestimate(
                mine[chosen] * label, mine[chosen] * votes[chosen], mine * votes
            )
            found[system] = float(np.ravel(mean)[0]) * len(lines) / size
        return found

    return correct


correct = by_hungjury if who == "hungjury" else ppi_corrector()
correct(random.Random(0).sample(lines, LABELS))  # imports and caches
seconds, squares = [], []
for seed in range(1, int(samples) + 1):
    sample = random.Random(seed).sample(lines, LABELS)
    began = time.perf_counter()
    estimate = correct(sample)
    seconds.append(time.perf_counter() - began)
    off = np.array([estimate[name] - true[name] for name in sorted(true)])
    upper = np.triu_indices(len(off), 1)
    squares.append(float(((off[:, None] - off)[upper] ** 2).mean()))
values = {f"pair RMSE of {who}": float(np.sqrt(np.mean(squares)))}
print(json.dumps({"values": values, "seconds": float(np.median(seconds))}))
