"""What AWARE says about its weights, and votes that count as it weighs their judges."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import hungjury as hj
from hungjury.base.errors import InputError, MeasureError
from hungjury.cli.main import hungjury as command
from hungjury.judges.aware import _contradicted
from hungjury.judges.families import correlation_with_rest
from hungjury.judges.judge_scores import score_judges


def labels_of(judgments: Any) -> Any:
    return {judge: judgments.qrels_of(judge).to_dict() for judge in judgments.judges}


@pytest.fixture(scope="module")
def made() -> Any:
    """Four judges, and one who says the opposite of the first."""
    made = hj.simulate(systems=6, topics=12, accuracies=(0.9, 0.85, 0.8, 0.75), seed=3)
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
    for weights in ("sgl_tau_msd", "sgl_fro_md", "tpc_kld_med", "sgl_apc_med"):
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
    small = hj.simulate(topics=6)
    merged = hj.merge(small.judgments, "binmv", runs=small.runs, measure="AP")
    (note,) = (note for note in merged.notes if note.kind == "contrary-weight")
    assert note.subjects == ("judge5",)
    scores = hj.aware(small.judgments, small.runs, "AP", "sgl_tau_msd")
    assert note in scores.notes
    equal = hj.merge(small.judgments, "binmv", runs=small.runs, measure="AP", weights="uni")
    assert "contrary-weight" not in [note.kind for note in equal.notes]


def test_weighted_votes_on_the_command_line(tmp_path: Path) -> None:
    folder, target = tmp_path / "demo", tmp_path / "merged.qrels"
    CliRunner().invoke(command, ["simulate", "-o", str(folder), "--topics", "6"])
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
        return _contradicted(scored, np.repeat(np.array(weights)[:, None], 12, axis=1), None)

    assert told(coin=0.9) == ()
    assert told(reversed=1 / 6) == ()
    (note,) = told(reversed=0.6)
    assert note.subjects == ("reversed",)
    assert "give 60% to 1 judge" in str(note)
    assert "equal weights give 17%" in str(note)
