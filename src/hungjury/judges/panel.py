"""A panel: the votes of judges, as sparse rows over a pool; and the jury, who votes in it.

Prompts of one LLM and repeated samples of one prompt are not independent. Judges of one family
together have one vote; near-copies are a family whatever their names. A judge whose labels go
against those of all others, as reversed prompts do, is recognised by a correlation below 0.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hungjury import native
from hungjury.base.arrays import Floats
from hungjury.base.choices import Contrary, Scope
from hungjury.base.errors import Argument, InputError, MeasureError, Note, plural, rel_range
from hungjury.base.records import Record
from hungjury.data.pool import Pool
from hungjury.data.qrels import Judgments
from hungjury.data.reading.options import LabelSettings
from hungjury.data.scales import NO_ZERO
from hungjury.stats.agreement import JudgePairs, judge_pairs
from hungjury.stats.resampling import normal_reach

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
    judges: list[str]
    grades: tuple[int, ...]  # what can be voted for; (0, 1) once `rel` has made labels binary
    document: NDArray[np.int32]
    judge: NDArray[np.int32]
    choice: NDArray[np.int16]  # position of the label in `grades`; 1 for probabilities
    share: NDArray[np.float64] | None = None  # the probability, where votes are probabilities
    notes: tuple[Note, ...] = ()
    family: NDArray[np.int64] | None = None  # [judge]: those of a family share one vote
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
                raise InputError(
                    "rel needs grades, but these judgments are probabilities",
                    code="needs-grades",
                    argument="rel",
                    remedy=("leave out", Argument("rel")),
                )
        elif rel is not None:
            _check_rel(rel, grades)
            grades, choice = (0, 1), (label >= rel).astype(np.int16)
        else:
            choice = _positions(label, grades)
        panel = Panel(
            judgments=judgments,
            rel=rel,
            pool=judgments.pool,
            judges=judgments.judges,
            grades=grades,
            document=document,
            judge=judge,
            choice=choice,
            share=share,
            family=_families(judgments),
        )
        return replace(panel, notes=panel._oddities())

    def only(self, judges: NDArray[np.intp], families: Sequence[str] | None = None) -> Panel:
        """Return the panel of some judges, by their places; `families` are those of all judges."""
        names = self.judgments.family if families is None else tuple(families)
        chosen = np.sort(judges)
        judgments = replace(self.judgments, family=names).only(chosen)
        cut = self._rows(np.isin(self.judge, chosen))
        panel = replace(
            cut,
            judgments=judgments,
            judges=judgments.judges,
            judge=np.searchsorted(chosen, cut.judge).astype(np.int32),
            family=_families(judgments),
        )
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

    def matrix(self) -> NDArray[np.int16]:
        """Return the labels [judge, document], `NOT_JUDGED` where there is none."""
        if self.share is not None:
            raise InputError(
                "these judgments are probabilities, not grades",
                code="needs-grades",
                remedy="merge them by binmv, and score by expected measures such as eRAP",
            )
        out = np.full((len(self.judges), len(self.pool)), NOT_JUDGED)
        out[self.judge, self.document] = np.array(self.grades, dtype=np.int16)[self.choice]
        return out

    @property
    def weight(self) -> NDArray[np.float64]:
        """The weight of a vote of each judge."""
        if self.family is None:
            return np.ones(len(self.judges))
        return np.asarray(1 / np.bincount(self.family)[self.family])

    def resampled(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Draw families with replacement, and return the weight of a vote of each judge."""
        family = np.arange(len(self.judges)) if self.family is None else self.family
        number = int(family.max(initial=-1)) + 1
        times = np.bincount(rng.integers(number, size=number), minlength=number)
        return np.asarray(times[family] * self.weight)

    def vote_share(self) -> NDArray[np.float64]:
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
    def judged(self) -> NDArray[np.bool_]:
        """True for every document with a judgment."""
        out = np.zeros(len(self.pool), dtype=bool)
        out[self.document] = True
        return out

    def counts(self, weights: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Count votes, [document, grade].

        Votes of a judge count `weights[judge]` times, by default as much as families share. A
        probability p is a vote of p for relevant and of 1-p for not relevant.
        """
        each = self.weight if weights is None else weights
        shape = len(self.pool), len(self.grades)
        found = native.count_votes(self.document, self.judge, self.choice, self.share, each, *shape)
        return found.reshape(shape)

    def counts_by_judge(self) -> NDArray[np.int64]:
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
        if not len(self.document):
            raise InputError(
                "no document is judged: every label is negative",
                code="nothing-judged",
                remedy="check the labels; negative ones mean pooled but not judged",
            )

    def whole_labels(self, method: str) -> None:
        """Raise if votes are probabilities."""
        if self.share is not None:
            raise MeasureError(
                f"{method} counts labels, but these judgments are probabilities",
                code="needs-grades",
                remedy="merge them by binmv, which takes their mean, or round them first",
            )

    def binary_labels(self, method: str) -> None:
        """Raise if votes are grades."""
        if not self.binary:
            raise MeasureError(
                f"{method} needs binary labels, but these have {len(self.grades)} grades",
                code="not-binary",
                remedy=("give the lowest relevant grade with", Argument("rel")),
            )

    def select(self, keep: NDArray[np.bool_]) -> Panel:
        """Keep only some documents of the pool."""
        cut = self._rows(keep[self.document])
        position = (np.cumsum(keep) - 1).astype(np.int32)
        return replace(
            cut,
            pool=self.pool.select(keep),
            document=position[cut.document],
        )

    def among(self, judges: Iterable[int]) -> Panel:
        """Keep only the votes of some judges; the others stay, without votes."""
        chosen = np.zeros(len(self.judges), dtype=bool)
        chosen[list(judges)] = True
        return self._rows(chosen[self.judge])

    def _rows(self, rows: NDArray[np.bool_]) -> Panel:
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
        notes = []
        votes = native.count_keys(self.judge, len(self.judges))
        if len(self.judges) == 1:
            notes.append(Note("one-judge", 1, "only one judge: nothing to merge", about="judges"))
        silent = [a for a, n in zip(self.judges, votes, strict=True) if n == 0]
        if silent:
            text = f"{plural(len(silent), 'judge')} without any judgment"
            notes.append(
                Note("silent-judge", len(silent), text, subjects=tuple(silent), about="judges")
            )
        unjudged = int((~self.judged).sum())
        if unjudged:
            text = f"{plural(unjudged, 'pooled document')} without a judgment, taken as unjudged"
            notes.append(Note("without-judgment", unjudged, text))
        return tuple(notes)


def _families(judgments: Judgments) -> NDArray[np.int64] | None:
    if judgments.family is None:
        return None
    return np.unique(judgments.family, return_inverse=True)[1].astype(np.int64)


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


def _check_rel(rel: int, grades: tuple[int, ...]) -> None:
    if not grades[0] < rel <= grades[-1]:
        raise MeasureError(
            f"rel is {rel}, but the largest grade of the judgments is {grades[-1]}",
            code="rel-too-large",
            argument="rel",
            remedy=f"{rel_range(grades[-1], grades[0] + 1)}, or declare the grades",
        )


def _positions(label: NDArray[np.float64], grades: tuple[int, ...]) -> NDArray[np.int16]:
    choice = native.grade_places(label, np.array(grades, dtype=np.int64))
    wrong = np.flatnonzero(choice < 0)
    if len(wrong):
        raise InputError(
            f"the label {label[wrong[0]]:g} is not among the grades {list(grades)}",
            code="outside-grades",
            remedy="declare the grades when reading the judgments",
        )
    return choice


Families = str | os.PathLike[str] | Mapping[str, str] | None
FEWEST_FAMILIES = 3  # needed to decide that a judge contradicts the rest
FEW = 20  # common documents needed to judge a correlation
SURE = normal_reach(0.95)  # standard errors below 0 that show a contradiction


class Jury(Record, eq=False):
    """The judges who vote, in families."""

    panel: Panel
    contrary: tuple[str, ...]  # judges who contradict the rest, whether they vote or not
    notes: tuple[Note, ...]

    @property
    def judgments(self) -> Judgments:
        """The labels of the judges who vote."""
        return self.panel.judgments

    @property
    def families(self) -> int:
        """The number of families."""
        return len(set(self.judgments.families))


def seat_jury(
    judges: Judgments | Panel,
    families: Families = None,
    copies: Sequence[Sequence[str]] = (),
    contrary: Contrary = "drop",
) -> Jury:
    """Put judges into families, and find those who contradict the rest.

    Parameters
    ----------
    judges : Judgments or Panel
        All judges.
    families : str, path or mapping, optional
        A pattern on names, a file of judges and their families, or ``{judge: family}``.
    copies : sequence of sequences of str
        Near-copies: each group is one family.
    contrary : {"drop", "keep"}
        Whether judges who contradict the rest vote.
    """
    panel = judges if isinstance(judges, Panel) else Panel.of(judges)
    names = _joined(panel.judges, family_names(panel.judges, families), copies)
    given = replace(panel.judgments, family=tuple(names))
    against: list[str] = []
    left = given
    while len(set(left.families)) >= FEWEST_FAMILIES:
        found, error = correlation_with_rest(left, panel.rel)
        upper = np.where(np.isnan(found), np.inf, found + SURE * error)
        worst = int(np.argmin(np.where(upper < 0, found, np.inf)))
        if upper[worst] >= 0:
            break
        against.append(left.judges[worst])
        left = left.only(np.delete(np.arange(len(left.judges)), worst))
    notes = []
    if 2 * (len(set(given.families)) - len(set(left.families))) >= len(set(given.families)):
        text = "judges contradict each other in camps of similar size: none is left out"
        notes.append(Note("split-jury", len(against), text, about="judges"))
        against, left = [], given
    if against:
        does = "left out" if contrary == "drop" else "voting all the same"
        text = f"{plural(len(against), 'judge')} with labels that contradict the rest, {does}"
        notes.append(Note("contrary-judge", len(against), text, subjects=tuple(against),
                          about="judges"))  # fmt: skip
    voting = left.judges if contrary == "drop" else panel.judges
    seated = panel.only(np.flatnonzero(np.isin(panel.judges, voting)), names)
    return Jury(seated, tuple(against), tuple(notes))


def family_names(judges: Sequence[str], families: Families) -> list[str]:
    """Return the family of each judge; a judge without one is a family of its own.

    A pattern is a regular expression: the family is what its first group matches, or the whole of
    it. A file has a judge and a family on each line.
    """
    if families is None:
        return list(judges)
    if isinstance(families, Mapping):
        known = dict(families)
    elif os.path.exists(families):
        known = _read_families(families)
    else:
        return _matched(judges, str(families))
    strangers = sorted(set(known) - set(judges))
    if strangers:
        raise InputError(
            f"families name a judge who is not there: {strangers[0]}",
            code="unknown-judge",
            remedy="use the names of the judges, which are those of their files",
        )
    return [known.get(name, name) for name in judges]


def _matched(judges: Sequence[str], pattern: str) -> list[str]:
    try:
        search = re.compile(pattern).search
    except re.error as error:
        raise InputError(
            f"invalid regular expression for families: {error}",
            code="families",
            remedy=("use a file, or a pattern such as", Argument("families", "^[^_]+")),
        ) from None
    found = [search(name) for name in judges]
    if not any(found):
        raise InputError(
            f"no judge's name matches the pattern {pattern!r}",
            code="families",
            remedy=("use an existing file, or a pattern such as", Argument("families", "^[^_]+")),
        )
    return [
        name if match is None else (match.group(1) if match.lastindex else match.group())
        for name, match in zip(judges, found, strict=True)
    ]


def _read_families(path: str | os.PathLike[str]) -> dict[str, str]:
    out: dict[str, str] = {}
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            words = re.split(r"[,\t]|\s+", line.strip())
            if words == [""] or line.startswith("#"):
                continue
            if len(words) != 2:
                raise InputError(
                    f"expected a judge and a family, got {len(words)} columns",
                    code="families",
                    file=str(path),
                    line=number,
                    remedy="write one judge and its family on each line",
                )
            out[words[0]] = words[1]
    return out


def _joined(judges: Sequence[str], names: list[str], copies: Sequence[Sequence[str]]) -> list[str]:
    """Join the families of near-copies into one."""
    family = dict(zip(judges, names, strict=True))
    for group in copies:
        first = family[group[0]]
        same = {family[name] for name in group}
        family = {judge: first if name in same else name for judge, name in family.items()}
    return list(family.values())


def correlation_with_rest(judgments: Judgments, rel: int | None = None) -> tuple[Floats, Floats]:
    """Correlate each judge's labels with the mean vote of other families.

    Returns the correlations and their standard errors by the jackknife over topics, NaN where
    there is too little in common. The sign of a correlation is that of the weighted
    kappa: below 0 is worse than chance.
    """
    family = np.unique(judgments.families, return_inverse=True)[1].astype(np.int32)
    topics = len(judgments.topics)
    found = native.moments_with_rest(
        judgments.document, judgments.judge, judgments.label, rel or 0, judgments.weight, family,
        judgments.pool.topic_of, topics,
    )  # fmt: skip
    moments = np.moveaxis(found.reshape(-1, topics, 6), 2, 0)
    whole = moments.sum(axis=2)
    correlation = np.where(whole[0] >= FEW, _correlation(whole), np.nan)
    return correlation, _jackknife(moments, whole, correlation)


def _correlation(moments: Floats) -> Floats:
    """Correlate by n, sums of x and m, of their squares and product; NaN for a constant."""
    with np.errstate(divide="ignore", invalid="ignore"):
        n, x, m, xx, mm, xm = moments
        across = (xx - x * x / n) * (mm - m * m / n)
        out = (xm - x * m / n) / np.sqrt(np.maximum(across, 0))
    return np.where(across > 1e-12, out, np.nan)


def _jackknife(moments: Floats, whole: Floats, found: Floats) -> Floats:
    without = _correlation(whole[:, :, None] - moments)
    there = (moments[0] > 0) & ~np.isnan(without)
    number = there.sum(axis=1)
    mean = np.where(there, without, 0.0).sum(axis=1) / np.maximum(number, 1)
    spread = (np.where(there, without - mean[:, None], 0.0) ** 2).sum(axis=1)
    several = np.sqrt(spread * (number - 1) / np.maximum(number, 1))
    alone = (1 - np.nan_to_num(found) ** 2) / np.sqrt(np.maximum(whole[0] - 3, 1))
    return np.asarray(np.where(number > 1, several, alone))
