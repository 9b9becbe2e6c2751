"""What tuples of judges achieve, by measure, size and approach."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any

from hungjury.errors import InputError
from hungjury.judges.weights import ESTIMATORS
from hungjury.studies.gold import DETERMINISTIC
from hungjury.tables import Cell, Table, html_page

__all__ = ["TupleRow", "TupleStudy"]


@dataclass(frozen=True)
class TupleRow:
    """One approach with tuples of one size: means and standard deviations over the tuples."""

    measure: str
    size: int
    approach: str
    gold: str  # DGS or RGS
    by: str  # what was computed: merges to probabilities take the expected measure
    tuples: int
    tau: float
    tau_std: float
    tau_ap: float
    tau_ap_std: float
    rmse: float
    rmse_std: float


@dataclass(frozen=True, eq=False)
class TupleStudy:
    """What tuples of judges achieve against gold labels."""

    rows: list[TupleRow]
    judges: list[str]
    systems: int
    topics: int
    seed: int

    def table(self) -> Table:
        names = tuple(field.name for field in fields(TupleRow))
        return Table(names, [tuple(asdict(row).values()) for row in self.rows])

    def observations(self, **more: Any) -> list[dict[str, Any]]:
        """Rows for an analysis of variance, estimators with their parts: granularity, gap and
        weight; `more` is added to each (systems="T08", say)."""
        out = []
        for row in self.rows:
            parts = ESTIMATORS.get(row.approach)
            split = {} if parts is None else {
                "granularity": parts.granularity, "gap": parts.gap, "weight": parts.weight,
            }  # fmt: skip
            out.append({**asdict(row), **split, **more})
        return out

    def by_size(self, measure: str, what: str = "tau_ap", gold: str = DETERMINISTIC) -> Table:
        """One measure: a row for every approach, a column for every size."""
        mine = [row for row in self.rows if (row.measure, row.gold) == (measure, gold)]
        if not mine:
            raise InputError(
                f"{measure} was not studied with {gold}", code="not-scored", remedy="look at `rows`"
            )
        sizes = list(dict.fromkeys(row.size for row in mine))
        cells = {(row.approach, row.size): float(getattr(row, what)) for row in mine}
        names = dict.fromkeys(row.approach for row in mine)
        rows: list[list[Cell]] = [[name, *(cells[name, size] for size in sizes)] for name in names]
        return Table((f"{what} of {measure}", *(f"k={size}" for size in sizes)), rows, digits=3)

    def _head(self) -> str:
        return f"{len(self.judges)} judges, {self.systems} systems, {self.topics} topics"

    def _kinds(self) -> list[tuple[str, str]]:
        return list(dict.fromkeys((row.measure, row.gold) for row in self.rows))

    def _repr_html_(self) -> str:
        parts = [html_page(self.by_size(m, gold=g), f"(against {g})") for m, g in self._kinds()]
        return html_page(self._head()) + "".join(parts)

    def to_text(self) -> str:
        parts = [f"{self.by_size(m, gold=g)}\n(against {g})" for m, g in self._kinds()]
        return "\n\n".join([self._head(), *parts])

    def __str__(self) -> str:
        return self.to_text()
