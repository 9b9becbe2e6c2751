"""hungjury: retrieval evaluation for when the judges disagree.

Names are imported when they are first used, so that ``import hungjury`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hungjury.assessors.agreement import agreement
    from hungjury.assessors.aware import aware
    from hungjury.assessors.comparison import compare_all
    from hungjury.assessors.merging import merge
    from hungjury.assessors.prm import prm, prm_scenarios
    from hungjury.catalogue import Measure, measure, measures
    from hungjury.collection.audit import audit
    from hungjury.collection.judgments import Judgments, read_judgments
    from hungjury.collection.qrels import Qrels, read_qrels
    from hungjury.collection.runs import Runs, read_runs
    from hungjury.collection.simulate import simulate
    from hungjury.errors import HungjuryError
    from hungjury.evaluation import evaluate, precision_recall, score_list
    from hungjury.scores import Scores
    from hungjury.stats import kendall, rbo, rmse, tau_ap
    from hungjury.theory import axiom_table, balancing_index, check_axioms, compare_lists
    from hungjury.uncertainty.leaderboard import leaderboard
    from hungjury.users.clicks import calibrate
    from hungjury.users.model import UserModel

__version__ = "0.1.0"

_HOME = {
    "HungjuryError": "errors",
    "Judgments": "collection.judgments",
    "Measure": "catalogue",
    "Qrels": "collection.qrels",
    "Runs": "collection.runs",
    "Scores": "scores",
    "UserModel": "users.model",
    "agreement": "assessors.agreement",
    "audit": "collection.audit",
    "aware": "assessors.aware",
    "axiom_table": "theory",
    "balancing_index": "theory",
    "calibrate": "users.clicks",
    "check_axioms": "theory",
    "compare_all": "assessors.comparison",
    "compare_lists": "theory",
    "evaluate": "evaluation",
    "kendall": "stats",
    "leaderboard": "uncertainty.leaderboard",
    "measure": "catalogue",
    "measures": "catalogue",
    "merge": "assessors.merging",
    "precision_recall": "evaluation",
    "prm": "assessors.prm",
    "prm_scenarios": "assessors.prm",
    "rbo": "stats",
    "read_judgments": "collection.judgments",
    "read_qrels": "collection.qrels",
    "read_runs": "collection.runs",
    "rmse": "stats",
    "score_list": "evaluation",
    "simulate": "collection.simulate",
    "tau_ap": "stats",
}

__all__ = [
    "HungjuryError",
    "Judgments",
    "Measure",
    "Qrels",
    "Runs",
    "Scores",
    "UserModel",
    "agreement",
    "audit",
    "aware",
    "axiom_table",
    "balancing_index",
    "calibrate",
    "check_axioms",
    "compare_all",
    "compare_lists",
    "evaluate",
    "kendall",
    "leaderboard",
    "measure",
    "measures",
    "merge",
    "precision_recall",
    "prm",
    "prm_scenarios",
    "rbo",
    "read_judgments",
    "read_qrels",
    "read_runs",
    "rmse",
    "score_list",
    "simulate",
    "tau_ap",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'hungjury' has no attribute '{name}'")
    value = getattr(import_module(f"hungjury.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
