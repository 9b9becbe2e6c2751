"""The database of labels: one SQLite file; answers are on disk before they are acknowledged."""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import datetime, timezone
from importlib.resources import files

from hungjury.base.errors import Argument, InputError, plural
from hungjury.base.records import Record
from hungjury.data.reading import formats
from hungjury.data.reading.sources import Source
from hungjury.labelling.items import DEFAULT, Answer, DocumentList, Grade, Item, parse_grades

MOST_PROBLEMS = 20  # that an error lists
LONGEST_LOG = 4 << 20  # bytes; longer ones are moved to the database


class Person(Record):
    """A person who labels, with the secret part of their address."""

    number: int
    name: str
    token: str


class LabelGiven(Record):
    """A label that somebody gave elsewhere."""

    item: Item
    judge: str
    grade: float
    adjudicated: bool = False
    seconds: float = 0.0
    at: str = ""
    note: str = ""


class LabelStore:
    """Labels on disk. One process writes; others may read at any time.

    The write-ahead log with ``synchronous=FULL`` means that a committed answer survives a killed
    process and a power cut. Everything is also kept in memory: if the file is deleted, moved or
    overwritten meanwhile, all labels are written to another file, `lost` says so and nothing more
    is acknowledged.

    Parameters
    ----------
    path : str
        The database; it is created if there is none.
    documents : DocumentList or None
        The plan that is labelled now, added to those that are stored; None for all of these.
    grades : sequence of Grade or None
        The scale; None for the stored or default one.

    Attributes
    ----------
    items : list of Item
        All documents, of all plans.
    order : list of int
        The positions of those that are labelled now, in the plan's order.
    lost : InputError or None
        Why nothing more is stored.
    rescued : str
        The file that the labels of a lost database are in; "" if none could be written.
    """

    def __init__(
        self,
        path: str,
        documents: DocumentList | None = None,
        grades: Sequence[Grade] | None = None,
    ) -> None:
        if path == ":memory:":
            remedy = "give a file name such as labels.db"
            raise Source(path).error("labels in memory would be lost", "unusable-file", remedy)
        self.path, self._file = path, os.path.realpath(path)
        self.lost: InputError | None = None
        self.rescued = ""
        self._left: _State | None = None  # the files after our last write
        _check_log(path, self._file)
        try:  # the database contains the secret parts of addresses
            self._handle = os.open(self._file, os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as error:
            problem = f"cannot be opened: {error.strerror}"
            raise Source(path).error(problem, "unreadable", "check the folder") from None
        try:
            _check_regular(path, os.fstat(self._handle))
            self._base = sqlite3.connect(self._file, timeout=5.0, isolation_level=None)
            self._prepare()
            _lock(path, self._handle)
            self._memory = sqlite3.connect(":memory:", isolation_level=None)
            self._base.backup(self._memory)
            self._left = _State.of(self._file)
            with self.transaction():
                self._set_plan(documents)
                self.grades = self._set_grades(grades)
        except BaseException as error:
            self.close()
            if isinstance(error, sqlite3.OperationalError):
                problem, remedy = f"cannot be used: {error}", "check the folder and disk"
                raise Source(path).error(problem, "unreadable", remedy) from None
            if isinstance(error, sqlite3.DatabaseError):
                raise formats.not_ours(path) from None
            raise

    def _prepare(self) -> None:
        """Check that the file is a database of ours before changing it."""
        ours = self._base.execute("pragma application_id").fetchone()[0] == formats.APPLICATION
        if not ours and self._base.execute("select 1 from sqlite_master").fetchone():
            raise formats.not_ours(self.path)
        version = self._base.execute("pragma user_version").fetchone()[0]
        if ours and version != formats.VERSION:
            problem = f"written by another version of hungjury (format {version}, this one is {{}})"
            remedy = "use that version to export the labels"
            raise Source(self.path).error(problem.format(formats.VERSION), "other-version", remedy)
        # Without automatic checkpoints only `_settle` writes to the database itself.
        settings = ("journal_mode = wal", "synchronous = full", "foreign_keys = on")
        for setting in (*settings, "wal_autocheckpoint = 0"):
            self._base.execute(f"pragma {setting}")
        if not ours:
            schema = files("hungjury.labelling").joinpath("schema.sql").read_text(encoding="utf-8")
            self._base.executescript(
                f"begin; {schema} pragma application_id = {formats.APPLICATION}; "
                f"pragma user_version = {formats.VERSION}; commit;"
            )

    def _set_plan(self, given: DocumentList | None) -> None:
        rows = self._memory.execute("select topic, document, plan from items order by item")
        stored = rows.fetchall()
        self.items = [Item(topic, document) for topic, document, _ in stored]
        self.order = [i for i, (*_, plan) in enumerate(stored) if plan is not None]
        if given is None:
            return
        self._write(
            "insert or ignore into plans (digest, name, text, at) values (?, ?, ?, ?)",
            (given.digest, given.name, given.text, _now()),
        )
        found = self._memory.execute("select plan from plans where digest = ?", (given.digest,))
        self.order = self._positions(given.items, *found.fetchone())

    def _positions(self, items: Sequence[Item], plan: int | None) -> list[int]:
        """Return where documents are stored; new ones come last, as those of a plan if given."""
        place = {item: i for i, item in enumerate(self.items)}
        for item in items:
            if place.setdefault(item, len(self.items)) == len(self.items):
                row = (len(self.items), item.topic, item.document, plan)
                self._write("insert into items values (?, ?, ?, ?)", row)
                self.items.append(item)
        return [place[item] for item in items]

    def _set_grades(self, grades: Sequence[Grade] | None) -> tuple[Grade, ...]:
        row = self._memory.execute("select value from about where key = 'grades'").fetchone()
        stored = None if row is None else tuple(Grade(*one) for one in json.loads(row[0]))
        if stored is not None and (grades is None or tuple(grades) == stored):
            return stored
        chosen = tuple(parse_grades(DEFAULT) if grades is None else grades)
        labelled = self._memory.execute("select 1 from answers where grade is not null").fetchone()
        if stored is not None and labelled:
            before = ", ".join(f"{g.grade} {g.meaning}".strip() for g in stored)
            said = f'labels were given on another scale ("{before}")'
            remedy = ("leave out", Argument("grades"), "or start another database")
            raise Source(self.path).error(said, "other-scale", remedy)
        text = json.dumps([[g.grade, g.meaning] for g in chosen])
        self._write("insert or replace into about values ('grades', ?)", (text,))
        return chosen

    def close(self) -> None:
        """Close the database and release its lock. If it was lost, write the labels elsewhere."""
        if self._left is not None:
            with suppress(InputError):
                self.check()
        if hasattr(self, "_base"):
            self._base.close()
        os.close(self._handle)  # last: it also releases what SQLite has locked

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write everything inside atomically, and durably when it returns."""
        self.check()
        both = (self._base, self._memory)
        try:
            for one in both:
                one.execute("begin immediate")
            yield
            for one in both:
                one.execute("commit")
        finally:
            for one in both:
                if one.in_transaction:
                    one.execute("rollback")
            self._settle()
        self.check()

    def _write(self, statement: str, *rows: Sequence[object]) -> None:
        """Execute a statement for each row, in the file and in memory."""
        for one in (self._base, self._memory):
            one.executemany(statement, rows)

    def check(self) -> None:
        """Raise `lost` if the files are not as this process has left them."""
        if not self.rescued and (self.lost is not None or _State.of(self._file) != self._left):
            self.lost = self._rescue()
        if self.lost is not None:
            raise self.lost

    def _settle(self) -> None:
        """Take the log as it is after a transaction of ours; move a long one to the database."""
        found = _State.of(self._file)
        if self._left is not None and found.same_database(self._left):
            self._left = found
            if found.log_bytes > LONGEST_LOG:
                with suppress(sqlite3.Error):  # what is in the log is stored already
                    self._base.execute("pragma wal_checkpoint(passive)")
                self._left = _State.of(self._file)

    def _rescue(self) -> InputError:
        """Write all labels to a new file beside the old one, or in the temporary folder."""
        stem, ending = os.path.splitext(os.path.basename(self._file))
        for folder in (os.path.dirname(self._file), tempfile.gettempdir()):
            try:
                handle, name = tempfile.mkstemp(ending, f"{stem}-rescued-", folder)
            except OSError:
                continue
            os.close(handle)
            try:
                with closing(sqlite3.connect(name)) as copy:
                    self._memory.backup(copy)
            except sqlite3.Error:
                os.unlink(name)
                continue
            self.rescued = name
            said = f"all labels stored so far are in '{name}'"
            remedy = f"move '{name}' to this name, and start again"
            break
        else:
            said = "its labels could not be written elsewhere, so they are only in memory"
            remedy = "free disk space before you stop this process; it tries again at each request"
        problem = f"the database was deleted, moved, replaced or overwritten while open; {said}"
        return Source(self.path).error(problem, "database-lost", remedy)

    def register(self, names: Sequence[str]) -> list[Person]:
        """Return the people with these names and their permanent addresses; add new ones."""
        with self.transaction():
            self._add_people(names)
        return [one for name in names for one in self.people() if one.name == name]

    def _add_people(self, names: Sequence[str]) -> None:
        self._write(
            "insert or ignore into judges (name, token) values (?, ?)",
            *((name, secrets.token_urlsafe(24)) for name in names),
        )

    def people(self) -> list[Person]:
        """Return everybody who ever had an address."""
        rows = self._memory.execute("select judge, name, token from judges order by judge")
        return [Person(*row) for row in rows]

    def events(self) -> Iterator[tuple[int, int, bool, Answer | None, float]]:
        """Yield what was dealt so far, in order: item, person, whether it is to be adjudicated, the
        answer if it was not undone, and its seconds."""
        rows = self._memory.execute(
            "select item, judge, adjudicated, answer, grade, reason, note, seconds from dealt "
            "left join (select * from answers where not undone) using (item, judge, adjudicated) "
            "order by turn"
        )
        for item, person, adjudicated, answer, grade, reason, note, seconds in rows:
            said = None if answer is None else Answer(grade, reason, note)
            yield item, person, bool(adjudicated), said, seconds or 0.0

    def bring_in(self, labels: Sequence[LabelGiven]) -> int:
        """Store labels that were given elsewhere, all of them or none; return how many are new.

        Nothing is replaced: a person's label that is stored and another one are a conflict.
        """
        known = {one.grade for one in self.grades}
        problems, new = [], 0
        with self.transaction():
            self._add_people([one.judge for one in labels])
            people = {one.name: one for one in self.people()}
            places = self._positions([one.item for one in labels], None)
            for one, item in zip(labels, places, strict=True):
                person = people[one.judge].number
                key = (item, person, one.adjudicated)
                before = self._memory.execute(
                    "select grade from answers where (item, judge, adjudicated) = (?, ?, ?) "
                    "and not undone", key,
                ).fetchone()  # fmt: skip
                what = f"{one.judge}, topic {one.item.topic}, document {one.item.document}"
                if one.grade not in known:
                    problems.append(f"{what}: {one.grade:g} is not one of the grades")
                elif before is None:
                    self.deal(person, item, one.adjudicated)
                    said = Answer(int(one.grade), note=one.note)
                    self.answer(person, item, said, one.seconds, one.adjudicated, one.at)
                    new += 1
                elif before[0] != one.grade:
                    stored = "a skip" if before[0] is None else before[0]
                    problems.append(f"{what}: {one.grade:g}, but {stored} is stored")
            if problems:
                listed = "".join(f"\n  {text}" for text in problems[:MOST_PROBLEMS])
                more = len(problems) - MOST_PROBLEMS
                listed += f"\n  and {more:,} more" if more > 0 else ""
                problem = f"{plural(len(problems), 'label')} cannot be stored:{listed}"
                remedy = "fix or remove these labels; nothing was stored"
                raise Source(self.path).error(problem, "conflicting-labels", remedy)
        return new

    # Call each of these inside a transaction.

    def deal(self, person: int, item: int, adjudicated: bool) -> None:
        self._write(
            "insert or ignore into dealt (item, judge, adjudicated) values (?, ?, ?)",
            (item, person, adjudicated),
        )

    def answer(
        self, person: int, item: int, said: Answer, seconds: float, adjudicated: bool, at: str = ""
    ) -> None:
        self._write(
            "insert into answers (item, judge, grade, reason, note, seconds, at, adjudicated) "
            "values (?, ?, ?, ?, ?, ?, ?, ?)",
            (item, person, said.grade, said.reason, said.note, seconds, at or _now(), adjudicated),
        )

    def take_back(self, person: int, item: int, adjudicated: bool) -> None:
        self._write(
            "update answers set undone = 1 where (judge, item, adjudicated) = (?, ?, ?) "
            "and not undone",
            (person, item, adjudicated),
        )


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")


class _State(Record):
    """What tells the contents of a database and its log apart, as found by name: device, file,
    size and time of the last change; None for a file that is not there."""

    database: tuple[int, ...] | None
    log: tuple[int, ...] | None

    @classmethod
    def of(cls, file: str) -> _State:
        return cls(_identity(file), _identity(f"{file}-wal"))

    @property
    def log_bytes(self) -> int:
        return self.log[2] if self.log else 0

    def same_database(self, other: _State) -> bool:
        """Tell whether the database is unchanged and has the same log, of whatever contents."""
        logs = (self.log or ())[:2], (other.log or ())[:2]
        return self.database == other.database and logs[0] == logs[1]


def _identity(file: str) -> tuple[int, ...] | None:
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


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
        problem = "another `hungjury label` is using this database"
        remedy = "use its page, or stop it with Ctrl-C first"
        raise Source(path).error(problem, "in-use", remedy) from None


def _check_log(path: str, file: str) -> None:
    """Refuse an empty or missing database that has a log: SQLite would delete the log."""
    left = _State.of(file)
    if left.log_bytes and not (left.database and left.database[2]):
        how = "is empty" if left.database else "was deleted"
        problem = f"the database {how}, but its log '{path}-wal' has labels in it"
        remedy = "put a copy of the database beside its log, or remove the log to start anew"
        raise Source(path).error(problem, "database-lost", remedy)


def _check_regular(path: str, found: os.stat_result) -> None:
    """Refuse devices, and files with two names: SQLite finds its log by the name of the file."""
    if not stat.S_ISREG(found.st_mode):
        problem, remedy = "not a regular file, so labels would be lost", "give a file name"
    elif found.st_nlink > 1:
        problem = f"this file has {found.st_nlink} names (hard links); its log belongs to one only"
        remedy = "remove the other names, or use a symbolic link"
    else:
        return
    raise Source(path).error(problem, "unusable-file", remedy)
