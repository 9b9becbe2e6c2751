"""Judges and merges compared with gold labels, which may be few."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hungjury.batch import Scorer
from hungjury.catalogue import Measure
from hungjury.collection.judgments import Judgments
from hungjury.collection.likes import QrelsLike
from hungjury.collection.pool import Pool
from hungjury.collection.qrels import Qrels, as_qrels
from hungjury.errors import InputError
from hungjury.judges.chance import pairs_of
from hungjury.judges.judge_scores import binary_at, label_matrix
from hungjury.judges.merged import likeliest
from hungjury.judges.merging import MERGES, merge
from hungjury.judges.panel import NOT_JUDGED, Panel
from hungjury.records import Record
from hungjury.stats.correlation import tau_ap
from hungjury.uncertainty.drawn import Drawn, Setting
from hungjury.uncertainty.effects import scores_under
from hungjury.uncertainty.estimate import as_reported, reported_rate
from hungjury.uncertainty.evidence import Evidence

__all__ = ["AgainstGold", "GoldRow", "against_gold"]

Floats = NDArray[np.float64]
ENOUGH = 0.5  # of a topic's pool with gold labels, for systems to be scored by them
FEWEST_SYSTEMS = 3  # for a correlation


class GoldRow(Record):
    """Agreement of a judge or a merge with gold; None if unknown."""

    name: str
    kind: str  # "judge", "merge" or "panel", by the leaderboard's own merge
    documents: int  # with a gold label too
    agreement: float | None
    kappa: float | None
    tau_ap: float | None  # of the systems' means on gold topics


class AgainstGold(Record, eq=False):
    """Labels and rankings compared with gold; bias is the panel's score minus gold."""

    rows: list[GoldRow]
    topics: list[str]  # those with enough gold labels to score systems
    bias: dict[str, tuple[float, float, float]]  # system: mean over gold topics, 95 % interval
    overall: tuple[float, float, float] | None  # over all systems
    relevant: (
        tuple[float, float] | None
    )  # share called relevant by the leaderboard's labels, by gold


class _Entry(Record, eq=False):
    name: str
    kind: str
    labels: NDArray[np.int16]  # [document], negative: none
    means: Floats | None  # [system], over gold topics


def against_gold(
    gold: QrelsLike | Judgments, setting: Setting, drawn: Drawn, evidence: Evidence
) -> AgainstGold:
    """Compare on the documents and topics that have gold labels.

    On topics that people labelled in part, both scores use only the documents with gold labels, as
    a document without one is not necessarily irrelevant. Probabilities are compared as binary
    labels, relevant above one half.
    """
    judgments, rel = evidence.judgments, setting.rel
    truth, pool = _one_label(gold), judgments.pool
    grades: tuple[int, ...] = (0, 1)
    if judgments.soft:
        labels, rel = _likelier(judgments), 1
    else:
        labels, grades = label_matrix(judgments, rel)
    known = _gold_in_pool(truth, pool, rel)
    if not (known >= 0).any():
        raise InputError(
            "no judged document has a gold label",
            code="no-gold-label",
            argument="gold",
            remedy="check that both use the same topic and document ids",
        )
    share = pool.sum_by_topic(known >= 0) / np.maximum(np.diff(pool.offsets), 1)
    at = np.flatnonzero(share >= ENOUGH)
    topics = [pool.topics[t] for t in at]
    scored = None
    if topics:
        top = max(truth.grades) if rel is None else 1
        scored = scores_under(Scorer(setting.measure, drawn.alignment, top), known[None])[0][:, at]
    scorer = Scorer(setting.measure, drawn.alignment, grades[-1])

    def entry(name: str, kind: str, given: NDArray[np.int16]) -> _Entry:
        values = scores_under(scorer, np.where(known >= 0, given, NOT_JUDGED)[None])[0]
        return _Entry(name, kind, given, values[:, at].mean(axis=1) if topics else None)

    entries = [entry(n, "judge", row) for n, row in zip(judgments.judges, labels, strict=True)]
    methods = () if judgments.soft else filter(None, (cls().for_labels() for cls in MERGES))
    for method in methods:
        hard = merge(judgments, method, rel, setting.scope).hard().labels
        assert hard is not None
        entries.append(entry(str(method), "merge", hard))
    own = drawn.cells[:, at]
    if (share[at] < 1).any():
        own = _scores_where(known >= 0, evidence, scorer)[:, at]
    means = own.mean(axis=1) if topics else None
    entries.append(_Entry("the panel", "panel", _own_labels(drawn), means))
    truths = None if scored is None else scored.mean(axis=1)
    agreed = _agreement_with(known, entries, pool, grades)
    off = None if scored is None else _reported_bias(setting.measure, own, scored, len(pool.topics))
    systems = drawn.alignment.systems
    return AgainstGold(
        [
            GoldRow(e.name, e.kind, *found, _correlation(setting.measure, e.means, truths))
            for e, found in zip(entries, agreed, strict=True)
        ],
        topics,
        {} if off is None else {s: _interval(row) for s, row in zip(systems, off, strict=True)},
        None if off is None else _interval(off.mean(axis=0)),
        _relevant(entries[-1].labels, known),
    )


def _one_label(gold: QrelsLike | Judgments) -> Qrels:
    """Gold labels with one label per document: the majority's where several people labelled it."""
    return merge(gold, "mv(ties=not)").plain() if isinstance(gold, Judgments) else as_qrels(gold)


def _gold_in_pool(gold: Qrels, pool: Pool, rel: int | None) -> NDArray[np.int16]:
    """[document of the pool]: its gold label, -1 for none."""
    if gold.labels is None:
        raise InputError(
            "gold labels must be grades, not probabilities",
            code="needs-grades",
            argument="gold",
            remedy="give graded gold labels",
        )
    labels = gold.labels if rel is None else binary_at(gold.labels, rel)
    out = np.full(len(pool), -1, dtype=np.int16)
    names = gold.pool.documents
    for t, topic in enumerate(gold.topics):
        where = gold.pool.slice(t)
        for d in range(where.start, where.stop):
            place = pool.find(topic, names[d])
            if place >= 0:
                out[place] = labels[d]
    return out


def _likelier(judgments: Judgments) -> NDArray[np.int16]:
    """[judge, document]: 1 for a probability above one half, else 0; -1 for none."""
    out = np.full((len(judgments.judges), len(judgments.pool)), NOT_JUDGED, dtype=np.int16)
    out[judgments.judge, judgments.document] = judgments.label > 0.5
    return out


def _scores_where(judged: NDArray[np.bool_], evidence: Evidence, scorer: Scorer) -> Floats:
    """[system, topic]: the panel's scores if only these documents had been judged."""
    labels, weights = replace(evidence, gold=None).label_sets(several=True)
    labels[:, ~judged] = NOT_JUDGED
    total = np.zeros(scorer.alignment.shape)
    for one, weight in zip(labels, weights, strict=True):
        total += weight * scores_under(scorer, one[None])[0]
    return total


def _own_labels(drawn: Drawn) -> NDArray[np.int16]:
    """The most probable labels under the leaderboard's model; none under AWARE."""
    if drawn.labels is not None and drawn.merged is not None:
        grades = np.array(drawn.merged.panel.grades, dtype=np.int16)
        best = grades[likeliest(drawn.labels.posterior)]
        return np.where(drawn.merged.panel.judged, best, NOT_JUDGED)
    if drawn.merged is not None:
        hard = drawn.merged.hard().labels
        assert hard is not None
        return hard
    return np.full(len(drawn.alignment.pool), NOT_JUDGED)


def _agreement_with(
    gold: NDArray[np.int16], entries: list[_Entry], pool: Pool, grades: tuple[int, ...]
) -> list[tuple[int, float | None, float | None]]:
    """For each entry the number of documents in common with gold, agreement and kappa."""
    labels = np.stack([*(e.labels for e in entries), gold])
    judge, document = (at.astype(np.int32) for at in np.nonzero(labels >= 0))
    names = [*(e.name for e in entries), "gold"]
    scale = tuple(sorted({*grades, *np.unique(gold[gold >= 0]).tolist()}))
    choice = np.searchsorted(scale, labels[judge, document]).astype(np.int16)
    found = pairs_of(Panel(pool, names, scale, document, judge, choice))
    return [
        (int(n), _or_none(a), _or_none(k))
        for n, a, k in zip(
            found.common[-1, :-1], found.agreement[-1, :-1], found.kappa[-1, :-1], strict=True
        )
    ]


def _correlation(measure: Measure, means: Floats | None, truth: Floats | None) -> float | None:
    if means is None or truth is None or len(truth) < FEWEST_SYSTEMS:
        return None
    return _or_none(float(tau_ap(measure.better(means), measure.better(truth))))


def _reported_bias(measure: Measure, said: Floats, gold: Floats, topics: int) -> Floats:
    """[system, gold topic]: the panel's scores minus gold, scaled so that the mean over topics
    is the difference of the reported means for `topics` topics."""
    shown, off = as_reported(measure, topics), said - gold
    ours, theirs = said.mean(axis=1), gold.mean(axis=1)
    usual = reported_rate(measure, ours, topics)
    differs = np.abs(ours - theirs) > 1e-9
    rate = np.divide(shown(ours) - shown(theirs), ours - theirs, out=usual, where=differs)
    return np.asarray(off * rate[:, None])


def _interval(values: Floats) -> tuple[float, float, float]:
    """Mean over topics, and its 95 % interval by Student's t."""
    from scipy.special import stdtrit

    mean, number = float(values.mean()), len(values)
    if number < 2:
        return mean, float("-inf"), float("inf")
    half = float(stdtrit(number - 1, 0.975) * values.std(ddof=1) / np.sqrt(number))
    return mean, mean - half, mean + half


def _relevant(labels: NDArray[np.int16], gold: NDArray[np.int16]) -> tuple[float, float] | None:
    """Shares of labels above the lowest grade, by panel and by gold, on documents with both."""
    both = (labels >= 0) & (gold >= 0)
    if not both.any():
        return None
    return float((labels[both] > 0).mean()), float((gold[both] > 0).mean())


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
