"""A small version of the study of coverage; `make studies` runs the whole one."""

import pytest
from benchmarks.truth.coverage import Coverage, Scenario

pytestmark = pytest.mark.long

RIGHT = Scenario("right", topics=20)
BLIND = Scenario("blind to ranks", topics=20, prior="flat")


@pytest.fixture(scope="module")
def table():
    found = Coverage((RIGHT, BLIND), repetitions=40, draws=200, seed=3, many=3000).run_all()
    return {(row["collection"], row["target"]): row for row in found}


@pytest.mark.parametrize("target", ["topics", "population"])
def test_intervals_cover_the_truth_as_often_as_they_claim(table, target):
    row = table["right", target]
    assert row["times"] == 40
    assert abs(row["covered"] - 0.95) < 4 * row["±"] + 0.01
    assert row["covered"] > 0.88
    assert abs(row["bias"]) < 0.015


def test_a_prior_blind_to_ranks_does_not(table):
    row = table["blind to ranks", "topics"]
    assert row["covered"] < 0.7
    assert row["bias"] < -0.02


def test_jobs_do_not_depend_on_each_other():
    whole = Coverage((RIGHT,), repetitions=21, draws=100, many=50)
    assert whole.parts() == [("right", 0), ("right", 20)]
    last = whole.run(("right", 20))
    assert len(last) == 2
    assert last == whole.run(("right", 20))
