"""Upper limits of numbers that users choose.

A larger number is most likely a typo: it would fill memory, run for days or not fit into the
integers it is stored in. Commands state them in their help.
"""

from __future__ import annotations

import operator
from numbers import Real
from typing import Any

from hungjury.errors import InputError

__all__ = [
    "MOST_DRAWS",
    "MOST_FEATURES",
    "MOST_GRADE",
    "MOST_LABELS",
    "MOST_LEAVES",
    "MOST_MARGIN",
    "MOST_RANKS",
    "MOST_RANKS_OF_A_PAGE",
    "MOST_SAMPLES",
    "MOST_SEED",
    "MOST_SMOOTHING",
    "MOST_TREES",
    "MOST_WORKERS",
    "check_count",
    "check_share",
]

MOST_GRADE = 1000
MOST_RANKS = 2**31 - 1  # of a list; ranks are stored in 32 bits
MOST_RANKS_OF_A_PAGE = 1000  # a user model holds a table of ranks by ranks
MOST_DRAWS = 100_000  # of labels, each scored for every system and topic
MOST_SAMPLES = 1_000_000  # of a resampling test
MOST_LABELS = 2**31 - 1
MOST_SEED = 2**63 - 1
MOST_SMOOTHING = 1e6
MOST_MARGIN = 1e6  # of a difference between means
MOST_TREES = 100_000
MOST_LEAVES = 131_072  # LightGBM's own bound
MOST_FEATURES = 100_000
MOST_WORKERS = 10_000


def check_count(name: str, value: Any, least: int, most: int) -> int:
    """Check an argument that is a count.

    Parameters
    ----------
    name : str
        The argument, for the error.
    value : object
        The given value.
    least, most : int
        The accepted range, both ends included.

    Returns
    -------
    int
        The value.

    Examples
    --------
    >>> check_count("draws", 1000, 1, MOST_DRAWS)
    1000
    """
    try:
        found = operator.index(value)
    except TypeError:
        found = None
    if found is None or not least <= found <= most or isinstance(value, bool):
        raise InputError(
            f"{name} must be an integer from {least:,} to {most:,}, got {value!r}",
            code="out-of-range",
            argument=name,
            remedy=f"choose {name} in that range",
        )
    return found


def check_share(name: str, value: object) -> None:
    """Check a level or a probability strictly between 0 and 1.

    Parameters
    ----------
    name : str
        The argument, for the error.
    value : object
        The given value.

    Examples
    --------
    >>> check_share("level", 0.95)
    """
    if not (isinstance(value, Real) and 0 < float(value) < 1):
        raise InputError(
            f"{name} is {value}",
            code="out-of-range",
            argument=name,
            remedy=f"{name} must be between 0 and 1, both excluded",
        )
