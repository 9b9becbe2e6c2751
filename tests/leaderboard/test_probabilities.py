"""Leaderboards, gates and comparisons by probabilities of one source."""

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

import hungjury as hj
from hungjury.base.errors import InputError

SOFT = {"1": {"a": 0.9, "b": 0.5, "c": 0.2}, "2": {"d": 0.7, "e": 0.4, "f": 0.6}}
RUNS: dict[str, Any] = {
    "A": {"1": {"a": 2.0, "c": 1.0}, "2": {"e": 2.0, "d": 1.0}},
    "B": {"1": {"b": 2.0, "a": 1.0}, "2": {"d": 2.0, "f": 1.0}},
}


MEASURES = ["P@1", "nDCG@2"]


@cache
def chances() -> dict[str, tuple[dict[str, float], float]]:
    """By enumeration of all label sets: the expected means by each measure, and P(A beats B), ties
    half."""
    places = [(t, d) for t, docs in SOFT.items() for d in docs]
    found = {measure: ({"A": 0.0, "B": 0.0}, 0.0) for measure in MEASURES}
    for labels in product((0, 1), repeat=len(places)):
        p = 1.0
        qrels: dict[str, dict[str, int]] = {t: {} for t in SOFT}
        for (topic, document), label in zip(places, labels, strict=True):
            p *= SOFT[topic][document] if label else 1 - SOFT[topic][document]
            qrels[topic][document] = label
        scores = hj.evaluate(hj.read_qrels(qrels, grades=[0, 1]), RUNS, MEASURES)
        for measure, means in zip(MEASURES, scores.mean(), strict=True):
            one = dict(zip(scores.systems, means, strict=True))
            gap = one["A"] - one["B"]
            mean, wins = found[measure]
            wins += p * (0.5 if abs(gap) < 1e-12 else float(gap > 0))
            found[measure] = {name: mean[name] + p * one[name] for name in mean}, wins
    return found


@pytest.mark.parametrize("measure", MEASURES)
def test_chances_are_those_of_all_label_sets(measure: str) -> None:
    mean, wins = chances()[measure]
    board = hj.leaderboard(SOFT, RUNS, measure, target="topics", draws=20_000)
    a, b = board.systems.index("A"), board.systems.index("B")
    assert board.mean[[a, b]] == pytest.approx([mean["A"], mean["B"]], abs=1e-12)
    assert board.beats[a, b] == pytest.approx(wins, abs=0.015)
    assert board.as_given
    assert set(board.shares) == {"labels"}
    (gate,) = hj.gate(SOFT, RUNS, "B", "A", measure, target="topics", draws=20_000)
    assert gate.chance == pytest.approx(wins, abs=0.015)
    (again,) = hj.gate(SOFT, RUNS, "B", "A", f"E({measure}, draws=20000)", target="topics")
    assert again.chance == pytest.approx(wins, abs=0.015)
    assert again.difference == pytest.approx(mean["A"] - mean["B"], abs=1e-12)
    scores = hj.evaluate(SOFT, RUNS, f"E({measure}, draws=20000)", distribution=True)
    (row,) = hj.compare(scores, baseline="B").rows
    assert row.chance == pytest.approx(wins, abs=0.015)
    of_scores = hj.leaderboard_of_scores(scores, target="topics", draws=20_000)
    at = [of_scores.systems.index(name) for name in "AB"]
    assert of_scores.beats[at[0], at[1]] == pytest.approx(wins, abs=0.02)


@pytest.mark.parametrize("measure", ["Bpref", "GMAP", "P@1"])
def test_means_are_exact_where_no_draws_are_needed(measure: str) -> None:
    """Other means are those of the draws that everything else rests on."""
    drawn = hj.leaderboard(SOFT, RUNS, measure, target="topics", draws=200).evidence.drawn
    assert np.array_equal(drawn.cells, drawn.draws.cells) == (measure != "P@1")


def test_one_source_however_it_is_given(tmp_path: Any) -> None:
    path = tmp_path / "soft.qrels"
    rows = [f"{t} 0 {d} {p}\n" for t, docs in SOFT.items() for d, p in docs.items()]
    path.write_text("".join(rows))
    boards = [hj.leaderboard(one, RUNS, "AP", draws=200)
              for one in (SOFT, hj.read_qrels(SOFT), str(path), {"me": SOFT})]  # fmt: skip
    for board in boards:
        assert np.array_equal(board.samples, boards[0].samples)
    assert "probabilities of one source" in str(boards[0])
    assert "one-judge" not in {note.kind for note in boards[0].notes}


def test_probabilities_of_grades() -> None:
    sim = hj.simulate(topics=6, systems=3, seed=2, grades=3)
    merged = hj.merge(sim.judgments, "em-mv").plain()
    assert merged.grade_p is not None
    board = hj.leaderboard(merged, sim.runs, "nDCG@10", target="topics", draws=4000)
    scores = hj.evaluate(merged, sim.runs, "E(nDCG@10, draws=4000)", distribution=True)
    at = [board.systems.index(name) for name in scores.systems]
    assert board.mean[at] == pytest.approx(scores.mean()[0], abs=1e-12)
    assert board.beats[np.ix_(at, at)] == pytest.approx(scores.wins(), abs=0.05)


def test_hard_labels_are_one_judge() -> None:
    sim = hj.simulate(topics=6, systems=3, seed=2)
    board = hj.leaderboard(sim.gold, sim.runs, "nDCG@10", draws=200)
    assert not board.as_given
    assert board.assumed is not None
    other = hj.leaderboard({"labels": sim.gold}, sim.runs, "nDCG@10", draws=200)
    assert np.array_equal(board.samples, other.samples)


def test_orders_by_other_functionals() -> None:
    """A is certain of a middling score; B gambles: it has the larger mean and the lower tail."""
    soft = {"1": {"a": 1.0, "b": 0.0, "c": 0.6, "d": 0.6}}
    runs = {"A": {"1": {"a": 2.0, "b": 1.0}}, "B": {"1": {"c": 2.0, "d": 1.0}}}
    found = {
        by: hj.leaderboard(soft, runs, "P@2", target="topics", order=by).systems[0]
        for by in ("mean", "wins", 0.1, "0.9")
    }
    assert found == {"mean": "B", "wins": "B", 0.1: "A", "0.9": "B"}
    scores = hj.evaluate(soft, runs, "E(P@2)", distribution=True)
    board = hj.leaderboard_of_scores(scores, target="topics", order=0.1)
    assert board.systems == scores.order(0.1) == ["A", "B"]
    with pytest.raises(hj.HungjuryError, match="cannot be ordered by 'best'"):
        hj.leaderboard(soft, runs, "P@2", target="topics", order="best")


def test_refused() -> None:
    with pytest.raises(InputError, match="need no merge"):
        hj.leaderboard(SOFT, RUNS, "AP", "mv")
    with pytest.raises(InputError, match="no distribution on these topics"):
        hj.gate(SOFT, RUNS, "A", "B", "eRAP", target="topics")
