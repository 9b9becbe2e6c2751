"""Who votes, and with what weight: families share a vote, contrary judges have none.

Prompts of one LLM and repeated samples of one prompt are not independent. Judges of one family
together have one vote; near-copies are a family whatever their names. A judge whose labels go
against those of all others, as reversed prompts do, is recognised by a correlation below 0.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from hungjury import native
from hungjury.base.arrays import Floats
from hungjury.base.choices import Contrary
from hungjury.base.errors import Argument, InputError, Note, plural
from hungjury.base.records import Record
from hungjury.data.qrels import Judgments
from hungjury.judges.panel import Panel
from hungjury.stats.resampling import normal_reach

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
