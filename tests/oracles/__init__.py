"""Slow, obvious loops, written from the definitions: what the fast code is compared with."""
