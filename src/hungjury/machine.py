"""What the machine offers."""

from __future__ import annotations

import os

__all__ = ["cores"]


def cores() -> int:
    """Cores this process may use; HUNGJURY_THREADS says otherwise."""
    asked = os.environ.get("HUNGJURY_THREADS", "")
    if asked.isdecimal() and int(asked) > 0:
        return int(asked)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
