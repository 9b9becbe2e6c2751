"""E(X, unjudged=...): documents that nobody judged, against all label sets."""

import itertools
import math

import pytest

import hungjury as hj

UNSURE = {"t": {"a": 0, "b": 1, "c": 2, "d": 0}}
LIST = "ubacv"  # u and v are not judged
CHANCES = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.1, "u": 0.8, "v": 0.8}


def as_run(documents):
    return {d: float(-i) for i, d in enumerate(documents)}


def over_all_labels(value):
    """The exact expectation: every label set with its probability."""
    total = 0.0
    for bits in itertools.product((0, 1), repeat=len(CHANCES)):
        x = dict(zip(CHANCES, bits, strict=True))
        chance = math.prod(CHANCES[d] if x[d] else 1 - CHANCES[d] for d in x)
        total += chance * value([x[d] for d in LIST], sum(x[d] for d in UNSURE["t"]))
    return total


def average_precision(x, relevant):
    found = sum(sum(x[: n + 1]) / (n + 1) for n in range(len(x)) if x[n])
    return found / relevant if relevant else 0.0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("P@2", lambda x, _: sum(x[:2]) / 2),
        ("RBP(p=0.5)", lambda x, _: sum(0.5 * 0.5**n * v for n, v in enumerate(x))),
        ("RR", lambda x, _: 1 / (x.index(1) + 1) if 1 in x else 0.0),
        ("Success@1", lambda x, _: float(x[0])),
        ("AP", average_precision),
        ("NCP", average_precision),
    ],
)
def test_unjudged_documents_count_where_nothing_in_the_pool_is_relevant(name, value):
    """Which has a probability of 0.45 here."""
    options = "prob=[0.1, 0.2, 0.3], unjudged=0.8, draws=4000"
    scores = hj.evaluate(UNSURE, {"t": as_run(LIST)}, f"E({name}, {options})")
    error = scores.std[0, 0, 0] / math.sqrt(4000)
    assert scores.values[0, 0, 0] == pytest.approx(over_all_labels(value), abs=4 * error)


def test_expectations_agree_with_the_exact_expected_measures():
    given = "prob=[0.1, 0.2, 0.3], unjudged=0.8"
    pairs = {"P@2": f"eRP({given})@2", "RBP(p=0.5)": f"eRRBP(p=0.5, {given})"}
    for drawn, exact in pairs.items():
        scores = hj.evaluate(
            UNSURE, {"t": as_run(LIST)}, [f"E({drawn}, {given}, draws=4000)", exact]
        )
        one, other = scores.values[:, 0, 0]
        assert one == pytest.approx(other, abs=4 * scores.std[0, 0, 0] / math.sqrt(4000))
