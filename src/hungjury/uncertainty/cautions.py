"""Notes on judges, topics and systems to consider before trusting a leaderboard."""

from __future__ import annotations

from hungjury.collection.notes import Note, plural
from hungjury.judges.agreement import Agreement
from hungjury.judges.jury import Jury
from hungjury.uncertainty.drawn import Drawn
from hungjury.uncertainty.judge_rows import dependence, labels_per_document

__all__ = ["cautions"]

FEW_TOPICS = 10


def cautions(jury: Jury, drawn: Drawn, found: Agreement | None) -> tuple[Note, ...]:
    """What to consider before trusting the leaderboard."""
    judgments = jury.judgments
    out: list[Note] = []
    if len(judgments.judges) == 2:
        text = "only two judges: where they differ, it is unknown who is right; use three or more"
        out.append(Note("two-judges", 1, text, about="judges"))
    if len(judgments.topics) < FEW_TOPICS:
        text = f"only {plural(len(judgments.topics), 'topic')}: intervals are rough below ten"
        out.append(Note("few-topics", len(judgments.topics), text, about="result"))
    alone = labels_per_document(judgments).get(1, 0)
    if len(judgments.judges) > 1 and alone > len(judgments.pool) / 2:
        text = f"{alone:,} of {len(judgments.pool):,} documents have the label of one judge only"
        out.append(Note("one-label", alone, text, about="judges"))
    empty = [
        system
        for system, row in zip(drawn.alignment.systems, drawn.alignment.retrieved, strict=True)
        if not row.any()
    ]
    if empty:
        text = "nothing retrieved for any judged topic, scored 0"
        out.append(
            Note("nothing-retrieved", len(empty), text, subjects=tuple(empty), about="result")
        )
    if found is not None:
        out += [Note("judges", 1, sentence, about="judges") for sentence in found.warnings]
        out += _constant(found)
        if drawn.labels is not None:
            out += dependence(found, judgments.judges, drawn.labels)
    return tuple(out)


def _constant(found: Agreement) -> list[Note]:
    """A note on judges who give all documents the same label."""
    same = tuple(name for name, share in found.near_constant.items() if share == 1)
    if not same:
        return []
    text = "a judge with the same label for every document does not affect the ranking"
    return [Note("constant-judge", len(same), text, subjects=same, about="judges")]
