"""Formats of input tables: text, Parquet, frames, dictionaries, the label database."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from hungjury import native
from hungjury.base.errors import Argument, InputError, MissingExtra, few
from hungjury.base.plugins import load_plugins
from hungjury.base.records import Record
from hungjury.base.text import decimal_of
from hungjury.data.reading.bad_lines import Stop, line_error, raise_error
from hungjury.data.reading.columns import KNOWN, InputTable, understood
from hungjury.data.reading.sources import Source
from hungjury.data.reading.values import ROLES

if TYPE_CHECKING:
    from sqlite3 import Connection

MAGIC = b"SQLite format 3\x00"
APPLICATION = 0x68756E67  # "hung", in the file's header
VERSION = 2


def not_ours(path: str) -> InputError:
    """Return the error for a database of another program."""
    said, remedy = "this is not a database of labels", "give one that hungjury label wrote"
    return Source(path).error(said, "not-labels", remedy)


def is_database(path: object) -> bool:
    """Tell whether a file is a database, such as that of labels."""
    try:
        with open(str(path), "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


@contextmanager
def open_labels(path: str) -> Iterator[Connection]:
    """Open the database for reading."""
    import sqlite3
    from pathlib import Path

    if not Path(path).is_file():
        raise Source(str(path)).error("no such file", "no-file", "check the path")
    # Without a log no process is writing: then open it immutable, which works on read-only disks
    # and leaves no empty log behind.
    how = "mode=ro" if Path(f"{Path(path).resolve()}-wal").exists() else "immutable=1"
    try:
        with closing(sqlite3.connect(f"{Path(path).resolve().as_uri()}?{how}", uri=True)) as base:
            if base.execute("pragma application_id").fetchone()[0] != APPLICATION:
                raise not_ours(str(path))
            yield base
    except sqlite3.OperationalError as error:
        said = f"cannot be read: {error}"
        raise Source(str(path)).error(said, "unreadable", "check the folder") from None
    except sqlite3.DatabaseError:
        raise not_ours(str(path)) from None


def labelled_columns(path: str, view: str) -> dict[str, list[object]]:
    """Return the columns of a view: `gold` has the labels that count, `votes` those of every
    person, `labels` all."""
    with open_labels(path) as base:
        found = base.execute(f"select * from {view}")
        names = [column[0] for column in found.description]
        rows = found.fetchall()
    if not rows:
        said = "nothing has been labelled yet"
        raise Source(str(path)).error(said, "no-label", "label some documents first")
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


MARKS = (",", ";", "\t")
PLAN_HEAD = "# hungjury plan"  # the first line of a file of `hungjury plan`
Columns = tuple[tuple[str, str], ...]  # role and column, as the user has named them


def grade_columns(table: InputTable) -> list[str]:
    """Return the columns p0, p1, ... of a table that gives the probability of every grade."""
    names: list[str] = []
    while (name := f"p{len(names)}") in table.columns:
        names.append(name)
    return names if len(names) > 1 else []


class Format(Record):
    """A format of tables that the first line of a file tells."""

    name: str
    begins: Callable[[bytes], bool]  # is this the first line of such a file?
    # From the file, columns that the user has named by role, whether there are several judges, and
    # the function that is called with every row that cannot be read.
    read: Callable[[Source, Mapping[str, str], bool, Stop], InputTable]


def table_format(source: Source, columns: Columns = ()) -> str | None:
    """Return the name of one of `FORMATS`, or a delimiter; None for a file in TREC's columns."""
    head = source.head(then_read=True)
    for one in FORMATS:
        if one.begins(head):
            return one.name
    given = {part for _, column in columns for part in (column, *column.split("+"))}
    for mark in MARKS:
        names = _header(head, mark)
        known = sum(n.lower() in KNOWN for n in names)
        if len(names) > 1 and (known >= 2 or given & set(names)):
            return mark
    return None


def _header(head: bytes, mark: str) -> list[str]:
    text = head.decode("utf-8", "replace").strip("\r\n")
    return [n.strip().strip('"').strip() for n in text.split(mark)]


def another_kind(source: Source, roles: Sequence[str]) -> InputError | None:
    """Return an error about a file that cannot be read because it is something else."""
    head = source.head()
    if head.strip() == PLAN_HEAD.encode():
        return source.error(
            "this is a plan, which has no labels",
            "plan-without-labels",
            "let people label its documents with `hungjury label`, and give their labels",
        )
    words = head.decode("utf-8", "replace").split()
    labelled = len(words) == 4 and words[1] != "Q0" and decimal_of(words[3]) is not None
    if "score" in roles and labelled and not source.begin:
        return source.error(
            "expected 6 columns (topic Q0 document rank score tag), found 4",
            "not-a-run",
            "runs have six columns; are these qrels?",
            1,
        )
    return None


def unknown_header(source: Source, roles: Sequence[str]) -> InputError | None:
    """Return an error about a first line that looks like a header, but has unknown columns."""
    head = source.head()
    words = head.decode("utf-8", "replace").replace(",", " ").replace(";", " ").split()
    if any(decimal_of(word) is not None for word in words):
        return None
    for mark in MARKS:
        names = _header(head, mark)
        if len(names) > 1 and all(names):
            names_understood = "; ".join(f"{role}: {understood(role)}" for role in roles)
            return source.error(
                f"unknown columns: {', '.join(names)}",
                "unknown-columns",
                (
                    Argument("columns", ",".join(f"{role}=NAME" for role in roles)),
                    f"or rename the columns ({names_understood})",
                ),
                1,
            )
    return None


def parse_text(
    source: Source,
    feed: Callable[[memoryview], None],
    finish: Callable[[], None],
    free: int = 1,
    roles: Sequence[str] = (),
) -> None:
    """Push a text source through a native parser; its errors get the file name.

    free: cores that may be used; a compressed file is decompressed beside the parser by a second.
    roles: the columns that a table would need; a header of others is an error of its own.
    """
    pieces = source.pieces(read_ahead=free > 1)
    try:
        for piece in pieces:
            feed(piece)
        finish()
    except native.BadLine as bad:
        for _ in pieces:  # a gz file that turns out to be damaged explains the line better
            pass
        line, code, message = bad.args
        error = line_error(source, line + source.lines_before, code, message)
        wrong = source.binary_error() or another_kind(source, roles)
        if wrong is None and roles and error.line == 1:
            wrong = unknown_header(source, roles)
        raise wrong or error from None


def read_table(
    source: Source,
    kind: str,
    columns: Columns = (),
    by_judge: bool = False,
    stop: Stop = raise_error,
    layout: str | None = None,
) -> InputTable:
    """Return a file as a table; of a database, the labels of every judge, or those that count.

    stop: called with every row that cannot be read; where it returns, the row is left out. layout:
    the tool whose export it is.
    """
    table = table_as_written(source, kind, columns, by_judge, stop)
    if layout is not None:
        from hungjury.data.reading.nested import laid_out  # few files are exports

        return laid_out(table, layout)
    return _by_topic(table) or without_nesting(table)


def table_as_written(
    source: Source, kind: str, columns: Columns = (), by_judge: bool = False,
    stop: Stop = raise_error,
) -> InputTable:  # fmt: skip
    """Return a file as a table, with the lists and objects that are in it."""
    read = next((one.read for one in FORMATS if one.name == kind), _text(kind))
    return read(source, dict(columns), by_judge, stop)


def without_nesting(table: InputTable) -> InputTable:
    """Return a table with the columns that the user has named, and without lists in them."""
    from hungjury.data.reading.nested import prepared  # not for TREC's columns

    return prepared(table)


def _by_topic(table: InputTable) -> InputTable | None:
    """Return the table of a JSON object {topic: {document: value}} or {topic: [document, ...]}."""
    values = [one for (one,) in table.columns.values()] if len(table) == 1 else []
    alike = values and (
        all(isinstance(one, Mapping) for one in values)
        or all(isinstance(one, list) and all(isinstance(d, str) for d in one) for one in values)
    )
    if not alike or table.given or any(name.lower() in KNOWN for name in table.columns):
        return None
    topics = {topic: value for topic, (value,) in table.columns.items()}
    if any(
        isinstance(one, (Mapping, list))
        for v in values
        if isinstance(v, Mapping)
        for one in v.values()
    ):
        return None  # deeper: by paths
    return nested_table(topics, "score", table.name, table.stem)


def _text(kind: str) -> Callable[[Source, Mapping[str, str], bool, Stop], InputTable]:
    """Return a reader of JSON or of separated columns."""

    def read(source: Source, given: Mapping[str, str], _by_judge: bool, stop: Stop) -> InputTable:
        from hungjury.data.reading.text_tables import read_text_table  # not for TREC's columns

        found, lines = read_text_table(source, kind, stop)
        return InputTable(source.name, found, lines, given, source.stem)

    return read


def _labelled(source: Source, given: Mapping[str, str], by_judge: bool, _stop: Stop) -> InputTable:
    if source.path is None:
        raise source.error(
            "a database of labels cannot be read from a pipe", "from-pipe", "give its path"
        )
    columns = labelled_columns(source.path, "votes" if by_judge else "gold")
    own = {role: role for role in ROLES if role in columns}
    return InputTable(source.name, columns, given={**own, **given}, stem=source.stem)


def _parquet(source: Source, given: Mapping[str, str], _by_judge: bool, _stop: Stop) -> InputTable:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtra("pyarrow", "tables", f"reading {source.name}") from None
    content = source.content()
    try:
        frame = pyarrow.parquet.read_table(io.BytesIO(content))
    except (pyarrow.ArrowException, OSError) as error:
        raise source.error(
            f"not a readable Parquet file: {error}", "not-parquet", "write the file again"
        ) from None
    return frame_table(frame, source.name, given, source.stem)


def _excel(source: Source, given: Mapping[str, str], _by_judge: bool, _stop: Stop) -> InputTable:
    try:
        import openpyxl
    except ImportError:
        raise MissingExtra("openpyxl", "tables", f"reading {source.name}") from None
    try:
        book = openpyxl.load_workbook(io.BytesIO(source.content()), read_only=True, data_only=True)
        sheets = {s.title: [r for r in s.values if any(c is not None for c in r)] for s in book}
    except Exception as error:  # of many kinds, for archives of other programs
        raise source.error(
            f"not a readable Excel file: {error}", "not-excel", "save it as .xlsx or CSV"
        ) from None
    filled = [name for name, rows in sheets.items() if rows]
    if len(filled) != 1:
        said = f"{len(filled)} sheets have rows" + (f": {few(filled)}" if filled else "")
        raise source.error(said, "many-sheets", "keep one sheet, with a header in its first row")
    header, *rows = sheets[filled[0]]
    names = [str(name).strip() if name is not None else "" for name in header]
    if (twice := next((n for n in names if n and names.count(n) > 1), None)) is not None:
        raise source.error(f"two columns are called '{twice}'", "same-column", "rename one", 1)
    columns = {n: [_cell(row[i]) for row in rows] for i, n in enumerate(names) if n}
    lines = range(2, len(rows) + 2)
    return InputTable(source.name, columns, lines, given, source.stem)


def _cell(value: Any) -> Any:
    """Return what a cell shows: whole numbers, which Excel stores as decimal ones, are integers."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _begins_array(head: bytes) -> bool:
    start = head.strip()
    return start == b"[" or start[:1] + start[1:].lstrip()[:1] == b"[{"


FORMATS = [  # the first that a file begins like
    Format("labels", lambda head: head.startswith(MAGIC), _labelled),
    Format("parquet", lambda head: head.startswith(b"PAR1"), _parquet),
    Format("excel", lambda head: head.startswith(b"PK\x03\x04"), _excel),
    Format("jsonl", lambda head: head.lstrip().startswith(b"{"), _text("jsonl")),
    Format("json", _begins_array, _text("json")),
]


def is_frame(source: object) -> bool:
    """Return a data frame of any kind that narwhals knows."""
    # Accessing its attributes would make a lazy frame compute its columns.
    return hasattr(type(source), "columns") or hasattr(type(source), "column_names")


def frame_table(
    frame: object, name: str = "<frame>", given: Mapping[str, str] | None = None, stem: str = ""
) -> InputTable:
    """Return a frame of pandas, polars or pyarrow; a lazy one is collected."""
    import narwhals as nw

    try:
        native: Any = nw.from_native(_plain_frame(frame), pass_through=True, allow_series=False)
        if isinstance(native, nw.LazyFrame):
            native = native.collect()
        frames = isinstance(native, nw.DataFrame)
        columns = {c: native[c].to_list() for c in native.columns} if frames else {}
    except (KeyError, ValueError) as error:  # a column twice, or text that is not UTF-8
        said = f"the columns cannot be read: {error}"
        raise Source(name).error(said, "unreadable-columns", "fix the columns") from None
    if not frames:
        raise InputError(
            f"cannot read from {type(frame).__name__}",
            code="unsupported-source",
            remedy="give a pandas, polars or pyarrow frame",
        )
    return without_nesting(InputTable(name, columns, given=given or {}, stem=stem))


def _plain_frame(frame: Any) -> Any:
    """Return a frame of pandas with its index as columns, unless it only counts rows, and with
    names that are text; other frames as they are."""
    index: Any = getattr(frame, "index", None)
    if not hasattr(index, "names"):
        return frame
    if any(name is not None for name in index.names) or index.dtype.kind not in "iu":
        frame = frame.reset_index()
    if all(isinstance(name, str) for name in frame.columns):
        return frame
    return frame.set_axis([str(name) for name in frame.columns], axis=1)


def table_or_files(
    source: object, value: str, given: Mapping[str, str], stem: str = ""
) -> InputTable | object:
    """Return the table of a frame, of a list of dictionaries or of named tuples such as
    ir_measures', or of ``{topic: {document: value}}``; anything else names files."""
    if isinstance(source, InputTable):
        return source
    if isinstance(source, Mapping):
        return nested_table(source, value, stem=stem)
    if is_frame(source):
        return frame_table(source, given=given, stem=stem)
    if isinstance(source, (str, bytes)) or hasattr(source, "read"):
        return source
    if not isinstance(source, Iterable) or getattr(source, "ndim", 1) == 0:
        return source
    rows = list(source)
    if rows and all(isinstance(row, Mapping) for row in rows):
        from hungjury.data.reading.text_tables import object_columns

        columns = object_columns(rows)
        return without_nesting(InputTable("<list>", columns, given=given, stem=stem))
    if rows and all(hasattr(row, "_fields") for row in rows):
        fields = rows[0]._fields
        if any(row._fields != fields for row in rows):
            raise Source("<list>").error(
                "the list mixes named tuples of different kinds", "mixed-sources", "use one kind"
            )
        columns = {f: [getattr(row, f) for row in rows] for f in fields}
        return InputTable("<list>", columns, given=given, stem=stem)
    return rows


def nested_table(source: object, value: str, name: str = "<dict>", stem: str = "") -> InputTable:
    """Turn ``{topic: {document: value}}`` into a table."""
    topics: list[str] = []
    documents: list[str] = []
    values: list[Any] = []
    for topic, inner in _mapping(source, name, "expected a dictionary, got {}").items():
        if value == "score" and isinstance(inner, (list, tuple)):  # a ranking, best document first
            inner = _ranking(inner, topic, name)
        found = _mapping(inner, name, f"the dictionary contains {{}} under {topic!r}")
        topics += [topic] * len(found)
        documents += found.keys()
        values += found.values()
    return InputTable(name, {"topic": topics, "document": documents, value: values}, stem=stem)


def _ranking(documents: Sequence[Any], topic: str, name: str) -> dict[Any, int]:
    """Return scores for a list of ids: less for every rank."""
    found = {document: -rank for rank, document in enumerate(documents, 1)}
    if len(found) < len(documents):
        said = f"a document appears twice in the list of topic '{topic}'"
        raise Source(name).error(said, "duplicate-document", "keep one item per document")
    return found


def _mapping(given: object, name: str, otherwise: str) -> Mapping[Any, Any]:
    if isinstance(given, Mapping):
        return given
    said = otherwise.replace("{}", type(given).__name__)
    raise Source(name).error(said, "not-a-dictionary", "give {topic: {document: value}}")


load_plugins("hungjury.formats")
