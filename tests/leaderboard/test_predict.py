"""Predicted gold labels: the logistic model, its features and effects of topics."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize

import hungjury as hj
from hungjury.data.alignment import align
from hungjury.judges.panel import Panel
from hungjury.leaderboard import direct
from hungjury.leaderboard.direct import TOPIC_SD, Prediction, _Logistic, features


def data(seed=0, documents=60, topics=4):
    rng = np.random.default_rng(seed)
    given = np.column_stack([np.ones(documents), rng.normal(size=(documents, 2))])
    topic = rng.integers(topics, size=documents)
    logit = given @ [-0.5, 1.0, -0.7] + rng.normal(size=topics)[topic]
    return given, topic, (rng.random(documents) < 1 / (1 + np.exp(-logit))).astype(float)


def penalised(parameters, given, topic, share):
    """Minus the log posterior: ridge 2 on coefficients, 0.05 on the intercept, topic sd 1."""
    fixed, random = parameters[: given.shape[1]], parameters[given.shape[1] :]
    total = 0.0
    for row, t, y in zip(given, topic, share, strict=True):
        logit = float(row @ fixed) + random[t]
        total += math.log1p(math.exp(-logit)) + (1 - y) * logit
    total += 0.05 * fixed[0] ** 2 / 2 + 2.0 * (fixed[1:] ** 2).sum() / 2
    return total + (random**2).sum() / 2


def test_the_fit_is_the_mode():
    given, topic, share = data()
    found = _Logistic.fit(given, topic, share, 5)  # the fifth topic has no label
    best = minimize(penalised, np.zeros(8), (given, topic, share), tol=1e-10).x
    assert found.fixed == pytest.approx(best[:3], abs=1e-4)
    assert found.random == pytest.approx(best[3:], abs=1e-4)
    assert found.random[4] == pytest.approx(0, abs=1e-9)


def test_draws_have_the_curvature_of_the_mode():
    given, topic, share = data(1)
    found = _Logistic.fit(given, topic, share, 4)
    at = np.append(found.fixed, found.random)
    whole = np.hstack([given, np.eye(4)[topic]])
    chance = 1 / (1 + np.exp(-whole @ at))
    curvature = (whole * (chance * (1 - chance))[:, None]).T @ whole
    curvature += np.diag([0.05, 2, 2, 1, 1, 1, 1])
    # Each standard normal moves the parameters by a column of a root of the covariance.
    fixed, random = found.draw(np.eye(7)[:, :3], np.eye(7)[:, 3:])
    moved = np.hstack([fixed, random]) - at
    assert moved.T @ moved == pytest.approx(np.linalg.inv(curvature), abs=1e-6)


@pytest.mark.parametrize("sd", [1.0, 0.5])
def test_the_shift_balances_weighted_errors(sd, monkeypatch):
    """A shift s with prior N(0, sd²): its score is 0 at the mode, weights scaled to the effective
    sample size."""
    monkeypatch.setattr(direct, "SHIFT_SD", sd)
    given, topic, share = data(2)
    found = _Logistic.fit(given, topic, share, 4)
    weight = np.random.default_rng(3).gamma(0.7, size=len(share)) * 5 + 1
    shift = found.shift(given, topic, share, weight)
    effective = weight.sum() ** 2 / (weight**2).sum()
    each = weight / weight.sum() * effective
    chance = 1 / (1 + np.exp(-(given @ found.fixed + found.random[topic] + shift)))
    assert each @ (share - chance) == pytest.approx(shift / sd**2, abs=1e-5)
    assert abs(shift) > 0.01


def test_features_are_the_loop():
    made = hj.simulate(systems=3, topics=3, documents=30, depth=15, grades=3, seed=6)
    panel, aligned = Panel.of(made.judgments, None), align(made.runs, made.judgments.pool)
    votes = {a: made.judgments.qrels_of(a).to_dict() for a in made.judgments.judges}
    pool = made.judgments.pool
    rows = []
    for d, document in enumerate(pool.documents):
        topic = pool.topics[pool.topic_of[d]]
        labels = [given[topic][document] for given in votes.values() if document in given[topic]]
        shown = 0.0
        for system in made.runs.systems:
            order = [name for name, _ in made.runs.ranked(system, topic)][:10]
            if document in order:
                shown += 1 / math.log2(order.index(document) + 2)
        share = [sum(v >= k for v in labels) / len(labels) for k in (2, 1)]
        rows.append([sum(labels) / len(labels), *share, shown, topic])
    mean = [row[0] for row in rows]
    usual = sum(row[3] for row in rows) / len(rows)
    columns = np.array(
        [
            [
                row[0], row[1], row[2], math.log(1 + row[3] / usual),
                np.mean([m for m, other in zip(mean, rows, strict=True) if other[4] == row[4]]),
            ]
            for row in rows
        ]
    )  # fmt: skip
    expected = (columns - columns.mean(axis=0)) / columns.std(axis=0)
    found = features(panel, aligned)
    assert found[:, 0].tolist() == [1.0] * len(rows)
    assert found[:, 1:] == pytest.approx(expected)


def test_chances_are_differences_of_at_least():
    drawn = np.array([[[0.9, 0.2], [0.4, 0.4]], [[0.7, 0.4], [0.6, 0.0]]])  # [draw, document, k]
    found = Prediction(drawn)
    assert found.chances == pytest.approx(np.array([[0.2, 0.5, 0.3], [0.5, 0.3, 0.2]]))
    many = Prediction(np.repeat(drawn, 20_000, axis=0)).draw(np.random.default_rng(0))
    shares = np.array([(many == g).mean(axis=0) for g in range(3)]).T
    assert shares == pytest.approx(found.chances, abs=0.01)


# Predictions of gold labels with effects of topics: against a dense matrix.


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
    monkeypatch.setattr(direct, "TOPIC_SD", assumed)
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
