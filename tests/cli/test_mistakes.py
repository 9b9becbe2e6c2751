"""Mistakes that people make in their first hour: each is refused, in words that help."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import hungjury as hj
from builders.processes import hungjury
from hungjury.base.notes import Note
from hungjury.cli.main import hungjury as group
from hungjury.cli.output import MOST_NOTES, _wrapped, print_notes

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


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("evalute", "No such command 'evalute'. Did you mean evaluate?"),
        ("leader", "Did you mean leaderboard?"),
        ("xyz", "No such command 'xyz'.\n"),
    ],
)
def test_commands_that_are_not_there(typed: str, said: str) -> None:
    done = hungjury(typed)
    assert done.returncode == 2
    assert said in done.stderr


@pytest.mark.parametrize(("number", "more"), [(1, None), (2, "note: 2 more (see there)")])
def test_a_single_note_is_not_left_out(
    number: int, more: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    notes = [Note(f"odd{i}", 1, f"odd {i}") for i in range(MOST_NOTES + number)]
    print_notes(notes, False, "there")
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == MOST_NOTES + 1
    assert lines[-1] == (more or f"note: odd {MOST_NOTES}")


def test_notes_on_the_result_are_never_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    """Notes on judges hid that almost all gold labels were ignored."""
    judges = [Note(f"odd{i}", 1, f"odd {i}", about="judges") for i in range(MOST_NOTES)]
    result = [Note(f"bad{i}", 1, f"bad {i}", about="result") for i in range(MOST_NOTES + 2)]
    print_notes([*judges, *result], False, "there")
    lines = capsys.readouterr().err.splitlines()
    assert lines == [*(f"note: {note}" for note in result), f"note: {MOST_NOTES} more (see there)"]


def test_gold_labels_that_the_plan_did_not_draw_are_named(here: Path) -> None:
    assert call("plan", *PANEL, "--budget", "10", "-o", "plan.csv").exit_code == 0
    labels = (here / "gold.qrels").read_text().splitlines(keepends=True)
    (here / "some.qrels").write_text("".join(labels[:60]))
    done = call("leaderboard", *PANEL, "--draws", "100", "--gold", "some.qrels",
                "--plan", "plan.csv")  # fmt: skip
    assert "gold labels of documents that the plan did not draw, ignored" in done.stderr


def test_terminals_get_whole_words_and_whole_rows() -> None:
    sentence = "  this is a sentence of several words"
    row = "system1   0.738   0.668-0.807   64 %"
    assert _wrapped(f"{sentence}\n\n{row}\n", 20) == (
        f"  this is a sentence\n    of several words\n\n{row}\n"
    )
    assert _wrapped("short\n", 20) == "short\n"


def test_results_are_shown_in_few_words() -> None:
    qrels = hj.read_qrels({"1": {"a": 1}})
    runs = hj.read_runs({"bm25": {"1": {"a": 1.0}}})
    judgments = hj.read_judgments({"ann": {"1": {"a": 1}}, "bob": {"1": {"a": 0}}})
    assert repr(qrels) == "Qrels(1 topic, 1 document, grades 0-1)"
    assert repr(runs) == "Runs(1 system, 1 topic)"
    assert repr(judgments) == "Judgments(2 judges, 1 topic, 1 document, 2 labels)"
    assert repr(hj.evaluate(qrels, runs, "AP")) == "Scores(1 measure, 1 system, 1 topic)"


def test_parameters_without_their_names() -> None:
    with pytest.raises(TypeError, match=r"parameters of nDCG are named, as in nDCG\(cutoff=10\)"):
        hj.m.nDCG(10)  # type: ignore[call-arg, misc]
    with pytest.raises(TypeError, match="NumQ has no parameters"):
        hj.m.NumQ(1)  # type: ignore[call-arg, misc]


def test_misspelled_options_of_reading() -> None:
    with pytest.raises(TypeError, match="'gradez'; did you mean 'grades'"):
        hj.evaluate({"1": {"a": 1}}, {"r": {"1": {"a": 1.0}}}, "AP", gradez=3)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("hungjury evaluate go", "file,go"),
        ("hungjury evaluate gold.qrels ru", "file,ru"),
        ("hungjury leaderboard --judges ju", "file,ju"),
        ("hungjury leaderboard --report r", "file,r"),
        ("hungjury study markov --data d", "file,d"),
        ("hungjury rank r", "file,r"),
        ("hungjury leaderboard --gold-design r", "plain,random"),
        ("hungjury compare --baseline s", ""),
    ],
)
def test_files_are_completed_by_the_shell(words: str, completed: str) -> None:
    """Completion that knows no files took that of the shell away."""
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    done = CliRunner().invoke(
        group, env={**asked, "_HUNGJURY_COMPLETE": "bash_complete"}, prog_name="hungjury"
    )
    assert done.stdout.strip() == completed


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
