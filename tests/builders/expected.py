"""Complete expected texts, kept in files: what a test makes is compared with them whole.

After a change that is meant, `EXPECTED=write pytest tests/report` writes them anew; look at what
git says has changed.
"""

from __future__ import annotations

import os
from pathlib import Path

WRITE = os.environ.get("EXPECTED") == "write"
HEAD = "=== "


def read_expected(path: Path) -> dict[str, str]:
    """The texts of a file by their names, each below a line with its name."""
    if not path.exists():
        return {}
    parts = path.read_text(encoding="utf-8").split(f"\n{HEAD}")
    named = (part.removeprefix(HEAD).partition("\n") for part in parts)
    return {name: text.rstrip("\n") for name, _, text in named}


def assert_expected(path: Path, name: str, text: str) -> None:
    """Compare a text with the one that a file has under a name."""
    text = "\n".join(line.rstrip() for line in text.rstrip("\n").split("\n"))
    known = read_expected(path)
    if WRITE:
        known[name] = text
        path.parent.mkdir(exist_ok=True)
        told = "\n\n".join(f"{HEAD}{one}\n{known[one]}" for one in sorted(known))
        path.write_text(f"{told}\n", encoding="utf-8")
    assert text.splitlines() == known.get(name, "").splitlines()
