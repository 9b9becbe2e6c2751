"""Objectives of rankers, by name, and as callables for LightGBM."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final, get_args

import numpy as np
from numpy.typing import NDArray

from hungjury.catalogue import Measure
from hungjury.catalogue.gain import nDCG
from hungjury.catalogue.user_gain import nMCG
from hungjury.choices import LabelKind, Objective
from hungjury.errors import InputError, MissingExtra, check_choice
from hungjury.ltr.data import ranking_data
from hungjury.ltr.labels import GRADES, Labels
from hungjury.ltr.lambdas import Queries, Single, dcg_queries, nmcg_queries
from hungjury.users.model import PUBLISHED_SHAPE, UserModel, user_model

if TYPE_CHECKING:
    from lightgbm import Dataset

__all__ = ["LAMBDARANK", "NDCG", "NMCG", "Goal", "NMCGObjective", "need_lightgbm"]

NMCG: Final = "nmcg"
NDCG: Final = "ndcg"
LAMBDARANK: Final = "lambdarank"
Offsets = NDArray[np.int64]
MOST_KEPT = 8  # data sets of a training: one to learn from, others to monitor


def need_lightgbm() -> Any:
    try:
        import lightgbm
    except ImportError:
        raise MissingExtra("lightgbm", "ltr", "training rankers") from None
    return lightgbm


class Goal:
    """A measure to maximise: nMCG@k of some users, or nDCG@k with gains 2^grade - 1.

    "nmcg" and "ndcg" are learnt by the same pair loops, "lambdarank" is LightGBM's own nDCG.
    """

    def __init__(self, name: Objective, user: UserModel, nav_rel: int, cutoff: int) -> None:
        check_choice("objective", name, get_args(Objective))
        if nav_rel < 1:
            raise InputError(
                f"nav_rel is {nav_rel}",
                code="out-of-range",
                argument="nav_rel",
                remedy="nav_rel must be a grade of at least 1",
            )
        if cutoff < 1:
            raise InputError(
                f"cutoff is {cutoff}",
                code="out-of-range",
                argument="cutoff",
                remedy="cutoff must be at least 1",
            )
        self.name, self.user, self.nav_rel, self.cutoff = name, user, nav_rel, cutoff
        if name == NMCG:
            user.discounts(cutoff)  # raises for ranks that were not calibrated

    @property
    def measure(self) -> Measure:
        """The measure to maximise, as `evaluate` takes it."""
        if self.name == NMCG:
            return nMCG(user=self.user, nav_rel=self.nav_rel, cutoff=self.cutoff)
        return nDCG(dcg="exp-log2", cutoff=self.cutoff)

    @property
    def short(self) -> str:
        """The measure without its parameters, for tables and logs."""
        return f"{'nMCG' if self.name == NMCG else 'nDCG'}@{self.cutoff}"

    def queries(self, labels: Labels, offsets: Offsets) -> Queries:
        if self.name == NMCG:
            return nmcg_queries(labels, offsets, self.user, self.nav_rel, self.cutoff)
        return dcg_queries(labels, offsets, self.cutoff)


class NMCGObjective:
    """nMCG@k as objective and metric for direct use with LightGBM.

    Pass ``goal.objective`` and ``goal.metric`` to ``lightgbm.train``, or
    ``goal.sklearn_objective`` to ``lightgbm.LGBMRanker``. Data sets need `group`; labels are
    grades, or probabilities of relevance as `labels` says. Weights of rows multiply their
    gradients, as in LightGBM; the metric is a plain mean over queries, ties in score counting as
    the mean over their orders.

    Parameters
    ----------
    user, nav_rel, cutoff, labels
        As in `hungjury.train_ranker`.

    Examples
    --------
    >>> import hungjury as hj
    >>> goal = hj.ltr.NMCGObjective(nav_rel=3)
    >>> parameters = {"objective": goal.objective, "metric": "none"}
    """

    def __init__(
        self,
        user: str | os.PathLike[str] | UserModel = PUBLISHED_SHAPE,
        nav_rel: int = 3,
        cutoff: int = 10,
        labels: LabelKind = GRADES,
    ) -> None:
        self.goal = Goal(NMCG, user_model(user), nav_rel, cutoff)
        self.labels = labels
        self._kept: list[tuple[object, object, Queries]] = []

    def objective(self, scores: NDArray[np.float64], data: Dataset) -> tuple[Single, Single]:
        """For lgb.train: {"objective": this}."""
        return self.sklearn_objective(data.get_label(), scores, data.get_weight(), data.get_group())

    def metric(self, scores: NDArray[np.float64], data: Dataset) -> tuple[str, float, bool]:
        """For lgb.train: feval=this."""
        return self.sklearn_metric(data.get_label(), scores, data.get_weight(), data.get_group())

    def sklearn_objective(
        self, labels: object, scores: NDArray[np.float64], weight: object, group: object
    ) -> tuple[Single, Single]:
        """For LGBMRanker(objective=this), which hands groups only to four arguments."""
        gradient, hessian = self._queries(labels, group).lambdas(scores)
        if weight is None:
            return gradient, hessian
        each = np.asarray(weight, dtype=np.float32)
        return gradient * each, hessian * each

    def sklearn_metric(
        self, labels: object, scores: NDArray[np.float64], _weight: object, group: object
    ) -> tuple[str, float, bool]:
        """For LGBMRanker().fit(eval_metric=this)."""
        return self.goal.short, float(self._queries(labels, group).values(scores).mean()), True

    def _queries(self, labels: object, group: object) -> Queries:
        """Prepared once for each set; LightGBM hands out the same arrays in every round."""
        for known_labels, known_group, queries in self._kept:
            if known_labels is labels and known_group is group:
                return queries
        if group is None:
            raise InputError(
                "the data set has no groups",
                code="no-groups",
                remedy="give lightgbm.Dataset the sizes of the groups",
            )
        values = np.asarray(labels)
        if self.labels != GRADES:
            values = np.clip(values.astype(float), 0, None)
        data = ranking_data(np.zeros((len(values), 1)), values, np.asarray(group), kind=self.labels)
        queries = self.goal.queries(data.labels, data.offsets)
        self._kept = [*self._kept[1 - MOST_KEPT :], (labels, group, queries)]
        return queries
