"""Files of every kind that any command writes: through links, keeping modes, whole or not at all.

And JSON of every command, without numbers that JSON lacks.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

import hungjury
from builders.commands import (
    COMMANDS,
    FILES,
    PANEL,
    SAMPLES,
    add_ranker,
    invoke,
    run,
    sample_files,
    simulate,
)
from hungjury.base.errors import HungjuryError, InputError
from hungjury.cli.options import OUTPUTS

FOLDERS = {"simulate -o", *(f"{name} -o" for name in COMMANDS if name.startswith("study "))}
DATABASES = {"label -o"}  # never replaced: what is in it is kept


def outputs() -> list[str]:
    """'leaderboard --report': every option of every command that names a file to write."""
    found = [
        f"{name} {option.opts[0]}"
        for name, command in COMMANDS.items()
        for option in command.params
        if getattr(option.type, "func", None) in OUTPUTS or option.name == "output"
    ]
    return [one for one in found if one not in FOLDERS | DATABASES]


ENDINGS = {
    "agreement --plot": "svg",
    "clicks --plot": "svg",
    "compare --plot": "svg",
    "compare-rankers --plot": "svg",
    "curve -o": "csv",
    "evaluate --plot": "png",
    "leaderboard --plot": "svg",
    "leaderboard --report": "html",
    "merge --plot": "svg",
    "prm --plot": "pdf",
    "theory figure -o": "svg",
    "train --plot": "svg",
}
DRAWN = {f"{name} --plot" for name in ("agreement", "compare", "evaluate", "leaderboard", "merge")}
STARTS = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF", "html": b"<!doctype html>"}
INPUTS = {  # a file that the command reads
    "clicks": "clicks.csv",
    "diff": "board.json",
    "label": "labels.db",
    "rank": "ranker.json",
    "train": "fold/train.txt",
}


def words_for(output: str) -> list[str]:
    """The command, ready for the name of the file."""
    command, option = output.rsplit(" ", 1)
    words = list(SAMPLES[command])
    if command in ("train", "theory figure", "label"):
        at = next(i for i, word in enumerate(words) if word in ("-o", "--export"))
        if option in ("-o", "--export"):
            del words[at : at + 2]
    if output == "prm --soft":
        words += ["--qrels", "gold.qrels"]
    quiet = [] if command.startswith("theory") else ["--quiet"]
    return [*command.split(), *words, *quiet, option]


def needs(output: str) -> None:
    """Skip where an optional package is missing."""
    command = output.rsplit(" ", 1)[0]
    if ENDINGS.get(output) in ("svg", "png", "pdf"):
        pytest.importorskip("matplotlib")
    if command in ("train", "rank", "compare-rankers"):
        pytest.importorskip("lightgbm")
    if command == "clicks":
        pytest.importorskip("duckdb")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = sample_files(tmp_path_factory.mktemp("outputs") / "demo")
    try:
        import lightgbm  # noqa: F401

        add_ranker(folder)
    except ImportError:
        pass
    return folder


@pytest.fixture
def here(prepared: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(prepared)
    return prepared


def test_every_command_has_a_sample() -> None:
    assert SAMPLES.keys() == COMMANDS.keys()
    assert len(outputs()) > 20


def test_nothing_else_writes_files() -> None:
    """All files go through `write_whole`, except copies of inputs for engines that need a path."""
    root = Path(hungjury.__file__).parent
    writing = re.compile(r"""open\([^)]*["'][wax]b?["']|write_text\(|write_bytes\(""")
    found = {
        str(path.relative_to(root))
        for path in root.rglob("*.py")
        if writing.search(re.sub("(?m)^ *>>> .*", "", path.read_text(encoding="utf-8")))
    }
    assert found == {"base/files.py", "users/readers.py", "cli/output.py"}


TEXTS = [o for o in outputs() if o.endswith((" -o", " --export")) and o != "theory figure -o"]


@pytest.mark.usefixtures("laid_out")
@pytest.mark.parametrize("output", outputs())
def test_a_link_stays_a_link_a_mode_a_mode_and_a_dash_is_stdout(
    here: Path, tmp_path: Path, output: str
) -> None:
    needs(output)
    ending = ENDINGS.get(output, "txt")
    real, link = tmp_path / "real", tmp_path / f"link.{ending}"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    words = words_for(output)
    run(*words, str(link))
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    content = real.read_bytes()
    assert content != b"old"
    assert content.startswith(STARTS.get(ending, b""))
    assert sorted(path.name for path in tmp_path.iterdir()) == [link.name, "real"]
    if output in TEXTS:
        assert run(*words, "-") == content.decode()
        assert not (here / "-").exists()


# All files are written by one function, which the test above and the one of its name see to.
KINDS = ["evaluate -o", "curve -o", "merge --plot", "evaluate --plot", "prm --plot", "prm --soft",
         "leaderboard --report", "label --export"]  # fmt: skip


@pytest.mark.usefixtures("laid_out")
@pytest.mark.parametrize("output", KINDS)
def test_a_file_that_cannot_be_written_stays_as_it_was(
    here: Path, tmp_path: Path, output: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs(output)
    old = tmp_path / f"old.{ENDINGS.get(output, 'txt')}"
    old.write_text("old")

    def full(beside: str, target: str, move: Any = os.replace) -> None:
        if Path(target) == old:
            raise OSError(errno.ENOSPC, "No space left on device")
        move(beside, target)

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(InputError, match="No space left on device") as caught:
        run(*words_for(output), str(old))
    assert caught.value.file == str(old)
    assert old.read_text() == "old"
    assert list(tmp_path.iterdir()) == [old]


@pytest.mark.parametrize("output", [one for one in KINDS if one != "leaderboard --report"])
def test_a_fifo_is_written_into(here: Path, tmp_path: Path, output: str) -> None:
    needs(output)
    pipe, got = tmp_path / f"pipe.{ENDINGS.get(output, 'txt')}", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()), daemon=True)
    reader.start()
    run(*words_for(output), str(pipe))
    reader.join(20)
    assert got
    assert got[0].startswith(STARTS.get(ENDINGS.get(output, "txt"), b""))
    assert stat.S_ISFIFO(pipe.stat().st_mode)


READING = [o for o in outputs() if not o.startswith(("theory figure", "compare-rankers"))]


@pytest.mark.parametrize("output", READING)
def test_an_input_is_not_overwritten(here: Path, output: str) -> None:
    needs(output)
    command = output.rsplit(" ", 1)[0]
    runs = PANEL[-1] in SAMPLES[command]
    read = Path(INPUTS.get(command) or next(Path("runs" if runs else "judges").iterdir()))
    before = read.read_bytes()
    same = Path(f"same.{ENDINGS.get(output, 'txt')}")
    os.link(read, same)
    try:
        with pytest.raises(InputError, match="it is an input"):
            run(*words_for(output), str(same))
    finally:
        same.unlink()
    assert read.read_bytes() == before


def test_a_file_in_a_folder_of_inputs_is_not_overwritten(here: Path) -> None:
    pytest.importorskip("lightgbm")
    before = Path("fold/train.txt").read_bytes()
    with pytest.raises(InputError, match="it is an input"):
        run(*words_for("compare-rankers -o"), "fold/train.txt")
    assert Path("fold/train.txt").read_bytes() == before


def test_what_is_written_beside_a_result_needs_a_file(here: Path) -> None:
    beside = [o for o in outputs() if o not in TEXTS and o != "theory figure -o"]
    assert len(beside) > 5
    for output in beside:
        done = invoke(*words_for(output), "-")
        assert done.exit_code == (0 if output in DRAWN else 2), output
        assert not (here / "-").exists()
        if output in DRAWN:
            assert re.search("[●█▒─]", done.stdout), output


@pytest.mark.parametrize("name", ["simulate", pytest.param("study prm", marks=pytest.mark.long)])
def test_folders_of_results_are_written_file_by_file(
    here: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [*name.split(), *SAMPLES[name], "--quiet"]
    words[words.index("-o") + 1] = str(tmp_path / "out")
    run(*words)
    files = sorted(
        p for p in (tmp_path / "out").rglob("*") if p.is_file() and p.suffix != ".sqlite"
    )
    changed = files[0]
    text = changed.read_bytes()
    kept = tmp_path / "kept"
    # A simulation replaces only what it wrote.
    kept.write_bytes(text if name == "simulate" else b"old")
    kept.chmod(0o640)
    changed.unlink()
    changed.symlink_to(kept)
    run(*words)
    assert changed.is_symlink()
    assert kept.read_bytes() == text
    assert stat.S_IMODE(kept.stat().st_mode) == 0o640

    def full(*_names: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(InputError, match="No space left on device"):
        run(*words)
    assert kept.read_bytes() == text
    assert sorted(p for p in (tmp_path / "out").rglob("*") if p.name[0] == ".") == []


JSON = {
    "evaluate": [*FILES, "-q", "-m", "AP", "-m", "nDCG@10", "-m", "ERR", "-m", "Bpref"],
    "compare": [*FILES, "-m", "AP"],
    "leaderboard": [*PANEL, "--draws", "100"],
    "agreement": ["--judges", "judges/*"],
    "aware": [*PANEL],
    "prm": ["--judges", "judges/*", "--rel", "1", "--draws", "20"],
    "audit": [*FILES],
    "measures": [],
    "gate": SAMPLES["gate"],
}
ODD: dict[str, dict[str, int]] = {
    "usual": {},
    "one topic": {"topics": 1},
    "one system": {"systems": 1},
}


def refuse(constant: str) -> Any:
    raise AssertionError(f"{constant} is not JSON")


@pytest.fixture(scope="module")
def collections(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("odd")
    out = {name: root / name.replace(" ", "-") for name in [*ODD, "one judge", "nothing relevant"]}
    for name, size in ODD.items():
        simulate(out[name], **size)
    for name in ("one judge", "nothing relevant"):
        simulate(out[name])
    for path in sorted((out["one judge"] / "judges").iterdir())[1:]:
        path.unlink()
    empty = out["nothing relevant"]
    for path in [empty / "gold.qrels", *(empty / "judges").iterdir()]:
        lines = [line.split()[:3] for line in path.read_text().splitlines()]
        path.write_text("".join(f"{' '.join(words)} 0\n" for words in lines))
    return out


@pytest.mark.parametrize("kind", [*ODD, "one judge", "nothing relevant"])
@pytest.mark.parametrize("name", JSON)
def test_json_has_no_numbers_that_json_lacks(
    collections: dict[str, Path], monkeypatch: pytest.MonkeyPatch, name: str, kind: str
) -> None:
    """A result whose numbers are numbers or null, or an error that says what to do."""
    monkeypatch.chdir(collections[kind])
    refused: HungjuryError | None = None
    try:
        assert json.loads(run(name, *JSON[name], "--format", "json"), parse_constant=refuse)
    except HungjuryError as error:
        refused = error
    assert refused is None or (kind != "usual" and refused.remedy)


@pytest.mark.parametrize(
    ("name", "part"),
    [("s.csv", "system,nDCG@10"), ("s.JSON", '"nDCG@10"'), ("s.tex", "\\begin{tabular}"),
     ("s.md", "| :--- |"), ("s.html", "<table"), ("s.txt", "system   nDCG@10")],
)  # fmt: skip
def test_the_name_of_a_file_tells_its_format(here, tmp_path, name, part):
    run("evaluate", *FILES, "-m", "nDCG@10", "-o", str(tmp_path / name))
    assert part in (tmp_path / name).read_text()


def test_a_format_that_was_asked_for_wins(here, tmp_path):
    file = tmp_path / "s.csv"
    run("evaluate", *FILES, "-m", "nDCG@10", "--format", "json", "-o", str(file))
    assert json.loads(file.read_text())["measures"] == ["nDCG@10"]


def test_names_of_formats_that_a_command_does_not_write_are_refused(here):
    result = invoke("audit", *PANEL, "-o", "audit.csv")
    assert result.exit_code == 2
    assert "cannot write csv; choose another name for -o, or --format" in result.output
    assert not (here / "audit.csv").exists()
