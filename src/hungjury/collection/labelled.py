"""Labels from the database of `hungjury label`, even while people are labelling."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from hungjury.errors import InputError

if TYPE_CHECKING:
    from sqlite3 import Connection

__all__ = ["APPLICATION", "MAGIC", "VERSION", "labelled_columns", "not_ours", "open_labels"]

MAGIC = b"SQLite format 3\x00"
APPLICATION = 0x68756E67  # "hung", in the file's header
VERSION = 1


def not_ours(path: str) -> InputError:
    """The error for a database of another program."""
    return InputError(
        "this is not a database of labels",
        code="not-labels",
        file=path,
        remedy="give one that hungjury label wrote",
    )


@contextmanager
def open_labels(path: str) -> Iterator[Connection]:
    """Open the database for reading."""
    import sqlite3
    from pathlib import Path

    if not Path(path).is_file():
        raise InputError("no such file", code="no-file", file=str(path), remedy="check the path")
    # Without a log no process is writing: then open it immutable, which works on read-only disks
    # and leaves no empty log behind.
    how = "mode=ro" if Path(f"{path}-wal").exists() else "immutable=1"
    try:
        with closing(sqlite3.connect(f"{Path(path).resolve().as_uri()}?{how}", uri=True)) as base:
            if base.execute("pragma application_id").fetchone()[0] != APPLICATION:
                raise not_ours(str(path))
            yield base
    except sqlite3.OperationalError as error:
        raise InputError(
            f"cannot be read: {error}", code="unreadable", file=str(path), remedy="check the folder"
        ) from None
    except sqlite3.DatabaseError:
        raise not_ours(str(path)) from None


def labelled_columns(path: str, view: str) -> dict[str, list[object]]:
    """The columns of a view: `gold` has the label that counts, `labels` one row per person."""
    with open_labels(path) as base:
        found = base.execute(f"select * from {view}")
        names = [column[0] for column in found.description]
        rows = found.fetchall()
    if not rows:
        raise InputError(
            "nothing has been labelled yet",
            code="no-label",
            file=str(path),
            remedy="label some documents first",
        )
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}
