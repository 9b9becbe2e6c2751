"""Ranks that a plan reads: all that matter, and no others."""

import importlib

import numpy as np
import pytest

import hungjury as hj
from hungjury.data.alignment import align

PLANS = importlib.import_module("hungjury.leaderboard.plan")


@pytest.fixture
def read(monkeypatch):
    """The depth that lists are read down to, of each plan."""
    seen = []

    def watched(lists, pool, depth, *others, **named):
        seen.append(depth)
        return align(lists, pool, depth, *others, **named)

    monkeypatch.setattr(PLANS, "align", watched)
    return seen


CUT = [
    "nDCG@10",
    "P(rel=1)@3",
    "AP@20",
    "ERR@5",
    "Q@10",
    "MP(model=GL_OR_ID)@7",
    ["P@5", "RBP@15"],
    "GMAP@8",
]


@pytest.mark.parametrize("measure", CUT, ids=str)
def test_ranks_that_do_not_matter_are_not_read(measure, read, monkeypatch):
    """The plan is the same as from whole lists."""
    given = hj.simulate(systems=4, topics=4, documents=60, depth=40, seed=3)
    found = hj.plan(given.judgments, given.runs, measure, budget=30)
    monkeypatch.setattr(PLANS, "_depth_read", lambda lists, measures: None)
    whole = hj.plan(given.judgments, given.runs, measure, budget=30)
    assert read == [{"AP@20": 20, "['P@5', 'RBP@15']": 15}.get(str(measure), 10), None]
    assert found.documents == whole.documents
    np.testing.assert_allclose(found.weight, whole.weight, rtol=1e-9)
    np.testing.assert_allclose(found.expected, whole.expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("measure", "options"),
    [("AP", {}), (["P@5", "AP"], {}), ("RR@10", {}), ("P@5", {"ties": "expected"}),
     ("P@5", {"design": "depth"})],
)  # fmt: skip
def test_whole_lists_are_read_where_they_matter(measure, options, read):
    given = hj.simulate(systems=3, topics=3, documents=30, depth=20, seed=3)
    hj.plan(given.judgments, given.runs.to_dict(), measure, budget=10, **options)
    assert read == [None]
