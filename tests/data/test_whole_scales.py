"""Scales of judges: where exactly labels are stray, scales differ and gold labels do not fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hungjury as hj
from builders.outcomes import Case, outcome, runs_of, stored, summary_of
from hungjury.data.qrels import Judgments
from hungjury.data.scales import check_gold

CASES: dict[str, Case] = {}
Counts = dict[float, int]  # how often a judge gives each label


def labels_of(counts: Counts, start: int = 0) -> dict[str, dict[str, float]]:
    """Labels of documents in a row, each as often as said."""
    labels = [label for label, n in counts.items() for _ in range(n)]
    return {"1": {f"d{i}": label for i, label in enumerate(labels, start)}}


def read(judges: dict[str, Counts], **options: Any) -> Judgments:
    return hj.read_judgments({j: labels_of(c) for j, c in judges.items()}, **options)


def whole(name: str, judges: dict[str, Counts], **options: Any) -> None:
    """The notes or the error of a panel."""

    def case(_: Path) -> Any:
        found = read(judges, **options)
        sizes = {j: len(found.qrels_of(j)) for j in found.judges}
        return sizes, found.grades, found.soft, round(float(found.label.sum()), 6), found.notes

    CASES[name] = case


def sweep(name: str, sizes: Iterable[int], made: Callable[[int], Any]) -> None:
    """What is said of panels that differ in one number, each as often as it is said in a row."""
    CASES[f"sweep: {name}"] = lambda _: runs_of(summary_of(lambda n=n: made(n)) for n in sizes)


def qrels(counts: Counts) -> Any:
    return hj.read_qrels(labels_of(counts))


BINARY = {0: 30, 1: 30}
FOUR = {0: 30, 1: 30, 2: 30, 3: 30}

# ---- stray labels

whole("a negative label", {"a": BINARY, "b": {0: 20, 1: 20, -1: 2}, "c": {-1: 1, 1: 3}})
whole("a code", {"a": FOUR, "b": {**FOUR, 999: 2}})
whole("a code of 20", {"a": BINARY, "b": {**BINARY, 20: 2}})
whole("a code of 21", {"a": BINARY, "b": {**BINARY, 21: 2}})
whole("two codes", {"a": FOUR, "b": {**FOUR, 99: 1, -2: 2}})
whole("a rare grade", {"a": {0: 600, 1: 600}, "b": {0: 600, 1: 600, 2: 1}})
whole("codes on an open scale", {"a": {**BINARY, 999: 1, 0.5: 2}}, scaling="linear")
whole("codes and another scale", {"a": {**FOUR, 99: 3}, "b": {0: 60, 1: 60}})
sweep("one label above many", range(990, 1010, 2), lambda n: read(
    {"a": {0: n // 2, 1: n // 2}, "b": {0: 1, 2: 1}}))  # fmt: skip
sweep("a wide gap", range(15, 26), lambda top: read({"a": {0: 5, 1: 5, top: 4}, "b": BINARY}))
sweep("a wide gap after 9", range(90, 112, 2), lambda top: read(
    {"a": {**dict.fromkeys(range(10), 3), top: 4}}))  # fmt: skip
sweep("no gap after 11", range(115, 130, 3), lambda top: read(
    {"a": {**dict.fromkeys(range(12), 3), top: 4}}))  # fmt: skip
sweep("few far labels of one judge", range(90, 110), lambda n: qrels({0: n, 1: 5, 2: 1, 6: 1}))
sweep("how far", range(2, 8), lambda top: qrels({0: 150, 1: 50, top: 1}))
sweep("how many far", range(1, 6), lambda n: qrels({0: 250, 1: 150, 4: n}))
sweep("no zero in qrels", range(94, 106), lambda n: qrels({1: n - 2, 2: 1, 3: 1}))
sweep("two grades without zero", range(98, 104), lambda n: qrels({1: n, 2: 1}))
whole("no zero", {"a": {1: 20, 2: 20, 3: 20, 4: 20}, "b": {1: 20, 3: 20}})
CASES["far labels"] = lambda _: qrels({0: 250, 1: 150, 4: 1, 5: 1}).notes
CASES["no zero in qrels"] = lambda _: qrels({1: 150, 2: 30, 3: 3}).notes
CASES["nine grades without zero"] = lambda _: qrels(dict.fromkeys(range(1, 11), 20)).notes

# ---- scales that differ

whole("binary and four grades", {"a": FOUR, "b": FOUR, "c": BINARY})
whole("names alike", {f"{kind}-{i}": counts for i in range(3)
                      for kind, counts in (("gpt", FOUR), ("crowd", BINARY))})  # fmt: skip
whole("names end alike", {f"{i}-{kind}": counts for i in range(3)
                          for kind, counts in (("gpt", FOUR), ("crowd", BINARY))})  # fmt: skip
whole("odd names", {"a*,=": BINARY, "b": FOUR, "c[": FOUR})
whole("eight scales", {f"{chr(97 + i)}": dict.fromkeys(range(i + 2), 40) for i in range(8)})
whole("fractions and grades", {"a": {0.5: 20, 1: 20}, "b": FOUR, "c": {0.25: 3, 3: 3}})
whole("fractions and grades of one height", {"a": {0.5: 20, 3: 20}, "b": FOUR})
whole("fractions and binary", {"a": {0.5: 20, 1: 20}, "b": BINARY})
whole("fractions everywhere", {"a": {0.5: 20, 7: 20}, "b": {1.5: 3, 4: 2}})
whole("one without the highest", {"a": FOUR, "b": FOUR, "c": {0: 50, 1: 50, 2: 50}})
whole("one much lower", {"a": FOUR, "b": FOUR, "c": {0: 4, 1: 4}})
sweep("labels due of a binary judge", range(2, 60), lambda n: read(
    {"a": FOUR, "b": FOUR, "c": {0: n // 2, 1: n - n // 2}}))  # fmt: skip
sweep("labels due of a judge one below", range(2, 100, 3), lambda n: read(
    {"a": FOUR, "b": FOUR, "c": {0: n // 2, 2: n - n // 2}}))  # fmt: skip
sweep("a judge of zeros", range(2, 200, 40), lambda n: read({"a": FOUR, "b": {0: n}}))
sweep("grades declared", [3, 4], lambda top: read({"a": FOUR, "b": BINARY}, grades=range(top)))


def crowd(
    seed: int, members: int, binary: int, size: int = 40, spread: float = 1.0, constant: int = 0
) -> Any:
    """Members label few of many documents; some of them never go above 1, some are constant."""
    rng = np.random.default_rng(seed)
    judges = {}
    for j in range(members):
        high = rng.beta(spread, 1.5 * spread)
        chosen = rng.choice(size * 12, size, replace=False)
        grades = np.where(
            rng.random(size) < high, rng.integers(2, 4, size), rng.integers(0, 2, size)
        )
        if j < binary:
            grades = np.minimum(grades, 1)
        if j < constant:
            grades[1:] = 1
        judges[f"w{j:02}"] = {"1": {f"d{d}": int(g) for d, g in zip(chosen, grades, strict=True)}}
    return lambda: hj.read_judgments(judges)


for spread in (0.5, 1.0, 2.0, 6.0):
    CASES[f"crowd {spread}"] = lambda _, spread=spread: [
        runs_of(summary_of(crowd(seed, 30, binary, spread=spread)) for binary in (1, 2, 4, 8))
        for seed in range(2)
    ]
CASES["crowds by size"] = lambda _: runs_of(
    summary_of(crowd(1, members, 2)) for members in range(19, 26)
)
CASES["crowds by labels"] = lambda _: runs_of(
    summary_of(crowd(2, 32, 2, size)) for size in (16, 19, 20, 21, 60)
)
CASES["crowds with constant members"] = lambda _: runs_of(
    summary_of(crowd(3, 32, 4, constant=n, spread=6.0)) for n in range(5)
)
CASES["a crowd"] = lambda _: crowd(4, 30, 3, spread=2.0)().notes

# ---- gold labels


def gold(label: Counts, judges: Counts, grades: int, soft: bool = False) -> Any:
    """What is said of gold labels beside those of judges."""
    found = read({"a": judges, "b": judges}, **({} if soft else {"grades": range(grades)}))
    given = np.array([g for g, n in label.items() for _ in range(n)], dtype=np.int16)
    return check_gold(given, tuple(range(int(given.max(initial=1)) + 1)), found)


CASES["gold above"] = lambda _: gold({0: 5, 1: 5, 4: 2, 6: 1}, BINARY, 2)
CASES["gold below"] = lambda _: gold({0: 30, 1: 30}, FOUR, 4)
CASES["gold one below"] = lambda _: gold({0: 30, 2: 30}, FOUR, 4)
CASES["gold three below"] = lambda _: gold({0: 30, 2: 30}, dict.fromkeys(range(6), 30), 6)
CASES["gold one above"] = lambda _: gold({0: 30, 3: 30}, {0: 9, 1: 9, 2: 9}, 3)
CASES["gold constant"] = lambda _: gold({1: 70}, FOUR, 4)
CASES["gold of nobody"] = lambda _: gold({}, FOUR, 4)
CASES["gold the same"] = lambda _: gold(FOUR, FOUR, 4)
CASES["gold lacks grades"] = lambda _: gold({0: 2, 1: 2}, FOUR, 4)
CASES["gold beside probabilities"] = lambda _: gold({0: 2, 3: 2}, {0.5: 3, 1: 2}, 2, soft=True)
CASES["gold by number"] = lambda _: runs_of(
    _told(lambda n=n: gold({0: n // 2, 1: n - n // 2}, FOUR, 4)) for n in range(2, 50)
)


def _told(case: Callable[[], Any]) -> str:
    try:
        return " ".join(note.kind for note in case())
    except hj.HungjuryError as error:
        return f"! {error.code}"


@pytest.mark.parametrize("name", CASES)
def test_outcome(name: str, tmp_path: Path, expected: dict[str, Any]) -> None:
    assert outcome(CASES[name], tmp_path) == expected[name]


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    return stored("test_whole_scales", CASES)


def test_all_are_stored(expected: dict[str, Any]) -> None:
    assert list(expected) == list(CASES)
