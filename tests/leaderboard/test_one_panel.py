"""A leaderboard builds one panel and merges at most twice, whatever it is asked for."""

import cProfile
import pstats

import pytest

import hungjury as hj
from hungjury.judges.panel import Panel


@pytest.fixture(scope="module")
def made():
    return hj.simulate(systems=3, topics=4, documents=40, depth=20, seed=5)


@pytest.fixture(scope="module")
def planned(made):
    """A plan, and gold labels of its documents."""
    plan = hj.plan(made.judgments, made.runs, "nDCG@10", 60)
    labels, gold = made.gold.to_dict(), {}
    for topic, document in zip(plan.topics, plan.documents, strict=True):
        gold.setdefault(topic, {})[document] = labels[topic][document]
    return {"plan": plan, "gold": gold}


def calls(run):
    """How often functions were called while running, by name; panels built as `Panel.of`."""
    profile = cProfile.Profile()
    board = profile.runcall(run)
    found = {"merge": 0, "Panel.of": 0}
    of = Panel.of.__code__
    for (file, line, name), (_, number, *_) in pstats.Stats(profile).stats.items():
        if name == "merge":
            found["merge"] += number
        if (file, line) == (of.co_filename, of.co_firstlineno):
            found["Panel.of"] += number
    return board, found


@pytest.mark.parametrize("merge", ["binmv", "mv", "em-mv"])
@pytest.mark.parametrize(
    ("measure", "families"), [("nDCG@10", None), ("DCG@10", {"judge1": "a", "judge2": "a"})]
)
def test_with_gold_and_a_plan(made, planned, merge, measure, families):
    board, found = calls(
        lambda: hj.leaderboard(
            made.judgments, made.runs, measure, merge, draws=100, families=families, **planned
        )
    )
    assert board.scale == "gold"
    assert 1 <= found["merge"] <= 2
    assert found["Panel.of"] == 1


@pytest.mark.parametrize("merge", ["binmv", "mv", "em-mv", "aware"])
def test_without_gold(made, merge):
    _, found = calls(lambda: hj.leaderboard(made.judgments, made.runs, "AP", merge, draws=100))
    assert found == {"merge": int(merge != "aware"), "Panel.of": 1}


def test_a_plan(made):
    _, found = calls(lambda: hj.plan(made.judgments, made.runs, ["AP", "nDCG@10"], 50))
    assert found == {"merge": 1, "Panel.of": 1}


def test_what_is_shown_merges_each_way_once(made, planned):
    """Other merges are compared with gold labels when the comparison is shown, and then kept."""
    board = hj.leaderboard(made.judgments, made.runs, "nDCG@10", draws=100, **planned)
    first, found = calls(board.to_text)
    assert found["merge"] <= 3  # mv, em-mv and em-neu; the plan asked for binmv already
    again, found = calls(board.to_text)
    assert found["merge"] == 0
    assert first == again
