"""Leaderboards: their arithmetic against loops, what they say, in which units, what they refuse."""

import json
from dataclasses import replace

import numpy as np
import pytest

import hungjury as hj
from builders.commands import hungjury
from hungjury.base.errors import HungjuryError
from hungjury.judges.families import favours
from hungjury.leaderboard import plan


@pytest.fixture(scope="module")
def made():
    return hj.simulate(systems=5, topics=12, documents=80, depth=30, odd=("copycat", "lazy"))


@pytest.fixture(scope="module")
def board(made):
    return hj.leaderboard(made.judgments, made.runs, "nDCG@10", draws=300)


def test_no_difference_needed_is_larger_than_the_range_of_the_measure():
    one = hj.simulate(systems=3, topics=1)
    board = hj.leaderboard(
        one.judgments, one.runs, "nDCG@10", "em-neu", target="topics", panel_error=0,
        contrary="keep",
    )  # fmt: skip
    assert max(needed for _, needed in board.outlook.judges) == 1


def test_intervals_end_where_the_measure_ends():
    few = hj.simulate(systems=2, topics=2, accuracies=(0.9, 0.8))
    board = hj.leaderboard(few.judgments, few.runs, "nDCG@10", draws=1000)
    assert board.samples.min() < 0  # what two topics make of it
    assert board.samples.max() > 1
    assert board.low.min() == 0
    assert board.high.max() == 1
    counts = hj.leaderboard(few.judgments, few.runs, "NumRelRet", draws=200)
    assert counts.high.min() > 1


def test_a_board_is_in_order_and_consistent(board, made):
    assert board.systems == sorted(made.quality, key=lambda s: -made.quality[s])
    assert (np.diff(board.mean) <= 0).all()
    assert ((board.low < board.mean) & (board.mean < board.high)).all()
    assert board.beats + board.beats.T == pytest.approx(np.ones((5, 5)))
    assert board.p_best.sum() == pytest.approx(1)
    assert board.cells.mean(axis=1) == pytest.approx(board.mean)
    assert sum(board.shares.values()) == pytest.approx(1)
    assert board.samples.shape == (300, 5)


def test_groups_hold_exactly_what_cannot_be_told_apart(board):
    for group in board.groups:
        places = [board.systems.index(name) for name in group]
        assert not board.apart[np.ix_(places, places)].any()
    covered = {name for group in board.groups for name in group}
    assert covered == set(board.systems)
    joined = replace(board, apart=np.zeros((5, 5), dtype=bool))
    assert joined.groups == [board.systems]
    split = replace(board, apart=~np.eye(5, dtype=bool))
    assert split.groups == [[name] for name in board.systems]


def test_the_same_seed_gives_the_same_board(made, board, monkeypatch):
    monkeypatch.setenv("HUNGJURY_THREADS", "1")
    again = hj.leaderboard(made.judgments, made.runs, "nDCG@10", draws=300)
    assert (again.samples == board.samples).all()
    assert again.outlook == board.outlook
    other = hj.leaderboard(made.judgments, made.runs, "nDCG@10", draws=300, seed=1)
    assert (other.samples != board.samples).any()


@pytest.mark.parametrize("merge", ["mv", "em-mv", "binmv", "qbinmv", "aware", "aware(uni)"])
@pytest.mark.parametrize("target", ["population", "topics"])
def test_any_merge(made, merge, target):
    found = hj.leaderboard(
        made.judgments, made.runs, "AP", merge, target=target, draws=100, replicates=20,
        outlook=False,
    )  # fmt: skip
    assert found.systems[0] == "system1"
    assert (found.high > found.low).all()


def test_a_votes_mean_is_that_of_the_vote():
    made = hj.simulate(systems=5, topics=12, documents=80, depth=30)
    found = hj.leaderboard(
        made.judgments, made.runs, "AP", "mv(ties=not)", draws=100, contrary="keep"
    )
    vote = hj.merge(made.judgments, "mv(ties=not)").plain()
    scores = hj.evaluate(vote, made.runs, ["AP"])
    mean = dict(zip(scores.systems, scores.mean()[0], strict=True))
    assert found.mean == pytest.approx([mean[s] for s in found.systems])


def test_awares_mean_is_awares():
    made = hj.simulate(systems=5, topics=12, documents=80, depth=30)
    found = hj.leaderboard(
        made.judgments, made.runs, "AP", "aware(uni)", draws=100, contrary="keep"
    )
    scores = hj.aware(made.judgments, made.runs, "AP", "uni")
    mean = dict(zip(scores.systems, scores.mean()[0], strict=True))
    assert found.mean == pytest.approx([mean[s] for s in found.systems])


@pytest.mark.parametrize("measure", ["GMAP", "NumRelRet", "RR", "Bpref", "ERR@10", "eRAP"])
def test_measures_are_summarised_as_evaluate_does(made, measure):
    sure = hj.read_judgments({name: made.gold.to_dict() for name in "abc"})
    found = hj.leaderboard(sure, made.runs, measure, "mv", draws=100, outlook=False)
    truth = hj.evaluate(made.gold, made.runs, [measure])
    mean = dict(zip(truth.systems, truth.mean()[0], strict=True))
    assert found.mean == pytest.approx([mean[s] for s in found.systems])


def test_gold_is_matched_by_those_who_match_it(made):
    labels = {a: made.judgments.qrels_of(a).to_dict() for a in ("judge1", "judge2")}
    given = hj.read_judgments(labels | {"oracle": made.gold.to_dict()})
    found = hj.leaderboard(given, made.runs, "nDCG@10", draws=100, gold=made.gold, outlook=False)
    row = next(row for row in found.gold.rows if row.name == "oracle")
    assert (row.agreement, row.kappa) == (pytest.approx(1), pytest.approx(1))
    assert row.tau_ap == pytest.approx(1)
    assert row.documents == len(made.gold)
    assert found.gold.topics == made.gold.topics
    kinds = {row.kind for row in found.gold.rows}
    assert kinds == {"judge", "merge", "panel"}


def test_bias_is_what_the_panel_has_too_much(board, made):
    checked = hj.leaderboard(made.judgments, made.runs, "nDCG@10", draws=300, gold=made.gold).gold
    truth = hj.evaluate(made.gold, made.runs, ["nDCG@10"]).mean()[0]
    mean = dict(zip(made.runs.systems, truth, strict=True))
    for system, score in zip(board.systems, board.mean, strict=True):
        bias, low, high = checked.bias[system]
        assert bias == pytest.approx(score - mean[system])
        assert low < bias < high


def test_gold_on_few_documents_checks_labels_but_not_systems(made):
    few = {t: dict(list(docs.items())[:5]) for t, docs in made.gold.to_dict().items()}
    found = hj.leaderboard(made.judgments, made.runs, "AP", draws=100, gold=few, outlook=False)
    assert found.gold.topics == []
    assert found.gold.bias == {}
    assert found.gold.rows[0].agreement is not None
    assert found.gold.rows[0].tau_ap is None
    assert "bias" not in str(found)


def codes(found):
    return {note.kind for note in found.notes}


def test_judges_who_share_errors_are_noticed():
    made = hj.simulate(systems=4, topics=20, documents=100, accuracies=(0.85,) * 3, seed=7)
    labels = {a: made.judgments.qrels_of(a).to_dict() for a in made.judgments.judges}
    rng = np.random.default_rng(8)
    wrong = {t: {d: rng.random() < 0.3 for d in docs} for t, docs in labels["judge1"].items()}
    for name in ("x", "y", "z"):  # err on the same documents, and now and then alone
        labels[name] = {
            t: {
                d: int(label != (wrong[t][d] != (rng.random() < 0.05))) for d, label in docs.items()
            }
            for t, docs in made.gold.to_dict().items()
        }
    given = {"measure": "AP", "merge": "em-neu", "draws": 100, "outlook": False}
    both = hj.leaderboard(hj.read_judgments(labels), made.runs, **given)
    assert "dependent-judges" in codes(both)
    alone = hj.leaderboard(made.judgments, made.runs, **given)
    assert "dependent-judges" not in codes(alone)


def test_copies_and_constants_are_named():
    odd = hj.simulate(systems=3, topics=12, documents=80, odd=("copycat", "constant", "lazy"))
    found = hj.leaderboard(odd.judgments, odd.runs, "AP", draws=100, outlook=False)
    said = " ".join(str(note) for note in found.notes)
    assert "near copies of each other: " in said
    assert "one label for nearly every document: constant (100 %)" in said


def test_one_system(made):
    one = {"only": hj.read_runs({"only": {"1": {"doc1-0": 1.0}, "2": {"doc2-0": 1.0}}})}
    found = hj.leaderboard(made.judgments, one["only"], "nDCG@10", draws=100)
    assert found.p_best.tolist() == [1]
    assert found.outlook is None
    assert found.groups == [["only"]]
    assert "only" in str(found)
    assert found.to_latex().count(r"\\") == 2


def test_systems_that_are_the_same_have_no_sources_of_uncertainty(made):
    lists = made.runs.to_dict()
    twins = {"one": lists["system1"], "other": lists["system1"]}
    found = hj.leaderboard(made.judgments, twins, "nDCG@10", draws=100)
    assert set(found.shares.values()) == {0.0}
    assert found.outlook is None
    assert [step.text for step in found.steps] == ["give the runs of another system"]
    assert "comes from" not in found.to_text()


def test_one_topic(made):
    labels = {
        a: {"1": made.judgments.qrels_of(a).to_dict()["1"]} for a in ("judge1", "judge2", "judge3")
    }
    with pytest.raises(HungjuryError, match=r'one topic (.|\n)*target="topics"'):
        hj.leaderboard(labels, made.runs, "AP")
    found = hj.leaderboard(labels, made.runs, "AP", target="topics", draws=100)
    assert found.topics == ["1"]
    assert "few-topics" in codes(found)


def test_one_judge(made):
    given = hj.read_judgments({"judge1": made.judgments.qrels_of("judge1").to_dict()})
    truth = hj.evaluate(made.judgments.qrels_of("judge1"), made.runs, ["AP"])
    for merge in ("binmv", "em-neu"):
        found = hj.leaderboard(given, made.runs, "AP", merge, draws=100, panel_error=0)
        assert found.mean.max() == pytest.approx(truth.mean().max())
        assert "one-judge" in codes(found)
        assert found.shares["topics"] == pytest.approx(1)


def test_two_judges_are_warned_about(made):
    labels = {a: made.judgments.qrels_of(a).to_dict() for a in ("judge1", "judge2")}
    found = hj.leaderboard(labels, made.runs, "AP", draws=100, outlook=False)
    assert "two-judges" in codes(found)


def test_a_system_that_retrieved_nothing_scores_0(made):
    runs = {s: {t: dict(made.runs.ranked(s, t)) for t in made.runs.topics} for s in ("system1",)}
    found = hj.leaderboard(
        made.judgments, runs | {"empty": {"no-such-topic": {"d": 1.0}}}, "AP", draws=100
    )
    assert found.systems == ["system1", "empty"]
    assert found.mean[1] == found.low[1] == found.high[1] == 0
    assert "nothing-retrieved" in codes(found)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"draws": 0}, "draws must be an integer from 100 to"),
        ({"target": "topic"}, "invalid value 'topic' for target"),
        ({"prior": "none"}, "invalid value 'none' for prior"),
        ({"measure": "E(AP)"}, "judges need no expectation"),
        ({"measure": "official"}, "matches 29 measures"),
        ({"measure": ["AP", "RR"]}, "invalid value a list for measure"),
        ({"merge": "em-new"}, "em-neu"),
        ({"merge": "aware(supervised)"}, "does not weigh judges by gold"),
        ({"rel": 5}, "rel is 5"),
        ({"gold": {"1": {"other": 1}}}, "no judged document has a gold label"),
        ({"runs": {"s": {"q9": {"d": 1.0}}}}, "no topic in common"),
    ],
)
def test_what_is_refused(made, changes, message):
    given = {"judgments": made.judgments, "runs": made.runs, "measure": "AP", "draws": 100}
    with pytest.raises(HungjuryError, match=message.replace("(", r"\(")):
        hj.leaderboard(**(given | changes))


def test_shapes_of_output(board):
    rows = board.to_csv().splitlines()
    assert rows[0] == "system,mean,low,high,p_best,rank_low,rank_high,groups,scale"
    assert len(rows) == 6
    told = json.loads(board.to_json())
    assert [row["system"] for row in told["systems"]] == board.systems
    assert told["settings"]["seed"] == 0
    assert list(board.to_frame()["system"]) == board.systems
    assert list(board.to_frame("polars")["system"]) == board.systems
    assert "●" in str(board)


def test_the_command(made, tmp_path):
    made.write(tmp_path)
    given = ("leaderboard", "--judges", "judges/*", "--runs", "runs/*", "--draws", "100")
    shown = hungjury(*given, "-m", "AP", "--gold", "gold.qrels", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "AP on topics like these: 5 systems, 12 topics" in shown.stdout
    assert "near copies" in shown.stderr
    table = hungjury(*given, "--format", "csv", "-o", "board.csv", "--quiet", cwd=tmp_path)
    assert (table.stdout, table.stderr) == ("", "")
    assert (tmp_path / "board.csv").read_text().startswith("system,mean")
    bad = hungjury(*given[:-1], "0", cwd=tmp_path)
    assert bad.returncode == 2
    assert "0 is not in the range 100<=" in bad.stderr


@pytest.mark.parametrize("merge", ["binmv", "em-neu", "aware"])
@pytest.mark.parametrize("panel_error", [0, 0.035])
def test_more_topics_and_judges_never_need_a_larger_difference(made, merge, panel_error):
    found = hj.leaderboard(made.judgments, made.runs, "AP", merge, draws=100, replicates=20,
                           panel_error=panel_error)  # fmt: skip
    for curve in (found.outlook.topics, found.outlook.judges):
        needed = [value for _, value in curve]
        assert needed == sorted(needed, reverse=True)
    if panel_error:
        assert found.outlook.floor <= found.outlook.topics[-1][1]
        assert "with any number of topics and of judges" in str(found)


# All that is said about a measure is in the units in which its means are reported. Counts are
# added up over topics, geometric means are means of logarithms. In lists of ten documents the
# number of relevant ones is ten times P@10, which has to hold for all that follows.


TOPICS = 8
TIMES = 10 * TOPICS  # a count is so many times P@10


@pytest.fixture(scope="module")
def tens():
    return hj.simulate(systems=4, topics=TOPICS, documents=60, depth=10, seed=5)


def board_of(tens, measure, **given):
    return hj.leaderboard(tens.judgments, tens.runs, measure, draws=400, seed=1, **given)


def some_gold(tens, share=0.5):
    chance = np.random.default_rng(3)
    labels = tens.gold.to_dict()
    return {t: {d: g for d, g in of.items() if chance.random() < share} for t, of in labels.items()}


@pytest.mark.parametrize("target", ["topics", "population"])
def test_counts_are_multiples_of_precision(tens, target):
    given = {"panel_error": 0, "target": target}
    counts, shares = board_of(tens, "NumRelRet", **given), board_of(tens, "P@10", **given)
    assert counts.systems == shares.systems
    assert counts.mean == pytest.approx(TIMES * shares.mean)
    assert counts.low == pytest.approx(TIMES * shares.low)
    assert counts.shares == pytest.approx(shares.shares)
    ahead, expected = counts.outlook, shares.outlook
    assert ahead.difference == pytest.approx(TIMES * expected.difference)
    for ours, theirs in ((ahead.topics, expected.topics), (ahead.judges, expected.judges)):
        assert np.array(ours) == pytest.approx(np.array(theirs) * [1, TIMES])


@pytest.mark.parametrize("target", ["topics", "population"])
def test_corrected_counts_are_multiples_of_corrected_precision(tens, target):
    given = {"gold": some_gold(tens), "gold_design": "random", "target": target}
    counts = board_of(tens, "NumRelRet", **given)
    shares = board_of(tens, "P@10", estimate="direct", **given)
    assert counts.mean == pytest.approx(TIMES * shares.mean)
    ours, theirs = counts.correction, shares.correction
    assert ours.level == pytest.approx(TIMES * np.array(theirs.level))
    assert ours.correlation == pytest.approx(theirs.correlation)
    assert ours.direct_mean == pytest.approx(TIMES * theirs.direct_mean)
    assert ours.direct_covariance == pytest.approx(TIMES**2 * theirs.direct_covariance)
    assert np.array(ours.expected) == pytest.approx(np.array(theirs.expected) * [1, TIMES])
    assert counts.shares == pytest.approx(shares.shares)


def test_a_plan_expects_multiples_of_what_it_expects_of_precision(tens, monkeypatch):
    # The panel's error is relative to a range, which is not the same for both.
    ranges = {"sum": TIMES, "mean": 1.0}
    monkeypatch.setattr(plan, "range_of", lambda measure, *_: ranges[measure.average])
    counts, shares = (
        hj.plan(tens.judgments, tens.runs, name, 50).expected for name in ("NumRelRet", "P@10")
    )
    assert np.array(counts) == pytest.approx(np.array(shares) * [1, TIMES])


def test_a_gate_on_counts(tens):
    ours, theirs = (
        hj.gate(tens.gold, tens.runs, "system4", "system1", measure=measure)[0]
        for measure in ("NumRelRet", "P@10")
    )
    assert (ours.difference, ours.low, ours.high) == pytest.approx(
        (TIMES * theirs.difference, TIMES * theirs.low, TIMES * theirs.high)
    )


@pytest.mark.parametrize("measure", ["NumRelRet", "GMAP", "ESL", "AP"])
def test_a_gate_decides_about_the_means_that_are_reported(tens, measure):
    scores = hj.evaluate(tens.gold, tens.runs, measure)
    mean = dict(zip(scores.systems, scores.mean()[0], strict=True))
    (found,) = hj.gate(tens.gold, tens.runs, "system4", "system1", measure=measure)
    sign = -1 if measure == "ESL" else 1
    assert found.difference == pytest.approx(sign * (mean["system1"] - mean["system4"]))


@pytest.mark.parametrize("panel_error", [0, 0.035])
@pytest.mark.parametrize("measure", ["NumRelRet", "GMAP", "AP"])
def test_the_outlook_is_about_the_means_that_are_drawn(tens, measure, panel_error):
    """1.96 standard deviations of the difference of two systems, for the median pair."""
    found = board_of(tens, measure, panel_error=panel_error)
    pairs = [(a, b) for a in range(4) for b in range(a)]
    drawn = [found.samples[:, a] - found.samples[:, b] for a, b in pairs]
    needed = 1.96 * np.median([one.std() for one in drawn])
    assert found.outlook.difference == pytest.approx(needed, rel=0.2)
    if panel_error:
        assert found.shares["panel"] == pytest.approx(
            (found.outlook.floor / found.outlook.difference) ** 2, abs=0.15
        )


@pytest.mark.parametrize("measure", ["NumRelRet", "GMAP", "ESL", "AP"])
def test_what_the_panel_is_off_by_is_a_difference_of_reported_means(tens, measure):
    panel = board_of(tens, measure, outlook=False, contrary="keep")
    people = board_of(tens, measure, gold=tens.gold, contrary="keep")
    said = dict(zip(panel.systems, panel.mean, strict=True))
    off = {s: said[s] - mean for s, mean in zip(people.systems, people.mean, strict=True)}
    assert {s: found[0] for s, found in people.gold.bias.items()} == pytest.approx(off)
    for middle, low, high in people.gold.bias.values():
        assert low <= middle <= high
    level = np.mean(list(off.values()))
    assert people.gold.overall[0] == pytest.approx(level)
    assert people.correction.level[0] == pytest.approx(level)


def test_favours_are_those_of_each_judges_own_scores():
    made = hj.simulate(systems=5, topics=4, documents=30, depth=10)
    families = {judge: "ab"[k % 2] for k, judge in enumerate(made.judgments.judges)}
    board = hj.leaderboard(made.judgments, made.runs, "nDCG@10", draws=100, families=families)
    own = [hj.evaluate(made.judgments.qrels_of(judge), made.runs, "nDCG@10") for judge in families]
    scores = np.array([one.mean()[0] for one in own])
    expected = favours(scores, list(families.values()), own[0].systems)
    assert len(expected) == len(board.favours) > 0
    for one, other in zip(board.favours, expected, strict=True):
        assert (one.family, one.system) == (other.family, other.system)
        assert (one.size, one.p) == pytest.approx((other.size, other.p))


def test_nothing_is_left_to_do_where_all_pairs_are_told_apart():
    topics = [str(t) for t in range(12)]
    judges = {j: {t: {"a": 1, "b": 0, "c": 0} for t in topics} for j in ("ann", "bob", "cat")}
    runs = {"good": {t: {"a": 2.0, "b": 1.0} for t in topics},
            "bad": {t: {"b": 2.0, "c": 1.0} for t in topics}}  # fmt: skip
    found = hj.leaderboard(judges, runs, "P@1", draws=100, contrary="keep")
    assert found.pairs_apart == 1
    assert [one.text for one in found.steps] == ["nothing: all pairs of systems are told apart"]


def test_the_rule_is_that_of_one_look(made):
    found = hj.leaderboard(made.judgments, made.runs, "nDCG@5", draws=100, outlook=False)
    assert found.rule == "P(one beats the other) is at least 0.975, each pair by itself"


def test_draws_of_a_label_model_are_counted(made):
    told = []
    hj.leaderboard(
        made.judgments, made.runs, "nDCG@5", "em-neu", draws=200, outlook=False,
        progress=lambda *done: told.append(done),
    )  # fmt: skip
    told = [done for done, total, doing in told if (total, doing) == (200, "drawing labels")]
    assert set(told) <= {50, 100, 150, 200}
    assert max(told) == 200
