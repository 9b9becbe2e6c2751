"""Which measures of the catalogue satisfy Replacement and Swap."""

from __future__ import annotations

from dataclasses import MISSING
from importlib.resources import files
from typing import Any, Literal

from hungjury.base.errors import HungjuryError, MeasureError
from hungjury.base.parameters import MOST_GRADE, MOST_RANKS, check_count
from hungjury.base.records import Record
from hungjury.base.results import Result
from hungjury.base.tables import Table
from hungjury.measures.catalogue import CATALOGUE, Measure
from hungjury.theory.axioms import AXIOMS, AxiomReport, Counterexample, check_axioms

BINARY_LENGTH = 8
"""Binary lists up to this length are all checked."""


class AxiomVerdict(Record):
    """The verdict on one axiom for one measure."""

    status: Literal["proved", "not refuted", "fails"]
    proof: str = ""  # where, if proved
    measure: str = ""  # the parameters that break it
    counterexample: Counterexample | None = None

    def __str__(self) -> str:
        found = self.counterexample
        if found is None:
            return self.status
        return (
            f"fails (`{self.measure}`): {found.before} {found.value_before:.4f} → {found.after} "
            f"{found.value_after:.4f}, pool {found.pool}"
        )


class AxiomRow(Record):
    """One measure: what was found with all parameters tried, or why nothing could be checked."""

    measure: str
    tried: tuple[str, ...] = ()  # measures, one for each choice of parameters
    reports: tuple[AxiomReport, ...] = ()
    proof: str = ""
    problem: str = ""

    def verdict(self, axiom: str) -> AxiomVerdict:
        """The verdict on "replacement" or "swap"."""
        for report in self.reports:
            found = getattr(report, axiom)
            if found is not None:
                return AxiomVerdict("fails", measure=report.measure, counterexample=found)
        return AxiomVerdict("proved", self.proof) if self.proof else AxiomVerdict("not refuted")


class AxiomTable(list[AxiomRow], Result):
    """A row per measure."""

    def table(self) -> Table:
        """Measures, and what is known about each axiom."""
        return Table(
            ["measure", *AXIOMS],
            [[one.measure, *(one.problem or str(one.verdict(axiom)) for axiom in AXIOMS)]
             for one in self],
        )  # fmt: skip


def axiom_table(length: int = 5, grades: int = 3, binary_length: int = BINARY_LENGTH) -> AxiomTable:
    """Search every measure of the catalogue for exceptions to Replacement and Swap.

    A row says "proved", "not refuted" (no exception among the lists that were checked, which is not
    a proof) or "fails" with the first exception found.

    Parameters
    ----------
    length, grades : int
        Lists of this length with this many grades are all checked, with default parameters.
    binary_length : int
        Binary lists of every length up to this one are all checked, with several parameters.

    Returns
    -------
    AxiomTable
        A list with a row per measure, with default parameters where it has them.

    Examples
    --------
    >>> import hungjury as hj
    >>> [row.measure for row in hj.theory.axiom_table(length=2, binary_length=2)][:3]
    ['P@1', 'R', 'F1@1']
    """
    length, grades = (
        check_count("length", length, 1, MOST_RANKS),
        check_count("grades", grades, 2, MOST_GRADE + 1),
    )
    binary_length = check_count("binary_length", binary_length, 1, MOST_RANKS)
    return AxiomTable(_row(cls, length, grades, binary_length) for cls in CATALOGUE)


def _row(cls: type[Measure], length: int, grades: int, binary_length: int) -> AxiomRow:
    name = cls.name
    try:
        first = example_measure(cls, length, grades)
        name = str(first)
        reports = [check_axioms(first, length, grades)]
        for one in _examples(cls, binary_length):
            reports += [check_axioms(one, n, 2) for n in range(2, binary_length + 1)]
    except HungjuryError as problem:
        return AxiomRow(name, problem=problem.message)
    tried = tuple(dict.fromkeys(report.measure for report in reports))
    return AxiomRow(name, tried, tuple(reports), cls.proof)


def _examples(cls: type[Measure], length: int) -> list[Measure]:
    """The measure with its defaults, and with one parameter after the other changed."""
    base = example_measure(cls, length, grades=2)
    changes = list(cls.variants())
    for declared in cls.params():
        name, bounds = declared.name, declared.bounds
        default = getattr(base, name)
        if isinstance(default, bool):
            changes.append({name: not default})
        elif isinstance(default, float) and "low" in bounds and "high" in bounds:
            low, high = bounds["low"], bounds["high"]
            changes += [{name: low + share * (high - low)} for share in (0.1, 0.5, 0.9)]
        changes += [{name: word} for word in declared.choices]
    found = [base]
    for change in changes:
        try:
            found.append(base.but(**change))
        except HungjuryError:  # parameters that exclude each other
            continue
    return list(dict.fromkeys(found))


def example_measure(cls: type[Measure], length: int, grades: int) -> Measure:
    """A measure of this class; parameters without default are chosen to matter in short lists."""
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
                f"{cls.name} needs {name}",
                code="missing-parameter",
                argument=name,
                remedy="check it alone, with check_axioms",
            )
        values[name] = required[name]
    return cls(**values)


def axiom_markdown(length: int = 5, grades: int = 3, binary_length: int = BINARY_LENGTH) -> str:
    """The table as a page of the documentation."""
    rows = axiom_table(length, grades, binary_length)
    page = files("hungjury.theory").joinpath("axioms.md").read_text(encoding="utf-8")
    lines = page.format(binary_length=binary_length, length=length, top=grades - 1).splitlines()
    lines += [_markdown(row) for row in rows if row.reports]
    proofs = dict.fromkeys((row.measure, row.proof) for row in rows if row.proof)
    lines += ["", "Proofs:", "", *(f"- `{measure}`: {where}" for measure, where in proofs)]
    unchecked = [row for row in rows if not row.reports]
    if unchecked:
        lines += ["", "Not checked:", ""]
        lines += [f"- `{row.measure}`: {row.problem}" for row in unchecked]
    return "\n".join(lines) + "\n"


def _markdown(row: AxiomRow) -> str:
    cells = [str(row.verdict(axiom)) for axiom in AXIOMS]
    tried = ", ".join(f"`{name}`" for name in row.tried)
    return f"| `{row.measure}` | {' | '.join(cells)} | {tried} |"
