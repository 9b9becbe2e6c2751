"""Which measures of the catalogue satisfy Replacement and Swap."""

from __future__ import annotations

from dataclasses import MISSING, dataclass
from typing import Any

from hungjury.catalogue import CATALOGUE, Measure
from hungjury.errors import HungjuryError, MeasureError
from hungjury.theory.axioms import AxiomReport, Counterexample, check_axioms
from hungjury.theory.scoring import whole_number

__all__ = ["AxiomRow", "axiom_markdown", "axiom_table", "example_measure"]


@dataclass(frozen=True)
class AxiomRow:
    """One measure: its report, or the reason why there is none."""

    measure: str
    report: AxiomReport | None
    problem: str = ""


def axiom_table(length: int = 5, grades: int = 3) -> list[AxiomRow]:
    """Check every measure of the catalogue for Replacement and Swap.

    Parameters
    ----------
    length : int
        Length of the lists.
    grades : int
        Number of grades, 0 included.

    Returns
    -------
    list of AxiomRow
        A row per measure, with default parameters where it has them.
    """
    length, grades = whole_number(length, "length", 1), whole_number(grades, "grades", 2)
    return [_row(cls, length, grades) for cls in CATALOGUE]


def _row(cls: type[Measure], length: int, grades: int) -> AxiomRow:
    name = cls.name
    try:
        one = example_measure(cls, length, grades)
        name = str(one)
        return AxiomRow(name, check_axioms(one, length, grades))
    except HungjuryError as problem:
        return AxiomRow(name, None, problem.message)


def example_measure(cls: type[Measure], length: int, grades: int) -> Measure:
    """A measure of this class; what has no default is chosen so that it matters in the list."""
    required: dict[str, Any] = {
        "cutoff": (length + 1) // 2,
        "recall": 0.5,
        "g": [1 / (grades - 1)] * (grades - 1),  # all thresholds alike
        "of": "AP",
    }
    # Without it, expected measures of certain labels are those they come from.
    graded = {"prob": [grade / (grades - 1) for grade in range(grades)]}
    values = {f.name: graded[f.name] for f in cls.params() if f.name in graded}
    for name in (f.name for f in cls.params() if f.default is MISSING):
        if name not in required:
            raise MeasureError(
                f"{cls.name} needs {name}", remedy="check it alone, with check_axioms"
            )
        values[name] = required[name]
    return cls(**values)


def axiom_markdown(length: int = 5, grades: int = 3) -> str:
    """The table as a page of the documentation."""
    rows = axiom_table(length, grades)
    lines = [
        "# Which measures satisfy Replacement and Swap",
        "",
        "Two properties make a score a measure of utility (thesis, section 3.4).",
        "**Replacement**: a better document at some rank must not lower the score.",
        "**Swap**: a better document that changes places with a worse one above it must not",
        "lower the score. A measure with both agrees with the partial order of judged lists.",
        "",
        f"Checked here: all lists of {length} documents with grades 0 to {grades - 1}, against",
        f"every pool with up to {length} documents of each grade, from which both lists of a pair",
        "are drawn. Differences below one part in 10^12 are rounding. A pool is written as its",
        "numbers of documents of grade 0, 1, ... Pairs where the measure is undefined are left",
        "out. Scores where less is better break the properties by their nature.",
        "",
        "This page is made by `hungjury.theory.axiom_markdown()`.",
        "",
        "| measure | Replacement | Swap |",
        "|---|---|---|",
    ]
    lines += [_markdown(row) for row in rows if row.report is not None]
    unchecked = [row for row in rows if row.report is None]
    if unchecked:
        lines += ["", "Not checked:", ""]
        lines += [f"- `{row.measure}`: {row.problem}" for row in unchecked]
    return "\n".join(lines) + "\n"


def _markdown(row: AxiomRow) -> str:
    assert row.report is not None
    cells = [_cell(found) for found in (row.report.replacement, row.report.swap)]
    return f"| `{row.measure}` | {' | '.join(cells)} |"


def _cell(found: Counterexample | None) -> str:
    if found is None:
        return "holds"
    return (
        f"fails: {found.before} {found.value_before:.4f} → {found.after} "
        f"{found.value_after:.4f}, pool {found.pool}"
    )
