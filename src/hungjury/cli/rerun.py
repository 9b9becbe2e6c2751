"""hungjury rerun"""

from __future__ import annotations

import json
import os
import re
import sys
from contextlib import redirect_stdout
from io import StringIO
from tempfile import TemporaryDirectory

import click

from hungjury.base.errors import InputError
from hungjury.cli.output import deliver

MOST_SHOWN = 20
OUTPUTS = {"-o", "--output", "--plot", "--picture", "--plot-width"}
OF_REPORTS = {"--report", "--title", "--author", "--dataset", "--queries", "--documents"}
PAGE = "<!doctype html>"


@click.command("rerun", no_args_is_help=True)
@click.argument("file", metavar="FILE")
def rerun_command(file: str) -> None:
    """Repeat the command that made a result, and say what differs.

    FILE is a result in JSON, a report, or a CSV or LaTeX file with its provenance beside it. Exit
    code 0: nothing differs. 1: inputs, the version or numbers differ. 2: an error.

    \b
    Examples:
      hungjury leaderboard --judges 'judges/*' --runs 'runs/*' --format json -o board.json
      hungjury rerun board.json
    """
    from hungjury import __version__
    from hungjury.projects.history import changed_inputs, moved_numbers, read_result

    old, here = read_result(file), os.getcwd()
    record = old["provenance"]
    folder = {**record, **old}.get("made", {}).get("folder", "")
    if record["command"][:1] != ["hungjury"]:
        raise InputError(
            f"this result was made in Python: {record['command'][0]}", code="made-in-python",
            file=file, remedy="repeat this call, and compare both with hj.diff",
        )  # fmt: skip
    file = os.path.abspath(file)
    if not all(os.path.exists(one["path"]) for one in record["inputs"]) and os.path.isdir(folder):
        os.chdir(folder)  # where the command was given
        click.get_current_context().call_on_close(lambda: os.chdir(here))
    differs = changed_inputs(record)
    if record["hungjury"] != __version__:
        differs.append(f"hungjury {record['hungjury']} made it, this is {__version__}")
    if any(key not in ("provenance", "made") for key in old):
        moved = moved_numbers(old, json.loads(_again(record["command"], "--format", "json")))
        differs += moved[:MOST_SHOWN]
        if len(moved) > MOST_SHOWN:
            differs.append(f"{len(moved) - MOST_SHOWN} more values differ")
    elif _text(file).startswith(PAGE):
        with TemporaryDirectory() as place:
            page = os.path.join(place, "page.html")
            _again(record["command"], "--report", page)
            if _bare(_text(file)) != _bare(_text(page)):
                differs.append("the report differs")
    elif _text(file) != _again(record["command"]):
        differs.append("the text differs")
    deliver("\n".join(differs) if differs else "Nothing differs.", None)
    if differs:
        raise SystemExit(1)


def _text(file: str) -> str:
    with open(file, encoding="utf-8", errors="surrogateescape") as stream:
        return stream.read()


def _bare(page: str) -> str:
    """Return a report without its date, its history and how it was made."""
    from hungjury.projects.history import IN_PAGE

    for name in ("audit", "history"):
        page = re.sub(f'<section aria-labelledby="{name}">.*?</section>', "", page, flags=re.S)
    page = re.sub('<a href="#history">.*?</a>', "", page)
    return re.sub(f"{IN_PAGE.pattern}|<time.*?</time>", "", page, flags=re.S).replace("\n", "")


def _again(words: list[str], *how: str) -> str:
    """Run a command again, in another format or with another output, and return what it prints."""
    from hungjury.cli.main import hungjury

    dropped = OUTPUTS | set(how[:1]) | (set() if "--report" in how else OF_REPORTS)
    kept, skip = [], False
    for word in words[1:]:
        name = word.partition("=")[0]
        if skip:
            skip = False
        elif name in dropped:
            skip = "=" not in word
        elif word != "--quiet":
            kept.append(word)
    shown, argv = StringIO(), sys.argv
    sys.argv = ["hungjury", *kept, "--quiet", *how]
    try:
        with redirect_stdout(shown):
            hungjury.main(sys.argv[1:], standalone_mode=False, obj="rerun")  # which keeps nothing
    except SystemExit:  # a gate that does not pass
        pass
    finally:
        sys.argv = argv
    return shown.getvalue()
