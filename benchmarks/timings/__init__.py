"""Timings of single parts of hungjury, each in a process of its own."""
