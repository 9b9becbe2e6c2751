"""The balancing index: how top-heavy a measure is (thesis, section 3.5), and its figures.

B(N) is the lowest rank b from which a list of N documents can be filled up with documents of the
smallest relevant grade and still score as well as one document of the largest grade at rank 1:

    B(N) = max{b : M(q_max, 0, ..., 0) <= M(0, ..., 0, q_min, ..., q_min), q_min from rank b on}

N means that every rank counts the same, 1 that only a full list balances rank 1, minus infinity
that not even a full list does. Both lists belong to one pool.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, Literal, TypeAlias

import numpy as np

from hungjury.base.arrays import Bools, Floats, Ints
from hungjury.base.choices import SimulatedLabels
from hungjury.base.errors import Argument, HungjuryError, InputError, MeasureError
from hungjury.base.parameters import MOST_GRADE, MOST_RANKS, MOST_SAMPLES, check_count, check_share
from hungjury.base.records import Record
from hungjury.base.results import Plot, Result, Table
from hungjury.data.judged import BUDGET
from hungjury.measures.catalogue import CATALOGUE
from hungjury.stats.paired import t_test
from hungjury.theory.axioms import check_axioms, example_measure
from hungjury.theory.balancing_forms import TOLERANCE, closed_form
from hungjury.theory.list_pairs import ListScorer, MeasureLike, plentiful_pool

Method: TypeAlias = Literal["auto", "closed", "bisection", "scan"]
Index: TypeAlias = int | float  # a rank, or minus infinity

SHORT, LONG = 4, 30  # lengths at which Replacement is checked, completely and at random


def balancing_index(
    measure: MeasureLike,
    length: int,
    q_min: int = 1,
    q_max: int = 1,
    *,
    method: Method = "auto",
) -> Index:
    """Compute the balancing index B(N) of a measure: how top-heavy it is.

    A small index says that the first rank weighs more than much of the list: documents from rank
    B(N) to the end are needed to make up for it. An index near N says that all ranks count nearly
    the same. Compare measures at the same length; the index says nothing about the measures' power
    or validity.

    Parameters
    ----------
    measure : str, Measure or callable
        A measure, or a function from a tuple of grades to a number.
    length : int
        The length N of the lists.
    q_min, q_max : int
        Smallest relevant and largest grade of the scale.
    method : {"auto", "closed", "bisection", "scan"}
        Closed forms of AP, RBP, ERR, nDCG and relatives (ties are settled exactly); bisection,
        right where Replacement holds; or every rank, about ``length**2`` work. ``"auto"`` takes the
        first that can be used.

    Returns
    -------
    float
        The index; minus infinity where no rank balances.

    Notes
    -----
    B(N) is the largest rank b such that documents of grade `q_min` at all ranks from b to N score
    at least as well as one document of grade `q_max` at rank 1. Bisection and scan take scores
    within one part in 10**12 as equal. Ferrante, Ferro and Maistro (2015).

    Examples
    --------
    >>> import hungjury as hj
    >>> hj.theory.balancing_index("AP", 10)
    7

    For AP, relevant documents at ranks 7 to 10 are worth one at rank 1.
    """
    curve = balancing_curve(measure, [length], q_min, q_max, method=method)
    return int(curve[0]) if np.isfinite(curve[0]) else -math.inf


def balancing_curve(
    measure: MeasureLike,
    lengths: Iterable[int],
    q_min: int = 1,
    q_max: int = 1,
    *,
    method: Method = "auto",
) -> Floats:
    """B(N) for many N, as `balancing_index`."""
    check_count("q_min", q_min, 1, MOST_GRADE)
    check_count("q_max", q_max, 1, MOST_GRADE)
    if q_min > q_max:
        said = f"q_min ({q_min}) is larger than q_max ({q_max})"
        remedy = "q_min must be at most q_max"
        raise InputError(said, code="low-above-high", argument="q_min", remedy=remedy)
    scorer = ListScorer(measure)
    scorer.check(q_max)
    sizes = [check_count("length", length, 1, MOST_RANKS) for length in lengths]
    search = _search(scorer, max(sizes, default=1), q_min, q_max, method)
    return np.array([search(length) for length in sizes], dtype=float)


def _search(
    scorer: ListScorer, longest: int, low: int, top: int, method: Method
) -> Callable[[int], Index]:
    """The function that finds the index of one length."""
    if method in ("auto", "closed") and scorer.measure is not None:
        form = closed_form(scorer.measure, low, top)
        if form is not None:
            return lambda length: _bisect(form(length), length)
    if method == "closed":
        said = f"{scorer.name} has no closed form here"
        raise MeasureError(said, code="no-closed-form", remedy=("use", Argument("method", "auto")))
    if method == "auto":
        method = "bisection" if _replacement_holds(scorer, longest, top) else "scan"
    find = _scan if method == "scan" else _bisect
    return lambda length: find(_balances(scorer, length, low, top), length)


def _replacement_holds(scorer: ListScorer, longest: int, top: int) -> bool:
    """Check Replacement on short lists, and on longer random ones."""
    for length in {min(longest, SHORT), min(longest, LONG)}:
        labels = np.repeat(np.arange(top + 1), plentiful_pool(length, top + 1)).tolist()
        report = check_axioms(scorer.given, length, top + 1, pool=labels, samples=2000)
        if report.replacement is not None:
            return False
    return True


def _bisect(balances: Callable[[Any], Any], length: int) -> Index:
    """The largest rank that balances, where all ranks above it do too."""
    if not balances(1):
        return -math.inf
    good, bad = 1, length + 1
    while bad - good > 1:
        middle = (good + bad) // 2
        if balances(middle):
            good = middle
        else:
            bad = middle
    return good


def _balances(scorer: ListScorer, length: int, low: int, top: int) -> Callable[[Any], Bools]:
    """Return a function of ranks, or of one: do lists with `low` from there to the end balance?"""
    pool, ranks = plentiful_pool(length, top + 1), np.arange(1, length + 1)
    sign = -1 if scorer.smaller_is_better else 1
    value = sign * float(scorer(np.where(ranks == 1, top, 0).astype(np.int16)[None], pool)[0])

    def balances(starts: Any) -> Bools:
        tails = np.where(ranks >= np.reshape(starts, (-1, 1)), low, 0).astype(np.int16)
        return sign * scorer(tails, pool) >= value - TOLERANCE * abs(value)

    return balances


def _scan(balances: Callable[[Any], Any], length: int) -> Index:
    """From the lowest rank upwards, a block of ranks at a time."""
    step = max(BUDGET // length, 1)
    for last in range(length, 0, -step):
        starts = np.arange(last, max(last - step, 0), -1)
        enough = np.flatnonzero(balances(starts))
        if len(enough):
            return int(starts[enough[0]])
    return -math.inf


CURVES = (
    "nDCG(base=10)", "nDCG(base=2)", "AP", "RBP(p=0.95)", "P@10", "RBP(p=0.8)", "RBP(p=0.5)", "ERR",
)  # fmt: skip

MOST_DOTS = 5  # lengths up to which a picture has dots instead of lines
EXAMPLE_LENGTH = 5  # of the lists for which required parameters are chosen
# Shares of relevant documents of the two simulated runs, and where their tails begin.
BOTH_TOP = 0.2
BETTER_MIDDLE, WORSE_MIDDLE = 0.7, 0.3
BETTER_TAIL, WORSE_TAIL = 0.1, 0.7
MIDDLE = 20
UNSEEN = 1e-16  # ranks whose total weight is below this do not change a score
CELLS = 1 << 22  # random numbers in memory at once


class BalancingCurves(Record, Result, eq=False):
    """B(N) of several measures."""

    lengths: Ints
    curves: Mapping[str, Floats]  # measure -> [length]

    def table(self) -> Table:
        """Return a row for each length, with a column for each measure."""
        rows = zip(self.lengths.tolist(), *(c.tolist() for c in self.curves.values()), strict=True)
        return Table(["N", *self.curves], list(rows))

    def plot(self) -> Plot:
        """Draw Figure 3.3; with few lengths, a row of dots for each measure."""
        dots = len(self.lengths) <= MOST_DOTS
        return self._drawn(
            "study_plots.draw_balancing_dots" if dots else "study_plots.draw_balancing"
        )


def balancing_curves(
    lengths: Iterable[int] = range(1, 1001), measures: Iterable[str] = CURVES
) -> BalancingCurves:
    """Compute how the balancing index grows with the length of lists, on binary labels.

    A curve close to the diagonal belongs to a measure that counts all ranks; a flat one to a
    measure that only looks at the top. These are the curves of Figure 3.3 of the thesis.

    Parameters
    ----------
    lengths : iterable of int
        Lengths of the lists.
    measures : iterable of str
        Names of measures; default: those of the figure.

    Returns
    -------
    BalancingCurves
        The lengths, and the index of each measure at each of them.

    Examples
    --------
    >>> import hungjury as hj
    >>> curves = hj.theory.balancing_curves([10, 100], ["RBP(p=0.8)"])
    >>> curves.curves["RBP(p=0.8)"].tolist()
    [6.0, 8.0]

    However long the list, RBP with p = 0.8 makes up for its first rank from rank 8 at the latest.
    """
    sizes = [check_count("length", length, 1, MOST_RANKS) for length in lengths]
    curves = {name: balancing_curve(name, sizes) for name in measures}
    return BalancingCurves(np.array(sizes, dtype=np.int64), curves)


def balancing_of_all(lengths: Iterable[int] = (10, 100, 1000)) -> BalancingCurves:
    """Compute the balancing index of every measure of the catalogue, on binary labels.

    Parameters are the defaults; required ones are set as in `axiom_table`. Measures for which less
    is better are left out.

    Parameters
    ----------
    lengths : iterable of int
        Lengths of the lists.

    Returns
    -------
    BalancingCurves
        The lengths, and the index of each measure at each of them.

    Examples
    --------
    >>> import hungjury as hj
    >>> hj.theory.balancing_of_all([4]).curves["ERR"].tolist()
    [1.0]
    """
    sizes, found = list(lengths), {}
    for cls in CATALOGUE:
        if not cls.smaller_is_better:
            with suppress(HungjuryError):  # E(X) is for whole pools, not for a list
                one = example_measure(cls, EXAMPLE_LENGTH, grades=2)
                found[str(one)] = balancing_curve(one, sizes)
    return BalancingCurves(np.array(sizes, dtype=np.int64), found)


class SignificanceCurve(Record, Result, eq=False):
    """Share of trials in which two runs differ, by the rank down to which they are the same."""

    ranks: Ints  # 0, 1, ..., 20
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
        return self._drawn("study_plots.draw_significance")


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
    """Simulate how often a test by RBP detects that two runs differ (Figure 3.5 of the thesis).

    Two runs have 20 % relevant documents down to rank `rnk`, then 70 % and 30 % down to rank 20,
    then 10 % and 70 %: the first is better early, the second by far in the tail. For every rnk
    from 0 to 20, a paired t-test over topics compares their RBP scores. Beyond its balancing index
    RBP hardly sees a difference. A trial uses the same random numbers for all values of rnk: every
    share is a mean over independent trials, neighbouring ones move together.

    Parameters
    ----------
    p : float
        Persistence of RBP.
    length : int
        Length of the lists.
    topics : int
        Topics of each test.
    trials : int
        Tests at each rank.
    alpha : float
        Level of the test.
    labels : {"fixed", "independent"}
        "fixed": exactly these shares (rounded) in each segment, in random order, as the thesis'
        text reads; "independent": each document is relevant with that probability.
    seed : int
        Random seed.

    Returns
    -------
    SignificanceCurve
        The share of tests that reject, by rank.

    Examples
    --------
    >>> import hungjury as hj
    >>> curve = hj.theory.significance_curve(trials=20)
    >>> curve.balance, float(curve.share[8])
    (8.0, 0.9)

    At rank 8, the balancing index, nearly every test still detects the difference.
    """
    check_share("p", p)
    check_share("alpha", alpha)
    check_count("length", length, MIDDLE, MOST_RANKS)
    check_count("topics", topics, 2, MOST_RANKS)
    check_count("trials", trials, 1, MOST_SAMPLES)
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
    return SignificanceCurve(
        ranks=np.arange(MIDDLE + 1),
        share=rejected / trials,
        p=p,
        balance=float(balancing_index(f"RBP(p={p})", length)),
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
