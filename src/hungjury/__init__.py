"""hungjury: retrieval evaluation for when the judges disagree.

Names are imported when they are first used, so that ``import hungjury`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hungjury.catalogue import Measure, measure, measures
    from hungjury.collection.audit import audit
    from hungjury.collection.judgments import Judgments, read_judgments
    from hungjury.collection.qrels import Qrels, read_qrels
    from hungjury.collection.runs import Runs, read_runs
    from hungjury.collection.simulate import simulate
    from hungjury.errors import HungjuryError
    from hungjury.evaluation import evaluate, precision_recall, score_list
    from hungjury.judges.agreement import agreement
    from hungjury.judges.aware import aware
    from hungjury.judges.comparison import compare_all
    from hungjury.judges.merging import merge
    from hungjury.judges.prm import prm, prm_scenarios
    from hungjury.ltr import (
        NMCGObjective,
        NMCGRanker,
        Ranker,
        RankingData,
        compare_rankers,
        ranking_data,
        read_letor,
        train_ranker,
    )
    from hungjury.report.page import write_page
    from hungjury.scores import Scores
    from hungjury.stats import kendall, rbo, rmse, tau_ap
    from hungjury.studies.correlation import correlate_measures
    from hungjury.studies.factorial import factorial_anova
    from hungjury.studies.lone_judges import lone_judges
    from hungjury.studies.power import discriminative_power
    from hungjury.studies.robustness import downsample, robustness
    from hungjury.studies.topics import complete_runs, few_highly_relevant, run_quartiles
    from hungjury.studies.tuples import tuple_study
    from hungjury.theory import axiom_table, balancing_index, check_axioms, compare_lists
    from hungjury.uncertainty.compare import compare
    from hungjury.uncertainty.leaderboard import leaderboard
    from hungjury.uncertainty.plan import plan
    from hungjury.uncertainty.planned import Plan
    from hungjury.users.clicks import calibrate
    from hungjury.users.model import UserModel

__version__ = "0.1.0"

_HOME = {
    "HungjuryError": "errors",
    "Judgments": "collection.judgments",
    "Measure": "catalogue",
    "NMCGObjective": "ltr",
    "NMCGRanker": "ltr",
    "Plan": "uncertainty.planned",
    "Qrels": "collection.qrels",
    "Ranker": "ltr",
    "RankingData": "ltr",
    "Runs": "collection.runs",
    "Scores": "scores",
    "UserModel": "users.model",
    "agreement": "judges.agreement",
    "audit": "collection.audit",
    "aware": "judges.aware",
    "axiom_table": "theory",
    "balancing_index": "theory",
    "calibrate": "users.clicks",
    "check_axioms": "theory",
    "compare": "uncertainty.compare",
    "compare_all": "judges.comparison",
    "compare_lists": "theory",
    "compare_rankers": "ltr",
    "complete_runs": "studies.topics",
    "correlate_measures": "studies.correlation",
    "discriminative_power": "studies.power",
    "downsample": "studies.robustness",
    "evaluate": "evaluation",
    "factorial_anova": "studies.factorial",
    "few_highly_relevant": "studies.topics",
    "kendall": "stats",
    "leaderboard": "uncertainty.leaderboard",
    "lone_judges": "studies.lone_judges",
    "measure": "catalogue",
    "measures": "catalogue",
    "merge": "judges.merging",
    "plan": "uncertainty.plan",
    "precision_recall": "evaluation",
    "prm": "judges.prm",
    "prm_scenarios": "judges.prm",
    "ranking_data": "ltr",
    "rbo": "stats",
    "read_judgments": "collection.judgments",
    "read_letor": "ltr",
    "read_qrels": "collection.qrels",
    "read_runs": "collection.runs",
    "rmse": "stats",
    "robustness": "studies.robustness",
    "run_quartiles": "studies.topics",
    "score_list": "evaluation",
    "simulate": "collection.simulate",
    "tau_ap": "stats",
    "train_ranker": "ltr",
    "tuple_study": "studies.tuples",
    "write_page": "report.page",
}

__all__ = [
    "HungjuryError",
    "Judgments",
    "Measure",
    "NMCGObjective",
    "NMCGRanker",
    "Plan",
    "Qrels",
    "Ranker",
    "RankingData",
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
    "compare",
    "compare_all",
    "compare_lists",
    "compare_rankers",
    "complete_runs",
    "correlate_measures",
    "discriminative_power",
    "downsample",
    "evaluate",
    "factorial_anova",
    "few_highly_relevant",
    "kendall",
    "leaderboard",
    "lone_judges",
    "measure",
    "measures",
    "merge",
    "plan",
    "precision_recall",
    "prm",
    "prm_scenarios",
    "ranking_data",
    "rbo",
    "read_judgments",
    "read_letor",
    "read_qrels",
    "read_runs",
    "rmse",
    "robustness",
    "run_quartiles",
    "score_list",
    "simulate",
    "tau_ap",
    "train_ranker",
    "tuple_study",
    "write_page",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'hungjury' has no attribute '{name}'")
    value = getattr(import_module(f"hungjury.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])
