"""Export labels from the database: as qrels, or all of them as a table."""

from __future__ import annotations

from hungjury.collection.labelled import labelled_columns, open_labels
from hungjury.text_formats import csv_text

__all__ = ["all_labels", "progress_sentence"]

COLUMNS = ("topic", "document", "judge", "label", "adjudicated", "seconds", "at", "note")


def all_labels(path: str, safe: bool = False) -> str:
    """Every label that was not undone, with its judge, as CSV."""
    columns = labelled_columns(str(path), "labels")
    rows = zip(*(columns[name] for name in COLUMNS), strict=True)
    return csv_text([COLUMNS, *rows], safe)


def progress_sentence(path: str) -> str:
    """A sentence about the progress."""
    count = "select count(*) from"
    by_item = f"{count} (select 1 from labels group by item having"
    with open_labels(path) as base:
        items, gold, twice, apart, skipped = (
            base.execute(query).fetchone()[0]
            for query in (
                f"{count} items",
                f"{count} gold",
                f"{by_item} count(distinct judge) > 1)",
                f"{by_item} count(distinct label) > 1 and max(adjudicated) = 0)",
                f"{count} answers where grade is null and not undone",
            )
        )
    parts = [f"{gold:,} of {items:,} documents are labelled"]
    if twice:
        parts.append(f"{twice:,} by more than one person")
    if apart:
        parts.append(f"{apart:,} with conflicting labels")
    if skipped:
        parts.append(f"{skipped:,} {'answer is a skip' if skipped == 1 else 'answers are skips'}")
    return ", ".join(parts)
