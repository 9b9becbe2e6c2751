"""The database of labels: one SQLite file; answers are on disk before they are acknowledged."""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime, timezone
from importlib.resources import files

from hungjury.base.errors import Argument, InputError
from hungjury.base.records import Record
from hungjury.base.text import csv_text
from hungjury.data.reading.formats import (
    APPLICATION,
    VERSION,
    labelled_columns,
    not_ours,
    open_labels,
)
from hungjury.labelling.dealing import Answer
from hungjury.labelling.items import DEFAULT, Grade, Item, parse_grades, plan_digest


class Person(Record):
    """A person who labels, with the secret part of their address."""

    number: int
    name: str
    token: str


class Event(Record):
    """A document that was dealt to a person, with the answer if there is one."""

    item: int
    person: int
    adjudicated: bool
    answer: Answer | None
    seconds: float


class LabelStore:
    """Labels on disk. One process writes; others may read at any time.

    The write-ahead log with ``synchronous=FULL`` means that a committed answer survives a killed
    process and a power cut. If the file is deleted or moved meanwhile, all labels are copied to
    another file, `lost` says so and nothing more is acknowledged.

    Parameters
    ----------
    path : str
        The database; it is created if there is none.
    items : sequence of Item
        The plan. A stored plan may be continued by a longer one that begins with it.
    grades : sequence of Grade or None
        The scale; None for the stored or default one.
    """

    def __init__(
        self, path: str, items: Sequence[Item], grades: Sequence[Grade] | None = None
    ) -> None:
        if path == ":memory:":
            raise InputError(
                "labels in memory would be lost",
                code="unusable-file",
                file=path,
                remedy="give a file name such as labels.db",
            )
        self.path, self._file = path, os.path.realpath(path)
        self.lost: InputError | None = None
        self._handle = _open(path)
        try:
            _check_regular(path, os.fstat(self._handle))
            self._base = self._connect()
            self._prepare()
            _lock(path, self._handle)
            with self.transaction():
                self._set_plan(items)
                self.grades = self._set_grades(grades)
        except sqlite3.DatabaseError as error:
            self.close()
            raise _unusable(path, error) from None
        except BaseException:
            self.close()
            raise

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._file, timeout=5.0, isolation_level=None)

    def _prepare(self) -> None:
        """Check that the file is a database of ours before changing it."""
        ours = self._base.execute("pragma application_id").fetchone()[0] == APPLICATION
        if not ours and self._base.execute("select 1 from sqlite_master").fetchone():
            raise not_ours(self.path)
        version = self._base.execute("pragma user_version").fetchone()[0]
        if ours and version != VERSION:
            raise InputError(
                f"written by another version of hungjury (format {version}, this one is {VERSION})",
                code="other-version",
                file=self.path,
                remedy="use that version to export the labels",
            )
        for setting in ("journal_mode = wal", "synchronous = full", "foreign_keys = on"):
            self._base.execute(f"pragma {setting}")
        if not ours:
            schema = files("hungjury.labelling").joinpath("schema.sql").read_text(encoding="utf-8")
            self._base.executescript(
                f"begin; {schema} pragma application_id = {APPLICATION}; "
                f"pragma user_version = {VERSION}; commit;"
            )

    def _set_plan(self, items: Sequence[Item]) -> None:
        rows = self._base.execute("select topic, document from items order by item").fetchall()
        stored = [Item(topic, document) for topic, document in rows]
        if plan_digest(stored) != plan_digest(items[: len(stored)]):
            raise InputError(
                "this database contains the labels of another plan",
                code="other-plan",
                file=self.path,
                remedy="give the plan it was started with, or another database",
            )
        new = range(len(stored), len(items))
        self._base.executemany(
            "insert into items values (?, ?, ?, ?)",
            [(i, items[i].topic, items[i].document, items[i].probability) for i in new],
        )

    def _set_grades(self, grades: Sequence[Grade] | None) -> tuple[Grade, ...]:
        row = self._base.execute("select value from about where key = 'grades'").fetchone()
        stored = None if row is None else tuple(Grade(*one) for one in json.loads(row[0]))
        if stored is not None and (grades is None or tuple(grades) == stored):
            return stored
        chosen = tuple(parse_grades(DEFAULT) if grades is None else grades)
        labelled = self._base.execute("select 1 from answers where grade is not null").fetchone()
        if stored is not None and labelled:
            before = ", ".join(f"{g.grade} {g.meaning}".strip() for g in stored)
            raise InputError(
                f'labels were given on another scale ("{before}")',
                code="other-scale",
                file=self.path,
                remedy=("leave out", Argument("grades"), "or start another database"),
            )
        text = json.dumps([[g.grade, g.meaning] for g in chosen])
        self._base.execute("insert or replace into about values ('grades', ?)", (text,))
        return chosen

    def close(self) -> None:
        """Close the database and release its lock."""
        if hasattr(self, "_base"):
            self._base.close()
        os.close(self._handle)  # last: it also releases what SQLite has locked

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write everything inside atomically, and durably when it returns."""
        self._base.execute("begin immediate")
        try:
            yield
        except BaseException:
            self._base.execute("rollback")
            raise
        self._base.execute("commit")
        if self.lost is None and not self._in_place():
            self.lost = self._rescue()
        if self.lost is not None:
            raise self.lost

    def _in_place(self) -> bool:
        """Tell whether the open file, with its log, is the one that a later process will find."""
        try:
            there = os.stat(self._file)
        except OSError:
            return False
        return os.path.samestat(there, os.fstat(self._handle)) and os.path.exists(
            f"{self._file}-wal"
        )

    def _rescue(self) -> InputError:
        """Copy all labels to a new file beside the old one, or in the temporary folder."""
        stem, ending = os.path.splitext(os.path.basename(self._file))
        for folder in (os.path.dirname(self._file), tempfile.gettempdir()):
            try:
                handle, name = tempfile.mkstemp(ending, f"{stem}-rescued-", folder)
                os.close(handle)
                with closing(sqlite3.connect(name)) as copy:
                    self._base.backup(copy)
            except (OSError, sqlite3.Error):
                continue
            said = f"all labels, with the last one, are in '{name}'"
            remedy = f"move '{name}' to this name, and start again"
            break
        else:
            said, remedy = "they could not be copied", "check the folder and disk"
        return InputError(
            f"the database was deleted, moved or replaced while it was open; {said}",
            code="database-lost",
            file=self.path,
            remedy=remedy,
        )

    def register(self, names: Sequence[str]) -> list[Person]:
        """Return the people with these names and their permanent addresses; add new ones."""
        with self.transaction():
            self._base.executemany(
                "insert or ignore into judges (name, token) values (?, ?)",
                [(name, secrets.token_urlsafe(24)) for name in names],
            )
        return [one for name in names for one in self.people() if one.name == name]

    def people(self) -> list[Person]:
        """Return everybody who ever had an address."""
        rows = self._base.execute("select judge, name, token from judges order by judge")
        return [Person(*row) for row in rows]

    def events(self) -> Iterator[Event]:
        """Yield what was dealt so far, in order, with answers that were not undone."""
        rows = self._base.execute(
            "select d.item, d.judge, d.adjudicated, a.answer, a.grade, a.reason, a.note, "
            "a.adjudicated, a.seconds from dealt d left join answers a "
            "on a.item = d.item and a.judge = d.judge and not a.undone order by d.turn"
        )
        for item, person, dealt, answer, grade, reason, note, adjudicated, seconds in rows:
            said = None if answer is None else Answer(grade, reason, note, bool(adjudicated))
            yield Event(item, person, bool(dealt), said, seconds or 0.0)

    # Call each of these inside a transaction.

    def deal(self, person: int, item: int, adjudicated: bool) -> None:
        self._base.execute(
            "insert into dealt (item, judge, adjudicated) values (?, ?, ?)",
            (item, person, adjudicated),
        )

    def answer(self, person: int, item: int, said: Answer, seconds: float) -> None:
        now = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
        self._base.execute(
            "insert into answers (item, judge, grade, reason, note, seconds, at, adjudicated) "
            "values (?, ?, ?, ?, ?, ?, ?, ?)",
            (item, person, said.grade, said.reason, said.note, seconds, now, said.adjudicated),
        )

    def take_back(self, person: int, item: int) -> None:
        self._base.execute(
            "update answers set undone = 1 where judge = ? and item = ? and not undone",
            (person, item),
        )


def _open(path: str) -> int:
    try:  # the database contains the secret parts of addresses
        return os.open(os.path.realpath(path), os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        raise InputError(
            f"cannot be opened: {error.strerror}",
            code="unreadable",
            file=path,
            remedy="check the folder",
        ) from None


LOCKED_BYTE = (1 << 30) + 4096  # after the bytes that SQLite locks, which start at 1 << 30


def _lock(path: str, handle: int) -> None:
    """Take a lock that is released when the process ends. The database stays readable.

    It is on a byte of the file itself, so it holds under every name the file gets. Take it when
    SQLite reads the database in WAL mode: before, SQLite would release it with its own locks.
    """
    import fcntl

    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, LOCKED_BYTE)
    except OSError:
        raise InputError(
            "another `hungjury label` is using this database",
            code="in-use",
            file=path,
            remedy="use its page, or stop it with Ctrl-C first",
        ) from None


def _check_regular(path: str, found: os.stat_result) -> None:
    """Refuse devices, and files with two names: SQLite finds its log by the name of the file."""
    if not stat.S_ISREG(found.st_mode):
        problem, remedy = "not a regular file, so labels would be lost", "give a file name"
    elif found.st_nlink > 1:
        problem = f"this file has {found.st_nlink} names (hard links); its log belongs to one only"
        remedy = "remove the other names, or use a symbolic link"
    else:
        return
    raise InputError(problem, code="unusable-file", file=path, remedy=remedy)


def _unusable(path: str, error: sqlite3.DatabaseError) -> InputError:
    if isinstance(error, sqlite3.OperationalError):
        return InputError(
            f"cannot be used: {error}",
            code="unreadable",
            file=path,
            remedy="check the folder and disk",
        )
    return not_ours(path)


COLUMNS = ("topic", "document", "judge", "label", "adjudicated", "seconds", "at", "note")


def all_labels(path: str, safe: bool = False) -> str:
    """Write every label that was not undone, with its judge, as CSV."""
    columns = labelled_columns(str(path), "labels")
    rows = zip(*(columns[name] for name in COLUMNS), strict=True)
    return csv_text([COLUMNS, *rows], safe)


def progress_sentence(path: str) -> str:
    """Say in one sentence how far labelling has come."""
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
