"""Tuples of judges, and their results by measure, size and approach."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, field, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hungjury.base.arrays import Floats
from hungjury.base.errors import InputError
from hungjury.base.records import Record
from hungjury.base.results import Result
from hungjury.base.tables import Cell, Table
from hungjury.judges.weights import ESTIMATORS
from hungjury.studies.claims import Quantity
from hungjury.studies.gold import DETERMINISTIC, Doubt
from hungjury.studies.jobs import seed_for


def judge_tuples(judges: int, size: int, most: int, seed: int = 0) -> list[tuple[int, ...]]:
    """Different tuples of judges: all of them if there are at most `most`, else `most` of them
    at random."""
    if math.comb(judges, size) <= most:
        return list(itertools.combinations(range(judges), size))
    rng = np.random.default_rng(seed_for(seed, ("tuples", judges, size)))
    found: dict[tuple[int, ...], None] = {}
    while len(found) < most:
        found[tuple(sorted(map(int, rng.permutation(judges)[:size])))] = None
    return list(found)


def membership(tuples: Sequence[tuple[int, ...]], judges: int) -> NDArray[np.bool_]:
    """[tuple, judge]"""
    out = np.zeros((len(tuples), judges), dtype=bool)
    for row, who in zip(out, tuples, strict=True):
        row[list(who)] = True
    return out


Key = tuple[str, str, int, str, float | None, float | None]


class TupleRow(Record):
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
    unjudged: float | None = None  # P(relevant) without a label, where `by` is an expected measure
    wrong: float | None = None  # P(wrong) of the labels of RGS


class TupleStudy(Record, Result, eq=False):
    """Results of tuples of judges, compared with gold labels.

    draws: [row, draw] under "tau_ap" and "rmse", the means with other tuples and on other topics;
    empty unless they were asked for.
    """

    rows: list[TupleRow]
    judges: list[str]
    systems: int
    topics: int
    seed: int
    draws: Mapping[str, Floats] = field(default_factory=dict)

    @cached_property
    def measures(self) -> list[str]:
        """The measures that were combined."""
        return list(dict.fromkeys(row.measure for row in self.rows))

    @cached_property
    def sizes(self) -> list[int]:
        """The sizes of tuples, ascending."""
        return sorted({row.size for row in self.rows})

    @cached_property
    def _places(self) -> dict[Key, int]:
        return {
            (r.measure, r.approach, r.size, r.gold, r.unjudged, r.wrong): i
            for i, r in enumerate(self.rows)
        }

    def quantity(
        self,
        what: str,
        measure: str,
        approach: str,
        sizes: Iterable[int],
        gold: str = DETERMINISTIC,
        doubt: Doubt | None = None,
    ) -> Quantity:
        """The mean over sizes of "tau_ap" or "rmse", for claims. doubt: for merges that give
        probabilities."""
        unjudged = None if doubt is None else doubt.unjudged
        wrong = None if doubt is None or gold == DETERMINISTIC else doubt.wrong
        rows = [self._places[measure, approach, size, gold, unjudged, wrong] for size in sizes]
        value = np.mean([getattr(self.rows[i], what) for i in rows])
        return Quantity(float(value), np.asarray(self.draws[what][rows].mean(axis=0)))

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
        cells: dict[tuple[str, int], float] = {}
        for row in mine:  # of several doubts the first
            cells.setdefault((row.approach, row.size), float(getattr(row, what)))
        names = dict.fromkeys(row.approach for row in mine)
        rows: list[list[Cell]] = [[name, *(cells[name, size] for size in sizes)] for name in names]
        return Table((f"{what} of {measure}", *(f"k={size}" for size in sizes)), rows, digits=3)

    def _parts(self) -> list[str | Table]:
        head = f"{len(self.judges)} judges, {self.systems} systems, {self.topics} topics"
        kinds = dict.fromkeys((row.measure, row.gold) for row in self.rows)
        return [
            head,
            *(part for m, g in kinds for part in (f"against {g}:", self.by_size(m, gold=g))),
        ]
