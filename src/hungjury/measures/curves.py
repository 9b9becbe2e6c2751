"""Precision against recall, from scores at levels of recall or rank by rank."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, get_args

import numpy as np
from numpy.typing import NDArray

from hungjury.base.choices import CurveBy
from hungjury.base.errors import UnknownName, check_choice
from hungjury.base.records import Record
from hungjury.base.results import Plot, Result
from hungjury.base.tables import Table

if TYPE_CHECKING:
    from hungjury.measures.scores import Scores

__all__ = ["LENGTH", "Curve", "curve_of"]

LENGTH = "NumRet"  # the measure that says where lists end


class Curve(Record, Result, eq=False):
    """Precision against recall, averaged over topics: at levels of recall, or rank by rank.

    recall: [level], the same for all systems, or [system, rank]; NaN beyond a system's last rank.
    """

    systems: list[str]
    recall: list[float] | NDArray[np.float64]
    precision: NDArray[np.float64]  # [system, level or rank]
    by: CurveBy = "recall"

    def points(self, system: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Recall and precision of a system, by its place in `systems`."""
        recall = np.broadcast_to(np.asarray(self.recall), self.precision.shape)[system]
        there = ~np.isnan(recall)
        return recall[there], self.precision[system][there]

    def table(self) -> Table:
        """A row for each system and point; points are numbered from 1."""
        rows = [
            (name, number, float(recall), float(precision))
            for s, name in enumerate(self.systems)
            for number, (recall, precision) in enumerate(zip(*self.points(s), strict=True), 1)
        ]
        number = "rank" if self.by == "rank" else "point"
        return Table(("system", number, "recall", "precision"), rows)

    def plot(self) -> Plot:
        """Draw a line for each system."""
        return self._drawn("board_plots.draw_precision_recall")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Draw the curves into a picture; the file's ending (.svg, .png, .pdf) says which kind."""
        self.plot().save(path)


def curve_of(scores: Scores, rel: int, by: CurveBy) -> Curve:
    """The curve that `Scores.curve` describes."""
    check_choice("by", by, get_args(CurveBy))
    mean = scores.mean()
    if by == "recall":
        found = _numbered(scores.measures, "IPrec", rel, 'evaluate with "iprec_at_recall"')
        return Curve(scores.systems, list(found), mean[list(found.values())].T)
    remedy = 'evaluate with "P@1", "R@1", "P@2", "R@2" and so on'
    precision, recall = (_numbered(scores.measures, name, rel, remedy) for name in ("P", "R"))
    if set(precision) != set(recall):
        raise UnknownName("P and R were not scored at the same ranks", remedy=remedy)
    points = [mean[list(one.values())].T for one in (recall, precision)]
    if LENGTH in scores.measures:  # lists end: nothing is drawn beyond
        lengths = np.nan_to_num(scores.values[scores.measures.index(LENGTH)])
        for values in points:
            values[np.array(list(recall)) > lengths.max(axis=1)[:, None]] = np.nan
    return Curve(scores.systems, points[0], points[1], by)


def _numbered(measures: list[str], name: str, rel: int, remedy: str) -> dict[float, int]:
    """The number after the @ of every such measure, with its index; in ascending order."""
    start = f"{name}@" if rel == 1 else f"{name}(rel={rel})@"
    found = {float(m[len(start) :]): i for i, m in enumerate(measures) if m.startswith(start)}
    if not found:
        raise UnknownName(f"the scores do not include {start}...", remedy=remedy)
    return dict(sorted(found.items()))
