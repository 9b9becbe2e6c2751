"""What went wrong, in the words of the command line."""

from __future__ import annotations

import re
from collections.abc import Container

import click

from hungjury.errors import HungjuryError

_GIVEN = re.compile(r"""\b([a-z_]+)=(?:"([\w.-]+)"|'([\w.-]+)'|(?=[\s,;]|$))""")


def complaint(error: HungjuryError, options: Container[str]) -> str:
    """An error of the library; arguments that its remedy names are written as options."""
    if error.remedy is None:
        return str(error)

    def as_option(match: re.Match[str]) -> str:
        name, value = match[1], match[2] or match[3] or ""
        return f"--{name.replace('_', '-')} {value}".rstrip() if name in options else match[0]

    remedy = _GIVEN.sub(as_option, error.remedy)
    if "grades" in options:
        remedy = re.sub(r"\bgrades=range\((\d+)\)", lambda m: f"--grades 0-{int(m[1]) - 1}", remedy)
    remedy = remedy.replace("read_judgments", "commands with --judges")
    if remedy != error.remedy:
        remedy = re.sub(r'"([\w.-]+)"', r"\1", remedy)  # the other choices, such as "last"
    return str(error).removesuffix(error.remedy) + remedy


def usage(error: click.UsageError) -> click.UsageError:
    """Files that a shell made of a pattern are no arguments: say what to do about it."""
    found = re.fullmatch(r"Got unexpected extra arguments? \((.*)\)", error.message, re.S)
    if found is None:
        return error
    words = found[1].split(" ")
    more = f" (and {len(words) - 1} more)" if len(words) > 1 else ""
    return click.UsageError(
        f"'{words[0]}'{more} belongs to no option. Repeat an option for each of its values, and "
        "put patterns in quotes, so that the shell leaves them alone: --runs 'runs/*'",
        error.ctx,
    )
