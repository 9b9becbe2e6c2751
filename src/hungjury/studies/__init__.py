"""Experiments: independent jobs whose results are stored as they finish."""
