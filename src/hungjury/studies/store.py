"""The results of jobs: one SQLite file, written job by job.

The rollback journal is used instead of the write-ahead log: results folders are often on
network drives, where the latter does not work. Every result is one transaction, so that a process
that is killed leaves all results it had finished, and nothing else.
"""

from __future__ import annotations

import base64
import json
import sqlite3
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hungjury.errors import InputError

__all__ = ["ResultStore", "as_text", "from_text"]

ARRAY = "__array__"
_TABLE = """
create table if not exists results (
    key text not null,
    fingerprint text not null,
    value text,
    error text,
    seconds real not null,
    primary key (key, fingerprint)
)"""


def as_text(value: object) -> str:
    """A result as text: what JSON can hold, and arrays; floats keep all their digits."""
    return json.dumps(value, default=_plain, sort_keys=True)


def from_text(text: str) -> Any:
    """The result that `as_text` wrote. Tuples come back as lists."""
    return json.loads(text, object_hook=_array)


def _plain(value: object) -> Any:
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode("ascii")
        return {ARRAY: data, "dtype": value.dtype.str, "shape": list(value.shape)}
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(
        f"a {type(value).__name__} cannot be stored: results are made of dictionaries, lists, "
        "text, numbers and arrays of numbers"
    )


def _array(found: dict[str, Any]) -> Any:
    if ARRAY not in found:
        return found
    values = np.frombuffer(base64.b64decode(found[ARRAY]), dtype=found["dtype"])
    return values.reshape(found["shape"]).copy()


class ResultStore:
    """Results by key and fingerprint; results under other fingerprints are kept.

    While a store is open no other process can open it: two studies in one folder would do the work
    twice.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._base = sqlite3.connect(self.path, timeout=0.0, isolation_level=None)
        except (OSError, sqlite3.OperationalError) as error:
            raise InputError(
                f"cannot be opened: {error}",
                code="unwritable-file",
                file=str(path),
                remedy="check the folder",
            ) from None
        try:
            self._base.execute("pragma locking_mode = exclusive")
            self._base.execute("begin exclusive")
            self._base.execute(_TABLE)
            self._base.execute("commit")
        except sqlite3.DatabaseError as error:
            self._base.close()
            raise self._refused(error) from None

    def _refused(self, error: sqlite3.DatabaseError) -> InputError:
        if "locked" in str(error):
            return InputError(
                "another study is writing its results here",
                code="in-use",
                file=str(self.path),
                remedy="wait for it to end, or choose another folder",
            )
        return InputError(
            f"not a writable results file: {error}",
            code="damaged-store",
            file=str(self.path),
            remedy="move it away, or choose another folder",
        )

    def __enter__(self) -> ResultStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._base.close()

    def finished(self, wanted: Mapping[str, str]) -> set[str]:
        """Those of the wanted {key: fingerprint} that have a result; failures are none."""
        rows = self._base.execute("select key, fingerprint from results where error is null")
        return {key for key, fingerprint in rows if wanted.get(key) == fingerprint}

    def outdated(self, wanted: Mapping[str, str], current: Collection[str] = ()) -> set[str]:
        """Those of the wanted keys that have a result under another fingerprint only. `current`
        fingerprints are not counted: they belong to the same study."""
        rows = self._base.execute("select key, fingerprint from results where error is null")
        found = {key for key, fingerprint in rows if key in wanted and fingerprint not in current}
        return found - self.finished(wanted)

    def put(
        self, key: str, fingerprint: str, value: str | None, error: str | None, seconds: float
    ) -> None:
        """Store a result (as text) or an error, durably."""
        self._base.execute(
            "insert or replace into results values (?, ?, ?, ?, ?)",
            (key, fingerprint, value, error, seconds),
        )

    def values(self, wanted: Mapping[str, str]) -> dict[str, Any]:
        """The available results of the wanted {key: fingerprint}, in that order."""
        out = {}
        for key, fingerprint in wanted.items():
            row = self._base.execute(
                "select value from results where key = ? and fingerprint = ? and error is null",
                (key, fingerprint),
            ).fetchone()
            if row is not None:
                out[key] = from_text(row[0])
        return out
