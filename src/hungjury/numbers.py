"""Numbers written as text, read by one rule in every reader: ASCII digits, decimal, finite.

The native readers follow the same rule (`native/numbers.h`). Python's own ``float`` and ``int``
also take ``1_000``, ``nan``, ``１`` and blanks, which other tools read differently or not at all.
"""

from __future__ import annotations

import math
import re

__all__ = ["decimal_of", "integer_of"]

_INTEGER = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def decimal_of(text: str) -> float | None:
    """Read a finite decimal number, or return None.

    Examples
    --------
    >>> decimal_of("1e-3"), decimal_of("nan"), decimal_of("1_000")
    (0.001, None, None)
    """
    if _DECIMAL.fullmatch(text) is None:
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def integer_of(text: str) -> int | None:
    """Read an integer, or return None.

    Examples
    --------
    >>> integer_of("007"), integer_of("1.0"), integer_of("-3")
    (7, None, -3)
    """
    return int(text) if len(text) < 1000 and _INTEGER.fullmatch(text) is not None else None
