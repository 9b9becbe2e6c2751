"""Yandex's relevance-prediction log: Q records show a page, C records click on its results.

    session <TAB> time <TAB> Q <TAB> query <TAB> region <TAB> url1 <TAB> ... <TAB> url10
    session <TAB> time <TAB> C <TAB> url

A click belongs to the session's latest page. Queries are called query_region, as the labels of
that log are per query and region.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hungjury import native
from hungjury.collection.reading import parse_text
from hungjury.collection.runs import map_files
from hungjury.collection.sources import Source
from hungjury.machine import cores
from hungjury.users.engine import RECORD

if TYPE_CHECKING:
    from ibis import BaseBackend

__all__ = ["CLICK", "EMPTY_PAGE", "KIND", "UNREADABLE", "group_by_session", "write_action_clicks"]

KIND = "hungjury_kind"
CLICK, EMPTY_PAGE, UNREADABLE = range(3)  # what a row is
SHOWN = 10  # results of a page
BATCH = 1 << 19  # rows written at once
PART = 1 << 40  # more records than a part has


def write_action_clicks(
    sources: Sequence[Source], folder: Path, queries: bool
) -> tuple[list[Path], bool]:
    """Write Parquet files of clicks with their ranks, of pages without clicks, and of bad records.

    A large file is read in parts, on all cores. Pages are only found if the lines of a session
    are adjacent: the second result says whether they are; if not, the rows are useless.
    """
    parts = [part for source in sources for part in source.parts(cores())]
    paths = [folder / f"actions-{number}.parquet" for number in range(len(parts))]

    def write(number: int) -> native.ActionLog:
        return _write(parts[number], number * PART, paths[number], queries)

    whole, *others = map_files(write, list(range(len(parts))), None, "")
    for other in others:
        whole.meet(other)
    return paths, not whole.interleaved


def _write(part: Source, first: int, path: Path, queries: bool) -> native.ActionLog:
    import pyarrow
    from pyarrow import parquet

    kinds = {"session": "int64", "page": "int64", "rank": "int32", "time": "float64",
             KIND: "int8", RECORD: "int64"}  # fmt: skip
    if queries:
        kinds["query"] = "string"
    schema = pyarrow.schema([(name, getattr(pyarrow, kind)()) for name, kind in kinds.items()])
    log = native.ActionLog(first)
    names = pyarrow.array([], pyarrow.string())
    with parquet.ParquetWriter(path, schema, use_dictionary=["query"]) as writer:

        def write() -> None:
            nonlocal names
            rows = log.take()
            table = {name: pyarrow.array(rows[name], mask=rows[name] < 0)
                     for name in ("session", "page", "rank")}  # fmt: skip
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
    return log


def group_by_session(connection: BaseBackend, paths: Sequence[Path], out: Path) -> None:
    """Rewrite a log so that the lines of each session are adjacent; DuckDB sorts them."""
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
