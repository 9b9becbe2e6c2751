"""How gold labels correct a board: which estimate, looks, level, correlation, more labels."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

import hungjury as hj
from hungjury.base.errors import HungjuryError
from hungjury.leaderboard.correction import (
    _kind,
    _stretch,
    central_interval,
    correlation_with_people,
    effective_number,
)


def sample_of(labels=0, skipped=0, design="plan"):
    return SimpleNamespace(
        documents=np.arange(labels), skipped=np.arange(skipped), design=design, grades=(0, 1, 2)
    )


def kind(measure="nDCG@10", wanted="combined", systems=5, design="plan"):
    found, notes = _kind(
        sample_of(7, design=design), SimpleNamespace(measure=hj.measure(measure)), wanted, systems
    )
    return found, [note.kind for note in notes]


def test_which_estimate_is_made():
    assert kind() == ("combined", [])
    for measure in ("RBP(p=0.8)", "DCG@5", "P@10", "ERR@10", "RR"):
        assert kind(measure) == ("combined", []), measure
    # Average precision is not a sum over documents; its combination does not hold.
    assert kind("AP") == ("direct", ["direct-only"])
    assert kind(design="whole") == ("exact", [])
    assert kind("AP", design="whole") == ("exact", [])
    assert kind(design=None) == ("model", ["unknown-design"])
    assert kind(wanted="direct") == ("direct", [])
    assert kind(systems=1) == ("direct", [])
    assert kind(systems=2) == ("combined", [])
    assert kind(design="topics") == ("direct", ["direct-only"])
    assert kind(design="random") == ("combined", [])


def test_sentences_about_direct_estimates():
    setting = SimpleNamespace(measure=hj.measure("AP"))
    (by_measure,) = _kind(sample_of(7), setting, "combined", 5)[1]
    (by_design,) = _kind(sample_of(7, design="topics"), setting, "combined", 5)[1]
    assert "not supported for this measure" in str(by_measure)
    assert "whole topics" in str(by_design)


@pytest.mark.parametrize(
    ("labels", "skipped", "looks", "needed"),
    [  # Lan and DeMets' bounds, O'Brien-Fleming-like, two-sided 0.05
        (100, 0, [100, 200], 2.9626),
        (200, 0, [100, 200], 1.9686),
        (190, 10, [200, 100, 100], 1.9686),  # documents that were skipped were looked at as well
        (100, 0, [100, 200, 300], 3.7103),
        (200, 0, [100, 200, 300], 2.5114),
        (300, 0, [100, 200, 300], 1.9930),
    ],
)
def test_looks_ask_for_the_bounds_of_the_literature(labels, skipped, looks, needed):
    found = _stretch(sample_of(labels, skipped), looks, 0.05)
    assert found * 1.959964 == pytest.approx(needed, abs=0.004)


def test_a_single_look_asks_for_nothing_more():
    assert _stretch(sample_of(100), None, 0.05) == 1
    assert _stretch(sample_of(100), [], 0.05) == 1
    assert _stretch(sample_of(100), [100], 0.05) == pytest.approx(1, abs=1e-3)
    with pytest.raises(HungjuryError, match="more than the largest budget"):
        _stretch(sample_of(101), [50, 100], 0.05)


def test_the_correlation_over_systems_is_the_loop():
    rng = np.random.default_rng(1)
    panel = rng.normal(size=6)
    draws = 0.5 * panel + rng.normal(size=(200, 6)) + 3
    each = sorted(float(np.corrcoef(panel, row)[0, 1]) for row in draws)
    middle, low, high = correlation_with_people(panel, draws)
    assert middle == pytest.approx((each[99] + each[100]) / 2)
    assert low == pytest.approx(np.quantile(each, 0.025))
    assert high == pytest.approx(np.quantile(each, 0.975))
    # Systems that all have the same mean have no correlation.
    assert correlation_with_people(np.ones(6), draws) == (0, 0, 0)


def test_intervals_hold_95_percent():
    assert central_interval(np.arange(1001.0), 7.0) == pytest.approx((7.0, 25.0, 975.0))


def test_effective_judges_by_the_definition():
    """n / (1 + (n - 1) r), r the mean correlation of errors on gold documents."""
    rng = np.random.default_rng(2)
    shared = rng.random(60) < 0.3
    gold = rng.integers(0, 2, 60)
    wrong = shared | (rng.random((3, 60)) < 0.1)
    labels = {
        f"j{k}": {"t": {f"d{i:02}": int(gold[i] ^ wrong[k, i]) for i in range(60)}}
        for k in range(3)
    }
    judgments = hj.read_judgments(labels, grades=range(2))
    chosen = np.arange(0, 60, 2)
    sample = SimpleNamespace(
        documents=chosen,
        shares=np.eye(2)[gold[chosen]],
        grades=(0, 1),
        probability=np.full(60, 0.5),
    )
    errors = np.array(
        [[given["t"][f"d{i:02}"] - gold[i] for i in chosen] for given in labels.values()]
    )
    r = np.mean([np.corrcoef(errors[a], errors[b])[0, 1] for a, b in ((0, 1), (0, 2), (1, 2))])
    found = effective_number(sample, judgments, SimpleNamespace(rel=None))
    assert found == pytest.approx(3 / (1 + 2 * r))
    assert 1 < found < 2


def test_the_level_is_the_panels_minus_the_peoples():
    made = hj.simulate(systems=4, topics=8, documents=40, depth=20, fooled=0.3, seed=5)
    plan = hj.plan(made.judgments, made.runs, "P@5", 40, seed=1)
    truth, gold = made.gold.to_dict(), {}
    for topic, document in zip(plan.topics, plan.documents, strict=True):
        gold.setdefault(topic, {})[document] = truth[topic][document]
    given = {"draws": 200, "outlook": False, "target": "topics"}
    panel = hj.leaderboard(made.judgments, made.runs, "P@5", panel_error=0, **given)
    people = hj.leaderboard(made.judgments, made.runs, "P@5", gold=gold, plan=plan, **given)
    middle, low, high = people.correction.level
    assert middle == pytest.approx(panel.mean.mean() - people.mean.mean())
    assert low < middle < high
    assert people.correction.labels == 40
    assert people.correction.skipped == 0
    numbers = [labels for labels, _ in people.correction.expected]
    pool = len(made.judgments.pool)
    assert numbers == [n for n in (40, 90, 100, 140, 200, 500, 1000) if n <= pool]
    needed = [difference for _, difference in people.correction.expected]
    assert needed == sorted(needed, reverse=True)
    assert math.isfinite(needed[0])
