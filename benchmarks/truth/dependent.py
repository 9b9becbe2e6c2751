"""``python -m benchmarks.truth.dependent``: how far labels of one person are from expectations.

DL19 was judged by NIST, and about half of it by second people (`human2_setA`, `human2_setB`). On
the documents that both judged, P(the other finds it relevant | NIST's grade) turns NIST's labels
into probabilities. Then E(AP) and its standard deviation are compared with AP under the other
person's labels, topic by topic: z = (AP - E(AP)) / std has a standard deviation of 1 if the assumed
dependence of labels is right. Clusters are the documents of a topic with the same NIST grade, an
extreme case: near-duplicates would be fewer and smaller.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np

from hungjury import evaluate, read_qrels, read_runs
from hungjury.m import E

SHIFTS = (0.0, 0.4, 0.8, 1.2, 1.6)
REL = 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dl19", type=Path, default=Path("../shared/data/dl19"))
    folder = parser.parse_args().dl19
    runs = read_runs(str(folder / "runs" / "*"))
    nist = read_qrels(folder / "qrels.nist.txt").to_dict()
    temporary = tempfile.mkdtemp()
    for path in sorted((folder / "judges").glob("human2_set*")):
        other = read_qrels(path, duplicates="first").to_dict()
        first, second = common(nist, other)
        counts = np.zeros((4, 2))
        for topic, labels in first.items():
            for document, grade in labels.items():
                counts[grade, int(second[topic][document] >= REL)] += 1
        prob = ((counts[:, 1] + 0.5) / (counts.sum(axis=1) + 1)).round(3).tolist()
        clusters = write_clusters(first, Path(temporary))
        options = [f"topic_shift={s}" for s in SHIFTS]
        options += [f"judge_shift={s}" for s in SHIFTS[1:]]
        options.append(f"clusters={clusters}")
        names = [E(of="AP", prob=prob, unjudged=0, **dict([read(one)])) for one in options]
        grades = {"grades": range(4), "unjudged": "condensed"}
        stated = evaluate(first, runs, names, **grades)  # type: ignore[arg-type]
        seen = evaluate(second, runs, f"AP(rel={REL})", **grades)  # type: ignore[arg-type]
        found = seen.select(topics=stated.topics).values[0]
        assert stated.std is not None
        print(f"{path.stem}: {len(stated.topics)} topics, P(relevant | grade) {prob}")
        for m, option in enumerate(options):
            z = (found - stated.values[m]) / np.maximum(stated.std[m], 1e-9)
            by_topic = z.mean(axis=0)
            print(
                f"  {option.replace(clusters, 'by grade')}: sd of z {z.std():.2f}, "
                f"of its mean over systems {by_topic.std():.2f}, "
                f"|z| < 2 in {(abs(z) < 2).mean():.2f}"
            )


def read(option: str) -> tuple[str, object]:
    """Return the name and the value of an option."""
    name, _, value = option.partition("=")
    return name, value if name == "clusters" else float(value)


def write_clusters(labels: dict[str, dict[str, int]], folder: Path) -> str:
    """Write the documents of each topic and grade above 0 as a cluster."""
    path = folder / "clusters.txt"
    lines = [f"{t} {d} {g}" for t, given in labels.items() for d, g in given.items() if g > 0]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def common(
    one: dict[str, dict[str, int]], other: dict[str, dict[str, int]]
) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, int]]]:
    """Return the labels of the documents that both judged."""
    pairs = {t: one[t].keys() & other[t].keys() for t in one.keys() & other.keys()}
    kept = sorted(t for t, documents in pairs.items() if len(documents) >= 10)
    first, second = (
        {t: {d: side[t][d] for d in sorted(pairs[t])} for t in kept} for side in (one, other)
    )
    return first, second


if __name__ == "__main__":
    main()
