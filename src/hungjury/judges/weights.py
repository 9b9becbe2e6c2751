"""AWARE's weights of each judge on each topic, from the closeness to random judges (TH 4.3).

Scores [judge, system, topic] in, weights [judge, topic] out, for any measure. Closeness is 1 for
equal scores, and at least 0.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import ClassVar, Literal, get_args

import numpy as np

from hungjury import native
from hungjury.base.arrays import Bools, Floats, Indices, NDArray
from hungjury.base.choices import Orientation
from hungjury.base.errors import InputError, MeasureError
from hungjury.base.named import Catalogue, Named
from hungjury.base.parameters import MOST_DRAWS, check_count, one_of, param
from hungjury.base.records import Record
from hungjury.data.runs import Progress
from hungjury.judges.panel import shares
from hungjury.measures.batch import on_all_cores
from hungjury.stats.correlation import kendall_cross, tau_ap_cross, with_ties

Gap = Literal["fro", "rmse", "kld", "tau", "apc"]

BANDWIDTH = 0.015
POINTS = np.linspace(0, 1, 100)
LOWEST_DENSITY = 1e-12
SHARPNESS = 1.0  # beta of (4.22)
BOUNDED = ("fro", "rmse", "kld")  # gaps that compare scores in [0, 1]
ROUNDING = 1e-9


def closeness(gap: Gap, mine: Floats, theirs: Floats, smaller: bool = False) -> Floats:
    """Compute the mean closeness [judge] of each of `mine` to all of `theirs`.

    smaller: the best systems, which tau_ap looks at first, have the smallest scores.
    """
    for each in (mine, theirs):
        if not comparable(gap, each):
            low, high = each.min(initial=0), each.max(initial=0)
            said = f"{gap} compares scores in [0, 1], but scores range from {low:g} to {high:g}"
            remedy = "use a measure in [0, 1], such as nDCG for DCG, or weights from tau or apc"
            raise MeasureError(said, code="scores-not-in-range", remedy=remedy)
    if gap not in BOUNDED and mine.shape[1] < 2:
        said = f"{gap} compares rankings and needs at least two systems"
        remedy = "give more runs, or weights from fro, rmse or kld"
        raise MeasureError(said, code="one-system", remedy=remedy)
    if smaller and gap == "apc":
        mine, theirs = -mine, -theirs
    return GAPS[gap](mine, theirs)


def comparable(gap: Gap, *scores: Floats) -> bool:
    """Tell whether a gap can compare scores in this range; tau and apc only use their order."""
    return gap not in BOUNDED or all(
        one.min(initial=0) >= -ROUNDING and one.max(initial=0) <= 1 + ROUNDING for one in scores
    )


def _frobenius(mine: Floats, theirs: Floats) -> Floats:
    """1 - |M_k - M_h| / sqrt(|T||S|), (4.5) and (4.20)."""
    return _root_mean_square(*(s.reshape(len(s), -1) for s in (mine, theirs)))


def _rmse(mine: Floats, theirs: Floats) -> Floats:
    """1 - RMSE of the systems' means over topics, (4.8) and (4.21)."""
    return _root_mean_square(_means(mine), _means(theirs))


def _means(scores: Floats) -> Floats:
    """Average over topics: [judge, system]."""
    return scores[:, :, 0] if scores.shape[2] == 1 else np.asarray(scores.mean(axis=2))


def _root_mean_square(mine: Floats, theirs: Floats) -> Floats:
    """Return 1 - RMSE of each row of `mine`, averaged over the rows of `theirs`."""
    squares = native.squared_distances(*map(np.ascontiguousarray, (mine, theirs)))
    return np.asarray(1 - np.sqrt(squares / mine.shape[1]).mean(axis=1))


def _kullback_leibler(mine: Floats, theirs: Floats) -> Floats:
    """exp(-beta KL(M_k || M_h)) of the densities of all scores, (4.12) and (4.22)."""
    step = POINTS[1] - POINTS[0]
    share = np.full(len(POINTS), step)
    share[[0, -1]] = step / 2  # trapezoid rule
    f, g = (_densities(scores.reshape(len(scores), -1), share) for scores in (mine, theirs))
    # Not a matrix product: our own threads call this, and BLAS threads would compete with them.
    cross = np.einsum("kp,hp->kh", f * share, np.log(g))
    divergence = (f * np.log(f) * share).sum(axis=1)[:, None] - cross
    return np.asarray(np.exp(-SHARPNESS * np.maximum(divergence, 0)).mean(axis=1))


def _densities(values: Floats, share: Floats) -> Floats:
    """Estimate the density of each row by Gaussian kernels (4.10): [row, point], integral 1."""
    out = native.kernel_sums(np.ascontiguousarray(values), len(POINTS), BANDWIDTH)
    return np.maximum(out / (out @ share)[:, None], LOWEST_DENSITY)


def _order(scores: Floats) -> Floats:
    """Average over topics for ranking: [judge, system], equal means tied."""
    return with_ties(_means(scores))


def _kendall(mine: Floats, theirs: Floats) -> Floats:
    """|tau_b| of the systems' means over topics, (4.15) and (4.23); 0 where one is constant."""
    tau = kendall_cross(_order(mine), _order(theirs))
    return np.asarray(np.nan_to_num(np.abs(tau)).mean(axis=1))


def _ap_correlation(mine: Floats, theirs: Floats) -> Floats:
    """|tau_ap| of the systems' means over topics, theirs as estimates, (4.18) and (4.24)."""
    tau = tau_ap_cross(_order(theirs), _order(mine))
    return np.asarray(np.abs(tau).mean(axis=0))


GAPS: dict[Gap, Callable[[Floats, Floats], Floats]] = {
    "fro": _frobenius,
    "rmse": _rmse,
    "kld": _kullback_leibler,
    "tau": _kendall,
    "apc": _ap_correlation,
}


Group = tuple[Indices, Indices]  # judges, topics
Granularity = Literal["sgl", "tpc"]
WeightOfGaps = Literal["md", "msd", "med"]


class ScoredPanel(Record, eq=False):
    """Scores of systems under each judge, and what the judges are compared with.

    Scores of topics that a judge did not judge are ignored.
    """

    scores: Floats  # [judge, system, topic], no NaN
    judged: Bools  # [judge, topic]
    judges: list[str]
    smaller: bool = False  # smaller scores are better
    random: Floats | None = None  # [class, replicate, system, topic] of random judges
    gold: Floats | None = None  # [system, topic], NaN for topics without gold labels
    orientation: Orientation = "dissimilarity"  # "printed": weigh by closeness to random judges
    kept: dict[tuple[Granularity, Gap], Floats] = field(default_factory=dict, repr=False)

    def groups(self, among: Bools | None = None) -> Iterator[Group]:
        """Group judges who judged the same topics (of those `among`), if any."""
        judged = self.judged if among is None else self.judged & among
        patterns, member = np.unique(judged, axis=0, return_inverse=True)
        for number, pattern in enumerate(patterns):
            if pattern.any():
                yield np.flatnonzero(member.ravel() == number), np.flatnonzero(pattern)

    def closeness_to_random(self, granularity: Granularity, gap: Gap) -> Floats:
        """Return the mean closeness to random judges, [class, judge, topic].

        Granularity "sgl" compares over all topics that the judge judged, with the same number for
        each of them; "tpc" each topic alone. 0 for topics that the judge did not judge. Kept, since
        estimators that differ in the last step share it.
        """
        if (granularity, gap) in self.kept:
            return self.kept[granularity, gap]
        random = self.random
        assert random is not None
        together = [None] if granularity == "sgl" else np.eye(self.judged.shape[1], dtype=bool)
        groups = [group for among in together for group in self.groups(among)]
        out = np.zeros((len(random), *self.judged.shape))

        def compare(task: tuple[int, Group]) -> None:
            c, (who, topics) = task
            mine, theirs = self.scores[who][:, :, topics], random[c][:, :, topics]
            out[c][np.ix_(who, topics)] = closeness(gap, mine, theirs, self.smaller)[:, None]

        on_all_cores(compare, list(itertools.product(range(len(random)), groups)))
        self.kept[granularity, gap] = out
        return out


class Weights(Named, ABC):
    """Base of all weights of judges."""

    needs: ClassVar[str] = ""  # "random" judges, or "gold" labels

    @abstractmethod
    def raw(self, panel: ScoredPanel) -> Floats:
        """Compute weights [judge, topic] before they are made to add up to 1."""

    def of(self, panel: ScoredPanel) -> Floats:
        """Compute a_k(t), [judge, topic]."""
        return normalised(self.raw(panel), panel.judged)


class _Weights(Catalogue[Weights]):
    def parse(self, text: str) -> Weights:
        """Parse a name; estimators are named ``<granularity>_<gap>_<weight>``."""
        if (name := text.strip().lower()) in ESTIMATORS:
            return ESTIMATORS[name]
        return super().parse(text)

    def __getitem__(self, name: str) -> type[Weights]:
        if name not in self:
            self.unknown(name, more=tuple(ESTIMATORS))
        return super().__getitem__(name)


WEIGHTS = _Weights(
    "kind of weights",
    Weights,  # type: ignore[type-abstract]
    {
        "did you mean uni?": "uniform equal majority none",
        "this merges labels; see `hungjury merge`": "dawid-skene em em-mv em-neu mv binmv qbinmv",
        "`hungjury agreement` reports it": "krippendorff kappa",
    },
)


class Uniform(Weights, called="uni"):
    """Equal weights."""

    def raw(self, panel: ScoredPanel) -> Floats:
        return np.ones(panel.judged.shape)


class Estimator(Weights, called="estimator"):
    """Weight by distance from random judges: a judge close to a random one is a poor judge.

    With D the dissimilarity to each class of random judges, the weight is the smallest D
    (md, 4.25), the smallest D squared (msd, 4.26) or the sum of the D (med, 4.27).
    """

    needs: ClassVar[str] = "random"
    granularity: Granularity = param(
        "sgl", kind=one_of(Granularity), doc="one weight for all topics, or one for each"
    )
    gap: Gap = param("tau", kind=one_of(Gap), doc="how scores are compared")
    weight: WeightOfGaps = param(
        "msd", kind=one_of(WeightOfGaps), doc="how three dissimilarities make a weight"
    )

    def __str__(self) -> str:
        return f"{self.granularity}_{self.gap}_{self.weight}"

    def raw(self, panel: ScoredPanel) -> Floats:
        return self.from_closeness(
            panel.closeness_to_random(self.granularity, self.gap), panel.orientation
        )

    def from_closeness(self, close: Floats, orientation: Orientation = "dissimilarity") -> Floats:
        """Turn closeness to random judges [class, judge, topic] into weights.

        The equations as printed weigh by closeness itself, which contradicts the text around them.
        """
        distance = 1 - close if orientation == "dissimilarity" else close
        if self.weight == "med":
            return np.asarray(distance.sum(axis=0))
        return np.asarray((distance if self.weight == "md" else distance**2).min(axis=0))


class Supervised(Weights, called="supervised"):
    """Weight by closeness to gold labels on the topics that have them; the same for all topics."""

    needs: ClassVar[str] = "gold"
    gap: Gap = param("tau", kind=one_of(Gap), doc="how scores are compared")

    def raw(self, panel: ScoredPanel) -> Floats:
        gold = panel.gold
        assert gold is not None
        known = np.asarray(~np.isnan(gold).all(axis=0))
        stranger = np.flatnonzero(~(panel.judged & known).any(axis=1))
        if len(stranger):
            said = f"the judge '{panel.judges[stranger[0]]}' judged no gold topic"
            remedy = "leave such judges out, or give gold labels of a topic they judged"
            raise InputError(said, code="judge-without-gold", remedy=remedy)
        out = np.empty(len(panel.scores))
        for who, topics in panel.groups(known):
            mine = panel.scores[who][:, :, topics]
            out[who] = closeness(self.gap, mine, gold[None, :, topics], panel.smaller)
        return np.repeat(out[:, None], panel.judged.shape[1], axis=1)


ESTIMATORS = {
    "_".join(parts): Estimator(granularity=parts[0], gap=parts[1], weight=parts[2])
    for parts in itertools.product(get_args(Granularity), get_args(Gap), get_args(WeightOfGaps))
}
"""The 30 estimators of the thesis by name."""


def normalised(raw: Floats, judged: Bools) -> Floats:
    """Scale weights [..., judge, topic] to add up to 1 over those who judged a topic.

    They are equal where all are 0.
    """
    weights = np.where(judged, raw, 0.0)
    return shares(np.where(weights.sum(axis=-2, keepdims=True) > 0, weights, judged), -2)


def as_weights(weights: object) -> Weights:
    """Return weights, or find them by name."""
    return weights if isinstance(weights, Weights) else WEIGHTS.parse(str(weights))


Score = Callable[[NDArray[np.uint8]], Floats]
"""From label vectors [n, document] to values [n, system, topic]; NaN where undefined."""

CLASSES = ("und", "uni", "ovr")  # few relevant, as many of each grade, most relevant (TH 4.3.2)
RARE = 0.05  # share of relevant documents for `und`, of not relevant ones for `ovr`
LABELS_AT_ONCE = 1 << 24


def class_probabilities(name: str, grades: int) -> Floats:
    """Return P(grade) of a class: equal for `uni`, else grade 0 set apart and the others equal."""
    if name == "uni":
        return np.full(grades, 1 / grades)
    lowest = {"und": 1 - RARE, "ovr": RARE}[name]
    return np.array([lowest] + [(1 - lowest) / (grades - 1)] * (grades - 1))


def draw_random_labels(
    chances: Floats, grades: Sequence[int], documents: int, seeds: Sequence[np.random.SeedSequence]
) -> NDArray[np.uint8]:
    """Draw the labels of a random judge for every seed: [seed, document]."""
    upto = np.cumsum(chances)[:-1]
    values = np.array(grades, dtype=np.uint8)
    out = np.empty((len(seeds), documents), dtype=np.uint8)

    def one(row: int) -> None:
        chance = np.random.default_rng(seeds[row]).random(documents)
        position = (chance >= upto[0]).view(np.uint8)
        for limit in upto[1:]:
            position += chance >= limit
        out[row] = values[position]

    on_all_cores(one, list(range(len(seeds))))
    return out


def random_scores(
    scores: Sequence[Score],
    documents: int,
    grades: Sequence[int] = (0, 1),
    replicates: int = 1000,
    seed: int = 0,
    progress: Progress | None = None,
) -> list[Floats]:
    """Score random judges: [class, replicate, system, topic] for each of `scores`.

    Every replicate has its own seed, made from `seed`, its class and its number: it does not
    depend on how many others there are. Where a measure is undefined it scores 0.
    """
    check_count("replicates", replicates, 1, MOST_DRAWS)
    if len(grades) < 2 or min(grades) < 0 or max(grades) > 255:
        said = f"random judges are not defined for the grades {list(grades)}"
        remedy = "declare at least two grades from 0 to 255"
        raise MeasureError(said, code="invalid-grades", remedy=remedy)
    step = max(1, LABELS_AT_ONCE // max(documents, 1))
    total, done = len(CLASSES) * replicates, 0
    out: list[Floats] = []
    for c, root in enumerate(np.random.SeedSequence(seed).spawn(len(CLASSES))):
        chances, seeds = class_probabilities(CLASSES[c], len(grades)), root.spawn(replicates)
        for begin in range(0, replicates, step):
            some = seeds[begin : begin + step]
            labels = draw_random_labels(chances, grades, documents, some)
            for m, score in enumerate(scores):
                found = np.nan_to_num(score(labels), copy=False)
                if m == len(out):
                    out.append(np.empty((len(CLASSES), replicates, *found.shape[1:])))
                out[m][c, begin : begin + step] = found
            done += len(some)
            if progress is not None:
                progress(done, total, "scoring random judges")
    return out
