"""Labels over a pool: one per document (`Qrels`), or one per document and judge (`Judgments`)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import field, fields, replace
from typing import Any

import numpy as np

from hungjury.base.arrays import Array, Bools, Floats, Indices, Int16s, Int32s, Ints
from hungjury.base.errors import InputError, Note, check_known, noted, plural, rel_range
from hungjury.base.files import write_whole
from hungjury.base.records import Record
from hungjury.base.text import csv_text
from hungjury.data.pool import Pool
from hungjury.data.reading.options import LabelSettings

NOTHING_RELEVANT = "nothing-relevant"  # the kind of a note
MISSING = np.int16(-32768)  # this judge did not judge this document
NUMBERS_AT_ONCE = 1 << 16  # drawn, and turned into labels while they are in the cache


GRADED = "make them grades first, with Qrels.threshold(0.5), or merge judges by binmv (their mean)"


def needs_grades(what: str, argument: str | None = None, remedy: str = GRADED) -> InputError:
    """The error for labels that are probabilities, where only grades will do."""
    said = f"{what} needs grades, but these labels are probabilities"
    return InputError(said, code="needs-grades", argument=argument, remedy=remedy)


class Qrels(Record, eq=False):
    """Labels over a pool, one per (topic, document).

    There are three kinds, of which exactly one is not None: grades, probabilities of relevance
    (soft qrels), or a probability for every grade. `evaluate` scores grades by ordinary measures,
    and probabilities by expected ones such as eRAP.

    Attributes
    ----------
    pool : Pool
        The labelled documents of every topic.
    labels : array of int or None
        Grades [document]; negative: pooled, not judged.
    p : array or None
        Probabilities of relevance [document].
    grade_p : array or None
        The probability of every grade [document, grade].
    grades : tuple of int
        The scale, lowest first; (0, 1) for probabilities.
    settings : LabelSettings
        How the labels were read.
    notes : tuple of Note
        What was changed or left out, and what is unusual.

    Examples
    --------
    >>> import hungjury as hj
    >>> qrels = hj.read_qrels({"q1": {"d1": 2, "d2": 0}})
    >>> qrels.topics, qrels.to_dict()["q1"]["d1"]
    (['q1'], 2)
    """

    pool: Pool
    labels: Int16s | None
    grades: tuple[int, ...]
    p: Floats | None = None
    grade_p: Floats | None = None
    settings: LabelSettings = field(default_factory=LabelSettings)
    notes: tuple[Note, ...] = ()

    @property
    def topics(self) -> list[str]:
        return self.pool.topics

    @property
    def soft(self) -> bool:
        """True where labels are probabilities."""
        return self.labels is None

    @property
    def max_grade(self) -> int:
        return self.grades[-1]

    def __len__(self) -> int:
        return len(self.pool)

    def __repr__(self) -> str:
        kind = "probabilities" if self.soft else f"grades {self.grades[0]}-{self.grades[-1]}"
        counts = f"{plural(len(self.topics), 'topic')}, {plural(len(self), 'document')}"
        return f"Qrels({counts}, {kind})"

    def plain(self, **changes: Any) -> Qrels:
        """Return the labels alone, without what a merge knows about them, or with other fields."""
        return Qrels(**{f.name: getattr(self, f.name) for f in fields(Qrels)} | changes)

    def at_least(self, rel: int) -> Qrels:
        """Return the probability of a grade of `rel` or above, as soft qrels."""
        if rel > self.max_grade or rel < 1:
            said = f"rel is {rel}, but the largest grade is {self.max_grade}"
            remedy = rel_range(self.max_grade)
            raise InputError(said, code="rel-too-large", argument="rel", remedy=remedy)
        if self.p is not None:
            return self
        if self.grade_p is not None:
            p = self.grade_p[:, rel:].sum(axis=1)
        else:
            assert self.labels is not None
            p = (self.labels >= rel).astype(float)
        return self.plain(labels=None, grade_p=None, grades=(0, 1), p=p)

    def by_one_judge(self, name: str = "labels") -> Judgments:
        """Return the labels as those of one judge; of chances of grades the likeliest grades."""
        label = self.threshold().labels if self.p is None else self.p
        assert label is not None
        document = np.flatnonzero(label >= 0).astype(np.int32)
        return Judgments(
            self.pool, [name], document, np.zeros_like(document), label[document].astype(float),
            self.grades, self.p is not None, self.settings, self.notes,
        )  # fmt: skip

    def relevant(self, rel: int) -> Ints:
        """Count, by topic, the documents of grade `rel` or above; none for probabilities."""
        found = np.zeros(len(self), dtype=bool) if self.labels is None else self.labels >= rel
        return np.asarray(self.pool.sum_by_topic(found))

    def threshold(self, at: float = 0.5) -> Qrels:
        """Return hard labels: relevant where the probability is `at` or more; the most likely grade
        where every grade has a probability (ties go to the lower one)."""
        if self.labels is not None:
            return self
        if self.p is not None:
            labels = (self.p >= at).astype(np.int16)
        else:
            assert self.grade_p is not None
            labels = np.asarray(self.grades, dtype=np.int16)[self.grade_p.argmax(axis=1)]
        return self.plain(labels=labels, p=None, grade_p=None)

    def draw(self, rng: np.random.Generator, n: int) -> Int16s:
        """Draw `n` label vectors [n, document], every document independently."""
        if self.labels is not None:
            return np.broadcast_to(self.labels, (n, len(self)))
        drawn = np.empty((n, len(self)), dtype=np.int16)
        scale = np.array(self.grades, dtype=np.int16)
        upto = () if self.grade_p is None else np.cumsum(self.grade_p, axis=1).T[:-1].copy()
        rows = max(NUMBERS_AT_ONCE // max(len(self), 1), 1)
        for some in np.split(drawn, range(rows, n, rows)):
            chance = rng.random(some.shape)
            some[:] = 0 if self.p is None else chance < self.p
            for edge in upto:
                some += chance >= edge
            if self.p is None and scale[-1] >= len(scale):  # places are not the grades
                some[:] = scale[some]
        return drawn

    def select(self, topics: Iterable[str]) -> Qrels:
        """Return only some topics."""
        keep = self.pool.of_topics(topics)
        pool = self.pool.select(keep)
        kinds = {"labels": self.labels, "p": self.p, "grade_p": self.grade_p}
        kept = {name: one[keep] for name, one in kinds.items() if one is not None}
        notes = tuple(note for note in self.notes if note.kind != NOTHING_RELEVANT)
        if "labels" in kept:
            notes += empty_topics(pool, kept["labels"])
        return self.plain(pool=pool, notes=notes, **kept)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return ``{topic: {document: label}}``, as pytrec_eval and ranx take it; lists of
        probabilities where every grade has one."""
        kinds = (self.labels, self.p, self.grade_p)
        values: list[Any] = next(v for v in kinds if v is not None).tolist()
        parts = [self.pool.slice(t) for t in range(len(self.topics))]
        each = (dict(zip(self.pool.documents[p], values[p], strict=True)) for p in parts)
        return dict(zip(self.topics, each, strict=True))

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write `to_text` to a file, atomically."""
        write_whole(path, self.to_text(str(path)))

    def to_text(self, name: str = "qrels") -> str:
        """Write TREC columns, probabilities as decimals; where every grade has a probability, a
        CSV table with a column for each. `name` is what errors call it."""
        if self.grade_p is not None:
            lines = (
                [topic, document, *map(repr, p)]
                for topic, rows in self.to_dict().items()
                for document, p in rows.items()
            )
            return csv_text([["topic", "document", *(f"p{g}" for g in self.grades)], *lines])
        text = ""
        for topic, rows in self.to_dict().items():
            _check_writable(name, topic, rows)
            text += "".join(f"{topic} 0 {d} {label!r}\n" for d, label in rows.items())
        return text


def _check_writable(path: str, topic: str, documents: Iterable[str]) -> None:
    """Refuse ids that do not fit TREC's columns, before anything is written."""
    remedy = "rename it, or write a table from to_dict()"
    for name in (topic, *documents):
        if len(name.split()) != 1:
            said = f"the id {name!r} contains blanks, which separate columns"
            raise InputError(said, code="blank-in-id", file=path, remedy=remedy)
    if topic.startswith("#"):
        said = f"the topic {topic!r} would be read as a comment"
        raise InputError(said, code="comment-in-id", file=path, remedy=remedy)


def empty_topics(pool: Pool, labels: Array) -> tuple[Note, ...]:
    """Note the topics without any relevant document."""
    some = np.logical_or.reduceat(labels > 0, pool.offsets[:-1])
    none = [pool.topics[t] for t in np.flatnonzero(~some)]
    text = f"{plural(len(none), 'topic')} without any relevant document"
    return noted(NOTHING_RELEVANT, len(none), text, subjects=tuple(none))


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
    document: Int32s
    judge: Int32s
    label: Floats
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
    def weight(self) -> Floats:
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

    def matrix(self) -> Int16s:
        """Return grades as [judge, document], `MISSING` where there is none."""
        if self.soft:
            raise needs_grades("a matrix of labels")
        out = np.full((len(self.judges), len(self.pool)), MISSING, dtype=np.int16)
        out[self.judge, self.document] = self.label.astype(np.int16)
        return out

    def only(self, judges: Indices) -> Judgments:
        """Return the judgments of some judges, by their places, over the same pool."""
        chosen = np.sort(judges)
        if np.array_equal(chosen, np.arange(len(self.judges))):
            return self
        rows = np.isin(self.judge, chosen)
        return replace(
            self,
            judges=[self.judges[k] for k in chosen],
            document=self.document[rows],
            judge=np.searchsorted(chosen, self.judge[rows]).astype(np.int32),
            label=self.label[rows],
            family=None if self.family is None else tuple(self.family[k] for k in chosen),
        )

    def select(self, topics: Iterable[str]) -> Judgments:
        """Return only some topics."""
        return self._restricted(self.pool.of_topics(topics))

    def _restricted(self, keep: Bools) -> Judgments:
        """Return only some documents of the pool."""
        rows = keep[self.document]
        place = np.cumsum(keep) - 1
        return replace(
            self,
            pool=self.pool.select(keep),
            document=place[self.document[rows]].astype(np.int32),
            judge=self.judge[rows],
            label=self.label[rows],
        )

    def qrels_of(self, judge: str) -> Qrels:
        """Return the labels of one judge, as qrels."""
        check_known("judge", judge, self.judges)
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
