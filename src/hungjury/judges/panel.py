"""A panel: the votes of judges, as sparse rows over a pool."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hungjury import native
from hungjury.base.arrays import Bools, Floats, Indices, Int16s, Int32s, Ints
from hungjury.base.choices import Scope
from hungjury.base.errors import Argument, InputError, MeasureError, Note, noted, plural, rel_range
from hungjury.base.records import Record
from hungjury.data.pool import Pool
from hungjury.data.qrels import Judgments, needs_grades
from hungjury.data.reading.options import LabelSettings
from hungjury.data.scales import NO_ZERO
from hungjury.stats.agreement import JudgePairs, judge_pairs

if TYPE_CHECKING:
    from hungjury.judges.merge_types import LabelMerge, Merged

NOT_JUDGED = np.int16(-1)  # the label of a pooled document without judgments


class JudgeSettings(LabelSettings, kw_only=True):
    """How the labels of several judges were analysed."""

    rel: int | None = None  # lowest relevant grade, where labels were taken as binary


class Panel(Record, eq=False):
    """The votes of judges, one row per vote, and the merges of these votes that were asked for.

    Labels below 0 (pooled, not judged) are not votes. A panel is built once, by `of`; panels of
    some judges are cut from it by `only`.
    """

    judgments: Judgments  # that it was built from
    rel: int | None  # the lowest relevant grade, where labels were made binary
    pool: Pool
    grades: tuple[int, ...]  # what can be voted for; (0, 1) once `rel` has made labels binary
    document: Int32s
    judge: Int32s
    choice: Int16s  # position of the label in `grades`; 1 for probabilities
    share: Floats | None = None  # the probability, where votes are probabilities
    notes: tuple[Note, ...] = ()
    known: Int16s | None = None  # [document]: place of its gold label, or NOT_JUDGED
    kept: dict[Any, Merged] = field(default_factory=dict, repr=False)  # the merges so far

    @staticmethod
    def of(judgments: Judgments, rel: int | None = None) -> Panel:
        """Take the votes of judgments, binary at grade `rel` where it is given."""
        document, judge, label = judgments.document, judgments.judge, judgments.label
        counted = label >= 0
        if not counted.all():
            document, judge, label = document[counted], judge[counted], label[counted]
        if rel is None or rel == label.min(initial=np.inf):
            _check_zero(judgments)
        grades, choice, share = judgments.grades, np.ones(len(label), dtype=np.int16), None
        if judgments.soft:
            share = label
            if rel is not None:
                raise needs_grades("rel", "rel", "leave out rel")
        elif rel is not None:
            if not grades[0] < rel <= grades[-1]:
                said = f"rel is {rel}, but the largest grade of the judgments is {grades[-1]}"
                remedy = f"{rel_range(grades[-1], grades[0] + 1)}, or declare the grades"
                raise MeasureError(said, code="rel-too-large", argument="rel", remedy=remedy)
            grades, choice = (0, 1), (label >= rel).astype(np.int16)
        else:
            choice = grade_positions(label, grades)
        panel = Panel(
            judgments=judgments,
            rel=rel,
            pool=judgments.pool,
            grades=grades,
            document=document,
            judge=judge,
            choice=choice,
            share=share,
        )
        return replace(panel, notes=panel._oddities())

    def only(self, judges: Indices, families: Sequence[str] | None = None) -> Panel:
        """Return the panel of some judges, by their places; `families` are those of all judges."""
        names = self.judgments.family if families is None else tuple(families)
        chosen = np.sort(judges)
        judgments = replace(self.judgments, family=names).only(chosen)
        panel = replace(self, judgments=judgments, kept={})
        if len(judgments.judges) < len(self.judges):
            cut = panel._rows(np.isin(self.judge, chosen))
            judge = np.searchsorted(chosen, cut.judge).astype(np.int32)
            panel = replace(cut, judge=judge)
        return replace(panel, notes=panel._oddities())

    def merged(self, method: LabelMerge, scope: Scope = "topic", seed: int = 0) -> Merged:
        """Return the votes merged by a method; they are merged once, and kept."""
        key = (
            str(method) if method.name else id(method),  # a name says all about its merge
            scope if "scope" in method.depends_on else None,
            seed if "seed" in method.depends_on else None,
        )
        if key not in self.kept:
            self.kept[key] = method.merge(self, scope, seed)
        return self.kept[key]

    def matrix(self) -> Int16s:
        """Return the labels [judge, document], `NOT_JUDGED` where there is none."""
        self.whole_labels("a score under each judge alone")
        out = np.full((len(self.judges), len(self.pool)), NOT_JUDGED)
        out[self.judge, self.document] = np.array(self.grades, dtype=np.int16)[self.choice]
        return out

    @property
    def judges(self) -> list[str]:
        return self.judgments.judges

    @cached_property
    def family(self) -> Ints:
        """[judge]: the number of its family; judges of one family share a vote."""
        if self.judgments.family is None:
            return np.arange(len(self.judges))
        return np.unique(self.judgments.family, return_inverse=True)[1]

    @property
    def weight(self) -> Floats:
        """The weight of a vote of each judge."""
        return np.asarray(1 / np.bincount(self.family)[self.family])

    def resampled(self, rng: np.random.Generator) -> Floats:
        """Draw families with replacement, and return the weight of a vote of each judge."""
        number = int(self.family.max(initial=-1)) + 1
        times = np.bincount(rng.integers(number, size=number), minlength=number)
        return np.asarray(times[self.family] * self.weight)

    def vote_share(self) -> Floats:
        """[judge]: the mean over documents of a judge's share of the vote; these add up to 1."""
        total = native.sum_by_key(self.document, self.judge, self.weight, len(self.pool))
        parts = np.divide(1.0, total, out=np.zeros(len(total)), where=total > 0)
        share = self.weight * native.sum_by_key(self.judge, self.document, parts, len(self.judges))
        return np.asarray(share / max(int((total > 0).sum()), 1))

    def labels_per_document(self) -> dict[int, int]:
        """Count the documents of the pool by their number of labels."""
        number = native.count_keys(self.document, len(self.pool))
        labels, documents = np.unique(number, return_counts=True)
        return {int(n): int(d) for n, d in zip(labels, documents, strict=True)}

    @property
    def binary(self) -> bool:
        return self.grades == (0, 1)

    @cached_property
    def judged(self) -> Bools:
        """True for every document with a judgment."""
        out = np.zeros(len(self.pool), dtype=bool)
        out[self.document] = True
        return out

    def counts(self, weights: Floats | None = None) -> Floats:
        """Count votes, [document, grade].

        Votes of a judge count `weights[judge]` times, by default as much as families share. A
        probability p is a vote of p for relevant and of 1-p for not relevant.
        """
        each = self.weight if weights is None else weights
        shape = len(self.pool), len(self.grades)
        found = native.count_votes(self.document, self.judge, self.choice, self.share, each, *shape)
        return found.reshape(shape)

    def counts_by_judge(self) -> Ints:
        """Count the labels of each judge, [judge, grade]."""
        shape = len(self.judges), len(self.grades)
        once = np.ones(len(self.judges))
        found = native.count_votes(self.judge, self.judge, self.choice, None, once, *shape)
        return found.reshape(shape).astype(np.int64)

    def pairs(self) -> JudgePairs:
        """Compare every two judges on the documents that both judged."""
        shape = len(self.pool), len(self.judges), len(self.grades)
        return judge_pairs(self.document, self.judge, self.choice, shape)

    def some_votes(self) -> None:
        """Raise if no document is judged."""
        check_votes(len(self.document) > 0)

    def whole_labels(self, method: str) -> None:
        """Raise if votes are probabilities."""
        if self.share is not None:
            raise needs_grades(method)

    def binary_labels(self, method: str) -> None:
        """Raise if votes are grades."""
        if not self.binary:
            raise MeasureError(
                f"{method} needs binary labels, but these have {len(self.grades)} grades",
                code="not-binary",
                remedy=("give the lowest relevant grade with", Argument("rel")),
            )

    def select(self, keep: Bools) -> Panel:
        """Keep only some documents of the pool."""
        cut = self._rows(keep[self.document])
        position = (np.cumsum(keep) - 1).astype(np.int32)
        return replace(
            cut,
            pool=self.pool.select(keep),
            document=position[cut.document],
            known=None if self.known is None else self.known[keep],
        )

    def among(self, judges: Iterable[int]) -> Panel:
        """Keep only the votes of some judges; the others stay, without votes."""
        return self._rows(np.isin(self.judge, list(judges)))

    def _rows(self, rows: Bools) -> Panel:
        """Keep only some votes."""
        return replace(
            self,
            document=self.document[rows],
            judge=self.judge[rows],
            choice=self.choice[rows],
            share=None if self.share is None else self.share[rows],
            kept={},
        )

    def _oddities(self) -> tuple[Note, ...]:
        alone = int(len(self.judges) == 1)
        notes = noted("one-judge", alone, "only one judge: nothing to merge", about="judges")
        votes = native.count_keys(self.judge, len(self.judges))
        silent = tuple(a for a, n in zip(self.judges, votes, strict=True) if n == 0)
        text = f"{plural(len(silent), 'judge')} without any judgment"
        notes += noted("silent-judge", len(silent), text, subjects=silent, about="judges")
        unjudged = int((~self.judged).sum())
        text = f"{plural(unjudged, 'pooled document')} without a judgment, taken as unjudged"
        return notes + noted("without-judgment", unjudged, text)


def check_votes(some: bool) -> None:
    """Raise unless some document is judged."""
    if not some:
        said = "no document is judged: every label is negative"
        remedy = "check the labels; negative ones mean pooled but not judged"
        raise InputError(said, code="nothing-judged", remedy=remedy)


def _check_zero(judgments: Judgments) -> None:
    """Refuse judges who never give 0, as on scales that start at 1: all would count as relevant."""
    if any(note.kind == NO_ZERO for note in judgments.notes):
        low, top = int(judgments.label.min()), judgments.max_grade
        raise InputError(
            f"no judge ever gives 0: the labels are {low} to {top}, all above not relevant",
            code="no-zero",
            remedy=(
                Argument("grades", range(low, top + 1)),
                f"if {low} means not relevant, or a",
                Argument("map"),
                ";",
                Argument("grades", range(top + 1)),
                "if judges could give 0;",
                Argument("rel", low + 1),
                f"makes labels binary, {low + 1} and above being relevant",
            ),
        )


def grade_positions(label: Floats, grades: tuple[int, ...]) -> Int16s:
    """Return the places of labels in the grades; a label that is none of them is an error."""
    choice = native.grade_places(label, np.array(grades, dtype=np.int64))
    wrong = np.flatnonzero(choice < 0)
    if len(wrong):
        said = f"the label {label[wrong[0]]:g} is not among the grades {list(grades)}"
        remedy = "declare the grades when reading the judgments"
        raise InputError(said, code="outside-grades", remedy=remedy)
    return choice


def shares(values: Floats, axis: int) -> Floats:
    """Divide values by their sums along an axis; zeros stay where a sum is 0."""
    total = values.sum(axis=axis, keepdims=True)
    return np.asarray(np.divide(values, total, out=np.zeros_like(values), where=total > 0))
