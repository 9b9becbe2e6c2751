"""Markov precision: precision as seen by a user who moves over the list."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hungjury.base.arrays import Floats
from hungjury.base.errors import MeasureError
from hungjury.base.notes import plural
from hungjury.base.parameters import flag, integer, numbers, param
from hungjury.base.records import Record
from hungjury.data.judged import Judged
from hungjury.measures.base import CATALOGUE, Measure, cutoff_param, ratio, rel_param
from hungjury.users.chain import MODELS, pull_sums, stationary_distribution, transition_matrix

if TYPE_CHECKING:  # user models are slow to load and rarely needed
    from hungjury.base.notes import Note
    from hungjury.data.qrels import Qrels
    from hungjury.users.model import UserModel

__all__ = ["MP"]

FROM_MODEL = "model"


class RankMatrix(Record):
    """A transition matrix as part of a measure's name."""

    rows: tuple[tuple[float, ...], ...]

    def __str__(self) -> str:
        return "[" + ", ".join(f"[{', '.join(map(repr, row))}]" for row in self.rows) + "]"


def _walk(value: object) -> str | RankMatrix | UserModel:
    """How the user moves: a name or file, a user model, or a matrix that is checked here."""
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    if isinstance(value, (str, RankMatrix)):
        return value
    if hasattr(value, "discounts"):
        return cast("UserModel", value)  # whose module is slow to import
    return RankMatrix(tuple(tuple(row) for row in transition_matrix(value).tolist()))


def _pace(value: object) -> str | tuple[float, ...]:
    return FROM_MODEL if isinstance(value, str) and value == FROM_MODEL else numbers(value)


@CATALOGUE.add("MP")
class MP(Measure):
    """Markov precision: the precision at relevant documents, weighted by how often a user visits
    them who moves over the ranks as a Markov chain. 0 where nothing relevant is retrieved. The
    models on all documents (AD) depend on the length of the list."""

    paper: ClassVar[str] = "Ferrante, Ferro and Maistro 2014 (Markov precision)"
    formula: ClassVar[str] = (
        "MP = Σ_{n: x_n=1} π_n P@n, π: stationary distribution of the chain watched at relevant "
        "ranks"
    )
    at: ClassVar[str] = "cutoff"
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
    nav_rel: int | None = param(
        None,
        kind=integer,
        low=1,
        doc="queries with exactly one document of this grade and more are navigational; by default "
        "the user model's",
    )
    rel: int = rel_param()
    cutoff: int | None = cutoff_param()

    def __post_init__(self) -> None:
        _ = self.stationary, self.users  # a wrong matrix or file fails early
        if self.rates == FROM_MODEL:
            self._check_rates()

    @classmethod
    def variants(cls) -> tuple[dict[str, Any], ...]:
        return tuple({"model": model} for model in MODELS)

    @property
    def _nav_rel(self) -> int:
        assert self.users is not None
        return self.nav_rel or self.users.nav_rel

    def notes(self, qrels: Qrels | None = None) -> tuple[Note, ...]:
        if self.users is None:
            return ()
        found = self.users.page_notes()
        if qrels is None:
            return found
        return found + self.users.class_notes(qrels.relevant(self._nav_rel), self._nav_rel)

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
        except ValueError as error:
            if isinstance(self.model, str) and not os.path.exists(self.model):
                raise MeasureError(
                    f"MP: no model or file '{self.model}'",
                    code="no-model",
                    argument="model",
                    remedy=f"choose from {', '.join(MODELS)}, or name the file of a user model",
                ) from None
            raise error

    def _check_rates(self) -> None:
        if self.users is None:
            raise MeasureError(
                f"MP: the model {self.model} has no rates, because it is not calibrated on a log",
                code="not-calibrated",
                argument="rates",
                remedy="give the rates of the ranks 1, 2, ..., as in MP(rates=[0.2, 0.1])",
            )
        unknown = np.isnan(self.users.rates()) & (self.users.stationary() > 0)
        if unknown.any():
            c, rank = (int(i[0]) for i in np.nonzero(unknown))
            raise MeasureError(
                f"MP: {self.model} has no holding time at rank {rank + 1} "
                f"for the class '{self.users.classes[c].name}'",
                code="no-holding-time",
                argument="rates",
                remedy="calibrate on a longer log, or give the rates as in MP(rates=[0.2, 0.1])",
            )

    def score(self, judged: Judged) -> Floats:
        hits = judged.hits(self.rel, self.cutoff)
        weights = self._visits(judged, hits) * hits
        if self.rates is not None:
            weights = weights / self._rates(judged, hits, weights)
        precision = np.cumsum(hits, axis=-1) / judged.ranks
        value = np.nan_to_num(ratio((weights * precision).sum(axis=-1), weights.sum(axis=-1)))
        if self.rec:
            value = value * ratio(hits.sum(axis=-1), judged.relevant(self.rel))
        return value

    def _visits(self, judged: Judged, hits: NDArray[np.bool_]) -> Floats:
        """[..., list, place]: the stationary distribution at relevant places, up to a factor."""
        if self.users is not None:
            return self._by_class(judged, self.users.stationary())
        if isinstance(self.model, RankMatrix):
            return _at_ranks(np.array([self.stationary]), judged.ranks, 0)
        length: NDArray[Any] = judged.length
        if self.cutoff is not None:
            length = np.minimum(length, self.cutoff)
        return pull_sums(str(self.model), hits, judged.ranks, length)

    def _by_class(self, judged: Judged, table: Floats) -> Floats:
        """[..., list, place]: a [class, rank] table at the list's class and the place's rank."""
        assert self.users is not None
        return _at_ranks(table, judged.ranks, self.users.class_of(judged.relevant(self._nav_rel)))

    def _model_rates(self, judged: Judged) -> Floats:
        """[..., list, place]: the holding-time rates of each list's query, or of its class."""
        assert self.users is not None
        if not self.users.query_rates or not judged.topics:
            return self._by_class(judged, self.users.rates())
        which = self.users.class_of(judged.relevant(self._nav_rel))
        names = [judged.topics[t] for t in judged.topic]
        flat = which.reshape(-1, len(names))
        tables = [self.users.rates_by_topic(names, row) for row in flat]
        table = np.array(tables).reshape(*which.shape, -1)  # [..., list, rank]
        padded = np.pad(table, [(0, 0)] * which.ndim + [(0, 1)])
        place = np.broadcast_to(
            np.minimum(judged.ranks - 1, table.shape[-1]), (*which.shape, judged.ranks.shape[-1])
        )
        return np.asarray(np.take_along_axis(padded, place.astype(np.intp), axis=-1))

    def _rates(self, judged: Judged, hits: NDArray[np.bool_], weights: Floats) -> Floats:
        """[..., list, place]: rates where they are needed, 1 elsewhere."""
        if self.rates == FROM_MODEL and self.users is not None:
            found, number = self._model_rates(judged), self.users.ranks
        else:
            rates = np.array([self.rates], dtype=float)
            found, number = _at_ranks(rates, judged.ranks, 0), rates.shape[1]
        needed = weights > 0
        deepest = int(np.where(needed & (found == 0), judged.ranks, 0).max(initial=0))
        if deepest:
            raise MeasureError(
                f"{self.name}: rates are given for {plural(number, 'rank')}, but a relevant "
                f"document is at rank {deepest}",
                code="too-few-rates",
                argument="rates",
                remedy=f"give more rates, or cut lists with {self.name}(...)@{number}",
            )
        return np.where(needed, found, 1.0)


def _at_ranks(table: Floats, ranks: NDArray[np.int32], which: object) -> Floats:
    """[..., list, place]: row `which` [..., list] of a [row, rank] table; 0 beyond its end."""
    padded = np.pad(table, ((0, 0), (0, 1)))
    place = np.minimum(ranks - 1, table.shape[1])
    return np.asarray(padded[np.asarray(which)[..., None], place])
