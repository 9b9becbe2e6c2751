"""Checks for measures of your own, as tests of a package that adds them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from hungjury.measures.base import Measure


def check_measure(measure: Measure | str, *, length_matters: bool = False, seed: int = 0) -> None:
    """Check that a measure obeys the laws that evaluation relies on.

    It is read back from its name; values are within its bounds; a list scores the same alone and
    among others, and again when it is scored again; unjudged documents after the end of a list
    change nothing; what it calls undefined does not depend on the list.

    Parameters
    ----------
    measure : Measure or str
        An instance of your class, or its name.
    length_matters : bool
        Whether unjudged documents at the end may change the value, as for the precision of a set.
    seed : int
        Random seed of the lists that are tried.

    Raises
    ------
    AssertionError
        With every law that the measure breaks, and a list on which it does.

    Examples
    --------
    >>> import hungjury as hj
    >>> hj.testing.check_measure("AP")
    """
    from hungjury.measures.catalogue import measure as find
    from hungjury.measures.evaluate import evaluate, score_list

    one, rng, broken = find(measure), np.random.default_rng(seed), {}
    again = find(str(one))
    if again != one or str(again) != str(one):
        broken["its name is not read back"] = f"{one} becomes {again}"
    top = max(one.declared_grade, 3)
    qrels: dict[str, dict[str, int]] = {}
    lists: dict[str, dict[str, float]] = {}
    values: dict[str, float] = {}
    for number in range(60):
        topic, size = f"t{number}", int(rng.integers(1, 9))
        labels: list[Any] = [None if rng.random() < 0.2 else int(rng.integers(0, top + 1))
                             for _ in range(size)]  # fmt: skip
        pool = [label for label in labels if label is not None]
        pool += [int(label) for label in rng.integers(0, top + 1, 3)] + [top]
        value = values[topic] = score_list(one, labels, pool)
        shown = f"labels {labels}, pool {pool}: {value}"
        if score_list(one, labels, pool) != value and value == value:
            broken["the same list has another value the second time"] = shown
        if not (one.low - 1e-9 <= value <= one.high + 1e-9 or value != value):
            broken[f"a value is outside {one.low:g} to {one.high:g}"] = shown
        padded = score_list(one, [*labels, None, None], pool)
        if not length_matters and abs(padded - value) > 1e-9:
            broken["unjudged documents at the end change it"] = f"{shown}, then {padded}"
        rest = list(pool)
        for label in labels:
            if label is not None:
                rest.remove(label)
        judged = {f"d{i}": label for i, label in enumerate(labels) if label is not None}
        qrels[topic] = judged | {f"x{i}": label for i, label in enumerate(rest)}
        lists[topic] = {f"d{i}": float(size - i) for i in range(size)}
    scores = evaluate(qrels, {"run": lists}, one, undefined="nan")
    together = dict(zip(scores.topics, scores.values[0, 0].tolist(), strict=True))
    for topic, value in values.items():
        if not np.isclose(together[topic], value, rtol=0, atol=1e-9, equal_nan=True):
            broken["a list alone scores differently among others"] = f"{value}, {together[topic]}"
    if broken:
        raise AssertionError("\n".join(f"{one}: {law}: {how}" for law, how in broken.items()))
