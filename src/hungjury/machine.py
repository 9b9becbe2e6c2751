"""The resources of the machine."""

from __future__ import annotations

import os

__all__ = ["cores"]


def cores() -> int:
    """The number of cores this process may use; HUNGJURY_THREADS overrides it."""
    asked = os.environ.get("HUNGJURY_THREADS", "")
    if asked.isdecimal() and int(asked) > 0:
        return int(asked)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
