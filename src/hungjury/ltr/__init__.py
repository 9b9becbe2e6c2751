"""Rankers trained for users: nMCG-MART, on LightGBM."""

from hungjury.base.lazy import attach

__getattr__, __dir__ = attach(__name__)
