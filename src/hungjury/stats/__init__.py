"""Correlations, overlaps, resampling and tests: arrays in, numbers out."""

from hungjury.base.lazy import attach

__getattr__, __dir__ = attach(__name__)
