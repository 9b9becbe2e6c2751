"""What each measure can do, as its class says; a subclass does not inherit what is wrong for it."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest

import hungjury as hj
from hungjury.base.errors import MeasureError
from hungjury.data.judged import Judged
from hungjury.data.simulation import simulate
from hungjury.judges.judge_scores import compare_approaches
from hungjury.measures.catalogue import CATALOGUE, Measure, measure, measures
from hungjury.measures.catalogue.average_precision import AP
from hungjury.measures.catalogue.gain import DCG, RBP, nDCG
from hungjury.measures.catalogue.precision import P
from hungjury.measures.catalogue.sets import OfTheSet
from hungjury.theory.balancing_forms import closed_form

RANKS = np.arange(1.0, 6.0)


class Doubled(AP):
    def score(self, judged: Judged) -> Any:
        return 2 * super().score(judged)


class Steeper(RBP):
    def discount(self, ranks: Any) -> Any:
        return 0.5 * super().discount(ranks)


class OtherAverage(P):
    average: ClassVar[str] = "gmean"


class Declared(AP):
    """Scores anew, and says that it still has a mean inside ties."""

    averages_ties: ClassVar[bool] = True

    def score(self, judged: Judged) -> Any:
        return super().score(judged)


class NewSet(OfTheSet):
    def score(self, judged: Judged) -> Any:
        return np.ones(judged.counts.shape[:-1])


def has_counterpart(one: Measure) -> bool:
    try:
        return one.for_probabilities().takes_probabilities
    except MeasureError:
        return False


def test_a_class_that_scores_otherwise_has_no_capability_of_its_parent() -> None:
    assert AP().kernel(RANKS, 1) is not None
    assert closed_form(AP(), 1, 1) is not None
    mine = Doubled()
    assert mine.kernel(RANKS, 1) is None
    assert closed_form(mine, 1, 1) is None
    assert not hj.m.E(of=mine).is_exact
    assert AP.averages_ties
    assert not mine.averages_ties
    assert not has_counterpart(mine)
    assert Declared().averages_ties
    assert Declared().kernel(RANKS, 1) is None


def test_a_capability_stays_where_nothing_that_it_rests_on_changes() -> None:
    mine = Steeper()
    kernel = mine.kernel(RANKS, 1)
    assert kernel is not None  # made from the discount, whichever it is
    assert kernel.weights == pytest.approx(0.5 * RBP().discount(RANKS))
    assert not has_counterpart(mine)  # eRRBP has another discount
    assert closed_form(mine, 1, 1) is not None  # it follows from the kernel
    assert OtherAverage(cutoff=3).kernel(RANKS, 1) is not None
    assert NewSet.averages_ties  # its parent leaves the scoring to it


def test_balancing_forms_of_subclasses_are_their_own() -> None:
    """With other discounts of the same ratio the index stays; it is not looked up by class."""
    from hungjury.theory.balancing import balancing_index

    for length in (1, 5, 30):
        assert balancing_index(Steeper(), length) == balancing_index(RBP(), length)
        assert balancing_index(Doubled(), length) == balancing_index("AP", length, method="scan")


@pytest.mark.parametrize(
    ("name", "counterpart"),
    [
        ("AP", "eRAP"), ("AP@5", "eRAP@5"), ("AP(rel=2)", None), ("GMAP", None),
        ("RBP(p=0.5)", "eRRBP(p=0.5)"), ("RBP(rel=2)", None), ("DCG(base=2)@3", "eRDCG(base=2)@3"),
        ("DCG", None), ("nDCG(base=2)", None), ("DCG(base=2, gains={1: 2})", None),
        ("gRBP", None), ("nDCG@10", None), ("eRAP@5", "eRAP@5"), ("eRRBP(rel=1)", "eRRBP"),
        ("eRAP(rel=2)", None), ("eRAP(prob=[0.1, 0.9])", None),
    ],
)  # fmt: skip
def test_counterparts_for_probabilities(name: str, counterpart: str | None) -> None:
    if counterpart is None:
        with pytest.raises(MeasureError, match="no counterpart"):
            measure(name).for_probabilities()
    else:
        assert measure(name).for_probabilities() == measure(counterpart)


def test_the_geometric_mean_is_not_compared_as_an_arithmetic_one() -> None:
    made = simulate(3, 4, 40, 10, seed=3)
    merges = ("mv", "binmv")
    left = compare_approaches(
        made.judgments, made.runs, "GMAP", made.gold, replicates=5, merges=merges
    )
    assert "binmv" not in [one.approach for one in left]
    assert "GMAP has no counterpart for probabilities" in str(left.notes[0])
    found = compare_approaches(
        made.judgments, made.runs, "AP", made.gold, replicates=5, merges=merges
    )
    assert found["binmv"].measure == "eRAP"


def test_the_expectation_of_a_geometric_mean() -> None:
    """The mean over topics of E(GMAP) is geometric; single topics have the expectation of AP."""
    soft = hj.read_qrels({"1": {"a": 0.5, "b": 0.9}, "2": {"a": 0.2, "b": 0.7}})
    runs = {"s": {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 2.0, "b": 1.0}}}
    one, other = hj.evaluate(soft, runs, ["E(AP)", "E(GMAP)"]).values
    assert np.array_equal(one, other)
    mean = hj.evaluate(soft, runs, "E(GMAP)").mean()[0, 0]
    assert mean == pytest.approx(float(np.exp(np.log(one).mean())))


def test_directions() -> None:
    smaller = {row["name"] for row in measures() if row["smaller_is_better"]}
    assert smaller == {"ESL", "Fallout", "SetFallout", "Residual"}
    assert measure("E(ESL)").smaller_is_better
    assert not measure("E(AP)").smaller_is_better


def test_an_expectation_has_the_bounds_of_its_measure() -> None:
    assert (measure("E(nDCG@10)").low, measure("E(nDCG@10)").high) == (0.0, 1.0)
    assert measure("E(ESL)").high == np.inf
    assert measure("E(NumRet)").average == "sum"


@pytest.mark.parametrize(
    ("name", "grade"),
    [("AP", 0), ("ERR", 0), ("ERR(max_grade=4)", 4), ("gRBP(max_grade=3)", 3),
     ("eRAP(prob=[0, 0.5, 1])", 2), ("GAP(g=[0.5, 0.5])", 2)],
)  # fmt: skip
def test_the_largest_grade_a_measure_speaks_of(name: str, grade: int) -> None:
    assert measure(name).declared_grade == grade


@pytest.mark.parametrize(
    ("name", "ranks"),
    [("AP", None), ("AP@5", 5), ("P@3", 3), ("ESL", None), ("IPrec@0.5", None), ("E(nDCG@10)", 10),
     ("E(nDCG)@10", 10), ("E(AP)", None), ("eRAP@7", 7)],
)  # fmt: skip
def test_how_many_ranks_count(name: str, ranks: int | None) -> None:
    assert measure(name).depth == ranks


def test_what_scores_in_python_is_said() -> None:
    native = {row["name"] for row in measures() if row["native"]}
    assert {"AP", "nDCG", "ERR", "RBP", "P", "RR", "Bpref", "Q", "infAP", "MP"} <= native
    assert not {"NCP", "Compat", "E"} & native
    assert len(measures()) == len(list(CATALOGUE))


def test_subclasses_of_the_catalogue_keep_their_parents_kernels() -> None:
    assert measure("GMAP").kernel(RANKS, 1) is not None
    assert issubclass(nDCG, DCG)
    assert nDCG().kernel(RANKS, 2) is not None
