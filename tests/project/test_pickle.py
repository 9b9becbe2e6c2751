"""Everything that is read or computed can go to another process."""

import io
import pickle

import pytest

import hungjury as hj
from hungjury.data.alignment import align

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
