"""Gold labels as a sample: how far a plan was followed, probabilities, people who disagree."""

import numpy as np
import pytest

import hungjury as hj
from hungjury.base.errors import HungjuryError
from hungjury.leaderboard.sample import Sample, _reached, gold_sample


@pytest.fixture(scope="module")
def made():
    return hj.simulate(systems=3, topics=5, documents=40, depth=20, grades=3, seed=8)


@pytest.fixture(scope="module")
def plan(made):
    return hj.plan(made.judgments, made.runs, "nDCG@10", 80, seed=1)


def labels_of(made, pairs):
    truth, out = made.gold.to_dict(), {}
    for topic, document in pairs:
        out.setdefault(topic, {})[document] = truth[topic][document]
    return out


def planned(made, plan, rows):
    pairs = [(plan.topics[i], plan.documents[i]) for i in rows]
    return gold_sample(labels_of(made, pairs), made.judgments, plan=plan)


@pytest.mark.parametrize(
    ("done", "expected"),
    [
        ("1111", 4),
        ("1110", 3),
        ("11110", 4),
        ("111101", 6),  # five of six
        ("1111001", 4),  # five of seven are fewer than 80 percent
        ("11110111100000001", 9),
        ("110111101", 7),  # six of seven are enough, seven of nine are not
        ("0111101111", 10),  # eight of ten are enough
        ("01", 2),
    ],
)
def test_how_far_people_came(done, expected):
    """The last labelled document up to which at least 80 percent are labelled; else the first."""
    assert _reached(np.array([c == "1" for c in done])) == expected


def test_probabilities_are_those_of_the_budget_reached(made, plan):
    """min(1, c weight) with the next ratio as c, times the share that was answered."""
    rows = [i for i in range(40) if i not in (5, 17)]
    found = planned(made, plan, rows)
    assert found.design == "plan"
    assert len(found.skipped) == 2
    ratio = plan.priority[40]
    for place, i in enumerate(rows[:10]):
        pool = made.judgments.pool
        document = pool.find(plan.topics[i], plan.documents[i])
        assert document in found.documents
        expected = min(1.0, ratio * plan.weight[i]) * 38 / 40
        assert found.probability[document] == pytest.approx(expected), place


def test_labels_outside_the_plan_or_after_a_gap_are_counted(made, plan):
    drawn = set(zip(plan.topics, plan.documents, strict=True))
    others = [
        (t, d) for t, documents in made.gold.to_dict().items() for d in documents
        if (t, d) not in drawn
    ]  # fmt: skip
    early = [(plan.topics[i], plan.documents[i]) for i in range(20)]
    late = [(plan.topics[i], plan.documents[i]) for i in (70, 75, 79)]
    found = gold_sample(labels_of(made, early + late + others[:2]), made.judgments, plan=plan)
    told = {note.kind: note.count for note in found.notes}
    assert told == {"not-in-plan": 2, "after-gap": 3, "few-labels": 20}
    assert len(found.documents) == 20


@pytest.mark.parametrize(("number", "told"), [(49, True), (50, False)])
def test_few_labels_are_told(made, plan, number, told):
    found = planned(made, plan, range(number))
    assert ("few-labels" in {note.kind for note in found.notes}) == told


def test_random_documents_have_equal_chances(made):
    truth = made.gold.to_dict()
    pairs = [(t, d) for t, documents in truth.items() for d in list(documents)[:12]]
    found = gold_sample(labels_of(made, pairs), made.judgments, design="random")
    assert set(found.probability.tolist()) == {60 / len(made.judgments.pool)}


def test_whole_topics_have_the_share_of_topics(made):
    truth = made.gold.to_dict()
    topics = list(truth)
    gold = {topics[0]: truth[topics[0]], topics[3]: truth[topics[3]]}
    found = gold_sample(gold, made.judgments, design="topics")
    assert found.notes == ()
    assert set(found.probability.tolist()) == {2 / 5}
    part = gold | {topics[1]: dict(list(truth[topics[1]].items())[:7])}
    found = gold_sample(part, made.judgments, design="topics")
    assert {note.kind: note.count for note in found.notes} == {"part-of-topic": 7}
    assert len(found.documents) == len(gold[topics[0]]) + len(gold[topics[3]])
    with pytest.raises(HungjuryError, match="1 topic with gold labels of all"):
        gold_sample({topics[0]: truth[topics[0]]}, made.judgments, design="topics")


def test_designs_and_plans_that_contradict_each_other(made, plan):
    gold = labels_of(made, [(plan.topics[0], plan.documents[0])])
    with pytest.raises(HungjuryError, match="need the plan"):
        gold_sample(gold, made.judgments, design="plan")
    with pytest.raises(HungjuryError, match="design is 'random'"):
        gold_sample(gold, made.judgments, design="random", plan=plan)
    assert gold_sample(gold, made.judgments, design="plan", plan=plan).design == "plan"
    assert gold_sample(gold, made.judgments).design is None


def test_what_people_disagree_about():
    """The variance of a mean of m labels is their spread / (m - 1); documents with one label get
    theirs from the others, in proportion to 1 / m."""
    people = np.array([1, 2, 3, 1])
    shares = np.array([[1, 0], [0.5, 0.5], [2 / 3, 1 / 3], [0, 1]])
    sample = Sample(np.arange(4), shares, people, (0, 1), np.ones(4))
    all_of_them = 1 + 1 / 2 + 1 / 3 + 1
    several = 1 / 2 + 1 / 3
    factor = all_of_them / several
    assert sample.disagreement == pytest.approx([0, factor, factor / 2, 0])
    alone = Sample(np.arange(4), shares, np.ones(4, int), (0, 1), np.ones(4))
    assert alone.disagreement.tolist() == [0, 0, 0, 0]


def test_shares_of_people_at_or_above_each_grade():
    sample = Sample(
        np.array([0]), np.array([[0.2, 0.3, 0.5]]), np.array([10]), (0, 1, 2), np.ones(1)
    )
    assert sample.at_least == pytest.approx(np.array([[0.8, 0.5]]))
