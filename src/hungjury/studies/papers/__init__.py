"""The papers' experiments; importing this enters all of them into the catalogue."""

from hungjury.base.plugins import load_plugins
from hungjury.studies.papers import aware, crowd, graded_ap, markov, prm, random_relevance
from hungjury.studies.recipe import RECIPES

__all__ = ["RECIPES", "aware", "crowd", "graded_ap", "markov", "prm", "random_relevance"]


load_plugins("hungjury.studies")
