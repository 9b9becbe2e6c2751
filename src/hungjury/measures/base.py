"""The base of measures: a named value with a `score` over judged lists, and native kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hungjury.base.arrays import ArrayLike, Bools, Floats, Int32s, Ints
from hungjury.base.errors import Argument, MeasureError, Note, Remedy, rel_range
from hungjury.base.named import Catalogue, Named
from hungjury.base.parameters import MOST_RANKS, integer, param, required
from hungjury.base.records import Record
from hungjury.data.judged import Judged
from hungjury.data.qrels import Qrels
from hungjury.stats.agreement import ratio as ratio
from hungjury.stats.correlation import with_ties

if TYPE_CHECKING:
    from hungjury.measures.catalogue.probabilities import E


class Kernel(Record):
    """Describe a measure to the native code.

    `name` is one of "gains" (worth times weight, added up), "precisions" (weight times the worth
    down to the rank, at ranks of worth), "cascade" (a user who stops with probability `worth`) and
    "best" (the largest weight of a document of worth).
    """

    name: str
    worth: Floats  # of grades 0 to the scale's largest
    weights: Floats  # of ranks 1, 2, ...
    unit: Callable[[Judged], ArrayLike] = lambda _pools: 1.0  # divides the sums; 0: undefined
    ideal: Callable[[int], Floats] | None = None  # weights of the best list, if that is the unit

    def finish(self, sums: Floats, pools: Judged) -> Floats:
        """Return values [system, vector] from sums and pools [vector]; NaN where undefined."""
        return ratio(sums, self.unit(pools))

    @property
    def constant_unit(self) -> float | None:
        """The unit, if it does not depend on the pool."""
        unit = np.asarray(self.unit(pools_of(np.zeros((1, len(self.worth)), dtype=np.int64))))
        return None if unit.ndim else float(unit)


class Sum(Record, eq=False):
    """A sum over the places of a list, in native code; see `kernels.h` for what each name adds up.

    Tables by grade have one more entry, for documents that were pooled and not judged.
    """

    name: str
    worth: Floats  # of grades
    weight: Floats  # [place of the alignment]
    counted: Floats | None = None  # what documents of each grade count for those below, if not that
    levels: Callable[[Judged], Sequence[ArrayLike]] = lambda _pools: ()  # each [vector] of pools


class Sums(Record, eq=False):
    """A measure as native sums, and what becomes of them."""

    parts: tuple[Sum, ...]
    finish: Callable[[Sequence[Floats], Judged], Floats]  # of [system, vector]; pools: [vector]


def hits_of(top: int, rel: int) -> Floats:
    """Return what is relevant: a table by grade as in `Sum`."""
    return np.append(np.arange(top + 1) >= rel, 0.0)


def pools_of(counts: Ints) -> Judged:
    """Return pools with these numbers of documents [vector, grade], as lists without documents.

    That is all measures ask of a pool.
    """
    none = np.zeros((len(counts), 0), dtype=np.int32)
    zeros = np.zeros(len(counts), dtype=np.int32)
    return Judged(
        labels=none.astype(np.int16),
        ranks=none,
        judged=none,
        pooled=none,
        length=zeros,
        judged_length=zeros,
        counts=counts,
        depth=1,
        unjudged_pool=zeros.astype(np.int64),
        topic=zeros.astype(np.int64),
    )


def reach(weights: Floats) -> int:
    """Return the number of ranks down to the last one that weighs something."""
    return int(np.flatnonzero(weights).max(initial=-1)) + 1


def seen(ranks: Floats | Int32s, cutoff: int | None) -> Floats:
    """Return 1 for ranks down to the cutoff and 0 for those below it."""
    return np.asarray(ranks <= (np.inf if cutoff is None else cutoff), dtype=float)


# A class that changes any of these scores differently: native code of its parent is not its own.
SCORED_BY = {"score", "defined", "moments", "chances", "satisfied"}
SCORING = ("score", "defined", "average", "normalised", "gain_of_grades", "discount")
# The proof of sums of w_n g(l_n) over a base that the pool fixes, where w does not increase.
RANK_WEIGHTED = "thesis, section 3.4.1: rank-weighted, for gains that grow with the grade"


class Measure(Named):
    """Base of all measures: a named value that scores judged lists.

    Measures are made by name (``hj.measure("nDCG@10")``) or from their class
    (``hj.m.nDCG(cutoff=10)``); they are immutable, comparable and hashable, and print as their
    name. Pass them to `evaluate`, `leaderboard` and `compare` wherever a name is accepted. To add
    a measure, derive a class and implement `score`, which maps judged lists to values [..., list].
    It sees only labels and ranks, never where the labels came from. NaN, or a list that is not
    `defined`, means that the measure is undefined.

    Attributes
    ----------
    low, high : float
        Bounds of the values; infinite where there are none.
    smaller_is_better : bool
        Whether smaller values are better, as for search length and fallout.
    average : {"mean", "sum", "gmean"}
        How values are summarised over topics.

    Examples
    --------
    >>> import hungjury as hj
    >>> measure = hj.measure("nDCG@10")
    >>> measure == hj.m.nDCG(cutoff=10), measure.smaller_is_better
    (True, False)
    """

    formula: ClassVar[str] = ""  # as its docstring says after "Formula:"
    paper: ClassVar[str] = ""  # or the tool that defines it, after "Source:"
    low: ClassVar[float] = 0.0
    high: ClassVar[float] = 1.0  # inf where there is no bound
    smaller_is_better: ClassVar[bool] = False
    proof: ClassVar[str] = ""  # where Replacement and Swap are proved for all parameters
    average: ClassVar[str] = "mean"  # over topics: "mean", "sum" or "gmean"
    counterpart: ClassVar[str] = ""  # the measure that this is where probabilities are 0 and 1
    needs_nonrelevant: ClassVar[bool] = False  # also needs documents judged not relevant
    averages_ties: ClassVar[bool] = False  # supports the mean over all orders inside ties
    always_defined: ClassVar[bool] = False  # also where nothing is relevant
    takes_probabilities: ClassVar[bool] = False  # labels may be probabilities
    has_variance: ClassVar[bool] = False  # `moments` gives the variance too
    probability_gains: ClassVar[bool] = True  # gains may be probabilities of relevance
    expectation: ClassVar[E | None] = None  # the measure itself, if it is one over drawn labels
    chance_of_unjudged: ClassVar[float] = 0.0  # P(relevant) of a document without a label
    unjudged_depth: ClassVar[int] = 0  # ranks down to which documents outside the pool are needed

    def __init_subclass__(cls, *, called: str = "") -> None:
        """Remove the parent's capabilities from a class that scores differently.

        It has only those that it declares itself.
        """
        super().__init_subclass__(called=called)
        told, _, paper = (cls.__doc__ or "").partition("Source: ")
        _, _, formula = told.partition("Formula: ")
        for name, text in (("paper", paper), ("formula", formula)):
            if text:
                setattr(cls, name, " ".join(text.split()))
        for name in ("kernel", "sums"):
            own, none = getattr(cls, name), getattr(Measure, name)
            if name not in vars(cls) and own is not none and vars(cls).keys() & SCORED_BY:
                setattr(cls, name, none)
        if "counterpart" not in vars(cls) and not vars(cls).keys().isdisjoint(SCORING):
            cls.counterpart = ""
        scores_anew = "score" in vars(cls) and cls.__base__.score is not Measure.score  # type: ignore[union-attr]
        if scores_anew and "averages_ties" not in vars(cls):
            cls.averages_ties = False
        if "score" in vars(cls) and "proof" not in vars(cls):
            cls.proof = ""

    @classmethod
    def meaning(cls) -> str:
        return super().meaning().partition(" Formula: ")[0]

    # Capabilities: a measure that has one overrides the method.

    def kernel(self, ranks: Floats, top: int) -> Kernel | None:
        """Return the native kernel for ranks 1, 2, ... and grades 0 to `top`, or None."""
        return None

    def sums(self, rank: Floats, length: Floats, top: int) -> Sums | None:
        """Return native sums that give the score, for a measure without a kernel, or None.

        rank, length: of the places of lists [place], and of the lists that they are in.
        """
        return None

    def for_probabilities(self, prob: tuple[float, ...] | None = None) -> Measure:
        """Return the counterpart for probabilities, equal to this measure if they are 0 and 1.

        `prob` gives P(relevant) of each grade.
        """
        if not self.counterpart or self.threshold > 1:
            said = f"{self} has no counterpart for probabilities"
            remedy = "use AP, P, RBP or DCG(base=...)"
            raise MeasureError(said, code="no-probabilities", remedy=remedy)
        theirs = CATALOGUE[self.counterpart]
        shared = theirs._params.keys() & self._params.keys() - {"rel"}
        return theirs(**{name: getattr(self, name) for name in shared}, prob=prob)

    @classmethod
    def variants(cls) -> tuple[dict[str, Any], ...]:
        """Return parameters to try when searching for counterexamples to a property."""
        return ()

    @property
    def threshold(self) -> int:
        """The lowest grade that counts as relevant."""
        return getattr(self, "rel", None) or 1

    @property
    def depth(self) -> int | None:
        """The number of ranks that count; None: all of them."""
        return getattr(self, "cutoff", None)

    @property
    def declared_grade(self) -> int:
        """The largest grade named by the parameters, 0 if there is none."""
        return getattr(self, "max_grade", None) or 0

    def with_probabilities(self, prob: Sequence[float]) -> Measure:
        """Return the version that takes P(relevant) of each grade, as gain or as probability.

        Documents without a label count nothing, unless the measure's own `unjudged` says otherwise.
        """
        if "gains" in self._params and self.probability_gains:
            return self.but(gains=dict(enumerate(prob)))
        if "prob" in self._params:
            given = getattr(self, "unjudged", None)
            return self.but(prob=tuple(prob), unjudged=0.0 if given is None else given)
        try:
            return self.for_probabilities(tuple(prob)).with_probabilities(prob)
        except MeasureError:
            raise MeasureError(
                f"{self} has no version for P(relevant) of each grade",
                code="no-probabilities",
                remedy="use AP, P or RBP without rel, E(X) of any measure X, or nDCG, DCG, CG, "
                "nCG, gRBP or Q",
            ) from None

    def score(self, judged: Judged) -> Floats:
        """Compute the score of every list, [..., list]; NaN where it is undefined."""
        raise NotImplementedError

    def moments(self, judged: Judged) -> tuple[Floats, Floats]:
        """Return mean and variance over uncertain labels, for measures that have them."""
        raise NotImplementedError

    def defined(self, judged: Judged) -> Bools:
        """Say for every list whether the pool contains anything relevant for this measure."""
        if self.always_defined:
            return np.ones(judged.counts.shape[:-1], dtype=bool)
        return judged.relevant(self.threshold) > 0

    def where_undefined(self, judged: Judged) -> Floats:
        """Return the value that replaces an undefined score: 0, or the worst if smaller is
        better."""
        return np.zeros(judged.counts.shape[:-1])

    def filled(self, judged: Judged) -> Floats:
        """Compute scores, with undefined ones replaced by `where_undefined`."""
        values = self(judged)
        return np.where(np.isnan(values), self.where_undefined(judged), values)

    def better(self, values: Floats) -> Floats:
        """Turn means for ranking systems: larger is better, and equal means are tied."""
        return with_ties(np.negative(values) if self.smaller_is_better else values)

    def notes(self, qrels: Qrels | None = None) -> tuple[Note, ...]:
        """Return notes on scores of this measure under these labels."""
        return ()

    def check(self, max_grade: int) -> None:
        """Raise early for parameters that do not fit the scale."""
        if self.threshold > max_grade:
            said = f"the largest grade of the labels is {max_grade}"
            remedy = f"{rel_range(max_grade)}, or declare the grades"
            raise self.error(said, "rel-too-large", remedy, "rel", *range(1, max_grade + 1))
        declared = getattr(self, "max_grade", None)
        if declared is not None and declared < max_grade:
            said = f"max_grade is {declared}, but the labels go up to {max_grade}"
            remedy = f"max_grade must be at least {max_grade}"
            raise self.error(said, "max-grade", remedy, "max_grade")

    def error(
        self, said: str, code: str, remedy: Remedy, argument: str | None = None, *values: object
    ) -> MeasureError:
        """Return an error of this measure; `values` of the argument would work."""
        message = f"{self}: {said}"
        return MeasureError(message, code=code, argument=argument, values=values, remedy=remedy)

    def check_probabilities(self, of_grades: bool = False) -> None:
        """Raise for parameters that do not fit probabilities as labels.

        These are probabilities of relevance, or (`of_grades`) of every grade.
        """

    def __call__(self, judged: Judged) -> Floats:
        if judged.ties is not None and not self.averages_ties:
            raise MeasureError(
                f"{self} does not support ties averaged over all orders",
                code="unsupported-ties",
                remedy=("use", Argument("ties", "trec", "input"), "for this measure"),
            )
        return np.where(self.defined(judged), self.score(judged), np.nan)


_AGREEMENT = "agreement between judges is not a measure of runs; `hungjury agreement` reports it"
CATALOGUE = Catalogue(
    "measure",
    Measure,
    {_AGREEMENT: "krippendorff krippendorff-alpha kappa cohen-kappa fleiss-kappa"},
)


# Parameters that many measures have.
REL = param(1, kind=integer, low=1, doc="lowest grade that counts as relevant")
CUTOFF = param(None, kind=integer, low=1, high=MOST_RANKS, doc="ranks counted")
NEEDED_CUTOFF = required(kind=integer, low=1, high=MOST_RANKS, doc="ranks counted")


class Binary(Measure):
    """Base of measures of binary relevance."""

    rel: int = REL


class BinaryAtCutoff(Binary):
    """Base of measures of binary relevance that may be cut."""

    at = "cutoff"
    cutoff: int | None = CUTOFF

    def hits_kernel(
        self,
        name: str,
        weights: Floats,
        top: int,
        unit: Callable[[Judged], ArrayLike] = lambda _pools: 1.0,
    ) -> Kernel:
        """Return a kernel in which relevant documents down to the cutoff are worth 1."""
        ranks = np.arange(1.0, len(weights) + 1)
        worth = np.asarray(np.arange(top + 1) >= self.rel, dtype=float)
        return Kernel(name, worth, weights * seen(ranks, self.cutoff), unit)
