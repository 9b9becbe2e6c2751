"""Building blocks of recipes on tuples of judges, and which of the papers' collections they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, ClassVar

from hungjury.base.parameters import flag, integer, measure_names, param, whole_numbers
from hungjury.base.results import Table
from hungjury.studies.claims import RESAMPLES, Resampling
from hungjury.studies.combining import TupleScores, TupleStudy, join_parts, tuple_parts
from hungjury.studies.data import StudyData
from hungjury.studies.gold import Doubt
from hungjury.studies.jobs import Job
from hungjury.studies.papers import published
from hungjury.studies.recipe import Recipe, Studied, before


@lru_cache(maxsize=2)
def tuple_scores(
    data: StudyData,
    seed: int = 0,
    *,
    measures: tuple[str, ...],
    resamples: int,
    doubts: Sequence[tuple[float, float]] = ((0.05, 0.0),),
    **scoring: Any,
) -> TupleScores:
    """The scores of a collection, made once in a process, which then runs many parts of a study.
    doubts: as pairs of numbers, which jobs can be sent. scoring: as in `TupleScores`."""
    return TupleScores(
        data.judgments, data.runs, measures, data.gold, seed=seed,
        doubts=[Doubt(*one) for one in doubts], resampling=Resampling(resamples, seed), **scoring,
    )  # fmt: skip


def run_part(
    data: StudyData, seed: int, part: Mapping[str, Any], scoring: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """A job: a part of a study of tuples."""
    return tuple_scores(data, seed, **scoring).run(**part)


class PanelRecipe(Recipe):
    """Base of recipes that combine tuples of judges, and compare them with gold labels."""

    needs: ClassVar[tuple[str, ...]] = ("systems", "gold", "judges")
    measures: tuple[str, ...] = param((), kind=measure_names, doc="measures to combine")
    rel: int = param(1, kind=integer, low=1, doc="lowest relevant grade")
    sizes: tuple[int, ...] = param(
        (), kind=whole_numbers, doc="numbers of judges in a tuple; default: 2 to all but one"
    )
    tuples: int = param(100, kind=integer, low=1, doc="random tuples of each size")
    drop_empty: bool = param(
        False, kind=flag, doc="drop judges with no relevant document on some topic"
    )
    resamples: int = param(
        RESAMPLES, kind=integer, low=20, doc="draws of topics, judges and tuples for intervals"
    )

    def scoring(self) -> dict[str, Any]:
        """Arguments of `tuple_scores`."""
        shared = ("measures", "rel", "drop_empty", "resamples")
        return {name: getattr(self, name) for name in shared}

    def _parts(self, data: StudyData, combining: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        scores = tuple_scores(data, **self.scoring())
        return tuple_parts(scores, sizes=self.sizes or None, tuples=self.tuples, **combining)

    def tuple_jobs(self, data: StudyData, name: str = "", **combining: Any) -> list[Job]:
        """A job for every part of a study of tuples.

        name: goes before the keys. combining: further arguments of `tuple_parts`. The jobs share a
        seed: all of them look at the same tuples. Data that the study cannot use is refused here,
        before any job is done.
        """
        scoring = self.scoring()
        return [
            Job(name + key, run_part, {"part": part, "scoring": scoring}, draws="tuples")
            for key, part in self._parts(data, combining).items()
        ]

    def joined(
        self, studied: Sequence[Studied], name: str = "", **combining: Any
    ) -> dict[str, TupleStudy]:
        """Join the results of `tuple_jobs`, by collection."""
        found = {}
        for one in studied:
            parts = [one.results[name + key] for key in self._parts(one.data, combining)]
            scores = tuple_scores(one.data, **self.scoring())
            found[one.name] = join_parts(scores, combining["approaches"], parts)
        return found


def unnamed(table: Table) -> Table:
    """A table without its first column, which names collections, where there is only one."""
    if any(row[0] for row in table.rows):
        return table
    return replace(table, columns=table.columns[1:], rows=[row[1:] for row in table.rows])


def known_systems(studies: Mapping[str, TupleStudy]) -> dict[str, str]:
    """By title: the papers' name of collections with their numbers of judges, topics, systems."""
    names = {numbers: name for name, numbers in published.numbers("panel systems").items()}
    mine = {t: (len(one.judges), one.topics, one.systems) for t, one in studies.items()}
    return {title: names[numbers] for title, numbers in mine.items() if numbers in names}


def remarks(studies: Mapping[str, TupleStudy], remark: str) -> list[str]:
    """Sentences on the numbers of each collection, a remark on the study, and which collections are
    the papers'."""
    return [
        *(
            f"{before(name)}{len(study.judges)} judges, {study.systems} systems, "
            f"{study.topics} topics."
            for name, study in studies.items()
        ),
        remark,
        *(
            f"{title or 'This'} is {name} of the papers, by its numbers of judges, topics and "
            "systems; tables with 'published' contain the printed numbers."
            for title, name in known_systems(studies).items()
        ),
    ]
