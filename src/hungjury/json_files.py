"""Read JSON files strictly: finite numbers, no repeated keys."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from hungjury.errors import InputError

__all__ = ["once", "read_json"]


def read_json(path: str, what: str, remedy: str) -> Any:
    """Read a JSON file whose numbers are finite and whose keys differ.

    Parameters
    ----------
    path : str
        The file.
    what : str
        What it should be, such as "a user model".
    remedy : str
        How such a file is made.
    """
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file, parse_constant=_not_finite, object_pairs_hook=once)
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}",
            code="unreadable-file",
            file=path,
            remedy="check the path",
        ) from None
    except (ValueError, RecursionError) as error:  # also text that is not UTF-8, or nested deeply
        reason = getattr(error, "msg", None) or str(error)
        raise InputError(
            f"not {what}: {reason}", code="invalid-file", file=path, remedy=remedy
        ) from None


def _not_finite(name: str) -> NoReturn:
    raise ValueError(f"it holds {name}")


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys differ: of two values under one key, one would be lost."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} appears twice")
    return found
