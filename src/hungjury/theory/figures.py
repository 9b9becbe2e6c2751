"""The data of two figures on the balancing index (thesis, Figures 3.3 and 3.5)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from hungjury.base.arrays import Floats
from hungjury.base.choices import SimulatedLabels
from hungjury.base.errors import check_choice, check_seed
from hungjury.base.parameters import MOST_RANKS, MOST_SAMPLES, check_count, check_share
from hungjury.base.records import Record
from hungjury.base.results import Plot, Result
from hungjury.base.tables import Table
from hungjury.stats.paired import t_test
from hungjury.theory.balancing import balancing_curve, balancing_index

CURVES = (
    "nDCG(base=10)", "nDCG(base=2)", "AP", "RBP(p=0.95)", "P@10", "RBP(p=0.8)", "RBP(p=0.5)", "ERR",
)  # fmt: skip

BOTH_TOP = 0.2
BETTER_MIDDLE, WORSE_MIDDLE = 0.7, 0.3
BETTER_TAIL, WORSE_TAIL = 0.1, 0.7
MIDDLE = 20
"""Shares of relevant documents of the two simulated runs, and where their tails begin."""
UNSEEN = 1e-16
"""Ranks whose total weight is below this do not change a score."""
CELLS = 1 << 22
"""Random numbers in memory at once."""


class BalancingCurves(Record, Result, eq=False):
    """B(N) of several measures."""

    lengths: NDArray[np.int64]
    curves: Mapping[str, Floats]  # measure -> [length]

    def table(self) -> Table:
        """Return a row for each length, with a column for each measure."""
        rows = zip(self.lengths.tolist(), *(c.tolist() for c in self.curves.values()), strict=True)
        return Table(["N", *self.curves], list(rows))

    def plot(self) -> Plot:
        """Draw Figure 3.3."""
        return self._drawn("theory_plots.draw_balancing")


def balancing_curves(
    lengths: Iterable[int] = range(1, 1001), measures: Iterable[str] = CURVES
) -> BalancingCurves:
    """Figure 3.3: how the balancing index grows with the length of the lists, binary labels."""
    sizes = [check_count("length", length, 1, MOST_RANKS) for length in lengths]
    curves = {name: balancing_curve(name, sizes) for name in measures}
    return BalancingCurves(np.array(sizes, dtype=np.int64), curves)


class SignificanceCurve(Record, Result, eq=False):
    """Share of trials in which two runs differ, by the rank down to which they are the same."""

    ranks: NDArray[np.int64]  # 0, 1, ..., 20
    share: Floats  # of the trials in which the test rejects
    p: float  # persistence of RBP
    balance: float  # balancing index of RBP at this length
    length: int
    topics: int
    trials: int
    alpha: float
    labels: str  # "fixed" or "independent"
    seed: int

    @property
    def error(self) -> Floats:
        """Standard error of each share."""
        variance: Floats = self.share * (1 - self.share) / self.trials
        return np.sqrt(variance)

    def table(self) -> Table:
        """Return a row for each rank: the share of trials, and its standard error."""
        rows = zip(self.ranks.tolist(), self.share.tolist(), self.error.tolist(), strict=True)
        return Table(["rank", "share", "error"], list(rows))

    def plot(self) -> Plot:
        """Draw Figure 3.5."""
        return self._drawn("theory_plots.draw_significance")


def significance_curve(
    p: float = 0.8,
    *,
    length: int = 1000,
    topics: int = 50,
    trials: int = 10_000,
    alpha: float = 0.05,
    labels: SimulatedLabels = "fixed",
    seed: int = 0,
) -> SignificanceCurve:
    """Figure 3.5: the power of RBP to detect differences beyond its balancing index.

    Two runs have 20 % relevant documents down to rank `rnk`, then 70 % and 30 % down to rank 20,
    then 10 % and 70 %: the first is better early, the second by far in the tail. For every rnk
    from 0 to 20, a paired t-test over `topics` topics compares their RBP scores, `trials` times.
    labels: "fixed" puts exactly these shares (rounded) into each segment, in random order, as the
    thesis' text reads; "independent" makes each document relevant with that probability. A trial
    uses the same random numbers for all values of rnk: every share is a mean over independent
    trials, neighbouring ones move together.
    """
    check_share("p", p)
    check_share("alpha", alpha)
    length = check_count("length", length, MIDDLE, MOST_RANKS)
    topics, trials = (
        check_count("topics", topics, 2, MOST_RANKS),
        check_count("trials", trials, 1, MOST_SAMPLES),
    )
    check_choice("labels", labels, get_args(SimulatedLabels))
    check_seed(seed)
    rng = np.random.default_rng(seed)
    scores = _fixed_scores if labels == "fixed" else _independent_scores
    felt = min(length, max(MIDDLE, math.ceil(math.log(UNSEEN) / math.log(p))))
    weights: Floats = (1 - p) * np.power(p, np.arange(felt, dtype=float))
    step = max(CELLS // (topics * felt), 1)
    rejected = np.zeros(MIDDLE + 1)
    for start in range(0, trials, step):
        size = (min(step, trials - start), topics)
        better = scores(size, length, weights, BETTER_MIDDLE, BETTER_TAIL, rng)
        worse = scores(size, length, weights, WORSE_MIDDLE, WORSE_TAIL, rng)
        rejected += np.count_nonzero(t_test(better - worse) < alpha, axis=-1)
    balance = float(balancing_index(f"RBP(p={p})", length))
    ranks = np.arange(MIDDLE + 1)
    return SignificanceCurve(
        ranks=ranks,
        share=rejected / trials,
        p=p,
        balance=balance,
        length=length,
        topics=topics,
        trials=trials,
        alpha=alpha,
        labels=labels,
        seed=seed,
    )


Size = tuple[int, int]  # trials, topics


def _fixed_scores(
    size: Size, length: int, weights: Floats, middle: float, tail: float, rng: np.random.Generator
) -> Floats:
    """[rnk, trial, topic]: RBP of one run for every rank rnk down to which it has 20 %, with
    fixed numbers of relevant documents in each segment."""
    random = rng.random((len(weights), *size))
    rest = _segment(random[MIDDLE:], tail, length - MIDDLE, weights[MIDDLE:])
    out = np.empty((MIDDLE + 1, *size))
    for rnk in range(MIDDLE + 1):
        top = _segment(random[:rnk], BOTH_TOP, rnk, weights[:rnk])
        between = _segment(random[rnk:MIDDLE], middle, MIDDLE - rnk, weights[rnk:MIDDLE])
        out[rnk] = top + between + rest
    return out


def _segment(random: Floats, share: float, length: int, weights: Floats) -> Floats:
    """[trial, topic]: what the first ranks of a segment add to the score. Of its `length`
    documents a fixed number is relevant, in random order: rank by rank, the next one is relevant
    with the share of relevant documents among those left."""
    left = np.full(random.shape[1:], float(round(share * length)))
    score = np.zeros(random.shape[1:])
    for rank, weight in enumerate(weights):
        hit = random[rank] < left / (length - rank)
        score += weight * hit
        left -= hit
    return score


def _independent_scores(
    size: Size, length: int, weights: Floats, middle: float, tail: float, rng: np.random.Generator
) -> Floats:
    """[rnk, trial, topic]: RBP of one run whose documents are relevant independently."""
    random = rng.random((*size, len(weights)))
    behind = (random[..., MIDDLE:] < tail) @ weights[MIDDLE:]
    top, rest = (
        np.cumsum((random[..., :MIDDLE] < share) * weights[:MIDDLE], axis=-1)
        for share in (BOTH_TOP, middle)
    )
    none = np.zeros((*size, 1))
    above = np.concatenate([none, top], axis=-1)
    below = rest[..., -1:] - np.concatenate([none, rest], axis=-1)
    return np.moveaxis(above + below + behind[..., None], -1, 0)
