"""All that is said about a measure is in the units in which its means are reported.

Counts are added up over topics, geometric means are means of logarithms. In lists of ten documents
the number of relevant ones is ten times P@10, which has to hold for all that follows.
"""

import numpy as np
import pytest

import hungjury as hj

TOPICS = 8
TIMES = 10 * TOPICS  # a count is so many times P@10


@pytest.fixture(scope="module")
def made():
    return hj.simulate(systems=4, topics=TOPICS, documents=60, depth=10, seed=5)


def board(made, measure, **given):
    return hj.leaderboard(made.judgments, made.runs, measure, draws=400, seed=1, **given)


def some_gold(made, share=0.5):
    chance = np.random.default_rng(3)
    labels = made.gold.to_dict()
    return {t: {d: g for d, g in of.items() if chance.random() < share} for t, of in labels.items()}


@pytest.mark.parametrize("target", ["topics", "population"])
def test_counts_are_multiples_of_precision(made, target):
    given = {"panel_error": 0, "target": target}
    counts, shares = board(made, "NumRelRet", **given), board(made, "P@10", **given)
    assert counts.systems == shares.systems
    assert counts.mean == pytest.approx(TIMES * shares.mean)
    assert counts.low == pytest.approx(TIMES * shares.low)
    assert counts.shares == pytest.approx(shares.shares)
    ahead, expected = counts.outlook, shares.outlook
    assert ahead.difference == pytest.approx(TIMES * expected.difference)
    for ours, theirs in ((ahead.topics, expected.topics), (ahead.judges, expected.judges)):
        assert np.array(ours) == pytest.approx(np.array(theirs) * [1, TIMES])


@pytest.mark.parametrize("target", ["topics", "population"])
def test_corrected_counts_are_multiples_of_corrected_precision(made, target):
    given = {"gold": some_gold(made), "gold_design": "random", "target": target}
    counts = board(made, "NumRelRet", **given)
    shares = board(made, "P@10", estimate="direct", **given)
    assert counts.mean == pytest.approx(TIMES * shares.mean)
    ours, theirs = counts.correction, shares.correction
    assert ours.level == pytest.approx(TIMES * np.array(theirs.level))
    assert ours.correlation == pytest.approx(theirs.correlation)
    assert ours.direct_mean == pytest.approx(TIMES * theirs.direct_mean)
    assert ours.direct_covariance == pytest.approx(TIMES**2 * theirs.direct_covariance)
    assert np.array(ours.expected) == pytest.approx(np.array(theirs.expected) * [1, TIMES])
    assert counts.shares == pytest.approx(shares.shares)


def test_a_plan_expects_multiples_of_what_it_expects_of_precision(made, monkeypatch):
    # The panel's error is relative to a range, which is not the same for both.
    ranges = {"sum": TIMES, "mean": 1.0}
    place = "hungjury.leaderboard.plan.range_of"
    monkeypatch.setattr(place, lambda measure, *_: ranges[measure.average])
    counts, shares = (
        hj.plan(made.judgments, made.runs, name, 50).expected for name in ("NumRelRet", "P@10")
    )
    assert np.array(counts) == pytest.approx(np.array(shares) * [1, TIMES])


def test_a_gate_on_counts(made):
    ours, theirs = (
        hj.gate(made.gold, made.runs, "system4", "system1", measure=measure)[0]
        for measure in ("NumRelRet", "P@10")
    )
    assert (ours.difference, ours.low, ours.high) == pytest.approx(
        (TIMES * theirs.difference, TIMES * theirs.low, TIMES * theirs.high)
    )


@pytest.mark.parametrize("measure", ["NumRelRet", "GMAP", "ESL", "AP"])
def test_a_gate_decides_about_the_means_that_are_reported(made, measure):
    scores = hj.evaluate(made.gold, made.runs, measure)
    mean = dict(zip(scores.systems, scores.mean()[0], strict=True))
    (found,) = hj.gate(made.gold, made.runs, "system4", "system1", measure=measure)
    sign = -1 if measure == "ESL" else 1
    assert found.difference == pytest.approx(sign * (mean["system1"] - mean["system4"]))


@pytest.mark.parametrize("panel_error", [0, 0.035])
@pytest.mark.parametrize("measure", ["NumRelRet", "GMAP", "AP"])
def test_the_outlook_is_about_the_means_that_are_drawn(made, measure, panel_error):
    """1.96 standard deviations of the difference of two systems, for the median pair."""
    found = board(made, measure, panel_error=panel_error)
    pairs = [(a, b) for a in range(4) for b in range(a)]
    drawn = [found.samples[:, a] - found.samples[:, b] for a, b in pairs]
    needed = 1.96 * np.median([one.std() for one in drawn])
    assert found.outlook.difference == pytest.approx(needed, rel=0.2)
    if panel_error:
        assert found.shares["panel"] == pytest.approx(
            (found.outlook.floor / found.outlook.difference) ** 2, abs=0.15
        )


@pytest.mark.parametrize("measure", ["NumRelRet", "GMAP", "ESL", "AP"])
def test_what_the_panel_is_off_by_is_a_difference_of_reported_means(made, measure):
    panel = board(made, measure, outlook=False)
    people = board(made, measure, gold=made.gold)
    said = dict(zip(panel.systems, panel.mean, strict=True))
    off = {s: said[s] - mean for s, mean in zip(people.systems, people.mean, strict=True)}
    assert {s: found[0] for s, found in people.gold.bias.items()} == pytest.approx(off)
    for middle, low, high in people.gold.bias.values():
        assert low <= middle <= high
    level = np.mean(list(off.values()))
    assert people.gold.overall[0] == pytest.approx(level)
    assert people.correction.level[0] == pytest.approx(level)
