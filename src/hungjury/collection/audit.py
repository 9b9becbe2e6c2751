"""The audit: what was read, and what is unusual about it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from hungjury.collection.align import Alignment, align
from hungjury.collection.judgments import Judgments
from hungjury.collection.likes import QrelsLike, RunsLike
from hungjury.collection.notes import Note, few, plural
from hungjury.collection.qrels import Qrels, as_qrels
from hungjury.collection.runs import Progress, RunFiles, Runs, read_runs

__all__ = ["Audit", "audit"]


@dataclass(frozen=True)
class Audit:
    """Facts about labels and runs, then everything unusual."""

    facts: list[str]
    notes: tuple[Note, ...]

    def __str__(self) -> str:
        odd = [f"  ! {note}" for note in self.notes] or ["  nothing unusual found"]
        return "\n".join([*self.facts, "unusual:", *odd])

    def to_dict(self) -> dict[str, Any]:
        """The facts as sentences, and all fields of every note."""
        return {"facts": self.facts, "notes": [note.to_dict() for note in self.notes]}

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False) + "\n"


def audit(
    labels: QrelsLike | Judgments,
    runs: RunsLike | None = None,
    progress: Progress | None = None,
) -> Audit:
    """Check labels and runs before anything is computed.

    Parameters
    ----------
    labels : Qrels, Judgments or source
        Labels, or anything `read_qrels` takes.
    runs : Runs or source, optional
        Runs, or anything `read_runs` takes.
    progress : callable, optional
        Called as ``progress(done, total, what)``.

    Returns
    -------
    Audit
        What was read and everything unusual about it; it prints as text.
    """
    if not isinstance(labels, Judgments):
        labels = as_qrels(labels)
    if runs is not None and not isinstance(runs, (Runs, RunFiles)):
        runs = read_runs(runs)
    facts = _judgment_facts(labels) if isinstance(labels, Judgments) else _label_facts(labels)
    notes = list(labels.notes)
    if runs is not None:
        aligned = align(runs, labels.pool, progress=progress)
        facts += _run_facts(aligned)
        notes += aligned.notes
    return Audit(facts, tuple(notes))


def _label_facts(qrels: Qrels) -> list[str]:
    facts = [
        f"labels: {plural(len(qrels), 'document')} judged for {plural(len(qrels.topics), 'topic')}"
    ]
    if qrels.labels is None:
        if qrels.p is None:
            return [*facts, f"probabilities of the grades 0 to {qrels.max_grade}"]
        return [*facts, f"probabilities of relevance, {qrels.p.mean():.3f} on average"]
    grades, counts = np.unique(qrels.labels, return_counts=True)
    shares = ", ".join(
        f"{g}: {n:,} ({100 * n / len(qrels):.1f} %)" for g, n in zip(grades, counts, strict=True)
    )
    return [*facts, f"grades {qrels.grades[0]} to {qrels.max_grade}; {shares}"]


def _judgment_facts(judgments: Judgments) -> list[str]:
    per_document = len(judgments) / len(judgments.pool)
    return [
        f"labels: {len(judgments):,} by {plural(len(judgments.judges), 'judge')} "
        f"({few(judgments.judges)})",
        f"{plural(len(judgments.pool), 'document')} judged for "
        f"{plural(len(judgments.topics), 'topic')}, {per_document:.1f} labels per document",
    ]


def _run_facts(aligned: Alignment) -> list[str]:
    present = aligned.length[aligned.length >= 0]
    lists = f"{plural(len(present), 'list')} on judged topics"
    shortest, longest = int(present.min()), int(present.max())
    least = "" if shortest == longest else f"{shortest:,} to "
    return [
        f"runs: {plural(len(aligned.systems), 'system')} ({few(aligned.systems)}), {lists}, "
        f"{least}{plural(longest, 'document')} long",
        f"policies: ties {aligned.policy.ties}, scores in {aligned.policy.score_precision} "
        "precision",
    ]
