"""Users as Markov chains over ranks, estimated from click logs."""

from hungjury.base.lazy import attach

__getattr__, __dir__ = attach(__name__)
