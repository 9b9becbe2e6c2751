"""Gain weighted by the attention of users, learnt from clicks."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, cast

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.errors import MeasureError, rel_range
from hungjury.base.parameters import integer, param
from hungjury.data.judged import Judged
from hungjury.measures.base import CATALOGUE, Measure, ratio
from hungjury.measures.catalogue.gain import gain_table, ideal_sum

if TYPE_CHECKING:
    from hungjury.base.notes import Note
    from hungjury.data.qrels import Qrels
    from hungjury.users.model import UserModel

__all__ = ["nMCG"]


def _users(value: object) -> str | UserModel:
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    if isinstance(value, str):
        return value
    if not hasattr(value, "discounts"):
        raise ValueError("a user model, its file, or 'published-shape'")
    return cast("UserModel", value)  # whose module is slow to import


@CATALOGUE.add("nMCG")
class nMCG(Measure):  # noqa: N801 - the field's name
    """Normalised Markov cumulated gain: gains 2^grade - 1, weighted by a user dynamic in place of
    DCG's discount, over those of the best possible list sorted by grade. The dynamic is that of
    the query's class. Exceeds 1 where a dynamic is not decreasing and better documents are where
    users look more. The default users, 'published-shape', are two curves chosen by hand after the
    published description, not fitted to a log."""

    paper: ClassVar[str] = "Ferro, Lucchese, Maistro and Perego 2017"
    formula: ClassVar[str] = (
        "nMCG@k = Σ_{n≤k} (2^l_n - 1) δ(n) / the same sum for the best list, δ: dynamic of the "
        "query's class"
    )
    at: ClassVar[str] = "cutoff"
    high: ClassVar[float] = np.inf
    averages_ties: ClassVar[bool] = True
    user: str | UserModel = param(
        "published-shape", kind=_users, doc="a user model, its file, or 'published-shape'"
    )
    nav_rel: int | None = param(
        None,
        kind=integer,
        low=1,
        doc="queries with exactly one document of this grade and more are navigational; by default "
        "the user model's",
    )
    cutoff: int = param(10, kind=integer, low=1, doc="ranks counted")

    def __post_init__(self) -> None:
        self.users.discounts(self.cutoff)  # raises for ranks that were not calibrated

    @cached_property
    def users(self) -> UserModel:
        from hungjury.users.model import user_model

        return user_model(self.user)

    @property
    def lowest_navigational(self) -> int:
        """The grade that decides on a query's class."""
        return self.nav_rel or self.users.nav_rel

    def notes(self, qrels: Qrels | None = None) -> tuple[Note, ...]:
        found = self.users.notes(self.cutoff)
        if qrels is None:
            return found
        lowest = self.lowest_navigational
        return found + self.users.class_notes(qrels.relevant(lowest), lowest)

    def check(self, max_grade: int) -> None:
        super().check(max_grade)
        if self.lowest_navigational > max_grade and len(self.users.classes) > 1:
            raise MeasureError(
                f"{self}: nav_rel is {self.lowest_navigational}, but the largest grade is "
                f"{max_grade}",
                code="rel-too-large",
                argument="nav_rel",
                remedy=f"{rel_range(max_grade, name='nav_rel')}, or declare the grades",
            )

    def score(self, judged: Judged) -> Floats:
        which = self.users.class_of(judged.relevant(self.lowest_navigational))
        each = [self._under(judged, dynamic) for dynamic in self.users.discounts(self.cutoff)]
        return np.asarray(np.choose(which, each))

    def _under(self, judged: Judged, dynamic: Floats) -> Floats:
        """[..., list]: the score if all queries were of the class with this dynamic."""
        gains = gain_table(judged.max_grade, None, exponential=True)
        most = max(judged.depth, int(judged.counts.sum(axis=-1).max(initial=1)))
        weights = np.pad(dynamic, (0, max(most - len(dynamic), 0)))
        value = (judged.gains(gains) * judged.weigh(weights[: judged.depth])).sum(axis=-1)
        return ratio(value, ideal_sum(judged, gains, weights))
