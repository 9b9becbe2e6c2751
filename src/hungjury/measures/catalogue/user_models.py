"""Measures of users who move over the list as Markov chains: MP and nMCG."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from hungjury.base.arrays import Array, ArrayLike, Bools, Floats, Indices, Int32s
from hungjury.base.errors import plural, rel_range
from hungjury.base.parameters import MOST_RANKS, MOST_STEPS, flag, integer, numbers, param
from hungjury.base.records import Record
from hungjury.data.judged import Judged
from hungjury.measures.base import CUTOFF, RANK_WEIGHTED, REL, Measure, Sum, Sums, hits_of, ratio
from hungjury.measures.catalogue.gain import gain_table, ideal_sum
from hungjury.users.chain import (
    MODELS,
    finite_visits,
    pull_sums,
    stationary_distribution,
    transition_matrix,
)

if TYPE_CHECKING:  # user models are slow to load and rarely needed
    from hungjury.base.errors import Note
    from hungjury.data.qrels import Qrels
    from hungjury.users.model import UserModel

__all__ = ["MP", "nMCG"]

FROM_MODEL = "model"


class RankMatrix(Record):
    """A transition matrix as part of a measure's name."""

    rows: tuple[tuple[float, ...], ...]

    def __str__(self) -> str:
        return "[" + ", ".join(f"[{', '.join(map(repr, row))}]" for row in self.rows) + "]"


def _users(value: object) -> str | UserModel:
    """Check users: the name or file of a user model, or a model."""
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    if not isinstance(value, str) and not hasattr(value, "discounts"):
        raise ValueError("a user model, its file, or 'published-shape'")
    return cast("str | UserModel", value)  # the model's module is slow to import


def _walk(value: object) -> str | RankMatrix | UserModel:
    """Check how users move: as in `_users`, or by a transition matrix."""
    if isinstance(value, RankMatrix):
        return value
    if isinstance(value, (str, os.PathLike)) or hasattr(value, "discounts"):
        return _users(value)
    return RankMatrix(tuple(tuple(row) for row in transition_matrix(value).tolist()))


def _pace(value: object) -> str | tuple[float, ...]:
    return FROM_MODEL if isinstance(value, str) and value == FROM_MODEL else numbers(value)


NAV_REL = param(
    None,
    kind=integer,
    low=1,
    doc="queries with exactly one document of this grade and more are navigational; by default "
    "the user model's",
)


class OfUsers(Measure):
    """Base: queries are navigational or informational, each with its own users."""

    nav_rel: int | None

    @cached_property
    def users(self) -> UserModel | None:
        """The calibrated users, if there are any."""
        raise NotImplementedError

    @property
    def lowest_navigational(self) -> int:
        """The grade that decides on a query's class."""
        assert self.users is not None
        return self.nav_rel or self.users.nav_rel

    def class_of(self, judged: Judged) -> Indices:
        """Return the class of users of every list."""
        assert self.users is not None
        return self.users.class_of(judged.relevant(self.lowest_navigational))

    def user_notes(self, users: UserModel) -> tuple[Note, ...]:
        """Return notes on the users themselves."""
        return users.page_notes()

    def notes(self, qrels: Qrels | None = None) -> tuple[Note, ...]:
        if self.users is None:
            return ()
        found = self.user_notes(self.users)
        if qrels is None:
            return found
        lowest = self.lowest_navigational
        return found + self.users.class_notes(qrels.relevant(lowest), lowest)


class MP(OfUsers, called="MP"):
    """Markov precision: the precision at relevant documents, weighted by how often a user visits
    them who moves over the ranks as a Markov chain. Use it where users do not read from the top to
    the bottom, and to see how much the result depends on how they move. 0 where nothing relevant is
    retrieved. The models on all documents (AD) depend on the length of the list.

    Formula: MP = Σ_{n: x_n=1} π_n P@n, π: stationary distribution of the chain watched at relevant
    ranks

    Source: Ferrante, Ferro and Maistro 2014 (Markov precision)
    """

    at = "cutoff"
    model: str | RankMatrix | UserModel | ArrayLike = param(
        "GL_AD_ID",
        kind=_walk,
        doc=f"one of {', '.join(MODELS)}; a transition matrix over the first ranks, as a list of "
        "rows; a user model, its file, or 'published-shape'",
    )
    rec: bool = param(False, kind=flag, doc="multiply by recall; with model=constant this is AP")
    rates: str | Sequence[float] | None = param(
        None,
        kind=_pace,
        low=0,
        open_low=True,
        doc="continuous time: rates of the holding times at ranks 1, 2, ...; 'model': the model's",
    )
    steps: int | None = param(
        None,
        kind=integer,
        low=0,
        high=MOST_STEPS,
        doc="precision at the relevant document reached after so many moves between relevant ones, "
        "from the first; by default in the long run",
    )
    nav_rel: int | None = NAV_REL
    rel: int = REL
    cutoff: int | None = CUTOFF

    def __post_init__(self) -> None:
        _ = self.stationary, self.users  # a wrong matrix or file fails early
        if self.steps is not None and (self.model not in MODELS or self.rates is not None):
            said = f"steps are for the models {', '.join(MODELS)}, without rates"
            remedy = "choose one of these models, or leave out steps"
            raise self.error(said, "steps-of-model", remedy, "steps")
        if self.rates == FROM_MODEL:
            self._check_rates()

    @classmethod
    def variants(cls) -> tuple[dict[str, Any], ...]:
        return tuple({"model": model} for model in MODELS)

    @cached_property
    def stationary(self) -> tuple[float, ...]:
        """The stationary distribution of a given matrix."""
        if not isinstance(self.model, RankMatrix):
            return ()
        return tuple(stationary_distribution(np.array(self.model.rows)).tolist())

    @cached_property
    def users(self) -> UserModel | None:
        """The calibrated users, where the model is neither a matrix nor one of the papers'."""
        if isinstance(self.model, RankMatrix) or self.model in MODELS:
            return None
        from hungjury.users.model import user_model

        try:
            return user_model(cast("str | UserModel", self.model))
        except ValueError:
            if isinstance(self.model, str) and not os.path.exists(self.model):
                remedy = f"choose from {', '.join(MODELS)}, or name the file of a user model"
                said = f"no model or file '{self.model}'"
                raise self.error(said, "no-model", remedy, "model") from None
            raise

    def _check_rates(self) -> None:
        if self.users is None:
            said = f"the model {self.model} has no rates, because it is not calibrated on a log"
            remedy = "give the rates of the ranks 1, 2, ..., as in MP(rates=[0.2, 0.1])"
            raise self.error(said, "not-calibrated", remedy, "rates")
        unknown = np.isnan(self.users.rates()) & (self.users.stationary() > 0)
        if unknown.any():
            c, rank = (int(i[0]) for i in np.nonzero(unknown))
            name = self.users.classes[c].name
            said = f"no holding time is known at rank {rank + 1} for the class '{name}'"
            remedy = "calibrate on a longer log, or give the rates as in MP(rates=[0.2, 0.1])"
            raise self.error(said, "no-holding-time", remedy, "rates")

    def score(self, judged: Judged) -> Floats:
        hits = judged.hits(self.rel, self.cutoff)
        weights = self._visits(judged, hits) * hits
        if self.rates is not None:
            weights = weights / self._rates(judged, weights)
        precision = np.cumsum(hits, axis=-1) / judged.ranks
        value = np.nan_to_num(ratio((weights * precision).sum(axis=-1), weights.sum(axis=-1)))
        return self._recalled(value, hits.sum(axis=-1), judged)

    def sums(self, rank: Floats, length: Floats, top: int) -> Sums | None:
        """Return for each class of users the precision at relevant documents, summed over visits,
        and the visits, or the mean precision of a walk between them; for recall their number too.
        """
        between_relevant = self.model in MODELS and "_OR_" in str(self.model)
        if self.steps is not None or self.rates == FROM_MODEL:
            return None
        if self.rates is not None and (between_relevant or len(self.rates) < rank.max(initial=0)):
            return None
        hits, ranks = hits_of(top, self.rel), rank.astype(np.int32)
        found = (Sum("gains", hits, np.ones(len(rank))),) if self.rec else ()
        if between_relevant:
            walk = Sum(str(self.model), hits, rank)
            return Sums(
                (walk, *found), lambda sums, pools: self._recalled(sums[0], sums[-1], pools)
            )
        if self.users is not None:
            visits = [_at_ranks(one, ranks) for one in self.users.stationary()]
        elif isinstance(self.model, RankMatrix):
            visits = [_at_ranks(np.array(self.stationary), ranks)]
        else:
            ends = np.minimum(length, self.cutoff or np.inf).astype(np.int32)
            every = np.ones((len(rank), 1), dtype=bool)
            visits = [pull_sums(str(self.model), every, ranks[:, None], ends)[:, 0]]
        if self.rates is not None:
            visits = [v / _at_ranks(np.array(self.rates, dtype=float), ranks) for v in visits]

        def finish(sums: Sequence[Floats], pools: Judged) -> Floats:
            pairs = zip(sums[::2], sums[1::2], strict=False)
            each = [np.nan_to_num(ratio(*pair)) for pair in pairs]
            value = each[0] if self.users is None else np.choose(self.class_of(pools), each)
            return self._recalled(np.asarray(value), sums[-1], pools)

        parts = [(Sum("precisions", hits, v / rank), Sum("gains", hits, v)) for v in visits]
        return Sums((*(part for pair in parts for part in pair), *found), finish)

    def _recalled(self, value: Floats, found: Floats, pools: Judged) -> Floats:
        """Return the value, times recall where that is asked for."""
        return value * ratio(found, pools.relevant(self.rel)) if self.rec else value

    def _visits(self, judged: Judged, hits: Bools) -> Floats:
        """Return [..., list, place]: the stationary distribution at relevant places, up to a
        factor."""
        if self.users is not None:
            return _at_ranks(self.users.stationary()[self.class_of(judged)], judged.ranks)
        if isinstance(self.model, RankMatrix):
            return _at_ranks(np.array(self.stationary), judged.ranks)
        length: Array = judged.length
        if self.cutoff is not None:
            length = np.minimum(length, self.cutoff)
        if self.steps is not None:
            return finite_visits(str(self.model), hits, judged.ranks, length, self.steps)
        return pull_sums(str(self.model), hits, judged.ranks, length)

    def _model_rates(self, judged: Judged) -> Floats:
        """Return [..., list, rank]: the holding-time rates of each list's query or its class."""
        assert self.users is not None
        which = self.class_of(judged)
        if not self.users.query_rates or not judged.topics:
            return np.asarray(self.users.rates()[which])
        names = [judged.topics[t] for t in judged.topic]
        rows = which.reshape(-1, len(names))
        tables = [self.users.rates_by_topic(names, row) for row in rows]
        return np.array(tables).reshape(*which.shape, -1)

    def _rates(self, judged: Judged, weights: Floats) -> Floats:
        """Return [..., list, place]: rates where they are needed, 1 elsewhere."""
        if self.rates == FROM_MODEL and self.users is not None:
            table = self._model_rates(judged)
        else:
            table = np.array(self.rates, dtype=float)
        found, needed, number = _at_ranks(table, judged.ranks), weights > 0, table.shape[-1]
        deepest = int(np.where(needed & (found == 0), judged.ranks, 0).max(initial=0))
        if deepest:
            given = plural(number, "rank")
            said = f"rates are given for {given}, but a relevant document is at rank {deepest}"
            remedy = f"give more rates, or cut lists with {self.name}(...)@{number}"
            raise self.error(said, "too-few-rates", remedy, "rates")
        return np.where(needed, found, 1.0)


def _at_ranks(table: Floats, ranks: Int32s) -> Floats:
    """Look up a table [..., list, rank], or [rank] for all lists, at places; 0 beyond its end."""
    padded = np.pad(table, [(0, 0)] * (table.ndim - 1) + [(0, 1)])
    place = np.minimum(ranks - 1, table.shape[-1]).astype(np.intp)
    if table.ndim == 1:
        return np.asarray(padded[place])
    place = np.broadcast_to(place, (*table.shape[:-1], place.shape[-1]))
    return np.asarray(np.take_along_axis(padded, place, axis=-1))


class nMCG(OfUsers, called="nMCG"):  # noqa: N801 - the field's name
    """Normalised Markov cumulated gain: gains 2^grade - 1, weighted by a user dynamic instead of
    DCG's discount, over those of the best possible list sorted by grade. Use it with users
    calibrated on your own click log, to weight ranks by how much they are looked at. The dynamic is
    that of the query's class. Exceeds 1 where a dynamic is not decreasing and better documents are
    where users look more. The default users, 'published-shape', are two curves chosen by hand after
    the published description, not fitted to a log.

    Formula: nMCG@k = Σ_{n≤k} (2^l_n - 1) δ(n) / the same sum for the best list, δ: dynamic of the
    query's class

    Source: Ferro, Lucchese, Maistro and Perego 2017
    """

    at = "cutoff"
    high = np.inf
    averages_ties = True
    user: str | UserModel = param(
        "published-shape", kind=_users, doc="a user model, its file, or 'published-shape'"
    )
    nav_rel: int | None = NAV_REL
    cutoff: int = param(10, kind=integer, low=1, high=MOST_RANKS, doc="ranks counted")

    def __post_init__(self) -> None:
        self.users.discounts(self.cutoff)  # raises for ranks that were not calibrated

    @cached_property
    def users(self) -> UserModel:
        from hungjury.users.model import user_model

        return user_model(self.user)

    @property
    def proof(self) -> str:  # type: ignore[override]
        """Swap needs dynamics that do not rise."""
        rises = any(one.dynamic.rises(self.cutoff) for one in self.users.classes)
        return "" if rises else RANK_WEIGHTED

    def user_notes(self, users: UserModel) -> tuple[Note, ...]:
        return users.notes(self.cutoff)

    def check(self, max_grade: int) -> None:
        super().check(max_grade)
        if self.lowest_navigational > max_grade and len(self.users.classes) > 1:
            said = f"nav_rel is {self.lowest_navigational}, but the largest grade is {max_grade}"
            remedy = f"{rel_range(max_grade, name='nav_rel')}, or declare the grades"
            raise self.error(said, "rel-too-large", remedy, "nav_rel")

    def score(self, judged: Judged) -> Floats:
        gained = judged.gains(gain_table(judged.max_grade, None, exponential=True))
        ranks = np.arange(1, judged.depth + 1, dtype=np.int32)
        weights = [_at_ranks(one, ranks) for one in self.users.discounts(self.cutoff)]
        return self._chosen([(gained * judged.weigh(one)).sum(axis=-1) for one in weights], judged)

    def _chosen(self, sums: Sequence[Floats], pools: Judged) -> Floats:
        """Choose among the sums under each class's dynamic, over those of the best list."""
        gains = gain_table(pools.max_grade, None, exponential=True)
        dynamics = zip(sums, self.users.discounts(self.cutoff), strict=True)
        each = [ratio(one, ideal_sum(pools, gains, dynamic)) for one, dynamic in dynamics]
        return np.asarray(np.choose(self.class_of(pools), each))

    def sums(self, rank: Floats, length: Floats, top: int) -> Sums:
        worth = np.append(gain_table(top, None, exponential=True), 0.0)
        dynamics = self.users.discounts(self.cutoff)
        parts = [Sum("gains", worth, _at_ranks(one, rank.astype(np.int32))) for one in dynamics]
        return Sums(tuple(parts), self._chosen)
