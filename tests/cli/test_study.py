"""hungjury study, from files to pages; recipes and what they need; damaged stores, full disks."""

from __future__ import annotations

import csv
import io
import os
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from scipy.stats import kendalltau

import hungjury as hj
from hungjury.base.errors import HungjuryError, InputError, StudyFailed
from hungjury.base.results import Marked, Table
from hungjury.cli.main import hungjury as command
from hungjury.cli.main import hungjury as group
from hungjury.cli.study import _published, study_command
from hungjury.studies.data import Sources, study_data
from hungjury.studies.engines import Engine
from hungjury.studies.papers import RECIPES, label_sets
from hungjury.studies.recipe import NEEDS, Recipe, run_study
from hungjury.users.model import Dynamic, UserClass, UserModel

ALONE = Engine("local", 1)


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    hj.simulate(systems=6, topics=8, documents=60, depth=20, grades=3).write(folder)
    return folder


def run(*arguments):
    """The command's result; its own errors are raised."""
    return CliRunner().invoke(command, list(map(str, arguments)), catch_exceptions=False)


def rows(path):
    return list(csv.DictReader(io.StringIO(path.read_text())))


def only(folder, pattern):
    (found,) = folder.glob(pattern)
    return found


@pytest.mark.long
def test_markov_from_files_to_a_page(demo, tmp_path):
    flags = ["--data", demo, "-o", tmp_path, "--jobs", 1, "--repetitions", 2]
    done = run("study", "markov", *flags)
    folder = tmp_path / "markov" / f"{demo.name}_repetitions-2"
    assert done.exit_code == 0
    summary, claims, pages = done.stdout.split("\n\n")
    assert summary.startswith("32 claims. ")
    assert "about 0.8 would hold by chance" in summary
    assert claims.splitlines()[0].split() == ["verdict", "claim", "case", "estimate", "low", "high"]
    assert pages.splitlines()[0] == str(folder / "index.html")
    assert "4 jobs: 0 stored already, 4 to do" in done.stderr

    names = ["AP", "P@10", "Rprec", "Bpref", "RBP(p=0.8)", "MP", "MP(rec=True)"]
    means = hj.evaluate(demo / "gold.qrels", str(demo / "runs" / "*"), names).mean()
    (first,) = rows(only(folder, "table-5.2-*.csv"))
    table = {row[""]: row for row in rows(only(folder, "table-5.3-*.csv"))}
    assert len(table) == 16
    for i, name in enumerate(names[:5]):
        for row, m in ((first, 0), (table["MP GL_AD_ID"], 5), (table["MP GL_AD_ID@Rec(T)"], 6)):
            expected = kendalltau(means[m], means[i]).statistic
            assert float(row[name]) == pytest.approx(expected, abs=1e-12)
    timed = rows(only(folder, "table-5.4-*.csv"))
    assert [round(float(r["discrete"]), 4) for r in timed] == [0.9205, 0.8668, 0.8120]
    assert [round(float(r["continuous"]), 4) for r in timed] == [0.6600, 0.8706, 0.8005]
    assert r"\toprule" in only(folder, "table-5.3-*.tex").read_text()
    assert only(folder, "table-5.3-*.svg").read_text().startswith("<?xml")
    assert only(folder, "table-5.3-*.png").read_bytes().startswith(b"\x89PNG")

    assert only(folder, "table-5.3-*.pdf").read_bytes().startswith(b"%PDF")

    page = (folder / "index.html").read_text()
    assert page.index("32 claims") < page.index("Claims:") < page.index("Table 5.1")
    assert page.count("<table>") == 8
    assert page.count('src="data:image/svg+xml;base64,') == 3
    assert not re.search(r'(src|href)="(?!data:)', page), "the page needs another file"

    before = {p.name: p.read_bytes() for p in folder.iterdir() if p.suffix != ".sqlite"}
    again = run("study", "markov", *flags)
    assert "4 jobs: 4 stored already, 0 to do" in again.stderr
    assert {p.name: p.read_bytes() for p in folder.iterdir() if p.suffix != ".sqlite"} == before


@pytest.mark.long
@pytest.mark.usefixtures("svg_only")
def test_flags_of_a_recipe_and_files_instead_of_a_folder(demo, tmp_path):
    flags = ["--compared", "nDCG@5", "--compared", "AP", "--rel", 2, "--jobs", 1, "--quiet",
             "--repetitions", 1, "--rates", 0.5, "--lists", 6]  # fmt: skip
    files = ["--runs", demo / "runs" / "*", "--gold", demo / "gold.qrels"]
    done = run("study", "markov", *files, "-o", tmp_path, *flags)
    assert done.stderr == ""
    (first,) = rows(only(tmp_path / "markov", "*/table-5.2-*.csv"))
    assert list(first) == ["", "nDCG@5", "AP"]
    means = hj.evaluate(demo / "gold.qrels", str(demo / "runs" / "*"), ["nDCG@5", "AP(rel=2)"])
    expected = kendalltau(*means.mean()).statistic
    assert float(first["AP"]) == pytest.approx(expected, abs=1e-12)
    missing = CliRunner().invoke(command, ["study", "markov", "-o", str(tmp_path)])
    assert missing.exit_code == 2
    assert "give --data FOLDER" in missing.stderr


@pytest.mark.long
def test_real_data(shared_data, tmp_path):
    policies = {"duplicates": "first", "grades": range(4), "outside": "clip"}
    sources = Sources.in_folder(shared_data / "dl21", score_precision="single", **policies)
    study = run_study(
        "markov(rel=2, repetitions=1, rates=[0.5], lists=6)", sources, tmp_path, engine=ALONE
    )
    correlations = study.report.tables["table-5.3"]
    recall_based = dict(zip((r[0] for r in correlations.rows), correlations.rows, strict=True))
    # What the thesis reports on four collections: with recall, Markov precision becomes AP.
    assert recall_based["MP GL_AD_LID@Rec(T)"][1].value > 0.97
    assert len(study.finished[0].results) == 3


# errors


@pytest.mark.long
def test_failed_jobs_are_told_at_the_end(demo, tmp_path, monkeypatch):
    def pools_job(data, seed, **arguments):
        raise ZeroDivisionError("no luck")

    monkeypatch.setattr(label_sets, "pools_job", pools_job)
    with pytest.raises(StudyFailed, match="1 of 3 jobs failed\n  pools/gold/0: ZeroDivisionError"):
        run("study", "markov", "--data", demo, "-o", tmp_path, "--jobs", 1, "--repetitions", 1)
    assert not (tmp_path / "markov" / "index.html").exists()


@pytest.mark.long
def test_an_unknown_study_or_parameter(demo, tmp_path):
    with pytest.raises(HungjuryError, match="did you mean markov"):
        run("study", "markow", "--data", demo, "-o", tmp_path)
    with pytest.raises(HungjuryError, match="rel is 0"):
        run("study", "markov", "--data", demo, "-o", tmp_path, "--rel", 0)
    with pytest.raises(HungjuryError, match="nDCH"):
        run("study", "markov", "--data", demo, "-o", tmp_path, "--compared", "nDCH")
    assert list(tmp_path.iterdir()) == []


def study_needing(need):
    class Needy(Recipe):
        """Needs something, and gets no further."""

        name = "needy"
        needs = (need,)

        def jobs(self, data):
            raise AssertionError("the data should have been refused")

        report = jobs

    return Needy()


@pytest.mark.long
@pytest.mark.parametrize(
    ("need", "message"),
    [
        ("gold", "needs gold labels, but no gold labels were given"),
        ("graded gold", "but no gold labels were given"),
        ("judges", "needs at least two judges, but no judges were given"),
        ("graded judges", "but no judges were given"),
        ("systems", "needs at least two runs, but there is only one"),
    ],
)
def test_a_study_says_at_once_what_is_missing(demo, tmp_path, need, message):
    sources = Sources.of(demo / "runs" / "system1.run")
    with pytest.raises(InputError, match=message):
        run_study(study_needing(need), sources, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_a_study_says_at_once_what_is_too_little(tmp_path):
    hj.simulate(systems=2, topics=3, documents=30, depth=9, accuracies=[0.9]).write(tmp_path)
    one = Sources.in_folder(tmp_path, judge_column="iteration")
    with pytest.raises(InputError, match="needs at least two judges, but there is only one"):
        run_study(study_needing("judges"), one, tmp_path / "out")
    with pytest.raises(InputError, match="but these are binary"):
        run_study(study_needing("graded gold"), one, tmp_path / "out")
    with pytest.raises(InputError, match="but their labels are binary"):
        run_study(study_needing("graded judges"), one, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.long
def test_markov_wants_two_complete_runs(demo, tmp_path):
    text = (demo / "runs" / "system1.run").read_text()
    topic = text.split()[0]
    kept = [line for line in text.splitlines() if line.split()[0] != topic]
    (tmp_path / "short.run").write_text("\n".join(kept).replace("system1", "short"))
    runs = [demo / "runs" / "system1.run", tmp_path / "short.run"]
    with pytest.raises(InputError, match="1 of 2 runs retrieve on every topic"):
        run_study("markov", Sources.of(runs, gold=demo / "gold.qrels"), tmp_path / "out")


# recipes and tables


@pytest.mark.long
def test_every_recipe_is_declared_in_full():
    for recipe in RECIPES:
        assert recipe.__doc__
        assert recipe.paper
        assert set(recipe.needs) <= set(NEEDS)
        made = study_command.get_command(None, recipe.name)
        names = [parameter.name for parameter in made.params]
        flags = [flag for parameter in made.params for flag in parameter.opts]
        assert len(set(names)) == len(names), f"{recipe.name}: a parameter has a name twice"
        assert len(set(flags)) == len(flags), f"{recipe.name}: a flag is declared twice"
        assert run("study", recipe.name, "--help").exit_code == 0


def test_help_says_what_as_published_stands_for():
    text = study_command.get_command(None, "markov").help
    assert "\n\n--as-published is short for --digits 4 --score-precision single.\n\n" in text
    assert _published(Recipe) == ""


@pytest.mark.long
def test_every_recipe_lists_the_same_jobs_each_time(demo):
    data = study_data(Sources.in_folder(demo))
    for recipe in RECIPES:
        first, second = recipe().jobs(data), recipe().jobs(data)
        assert first == second
        assert len({job.key for job in first}) == len(first)


@pytest.mark.long
def test_tables_in_three_forms():
    table = Table(
        ["", "x_1", "n"],
        [["one", Marked(0.91234567, "*", bold=True), 3], ["two", float("nan"), None]],
        caption="A & B",
    )
    assert table.to_csv() == ",x_1,n\none,0.91234567,3\ntwo,nan,\n"
    latex = table.to_latex()
    assert r"\caption{A \& B}" in latex
    assert r"\begin{tabular}{lrr}" in latex
    assert r"one & \textbf{0.9123*} & 3 \\" in latex
    assert r"two & - & - \\" in latex
    with pytest.raises(InputError, match="2 cells under 1"):
        Table(["a"], [[1, 2]])


@pytest.mark.long
def test_a_step_that_does_not_divide_1_is_refused(demo, tmp_path):
    with pytest.raises(InputError, match="does not divide 1"):
        run_study("graded-ap(step=0.3)", Sources.in_folder(demo), tmp_path, engine=ALONE)


@pytest.mark.long
@pytest.mark.usefixtures("svg_only")
def test_studies_tell_what_was_odd_about_labels_and_measures(tmp_path):
    for name in ("plain", "odd"):
        hj.simulate(systems=3, topics=4, documents=30, depth=10, seed=len(name)).write(
            tmp_path / name
        )
    gold = tmp_path / "odd" / "gold.qrels"
    gold.write_text(gold.read_text().replace(" 1\n", " 7\n", 1))
    rising = UserClass("all", (0.1, 0.2, 0.3, 0.4), Dynamic(-0.3, 0.05, 0.3))
    UserModel((rising,)).save(tmp_path / "users.json")
    call = ["study", "markov", "--data", tmp_path / "plain", "--data", tmp_path / "odd", "--grades",
            "0-1", "--outside", "clip", "--compared", "AP", "--compared",
            f'nMCG(user="{tmp_path / "users.json"}")@4', "--repetitions", 1, "--rates", 0.5,
            "--lists", 6, "--jobs", 1, "-o", tmp_path / "out"]  # fmt: skip
    done = run(*call)
    clipped = "odd: 1 label outside the declared grades, clipped"
    assert f"note: {clipped}\n" in done.stderr
    assert done.stderr.count("does not decrease") == 1
    (home,) = (tmp_path / "out" / "markov").glob("*/index.html")
    page = home.read_text()
    assert clipped in page
    assert "does not decrease" in page
    assert run(*call, "--quiet").stderr == ""


# A study whose store is damaged or whose disk is full: an error with exit code 2.


COMMAND = [sys.executable, "-m", "hungjury", "study", "markov", "--data", "demo", "-o", "out",
           "--jobs", "1", "--quiet"]  # fmt: skip


@pytest.fixture
def here(tmp_path: Path) -> Path:
    words = ["simulate", "-o", str(tmp_path / "demo"), "--systems", "3", "--topics", "4"]
    assert CliRunner().invoke(group, [*words, "--depth", "10"]).exit_code == 0
    return tmp_path


def test_a_damaged_store_is_an_error(here: Path) -> None:
    folder = here / "out" / "markov"
    folder.mkdir(parents=True)
    (folder / "jobs.sqlite").write_bytes(b"SQLite format 3\x00" + b"rubbish" * 1000)
    done = subprocess.run(COMMAND, cwd=here, capture_output=True, text=True)
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert "remedy:" in done.stderr


def test_a_store_that_cannot_grow_is_an_error(here: Path) -> None:
    def small() -> None:
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))

    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "MPLCONFIGDIR": str(here)}
    done = subprocess.run(
        COMMAND, cwd=here, env=env, capture_output=True, text=True, preexec_fn=small
    )
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    assert "remedy:" in done.stderr
