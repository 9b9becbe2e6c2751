"""Tables as text: aligned columns, CSV, LaTeX, frames."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from hungjury.errors import InputError, MissingExtra

__all__ = ["columns", "csv_text", "frame", "latex_table", "letter", "tex"]

_TEX = {c: "\\" + c for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip


def columns(rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Rows of cells as aligned text: the first `left` columns to the left, numbers right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def letter(place: int) -> str:
    """a, b, ..., z, a2, ..., z2, a3, ...: names that can be told apart when they are joined."""
    round_, at = divmod(place, 26)
    return chr(ord("a") + at) + (str(round_ + 1) if round_ else "")


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """CSV with a header line."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


def tex(text: str) -> str:
    """Text with LaTeX's own characters escaped."""
    return "".join(_TEX.get(c, c) for c in text)


def latex_table(header: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> str:
    """A booktabs table; cells are LaTeX already."""
    shape = "l" * left + "r" * (len(header) - left)
    lines = [rf"\begin{{tabular}}{{{shape}}}", r"\toprule", " & ".join(header) + r" \\",
             r"\midrule"]  # fmt: skip
    lines += [" & ".join(row) + r" \\" for row in rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def frame(data: dict[str, list[Any]], backend: str = "pandas") -> Any:
    """Columns as a pandas or polars frame."""
    if backend not in ("pandas", "polars"):
        raise InputError(f"backend is {backend!r}", remedy="choose 'pandas' or 'polars'")
    try:
        module = __import__(backend)
    except ImportError:
        raise MissingExtra(backend, "all", f"to_frame(backend={backend!r})") from None
    return module.DataFrame(data)
