"""The papers' experiments; importing this enters all of them into the catalogue."""

from hungjury.base.plugins import load_plugins
from hungjury.studies.papers.aware import Aware
from hungjury.studies.papers.crowd import Crowd
from hungjury.studies.papers.graded_ap import GradedAPRecipe
from hungjury.studies.papers.markov import Markov
from hungjury.studies.papers.prm import PredictedRelevance
from hungjury.studies.papers.random_relevance import RandomRelevance
from hungjury.studies.recipe import RECIPES

__all__ = [
    "RECIPES",
    "Aware",
    "Crowd",
    "GradedAPRecipe",
    "Markov",
    "PredictedRelevance",
    "RandomRelevance",
]


load_plugins("hungjury.studies")
