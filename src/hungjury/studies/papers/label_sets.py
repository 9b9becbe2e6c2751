"""Building blocks of recipes on one or several sets of labels, and evidence for their claims.

The papers set collections side by side. So do these recipes, and labels of one collection as well:
gold labels, the judges' majority, or one judge. Jobs call the building blocks on one set of labels.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import Any, ClassVar, TypeAlias

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.parameters import integer, names, param, shares
from hungjury.base.records import Record
from hungjury.base.results import Cell, Table
from hungjury.data.alignment import align
from hungjury.data.qrels import Qrels
from hungjury.measures.catalogue import Measure
from hungjury.measures.evaluate import evaluate
from hungjury.measures.scores import Scores
from hungjury.stats.correlation import kendall
from hungjury.studies.claims import RESAMPLES, Quantity, Resampling, too_narrow
from hungjury.studies.data import GOLD, MAJORITY, Facts, StudyData, collection_facts
from hungjury.studies.jobs import Job
from hungjury.studies.measure_comparison import (
    RATES,
    PoolScores,
    better_on,
    correlate_measures,
    correlation_draws,
    need_measures,
)
from hungjury.studies.recipe import Drawing, Lines, Recipe, Studied

POWER_RATES = (1.0, 0.5, 0.05)
BAND = (0.05, 0.95)  # quantiles over pools, in figures


class LabelSet(Record, eq=False):
    """One set of labels of one collection, the results for it, and quantities for claims.

    title: in tables and figures. place: the index of each measure in the jobs' results, by its
    label in tables. topics: the topics that were used, as the jobs' keys call them, where there are
    several sets.
    """

    title: str
    whose: str
    data: StudyData
    results: Mapping[str, Any]
    place: Mapping[str, int]
    rates: Sequence[float]
    topics: str = ""

    @property
    def labels(self) -> Qrels:
        return self.data.labels(self.whose)

    @property
    def four_grades(self) -> bool:
        """More than two relevant grades."""
        return self.labels.max_grade > 2

    def facts(self, rel: int) -> Facts:
        """Topics, runs, lists and relevant documents."""
        return collection_facts(self.labels, align(self.data.loaded_runs, self.labels.pool), rel)

    def result(self, kind: str) -> Any:
        """The result of the job "kind/labels" or "kind/labels/topics"; None if there is none."""
        return self.results.get(self._key(kind))

    def numbered(self, kind: str) -> list[Any]:
        """The results of the numbered jobs of a kind."""
        prefix = self._key(kind) + "/"
        return [found for key, found in self.results.items() if key.startswith(prefix)]

    def _key(self, kind: str) -> str:
        return "/".join(filter(None, (kind, self.whose, self.topics)))

    def pool_lines(self, what: str) -> Floats:
        """[measure, line, rate]: the mean over random pools, the whole pool first, and a band with
        nine of ten pools."""
        pools = self.numbered("pools")
        each = np.array([np.asarray(one[what]) for one in pools])
        lines = np.stack([each.mean(axis=0), *np.quantile(each, BAND, axis=0)], axis=1)
        whole = np.asarray(pools[0]["whole"]) if what == "level" else np.ones(len(lines))
        return np.insert(lines, 0, whole[:, None], axis=2)

    def correlation(self, one: str, other: str, what: str = "tau") -> float:
        """Of two measures; NaN where they were not correlated."""
        result = self.result("correlation")
        if result is None or one not in self.place or other not in self.place:
            return float("nan")
        return float(np.asarray(result[what])[self.place[one], self.place[other]])

    def tau(self, one: str, other: str, what: str = "tau") -> Quantity:
        """Of two measures; interval over topics."""
        result, value = self.result("correlation"), self.correlation(one, other, what)
        draws = np.asarray(result[f"{what}_draws"], dtype=float)
        draws = draws[:, self.place[one], self.place[other]]
        wider = too_narrow(result["topics"])
        return Quantity(value, value + (draws - draws.mean()) * wider, "topics")

    def robust(self, name: str, percent: int, what: str = "tau") -> Quantity:
        """tau with the whole pool where so much of it is kept; interval over topics and pools.
        what: "kept" for the share of the mean score that is left."""
        pools = self.numbered("pools")
        at = self.place[name], list(self.rates).index(percent / 100)
        values = np.array([np.asarray(one[what])[at] for one in pools])
        moved = np.stack([np.asarray(one[f"{what}_draws"])[:, at[0], at[1]] for one in pools], 1)
        wider = too_narrow(pools[0]["topics"])
        draws = Resampling(len(moved)).joint(values, moved * wider, "pools")
        return Quantity(float(values.mean()), draws, "topics, pools")

    @cached_property
    def _power(self) -> tuple[Floats, Floats]:
        """[measure, rate] on all topics, and draws of it: normal, with the spread that resampled
        topics give, widened for their small number."""
        whole = np.mean([np.asarray(one) for one in self.numbered("power")], axis=0)
        keep = [(1.0, *self.rates).index(rate) for rate in power_rates(self.rates)]
        each = np.stack([np.asarray(one) for one in self.numbered("power-topics")])
        moved = (each - each.mean(axis=0)) / np.sqrt(len(each))
        random = np.random.default_rng(0).normal(size=(RESAMPLES, len(each)))
        return whole[:, keep], np.tensordot(random * too_narrow(len(each)), moved, 1)

    def power(self, name: str, percent: int) -> Quantity:
        """Share of pairs told apart with so much of the pool; interval over topics and seeds."""
        at = self.place[name], power_rates(self.rates).index(percent / 100)
        value, moved = float(self._power[0][at]), self._power[1][:, at[0], at[1]]
        return Quantity(value, value + moved, "topics, seeds")


class PrintedNumbers(Record, eq=False):
    """Numbers as a paper prints them, instead of a `LabelSet`; NaN where there is none.

    values: Kendall's tau by two measures, or power by a measure and the percentage of the pool.
    """

    values: Mapping[tuple[str, Any], float]
    four_grades: ClassVar[bool] = False

    def tau(self, one: str, other: str | int, what: str = "tau") -> Quantity:
        """Of two measures."""
        value = self.values.get((one, other), np.nan)
        return Quantity(value, np.array([value]))

    def power(self, name: str, percent: int) -> Quantity:
        """Share of pairs told apart."""
        return self.tau(name, percent)


Found: TypeAlias = LabelSet | PrintedNumbers


def power_rates(rates: Sequence[float]) -> list[float]:
    """Rates at which power is claimed: the whole pool first."""
    return [rate for rate in POWER_RATES if rate in (1.0, *rates)]


class LabelRecipe(Recipe):
    """Base of recipes on sets of labels, which correlate measures and thin out pools."""

    labels: tuple[str, ...] = param(
        (GOLD,), kind=names, doc=f"{GOLD}, {MAJORITY} (the judges' majority), or a judge"
    )
    rates: tuple[float, ...] = param(RATES, kind=shares, doc="shares of the pool that are kept")
    repetitions: int = param(20, kind=integer, low=1, doc="random pools for robustness")

    @staticmethod
    def distinct(measures: Mapping[str, str]) -> list[str]:
        """The measures to compute, without duplicates: two labels may mean the same one."""
        return list(dict.fromkeys(measures.values()))

    def places(self, measures: Mapping[str, str]) -> dict[str, int]:
        """The place of each label's measure among the distinct ones."""
        order = self.distinct(measures)
        return {label: order.index(name) for label, name in measures.items()}

    @staticmethod
    def relevant_from(one: Measure, rel: int) -> Measure:
        """The measure with its lowest relevant grade, where it has one."""
        return one.but(rel=rel) if getattr(one, "rel", None) else one

    @staticmethod
    def headings(sets: Sequence[LabelSet], columns: Sequence[str]) -> list[str]:
        """The columns for every set of labels, which goes before them where there are several."""
        if len(sets) == 1:
            return list(columns)
        return [f"{one.title} {column}" for one in sets for column in columns]

    @abstractmethod
    def measures(self, data: StudyData, whose: str) -> dict[str, str]:
        """Return the measures that are correlated, by their labels in the tables."""

    def sampled(self, data: StudyData, whose: str) -> dict[str, str]:
        """Return the measures that are computed on random pools; by default all. Labels that
        `measures` has too must come first in both."""
        return self.measures(data, whose)

    def needed(self) -> tuple[str, ...]:
        """The data that the labels need, graded ones where the study compares grades."""
        kind = "graded " if "graded gold" in self.needs else ""
        found = ["systems", *([f"{kind}gold"] if GOLD in self.labels else [])]
        if MAJORITY in self.labels:
            found += ["judges"]
        if set(self.labels) - {GOLD}:
            found += [f"{kind}judges"]
        return tuple(dict.fromkeys(found))

    def check(self, data: StudyData) -> None:
        """Check also that labels exist and that the measures fit them."""
        super().check(data)
        for whose in self.labels:
            need_measures(list(self.measures(data, whose).values()), data.labels(whose))

    def jobs(self, data: StudyData) -> list[Job]:
        return [job for whose in self.labels for job in self.label_jobs(data, whose)]

    @abstractmethod
    def label_jobs(self, data: StudyData, whose: str) -> list[Job]:
        """Return the jobs of one set of labels."""

    def label_sets(self, studied: Sequence[Studied]) -> list[LabelSet]:
        """All sets of labels, called by collection, by labels, or by both."""
        found = []
        for one, whose in product(studied, self.labels):
            title = f"{one.name} {whose}".strip() if len(self.labels) > 1 else one.name or whose
            both = (self.measures(one.data, whose), self.sampled(one.data, whose))
            place = self.places(both[0]) | self.places(both[1])
            found.append(LabelSet(title, whose, one.data, one.results, place, self.rates))
        return found

    def pool_jobs(
        self, data: StudyData, whose: str, on: str = "", digits: int | None = None, **part: Any
    ) -> list[Job]:
        """Jobs that correlate measures, and that see how they do on random pools. on: the name of
        the set of topics, where there are several. digits: as in `correlate_measures`."""
        where = "/".join(filter(None, (whose, on)))
        part |= {"labels": whose}
        whole = part | {"measures": self.distinct(self.measures(data, whose)), "digits": digits}
        sampled = self.distinct(self.sampled(data, whose))
        pools = part | {"measures": sampled, "rates": list(self.rates)}
        return [
            Job(f"correlation/{where}", correlation_job, whole),
            *(Job(f"pools/{where}/{n}", pools_job, pools) for n in range(self.repetitions)),
        ]

    def over_rates(
        self,
        title: str,
        lines: Mapping[tuple[str, ...], Floats],
        heads: Sequence[str],
        ylabel: str,
        across: int,
        panels: Sequence[Lines] = (),
    ) -> Drawing:
        """A figure of lines of values on the whole pool and at all rates.

        lines: by the words that go below `heads` in the table, [rate], or [line, rate] with the
        ends of a band. panels: `across` of them side by side; by default, lines that differ in the
        last word only share a panel.
        """
        rates = (1.0, *self.rates)
        rows: list[list[Cell]] = [
            [*key, *map(float, np.atleast_2d(line)[0])] for key, line in lines.items()
        ]
        groups: dict[str, dict[str, Floats]] = {}
        for (*where, name), line in lines.items():
            groups.setdefault(", ".join(where), {})[name] = line
        shown = panels or [Lines(*one) for one in groups.items()]
        table = Table([*heads, *(f"{rate:.0%}" for rate in rates)], rows, caption=title)
        return Drawing(title, "draw_rate_lines", (shown, rates, ylabel, across), table)


def scores_of(
    data: StudyData, labels: str, systems: Sequence[str] | None = None, **how: Any
) -> Scores:
    """The scores that a job needs. how: measures, topics and depth, as in `evaluate`."""
    return evaluate(data.labels(labels), data.loaded_runs, **how).select(systems)


def correlation_job(
    data: StudyData, seed: int, digits: int | None = None, **how: Any
) -> dict[str, Any]:
    """A job: tau and tau_ap of all pairs of measures, and draws of them on resampled topics. how:
    as in `scores_of`."""
    scores = scores_of(data, **how)
    found = correlate_measures(scores, digits)
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
    rates: Sequence[float],
    topics: Sequence[str] | None = None,
    **how: Any,
) -> dict[str, Any]:
    """A job: one random pool at all rates. tau with the whole pool, the level and the share of it
    that is kept as [measure, rate], the level on the whole pool as [measure]; draws of tau and of
    that share on resampled topics. how: measures and systems, as in `PoolScores`."""
    qrels = data.labels(labels)
    chosen = qrels if topics is None else qrels.select(topics)
    pool = PoolScores(chosen, data.loaded_runs, seed=seed, **how)
    samples = [pool.sample(rate) for rate in rates]
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


def _pool_draws(whole: Scores, samples: Sequence[Scores]) -> dict[str, Floats]:
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


def _shares(part: Floats, whole: Floats) -> Floats:
    """NaN where the whole is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(whole == 0, np.nan, part / whole))
