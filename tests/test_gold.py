"""Scores on the people's scale from few gold labels: oracles, simulation, bad input."""

import numpy as np
import pytest
from click.testing import CliRunner

import hungjury as hj
from hungjury.batch import Scorer
from hungjury.cli.main import hungjury as command
from hungjury.collection.align import align
from hungjury.errors import HungjuryError
from hungjury.judges.gold_errors import effective_judges, error_correlation
from hungjury.judges.panel import Panel
from hungjury.stats.designs import inclusion, priorities
from hungjury.uncertainty.direct import direct, topic_differences
from hungjury.uncertainty.effects import effects, scores_under
from hungjury.uncertainty.predict import Prediction, features, predict
from hungjury.uncertainty.sample import Sample, gold_sample

GRADES = (0, 1, 2)


@pytest.fixture(scope="module")
def made():
    return hj.simulate(
        systems=5, topics=8, documents=60, depth=30, grades=3, accuracies=(0.6, 0.5, 0.5), seed=4
    )


@pytest.fixture(scope="module")
def aligned(made):
    return align(made.runs, made.judgments.pool)


@pytest.fixture(scope="module")
def plan(made):
    return hj.plan(made.judgments, made.runs, "nDCG@10", 120, seed=2)


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
    return Sample(chosen, shares, np.ones(len(chosen), int), GRADES, probability)


def flat(made, draws=20, chances=(0.6, 0.3)):
    """The same prediction for every document."""
    size = len(made.judgments.pool)
    return Prediction(np.tile(np.array(chances), (draws, size, 1)))


# ---- direct estimates


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


@pytest.mark.parametrize("measure", ["RBP(p=0.8)", "P(rel=2)@5", "DCG@10"])
def test_no_noise_of_draws_for_measures_that_add_up(measure, made, aligned):
    size = len(made.judgments.pool)
    chosen = np.arange(0, size, 7)
    sample = sampled(made, chosen, np.full(size, 1 / 7))
    scorer = Scorer(measure, aligned, 2)
    one, two = (direct(scorer, sample, flat(made), np.random.default_rng(s)) for s in (1, 2))
    np.testing.assert_allclose(one.mean, two.mean, atol=1e-12)


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
    "measure",
    ["nDCG@10", "AP", "AP(rel=2)", "RBP(p=0.8)", "P@5", "ERR@10", "RR", "Bpref", "GMAP", "NumRel",
     "Rprec", "infAP", "Judged@10", "nDCG(dcg='exp-log2')@5", "Q"],
)  # fmt: skip
@pytest.mark.parametrize("target", ["topics", "population"])
def test_the_whole_pool_gives_golds_own_score(measure, target, made):
    found = board(made, measure, gold=made.gold, target=target, outlook=False)
    truth = hj.evaluate(made.gold, made.runs, measure)
    mean = dict(zip(truth.systems, truth.mean()[0], strict=True))
    np.testing.assert_allclose(found.mean, [mean[s] for s in found.systems], rtol=1e-9, atol=1e-12)
    assert found.scale == "people"
    assert found.correction.estimate == "exact"
    if target == "topics":
        np.testing.assert_allclose(found.high, found.mean, rtol=1e-6, atol=1e-9)


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
        priority = priorities(weight, rng)
        order = np.argsort(priority)
        chosen = np.sort(order[:100])
        sample = sampled(made, chosen, inclusion(weight, priority[order[100]]))
        inverse = 1 / sample.probability[chosen]
        predicted = predict(given, topic, chosen, sample.at_least, inverse, 10, rng)
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
    assert found.freedom == 1


def test_predictions_are_cross_fitted():
    """A document's own label does not touch its prediction."""
    rng = np.random.default_rng(0)
    given = np.column_stack([np.ones(50), rng.normal(size=(50, 2))])
    topic = np.repeat(np.arange(5), 10)
    labelled = np.arange(0, 50, 2)
    share = (rng.random((25, 2)) < [0.6, 0.3]).astype(float)
    share[:, 1] = np.minimum(share[:, 0], share[:, 1])
    weight = np.ones(25)

    def chances(labels):
        return predict(given, topic, labelled, labels, weight, 4, np.random.default_rng(9)).chances

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


# ---- leaderboards


def test_a_plan_corrects_the_board(made, plan):
    found = board(made, gold=labels_of(plan, made.gold), plan=plan)
    assert found.scale == "people"
    assert found.correction.estimate == "combined"
    assert found.correction.labels == 120
    truth = hj.evaluate(made.gold, made.runs, "nDCG@10")
    mean = dict(zip(truth.systems, truth.mean()[0], strict=True))
    people = np.array([mean[s] for s in found.systems])
    panel = board(made)
    other = np.array([mean[s] for s in panel.systems])
    assert np.abs(found.mean - people).mean() < 0.5 * np.abs(panel.mean - other).mean()
    assert ((found.low <= people) & (people <= found.high)).all()
    text = str(found)
    assert "corrected by 120 gold labels" in text
    assert "Smallest detectable difference" in text
    assert found.to_dict()["correction"]["labels"] == 120
    sizes = [size for _, size in found.correction.expected]
    assert sizes == sorted(sizes, reverse=True)


def test_a_plans_file_serves_as_well(made, plan, tmp_path):
    plan.write(tmp_path / "plan.csv")
    labels = labels_of(plan, made.gold)
    one = board(made, gold=labels, plan=plan)
    two = board(made, gold=labels, plan=tmp_path / "plan.csv")
    np.testing.assert_array_equal(one.samples, two.samples)


def test_stopping_early_uses_the_probabilities_there(made, plan):
    sample = gold_sample(labels_of(plan, made.gold, range(60)), made.judgments, plan=plan)
    rows = [
        made.judgments.pool.find(t, d) for t, d in zip(plan.topics, plan.documents, strict=True)
    ]
    assert sorted(rows[:60]) == sample.documents.tolist()
    expected = plan.probability_after(60)[:60]
    np.testing.assert_allclose(sample.probability[rows[:60]], expected)
    assert len(sample.skipped) == 0


def test_skipped_documents_are_told(made, plan):
    rows = [i for i in range(100) if i not in (3, 50, 51)]
    found = board(made, gold=labels_of(plan, made.gold, rows), plan=plan)
    assert found.correction.skipped == 3
    note = next(n for n in found.notes if n.kind == "skipped")
    assert "could be off by up to" in str(note)
    far = [*range(40), 119]
    sample = gold_sample(labels_of(plan, made.gold, far), made.judgments, plan=plan)
    assert len(sample.documents) == 40
    assert any(n.kind == "after-gap" for n in sample.notes)


def test_gold_of_whole_topics(made):
    truth = made.gold.to_dict()
    some = {t: truth[t] for t in list(truth)[:4]}
    found = board(made, gold=some, gold_design="topics")
    assert found.correction.estimate == "direct"
    assert found.correction.design == "topics"
    plan = hj.plan(made.judgments, made.runs, "nDCG@10", 200, "topics")
    assert board(made, gold=labels_of(plan, made.gold), plan=plan).correction.design == "topics"
    with pytest.raises(HungjuryError, match="gold labels of all pooled documents"):
        board(made, gold={"1": dict(list(truth["1"].items())[:5])}, gold_design="topics")


def test_gold_of_random_documents(made):
    rng = np.random.default_rng(5)
    truth = made.gold.to_dict()
    some = {t: {d: g for d, g in docs.items() if rng.random() < 0.4} for t, docs in truth.items()}
    found = board(made, gold=some, gold_design="random")
    assert found.correction.design == "random"
    assert found.correction.estimate == "combined"


def test_an_unknown_design_is_said(made, plan):
    found = board(made, gold=labels_of(plan, made.gold))
    assert found.correction.estimate == "model"
    assert "whose choice is not known" in str(found)
    assert any(n.kind == "unknown-design" for n in found.notes)


def test_average_precision_is_direct(made, plan):
    found = board(made, "AP", gold=labels_of(plan, made.gold), plan=plan)
    assert found.correction.estimate == "direct"
    kinds = {n.kind for n in found.notes}
    assert {"direct-only", "other-measure"} <= kinds
    chosen = board(made, gold=labels_of(plan, made.gold), plan=plan, estimate="direct")
    assert chosen.correction.estimate == "direct"
    np.testing.assert_array_equal(chosen.mean, chosen.correction.direct_mean)


def test_several_people(made, plan):
    labels = labels_of(plan, made.gold)
    other = {t: {d: min(g + 1, 2) for d, g in docs.items()} for t, docs in labels.items()}
    people = hj.read_judgments({"ann": labels, "bob": other}, grades=range(3))
    sample = gold_sample(people, made.judgments, plan=plan)
    assert sample.people.tolist() == [2] * 120
    changed = made.gold.labels[sample.documents] < 2
    np.testing.assert_allclose(sample.shares[changed].max(axis=1), 0.5)
    one = board(made, gold=labels, plan=plan, estimate="direct", target="topics")
    two = board(made, gold=people, plan=plan, estimate="direct", target="topics")
    assert two.mean.mean() > one.mean.mean()
    same = hj.read_judgments({"ann": labels, "bob": labels}, grades=range(3))
    three = board(made, gold=same, plan=plan, estimate="direct", target="topics")
    np.testing.assert_allclose(three.mean, one.mean)
    np.testing.assert_array_equal(sample.disagreement, np.ones(120))


def test_binary_labels(made, plan):
    found = board(made, "AP", gold=made.gold, rel=2)
    truth = hj.evaluate(made.gold, made.runs, "AP(rel=2)")
    mean = dict(zip(truth.systems, truth.mean()[0], strict=True))
    np.testing.assert_allclose(found.mean, [mean[s] for s in found.systems])


@pytest.mark.parametrize(
    ("rows", "change", "kind"),
    [(5, None, "few-labels"), (100, 1, "equal-labels")],
)
def test_little_to_learn_from(made, plan, rows, change, kind):
    labels = labels_of(plan, made.gold, range(rows))
    if change is not None:
        labels = {t: dict.fromkeys(docs, change) for t, docs in labels.items()}
    found = board(made, gold=labels, plan=plan)
    assert any(n.kind == kind for n in found.notes)
    assert np.isfinite(found.samples).all()


def test_labels_outside_are_told(made, plan):
    labels = labels_of(plan, made.gold)
    labels["1"] = {**labels.get("1", {}), "nowhere": 1}
    drawn = set(zip(plan.topics, plan.documents, strict=True))
    truth = made.gold.to_dict()
    stray = next((t, d) for t, docs in truth.items() for d in docs if (t, d) not in drawn)
    labels[stray[0]] = {**labels[stray[0]], stray[1]: 1}
    found = board(made, gold=labels, plan=plan)
    assert {"gold-outside-pool", "not-in-plan"} <= {n.kind for n in found.notes}
    assert found.correction.labels == 120


def test_a_plan_for_something_else(made, plan):
    labels = labels_of(plan, made.gold)
    fewer = {j: made.judgments.qrels_of(j).to_dict() for j in made.judgments.judges[:2]}
    with pytest.raises(HungjuryError, match="other judgments"):
        hj.leaderboard(fewer, made.runs, "nDCG@10", gold=labels, plan=plan, draws=100)
    lists = {s: {t: dict(made.runs.ranked(s, t)) for t in made.runs.topics}
             for s in made.runs.systems[:3]}  # fmt: skip
    found = hj.leaderboard(made.judgments, lists, "nDCG@10", gold=labels, plan=plan, draws=100)
    assert any(n.kind == "other-runs" for n in found.notes)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"gold": {"1": {"nowhere": 1}}}, "no judged document has a gold label"),
        ({"gold_design": "random"}, "need gold labels"),
        ({"plan": "PLAN"}, "need gold labels"),
        ({"gold": "LABELS", "gold_design": "plan"}, "need the plan"),
        ({"gold": "LABELS", "gold_design": "dice"}, "invalid value"),
        ({"gold": "LABELS", "estimate": "best"}, "invalid value"),
        ({"gold": "LABELS", "plan": "PLAN", "gold_design": "random"}, "a plan was given"),
    ],
)
def test_what_is_refused(made, plan, given, message):
    values = {"PLAN": plan, "LABELS": labels_of(plan, made.gold)}
    given = {k: values.get(v, v) if isinstance(v, str) else v for k, v in given.items()}
    with pytest.raises(HungjuryError, match=message):
        board(made, **given)


def test_labels_of_another_plan(made, plan):
    drawn = set(zip(plan.topics, plan.documents, strict=True))
    truth = made.gold.to_dict()
    others = {
        t: {d: g for d, g in docs.items() if (t, d) not in drawn} for t, docs in truth.items()
    }
    with pytest.raises(HungjuryError, match="no document of the plan"):
        board(made, gold=others, plan=plan)


def test_looks_ask_for_more(made, plan):
    labels = labels_of(plan, made.gold)
    once = board(made, gold=labels, plan=plan)
    often = board(made, gold=labels, plan=plan, looks=[60, 120, 240])
    last = board(made, gold=labels, plan=plan, looks=[120])
    assert once.correction.stretch == 1
    assert last.correction.stretch == pytest.approx(1, abs=1e-3)
    assert often.correction.stretch > 1.2
    assert not (often.apart & ~once.apart).any()
    assert "labelling may stop here" in str(often)
    with pytest.raises(HungjuryError, match="largest budget"):
        board(made, gold=labels, plan=plan, looks=[50, 100])


def test_the_command(made, plan, tmp_path):
    made.write(tmp_path)
    plan.write(tmp_path / "plan.csv")
    text = "".join(f"{t} 0 {d} {g}\n" for t, docs in labels_of(plan, made.gold).items()
                   for d, g in docs.items())  # fmt: skip
    (tmp_path / "labels.qrels").write_text(text)
    args = ["leaderboard", "--judges", f"{tmp_path}/judges/*", "--runs", f"{tmp_path}/runs/*",
            "--draws", "100", "--grades", "0-2", "--gold", str(tmp_path / "labels.qrels"),
            "--plan", str(tmp_path / "plan.csv"), "--report", str(tmp_path / "r.html")]  # fmt: skip
    done = CliRunner().invoke(command, args, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "corrected by 120 gold labels" in done.stdout
    assert "Panel and people" in (tmp_path / "r.html").read_text()
