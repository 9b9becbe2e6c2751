"""A page for each public Python name, and one that lists them all."""

from __future__ import annotations

import inspect
from typing import Any, is_typeddict

import hungjury as hj
from site_tools.parts import escaped, toctree

SPACES = {
    "": "Top level",
    "stats": "hj.stats: correlation of rankings",
    "theory": "hj.theory: order and axioms",
    "studies": "hj.studies: experiments on measures and judges",
    "ltr": "hj.ltr: rankers",
    "users": "hj.users: user models",
}
TOP = """\
# Python

`import hungjury as hj` gives these names. The measures are in `hj.m`; they have [pages of their
own](../measures/index.md). Sources are paths, globs, lists of them, open files, pandas, polars or
pyarrow frames, or `{topic: {document: value}}`.
"""


def name_pages() -> dict[str, str]:
    """Pages by name: the index, and one for each function and type."""
    lines, pages = [TOP], {}
    for space, title in SPACES.items():
        module = getattr(hj, space) if space else hj
        public = {name: getattr(module, name) for name in module.__all__}
        types = {name: one for name, one in public.items() if inspect.isclass(one)}
        functions = {n: one for n, one in public.items() if inspect.isroutine(one)}
        lines += [f"## {title}", ""]
        for kind, found in (("function", functions), ("type", types)):
            if not found:
                continue
            lines += [f"| {kind} | |", "|---|---|"]
            for name, one in found.items():
                path = ".".join(filter(None, (space, name)))
                # Not by capitals alone: `leaderboard` is a function, `Leaderboard` a type.
                page = path if kind == "function" else f"type-{path}"
                pages[page] = _page(path, one)
                lines.append(f"| [`hj.{path}`]({page}.md) | {_first(one)} |")
            lines.append("")
    hidden = toctree(sorted(pages))
    hidden.insert(1, ":hidden:")
    return {"index": "\n".join([*lines, *hidden]), **pages}


def _first(one: Any) -> str:
    """The first sentence of its docstring."""
    text = " ".join((inspect.getdoc(one) or "").split("\n\n")[0].split())
    return escaped(text.partition(". ")[0].rstrip(".") + ".")


def _page(path: str, one: Any) -> str:
    full = f"hungjury.{path}"
    if is_typeddict(one):
        directive = _dictionary(full, one)
    elif inspect.isclass(one):
        directive = [f".. autoclass:: {full}", "   :members:", "   :undoc-members:"]
    else:
        directive = [f".. autofunction:: {full}"]
    return "\n".join([f"# hj.{path}", "", "```{eval-rst}", *directive, "```", ""])


def _dictionary(path: str, one: type) -> list[str]:
    """Describe a dictionary by its keys; its signature as a class would say nothing."""
    first = (inspect.getdoc(one) or "").split("\n")[0]
    keys = ", ".join(f"``{key}``" for key in one.__annotations__)
    return [f".. py:class:: {path}", "", f"   {first}", "", f"   Keys: {keys}.", ""]
