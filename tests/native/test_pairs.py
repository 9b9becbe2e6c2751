"""Sums over pairs on sets of items: many items, many rows, many ties."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.stats

from hungjury import native
from hungjury.stats.correlation import kendall_cross, tau_ap, tau_ap_cross
from oracles import stats as naive_stats


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
