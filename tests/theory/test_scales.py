"""Scales of measures: equal steps of an order of lists, against loops."""

from __future__ import annotations

import functools
import itertools

import pytest

import hungjury as hj
from hungjury.base.errors import InputError


@pytest.mark.parametrize(
    ("measure", "order", "scale"),
    [
        ("RBP(p=0.5)", "top", "interval"),  # binary numbers
        ("RBP(p=0.8)", "top", "not ordered"),
        ("P@5", "set", "interval"),
        ("P@5", "rank", "not strict"),
        ("AP", "set", "by ranks"),
        ("AP", "rank", "ordinal"),
        ("MP", "rank", "not ordered"),
        ("ESL", "rank", "undefined"),
    ],
)
def test_scales(measure, order, scale):
    assert hj.theory.interval_scale(measure, 5, 2, order).scale == scale


def test_equal_steps_of_ranked_lists():
    """On binary lists a step moves a document up by one rank, or adds one at the last: the sum of
    N + 1 - n over relevant ranks counts the steps, and nothing that is not linear in it does."""

    def steps(labels):
        return float(sum((len(labels) - n) * x for n, x in enumerate(labels)))

    found = hj.theory.interval_scale(steps, 5)
    assert (found.scale, found.steps) == ("interval", 48)
    squared = hj.theory.interval_scale(lambda labels: steps(labels) ** 2, 5)
    assert squared.scale == "ordinal"
    assert squared.smallest.before == (0, 0, 0, 0, 0)
    assert squared.largest.after == (1, 1, 1, 1, 1)
    assert "smallest step: (0, 0, 0, 0, 0) → (0, 0, 0, 0, 1) +1.0000" in str(squared)
    assert hj.theory.interval_scale("Fallout", 4, order="set").scale == "interval"


@pytest.mark.parametrize(
    ("length", "grades", "order"), [(4, 2, "rank"), (3, 3, "rank"), (3, 3, "set")]
)
def test_steps_have_no_list_between_them(length, grades, order):
    lists = list(itertools.product(range(grades), repeat=length))
    if order == "set":
        lists = [one for one in lists if sorted(one, reverse=True) == list(one)]

    @functools.cache
    def below(a, b):
        return hj.theory.compare_lists(a, b, order).relation == "less"

    steps = sum(
        below(a, b) and not any(below(a, c) and below(c, b) for c in lists)
        for a, b in itertools.product(lists, repeat=2)
    )
    assert hj.theory.interval_scale("CG", length, grades, order).steps == steps


def test_too_many_lists_are_refused():
    with pytest.raises(InputError, match="more than 1,024 lists of 11 with 2 grades") as found:
        hj.theory.interval_scale("AP", 11)
    assert found.value.code == "too-much-work"
