"""All approaches side by side, on made-up and on real data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hungjury as hj
from hungjury.base.errors import InputError, MeasureError, UnknownName
from hungjury.judges.aware import aware, combine_scores
from hungjury.judges.aware_comparison import ApproachComparison, compare_approaches
from hungjury.judges.judge_scores import score_judges
from hungjury.judges.merge import merge
from hungjury.judges.weights import ESTIMATORS, WEIGHTS
from hungjury.measures.catalogue import CATALOGUE
from hungjury.stats.correlation import kendall, rmse, tau_ap


@pytest.fixture(scope="module")
def sim() -> Any:
    return hj.simulate(systems=6, topics=5, documents=40, depth=20, seed=2)


@pytest.fixture(scope="module")
def compared(sim: Any) -> ApproachComparison:
    mine = {"mine": hj.evaluate(sim.gold, sim.runs, "AP")}
    return compare_approaches(
        sim.judgments, sim.runs, "AP", sim.gold, replicates=10, seed=6,
        merges=["mv(ties=relevant)", "em-mv", "binmv", "qbinmv"], others=mine,
    )  # fmt: skip


def test_every_approach_is_there(compared: ApproachComparison) -> None:
    merges = ['mv(ties="relevant")', "em-mv", "binmv", "qbinmv", "mine"]
    assert [one.approach for one in compared] == ["uni", *ESTIMATORS, *merges]
    assert len(compared.judges) == 5


@pytest.mark.parametrize("name", ["uni", "sgl_kld_med", "tpc_tau_msd", "tpc_apc_md"])
def test_an_approach_is_what_aware_gives(sim: Any, compared: ApproachComparison, name: str) -> None:
    means = aware(sim.judgments, sim.runs, "AP", name, replicates=10, seed=6).mean()[0]
    gold = hj.evaluate(sim.gold, sim.runs, "AP").mean()[0]
    found = compared[name]
    assert found.tau == pytest.approx(kendall(means, gold), abs=1e-12)
    assert found.tau_ap == pytest.approx(tau_ap(means, gold), abs=1e-12)
    assert found.rmse == pytest.approx(rmse(means, gold), abs=1e-12)


@pytest.mark.parametrize(("name", "measure"), [("binmv", "eRAP"), ("em-mv", "AP")])
def test_a_merge_is_what_evaluate_gives(
    sim: Any, compared: ApproachComparison, name: str, measure: str
) -> None:
    merged = merge(sim.judgments, name)
    labels = merged if measure == "eRAP" else merged.hard()
    means = hj.evaluate(labels, sim.runs, measure).mean()[0]
    gold = hj.evaluate(sim.gold, sim.runs, "AP").mean()[0]
    assert compared[name].rmse == pytest.approx(rmse(means, gold), abs=1e-12)
    assert compared[name].measure == measure


def test_gold_itself_is_best(compared: ApproachComparison) -> None:
    mine = compared["mine"]
    assert (mine.tau, mine.tau_ap, mine.rmse) == pytest.approx((1, 1, 0))
    for by in ("tau", "tau_ap", "rmse"):
        assert getattr(compared.best_first(by)[0], by) == getattr(mine, by)
    lines = compared.to_text().splitlines()
    assert len(lines) == 1 + 36 + 2
    assert "mean judge" in lines[-2]
    assert "best judge (judge1)" in lines[-1]
    assert compared.to_dict()[0]["approach"] == "uni"


def test_only_topics_with_gold_count(sim: Any) -> None:
    some = sim.gold.select(["2", "3"])
    found = compare_approaches(sim.judgments, sim.runs, "RBP", some, replicates=2)["uni"]
    scores = aware(sim.judgments, sim.runs, "RBP", "uni")
    means = scores.values[0][:, [1, 2]].mean(axis=1)
    gold = hj.evaluate(some, sim.runs, "RBP").mean()[0]
    assert found.rmse == pytest.approx(rmse(means, gold), abs=1e-12)


def test_what_cannot_be_compared(sim: Any, compared: ApproachComparison) -> None:
    def run(measure: Any = "AP", **how: Any) -> ApproachComparison:
        return compare_approaches(sim.judgments, sim.runs, measure, sim.gold, replicates=2, **how)

    with pytest.raises(MeasureError, match="more than one measure"):
        run(["AP", "P@5"])
    left = run("nDCG@5", merges=["mv", "binmv", "qbinmv"])
    assert left["mv"].measure == "nDCG@5"
    assert left.notes[0].subjects == ("binmv", "qbinmv")
    with pytest.raises(UnknownName, match="em-mv"):
        run(merges=["em-mvv"])
    elsewhere = hj.evaluate(sim.gold.select(["1"]), sim.runs, "AP")
    with pytest.raises(InputError, match="'short' have other systems"):
        run(others={"short": elsewhere})
    with pytest.raises(UnknownName, match="'nothing' was not compared"):
        compared["nothing"]
    with pytest.raises(InputError, match="'name' for by"):
        compared.best_first("name")


# TREC 2021 Deep Learning, 27 LLM judges


def test_average_precision_of_llm_judges(dl21_panel: tuple[Any, Any, Any]) -> None:
    judgments, runs, gold = dl21_panel
    scored = score_judges(judgments, runs, "AP", rel=2, gold=gold)
    truth = scored.gold[0].mean(axis=1)
    random = scored.random(replicates=30)

    def tau(values: Any) -> float:
        return float(tau_ap(values.mean(axis=-1), truth))

    def of(name: str, orientation: str = "dissimilarity") -> float:
        return tau(combine_scores(scored, WEIGHTS.parse(name), random, orientation).values[0])

    single = [tau(values) for values in scored.panel(0).scores]
    assert np.mean(single) == pytest.approx(0.654, abs=5e-4)
    assert np.max(single) == pytest.approx(0.875, abs=5e-4)
    assert of("uni") == pytest.approx(0.679, abs=5e-4)
    assert of("sgl_tau_msd") == pytest.approx(0.757, abs=0.005)
    assert of("sgl_apc_msd") == pytest.approx(0.753, abs=0.005)
    # As published, it is the best of its kind; as printed, it is worse than equal weights.
    others = [of(name) for name in ESTIMATORS if name.startswith("sgl") and "tau_msd" not in name]
    assert of("sgl_tau_msd") > max(others)
    assert of("sgl_tau_msd", "printed") < of("uni")


def test_rank_biased_precision_of_llm_judges(dl21_panel: tuple[Any, Any, Any]) -> None:
    judgments, runs, gold = dl21_panel
    scored = score_judges(judgments, runs, "RBP(p=0.8)", rel=2, gold=gold)
    means = combine_scores(scored, WEIGHTS.parse("uni")).mean()[0]
    assert tau_ap(means, scored.gold[0].mean(axis=1)) == pytest.approx(0.855, abs=5e-4)


SPELLED = {"P": "P@5", "F1": "F1@5", "Success": "Success@5", "eRP": "eRP@5", "IPrec": "IPrec@0.5",
           "GAP": "GAP(g=[1])", "xGAP": "xGAP(g=[1])", "eGAP": "eGAP(g=[1])"}  # fmt: skip
SCORED = [cls for cls in CATALOGUE if cls.name != "E"]  # E(X) draws labels of whole pools itself


@pytest.mark.parametrize("cls", SCORED, ids=lambda cls: cls.name)
def test_every_measure_can_be_compared(cls: Any) -> None:
    """What a measure does not allow is left out and said; nothing else is."""
    made = hj.simulate(systems=4, topics=3, documents=30, depth=12, seed=2)
    name = SPELLED.get(cls.name, cls.name)
    found = compare_approaches(
        made.judgments, made.runs, name, made.gold, replicates=2, merges=["mv", "em-mv", "binmv"]
    )
    left_out = {who for note in found.notes if note.kind.startswith("left-out")
                for who in note.subjects}  # fmt: skip
    there = {one.approach for one in found}
    assert there | left_out == {"uni", *ESTIMATORS, "mv", "em-mv", "binmv"}
    assert not there & left_out
    assert {"uni", "sgl_tau_msd", "tpc_apc_md", "mv", "em-mv"} <= there
    unbounded = not 0 <= min(one.rmse for one in found) <= 1
    if unbounded:
        assert "sgl_fro_md" in left_out


def test_an_expectation_over_drawn_labels_is_refused_in_words_that_help() -> None:
    made = hj.simulate(systems=3, topics=3)
    for call in (
        lambda: hj.aware(made.judgments, made.runs, "E(AP)"),
        lambda: compare_approaches(made.judgments, made.runs, "E(AP)", made.gold, replicates=2),
    ):
        with pytest.raises(MeasureError, match="labels are scored as they are") as caught:
            call()
        assert caught.value.remedy == "ask for AP"
