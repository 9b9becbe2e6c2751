"""Facts about the machine that a reader needs; nothing that identifies its owner."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

__all__ = ["machine_facts", "versions"]

PACKAGES = ("hungjury", "numpy", "scipy", "pytrec_eval-terrier", "ir_measures", "ranx", "numba")


def machine_facts() -> dict[str, str]:
    facts = {
        "date": datetime.date.today().isoformat(),
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": str(_cores()),
        "memory": _memory(),
    }
    if hasattr(os, "getloadavg"):  # how busy it was with other things
        facts["load at the start"] = f"{os.getloadavg()[0]:.2f}"
    return {key: value for key, value in facts.items() if value}


def versions(more: Iterable[str] = ()) -> dict[str, str]:
    """Versions of Python and of the packages that are installed."""
    found = {"Python": platform.python_version()}
    for name in dict.fromkeys([*PACKAGES, *more]):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _processor() -> str:
    return _line_of("/proc/cpuinfo", "model name") or platform.processor()


def _memory() -> str:
    kilobytes = _line_of("/proc/meminfo", "MemTotal").split()
    return f"{int(kilobytes[0]) / 1e6:.0f} GB" if kilobytes else ""


def _line_of(file: str, key: str) -> str:
    """The value of a ``key: value`` line of a file of the system, empty without."""
    path = Path(file)
    if not path.is_file():
        return ""
    for line in path.read_text(encoding="utf-8").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == key:
            return value.strip()
    return ""
