"""Predict gold labels from a panel's labels, each document by a model that has not seen it.

For every grade above the lowest, a logistic regression gives the probability that people give a
document at least that grade, from the judges' votes, how prominently the systems show the
document, and a random effect of its topic. Documents are put into folds; those of a fold are
predicted by a model fitted to the gold labels of the others (cross-fitting). The uncertain parts
of the model, its coefficients and the topics' effects, are drawn from their approximate posterior.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hungjury.collection.align import Alignment
from hungjury.judges.panel import Panel
from hungjury.records import Record

__all__ = ["Prediction", "features", "predict"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
FOLDS = 5
TOPIC_SD = 1.0  # of topic effects, in logits: a typical topic multiplies the odds by e
SHIFT_SD = 1.0  # of the shift of all logits
RIDGE, INTERCEPT_RIDGE = 2.0, 0.05  # penalties of coefficients
TOP = 10  # ranks that count for exposure
LARGEST = 15.0  # logits beyond are cut


class Prediction(Record, eq=False):
    """Probabilities of gold labels for every document of the pool."""

    at_least: Floats  # [draw, document, grade above the lowest]: drawn P(label >= grade)

    @property
    def chances(self) -> Floats:
        """[document, grade]: probabilities of the grades, the mean over draws."""
        mean = self.at_least.mean(axis=0)
        edges = np.pad(mean, ((0, 0), (1, 1)), constant_values=((0, 0), (1, 0)))
        return np.asarray(edges[:, :-1] - edges[:, 1:])

    def draw(self, rng: np.random.Generator) -> Ints:
        """[draw, document]: places of drawn labels in the list of grades."""
        uniform = rng.random(self.at_least.shape[:2])
        return np.asarray((uniform[..., None] < self.at_least).sum(axis=-1))


def exposure(alignment: Alignment) -> Floats:
    """[document]: the sum over systems of rank discounts, down to rank 10."""
    near = alignment.rank <= TOP
    discount = 1 / np.log2(1 + alignment.rank[near])
    shown = np.bincount(alignment.document[near], discount, minlength=len(alignment.pool))
    return shown.astype(float)


def features(panel: Panel, alignment: Alignment) -> Floats:
    """[document, feature]: standardised, with a leading one; known without gold labels."""
    votes = panel.counts()
    share = votes / np.maximum(votes.sum(axis=1, keepdims=True), 1e-300)
    mean = share @ np.array(panel.grades, dtype=float)
    upward = np.cumsum(share[:, :0:-1], axis=1)
    pool = panel.pool
    sizes = np.maximum(np.diff(pool.offsets), 1)
    by_topic = (pool.sum_by_topic(mean) / sizes)[pool.topic_of]
    shown = exposure(alignment)
    prominence = np.log1p(shown / max(float(shown.mean()), 1e-300))
    columns = np.column_stack([mean, upward, prominence, by_topic])
    spread = columns.std(axis=0)
    usable = columns[:, spread > 0]
    return np.column_stack(
        [np.ones(len(usable)), (usable - usable.mean(axis=0)) / spread[spread > 0]]
    )


def predict(
    given: Floats,
    topic: Ints,
    labelled: Ints,
    at_least: Floats,
    weight: Floats,
    draws: int,
    rng: np.random.Generator,
) -> Prediction:
    """Cross-fitted predictions for all documents.

    Parameters
    ----------
    given
        Features [document, feature].
    topic
        [document]: index of its topic.
    labelled
        Documents with a gold label.
    at_least
        [labelled document, grade above the lowest]: share of people who gave at least this grade.
    weight
        [labelled document]: inverse inclusion probability. Models are fitted without it; then
        their level is shifted so that the weighted sum of errors is about 0, as documents that
        matter little to comparisons are many in the pool and few in the sample.
    draws
        Draws from the model's posterior; an even number, as they come in antithetic pairs.
    rng
        Assigns folds, and draws.
    """
    fold = rng.integers(FOLDS, size=len(given))
    half = (
        rng.standard_normal((draws // 2, given.shape[1])),
        rng.standard_normal((draws // 2, int(topic.max()) + 1)),
    )
    noise = tuple(np.concatenate([one, -one]) for one in half)
    out = np.empty((draws, len(given), at_least.shape[1]))
    for f in range(FOLDS):
        known, mine = fold[labelled] != f, np.flatnonzero(fold == f)
        rows = labelled[known]
        for k in range(at_least.shape[1]):
            model = _Logistic.fit(given[rows], topic[rows], at_least[known, k], noise[1].shape[1])
            shift = model.shift(given[rows], topic[rows], at_least[known, k], weight[known])
            fixed, random = model.draw(*noise)
            logit = fixed @ given[mine].T + random[:, topic[mine]] + shift
            out[:, mine, k] = 1 / (1 + np.exp(-np.clip(logit, -LARGEST, LARGEST)))
    for k in range(1, at_least.shape[1]):  # P(at least 2) is not above P(at least 1)
        np.minimum(out[..., k], out[..., k - 1], out=out[..., k])
    return Prediction(out)


class _Logistic(Record, eq=False):
    """A logistic regression with topic effects at its mode, and the curvature there.

    The curvature of topic effects is diagonal, so that they are eliminated one by one and only a
    matrix [feature, feature] has to be inverted.
    """

    fixed: Floats
    random: Floats
    root: Floats  # a square root of the covariance of `fixed`
    cross: Floats  # [topic, feature]: how topic effects respond to a change of `fixed`
    spread: Floats  # [topic]: sd of topic effects given `fixed`

    @staticmethod
    def fit(given: Floats, topic: Ints, share: Floats, topics: int) -> _Logistic:
        penalty = np.full(given.shape[1], RIDGE)
        penalty[0] = INTERCEPT_RIDGE
        fixed, random = np.zeros(given.shape[1]), np.zeros(topics)
        member = (np.arange(topics)[:, None] == topic).astype(float)  # [topic, labelled document]
        for _ in range(30):
            logit = np.clip(given @ fixed + random[topic], -LARGEST, LARGEST)
            chance = 1 / (1 + np.exp(-logit))
            slope, off = chance * (1 - chance), share - chance
            weighted = given * slope[:, None]
            inner = member @ slope + 1 / TOPIC_SD**2
            between = member @ weighted
            cross = between / inner[:, None]
            schur = given.T @ weighted + np.diag(penalty) - between.T @ cross
            of_topics = member @ off - random / TOPIC_SD**2
            gradient = given.T @ off - penalty * fixed - cross.T @ of_topics
            step = np.linalg.solve(schur, gradient)
            inward = of_topics / inner - cross @ step
            size = max(np.abs(step).max(), np.abs(inward).max(), 1e-300)
            shrink = min(1.0, 4 / size)
            fixed, random = fixed + shrink * step, random + shrink * inward
            if size < 1e-6:
                break
        root = np.linalg.inv(np.linalg.cholesky(schur)).T
        return _Logistic(fixed, random, root, cross, 1 / np.sqrt(inner))

    def shift(self, given: Floats, topic: Ints, share: Floats, weight: Floats) -> float:
        """The shift of all logits that makes the weighted sum of errors 0, shrunk towards 0."""
        each = weight * weight.sum() / (weight**2).sum()  # adds up to the effective sample size
        logit, shift = given @ self.fixed + self.random[topic], 0.0
        for _ in range(20):
            chance = 1 / (1 + np.exp(-np.clip(logit + shift, -LARGEST, LARGEST)))
            slope = float(each @ (chance * (1 - chance))) + 1 / SHIFT_SD**2
            step = (float(each @ (share - chance)) - shift / SHIFT_SD**2) / slope
            shift += float(np.clip(step, -2, 2))
            if abs(step) < 1e-6:
                break
        return shift

    def draw(self, fixed: Floats, random: Floats) -> tuple[Floats, Floats]:
        """Coefficients [draw, feature] and topic effects [draw, topic] from standard normals."""
        moved = fixed @ self.root.T
        return self.fixed + moved, self.random - moved @ self.cross.T + random * self.spread
