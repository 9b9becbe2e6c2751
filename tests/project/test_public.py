"""Everything public: finite numbers or an error that says why not, and results that can travel."""

import io
import math
import pickle

import numpy as np
import pytest

import hungjury as hj
from hungjury.base.errors import HungjuryError
from hungjury.data.alignment import align

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


@pytest.mark.parametrize("one", VECTORS)
def test_correlations_and_distances(one):
    for two in VECTORS:
        a, b = VECTORS[one], VECTORS[two]
        finite_or_refused(lambda a=a, b=b: hj.stats.tau_ap(a, b))
        finite_or_refused(lambda a=a, b=b: hj.stats.rmse(a, b))
        tau = result(lambda a=a, b=b: hj.stats.kendall(a, b))
        if "nan" in (one, two) or len(a) != len(b) or len(a) < 2:
            assert tau is None, two
        elif "constant" in (one, two):  # as documented
            assert tau is not None, two
            assert math.isnan(tau), two
        else:
            assert tau is not None, two
            assert math.isfinite(tau), two


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


GRADED = ("GAP", "xGAP", "eGAP")  # with a parameter for every grade


@pytest.mark.parametrize("name", MEASURES)
def test_measures(name):
    for pool in POOLS.values():
        text = GIVEN.get(name, name)
        top = int(max(v for labels in pool.values() for v in labels.values()))
        scale = {"grades": range(top + 1)} if top > 1 else {}
        if name in GRADED:
            text = f"{name}(g={[1 / max(top, 1)] * max(top, 1)})"
        for measure in (text, f"{text}@2"):
            finite_or_refused(
                lambda m=measure, p=pool, s=scale: hj.evaluate(p, RUNS, m, **s).values
            )


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


# Everything that is read or computed can go to another process.


QRELS = hj.read_qrels({"1": {"a": 1, "b": 0}, "2": {"a": 1}})
JUDGES = hj.read_judgments(
    {"x": {"1": {"a": 1, "b": 0}, "2": {"a": 0}}, "y": {"1": {"a": 1, "b": 1}, "2": {"a": 1}}}
)
LINES = ["1 Q0 a 2 1.5 s\n", "2 Q0 é 1 1 s\n", "1 Q0 b 1 0.5 s\n", "2 Q0 a 2 1 other\n"]


def runs():
    return hj.read_runs([io.StringIO("".join(LINES)), io.StringIO("1 Q0 b 1 1 t\n")])


def again(thing):
    return pickle.loads(pickle.dumps(thing))


def test_runs_come_back_whole():
    before, after = runs(), again(runs())
    assert after.systems == before.systems
    assert after.to_dict() == before.to_dict()
    assert [s.tags for s in after.stores] == [s.tags for s in before.stores]
    for ties in ("trec", "input"):
        assert after.stores[0].ranked("2", ties, False) == before.stores[0].ranked("2", ties, False)
    one, other = (hj.evaluate(QRELS, found, ["AP", "nDCG"]) for found in (before, after))
    assert one.to_dict() == other.to_dict()
    assert list(map(str, one.notes)) == list(map(str, other.notes))  # also of ranks


@pytest.mark.parametrize(
    "make",
    [
        lambda: QRELS,
        lambda: JUDGES,
        lambda: QRELS.pool,
        lambda: align(runs(), QRELS.pool),
        lambda: hj.evaluate(QRELS, runs(), ["AP"]),
        lambda: hj.leaderboard(JUDGES, runs(), "AP", draws=200, target="topics"),
        lambda: hj.agreement(JUDGES),
        lambda: hj.merge(JUDGES, "mv"),
        lambda: hj.prm(JUDGES, smoothing=1),
        lambda: hj.aware(JUDGES, runs(), "AP"),
        lambda: hj.compare(hj.evaluate(QRELS, runs(), ["AP"])),
        lambda: hj.audit(QRELS, runs()),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_results_come_back(make):
    made = make()
    assert type(again(made)) is type(made)
    assert str(again(made)) == str(made)


def test_the_package_is_pickled_by_name():
    """joblib and Dask send functions with the modules they use."""
    for package in (hj, hj.stats, hj.studies):
        assert again(package) is package
