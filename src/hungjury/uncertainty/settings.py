"""How a leaderboard was made."""

from __future__ import annotations

from hungjury.choices import Contrary, GoldDesign, GoldEstimate, Prior, Scope
from hungjury.settings import ScoreSettings

__all__ = ["LeaderboardSettings"]


class LeaderboardSettings(ScoreSettings, kw_only=True):
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
