"""``python -m benchmarks.timings [NAME ...]``: run some timings, or all, one after the other."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pkgutil import iter_modules

from benchmarks import timings


def main(arguments: Sequence[str] | None = None) -> int:
    known = sorted(m.name for m in iter_modules(timings.__path__) if m.name != "__main__")
    parser = argparse.ArgumentParser(prog="python -m benchmarks.timings", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"from {', '.join(known)}")
    asked = parser.parse_args(arguments).names or known
    for name in asked:
        if name not in known:
            parser.error(f"unknown timing '{name}': choose from {', '.join(known)}")
    failed = False
    for name in asked:
        print(f"\n== {name}", flush=True)
        command = [sys.executable, "-m", f"{timings.__name__}.{name}"]
        failed = subprocess.run(command, check=False).returncode != 0 or failed
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
