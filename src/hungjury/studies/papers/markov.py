"""Markov precision against the measures of direct comparison (thesis, section 5.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.errors import InputError
from hungjury.base.parameters import integer, param
from hungjury.base.tables import Cell, Marked, Table
from hungjury.measures.catalogue import measure
from hungjury.measures.evaluate import score_list
from hungjury.studies.claims import Claim
from hungjury.studies.data import StudyData
from hungjury.studies.figures import Lines, Matrices, Matrix, RateLines
from hungjury.studies.jobs import Job
from hungjury.studies.papers.label_sets import (
    ClaimData,
    LabelRecipe,
    LabelSet,
    check_labels,
    correlation_job,
    distinct,
    headings,
    label_sets,
    places,
    pools_job,
    rate_table,
    relevant_from,
    shares,
)
from hungjury.studies.papers.markov_claims import (
    COMPARED,
    HIGH,
    VERY_HIGH,
    WALKS,
    WITH_RECALL,
    Measured,
    markov_claims,
    published_tables,
)
from hungjury.studies.papers.published import table_5_4
from hungjury.studies.recipe import RECIPES, Report, Studied, names
from hungjury.studies.topics import complete_runs

KEPT = (0.9, 0.7, 0.5, 0.3, 0.1)
KINDS = tuple(dict.fromkeys(model.rpartition("_")[0] for model in WALKS))
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
class Markov(LabelRecipe):
    """Compare rankings of systems by Markov precision and by other measures."""

    paper: ClassVar[str] = "Ferrante et al. 2014; thesis, Tables 5.1 to 5.4, Figures 5.5 and 5.6"
    needs: ClassVar[tuple[str, ...]] = ("systems", "gold")
    compared: tuple[str, ...] = param(
        COMPARED, kind=names, doc="measures to compare with; Table 5.2 uses the first"
    )
    rel: int = param(1, kind=integer, low=1, doc="lowest relevant grade")
    rates: tuple[float, ...] = param(KEPT, kind=shares, doc="shares of the pool that are kept")
    repetitions: int = param(20, kind=integer, low=1, doc="random pools for robustness")

    def check(self, data: StudyData) -> None:
        super().check(data)
        check_labels(data, self.labels, dict.fromkeys(self.labels, self.measures()))
        for whose in self.labels:
            complete = _complete(data, whose)
            if len(complete) < 2:
                raise InputError(
                    f"{len(complete)} of {len(data.sources.runs)} runs retrieve on every topic, "
                    "and it takes two to compare their order",
                    code="too-few-systems",
                    remedy="leave out topics that few runs have",
                )

    def measures(self) -> dict[str, str]:
        """All measures by the label they have in the tables."""
        found = {name: str(relevant_from(measure(name), self.rel)) for name in self.compared}
        for model in WALKS:
            walk = measure("MP").but(model=model, rel=self.rel)
            found[f"MP {model}"] = str(walk)
            found[f"MP {model}{WITH_RECALL}"] = str(walk.but(rec=True))
        return found

    @property
    def chosen_measures(self) -> tuple[str, ...]:
        return self.compared

    def jobs(self, data: StudyData) -> list[Job]:
        found = []
        for whose in self.labels:
            part = {"labels": whose, "measures": distinct(self.measures()),
                    "systems": _complete(data, whose)}  # fmt: skip
            sampled = part | {"rates": list(self.rates)}
            found.append(Job(f"correlation/{whose}", correlation_job, part))
            found += [
                Job(f"pools/{whose}/{n}", pools_job, sampled) for n in range(self.repetitions)
            ]
        return found

    def report(self, studied: Sequence[Studied]) -> Report:
        sets = label_sets(studied, self.labels)
        rates, heads = (1.0, *self.rates), ("labels", "measure")
        level, tau = (self._lines(sets, what) for what in ("level", "tau"))
        titles = (
            "Figure 5.5: performance over all topics and runs at pool reduction rates",
            "Figure 5.6: Kendall's tau with the whole pool at pool reduction rates",
        )
        matrix, first, second = self._correlations(sets)
        measured = [Measured(one.title, one.facts(self.rel), self._tau(one)) for one in sets]
        published, recognised = published_tables(measured)
        return Report(
            {
                "table-5.1": _features(measured),
                "table-5.2": first,
                "table-5.3": second,
                "table-5.4": _timed_table(),
                **published,
                "figure-5.5": rate_table(titles[0], level, rates, heads),
                "figure-5.6": rate_table(titles[1], tau, rates, heads),
            },
            {
                "table-5.3": matrix,
                "figure-5.5": self._panels(titles[0], sets, level, "mean score"),
                "figure-5.6": self._panels(titles[1], sets, tau, "Kendall's τ"),
            },
            [
                f"{one.title}: {len(_complete(one.data, one.whose))} of "
                f"{len(one.data.sources.runs)} runs retrieve on every one of the "
                f"{len(one.labels.topics)} topics; only these are used, "
                f"as in the paper. Stars: above {HIGH} *, above {VERY_HIGH} **."
                for one in sets
            ]
            + recognised,
            [claim for one in sets for claim in self._claims(one)],
        )

    def _claims(self, one: LabelSet) -> list[Claim]:
        return markov_claims(ClaimData(one, places(self.measures()), self.rates))

    def _tau(self, one: LabelSet) -> dict[tuple[str, str], float]:
        """Kendall's tau by the labels of two measures, the second one of those compared."""
        place, tau = places(self.measures()), np.asarray(one.result("correlation")["tau"])
        return {(a, b): float(tau[i, place[b]]) for a, i in place.items() for b in self.compared}

    def _correlations(self, sets: Sequence[LabelSet]) -> tuple[Matrices, Table, Table]:
        """Table 5.3 as a picture, Table 5.2 and Table 5.3."""
        place, others = places(self.measures()), list(self.compared)
        walks = [label for label in place if label not in others]
        columns = [place[other] for other in others]
        tau = {one.title: np.asarray(one.result("correlation")["tau"])[:, columns] for one in sets}
        first: list[list[Cell]] = [
            [title, *(_starred(t, i == 0) for i, t in enumerate(values[place[others[0]]]))]
            for title, values in tau.items()
        ]
        rows: list[list[Cell]] = [
            [label, *(_starred(t) for values in tau.values() for t in values[place[label]])]
            for label in walks
        ]
        panels = [
            Matrix(title, walks, others, values[[place[label] for label in walks]])
            for title, values in tau.items()
        ]
        return (
            Matrices("Table 5.3 as a picture", panels, len(panels)),
            Table(["", *others], first,
                  caption=f"Table 5.2: Kendall's tau of {others[0]} with the others"),
            Table(["", *headings(sets, others)], rows,
                  caption="Table 5.3: Kendall's tau of Markov precision with the others"),
        )  # fmt: skip

    def _lines(self, sets: Sequence[LabelSet], what: str) -> dict[tuple[str, ...], Floats]:
        """{(labels, measure): a value for each rate}"""
        place = places(self.measures())
        mean = {one.title: one.pool_mean(what) for one in sets}
        return {(title, label): mean[title][i] for title in mean for label, i in place.items()}

    def _panels(
        self, title: str, sets: Sequence[LabelSet], lines: Mapping[tuple[str, ...], Floats],
        ylabel: str,
    ) -> RateLines:  # fmt: skip
        """A panel for each kind of walk, with both distances, and the measures compared in all."""
        panels = []
        for labels in (one.title for one in sets):
            for kind in KINDS:
                series = {name: lines[labels, name] for name in self.compared}
                for model in (m for m in WALKS if m.startswith(kind)):
                    distance = model.rpartition("_")[2]
                    for suffix in ("", WITH_RECALL):
                        series[f"MP {distance}{suffix}"] = lines[labels, f"MP {model}{suffix}"]
                panels.append(Lines(f"{labels}, MP {kind}", series))
        return RateLines(title, panels, (1.0, *self.rates), ylabel, len(KINDS))


def _complete(data: StudyData, whose: str) -> list[str]:
    """The runs that retrieve something on every topic."""
    return complete_runs(data.labels(whose), data.loaded_runs).names


def _starred(tau: float, itself: bool = False) -> Marked:
    stars = "" if itself else "**" if tau > VERY_HIGH else "*" if tau > HIGH else ""
    return Marked(float(tau), stars)


def _features(measured: Sequence[Measured]) -> Table:
    """Table 5.1."""
    rows: list[list[Cell]] = [
        [one.title, one.facts.topics, one.facts.complete, one.facts.least, one.facts.mean,
         one.facts.most]
        for one in measured
    ]  # fmt: skip
    header = ["labels", "topics", "runs", "min relevant", "mean relevant", "max relevant"]
    return Table(header, rows, digits=2, caption="Table 5.1: main features")


def _timed_table() -> Table:
    """Table 5.4: the same lists in discrete and in continuous time, and as printed."""
    rows: list[list[Cell]] = []
    for labels, rates in TIMED:
        run = "".join(map(str, labels))
        discrete = score_list("MP(model=GL_AD_ID)", labels)
        continuous = score_list(measure("MP").but(rates=list(rates)), labels)
        rows.append([run, *rates, discrete, continuous, *table_5_4()[run]])
    header = ["run", *(f"mu {rank}" for rank in range(1, 11)), "discrete", "continuous",
              "discrete, published", "continuous, published"]  # fmt: skip
    title = "Markov precision GL_AD_ID in discrete and continuous time, rates as printed"
    return Table(header, rows, caption=title)
