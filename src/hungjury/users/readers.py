"""Read click logs of any kind as one table: session, page, query, rank, time, until, record.

The table is in an engine that counts clicks: DuckDB on this machine, or Spark, both through ibis.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from hungjury.base.choices import ClickEngine
from hungjury.base.errors import Argument, HungjuryError, InputError, MissingExtra, check_installed
from hungjury.base.files import cores
from hungjury.base.records import Record
from hungjury.data.reading.columns import InputTable, as_frame, is_frame, reading_columns
from hungjury.data.reading.compressed import MAGIC_BYTES, compression_of
from hungjury.data.reading.sources import Source, expand
from hungjury.data.reading.values import columns_by_role
from hungjury.users import logs
from hungjury.users.logs import KIND, RECORD, Relevant, Tally

if TYPE_CHECKING:
    import pyarrow
    from ibis import BaseBackend
    from ibis.expr import types as ir
    from pyspark.sql import DataFrame, SparkSession


COLUMNS = {
    "session": ("session", "session_id", "sessionid", "sid"),
    "rank": ("rank", "position", "pos"),
    "query": ("query", "query_id", "queryid", "qid", "topic"),
    "page": ("page", "page_id", "serp", "serp_id"),
    "time": ("time", "timestamp", "time_passed", "timepassed", "starttime"),
    "until": ("until", "endtime"),
}
TABLES = ("parquet", "csv")  # kinds of files that engines read
PEEK = 1000  # rows used to guess the type of a text column


def is_ibis_table(log: object) -> bool:
    return type(log).__module__.startswith("ibis.") and hasattr(log, "get_backend")


def click_table(
    engine: QueryEngine | None,
    log: object,
    queries: bool,
    relevant: Relevant | None = None,
    columns: Mapping[str, str] | str | None = None,
) -> tuple[ir.Table, Tally]:
    """Return the clicks of a log in the engine, and counts of what was found besides them.

    queries: whether their names are needed; numbered pages do not need them. relevant: documents by
    query; where the log lists the documents of its pages, "relevant" counts those on the page.
    columns: of a table, by role.
    """
    tally = Tally()
    named = dict(columns_by_role(columns, COLUMNS, "session=visit,rank=place"))
    if engine is None:
        return _columns(with_record(log), "<table>", named), tally
    if is_frame(log):
        with reading_columns("<frame>"):
            table = engine.arrow(as_frame(log).to_arrow())
        return _columns(table, "<frame>", named), tally
    sources, kind = one_kind(log, "log")
    name = sources[0].name
    if kind in TABLES:
        return _columns(engine.table(sources, kind), name, named), tally
    if named:
        said = f"columns are named, but a log of {kind} has none"
        raise sources[0].error(said, "unused-option", ("leave out", Argument("columns")))
    if kind == "yandex actions":
        tally.listed = True
        clicks = _actions(engine, sources, queries, relevant)
        return _columns(clicks, name, shown=relevant is not None), tally
    path = engine.folder / "clicks.parquet"
    logs.write_clicks(sources, kind == "yandex pages", path, tally, relevant or {})
    return _columns(engine.read([path]), name, shown=relevant is not None), tally


def _actions(
    engine: QueryEngine, sources: Sequence[Source], queries: bool, relevant: Relevant | None
) -> ir.Table:
    """Read without the engine; DuckDB sorts logs whose sessions are interleaved."""
    paths, together = logs.write_action_clicks(sources, engine.folder, queries, relevant)
    if not together:
        grouped = engine.folder / "grouped.tsv"
        with open_engine("duckdb", engine.memory) as other:
            logs.group_by_session(other.connection, _paths(other, sources, ".tsv"), grouped)
        paths, _ = logs.write_action_clicks(expand(grouped), engine.folder, queries, relevant)
    return engine.read(paths)


def one_kind(given: object, what: str) -> tuple[list[Source], str]:
    """Expand files and folders, and say which kind of files they are, all of them."""
    sources = [source for one in _listed(given) for source in expand(one)]
    kinds = {_kind(source) for source in sources}
    if len(kinds) > 1:
        said = f"the {what} mixes files of different kinds: {', '.join(sorted(kinds))}"
        remedy = "give files of one kind at a time"
        raise InputError(said, code="mixed-sources", remedy=remedy)
    return sources, kinds.pop()


def _listed(given: object) -> Iterator[object]:
    """List what was given, and the files of folders; names that begin with . or _ are not data."""
    many = given if isinstance(given, (list, tuple)) and given else [given]
    for one in many:
        if not (isinstance(one, (str, os.PathLike)) and os.path.isdir(one)):
            yield one
            continue
        try:
            found = [p for p in Path(one).rglob("*") if p.is_file() and p.name[0] not in "._"]
        except OSError as error:
            said = f"the folder cannot be listed: {error.strerror}"
            remedy = "check the permissions, or give files"
            raise Source(str(one)).error(said, "unreadable-file", remedy) from None
        inside = sorted(found)
        if not inside:
            said = "the folder contains no files"
            raise Source(str(one)).error(said, "empty-directory", "check the path")
        yield from (Source(str(p), str(p)) for p in inside)


def _kind(source: Source) -> str:
    """Guess the format from the content, never from the name."""
    head = source.head()
    if head[:4] == b"PAR1":
        return "parquet"
    if head.lstrip()[:1] == b"<":
        return "trec sessions"
    fields = head.split(b"\t")
    if len(fields) >= 4 and fields[2] in (b"Q", b"C"):
        return "yandex actions"
    if b"\t" in head and b":" in head.split(b";")[0].rpartition(b"\t")[2]:
        return "yandex pages"
    return "csv"


def _header(sources: Sequence[Source]) -> tuple[list[str], str]:
    """Return the column names in the first line, which all files share, and their delimiter."""
    first = sources[0].head()
    for source in sources:
        if source.head() != first:
            said = "the first line differs from that of the first file"
            remedy = "give files with the same columns in the same order"
            raise source.error(said, "other-columns", remedy, 1)
    text = first.decode("utf-8", "replace").strip()
    mark = max(",\t;", key=text.count)
    names = [name.strip().strip('"') for name in text.split(mark)]
    if len(set(names)) < len(names):
        remedy = "give each column its own name in the first line"
        raise sources[0].error("a column name appears twice", "repeated-column", remedy, 1)
    return names, mark


def _paths(engine: QueryEngine, sources: Sequence[Source], ending: str) -> list[Path]:
    """Return files that an engine can read: it recognises gz by its ending, not streams."""
    paths = []
    for number, source in enumerate(sources):
        if source.path is not None:
            path = Path(source.path)
            with path.open("rb") as file:
                packed = compression_of(file.read(MAGIC_BYTES))
            if packed == ("gz" if path.suffix == ".gz" else None):
                paths.append(path)
                continue
        copy = engine.folder / f"input-{number}{ending}"
        with copy.open("wb") as file:
            for piece in source.pieces():
                file.write(piece)
        paths.append(copy)
    return paths


def _columns(
    table: ir.Table, name: str, named: Mapping[str, str] | None = None, *, shown: bool = False
) -> ir.Table:
    """Select columns by role; text is parsed as numbers, and other text becomes missing. named:
    columns by role. shown: keep the number of relevant documents on the page."""
    given = {c: () for c in table.columns if c not in (RECORD, KIND)}
    known = InputTable(name, given, given=named or {}, usual=COLUMNS)
    roles = {}
    for role in COLUMNS:
        found = known.find(role) if role in known.given else known.known(role)
        if found is not None or role in ("session", "rank"):
            roles[role] = table[found or known.need(role)]
    rank = roles["rank"]
    roles["rank"] = (rank.try_cast if rank.type().is_string() else rank.cast)("int64")
    for role in ("time", "until"):
        if role in roles:
            roles[role] = _time(table, roles[role])
    kept = [c for c in (RECORD, KIND, *(["relevant"] if shown else [])) if c in table.columns]
    return table.select(**roles, **{c: table[c] for c in kept})


def _time(table: ir.Table, column: ir.Column) -> ir.FloatingColumn:
    """Convert numbers, dates, or text of either to seconds; the first rows decide which."""
    kind = column.type()
    if kind.is_timestamp():
        return _since_1970(column)
    if not kind.is_string():
        return column.cast("float64")
    first = table.select(number=column.try_cast("float64")).limit(PEEK)
    if first.number.count().to_pyarrow().as_py():
        return column.try_cast("float64")
    return _since_1970(column.try_cast("timestamp"))


def _since_1970(column: ir.TimestampColumn) -> ir.FloatingColumn:
    whole = column.epoch_seconds().cast("float64").floor()  # engines differ in the fraction
    return whole.cast("float64") + column.millisecond().cast("float64") / 1000


def need_ibis(what: str = "counting clicks") -> Any:
    check_installed("ibis", "clicks", what)
    import ibis

    return ibis


class QueryEngine(Record):
    """A connection, and a temporary folder."""

    connection: BaseBackend
    folder: Path
    memory: str
    spark: SparkSession | None = None

    def table(self, sources: Sequence[Source], kind: str) -> ir.Table:
        """Read Parquet files, or delimited text: all its columns are text, to be parsed later."""
        heads, mark = ([], "") if kind == "parquet" else _header(sources)
        return self.read(_paths(self, sources, f".{kind}"), heads, mark)

    def read(self, paths: Sequence[Path], heads: Sequence[str] = (), mark: str = "") -> ir.Table:
        """Read Parquet files, or text with columns of these names between marks."""
        names = [str(path) for path in paths]
        if self.spark is not None:
            read = self.spark.read
            return self._spark_view(
                read.csv(names, header=True, sep=mark, escape='"') if mark else read.parquet(*names)
            )
        if not mark:
            return with_record(self.connection.read_parquet(names))
        found = self.connection.read_csv(
            names,
            columns=dict.fromkeys(heads, "VARCHAR"),
            auto_detect=False,
            header=True,
            delim=mark,
            quote='"',
        )
        return with_record(found)

    def write_parts(self, table: ir.Table, folder: Path) -> None:
        """Write a table as CSV files, in a folder for each value of its column `part`.

        With the number of a record among its columns, rows stay in their order.
        """
        hidden = [name for name in ("part", RECORD) if name in table.columns]
        if self.spark is not None:
            frame = self.spark.sql(self.connection.compile(table)).drop(RECORD)
            frame.write.partitionBy("part").csv(str(folder), header=True, escape='"')
            return
        # DuckDB sorts on disk, while writing partitions at once takes memory for all rows.
        kept = self.connection.create_table("hungjury_parts", table.order_by(hidden), temp=True)
        for part in kept.part.as_table().distinct().to_pyarrow()["part"].to_pylist():
            place = folder / f"part={part}" / "rows.csv"
            place.parent.mkdir(parents=True)
            rows = kept.filter(kept.part == part).drop(*hidden)
            self.connection.to_csv(rows, place, header=True)
        self.connection.raw_sql("drop table hungjury_parts")

    def arrow(self, table: pyarrow.Table) -> ir.Table:
        """Pass a table through a file, to keep it out of the engine's memory."""
        from pyarrow import parquet

        path = self.folder / "frame.parquet"
        parquet.write_table(table, path)
        return self.read([path])

    def _spark_view(self, frame: DataFrame) -> ir.Table:
        from pyspark.sql import functions

        if RECORD not in frame.columns:
            # ascending within each file, which is enough to break ties in time
            frame = frame.withColumn(RECORD, functions.monotonically_increasing_id())
        frame.createOrReplaceTempView("hungjury_clicks")
        return self.connection.table("hungjury_clicks")


def with_record(table: ir.Table) -> ir.Table:
    """Number the rows of a table."""
    if RECORD in table.columns:
        return table
    return table.mutate(**{RECORD: need_ibis().row_number()})


class Purpose(Record):
    """What an engine is for, as errors say it."""

    name: str
    failure: str
    code: str


CLICKS = Purpose("counting clicks", "the log cannot be counted", "uncountable-log")


@contextmanager
def open_engine(
    name: ClickEngine,
    memory: str,
    purpose: Purpose = CLICKS,
    home: str | os.PathLike[str] | None = None,
) -> Iterator[QueryEngine]:
    """Open a temporary engine; DuckDB spills to disk beyond `memory`. Its folder is in `home`."""
    ibis = need_ibis(purpose.name)
    with tempfile.TemporaryDirectory(prefix="hungjury-", dir=home) as folder:
        if name == "duckdb":
            yield from _duckdb(ibis, Path(folder), memory, purpose)
        else:
            yield from _spark(ibis, Path(folder), memory, purpose)


def _duckdb(ibis: ModuleType, folder: Path, memory: str, purpose: Purpose) -> Iterator[QueryEngine]:
    check_installed("duckdb", "clicks", purpose.name)
    import duckdb

    try:
        connection = ibis.duckdb.connect(
            memory_limit=memory, threads=cores(), temp_directory=str(folder / "spilled")
        )
    except (duckdb.Error, RuntimeError):  # the latter for text that is not UTF-8
        said = f"memory is {memory!r}"
        remedy = 'give a size such as "800MB" or "2GB"'
        raise InputError(said, code="invalid-size", argument="memory", remedy=remedy) from None
    try:
        yield QueryEngine(connection, folder, memory)
    except duckdb.Error as error:
        raise _engine_error(error, purpose) from None
    finally:
        connection.disconnect()


def _spark(ibis: ModuleType, folder: Path, memory: str, purpose: Purpose) -> Iterator[QueryEngine]:
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtra("pyspark", "spark", f"{purpose.name} on Spark") from None
    builder = SparkSession.builder.appName("hungjury").config("spark.sql.session.timeZone", "UTC")
    try:
        session = builder.getOrCreate()  # the session that is there already, or a local one
        yield QueryEngine(ibis.pyspark.connect(session), folder, memory, spark=session)
    except PySparkException as error:
        raise _engine_error(error, purpose) from None


def _engine_error(error: Exception, purpose: Purpose) -> HungjuryError:
    """Return an error with the first lines of the engine's own."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = f"{purpose.failure}: {'; '.join(lines[:3])}"
    remedy = "check the file; if memory ran out, raise the limit"
    return InputError(said, code=purpose.code, remedy=remedy)
