"""A page for each command, made from what `--help` knows."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterator

import click

from hungjury.cli.main import hungjury
from site_tools.parts import escaped

TOP = """\
# Commands

Results go to stdout or to `-o FILE`, which is written whole or not at all; everything else goes
to stderr. An error names the file, the line and a remedy, and ends with exit code 2. `eval
"$(hungjury completion bash)"` turns on Tab.

| command | what it does |
|---|---|
"""


def command_pages() -> dict[str, str]:
    """Markdown by page name; `index` lists the others."""
    found = dict(_commands(hungjury, click.Context(hungjury, info_name="hungjury")))
    pages = {name.replace(" ", "-"): _page(name, *one) for name, one in found.items()}
    rows = [
        f"| [`{name}`]({name.replace(' ', '-')}.md) | {escaped(_text(one).split('. ')[0])} |"
        for name, (one, _) in found.items()
    ]
    toc = ["", "```{toctree}", ":hidden:", "", *pages, "```", ""]
    return {"index": TOP + "\n".join(rows + toc), **pages}


def _commands(
    group: click.Group, context: click.Context, before: str = ""
) -> Iterator[tuple[str, tuple[click.Command, click.Context]]]:
    """Commands in the order of the command line's own list; groups are opened."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None:
            continue
        inside = click.Context(command, info_name=name, parent=context)
        if isinstance(command, click.Group):
            yield from _commands(command, inside, f"{before}{name} ")
        else:
            yield before + name, (command, inside)


def _text(command: click.Command) -> str:
    """What a command does, without its examples."""
    return " ".join(inspect.cleandoc(command.help or "").split("\b")[0].split())


def _page(name: str, command: click.Command, context: click.Context) -> str:
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [
        f"# {name}",
        "",
        escaped(_text(command)),
        "",
        "```text",
        f"hungjury {name} {usage}",
        "```",
    ]
    for example in inspect.cleandoc(command.help or "").split("\b\n")[1:]:
        title, _, body = example.split("\n\n")[0].partition("\n")
        lines += ["", title, "", "```sh", textwrap.dedent(body), "```"]
    records = [p.get_help_record(context) for p in command.get_params(context)]
    lines += ["", "## Options", ""]
    for names, meaning in filter(None, records):
        lines += [f"`{names}`", f": {escaped(' '.join(meaning.split())) or '–'}", ""]
    return "\n".join(lines)
