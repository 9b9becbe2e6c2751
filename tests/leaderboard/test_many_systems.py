"""The best of many systems: the same boards and plans as of these systems alone."""

import numpy as np
import pytest

import hungjury as hj
from builders.commands import hungjury
from builders.paths import SHARED
from hungjury.base import parameters
from hungjury.base.errors import HungjuryError
from hungjury.data.alignment import align
from hungjury.leaderboard import many_systems

BEST = 4


@pytest.fixture(scope="module")
def made():
    return hj.simulate(systems=9, topics=6, documents=40, depth=15, grades=3, seed=3)


def best_of(made, measures):
    """The best systems by majority vote, the lower grade where grades are equally frequent; with
    several measures by the sum of their ranks."""
    votes = {}
    for judge in made.judgments.judges:
        for topic, labels in made.judgments.qrels_of(judge).to_dict().items():
            for document, label in labels.items():
                votes.setdefault(topic, {}).setdefault(document, []).append(label)
    majority = {
        topic: {d: max(sorted(set(labels)), key=labels.count) for d, labels in documents.items()}
        for topic, documents in votes.items()
    }
    ranks = dict.fromkeys(made.runs.systems, 0)
    for measure in measures:
        scores = hj.evaluate(majority, made.runs, measure)
        mean = dict(zip(scores.systems, scores.mean()[0].tolist(), strict=True))
        worse = hj.measure(measure).smaller_is_better
        for one, value in mean.items():
            ranks[one] += sum(
                (other < value) if worse else (other > value) for other in mean.values()
            )
    chosen = sorted(ranks, key=lambda name: (ranks[name], name))[:BEST]
    return {name: made.runs.to_dict()[name] for name in chosen}


@pytest.mark.parametrize("measure", ["nDCG@5", "AP", "ESL"])
def test_a_board_of_the_best_is_that_of_these_systems(made, measure):
    found = hj.leaderboard(made.judgments, made.runs, measure, best=BEST, draws=200)
    alone = hj.leaderboard(made.judgments, best_of(made, [measure]), measure, draws=200)
    assert found.systems == alone.systems
    np.testing.assert_array_equal(found.mean, alone.mean)
    np.testing.assert_array_equal(found.beats, alone.beats)
    (note,) = [one for one in found.notes if one.kind == "best-only"]
    assert note.count == 5
    assert note.text.startswith("the best 4 of 9 systems by the judges' votes are compared")
    assert "best-only" not in {one.kind for one in alone.notes}


def test_kin_are_those_among_the_best(made):
    names = list(best_of(made, ["nDCG@5"]))
    options = {"draws": 200, "kin": [names[1], "system9"]}
    found = hj.leaderboard(made.judgments, made.runs, "nDCG@5", best=BEST, **options)
    alone = hj.leaderboard(made.judgments, best_of(made, ["nDCG@5"]), "nDCG@5", **options)
    np.testing.assert_array_equal(found.beats, alone.beats)


def likely_pairs(board, truth):
    """Pairs with chances of 0.7 or more: their number, the sum of chances, and the right ones."""
    true = np.array([truth[name] for name in board.systems])
    likely = (board.beats >= 0.7) & (true[:, None] != true)
    right = (true[:, None] > true)[likely].sum()
    return np.array([likely.sum(), board.beats[likely].sum(), right])


def test_chances_among_the_best_are_true_where_the_truth_is_known():
    found = np.zeros(3)
    for seed in range(4):
        made = hj.simulate(systems=30, topics=25, documents=120, depth=30, seed=seed)
        scores = hj.evaluate(made.gold, made.runs, "nDCG@10")
        truth = dict(zip(scores.systems, scores.mean()[0].tolist(), strict=True))
        board = hj.leaderboard(
            made.judgments, made.runs, "nDCG@10", best=12, draws=200, target="topics"
        )
        found += likely_pairs(board, truth)
    pairs, chances, right = found
    assert pairs > 50
    assert right >= chances


@pytest.mark.skipif(not (SHARED / "dl21").is_dir(), reason="needs the runs and judges of dl21")
@pytest.mark.parametrize("first", [0, 9, 18])
def test_chances_among_the_best_are_those_that_people_confirm(first):
    home, read = SHARED / "dl21", {"grades": range(4), "outside": "missing"}
    files = sorted(str(one) for one in (home / "judges-llama").iterdir())[first : first + 5]
    judges = hj.read_judgments(files, duplicates="first", **read)
    runs = hj.read_runs(str(home / "runs" / "*"))
    scores = hj.evaluate(str(home / "qrels.nist.txt"), runs, "nDCG@10")
    truth = dict(zip(scores.systems, scores.mean()[0].tolist(), strict=True))
    board = hj.leaderboard(judges, runs, "nDCG@10", best=25, draws=300, target="topics")
    pairs, chances, right = likely_pairs(board, truth)
    assert pairs > 50
    assert right >= chances
    rank = [1 + sum(truth[o] > truth[s] for o in board.systems) for s in board.systems]
    covered = [r.rank_low <= k <= r.rank_high for r, k in zip(board.rows(), rank, strict=True)]
    assert np.mean(covered) >= 0.95


@pytest.mark.parametrize("measures", [["nDCG@5"], ["P@5", "RBP(p=0.8)"]])
def test_a_plan_for_the_best_is_that_for_these_systems(made, measures):
    found = hj.plan(made.judgments, made.runs, measures, budget=30, best=BEST)
    alone = hj.plan(made.judgments, best_of(made, measures), measures, budget=30)
    assert found.to_csv() == alone.to_csv()


def test_gold_labels_of_a_plan_for_the_best(made):
    plan = hj.plan(made.judgments, made.runs, "nDCG@5", budget=40, best=BEST)
    gold = {}
    for topic, document in zip(plan.topics, plan.documents, strict=True):
        gold.setdefault(topic, {})[document] = made.gold.to_dict()[topic][document]
    options = {"gold": gold, "plan": plan, "draws": 200}
    found = hj.leaderboard(made.judgments, made.runs, "nDCG@5", best=BEST, **options)
    alone = hj.leaderboard(made.judgments, best_of(made, ["nDCG@5"]), "nDCG@5", **options)
    assert found.systems == alone.systems
    np.testing.assert_array_equal(found.mean, alone.mean)


def test_as_many_as_there_are_is_all_of_them(made):
    found = hj.leaderboard(made.judgments, made.runs, "AP", best=9, draws=100)
    assert len(found.systems) == 9
    assert "best-only" not in {one.kind for one in found.notes}


@pytest.mark.parametrize("ties", ["trec", "expected"])
def test_lists_of_some_systems(made, ties):
    """Their places, ties and documents outside the pool, as if they were aligned alone."""
    runs = {
        system: {
            topic: {d: round(v, 1) for d, v in documents.items()}
            for topic, documents in lists.items()
        }
        for system, lists in made.runs.to_dict().items()
    }
    del runs["system2"]["1"], runs["system5"]["3"]
    runs["system4"]["2"] = {"unknown": 1.0, **runs["system4"]["2"], "zu": 0.5}
    pool = made.judgments.pool
    wanted = ["system2", "system4", "system9"]
    given = [hj.read_runs({n: runs[n] for n in names}, ties=ties) for names in (runs, wanted)]
    whole, expected = (align(one, pool, others=20, named=True, by_name=True) for one in given)
    found = whole.only(np.array([whole.systems.index(name) for name in wanted]))
    assert found.systems == expected.systems
    for name in ("start", "stop"):  # of lists that exist
        there = expected.length >= 0
        np.testing.assert_array_equal(getattr(found, name)[there], getattr(expected, name)[there])
    for name in ("length", "rank", "document", "tie_first", "tie_last"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    for name, value in vars(expected.others).items():
        np.testing.assert_array_equal(getattr(found.others, name), value)
    assert {one.where for one in found.notes} <= {"", *wanted}


@pytest.mark.parametrize("make", ["leaderboard", "plan"])
def test_too_many_systems_are_refused_with_a_number_that_works(make, monkeypatch):
    assert parameters.MOST_SYSTEMS == 2500
    monkeypatch.setattr(many_systems, "MOST_SYSTEMS", 20)
    labels = {"j": {"q": {"a": 1, "b": 0}, "r": {"a": 0, "b": 1}}}
    runs = {f"s{k}": {"q": {"a": 1.0}, "r": {"b": 1.0}} for k in range(21)}
    more = {"leaderboard": {"draws": 100}, "plan": {"budget": 2}}[make]
    with pytest.raises(HungjuryError, match="21 systems are too many") as caught:
        getattr(hj, make)(labels, runs, "P@1", **more)
    assert caught.value.code == "too-many-systems"
    assert "at most 20," in str(caught.value)
    assert "best=1000" in str(caught.value)
    getattr(hj, make)(labels, runs, "P@1", best=2, **more)
    del runs["s20"]
    getattr(hj, make)(labels, runs, "P@1", **more)


@pytest.mark.parametrize("best", [1, 0, -1, 2501, 2.5, "3", True])
def test_impossible_numbers_of_systems(made, best):
    with pytest.raises(HungjuryError, match="best"):
        hj.leaderboard(made.judgments, made.runs, "AP", best=best)
    with pytest.raises(HungjuryError, match="best"):
        hj.plan(made.judgments, made.runs, "AP", 10, best=best)


@pytest.fixture(scope="module")
def files(made, tmp_path_factory):
    folder = tmp_path_factory.mktemp("many")
    made.write(folder)
    return ["--judges", f"{folder}/judges/*", "--runs", f"{folder}/runs/*", "-m", "nDCG@5"]


def test_the_best_on_the_command_line(made, files):
    found = hungjury("leaderboard", *files, "--best", "4", "--draws", "100", "--format", "csv")
    assert len(found.stdout.splitlines()) == 5
    assert "the best 4 of 9 systems" in found.stderr
    planned = hungjury("plan", *files, "--best", "4", "--budget", "30")
    assert planned.stdout == hj.plan(made.judgments, made.runs, "nDCG@5", 30, best=4).to_csv()


@pytest.mark.parametrize(
    ("more", "said"),
    [(["-m", "AP"], "--best excludes"), (["--seed-pattern", "-s[0-9]"], "excludes --report")],
)
def test_what_does_not_go_with_the_best(files, more, said):
    done = hungjury("leaderboard", *files, "--best", "4", *more)
    assert done.returncode == 2
    assert said in done.stderr


def test_scores_have_no_best(tmp_path):
    table = tmp_path / "scores.csv"
    table.write_text("system,topic,F1\na,1,0.5\nb,1,0.4\na,2,0.1\nb,2,0.2\n")
    done = hungjury("leaderboard", "--scores", str(table), "-m", "F1", "--best", "2")
    assert done.returncode == 2
    assert "--best needs --judges and --runs" in done.stderr


def test_projects_compare_the_best(made, tmp_path, monkeypatch):
    made.write(tmp_path)
    monkeypatch.chdir(tmp_path)
    files = ["--judges", "judges/*", "--runs", "runs/*", "-m", "nDCG@5"]
    assert hungjury("init", *files, "--best", "4", "--draws", "100").returncode == 0
    board = hj.Project().leaderboard()
    assert board.systems == sorted(best_of(made, ["nDCG@5"]), key=board.systems.index)
    found = hungjury("leaderboard", "--format", "csv")
    assert len(found.stdout.splitlines()) == 5, found.stderr
    assert hj.Project().gate(baseline="system8", candidate="system1")  # of all systems
