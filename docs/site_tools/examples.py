"""Examples in the pages, run as they stand.

A page with `<!-- examples: run -->` promises that its examples work and print what it shows. With
`<!-- examples: run after `COMMAND` -->` the command makes what they need. In such a page

- a `console` block holds commands behind `$ ` and what they print;
- a `python` block is run; a `text` block right below it is what it prints;
- code in blocks of another kind, such as `sh` and `py`, is not run;
- a line `...` in an output means any number of lines.

All examples of a page share a folder and, in Python, their variables.
`python docs/site_tools/examples.py` checks all pages; with `--update` it writes into them what is
printed today.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[1]
_PROMISE = re.compile(r"<!-- examples: run(?: after `(?P<setup>.+?)`)? -->")
_BLOCK = re.compile(
    r"^```(?P<kind>console|python)\n(?P<body>.*?)^```\n(?:\n```text\n(?P<printed>.*?)^```\n)?",
    re.S | re.M,
)
_SHELL = re.compile(r"[|<>&;]")


def pages_with_examples() -> list[Path]:
    """Pages that promise that their examples work."""
    found = sorted(DOCS.rglob("*.md"))
    return [p for p in found if "_build" not in p.parts and _PROMISE.search(p.read_text("utf-8"))]


def differences(page: Path) -> Iterator[tuple[str, str, str]]:
    """(example, what the page shows, what is printed) wherever they differ."""
    for example, shown, printed in _run(page):
        if not _matches(shown, printed):
            yield example, shown, printed


def update(page: Path) -> int:
    """Write into a page what its examples print today; how many have changed."""
    text = page.read_text(encoding="utf-8")
    changed = 0
    for example, shown, printed in list(differences(page)):
        if example.startswith("$ "):
            old, new = f"{example}\n{shown}", f"{example}\n{printed}"
        else:
            old, new = f"```text\n{shown}```", f"```text\n{printed}```"
        assert old in text, f"{page}: cannot find what {example} shows"
        text = text.replace(old, new, 1)
        changed += 1
    page.write_text(text, encoding="utf-8")
    return changed


def make(page: Path, wanted: str, target: Path) -> None:
    """Run the commands of a page up to the one that writes `wanted`, and keep that file."""
    target.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, _within(folder), _catalogues():
        blocks = _BLOCK.finditer(page.read_text(encoding="utf-8"))
        commands = (c for b in blocks if b["kind"] == "console" for c, _ in _commands(b["body"]))
        for command in commands:
            # Those that only show something make nothing that another one needs.
            if " -o " in command:
                _command(command)
            if Path(wanted).exists():
                break
        shutil.copyfile(wanted, target)


def pictures(page: Path, target: Path) -> None:
    """Run the Python examples of a page, and keep the pictures that they save."""
    target.mkdir(parents=True, exist_ok=True)
    names: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, _within(folder), _catalogues():
        for block in _BLOCK.finditer(page.read_text(encoding="utf-8")):
            if block["kind"] == "python":
                _python(block["body"], names)
        for picture in Path(folder).glob("*.svg"):
            shutil.copyfile(picture, target / picture.name)


def _run(page: Path) -> Iterator[tuple[str, str, str]]:
    """Every example of a page with what it shows and what it prints."""
    text = page.read_text(encoding="utf-8")
    promise = _PROMISE.search(text)
    assert promise is not None, f"{page} promises no examples"
    names: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, _within(folder), _catalogues():
        if promise["setup"]:
            _command(promise["setup"])
        for block in _BLOCK.finditer(text):
            if block["kind"] == "python":
                printed = _python(block["body"], names)
                if block["printed"] is not None:
                    yield block["body"].strip(), block["printed"], printed
            else:
                for command, shown in _commands(block["body"]):
                    yield f"$ {command}", shown, _command(command)


@contextmanager
def _catalogues() -> Iterator[None]:
    """What a page adds to the catalogues is gone after it."""
    from hungjury.data.reading.formats import FORMATS
    from hungjury.judges import merge  # noqa: F401  fills the catalogue of merges
    from hungjury.judges.merge_types import MERGES
    from hungjury.measures.catalogue import CATALOGUE

    before, formats = [(one, dict(one._classes)) for one in (CATALOGUE, MERGES)], FORMATS[:]
    try:
        yield
    finally:
        for one, classes in before:
            one._classes.clear()
            one._classes.update(classes)
        FORMATS[:] = formats


@contextmanager
def _within(folder: str) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _commands(body: str) -> Iterator[tuple[str, str]]:
    """Commands of a console block, each with what it shows."""
    for part in re.split(r"^\$ ", body, flags=re.M)[1:]:
        lines = part.splitlines(keepends=True)
        last = next(i for i, line in enumerate(lines) if not line.endswith("\\\n"))
        yield "".join(lines[: last + 1]).rstrip("\n"), "".join(lines[last + 1 :])


def _command(command: str) -> str:
    """What a command prints, errors and notes included; hungjury runs in this process."""
    if not command.startswith("hungjury ") or _SHELL.search(re.sub(r"'.*?'|\".*?\"", "", command)):
        return _shell(command)
    from hungjury.cli.main import main

    before, columns = sys.argv, os.environ.get("COLUMNS")
    sys.argv, os.environ["COLUMNS"] = shlex.split(command.replace("\\\n", " ")), "100"
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    try:
        with redirect_stdout(out), redirect_stderr(out):
            main()
    except SystemExit as end:
        if end.code not in (0, 1, 2, None):
            raise
    finally:
        sys.argv = before
        os.environ.pop("COLUMNS") if columns is None else os.environ.update(COLUMNS=columns)
    out.seek(0)
    return _whole_lines(out.read())


def _shell(command: str) -> str:
    beside = str(Path(sys.executable).parent)
    done = subprocess.run(
        ["sh", "-e", "-c", command],
        env={**os.environ, "COLUMNS": "100", "PATH": f"{beside}{os.pathsep}{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    )
    return _whole_lines(done.stdout)


def _python(code: str, names: dict[str, Any]) -> str:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with redirect_stdout(out):
        exec(code, names)
    out.seek(0)
    return _whole_lines(out.read())


def _whole_lines(text: str) -> str:
    """Without blanks at the ends of lines, which editors remove from pages."""
    return "".join(line.rstrip() + "\n" for line in text.rstrip().splitlines())


def _matches(shown: str, printed: str) -> bool:
    pattern = "".join(
        "(?:.*\n)*" if line == "..." else re.escape(line) + "\n" for line in shown.splitlines()
    )
    return re.fullmatch(pattern, printed) is not None


def main() -> None:
    wanted = "--update" in sys.argv
    failed = False
    for page in pages_with_examples():
        if wanted:
            print(f"{page.relative_to(DOCS)}: {update(page)} examples changed")
            continue
        for example, shown, printed in differences(page):
            failed = True
            print(f"{page.relative_to(DOCS)}: {example}\n--- shown\n{shown}--- printed\n{printed}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
