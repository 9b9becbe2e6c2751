"""Measures that are better when smaller: on lists, boards, in comparisons and studies."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import kendalltau

import hungjury as hj
from hungjury.base.errors import MeasureError
from hungjury.cli.main import hungjury as command
from hungjury.judges.weights import closeness
from hungjury.studies import correlate_measures, run_quartiles
from oracles import measures as naive

# "good" finds the relevant document first, "bad" reads two others before, "lost" never finds it.
QRELS = {"1": {"a": 1, "b": 0, "c": 0}, "2": {"a": 1, "b": 0, "c": 0, "d": 0}}
RUNS = {
    "bad": {t: {"b": 3.0, "c": 2.0, "a": 1.0} for t in QRELS},
    "good": {t: {"a": 3.0, "b": 2.0} for t in QRELS},
    "lost": {t: {"b": 3.0, "x": 2.0} for t in QRELS},
}


def test_an_undefined_search_length_counts_all_that_could_be_read() -> None:
    scores = hj.evaluate(QRELS, RUNS, "ESL")
    by_name = dict(zip(scores.systems, scores.values[0], strict=True))
    assert by_name["good"].tolist() == [0, 0]
    assert by_name["bad"].tolist() == [2, 2]
    assert by_name["lost"].tolist() == [2 + 2, 3 + 2]  # judged not relevant, plus retrieved
    for topic in (0, 1):
        pool = list(QRELS[str(topic + 1)].values())
        assert by_name["lost"][topic] == naive.esl_counted([0, None], pool)


def test_topics_without_a_relevant_document_count_the_worst_value() -> None:
    scores = hj.evaluate({"1": {"a": 0, "b": 0}}, {"s": {"1": {"a": 1.0}}}, ["ESL", "Fallout"])
    assert scores.values[:, 0, 0].tolist() == [2 + 1, 0.5]


def test_fallout_without_a_document_judged_not_relevant() -> None:
    runs = {"s": {"1": {"a": 1.0}}, "t": {"2": {"a": 1.0}}}
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    for name in ("Fallout", "SetFallout"):
        scores = hj.evaluate(qrels, runs, name)
        assert scores.values[0].tolist() == [[1, 0], [0, 1]]  # 0 where nothing is retrieved
        assert np.isnan(hj.evaluate(qrels, runs, name, undefined="nan").values).all()


def test_the_saving_of_search_length() -> None:
    # 2 of the 6 others are read on average before the first of 2 relevant documents.
    labels = [0, 1, 1, 0, 0, 0, 0, 0]
    assert hj.score_list("ESLSaving", labels) == pytest.approx(1 - 1 / 2)
    assert hj.score_list("ESLSaving(want=2)", labels) == pytest.approx(1 - 1 / 4)
    assert hj.score_list("ESLSaving", [1, *labels[3:]]) == 1
    # All orders together save nothing.
    orders = set(itertools.permutations(labels[:5]))
    each = [hj.score_list("ESLSaving", order) for order in orders]
    assert sum(each) == pytest.approx(0, abs=1e-12)
    assert math.isnan(hj.score_list("ESLSaving(want=3)", labels))


@pytest.mark.parametrize("name", ["ESL", "Fallout@1", "SetFallout"])
def test_the_best_system_is_the_smallest(name: str) -> None:
    scores = hj.evaluate(QRELS, RUNS, name)
    best = scores.systems[int(np.argmin(scores.mean()[0]))]
    order = [scores.systems[s] for s in scores.best_first()]
    means = scores.mean()[0][scores.best_first()]
    assert order[0] == best
    assert (np.diff(means) >= 0).all()
    assert scores.to_text().splitlines()[1].startswith(best)
    assert scores.select(topics=["1"]).smaller == [True]


def test_bold_is_the_smallest_in_latex() -> None:
    lines = hj.evaluate(QRELS, RUNS, ["ESL", "AP"]).to_latex().splitlines()
    bold = [line for line in lines if "textbf" in line]
    assert len(bold) == 1
    assert bold[0].startswith("good")
    assert bold[0].count("textbf") == 2


def test_comparisons_count_wins_of_the_smaller() -> None:
    made = hj.simulate(systems=4, topics=30, seed=1)
    scores = hj.evaluate(made.gold, made.runs, ["Fallout@10", "P@10"])
    found = hj.compare(scores)
    assert found.systems[0] == scores.systems[int(np.argmin(scores.mean()[0]))]
    for row in found.rows:
        at = scores.measures.index(row.measure)
        one, other = (scores.values[at, scores.systems.index(s)] for s in (row.system, row.versus))
        better = one < other if row.measure == "Fallout@10" else one > other
        assert row.wins == int(better.sum())
        assert row.difference == pytest.approx(float((one - other).mean()))
        if found.significant(row):
            won = found.beaten()[row.measure, row.system]
            assert (row.versus in won) == (
                (row.difference < 0) if row.measure == "Fallout@10" else (row.difference > 0)
            )
    assert any(found.significant(row) for row in found.rows if row.measure == "Fallout@10")
    bold = [line for line in found.to_latex().splitlines() if "textbf" in line]
    assert bold
    assert found.systems[0] in bold[0]


def test_studies_follow_the_direction() -> None:
    made = hj.simulate(systems=8, topics=20, seed=2)
    scores = hj.evaluate(made.gold, made.runs, ["ESL", "RR"])
    found = correlate_measures(scores)
    assert found.of("ESL", "RR") > 0  # both rank the same systems high
    assert found.square().columns[1:] == tuple(found.measures)
    chosen = run_quartiles(scores)
    worst = scores.systems[int(np.argmax(scores.mean()[0]))]
    assert worst not in chosen
    assert "below" in chosen.why
    both = hj.agreement(made.judgments, made.runs, "Fallout@10").rankings
    assert both is not None
    turned = hj.stats.tau_ap(-both.scores[0], -both.scores[1])
    assert both.tau_ap[0, 1] == pytest.approx(turned)


def test_long_names_of_measures_are_numbered() -> None:
    made = hj.simulate(systems=4, topics=4, seed=2)
    long = "eRAP(prob=[0.05, 0.95])"
    found = correlate_measures(hj.evaluate(made.gold, made.runs, ["AP", long]))
    square = found.square()
    assert list(square.columns) == ["tau", "1", "2"]
    assert [row[0] for row in square.rows] == ["1 AP", f"2 {long}"]
    assert square.rows[0][2] == found.of("AP", long)
    assert max(map(len, str(square).splitlines())) < 60


def test_the_worst_judge_value_enters_aware() -> None:
    judges = {"j1": QRELS, "j2": {t: dict.fromkeys(QRELS[t], 0) for t in QRELS}}
    scores = hj.aware(hj.read_judgments(judges), RUNS, "ESL", "uni")
    at = scores.systems.index("good")
    # The second judge found nothing: 3 + 2 and 4 + 2 documents could have been read.
    assert scores.values[0, at].tolist() == [(0 + 5) / 2, (0 + 6) / 2]
    assert scores.smaller == [True]


# Expectations over labels that a grade map, or nobody, gives

GRADED = {"1": {"a": 2, "b": 0, "c": 1, "d": 2}}
LIST = {"s": {"1": {"a": 4.0, "x": 3.0, "b": 2.0, "c": 1.0}}}
PROB = (0.1, 0.5, 0.9)


def exact(unjudged: float, name: str) -> float:
    """Over all label sets of a, x, b, c and, outside the list, d."""
    chances = [PROB[2], unjudged, PROB[0], PROB[1], PROB[2]]
    total = 0.0
    for labels in itertools.product((0, 1), repeat=5):
        chance = math.prod(p if x else 1 - p for p, x in zip(chances, labels, strict=True))
        a, x, b, c, d = labels
        pool = [a, b, c, d, x]  # an unjudged document that is relevant counts in the recall base
        if name == "AP":
            value = naive.ap([a, x, b, c], pool) or 0.0
        else:
            value = naive.precision([a, x, b, c], pool, 3)
        total += chance * value
    return total


@pytest.mark.parametrize("name", ["AP", "P@3"])
@pytest.mark.parametrize("unjudged", [None, 0.0, 0.3])
def test_expectation_with_a_grade_map(name: str, unjudged: float | None) -> None:
    m = hj.m.E(of=name, prob=PROB, unjudged=unjudged, draws=20000)
    found = hj.evaluate(GRADED, LIST, m).values[0, 0, 0]
    assert found == pytest.approx(exact(PROB[0] if unjudged is None else unjudged, name), abs=0.015)
    assert hj.measure(str(m)) == m


def test_expectation_of_sure_labels_with_unsure_unjudged_documents() -> None:
    qrels = {"1": {"a": 1, "b": 0}}
    run = {"s": {"1": {"x": 3.0, "a": 2.0, "y": 1.0}}}
    found = hj.evaluate(qrels, run, ["E(P@3, unjudged=0.25, draws=20000)", "eRP(unjudged=0.25)@3"])
    assert found.values[0, 0, 0] == pytest.approx(1.5 / 3, abs=0.01)
    assert found.values[1, 0, 0] == pytest.approx(1.5 / 3)
    assert found.variance is not None
    assert found.variance[0, 0, 0] == pytest.approx(found.variance[1, 0, 0], abs=0.003)


def test_expectation_refuses_what_it_cannot_mean() -> None:
    with pytest.raises(MeasureError, match="values"):
        hj.evaluate(GRADED, LIST, "E(AP, prob=[0.1, 0.9])")
    with pytest.raises(MeasureError, match="grade is unknown"):
        hj.evaluate(GRADED, LIST, "E(AP, unjudged=0.1)")
    with pytest.raises(MeasureError, match="already probabilities"):
        hj.evaluate({"1": {"a": 0.5}}, LIST, "E(AP, prob=[0.1, 0.9])")
    tied = hj.read_runs(LIST, ties="expected")
    with pytest.raises(MeasureError, match="unjudged"):
        hj.evaluate(GRADED, tied, "E(AP, prob=[0.1, 0.5, 0.9])")
    with pytest.raises(MeasureError, match="draws labels for whole pools"):  # not: too many grades
        hj.score_list("E(AP, prob=[0.1, 0.5, 0.9])", [1, 0])


def test_expected_sums_are_never_undefined() -> None:
    qrels = {"1": {"a": 0, "b": 0}}
    run = {"s": {"1": {"x": 2.0, "a": 1.0}}}
    scores = hj.evaluate(
        qrels, run, ["eRRBP(unjudged=0.1)", "eRDCG(unjudged=0.1)", "eRAP(unjudged=0.1)"]
    )
    assert scores.values[:, 0, 0].tolist() == pytest.approx([0.2 * 0.1, 0.1, 0])
    assert scores.status[:, 0, 0].tolist() == [0, 0, 1]


@pytest.mark.parametrize("name", ["eRRBP(p=0.5)", "eRDCG(base=2)", "eRP@2"])
def test_variance_inside_ties_is_that_of_the_mean_over_orders(name: str) -> None:
    soft = {"1": {"a": 0.5, "b": 0.2, "c": 0.9}}
    tied = hj.read_runs({"s": {"1": {"a": 1.0, "b": 1.0, "c": 0.0}}}, ties="expected")
    found = hj.evaluate(soft, tied, name)
    assert found.variance is not None

    def of_labels(labels: tuple[int, ...]) -> float:
        a, b, c = labels
        m = hj.measure(name)
        return (hj.score_list(m, [a, b, c]) + hj.score_list(m, [b, a, c])) / 2

    mean = square = 0.0
    for labels in itertools.product((0, 1), repeat=3):
        chance = math.prod(p if x else 1 - p for p, x in zip((0.5, 0.2, 0.9), labels, strict=True))
        mean += chance * of_labels(labels)
        square += chance * of_labels(labels) ** 2
    assert found.values[0, 0, 0] == pytest.approx(mean)
    assert found.variance[0, 0, 0] == pytest.approx(square - mean**2)


def test_err_with_the_gains_of_the_thesis() -> None:
    # Gains 0 and 5 on binary labels: a relevant document satisfies with probability 31/32.
    value = hj.score_list("ERR(gains={1: 5})", [1, 0, 1])
    assert value == pytest.approx(31 / 32 + (1 / 32) * (31 / 32) / 3)
    with pytest.raises(MeasureError, match="gain"):
        hj.measure("ERR(gains={1: -1})")


def test_junk_labels_count_as_judged_once_they_are_clipped(tmp_path: Path) -> None:
    """As in TREC 21: -2 is pooled but not judged by default, and not relevant when clipped."""
    (tmp_path / "qrels").write_text("1 0 junk -2\n1 0 good 1\n1 0 bad 0\n")
    run = {"1": {"junk": 3.0, "good": 2.0, "bad": 1.0}}
    for reading, value in (({}, 1.0), ({"grades": range(4), "outside": "clip"}, 0.0)):
        labels = hj.read_qrels(tmp_path / "qrels", **reading)
        assert hj.evaluate(labels, run, "Bpref").mean()[0, 0] == value
        assert [note.count for note in labels.notes if note.kind == "outside"] == (
            [1] if reading else []
        )


# Means that are equal but for the order in which they are summed


def test_systems_with_equal_means_are_tied() -> None:
    """0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1 in binary; P@10 of the two systems is the same."""
    hits = {"up": (1, 2, 3), "down": (3, 2, 1), "worst": (1, 1, 1)}
    qrels = {str(t): {f"d{n}": int(n < 10) for n in range(20)} for t in range(3)}
    runs = {
        name: {
            str(t): {f"d{n if n < found else n + 10}": float(-n) for n in range(10)}
            for t, found in enumerate(counts)
        }
        for name, counts in hits.items()
    }
    scores = hj.evaluate(qrels, runs, ["P@10", "AP"])
    means = scores.mean()[0]
    up, down = (scores.systems.index(name) for name in ("up", "down"))
    assert means[up] != means[down], "the test needs sums that rounding tells apart"
    assert scores.better()[0][up] == scores.better()[0][down]
    assert hj.measure("P@10").better(means)[up] == hj.measure("P@10").better(means)[down]
    # By AP they are equal as well: both measures have the same order.
    assert hj.studies.correlate_measures(scores).of("P@10", "AP") == 1.0
    rows = {row[0]: row[1] for row in scores.table().rows}
    assert (rows["up"].bold, rows["down"].bold, rows["worst"].bold) == (True, True, False)


@pytest.mark.parametrize("gap", ["tau", "apc"])
def test_systems_with_equal_means_are_tied_for_aware(gap: str) -> None:
    mine = np.array([[[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.1, 0.1, 0.1]]])
    means = mine[0].mean(axis=1)
    assert means[0] != means[1]
    same = np.array([[[0.5, 0.5, 0.5], [0.5, 0.5, 0.5], [0.1, 0.1, 0.1]]])
    tied = [0.2, 0.2, 0.1]
    expected = {"tau": hj.stats.kendall(tied, tied), "apc": hj.stats.tau_ap(tied, tied)}[gap]
    assert closeness(gap, mine, same)[0] == pytest.approx(expected)


# ESL and fallout on boards, in comparisons, agreement and studies: smaller is better everywhere,
# and a list that never finds what is wanted counts the worst value.


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
    means = [float(row["mean"]) for row in rows]
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
