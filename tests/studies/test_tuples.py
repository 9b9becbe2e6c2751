"""k-tuples of judges: against loops over every tuple, and laws."""

from __future__ import annotations

import itertools
import math
import pickle
import random
from typing import Any

import numpy as np
import pytest

import hungjury as hj
from hungjury.base.errors import HungjuryError
from hungjury.data.qrels import Judgments
from hungjury.judges.judge_scores import score_judges
from hungjury.judges.weights import ESTIMATORS
from hungjury.studies.claims import Resampling
from hungjury.studies.combining import (
    APPROACHES,
    TupleScores,
    TupleStudy,
    join_parts,
    judge_tuples,
    tuple_parts,
)
from oracles import aware as naive_aware
from oracles import studies as naive

ESTIMATED = ("uni", "sgl_tau_msd", "tpc_fro_md", "sgl_kld_med", "tpc_apc_msd")
REPLICATES = 3


@pytest.fixture(scope="module")
def sim() -> Any:
    accuracies = (0.95, 0.85, 0.7, 0.6, 0.5)
    return hj.simulate(
        systems=6, topics=4, documents=50, depth=25, accuracies=accuracies, seed=11
    )  # fmt: skip


def study(sim: Any, **how: Any) -> TupleStudy:
    plain = {"sizes": [2, 3], "tuples": 4, "replicates": REPLICATES, "seed": 3}
    return hj.studies.tuple_study(sim.judgments, sim.runs, ["AP", "RBP"], sim.gold, **plain | how)


def row_of(found: TupleStudy, **wanted: Any) -> Any:
    (row,) = [r for r in found.rows if all(getattr(r, k) == v for k, v in wanted.items())]
    return row


# Tuples


def test_all_tuples_where_there_are_few() -> None:
    assert sorted(judge_tuples(5, 2, 10)) == list(itertools.combinations(range(5), 2))
    assert sorted(judge_tuples(27, 26, 100)) == list(itertools.combinations(range(27), 26))


def test_tuples_are_different_and_random() -> None:
    found = judge_tuples(27, 13, 100, seed=2)
    assert len(set(found)) == 100
    assert all(len(set(who)) == 13 and list(who) == sorted(who) for who in found)
    assert found == judge_tuples(27, 13, 100, seed=2)
    assert found != judge_tuples(27, 13, 100, seed=3)
    assert found[:10] == judge_tuples(27, 13, 10, seed=2)
    often = np.bincount(np.ravel(judge_tuples(27, 13, 2000)), minlength=27)
    np.testing.assert_allclose(often / 2000, 13 / 27, atol=0.05)


# Values


@pytest.fixture(scope="module")
def weighed(sim: Any) -> TupleStudy:
    return study(sim, approaches=ESTIMATED)


@pytest.mark.parametrize("m", [0, 1])
def test_weighted_tuples_are_the_oracles(sim: Any, weighed: TupleStudy, m: int) -> None:
    scored = score_judges(sim.judgments, sim.runs, ["AP", "RBP"], gold=sim.gold)
    panel = np.nan_to_num(scored.values[m]).tolist()
    drawn = scored.random(REPLICATES, 3)[m].tolist()
    random_ones = dict(zip(("und", "uni", "ovr"), drawn, strict=True))
    truth = naive_aware.system_means(scored.gold[m].tolist())
    for name, size in itertools.product(ESTIMATED, (2, 3)):
        estimates = []
        for who in judge_tuples(5, size, 4, 3):
            mine = [panel[k] for k in who]
            judged = [[True] * 4] * size
            if name == "uni":
                weights = [[1 / size] * 4] * size
            else:
                weights = naive_aware.weights(name, mine, random_ones, judged)
            estimates.append(naive_aware.system_means(naive_aware.aware(mine, weights)))
        row = row_of(weighed, measure=["AP", "RBP"][m], size=size, approach=name)
        assert (row.gold, row.by, row.tuples) == ("DGS", row.measure, len(estimates))
        for what, (mean, spread) in naive.nearness(estimates, truth).items():
            assert getattr(row, what) == pytest.approx(mean, abs=1e-9)
            assert getattr(row, f"{what}_std") == pytest.approx(spread, abs=1e-9)


def only(judgments: Judgments, who: tuple[int, ...]) -> dict[str, Any]:
    return {judgments.judges[k]: judgments.qrels_of(judgments.judges[k]).to_dict() for k in who}


@pytest.mark.parametrize("method", ["mv", "em-mv", "em-neu"])
def test_merged_tuples_are_merges_of_their_judgments(sim: Any, method: str) -> None:
    found = study(sim, approaches=[method], sizes=[3], tuples=3)
    for name in ("AP", "RBP"):
        truth = hj.evaluate(sim.gold, sim.runs, name).mean()[0]
        estimates = []
        for who in judge_tuples(5, 3, 3, 3):
            labels = hj.merge(only(sim.judgments, who), method).hard()
            estimates.append(list(hj.evaluate(labels, sim.runs, name).mean()[0]))
        row = row_of(found, measure=name)
        for what, (mean, spread) in naive.nearness(estimates, list(truth)).items():
            assert getattr(row, what) == pytest.approx(mean, abs=1e-12)
            assert getattr(row, f"{what}_std") == pytest.approx(spread, abs=1e-12)


def test_majorities_are_counted(sim: Any) -> None:
    """Three votes have no tie: the study's majority is that of a loop."""
    found = study(sim, approaches=["mv"], sizes=[3], tuples=1)
    (who,) = judge_tuples(5, 3, 1, 3)
    votes = [[None if v < 0 else int(v) for v in sim.judgments.matrix()[k]] for k in who]
    labels = naive.coin_free_majority(votes)
    pool = sim.judgments.pool
    qrels: dict[str, dict[str, int]] = {topic: {} for topic in pool.topics}
    for document, topic, label in zip(pool.documents, pool.topic_of, labels, strict=True):
        qrels[pool.topics[topic]][document] = label or 0
    means = hj.evaluate(qrels, sim.runs, "AP").mean()[0]
    truth = hj.evaluate(sim.gold, sim.runs, "AP").mean()[0]
    assert row_of(found, measure="AP").rmse == pytest.approx(hj.stats.rmse(means, truth))


def test_probabilities_meet_both_gold_standards(sim: Any) -> None:
    found = study(sim, approaches=["binmv", "uni", "qbinmv"], sizes=[2], standards=("DGS", "RGS"))
    assert {(r.approach, r.gold) for r in found.rows} == {
        ("uni", "DGS"), ("binmv", "DGS"), ("binmv", "RGS"), ("qbinmv", "DGS"), ("qbinmv", "RGS"),
    }  # fmt: skip
    truths = {
        "DGS": hj.evaluate(sim.gold, sim.runs, "AP").mean()[0],
        "RGS": hj.evaluate(sim.gold, sim.runs, "eRAP(prob=[0.05, 0.95], unjudged=0)").mean()[0],
    }
    for method, (gold, truth) in itertools.product(("binmv", "qbinmv"), truths.items()):
        estimates = []
        for who in judge_tuples(5, 2, 4, 3):
            soft = hj.merge(only(sim.judgments, who), method)
            estimates.append(list(hj.evaluate(soft, sim.runs, "eRAP").mean()[0]))
        row = row_of(found, measure="AP", approach=method, gold=gold)
        assert row.by == "eRAP(unjudged=0)"
        for what, (mean, _) in naive.nearness(estimates, list(truth)).items():
            assert getattr(row, what) == pytest.approx(mean, abs=1e-12)


def test_uniform_weights_are_mean_votes(sim: Any) -> None:
    """On complete panels aware-RBP(uni) is eRRBP(binmv), tuple by tuple."""
    found = study(sim, approaches=["uni", "binmv"])
    for size in (2, 3):
        uni, binmv = (
            row_of(found, measure="RBP", size=size, approach=a) for a in ("uni", "binmv")
        )  # fmt: skip
        assert uni.rmse == pytest.approx(binmv.rmse, abs=1e-12)
        assert uni.tau_ap == pytest.approx(binmv.tau_ap, abs=1e-12)


def test_all_judges_together_are_aware_itself(sim: Any) -> None:
    found = study(sim, sizes=[5], approaches=[*ESTIMATORS, "uni"])
    compared = hj.studies.compare_approaches(
        sim.judgments, sim.runs, "AP", sim.gold, replicates=REPLICATES, seed=3
    )  # fmt: skip
    for name in ("uni", *ESTIMATORS):
        row = row_of(found, measure="AP", approach=name)
        assert row.tau_ap == pytest.approx(compared[name].tau_ap, abs=1e-12)
        assert row.rmse == pytest.approx(compared[name].rmse, abs=1e-12)


def test_incomplete_panels_and_partial_gold(sim: Any) -> None:
    """Judges who judged some topics only; means over the topics with gold labels."""
    given = only(sim.judgments, tuple(range(5)))
    first, second = list(given)[:2]
    given[first].pop("1")
    given[second].pop("2")
    gold = sim.gold.select(["1", "2", "4"])
    found = hj.studies.tuple_study(
        given, sim.runs, "AP", gold, sizes=[2], tuples=10, approaches=["uni"], seed=3
    )  # fmt: skip
    estimates = []
    for who in itertools.combinations(range(5), 2):
        values = []
        for topic in ("1", "2", "4"):
            mine = [k for k in who if topic in given[list(given)[k]]]
            each = [
                hj.evaluate({topic: given[list(given)[k]][topic]}, sim.runs, "AP").mean()[0]
                for k in mine
            ]
            values.append(np.mean(each, axis=0))
        estimates.append(list(np.mean(values, axis=0)))
    truth = hj.evaluate(gold, sim.runs, "AP").mean()[0]
    row = row_of(found, size=2)
    for what, (mean, _) in naive.nearness(estimates, list(truth)).items():
        assert getattr(row, what) == pytest.approx(mean, abs=1e-9)


# Jobs


def test_jobs_can_be_run_anywhere_in_any_order(sim: Any) -> None:
    approaches = ["uni", "sgl_tau_md", "mv", "em-mv"]
    given = (sim.judgments, sim.runs, ["AP", "RBP"], sim.gold)
    scores = TupleScores(*given)
    parts = tuple_parts(scores, approaches, [2, 4], 3, 3)
    assert len(parts) == 2 + 2 * 2
    sent = pickle.loads(pickle.dumps(scores))
    jobs = list(parts)
    random.Random(1).shuffle(jobs)
    found = {job: sent.run(**parts[job]) for job in jobs}
    joined = join_parts(scores, approaches, [found[job] for job in parts])
    direct = hj.studies.tuple_study(
        *given, sizes=[2, 4], tuples=3, approaches=approaches, replicates=3
    )
    assert joined.rows == direct.rows


def test_more_tuples_begin_with_the_same_jobs(sim: Any) -> None:
    """Their results are the same as those of one job for all tuples."""
    given = (sim.judgments, sim.runs, ["AP"], sim.gold)
    scores = TupleScores(*given, resampling=Resampling(20))
    approaches = ["sgl_tau_md", "mv", "binmv"]
    few = tuple_parts(scores, approaches, [2, 3], 5, 3)
    many = tuple_parts(scores, approaches, [2, 3], 10, 3)
    less, more = (tuple_parts(scores, approaches, [2], n, 3) for n in (25, 45))
    assert many.keys() == few.keys()
    assert many != few
    same = {key: part for key, part in more.items() if less.get(key) == part}
    assert {key.rpartition("/")[2] for key in same} == {"0", "10"}
    whole = {"approaches": ["mv"], "sizes": [3], "first": 0, "stop": 10}
    (row,) = scores.run(**whole)
    parts = [scores.run(**whole | cut)[0] for cut in ({"stop": 4}, {"first": 4})]
    for what in ("tau", "tau_ap", "rmse"):
        np.testing.assert_array_equal(np.concatenate([part[what] for part in parts]), row[what])
    assert "tau_ap_on_topics" in parts[0]
    assert "tau_ap_on_topics" not in parts[1]


def test_listing_jobs_scores_nobody(sim: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("judges were scored")

    monkeypatch.setattr("hungjury.studies.gold.score_judges", refuse)
    scores = TupleScores(sim.judgments, sim.runs, ["AP", "RBP"], sim.gold)
    parts = tuple_parts(scores, APPROACHES, tuples=3)
    assert len(parts) == 2 + 3 * 3  # two measures; three merges of 2, 3 and 4 judges
    with pytest.raises(AssertionError, match="scored"):
        scores.run(**parts["aware/AP/0"])


def test_pools_are_the_same_in_another_process(sim: Any) -> None:
    pool = pickle.loads(pickle.dumps(sim.gold.pool))
    assert (pool.topics, pool.documents) == (sim.gold.topics, sim.gold.pool.documents)
    last = pool.documents[-1]
    assert pool.find(pool.topics[-1], last) == sim.gold.pool.find(pool.topics[-1], last) >= 0


def test_more_sizes_and_approaches_change_nothing(sim: Any) -> None:
    few = study(sim, approaches=["mv", "uni"], sizes=[2])
    many = study(sim, approaches=["em-mv", "uni", "sgl_fro_md", "mv"], sizes=[4, 2])
    for row in few.rows:
        assert row == row_of(many, measure=row.measure, size=2, approach=row.approach)


# Results


def test_results_print_and_export(weighed: TupleStudy) -> None:
    table = weighed.table()
    assert len(table) == 2 * 2 * len(ESTIMATED)
    assert table.to_csv().startswith("measure,size,approach,gold,by,tuples,tau,tau_std,tau_ap")
    assert weighed.by_size("AP").columns == ("tau_ap of AP", "k=2", "k=3")
    assert "5 judges, 6 systems, 4 topics" in str(weighed)
    parts = [o for o in weighed.observations(systems="T08") if "gap" in o]
    assert parts[0]["systems"] == "T08"
    assert {(o["granularity"], o["gap"], o["weight"]) for o in parts} == {
        tuple(name.split("_")) for name in ESTIMATED if name != "uni"
    }
    found = hj.studies.factorial_anova(
        weighed.observations(), "rmse", ["approach", "measure"], "size", scale_by="measure"
    )
    assert found["approach"].df == len(ESTIMATED) - 1
    assert len(APPROACHES) == 34


def test_judges_alone(sim: Any) -> None:
    found = hj.studies.single_judges(sim.judgments, sim.runs, ["AP", "RBP"], sim.gold)
    judges = [r for r in found.rows if not r.control]
    assert [(r.measure, r.gold) for r in judges] == [
        (m, g) for m in ("AP", "RBP") for g in ("DGS", "DGS", "RGS")
    ]
    controls = [r for r in found.rows if r.control]  # expected measures of one constant judge
    assert [(r.measure, r.gold, len(r.tau)) for r in controls] == [
        (m, g, 1) for m in ("AP", "RBP") for g in ("DGS", "RGS")
    ]
    first = sim.judgments.qrels_of(sim.judgments.judges[0])
    chances = "eRAP(prob=[0.05, 0.95], unjudged=0)"
    for row, mine, gold in zip(judges, ("AP", chances, chances), ("AP", "AP", chances),
                               strict=False):  # fmt: skip
        means = hj.evaluate(first, sim.runs, mine).mean()[0]
        truth = hj.evaluate(sim.gold, sim.runs, gold).mean()[0]
        assert row.tau[0] == pytest.approx(hj.stats.kendall(means, truth))
        assert row.rmse[0] == pytest.approx(hj.stats.rmse(means, truth))
        # Better judges rank systems better.
        assert row.tau_ap[0] > row.tau_ap[4]
    mean, half = found.table().rows[0][2:4]
    tau = found.rows[0].tau
    assert mean == pytest.approx(tau.mean())
    assert half == pytest.approx(2.7764451 * tau.std(ddof=1) / math.sqrt(5))
    assert "means over 5 judges" in str(found)


# Bad input


def test_what_cannot_be_studied(sim: Any) -> None:
    two = only(sim.judgments, (0, 1))
    one = {"a": two[sim.judgments.judges[0]]}
    graded = hj.simulate(systems=3, topics=2, documents=30, depth=10, grades=3)
    cases: list[tuple[Any, str]] = [
        (
            lambda: hj.studies.tuple_study(sim.judgments, sim.runs, "AP", None),
            "needs gold labels",
        ),
        (lambda: hj.studies.tuple_study(one, sim.runs, "AP", sim.gold), "there is only 1"),
        (lambda: hj.studies.tuple_study(two, sim.runs, "AP", sim.gold), "there are only 2"),
        (lambda: study(sim, sizes=[6]), "from 1 to 5"),
        (lambda: study(sim, sizes=[]), "from 1 to 5"),
        (lambda: study(sim, tuples=0), "tuples must be an integer from 1"),
        (lambda: study(sim, approaches=["em-mvv"]), "em-mv"),
        (lambda: study(sim, standards=["GGS"]), "GGS"),
        (lambda: hj.studies.tuple_study(sim.judgments, sim.runs, "nDCG@5", sim.gold,
                                approaches=["binmv"]), "no counterpart"),
        (lambda: hj.studies.tuple_study(graded.judgments, graded.runs, "AP", graded.gold,
                                approaches=["binmv"], standards=["RGS"]), "binary labels"),
        (lambda: hj.studies.single_judges(one, sim.runs, "AP", sim.gold), "there is only 1"),
        (lambda: hj.studies.single_judges(two, sim.runs, "AP", None), "needs gold labels"),
    ]  # fmt: skip
    for work, message in cases:
        with pytest.raises(HungjuryError, match=message) as caught:
            work()
        assert caught.value.remedy
