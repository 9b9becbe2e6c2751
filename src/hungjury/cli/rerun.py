"""hungjury rerun"""

from __future__ import annotations

import os
import sys
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import click

from hungjury.cli.output import deliver

MOST_SHOWN = 20


@click.command("rerun", no_args_is_help=True)
@click.argument("file", metavar="FILE")
def rerun_command(file: str) -> None:
    """Repeat the command that made a result, and say what differs.

    FILE is a result in JSON, or a CSV or LaTeX file with its provenance beside it. Exit code 0:
    nothing differs. 1: inputs, the version or numbers differ. 2: an error.

    \b
    Examples:
      hungjury leaderboard --judges 'judges/*' --runs 'runs/*' --format json -o board.json
      hungjury rerun board.json
    """
    from hungjury import __version__
    from hungjury.projects.history import changed_inputs, moved_numbers, read_result

    old, here = read_result(file), os.getcwd()
    record, folder = old["provenance"], old.get("made", {}).get("folder", "")
    file = os.path.abspath(file)
    if not all(os.path.exists(one["path"]) for one in record["inputs"]) and os.path.isdir(folder):
        os.chdir(folder)  # where the command was given
        click.get_current_context().call_on_close(lambda: os.chdir(here))
    differs = changed_inputs(record)
    if record["hungjury"] != __version__:
        differs.append(f"hungjury {record['hungjury']} made it, this is {__version__}")
    content = [key for key in old if key not in ("provenance", "made")]
    new = _again(record["command"], as_json=bool(content))
    if content:
        moved = moved_numbers(old, new)
        differs += moved[:MOST_SHOWN]
        if len(moved) > MOST_SHOWN:
            differs.append(f"{len(moved) - MOST_SHOWN} more values differ")
    elif _text(file) != new["text"]:
        differs.append("the text differs")
    deliver("\n".join(differs) if differs else "Nothing differs.", None)
    if differs:
        raise SystemExit(1)


def _text(file: str) -> str:
    with open(file, encoding="utf-8", errors="surrogateescape") as stream:
        return stream.read()


def _again(words: list[str], as_json: bool) -> dict[str, Any]:
    """Run a command again: its result as JSON, or as text where it was another format."""
    import json

    from hungjury.cli.main import hungjury

    words = [*_without(words[1:], as_json), "--quiet", *(["--format", "json"] if as_json else [])]
    shown, argv = StringIO(), sys.argv
    sys.argv = ["hungjury", *words]
    try:
        with redirect_stdout(shown):
            hungjury.main(words, standalone_mode=False, obj="rerun")  # which keeps nothing
    except SystemExit:  # a gate that does not pass
        pass
    finally:
        sys.argv = argv
    text = shown.getvalue()
    found: dict[str, Any] = json.loads(text) if text.lstrip().startswith("{") else {"text": text}
    return found


def _without(words: list[str], formats: bool) -> list[str]:
    """Leave out where files were written, and the format where another one is needed."""
    dropped = {"-o", "--output", "--report", "--plot"} | ({"--format"} if formats else set())
    kept, skip = [], False
    for word in words:
        name = word.partition("=")[0]
        if skip:
            skip = False
        elif name in dropped:
            skip = "=" not in word
        elif word != "--quiet":
            kept.append(word)
    return kept
