"""Gold labels of the whole pool give their own scores, for every measure of the catalogue."""

import warnings

import numpy as np
import pytest

import hungjury as hj
from hungjury.base.errors import HungjuryError
from hungjury.measures.catalogue import CATALOGUE, measure

NEEDS = {"MP": "MP(model='GL_AD_ID')", "nMCG": None}  # None: needs a model of users


@pytest.fixture(scope="module")
def made():
    return hj.simulate(systems=3, topics=5, documents=40, depth=20, grades=3, seed=4)


def written(cls):
    """A measure of this class, with what it cannot do without."""
    for text in (cls.name, f"{cls.name}@10", f"{cls.name}(g=[0.4, 0.6])", NEEDS.get(cls.name)):
        try:
            return measure(text) if text else None
        except HungjuryError:
            continue
    return None


@pytest.mark.parametrize("cls", list(CATALOGUE), ids=lambda cls: cls.name)
def test_the_whole_pool_gives_golds_own_score(cls, made):
    one = written(cls)
    if one is None or one.expectation is not None:
        pytest.skip("needs more than labels")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            found = hj.leaderboard(made.judgments, made.runs, one, gold=made.gold, target="topics",
                                   draws=100, outlook=False)  # fmt: skip
        except HungjuryError as error:
            pytest.skip(f"no leaderboard: {error}")
    truth = hj.evaluate(made.gold, made.runs, one)
    mean = dict(zip(truth.systems, truth.mean()[0], strict=True))
    expected = [mean[s] for s in found.systems]
    np.testing.assert_allclose(found.mean, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.low, expected, rtol=1e-6, atol=1e-9)
    assert found.correction.estimate == "exact"
