"""Precision-recall curves, at levels of recall or rank by rank."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.choices import CurveBy
from hungjury.base.errors import UnknownName
from hungjury.base.records import Record
from hungjury.base.results import Plot, Result, Table

if TYPE_CHECKING:
    from hungjury.measures.scores import Scores


def curve_of(scores: Scores, rel: int, by: CurveBy) -> Curve:
    """Return the curve of scores by interpolated precision, or by precision and recall at ranks."""
    mean = scores.mean()
    if by == "recall":
        found = _numbered(scores.measures, "IPrec", rel, 'evaluate with "iprec_at_recall"')
        levels = list(found.values())
        return Curve(scores.systems, list(found), mean[levels].T, half=_half(scores, levels))
    remedy = 'evaluate with "P@1", "R@1", "P@2", "R@2" and so on'
    precision, recall = (_numbered(scores.measures, name, rel, remedy) for name in ("P", "R"))
    if set(precision) != set(recall):
        raise UnknownName("P and R were not scored at the same ranks", remedy=remedy)
    points = [mean[list(one.values())].T for one in (recall, precision)]
    if "NumRet" in scores.measures:  # lists end: nothing is drawn beyond
        lengths = np.nan_to_num(scores.values[scores.measures.index("NumRet")])
        for values in points:
            values[np.array(list(recall)) > lengths.max(axis=1)[:, None]] = np.nan
    half = _half(scores, list(precision.values()))
    return Curve(scores.systems, points[0], points[1], by, half)


def _half(scores: Scores, measures: list[int]) -> Floats | None:
    """[system, measure]: half of the 95 % interval of means over topics; None for one topic."""
    from scipy.special import stdtrit

    topics = len(scores.topics)
    if topics < 2:
        return None
    error = np.nanstd(scores.values[measures], axis=2, ddof=1) / np.sqrt(topics)
    return np.asarray(stdtrit(topics - 1, 0.975) * error.T)


class Curve(Record, Result, eq=False):
    """Precision against recall, averaged over topics: at levels of recall, or rank by rank.

    Attributes
    ----------
    recall
        [level], the same for all systems, or [system, rank]; NaN beyond a system's last rank.
    precision
        [system, level or rank].
    half
        [system, level or rank], half of the 95 % interval over topics; None for one topic.
    under
        The curve rank by rank, drawn under the interpolated one.

    Examples
    --------
    >>> import hungjury as hj
    >>> sim = hj.simulate(topics=5, systems=2, seed=1)
    >>> levels = [f"IPrec@{i / 10}" for i in range(11)]
    >>> curve = hj.evaluate(sim.gold, sim.runs, levels).curve()
    >>> curve.systems, curve.precision[:, 0].round(2).tolist()
    (['system1', 'system2'], [1.0, 0.58])

    The first system has a relevant document first on every topic.
    """

    systems: list[str]
    recall: list[float] | Floats
    precision: Floats  # [system, level or rank]
    by: CurveBy = "recall"
    half: Floats | None = None
    under: Curve | None = None

    def points(self, system: int) -> tuple[Floats, Floats]:
        """Return recall and precision of a system, by its index in `systems`."""
        recall = np.broadcast_to(np.asarray(self.recall), self.precision.shape)[system]
        there = ~np.isnan(recall)
        return recall[there], self.precision[system][there]

    def table(self) -> Table:
        """Return a row for each system and point; points are numbered from 1."""
        rows = [
            (name, number, float(recall), float(precision))
            for s, name in enumerate(self.systems)
            for number, (recall, precision) in enumerate(zip(*self.points(s), strict=True), 1)
        ]
        number = "rank" if self.by == "rank" else "point"
        return Table(("system", number, "recall", "precision"), rows)

    def plot(self) -> Plot:
        """Draw a line for each system; for few systems with its 95 % interval over topics."""
        return self._drawn("board_plots.draw_precision_recall")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the plot; the file's ending (.svg, .png, .pdf) decides on the format."""
        self.plot().save(path)


def _numbered(measures: list[str], name: str, rel: int, remedy: str) -> dict[float, int]:
    """Return the number after @ of every such measure with its index, in ascending order.

    Interpolated precision with trec_eval's levels is taken where there is no other.
    """
    start = f"{name}@" if rel == 1 else f"{name}(rel={rel})@"
    found: dict[float, int] = {}
    for rounded in (True, False):
        for i, measure in enumerate(measures):
            text = re.sub(r'\(levels="trec"\)|, levels="trec"', "", measure)
            if text.startswith(start) and (text != measure) == rounded:
                found[float(text[len(start) :])] = i
    if not found:
        raise UnknownName(f"the scores do not include {start}...", remedy=remedy)
    return dict(sorted(found.items()))
