"""Whole results of small collections, compared number by number with those that were stored.

After a change that is meant, `EXPECTED=write pytest tests/leaderboard/test_whole.py` writes them
anew.
"""

import json
import math
import random
from functools import cache
from pathlib import Path

import numpy as np

import hungjury as hj
from builders.expected import WRITE
from hungjury.base.text import finite

CHANCES = {"p_best", "beats", "chance"}  # shares of draws: one may fall on the other side
JUDGES = {"ann": 0.08, "bob": 0.15, "cat_1": 0.25, "cat_2": 0.3}  # how often each is wrong


@cache
def small(top=1, seed=0):
    """Judges with gaps, runs of different quality with documents that nobody judged, and gold."""
    chance = random.Random(f"{top} {seed}").random
    truth = {
        f"t{t}": {f"d{d}": int(chance() * (top + 1) * 0.99 ** (t * d)) for d in range(14 - t % 3)}
        for t in range(6)
    }
    judges = {
        name: {
            topic: {
                d: int(chance() * (top + 1)) if chance() < wrong else label
                for d, label in labels.items()
                if chance() < 0.9
            }
            for topic, labels in truth.items()
        }
        for name, wrong in JUDGES.items()
    }
    runs = {}
    for system in range(4):
        for topic in list(truth)[: 5 if system == 2 else 6]:
            found = {d: v + (0.3 + 1.5 * system) * chance() for d, v in truth[topic].items()}
            found |= {f"x{d}": 2 * chance() for d in range(3)}
            kept = sorted(found, key=found.get, reverse=True)[: 4 if system == 1 else 11]
            runs.setdefault(f"s{system}", {})[topic] = {d: found[d] for d in kept}
    grades = range(top + 1)
    return hj.read_judgments(judges, grades=grades), hj.read_runs(runs), hj.read_qrels(truth)


def board(measure, top=1, **options):
    judgments, runs, _ = small(top)
    return hj.leaderboard(judgments, runs, measure, **{"draws": 200, "level": 0.6, **options})


def told(found):
    """All that a board says, and what it rests on."""
    seen = found.evidence
    arrays = {
        "cells": found.cells, "centre": found.centre, "samples": found.samples,
        "lists": seen.lists, "unjudged": seen.unjudged, "probability": seen.probability,
        "contributions": seen.contributions, "means": seen.made.means,
    }  # fmt: skip
    content = found.to_dict()
    del content["settings"]
    return content | {name: mark(values) for name, values in arrays.items()}


def mark(values):
    """The shape of an array, and a sum that no change of a number leaves as it is."""
    flat = np.asarray(values, dtype=float).ravel()
    return [*np.shape(values), float(flat @ np.cos(np.arange(1, len(flat) + 1)))]


class Stored:
    """Results by name, in a file."""

    def __init__(self, path):
        self.path, self.known = Path(path), {}
        if self.path.exists():
            self.known = json.loads(self.path.read_text())

    def same(self, name, content):
        """Compare a result with the stored one of this name; list what differs."""
        content = json.loads(json.dumps(_short(finite(content))))
        if WRITE:
            self.known[name] = content
            lines = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(self.known.items())]
            self.path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
        found = list(differences(content, self.known[name], name))
        assert not found, "\n".join(found[:20])


def _short(value):
    """Numbers with the digits that are compared."""
    if isinstance(value, dict):
        return {key: _short(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_short(one) for one in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def differences(new, old, where, room=1e-6):
    if isinstance(new, dict) and isinstance(old, dict):
        for key in sorted({*new, *old}):
            if key not in new or key not in old:
                yield f"{where}: {key} in one only"
            else:
                inner = 0.011 if key in CHANCES else room
                yield from differences(new[key], old[key], f"{where}.{key}", inner)
    elif isinstance(new, list) and isinstance(old, list) and len(new) == len(old):
        for i, (one, other) in enumerate(zip(new, old, strict=True)):
            yield from differences(one, other, f"{where}[{i}]", room)
    elif isinstance(new, float) and isinstance(old, (int, float)):
        if not math.isclose(new, old, rel_tol=1e-5, abs_tol=room):
            yield f"{where}: {new} was {old}"
    elif new != old:
        yield f"{where}: {new!r} was {old!r}"
