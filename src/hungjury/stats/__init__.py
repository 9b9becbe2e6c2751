"""Correlations, overlaps, resampling and tests: arrays in, numbers out."""

from hungjury.lazy import attach

__getattr__, __dir__ = attach(__name__)
