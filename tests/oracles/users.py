"""Slow oracles for click logs and for gain under user dynamics, loop by loop.

A log is a list of records in file order: dictionaries with session, rank and perhaps query, page,
time, until. Nothing of the package is imported.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from oracles import markov as naive_markov

Record = Mapping[str, Any]


def on_page(record: Record, ranks: int) -> bool:
    rank = record["rank"]
    return rank is not None and 1 <= rank <= ranks


def has_time(record: Record) -> bool:
    time = record["time"]
    return time is not None and math.isfinite(time)


def paths(records: Sequence[Record], ranks: int) -> list[list[Record]]:
    """The usable clicks of each session in time order, cut where query or page changes."""
    usable = []
    for number, record in enumerate(records):
        fine = record["session"] is not None and on_page(record, ranks)
        if fine and ("time" not in record or has_time(record)):
            usable.append((record.get("time", 0), number, record))
    found: list[list[Record]] = []
    for session in dict.fromkeys(record["session"] for _, _, record in usable):
        mine = sorted(
            ((time, number, r) for time, number, r in usable if r["session"] == session),
            key=lambda one: one[:2],
        )
        before = None
        for _, _, record in mine:
            here = (record.get("query"), record.get("page"))
            if here != before:
                found.append([])
            found[-1].append(record)
            before = here
    return found


def visits(walks: Sequence[Sequence[Record]], ranks: int) -> list[int]:
    return [sum(r["rank"] == i for walk in walks for r in walk) for i in range(1, ranks + 1)]


def moves(walks: Sequence[Sequence[Record]], ranks: int) -> list[list[int]]:
    """How often a click at rank i was followed by one at rank j on the same path."""
    table = [[0] * ranks for _ in range(ranks)]
    for walk in walks:
        for here, there in itertools.pairwise(walk):
            table[here["rank"] - 1][there["rank"] - 1] += 1
    return table


def transitions(table: Sequence[Sequence[int]]) -> list[list[float]]:
    """p_ij = v_ij / v_i, p_ii = 1 where a rank is never left."""
    matrix = []
    for i, row in enumerate(table):
        left = sum(row)
        matrix.append([v / left if left else float(i == j) for j, v in enumerate(row)])
    return matrix


def holding_times(walks: Sequence[Sequence[Record]], ranks: int) -> list[list[float]]:
    """Times of visits with a known end: the click's own, else the next click of the path."""
    spent: list[list[float]] = [[] for _ in range(ranks)]
    for walk in walks:
        for place, record in enumerate(walk):
            end = record.get("until")
            if end is None and place + 1 < len(walk):
                end = walk[place + 1]["time"]
            if end is not None and end >= record["time"]:
                spent[record["rank"] - 1].append(end - record["time"])
    return spent


def rate(times: Sequence[float]) -> float | None:
    """(K - 1) / K over the mean; unknown for fewer than two visits or no time at all."""
    if len(times) < 2 or sum(times) == 0:
        return None
    mean = sum(times) / len(times)
    return (len(times) - 1) / len(times) / mean


def reachable(start: int, table: Sequence[Sequence[int]], states: Sequence[int]) -> set[int]:
    seen = {start}
    todo = [start]
    while todo:
        here = todo.pop()
        for there in states:
            if table[here][there] and there not in seen:
                seen.add(there)
                todo.append(there)
    return seen


def long_run_distribution(table: Sequence[Sequence[int]]) -> list[Fraction] | None:
    """Stationary distribution of the recurrent ranks; ranks never left are removed one by one;
    closed groups weigh as much as they are left. None where nothing recurs."""
    states = list(range(len(table)))
    while True:
        stuck = [i for i in states if not any(table[i][j] for j in states)]
        if not stuck:
            break
        states = [i for i in states if i not in stuck]
    if not states:
        return None
    law = [Fraction(0)] * len(table)
    done: set[int] = set()
    for i in states:
        group = reachable(i, table, states)
        closed = all(i in reachable(j, table, states) for j in group)
        if not closed or i in done:
            continue
        done |= group
        members = sorted(group)
        inside = [[Fraction(table[a][b]) for b in members] for a in members]
        matrix = [[v / sum(row) for v in row] for row in inside]
        pi = naive_markov.stationary(matrix) if len(members) > 1 else [Fraction(1)]
        left = sum(sum(row) for row in inside)
        for member, share in zip(members, pi, strict=True):
            law[member] = left * share
    whole = sum(law)
    return [share / whole for share in law]


def backward_share(table: Sequence[Sequence[int]]) -> float:
    back = sum(v for i, row in enumerate(table) for j, v in enumerate(row) if j < i)
    return back / sum(sum(row) for row in table)


def out_of_order(records: Sequence[Record], ranks: int) -> int:
    """Neighbours in a session's time order whose records stand the other way round."""
    numbered = [{**r, "number": n, "query": None, "page": None} for n, r in enumerate(records)]
    found = 0
    for walk in paths(numbered, ranks):
        found += sum(b["number"] < a["number"] for a, b in itertools.pairwise(walk))
    return found


def delta(rank: int, alpha: float, beta: float, gamma: float) -> float:
    return max(0.0, alpha / rank + beta * rank + gamma)


def nmcg(
    labels: Sequence[int | None],
    pool: Sequence[int],
    dynamics: Mapping[str, tuple[float, float, float]],
    nav_rel: int | None = None,
    cutoff: int = 10,
) -> float | None:
    """Gains 2^l - 1 times the dynamic of the query's class, over the same of the sorted pool."""
    lowest = nav_rel or 1  # that of the shipped users
    alike = sum(label >= lowest for label in pool)
    name = "all" if "all" in dynamics else "navigational" if alike == 1 else "informational"

    def total(order: Sequence[int | None]) -> float:
        return sum(
            (2 ** max(label or 0, 0) - 1) * delta(rank, *dynamics[name])
            for rank, label in enumerate(order[:cutoff], 1)
        )

    best = total(sorted(pool, reverse=True))
    return total(labels) / best if best else None
