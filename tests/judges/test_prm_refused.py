"""What the predicted relevance model refuses and notes."""

import math

import pytest

import hungjury as hj
from builders.prm_panels import pairs_of, panel
from hungjury.base.errors import InputError
from hungjury.judges.prm import prm

# Errors


def test_no_document_was_judged_twice():
    with pytest.raises(InputError, match="two judgments") as caught:
        prm(panel([("1", "a", "X", 1), ("1", "b", "Y", 0), ("2", "a", "Y", 1)]), smoothing=1)
    assert caught.value.remedy


def test_probabilities_are_no_levels():
    soft = hj.read_judgments({"X": {"1": {"a": 0.5}}, "Y": {"1": {"a": 1}}})
    with pytest.raises(InputError, match="probabilities") as caught:
        prm(soft)
    assert caught.value.remedy


@pytest.mark.parametrize("choice", [{"rel": 2}, {"relevant": []}, {"relevant": [7]}])
def test_nothing_counts_as_relevant(choice):
    with pytest.raises(InputError, match=r"levels are \[?0, 1") as caught:
        prm(panel(pairs_of((1, 0))), **choice)
    assert caught.value.remedy


@pytest.mark.parametrize("smoothing", [-1, -0.001, math.nan])
def test_smoothing_is_0_or_more(smoothing):
    with pytest.raises(InputError, match="smoothing") as caught:
        prm(panel(pairs_of((1, 0))), smoothing=smoothing)
    assert caught.value.remedy


def test_draws_are_needed():
    with pytest.raises(InputError, match="draws"):
        prm(panel(pairs_of((1, 0))), draws=0)


# Notes


def codes(model):
    return [note.kind for note in model.notes]


def in_two_topics(*pairs):
    return pairs_of(*pairs) + pairs_of(*pairs, topic="2")


def test_much_double_judging_needs_no_note():
    assert codes(prm(panel(in_two_topics(*[(1, 1), (0, 0)] * 25)))) == []


def test_few_pairs_are_noted():
    model = prm(panel(in_two_topics(*[(1, 1)] * 25, *[(0, 0)] * 24)))
    assert codes(model) == ["few-pairs"]
    assert "level 0 occurs in only 96 pairs" in str(model.notes[0])


def test_single_judgments_are_noted():
    rows = [*in_two_topics(*[(1, 1), (0, 0)] * 25), *((("1", f"x{i}", "X", 1)) for i in range(100))]
    model = prm(panel(rows))
    assert codes(model) == ["double-judged"]
    assert "100 documents of 200 (50.0%)" in str(model.notes[0])
