"""The predicted relevance model: what a user would say (PRM: Demeester et al. 2015).

Every pair of an assessor's and a user's label of the same document is one observation; judges who
are both, and exchangeable, are paired in both directions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from hungjury.base.arrays import Bools, Floats, Ints
from hungjury.base.choices import Pooling
from hungjury.base.errors import Argument, InputError, Note, either, plural
from hungjury.base.parameters import MOST_DRAWS, MOST_GRADE, MOST_SMOOTHING, check_count
from hungjury.data.labels import as_judgments
from hungjury.data.qrels import Judgments, needs_grades
from hungjury.data.reading.options import JudgeOptions, JudgmentsLike, Unpack
from hungjury.judges.disagreement import PRM, Level, Votes, smoothed
from hungjury.judges.families import Grouping, groups_of
from hungjury.stats.resampling import normal_reach

FEW_PAIRS = 100  # observations of a level below which a note warns
OTHER = "other"  # the kind of documents that no kind is named for
Categories = str | Mapping[str, int] | None
Groups = tuple[Bools, Bools]  # who is an assessor, and who a user


def prm(
    judgments: JudgmentsLike,
    rel: int = 1,
    relevant: Iterable[Level] | None = None,
    smoothing: float = 0.0,
    draws: int = 1000,
    seed: int = 0,
    *,
    users: str | Iterable[str] | None = None,
    assessors: str | Iterable[str] | None = None,
    categories: Categories = None,
    kinds: Grouping | None = None,
    pooling: Pooling = "shrink",
    **reading: Unpack[JudgeOptions],
) -> PRM:
    """Fit the predicted relevance model to documents judged more than once.

    Parameters
    ----------
    judgments : Judgments or source
        Labels of several judges, or anything `read_judgments` takes.
    rel : int
        Lowest grade of a user that means relevant.
    relevant : iterable of int or str, optional
        The levels that count as relevant, instead of `rel`, where levels are categories (such as -2
        for junk).
    smoothing : float
        The number a in (n_R + a) / (n + 2a).
    draws : int
        Bootstrap samples of topics behind the intervals.
    seed : int
        Random seed.
    users, assessors : str or list of str, optional
        Names of judges, or patterns such as ``"human*"``: whose labels are to be predicted, and
        from whose labels. Each group has its own scale. One group alone leaves all other judges to
        the other one. Default: all judges are both.
    categories : str or dict, optional
        Names of the levels: ``"Nav:4,Key:3,HRel:2,Rel:1,Non:0,Junk:-2"``. Labels that are still to
        be read may be these words.
    kinds : str, path or dict, optional
        Kinds of documents (verticals, resources) with probabilities of their own: a regular
        expression on document ids (the kind is what it matches), a file with a document and its
        kind on each line, or ``{document: kind}``.
    pooling : {"shrink", "separate"}
        Estimate each kind from its own documents and as many of all others as the kinds are alike,
        or from its own documents alone.
    **reading
        Options of `read_judgments`, such as ``grades=range(4)``, for labels that are still to be
        read.

    Returns
    -------
    PRM
        The probability of every level, with counts and intervals (NaN for levels judged twice
        in one topic only); `PRM.scenarios` gives the model for every notion of relevance, and
        `PRM.score` the scores of systems.

    Notes
    -----
    p_{R|i} is the probability that an independent user finds a document relevant given that an
    assessor gave it level i. Every pair of an assessor's and a user's label of one document is one
    observation (Demeester et al. 2015). With people as users and LLMs as assessors it is
    P(person says relevant | label of the LLM). Judges who looked at snippets are assessors of users
    who looked at pages.

    Without groups judges have to be exchangeable, since every pair counts in both directions; a
    note tells where the directions differ. Intervals are those of a Beta posterior with Jeffreys'
    prior for the effective number of observations, which a bootstrap over topics gives.

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(topics=4, grades=3)
    >>> [len(model.levels) for model in hj.prm(made.judgments).scenarios()]
    [3, 3]
    >>> model = hj.prm(made.judgments, users="judge1", assessors=["judge2", "judge3"])
    >>> model.p[0] < model.p[2]
    True
    """
    names = category_names(categories)
    if categories is not None and not isinstance(judgments, Judgments):
        reading["map"] = {word: level for level, word in names.items()}
        reading.setdefault("grades", range(min(names), max(names) + 1))
    given = as_judgments(judgments, **reading)
    if given.soft:
        raise needs_grades("a model of relevance")
    check_count("draws", draws, 1, MOST_DRAWS)
    if relevant is None:
        check_count("rel", rel, 1, MOST_GRADE)
    if not 0 <= smoothing <= MOST_SMOOTHING:
        raise InputError(
            f"smoothing must be a number from 0 to {MOST_SMOOTHING:,.0f}, got {smoothing}",
            code="out-of-range",
            argument="smoothing",
            remedy="0 for none, 1 is usual",
        )
    groups = _groups(given.judges, users, assessors)
    votes, scale = _count(given, groups)
    levels = [v for v, n in zip(scale, votes.assessors.sum(axis=0), strict=True) if n]
    said = votes.users.sum(axis=0)
    user_levels = [v for v, n in zip(scale, said, strict=True) if n or (v in (0, 1) and not names)]
    if groups[0].all() and groups[1].all():
        levels, user_levels = scale, scale
    chosen = _relevant(user_levels, rel, relevant, names)
    model = PRM(
        levels=levels,
        scale=scale,
        user_levels=user_levels,
        relevant=chosen,
        smoothing=smoothing,
        votes=votes,
        draws=draws,
        seed=seed,
        names={level: word for level, word in names.items() if level in scale},
    )
    if not model.pairs.any():
        raise InputError(
            "no document was judged twice, by an assessor and by a user",
            code="no-double-judgment",
            remedy="the model is estimated from double judgments; have some documents judged twice",
        )
    notes = [*_notes(model), *_directions(given, groups, chosen)]
    parts = {} if kinds is None else _parts(model, given.pool.documents, kinds, pooling)
    return replace(model, notes=tuple(notes), parts=parts)


def category_names(categories: Categories) -> dict[int, str]:
    """Return the names of levels, from "Nav:4,Non:0" or {"Nav": 4, "Non": 0}."""
    pairs: Iterable[tuple[str, Any]] = ()
    if isinstance(categories, str):
        parts = [part.rpartition(":") for part in categories.split(",")]
        pairs = [(word.strip(), level) for word, _, level in parts]
    elif categories is not None:
        pairs = categories.items()
    try:
        named = [(int(level), word) for word, level in pairs]
    except (TypeError, ValueError):
        named = []
    if categories is not None and (not named or len(dict(named)) < len(named)):
        said = f"invalid categories {categories!r}"
        remedy = "name each level once, as in Nav:4,Key:3,HRel:2,Rel:1,Non:0,Junk:-2"
        raise InputError(said, code="categories", argument="categories", remedy=remedy)
    return dict(named)


def _groups(
    judges: list[str], users: str | Iterable[str] | None, assessors: str | Iterable[str] | None
) -> Groups:
    """Say who is an assessor and who is a user, both [judge]."""
    first, second = _named(judges, assessors, "assessors"), _named(judges, users, "users")
    if first is None:
        first = np.ones(len(judges), dtype=bool) if second is None else ~second
    if second is None:
        second = first if assessors is None else ~first
    return first, second


def _named(judges: list[str], patterns: str | Iterable[str] | None, what: str) -> Bools | None:
    if patterns is None:
        return None
    wanted = [patterns] if isinstance(patterns, str) else list(patterns)
    for one in wanted:
        if not any(fnmatchcase(name, one) for name in judges):
            said = f"no judge is called {one!r}"
            remedy = f"the judges are {', '.join(judges[:20])}"
            raise InputError(said, code="unknown-judge", argument=what, remedy=remedy)
    return np.array([any(fnmatchcase(name, one) for one in wanted) for name in judges])


def _count(given: Judgments, groups: Groups) -> tuple[Votes, list[int]]:
    """Count the labels of each group by document and level; also return all levels."""
    values, code = np.unique(given.label.astype(np.int64), return_inverse=True)
    scale = sorted({*values.tolist(), *given.grades})
    place = np.searchsorted(scale, values)[code]
    size = len(given.pool) * len(scale)

    def counted(who: Bools) -> Ints:
        mine = who[given.judge]
        found = np.bincount((given.document * len(scale) + place)[mine], minlength=size)
        return found.reshape(len(given.pool), len(scale))

    first, second = groups
    topic, topics = given.pool.topic_of.astype(np.int64), len(given.topics)
    return Votes(counted(first), counted(second), counted(first & second), topic, topics), scale


def _relevant(
    levels: list[int], rel: int, relevant: Iterable[Level] | None, names: Mapping[int, str]
) -> list[int]:
    by_name = {word: level for level, word in names.items()}
    wanted = [by_name.get(str(v), v) for v in (() if relevant is None else relevant)]
    odd = [names.get(v, str(v)) if isinstance(v, int) else v for v in wanted if v not in levels]
    chosen = [v for v in levels if (v >= rel if relevant is None else v in wanted)]
    if odd or not chosen:
        shown = ", ".join(str(names.get(v, v)) for v in levels)
        said = f"no label has the level {either(odd)}" if odd else "no level is relevant"
        raise InputError(
            f"{said}; the levels are {shown}",
            code="no-relevant-level",
            remedy=("choose", Argument("rel"), "or", Argument("relevant"), "from these levels"),
        )
    return chosen


def _parts(model: PRM, documents: list[str], kinds: Grouping, pooling: str) -> dict[str, PRM]:
    """Fit a model to each kind of document."""
    known = groups_of(documents, kinds, "kinds", "^[a-z]+")
    kind = np.array([known.get(name) or OTHER for name in documents])
    votes = {name: model.votes.of(kind == name) for name in sorted(set(kind.tolist()))}
    parts = {name: replace(model, votes=mine) for name, mine in votes.items()}
    if pooling == "shrink" and len(parts) > 1:
        weight = _likeness(list(parts.values()))
        parts = {n: replace(one, prior=(model._p, weight)) for n, one in parts.items()}
    return parts


def _likeness(parts: list[PRM]) -> Floats:
    """Return the number of observations [level] that all kinds together are worth for one.

    The more the kinds differ beyond what chance explains, the smaller it is: by moments of the
    beta-binomial distribution (Kleinman 1973), and never more than there are.
    """
    seen, hits = (np.stack([getattr(one, n) for one in parts]) for n in ("seen", "agreed"))
    worth = np.stack([np.nan_to_num(one.effective) for one in parts])
    worth = np.where(worth > 0, worth, seen / 2)  # of one topic only
    total = np.maximum(worth.sum(axis=0), 1e-9)
    p = smoothed(hits, seen, 1e-9)
    mean = np.clip((worth * p).sum(axis=0) / total, 0.01, 0.99)
    apart = (worth * (p - mean) ** 2).sum(axis=0) / (mean * (1 - mean))
    chance = len(parts) - 1
    room = np.maximum(total - (worth**2).sum(axis=0) / total - chance, 1e-9)
    alike = np.clip((apart - chance) / room, 1e-9, 1.0)  # correlation within a kind
    return np.asarray(np.minimum(1 / alike - 1, total))


def _directions(given: Judgments, groups: Groups, relevant: list[int]) -> Iterable[Note]:
    """Note a judge for whom the two directions differ: exchangeable judges have no direction."""
    if not (groups[0] & groups[1]).all():
        return
    yes = np.isin(given.label.astype(np.int64), relevant).astype(float)
    size, judges = len(given.pool), len(given.judges)
    labels = np.bincount(given.document, minlength=size)
    said = np.bincount(given.document, yes, minlength=size)
    others = labels[given.document] - 1.0
    agree = said[given.document] - yes  # other judges who say relevant
    place = given.judge.astype(np.int64) * len(given.topics) + given.pool.topic_of[given.document]

    def by_judge(values: Floats) -> Floats:
        found = np.bincount(place, values, minlength=judges * len(given.topics))
        return np.asarray(found.reshape(judges, -1), dtype=float)

    both = by_judge(yes * agree).sum(axis=1)
    alone, against = by_judge(yes * (others - agree)), by_judge((1 - yes) * agree)
    away = (alone - against).sum(axis=1)
    error = np.sqrt(((alone - against) ** 2).sum(axis=1))
    sure = np.abs(away) > normal_reach(1 - 0.05 / judges) * error
    first, second = (both / np.maximum(both + x.sum(axis=1), 1) for x in (alone, against))
    worst = int(np.argmax(np.where(sure, np.abs(first - second), -1)))
    if sure.any():
        text = (
            f"judges are not exchangeable: where {given.judges[worst]} says relevant another judge "
            f"does with probability {first[worst]:.2f}, the other way round {second[worst]:.2f}; "
            "name users and assessors"
        )
        who = tuple(given.judges[k] for k in np.flatnonzero(sure))
        yield Note("directions-differ", len(who), text, subjects=who, about="judges")


def _notes(model: PRM) -> Iterable[Note]:
    votes = model.votes
    judged = votes.assessors.sum(axis=1)
    other = votes.users.sum(axis=1) - votes.both.sum(axis=1)
    both = (judged > 0) & (other > 0) if not votes.both.any() else judged > 1
    twice = int(both.sum())
    if twice < len(judged):
        share = f"{twice / len(judged):.1%}"
        text = f"{plural(twice, 'document')} of {len(judged):,} ({share}) judged more than once"
        yield Note("double-judged", twice, text, about="judges")
    seen = model.pairs.sum(axis=2)
    shown = [str(level) for level in model.p]
    alone = tuple(v for v, n in zip(shown, (seen > 0).sum(axis=0), strict=True) if n == 1)
    if alone:
        text = (
            f"no interval for {plural(len(alone), 'level')} judged twice in one topic only "
            "(intervals come from resampling topics)"
        )
        yield Note("one-topic", len(alone), text, subjects=alone, about="result")
    for level, count in zip(shown, seen.sum(axis=0), strict=True):
        if count < FEW_PAIRS:
            number = f"only {plural(int(count), 'pair')}" if count else "no pair"
            text = f"level {level} occurs in {number}: do not trust it"
            yield Note("few-pairs", int(count), text, about="result")
