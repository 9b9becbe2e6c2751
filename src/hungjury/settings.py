"""How a result was made: typed settings that every result carries as `settings`.

Settings that only one room needs are there, in a `settings.py` of its own.
"""

from __future__ import annotations

from dataclasses import asdict, field, fields
from typing import Any, TypeVar

from hungjury.choices import (
    Duplicates,
    Missing,
    Outside,
    ScorePrecision,
    Ties,
    Undefined,
    Unjudged,
)
from hungjury.records import Record

__all__ = [
    "TYPICAL_PANEL_ERROR",
    "LabelSettings",
    "ScoreSettings",
    "Settings",
]

TYPICAL_PANEL_ERROR = 0.035  # typical of LLM judges, of the measure's range: docs/leaderboard.md

S = TypeVar("S", bound="Settings")


class Settings(Record, kw_only=True):
    """Base of all settings."""

    def to_dict(self) -> dict[str, Any]:
        """The fields; settings inside settings become dictionaries."""
        return asdict(self)

    def extend(self, kind: type[S], **more: Any) -> S:
        """Settings of a kind that has these fields and more."""
        return kind(**{f.name: getattr(self, f.name) for f in fields(self)}, **more)


class LabelSettings(Settings, kw_only=True):
    """How labels were read."""

    duplicates: Duplicates = "error"
    grades: tuple[int, ...] = ()
    outside: Outside = "error"
    scaling: str | None = None
    map: str | None = None  # new labels for old ones
    missing: Missing = "error"
    only: tuple[str, ...] = ()  # patterns for the names of judges
    without: tuple[str, ...] = ()


class ScoreSettings(Settings, kw_only=True):
    """How runs were scored."""

    ties: Ties = "trec"
    score_precision: ScorePrecision = "double"
    topics: str = "judged"
    undefined: Undefined = "zero"
    unjudged: Unjudged = "nonrelevant"
    depth: int | None = None
    labels: LabelSettings = field(default_factory=LabelSettings)
