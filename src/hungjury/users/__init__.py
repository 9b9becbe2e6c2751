"""Users as Markov chains over ranks, and what click logs tell about them."""

from hungjury.lazy import attach

__getattr__, __dir__ = attach(__name__)
