"""Who votes, and with what weight: families share a vote, contrary judges have none.

Prompts of one LLM and repeated samples of one prompt are not independent. Judges of one family
together have one vote; near-copies are a family whatever their names. A judge whose labels go
against those of all others, as reversed prompts do, is recognised by a correlation below 0.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from hungjury import native
from hungjury.base.arrays import Bools, Floats
from hungjury.base.choices import Contrary
from hungjury.base.errors import Argument, InputError, Note, noted, plural
from hungjury.base.files import read_lines
from hungjury.base.records import Record
from hungjury.data.alignment import Alignment
from hungjury.data.qrels import Judgments
from hungjury.judges.panel import Panel
from hungjury.stats.resampling import normal_reach

Grouping = str | os.PathLike[str] | Mapping[str, str]
Families = Grouping | None
Kin = str | os.PathLike[str] | Iterable[str] | None
LABELS_AT_ONCE = 1 << 19
FEWEST_FAMILIES = 3  # needed to decide that a judge contradicts the rest
FEW = 20  # common documents needed to judge a correlation
FEWEST_SYSTEMS = 5  # that one is compared with
PERMUTATIONS = 2000
MOST_FAVOURED = 3  # single systems that are named
SURE = normal_reach(0.95)  # standard errors below 0 that show a contradiction


class Jury(Record, eq=False):
    """The judges who vote, in families."""

    panel: Panel
    contrary: tuple[str, ...]  # judges who contradict the rest, whether they vote or not
    notes: tuple[Note, ...]
    declared: int = 1  # families, where all judges of whom nothing is said are one

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
    agreed: tuple[Floats, Floats] | None = None,
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
        Whether judges who contradict the rest, or the systems, vote.
    agreed : arrays, optional
        What `correlation_with_systems` found.
    """
    panel = judges if isinstance(judges, Panel) else Panel.of(judges)
    said = declared_families(panel.judges, families)
    names = _joined(panel.judges, family_names(panel.judges, families), copies)
    given = replace(panel.judgments, family=tuple(names))
    turned, notes = _beside_systems(panel, agreed, contrary)
    against = list(turned)
    left = given.only(np.flatnonzero(~np.isin(panel.judges, against))) if against else given
    if not left.judges:
        left = given
    while len(set(left.families)) >= FEWEST_FAMILIES:
        found, error = correlation_with_rest(left, panel.rel)
        upper = np.where(np.isnan(found), np.inf, found + SURE * error)
        worst = int(np.argmin(np.where(upper < 0, found, np.inf)))
        if upper[worst] >= 0:
            break
        against.append(left.judges[worst])
        left = left.only(np.delete(np.arange(len(left.judges)), worst))
    if not turned and 2 * len(set(left.families)) <= len(set(given.families)):
        text = "judges contradict each other in camps of similar size: none is left out"
        notes.append(Note("split-jury", len(against), text, about="judges"))
        against, left = [], given
    against = [name for name in against if name not in turned]
    notes += _contrary_note(against, "rest", contrary)
    voting = left.judges if contrary == "drop" else panel.judges
    seated = panel.only(np.flatnonzero(np.isin(panel.judges, voting)), names)
    known = dict(zip(panel.judges, said, strict=True))
    kinds = {known[name] and names[panel.judges.index(name)] for name in seated.judges}
    return Jury(seated, (*turned, *against), tuple(notes), max(len(kinds), 1))


def seated(
    panel: Panel,
    alignment: Alignment,
    families: Families,
    copies: Sequence[Sequence[str]],
    contrary: Contrary,
    gold: bool,
    learns: bool,
) -> tuple[Panel, Jury]:
    """All judges, and those who vote. With gold labels, judges who contradict the systems are
    read in reverse. A merge that learns from users says itself what labels are worth."""
    agreed = correlation_with_systems(panel, alignment)
    turned = contrary_to_systems(panel, *agreed)
    if turned and gold and contrary == "drop":
        panel = Panel.of(read_in_reverse(panel.judgments, turned), panel.rel)
        agreed = correlation_with_systems(panel, alignment)
    return panel, seat_jury(panel, families, copies, "keep" if learns else contrary, agreed)


def _beside_systems(
    panel: Panel, agreed: tuple[Floats, Floats] | None, contrary: Contrary
) -> tuple[tuple[str, ...], list[Note]]:
    """The judges who contradict the systems, with notes on them and on weak ones."""
    if agreed is None:
        return (), []
    turned = contrary_to_systems(panel, *agreed)
    if len(turned) == len(panel.judges) and contrary == "drop":
        who = f"the labels of {turned[0]}" if len(turned) == 1 else "the labels of all judges"
        raise InputError(
            f"{who} contradict the systems: documents that these rank highly have low labels",
            code="contrary-judges",
            remedy=("check whether the scale is reversed (reverse it with",
                    Argument("map"), "), or use", Argument("contrary", "keep")),
        )  # fmt: skip
    notes = list(_contrary_note(turned, "systems", contrary))
    found, error = agreed
    weak = tuple(
        name
        for name, value, off in zip(panel.judges, found, error, strict=True)
        if abs(value) <= SURE * off
    )
    text = "labels hardly correlate with how highly systems rank documents"
    notes += noted("weak-judge", len(weak), text, subjects=weak, about="judges")
    return turned, notes


def _contrary_note(who: Sequence[str], whom: str, contrary: Contrary) -> tuple[Note, ...]:
    does = "left out" if contrary == "drop" else "voting all the same"
    text = f"{plural(len(who), 'judge')} with labels that contradict the {whom}, {does}"
    return noted("contrary-judge", len(who), text, subjects=tuple(who), about="judges")


def correlation_with_systems(panel: Panel, alignment: Alignment) -> tuple[Floats, Floats]:
    """Correlate each judge's labels, within topics, with how highly systems rank the documents.

    Returns the correlations and their standard errors by the jackknife over topics, NaN where
    there are too few labels, or where ranks carry no order. A reversed judge has a correlation
    below 0, even where no other judge contradicts it.
    """
    judges, topics = len(panel.judges), len(panel.pool.topics)
    if alignment.rank.max(initial=1) == 1:
        return np.full(judges, np.nan), np.full(judges, np.nan)
    shown = np.bincount(alignment.document, 1 / np.log2(1.0 + alignment.rank), len(panel.pool))
    grades, sums = np.array(panel.grades, dtype=float), np.zeros((6, judges * topics))
    for start in range(0, len(panel.judge), LABELS_AT_ONCE):
        some = slice(start, start + LABELS_AT_ONCE)
        document = panel.document[some]
        x = grades[panel.choice[some]] if panel.share is None else panel.share[some]
        m = shown[document]
        cell = panel.judge[some].astype(np.int64) * topics + panel.pool.topic_of[document]
        for one, value in zip(sums, (np.ones(len(x)), x, m, x * x, m * m, x * m), strict=True):
            one += np.bincount(cell, value, judges * topics)
    n, sx, sm, xx, mm, xm = sums.reshape(6, judges, topics)
    each, nothing = np.maximum(n, 1), np.zeros_like(n)
    within = np.stack([n, nothing, nothing, xx - sx * sx / each, mm - sm * sm / each,
                       xm - sx * sm / each])  # fmt: skip
    return _correlated(within)


def contrary_to_systems(panel: Panel, found: Floats, error: Floats) -> tuple[str, ...]:
    """The judges whose correlation with the systems is below 0 with its whole interval."""
    with np.errstate(invalid="ignore"):
        below = found + SURE * error < 0
    return tuple(name for name, one in zip(panel.judges, below, strict=True) if one)


def read_in_reverse(judgments: Judgments, judges: Sequence[str]) -> Judgments:
    """The judgments with the labels of some judges reversed; a note says so."""
    mine = np.isin(judgments.judge, [judgments.judges.index(name) for name in judges])
    mine &= judgments.label >= 0
    top = 1.0 if judgments.soft else float(judgments.grades[-1])
    text = "labels contradict the systems and are read in reverse; gold labels calibrate them"
    note = Note("contrary-judge", len(judges), text, subjects=tuple(judges), about="judges")
    label = np.where(mine, top - judgments.label, judgments.label)
    return replace(judgments, label=label, notes=(*judgments.notes, note))


def kin_of(systems: list[str], kin: Kin) -> tuple[Bools, tuple[Note, ...]]:
    """[system]: is it declared as built on LLMs like the judges? And a note if none is."""
    if kin is None:
        return np.zeros(len(systems), dtype=bool), ()
    if not isinstance(kin, (str, os.PathLike)):
        names = set(kin)
    elif os.path.exists(kin):
        names = {line.strip() for line in read_lines(kin, "write a system on each line")}
    else:
        found_in = _matched(systems, str(kin), "kin", "gpt|llama")
        names = {match.string for match in found_in if match}
    found = np.array([name in names for name in systems], dtype=bool)
    text = f"no system matches {kin if isinstance(kin, str) else 'the declared kin'}"
    return found, () if found.any() else (Note("no-kin", 1, text, about="result"),)


def family_names(judges: Sequence[str], families: Families) -> list[str]:
    """Return the family of each judge; a judge without one is a family of its own."""
    said = declared_families(judges, families)
    return [name if family is None else family for name, family in zip(judges, said, strict=True)]


def declared_families(judges: Sequence[str], families: Families) -> list[str | None]:
    """Return the family of each judge; None if it is not declared.

    A pattern is a regular expression: the family is what its first group matches, or the whole of
    it. A file has a judge and a family on each line.
    """
    if families is None:
        return [None] * len(judges)
    known = groups_of(judges, families, "families", "^[^_]+")
    strangers = sorted(set(known) - set(judges))
    if strangers:
        said = f"families name a judge who is not there: {strangers[0]}"
        remedy = "use the names of the judges, which are those of their files"
        raise InputError(said, code="unknown-judge", remedy=remedy)
    return [known.get(name) for name in judges]


def groups_of(
    names: Sequence[str], given: Grouping, argument: str, example: str
) -> Mapping[str, str]:
    """Return the groups of names that have one: as given, from a file, or by a pattern."""
    if isinstance(given, Mapping) or os.path.exists(given):
        return given if isinstance(given, Mapping) else read_families(given)
    found = [match for match in _matched(names, str(given), argument, example) if match]
    if not found:
        raise InputError(
            f"no name matches the pattern {str(given)!r}",
            code=argument,
            remedy=("use an existing file, or a pattern such as", Argument(argument, example)),
        )
    return {m.string: m.group(1 if m.lastindex else 0) for m in found}


def propose_families(judges: Sequence[str]) -> tuple[str, int] | None:
    """Return a pattern and its number of families, if names share clear stems; else None.

    A stem is the first words of a name; it is clear if there are several, each of two or more
    judges, with what is the same in all names left out of account.
    """
    words = [re.findall(r"[^\W_]+", name) for name in judges]
    for number in range(1, min(map(len, words), default=0)):
        stems = [tuple(each[:number]) for each in words]
        if len(set(stems)) > 1:
            clear = all(stems.count(stem) > 1 for stem in stems)
            return (r"[\W_]+".join([r"[^\W_]+"] * number), len(set(stems))) if clear else None
    return None


def _matched(
    names: Sequence[str], pattern: str, argument: str, example: str
) -> list[re.Match[str] | None]:
    try:
        return [re.search(pattern, name) for name in names]
    except re.error as error:
        raise InputError(
            f"invalid regular expression for {argument}: {error}",
            code=argument,
            remedy=("use a file, or a pattern such as", Argument(argument, example)),
        ) from None


def read_families(path: str | os.PathLike[str]) -> dict[str, str]:
    """Read names and their families, one of each on a line."""
    out: dict[str, str] = {}
    remedy = "write one name and its family on each line"
    for number, line in enumerate(read_lines(path, remedy), start=1):
        words = re.split(r"[,\t]|\s+", line.strip())
        if words == [""] or line.startswith("#"):
            continue
        if len(words) != 2:
            said = f"expected a name and its family, got {len(words)} columns"
            raise InputError(said, code="families", file=str(path), line=number, remedy=remedy)
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


class Favour(Record):
    """A family that rates a system, or kin, higher than all other families do."""

    family: str
    system: str  # or "kin"
    size: float  # beyond leniency and a stretch of the scale
    p: float  # share of systems, or of random groups, that are favoured as much


def favour_text(found: Sequence[Favour]) -> str:
    """Say who favours whom, in one sentence; empty if nothing is known."""
    if not found:
        return ""
    each = "; ".join(f"{f.family} favours {f.system} by {f.size:+.3f} (p {f.p:.2f})" for f in found)
    return f"Families of judges, beyond leniency: {each}; p: the share that is favoured as much."


def favours(
    scores: Floats,
    families: Sequence[str],
    systems: Sequence[str],
    kin: Bools | None = None,
) -> tuple[Favour, ...]:
    """Find who favours whom: the largest interactions of families and systems.

    Parameters
    ----------
    scores
        [judge, system]: means under each judge alone, larger is better. A judge with NaN, who
        labelled nothing, is left out.
    families, systems
        Names; a family is that of a judge.
    kin
        [system]: a group that is tested as a whole, too.

    Notes
    -----
    Ordinary systems differ more between families than chance explains: p compares a system with
    the others, and a group with random groups of as many systems.
    """
    known = ~np.isnan(scores).any(axis=1)
    scores, family = scores[known], np.array(families)[known]
    names = list(dict.fromkeys(family.tolist()))
    if len(names) < 2 or len(systems) < FEWEST_SYSTEMS:
        return ()
    mean = np.stack([scores[family == name].mean(axis=0) for name in names])
    usual = mean.mean(axis=0)
    off = mean - usual
    off -= off.mean(axis=1, keepdims=True)
    centre = usual - usual.mean()
    if centre.any():
        off -= np.outer(off @ centre / (centre @ centre), centre)
    share = (off[:, None, :] >= off[:, :, None] - 1e-12).mean(axis=2)
    first = np.argsort(-off, axis=None, kind="stable")[:MOST_FAVOURED]
    places = zip(*np.unravel_index(first, off.shape), strict=True)
    out = [Favour(names[f], systems[s], float(off[f, s]), float(share[f, s])) for f, s in places]
    if kin is not None and kin.any() and not kin.all():
        rng = np.random.default_rng(0)
        groups = np.argsort(rng.random((PERMUTATIONS, len(systems))), axis=1)[:, : kin.sum()]
        for name, row in zip(names, off, strict=True):
            size = row[kin].mean()
            as_much = (row[groups].mean(axis=1) >= size - 1e-12).sum()
            out.append(Favour(name, "kin", float(size), (as_much + 1) / (PERMUTATIONS + 1)))
    return tuple(out)


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
    return _correlated(np.moveaxis(found.reshape(-1, topics, 6), 2, 0))


def _correlation(moments: Floats) -> Floats:
    """Correlate by n, sums of x and m, of their squares and product; NaN for a constant."""
    with np.errstate(divide="ignore", invalid="ignore"):
        n, x, m, xx, mm, xm = moments
        across = (xx - x * x / n) * (mm - m * m / n)
        out = (xm - x * m / n) / np.sqrt(np.maximum(across, 0))
    return np.where(across > 1e-12, out, np.nan)


def _correlated(moments: Floats) -> tuple[Floats, Floats]:
    """Return the correlation of each judge, and its error, from moments [moment, judge, topic]."""
    whole = moments.sum(axis=2)
    found = np.where(whole[0] >= FEW, _correlation(whole), np.nan)
    without = _correlation(whole[:, :, None] - moments)
    there = (moments[0] > 0) & ~np.isnan(without)
    number = there.sum(axis=1)
    mean = np.where(there, without, 0.0).sum(axis=1) / np.maximum(number, 1)
    spread = (np.where(there, without - mean[:, None], 0.0) ** 2).sum(axis=1)
    several = np.sqrt(spread * (number - 1) / np.maximum(number, 1))
    alone = (1 - np.nan_to_num(found) ** 2) / np.sqrt(np.maximum(whole[0] - 3, 1))
    return found, np.where(number > 1, several, alone)
