"""Judgments: labels per (topic, document, judge)."""

from __future__ import annotations

from dataclasses import field, replace

import numpy as np
from numpy.typing import NDArray

from hungjury.base.errors import InputError, Note, UnknownName, plural
from hungjury.base.records import Record
from hungjury.data.pool import Pool
from hungjury.data.qrels import Qrels
from hungjury.data.reading.options import LabelSettings

MISSING = np.int16(-32768)  # this judge did not judge this document


class Judgments(Record, eq=False):
    """Labels of several judges: rows (document, judge, label) over a pool.

    A document that a judge has not labelled has no row. Labels are grades, or probabilities of
    relevance where `soft` is True; all judges share one scale.

    Attributes
    ----------
    pool : Pool
        The documents labelled by any judge, by topic.
    judges : list of str
        Names, in natural order.
    document, judge : array of int
        Of each row: the place of the document in the pool, and of the judge in `judges`.
    label : array of float
        Of each row: the grade or the probability.
    grades : tuple of int
        The scale, lowest first.
    settings : LabelSettings
        How the labels were read.
    notes : tuple of Note
        What was changed or left out, and what is unusual.
    family : tuple of str or None
        The family of each judge, if any; judges of a family share one vote.

    Examples
    --------
    >>> import hungjury as hj
    >>> judgments = hj.read_judgments({"ann": {"q1": {"d1": 1}}, "ben": {"q1": {"d1": 0, "d2": 1}}})
    >>> judgments.judges, judgments.qrels_of("ben").to_dict()
    (['ann', 'ben'], {'q1': {'d1': 0, 'd2': 1}})
    """

    pool: Pool
    judges: list[str]
    document: NDArray[np.int32]
    judge: NDArray[np.int32]
    label: NDArray[np.float64]
    grades: tuple[int, ...]
    soft: bool = False
    settings: LabelSettings = field(default_factory=LabelSettings)
    notes: tuple[Note, ...] = ()
    family: tuple[str, ...] | None = None  # of each judge; those of a family share one vote

    @property
    def families(self) -> tuple[str, ...]:
        """The family of each judge; by default every judge is its own family."""
        return tuple(self.judges) if self.family is None else self.family

    @property
    def weight(self) -> NDArray[np.float64]:
        """[judge]: the weight of a vote."""
        _, at, size = np.unique(self.families, return_inverse=True, return_counts=True)
        return np.asarray(1 / size[at])

    @property
    def topics(self) -> list[str]:
        return self.pool.topics

    @property
    def max_grade(self) -> int:
        return self.grades[-1]

    def __len__(self) -> int:
        return len(self.label)

    def __repr__(self) -> str:
        return (
            f"Judgments({plural(len(self.judges), 'judge')}, {plural(len(self.topics), 'topic')}, "
            f"{plural(len(self.pool), 'document')}, {plural(len(self), 'label')})"
        )

    def matrix(self) -> NDArray[np.int16]:
        """Return grades as [judge, document], `MISSING` where there is none."""
        if self.soft:
            raise InputError(
                "these judgments are probabilities, not grades",
                code="needs-grades",
                remedy="merge them by binmv, and score by expected measures such as eRAP",
            )
        out = np.full((len(self.judges), len(self.pool)), MISSING, dtype=np.int16)
        out[self.judge, self.document] = self.label.astype(np.int16)
        return out

    def only(self, judges: NDArray[np.intp]) -> Judgments:
        """Return the judgments of some judges, by their places, over the same pool."""
        chosen = np.sort(judges)
        rows = np.isin(self.judge, chosen)
        return replace(
            self,
            judges=[self.judges[k] for k in chosen],
            document=self.document[rows],
            judge=np.searchsorted(chosen, self.judge[rows]).astype(np.int32),
            label=self.label[rows],
            family=None if self.family is None else tuple(self.family[k] for k in chosen),
        )

    def qrels_of(self, judge: str) -> Qrels:
        """Return the labels of one judge, as qrels."""
        if judge not in self.judges:
            raise UnknownName(
                f"no judge '{judge}'",
                remedy=f"the judges are {', '.join(self.judges[:20])}",
            )
        mine = self.judge == self.judges.index(judge)
        documents, labels = self.document[mine], self.label[mine]
        order = np.argsort(documents)
        keep = np.zeros(len(self.pool), dtype=bool)
        keep[documents] = True
        return Qrels(
            self.pool.select(keep),
            None if self.soft else labels[order].astype(np.int16),
            self.grades,
            labels[order] if self.soft else None,
            settings=self.settings,
        )
