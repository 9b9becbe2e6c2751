"""Public functions return finite numbers or an error that says why not, however odd the input."""

import itertools
import math

import numpy as np
import pytest

import hungjury as hj
from hungjury.base.errors import HungjuryError

VECTORS = {
    "constant": [1.0, 1.0, 1.0],
    "rising": [1.0, 2.0, 3.0],
    "falling": [3.0, 2.0, 1.0],
    "tied": [1.0, 1.0, 2.0],
    "huge": [1e308, -1e308, 1e308],
    "tiny": [5e-324, 0.0, -5e-324],
    "nan": [math.nan, 1.0, 2.0],
    "inf": [math.inf, 1.0, 2.0],
    "two": [1.0, 2.0],
    "one": [1.0],
    "none": [],
}


def result(call):
    """What a call returns, or None for an error of ours with a remedy."""
    try:
        return call()
    except HungjuryError as error:
        refused = error
    assert refused.remedy
    return None


def finite_or_refused(call):
    found = result(call)
    assert found is None or np.isfinite(np.asarray(found, dtype=float)).all(), found


@pytest.mark.parametrize(("one", "two"), list(itertools.product(VECTORS, repeat=2)))
def test_correlations_and_distances(one, two):
    a, b = VECTORS[one], VECTORS[two]
    finite_or_refused(lambda: hj.stats.tau_ap(a, b))
    finite_or_refused(lambda: hj.stats.rmse(a, b))
    tau = result(lambda: hj.stats.kendall(a, b))
    if "nan" in (one, two) or len(a) != len(b) or len(a) < 2:
        assert tau is None
    elif "constant" in (one, two):  # as documented
        assert tau is not None
        assert math.isnan(tau)
    else:
        assert tau is not None
        assert math.isfinite(tau)


POOLS = {
    "nothing relevant": {"1": {"a": 0, "b": 0}, "2": {"a": 0}},
    "all relevant": {"1": {"a": 1, "b": 1}, "2": {"a": 1}},
    "not judged": {"1": {"a": -1, "b": -1, "c": 0}, "2": {"a": 1}},
    "one document": {"1": {"a": 1}},
    "highest grades": {"1": {"a": 1000, "b": 0}, "2": {"a": 1000}},
    "probabilities": {"1": {"a": 0.0, "b": 1.0, "c": 0.5}, "2": {"a": 0.0}},
}
RUNS = {
    "usual": {"1": {"a": 2.0, "b": 1.0, "c": 0.5}, "2": {"a": 1.0}},
    "ties": {"1": {"a": 1.0, "b": 1.0, "x": 1.0}, "2": {"a": 1.0, "y": 1.0}},
    "huge scores": {"1": {"a": 1e308, "b": -1e308}, "2": {"a": 5e-324}},
    "one topic": {"1": {"b": 1.0, "a": 0.5}},
}
MEASURES = [row["name"] for row in hj.measures()]
GIVEN = {"F1": "F1@5", "IPrec": "IPrec@0.5"}


@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize("name", MEASURES)
def test_measures(name, pool):
    top = int(max(v for labels in POOLS[pool].values() for v in labels.values()))
    text = GIVEN.get(name, name)
    if name in ("GAP", "xGAP", "eGAP"):
        text = f"{name}(g={[1 / max(top, 1)] * max(top, 1)})"
    for run in RUNS.values():
        for measure in (text, f"{text}@2"):
            finite_or_refused(lambda m=measure, r=run: hj.evaluate(POOLS[pool], r, m).values)


PANELS = {
    "one judge": {"ann": {"1": {"a": 1, "b": 0}}},
    "nothing relevant": {"ann": {"1": {"a": 0}}, "bob": {"1": {"a": 0}}},
    "all relevant": {"ann": {"1": {"a": 1}}, "bob": {"1": {"a": 1}}},
    "nothing in common": {"ann": {"1": {"a": 1}}, "bob": {"2": {"b": 0}}},
    "contradiction": {"ann": {"1": {"a": 1, "b": 0}}, "bob": {"1": {"a": 0, "b": 1}}},
}


@pytest.mark.parametrize("panel", PANELS)
def test_merges_and_agreement(panel):
    for method in ("mv", "binmv", "qbinmv", "em-mv", "em-neu"):
        finite_or_refused(
            lambda m=method: [
                p for row in hj.merge(PANELS[panel], m, rel=1).to_dict().values()
                for p in row.values()
            ]
        )  # fmt: skip
    finite_or_refused(lambda: hj.aware(PANELS[panel], RUNS["usual"], "AP", rel=1).values)
