"""Panels for the tests of the predicted relevance model."""

import math
import random
from collections import Counter
from itertools import product

from hypothesis import assume
from hypothesis import strategies as st

import hungjury as hj
from hungjury.judges.prm import prm

JUDGES, TOPICS, DOCUMENTS = "VWXYZ", ("1", "2"), ("a", "b", "c")


def panel(rows):
    """Judgments from (topic, document, judge, level)."""
    given = {}
    for topic, document, judge, level in rows:
        given.setdefault(judge, {}).setdefault(topic, {})[document] = level
    lowest = min(0, *(level for _, _, _, level in rows))
    highest = max(1, *(level for _, _, _, level in rows))
    return hj.read_judgments(given, grades=range(lowest, highest + 1))


def pairs_of(*pairs, topic="1"):
    """Documents that two judges gave these levels, as rows."""
    return [
        (topic, f"d{i}", judge, level)
        for i, pair in enumerate(pairs)
        for judge, level in zip("XY", pair, strict=True)
    ]


@st.composite
def panels(draw, lowest=-2, highest=3):
    """Any number of judges for each document."""
    cells = list(product(TOPICS, DOCUMENTS, JUDGES))
    levels = st.none() | st.integers(lowest, highest)
    given = draw(st.lists(levels, min_size=len(cells), max_size=len(cells)))
    rows = [(*cell, level) for cell, level in zip(cells, given, strict=True) if level is not None]
    assume(rows)
    return rows


def twice(rows):
    return max(Counter((topic, document) for topic, document, _, _ in rows).values()) > 1


def same(value, expected):
    return math.isnan(value) if expected is None else math.isclose(value, expected, rel_tol=1e-12)


def many_topics(topics=40):
    chance = random.Random(3)
    return [
        (str(t), f"d{i}", judge, int(chance.random() < (0.2 + 0.6 * (t % 2))))
        for t in range(topics)
        for i in range(10)
        for judge in "XYZ"
    ]


UNSEEN = [*pairs_of((1, 0), (1, 1), (0, 0)), ("1", "alone", "X", 3)]


def cells():
    """(position of the topic, labels in rank order, pool) of `RUN`."""
    for k, (topic, pool) in enumerate(GRADES.items()):
        yield k, [pool.get(d) for d in RUN[topic]], list(pool.values())


ROWS = [
    *pairs_of((0, 0), (0, 0), (0, 0), (0, 1), (1, 1), (1, 2), (1, 0), (2, 2), (2, 2), (2, 1)),
    *pairs_of((-2, 0), (-2, 1), topic="2"),
]


RUN = {"1": dict(zip("xbaeyd", range(6, 0, -1), strict=True)), "2": {"x": 3, "a": 2, "b": 1}}


GRADES = {"1": {"a": 2, "b": 0, "c": 1, "d": 0, "e": 1}, "2": {"a": 0, "b": 2}}
MODEL = prm(panel(ROWS))
