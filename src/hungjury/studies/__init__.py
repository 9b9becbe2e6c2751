"""Experiments on measures, pools, judges and systems."""

from hungjury.base.lazy import attach

__getattr__, __dir__ = attach(__name__)
