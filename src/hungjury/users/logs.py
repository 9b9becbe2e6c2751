"""Click logs that are not tables: converted to rows of a Parquet file.

    session <TAB> time <TAB> Q <TAB> query <TAB> region <TAB> url1 <TAB> ... <TAB> url10
    session <TAB> time <TAB> C <TAB> url

A click belongs to the session's latest page. Queries are called query_region, as the labels of
that log are per query and region.

A rank of None is a click outside the results of the page.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np

from hungjury import native
from hungjury.base.files import cores
from hungjury.base.text import decimal_of, integer_of
from hungjury.data.reading.lines import parse_text
from hungjury.data.reading.sources import Source
from hungjury.data.runs import map_files

if TYPE_CHECKING:
    from ibis import BaseBackend

RECORD = "hungjury_record"  # the number of a record: breaks ties in time
KIND = "hungjury_kind"
CLICK, EMPTY_PAGE, UNREADABLE = range(3)  # what a row is
SHOWN = 10  # results of a page
BATCH = 1 << 19  # rows written at once
PART = 1 << 40  # more records than a part has


Relevant = Mapping[str, Collection[str]]  # documents of each labelled query


def write_action_clicks(
    sources: Sequence[Source], folder: Path, queries: bool, relevant: Relevant | None = None
) -> tuple[list[Path], bool]:
    """Write Parquet files of clicks with their ranks, of pages without clicks, and of bad records;
    with labels, also how many relevant documents the page shows.

    A large file is read in parts, on all cores. Pages are only found if the lines of a session
    are adjacent: the second result says whether they are; if not, the rows are useless.
    """
    parts = [part for source in sources for part in source.parts(cores())]
    paths = [folder / f"actions-{number}.parquet" for number in range(len(parts))]

    def write(number: int) -> native.ActionLog:
        log = native.ActionLog(number * PART)
        for query, documents in (relevant or {}).items():
            log.judge(query, list(documents))
        _write(log, parts[number], number * PART, paths[number], queries, relevant is not None)
        return log

    whole, *others = map_files(write, list(range(len(parts))), None, "")
    for other in others:
        whole.meet(other)
    return paths, not whole.interleaved


def _write(
    log: native.ActionLog, part: Source, first: int, path: Path, queries: bool, labelled: bool
) -> None:
    import pyarrow
    from pyarrow import parquet

    kinds = {"session": "int64", "page": "int64", "rank": "int32", "time": "float64",
             KIND: "int8", RECORD: "int64"}  # fmt: skip
    numbers = ["session", "page", "rank"]
    if queries:
        kinds["query"] = "string"
    if labelled:
        kinds["relevant"] = "int32"
        numbers.append("relevant")
    schema = pyarrow.schema([(name, getattr(pyarrow, kind)()) for name, kind in kinds.items()])
    names = pyarrow.array([], pyarrow.string())
    with parquet.ParquetWriter(path, schema, use_dictionary=["query"]) as writer:

        def write() -> None:
            nonlocal names
            rows = log.take()
            columns: Mapping[str, Any] = rows
            table = {name: pyarrow.array(columns[name], mask=columns[name] < 0)
                     for name in numbers}  # fmt: skip
            table |= {KIND: rows["kind"], RECORD: rows["record"]}
            table["time"] = pyarrow.array(rows["time"], mask=np.isnan(rows["time"]))
            if queries:
                new = pyarrow.array(log.queries(len(names)), pyarrow.string())
                names = pyarrow.concat_arrays([names, new])
                code = pyarrow.array(rows["query"] - first, mask=rows["query"] < 0)
                table["query"] = names.take(code)
            writer.write_table(pyarrow.table(table, schema=schema))

        def feed(piece: memoryview) -> None:
            log.feed(piece)
            if log.rows >= BATCH:
                write()

        parse_text(part, feed, log.finish)
        write()


def group_by_session(connection: BaseBackend, paths: Sequence[Path], out: Path) -> None:
    """Rewrite a log with the lines of each session adjacent; DuckDB sorts them."""
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(5 + SHOWN))
    files = ", ".join("'" + str(p).replace("'", "''") + "'" for p in paths)
    line = ", ".join(f"coalesce(c{i}, '')" for i in range(5 + SHOWN))
    connection.raw_sql(f"""copy (
        select concat_ws(chr(9), {line}) as line from (
            select row_number() over () as record, *
            from read_csv([{files}], delim = '\t', header = false, quote = '', escape = '',
                null_padding = true, auto_detect = false, columns = {{{columns}}}))
        order by c0, record)
        to '{out}' (format csv, header false, quote '', delimiter '')""")


PAGE_COLUMNS = {"session": "int64", "query": "string", "rank": "int64", "relevant": "int64"}
SESSION_COLUMNS = {
    "session": "string",
    "page": "string",
    "query": "string",
    "rank": "int64",
    "time": "float64",
    "until": "float64",
    "relevant": "int64",
}
Row = tuple[Any, ...]
ROWS_AT_ONCE = 1 << 18
DAY = 86_400.0
_PAGE = re.compile(r"\s*([^\t]+)\t([^:]*):(.*)", re.S)


@dataclass
class Tally:
    """Counts of what a reader found besides clicks."""

    pages_without_clicks: int = 0
    unreadable: int = 0
    listed: bool = False  # the documents of pages


def write_clicks(
    sources: Sequence[Source], pages: bool, path: Path, tally: Tally, relevant: Relevant
) -> None:
    """Write the clicks of Yandex pages, or of TREC sessions, to a Parquet file by batches."""
    import pyarrow
    from pyarrow import parquet

    read = yandex_page_clicks if pages else trec_session_clicks
    columns = PAGE_COLUMNS if pages else SESSION_COLUMNS
    schema = pyarrow.schema([(name, getattr(pyarrow, kind)()) for name, kind in columns.items()])
    with parquet.ParquetWriter(path, schema) as writer:
        waiting = read(sources, tally, relevant)
        while batch := list(islice(waiting, ROWS_AT_ONCE)):
            parts = dict(zip(columns, zip(*batch, strict=True), strict=True))
            writer.write_table(pyarrow.table(parts, schema=schema))


def yandex_page_clicks(
    sources: Iterable[Source], tally: Tally, relevant: Relevant
) -> Iterator[Row]:
    """Yield clicks of ``query_region<TAB>u1,...,u10 : c1 , c2`` between semicolons, no times, with
    the number of relevant documents on the page (None for queries without labels)."""
    number = 0
    for source in sources:
        for record in _records(source):
            found = _PAGE.fullmatch(record)
            if found is None:
                tally.unreadable += 1
                continue
            number += 1
            tally.listed = True
            query, shown, clicked = found.groups()
            where: dict[str, int] = {}
            for rank, url in enumerate(shown.split(","), 1):
                where.setdefault(url.strip(), rank)
            clicks = [c.strip() for c in clicked.split(",") if c.strip()]
            tally.pages_without_clicks += not clicks
            labels = relevant.get(query.strip())
            shown_relevant = None if labels is None else sum(url in labels for url in where)
            for url in clicks:
                yield number, query.strip(), where.get(url), shown_relevant


def _records(source: Source) -> Iterator[str]:
    """Yield the pieces between semicolons, without blank ones."""
    rest = b""
    for piece in source.pieces():
        *whole, rest = (rest + piece).split(b";")
        for record in whole:
            if record.strip():
                yield record.decode("utf-8", "replace")
    if rest.strip():
        yield rest.decode("utf-8", "replace")


def trec_session_clicks(
    sources: Iterable[Source], tally: Tally, relevant: Relevant
) -> Iterator[Row]:
    """Yield clicks of the TREC Session Track; the query is the session's topic, if there is one.
    Relevant documents are those on the page, by url or id, or those of the labels if it lists none.

    A click has a beginning and an end: seconds, or the time of day (a session may pass midnight).
    """
    for source in sources:
        try:
            with source.open() as stream:
                for _, element in ElementTree.iterparse(stream):
                    if element.tag == "session":
                        yield from _session(element, tally, relevant)
                        element.clear()
        except ElementTree.ParseError as error:
            said = f"not well-formed XML: {error.msg}"
            raise source.error(said, "not-xml", "fix the file", error.position[0]) from None


def _session(session: Any, tally: Tally, relevant: Relevant) -> Iterator[Row]:
    name = session.get("num", "")
    topic = session.find("topic")
    named = None if topic is None else topic.get("num")
    begin = _seconds(session.get("starttime"))
    for number, interaction in enumerate(session.iter("interaction"), 1):
        query = named or " ".join(interaction.findtext("query", "").split())
        clicks = list(interaction.iter("click"))
        tally.pages_without_clicks += not clicks
        shown = {(part.text or "").strip() for one in interaction.iter("result") for part in one}
        tally.listed |= bool(shown)
        labels = relevant.get(query)
        number_relevant = None if labels is None else len(shown & set(labels) if shown else labels)
        for click in clicks:
            rank = (click.findtext("rank") or "").strip()
            yield (
                name,
                interaction.get("num", str(number)),
                query,
                integer_of(rank),
                _after(_seconds(click.get("starttime")), begin),
                _after(_seconds(click.get("endtime")), begin),
                number_relevant,
            )


def _seconds(text: str | None) -> float | None:
    """Read '56.1' or '18:50:58.7' as seconds."""
    parts = [decimal_of(part) for part in (text or "").split(":")]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return float(sum(part * 60**power for power, part in enumerate(reversed(known))))


def _after(time: float | None, begin: float | None) -> float | None:
    """Move a time of day far before the session's begin to the next day."""
    if time is None or begin is None or begin - time < DAY / 2:
        return time
    return time + DAY
