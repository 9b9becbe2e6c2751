"""The page of public Python names."""

from __future__ import annotations

import inspect
from typing import is_typeddict

import hungjury as hj

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

`import hungjury as hj` gives these names. The measures are in `hj.m`; they have [their own
page](measures.md). Sources are paths, globs, lists of them, open files, pandas, polars or pyarrow
frames, or `{topic: {document: value}}`.
"""


def names_page() -> str:
    """Write the functions of each namespace, then its types."""
    lines = [TOP]
    for space, title in SPACES.items():
        module = getattr(hj, space) if space else hj
        public = {n: getattr(module, n) for n in module.__all__}
        lines += [f"## {title}", "", "```{eval-rst}"]
        for name, one in sorted(public.items(), key=lambda item: inspect.isclass(item[1])):
            path = ".".join(filter(None, ("hungjury", space, name)))
            if is_typeddict(one):
                lines += _dictionary(path, one)
            elif inspect.isclass(one):
                lines += [f".. autoclass:: {path}", "   :members:", "   :undoc-members:", ""]
            elif not inspect.ismodule(one):
                lines += [f".. autofunction:: {path}", ""]
        lines += ["```", ""]
    return "\n".join(lines)


def _dictionary(path: str, one: type) -> list[str]:
    """Describe a dictionary by its keys; its signature as a class would say nothing."""
    first = (inspect.getdoc(one) or "").split("\n")[0]
    keys = ", ".join(f"``{key}``" for key in one.__annotations__)
    return [f".. py:class:: {path}", "", f"   {first}", "", f"   Keys: {keys}.", ""]
