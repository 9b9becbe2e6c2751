"""Sums over pairs and votes in native code, against loops."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import scipy.stats

from hungjury import native
from hungjury.stats.correlation import kendall_cross, tau_ap, tau_ap_cross
from oracles import stats as naive_stats

JUDGES, GRADES = 6, 3


def votes_of(documents, missing, seed=1):
    """Votes in any order, no judge twice on a document: documents, judges and choices."""
    rng = np.random.default_rng(seed)
    places = [(d, j) for d in range(documents) for j in range(JUDGES) if rng.random() >= missing]
    rng.shuffle(places)
    document, judge = np.array(places, dtype=np.int32).reshape(-1, 2).T.copy()
    return document, judge, rng.integers(0, GRADES, len(places)).astype(np.int16)


@pytest.mark.parametrize(
    ("documents", "missing"),
    [(150, 0.0), (64, 0.1), (65, 0.2), (130, 0.9), (3, 0.5), (0, 0.0)],
)
def test_pairs_of_judges(documents, missing):
    """By sets of documents where labels are many, by votes where they are few."""
    document, judge, choice = votes_of(documents, missing)
    said = {(d, j): c for d, j, c in zip(document, judge, choice, strict=True)}
    found = native.judge_pairs(document, judge, choice, documents, JUDGES, GRADES)
    common, same, chance = (table.reshape(JUDGES, JUDGES) for table in found)
    for a in range(JUDGES):
        for b in range(JUDGES):
            both = [(said[d, a], said[d, b]) for d in range(documents)
                    if (d, a) in said and (d, b) in said]  # fmt: skip
            assert common[a, b] == len(both)
            assert same[a, b] == sum(x == y for x, y in both)
            assert chance[a, b] == sum(x == y for x, _ in both for _, y in both)


@pytest.mark.parametrize("shared", [False, True])
def test_votes_are_counted(shared):
    document, judge, choice = votes_of(20, 0.4)
    weight = np.random.default_rng(2).gamma(1, size=JUDGES)
    share = np.random.default_rng(3).random(len(document)) if shared else None
    if shared:
        choice[:] = 1
    expected = np.zeros((20, GRADES))
    for i, (d, j, c) in enumerate(zip(document, judge, choice, strict=True)):
        if share is None:
            expected[d, c] += weight[j]
        else:
            expected[d, 1] += weight[j] * share[i]
            expected[d, 0] += weight[j] * (1 - share[i])
    found = native.count_votes(document, judge, choice, share, weight, 20, GRADES)
    assert found.reshape(20, GRADES) == pytest.approx(expected)


@pytest.mark.parametrize("rel", [0, 2])
def test_moments_with_other_families(rel):
    document, judge, choice = votes_of(30, 0.4)
    label = choice.astype(float)
    label[::7] = -1  # pooled, but not judged
    weight = np.array([0.5, 0.5, 1, 1 / 3, 1 / 3, 1 / 3])
    family = np.array([0, 0, 1, 2, 2, 2], dtype=np.int32)
    topic = np.repeat(np.arange(3, dtype=np.int32), 10)
    rows = [
        (d, j, (float(x >= rel) if rel else x))
        for d, j, x in zip(document.tolist(), judge.tolist(), label.tolist(), strict=True)
        if x >= 0
    ]
    expected = np.zeros((JUDGES, 3, 6))
    for d, j, x in rows:
        others = [(weight[k], y) for e, k, y in rows if e == d and family[k] != family[j]]
        if others:
            m = sum(w * y for w, y in others) / sum(w for w, _ in others)
            expected[j, topic[d]] += [1, x, m, x * x, m * m, x * m]
    found = native.moments_with_rest(document, judge, label, rel, weight, family, topic, 3)
    assert found.reshape(expected.shape) == pytest.approx(expected)


@pytest.mark.parametrize("by", ["any", "judge", "document"])
def test_a_repeated_vote_is_found(by):
    document, judge, _ = votes_of(40, 0.5)
    if by != "any":
        order = np.argsort(document, kind="stable")
        order = order[np.argsort(judge[order], kind="stable")] if by == "judge" else order
        document, judge = document[order], judge[order]
    assert not native.votes_repeat(document, judge, 40, JUDGES)
    for again in (0, len(judge) // 2, len(judge) - 1):
        twice = np.append(document, document[again]), np.append(judge, judge[again])
        assert native.votes_repeat(*twice, 40, JUDGES)
    assert not native.votes_repeat(document[:0], judge[:0], 0, JUDGES)


def test_votes_stay_inside_the_tables():
    document, judge, choice = votes_of(10, 0.2)
    weight = np.ones(JUDGES)
    with pytest.raises(IndexError, match="outside the documents or judges"):
        native.votes_repeat(document, judge, 9, JUDGES)
    with pytest.raises(IndexError, match="outside the documents or judges"):
        native.judge_pairs(document, judge, choice, 10, JUDGES - 1, GRADES)
    with pytest.raises(IndexError, match="outside the documents or judges"):
        native.count_votes(document, -judge, choice, None, weight, 10, GRADES)
    with pytest.raises(IndexError, match="outside the grades"):
        native.judge_pairs(document, judge, choice, 10, JUDGES, GRADES - 1)
    with pytest.raises(IndexError, match="outside the grades"):  # no grade below the lowest
        native.count_votes(document, judge, choice * 0, weight[judge], weight, 10, GRADES)
    with pytest.raises(IndexError, match="different sizes"):
        native.judge_pairs(document, judge[1:], choice, 10, JUDGES, GRADES)
    with pytest.raises(IndexError, match="different sizes"):
        native.judge_pairs(document, judge, choice[1:], 10, JUDGES, GRADES)
    label, topic = choice.astype(float), np.zeros(10, dtype=np.int32)
    family = np.arange(JUDGES, dtype=np.int32)
    for wrong in ((family + 1, topic), (family, topic + 1)):
        with pytest.raises(IndexError, match="not there"):
            native.moments_with_rest(document, judge, label, 0, weight, *wrong, 1)


@pytest.mark.parametrize(
    "values",
    [
        [],
        [0, 1, 1, 2, -2, 0],
        [0.5, 1, 0.25, 0.5, -0.0, 0, 1],
        [1e9, 4096, 4097, -4096, -4097, 4096.5, 1e9, -1e300, np.inf],
    ],
)
def test_distinct_values(values):
    found, often = native.distinct(np.array([*values, np.nan], dtype=float))
    expected = sorted(set(values))
    assert found.tolist() == expected
    assert often.tolist() == [values.count(value) for value in expected]


@pytest.mark.parametrize("grades", [[0, 1], [0, 1, 2, 3], [0, 2, 8], [-2, 0, 1], [5]])
def test_places_of_labels_in_grades(grades):
    labels = [-3, -2, -1, 0, -0.0, 0.5, 1, 2, 2.5, 3, 5, 8, 9, 1e300, -1e300, np.nan, np.inf]
    found = native.grade_places(np.array(labels), np.array(grades))
    assert found.tolist() == [grades.index(x) if x in grades else -1 for x in labels]


def test_grades_that_are_no_scale():
    for grades in ([], [2, 1], [0, 1 << 40]):
        with pytest.raises(IndexError, match="grades must ascend"):
            native.grade_places(np.zeros(2), np.array(grades, dtype=np.int64))


def test_the_largest_label_of_each_judge():
    judge = np.array([2, 0, 2, 0, 1], dtype=np.int32)
    label = np.array([1, 3, 2, 0.5, -1])
    assert native.largest_labels(judge, label, 4).tolist() == [3, 0, 2, 0]
    with pytest.raises(IndexError, match="not there"):
        native.largest_labels(judge, label, 2)
    with pytest.raises(IndexError, match="different sizes"):
        native.largest_labels(judge, label[1:], 4)


def test_keys_are_counted():
    key = np.array([2, 0, 2, 2], dtype=np.int32)
    assert native.count_keys(key, 4).tolist() == [1, 0, 3, 0]
    for wrong in (key, -key):
        with pytest.raises(IndexError, match="not there"):
            native.count_keys(wrong, 2)


def test_sums_of_what_other_keys_are_worth():
    document, judge, _ = votes_of(10, 0.5)
    worth = np.random.default_rng(4).random(JUDGES)
    expected = [sum(worth[judge[document == d]].tolist()) for d in range(12)]
    assert native.sum_by_key(document, judge, worth, 12) == pytest.approx(expected)
    with pytest.raises(IndexError, match="not there"):
        native.sum_by_key(document, judge, worth[1:], 12)
    with pytest.raises(IndexError, match="not there"):
        native.sum_by_key(document, judge, worth, 9)
    with pytest.raises(IndexError, match="different sizes"):
        native.sum_by_key(document[1:], judge, worth, 12)


# Sums over pairs on sets of items: many items, many rows, many ties.


def tables(seed: int, items: int, rows: tuple[int, int], levels: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    left, right = (rng.integers(0, levels, (n, items)).astype(float) for n in rows)
    left[0], right[-1] = 1.0, 2.0  # constant rows
    left[-1, 0] = np.inf
    return left, right


# 64 items fill a word exactly; 130 need three words, the last nearly empty.
@pytest.mark.parametrize("items", [2, 3, 63, 64, 65, 128, 130])
@pytest.mark.parametrize("levels", [3, 10**6])
def test_rows_against_one_at_a_time(items: int, levels: int) -> None:
    left, right = tables(items, items, (4, 3), levels)
    tau, ap = kendall_cross(left, right), tau_ap_cross(left, right)
    for i, one in enumerate(left):
        for j, other in enumerate(right):
            with np.errstate(invalid="ignore"):
                expected = scipy.stats.kendalltau(one, other).statistic
            assert tau[i, j] == pytest.approx(expected, abs=1e-12, nan_ok=True)
            assert ap[i, j] == pytest.approx(tau_ap(one, other), abs=1e-12)


def pair_sums(left: Any, right: Any, by_rank: bool) -> Any:
    """[left, right] of one pair of tables."""
    return native.pair_sums(left[None], right[None], by_rank).reshape(len(left), len(right))


def test_the_sums_themselves() -> None:
    left, right = tables(1, 5, (6, 4), 3)
    plain, ranked = (pair_sums(left, right, by_rank) for by_rank in (False, True))
    for i, one in enumerate(left.tolist()):
        for j, other in enumerate(right.tolist()):
            balance = 5 * 4 / 2 * naive_stats.kendall(one, other, "a")
            assert plain[i, j] == pytest.approx(balance, abs=1e-12)
            assert ranked[i, j] == pytest.approx(4 * naive_stats.tau_ap(one, other), abs=1e-12)


def test_more_rows_than_are_kept_at_once() -> None:
    """2000 items take half a megabyte of sets a row: a handful of rows at once."""
    left, right = tables(2, 2000, (2, 19), 50)
    whole = pair_sums(left, right, True)
    for j in range(len(right)):
        assert np.array_equal(pair_sums(left, right[j : j + 1], True)[:, 0], whole[:, j])


def test_nothing_to_compare() -> None:
    none = np.zeros((0, 4))
    assert pair_sums(none, np.ones((3, 4)), False).shape == (0, 3)
    assert pair_sums(np.zeros((2, 0)), np.zeros((3, 0)), True).tolist() == [[0.0] * 3] * 2
    for other in (np.zeros((1, 2, 4)), np.zeros((2, 2, 3))):
        with pytest.raises(IndexError):
            native.pair_sums(np.zeros((1, 2, 3)), other, False)


@pytest.mark.parametrize("by_rank", [False, True])
def test_many_tables_at_once(by_rank: bool) -> None:
    each = [tables(k, 9, (3, 2), 4) for k in range(5)]
    left, right = np.stack([one for one, _ in each]), np.stack([other for _, other in each])
    found = native.pair_sums(left, right, by_rank).reshape(5, 3, 2)
    for sums, one, other in zip(found, left, right, strict=True):
        assert np.array_equal(sums, pair_sums(one, other, by_rank))


@pytest.mark.parametrize("items", [1, 2, 63, 128, 129, 300])
def test_untied_pairs(items: int) -> None:
    left, _ = tables(items, items, (4, 1), 20)
    wanted = [sum(a != b for i, a in enumerate(row) for b in row[:i]) for row in left.tolist()]
    assert native.untied_pairs(left).tolist() == wanted


# The native loops behind AWARE's closeness, compared with plain ones.


def loop_kernel_sums(values: list[float], points: int, bandwidth: float) -> list[float]:
    grid = [i / (points - 1) for i in range(points)]
    return [math.fsum(math.exp(-((v - p) ** 2) / (2 * bandwidth**2)) for v in values) for p in grid]


@pytest.mark.parametrize(("points", "bandwidth"), [(100, 0.015), (100, 0.3), (7, 0.001), (2, 1.0)])
def test_kernel_sums_on_a_grid(points: int, bandwidth: float) -> None:
    rng = np.random.default_rng(1)
    values = np.concatenate([rng.random((3, 40)), [[0.0] * 20 + [1.0] * 20]])
    values[0, :4] = [0.0, 1.0, 0.5, 1 + 1e-10]
    found = native.kernel_sums(values, points, bandwidth)
    for row, sums in zip(values.tolist(), found, strict=True):
        wanted = np.array(loop_kernel_sums(row, points, bandwidth))
        np.testing.assert_allclose(sums, wanted, rtol=1e-12, atol=1e-22)


def test_kernel_sums_refuse_values_far_outside() -> None:
    for value in (math.nan, math.inf, 5.0, -3.0):
        with pytest.raises(IndexError, match="far outside"):
            native.kernel_sums(np.array([[value]]), 100, 0.015)


@pytest.mark.parametrize("size", [1, 7, 8, 9, 50])
def test_squared_distances(size: int) -> None:
    rng = np.random.default_rng(size)
    left, right = rng.random((3, size)), rng.random((5, size))
    found = native.squared_distances(left, right)
    for i, a in enumerate(left.tolist()):
        for j, b in enumerate(right.tolist()):
            wanted = math.fsum((x - y) ** 2 for x, y in zip(a, b, strict=True))
            assert found[i, j] == pytest.approx(wanted, rel=1e-13)
    assert not np.diag(native.squared_distances(left, left)).any()


@pytest.mark.parametrize("grades", [3, 300])
@pytest.mark.parametrize("kind", [np.int16, np.uint8])
def test_documents_of_each_grade(kind: Any, grades: int) -> None:
    rng = np.random.default_rng(3)
    labels = rng.integers(0 if kind is np.uint8 else -2, 4, (3, 12)).astype(kind)
    offsets = np.array([1, 5, 5, 12])  # the topic in the middle has no documents
    found = native.grade_counts(labels, offsets, grades).reshape(3, 3, grades)
    for t, (begin, end) in enumerate(pairwise(offsets)):
        for v, mine in enumerate(labels[:, begin:end].tolist()):
            assert found[t, v].tolist() == [mine.count(grade) for grade in range(grades)]


@pytest.mark.parametrize("kind", [np.int16, np.uint8])
def test_more_documents_of_a_grade_than_their_labels_can_count(kind: Any) -> None:
    labels = np.repeat(np.array([[1, 0, 1]], dtype=kind), [70_000, 300, 7], axis=1)
    found = native.grade_counts(labels, np.array([0, labels.size]), 2)
    assert found.tolist() == [300, 70_007]


def loop_sum(kernel: str, weights: list[float], worths: list[float]) -> float:
    """The sum of a list: of gains, of precisions, or of a user who stops at a document."""
    total, above, reached = 0.0, 0.0, 1.0
    for weight, worth in zip(weights, worths, strict=True):
        total += weight * worth * {"gains": 1, "precisions": 1 + above, "cascade": reached}[kernel]
        above += worth
        reached *= 1 - worth
    return total


@pytest.mark.parametrize("kernel", ["gains", "precisions", "cascade"])
def test_walks_through_lists(kernel: str) -> None:
    """Sums, and what they gain with a document: they are linear in each document's worth."""
    rng = np.random.default_rng(4)
    worth = rng.choice([0.0, 0.3, 1.0], (3, 9))
    end = np.array([0, 4, 4, 9])  # the list in the middle is empty
    document = np.concatenate([rng.permutation(9)[:4], rng.permutation(9)[:5]]).astype(np.int32)
    weight = rng.random(9)
    sums, slopes = native.walk_lists(kernel, worth, end, document, weight)
    assert slopes.shape == (1 if kernel == "gains" else 3, 9)
    for k, of_set in enumerate(np.broadcast_to(slopes, (3, 9))):
        for i, (begin, stop) in enumerate(pairwise(end)):
            here, mine = weight[begin:stop].tolist(), worth[k, document[begin:stop]].tolist()
            assert sums[k, i] == pytest.approx(loop_sum(kernel, here, mine), abs=1e-14)
            for place in range(len(mine)):
                without, whole = (
                    loop_sum(kernel, here, [*mine[:place], one, *mine[place + 1 :]])
                    for one in (0.0, 1.0)
                )
                assert of_set[begin + place] == pytest.approx(whole - without, abs=1e-14)


def test_walks_have_names() -> None:
    with pytest.raises(ValueError, match="no walk is called best"):
        native.walk_lists("best", np.ones((1, 1)), np.array([0]), np.zeros(0, np.int32), np.ones(0))
