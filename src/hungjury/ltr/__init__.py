"""Rankers trained for users: nMCG-MART, on LightGBM."""

from hungjury.ltr.compare import RankerComparison, compare_rankers
from hungjury.ltr.data import RankingData, ranking_data
from hungjury.ltr.estimator import NMCGRanker
from hungjury.ltr.folds import join_data, make_folds, read_fold
from hungjury.ltr.letor import read_letor
from hungjury.ltr.objective import NMCGObjective
from hungjury.ltr.ranker import Ranker
from hungjury.ltr.train import train_ranker

__all__ = [
    "NMCGObjective",
    "NMCGRanker",
    "Ranker",
    "RankerComparison",
    "RankingData",
    "compare_rankers",
    "join_data",
    "make_folds",
    "ranking_data",
    "read_fold",
    "read_letor",
    "train_ranker",
]
