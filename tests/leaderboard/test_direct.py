"""Direct estimates of scores from gold labels."""

import numpy as np
import pytest

import hungjury as hj
from builders.effects import effects
from builders.gold import GRADES, board, flat, sampled
from hungjury.data.alignment import align
from hungjury.judges.panel import Panel
from hungjury.leaderboard.direct import Prediction, direct, features, predict, topic_differences
from hungjury.leaderboard.effects import scores_under
from hungjury.leaderboard.gold import GoldLabels
from hungjury.measures.batch import Scorer
from hungjury.stats.agreement import effective_judges, error_correlation
from hungjury.stats.resampling import inclusion


@pytest.fixture(scope="module")
def aligned(made):
    return align(made.runs, made.judgments.pool)


@pytest.mark.parametrize(
    "measure", ["RBP(p=0.8)", "P(rel=2)@5", "DCG@10", "nDCG@10", "AP", "ERR@10"]
)
def test_direct_estimates_are_the_sum(measure, made, aligned):
    """E[m | labels, predictions] + sum (1/pi - 1) sum_k (g - p) effect, written out."""
    rng = np.random.default_rng(1)
    size = len(made.judgments.pool)
    probability = rng.uniform(0.1, 0.9, size)
    chosen = np.flatnonzero(rng.random(size) < probability)
    sample, prediction = sampled(made, chosen, probability), flat(made)
    scorer = Scorer(measure, aligned, 2)
    found = direct(scorer, sample, prediction, np.random.default_rng(7))
    again = np.random.default_rng(7)
    labels = prediction.draw(again).astype(np.int16)
    labels[:, chosen] = made.gold.labels[chosen]
    rough = effects(scorer, labels[:2], GRADES, np.arange(size))
    fine = effects(scorer, labels[:16], GRADES, chosen)
    p = np.array([0.4, 0.3, 0.3])
    for s in range(5):
        model = scores_under(scorer, labels)[:, s].mean()
        for d in range(size):
            if d not in set(chosen.tolist()):
                drawn = [(labels[:, d] == g).mean() for g in GRADES]
                model += sum((p[g] - drawn[g]) * rough[s, d, g] for g in GRADES)
        for i, d in enumerate(chosen):
            off = sum(((made.gold.labels[d] == g) - p[g]) * fine[s, i, g] for g in GRADES)
            model += (1 / probability[d] - 1) * off
        assert found.mean[s] == pytest.approx(model, abs=1e-10)


@pytest.mark.parametrize("measure", ["P(rel=2)@5", "nDCG@10", "AP", "ERR@10"])
def test_what_samples_leave_open_adds_up_over_documents(measure, made, aligned):
    """The variance that predictions expect, fitted to the errors seen, then the level that systems
    share and what other people would have said; document by document."""
    rng = np.random.default_rng(1)
    size = len(made.judgments.pool)
    probability = rng.uniform(0.1, 0.9, size)
    due = np.flatnonzero(rng.random(size) < probability)
    chosen, skipped = np.delete(due, [3, 9]), due[[9, 3]]
    shares = rng.dirichlet(np.ones(3), len(chosen))
    people = np.where(rng.random(len(chosen)) < 0.5, 2, 1)
    sample = GoldLabels(chosen, shares, people, GRADES, probability, skipped=skipped)
    scorer, prediction = Scorer(measure, aligned, 2), flat(made)
    found = direct(scorer, sample, prediction, np.random.default_rng(7))
    again = np.random.default_rng(7)
    place = prediction.draw(again)
    uniform = again.random((len(place), len(chosen)))
    for i, d in enumerate(chosen):
        place[:, d] = (uniform[:, i, None] >= np.cumsum(shares[i])[:2]).sum(axis=1)
    labels = place.astype(np.int16)
    rough = effects(scorer, labels[:2], GRADES, np.arange(size))
    fine = effects(scorer, labels[:16], GRADES, chosen)
    p = np.array([0.4, 0.3, 0.3])

    def covariance(effect, chance):
        """Between systems [system, grade], where the grade is drawn."""
        around = effect - (effect @ chance)[:, None]
        return (around * chance) @ around.T

    def of_differences(table):
        centre = np.eye(5) - 1 / 5
        return centre @ table @ centre

    expected = np.zeros((5, 5))
    for d in range(size):
        expected += (1 / probability[d] - 1) * of_differences(covariance(rough[:, d], p))
    means = scores_under(scorer, labels).mean(axis=(0, 2))
    along = (means - means.mean()) / np.sqrt(((means - means.mean()) ** 2).sum())
    seen, told, level = np.zeros(2), np.zeros(2), 0.0  # along all means, and across
    disagreement = np.zeros((5, 5))
    for i, d in enumerate(chosen):
        off = fine[:, i] @ (shares[i] - p)
        pi = probability[d]
        for into, table in ((seen, np.outer(off, off)), (told, covariance(rough[:, d], p))):
            table = (1 - pi) / pi**2 * of_differences(table)
            into += along @ table @ along, np.trace(table) - along @ table @ along
        level += (1 - pi) * (off.mean() / pi) ** 2
        disagreement += sample.disagreement[i] / pi * covariance(fine[:, i], shares[i])
    one, other = np.sqrt(np.clip(seen / told, 0.3, 4))
    fit = one * np.outer(along, along) + other * (np.eye(5) - np.outer(along, along))
    total = fit @ expected @ fit + level + disagreement
    np.testing.assert_allclose(found.covariance, total, rtol=1e-9, atol=1e-15)
    worst = [
        sum((max(rough[s, d]) - min(rough[s, d])) / probability[d] for d in skipped)
        for s in range(5)
    ]
    np.testing.assert_allclose(found.worst, worst, rtol=1e-9)


@pytest.mark.parametrize("measure", ["RBP(p=0.8)", "P(rel=2)@5", "DCG@10"])
def test_no_noise_of_draws_for_measures_that_add_up(measure, made, aligned):
    size = len(made.judgments.pool)
    chosen = np.arange(0, size, 7)
    sample = sampled(made, chosen, np.full(size, 1 / 7))
    scorer = Scorer(measure, aligned, 2)
    one, two = (direct(scorer, sample, flat(made), np.random.default_rng(s)) for s in (1, 2))
    np.testing.assert_allclose(one.mean, two.mean, atol=1e-12)


@pytest.mark.long
@pytest.mark.parametrize(("rel", "cutoff"), [(1, 5), (2, 10)])
def test_uniform_samples_give_the_prediction_powered_mean(rel, cutoff, made, aligned):
    """On plain means the estimate is that of ppi_py with lambda = 1."""
    ppi = pytest.importorskip("ppi_py")
    size, number = len(made.judgments.pool), 60
    rng = np.random.default_rng(3)
    chosen = np.sort(rng.choice(size, number, replace=False))
    sample = sampled(made, chosen, np.full(size, number / size))
    guess = rng.random((size, 2)) * [1, 0.5]
    guess[:, 1] = np.minimum(guess[:, 0], guess[:, 1])
    prediction = Prediction(np.tile(guess, (10, 1, 1)))
    measure = f"P(rel={rel})@{cutoff}"
    found = direct(Scorer(measure, aligned, 2), sample, prediction, rng)
    truth = (made.gold.labels >= rel).astype(float)
    chance = guess[:, rel - 1]
    for s in range(5):
        weight = np.zeros(size)
        mine = aligned.start.reshape(5, -1)[s], aligned.stop.reshape(5, -1)[s]
        for start, stop in zip(*mine, strict=True):
            top = aligned.rank[start:stop] <= cutoff
            weight[aligned.document[start:stop][top]] = size / (cutoff * len(mine[0]))
        expected = ppi.ppi_mean_pointestimate(
            (weight * truth)[chosen], (weight * chance)[chosen], weight * chance, lam=1
        )
        assert found.mean[s] == pytest.approx(float(np.squeeze(expected)), abs=1e-9)


@pytest.mark.parametrize(
    ("measure", "target"),
    [(name, "population") for name in (
        "nDCG@10", "AP", "AP(rel=2)", "RBP(p=0.8)", "P@5", "ERR@10", "RR", "Bpref", "GMAP",
        "NumRel", "Rprec", "infAP", "Judged@10", "nDCG(dcg='exp-log2')@5", "Q")]
    + [("AP(rel=2)", "topics"), ("nDCG(dcg='exp-log2')@5", "topics"), ("GMAP", "topics")],
)  # fmt: skip
def test_the_whole_pool_gives_golds_own_score(measure, target, little):
    found = board(little, measure, gold=little.gold, target=target, outlook=False)
    truth = hj.evaluate(little.gold, little.runs, measure)
    mean = dict(zip(truth.systems, truth.mean()[0], strict=True))
    np.testing.assert_allclose(found.mean, [mean[s] for s in found.systems], rtol=1e-9, atol=1e-12)
    assert found.scale == "gold"
    assert found.correction.estimate == "exact"
    if target == "topics":
        np.testing.assert_allclose(found.high, found.mean, rtol=1e-6, atol=1e-9)


@pytest.mark.long
def test_samples_are_unbiased_and_covered(made, aligned):
    """Over redrawn plans: no bias, and intervals of differences cover the truth."""
    scorer = Scorer("RBP(p=0.8)", aligned, 2)
    truth = scores_under(scorer, made.gold.labels[None])[0].mean(axis=1)
    topic = aligned.pool.topic_of.astype(np.int64)
    given = features(Panel.of(made.judgments), aligned)
    rng = np.random.default_rng(8)
    weight = rng.uniform(0.3, 2, len(topic))
    errors, covered = [], []
    upper = np.triu_indices(5, 1)
    for _ in range(60):
        priority = (1 - rng.random(len(weight))) / weight
        order = np.argsort(priority)
        chosen = np.sort(order[:100])
        sample = sampled(made, chosen, inclusion(weight, priority[order[100]]))
        predicted = predict(given, topic, sample, 10, rng)
        found = direct(scorer, sample, predicted, rng)
        off = found.mean - truth
        errors.append(off)
        variance = np.diag(found.covariance)
        sd = np.sqrt((variance[:, None] + variance - 2 * found.covariance)[upper])
        covered.append((np.abs(np.subtract.outer(off, off)[upper]) < 1.96 * sd).mean())
    standard = np.std(errors, axis=0) / np.sqrt(len(errors))
    assert (np.abs(np.mean(errors, axis=0)) < 3.5 * standard).all()
    assert 0.88 < np.mean(covered) <= 1


def test_topic_differences_are_a_paired_correction():
    rng = np.random.default_rng(0)
    panel, gold = rng.random((3, 6)), rng.random((3, 2))
    found = topic_differences(panel, gold, np.array([1, 4]))
    off = gold - panel[:, [1, 4]]
    np.testing.assert_allclose(found.mean, panel.mean(axis=1) + off.mean(axis=1))
    np.testing.assert_allclose(found.covariance, np.cov(off) / 2 * (1 - 2 / 6))
    for t in range(6):  # people's own scores where they are known
        expected = gold[:, [1, 4].index(t)] if t in (1, 4) else panel[:, t] + off.mean(axis=1)
        np.testing.assert_allclose(found.cells[:, t], expected)
    assert found.freedom == 1


def test_deviations_are_drawn_chances_minus_their_means():
    at_least = np.sort(np.random.default_rng(0).random((5, 4, 2)))[..., ::-1]
    found = Prediction(at_least)
    for d in range(4):
        drawn = [[1 - one, one - two, two] for one, two in at_least[:, d].tolist()]
        mean = np.mean(drawn, axis=0)
        np.testing.assert_allclose(found.chances[d], mean)
        np.testing.assert_allclose(found.deviations[:, d], drawn - mean, atol=1e-15)


def test_predictions_are_cross_fitted():
    """A document's own label does not touch its prediction."""
    rng = np.random.default_rng(0)
    given = np.column_stack([np.ones(50), rng.normal(size=(50, 2))])
    topic = np.repeat(np.arange(5), 10)
    labelled = np.arange(0, 50, 2)
    share = (rng.random((25, 2)) < [0.6, 0.3]).astype(float)
    share[:, 1] = np.minimum(share[:, 0], share[:, 1])

    def chances(at_least):
        shares = -np.diff(at_least, prepend=1.0, append=0.0)
        sample = GoldLabels(labelled, shares, np.ones(25, int), GRADES, np.ones(50))
        return predict(given, topic, sample, 4, np.random.default_rng(9)).chances

    before = chances(share)
    for i in (0, 7, 20):
        other = share.copy()
        other[i] = 1 - other[i, 0]
        after = chances(other)
        np.testing.assert_array_equal(before[labelled[i]], after[labelled[i]])
        assert (before != after).any()
    assert before.min() >= 0
    np.testing.assert_allclose(before.sum(axis=1), 1)


def test_errors_that_judges_share():
    errors = np.array([[1, -1, 0, 2], [1, -1, 0, np.nan], [-1, 1, 0, 0.0]])
    weight = np.array([1, 2, 1, 1.0])
    found = error_correlation(errors, weight)
    for i in range(3):
        for j in range(3):
            both = ~np.isnan(errors[i]) & ~np.isnan(errors[j])
            cov = np.cov(errors[i, both], errors[j, both], aweights=weight[both], ddof=0)
            expected = cov[0, 1] / np.sqrt(cov[0, 0] * cov[1, 1])
            assert found[i, j] == pytest.approx(expected)
    assert effective_judges(np.eye(4)) == 4
    assert effective_judges(np.ones((4, 4))) == 1
    assert effective_judges(np.ones((1, 1))) == 1
    unknown = np.array([[1, np.nan], [np.nan, 1]])
    assert np.isnan(effective_judges(unknown))
    # Errors that cancel are not counted as more judges than there are.
    assert effective_judges(np.array([[1, -0.5], [-0.5, 1]])) == 2
    half = np.array([[1, 0.5, np.nan], [0.5, 1, 0.5], [np.nan, 0.5, 1]])
    assert effective_judges(half) == pytest.approx(3 / (1 + 2 * 0.5))
