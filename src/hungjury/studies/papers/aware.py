"""Combining measures instead of labels: AWARE against merging (TH sections 4.5 and 4.6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from hungjury.errors import Argument, InputError
from hungjury.judges.weights import ESTIMATORS
from hungjury.parameters import flag, integer, param
from hungjury.studies.claims import Claim, sensitivity_tables
from hungjury.studies.data import StudyData
from hungjury.studies.papers.aware_claims import Approaches, aware_claims
from hungjury.studies.papers.aware_tables import (
    all_analyses,
    by_sizes,
    common_sizes,
    orientation_table,
    renamed,
)
from hungjury.studies.papers.panels import experiment, gathered, sizes_of_tuples, tuple_jobs
from hungjury.studies.papers.panels_beside import anova_beside, panel_remarks
from hungjury.studies.recipe import RECIPES, Recipe, Report, Studied, names
from hungjury.studies.resampling import RESAMPLES
from hungjury.studies.runner import Job
from hungjury.studies.tuples import APPROACHES, TupleStudy

__all__ = ["Aware"]

MEASURES = ("AP", "nDCG(base=2)@20", "ERR@20")
VOTES = ("sgl_tau_msd", "tpc_kld_msd")
PRINTED = "printed/"  # before the keys of jobs that weigh as the equations are printed


@RECIPES.add("aware")
class Aware(Recipe):
    """How many judges are enough, and how best to combine them: AWARE against merging."""

    paper: ClassVar[str] = "Ferrante et al. 2017; thesis, Tables 4.1 to 4.5, Figures 4.4 to 4.9"
    needs: ClassVar[tuple[str, ...]] = ("systems", "gold", "judges")
    measures: tuple[str, ...] = param(MEASURES, kind=names, doc="measures to combine")
    rel: int = param(1, kind=integer, low=1, doc="lowest relevant grade")
    sizes: tuple[int, ...] = param(
        (), kind=sizes_of_tuples, doc="numbers of judges in a tuple; default: 2 to all but one"
    )
    tuples: int = param(100, kind=integer, low=1, doc="random tuples of each size")
    replicates: int = param(1000, kind=integer, low=1, doc="random judges of each class")
    drop_empty: bool = param(
        False, kind=flag, doc="drop judges with no relevant document on some topic"
    )
    votes: tuple[str, ...] = param(
        VOTES, kind=names, doc="weights to try on votes as well as on measures"
    )
    resamples: int = param(
        RESAMPLES, kind=integer, low=20, doc="draws of topics and tuples for intervals"
    )

    def check(self, data: StudyData) -> None:
        super().check(data)
        sizes = experiment(data, **self._how()).sizes
        if len(sizes) < 2:
            raise InputError(
                f"the study {self.name} compares sizes of tuples, but there is only {sizes[0]}",
                code="one-size",
                remedy=("give at least four judges, or several", Argument("sizes")),
            )

    @property
    def chosen_measures(self) -> tuple[str, ...]:
        return self.measures

    def jobs(self, data: StudyData) -> list[Job]:
        printed = tuple_jobs(data, PRINTED, **self._printed())
        return [*tuple_jobs(data, **self._how()), *printed]

    def report(self, studied: Sequence[Studied]) -> Report:
        found = {one.name: gathered(one.data, one.results, **self._how()) for one in studied}
        printed = {
            one.name: gathered(one.data, one.results, PRINTED, **self._printed()) for one in studied
        }
        tables, figures = all_analyses(common_sizes(found))
        tables += anova_beside(found, tables)
        choices = {
            "dissimilarity": self._claims(found, found),
            "printed": self._claims(printed, found),
        }
        tables = [*sensitivity_tables(choices, "orientation of AWARE's weights"), *tables]
        tables += [orientation_table(found, printed), *renamed(all_analyses(
            common_sizes(found, printed))[0], "printed orientation")]  # fmt: skip
        for name, study in found.items():
            by_size, curves = by_sizes(study, name if len(found) > 1 else "")
            tables += by_size
            figures += curves
        return Report(tables, figures, self._remarks(found), choices["dissimilarity"])

    def _claims(
        self, estimators: Mapping[str, TupleStudy], others: Mapping[str, TupleStudy]
    ) -> list[Claim]:
        """Of every collection, which goes before the case where there are several."""
        claims = []
        for name, study in others.items():
            before = f"{name}, " if len(others) > 1 else ""
            each = aware_claims(Approaches(estimators[name], study), self.votes)
            claims += [replace(one, case=before + one.case) for one in each]
        return claims

    def _remarks(self, found: Mapping[str, TupleStudy]) -> list[str]:
        """Numbers of each collection, and what the analyses of variance are of."""
        several = len(found) > 1
        numbers = [
            (f"{name}: " if several else "")
            + f"{len(study.judges)} judges, {study.systems} systems, {study.topics} topics."
            for name, study in found.items()
        ]
        factor = (
            "Systems is the collection; analyses are of the sizes that all collections have."
            if several
            else "With one set of systems the analyses of variance have no factor Systems."
        )
        return [
            *numbers,
            f"Up to {self.tuples} tuples of each size, {self.replicates} random judges of each "
            f"class. {factor} RMSE is divided by its largest value for each measure there. Groups "
            "are those of Tukey's HSD at 0.05.",
            *panel_remarks(found),
        ]

    def _how(self) -> dict[str, Any]:
        return {
            "measures": self.measures,
            "rel": self.rel,
            "sizes": self.sizes or None,
            "tuples": self.tuples,
            "replicates": self.replicates,
            "drop_empty": self.drop_empty,
            "approaches": (*APPROACHES, *self._votes),
            "resamples": self.resamples,
        }

    @property
    def _votes(self) -> tuple[str, ...]:
        return tuple(f"votes({weights})" for weights in self.votes)

    def _printed(self) -> dict[str, Any]:
        """The same for the other orientation, which merges do not have."""
        mine = {"approaches": (*ESTIMATORS, *self._votes), "orientation": "printed"}
        return self._how() | mine
