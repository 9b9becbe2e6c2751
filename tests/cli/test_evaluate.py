"""The command line, as a person or a script meets it."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from builders.commands import hungjury

QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 2\n2 0 a 0\n2 0 d 1\n"
ONE = "1 Q0 a 1 3.0 one\n1 Q0 b 2 2.0 one\n1 Q0 c 3 1.0 one\n2 Q0 d 1 1.0 one\n"
TWO = "1 Q0 c 1 3.0 two\n1 Q0 x 2 2.0 two\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "one.run").write_text(ONE)
    (tmp_path / "two.run").write_text(TWO)
    return tmp_path


def test_a_table_with_the_best_system_first(files: Path) -> None:
    done = hungjury(
        "evaluate", "qrels", "one.run", "two.run", "-m", "AP", "-m", "NumRet", cwd=files
    )
    assert done.returncode == 0
    lines = [line.split() for line in done.stdout.splitlines()]
    # one: topic 1 (1 + 2/3) / 2, topic 2 1; two: topic 1 1/2, topic 2 has no list and scores 0
    assert lines == [["system", "AP", "NumRet"], ["one", "0.9167", "4"], ["two", "0.2500", "2"]]
    assert "two: no list for 1 judged topic: 2" in done.stderr


def test_long_options_and_globs_mean_the_same(files: Path) -> None:
    short = hungjury("evaluate", "qrels", "one.run", "two.run", "-m", "AP", cwd=files)
    long = hungjury("evaluate", "--qrels", "qrels", "--runs", "*.run", "-m", "AP", cwd=files)
    assert short.stdout == long.stdout != ""


def test_standard_input(files: Path) -> None:
    done = hungjury("evaluate", "qrels", "-", "-m", "AP", cwd=files, stdin=ONE)
    assert done.stdout.splitlines()[1].split() == ["one", "0.9167"]


def test_default_measures(files: Path) -> None:
    done = hungjury("evaluate", "qrels", "one.run", cwd=files)
    assert done.stdout.split()[:5] == ["system", "nDCG@10", "AP", "P@10", "RR"]


def test_csv_and_json_hold_full_precision(files: Path) -> None:
    done = hungjury("evaluate", "qrels", "one.run", "-m", "AP", "--format", "csv", cwd=files)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert float(rows[0]["AP"]) == pytest.approx((5 / 6 + 1) / 2, abs=1e-15)
    done = hungjury("evaluate", "qrels", "one.run", "-m", "AP", "-q", "--format", "json", cwd=files)
    found = json.loads(done.stdout)
    assert found["topics"]["one"]["1"]["AP"] == pytest.approx(5 / 6)
    assert found["settings"]["ties"] == "trec"


def test_per_topic_in_every_format(files: Path) -> None:
    arguments = ("evaluate", "qrels", "one.run", "-m", "AP", "-q")
    table = hungjury(*arguments, cwd=files).stdout
    assert [line.split() for line in table.splitlines()[:3]] == [
        ["system", "topic", "AP"],
        ["one", "1", "0.8333"],
        ["one", "2", "1.0000"],
    ]
    assert table.splitlines()[-1].split() == ["one", "0.9167"]
    assert "0.9167" not in hungjury(*arguments, "-n", cwd=files).stdout
    as_csv = (*arguments, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(hungjury(*as_csv, cwd=files).stdout)))
    assert [(r["system"], r["topic"], r["measure"], f"{float(r['value']):.4f}") for r in rows] == [
        ("one", "1", "AP", "0.8333"), ("one", "2", "AP", "1.0000"), ("one", "all", "AP", "0.9167"),
    ]  # fmt: skip
    cells = list(csv.DictReader(io.StringIO(hungjury(*as_csv, "-n", cwd=files).stdout)))
    assert cells == rows[:2]


def test_latex_escapes_names(files: Path) -> None:
    (files / "odd.run").write_text("1 Q0 a 1 1.0 my_run%1\n")
    done = hungjury("evaluate", "qrels", "odd.run", "-m", "AP", "--format", "latex", cwd=files)
    assert r"my\_run\%1 & \textbf{0.2500} \\" in done.stdout


def test_trec_lines_average_over_retrieved_topics_unless_told(files: Path) -> None:
    arguments = ("evaluate", "qrels", "two.run", "-m", "map", "-m", "num_rel", "--format", "trec")
    done = hungjury(*arguments, cwd=files)
    assert done.stdout == (
        "runid                 \tall\ttwo\n"
        "map                   \tall\t0.5000\n"
        "num_rel               \tall\t2\n"
    )
    assert "map                   \tall\t0.2500\n" in hungjury(*arguments, "-c", cwd=files).stdout


def test_trec_lines_equal_those_of_trec_eval(shared_data: Path) -> None:
    folder = shared_data / "trec_eval"
    done = hungjury(
        "evaluate", str(folder / "qrels.test"), str(folder / "results.test"), "--format", "trec"
    )
    assert done.stdout == (folder / "out.test").read_text()


@pytest.mark.parametrize(
    ("flags", "value"),
    [
        (("--rel", "2"), "0.1667"),  # only c is relevant, at rank 3 of topic 1; topic 2 has none
        (("--rel", "2", "--undefined", "drop"), "0.3333"),
        (("--rel", "2", "--undefined", "nan"), "undefined"),
        (("-M", "1",), "0.7500"),
        (("--topics", "1",), "0.8333"),
    ],
)  # fmt: skip
def test_flags_do_what_they_say(files: Path, flags: tuple[str, ...], value: str) -> None:
    done = hungjury("evaluate", "qrels", "one.run", "-m", "AP", *flags, cwd=files)
    assert done.stdout.split()[-1] == value


def test_judged_only_leaves_unjudged_documents_out(files: Path) -> None:
    (files / "x.run").write_text("1 Q0 x 1 3 x\n1 Q0 a 2 2 x\n")
    plain = hungjury("evaluate", "qrels", "x.run", "-m", "RR", "--topics", "1", cwd=files)
    only = hungjury("evaluate", "qrels", "x.run", "-m", "RR", "--topics", "1", "-J", cwd=files)
    assert (plain.stdout.split()[-1], only.stdout.split()[-1]) == ("0.5000", "1.0000")


def test_names_and_reading_policies(files: Path) -> None:
    (files / "again.run").write_text(ONE)
    clash = hungjury("evaluate", "qrels", "one.run", "again.run", "-m", "AP", cwd=files)
    assert clash.returncode == 2
    assert "--names stem" in clash.stderr
    done = hungjury(
        "evaluate", "qrels", "one.run", "again.run", "-m", "AP", "--names", "stem", cwd=files
    )
    assert {line.split()[0] for line in done.stdout.splitlines()[1:]} == {"one", "again"}
    (files / "twice").write_text(QRELS + "1 0 a 0\n")
    assert hungjury("evaluate", "twice", "one.run", cwd=files).returncode == 2
    done = hungjury("evaluate", "twice", "one.run", "-m", "AP", "--duplicates", "first", cwd=files)
    assert done.stdout.split()[-1] == "0.9167"
    scale = ("--grades", "0-1", "--outside", "clip")
    done = hungjury("evaluate", "qrels", "one.run", "-m", "ERR", *scale, cwd=files)
    assert done.returncode == 0
    assert "1 label outside the declared grades, clipped" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("evaluate", "nowhere", "one.run"), "nowhere: no such file"),
        (("evaluate", "qrels", "one.run", "-m", "nDGC"), "did you mean nDCG"),
        (("evaluate", "qrels", "."), "expected a file, got a directory"),
        (("evaluate", "qrels"), "at least one run"),
        (("evaluate", "qrels", "one.run", "--grades", "x"), "not a scale"),
        (("evaluate", "qrels", "one.run", "--colour"), "No such option"),
        (("evaluate", "one.run", "qrels"), "is this a run?"),
        (("measures", "nope"), "unknown measure 'nope'"),
        (("audit",), ""),
    ],
)
def test_errors_are_one_sentence_and_exit_code_2(
    files: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = hungjury(*arguments, cwd=files)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_output_goes_whole_into_a_file(files: Path) -> None:
    done = hungjury("evaluate", "qrels", "one.run", "-m", "AP", "-o", "out.txt", cwd=files)
    assert done.stdout == ""
    assert "0.9167" in (files / "out.txt").read_text()
    before = (files / "out.txt").read_text()
    hungjury("evaluate", "qrels", "missing.run", "-o", "out.txt", cwd=files)
    assert (files / "out.txt").read_text() == before
    failed = hungjury("evaluate", "qrels", "one.run", "-o", "no/such/folder/x", cwd=files)
    assert failed.returncode == 2
    assert sorted(p.name for p in files.iterdir()) == ["one.run", "out.txt", "qrels", "two.run"]


def test_quiet_says_nothing_on_the_side(files: Path) -> None:
    assert hungjury("evaluate", "qrels", "two.run", "--quiet", cwd=files).stderr == ""


def test_audit_tells_what_is_odd(files: Path) -> None:
    done = hungjury("audit", "qrels", "one.run", "two.run", cwd=files)
    assert "5 documents judged for 2 topics" in done.stdout
    assert "two: no list for 1 judged topic: 2" in done.stdout
    assert "1 of 6 documents in the first 10 ranks are unjudged" in done.stdout


def test_audit_as_json_says_what_the_text_says(files: Path) -> None:
    asked = ("audit", "qrels", "one.run", "two.run")
    text = hungjury(*asked, cwd=files).stdout.splitlines()
    found = json.loads(hungjury(*asked, "--format", "json", cwd=files).stdout)
    told = [n["text"] for n in found["notes"]]
    assert [n["subjects"] for n in found["notes"]] == [["2"], []]
    assert [*found["facts"], "unusual:", *(f"  ! {line}" for line in told)] == text
    assert {(n["kind"], n["count"]) for n in found["notes"]} == {
        ("missing-topic", 1), ("unjudged-document", 1),
    }  # fmt: skip


def test_audit_of_a_clean_collection(files: Path) -> None:
    assert "nothing unusual" in hungjury("audit", "qrels", "one.run", cwd=files).stdout


def test_audit_of_judges_in_one_file(files: Path) -> None:
    (files / "panel").write_text("1 ann a 1\n1 bob a 0\n1 bob b 0\n")
    done = hungjury(
        "audit", "--judges", "panel", "--judge-column", "iteration", "one.run", cwd=files
    )
    assert "3 by 2 judges (ann, bob)" in done.stdout
    assert "1 system (one)" in done.stdout
    alone = hungjury("audit", "--judges", "panel", "one.run", cwd=files)
    assert "--judge-column iteration" in alone.stdout
    pointless = hungjury("audit", "panel", "--judge-column", "iteration", cwd=files)
    assert pointless.returncode == 2
    assert "--without need --judges" in pointless.stderr


def test_measures_lists_the_catalogue_and_one() -> None:
    everything = hungjury("measures").stdout
    assert {"nDCG", "AP", "RBP", "eRAP"} <= {
        line.split()[0] for line in everything.splitlines() if line
    }
    page = hungjury("measures", "RBP").stdout
    assert "persistence ([0, 1); default 0.8)" in page
    assert "(1 - p) Σ_{n≤k} p^(n-1) x_n" in page
    rows = json.loads(hungjury("measures", "--format", "json").stdout)["rows"]
    assert all(row["meaning"] for row in rows)


def test_simulate_writes_the_same_collection_for_the_same_seed(tmp_path: Path) -> None:
    flags = ("--systems", "3", "--topics", "4", "--seed", "7")
    for name in ("a", "b"):
        assert hungjury("simulate", "-o", name, *flags, cwd=tmp_path).returncode == 0
    made = sorted(p.relative_to(tmp_path / "a") for p in (tmp_path / "a").rglob("*") if p.is_file())
    assert len(made) == 1 + 5 + 3 + 1  # gold, judges, runs and checksums
    for name in made:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    done = hungjury("evaluate", "a/gold.qrels", "a/runs/*", "-m", "AP", cwd=tmp_path)
    assert done.stdout.splitlines()[1].startswith("system1")


def test_the_package_can_be_run() -> None:
    call = [sys.executable, "-m", "hungjury", "--version"]
    assert subprocess.run(call, capture_output=True, text=True, check=True).stdout == (
        hungjury("--version").stdout
    )


def test_notes_are_about_the_topics_asked_for(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("7 0 a 1\n8 0 a 0\n9 0 a 1\n")
    (tmp_path / "run").write_text("".join(f"{t} Q0 a 1 1 bm25\n" for t in (7, 8, 9)))
    files = str(tmp_path / "qrels"), str(tmp_path / "run")
    assert "without any relevant document: 8" in hungjury("evaluate", *files, "-m", "AP").stderr
    for call in (
        ["evaluate", *files, "-m", "AP", "--topics", "7"],
        ["curve", *files, "--topic", "7"],
    ):
        assert hungjury(*call).stderr == ""
    both = hungjury("evaluate", *files, "-m", "AP", "--topics", "7,8").stderr
    assert both == "note: 1 topic without any relevant document: 8\n"


def test_completion_and_help() -> None:
    assert "_HUNGJURY_COMPLETE" in hungjury("completion", "bash").stdout
    assert "Examples:" in hungjury("evaluate", "--help").stdout
    shown = hungjury("--version").stdout
    assert shown.startswith("hungjury")
    assert "native code by" in shown


def unread(command: str, streams: str, cwd: Path) -> tuple[int, str, str]:
    """Exit code and streams of a command, where some streams are a pipe that nobody reads."""
    end, pipe = os.pipe()
    os.close(end)
    call = f"'{sys.executable}' -c 'from hungjury.cli.main import main; main()' {command} {streams}"
    done = subprocess.run(
        ["bash", "-c", call.replace("PIPE", str(pipe))],
        capture_output=True, text=True, check=False, cwd=cwd, pass_fds=[pipe],
    )  # fmt: skip
    os.close(pipe)
    return done.returncode, done.stdout, done.stderr


TOLD = "evaluate qrels one.run two.run -m AP"  # a note on stderr, a table on stdout


@pytest.mark.parametrize(
    ("command", "code", "streams"),
    [(TOLD, 0, ">&PIPE"), (TOLD, 0, "2>&PIPE"), ("--help", 0, ">&PIPE"),
     ("evaluate", 2, "2>&PIPE"), ("evaluate no such", 2, ">&PIPE 2>&PIPE")],
)  # fmt: skip
def test_a_reader_that_goes_away_is_no_error(
    command: str, code: int, streams: str, files: Path
) -> None:
    full = hungjury(*command.split(), cwd=files)
    shown = "" if streams.startswith(">") else full.stdout
    said = "" if "2>" in streams else full.stderr
    assert full.returncode == code
    assert unread(command, streams, files) == (code, shown, said)


def test_files_are_written_when_nobody_reads_the_rest(files: Path) -> None:
    command = "prm --judges j1 --judges j2 --rel 1 --draws 20 --qrels qrels --soft soft.qrels"
    for name in ("j1", "j2"):
        (files / name).write_text(QRELS)
    assert unread(command, ">&PIPE 2>&PIPE", files) == (0, "", "")
    assert len((files / "soft.qrels").read_text().splitlines()) == QRELS.count("\n")


def test_theory_commands(tmp_path: Path) -> None:
    assert "less" in hungjury("theory", "order", "0,1", "1,1").stdout
    assert hungjury("theory", "balancing", "AP", "--length", "10").stdout.split()[-1] == "7"
    assert "swap: proved (thesis" in hungjury("theory", "axioms", "AP", "--length", "3").stdout
    assert hungjury("theory", "order", "0,x", "1,1").returncode == 2
