"""Correlation of measures, down-sampled pools, and the choice of topics and runs."""

from __future__ import annotations

import itertools
import pickle
import random
from typing import Any

import numpy as np
import pytest

import hungjury as hj
from hungjury.base.errors import HungjuryError, InputError, MeasureError, UnknownName
from hungjury.studies.measure_comparison import RATES, PoolScores
from oracles import studies as naive


@pytest.fixture(scope="module")
def sim() -> Any:
    return hj.simulate(systems=7, topics=6, documents=120, depth=40, grades=4, seed=5)


@pytest.fixture(scope="module")
def close() -> Any:
    """Systems that are hard to rank: of two rankings, it matters which one is the truth."""
    return hj.simulate(systems=12, topics=3, documents=120, depth=40, grades=4, seed=6)


MEASURES = ["AP", "nDCG@10", "ERR", "Bpref", "infAP", "GAP(g=[0.2, 0.3, 0.5])"]


# Correlation


def test_correlations_are_the_oracles(close: Any) -> None:
    scores = hj.evaluate(close.gold, close.runs, MEASURES)
    found = hj.studies.correlate_measures(scores)
    assert abs(found.tau_ap - found.tau_ap.T).max() > 0.01
    means = {name: list(row) for name, row in zip(MEASURES, scores.mean(), strict=True)}
    for (one, other), (tau, tau_ap) in naive.correlations(means).items():
        assert found.of(one, other) == pytest.approx(tau, abs=1e-12)
        assert found.of(one, other, "tau_ap") == pytest.approx(tau_ap, abs=1e-12)
    assert len(found.table()) == len(MEASURES) * (len(MEASURES) - 1)
    # Long names stand once, and columns are numbered.
    head, first = found.square("tau").to_text().splitlines()[:2]
    assert head.split()[:3] == ["tau", "1", "2"]
    assert first.split()[:2] == ["1", "AP"]
    assert str(found).count("\n") == 2 * len(MEASURES) + 2
    assert r"\toprule" in found.square().to_latex()


def test_a_measure_that_ranks_nothing_has_no_tau(sim: Any) -> None:
    found = hj.studies.correlate_measures(hj.evaluate(sim.gold, sim.runs, ["AP", "NumRet"]))
    assert np.isnan(found.of("AP", "NumRet"))
    assert "-" in str(found.square())


# Pools


def pools(qrels: Any) -> dict[str, list[int]]:
    return {topic: list(labels.values()) for topic, labels in qrels.to_dict().items()}


@pytest.mark.parametrize("rate", [*RATES, 1.0, 0.5001])
def test_a_sample_keeps_what_it_should(sim: Any, rate: float) -> None:
    sample = pools(hj.studies.downsample(sim.gold, rate, seed=3))
    for topic, labels in pools(sim.gold).items():
        assert len(sample[topic]) == len(labels)
        for grade in range(4):
            wanted = naive.kept(rate, labels.count(grade), grade)
            assert sample[topic].count(grade) == wanted
        kept = [(a, b) for a, b in zip(labels, sample[topic], strict=True) if b != -1]
        assert all(a == b for a, b in kept)


def test_small_grades_and_negative_labels_stay() -> None:
    spam = {f"s{i}": -2 for i in range(40)}
    qrels = hj.read_qrels(
        {"t": {"a": 3, **spam, **{f"n{i}": 0 for i in range(7)}}}, grades=range(4)
    )
    found = hj.studies.downsample(qrels, 0.05).to_dict()["t"]
    assert found == qrels.to_dict()["t"]


def test_samples_are_nested_and_random(sim: Any) -> None:
    kept = [hj.studies.downsample(sim.gold, rate, seed=1).labels >= 0 for rate in RATES]
    for more, less in itertools.pairwise(kept):
        assert (more | ~less).all()
    assert kept[2].sum() > kept[5].sum()
    other = hj.studies.downsample(sim.gold, 0.5, seed=1, repetition=1).labels >= 0
    assert (other != kept[2]).any()


def test_a_topic_is_sampled_alone_as_among_others(sim: Any) -> None:
    whole = hj.studies.downsample(sim.gold, 0.3, seed=4).to_dict()
    alone = hj.studies.downsample(sim.gold.select(["3"]), 0.3, seed=4).to_dict()
    assert alone["3"] == whole["3"]


def test_every_document_has_the_same_chance(sim: Any) -> None:
    kept = np.mean(
        [hj.studies.downsample(sim.gold, 0.5, seed=s).labels >= 0 for s in range(200)], axis=0
    )  # fmt: skip
    many = sim.gold.labels == 0
    assert kept[many].mean() == pytest.approx(0.5, abs=0.02)
    assert kept[many].min() > 0.3
    assert kept[many].max() < 0.7


def test_robustness_correlates_with_the_whole_pool(close: Any) -> None:
    found = hj.studies.robustness(
        close.gold, close.runs, MEASURES, rates=(1.0, 0.5, 0.1), repetitions=3
    )
    np.testing.assert_allclose(found.tau[:, 0], 1.0)
    np.testing.assert_allclose(found.tau_ap[:, 0], 1.0)
    whole = hj.evaluate(close.gold, close.runs, MEASURES).mean()
    half = hj.evaluate(hj.studies.downsample(close.gold, 0.5, 0, 2), close.runs, MEASURES).mean()
    turned = []
    for m in range(len(MEASURES)):
        both = naive.correlations({"x": list(half[m]), "y": list(whole[m])})
        tau, tau_ap = both["x", "y"]
        turned.append(both["y", "x"][1])
        assert found.tau[m, 1, 2] == pytest.approx(tau, abs=1e-12)
        assert found.tau_ap[m, 1, 2] == pytest.approx(tau_ap, abs=1e-12)
    assert abs(found.tau_ap[:, 1, 2] - turned).max() > 0.01
    assert found.mean()[:, 1].mean() > found.mean()[:, 2].mean()
    assert found.table().columns == ("tau", "100%", "50%", "10%")
    assert len(found.cells()) == len(MEASURES) * 9
    assert found.cells().to_csv().splitlines()[0] == "measure,rate,repetition,tau,tau_ap"
    assert "12 systems, 3 topics, 3 repetitions" in str(found)


def test_jobs_can_be_run_anywhere_in_any_order(sim: Any) -> None:
    sent = pickle.loads(pickle.dumps(PoolScores(sim.gold, sim.runs, MEASURES, seed=8)))
    plain = hj.studies.robustness(sim.gold, sim.runs, MEASURES, (0.5, 0.1), 3, seed=8)
    truth = sent.whole.better()
    jobs = [(r, n) for r in range(2) for n in range(3)]
    random.Random(0).shuffle(jobs)
    for r, n in jobs:
        means = sent.sample((0.5, 0.1)[r], n).better()
        np.testing.assert_array_equal(hj.stats.kendall(means, truth), plain.tau[:, r, n])
        np.testing.assert_array_equal(hj.stats.tau_ap(means, truth), plain.tau_ap[:, r, n])


def test_robustness_of_some_systems(sim: Any) -> None:
    some = sim.runs.systems[:4]
    found = hj.studies.robustness(sim.gold, sim.runs, "AP", (0.3,), 1, systems=some)
    whole = hj.evaluate(sim.gold, sim.runs, "AP").select(some).mean()[0]
    part = hj.evaluate(hj.studies.downsample(sim.gold, 0.3), sim.runs, "AP").select(some).mean()[0]
    assert found.tau[0, 0, 0] == pytest.approx(hj.stats.kendall(part, whole))
    assert found.systems == 4


def test_progress_is_told(sim: Any) -> None:
    told: list[tuple[int, int, str]] = []
    hj.studies.robustness(sim.gold, sim.runs, "AP", (0.5,), 2, progress=lambda *a: told.append(a))
    assert told == [(1, 2, "running jobs"), (2, 2, "running jobs")]


# Choices


def test_topics_with_few_highly_relevant_documents() -> None:
    labels = {
        "a": [1] * 20 + [2] * 2 + [0],
        "b": [1] * 19 + [2] * 2,
        "c": [1] * 30 + [0],
        "d": [1] * 10 + [3] + [2] * 5,
        "e": [1] * 10 + [2],
    }
    qrels = hj.read_qrels(
        {t: {f"d{i}": g for i, g in enumerate(gs)} for t, gs in labels.items()}, grades=range(4)
    )
    for grade in (2, 3):
        found = hj.studies.few_highly_relevant(qrels, grade)
        assert list(found) == naive.few_highly_relevant(labels, grade)
    assert hj.studies.few_highly_relevant(qrels).names == ["a", "e"]
    assert "2 of 5" in str(hj.studies.few_highly_relevant(qrels))
    assert hj.studies.few_highly_relevant(qrels, 3).table().rows[3] == ("d", 10, 1, "yes")


@pytest.mark.parametrize(("runs", "above"), [(95, 71), (74, 55), (27, 20)])
def test_runs_above_the_first_quartile_as_published(runs: int, above: int) -> None:
    """XG Table 1: how many runs are left in three collections."""
    chance = random.Random(runs)
    score = {f"s{i}": chance.random() for i in range(runs)}
    # One relevant document at rank r gives AP 1/r: any order of systems will do.
    ranks = {s: i + 1 for i, s in enumerate(sorted(score, key=lambda s: score[s]))}
    lists = {
        s: {"t": {f"d{i}": -float(i) for i in range(r - 1)} | {"rel": -float(r)}}
        for s, r in ranks.items()
    }
    scores = hj.evaluate({"t": {"rel": 1, "d0": 0}}, lists, "AP")
    found = hj.studies.run_quartiles(scores)
    assert len(found) == above
    assert "s" not in found
    worst = [row for row in found.rows if row[2] == 1]
    assert len(worst) == runs - above


def test_runs_that_retrieve_everywhere() -> None:
    runs = {"whole": {"1": {"a": 1.0}, "2": {"b": 1.0}}, "part": {"1": {"a": 1.0}}}
    found = hj.studies.complete_runs({"1": {"a": 0}, "2": {"b": 1}}, runs)
    assert found.names == ["whole"]
    assert found.table().rows == [("whole", 2, "yes"), ("part", 1, "no")]


def test_selected_scores_are_those_of_the_whole(sim: Any) -> None:
    scores = hj.evaluate(sim.gold, sim.runs, ["AP", "ERR"])
    some = scores.select(scores.systems[2:0:-1], ["5", "2"])
    assert some.systems == scores.systems[1:3]
    assert some.values.shape == (2, 2, 2)
    s = scores.systems.index(some.systems[1])
    t = scores.topics.index(some.topics[0])
    assert some.values[1, 1, 0] == scores.values[1, s, t]
    with pytest.raises(UnknownName, match="no system 'nobody'"):
        scores.select(["nobody"])
    with pytest.raises(UnknownName, match="no topic left"):
        scores.select(topics=[])


# Bad input


def test_what_cannot_be_studied(sim: Any) -> None:
    binary = hj.read_qrels({"1": {"a": 1, "b": 0}})
    runs = {"s": {"1": {"a": 2.0, "b": 1.0}}, "r": {"1": {"a": 1.0}}}
    soft = hj.read_qrels({"1": {"a": 0.5, "b": 0.1}})
    cases: list[tuple[Any, str]] = [
        (lambda: hj.studies.downsample(soft, 0.5), "labels are probabilities"),
        (lambda: hj.studies.downsample(binary, 0), "invalid rate 0"),
        (lambda: hj.studies.robustness(binary, runs, "AP", (1.5,)), "invalid rate 1.5"),
        (lambda: hj.studies.robustness(binary, runs, "AP", repetitions=0), "nothing to draw"),
        (lambda: hj.studies.robustness(binary, runs, "GAP(g=[0.5, 0.5])"), "GAP"),
        (lambda: hj.studies.robustness(binary, runs, []), "no measure"),
        (lambda: hj.studies.robustness(binary, {"s": runs["s"]}, "AP"), "at least 2 systems"),
        (lambda: hj.studies.few_highly_relevant(binary), "needs more grades"),
        (lambda: hj.studies.few_highly_relevant(sim.gold, 4), "from 2 to 3, got 4"),
        (lambda: hj.studies.run_quartiles(hj.evaluate(binary, runs, "AP"), "P@5"), "not scored"),
        (lambda: hj.studies.correlate_measures(hj.evaluate(binary, runs, "AP", topics="retrieved",
                                                   undefined="nan").select(["s"])), "2 systems"),
    ]  # fmt: skip
    for work, message in cases:
        with pytest.raises((InputError, MeasureError), match=message) as caught:
            work()
        assert isinstance(caught.value, HungjuryError)
        assert caught.value.remedy


# Building blocks of studies on TREC 2021 Deep Learning with 27 LLM judges.


def test_all_judges_together_and_alone(dl21_panel: tuple[Any, Any, Any]) -> None:
    judgments, runs, gold = dl21_panel
    found = hj.studies.tuple_study(
        judgments, runs, ["AP", "RBP(p=0.8)"], gold, rel=2, sizes=[27], tuples=1,
        approaches=["uni", "binmv", "qbinmv", "mv"],
    )  # fmt: skip
    wanted = {
        ("AP", "uni"): 0.679, ("AP", "binmv"): 0.630, ("AP", "qbinmv"): 0.682,
        ("RBP", "uni"): 0.855, ("RBP", "binmv"): 0.848, ("RBP", "qbinmv"): 0.765,
    }  # fmt: skip
    for row in found.rows:
        if row.approach != "mv":
            assert row.tau_ap == pytest.approx(wanted[row.measure, row.approach], abs=5e-4)
    alone = hj.studies.single_judges(judgments, runs, "AP", gold, rel=2).rows[0]
    assert alone.tau_ap.mean() == pytest.approx(0.654, abs=5e-4)
    assert alone.tau_ap.max() == pytest.approx(0.875, abs=5e-4)


def test_runs_and_topics(dl21_panel: tuple[Any, Any, Any]) -> None:
    _, runs, gold = dl21_panel
    assert len(hj.studies.complete_runs(gold, runs)) == 63
    assert len(hj.studies.run_quartiles(hj.evaluate(gold, runs, "AP"))) == 47
    for grade in (2, 3):
        for topic in hj.studies.few_highly_relevant(gold, grade):
            labels = list(gold.to_dict()[topic].values())
            assert labels.count(1) >= 10 * labels.count(grade) > 0
