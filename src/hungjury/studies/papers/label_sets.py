"""Building blocks of recipes on one or several sets of labels.

The papers set collections side by side. So do these recipes, and labels of one collection as well:
gold labels, the judges' majority, or one judge. Jobs call the building blocks on one set of labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hungjury.catalogue import Measure, measure
from hungjury.collection.align import align
from hungjury.collection.qrels import Qrels
from hungjury.evaluation import evaluate
from hungjury.parameters import numbers, param
from hungjury.records import Record
from hungjury.scores import Scores
from hungjury.stats.correlation import kendall
from hungjury.studies.checks import need_measures
from hungjury.studies.correlation import better_on, correlate_measures, correlation_draws
from hungjury.studies.data import GOLD, MAJORITY, StudyData
from hungjury.studies.downsampling import RobustnessExperiment
from hungjury.studies.facts import Facts, collection_facts
from hungjury.studies.recipe import Studied, names
from hungjury.studies.resampling import RESAMPLES, Resampling
from hungjury.studies.study_table import Cell, StudyTable

__all__ = [
    "LabelSet",
    "check_labels",
    "correlation_job",
    "distinct",
    "headings",
    "label_sets",
    "labels_param",
    "mean_of",
    "places",
    "pools_job",
    "rate_table",
    "relevant_from",
    "required_labels",
    "score",
    "shares",
]  # fmt: skip

Array = NDArray[np.float64]


class LabelSet(Record, eq=False):
    """One set of labels of one collection, and the results for it."""

    title: str  # in tables and figures
    whose: str
    studied: Studied

    @property
    def data(self) -> StudyData:
        return self.studied.data

    @property
    def labels(self) -> Qrels:
        return self.data.labels(self.whose)

    def facts(self, rel: int) -> Facts:
        """Topics, runs, lists and relevant documents."""
        return collection_facts(self.labels, align(self.data.loaded_runs, self.labels.pool), rel)

    def result(self, kind: str) -> Any:
        """Of the job "kind/labels", or None."""
        return self.studied.results.get(f"{kind}/{self.whose}")

    def mean(self, kind: str, what: str) -> Array:
        """[measure, rate]: see `mean_of`."""
        return mean_of(self.studied.results, f"{kind}/{self.whose}/", what)


def label_sets(studied: Sequence[Studied], labels: Sequence[str]) -> list[LabelSet]:
    """All sets of labels, called by collection, by labels, or by both."""
    found = []
    for one in studied:
        for whose in labels:
            title = f"{one.name} {whose}" if len(labels) > 1 else one.name
            found.append(LabelSet(whose if len(studied) == 1 else title, whose, one))
    return found


def labels_param() -> Any:
    return param((GOLD,), kind=names, doc=f"{GOLD}, {MAJORITY} (the judges' majority), or a judge")


def required_labels(labels: Sequence[str], graded: bool) -> tuple[str, ...]:
    """The data that such labels need."""
    kind = "graded " if graded else ""
    found = [f"{kind}gold"] if GOLD in labels else []
    if MAJORITY in labels:
        found += ["judges"]
    if set(labels) - {GOLD}:
        found += ["graded judges" if graded else "judges"]
    return tuple(dict.fromkeys(found))


def check_labels(
    data: StudyData, labels: Sequence[str], measures: Mapping[str, Mapping[str, str]]
) -> None:
    """Check that labels exist, and that the measures (by name, for each set) fit them."""
    for whose in labels:
        need_measures(list(measures[whose].values()), data.labels(whose))


def distinct(measures: Mapping[str, str]) -> list[str]:
    """The measures to compute, without duplicates: two labels may mean the same one."""
    return list(dict.fromkeys(measures.values()))


def places(measures: Mapping[str, str]) -> dict[str, int]:
    """The place of each label's measure among the distinct ones."""
    order = distinct(measures)
    return {label: order.index(name) for label, name in measures.items()}


def relevant_from(one: Measure, rel: int) -> Measure:
    """The measure with its lowest relevant grade, where it has one."""
    return one.but(rel=rel) if hasattr(one, "rel") else one


def shares(value: object) -> tuple[float, ...]:
    """Rates of down-sampling."""
    found = numbers(value)
    if not found or not all(0 < rate < 1 for rate in found):
        raise ValueError("shares of the pool between 0 and 1")
    return tuple(sorted(found, reverse=True))


def score(
    data: StudyData, whose: str, measures: Sequence[str], topics: Sequence[str] | None = None
) -> Scores:
    """Scores under one set of labels."""
    chosen = "judged" if topics is None else list(topics)
    return evaluate(data.labels(whose), data.loaded_runs, list(measures), chosen)


def correlation_job(
    data: StudyData,
    seed: int,
    labels: str,
    measures: Sequence[str],
    topics: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
) -> dict[str, Any]:
    """A job: tau and tau_ap of all pairs of measures, and draws of them on resampled topics."""
    scores = score(data, labels, measures, topics).select(systems)
    found = correlate_measures(scores)
    return {
        "tau": found.tau,
        "tau_ap": found.tau_ap,
        "topics": found.topics,
        **correlation_draws(scores, RESAMPLES, seed),
    }


def pools_job(
    data: StudyData,
    seed: int,
    labels: str,
    measures: Sequence[str],
    rates: Sequence[float],
    topics: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
) -> dict[str, Any]:
    """A job: one random pool at all rates. tau with the whole pool, the level and the share of it
    that is kept as [measure, rate], the level on the whole pool as [measure]; draws of tau and of
    that share on resampled topics."""
    qrels = data.labels(labels)
    chosen = qrels if topics is None else qrels.select(topics)
    pool = RobustnessExperiment(
        chosen, data.loaded_runs, list(map(measure, measures)), rates, 1, seed, systems
    )
    samples = [pool.sample(0, rate) for rate in rates]
    whole, truth = pool.whole.mean().mean(axis=1), pool.whole.better()
    level = np.stack([one.mean().mean(axis=1) for one in samples], axis=1)
    return {
        "tau": np.stack([kendall(one.better(), truth) for one in samples], axis=1),
        "level": level,
        "whole": whole,
        "kept": _shares(level, whole[:, None]),
        "topics": len(pool.whole.topics),
        **_pool_draws(pool.whole, samples),
    }


def _pool_draws(whole: Scores, samples: Sequence[Scores]) -> dict[str, Array]:
    """tau and kept on resampled topics, the same for all pools: [draw, measure, sample]."""
    shares = Resampling(RESAMPLES).topics(len(whole.topics))
    of_whole = better_on(whole, shares)
    of_samples = [better_on(one, shares) for one in samples]
    tau = [np.asarray(kendall(one, of_whole)) for one in of_samples]
    kept = [_shares(one.mean(axis=2), of_whole.mean(axis=2)) for one in of_samples]
    return {
        "tau_draws": np.stack(tau, axis=2).astype(np.float32),
        "kept_draws": np.stack(kept, axis=2).astype(np.float32),
    }


def _shares(part: Array, whole: Array) -> Array:
    """NaN where the whole is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(whole == 0, np.nan, part / whole))


def mean_of(results: Mapping[str, Any], prefix: str, what: str) -> Array:
    """[measure, rate]: the mean over the jobs whose key begins so, the whole pool first."""
    mine = [value for key, value in results.items() if key.startswith(prefix)]
    mean = np.mean([np.asarray(value[what]) for value in mine], axis=0)
    if what == "level":
        whole = np.asarray(mine[0]["whole"])
    else:
        whole = np.ones(len(mean))
    return np.column_stack([whole, mean])


def rate_table(
    name: str, title: str, series: Mapping[tuple[str, ...], Array], rates: Sequence[float],
    heads: Sequence[str],
) -> StudyTable:  # fmt: skip
    """The numbers behind a figure: a row for each line of it, its place in the words of `heads`."""
    header = [*heads, *(f"{rate:.0%}" for rate in rates)]
    rows: list[list[Cell]] = [[*key, *map(float, line)] for key, line in series.items()]
    return StudyTable(name, title, header, rows)


def headings(sets: Sequence[LabelSet], columns: Sequence[str]) -> list[str]:
    """The columns once for every set of labels, which goes before them where there are several."""
    if len(sets) == 1:
        return list(columns)
    return [f"{one.title} {column}" for one in sets for column in columns]
