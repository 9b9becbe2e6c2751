"""Decisions for pipelines, and bounds for who looks more than once."""

import json
import statistics

import numpy as np
import pytest
from click.testing import CliRunner

import hungjury as hj
from builders.commands import hungjury
from hungjury.base.errors import HungjuryError
from hungjury.cli.main import hungjury as command
from hungjury.leaderboard.gate import Gate, by_chance, by_interval, gate
from hungjury.stats.multiple import nominal_levels, simultaneous_widths

LISTS = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 2.0, "b": 1.0}}
TWINS = {"one": LISTS, "two": LISTS}


@pytest.fixture(scope="module")
def made():
    return hj.simulate(systems=6, topics=16, documents=60, depth=20, grades=3, seed=3)


@pytest.mark.parametrize(
    ("low", "high", "margin", "verdict"),
    [
        (0.02, 0.05, 0.01, "better"),
        (0.001, 0.05, 0, "better"),
        (-0.005, 0.005, 0.01, "same"),
        (-0.005, 0.05, 0.01, "not worse"),
        (-0.05, -0.02, 0.01, "worse"),
        (-0.05, -0.001, 0, "worse"),
        (-0.05, 0.05, 0.01, "undecided"),
        (-0.05, 0.05, 0, "undecided"),
        (-0.05, -0.005, 0.01, "undecided"),
        (0.0, 0.0, 0.0, "same"),
        (0.01, 0.05, 0.01, "not worse"),  # a difference of the margin's size does not matter
        (-0.01, 0.01, 0.01, "same"),
        (-0.01, 0.05, 0.01, "not worse"),
        (-0.05, -0.01, 0.01, "undecided"),
        (0.0, 0.05, 0.0, "undecided"),
        (-0.05, 0.0, 0.0, "undecided"),
    ],
)
def test_what_an_interval_says(low, high, margin, verdict):
    assert by_interval(low, high, margin) == verdict


def test_what_a_chance_says():
    assert [by_chance(p, 0.95) for p in (0.99, 0.9, 0.01)] == ["better", "undecided", "worse"]
    # Half of what the level leaves on either side.
    assert [by_chance(p, 0.9) for p in (0.951, 0.949, 0.051, 0.049)] == [
        "better", "undecided", "undecided", "worse",
    ]  # fmt: skip


def test_sentences():
    def said(verdict, low, high, chance=None):
        difference = None if low is None else (low + high) / 2
        given = ("base", "new", "AP", 0.01, 0.95)
        return str(Gate(*given, verdict, difference, low, high, chance))

    assert said("better", 0.02, 0.04) == (
        "pass: new is better than base: AP +0.0300 (95 % interval +0.0200 to +0.0400, margin 0.01)"
    )
    assert said("worse", -0.04, -0.02).startswith("FAIL: new is worse than base: AP -0.0300")
    assert said("same", -0.01, 0.01).startswith("pass: new is the same as base: AP +0.0000")
    assert said("undecided", None, None, 0.8) == (
        "UNDECIDED: new cannot be told apart from base: P(new beats base) = 0.800"
    )


def test_intervals_hold_together_by_the_largest_deviation():
    """The loop: the quantile of the largest standardised deviation over candidates."""
    rng = np.random.default_rng(5)
    drawn = rng.normal(size=(300, 3)) * [0.1, 0.2, 0.0] + [0.3, -0.1, 0.0]
    gap = np.array([0.31, -0.09, 0.0])
    sd = [statistics.stdev(column) for column in drawn.T.tolist()]
    mean = [statistics.fmean(column) for column in drawn.T.tolist()]
    largest = [max(abs(row[i] - mean[i]) / sd[i] for i in (0, 1)) for row in drawn.tolist()]
    needed = np.quantile(largest, 0.9)
    half = simultaneous_widths(np.hstack([np.zeros((300, 1)), drawn]), 0.9, with_first=True)[0, 1:]
    low, high = gap - half, gap + half
    assert low == pytest.approx([g - needed * s for g, s in zip(gap, sd, strict=True)])
    assert high == pytest.approx([g + needed * s for g, s in zip(gap, sd, strict=True)])


def resampled(values, seed):
    """Draws of the mean over resampled topics."""
    table = {f"s{s}": {str(t): {"X": v} for t, v in enumerate(row)} for s, row in enumerate(values)}
    board = hj.leaderboard_of_scores(table, draws=10_000, seed=seed)
    return board.samples[:, [board.systems.index(name) for name in table]]


def test_resampled_means_are_as_wide_as_students_t():
    """With n topics the variance is s² / n times (n - 1) / (n - 3)."""
    values = np.random.default_rng(6).normal(size=(2, 9))
    drawn = resampled(values, 0)
    expected = values.var(axis=1, ddof=1) / 9 * 8 / 6
    assert drawn.var(axis=0) == pytest.approx(expected, rel=0.1)
    assert drawn.mean(axis=0) == pytest.approx(values.mean(axis=1), abs=0.02)
    with pytest.raises(HungjuryError, match="1 topic in common; at least 2 are needed"):
        resampled(values[:, :1], 0)
    assert np.isfinite(resampled(values[:, :2], 0)).all()


def test_scores_decide_as_the_labels_they_come_from(made, tmp_path):
    """Scores written and read back give the same decisions to the last bit, on the command line
    too; the first measure is the default."""
    measures = ["nDCG@10", "ESL", "GMAP"]
    scores = hj.evaluate(made.gold, made.runs, measures)
    (tmp_path / "scores.json").write_text(scores.to_json(per_topic=True))
    again = hj.read_scores(tmp_path / "scores.json")
    direct = gate(made.gold, made.runs, "system2", ["system1", "system5"], measures)
    found = gate(again, None, "system2", ["system1", "system5"], measures)
    for one, other in zip(direct, found, strict=True):
        assert one.to_dict() | {"notes": []} == other.to_dict() | {"notes": []}
    words = ["--scores", str(tmp_path / "scores.json"), "--baseline", "system2"]
    done = hungjury("gate", *words, "--candidate", "system1", "--format", "json")
    assert done.returncode == 0, done.stderr
    (alone,) = gate(again, baseline="system2", candidate="system1")
    assert json.loads(done.stdout)["gates"][0]["low"] == alone.low
    wrong = hungjury("gate", *words, "--candidate", "system1", "--gold", "x")
    assert wrong.returncode == 2
    assert "--scores" in wrong.stderr


def test_scores_by_judges_decide_by_chance():
    rng = np.random.default_rng(0)
    rows = [{"system": s, "topic": str(t), "judge": j, "score": 2 + 2 * (s == "new") + rng.random()}
            for s in ("old", "new") for t in range(20) for j in "xyz"]  # fmt: skip
    scores = hj.read_scores(rows, scale=(1, 5))
    (found,) = gate(scores, baseline="old", candidate="new")
    assert (found.verdict, found.difference) == ("better", None)
    assert found.chance > 0.975
    with pytest.raises(HungjuryError, match="a margin needs gold labels"):
        gate(scores, baseline="old", candidate="new", margin=0.1)
    with pytest.raises(HungjuryError, match="scores take the place of labels and runs"):
        gate(scores, TWINS, "old", "new")
    with pytest.raises(HungjuryError, match="compares a baseline with candidates"):
        gate(scores)


def test_qrels(made):
    best, worst = "system1", "system6"
    (found,) = gate(made.gold, made.runs, worst, best)
    assert (found.verdict, found.passed) == ("better", True)
    assert found.low > 0
    (found,) = gate(made.gold, made.runs, best, worst)
    assert (found.verdict, found.passed) == ("worse", False)
    with pytest.raises(HungjuryError, match="both the baseline and a candidate"):
        gate(made.gold, made.runs, best, best)
    (found,) = gate({"1": {"a": 1}, "2": {"b": 1}}, TWINS, "one", "two")
    assert found.verdict == "same"
    assert (found.difference, found.low, found.high) == (0, 0, 0)
    (found,) = gate(made.gold, made.runs, "system3", "system4", margin=0.5)
    assert found.verdict == "same"


def test_several_candidates_have_wider_intervals(made):
    (alone,) = gate(made.gold, made.runs, "system1", "system2")
    many = gate(made.gold, made.runs, "system1", [f"system{i}" for i in range(2, 7)])
    assert many[0].high - many[0].low > alone.high - alone.low
    assert many[0].difference == pytest.approx(alone.difference)


def test_a_measure_where_less_is_better(made):
    (found,) = gate(made.gold, made.runs, "system6", "system1", "ESL")
    assert found.difference > 0


@pytest.mark.long
def test_coverage_of_simultaneous_intervals():
    """Where topics are drawn from a population, all intervals hold at once as often as said."""
    rng = np.random.default_rng(1)
    held = []
    for i in range(150):
        values = rng.normal([[0.5], [0.5], [0.55], [0.6]], 0.1, (4, 25))
        draws = resampled(values, i)[:2000]
        gap = values.mean(axis=1)[1:] - values.mean(axis=1)[0]
        half = simultaneous_widths(draws, 0.95, with_first=True)[0, 1:]
        low, high = gap - half, gap + half
        truth = np.array([0, 0.05, 0.1])
        held.append(((low <= truth) & (truth <= high)).all())
    assert 0.89 < np.mean(held) <= 1


def test_a_panel_decides_by_chance_and_refuses_a_margin(made):
    (found,) = gate(made.judgments, made.runs, "system6", "system1", draws=200)
    assert found.verdict == "better"
    assert found.low is None
    assert found.chance > 0.97
    with pytest.raises(HungjuryError, match="margin needs gold labels"):
        gate(made.judgments, made.runs, "system6", "system1", margin=0.01)


def test_a_panel_with_gold(made):
    plan = hj.plan(made.judgments, made.runs, "nDCG@10", 200)
    truth = made.gold.to_dict()
    labels = {}
    for topic, document in zip(plan.topics, plan.documents, strict=True):
        labels.setdefault(topic, {})[document] = truth[topic][document]
    (found,) = gate(made.judgments, made.runs, "system6", "system1", margin=0.01,
                    gold=labels, plan=plan, draws=300)  # fmt: skip
    assert found.verdict == "better"
    assert found.low > 0.01


def test_a_missing_run_is_an_error(made):
    for pair in (("system1", "nobody"), ("nobody", "system1")):
        with pytest.raises(HungjuryError, match="no run 'nobody' in this result"):
            gate(made.gold, made.runs, *pair)


@pytest.mark.parametrize(
    ("baseline", "candidate", "code"),
    [("system6", "system1", 0), ("system1", "system6", 1), ("system1", "nobody", 2)],
)
def test_exit_codes(made, tmp_path, baseline, candidate, code):
    made.write(tmp_path)
    args = ["gate", "--qrels", f"{tmp_path}/gold.qrels", "--runs", f"{tmp_path}/runs/*",
            "--baseline", baseline, "--candidate", candidate, "--format", "json"]  # fmt: skip
    done = CliRunner().invoke(command, args)
    if code == 2:
        assert isinstance(done.exception, HungjuryError)
        return
    assert done.exit_code == code
    assert json.loads(done.stdout)["gates"][0]["passed"] is (code == 0)


def test_undecided_has_its_own_code(tmp_path):
    few = hj.simulate(systems=6, topics=3, documents=30, depth=10, seed=4)
    few.write(tmp_path)
    args = ["gate", "--qrels", f"{tmp_path}/gold.qrels", "--runs", f"{tmp_path}/runs/*",
            "--baseline", "system1", "--candidate", "system2"]  # fmt: skip
    done = CliRunner().invoke(command, args)
    assert done.exit_code == 3
    assert "UNDECIDED" in done.stdout
    assert len(done.stdout.splitlines()) == 1


# ---- looking again


def test_bounds_are_those_of_the_literature():
    """Lan and DeMets, O'Brien-Fleming-like spending, two-sided 0.05."""
    from scipy.stats import norm

    for looks, expected in (
        (3, [3.7103, 2.5114, 1.9930]),
        (5, [4.8769, 3.3569, 2.6803, 2.2898, 2.0310]),
    ):
        levels = nominal_levels(np.arange(1, looks + 1) / looks)
        np.testing.assert_allclose(norm.isf(np.array(levels) / 2), expected, atol=0.004)


def test_one_look_is_the_plain_test():
    assert nominal_levels([1.0]) == pytest.approx([0.05], abs=1e-4)


def test_the_path_keeps_the_error_rate():
    """Estimates at nested budgets: independent increments; plain tests err on 11 % of paths."""
    rng = np.random.default_rng(3)
    times = np.array([0.2, 0.5, 1.0])
    steps = rng.normal(size=(40_000, 3)) * np.sqrt(np.diff(times, prepend=0))
    z = np.cumsum(steps, axis=1) / np.sqrt(times)
    from scipy.stats import norm

    p = 2 * norm.sf(np.abs(z))
    assert (p < 0.05).any(axis=1).mean() > 0.1
    assert (p < nominal_levels(times)).any(axis=1).mean() < 0.053


@pytest.mark.parametrize("looks", [[], [0, 1], [0.5, 0.4], [0.5, 1.2]])
def test_bad_looks(looks):
    with pytest.raises(HungjuryError, match="looks at"):
        nominal_levels(looks)


@pytest.mark.parametrize("margin", [-0.01, float("nan"), float("inf")])
def test_a_margin_is_0_or_more(made, margin):
    with pytest.raises(HungjuryError, match="margin must be 0 or more"):
        gate(made.gold, made.runs, "system1", "system2", margin=margin)


def test_options_of_reading_are_used_with_qrels():
    qrels = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "b": 0}}
    tied = {"1": {"b": 1.0, "a": 1.0}, "2": {"b": 1.0, "a": 1.0}}
    runs = {"old": {"1": {"b": 1.0}, "2": {"b": 1.0}}, "new": tied}
    first = [hj.gate(qrels, runs, "old", "new", "P@1", ties=ties)[0] for ties in ("trec", "input")]
    assert [one.difference for one in first] == [0, 0]
    expected = hj.gate(qrels, runs, "old", "new", "P@1", ties="expected")[0]
    assert expected.difference == 0.5
    with pytest.raises(TypeError, match="target"):
        hj.gate(qrels, runs, "old", "new", target="topics")


def test_a_target_needs_judges(tmp_path):
    (tmp_path / "q").write_text("1 0 a 1\n1 0 b 0\n")
    systems = ["--baseline", "a", "--candidate", "b"]
    words = ["--qrels", str(tmp_path / "q"), "--runs", "r", *systems, "--target", "topics"]
    found = CliRunner().invoke(command, ["gate", *words])
    assert found.exit_code == 2
    assert "--target and --draws go with --judges" in found.output


@pytest.mark.parametrize("level", [0, 1, 1.5, float("nan")])
def test_a_level_is_between_0_and_1(made, level):
    with pytest.raises(HungjuryError, match="level is"):
        gate(made.gold, made.runs, "system1", "system2", level=level)


def test_a_gate_without_candidates(made):
    with pytest.raises(HungjuryError, match="a baseline with candidates"):
        gate(made.gold, made.runs, "system1", [])


def test_undefined_topics_count_as_evaluate_counts_them(made):
    """A topic without a relevant document is a 0, or is left out; it is not both."""
    gold = made.gold.to_dict() | {made.gold.topics[0]: dict.fromkeys(["x", "y"], 0)}
    for undefined in ("zero", "drop"):
        scores = hj.evaluate(gold, made.runs, "AP", undefined=undefined)
        mean = dict(zip(scores.systems, scores.mean()[0], strict=True))
        (found,) = gate(gold, made.runs, "system1", "system2", "AP", undefined=undefined)
        assert found.difference == pytest.approx(mean["system2"] - mean["system1"])
    with pytest.raises(HungjuryError, match="AP has no value on 1 topic"):
        gate(gold, made.runs, "system1", "system2", "AP", undefined="nan")


# ---- what the labels are


def judges_in(folder, made):
    made.write(folder)
    return f"{folder}/judges/*", f"{folder}/runs/*"


def test_judges_are_recognised_by_what_they_are(made, tmp_path):
    judges, runs = judges_in(tmp_path, made)
    expected = gate(made.judgments, made.runs, "system6", "system1", draws=200)
    by_name = {j: made.judgments.qrels_of(j).to_dict() for j in made.judgments.judges}
    rows = [
        (topic, document, judge, label)
        for judge, topics in by_name.items()
        for topic, documents in topics.items()
        for document, label in documents.items()
    ]
    table = tmp_path / "all.csv"
    lines = ["topic,document,judge,label", *(",".join(map(str, row)) for row in rows)]
    table.write_text("\n".join(lines) + "\n")
    for labels in (judges, by_name, table):
        for more in ({}, {"duplicates": "first"}):
            (found,) = gate(labels, runs, "system6", "system1", draws=200, **more)
            assert found.chance is not None
            assert found.verdict == expected[0].verdict


def test_one_source_in_several_files_stays_one(made, tmp_path):
    truth = made.gold.to_dict()
    for topic, documents in truth.items():
        lines = [f"{topic} 0 {d} {g}" for d, g in documents.items()]
        (tmp_path / f"{topic}.qrels").write_text("\n".join(lines) + "\n")
    (found,) = gate(f"{tmp_path}/*.qrels", made.runs, "system6", "system1")
    assert found.chance is None
    assert found.difference == gate(made.gold, made.runs, "system6", "system1")[0].difference


def test_judges_given_as_qrels_are_refused(made, tmp_path):
    judges, runs = judges_in(tmp_path, made)
    for more in ([], ["--duplicates", "first"]):
        words = ["gate", "--qrels", judges, "--runs", runs, "--baseline", "system1",
                 "--candidate", "system2", *more]  # fmt: skip
        found = CliRunner().invoke(command, words)
        assert found.exit_code == 2
        assert "labels of 5 judges; give them as --judges" in found.output


def test_gold_needs_judges(made):
    with pytest.raises(HungjuryError, match="labels of one source"):
        gate(made.gold, made.runs, "system1", "system2", gold=made.gold)


def with_wrong_ids(made):
    runs = {s: {t: dict(made.runs.ranked(s, t)) for t in made.runs.topics}
            for s in made.runs.systems}  # fmt: skip
    runs["ids"] = {t: {f"x{d}": v for d, v in one.items()} for t, one in runs["system1"].items()}
    runs["topics"] = {f"0{t}": one for t, one in runs["system1"].items()}
    few = list(made.runs.topics)[:4]
    runs["few"] = {t: runs["system1"][t] for t in few}
    return runs


@pytest.mark.parametrize("name", ["ids", "topics"])
@pytest.mark.parametrize("panel", [False, True])
def test_a_compared_system_without_judged_documents_is_an_error(made, name, panel):
    labels, runs = made.judgments if panel else made.gold, with_wrong_ids(made)
    for pair in (("system6", name), (name, "system6")):
        with pytest.raises(HungjuryError, match=f"no document of {name} was judged") as caught:
            gate(labels, runs, *pair)
        assert caught.value.code == "nothing-judged"
    (found,) = gate(labels, runs, "system6", "system1")  # it is not compared
    assert any(note.where == name for note in found.notes)


def test_notes_are_printed_and_in_json(made, tmp_path):
    labels, runs = tmp_path / "gold.qrels", tmp_path / "runs.csv"
    made.write(tmp_path)
    rows = [
        (system, topic, document, score)
        for system, lists in with_wrong_ids(made).items()
        for topic, scores in lists.items()
        for document, score in scores.items()
    ]
    lines = ["system,topic,document,score", *(",".join(map(str, row)) for row in rows)]
    runs.write_text("\n".join(lines) + "\n")
    words = ["gate", "--qrels", str(labels), "--runs", str(runs), "--baseline", "few",
             "--candidate", "system6", "--format", "json"]  # fmt: skip
    found = CliRunner().invoke(command, words)
    assert "few: no list for 12 judged topics" in found.stderr
    (decision,) = json.loads(found.stdout)["gates"]
    assert "few: no list for 12 judged topics" in decision["notes"][0]["text"]
    assert decision["notes"][0]["about"] == "result"
    quiet = CliRunner().invoke(command, [*words, "--quiet"])
    assert quiet.stderr == ""


def test_several_measures_and_candidates(made):
    wanted = ["system2", "system5"]
    found = gate(made.judgments, made.runs, "system1", wanted, ["nDCG@10", "P@5"], draws=200)
    assert [(one.measure, one.candidate) for one in found] == [
        ("nDCG@10", "system2"), ("nDCG@10", "system5"), ("P@5", "system2"), ("P@5", "system5"),
    ]  # fmt: skip
    assert {one.candidates for one in found} == {2}
    assert "over 2 candidates" in str(found[0])
    # What the level leaves is divided by the number of candidates.
    assert [by_chance(p, 0.9, 2) for p in (0.976, 0.974, 0.024)] == ["better", "undecided", "worse"]


def test_levers_of_the_board_are_levers_of_the_gate(made, tmp_path):
    judges, runs = judges_in(tmp_path, made)
    words = ["gate", "--judges", judges, "--runs", runs, "--baseline", "system3",
             "--candidate", "system2", "--format", "json", "--quiet"]  # fmt: skip
    chances = []
    for more in ([], ["--panel-error", "0.3"], ["--families", "judge(?=[1-3])"]):
        found = CliRunner().invoke(command, [*words, *more], catch_exceptions=False)
        chances.append(json.loads(found.stdout)["gates"][0]["chance"])
    assert chances[1] < chances[0]
    assert chances[2] != chances[0]
    gold = f"{tmp_path}/gold.qrels"
    labelled = CliRunner().invoke(
        command, [*words, "--gold", gold, "--gold-design", "random", "--estimate", "direct",
                  "--looks", "100000"],
        catch_exceptions=False,
    )  # fmt: skip
    assert json.loads(labelled.stdout)["gates"][0]["low"] is not None
