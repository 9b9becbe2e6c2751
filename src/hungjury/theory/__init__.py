"""Theory of measures: the partial order of lists, axioms, balancing indices."""

from hungjury.base.lazy import attach

__getattr__, __dir__ = attach(__name__)
