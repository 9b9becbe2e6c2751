"""Names of expectations, such as E(AP) and E(nDCG@10, draws=20)."""

import pytest

import hungjury as hj
from hungjury.base.errors import HungjuryError, MeasureError


def test_a_cutoff_of_the_expectation_is_that_of_the_measure():
    outside, inside = hj.measure("E(AP)@3"), hj.measure("E(AP@3)")
    assert outside == inside
    assert str(outside) == str(inside) == "E(AP@3)"
    scores = hj.evaluate(
        {"q": {"a": 0.5, "b": 0.9}}, {"q": {"b": 1.0, "a": 0.5}}, [outside, "E(AP@1)"]
    )
    assert scores.values[0, 0, 0] > scores.values[1, 0, 0]


@pytest.mark.parametrize(
    "name",
    [
        "E(AP)",
        "E(nDCG@10, draws=20)",
        "E(RBP(p=0.9), draws=20, seed=3)",
        "E(GAP(g=[0.1, 0.9])@5)",
        'E(nDCG(dcg="exp-log2")@10)',
        "E(IPrec@0.1)",
    ],
)
def test_written_and_read_back(name):
    assert str(hj.measure(name)) == name
    assert hj.measure(str(hj.measure(name))) == hj.measure(name)


@pytest.mark.parametrize("name", ["E(E(AP))", "E(eRAP)", "E(eRRBP@10)", "E(eRDCG(base=2))"])
def test_expectations_of_expectations_are_refused(name):
    with pytest.raises(MeasureError, match="measure of certain labels") as caught:
        hj.measure(name)
    assert caught.value.remedy


@pytest.mark.parametrize(
    "name",
    ["E", "E()", "E(AP, nDCG)", "E(Bpref)@10", "E(AP, draws=1)", "E(AP, seed=-1)", "E(nothing)"],
)
def test_what_cannot_be_read(name):
    with pytest.raises(HungjuryError) as caught:
        hj.measure(name)
    assert caught.value.remedy


def test_a_list_alone_is_refused():
    with pytest.raises(MeasureError, match=r"evaluate\(\)"):
        hj.score_list("E(AP)", [1, 0])
