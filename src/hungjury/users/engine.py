"""Engines that count clicks: DuckDB on this machine, or Spark, both through ibis."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, get_args

from hungjury.base.choices import ClickEngine
from hungjury.base.errors import HungjuryError, InputError, MissingExtra, check_choice
from hungjury.base.files import cores
from hungjury.base.records import Record

if TYPE_CHECKING:
    import pyarrow
    from ibis import BaseBackend
    from ibis.expr import types as ir
    from pyspark.sql import DataFrame, SparkSession

RECORD = "hungjury_record"  # the number of a record: breaks ties in time


def need_ibis() -> Any:
    try:
        import ibis
    except ImportError:
        raise MissingExtra("ibis", "clicks", "counting clicks") from None
    return ibis


class QueryEngine(Record):
    """A connection, and a temporary folder."""

    connection: BaseBackend
    folder: Path
    memory: str
    spark: SparkSession | None = None

    def csv(self, paths: Sequence[Path], columns: Sequence[str], mark: str) -> ir.Table:
        """Read all columns as text; values are parsed one by one and bad ones are counted."""
        names = [str(p) for p in paths]
        if self.spark is not None:
            return self._spark_view(self.spark.read.csv(names, header=True, sep=mark))
        found = self.connection.read_csv(
            names,
            columns=dict.fromkeys(columns, "VARCHAR"),
            auto_detect=False,
            header=True,
            delim=mark,
            quote='"',
        )
        return with_record(found)

    def parquet(self, paths: Sequence[Path]) -> ir.Table:
        names = [str(p) for p in paths]
        if self.spark is not None:
            return self._spark_view(self.spark.read.parquet(*names))
        return with_record(self.connection.read_parquet(names))

    def arrow(self, table: pyarrow.Table) -> ir.Table:
        """Pass a table through a file, to keep it out of the engine's memory."""
        from pyarrow import parquet

        path = self.folder / "frame.parquet"
        parquet.write_table(table, path)
        return self.parquet([path])

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


@contextmanager
def open_engine(name: ClickEngine, memory: str) -> Iterator[QueryEngine]:
    """Open a temporary engine; DuckDB spills to disk beyond `memory`."""
    check_choice("engine", name, get_args(ClickEngine))
    ibis = need_ibis()
    with tempfile.TemporaryDirectory(prefix="hungjury-") as folder:
        if name == "duckdb":
            yield from _duckdb(ibis, Path(folder), memory)
        else:
            yield from _spark(ibis, Path(folder), memory)


def _duckdb(ibis: ModuleType, folder: Path, memory: str) -> Iterator[QueryEngine]:
    try:
        import duckdb
    except ImportError:
        raise MissingExtra("duckdb", "clicks", "counting clicks") from None
    try:
        connection = ibis.duckdb.connect(
            memory_limit=memory, threads=cores(), temp_directory=str(folder / "spilled")
        )
    except duckdb.Error:
        raise InputError(
            f"memory is {memory!r}",
            code="invalid-size",
            argument="memory",
            remedy='give a size such as "800MB" or "2GB"',
        ) from None
    try:
        yield QueryEngine(connection, folder, memory)
    except duckdb.Error as error:
        raise _engine_error(error) from None
    finally:
        connection.disconnect()


def _spark(ibis: ModuleType, folder: Path, memory: str) -> Iterator[QueryEngine]:
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtra("pyspark", "spark", "counting clicks on Spark") from None
    builder = SparkSession.builder.appName("hungjury").config("spark.sql.session.timeZone", "UTC")
    try:
        session = builder.getOrCreate()  # the session that is there already, or a local one
        yield QueryEngine(ibis.pyspark.connect(session), folder, memory, spark=session)
    except PySparkException as error:
        raise _engine_error(error) from None


def _engine_error(error: Exception) -> HungjuryError:
    """Return an error with the first lines of the engine's own."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return InputError(
        f"the log cannot be counted: {'; '.join(lines[:3])}",
        code="uncountable-log",
        remedy="check the file; if memory ran out, raise the limit",
    )
