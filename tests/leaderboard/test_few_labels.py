"""Gold labels that say little, and panels whose labels are all the same."""

import numpy as np
import pytest

import hungjury as hj
from hungjury.base.errors import HungjuryError

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(scope="module")
def made():
    return hj.simulate(systems=4, topics=12, documents=60, depth=20, seed=3)


def first(gold, number, label=None):
    """The first labels of each of the first topics, `number` in all."""
    out = {}
    for topic, documents in gold.to_dict().items():
        for document, grade in list(documents.items())[:10]:
            if sum(map(len, out.values())) < number:
                out.setdefault(topic, {})[document] = grade if label is None else label
    return out


@pytest.mark.parametrize("measure", ["nDCG@10", "AP", "GMAP", "NumRelRet"])
@pytest.mark.parametrize("number", [1, 2, 5])
@pytest.mark.parametrize("label", [0, 1])
def test_no_mean_is_outside_the_range_of_the_measure(made, measure, number, label):
    gold = first(made.gold, number, label)
    found = hj.leaderboard(
        made.judgments, made.runs, measure, draws=200, gold=gold, gold_design="random"
    )
    limits = hj.measure(measure)
    assert (found.mean >= limits.low - 1e-9).all()
    assert (found.mean <= limits.high + 1e-9).all()
    assert (found.low <= found.mean + 1e-9).all()
    assert (found.mean <= found.high + 1e-9).all()


def test_into_the_range_all_systems_move_together(made):
    found = hj.leaderboard(
        made.judgments, made.runs, "nDCG@10", draws=200, gold=first(made.gold, 5, 1),
        gold_design="random", estimate="direct",
    )  # fmt: skip
    alone = found.correction.direct_mean
    assert alone.max() > 1
    assert found.mean.max() == pytest.approx(1)
    assert np.diff(found.mean) == pytest.approx(np.diff(alone))
    mean = found.samples.mean(axis=0)  # and so do all draws
    assert mean == pytest.approx(found.mean, abs=6 * found.samples.std() / np.sqrt(200))


@pytest.mark.parametrize("looks", [100, "100", [0, 100], [-5], [100, 150.5], ["a"]])
def test_looks_that_are_no_numbers_of_labels(made, looks):
    with pytest.raises(HungjuryError, match="looks must be numbers of gold labels"):
        hj.leaderboard(made.judgments, made.runs, "AP", gold=made.gold, looks=looks)


def test_labels_beside_a_plan_of_topics_are_told(made):
    plan = hj.plan(made.judgments, made.runs, "nDCG@10", 250, "topics")
    truth = made.gold.to_dict()
    gold = {topic: truth[topic] for topic in set(plan.topics)}
    other = next(topic for topic in truth if topic not in gold)
    beside = dict(list(truth[other].items())[:3])
    found = [
        hj.leaderboard(made.judgments, made.runs, "nDCG@10", draws=100, gold=given, plan=plan)
        for given in (gold, gold | {other: beside})
    ]
    assert found[0].mean == pytest.approx(found[1].mean)
    notes = [{note.kind: note.count for note in one.notes} for one in found]
    assert "not-in-plan" not in notes[0]
    judged = made.judgments.pool
    assert notes[1]["not-in-plan"] == sum(judged.find(other, d) >= 0 for d in beside)


def test_a_document_that_nobody_judged_is_no_label_outside_the_pool(made):
    gold = first(made.gold, 30) | {"unknown": {"a": 1, "b": -1}}
    found = hj.leaderboard(made.judgments, made.runs, "AP", draws=100, gold=gold)
    assert {note.kind: note.count for note in found.notes}["gold-outside-pool"] == 1


# ---- panels whose labels are all the same


def same(label, judges=3):
    documents = {f"d{i}": label for i in range(8)}
    labels = {f"j{k}": {f"t{t}": documents for t in range(5)} for k in range(judges)}
    chance = np.random.default_rng(1)
    runs = {
        f"s{s}": {f"t{t}": dict(zip(documents, chance.random(8).tolist(), strict=True))
                  for t in range(5)}
        for s in range(3)
    }  # fmt: skip
    return hj.read_judgments(labels, grades=range(4)), runs


@pytest.mark.parametrize("label", [0, 3])
@pytest.mark.parametrize("measure", ["nDCG@10", "DCG@10", "ESL", "NumRelRet"])
def test_a_plan_from_a_panel_that_says_nothing(measure, label):
    judgments, runs = same(label)
    plan = hj.plan(judgments, runs, measure, 10)
    assert plan.expected == []  # rather than a promise that no label can keep
    assert ((plan.probability > 0) & (plan.probability <= 1)).all()
    gold = {}
    for i, (topic, document) in enumerate(zip(plan.topics, plan.documents, strict=True)):
        gold.setdefault(topic, {})[document] = i % 3
    found = hj.leaderboard(judgments, runs, measure, draws=100, gold=gold, plan=plan)
    assert np.isfinite(found.mean).all()
    assert not found.apart.any()


def test_em_with_labels_that_are_all_the_same():
    judgments, runs = same(0)
    found = hj.leaderboard(judgments, runs, "nDCG@10", "em-mv", draws=100, panel_error=0)
    assert (found.mean == 0).all()
    assert not found.apart.any()


# ---- judges compared with gold labels


def test_judges_whose_labels_are_all_the_same():
    judgments, _ = same(0)
    found = hj.agreement_with_gold(judgments, {"t0": {"d0": 0, "d1": 0}})
    assert (found.agreement == 1).all()
    assert np.isnan(found.kappa).all()
    assert np.isnan(found.kappa_low).all()
    assert np.isnan(found.effective)
    text = str(found)
    assert "nan" not in text
    assert "Too few gold labels to correlate the judges' errors." in text


def test_a_judge_without_a_document_in_gold():
    judgments = hj.read_judgments(
        {"a": {"1": {"x": 1, "y": 0}}, "b": {"1": {"x": 1, "y": 1}}, "c": {"2": {"z": 1}}}
    )
    found = hj.agreement_with_gold(judgments, {"1": {"x": 1, "y": 0}})
    assert found.documents.tolist() == [2, 2, 0]
    assert np.isnan(found.bias[2])
    assert "nan" not in str(found)


def test_one_judge_errs_with_nobody():
    judgments = hj.read_judgments({"a": {"1": {"x": 1, "y": 0}}})
    assert "One judge" in str(hj.agreement_with_gold(judgments, {"1": {"x": 1, "y": 0}}))


def test_copies_of_a_judge_promise_no_more_than_the_judge(made):
    """Three judges who never differ know no better than one what people will say."""
    labels = made.judgments.qrels_of("judge1").to_dict()
    expected = [
        dict(hj.plan(dict.fromkeys(names, labels), made.runs, "nDCG@10", 40).expected)
        for names in ("a", "abc")
    ]
    assert expected[0] == pytest.approx(expected[1], rel=0.05)  # other draws of labels
    assert expected[1][100] > 0.01


def test_what_skipped_documents_could_change():
    """By P@5 a document in the first five ranks moves a mean by 1 / (5 topics), over its chance."""
    made = hj.simulate(systems=3, topics=6, documents=40, depth=20, seed=2)
    plan = hj.plan(made.judgments, made.runs, "P@5", 40)
    truth, gold = made.gold.to_dict(), {}
    skipped = (3, 8, 20)
    for i, (topic, document) in enumerate(zip(plan.topics, plan.documents, strict=True)):
        if i not in skipped:
            gold.setdefault(topic, {})[document] = truth[topic][document]
    found = hj.leaderboard(made.judgments, made.runs, "P@5", draws=100, gold=gold, plan=plan)
    note = next(note for note in found.notes if note.kind == "skipped")
    assert note.count == 3
    chance = plan.probability * 37 / 40
    worst = []
    for lists in made.runs.to_dict().values():
        first = {t: sorted(of, key=lambda d, of=of: (of[d], d))[-5:] for t, of in lists.items()}
        worst.append(
            sum(1 / 30 / chance[i] for i in skipped if plan.documents[i] in first[plan.topics[i]])
        )
    assert max(worst) > 0.01
    assert f"off by up to {max(worst):.3f}" in str(note)
