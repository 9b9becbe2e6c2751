"""Predictions of gold labels: how much topics differ is learned from the labels."""

import numpy as np
import pytest

from hungjury.uncertainty import predict as module
from hungjury.uncertainty.predict import TOPIC_SD, TOPICS_ALIKE, _Logistic


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


@pytest.mark.parametrize(("sd", "number"), [(0.3, 150), (1.5, 400)])
def test_the_variance_is_the_fixed_point(sd, number):
    """sigma² (gamma + n) = sum of squared effects + n s², gamma the number of effects known."""
    given, topic, share = collection(sd, number, 3)
    found = _Logistic.fit(given, topic, share, 45)
    seen = np.unique(topic)
    variance = 1.0
    for _ in range(300):
        fixed, random, curvature = naive_mode(given, topic, share, 45, variance)
        inner = np.diag(curvature)[given.shape[1] :]
        known = sum(1 - 1 / (inner[t] * variance) for t in seen)
        squares = sum(random[t] ** 2 for t in seen)
        variance = (squares + TOPICS_ALIKE * TOPIC_SD**2) / (known + TOPICS_ALIKE)
    np.testing.assert_allclose(found.fixed, fixed, atol=1e-3)
    np.testing.assert_allclose(found.random, random, atol=1e-3)
    np.testing.assert_allclose(found.spread, 1 / np.sqrt(inner), atol=1e-3)


def learned(sd, number, seed, monkeypatch):
    """The standard deviation that a fit ends with."""
    seen = []
    real = module._topic_variance

    def spy(*given):
        seen.append(real(*given))
        return seen[-1]

    monkeypatch.setattr(module, "_topic_variance", spy)
    _Logistic.fit(*collection(sd, number, seed), 45)
    monkeypatch.undo()
    return seen[-1] ** 0.5


def test_many_labels_decide_and_few_leave_the_prior(monkeypatch):
    def mean(sd, number):
        return np.mean([learned(sd, number, seed, monkeypatch) for seed in range(5)])

    assert mean(0.2, 1500) < 0.65
    assert mean(2.5, 1500) > 1.7
    assert abs(mean(0.2, 40) - TOPIC_SD) < 0.2
    assert mean(0.8, 1500) == pytest.approx(0.8, abs=0.15)
