"""How a result was made: typed settings that every result carries as `settings`."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any, TypeVar

from hungjury.choices import (
    Contrary,
    Duplicates,
    GoldDesign,
    GoldEstimate,
    Missing,
    Orientation,
    Outside,
    Prior,
    Scope,
    ScorePrecision,
    Ties,
    Undefined,
    Unjudged,
)

__all__ = [
    "TYPICAL_PANEL_ERROR",
    "AwareSettings",
    "JudgeSettings",
    "LabelSettings",
    "LeaderboardSettings",
    "MergeSettings",
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
class JudgeSettings(LabelSettings):
    """How the labels of several judges were looked at."""

    rel: int | None = None  # lowest relevant grade, where labels were taken as binary


@dataclass(frozen=True, kw_only=True)
class MergeSettings(JudgeSettings):
    """How the labels of several judges were merged."""

    merge: str
    scope: Scope = "topic"
    seed: int | None = None  # None where a generator was given


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


@dataclass(frozen=True, kw_only=True)
class AwareSettings(ScoreSettings):
    """How the scores under several judges were combined."""

    weights: str
    orientation: Orientation = "dissimilarity"
    rel: int | None = None
    replicates: int | None = None  # random judges of each class, where the weights need them
    seed: int | None = None


@dataclass(frozen=True, kw_only=True)
class LeaderboardSettings(ScoreSettings):
    """How a leaderboard was made."""

    judges: int
    draws: int
    seed: int
    level: float
    rel: int | None = None
    scope: Scope = "topic"
    panel_error: float = 0.0  # in units of the measure's range
    prior: Prior = "ranks"
    contrary: Contrary = "drop"
    families: int = 0  # that vote
    gold_design: GoldDesign | None = None  # how documents with gold labels were chosen
    estimate: GoldEstimate = "combined"
