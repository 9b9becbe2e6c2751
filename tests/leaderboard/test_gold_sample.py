"""Gold labels as a sample: plans that were followed or not, and labels that say little."""

import numpy as np
import pytest

import hungjury as hj
from hungjury.base.errors import HungjuryError
from hungjury.leaderboard.correction import _into_range
from hungjury.leaderboard.gold import GoldLabels, gold_labels
from hungjury.leaderboard.plan_file import rows_reached


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
    return gold_labels(labels_of(made, pairs), made.judgments, plans=[plan])


@pytest.mark.parametrize(
    ("done", "expected"),
    [
        ("1111", 4),
        ("1110", 3),
        ("11110", 4),
        ("111101", 6),  # five of six
        ("1111001", 4),  # five of seven are fewer than 80 percent
        ("11110111100000001", 9),
        ("110111101", 9),  # seven of nine are worth 49 / 9, more than six of seven
        ("0101000100", 8),  # an unfinished first batch
        ("1101000001", 4),
        ("0111101111", 10),  # eight of ten are enough
        ("01", 2),
    ],
)
def test_how_far_people_came(done, expected):
    """The last labelled document up to which at least 80 percent are labelled; else the first."""
    assert rows_reached(np.array([c == "1" for c in done])) == expected


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
    found = gold_labels(labels_of(made, early + late + others[:2]), made.judgments, plans=[plan])
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
    found = gold_labels(labels_of(made, pairs), made.judgments, design="random")
    assert set(found.probability.tolist()) == {len(pairs) / len(made.judgments.pool)}


def test_whole_topics_have_the_share_of_topics(made):
    truth = made.gold.to_dict()
    topics = list(truth)
    gold = {topics[0]: truth[topics[0]], topics[3]: truth[topics[3]]}
    found = gold_labels(gold, made.judgments, design="topics")
    assert found.notes == ()
    assert set(found.probability.tolist()) == {2 / len(topics)}
    part = gold | {topics[1]: dict(list(truth[topics[1]].items())[:7])}
    found = gold_labels(part, made.judgments, design="topics")
    assert {note.kind: note.count for note in found.notes} == {"part-of-topic": 7}
    assert len(found.documents) == len(gold[topics[0]]) + len(gold[topics[3]])
    with pytest.raises(HungjuryError, match="1 topic with gold labels of all"):
        gold_labels({topics[0]: truth[topics[0]]}, made.judgments, design="topics")


def test_designs_and_plans_that_contradict_each_other(made, plan):
    gold = labels_of(made, [(plan.topics[0], plan.documents[0])])
    with pytest.raises(HungjuryError, match="need the plan"):
        gold_labels(gold, made.judgments, design="plan")
    with pytest.raises(HungjuryError, match="design is 'random'"):
        gold_labels(gold, made.judgments, design="random", plans=[plan])
    assert gold_labels(gold, made.judgments, design="plan", plans=[plan]).design == "plan"
    assert gold_labels(gold, made.judgments).design is None


def test_what_people_disagree_about():
    """The variance of a mean of m labels is their spread / (m - 1); documents with one label get
    theirs from the others, in proportion to 1 / m."""
    people = np.array([1, 2, 3, 1])
    shares = np.array([[1, 0], [0.5, 0.5], [2 / 3, 1 / 3], [0, 1]])
    sample = GoldLabels(np.arange(4), shares, people, (0, 1), np.ones(4))
    all_of_them = 1 + 1 / 2 + 1 / 3 + 1
    several = 1 / 2 + 1 / 3
    factor = all_of_them / several
    assert sample.disagreement == pytest.approx([0, factor, factor / 2, 0])
    alone = GoldLabels(np.arange(4), shares, np.ones(4, int), (0, 1), np.ones(4))
    assert alone.disagreement.tolist() == [0, 0, 0, 0]


def test_shares_of_people_at_or_above_each_grade():
    sample = GoldLabels(
        np.array([0]), np.array([[0.2, 0.3, 0.5]]), np.array([10]), (0, 1, 2), np.ones(1)
    )
    assert sample.at_least == pytest.approx(np.array([[0.8, 0.5]]))


# Gold labels that say little, and panels whose labels are all the same.


def first(gold, number, label=None):
    """The first labels of each of the first topics, `number` in all."""
    out = {}
    for topic, documents in gold.to_dict().items():
        for document, grade in list(documents.items())[:10]:
            if sum(map(len, out.values())) < number:
                out.setdefault(topic, {})[document] = grade if label is None else label
    return out


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("measure", ["nDCG@10", "AP", "GMAP", "NumRelRet"])
@pytest.mark.parametrize("number", [1, 5])
@pytest.mark.parametrize("label", [0, 1])
def test_no_mean_is_outside_the_range_of_the_measure(binary, measure, number, label):
    gold = first(binary.gold, number, label)
    found = hj.leaderboard(
        binary.judgments, binary.runs, measure, draws=200, gold=gold, gold_design="random"
    )
    limits = hj.measure(measure)
    assert (found.mean >= limits.low - 1e-9).all()
    assert (found.mean <= limits.high + 1e-9).all()
    assert (found.low <= found.mean + 1e-9).all()
    assert (found.mean <= found.high + 1e-9).all()


@pytest.mark.filterwarnings("error")
def test_into_the_range_all_systems_move_together(binary):
    found = hj.leaderboard(
        binary.judgments, binary.runs, "nDCG@10", draws=200, gold=first(binary.gold, 5, 1),
        gold_design="random", estimate="direct",
    )  # fmt: skip
    alone = found.correction.direct_mean
    assert alone.max() > 1
    moved = alone + _into_range(hj.measure("nDCG@10"), alone)
    assert moved.max() == pytest.approx(1)
    assert np.diff(moved) == pytest.approx(np.diff(alone))
    wide = np.array([1.7, 0.6, -0.5])  # as far above the range as below it, and cut
    assert wide + _into_range(hj.measure("nDCG@10"), wide) == pytest.approx([1, 0.5, 0])
    # Such a level is not known: means stay on the panel's scale.
    assert not found.correction.level_known
    assert found.scale == "panel"
    assert "not yet known" in str(found)
    assert "unknown-level" in {note.kind for note in found.notes}
    panel = hj.leaderboard(binary.judgments, binary.runs, "nDCG@10", draws=200)
    assert sorted(found.mean) == pytest.approx(sorted(panel.mean))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("looks", [100, "100", [0, 100], [-5], [100, 150.5], ["a"]])
def test_looks_that_are_no_numbers_of_labels(binary, looks):
    with pytest.raises(HungjuryError, match=r"looks must be (numbers of gold labels|a list)"):
        hj.leaderboard(binary.judgments, binary.runs, "AP", gold=binary.gold, looks=looks)


@pytest.mark.filterwarnings("error")
def test_labels_beside_a_plan_of_topics_are_told(binary):
    plan = hj.plan(binary.judgments, binary.runs, "nDCG@10", 250, design="topics")
    truth = binary.gold.to_dict()
    gold = {topic: truth[topic] for topic in set(plan.topics)}
    other = next(topic for topic in truth if topic not in gold)
    beside = dict(list(truth[other].items())[:3])
    found = [
        hj.leaderboard(binary.judgments, binary.runs, "nDCG@10", draws=100, gold=given, plan=plan)
        for given in (gold, gold | {other: beside})
    ]
    assert found[0].mean == pytest.approx(found[1].mean)
    notes = [{note.kind: note.count for note in one.notes} for one in found]
    assert "not-in-plan" not in notes[0]
    judged = binary.judgments.pool
    assert notes[1]["not-in-plan"] == sum(judged.find(other, d) >= 0 for d in beside)


@pytest.mark.filterwarnings("error")
def test_a_document_that_nobody_judged_is_no_label_outside_the_pool(binary):
    gold = first(binary.gold, 30) | {"unknown": {"a": 1, "b": -1}}
    found = hj.leaderboard(binary.judgments, binary.runs, "AP", draws=100, gold=gold)
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


@pytest.mark.filterwarnings("error")
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


@pytest.mark.filterwarnings("error")
def test_em_with_labels_that_are_all_the_same():
    judgments, runs = same(0)
    found = hj.leaderboard(judgments, runs, "nDCG@10", "em-mv", draws=100, panel_error=0)
    assert (found.mean == 0).all()
    assert not found.apart.any()


# ---- judges compared with gold labels


@pytest.mark.filterwarnings("error")
def test_judges_whose_labels_are_all_the_same():
    judgments, _ = same(0)
    found = hj.agreement_with_gold(judgments, {"t0": {"d0": 0, "d1": 0}})
    assert (found.agreement == 1).all()
    assert np.isnan(found.kappa).all()
    assert np.isnan(found.kappa_low).all()
    assert np.isnan(found.effective)
    text = str(found)
    assert "nan" not in text
    assert "No two judges share enough gold documents" in text


@pytest.mark.filterwarnings("error")
def test_a_judge_without_a_document_in_gold():
    judgments = hj.read_judgments(
        {"a": {"1": {"x": 1, "y": 0}}, "b": {"1": {"x": 1, "y": 1}}, "c": {"2": {"z": 1}}}
    )
    found = hj.agreement_with_gold(judgments, {"1": {"x": 1, "y": 0}})
    assert found.documents.tolist() == [2, 2, 0]
    assert np.isnan(found.bias[2])
    assert "nan" not in str(found)


@pytest.mark.filterwarnings("error")
def test_one_judge_errs_with_nobody():
    judgments = hj.read_judgments({"a": {"1": {"x": 1, "y": 0}}})
    assert "No two judges share" in str(hj.agreement_with_gold(judgments, {"1": {"x": 1, "y": 0}}))


@pytest.mark.filterwarnings("error")
def test_copies_of_a_judge_promise_no_more_than_the_judge(binary):
    """Three judges who never differ know no better than one what people will say."""
    labels = binary.judgments.qrels_of("judge1").to_dict()
    expected = [
        dict(hj.plan(dict.fromkeys(names, labels), binary.runs, "nDCG@10", 40).expected)
        for names in ("a", "abc")
    ]
    assert expected[0] == pytest.approx(expected[1], rel=0.05)  # other draws of labels
    assert expected[1][100] > 0.01


@pytest.mark.filterwarnings("error")
def test_what_skipped_documents_could_change():
    """By P@5 a document in the first five ranks moves a mean by 1 / (5 topics), over its chance."""
    binary = hj.simulate(systems=3, topics=6, documents=40, depth=20, seed=2)
    plan = hj.plan(binary.judgments, binary.runs, "P@5", 40)
    truth, gold = binary.gold.to_dict(), {}
    skipped = (3, 8, 20)
    for i, (topic, document) in enumerate(zip(plan.topics, plan.documents, strict=True)):
        if i not in skipped:
            gold.setdefault(topic, {})[document] = truth[topic][document]
    found = hj.leaderboard(binary.judgments, binary.runs, "P@5", draws=100, gold=gold, plan=plan)
    note = next(note for note in found.notes if note.kind == "skipped")
    assert note.count == 3
    chance = plan.probability * 37 / 40
    worst = []
    for lists in binary.runs.to_dict().values():
        first = {t: sorted(of, key=lambda d, of=of: (of[d], d))[-5:] for t, of in lists.items()}
        worst.append(
            sum(1 / 30 / chance[i] for i in skipped if plan.documents[i] in first[plan.topics[i]])
        )
    assert max(worst) > 0.01
    assert f"off by up to {max(worst):.3f}" in str(note)


@pytest.mark.parametrize(("number", "told"), [(49, []), (50, [("judge1",)])])
def test_gold_labels_that_are_those_of_a_judge_are_told(made, number, told):
    """A few may be equal by chance."""
    labels = made.judgments.qrels_of("judge1").to_dict()
    pairs = [(topic, document) for topic, known in labels.items() for document in known][:number]
    gold = {}
    for topic, document in pairs:
        gold.setdefault(topic, {})[document] = labels[topic][document]
    notes = gold_labels(gold, made.judgments).notes
    assert [note.subjects for note in notes if note.kind == "gold-equals-judge"] == told
