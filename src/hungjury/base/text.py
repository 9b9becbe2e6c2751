"""Text: numbers read by one rule, control characters made visible, CSV, JSON, LaTeX, HTML.

The native readers follow the same rule (`native/numbers.h`). Python's own ``float`` and ``int``
also take ``1_000``, ``nan``, ``１`` and blanks, which other tools read differently or not at all.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hungjury.base.records import Record, fields_of

_INTEGER = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def decimal_of(text: str) -> float | None:
    """Read a finite decimal number, or return None.

    Examples
    --------
    >>> decimal_of("1e-3"), decimal_of("nan"), decimal_of("1_000")
    (0.001, None, None)
    """
    if _DECIMAL.fullmatch(text) is None:
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def integer_of(text: str) -> int | None:
    """Read an integer, or return None.

    Examples
    --------
    >>> integer_of("007"), integer_of("1.0"), integer_of("-3")
    (7, None, -3)
    """
    return int(text) if len(text) < 1000 and _INTEGER.fullmatch(text) is not None else None


# C0 and C1 controls, bytes that are not UTF-8, and marks that turn the direction of text.
_CONTROL = (
    "[\\x00-\\x1f\\x7f-\\x9f\\ud800-\\udfff\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]"
)
_INSIDE_TEXT = "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\ud800-\\udfff]"


def visible(text: str) -> str:
    """Escape control characters except newlines and tabs: an id cannot move a terminal's cursor."""
    return re.sub(_INSIDE_TEXT, _escaped, text)


def visible_line(text: str) -> str:
    """Escape newlines, tabs and marks of direction too, for a cell, a label or a name."""
    return re.sub(_CONTROL, _escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return ascii(found[0])[1:-1]


_TEX = {c: "\\" + c for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "–": "--", "—": "---", "…": r"\ldots{}", "“": "``", "”": "''", "‘": "`", "’": "'",
}  # fmt: skip
_MATHS = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "varepsilon", "ζ": "zeta",
    "η": "eta", "θ": "theta", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi",
    "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau", "φ": "varphi", "χ": "chi", "ψ": "psi",
    "ω": "omega", "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Π": "Pi", "Σ": "Sigma",
    "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega", "≤": "leq", "≥": "geq", "≠": "neq", "≈": "approx",
    "†": "dagger", "‡": "ddagger", "∥": "parallel",
    "→": "to", "√": "surd", "∞": "infty", "±": "pm", "×": "times", "÷": "div", "∈": "in",
}  # fmt: skip
# Plain LaTeX knows these as commands only; the letters of Latin alphabets it reads as they are.
_TEX |= {letter: rf"$\{command}$" for letter, command in _MATHS.items()} | {
    # In text, LaTeX's first fonts show these three as other characters.
    "<": "$<$", ">": "$>$", "|": "$|$",
    "−": "$-$", "²": r"\textsuperscript{2}", "³": r"\textsuperscript{3}",
}  # fmt: skip

# What begins a formula in a spreadsheet, also in its full-width form.
_FORMULA = tuple("=+-@＝＋－＠")


def columns(rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Write rows of cells as aligned text: the first `left` columns to the left, numbers right."""
    rows = [[visible_line(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def csv_text(rows: Iterable[Sequence[object]], safe: bool = False) -> str:
    """Write rows as CSV, every cell exactly as it is.

    With `safe`, spreadsheets run nothing: texts that they would take for a formula (those that
    begin with =, +, -, @ or blanks before these) are preceded by an apostrophe, and control
    characters are escaped. Numbers stay numbers.
    """
    import csv  # imported, like json below, when it is used

    lines = _Lines()
    writer = csv.writer(lines, lineterminator="\r\n")  # what ends lines is quoted inside cells
    for row in rows:
        writer.writerow([_harmless(cell) for cell in row] if safe else row)
    return "".join(lines)


class _Lines(list[str]):
    """Takes the lines of a CSV writer, and ends them with a newline alone."""

    def write(self, line: str) -> None:
        self.append(line[:-2] + "\n")


def _harmless(cell: object) -> Any:
    if not isinstance(cell, str) or decimal_of(cell) is not None:
        return cell
    text = visible_line(cell)
    return f"'{text}" if text.lstrip()[:1] in _FORMULA else text


def json_text(content: object) -> str:
    """Write JSON; numbers that are undefined or infinite are null."""
    import json

    return json.dumps(finite(content), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def finite(value: object) -> Any:
    """Turn arrays into lists, records into dictionaries, and numbers that JSON does not have into
    None."""
    if isinstance(value, Record):
        return finite(value.to_dict() if hasattr(value, "to_dict") else fields_of(value))
    if isinstance(value, Mapping):
        return {key: finite(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(one) for one in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return finite(value.tolist()) if hasattr(value, "tolist") else value


def number_text(value: float | None, digits: int = 3, sign: str = "") -> str:
    """Return a rounded number, '-' where it is not known; -0.0001 is 0.000.

    Examples
    --------
    >>> number_text(0.5), number_text(-0.0001), number_text(float("nan")), number_text(0.5, 1, "+")
    ('0.500', '0.000', '-', '+0.5')
    """
    if value is None or math.isnan(value):
        return "-"
    shown = min(digits, 100)
    return f"{round(float(value), shown) + 0.0:{sign}.{shown}f}"


def letter(place: int) -> str:
    """Name places a, b, ..., z, a2, ..., z2, a3, ...: these differ even when they are joined."""
    round_, at = divmod(place, 26)
    return chr(ord("a") + at) + (str(round_ + 1) if round_ else "")


def neighbours(places: Iterable[int]) -> list[tuple[int, int]]:
    """Return runs of consecutive places: first and last of each.

    Examples
    --------
    >>> neighbours([0, 1, 2, 5])
    [(0, 2), (5, 5)]
    """
    out: list[tuple[int, int]] = []
    for place in places:
        if out and place == out[-1][1] + 1:
            out[-1] = (out[-1][0], place)
        else:
            out.append((place, place))
    return out


def tex(text: str) -> str:
    """Escape LaTeX's own characters."""
    return "".join(_TEX.get(c, c) for c in visible_line(text))


def latex_table(header: Sequence[str], rows: Iterable[Sequence[str]], shape: str) -> str:
    """Write a booktabs table; cells are LaTeX already, `shape` is that of its columns."""
    lines = [rf"\begin{{tabular}}{{{shape}}}", r"\toprule", " & ".join(header) + r" \\",
             r"\midrule"]  # fmt: skip
    for row in rows:
        # After the end of a row, LaTeX takes [ and * for arguments of that end.
        start = "{}" if row[0].lstrip()[:1] in ("[", "*") else ""
        lines.append(start + " & ".join(row) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def markdown_text(text: str) -> str:
    """Escape Markdown's own characters."""
    return re.sub(r"([\\`*_<>|\[\]~#])", r"\\\1", visible_line(text))


def html_text(text: str) -> str:
    """Escape HTML's own characters."""
    from html import escape

    return escape(visible_line(text))
