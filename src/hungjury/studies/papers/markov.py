"""Markov precision against the measures of direct comparison (thesis, section 5.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hungjury.catalogue import Measure, measure
from hungjury.errors import InputError
from hungjury.evaluation import check_measure, score_alignment, score_list
from hungjury.named import param, whole
from hungjury.stats import kendall_cross
from hungjury.studies.data import StudyData
from hungjury.studies.recipe import RECIPES, Recipe, Report, StudyFigure, names
from hungjury.studies.runner import Job
from hungjury.studies.study_table import Cell, Marked, StudyTable
from hungjury.users.transitions import MODELS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Markov"]

COMPARED = ("AP", "P@10", "Rprec", "Bpref", "RBP(p=0.8)")
HIGH, VERY_HIGH = 0.9, 0.97
# Table 5.4: relevant ranks of three runs, and the rates of the holding times at ranks 1 to 10.
TIMED = (
    ((1, 1, 1, 1, 0, 0, 0, 1, 0, 0),
     (0.2, 0.0357, 0.2, 0.04, 0.0056, 0.0005, 0.0035, 0.0017, 0.0034, 0.0024)),
    ((1, 1, 1, 0, 1, 0, 0, 0, 1, 0),
     (0.0177, 0.0047, 0.0037, 0.0015, 0.0041, 0.0031, 0.0057, 0.0022, 0.0061, 0.0045)),
    ((1, 1, 0, 1, 1, 0, 0, 0, 0, 1),
     (0.0056, 0.0051, 0.0062, 0.0031, 0.0046, 0.0025, 0.005, 0.0022, 0.007, 0.005)),
)  # fmt: skip


@RECIPES.add("markov")
class Markov(Recipe):
    """How Markov precision orders systems, beside the measures of direct comparison."""

    paper: ClassVar[str] = "Ferrante et al. 2014; thesis, Tables 5.2 to 5.4"
    needs: ClassVar[tuple[str, ...]] = ("systems", "gold")
    compared: tuple[str, ...] = param(
        COMPARED, kind=names, doc="measures to compare with, the first one in Table 5.2"
    )
    rel: int = param(1, kind=whole, low=1, doc="lowest relevant grade")

    def check(self, data: StudyData) -> None:
        super().check(data)
        for one in self._measures().values():
            check_measure(one, data.gold)
        if len(_complete(data)) < 2:
            raise InputError(
                f"{len(_complete(data))} of {len(data.gold_lists.systems)} runs retrieve on every "
                "topic, and it takes two to compare their order",
                remedy="leave out topics that few runs have",
            )

    def jobs(self, data: StudyData) -> list[Job]:
        return [
            Job(f"means/{label}", mean_scores, {"name": str(one)})
            for label, one in self._measures().items()
        ]

    def report(self, data: StudyData, results: Mapping[str, Any]) -> Report:
        complete = _complete(data)
        means = {key.removeprefix("means/"): value[complete] for key, value in results.items()}
        others = list(self.compared)
        walks = [label for label in means if label not in others]
        tau = _kendall(means, others + walks, others)
        first: list[Cell] = [_starred(tau[0, i], one == others[0]) for i, one in enumerate(others)]
        rows: list[list[Cell]] = [
            [w, *(_starred(t) for t in tau[len(others) + i])] for i, w in enumerate(walks)
        ]
        return Report(
            [
                StudyTable("table-5.2", f"Kendall's tau of {others[0]} with the others",
                           ["", *others], [[others[0], *first]]),
                StudyTable("table-5.3", "Kendall's tau of Markov precision with the others",
                           ["", *others], rows),
                _timed_table(),
            ],
            [StudyFigure("table-5.3", "Table 5.3 as a picture",
                         _draw_correlations(walks, others, tau[len(others):]))],
            [f"{len(complete)} of {len(data.gold_lists.systems)} runs retrieve on every one of the "
             f"{len(data.gold.topics)} topics; the others are left out, as in the paper. "
             f"Stars: above {HIGH} *, above {VERY_HIGH} **."],
        )  # fmt: skip

    def _measures(self) -> dict[str, Measure]:
        """All measures by the label they have in the tables."""
        found = {}
        for name in self.compared:
            one = measure(name)
            found[name] = one.but(rel=self.rel) if hasattr(one, "rel") else one
        for model in (m for m in MODELS if m != "constant"):
            walk = measure("MP").but(model=model, rel=self.rel)
            found[f"MP {model}"] = walk
            found[f"MP {model}@Rec(T)"] = walk.but(rec=True)
        return found


def _complete(data: StudyData) -> NDArray[np.int64]:
    """The runs that retrieve something on every topic."""
    return np.flatnonzero(data.gold_lists.retrieved.all(axis=1))


def mean_scores(data: StudyData, seed: int, name: str) -> NDArray[np.float64]:
    """A job: the mean over topics of every system under gold labels."""
    wanted = [measure(name)]
    scores = score_alignment(data.gold_lists, data.gold, wanted, "judged", "zero", "nonrelevant")
    return np.asarray(scores.mean()[0])


def _kendall(
    means: Mapping[str, NDArray[np.float64]], rows: list[str], columns: list[str]
) -> NDArray[np.float64]:
    tau: NDArray[np.float64] = kendall_cross(
        np.stack([means[label] for label in rows]), np.stack([means[label] for label in columns])
    )
    return tau


def _starred(tau: float, itself: bool = False) -> Marked:
    stars = "" if itself else "**" if tau > VERY_HIGH else "*" if tau > HIGH else ""
    return Marked(float(tau), stars)


def _timed_table() -> StudyTable:
    """Table 5.4: the same lists in discrete and in continuous time."""
    rows: list[list[Cell]] = [
        [
            "".join(map(str, labels)),
            *rates,
            score_list("MP(model=GL_AD_ID)", labels),
            score_list(measure("MP").but(rates=list(rates)), labels),
        ]
        for labels, rates in TIMED
    ]
    header = ["run", *(f"mu {rank}" for rank in range(1, 11)), "discrete", "continuous"]
    title = "Markov precision GL_AD_ID in discrete and continuous time, rates as printed"
    return StudyTable("table-5.4", title, header, rows)


def _draw_correlations(rows: list[str], columns: list[str], tau: NDArray[np.float64]) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 0.3 * len(rows) + 1), layout="constrained")
    axes = figure.subplots()
    image = axes.imshow(tau, vmin=min(0.5, float(np.nanmin(tau))), vmax=1, aspect="auto")
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), rows)
    figure.colorbar(image, label="Kendall's tau")
    return figure
