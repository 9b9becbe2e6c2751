"""Where things are: the project, its pages, its tests, and reference data beside it."""

from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
DOCS = ROOT / "docs"
SHARED = ROOT.parent / "shared" / "data"
