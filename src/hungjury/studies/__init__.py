"""Experiments on measures, pools, judges and systems."""
