"""Convert logs that are not tables: write their clicks as rows of a Parquet file.

A rank of None is a click outside the results of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from hungjury.collection.sources import Source
from hungjury.errors import InputError
from hungjury.numbers import decimal_of, integer_of

__all__ = [
    "PAGE_COLUMNS",
    "SESSION_COLUMNS",
    "Tally",
    "trec_session_clicks",
    "write_clicks",
    "yandex_page_clicks",
]

PAGE_COLUMNS = {"session": "int64", "query": "string", "rank": "int64"}
SESSION_COLUMNS = {
    "session": "string",
    "page": "string",
    "query": "string",
    "rank": "int64",
    "time": "float64",
    "until": "float64",
}
Row = tuple[Any, ...]
BATCH = 1 << 18
DAY = 86_400.0
_PAGE = re.compile(r"\s*([^\t]+)\t([^:]*):(.*)", re.S)


@dataclass
class Tally:
    """Counts of what a reader found besides clicks."""

    pages_without_clicks: int = 0
    unreadable: int = 0


def write_clicks(rows: Iterable[Row], columns: Mapping[str, str], path: Path) -> None:
    """Rows to a Parquet file, a batch at a time."""
    import pyarrow
    from pyarrow import parquet

    schema = pyarrow.schema([(name, getattr(pyarrow, kind)()) for name, kind in columns.items()])
    with parquet.ParquetWriter(path, schema) as writer:
        for batch in _batches(rows):
            parts = dict(zip(columns, zip(*batch, strict=True), strict=True))
            writer.write_table(pyarrow.table(parts, schema=schema))


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    batch: list[Row] = []
    for row in rows:
        batch.append(row)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def yandex_page_clicks(sources: Iterable[Source], tally: Tally) -> Iterator[Row]:
    """``query_region<TAB>u1,...,u10 : c1 , c2`` between semicolons, clicks in order, no times."""
    number = 0
    for source in sources:
        for record in _records(source):
            found = _PAGE.fullmatch(record)
            if found is None:
                tally.unreadable += 1
                continue
            number += 1
            query, shown, clicked = found.groups()
            where: dict[str, int] = {}
            for rank, url in enumerate(shown.split(","), 1):
                where.setdefault(url.strip(), rank)
            clicks = [c.strip() for c in clicked.split(",") if c.strip()]
            tally.pages_without_clicks += not clicks
            for url in clicks:
                yield number, query.strip(), where.get(url)


def _records(source: Source) -> Iterator[str]:
    """The pieces between semicolons, blank ones left out."""
    rest = b""
    for piece in source.pieces():
        *whole, rest = (rest + piece).split(b";")
        for record in whole:
            if record.strip():
                yield record.decode("utf-8", "replace")
    if rest.strip():
        yield rest.decode("utf-8", "replace")


def trec_session_clicks(sources: Iterable[Source], tally: Tally) -> Iterator[Row]:
    """Sessions of the TREC Session Track; the query is the session's topic, if it names one.

    A click has a beginning and an end: seconds, or the time of day (a session may pass midnight).
    """
    for source in sources:
        try:
            with source.open() as stream:
                for _, element in ElementTree.iterparse(stream):
                    if element.tag == "session":
                        yield from _session(element, tally)
                        element.clear()
        except ElementTree.ParseError as error:
            raise InputError(
                f"not well-formed XML: {error.msg}",
                code="not-xml",
                file=source.name,
                line=error.position[0],
                remedy="fix the file",
            ) from None


def _session(session: Any, tally: Tally) -> Iterator[Row]:
    name = session.get("num", "")
    topic = session.find("topic")
    begin = _seconds(session.get("starttime"))
    for number, interaction in enumerate(session.iter("interaction"), 1):
        query = topic.get("num") if topic is not None and topic.get("num") else None
        if query is None:
            query = " ".join((interaction.findtext("query") or "").split())
        clicks = list(interaction.iter("click"))
        tally.pages_without_clicks += not clicks
        for click in clicks:
            rank = (click.findtext("rank") or "").strip()
            yield (
                name,
                interaction.get("num", str(number)),
                query,
                integer_of(rank),
                _after(_seconds(click.get("starttime")), begin),
                _after(_seconds(click.get("endtime")), begin),
            )


def _seconds(text: str | None) -> float | None:
    """'56.1' or '18:50:58.7' as seconds."""
    parts = [decimal_of(part) for part in (text or "").split(":")]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return float(sum(part * 60**power for power, part in enumerate(reversed(known))))


def _after(time: float | None, begin: float | None) -> float | None:
    """A time of day far before the session's begin belongs to the next day."""
    if time is None or begin is None or begin - time < DAY / 2:
        return time
    return time + DAY
