"""The predicted relevance model: against loops, what it refuses, and what it is used for."""

import math
import random
import re

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import hungjury as hj
from builders.examples import examples
from builders.prm_panels import (
    GRADES,
    MODEL,
    ROWS,
    RUN,
    UNSEEN,
    cells,
    many_topics,
    pairs_of,
    panel,
    panels,
    same,
    twice,
)
from hungjury.base.errors import InputError, MeasureError
from hungjury.judges.prm import prm
from oracles import expected as loops
from oracles import gain as naive_gain
from oracles import prm as naive_prm

# Against the loops over pairs


@examples(40)
@given(rows=panels(), data=st.data(), smoothing=st.sampled_from([0.0, 0.5, 1.0, 3.0]))
def test_every_level(rows, data, smoothing):
    judgments = panel(rows)
    said = [level for *_, level in rows]
    levels = sorted({*said, *range(max(1, *said) + 1)})
    if data.draw(st.booleans()):
        rel = data.draw(st.integers(1, max(levels)))
        chosen = [level for level in levels if level >= rel]
        choice = {"rel": rel}
    else:
        chosen = data.draw(st.lists(st.sampled_from(levels), min_size=1, unique=True))
        choice = {"relevant": chosen}
    if not twice(rows):
        with pytest.raises(InputError, match="judged twice"):
            prm(judgments, smoothing=smoothing, draws=1, **choice)
        return
    model = prm(judgments, smoothing=smoothing, draws=5, **choice)
    assert model.levels == levels
    assert model.relevant == sorted(chosen)
    for i, level in enumerate(levels):
        counts = naive_prm.prm_counts(rows, level, chosen)
        assert (model.agreed[i], model.seen[i]) == counts
        assert model.rated[i] == said.count(level)
        expected = naive_prm.prm(rows, level, chosen, smoothing)
        assert same(list(model.p.values())[i], expected)
        if expected is None:
            with pytest.raises(InputError, match=f"level {level} was judged twice"):
                model.probability(level)
        else:
            assert same(model.probability(level), expected)


def test_real_judgment_groups(shared_data):
    """Several judges of the same documents, from the files that trec_eval is tested with."""
    path = shared_data / "trec_eval" / "qrels.123"
    judgments = hj.read_judgments(path, judge_column="iteration", grades=range(-1, 7))
    rows = [(t, d, judge, int(level)) for t, judge, d, level in map(str.split, path.open())]
    documents = random.Random(1).sample(sorted({row[:2] for row in rows}), 150)  # loops are slow
    few = [row for row in rows if row[:2] in documents]
    model, small = prm(judgments), prm(panel(few))
    assert model.rated.sum() == len(rows)
    assert small.levels[0] == -1
    for p, level in zip(small.p.values(), small.levels, strict=True):
        assert same(p, naive_prm.prm(few, level, range(1, 7)))


@examples(16)
@given(rows=panels(lowest=0), smoothing=st.sampled_from([0.0, 1.0]))
def test_scenarios_are_all_thresholds(rows, smoothing):
    assume(twice(rows))
    judgments = panel(rows)
    models = prm(judgments, smoothing=smoothing, draws=3).scenarios()
    assert [min(m.relevant) for m in models] == list(range(1, judgments.max_grade + 1))
    for rel, model in enumerate(models, 1):
        alone = prm(judgments, rel, None, smoothing, draws=3)
        assert same_numbers(model.p, alone.p)
        assert same_numbers(model.low, alone.low)
    falling = np.diff([[*m.p.values()] for m in models], axis=0)
    assert (falling[~np.isnan(falling)] <= 0).all()  # a stricter notion is met less often


def test_the_order_of_judges_does_not_matter():
    """By hand: (1, 0), (1, 1), (0, 0): of three ordered pairs that start with 1, two end with 1."""
    for rows in (pairs_of((1, 0), (1, 1), (0, 0)), pairs_of((0, 1), (1, 1), (0, 0))):
        model = prm(panel(rows))
        assert [*model.p.values()] == pytest.approx([1 / 3, 2 / 3])
        assert model.seen.tolist() == [3, 3]


# A law that is known


@pytest.mark.parametrize("alike", [True, False])
def test_judges_with_known_confusion(alike):
    """P(R | i) = sum over t of P(t) P(i | t) P(R | t) over P(i), both judges in both roles."""
    rng = np.random.default_rng(8)
    prior = np.array([0.6, 0.3, 0.1])
    first = np.array([[0.7, 0.2, 0.1], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]])
    second = first if alike else np.array([[0.9, 0.1, 0.0], [0.4, 0.5, 0.1], [0.0, 0.5, 0.5]])
    size = 12_000
    true = rng.choice(3, size, p=prior)
    said = [
        (rng.random(size)[:, None] >= np.cumsum(c, axis=1)[true]).sum(axis=1).clip(max=2)
        for c in (first, second)
    ]
    rows = {
        judge: {str(t): {f"d{i}": int(v) for i, v in enumerate(labels[t::20])} for t in range(20)}
        for judge, labels in zip("XY", said, strict=True)
    }
    judgments = hj.read_judgments(rows)
    for rel in (1, 2):
        model = prm(judgments, rel)
        for level in range(3):
            both = [(first, second), (second, first)]
            met = [(prior * a[:, level] * b[:, rel:].sum(axis=1)).sum() for a, b in both]
            seen = [(prior * a[:, level]).sum() for a, _ in both]
            expected = sum(met) / sum(seen)
            error = math.sqrt(expected * (1 - expected) / (size * sum(seen)))
            # Where both gave the level, the two ordered pairs say the same: up to twice the noise.
            away = abs(model.probability(level) - expected)
            assert away < 4 * math.sqrt(2) * error
            assert away < model.high[level] - model.low[level]  # about 4 standard errors


# Intervals


def test_intervals_are_those_of_resampled_topics():
    rows = many_topics()
    model = prm(panel(rows), draws=3000)
    by_topic = {}
    for topic in {row[0] for row in rows}:
        mine = [row for row in rows if row[0] == topic]
        by_topic[topic] = [naive_prm.prm_counts(mine, level, [1]) for level in (0, 1)]
    chance = random.Random(4)
    for level in (0, 1):
        drawn = []
        for _ in range(3000):
            counts = [by_topic[t][level] for t in chance.choices(sorted(by_topic), k=40)]
            drawn.append(sum(n for n, _ in counts) / sum(n for _, n in counts))
        assert [model.low[level], model.high[level]] == pytest.approx(
            np.quantile(drawn, [0.025, 0.975]), abs=0.02
        )
        assert model.low[level] < model.p[level] < model.high[level]


def test_intervals_are_reproducible():
    judgments = panel(many_topics(8))
    first, again, other = (prm(judgments, draws=50, seed=seed) for seed in (1, 1, 2))
    assert first.low == again.low
    assert first.high == again.high
    assert first.low != other.low
    assert first.p == other.p


@pytest.mark.parametrize("smoothing", [0, 1])
def test_one_topic_leaves_nothing_to_resample(smoothing):
    """An interval without width would claim that p is known exactly."""
    model = prm(panel(pairs_of((1, 0), (1, 1), (0, 0))), smoothing=smoothing)
    assert np.isnan([*model.low.values(), *model.high.values()]).all()
    assert [row["low"] for row in model.rows()] == [None, None]
    assert [line.split()[2] for line in str(model).splitlines()[1:]] == ["-", "-"]
    (note,) = (note for note in model.notes if note.kind == "one-topic")
    assert note.subjects == ("0", "1")


def test_a_level_of_a_single_topic_has_no_interval():
    rows = pairs_of((2, 2), (2, 1)) + pairs_of((0, 1), (1, 1), topic="2")
    model = prm(panel(rows), rel=2)
    assert np.isnan([*model.low.values()]).tolist() == [True, False, True]
    (note,) = (note for note in model.notes if note.kind == "one-topic")
    assert note.subjects == ("0", "2")


def same_numbers(one, other):
    return np.array_equal([*one.values()], [*other.values()], equal_nan=True)


# Levels that nobody gave twice


def test_an_unseen_level_is_an_error():
    model = prm(panel(UNSEEN))
    assert model.levels == [0, 1, 2, 3]
    assert np.isnan([model.p[2], model.p[3]]).all()
    for call in (
        lambda: model.probability(3),
        lambda: model.prob(3),
        lambda: model.probability(-1),
    ):
        with pytest.raises(InputError, match="judged twice") as caught:
            call()
        assert "smoothing" in caught.value.remedy
    assert model.prob(1) == pytest.approx([1 / 3, 2 / 3])


def test_smoothing_starts_every_level_at_one_half():
    model = prm(panel(UNSEEN), smoothing=1)
    assert model.prob(3) == pytest.approx([2 / 5, 3 / 5, 1 / 2, 1 / 2])
    assert model.probability(-7) == 0.5


def test_levels_in_fewer_than_100_pairs_are_not_to_be_trusted():
    """Fifty documents that both call 1 are 100 ordered pairs from level 1."""
    for number, told in ((50, False), (49, True)):
        agreed = pairs_of(*[(1, 1)] * number, *[(0, 0)] * 60)
        kinds = [note for note in prm(panel(agreed)).notes if "level 1 " in str(note)]
        assert bool(kinds) == told


# What the predicted relevance model refuses and notes.


# Errors


def test_no_document_was_judged_twice():
    with pytest.raises(InputError, match="judged twice") as caught:
        prm(panel([("1", "a", "X", 1), ("1", "b", "Y", 0), ("2", "a", "Y", 1)]), smoothing=1)
    assert caught.value.remedy


def test_probabilities_are_no_levels():
    soft = hj.read_judgments({"X": {"1": {"a": 0.5}}, "Y": {"1": {"a": 1}}})
    with pytest.raises(InputError, match="probabilities") as caught:
        prm(soft)
    assert caught.value.remedy


@pytest.mark.parametrize("choice", [{"rel": 2}, {"relevant": []}, {"relevant": [7]}])
def test_nothing_counts_as_relevant(choice):
    with pytest.raises(InputError, match=r"levels are \[?0, 1") as caught:
        prm(panel(pairs_of((1, 0))), **choice)
    assert caught.value.remedy


@pytest.mark.parametrize("smoothing", [-1, -0.001, math.nan])
def test_smoothing_is_0_or_more(smoothing):
    with pytest.raises(InputError, match="smoothing") as caught:
        prm(panel(pairs_of((1, 0))), smoothing=smoothing)
    assert caught.value.remedy


def test_draws_are_needed():
    with pytest.raises(InputError, match="draws"):
        prm(panel(pairs_of((1, 0))), draws=0)


# Notes


def codes(model):
    return [note.kind for note in model.notes]


def in_two_topics(*pairs):
    return pairs_of(*pairs) + pairs_of(*pairs, topic="2")


def test_much_double_judging_needs_no_note():
    assert codes(prm(panel(in_two_topics(*[(1, 1), (0, 0)] * 25)))) == []


def test_few_pairs_are_noted():
    model = prm(panel(in_two_topics(*[(1, 1)] * 25, *[(0, 0)] * 24)))
    assert codes(model) == ["few-pairs"]
    assert "level 0 occurs in only 96 pairs" in str(model.notes[0])


def test_single_judgments_are_noted():
    rows = [*in_two_topics(*[(1, 1), (0, 0)] * 25), *((("1", f"x{i}", "X", 1)) for i in range(100))]
    model = prm(panel(rows))
    assert codes(model) == ["double-judged"]
    assert "100 documents of 200 (50.0%)" in str(model.notes[0])


# What the predicted relevance model is used for: counts, labels, measures.


def test_labels_become_probabilities():
    made = {"1": {"a": 2, "b": -2, "c": 1}, "2": {"a": 0, "d": 2}}
    qrels = hj.read_qrels(made)
    soft = MODEL.soft_qrels(qrels)
    assert soft.soft
    assert (soft.grades, soft.topics) == ((0, 1), qrels.topics)
    expected = {
        t: {d: naive_prm.prm(ROWS, v, [1, 2]) for d, v in p.items()} for t, p in made.items()
    }
    for topic, pool in soft.to_dict().items():
        assert pool == pytest.approx(expected[topic])
    assert qrels.to_dict() == made  # the labels themselves stay as they were


def test_labels_of_an_unseen_level_do_not_become_probabilities():
    with pytest.raises(InputError, match="level 3"):
        MODEL.soft_qrels(hj.read_qrels({"1": {"a": 3, "b": 0}}))


def test_probabilities_stay_what_they_are():
    soft = hj.read_qrels({"1": {"a": 0.5}})
    for call in (MODEL.soft_qrels, MODEL.relevant_counts):
        with pytest.raises(InputError, match="probabilities"):
            call(soft)


@pytest.mark.parametrize(
    "name", ["eRAP", "eRAP@3", "eRRBP(p=0.5)", "eRDCG(base=2)", "AP", "AP@3", "RBP(p=0.5)", "P@3"]
)
def test_versions_of_expected_measures(name):
    prob = MODEL.prob(2)
    assert prob == pytest.approx([naive_prm.prm(ROWS, level, [1, 2]) for level in (0, 1, 2)])
    version = MODEL.version(name, 2)
    assert version.prob == tuple(prob)
    scores = hj.evaluate(GRADES, RUN, version)
    of = version.name
    loop = {"eRAP": loops.erap, "eRRBP": loops.errbp, "eRDCG": loops.erdcg, "eRP": loops.erp}[of]
    extra = {"eRAP": {}, "eRRBP": {"p": 0.5}, "eRDCG": {"base": 2}, "eRP": {}}[of]
    more = {"k": 3} if of == "eRP" else extra
    for k, labels, pool in cells():
        expected = loop(labels, pool, prob=prob, unjudged=0, cutoff=version.cutoff, **more)
        assert scores.values[0, 0, k] == pytest.approx(expected, rel=1e-12)
    soft = hj.evaluate(
        MODEL.soft_qrels(hj.read_qrels(GRADES)), RUN, type(version)(cutoff=version.cutoff, **extra)
    )
    np.testing.assert_allclose(soft.values, scores.values, rtol=1e-12)


@pytest.mark.parametrize("cutoff", [None, 3])
def test_versions_of_ndcg(cutoff):
    """PRM section 2: the disagreement parameters as gains, that of grade 0 included."""
    version = MODEL.version("nDCG" + (f"@{cutoff}" if cutoff else ""), 2)
    gains = dict(enumerate(MODEL.prob(2)))
    assert gains[0] > 0
    assert dict(version.gains) == gains
    scores = hj.evaluate(GRADES, RUN, version)
    for k, labels, pool in cells():
        expected = naive_gain.ndcg(labels, pool, cutoff, gains=gains)
        assert scores.values[0, 0, k] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", ["DCG", "CG@2", "nCG@2", "gRBP", "Q"])
def test_versions_of_other_measures_with_gains(name):
    gains = dict(enumerate(MODEL.prob(2)))
    loop = {
        "DCG": lambda x, pool: naive_gain.dcg(x, pool, gains=gains),
        "CG@2": lambda x, pool: naive_gain.cg(x, pool, 2, gains),
        "nCG@2": lambda x, pool: naive_gain.ncg(x, pool, 2, gains),
        "gRBP": lambda x, pool: naive_gain.grbp(x, pool, 2, gains=gains),
        "Q": lambda x, pool: naive_gain.q_measure(x, pool, gains=gains),
    }[name]
    scores = hj.evaluate(GRADES, RUN, MODEL.version(name, 2))
    for k, labels, pool in cells():
        assert scores.values[0, 0, k] == pytest.approx(loop(labels, pool), rel=1e-12)


def test_a_version_of_a_measure_with_a_threshold_is_refused():
    """The model says what is relevant; a threshold beside it would be a second one."""
    with pytest.raises(MeasureError, match="prob and rel exclude"):
        hj.evaluate(GRADES, RUN, MODEL.version("eRAP(rel=2)", 2))


def test_version_of_an_expectation():
    version = MODEL.version("E(nDCG)", 2)
    assert version.prob == tuple(MODEL.prob(2))
    assert version.chance_of_unjudged == 0


@pytest.mark.parametrize("name", ["AP(rel=2)", "RR", "Bpref", "ERR"])
def test_measures_without_a_version(name):
    with pytest.raises(MeasureError, match=f"{re.escape(name)} has no version for P") as caught:
        MODEL.version(name, 2)
    assert "E(X)" in caught.value.remedy


@examples(20)
@given(labels=st.lists(st.sampled_from([-2, 0, 1, 2]), min_size=1, max_size=12))
def test_counts_of_relevant_documents(labels):
    """PRM equation 1."""
    qrels = hj.read_qrels({"1": {f"d{i}": v for i, v in enumerate(labels)}})
    binary, expected = MODEL.relevant_counts(qrels)
    chances = {level: naive_prm.prm(ROWS, level, [1, 2]) for level in (-2, 0, 1, 2)}
    assert binary == naive_prm.relevant_count_binary(labels, [1, 2])
    assert expected == pytest.approx(naive_prm.relevant_count_prm(labels, chances))


def test_counts_of_all_judgments():
    """PRM equation 1 over every label given; where all were given twice, both counts agree."""
    levels = [level for *_, level in ROWS]
    binary, expected = MODEL.relevant_counts()
    assert binary == naive_prm.relevant_count_binary(levels, [1, 2])
    assert expected == pytest.approx(binary)


def test_counts_need_seen_levels():
    with pytest.raises(InputError, match="level 3"):
        prm(panel(UNSEEN)).relevant_counts()


def test_rows_and_text():
    model = prm(panel(UNSEEN), smoothing=1)
    rows = model.rows()
    assert [row["level"] for row in rows] == [0, 1, 2, 3]
    assert [(row["pairs"], row["pairs_relevant"], row["labels"]) for row in rows] == [
        (3, 1, 3), (3, 2, 3), (0, 0, 0), (0, 0, 1)
    ]  # fmt: skip
    assert [row["p"] for row in rows] == pytest.approx([*model.p.values()])
    lines = str(model).splitlines()
    assert len(lines) == 5
    assert lines[2].split()[:2] == ["1", "0.600"]


# Users and assessors


@examples(24)
@given(rows=panels(lowest=0), data=st.data())
def test_users_and_assessors_are_paired(rows, data):
    judges = sorted({judge for _, _, judge, _ in rows})
    some = st.lists(st.sampled_from(judges), min_size=1, unique=True)
    assessors, users = data.draw(some), data.draw(some)
    by_users = {level for *_, judge, level in rows if judge in users}
    assume(any(level >= 1 for level in by_users))
    levels = sorted({level for *_, judge, level in rows if judge in assessors})
    counts = {v: naive_prm.prm_counts(rows, v, range(1, 9), assessors, users) for v in levels}
    if not any(n for _, n in counts.values()):
        with pytest.raises(InputError, match="no document was judged twice"):
            prm(panel(rows), users=users, assessors=assessors)
        return
    model = prm(panel(rows), users=users, assessors=assessors, draws=5)
    everyone = len(assessors) == len(users) == len(judges)
    assert set(levels) <= set(model.levels) if everyone else levels == model.levels
    for level in levels:
        i = model.levels.index(level)
        assert (model.agreed[i], model.seen[i]) == counts[level]


def test_one_group_leaves_the_others_to_the_other():
    rows = [*pairs_of((1, 0), (1, 1), (0, 0), (3, 1)), ("1", "d0", "Z", 1)]
    for model in (prm(panel(rows), users="Y"), prm(panel(rows), assessors=["X", "Z"])):
        assert (model.levels, model.user_levels) == ([0, 1, 3], [0, 1])  # scales of their own
        assert [*model.p.values()] == pytest.approx([0, 1 / 3, 1])
    with pytest.raises(InputError, match="no judge is called 'nobody'"):
        prm(panel(rows), users="nobody")
    with pytest.raises(InputError, match="levels are 0, 1"):
        prm(panel(rows), rel=2, users="Y")


@pytest.mark.parametrize("rel", [0, 1.5, -1, True])
def test_a_threshold_is_a_grade_above_0(rel):
    with pytest.raises(InputError, match="rel must be an integer from 1"):
        prm(panel(pairs_of((1, 0))), rel=rel)


def test_directions_that_differ_are_noted():
    """A strict and a generous judge: of what the first accepts the second accepts all."""
    rng = np.random.default_rng(2)
    rows = []
    for t in range(12):
        generous = rng.random(20) < 0.6
        strict = generous & (rng.random(20) < 0.3)
        pairs = [(int(a), int(b)) for a, b in zip(strict, generous, strict=True)]
        rows += pairs_of(*pairs, topic=str(t))
    (note,) = (n for n in prm(panel(rows)).notes if n.kind == "directions-differ")
    assert note.subjects == ("X", "Y")
    assert "says relevant another judge does with probability 1.00" in str(note)
    assert "directions-differ" not in codes(prm(panel(rows), users="Y"))
    assert "directions-differ" not in codes(prm(panel(many_topics())))


CATEGORIES = "Nav:4,Key:3,HRel:2,Rel:1,Non:0,Junk:-2"


def test_categories_have_names():
    said = {"snippet": ["Nav", "Rel", "Junk", "Non"], "page": ["Key", "Non", "Non", "HRel"]}
    votes = [
        {"topic": "1", "document": f"d{i}", "judge": judge, "label": word}
        for judge, words in said.items()
        for i, word in enumerate(words)
    ]
    table = pytest.importorskip("pandas").DataFrame(votes)
    model = prm(table, categories=CATEGORIES, users="page", relevant=["Key", "HRel"])
    assert [*model.p] == ["Junk", "Non", "Rel", "Nav"]
    assert (model.p["Nav"], model.p[4], model.p["Junk"], model.p["Non"]) == (1, 1, 0, 1)
    assert model.probability("Rel") == model.probability(1) == 0
    assert model.notion == "levels HRel, Key"
    assert [line.split()[0] for line in str(model).splitlines()[1:]] == [*model.p]
    with pytest.raises(InputError, match="no label has the level Nav; the levels are Non, HRel"):
        prm(table, categories=CATEGORIES, users="page", relevant=["Nav"])
    for wrong in ("Nav", "Nav:x", "Nav:1,Key:1", {}):
        with pytest.raises(InputError, match="invalid categories"):
            prm(table, categories=wrong)


def double_judged(rng, topics, documents, p, spread=0.0, exchangeable=False):
    """Two judges; where X says 1, Y does with probability p, which varies over topics."""
    rows = []
    for t in range(topics):
        chance = 1 / (1 + np.exp(-(np.log(p / (1 - p)) + spread * rng.normal())))
        pairs = [(1, int(rng.random() < chance)) for _ in range(documents)]
        if exchangeable:
            pairs = [pair if rng.random() < 0.5 else pair[::-1] for pair in pairs]
        rows += pairs_of(*pairs, *[(0, 0)] * 2, topic=str(t))
    return panel(rows)


@pytest.mark.long
@pytest.mark.parametrize("exchangeable", [False, True])
@pytest.mark.parametrize("spread", [0.0, 0.8])
@pytest.mark.parametrize("p", [0.15, 0.5, 0.85])
@pytest.mark.parametrize(("topics", "documents"), [(10, 3), (15, 2), (30, 1)])
def test_intervals_cover_with_thirty_double_judgments(topics, documents, p, spread, exchangeable):
    rng = np.random.default_rng(5)
    chances = 1 / (1 + np.exp(-(np.log(p / (1 - p)) + spread * rng.normal(size=100_000))))
    truth = float(chances.mean())
    if exchangeable:  # both directions: agreement counts twice
        truth = 2 * truth / (1 + truth)
    covered, rounds = [], 160
    for _ in range(rounds):
        given_ = double_judged(rng, topics, documents, p, spread, exchangeable)
        model = prm(given_, draws=200, **({} if exchangeable else {"assessors": "X"}))
        covered.append(model.low[1] <= truth <= model.high[1])
    assert np.mean(covered) >= 0.93 - 2 * np.sqrt(0.93 * 0.07 / rounds)


def by_kind(rng, kinds, spread, documents=12):
    """Documents of several kinds, whose p differ by `spread` in logits."""
    chances = 1 / (1 + np.exp(-spread * rng.normal(size=kinds)))
    rows = []
    for k, chance in enumerate(chances):
        for i in range(documents):
            for judge, level in (("X", 1), ("Y", int(rng.random() < chance))):
                rows.append((str(i % 6), f"kind{k}-{i}", judge, level))
    return panel(rows), chances


@pytest.mark.parametrize("spread", [0.0, 0.7, 2.0])
def test_kinds_borrow_from_each_other_as_far_as_they_are_alike(spread):
    """Closer to the truth than separate models, and than one for all where kinds differ."""
    rng = np.random.default_rng(1)
    errors = {"shrink": [], "separate": [], "one": []}
    for _ in range(25):
        judgments, truth = by_kind(rng, 8, spread)
        how = {"assessors": "X", "draws": 2}
        for pooling in ("shrink", "separate"):
            parts = prm(judgments, kinds="kind[0-9]", pooling=pooling, **how).parts
            assert [*parts] == [f"kind{k}" for k in range(8)]
            found = np.array([one.p[1] for one in parts.values()])
            errors[pooling].append(((found - truth) ** 2).mean())
        errors["one"].append(((prm(judgments, **how).p[1] - truth) ** 2).mean())
    mean = {name: np.mean(each) for name, each in errors.items()}
    assert mean["shrink"] < mean["separate"]
    assert mean["shrink"] < mean["one"] or spread == 0


def test_kinds_by_name_file_and_pattern(tmp_path):
    rows = pairs_of((1, 1), (1, 0), (0, 0))
    path = tmp_path / "kinds.tsv"
    path.write_text("d0 news\nd1 video\n")
    known = {"d0": "news", "d1": "video"}
    for kinds in (known, path):
        model = prm(panel(rows), kinds=kinds, pooling="separate")
        assert [*model.parts] == ["news", "other", "video"]
        assert model.parts["news"].p[1] == 1
        assert len(model.table().rows) == 6
    for wrong in ("[", "nowhere"):
        with pytest.raises(InputError, match=r"pattern|regular expression"):
            prm(panel(rows), kinds=wrong)
