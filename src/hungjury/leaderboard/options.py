"""The options of a leaderboard."""

from __future__ import annotations

from hungjury.base.choices import Contrary, GoldDesign, GoldEstimate, Prior, Scope, Target
from hungjury.base.records import TYPICAL_PANEL_ERROR, Record
from hungjury.judges.families import Families
from hungjury.judges.merge_types import Merge
from hungjury.measures.catalogue import Measure

__all__ = ["BoardOptions"]


class BoardOptions(Record, kw_only=True):
    """What every step from a panel to a leaderboard is told."""

    measure: Measure
    merge: Merge
    rel: int | None = None
    target: Target = "population"
    draws: int = 1000
    seed: int = 0
    gold_design: GoldDesign | None = None
    estimate: GoldEstimate = "combined"
    looks: tuple[int, ...] = ()
    panel_error: float = TYPICAL_PANEL_ERROR
    scope: Scope = "topic"
    prior: Prior = "ranks"
    contrary: Contrary = "drop"
    families: Families = None
    level: float = 0.95
    replicates: int = 1000
    outlook: bool = True
