"""What commands pass on to slow parts, which are replaced here, and what they say about it."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import hungjury as hj
from builders.commands import hungjury as shell
from builders.commands import invoke, sample_files
from hungjury.base.errors import Note
from hungjury.cli import train
from hungjury.studies.claims import Claim, Quantity
from hungjury.studies.engines import Engine
from hungjury.studies.recipe import Report


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample_files(tmp_path_factory.mktemp("passing"))


@pytest.fixture(autouse=True)
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder)
    return folder


class Drawn:
    def __init__(self, saved: list[Any]) -> None:
        self.saved = saved

    def save(self, path: str, _width: object = None) -> None:
        self.saved.append(path)


@pytest.fixture
def saved(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The files of plots, which are not drawn."""
    pytest.importorskip("matplotlib")
    found: list[Any] = []
    monkeypatch.setattr("hungjury.base.results.Result._drawn", lambda *_: Drawn(found))
    return found


# Studies


@pytest.fixture
def studied(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What a study is run with; its results are made up."""
    pytest.importorskip("matplotlib")
    seen: list[Any] = []

    def run_study(*given: Any) -> Any:
        recipe, sources, output, seed, engine, progress, announce = given
        announce("2 jobs")
        claims = [Claim("A", "a - b", Quantity(1.0, np.ones(9)), "AP")]
        shown = claims if seed else []
        seen.append((recipe, sources, output, seed, engine, progress is None))
        return SimpleNamespace(report=Report({}, (), shown), notes=[Note("n", 1, "a note")])

    def write_study(study: Any, csv_safe: bool) -> list[Path]:
        seen.append(csv_safe)
        return [Path("out/index.html"), Path("a.csv"), Path("a.tex")]

    monkeypatch.setattr("hungjury.studies.recipe.run_study", run_study)
    monkeypatch.setattr("hungjury.report.study_page.write_study", write_study)
    return seen


def test_a_study_is_run_as_asked_for(studied: list[Any]) -> None:
    done = shell("study", "markov", "--data", ".", "-o", "out")
    told = "markov: 2 jobs\nnote: a note\n"
    assert (done.returncode, done.stderr) == (0, told)
    assert done.stdout == "out/index.html\n2 tables and figures in the same folder\n"
    recipe, (sources,), output, seed, engine, quiet = studied[0]
    assert (str(recipe), output, seed, engine, quiet) == ("markov", "out", 0, Engine(), False)
    assert (studied[1], sources.lists.score_precision) == (False, "double")
    words = ["--rel", "2", "--compared", "AP", "--compared", "P@5", "--seed", "3"]
    words += ["--engine", "x", "--jobs", "2", "--csv-safe", "--quiet", "--as-published"]
    words += ["--labels", "mv"]
    done = shell("study", "markov", "--data", "a=.", "--data", "b=.", *words, "-o", "out")
    assert "collections contain the same files" in done.stderr
    done = shell("study", "markov", "--data", "a=.", *words, "-o", "out")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "1 claim. Holds: 1. If all quantities were 0, about 0.0 would hold by chance, and as many "
        "would not.\n\nverdict  claim  case  estimate    low   high\nholds    A      AP       1.000"
        "  1.000  1.000\n\nout/index.html\n2 tables and figures in the same folder\n"
    )
    recipe, (sources,), output, seed, engine, quiet = studied[2]
    assert (seed, engine, quiet, sources.name) == (3, Engine("x", 2), True, "a")
    assert (recipe.rel, recipe.compared, recipe.labels, recipe.digits) == (2, ("AP", "P@5"),
                                                                           ("mv",), 4)  # fmt: skip
    assert (studied[3], sources.lists.score_precision) == (True, "single")


def test_what_is_typed_wins_over_the_paper(studied: list[Any]) -> None:
    words = ["--as-published", "--digits", "2", "--score-precision", "double"]
    assert shell("study", "markov", "--data", ".", "-o", "out", *words).returncode == 0
    recipe, (sources,), *_ = studied[0]
    assert (recipe.digits, sources.lists.score_precision) == (2, "double")
    words = ["--drop-empty", "--tuples", "5", "--sizes", "2", "--tied", "sampled"]
    assert shell("study", "aware", "--data", ".", "-o", "out", *words).returncode == 0
    recipe = studied[2][0]
    assert (recipe.drop_empty, recipe.tuples, recipe.sizes) == (True, 5, (2,))


def test_a_study_of_files(studied: list[Any]) -> None:
    words = ["--runs", "runs/*", "--gold", "gold.qrels", "--judges", "judges/*", "--grades", "0-2"]
    assert shell("study", "markov", *words, "-o", "out").returncode == 0
    sources = studied[0][1]
    assert [Path(one).name for one in sources.runs] == [f"system{i}.run" for i in (1, 2, 3)]
    assert (Path(sources.gold).name, len(sources.judges)) == ("gold.qrels", 5)
    assert list(sources.labels.grades) == [0, 1, 2]
    assert (
        shell("study", "markov", "--data", ".", "--runs", "runs/system1.run", "-o", "o").returncode
        == 0
    )
    assert len(studied[2][1][0].runs) == 1


# Learning to rank


def test_a_ranker_is_trained_and_told(folder: Path, saved: list[Any]) -> None:
    pytest.importorskip("lightgbm")
    quick = ["--trees", "3", "--leaves", "4", "--set", "num_threads=1", "--nav-rel", "1"]
    words = ["train", "fold/train.txt", "-o", "r.json", *quick]
    done = shell(*words)
    trees = '3 trees for nMCG(user="published-shape", nav_rel=1)@10'
    told = f"r.json: {trees}, from 96 documents of 12 queries\n"
    assert done.stderr.splitlines(True)[-1] == told
    assert shell(*words, "--quiet").stderr == ""
    done = shell(*words, "--valid", "fold/vali.txt", "--plot", "p.svg", "--stop-after", "2")
    model, seen = hj.ltr.Ranker.load("r.json"), hj.ltr.read_letor("fold/vali.txt")
    now, start = model.score(seen).mean(), model.score(seen, 0).mean()
    assert done.stderr.splitlines()[-1] == (
        f"r.json: {model.trees} trees for {model.goal}, from 96 documents of 12 queries; "
        f"{model.goal} on the validation data: {now:.4f} (unranked {start:.4f})"
    )
    assert saved == ["p.svg"]
    assert model.parameters["early_stopping_round"] == 2
    Path("other.qrels").write_text("00 0 D0-0-0 2\n00 0 D0-0-1 1\n")
    done = shell(*words, "--qrels", "other.qrels", "--set", "min_data_in_leaf=1")
    assert "from 8 documents of 1 queries" in done.stderr
    done = shell("rank", "r.json", "fold/test.txt", "-o", "test.run", "--qrels", "test.qrels",
                 "--tag", "me", "--depth", "3", "--trees", "1")  # fmt: skip
    assert done.stderr == "test.run: 96 documents of 12 queries\n"
    run = Path("test.run").read_text().splitlines()
    assert (len(run), run[0].split()[3:4], run[0].split()[5]) == (36, ["1"], "me")
    assert set(hj.read_qrels("test.qrels").topics) == {line.split()[0] for line in run}
    assert shell("rank", "r.json", "fold/test.txt", "--quiet").stdout.count("\n") == 96


def test_features_that_data_lack() -> None:
    data = hj.ltr.ranking_data(np.eye(4)[:, :4] * [1, 0, 0, 0], [0] * 4, [4])
    (note,) = train._notes(data, "x")
    assert (note.count, note.text) == (
        1, "only 1 of the ranker's 4 features are other than 0 in x"
    )  # fmt: skip
    data = hj.ltr.ranking_data(np.eye(4) * [1, 1, 0, 0], [0] * 4, [4])
    assert train._notes(data, "x") == []


def test_rankers_are_compared_on_data_sets(
    monkeypatch: pytest.MonkeyPatch, saved: list[Any]
) -> None:
    seen = []
    table = SimpleNamespace(
        notes=[], rows=lambda: [{"a": 1}], to_text=lambda: "one", to_json=lambda: "{}"
    )
    both = SimpleNamespace(
        found={"": table}, notes=[], to_text=lambda: "several", to_json=lambda: "{}",
        rows=lambda: [{"a": 2}], plot=lambda: Drawn(saved),
    )  # fmt: skip

    def compare(sets: Any, **how: Any) -> Any:
        seen.append((sets, how))
        return both

    monkeypatch.setattr("hungjury.ltr.compare.compare_data_sets", compare)
    monkeypatch.setattr(hj.ltr, "compare_data_sets", compare, raising=False)
    words = ["compare-rankers", "fold", "--folds", "3", "--sizes", "2,4", "--objective", "ndcg",
             "--without", "2", "--trees", "7", "--set", "num_threads=1"]  # fmt: skip
    assert invoke(*words).stdout == "one\n"
    ((name, parts),) = seen[0][0].items()
    assert (name, [len(fold[2].queries) for fold in parts]) == ("", [12, 12, 12])
    how = seen[0][1]
    assert (how["sizes"], how["objectives"], how["without"]) == ([2, 4], ("ndcg",), "2")
    assert (how["num_iterations"], how["num_threads"]) == (7, 1)
    assert "early_stopping_round" not in how
    assert invoke(*words, "--format", "csv").stdout == "a\n1\n"
    assert invoke("compare-rankers", "a=fold", "b=fold", "--plot", "p.svg").stdout == "several\n"
    assert (list(seen[2][0]), len(seen[2][0]["a"]), saved) == (["a", "b"], 1, ["p.svg"])


# Curves


@pytest.mark.parametrize(
    ("words", "points", "under"),
    [("", 11, None), ("--topic 2 --depth 4", 11, 4), ("--by rank --depth 3", 3, None),
     ("--by rank --topic 2 --depth 5", 5, None)],
)  # fmt: skip
def test_curves_that_are_drawn(
    words: str, points: int, under: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    drawn: list[Any] = []
    monkeypatch.setattr(hj.Curve, "save", lambda *given: drawn.append(given))
    done = shell("curve", "gold.qrels", "runs/*", "-o", "c.svg", *words.split())
    assert (done.returncode, done.stdout) == (0, "")
    ((curve, path),) = drawn
    assert (path, curve.precision.shape[1]) == ("c.svg", points)
    assert (curve.under and curve.under.precision.shape[1]) == under


# Clicks, the predicted relevance model


def test_a_user_model_is_told_drawn_and_saved(saved: list[Any]) -> None:
    model = hj.calibrate(["clicks.csv"])
    done = shell("clicks", "clicks.csv", "-o", "users.json", "--plot", "p.svg", "--quiet")
    assert (done.stdout, saved, done.stderr) == (f"{model.to_text().rstrip()}\n", ["p.svg"], "")
    assert Path("users.json").read_text() == model.to_json()
    assert shell("clicks", "clicks.csv", "-o", "-").stdout == model.to_json()
    other = hj.calibrate(["clicks.csv"], ranks=4, pages="moves")
    done = shell("clicks", "clicks.csv", "--ranks", "4", "--pages", "moves")
    assert done.stdout == f"{other.to_text().rstrip()}\n"
    assert done.stderr.startswith("note: ")
    assert "clicks outside the ranks of the page, left out" in done.stderr


def test_rows_and_plots_of_models_of_relevance(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    drawn: list[Any] = []
    monkeypatch.setattr("hungjury.report.judge_plots.draw_prm", lambda models: len(models))
    monkeypatch.setattr("hungjury.report.pictures.save_picture", lambda *given: drawn.append(given))
    words = ["prm", "--judges", "judges/*", "--draws", "20", "--format", "csv", "--quiet"]
    labels = hj.read_judgments("judges/*")
    gold = hj.read_qrels("gold.qrels")
    both = hj.prm(labels, 1, draws=20).scenarios()
    found = invoke(*words, "--plot", "p.svg").stdout.splitlines()
    assert drawn == [(2, "p.svg")]
    assert found[0].startswith("rel,")
    assert {line.partition(",")[0] for line in found[1:]} == {"1", "2"}
    assert len(found) == 1 + sum(len(one.table()) for one in both)
    found = invoke(*words, "--relevant", "1", "--qrels", "gold.qrels").stdout.splitlines()
    assert found[0].startswith("relevant,")
    binary, expected = hj.prm(labels, 1, [1], draws=20).relevant_counts(gold)
    assert found[0].endswith(",qrels_relevant,qrels_expected")
    assert found[1].startswith("1,")
    assert found[1].split(",")[-2:] == [str(binary), repr(float(expected))]
    named = ["--categories", "High:2,Low:1,Non:0", "--relevant", "Low,Non"]
    found = invoke(*words, *named).stdout.splitlines()
    assert found[0].startswith("relevant,")
    assert found[1].startswith(('"Low,Non",', '"Non,Low",'))
    invoke(*words, "--rel", "1", "--qrels", "gold.qrels", "--soft", "s.qrels")
    model = hj.prm(labels, 1, draws=20)
    assert Path("s.qrels").read_text() == model.soft_qrels(gold).to_text()


# Measures


def test_a_measure_is_described() -> None:
    done = shell("measures", "nDCG").stdout
    assert done == shell("measures", "ndcg_cut_10").stdout
    assert done.startswith("nDCG\n")
    for line in ("range: 0 to 1; larger is better", "many label sets at once are scored natively"):
        assert f"{line}\n" in done
    expected = "expectation over uncertain labels: "
    assert f"\n{expected}exact\n" in done
    assert f"\n{expected}drawn, with its sampling error\n" in shell("measures", "ESL").stdout
    assert expected not in shell("measures", "E").stdout
    rows = json.loads(shell("measures", "--format", "json").stdout)["rows"]
    (mine,) = json.loads(shell("measures", "AP", "--format", "json").stdout)["rows"]
    assert mine in rows
    smaller = next(row["name"] for row in rows if row["smaller_is_better"])
    assert "; smaller is better\n" in shell("measures", smaller).stdout
    slow = next(row["name"] for row in rows if not row["native"])
    assert "in Python, which is slower\n" in shell("measures", slow).stdout
    assert shell("measures").stdout.endswith(
        "\n\n`hungjury measures NAME` describes a measure and its parameters.\n"
    )
    wide = max(map(len, shell("measures").stdout.splitlines()))
    assert 90 < wide <= 110


def test_parameters_of_a_measure() -> None:
    lines = shell("measures", "RBP").stdout.splitlines()
    (row,) = [one for one in hj.measures() if one["name"] == "RBP"]
    names = [one["name"] for one in row["parameters"]]
    width = max(map(len, names))
    for one in row["parameters"]:
        (line,) = [text for text in lines if text.startswith(f"  {one['name']:<{width}}  ")]
        at = lines.index(line)
        whole = " ".join(" ".join(lines[at : at + 3]).split())
        assert " ".join(one["meaning"].split())[:40] in whole
    assert any("default 0.8" in line for line in lines)
    assert not any("default None" in line for line in lines)


def test_how_gold_labels_are_read_is_for_gold_labels() -> None:
    panel = ["--judges", "judges/*", "--runs", "runs/*", "--gold-columns", "document=x"]
    for words in (["leaderboard", *panel], ["plan", *panel, "--budget", "5"]):
        done = shell(*words)
        assert "gold_columns is given, but no gold labels" in done.stderr, words
        assert done.returncode == 2


# Theory


def test_figures_of_the_theory(monkeypatch: pytest.MonkeyPatch, saved: list[Any]) -> None:
    seen: list[Any] = []
    for name in ("balancing_curves", "balancing_of_all", "significance_curve"):

        def figure(name: str = name, **how: Any) -> Any:
            seen.append((name, how))
            return SimpleNamespace(plot=lambda: Drawn(saved))

        monkeypatch.setattr(f"hungjury.theory.balancing.{name}", figure)
    words = ["theory", "figure", "-o", "f.svg"]
    assert invoke(*words, "balancing").exit_code == 0
    assert invoke(*words, "measures").exit_code == 0
    how = ["--trials", "7", "--labels", "independent", "--seed", "3"]
    assert invoke(*words, "significance", *how).exit_code == 0
    assert seen == [
        ("balancing_curves", {}),
        ("balancing_of_all", {}),
        ("significance_curve", {"trials": 7, "labels": "independent", "seed": 3}),
    ]
    assert saved == ["f.svg"] * 3
    for flag in how[::2][:2]:
        said = invoke(*words, "balancing", flag, how[how.index(flag) + 1]).stderr
        assert f"{flag} needs the figure 'significance'" in said


def test_balancing_indices() -> None:
    done = invoke("theory", "balancing", "AP", "P@5", "--length", "10", "--length", "20").stdout
    rows = [["measure", "N=10", "N=20"]]
    for name in ("AP", "P@5"):
        rows.append([name, *(f"{hj.theory.balancing_index(name, n):g}" for n in (10, 20))])
    assert [line.split() for line in done.splitlines()] == rows
    done = invoke("theory", "balancing", "nDCG", "--length", "9", "--q-min", "2", "--q-max", "3")
    assert done.stdout.split()[-1] == f"{hj.theory.balancing_index('nDCG', 9, 2, 3):g}"


# Without arguments


def test_commands_without_words_show_their_help(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("leaderboard", "evaluate", "prm"):
        assert f" {name} [OPTIONS]" in all_of(name)
    (tmp_path / "hungjury.toml").write_text('[collection]\nruns = "runs/*"\n')
    assert "give --judges and --runs" in all_of("leaderboard")
    assert " prm [OPTIONS]" in all_of("prm")


def all_of(*words: str) -> str:
    done = shell(*words)
    return done.stdout + done.stderr
