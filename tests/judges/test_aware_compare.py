"""All approaches side by side, and what AWARE says about its weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import hungjury as hj
from hungjury.base.errors import InputError, MeasureError, UnknownName
from hungjury.cli.main import hungjury as command
from hungjury.judges.aware import _contradicted, aware, combine_scores
from hungjury.judges.families import correlation_with_rest
from hungjury.judges.judge_scores import score_judges
from hungjury.judges.merge import merge
from hungjury.judges.weights import ESTIMATORS, WEIGHTS
from hungjury.measures.catalogue import CATALOGUE
from hungjury.stats.correlation import kendall, rmse, tau_ap
from hungjury.studies import ApproachComparison, compare_approaches


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
    assert lines[0] == "AP compared with gold, best first"
    assert len(lines) == 2 + 36 + 2
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

    with pytest.raises(MeasureError, match="matches 29 measures"):
        run("official")
    left = run("nDCG@5", merges=["mv", "binmv", "qbinmv"])
    assert left["mv"].measure == "nDCG@5"
    assert left.notes[0].subjects == ("binmv", "qbinmv")
    with pytest.raises(UnknownName, match="em-mv"):
        run(merges=["em-mvv"])
    elsewhere = hj.evaluate(sim.gold.select(["1"]), sim.runs, "AP")
    with pytest.raises(InputError, match="'short' have other systems"):
        run(others={"short": elsewhere})
    with pytest.raises(UnknownName, match="no combination 'nothing'"):
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
# E(X) draws labels of whole pools itself, and Residual(X) is about what has no label.
SCORED = [cls for cls in CATALOGUE if cls.name not in ("E", "Residual")]


@pytest.fixture(scope="module")
def tiny() -> Any:
    return hj.simulate(systems=4, topics=2, documents=20, depth=12, seed=2)


@pytest.mark.parametrize("cls", SCORED, ids=lambda cls: cls.name)
def test_every_measure_can_be_compared(cls: Any, tiny: Any) -> None:
    """What a measure does not allow is left out and said; nothing else is."""
    name = SPELLED.get(cls.name, cls.name)
    found = compare_approaches(
        tiny.judgments, tiny.runs, name, tiny.gold, replicates=2, merges=["mv", "em-mv", "binmv"]
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


# What AWARE says about its weights, and votes that count as it weighs their judges.


def labels_of(judgments: Any) -> Any:
    return {judge: judgments.qrels_of(judge).to_dict() for judge in judgments.judges}


@pytest.fixture(scope="module")
def made() -> Any:
    """Four judges, and one who says the opposite of the first."""
    made = hj.simulate(
        systems=6, topics=12, documents=80, depth=30, accuracies=(0.9, 0.85, 0.8, 0.75), seed=3
    )
    labels = labels_of(made.judgments)
    first = labels[next(iter(labels))]
    labels["reversed"] = {t: {d: 1 - int(v) for d, v in ds.items()} for t, ds in first.items()}
    return made, hj.read_judgments(labels, grades=range(2))


def test_uniform_weights_are_the_default(made: Any) -> None:
    simulated, judgments = made
    scores = hj.aware(judgments, simulated.runs, "AP")
    assert scores.settings.weights == "uni"
    assert np.allclose(scores.weights, 1 / 5)
    assert not [n for n in scores.notes if n.kind == "contrary-weight"]


def test_a_note_names_the_judge_whom_the_others_contradict(made: Any) -> None:
    simulated, judgments = made
    seen = 0
    for weights in ("sgl_tau_msd", "tpc_kld_med"):
        for orientation in ("dissimilarity", "printed"):
            scores = hj.aware(
                judgments, simulated.runs, "AP", weights, replicates=20, orientation=orientation
            )
            found = [n for n in scores.notes if n.kind == "contrary-weight"]
            heavy = scores.weights.mean(axis=1)[scores.judges.index("reversed")] > 1 / 5
            assert bool(found) == bool(heavy), (weights, orientation)
            seen += bool(heavy)
            if found:
                assert found[0].subjects == ("reversed",)
                assert "contradict" in str(found[0])
    assert seen > 0


def test_supervised_weights_warn_of_little_gold(made: Any) -> None:
    simulated, judgments = made
    topics = simulated.gold.topics

    def kinds(number: int) -> list[str]:
        gold = simulated.gold.select(topics[:number])
        scores = hj.aware(judgments, simulated.runs, "AP", "supervised", gold=gold)
        return [note.kind for note in scores.notes]

    assert "little-gold" in kinds(2)
    assert "little-gold" in kinds(9)
    assert "little-gold" not in kinds(10)


def test_votes_weighted_by_aware(made: Any) -> None:
    simulated, judgments = made
    merged = hj.merge(
        judgments, "binmv", runs=simulated.runs, measure="AP", weights="sgl_fro_md", seed=4
    )
    scores = hj.aware(judgments, simulated.runs, "AP", "sgl_fro_md", seed=4)
    votes = labels_of(judgments)
    for topic, documents in merged.to_dict().items():
        at = scores.topics.index(topic)
        for document, p in documents.items():
            above = below = 0.0
            for judge, weight in zip(scores.judges, scores.weights[:, at], strict=True):
                if document in votes[judge].get(topic, {}):
                    below += weight
                    above += weight * votes[judge][topic][document]
            assert p == pytest.approx(above / below, abs=1e-12)
    assert merged.settings.merge == "binmv weighted by sgl_fro_md"
    plain = hj.merge(judgments, "binmv")
    uniform = hj.merge(judgments, "binmv", runs=simulated.runs, measure="AP", weights="uni")
    assert uniform.p == pytest.approx(plain.p)


def test_weighted_votes_need_what_weights_need(made: Any) -> None:
    simulated, judgments = made
    with pytest.raises(InputError, match="both runs and a measure"):
        hj.merge(judgments, "binmv", runs=simulated.runs)
    with pytest.raises(MeasureError, match="does not take weighted votes"):
        hj.merge(judgments, "mv", runs=simulated.runs, measure="AP")
    with pytest.raises(MeasureError, match="supervised, which needs gold labels"):
        hj.merge(judgments, "binmv", runs=simulated.runs, measure="AP", weights="supervised")


def test_weighted_votes_carry_the_notes_on_their_weights() -> None:
    """The fifth judge is wrong more often than right, and random judges are far away from it."""
    small = hj.simulate(topics=6, documents=150, depth=30)
    merged = hj.merge(small.judgments, "binmv", runs=small.runs, measure="AP")
    (note,) = (note for note in merged.notes if note.kind == "contrary-weight")
    assert note.subjects == ("judge5",)
    scores = hj.aware(small.judgments, small.runs, "AP", "sgl_tau_msd")
    assert note in scores.notes
    equal = hj.merge(small.judgments, "binmv", runs=small.runs, measure="AP", weights="uni")
    assert "contrary-weight" not in [note.kind for note in equal.notes]


def test_weighted_votes_on_the_command_line(tmp_path: Path) -> None:
    folder, target = tmp_path / "demo", tmp_path / "merged.qrels"
    CliRunner().invoke(
        command, ["simulate", "-o", str(folder), "--topics", "2", "--documents", "60"]
    )
    judges, runs = str(folder / "judges" / "*"), str(folder / "runs" / "*")
    binary = ["merge", "--judges", judges, "--method", "binmv", "--rel", "1"]
    weighted = ["--runs", runs, "-m", "AP", "--weights", "tpc_kld_msd", "--seed", "3"]
    result = CliRunner().invoke(command, [*binary, *weighted, "--soft", "-o", str(target)])
    assert result.exit_code == 0, result.output
    expected = hj.merge(
        judges, "binmv", rel=1, seed=3, runs=runs, measure="AP", weights="tpc_kld_msd"
    )
    assert hj.read_qrels(target).to_dict() == expected.to_dict()
    assert expected.to_dict() != hj.merge(judges, "binmv", rel=1).to_dict()
    for options in (["--weights", "uni"], ["--ties", "input"], ["--score-precision", "single"]):
        refused = CliRunner().invoke(command, [*binary, *options])
        assert refused.exit_code == 2
        assert f"{options[0]} needs --runs" in refused.output


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--orientation", "printed"], "--orientation needs --all, or other --weights"),
        (["--weights", "supervised", "--replicates", "5"], "--replicates needs --all, or other"),
        (["--all", "--gold", "GOLD", "--weights", "uni"], "--all compares all weights"),
    ],
)
def test_options_that_do_nothing_are_refused(options: list[str], words: str) -> None:
    given = ["aware", "--judges", "j/*", "--runs", "r/*", *options]
    result = CliRunner().invoke(command, given)
    assert result.exit_code == 2
    assert words in result.output


def test_a_judge_who_guesses_is_not_contradicted(made: Any) -> None:
    """Only a correlation that is below 0 beyond doubt is told, and only from a judge favoured."""
    simulated, judgments = made
    labels = labels_of(judgments)
    rng = np.random.default_rng(2)
    first = labels[next(iter(labels))]
    labels["coin"] = {t: {d: int(rng.random() < 0.5) for d in ds} for t, ds in first.items()}
    given = hj.read_judgments(labels, grades=range(2))
    found, error = correlation_with_rest(given)
    at = given.judges.index("coin")
    assert abs(found[at]) < 1.9 * error[at]
    scored = score_judges(given, simulated.runs, "AP")

    def told(**share: float) -> Any:
        rest = (1 - sum(share.values())) / (6 - len(share))
        weights = [share.get(name, rest) for name in scored.judges]
        return _contradicted(scored, np.repeat(np.array(weights)[:, None], 12, axis=1))

    assert told(coin=0.9) == ()
    assert told(reversed=1 / 6) == ()
    (note,) = told(reversed=0.6)
    assert note.subjects == ("reversed",)
    assert "give 60% to 1 judge" in str(note)
    assert "equal weights give 17%" in str(note)
