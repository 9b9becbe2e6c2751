"""Measures of users who read on with a probability that depends on what they have read.

A measure of this family is its continuation function C (Moffat, Bailey, Scholer and Thomas 2017):
a user at rank n reads rank n + 1 with probability C(n). V(n), the chance to reach rank n, is the
product of these; the score is Σ V(n) gain(n) / Σ V(n), over all ranks. The residual is how much it
could grow if all documents that were not judged had the largest gain.
"""

from __future__ import annotations

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.errors import MeasureError
from hungjury.base.parameters import MOST_RANKS, integer, number, param, required
from hungjury.data.judged import Judged
from hungjury.measures.base import Measure, seen
from hungjury.measures.catalogue.gain import MAX_GRADE, Persistent, gain_table
from hungjury.measures.catalogue.probabilities import a_measure

__all__ = ["BPM", "INSQ", "INST", "NERR8", "NERR9", "NERR10", "NERR11", "SDCG", "Residual"]

WANTED = param(1.0, kind=number, low=0, open_low=True, doc="gain that the user wants in all")


class Reading(Measure):
    """Base of the family. A measure declares `go_on`, and `tail` where it has no cutoff."""

    max_grade: int | None = MAX_GRADE

    def go_on(self, rank: Floats, gain: Floats, total: Floats) -> Floats:
        """Return C of the ranks [..., n], given their gains and the gains down to them."""
        return np.ones_like(gain)

    def tail(self, rank: int, total: Floats, gain: float) -> Floats:
        """Return Σ V(n) / V(rank) from `rank` on, where all documents have this gain."""
        return np.zeros_like(total)

    def score(self, judged: Judged) -> Floats:
        return self.value(judged, unjudged=0.0)

    def value(self, judged: Judged, unjudged: float) -> Floats:
        """Return scores, with this gain for documents that were not judged."""
        gain = self._dense(judged, unjudged)
        total = np.cumsum(gain, axis=-1)
        width = gain.shape[-1]
        c = self.go_on(np.arange(1.0, width + 1), gain, total)
        reached = np.cumprod(np.concatenate([np.ones_like(c[..., :1]), c], axis=-1), axis=-1)
        after = reached[..., -1] * self.tail(width + 1, total[..., -1], unjudged)
        read = reached[..., :-1].sum(axis=-1) + after
        return np.asarray(((reached[..., :-1] * gain).sum(axis=-1) + unjudged * after) / read)

    def _dense(self, judged: Judged, unjudged: float) -> Floats:
        """Return gains [..., list, rank] of the ranks down to the last label, or to the cutoff."""
        top = judged.max_grade
        table = gain_table(max(self.max_grade or top, top), None, exponential=False)
        gains = judged.gains(table[: top + 1] / (table.max() or 1.0))
        gains, ranks, known = np.broadcast_arrays(gains, judged.ranks, judged.labelled)
        ranks = np.where(known, ranks, judged.depth + 1)
        width = self.depth or max(int(ranks[ranks <= judged.depth].max(initial=0)), 1)
        dense = np.full((*gains.shape[:-1], width + 1), unjudged)
        place = np.where((ranks > judged.depth) | (ranks > width), width + 1, ranks) - 1
        np.put_along_axis(dense, place, gains, axis=-1)
        return dense[..., :width]


class ReadingToCutoff(Reading):
    """Base of users who stop at a cutoff at the latest."""

    at = "cutoff"
    cutoff: int = param(10, kind=integer, low=1, high=MOST_RANKS, doc="ranks read at most")


def _inverse_squares(start: Floats) -> Floats:
    """Return start² Σ 1 / n² over n = start, start + 1, ..."""
    from scipy.special import zeta

    return np.asarray(start**2 * zeta(2.0, start))


class SDCG(ReadingToCutoff, called="SDCG"):
    """Scaled DCG: discounted gain divided by the largest that is possible, with the largest grade
    at every rank. Unlike nDCG it does not depend on how many relevant documents there are: topics
    with few of them weigh less.

    Formula: SDCG@k = Σ_n W(n) gain(n), C(n) = log2(n+1) / log2(n+2) for n < k, 0 at k

    Source: Moffat et al. 2017
    """

    def go_on(self, rank: Floats, gain: Floats, total: Floats) -> Floats:
        return np.broadcast_to(np.log2(rank + 1) / np.log2(rank + 2), gain.shape)


class BPM(ReadingToCutoff, called="BPM"):
    """Mean gain of a user who stops as soon as the gain wanted is found, or after k documents: the
    bejeweled player model, in its static form.

    Formula: BPM@k = Σ_n W(n) gain(n), C(n) = 1 while Σ_{m≤n} gain(m) < T and n < k, else 0

    Source: Zhang et al. 2017
    """

    T: float = WANTED

    def go_on(self, rank: Floats, gain: Floats, total: Floats) -> Floats:
        return np.asarray((total < self.T * (1 - 1e-12)).astype(float))


class INSQ(Reading, called="INSQ"):
    """Rate of gain of a user who wants T relevant documents, and grows more willing to read on with
    every rank, whatever was found. Inverse squares are the weights of ranks.

    Formula: INSQ = Σ_n W(n) gain(n), C(n) = ((n + 2T - 1) / (n + 2T))^2

    Source: Moffat, Scholer and Thomas 2012
    """

    T: float = WANTED

    def go_on(self, rank: Floats, gain: Floats, total: Floats) -> Floats:
        return np.broadcast_to(_squared(rank + 2 * self.T), gain.shape)

    def tail(self, rank: int, total: Floats, gain: float) -> Floats:
        return _inverse_squares(np.full_like(total, rank + 2 * self.T - 1))


def _squared(steps: Floats) -> Floats:
    return np.asarray((np.maximum(steps - 1, 0.0) / steps) ** 2)


class INST(Reading, called="INST"):
    """INSQ for a user who counts what was found: the closer the gain wanted, T, the sooner the user
    stops. The measure adapts to the list, and T may differ from topic to topic in difficulty.

    Formula: INST = Σ_n W(n) gain(n), C(n) = ((n + T + t_n - 1) / (n + T + t_n))^2, t_n = T -
    Σ_{m≤n} gain(m)

    Source: Moffat, Bailey, Scholer and Thomas 2015
    """

    T: float = WANTED

    def go_on(self, rank: Floats, gain: Floats, total: Floats) -> Floats:
        return _squared(rank + 2 * self.T - total)

    def tail(self, rank: int, total: Floats, gain: float) -> Floats:
        start = rank + 2 * self.T - total - 1
        if gain:  # what is found keeps up with the rank: C stays the same
            return np.asarray(1 / (1 - _squared(start)))
        return np.where(start > 0, _inverse_squares(np.maximum(start, 1e-9)), 1.0)


class NearlyERR(Reading):
    """Base of the versions of ERR that fit the family: users are satisfied by a document with the
    probability of its gain, and then stop.

    Source: Azzopardi, Mackenzie and Moffat 2021
    """

    def go_on(self, rank: Floats, gain: Floats, total: Floats) -> Floats:
        return super().go_on(rank, gain, total) * (1 - gain)


class NERR8(ReadingToCutoff, NearlyERR, called="NERR8"):
    """Nearly ERR, equation 8: the user reads until satisfied, at most k documents.

    Formula: NERR8@k = Σ_n W(n) gain(n), C(n) = 1 - gain(n) for n < k, 0 at k
    """


class NERR9(ReadingToCutoff, NearlyERR, called="NERR9"):
    """Nearly ERR, equation 9: ERR's reciprocal ranks as a chance to read on.

    Formula: NERR9@k = Σ_n W(n) gain(n), C(n) = n/(n+1) (1 - gain(n)) for n < k, 0 at k
    """

    def go_on(self, rank: Floats, gain: Floats, total: Floats) -> Floats:
        return np.asarray(rank / (rank + 1) * (1 - gain))


class NERR10(NearlyERR, called="NERR10"):
    """Nearly ERR, equation 10: unsatisfied users read on with probability p, as in RBP.

    Formula: NERR10 = Σ_n W(n) gain(n), C(n) = p (1 - gain(n))
    """

    p: float = param(0.9, kind=number, low=0, high=1, open_high=True, doc="persistence")

    def go_on(self, rank: Floats, gain: Floats, total: Floats) -> Floats:
        return self.p * (1 - gain)

    def tail(self, rank: int, total: Floats, gain: float) -> Floats:
        return np.full_like(total, 1.0 if gain else 1 / (1 - self.p))


class NERR11(NearlyERR, INSQ, called="NERR11"):
    """Nearly ERR, equation 11: unsatisfied users read on as in INSQ.

    Formula: NERR11 = Σ_n W(n) gain(n), C(n) = ((n + 2T - 1) / (n + 2T))^2 (1 - gain(n))
    """

    T: float = WANTED

    def tail(self, rank: int, total: Floats, gain: float) -> Floats:
        return np.ones_like(total) if gain else super().tail(rank, total, gain)


class Residual(Measure, called="Residual"):
    """How much a rank-weighted measure could grow if every document that was not judged had the
    largest gain, those after the end of a list included. The true score is between the score and
    the score plus its residual: where residuals are large, systems should not be compared. For RBP,
    gRBP and the measures with a continuation function.

    Formula: Residual(X) = X with the largest gain for all documents not judged - X

    Source: Moffat and Zobel 2008
    """

    positional = "of"
    needs_nonrelevant = True
    always_defined = True
    smaller_is_better = True
    of: Measure = required(kind=a_measure, doc="the measure")

    def check(self, max_grade: int) -> None:
        super().check(max_grade)
        self.of.check(max_grade)
        self._rank_weighted()

    def _rank_weighted(self) -> Persistent | Reading:
        """Return the measure, if it has a residual."""
        if isinstance(self.of, (Persistent, Reading)):
            return self.of
        said = f"{self.of} has no residual"
        remedy = "choose RBP, gRBP, SDCG, BPM, INSQ, INST or NERR8 to NERR11"
        raise MeasureError(said, code="no-residual", argument="measure", remedy=remedy)

    def score(self, judged: Judged) -> Floats:
        of = self._rank_weighted()
        if isinstance(of, Reading):
            return np.asarray(of.value(judged, 1.0) - of.value(judged, 0.0))
        every = 1.0 if of.cutoff is None else 1 - of.p**of.cutoff
        known = judged.labelled * seen(judged.ranks, of.cutoff)
        return np.asarray(every - (of.discount(judged.ranks.astype(float)) * known).sum(axis=-1))
