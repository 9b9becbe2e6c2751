"""A page for each command, and one that lists them all.

`site_tools.commands:NAME` is the command that sphinx-click documents, with all its options.
"""

from __future__ import annotations

import click

from hungjury.cli.main import hungjury, summaries
from site_tools.parts import toctree

COMMANDS = summaries()
TOP = """\
# Commands

Results go to stdout or to `-o FILE`; everything else goes to stderr. An error names the file, the
line and a remedy, and exits with code 2. `eval "$(hungjury completion bash)"` turns on completion.
"""


def command_pages() -> dict[str, str]:
    """Pages by name: the index, and one for each command."""
    rows = [f"| [`{name}`]({name}.md) | {COMMANDS[name]} |" for name in sorted(COMMANDS)]
    hidden = toctree(sorted(COMMANDS))
    hidden.insert(1, ":hidden:")
    index = "\n".join([TOP, "| command | |", "|---|---|", *rows, "", *hidden])
    return {"index": index, **{name: _page(name) for name in COMMANDS}}


def _page(name: str) -> str:
    directive = [
        "```{eval-rst}",
        f".. click:: site_tools.commands:{name.replace('-', '_')}",
        f"   :prog: hungjury {name}",
        "   :nested: full",
        "```",
    ]
    return "\n".join([f"# {name}", "", *directive, ""])


def __getattr__(name: str) -> click.Command:
    command = name.replace("_", "-")
    if command not in COMMANDS:
        raise AttributeError(name)
    found = hungjury.get_command(click.Context(hungjury), command)
    assert found is not None
    return found
