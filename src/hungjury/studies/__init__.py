"""Experiments on measures, pools, assessors and systems."""
