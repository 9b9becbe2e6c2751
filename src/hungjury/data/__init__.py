"""Anything people have, read into aligned arrays: labels, runs, texts; audit and simulation."""
