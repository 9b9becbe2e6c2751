"""The papers' experiments; importing this enters all of them into the catalogue."""

from hungjury.studies.papers.graded_ap import GradedAP
from hungjury.studies.papers.markov import Markov
from hungjury.studies.papers.random_relevance import RandomRelevance
from hungjury.studies.recipe import RECIPES

__all__ = ["RECIPES", "GradedAP", "Markov", "RandomRelevance"]
