"""Settings of analyses and merges of several judges."""

from __future__ import annotations

from dataclasses import dataclass

from hungjury.choices import Orientation, Scope
from hungjury.settings import LabelSettings, ScoreSettings

__all__ = ["AwareSettings", "JudgeSettings", "MergeSettings"]


@dataclass(frozen=True, kw_only=True)
class JudgeSettings(LabelSettings):
    """How the labels of several judges were analysed."""

    rel: int | None = None  # lowest relevant grade, where labels were taken as binary


@dataclass(frozen=True, kw_only=True)
class MergeSettings(JudgeSettings):
    """How the labels of several judges were merged."""

    merge: str
    scope: Scope = "topic"
    seed: int | None = None  # None where a generator was given


@dataclass(frozen=True, kw_only=True)
class AwareSettings(ScoreSettings):
    """How the scores under several judges were combined."""

    weights: str
    orientation: Orientation = "dissimilarity"
    rel: int | None = None
    replicates: int | None = None  # random judges of each class, where the weights need them
    seed: int | None = None
