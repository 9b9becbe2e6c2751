"""What the papers print and claim, for comparison with the results of a study.

`published.txt` contains the numbers, `claims.txt` the claims. A collection is recognised as a
paper's by the facts that the paper lists, such as topics, runs and relevant documents; names and
paths do not count.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any

from hungjury.base.records import Record
from hungjury.base.results import Cell, Table
from hungjury.studies.claims import Claim, least, mean_of, median_of, most, rising, within
from hungjury.studies.data import Facts

# Pages of the thesis' tables, by its own list of tables.
PAGES = {"4.1": 105, "4.2": 110, "4.3": 115, "4.4": 117,
         "5.1": 143, "5.2": 144, "5.3": 145, "5.4": 149}  # fmt: skip
COLUMNS = ("AP", "P@10", "Rprec", "bpref", "RBP")  # of Tables 5.2 and 5.3
GRADED_COLUMNS = ("GAP", "AP", "nDCG", "RBP", "bpref")  # of Tables 2 and 3 on graded AP
# Tables that describe the papers' collections, and the facts in their columns.
FACTS = {
    "thesis 5.1": ("topics", "complete", "least", "mean", "most"),
    "graded 1": ("topics", "runs", "grades", "least", "mean", "most"),
    "relevance collections": ("topics", "runs", "grades", "length"),
}


SHIFTED = "shifted one column to the right"


class Printed(Record):
    """A number as printed, with its stars, and what is wrong with it."""

    value: float
    marks: str
    misprint: str = ""
    recovered: float | None = None  # the number that belongs here, if it is printed elsewhere


@cache
def _parts(file: str) -> dict[str, str]:
    """The text below each [name] of a file, without comments."""
    text = files("hungjury.studies.papers").joinpath(file).read_text(encoding="utf-8")
    _, *parts = re.split(r"^\[(.*)\]$", re.sub("^#.*\n", "", text, flags=re.M), flags=re.M)
    return dict(zip(parts[::2], parts[1::2], strict=True))


@cache
def rows_of(table: str) -> list[list[str]]:
    """Return the rows of a table of `published.txt` as printed, cell by cell."""
    return [re.split("  +", line) for line in _parts("published.txt")[table].split("\n") if line]


FUNCTIONS = {
    "least": least, "most": most, "mean": mean_of, "median": median_of, "rising": rising,
    "within": within,
}  # fmt: skip


def claims(part: str, **names: Any) -> list[Claim]:
    """Return the claims of a part of `claims.txt`; names: what their words and formulas use."""
    found = []
    for paragraph in re.split("\n\n+", _parts("claims.txt")[part].strip()):
        said = dict(line.split(": ", 1) for line in paragraph.split("\n"))
        if "if" in said and not names[said["if"]]:
            continue
        for values in _choices(said.get("for", ""), names):
            known = FUNCTIONS | names | values
            formula = ast.parse(said["formula"], mode="eval").body
            text, measured, case = (
                said.get(line, "").format(**known) for line in ("claim", "quantity", "case")
            )
            found.append(Claim(text, measured, _value(formula, known), case))
    return found


def _choices(text: str, names: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The values of each repetition, from "name in GAP, xGAP; percent in 30, 10"."""
    values: dict[str, Any] = {}
    for name, listed in (part.split(" in ") for part in text.split("; ") if part):
        each = (int(word) if word.isdigit() else word for word in listed.split(", "))
        values[name] = names.get(listed, each)
    return [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]


def _value(formula: ast.expr, names: Mapping[str, Any]) -> Any:
    """The value of a formula made of names, constants, sums, differences and calls."""
    if isinstance(formula, ast.Constant):
        return formula.value
    if isinstance(formula, ast.Name):
        return names[formula.id]
    if isinstance(formula, ast.BinOp):
        left, right = (_value(part, names) for part in (formula.left, formula.right))
        return left + right if isinstance(formula.op, ast.Add) else left - right
    assert isinstance(formula, ast.Call)
    function, *arguments = (_value(part, names) for part in (formula.func, *formula.args))
    return function(*arguments)


def numbers(table: str) -> dict[str, tuple[float, ...]]:
    """Return the rows of a table of numbers by their names."""
    return {name: tuple(map(float, cells)) for name, *cells in rows_of(table)}


def recognised(table: str, facts: Facts) -> str | None:
    """Return the name of the collection that has these facts in a table of `FACTS`."""
    mine = tuple(round(getattr(facts, name), 2) for name in FACTS[table])
    return next((name for name, row in numbers(table).items() if row == mine), None)


def beside(
    name: str, heads: Sequence[str], rows: Sequence[Sequence[Cell]], title: str, digits: int = 4,
    more: Sequence[str] = (),
) -> dict[str, Table]:  # fmt: skip
    """Return a table with printed numbers beside those found, by its file's name; nothing where
    there are no rows.

    rows: cells below `heads`, a number found, the printed one, and cells below `more`. A number
    that is missing or NaN leaves its cells empty.
    """
    shown: list[list[Cell]] = []
    for row in rows:
        key, (value, cell, *rest) = row[: len(heads)], row[len(heads) :]
        printed = float(str(cell))
        numbers: list[Cell] = [None, printed, None]
        if isinstance(value, (int, float)) and value == value:
            numbers = [float(value), printed, round(float(value) - printed, 12)]
        shown.append([*key, *numbers, *rest])
    caption = f"{name.replace('-', ' ').capitalize()} beside the {title}"
    header = (*heads, "value", "published", "difference", *more)
    return {f"{name}-published": Table(header, shown, digits, caption=caption)} if rows else {}


def thesis_tau(collection: str) -> dict[tuple[str, str], Printed]:
    """Tables 5.2 and 5.3: Kendall's tau by row, "AP" or a model as in "MP GL_AD_ID@Rec(T)", and by
    measure as the thesis calls it. docs/papers.md lists what else was found wrong in the papers."""
    rows = {"AP": next(cells for name, *cells in rows_of("thesis 5.2") if name == collection)}
    for model, *cells in rows_of(f"thesis 5.3 {collection}"):
        row = f"MP {model}"
        rows[row.replace("_ID", "_LID") if row in rows else row] = cells  # the second LO_AD_ID
    found = {}
    for row, cells in rows.items():
        numbers = [float(cell.rstrip("*")) for cell in cells]
        for i, (column, cell) in enumerate(zip(COLUMNS, cells, strict=True)):
            misprint = next(
                (wrong for _, where, model, columns, wrong, _ in rows_of("thesis misprints")
                 if (where, f"MP {model}") == (collection, row) and column in columns.split(", ")),
                "",
            )  # fmt: skip
            moved = numbers[i + 1 : i + 2] if misprint == SHIFTED else []
            marks = cell[len(cell.rstrip("*")) :]
            found[row, column] = Printed(numbers[i], marks, misprint, *moved)
    return found


def graded_tau(collection: str) -> dict[tuple[tuple[float, ...], str, str], tuple[float, ...]]:
    """Tables 2 and 3: {(g, measure, other measure): tau on all topics, on those with few documents
    of grade 2, of grade 3}."""
    found = {}
    for g, name, *cells in rows_of(f"graded tau {collection}"):
        thresholds = tuple(map(float, g.strip("()").split(",")))
        for other, cell in zip(GRADED_COLUMNS, cells, strict=True):
            found[thresholds, name, other] = tuple(map(float, cell.split("/")))
    return found
