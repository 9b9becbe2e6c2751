"""Predictions of gold labels with effects of topics: against a dense matrix."""

import numpy as np
import pytest

from hungjury.leaderboard.direct import TOPIC_SD, _Logistic


def collection(sd, number, seed, topics=45):
    rng = np.random.default_rng(seed)
    topic = rng.integers(topics, size=number)
    given = np.column_stack([np.ones(number), rng.standard_normal((number, 2))])
    logit = given @ [-0.5, 1.0, 0.5] + (sd * rng.standard_normal(topics))[topic]
    return given, topic, (rng.random(number) < 1 / (1 + np.exp(-logit))).astype(float)


def naive_mode(given, topic, share, topics, variance):
    """Penalised likelihood with a dense matrix of coefficients and topic effects."""
    size = given.shape[1]
    whole = np.column_stack([given, np.eye(topics)[topic]])
    penalty = np.diag([0.05] + [2.0] * (size - 1) + [1 / variance] * topics)
    at = np.zeros(size + topics)
    for _ in range(50):
        chance = 1 / (1 + np.exp(-whole @ at))
        curvature = whole.T @ (whole * (chance * (1 - chance))[:, None]) + penalty
        at = at + np.linalg.solve(curvature, whole.T @ (share - chance) - penalty @ at)
    return at[:size], at[size:], curvature


@pytest.mark.parametrize("assumed", [TOPIC_SD, 0.7])
@pytest.mark.parametrize(("sd", "number"), [(0.3, 150), (1.5, 400)])
def test_effects_are_at_the_mode(sd, number, assumed, monkeypatch):
    monkeypatch.setattr("hungjury.leaderboard.direct.TOPIC_SD", assumed)
    given, topic, share = collection(sd, number, 3)
    found = _Logistic.fit(given, topic, share, 45)
    fixed, random, curvature = naive_mode(given, topic, share, 45, assumed**2)
    np.testing.assert_allclose(found.fixed, fixed, atol=1e-6)
    np.testing.assert_allclose(found.random, random, atol=1e-6)
    covariance = np.linalg.inv(curvature)
    noise = np.random.default_rng(0).standard_normal((20_000, 3 + 45))
    coefficients, effects = found.draw(noise[:, :3], noise[:, 3:])
    drawn = np.cov(np.column_stack([coefficients, effects]), rowvar=False)
    np.testing.assert_allclose(drawn, covariance, atol=0.02 * covariance.max() + 0.005)


def test_a_fit_goes_on_while_any_topic_moves():
    """Topics that balance each other leave the intercept at 0, and one of them stays there too."""
    topic = np.repeat([0, 1, 2], 20)
    share = np.concatenate([np.ones(20), np.zeros(20), np.tile([0.0, 1.0], 10)])
    found = _Logistic.fit(np.ones((60, 1)), topic, share, 3)
    _, random, _ = naive_mode(np.ones((60, 1)), topic, share, 3, TOPIC_SD**2)
    np.testing.assert_allclose(found.random, random, atol=1e-6)
