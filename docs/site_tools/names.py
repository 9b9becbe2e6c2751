"""The page of public Python names, and of the results that functions return."""

from __future__ import annotations

import inspect
import re
import sys
from typing import Any, is_typeddict

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
    """Functions, then types, then the results of functions, for each namespace."""
    lines, shown = [TOP], {hj.Measure}
    for space, title in SPACES.items():
        module = getattr(hj, space) if space else hj
        public = {n: getattr(module, n) for n in module.__all__}
        public = {n: one for n, one in public.items() if not inspect.ismodule(one)}
        shown.update(one for one in public.values() if inspect.isclass(one))
        lines += [f"## {title}", "", "```{eval-rst}"]
        results = []
        for name, one in sorted(public.items(), key=lambda item: inspect.isclass(item[1])):
            path = ".".join(filter(None, ("hungjury", space, name)))
            lines += _class(path) if inspect.isclass(one) else [f".. autofunction:: {path}", ""]
            result = None if inspect.isclass(one) else _result(one)
            if result is not None and result not in shown:
                shown.add(result)
                results.append(result)
        for one in results:
            lines += _class(f"{one.__module__}.{one.__qualname__}")
        lines += ["```", ""]
    return "\n".join(lines)


def _class(path: str) -> list[str]:
    return [f".. autoclass:: {path}", "   :members:", "   :undoc-members:", ""]


def _result(function: Any) -> Any:
    """The package's own class that a function returns, alone or in a list."""
    names = re.findall(r"\w+", str(inspect.signature(function).return_annotation))
    found = [getattr(sys.modules[function.__module__], name, None) for name in names]
    own = [one for one in found if inspect.isclass(one) and one.__module__.startswith("hungjury.")]
    return own[0] if own and not is_typeddict(own[0]) else None
