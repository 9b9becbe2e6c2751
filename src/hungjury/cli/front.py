"""The help of the whole program, which is shown without click: importing it takes longest."""

from __future__ import annotations

import os
import re

ABOUT = """Retrieval evaluation for when the judges disagree.

\b
First steps:
  hungjury evaluate qrels.txt 'runs/*' -m nDCG@10 -m AP
  hungjury leaderboard --judges 'judges/*' --runs 'runs/*' -m nDCG@10
  hungjury audit qrels.txt 'runs/*'
  hungjury measures
"""
OPTIONS = {
    "--version": "Show the version and how it was built, and exit.",
    "-h, --help": "Show this message and exit.",
}
WIDEST = 100

_SUMMARY = re.compile(r'^def (\w+)_command\(.*?\n    """(.*?)(?:\n\n|""")', re.M | re.S)


def summaries() -> dict[str, str]:
    """Return the first sentence of every command's help; importing them all would take long."""
    found: dict[str, str] = {}
    for file in sorted(os.listdir(os.path.dirname(__file__))):
        if file.endswith(".py"):
            with open(os.path.join(os.path.dirname(__file__), file), encoding="utf-8") as source:
                for name, text in _SUMMARY.findall(source.read()):
                    found[name.replace("_", "-")] = " ".join(text.split())
    return dict(sorted(found.items()))


def front_page(program: str) -> str:
    """Return what `program --help` prints, laid out as click does it for a command."""
    from shutil import get_terminal_size
    from textwrap import fill, indent

    width = max(min(get_terminal_size().columns, WIDEST) - 2, 50)

    def hanging(head: str, text: str) -> str:
        return fill(text, width, initial_indent=head, subsequent_indent=" " * len(head))

    about, steps = ABOUT.split("\n\n\b\n")
    parts = [hanging(f"Usage: {program} ", "[OPTIONS] COMMAND [ARGS]...")]
    parts += [fill(about, width, initial_indent="  ", subsequent_indent="  ")]
    parts += [indent(steps.rstrip(), "  ")]
    for heading, rows in (("Options", OPTIONS), ("Commands", summaries())):
        longest = max(map(len, rows))
        lines = (hanging(f"  {name:<{longest}}  ", text) for name, text in rows.items())
        parts += ["\n".join((f"{heading}:", *lines))]
    return "\n\n".join(parts)
