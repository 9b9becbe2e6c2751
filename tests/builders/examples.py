"""How many examples tests of properties try: `make test-all` more than `make test`."""

from __future__ import annotations

import os
from typing import Any

from hypothesis import settings

SHARE = float(os.environ.get("EXAMPLES", "0.5"))  # of the numbers that tests ask for
LEAST = 5


def share_of(number: int) -> int:
    return max(min(number, LEAST), round(number * SHARE))


def examples(number: int, **more: Any) -> settings:
    """Hypothesis tries this many examples in a run of usual depth, fewer in a quick one."""
    return settings(max_examples=share_of(number), **more)
