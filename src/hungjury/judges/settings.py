"""Settings of analyses and merges of several judges."""

from __future__ import annotations

from hungjury.choices import Orientation, Scope
from hungjury.settings import LabelSettings, ScoreSettings

__all__ = ["AwareSettings", "JudgeSettings", "MergeSettings"]


class JudgeSettings(LabelSettings, kw_only=True):
    """How the labels of several judges were analysed."""

    rel: int | None = None  # lowest relevant grade, where labels were taken as binary


class MergeSettings(JudgeSettings, kw_only=True):
    """How the labels of several judges were merged."""

    merge: str
    scope: Scope = "topic"
    seed: int | None = None  # None where a generator was given


class AwareSettings(ScoreSettings, kw_only=True):
    """How the scores under several judges were combined."""

    weights: str
    orientation: Orientation = "dissimilarity"
    rel: int | None = None
    replicates: int | None = None  # random judges of each class, where the weights need them
    seed: int | None = None
