"""Discriminative power: what tests tell apart, and what they should not."""

from __future__ import annotations

import itertools
import pickle
from typing import Any

import numpy as np
import pytest

import hungjury as hj
from hungjury.base.errors import InputError
from hungjury.measures.scores import Scores
from hungjury.stats.multiple import randomised_tukey
from hungjury.stats.resampling import resample_counts
from hungjury.studies.jobs import seed_for
from hungjury.studies.measure_comparison import power_of
from oracles import stats as naive_stats
from oracles import studies as naive


def scores_of(values: Any) -> Scores:
    """Made-up scores [measure, system, topic]."""
    values = np.asarray(values, dtype=float)
    m, s, t = values.shape
    return Scores(
        [f"m{i}" for i in range(m)], [f"s{i}" for i in range(s)], [f"t{i}" for i in range(t)],
        values, np.zeros(values.shape, dtype=np.uint8),
    )  # fmt: skip


def test_the_bootstrap_is_the_oracles() -> None:
    values = np.random.default_rng(1).random((4, 9)).round(2)
    p, needed = power_of(values, "bootstrap", 0.05, 100, seed=3)
    counts = resample_counts(9, 100, np.random.default_rng(seed_for(3, ("bootstrap",))))
    pairs = list(itertools.combinations(range(4), 2))
    wanted = [naive_stats.studentised_bootstrap(values[i] - values[j], counts) for i, j in pairs]
    np.testing.assert_allclose(p, [one for one, _ in wanted])
    assert needed == pytest.approx(max(two for _, two in wanted))


def test_randomised_tukey_nears_all_exchanges() -> None:
    values = [[0.1, 0.5, 0.3], [0.4, 0.6, 0.9], [0.2, 0.2, 0.8]]
    exact = naive.tukey_exact(values)
    found = randomised_tukey(values, samples=20000, rng=2)
    np.testing.assert_allclose(found.p, exact, atol=0.015)
    assert min(exact) < 0.5 < max(exact)  # a test that could fail


def test_the_difference_tukey_needs_is_the_one_that_p_needs() -> None:
    values = np.random.default_rng(0).random((12, 20)) + np.linspace(0, 0.6, 12)[:, None]
    found = randomised_tukey(values, samples=2000, rng=0)
    means = values.mean(axis=1)
    sizes = [abs(means[i] - means[j]) for i, j in itertools.combinations(range(12), 2)]
    assert [p < 0.05 for p in found.p] == [d > found.needed for d in sizes]
    assert 0 < (found.p < 0.05).sum() < len(sizes)


@pytest.mark.parametrize("method", ["bootstrap", "tukey"])
def test_identical_systems_have_p_1(method: str) -> None:
    row = np.random.default_rng(0).random(10)
    found = hj.studies.discriminative_power(scores_of([[row, row, row + 0.5]]), method, samples=200)
    assert found.p[0, 0] == 1
    assert found.p[0, 1] < 0.05


def test_systems_that_do_not_differ_are_told_apart_as_often_as_alpha_says() -> None:
    values = np.random.default_rng(4).normal(size=(20, 20, 40))
    shares = [(power_of(v, "bootstrap", 0.05, 400)[0] < 0.05).mean() for v in values]
    assert np.mean(shares) == pytest.approx(0.05, abs=0.012)


def test_tukey_keeps_false_differences_of_the_whole_family_below_alpha() -> None:
    values = np.random.default_rng(9).normal(size=(150, 6, 15))
    any_false = [(power_of(v, "tukey", 0.1, 200)[0] < 0.1).any() for v in values]
    assert np.mean(any_false) == pytest.approx(0.1, abs=0.05)


def test_a_better_measure_has_more_power() -> None:
    rng = np.random.default_rng(3)
    quality = np.linspace(0.2, 0.8, 10)[:, None]
    noisy, sharp = (quality + rng.normal(0, s, (10, 30)) for s in (0.6, 0.1))
    for method in ("bootstrap", "tukey"):
        found = hj.studies.discriminative_power(scores_of([noisy, sharp]), method, samples=300)
        assert found.power[1] > found.power[0] + 0.2
        assert found.needed[1] < found.needed[0]
        rows = found.table().rows
        assert [row[0] for row in rows] == ["m1", "m0"]
        assert rows[0][1] == pytest.approx(rows[0][2] / 45)
        assert "45 pairs of 10 systems on 30 topics" in str(found)


def test_measures_do_not_depend_on_each_other() -> None:
    scores = scores_of(np.random.default_rng(0).random((3, 5, 12)))
    sent = pickle.loads(pickle.dumps(scores))
    found = hj.studies.discriminative_power(scores, "tukey", samples=100, seed=5)
    for m in reversed(range(3)):
        p, needed = power_of(sent.values[m], "tukey", alpha=0.05, samples=100, seed=5)
        np.testing.assert_array_equal(found.p[m], p)
        assert found.needed[m] == needed
    other = hj.studies.discriminative_power(scores, "tukey", samples=100, seed=6)
    assert (other.p != found.p).any()


def test_power_wants_values_and_a_known_method() -> None:
    values = np.random.default_rng(0).random((1, 3, 4))
    with pytest.raises(InputError, match="invalid value 'anova' for method"):
        hj.studies.discriminative_power(scores_of(values), "anova")
    values[0, 0, 0] = np.nan
    with pytest.raises(InputError, match="some have none"):
        hj.studies.discriminative_power(scores_of(values))
    with pytest.raises(InputError, match="shape"):
        randomised_tukey([[0.1, 0.2]])
