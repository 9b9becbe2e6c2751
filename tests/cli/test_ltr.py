"""`hungjury train`, `rank` and `compare-rankers`, and the comparison behind the last."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.sparse import csr_matrix
from scipy.special import stdtrit

import hungjury as hj
from hungjury.base.errors import HungjuryError, InputError
from hungjury.cli.main import hungjury as command
from hungjury.ltr import make_folds
from hungjury.ltr.objective import Goal
from hungjury.stats.paired import randomisation_test
from hungjury.users.model import Dynamic, UserClass, UserModel

pytest.importorskip("lightgbm", reason="training needs lightgbm (extra 'ltr')")
QUICK = ["--trees", "12", "--leaves", "6", "--set", "num_threads=1", "--learning-rate", "0.2"]


def learnable(seed, queries, first=0, size=10):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(queries * size, 4)).round(4)
    taste = features[:, 0] + 0.5 * features[:, 1] + 0.5 * rng.normal(size=len(features))
    grades = np.digitize(taste, [0.5, 1.3])
    return features, grades, np.repeat(np.arange(first, first + queries), size)


def as_text(features, grades, asked):
    lines = []
    for i, (row, grade, query) in enumerate(zip(features, grades, asked, strict=True)):
        cells = " ".join(f"{j}:{v}" for j, v in enumerate(row.tolist(), 1))
        lines.append(f"{grade} qid:{query} {cells} #docid = D{i}\n")
    return "".join(lines)


@pytest.fixture(scope="module")
def fold(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fold")
    for i, (name, queries) in enumerate((("train", 40), ("vali", 15), ("test", 15))):
        text = as_text(*learnable(i, queries, first=100 * i))
        (folder / f"{name}.txt.gz").write_bytes(gzip.compress(text.encode()))
    return folder


def run(*arguments):
    return CliRunner().invoke(command, [str(a) for a in arguments], catch_exceptions=False)


@pytest.mark.usefixtures("laid_out")
def test_from_files_to_scores(fold):
    ranker, picture = fold / "ranker.json", fold / "training.svg"
    done = run("train", fold / "train.txt.gz", "--valid", fold / "vali.txt.gz", "--nav-rel", 2,
               "-o", ranker, "--plot", picture, *QUICK)  # fmt: skip
    assert done.exit_code == 0, done.output
    assert f"400 documents of 40 queries; {NMCG} on the validation data" in done.stderr
    assert picture.read_text().lstrip().startswith("<?xml")
    ranked, labels = fold / "test.run", fold / "test.qrels"
    done = run("rank", ranker, fold / "test.txt.gz", "-o", ranked, "--qrels", labels, "--tag", "me")
    assert done.exit_code == 0, done.output
    first = ranked.read_text().splitlines()[0].split()
    assert [first[0], first[1], first[3], first[5]] == ["200", "Q0", "1", "me"]
    done = run("evaluate", labels, ranked, "-m", "nMCG(nav_rel=2)@10", "--format", "json")
    assert done.exit_code == 0, done.output
    model, unseen = hj.ltr.Ranker.load(ranker), hj.ltr.read_letor(str(fold / "test.txt.gz"))
    scores = hj.evaluate(str(labels), str(ranked), model.goal.measure)
    own = hj.evaluate(unseen.qrels(), {"me": model.rank(unseen)}, model.goal.measure)
    assert scores.mean()[0, 0] == own.mean()[0, 0]
    assert model.score(unseen).mean() > model.score(unseen, 0).mean() + 0.1
    short = run("rank", ranker, fold / "test.txt.gz", "--depth", 3, "--trees", 2)
    assert len(short.stdout.splitlines()) == 45


def test_labels_from_merged_judges(fold):
    data = hj.ltr.read_letor(str(fold / "train.txt.gz"))
    rng = np.random.default_rng(0)
    for judge in ("a", "b", "c"):
        wrong = rng.random(len(data)) < 0.2
        grades = np.where(wrong, rng.integers(0, 3, len(data)), data.labels.values)
        asked = np.repeat(data.queries, data.sizes)
        rows = zip(asked, data.documents, grades, strict=True)
        (fold / f"{judge}.qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q, d, g in rows))
    soft = fold / "soft.qrels"
    judges = str(fold / "?.qrels")
    done = run("merge", "--judges", judges, "--method", "binmv", "--rel", 1, "--soft", "-o", soft)
    assert done.exit_code == 0, done.output
    ranker = fold / "ranker.json"
    done = run(
        "train", fold / "train.txt.gz", "--qrels", soft, "--nav-rel", 1, "-o", ranker, *QUICK
    )
    assert done.exit_code == 0, done.output
    unseen, model = hj.ltr.read_letor(str(fold / "test.txt.gz")), hj.ltr.Ranker.load(ranker)
    goal = Goal.of("ndcg", "published-shape", 2, 10)
    gold = goal.queries(unseen.labels, unseen.offsets)  # as the true grades see it
    start = gold.values(np.zeros(len(unseen))).mean()
    assert gold.values(model.predict(unseen)).mean() > start + 0.1
    graded = fold / "graded.csv"
    run("merge", "--judges", judges, "--soft", "-o", graded)
    done = run("train", fold / "train.txt.gz", "--qrels", graded, "--nav-rel", 2, "-o", ranker,
               *QUICK)  # fmt: skip
    assert done.exit_code == 0, done.output


def test_notes_and_mistakes(fold):
    train, out = fold / "train.txt.gz", fold / "r.json"
    done = run("train", train, "-o", out, *QUICK)
    assert "note: no training query is navigational" in done.stderr
    assert run("train", train, "-o", out, "--quiet", *QUICK).stderr == ""
    for more, said in (
        (["--set", "max_bin"], "is not a setting; use NAME=VALUE"),
        (["--set", "n_estimators=3"], "n_estimators has its own option"),
        (["--set", "objective=l2"], "objective has its own option"),
        (["--set", "nav_rel=1"], "nav_rel has its own option"),
        (["--plot", "x.svg"], "--plot needs --valid"),
    ):
        done = run("train", train, "-o", fold / "none.json", *more)
        assert done.exit_code == 2
        assert said in done.output
    assert not (fold / "none.json").exists()
    assert "contains blanks" in run("rank", out, train, "--tag", "a b").output
    with pytest.raises(HungjuryError, match="not a saved ranker"):
        run("rank", train, train)


NDCG = 'nDCG(dcg="exp-log2")@10'
NMCG = 'nMCG(user="published-shape", nav_rel=2)@10'


@pytest.mark.usefixtures("laid_out")
def test_compare_rankers_command(fold):
    picture = fold / "curves.svg"
    done = run("compare-rankers", fold, "--folds", 5, "--nav-rel", 2, "--sizes", "4,500",
               "--plot", picture, *QUICK)  # fmt: skip
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0].split() == [NDCG, "4", "all"]
    assert "note: rankers have 12 trees; left out sizes: 500\n" in done.stderr
    assert lines[1].startswith("λ-MART")
    assert lines[2].startswith("nMCG-MART")
    assert "70 test queries, 5 folds" in done.stdout
    assert picture.read_text().lstrip().startswith("<?xml")
    done = run("compare-rankers", fold, "--nav-rel", 2, "--format", "json", "--objective", "ndcg",
               *QUICK)  # fmt: skip
    rows = json.loads(done.stdout)["rows"]
    assert [row["measure"] for row in rows] == [NDCG, NMCG]
    assert all(row["p"] == 1 for row in rows)
    assert "splits the data of one" in run("compare-rankers", fold, fold, "--folds", 3).output
    assert "not a list of tree counts" in run("compare-rankers", fold, "--sizes", "a").output


def test_comparisons_say_what_to_know_about_their_users(fold):
    """Users who look more at later ranks, and a class of users without a query."""
    users = fold / "rising.json"
    rising = UserClass("all", (0.1, 0.2, 0.3, 0.4), Dynamic(-0.3, 0.05, 0.3))
    UserModel((rising,)).save(users)
    quick = ["--cutoff", 4, *QUICK]
    for words in (
        ["compare-rankers", fold, "--sizes", "4", *quick],
        ["train", fold / "train.txt.gz", "-o", fold / "r.json", *quick],
    ):
        done = run(*words, "--user", users)
        assert done.exit_code == 0, done.output
        assert done.stderr.count("does not decrease, so nMCG can exceed 1") == 1
        assert "it rises at: rank 2, rank 3, rank 4" in done.stderr
        done = run(*words, "--nav-rel", 3)
        assert done.stderr.count("the largest grade is 2, nav_rel is 3") == 1
        assert "does not decrease" not in done.stderr
    done = run("compare-rankers", fold, "--folds", 5, "--nav-rel", 3, "--sizes", "4", *QUICK)
    assert done.stderr.count("the largest grade is 2, nav_rel is 3") == 1


@pytest.mark.usefixtures("laid_out")
def test_several_data_sets_side_by_side(fold, tmp_path):
    """Table 5.5: each data set as it would be alone."""
    other = tmp_path / "other" / "Fold1"
    other.mkdir(parents=True)
    for name, seed in (("train", 7), ("vali", 8), ("test", 9)):
        (other / f"{name}.txt").write_text(as_text(*learnable(seed, 14, 100 * seed)))
    flags = ["--nav-rel", 2, "--sizes", "4", *QUICK, "--trees", 5]
    sets = [f"one={fold}", f"other={tmp_path / 'other' / 'Fold*'}"]
    rows = json.loads(run("compare-rankers", *sets, *flags, "--format", "json").stdout)["rows"]
    for name, folder in (("one", fold), ("other", other)):
        alone = json.loads(run("compare-rankers", folder, *flags, "--format", "json").stdout)[
            "rows"
        ]
        assert [{"data": name, **row} for row in alone] == [r for r in rows if r["data"] == name]
    picture = tmp_path / "curves.svg"
    lines = run("compare-rankers", *sets, *flags, "--plot", picture).stdout.splitlines()
    assert picture.exists()
    heads = ["measure", "algorithm", "one", "4", "one", "all", "other", "4", "other", "all"]
    assert lines[1].split() == heads
    assert lines[2].split()[:2] == [NDCG, "λ-MART"]
    means = [row["mean"] for row in rows if row["measure"] == NDCG
             and row["algorithm"] == "λ-MART"]  # fmt: skip
    assert lines[2].split()[2:] == [f"{mean:.4f}" for mean in means]
    assert "other: 14 test queries, 1 fold;" in "\n".join(lines)
    latex = run("compare-rankers", *sets, *flags, "--format", "latex").stdout
    assert r"measure & algorithm & one 4 & one all & other 4 & other all \\" in latex
    assert r"\begin{table}" in latex
    assert r"@10 & $\lambda$-MART & " in latex
    alone = run("compare-rankers", fold, *flags, "--format", "latex").stdout
    assert r"measure & algorithm & 4 & all \\" in alone
    mixed = run("compare-rankers", fold, sets[1], *flags)
    assert "name every data set" in mixed.output


def test_a_comparison_is_what_its_parts_are():
    """Sizes, chosen trees, scores and p-values, each made again from single rankers."""
    folds = make_folds(hj.ltr.ranking_data(*learnable(5, 60)), 3)
    settings = {"num_threads": 1, "num_leaves": 6, "n_estimators": 20}
    found = hj.ltr.compare_rankers(folds, nav_rel=2, sizes=[5], samples=500, **settings)
    assert found.sizes == ("5", "all")
    assert found.values.shape == (2, 2, 2, 60)
    values = []
    for fold, (train, valid, test) in enumerate(folds):
        each = []
        for o, objective in enumerate(("lambdarank", "nmcg")):
            alone = hj.train_ranker(train, valid, objective, nav_rel=2, **settings)
            assert alone.trees == found.trees[o, fold]
            each.append(alone.score(test))
            np.testing.assert_allclose(found.values[o, o, 1, found.fold_of == fold], each[-1])
            curve = found.curves[o, o, alone.trees - 1]
            assert 0 < curve < 1
        values.append(each)
    means = np.mean([[v.mean() for v in each] for each in values], axis=0)
    np.testing.assert_allclose(found.means()[[0, 1], [0, 1], 1], means)
    difference = found.values[1, 1, 1] - found.values[0, 1, 1]
    assert found.p[1, 1, 1] == randomisation_test(difference, 500, 0)
    assert (found.p[0] == 1).all()
    wanted = ("nMCG-MART", found.measures[1], "all")
    (row,) = [r for r in found.rows() if (r["algorithm"], r["measure"], r["trees"]) == wanted]
    half = stdtrit(59, 0.975) * difference.std(ddof=1) / np.sqrt(60)
    assert row["low"] == pytest.approx(difference.mean() - half)
    assert row["high"] == pytest.approx(difference.mean() + half)
    np.testing.assert_allclose(found.curves[0, 0, 4], found.means()[0, 0, 0])
    with pytest.raises(InputError, match="no folds were given"):
        hj.ltr.compare_rankers([])
    with pytest.raises(InputError, match="name each objective once"):
        hj.ltr.compare_rankers(folds, objectives=("nmcg", "nmcg"))


def test_marks():
    from hungjury.ltr.compare import RankerComparison

    values = np.zeros((2, 1, 3, 4))
    values[1] = 0.1
    p = np.array([[[1, 1, 1]], [[0.2, 0.03, 0.001]]])
    found = RankerComparison(
        ("lambdarank", "nmcg"), ("nMCG@10",), ("100", "500", "all"), values, np.zeros(4, int),
        np.array([[7], [9]]), p, np.zeros((2, 1, 9)), np.array([0.25]),
    )  # fmt: skip
    assert "nMCG-MART  0.1000    0.1000*   0.1000**" in str(found)
    assert "nMCG@10       100       500       all" in str(found)
    assert 'trees in "all", by fold: nMCG-MART 9' in str(found)
    assert "printed" not in str(found)
    known = replace(found, measures=(NDCG,), size=(10_000, 136), without=("", "1-2"))
    lines = [line.split(", printed") for line in str(known).splitlines() if "printed" in line]
    assert [(name, *cells.split()) for name, cells in lines] == [
        ("λ-MART", "0.4479", "0.4637", "0.4634"),
        ("λ-MART, without user features", "-", "-", "0.4410"),
        ("nMCG-MART", "0.4499**", "0.4646", "0.4648*"),
    ]
    assert "nMCG-MART, without 1-2" in str(known)


def test_features_left_out_are_as_if_they_were_not_there(fold, tmp_path):
    """A ranker that may not use a feature scores as one that never saw it."""
    features, labels, groups = learnable(5, 60)
    few = {"num_threads": 1, "num_leaves": 6, "num_iterations": 8}
    whole = hj.ltr.ranking_data(features, labels, groups)
    less = hj.ltr.ranking_data(np.delete(features, [0, 2], axis=1), labels, groups)
    expected = hj.train_ranker(less, nav_rel=2, **few).predict(less)
    for chosen in ({"drop": "1,3"}, {"drop": [1, 3]}, {"features": f"2,4-{features.shape[1]}"}):
        ranker = hj.train_ranker(whole, nav_rel=2, **chosen, **few)
        np.testing.assert_allclose(ranker.predict(whole), expected)
    sparse = hj.ltr.ranking_data(csr_matrix(features), labels, groups).using(drop="1,3")
    np.testing.assert_array_equal(sparse.features.toarray(), whole.using(drop="1,3").features)
    for wrong in ("0", "3-2", "1-99", "a", ""):
        with pytest.raises(InputError, match="invalid features"):
            whole.using(features=wrong)
    done = run("compare-rankers", fold, "--nav-rel", 2, "--objective", "nmcg", "--without", "1",
               "--format", "json", *QUICK)  # fmt: skip
    rows = json.loads(done.stdout)["rows"]
    assert {row["algorithm"] for row in rows} == {"nMCG-MART", "nMCG-MART, without 1"}
    plain = run("compare-rankers", fold, "--nav-rel", 2, "--objective", "nmcg", "--drop", "1",
                "--format", "json", *QUICK)  # fmt: skip
    means = [row["mean"] for row in rows if row["algorithm"].endswith("1")]
    assert means == [row["mean"] for row in json.loads(plain.stdout)["rows"]]
