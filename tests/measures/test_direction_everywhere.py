"""ESL and fallout on boards, in comparisons, agreement and studies: smaller is better everywhere,
and a list that never finds what is wanted counts the worst value."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import kendalltau

import hungjury as hj
from hungjury.cli.main import hungjury as command

SMALLER = ("Fallout@10", "ESL", "SetFallout", "E(ESL)")


@pytest.fixture(scope="module")
def made() -> Any:
    """Good judges, systems from best to worst."""
    accuracies = (0.95, 0.9, 0.9, 0.85)
    return hj.simulate(systems=5, topics=40, depth=30, accuracies=accuracies, seed=3)


@pytest.fixture(scope="module")
def folder(made: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("direction")
    made.write(where)
    return where


def run(*words: object) -> Any:
    found = CliRunner().invoke(command, [str(word) for word in words])
    assert found.exit_code in (0, 1), (found.output, found.exception)
    return found


@pytest.mark.parametrize("panel_error", [0, 0.035])
@pytest.mark.parametrize("gold", [False, True])
def test_a_board_by_fallout_crowns_the_system_with_the_least(
    made: Any, panel_error: float, gold: bool
) -> None:
    people = {"gold": made.gold} if gold else {}
    board = hj.leaderboard(
        made.judgments, made.runs, "Fallout@10", panel_error=panel_error, draws=400, **people
    )
    by_gold = hj.evaluate(made.gold, made.runs, "Fallout@10")
    least = by_gold.systems[int(np.argmin(by_gold.mean()[0]))]
    most = by_gold.systems[int(np.argmax(by_gold.mean()[0]))]
    assert (board.systems[0], board.systems[-1]) == (least, most)
    assert (np.diff(board.mean) > 0).all()
    # Chances follow the means, and are those of the draws.
    assert (np.diff(board.p_best) <= 0).all()
    smallest = board.samples.argmin(axis=1)
    assert board.p_best[0] == pytest.approx((smallest == 0).mean(), abs=0.01)
    for one, other in np.ndindex(board.beats.shape):
        if one < other:
            assert board.beats[one, other] >= 0.5 >= board.beats[other, one]
            won = (board.samples[:, one] < board.samples[:, other]).mean()
            assert board.beats[one, other] == pytest.approx(won, abs=0.01)
    assert (np.diff(board.rank_low) >= 0).all()
    if panel_error == 0:
        assert board.p_best[0] > 0.9 > 0.1 > board.p_best[-1]
        assert board.apart[0, -1]
        assert not any({least, most} <= set(group) for group in board.groups)
    if gold:
        assert board.gold is not None
        near = {row.name: row.tau_ap for row in board.gold.rows}
        mine = hj.evaluate(made.judgments.qrels_of("judge1"), made.runs, "Fallout@10").mean()[0]
        expected = hj.stats.tau_ap(-mine.round(12), -by_gold.mean()[0].round(12))
        assert near["judge1"] == pytest.approx(expected)


def test_the_command_crowns_it_too(folder: Path) -> None:
    words = ["leaderboard", "--judges", folder / "judges" / "*", "--runs", folder / "runs" / "*",
             "-m", "Fallout@10", "--panel-error", 0, "--draws", 300, "--quiet"]  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(run(*words, "--format", "csv").stdout)))
    means = [float(row["panel_mean"]) for row in rows]
    best = [float(row["p_best"]) for row in rows]
    assert rows[0]["system"] == "system1"
    assert means == sorted(means)
    assert best == sorted(best, reverse=True)
    assert best[0] > 0.9
    assert run(*words).stdout.splitlines()[3].split()[:2] == ["1", "system1"]


@pytest.mark.parametrize("name", SMALLER)
def test_evaluate_compare_and_gate_agree(folder: Path, name: str) -> None:
    files = [folder / "gold.qrels", *sorted((folder / "runs").iterdir())]
    scored = list(csv.DictReader(io.StringIO(
        run("evaluate", *files, "-m", name, "--format", "csv", "--quiet").stdout
    )))  # fmt: skip
    values = [float(next(row[key] for key in row if key != "system")) for row in scored]
    assert scored[0]["system"] == "system1"
    assert values == sorted(values)
    if name.startswith("E("):
        return
    found = json.loads(run("compare", *files, "-m", name, "--format", "json", "--quiet").stdout)
    assert next(iter(found["mean"])) == "system1"
    assert "system5" in found["beaten"]["system1"][name]
    assert found["beaten"]["system5"][name] == []
    (verdict,) = hj.gate(folder / "gold.qrels", str(folder / "runs" / "*"),
                         "system5", "system1", name)  # fmt: skip
    assert (verdict.verdict, verdict.difference > 0) == ("better", True)


def test_a_search_that_finds_nothing_counts_its_worst_value_in_comparisons() -> None:
    """0 for such a list would be the best search length of all."""
    topics = [str(t) for t in range(12)]
    qrels = {t: {"a": 1, "b": 0, "c": 0, "d": 0} for t in topics}
    good = {t: {"a": 2.0, "b": 1.0} for t in topics}
    lost = {t: {"b": 3.0, "c": 2.0, "x": 1.0} for t in topics}
    late = {t: {"b": 3.0, "c": 2.0, "a": 1.0} for t in topics}
    runs = {"good": good, "late": late, "lost": lost}
    found = hj.compare(hj.evaluate(qrels, runs, "ESL"))
    assert found.systems == ["good", "late", "lost"]
    row = next(r for r in found.rows if {r.system, r.versus} == {"good", "lost"})
    assert abs(row.difference) == 3 + 3  # judged not relevant, plus retrieved
    assert (row.wins, row.losses) in ((12, 0), (0, 12))
    judges = {f"j{i}": qrels for i in range(3)}
    board = hj.leaderboard(judges, runs, "ESL", panel_error=0, draws=100)
    assert board.systems == ["good", "late", "lost"]
    assert board.mean.tolist() == pytest.approx([0, 2, 6])
    assert board.p_best[0] > 0.98


def test_studies_rank_the_smallest_first() -> None:
    """Correlations of a measure that falls with one that rises, on pools and by judges."""
    made = hj.simulate(systems=9, topics=6, documents=80, depth=30, seed=4)
    pair = ["Fallout@10", "P@10"]
    scores = hj.evaluate(made.gold, made.runs, pair)
    fallout, precision = scores.mean().round(12)
    tau = float(kendalltau(-fallout, precision).statistic)
    assert tau > 0.5
    assert hj.studies.correlate_measures(scores).of(*pair) == pytest.approx(tau)
    robust = hj.studies.robustness(made.gold, made.runs, "Fallout@10", [0.5], 2, seed=4)
    for n in range(2):
        part = hj.evaluate(hj.studies.downsample(made.gold, 0.5, 4, n), made.runs, "Fallout@10")
        expected = hj.stats.tau_ap(-part.mean()[0].round(12), -fallout)
        assert robust.tau_ap[0, 0, n] == pytest.approx(expected)
        other_way = hj.stats.tau_ap(part.mean()[0].round(12), fallout)
        assert other_way != pytest.approx(expected), "the direction has to matter"
    tuples = hj.studies.tuple_study(
        made.judgments, made.runs, "Fallout@10", made.gold, sizes=[5], approaches=["uni", "mv"]
    )
    uni = np.mean([
        hj.evaluate(made.judgments.qrels_of(j), made.runs, "Fallout@10").mean()[0]
        for j in made.judgments.judges
    ], axis=0)  # fmt: skip
    found = next(row.tau_ap for row in tuples.rows if row.approach == "uni")
    assert found == pytest.approx(hj.stats.tau_ap(-uni.round(12), -fallout))
    power = hj.studies.discriminative_power(scores, samples=200)
    assert 0 < power.power[0] <= 1


def test_aware_lists_the_smallest_first(made: Any) -> None:
    found = hj.aware(made.judgments, made.runs, "Fallout@10", "uni")
    order = found.best_first()
    assert (np.diff(found.mean()[0][order]) >= 0).all()
    assert found.systems[order[0]] == "system1"
