"""E(X): the expectation of any measure X over uncertain labels.

How it is computed, exactly or from draws, is in `measures/expectation.py`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.errors import MeasureError
from hungjury.base.parameters import MOST_DRAWS, MOST_RANKS, integer, number, param, required
from hungjury.data.judged import Judged
from hungjury.measures.base import CUTOFF, Measure
from hungjury.measures.catalogue.probabilities import (
    BASE_DEPTH,
    COLLECTION,
    PROB,
    UNJUDGED,
    RecallBase,
    Uncertain,
    recall_base_param,
)

if TYPE_CHECKING:
    from hungjury.data.qrels import Qrels

__all__ = ["E"]

USUAL_SHIFT = 0.8  # of a topic, in logits


def shift(value: object) -> float:
    """Check the standard deviation of a shift; True is the usual one."""
    return USUAL_SHIFT if value is True else number(value)


def shift_param(of_what: str) -> Any:
    return param(
        0.0, kind=shift, low=0,
        doc=f"labels depend on each other: standard deviation, in logits, of a shift shared by "
        f"{of_what}; True: {USUAL_SHIFT}",
    )  # fmt: skip


def file_name(value: object) -> str:
    """Check the name of a file."""
    if not isinstance(value, (str, os.PathLike)):
        raise ValueError("the name of a file")
    return str(os.fspath(value))


def a_measure(value: object) -> Measure:
    """Check the measure X of E(X), or its name."""
    from hungjury.measures.catalogue import measure_list

    found = measure_list([value])  # type: ignore[list-item]
    if len(found) != 1 or found[0].takes_probabilities:
        raise ValueError("one measure of certain labels, such as AP or nDCG@10")
    return found[0]


class E(Uncertain, called="E"):
    """Expectation of a measure over uncertain labels, with its variance. Use it for any measure
    when labels are probabilities, as merged judges give them: unlike labels cut at 0.5 it keeps
    how sure they are. Exact for measures with a native kernel, else a mean over drawn label sets;
    a document has the same label in all lists. `E(AP)@10` is `E(AP@10)`.

    With `prob`, grades are turned into probabilities of relevance, and the measure sees binary
    labels. Unjudged documents that may be relevant count in the recall base and the best list of
    the list that retrieved them, unless `recall_base` or `collection` says otherwise.

    Documents are independent unless `topic_shift`, `judge_shift` or `clusters` say how they depend
    on each other; each document keeps its probability."""

    paper = "Ferrante, Ferro and Pontarollo 2018 (relevance as a random variable)"
    formula = "E(X) = mean of X over label sets, each label drawn from its probabilities"
    positional = "of"
    low = float("-inf")
    high = float("inf")
    of: Measure = required(kind=a_measure, doc="the measure")
    draws: int = param(1000, kind=integer, low=2, high=MOST_DRAWS, doc="number of label sets drawn")
    seed: int = param(0, kind=integer, low=0, doc="seed of the draws")
    prob: tuple[float, ...] | None = PROB
    unjudged: float | None = UNJUDGED
    recall_base: RecallBase = recall_base_param("list")
    base_depth: int = BASE_DEPTH
    collection: int | None = COLLECTION
    topic_shift: float = shift_param("the documents of a topic")
    judge_shift: float = shift_param("all documents, an error that the judges have in common")
    clusters: str | None = param(
        None, kind=file_name,
        doc="file of near-duplicates, with a topic, a document and the name of its cluster on "
        "each line: those of a cluster are relevant together",
    )  # fmt: skip
    cutoff: int | None = CUTOFF

    def __post_init__(self) -> None:
        if self.recall_base == "pool":
            said = "unjudged documents that are relevant must count in the recall base"
            remedy = "use 'list', 'retrieved' or a number"
            raise self.error(said, "invalid-value", remedy, "recall_base")
        if self.cutoff is not None:
            if self.of.at != "cutoff":
                raise self.error(f"{self.of} takes no cutoff", "no-cutoff", f"write E({self.of})")
            if self.of.depth is not None:
                said = f"{self.of} has a cutoff already"
                raise self.error(said, "two-cutoffs", f"write E({self.of})")
            object.__setattr__(self, "of", self.of.but(cutoff=self.cutoff))
            object.__setattr__(self, "cutoff", None)
        for name in ("low", "high", "average", "smaller_is_better"):
            object.__setattr__(self, name, getattr(self.of, name))

    @property
    def expectation(self) -> E:  # type: ignore[override]
        return self

    def is_certain(self, qrels: Qrels, condensed: bool) -> bool:
        """Say whether nothing is left to draw: the expectation is then the measure itself."""
        unjudged = 0.0 if condensed else self.chance_of_unjudged
        return qrels.labels is not None and self.prob is None and unjudged == 0

    @property
    def dependent(self) -> bool:
        """True if labels of documents depend on each other: nothing is exact then."""
        return bool(self.topic_shift or self.judge_shift or self.clusters)

    @property
    def is_exact(self) -> bool:
        """True if the expectation of binary labels needs no drawing."""
        kernel = self.of.kernel(np.ones(1), max(self.of.threshold, 1))
        return not self.dependent and kernel is not None and kernel.worth[0] == 0

    @property
    def unjudged_depth(self) -> int:  # type: ignore[override]
        if self.chance_of_unjudged == 0:
            return 0
        if self.is_exact:
            return self.base_depth if self.recall_base == "retrieved" else 0
        return MOST_RANKS

    def refuse_collection(self) -> NoReturn:
        """Raise for a collection that is smaller than what was judged and retrieved."""
        said = f"more than {self.collection:,} documents were judged and retrieved for a topic"
        remedy = "give the number of documents in the whole collection"
        raise self.error(said, "collection-size", remedy, "collection")

    @property
    def depth(self) -> int | None:
        return self.of.depth

    @property
    def declared_grade(self) -> int:
        return self.of.declared_grade if self.prob is None else len(self.prob) - 1

    def check(self, max_grade: int) -> None:
        if self.prob is not None:
            self.check_prob(max_grade)
            max_grade = 1
        if self.chance_of_unjudged > 0 and max_grade > 1:
            grades = f"1 to {max_grade}"
            said = f"unjudged documents may be relevant, but their grade is unknown ({grades})"
            remedy = "give prob, the probability of relevance at each grade, or binary labels"
            raise self.error(said, "unjudged-grade", remedy)
        self.of.check(max_grade)

    def score(self, judged: Judged) -> Floats:
        raise MeasureError(
            f"{self} draws labels for whole pools",
            code="needs-runs",
            remedy="score runs with evaluate()",
        )
