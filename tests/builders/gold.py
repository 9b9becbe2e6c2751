"""Collections and plans for tests with gold labels."""

import numpy as np

import hungjury as hj
from hungjury.leaderboard.direct import Prediction
from hungjury.leaderboard.gold import GoldLabels

GRADES = (0, 1, 2)


def simulated():
    return hj.simulate(
        systems=5, topics=8, documents=60, depth=30, grades=3, accuracies=(0.6, 0.5, 0.5), seed=4
    )


def labels_of(plan, gold, rows=None):
    """The gold labels of a plan's documents."""
    out = {}
    truth = gold.to_dict()
    for i in range(len(plan)) if rows is None else rows:
        out.setdefault(plan.topics[i], {})[plan.documents[i]] = truth[plan.topics[i]][
            plan.documents[i]
        ]
    return out


def board(made, measure="nDCG@10", **given):
    return hj.leaderboard(made.judgments, made.runs, measure, draws=200, **given)


def sampled(made, chosen, probability):
    truth = made.gold.labels.astype(int)
    shares = np.eye(3)[truth[chosen]]
    return GoldLabels(chosen, shares, np.ones(len(chosen), int), GRADES, probability)


def flat(made, draws=20, chances=(0.6, 0.3)):
    """The same prediction for every document."""
    size = len(made.judgments.pool)
    return Prediction(np.tile(np.array(chances), (draws, size, 1)))
