"""Labels that come in from elsewhere and go out again: who gave them, when, and by which plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

from hungjury.base.text import csv_text, decimal_of
from hungjury.data.labels import judgments_by
from hungjury.data.reading import formats
from hungjury.data.reading.columns import InputTable
from hungjury.data.reading.options import LabelPolicy
from hungjury.data.reading.sources import expand
from hungjury.labelling.items import Item
from hungjury.labelling.store import LabelGiven

COLUMNS = ("topic", "document", "judge", "label", "adjudicated", "seconds", "at", "note", "plan")


def all_labels(path: str, safe: bool = False) -> str:
    """Write every label that was not undone, with its judge, as CSV; `labels_given` reads it."""
    columns = formats.labelled_columns(str(path), "labels")
    rows = zip(*(columns[name] for name in COLUMNS), strict=True)
    return csv_text([COLUMNS, *rows], safe)


def labels_given(paths: Sequence[str], policy: LabelPolicy, person: str = "") -> list[LabelGiven]:
    """Read labels that people gave elsewhere: any labels of several judges, exports of tools too.

    Parameters
    ----------
    paths : sequence of str
        Files; those with a column `at` (a time), `note`, `seconds` or `adjudicated` keep them.
    policy : LabelPolicy
        How labels are read.
    person : str
        Who gave them, where the files do not say it.
    """
    found: list[LabelGiven] = []
    for source in expand(list(paths)):
        kind = formats.table_format(source, policy.columns)
        if kind is None:
            found += _labels({person: source.name} if person else source.name, policy)
            continue
        table = formats.read_table(source, kind, policy.columns, True, layout=policy.layout)
        said_so = table.columns.get("adjudicated", [0] * len(table))
        of = [str(value).lower() in ("1", "true") for value in said_so]
        for adjudicated in (False, True):
            rows = [i for i in range(len(table)) if of[i] == adjudicated]
            if rows:
                part = table.keep(rows)
                alone = person and part.find("judge") is None
                more = _told(part, person)
                found += [
                    replace(one, adjudicated=adjudicated, **more.get((one.item, one.judge), {}))
                    for one in _labels({person: part} if alone else part, policy)
                ]
    return found


def _labels(source: Any, policy: LabelPolicy) -> list[LabelGiven]:
    judged = judgments_by(source, policy)
    pool = judged.pool
    return [
        LabelGiven(Item(pool.topics[pool.topic_of[d]], pool.documents[d]), judged.judges[j], v)
        for d, j, v in zip(judged.document, judged.judge, judged.label.tolist(), strict=True)
    ]


def _told(table: InputTable, person: str) -> dict[tuple[Item, str], dict[str, Any]]:
    """Return what else a table says of the label of each document and judge."""
    ids = [table.texts(table.need(role)) for role in ("topic", "document")]
    judge = table.find("judge")
    names = [person] * len(table) if judge is None else table.texts(judge)
    empty = [""] * len(table)
    at, note, spent = (
        table.columns.get(name, empty) for name in (table.given.get("at", "at"), "note", "seconds")
    )
    return {
        (Item(topic, document), name): {"at": _time(at[i]), "note": str(note[i] or ""),
                                        "seconds": decimal_of(str(spent[i] or "")) or 0.0}
        for i, (topic, document, name) in enumerate(zip(*ids, names, strict=True))
    }  # fmt: skip


def _time(value: object) -> str:
    """Return a time as text; numbers are seconds since 1970."""
    seconds = decimal_of(str(value)) if value else None
    if seconds is None:
        return str(value or "")
    return datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="milliseconds")


def stored_items(path: str) -> list[Item]:
    """Return the documents of all plans of a database."""
    with formats.open_labels(path) as base:
        rows = base.execute("select topic, document from items where plan is not null").fetchall()
    return [Item(*row) for row in rows]


def progress_sentence(path: str) -> str:
    """Say in one sentence how far labelling has come."""
    count = "select count(*) from"
    by_item = f"{count} (select 1 from labels group by item having"
    with formats.open_labels(path) as base:
        plans, items, gold, twice, apart, skipped = (
            base.execute(query).fetchone()[0]
            for query in (
                f"{count} plans",
                f"{count} items",
                f"{count} gold",
                f"{by_item} count(distinct judge) > 1)",
                f"{by_item} count(distinct label) > 1 and max(adjudicated) = 0)",
                f"{count} answers where grade is null and not undone",
            )
        )
    of = f" of {plans:,} plans" if plans > 1 else ""
    more = (
        (twice, "by more than one person"),
        (apart, "with conflicting labels"),
        (skipped, "skipped"),
    )
    told = [f"{gold:,} of {items:,} documents{of} are labelled"]
    return ", ".join([*told, *(f"{number:,} {what}" for number, what in more if number)])
