"""Judged lists: every array that measures see, compared with loops over the lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hungjury as hj
from hungjury.data import judged as module
from hungjury.data.alignment import Alignment, align
from hungjury.data.judged import Judged, judge_lists, many_lists
from hungjury.data.qrels import MISSING

TOP = 3


def collection(seed: int, ties: str) -> tuple[dict[str, Any], Alignment]:
    """Runs over a small pool: long, short and missing lists, with documents outside the pool."""
    rng = np.random.default_rng(seed)
    pool = {f"t{t}": {f"d{t}-{i}": 1 for i in range(size)} for t, size in enumerate((6, 1, 4))}
    runs = {}
    for s in range(3):
        lists = {}
        for t, (topic, documents) in enumerate(pool.items()):
            names = [*documents, *(f"x{t}-{i}" for i in range(4))]
            rng.shuffle(names)
            kept = names[: rng.integers(1, len(names) + 1)]
            if (s, t) != (1, 2):
                lists[topic] = {name: float(rng.integers(0, 4)) for name in kept}
        runs[f"s{s}"] = lists
    read = hj.read_runs(runs, ties=ties)  # type: ignore[arg-type]
    found = align(read, hj.read_qrels(pool).pool, others=3)
    return {s: {t: read.ranked(s, t) for t in lists} for s, lists in runs.items()}, found


def by_loops(
    ranked: list[tuple[str, float]], labels: dict[str, int], chances: dict[str, float] | None,
    *, condensed: bool, every: bool, averaged: bool,
) -> list[list[Any]]:  # fmt: skip
    """Of each place: label, rank, judged and pooled documents down to it, chance, ends of ties, and
    whether it has a label."""
    out: list[list[Any]] = []
    judged = pooled = 0
    for rank, (document, score) in enumerate(ranked, 1):
        if document not in labels:
            continue
        label = labels[document]
        judged += label >= 0
        pooled += label != MISSING
        alike = [r for r, (_, other) in enumerate(ranked, 1) if other == score]
        ends = (min(alike), max(alike)) if averaged and not condensed else None
        shown = rank
        if condensed:
            shown = judged if label >= 0 else -1
        chance = None if chances is None else chances[document]
        if every or label > 0:
            counted = judged if condensed else pooled
            out.append([max(label, 0), shown, judged, counted, chance, ends, label >= 0])
    return out


CASES = [
    (condensed, every, ties, soft, kind)
    for condensed in (False, True)
    for every in (False, True)
    for ties in ("trec", "expected")
    for soft in (False, True)
    for kind in ("all", "some", "none", "several")
]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("budget", [1 << 16, 7])
def test_judged_lists_are_those_of_loops(
    case: tuple[bool, bool, str, bool, str], budget: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    condensed, every, ties, soft, kind = case
    monkeypatch.setattr(module, "BUDGET", budget)
    ranked, aligned = collection(CASES.index(case), ties)
    rng = np.random.default_rng(7)
    size, topics = len(aligned.pool), aligned.pool.topics
    shape = (2, size) if kind == "several" else (size,)
    least = 0 if kind == "all" else -2
    labels = rng.integers(least, TOP + 1, shape).astype(np.int16)
    labels[labels == -2] = MISSING
    if kind == "none":
        labels = np.minimum(labels, 0).astype(np.int16)
    p = rng.random(shape) if soft else None
    whole = every or kind == "several"
    seen, blocks = [], 0
    for cells, found in judge_lists(
        aligned, labels, TOP, condensed=condensed, needs_nonrelevant=every, p=p
    ):
        seen += cells.tolist()
        assert found.labels.size <= budget or len(cells) == 1
        assert found.depth == aligned.longest
        assert found.max_grade == TOP
        assert (found.topics, found.ties is not None) == (topics, ties != "trec" and not condensed)
        for copy in range(2 if kind == "several" else 1):
            mine = labels[copy] if kind == "several" else labels
            chances = None if p is None else p[copy] if kind == "several" else p
            for place, cell in enumerate(cells.tolist()):
                at = (copy, place) if kind == "several" else (place,)
                system, topic = divmod(cell, len(topics))
                of = aligned.pool.slice(topic)
                names = aligned.pool.documents[of]
                known = dict(zip(names, mine[of].tolist(), strict=True))
                likely = None
                if chances is not None:
                    likely = dict(zip(names, chances[of].tolist(), strict=True))
                listed = ranked[f"s{system}"].get(topics[topic], [])
                rows = by_loops(
                    listed, known, likely, condensed=condensed, every=whole,
                    averaged=ties == "expected",
                )  # fmt: skip
                compare(found, at, rows, known, likely, listed, condensed)
                if whole:
                    padding = [False] * (found.labels.shape[-1] - len(rows))
                    assert found.labelled[at].tolist() == [row[6] for row in rows] + padding
                assert found.topic[place] == topic
        blocks += 1
    assert sorted(seen) == list(range(9))
    assert blocks == 1 or budget == 7


def compare(
    found: Judged, at: tuple[int, ...], rows: list[list[Any]], known: dict[str, int],
    likely: dict[str, float] | None, listed: list[Any], condensed: bool,
) -> None:  # fmt: skip
    """Compare one list; what follows its documents is padding."""
    width = found.labels.shape[-1]
    count, beyond = len(rows), found.depth + 1
    judged = [d for d, _ in listed if known.get(d, -1) >= 0]
    pooled = [d for d, _ in listed if known.get(d, MISSING) != MISSING]
    assert width >= count
    labels = [row[0] for row in rows] + [0] * (width - count)
    assert found.labels[at].tolist() == labels
    shown = [beyond if row[1] < 0 else row[1] for row in rows]
    # Ranks are the same for all copies, unless they count what is judged.
    ranks = found.ranks[at] if found.ranks.ndim == len(at) + 1 else found.ranks[at[-1]]
    assert ranks.tolist() == shown + [beyond] * (width - count)

    def of(array: Any) -> Any:
        return array[at] if array.ndim == found.labels.ndim else array[at[-1]]

    def one(array: Any) -> Any:
        return array[at] if array.ndim == found.labels.ndim - 1 else array[at[-1]]

    most = len(judged if condensed else pooled)
    assert of(found.judged).tolist() == [row[2] for row in rows] + [len(judged)] * (width - count)
    assert of(found.pooled).tolist() == [row[3] for row in rows] + [most] * (width - count)
    assert one(found.judged_length) == len(judged)
    assert one(found.length) == (len(judged) if condensed else len(listed))
    grades = [sum(label == grade for label in known.values()) for grade in range(TOP + 1)]
    assert found.counts[at].tolist() == grades
    assert found.unjudged_pool[at] == sum(MISSING < label < 0 for label in known.values())
    if likely is None:
        assert found.p is None
        assert found.p_total is None
    else:
        assert found.p is not None
        assert found.p_total is not None
        assert found.p[at].tolist() == [row[4] for row in rows] + [0] * (width - count)
        assert found.p_total[at] == pytest.approx(sum(likely.values()))
    if found.ties is not None:
        for side, ends in enumerate(found.ties):
            assert ends[at[-1]].tolist()[:count] == [row[5][side] for row in rows]


def test_lists_without_documents_of_the_pool() -> None:
    _, aligned = collection(1, "trec")
    nothing = aligned.upto(0)
    labels = np.ones(len(aligned.pool), np.int16)
    chances = np.full(len(labels), 0.5)
    for several in (False, True):
        for cells, found in judge_lists(
            nothing, np.stack([labels] * 2) if several else labels, 1,
            p=np.stack([chances] * 2) if several else chances,
        ):  # fmt: skip
            assert found.labels.shape == ((2,) if several else ()) + (len(cells), 1)
            assert not found.labels.any()
            assert (found.ranks == found.depth + 1).all()
            assert found.p is not None
            assert not found.p.any()


def test_short_cuts_are_kept_for_the_next_who_asks() -> None:
    _, aligned = collection(1, "trec")
    places = [(aligned.rank <= depth).sum() / len(aligned.rank) for depth in (1, 5)]
    assert places[0] <= 0.25 < places[1]
    assert aligned.upto(1) is aligned.upto(1)
    assert aligned.upto(5) is not aligned.upto(5)


def test_a_pool_without_the_largest_grade() -> None:
    assert (
        many_lists(np.zeros((2, 1), np.int16), [0, 1, 0], 3).counts.tolist() == [[2, 1, 0, 0]] * 2
    )


def test_weights_and_gains() -> None:
    known = np.array([[2, MISSING, 0, -1, 1]], np.int16)
    one = many_lists(known, [2, 0, 1, 1, -1], 2)
    assert one.labels.tolist() == [[2, 0, 0, 0, 1]]
    assert one.judged.tolist() == [[1, 1, 2, 2, 3]]
    assert one.pooled.tolist() == [[1, 1, 2, 3, 4]]
    assert one.counts.tolist() == [[1, 2, 1]]
    assert (one.depth, one.length.tolist(), one.judged_length.tolist()) == (5, [5], [3])
    assert (one.unjudged_pool.tolist(), one.p, one.p_total) == ([1], None, None)
    assert one.labelled.tolist() == [[True, False, True, False, True]]
    assert one.hits(1).tolist() == [[True, False, False, False, True]]
    assert one.hits(1, 4).tolist() == [[True, False, False, False, False]]
    assert one.hits(0, 2).tolist() == [[True, True, False, False, False]]
    assert (one.relevant(1).tolist(), one.not_relevant(1).tolist()) == ([3], [1])
    assert (one.relevant(2).tolist(), one.not_relevant(2).tolist()) == ([1], [3])
    assert one.gains(np.array([0.0, 1, 3])).tolist() == [[3, 0, 0, 0, 1]]
    assert one.gains(np.array([0.5, 1, 3])).tolist() == [[3, 0, 0.5, 0, 1]]
    assert one.weigh(np.array([5.0, 4, 3, 2, 1])).tolist() == [[5, 4, 3, 2, 1]]
    empty = many_lists(np.zeros((2, 0), np.int16), [1], 1, np.zeros((2, 0)), 0.5)
    assert (empty.ranks.tolist(), empty.depth, empty.length.tolist()) == ([[2], [2]], 1, [0, 0])
    assert empty.p is not None
    assert empty.p_total is not None
    assert (empty.p.tolist(), empty.p_total.tolist()) == ([[0], [0]], [0.5, 0.5])
    assert (empty.labels.tolist(), empty.labelled.any()) == ([[0], [0]], False)
    assert empty.weigh(np.array([5.0])).tolist() == [[0], [0]]


def test_weights_inside_ties_are_means() -> None:
    runs = hj.read_runs({"s": {"1": {"a": 2, "b": 1, "x": 1, "c": 1, "d": 0}}}, ties="expected")
    pool = hj.read_qrels({"1": {"a": 1, "b": 1, "c": 1, "d": 1, "e": 1}}).pool
    ((_, found),) = judge_lists(align(runs, pool), np.ones(5, np.int16), 1)
    assert found.ranks.tolist()[0][0] == 1
    assert found.weigh(np.array([10.0, 6, 3, 0, 1])).tolist() == [[10, 3, 3, 1]]
