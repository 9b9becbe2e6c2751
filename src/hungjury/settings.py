"""How a result was made: typed settings that every result carries as `settings`.

Settings that only one room needs are there, in a `settings.py` of its own.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
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

__all__ = [
    "TYPICAL_PANEL_ERROR",
    "LabelSettings",
    "ScoreSettings",
    "Settings",
]

TYPICAL_PANEL_ERROR = 0.035  # typical of LLM judges, of the measure's range: docs/leaderboard.md

S = TypeVar("S", bound="Settings")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Base of all settings."""

    def to_dict(self) -> dict[str, Any]:
        """The fields; settings inside settings become dictionaries."""
        return asdict(self)

    def extend(self, kind: type[S], **more: Any) -> S:
        """Settings of a kind that has these fields and more."""
        return kind(**{f.name: getattr(self, f.name) for f in fields(self)}, **more)


@dataclass(frozen=True, kw_only=True)
class LabelSettings(Settings):
    """How labels were read."""

    duplicates: Duplicates = "error"
    grades: tuple[int, ...] = ()
    outside: Outside = "error"
    scaling: str | None = None
    map: str | None = None  # new labels for old ones
    missing: Missing = "error"
    only: tuple[str, ...] = ()  # patterns for the names of judges
    without: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ScoreSettings(Settings):
    """How runs were scored."""

    ties: Ties = "trec"
    score_precision: ScorePrecision = "double"
    topics: str = "judged"
    undefined: Undefined = "zero"
    unjudged: Unjudged = "nonrelevant"
    depth: int | None = None
    labels: LabelSettings = field(default_factory=LabelSettings)
