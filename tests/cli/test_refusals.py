"""What commands refuse, in words that help: files in the wrong place, options without effect."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from builders.commands import hungjury
from hungjury.cli.main import hungjury as group

PANEL = ("--judges", "judges/*", "--runs", "runs/*")
FILES = ("gold.qrels", "runs/*")
GATE = ("gate", "--qrels", "gold.qrels", "--runs", "runs/*")


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mistakes")
    made = CliRunner().invoke(
        group, ["simulate", "-o", str(folder), "--systems", "3", "--topics", "6"]
    )
    assert made.exit_code == 0
    (folder / "binary").write_bytes(bytes(range(256)) * 4)
    (folder / "compiled").write_bytes(b"\x89\x02\x03 \xff\xfe,\x01 a,b\n")
    return folder


@pytest.fixture
def here(demo: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(demo)
    return demo


def call(*words: str) -> Result:
    return CliRunner().invoke(group, list(words))


def message(*words: str) -> str:
    """What a refused command says."""
    done = call(*words)
    assert done.exit_code != 0
    assert done.stdout == ""
    return done.stderr or str(done.exception)


@pytest.mark.parametrize("name", ["gold.qrels", "report.pdf", "report"])
def test_a_report_is_written_to_a_page_only(here: Path, name: str) -> None:
    """`--report gold.qrels` once replaced the labels by a page."""
    before = (here / "gold.qrels").read_bytes()
    assert "ends in .html" in message("leaderboard", *PANEL, "--draws", "100", "--report", name)
    assert (here / "gold.qrels").read_bytes() == before
    assert not (here / "report.pdf").exists()


def test_a_report_can_go_into_a_pipe(here: Path) -> None:
    os.mkfifo(here / "pipe")
    with ThreadPoolExecutor(1) as other:
        read = other.submit((here / "pipe").read_bytes)
        done = call("leaderboard", *PANEL, "--draws", "100", "--report", "pipe")
        os.close(os.open(here / "pipe", os.O_RDWR))  # so that nobody waits for a writer
        assert done.exit_code == 0
        assert read.result().startswith(b"<!doctype html>")


def test_a_system_cannot_be_its_own_candidate(here: Path) -> None:
    """A pipeline that names one system twice would always pass."""
    names = ("--baseline", "system1", "--candidate", "system2", "--candidate", "system1")
    assert "'system1' is both the baseline and a candidate" in message(*GATE, *names)


@pytest.mark.parametrize("command", ["evaluate", "compare", "curve"])
def test_qrels_in_the_place_of_a_run(here: Path, command: str) -> None:
    done = hungjury(command, "gold.qrels", "gold.qrels", cwd=here)
    assert done.returncode == 2
    assert "gold.qrels:1: expected 6 columns" in done.stderr
    assert "remedy: runs have six columns; are these qrels?" in done.stderr


def test_an_audit_says_once_that_runs_are_qrels(here: Path) -> None:
    done = call("audit", "runs/system1.run", "gold.qrels")
    assert done.exit_code == 2
    assert done.stdout.count("are these qrels?") == 1
    assert "such lines" not in done.stdout.split("gold.qrels")[1]


def test_an_audit_of_a_run_given_twice_names_no_lines(here: Path) -> None:
    done = call("audit", "gold.qrels", "runs/system1.run", "runs/system1.run")
    assert done.exit_code == 2
    assert "this run is given twice\n" in done.stdout
    assert "None" not in done.stdout


@pytest.mark.parametrize("name", ["binary", "compiled"])
@pytest.mark.parametrize(
    "words",
    [
        ("evaluate", "{}", "runs/system1.run"),
        ("evaluate", "gold.qrels", "{}"),
        ("agreement", "--judges", "{}", "--judges", "gold.qrels"),
        ("train", "{}", "-o", "ranker.json"),
        ("leaderboard", *PANEL, "--report", "r.html", "--documents", "{}"),
    ],
)
def test_binary_files_are_called_so(here: Path, name: str, words: tuple[str, ...]) -> None:
    said = message(*(word.format(name) for word in words))
    assert f"{name}: this is a binary file, not text" in said
    assert "\\x" not in said


def test_words_in_another_encoding_are_not_called_binary(here: Path) -> None:
    (here / "latin.qrels").write_bytes("1 0 caf\u00e9 1\n".encode("latin-1"))
    assert "binary" not in message("evaluate", "latin.qrels", "runs/*")


def test_a_plan_in_the_place_of_gold_labels(here: Path) -> None:
    assert call("plan", *PANEL, "--budget", "10", "-o", "plan.csv").exit_code == 0
    said = message("leaderboard", *PANEL, "--draws", "100", "--gold", "plan.csv")
    assert "plan.csv: this is a plan, which has no labels" in said


@pytest.mark.parametrize(
    ("words", "needed"),
    [
        (("curve", *FILES, "--depth", "5"), "--depth needs --by rank"),
        (("compare", *FILES, "--samples", "5"), "--samples needs --test randomisation"),
        (("leaderboard", *PANEL, "--estimate", "direct"), "--estimate needs --gold"),
        (("leaderboard", *PANEL, "--scope", "all"), "--scope needs an em merge or --gold"),
        (("leaderboard", *PANEL, "--prior", "flat"), "--prior needs an em merge"),
        (("merge", *PANEL[:2], "--method", "mv", "--scope", "all"), "--scope needs"),
        (("clicks", "log.csv", "--nav-rel", "2"), "--nav-rel needs --qrels"),
        (("theory", "figure", "balancing", "-o", "f.svg", "--trials", "5"), "--trials needs"),
        (("train", "train.txt", "-o", "r.json", "--stop-after", "5"), "--stop-after needs --valid"),
    ],
)
def test_options_without_effect_are_refused(
    here: Path, words: tuple[str, ...], needed: str
) -> None:
    assert needed in message(*words)


def test_options_with_effect_are_not_refused(here: Path) -> None:
    assert call("curve", *FILES, "--by", "rank", "--depth", "5").exit_code == 0
    several = ("--test", "bootstrap", "--samples", "200")
    assert call("compare", *FILES, "-m", "AP", *several).exit_code == 0


def test_a_curve_names_every_ending_it_can_write(here: Path) -> None:
    said = message("curve", *FILES, "-o", "curve.json")
    assert "ends in .svg, .png, .pdf or .csv" in said
    assert call("curve", *FILES, "-o", "curve.CSV").exit_code == 0
    assert (here / "curve.CSV").read_text().startswith("system,")


def test_gold_labels_that_the_plan_did_not_draw_are_named(here: Path) -> None:
    assert call("plan", *PANEL, "--budget", "10", "-o", "plan.csv").exit_code == 0
    labels = (here / "gold.qrels").read_text().splitlines(keepends=True)
    (here / "some.qrels").write_text("".join(labels[:60]))
    done = call("leaderboard", *PANEL, "--draws", "100", "--gold", "some.qrels",
                "--plan", "plan.csv")  # fmt: skip
    assert "gold labels of documents that the plan did not draw, ignored" in done.stderr


def test_too_few_documents_to_train_on(here: Path) -> None:
    pytest.importorskip("lightgbm")
    (here / "train.txt").write_text("1 qid:1 1:0.1 2:0.3\n0 qid:1 1:0.4 2:0.1\n")
    said = message("train", "train.txt", "-o", "ranker.json", "--nav-rel", "1", "--trees", "2")
    assert "no feature can split the documents" in said


def test_words_as_labels_get_no_grade_by_copying_the_remedy(here: Path) -> None:
    """`--map yes:0` was proposed for 'yes'."""
    (here / "words.qrels").write_text("1 0 a yes\n")
    assert (
        "--map yes:GRADE gives words"
        in hungjury("evaluate", "words.qrels", "runs/*", cwd=here).stderr
    )
    (here / "empty.csv").write_text("topic,document,label\n1,a,\n")
    said = hungjury("evaluate", "empty.csv", "runs/*", cwd=here).stderr
    assert "remedy: --missing drop leaves out" in said


def test_a_column_for_every_judge_is_recognised_by_a_flag(here: Path) -> None:
    (here / "wide.csv").write_text("topic,document,gpt,claude\n1,a,1,1\n1,b,0,1\n")
    done = hungjury("agreement", "--judges", "wide.csv", cwd=here)
    assert "if every judge has a column, use --wide" in done.stderr
    assert hungjury("agreement", "--judges", "wide.csv", "--wide", cwd=here).returncode == 0


def test_stdin_is_read_once(here: Path) -> None:
    assert "stdin can be read only once" in message("evaluate", "-", "-")


def test_a_ranker_of_other_features(here: Path) -> None:
    pytest.importorskip("lightgbm")
    rows = [f"{i % 3} qid:{i // 20} " + " ".join(f"{f}:{(i * f) % 17}" for f in range(1, 9))
            for i in range(200)]  # fmt: skip
    (here / "full.txt").write_text("\n".join(rows) + "\n")
    small = ("--trees", "3", "--leaves", "4", "--nav-rel", "1", "--set", "num_threads=1")
    assert call("train", "full.txt", "-o", "full.json", *small).exit_code == 0
    (here / "part.txt").write_text("1 qid:1 1:0.5 2:0.1\n0 qid:1 1:0.2 2:0.3\n")
    said = call("rank", "full.json", "part.txt").stderr
    assert "note: only 2 of the ranker's 8 features are other than 0 in part.txt" in said
    assert "features" not in call("rank", "full.json", "full.txt").stderr


WRONG = [  # words, and what is said
    ("evaluate gold.qrels runs/system1.run -m Judged@99999999999", "must be in [1, 2147483647]"),
    ("evaluate gold.qrels runs/system1.run -m nDCG@1e23", "an integer of at most"),
    ("evaluate gold.qrels EMPTY", "'': no such file"),
    ("evaluate . .", "expected a file, got a directory"),
    ("leaderboard PANEL -o /proc/nowhere", "/proc/nowhere: cannot be written"),
    ("leaderboard PANEL --kin *", "invalid regular expression for kin"),
    ("leaderboard PANEL --seed-pattern (", "not a regular expression"),
    ("leaderboard PANEL --slices runs", "expected a file, got a directory"),
    ("leaderboard PANEL --plugin EMPTY", "the plugin '' cannot be imported"),
    ("leaderboard PANEL --plugin .x", "the plugin '.x' cannot be imported"),
    ("leaderboard PANEL --plugin broken", "the plugin 'broken' cannot be imported"),
    ("leaderboard PANEL --project latin.toml", "latin.toml: not text in UTF-8"),
    ("gate --qrels gold.qrels --runs runs/* --baseline x --candidate system1", "no run 'x'"),
    ("plan PANEL --budget 99999999", "larger than the pool"),
    ("agreement PANEL --families (", "invalid regular expression for families"),
    ("aware PANEL --weights none", "unknown kind of weights"),
    ("merge --judges judges/* --method none(", "cannot be read as a merge"),
    ("merge --judges judges/* --grades 0-99999999999", "is not a scale"),
    ("merge --judges judges/* --extract (", "not a regular expression"),
    ("prm --judges judges/* --relevant 1,a", "--relevant takes integers"),
    ("prm --judges judges/* --kinds (", "invalid regular expression"),
    ("curve gold.qrels runs/* --topic none", "topic 'none' has no judgments"),
    ("theory order 0,99999999999999999999 1,2", "is not a list of grades"),
    ("theory order 0,x 1,2", "is not a list of grades"),
    ("theory scale AP --length 10 --grades 32", "use shorter lists or fewer grades"),
    ("simulate -o gold.qrels", "gold.qrels: cannot be written"),
    ("simulate --depth 1000 --documents 10 -o new", "depth must be an integer from 1 to 10"),
    ("label none.csv -o labels.db", "none.csv: no such file"),
    ("label --export - gold.qrels", "this is not a database of labels"),
    ("study markov --data none -o results", "none: no such folder"),
    ("study markov --data . -o results --rates {[]:1}", "rates is ('{[]:1}',)"),
    ("rerun gold.qrels", "this is not a result with provenance"),
    ("diff runs runs", "runs: cannot be read"),
    ("status --project runs", "write one in UTF-8, as `hungjury init` does"),
    ("doctor EMPTY", "'': no such file"),
    ("audit /dev/null /dev/null", "the file is empty"),
    ("rank gold.qrels gold.qrels", "not a saved ranker"),
    ("completion tcsh", "'tcsh' is not one of"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "said"), WRONG)
def test_wrong_input_is_an_error_with_exit_code_2(here: Path, line: str, said: str) -> None:
    (here / "latin.toml").write_bytes("[collection]\njudges = 'caf\u00e9'\n".encode("latin-1"))
    (here / "broken.py").write_text("def broken(:\n")
    words = line.replace("PANEL", " ".join(PANEL)).split()
    done = hungjury(*("" if word == "EMPTY" else word for word in words), cwd=here)
    assert done.returncode == 2, done.stderr
    assert said in done.stderr + done.stdout
    assert "Traceback" not in done.stderr
