"""Objectives of rankers: the gradient of nMCG-MART (TH 5.5.2), and callables for LightGBM."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, get_args

import numpy as np

from hungjury import native
from hungjury.base.arrays import Array, Floats, Ints, NDArray
from hungjury.base.choices import LabelKind, Objective
from hungjury.base.errors import InputError, MissingExtra, check_choice
from hungjury.base.files import cores
from hungjury.base.options import check_known
from hungjury.base.parameters import MOST_GRADE, MOST_RANKS, check_count
from hungjury.base.records import Record
from hungjury.ltr.data import GRADES, Labels, ranking_data
from hungjury.ltr.options import GOAL, GoalArguments, split_options
from hungjury.measures.batch import on_all_cores
from hungjury.measures.catalogue import Measure
from hungjury.measures.catalogue.average_precision import eGAP, threshold_probabilities, xGAP
from hungjury.measures.catalogue.gain import nDCG
from hungjury.measures.catalogue.user_models import nMCG
from hungjury.users.model import UserModel, user_model

if TYPE_CHECKING:
    from lightgbm import Dataset
    from typing_extensions import Unpack

Single = NDArray[np.float32]
WORTH_SHARING = 20_000  # with fewer documents starting threads costs more than they save


class Queries(Record, eq=False):
    """Gains of all documents, and for each query the weights of the ranks that users see.

    Ranks below the last column weigh 0. Values and lambdas of a query depend on it alone, so they
    are the same on any number of cores.
    """

    gains: Floats  # [document]
    offsets: Ints  # [query + 1]
    discounts: Floats  # [query, rank]
    over_ideal: Floats  # [query]: 1 / weighted gains of the documents sorted by gain; 0 without any

    @staticmethod
    def of(gains: Floats, offsets: Ints, discounts: Floats) -> Queries:
        plain = Queries(gains, offsets, discounts, np.ones(len(discounts)))
        ideal = plain.values(gains)  # sorted by gain
        over_ideal = np.divide(1.0, ideal, out=np.zeros(len(ideal)), where=ideal > 0)
        return replace(plain, over_ideal=over_ideal)

    def lambdas(self, scores: Floats) -> tuple[Single, Single]:
        """Return first and second derivatives of the pairwise cost at these scores, [document]."""
        gradient, hessian = (np.empty(len(self.gains), dtype=np.float32) for _ in range(2))
        self._share_out(native.lambdas, scores, gradient, hessian)
        return gradient, hessian

    def values(self, scores: Floats) -> Floats:
        """Return the weighted gains of every query over the ideal; 0 where nothing can be gained.

        Tied documents count as the mean over all their orders.
        """
        found = np.empty(len(self.over_ideal))
        self._share_out(native.ranking_values, scores, found)
        return found

    def _share_out(self, work: Callable[..., None], scores: Floats, *out: Array) -> None:
        """Give each core queries with about as many documents; it fills their part of `out`."""
        plain = np.ascontiguousarray(scores, dtype=np.float64)
        given = plain, self.gains, self.offsets, self.discounts, self.over_ideal
        shares = cores() if len(self.gains) >= WORTH_SHARING else 1
        steps = np.linspace(0, self.offsets[-1], shares + 1)[1:-1]
        cuts = np.unique([0, *np.searchsorted(self.offsets, steps), len(self.over_ideal)]).tolist()
        on_all_cores(lambda part: work(*given, *part, *out), list(pairwise(cuts)))


def class_shares(labels: Labels, offsets: Ints, nav_rel: int) -> Floats:
    """Compute for every query P(exactly one document has grade `nav_rel` or more).

    With known grades 1 for navigational and 0 for informational queries; documents are
    independent, as everywhere where labels are probabilities.
    """
    p = labels.at_least(nav_rel)
    sure = p == 1
    surely = np.add.reduceat(sure.astype(np.int64), offsets[:-1])
    rest = np.where(sure, 0.0, p)
    none = np.multiply.reduceat(1 - rest, offsets[:-1])
    one = none * np.add.reduceat(rest / (1 - rest), offsets[:-1])
    return np.select([surely == 0, surely == 1], [one, none], 0.0)


class GradedQueries(Record, eq=False):
    """Queries by xGAP or eGAP: sums of u_n C(n) / n over thresholds of users.

    For each threshold a document that reaches it counts in C, the number of such documents down to
    a rank, and has a weight u, which makes the sum eGAP or xGAP (XG).
    """

    weights: Floats  # [threshold, document]
    reached: Floats  # [threshold, document]: 0 or 1
    offsets: Ints  # [query + 1]
    cutoff: int

    @staticmethod
    def of(
        grades: Ints, offsets: Ints, g: Sequence[float], cutoff: int, extended: bool
    ) -> GradedQueries:
        """Weigh documents for xGAP (extended) or eGAP with P(threshold k) = g[k-1]."""
        chance = np.array(g, dtype=float)
        reached = (grades >= np.arange(1, len(chance) + 1)[:, None]).astype(float)
        number = np.add.reduceat(reached, offsets[:-1], axis=1)  # [threshold, query]
        share = np.divide(chance[:, None], number, out=np.zeros(number.shape), where=number > 0)
        weights = reached * np.repeat(share, np.diff(offsets), axis=1)
        if extended:
            upto = np.concatenate([[0.0], np.cumsum(chance)])[np.minimum(grades, len(chance))]
            total = weights.sum(axis=0)
            mean = np.divide(total, upto, out=np.zeros(len(total)), where=upto > 0)
            weights = reached * mean * chance[:, None]
        return GradedQueries(weights, reached, offsets, cutoff)

    def lambdas(self, scores: Floats) -> tuple[Single, Single]:
        """Return first and second derivatives of the pairwise cost at these scores, [document]."""
        gradient, hessian = (np.zeros(len(scores)) for _ in range(2))
        for begin, end in pairwise(self.offsets.tolist()):
            order = begin + np.argsort(-scores[begin:end], kind="stable")
            change = self._swapped(order)
            level = self.reached[:, order].sum(axis=0)
            better = np.sign(level[:, None] - level[None, :])  # the row has the higher grade
            apart = scores[order][:, None] - scores[order][None, :]
            wrong = 1 / (1 + np.exp(np.clip(better * apart, -500, 500)))
            size = np.abs(change) * (better != 0)
            gradient[order] = -(size * better * wrong).sum(axis=1)
            hessian[order] = (size * wrong * (1 - wrong)).sum(axis=1)
        return gradient.astype(np.float32), hessian.astype(np.float32)

    def _swapped(self, order: Ints) -> Floats:
        """[rank, rank]: the change of the value if two documents change places."""
        n = np.arange(1, len(order) + 1)
        h = np.where(n <= self.cutoff, 1 / n, 0.0)
        change = np.zeros((len(n), len(n)))
        for u, x in zip(self.weights[:, order], self.reached[:, order], strict=True):
            count, value = np.cumsum(x), np.cumsum(u * h)
            move = x[None, :] - x[:, None]  # above: the row, below: the column
            above = h[:, None] * (u[None, :] * (count[:, None] + move) - (u * count)[:, None])
            below = (h * count)[None, :] * (u[:, None] - u[None, :])
            change += above + below + move * ((value - u * h)[None, :] - value[:, None])
        upper = np.triu(change, 1)
        return np.asarray(upper + upper.T)

    def values(self, scores: Floats) -> Floats:
        """Return the value of every query; tied documents count as the mean over their orders."""
        found = np.zeros(len(self.offsets) - 1)
        harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, self.cutoff + 1))])
        for query, (begin, end) in enumerate(pairwise(self.offsets.tolist())):
            order = begin + np.argsort(-scores[begin:end], kind="stable")
            first = np.flatnonzero(np.diff(scores[order], prepend=np.inf))  # of each tie
            size = np.diff(np.append(first, len(order)))
            start, stop = (np.minimum(x, self.cutoff) for x in (first, first + size))
            over, seen = harmonic[stop] - harmonic[start], stop - start
            for u, x in zip(self.weights[:, order], self.reached[:, order], strict=True):
                inside = np.add.reduceat(x, first)
                above = np.cumsum(inside) - inside
                spread = (inside - 1) / np.maximum(size - 1, 1)
                each = (above + 1) * over + spread * (seen - (first + 1) * over)
                found[query] += float(np.add.reduceat(u, first) @ (each / size))
        return found


NMCG: Final = "nmcg"
NDCG: Final = "ndcg"
LAMBDARANK: Final = "lambdarank"
GRADED: Final = {"xgap": xGAP, "egap": eGAP}
OF_GRADES = {LAMBDARANK: "LightGBM's lambdarank", "xgap": "xGAP", "egap": "eGAP"}
MOST_KEPT = 8  # data sets of a training: one to learn from, others to monitor


def need_lightgbm() -> Any:
    try:
        import lightgbm
    except ImportError:
        raise MissingExtra("lightgbm", "ltr", "training rankers") from None
    return lightgbm


class Goal(Record):
    """A measure to maximise: nMCG@k of some users, nDCG@k with gains 2^grade - 1, xGAP@k or eGAP@k.

    "nmcg" and "ndcg" are learnt by the same pair loops, "lambdarank" is LightGBM's own nDCG.
    """

    name: Objective
    user: UserModel
    nav_rel: int
    cutoff: int
    thresholds: tuple[float, ...] = ()  # P(threshold) of the grades 1, 2, ..., for xGAP and eGAP

    @staticmethod
    def of(
        name: Objective, user: str | os.PathLike[str] | UserModel, nav_rel: int, cutoff: int,
        thresholds: Sequence[float] | None = None,
    ) -> Goal:  # fmt: skip
        """Find the users by name or file."""
        return Goal(name, user_model(user), nav_rel, cutoff, tuple(thresholds or ()))

    def on(self, labels: Labels) -> Goal:
        """Return the goal for these labels: by default all thresholds are equally likely."""
        if self.name in OF_GRADES and not labels.graded:
            raise InputError(
                f"{OF_GRADES[self.name]} needs integer grades, but these labels are probabilities",
                code="needs-grades",
                argument="objective",
                remedy="objective 'ndcg' or 'nmcg' takes them as expected gains",
            )
        if self.name not in GRADED:
            return self
        top = max(labels.largest, 1)
        given = self.thresholds or (1 / top,) * top
        return replace(self, thresholds=threshold_probabilities(list(given)))

    def __post_init__(self) -> None:
        check_choice("objective", self.name, get_args(Objective))
        check_count("nav_rel", self.nav_rel, 1, MOST_GRADE)
        check_count("cutoff", self.cutoff, 1, MOST_RANKS)
        if self.name == NMCG:
            self.user.discounts(self.cutoff)  # raises for ranks that were not calibrated

    @property
    def measure(self) -> Measure:
        """The measure to maximise, as `evaluate` takes it."""
        if self.name in GRADED:
            return GRADED[self.name](g=self.thresholds, cutoff=self.cutoff)
        if self.name == NMCG:
            return nMCG(user=self.user, nav_rel=self.nav_rel, cutoff=self.cutoff)
        return nDCG(dcg="exp-log2", cutoff=self.cutoff)

    def __str__(self) -> str:
        """The measure in full, as `evaluate` takes it."""
        return str(self.measure)

    def queries(self, labels: Labels, offsets: Ints) -> Queries | GradedQueries:
        """Return the queries of these documents, with their ranks weighed for this goal.

        For nMCG, ranks weigh as much as the users of the query's class look at them. Where labels
        are probabilities the class is uncertain too: the dynamics of both are mixed.
        """
        if self.name in GRADED:
            goal = self.on(labels)
            extended = self.name == "xgap"
            return GradedQueries.of(labels.values, offsets, goal.thresholds, self.cutoff, extended)
        if self.name == NMCG:
            table = self.user.discounts(self.cutoff)
            informational, navigational = table[self.user.class_of(np.array([0, 1]))]
            share = class_shares(labels, offsets, self.nav_rel)[:, None]
            discounts = share * navigational + (1 - share) * informational
        else:
            discounts = np.tile(1 / np.log2(np.arange(2, self.cutoff + 2)), (len(offsets) - 1, 1))
        return Queries.of(labels.gains(), offsets, discounts)


class NMCGObjective:
    """nMCG@k as objective and metric for direct use with LightGBM.

    For those who call LightGBM themselves; `hungjury.train_ranker` does all of it, and `NMCGRanker`
    has scikit-learn's interface. Pass ``goal.objective`` and ``goal.metric`` to
    ``lightgbm.train``, or ``goal.sklearn_objective`` to ``lightgbm.LGBMRanker``. Data sets need
    `group`; labels are grades, or probabilities of relevance as `labels` says. Weights of rows
    multiply their gradients, as in LightGBM; the metric is a plain mean over queries, with ties in
    score counting as the mean over their orders.

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

    def __init__(self, *, labels: LabelKind = GRADES, **options: Unpack[GoalArguments]) -> None:
        check_known(options, GOAL)
        self.goal = Goal.of(NMCG, **split_options(options)[0])
        self.labels = labels
        self._kept: list[tuple[object, object, Queries | GradedQueries]] = []

    def objective(self, scores: Floats, data: Dataset) -> tuple[Single, Single]:
        """Compute gradients for ``lightgbm.train``, as ``{"objective": goal.objective}``."""
        return self.sklearn_objective(data.get_label(), scores, data.get_weight(), data.get_group())

    def metric(self, scores: Floats, data: Dataset) -> tuple[str, float, bool]:
        """Compute the measure for ``lightgbm.train``, as ``feval=goal.metric``."""
        return self.sklearn_metric(data.get_label(), scores, data.get_weight(), data.get_group())

    def sklearn_objective(
        self, labels: object, scores: Floats, weight: object, group: object
    ) -> tuple[Single, Single]:
        """Compute gradients for LGBMRanker, which passes groups only to four arguments."""
        gradient, hessian = self._queries(labels, group).lambdas(scores)
        if weight is None:
            return gradient, hessian
        each = np.asarray(weight, dtype=np.float32)
        return gradient * each, hessian * each

    def sklearn_metric(
        self, labels: object, scores: Floats, _weight: object, group: object
    ) -> tuple[str, float, bool]:
        """Compute the measure for ``LGBMRanker().fit(eval_metric=...)``."""
        return str(self.goal), float(self._queries(labels, group).values(scores).mean()), True

    def _queries(self, labels: object, group: object) -> Queries | GradedQueries:
        """Prepare a data set once; LightGBM passes the same arrays in every round."""
        for known_labels, known_group, queries in self._kept:
            if known_labels is labels and known_group is group:
                return queries
        if group is None:
            remedy = "give lightgbm.Dataset the sizes of the groups"
            raise InputError("the data set has no groups", code="no-groups", remedy=remedy)
        values = np.asarray(labels)
        if self.labels != GRADES:
            values = np.clip(values.astype(float), 0, None)
        data = ranking_data(np.zeros((len(values), 1)), values, np.asarray(group), kind=self.labels)
        queries = self.goal.queries(data.labels, data.offsets)
        self._kept = [*self._kept[1 - MOST_KEPT :], (labels, group, queries)]
        return queries
