"""Residuals: how much a score could grow if everything that was not judged had the largest gain."""

import itertools

import numpy as np
import pytest

import hungjury as hj
from hungjury.base.errors import MeasureError
from oracles import gain as naive

NAMES = ["RBP(p=0.7)", "gRBP(p=0.7)@6", "SDCG@5", "BPM(T=2)@6", "INSQ(T=2)", "INST(T=2)", "NERR8@5",
         "NERR9@5", "NERR10(p=0.6)", "NERR11(T=2)"]  # fmt: skip
LISTS = [[2, None, 0, 1, None], [None], [0, 0, 2], [1, 2, 2, 1, 0, None, 1, 2]]


@pytest.mark.parametrize(("name", "labels"), list(itertools.product(NAMES, LISTS)))
def test_unjudged_documents_and_those_after_the_end_gain_most(name, labels):
    known = [label for label in labels if label is not None]
    low = hj.score_list(name, labels, pool=[*known, 2])
    more = 1000 if "INS" in name else 200
    filled = [2 if label is None else label for label in labels] + [2] * more
    high = hj.score_list(name, filled, pool=filled)
    found = hj.score_list(f"Residual({name})", labels, pool=[*known, 2])
    assert found == pytest.approx(high - low, abs=4e-3 if "INS" in name else 1e-9)
    assert -1e-12 <= found <= 1


def test_fully_judged_lists_to_the_cutoff_have_none():
    assert hj.score_list("Residual(SDCG@3)", [2, 0, 1], pool=[2, 1, 0]) == pytest.approx(0)
    assert hj.score_list("Residual(BPM(T=1)@3)", [2, 0], pool=[2, 0]) == pytest.approx(0)


def test_only_rank_weighted_measures_have_residuals():
    with pytest.raises(MeasureError, match="AP has no residual"):
        hj.score_list("Residual(AP)", [1, 0])


def test_the_paper_on_insq():
    """With T = 1, Moffat, Scholer and Thomas (2012): weights are 1 / (n + 1)^2 over their sum."""
    weights = 1 / (np.arange(1, 200_000) + 1.0) ** 2
    assert hj.score_list("INSQ(T=1)", [0, 1], pool=[0, 1]) == pytest.approx(
        weights[1] / (np.pi**2 / 6 - 1), abs=1e-9
    )
    assert naive.inverse_squares(1.0) == pytest.approx(np.pi**2 / 6, abs=1e-14)
