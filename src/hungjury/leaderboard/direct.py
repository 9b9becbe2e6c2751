"""Scores on the people's scale, straight from gold labels: predictions and difference estimates.

For every grade above the lowest, a logistic regression gives the probability that people give a
document at least that grade, from the judges' votes, how prominently the systems show the
document, and a random effect of its topic. Documents are put into folds; those of a fold are
predicted by a model fitted to the gold labels of the others (cross-fitting). The uncertain parts
of the model, its coefficients and the topics' effects, are drawn from their approximate posterior.

Labels that people gave are used as they are, all others are predicted, and the errors of the
predictions on labelled documents, weighted by inverse inclusion probabilities, correct the result:

    theta_s = E[m_s | labels, predictions] + sum over labelled d of (1/pi_d - 1) phi_sd(g_d - p_d)

phi_sd is the effect of document d on the mean of system s (`effects`). The estimate is unbiased for
measures that add up over documents, and correct to first order for all others; with the whole pool
labelled it is the gold labels' own score.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hungjury.base.arrays import Floats, Int16s, Ints
from hungjury.base.records import Record
from hungjury.data.alignment import Alignment
from hungjury.judges.panel import Panel
from hungjury.leaderboard.effect_products import Products
from hungjury.leaderboard.effects import PoolEffects, effects_in_parts, scores_under
from hungjury.leaderboard.gold import GoldLabels
from hungjury.leaderboard.panel_error import Spread, independent
from hungjury.measures.batch import Scorer

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
        return np.asarray(-np.diff(self.at_least.mean(axis=0), prepend=1.0, append=0.0))

    @property
    def deviations(self) -> Floats:
        """[draw, document, grade]: drawn probabilities of the grades minus their means."""
        off = self.at_least - self.at_least.mean(axis=0)
        return np.asarray(-np.diff(off, prepend=0.0, append=0.0))

    def draw(self, rng: np.random.Generator) -> Ints:
        """[draw, document]: places of drawn labels in the list of grades."""
        uniform = rng.random(self.at_least.shape[:2])
        return np.asarray((uniform[..., None] < self.at_least).sum(axis=-1))


def features(panel: Panel, alignment: Alignment) -> Floats:
    """[document, feature]: standardised, with a leading one; known without gold labels."""
    votes = panel.counts()
    share = votes / np.maximum(votes.sum(axis=1, keepdims=True), 1e-300)
    mean = share @ np.array(panel.grades, dtype=float)
    upward = np.cumsum(share[:, :0:-1], axis=1)
    pool = panel.pool
    sizes = np.maximum(np.diff(pool.offsets), 1)
    by_topic = (pool.sum_by_topic(mean) / sizes)[pool.topic_of]
    near = alignment.rank <= TOP
    discount = 1 / np.log2(1 + alignment.rank[near])  # how prominently systems show a document
    shown = np.bincount(alignment.document[near], discount, minlength=len(pool))
    prominence = np.log1p(shown / max(float(shown.mean()), 1e-300))
    columns = np.column_stack([mean, upward, prominence, by_topic])
    spread = columns.std(axis=0)
    usable = columns[:, spread > 0]
    return np.column_stack(
        [np.ones(len(usable)), (usable - usable.mean(axis=0)) / spread[spread > 0]]
    )


def predict(
    given: Floats, topic: Ints, gold: GoldLabels, draws: int, rng: np.random.Generator
) -> Prediction:
    """Cross-fitted predictions for all documents.

    Parameters
    ----------
    given
        Features [document, feature].
    topic
        [document]: index of its topic.
    gold
        The labels. Models are fitted without their weights, the inverse inclusion probabilities;
        then their level is shifted to bring the weighted sum of errors to about 0, as documents
        that matter little to comparisons are many in the pool and few among those labelled.
    draws
        Draws from the model's posterior; an even number, as they come in antithetic pairs.
    rng
        Assigns folds, and draws.
    """
    labelled, at_least, weight = gold.documents, gold.at_least, gold.weights
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

    The curvature of topic effects is diagonal, so they are eliminated one by one and only a
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


ROUGH, FINE = 2, 16  # draws that effects are averaged over: of all documents, of labelled ones
CALIBRATION = (0.3, 4.0)  # bounds of the factor between seen and predicted variance


def fitted(spread: Spread, gold: GoldLabels, seen: Floats, axis: Floats) -> Spread:
    """Fit expected errors of predictions to squared errors seen on labelled documents.

    seen: [2, labelled document], along the axis [system] and across it, each of which has a factor.
    """
    expected = np.empty_like(seen)
    for mine, parts in spread.parts(gold.documents):
        expected[:, mine] = along_and_across(parts.table(), axis)
    probability = gold.probability[gold.documents]
    some = probability < 1
    weight = (1 - probability) / probability**2 if some.any() else np.ones(len(some))
    total = expected @ weight
    ratio = np.divide(seen @ weight, total, out=np.ones(2), where=total > 0)
    along, across = np.sqrt(np.clip(ratio, *CALIBRATION))
    turn = across * np.eye(len(axis)) + (along - across) * np.outer(axis, axis)
    return replace(spread, turn=turn)


def along_and_across(table: Floats, axis: Floats) -> Floats:
    """[2, document]: squared contrasts of effects [system, document, part] along an axis [system],
    and the rest of them."""
    along = (np.tensordot(axis, table, axes=1) ** 2).sum(axis=1)
    every = len(axis) * table.var(axis=0).sum(axis=1)
    return np.stack([along, np.maximum(every - along, 0)])


class Direct(Record, eq=False):
    """Means of systems as people would score them, and their covariance over samples."""

    mean: Floats  # [system]
    covariance: Floats  # [system, system]: over samples
    cells: Floats  # [system, topic]: expected scores given labels and predictions
    freedom: float = np.inf  # degrees of freedom of the covariance
    doubt: Floats | None = None  # [system, system]: covariance due to uncertain predictions
    spread: Spread | None = None  # gives the covariance under other samples
    worst: Floats | float = 0.0  # [system]: how far skipped documents could move the mean


def direct(
    scorer: Scorer, gold: GoldLabels, prediction: Prediction, rng: np.random.Generator
) -> Direct:
    """Direct estimates of all systems' means.

    Notes
    -----
    Differences between systems have a smoothed covariance: the variance that the predictions
    themselves expect, over all documents of the pool, times factors that fit it to the errors
    seen on labelled documents. There are two: an error about how much is relevant, which enters
    the best possible score, moves all scores in proportion, and predictions expect more of such
    errors than there are; one factor for all contrasts would take that off the others. The
    variance of the level that all systems share is Horvitz-Thompson's, from the errors seen alone.
    """
    grades, chosen = np.array(gold.grades, dtype=np.int16), gold.documents
    place = prediction.draw(rng)
    place[:, chosen] = _drawn(gold.shares, len(place), rng)
    labels = grades[place]
    values = scores_under(scorer, labels)
    rough = PoolEffects(scorer, labels[:ROUGH], gold.grades)
    chances = prediction.chances
    expected = chances.copy()
    expected[chosen] = gold.shares
    share = np.stack([(place == g).mean(axis=0) for g in range(len(grades))], axis=1)
    cells = values.mean(axis=0)
    mean = cells.mean(axis=1)
    # Labels were drawn, not summed over: correct for the difference by the effects.
    for mine, effect in rough.parts():
        mean += effect.summed((expected - share)[mine])
    worst, skipped = np.zeros(len(mean)), np.sort(gold.skipped)
    for mine, effect in rough.parts(skipped):
        worst += np.ptp(effect.table(), axis=2) @ (1 / gold.probability[skipped[mine]])
    axis = cells.mean(axis=1) - cells.mean()
    axis /= np.linalg.norm(axis) or 1.0
    total, level, squared, disagreement = _errors(scorer, labels[:FINE], gold, chances, axis)
    spread = fitted(Spread(rough, chances), gold, squared, axis)
    covariance = spread.contrasts(gold.probability) + level + disagreement
    return Direct(
        mean + total,
        covariance + _predicted(rough, gold, prediction),
        cells,
        doubt=np.atleast_2d(np.cov(values.mean(axis=2), rowvar=False)),
        spread=spread,
        worst=worst,
    )


def _predicted(effects: PoolEffects, gold: GoldLabels, prediction: Prediction) -> Floats:
    """[system, system]: covariance due to uncertain predictions of documents of probability 0,
    whose errors no labelled document shows."""
    unseen = np.flatnonzero(gold.probability == 0)
    moved = np.zeros((len(prediction.at_least), len(effects.scorer.alignment.systems)))
    if not len(unseen):
        return np.zeros((moved.shape[1], moved.shape[1]))
    off = prediction.deviations[:, unseen]
    for mine, effect in effects.parts(unseen):
        moved += np.tensordot(off[:, mine], effect.table(), axes=((1, 2), (1, 2)))
    return np.atleast_2d(np.cov(moved, rowvar=False))


def _errors(
    scorer: Scorer, labels: Int16s, gold: GoldLabels, chances: Floats, axis: Floats
) -> tuple[Floats, float, Floats, Floats]:
    """Effects of prediction errors on labelled documents on the systems' means: their sum [system],
    weighted by 1 / probability - 1; the variance over samples that all systems share; squared
    contrasts [2, labelled document] along the axis and across it; and the covariance
    [system, system] over the people who label."""
    chosen = gold.documents
    probability, off = gold.probability[chosen], gold.shares - chances[chosen]
    systems = len(scorer.alignment.systems)
    total, squared, level = np.zeros(systems), np.empty((2, len(chosen))), 0.0
    products = Products(systems, [gold.disagreement / probability])
    turn, several = independent(gold.shares), bool(gold.disagreement.any())
    for mine, effect in effects_in_parts(scorer, labels, gold.grades, chosen):
        table = effect.turned(off[mine, :, None]).table()
        error = table[:, :, 0]  # [system, document]
        pi = probability[mine]
        total += error @ (1 / pi - 1)
        level += float(((error.mean(axis=0) / pi) ** 2 @ (1 - pi)).sum())
        squared[:, mine] = along_and_across(table, axis)
        if several:
            effect.turned(turn[mine]).add_to(products, mine)
    return total, level, squared, products.finish()[0]


def topic_differences(panel: Floats, gold: Floats, topics: Ints) -> Direct:
    """The panel's means corrected by its mean error on random topics that people labelled wholly.

    Parameters
    ----------
    panel
        The panel's scores [system, topic].
    gold
        Scores [system, labelled topic] by gold labels.
    topics
        Positions of the labelled topics.
    """
    off = gold - panel[:, topics]
    number, all_topics = len(topics), panel.shape[1]
    left = 1 - number / all_topics
    covariance = np.atleast_2d(np.cov(off)) * left / number
    cells = panel + off.mean(axis=1, keepdims=True)
    cells[:, topics] = gold
    mean = panel.mean(axis=1) + off.mean(axis=1)
    return Direct(mean, covariance, cells, max(number - 1, 1))


def _drawn(shares: Floats, draws: int, rng: np.random.Generator) -> Ints:
    """[draw, document]: the place of one person's label."""
    upto = np.cumsum(shares[:, :-1], axis=1)
    return np.asarray((rng.random((draws, len(shares), 1)) >= upto - 1e-12).sum(axis=2))
