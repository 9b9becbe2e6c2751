"""AWARE's weights of each judge on each topic (TH 4.3).

Pure arrays: scores [judge, system, topic] in, weights [judge, topic] out, for any
measure.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from hungjury.choices import Orientation
from hungjury.errors import Argument, InputError, check_choice
from hungjury.judges.closeness import Gap, closeness
from hungjury.machine import cores
from hungjury.named import Catalogue, Named
from hungjury.parameters import one_of, param
from hungjury.records import Record

__all__ = ["ESTIMATORS", "WEIGHTS", "Estimator", "ScoredPanel", "Supervised", "Uniform", "Weights",
           "closeness_to_random", "normalised", "raw_weights", "weights_from_scores"]  # fmt: skip

Array = NDArray[np.float64]
Group = tuple[NDArray[np.intp], NDArray[np.intp]]  # judges, topics
Granularity = Literal["sgl", "tpc"]
WeightOfGaps = Literal["md", "msd", "med"]


class ScoredPanel(Record, eq=False):
    """Scores of systems under each judge, and who judged which topic.

    Scores of topics that a judge did not judge are ignored.
    """

    scores: Array  # [judge, system, topic], no NaN
    judged: NDArray[np.bool_]  # [judge, topic]
    judges: list[str]
    smaller: bool = False  # smaller scores are better

    @staticmethod
    def of(scores: Array, judged: NDArray[np.bool_] | None = None) -> ScoredPanel:
        """A panel of numbered judges; default: all judged every topic."""
        everything = np.ones((scores.shape[0], scores.shape[2]), dtype=bool)
        names = [f"judge {k + 1}" for k in range(len(scores))]
        return ScoredPanel(scores, everything if judged is None else judged, names)

    def groups(self, among: NDArray[np.bool_] | None = None) -> Iterator[Group]:
        """Judges who judged the same topics (of those `among`), if any."""
        judged = self.judged if among is None else self.judged & among
        patterns, member = np.unique(judged, axis=0, return_inverse=True)
        for number, pattern in enumerate(patterns):
            if pattern.any():
                yield np.flatnonzero(member.ravel() == number), np.flatnonzero(pattern)

    def by_topic(self) -> Iterator[Group]:
        """Each topic with the judges who labelled it."""
        for topic in np.flatnonzero(self.judged.any(axis=0)):
            yield np.flatnonzero(self.judged[:, topic]), np.array([topic])


class Weights(Named):
    """Base of all weights of judges."""

    needs: ClassVar[str] = ""  # "random" judges, or "gold" labels

    def raw(
        self, panel: ScoredPanel, random: Array | None, gold: Array | None, orientation: Orientation
    ) -> Array:
        """[judge, topic]: weights before they are made to add up to 1."""
        raise NotImplementedError


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
    {
        **dict.fromkeys(("uniform", "equal", "majority", "none"), "did you mean uni?"),
        **dict.fromkeys(
            ("dawid-skene", "em", "em-mv", "em-neu", "mv", "binmv", "qbinmv"),
            "this merges labels; `hungjury merge` and leaderboards take it",
        ),
        **dict.fromkeys(
            ("krippendorff", "kappa"),
            "this measures agreement between judges; `hungjury agreement` reports it",
        ),
    },
)


@WEIGHTS.add("uni")
class Uniform(Weights):
    """Equal weights."""

    def raw(
        self, panel: ScoredPanel, random: Array | None, gold: Array | None, orientation: Orientation
    ) -> Array:
        return np.ones(panel.judged.shape)


@WEIGHTS.add("estimator")
class Estimator(Weights):
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

    def raw(
        self, panel: ScoredPanel, random: Array | None, gold: Array | None, orientation: Orientation
    ) -> Array:
        if random is None:
            raise InputError(
                f"{self} needs random judges",
                code="needs-random-judges",
                remedy="give random judges",
            )
        return self.of(closeness_to_random(self.granularity, self.gap, panel, random), orientation)

    def of(self, close: Array, orientation: Orientation = "dissimilarity") -> Array:
        """Weights from closeness to random judges [class, judge, topic].

        The equations as printed weigh by closeness itself, which contradicts the text around them.
        """
        distance = 1 - close if orientation == "dissimilarity" else close
        if self.weight == "med":
            return np.asarray(distance.sum(axis=0))
        return np.asarray((distance if self.weight == "md" else distance**2).min(axis=0))


@WEIGHTS.add("supervised")
class Supervised(Weights):
    """Weight by closeness to gold labels on the topics that have them; the same for all topics."""

    needs: ClassVar[str] = "gold"
    gap: Gap = param("tau", kind=one_of(Gap), doc="how scores are compared")

    def raw(
        self, panel: ScoredPanel, random: Array | None, gold: Array | None, orientation: Orientation
    ) -> Array:
        if gold is None:
            raise InputError(
                f"{self} needs gold labels",
                code="needs-gold",
                remedy=("give qrels of at least one topic as", Argument("gold")),
            )
        known = np.asarray(~np.isnan(gold).all(axis=0))
        stranger = np.flatnonzero(~(panel.judged & known).any(axis=1))
        if len(stranger):
            raise InputError(
                f"the judge '{panel.judges[stranger[0]]}' judged no gold topic",
                code="judge-without-gold",
                remedy="leave such judges out, or give gold labels of a topic they judged",
            )
        out = np.empty(len(panel.scores))
        for who, topics in panel.groups(known):
            mine, truth = panel.scores[who][:, :, topics], gold[None, :, topics]
            out[who] = closeness(self.gap, mine, truth, panel.smaller)
        return np.repeat(out[:, None], panel.judged.shape[1], axis=1)


ESTIMATORS = {
    str(one): one
    for one in (
        Estimator(granularity=granularity, gap=gap, weight=weight)
        for granularity, gap, weight in itertools.product(
            get_args(Granularity), get_args(Gap), get_args(WeightOfGaps)
        )
    )
}
"""The 30 estimators of the thesis by name."""


def closeness_to_random(
    granularity: Granularity, gap: Gap, panel: ScoredPanel, random: Array
) -> Array:
    """[class, judge, topic]: mean closeness to random judges, from their scores
    [class, replicate, system, topic].

    Single granularity: over all topics that the judge judged, the same number for each of
    them. By topic: each topic alone. 0 for topics that the judge did not judge.
    """
    groups = list(panel.groups() if granularity == "sgl" else panel.by_topic())
    out = np.zeros((len(random), *panel.judged.shape))

    def compare(task: tuple[int, Group]) -> None:
        c, (who, topics) = task
        mine, theirs = panel.scores[who][:, :, topics], random[c][:, :, topics]
        out[c][np.ix_(who, topics)] = closeness(gap, mine, theirs, panel.smaller)[:, None]

    tasks = list(itertools.product(range(len(random)), groups))
    with ThreadPoolExecutor(max(1, min(cores(), len(tasks)))) as pool:
        list(pool.map(compare, tasks))
    return out


def raw_weights(
    names: Iterable[str], panel: ScoredPanel, random: Array | None, orientation: Orientation
) -> Iterator[tuple[str, Array]]:
    """`uni` and estimators by name, before they are made to add up to 1; estimators that differ in
    the last step only share the others."""
    wanted = list(names)
    if "uni" in wanted:
        yield "uni", np.ones(panel.judged.shape)
    kinds: dict[tuple[Granularity, Gap], list[str]] = {}
    for name in wanted:
        if name != "uni":
            one = ESTIMATORS[name]
            kinds.setdefault((one.granularity, one.gap), []).append(name)
    for (granularity, gap), mine in kinds.items():
        assert random is not None
        close = closeness_to_random(granularity, gap, panel, random)
        for name in mine:
            yield name, ESTIMATORS[name].of(close, orientation)


def normalised(raw: Array, judged: NDArray[np.bool_]) -> Array:
    """Weights [..., judge, topic] that add up to 1 over those who judged a topic; equal ones
    where all are 0."""
    weights = np.where(judged, raw, 0.0)
    weights = np.where(weights.sum(axis=-2, keepdims=True) > 0, weights, judged)
    total = weights.sum(axis=-2, keepdims=True)
    return np.asarray(np.divide(weights, total, out=np.zeros_like(weights), where=total > 0))


def weights_from_scores(
    how: str | Weights,
    panel: ScoredPanel | Array,
    random: Array | None = None,
    gold: Array | None = None,
    orientation: Orientation = "dissimilarity",
) -> Array:
    """a_k(t) as [judge, topic], from scores alone.

    panel: scores [judge, system, topic], or a `ScoredPanel` if judges skipped some
    topics. random: scores [class, replicate, system, topic] of random judges. gold: scores
    [system, topic], NaN for topics without gold labels. orientation: "dissimilarity", or "printed"
    to weigh by closeness to random judges, following the thesis' equations to the letter.
    """
    check_choice("orientation", orientation, get_args(Orientation))
    chosen = how if isinstance(how, Weights) else WEIGHTS.parse(how)
    given = panel if isinstance(panel, ScoredPanel) else ScoredPanel.of(panel)
    return normalised(chosen.raw(given, random, gold, orientation), given.judged)
