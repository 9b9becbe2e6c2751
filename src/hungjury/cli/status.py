"""hungjury status, diff and rerun: results that were kept, and what has changed since"""

from __future__ import annotations

import json
import os
import re
import sys
from contextlib import redirect_stdout
from io import StringIO
from tempfile import TemporaryDirectory

import click

from hungjury.base.errors import InputError, plural
from hungjury.base.files import PROJECT
from hungjury.cli import options
from hungjury.cli.output import Output, deliver

MOST_SHOWN = 20
OUTPUTS = {"-o", "--output", "--plot", "--picture", "--plot-width"}
OF_REPORTS = {"--report", "--title", "--author", "--dataset", "--queries", "--documents"}
PAGE = "<!doctype html>"


@click.command("status")
@options.option("--project FILE", "Project file.", default=PROJECT)
def status_command(project: str) -> None:
    """Show a project: what there is, what changed since the last result, what to do next.

    \b
    Examples:
      hungjury status
    """
    from hungjury.projects.history import changed_inputs, kept, read_result
    from hungjury.projects.project import Project, files_of

    found = Project(project)
    lines = [f"project {found.path}"]
    files: set[str] = set()
    for name, collection in found.collections.items():
        there = files_of(collection)
        files |= {os.path.relpath(file) for group in there.values() for file in group}
        counts = ", ".join(f"{key} {len(group)}" for key, group in there.items())
        lines.append(f"collection {name}: {counts} (files)")
        lines += [
            f"  missing: {file}"
            for group in there.values() for file in group if not os.path.exists(file)
        ]  # fmt: skip
    past = kept(found.results)
    boards = kept(found.results, "leaderboard")
    step = "hungjury leaderboard" + ("" if project == PROJECT else f" --project {project}")
    if not boards:
        lines += ["no leaderboard yet", f"next: {step}"]
    else:
        record = read_result(boards[-1])["provenance"]
        changed = changed_inputs(record)
        known = {one["path"] for one in record["inputs"]}
        changed += [f"{file} is new" for file in sorted(files - known) if os.path.exists(file)]
        lines.append(f"{plural(len(past), 'result')} kept; last leaderboard: {boards[-1]}")
        lines += [f"  since then: {text}" for text in changed]
        if changed:
            lines.append(f"next: {step}")
        elif len(boards) > 1:
            lines.append(f"next: hungjury diff {boards[-2]} {boards[-1]}")
        else:
            lines.append("nothing has changed since")
    deliver("\n".join(lines), None)


@click.command("diff", no_args_is_help=True)
@click.argument("old", metavar="FILE")
@click.argument("new", metavar="FILE")
@options.results("text", "json")
def diff_command(old: str, new: str, out: Output) -> None:
    """Say in words what changed between two leaderboards.

    Exit code 0: nothing that was decided has changed. 1: something has. 2: an error, such as
    leaderboards by different measures.

    \b
    Examples:
      hungjury diff results/20260105T090000-leaderboard-1f2e3d4c.json new.json
    """
    from hungjury.projects.history import diff

    found = diff(old, new)
    out.write(found)
    if found.decided:
        raise SystemExit(1)


@click.command("rerun", no_args_is_help=True)
@click.argument("file", metavar="FILE")
def rerun_command(file: str) -> None:
    """Repeat the command that made a result, and say what differs.

    FILE is a result in JSON, a report, or a CSV or LaTeX file with its provenance beside it. Exit
    code 0: nothing differs. 1: inputs, the version or numbers differ. 2: an error.

    \b
    Examples:
      hungjury leaderboard --judges 'judges/*' --runs 'runs/*' -o board.json
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
