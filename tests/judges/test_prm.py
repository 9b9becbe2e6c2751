"""The predicted relevance model against loops, known probabilities and resampling."""

import math
import random

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import hungjury as hj
from builders.prm_panels import UNSEEN, many_topics, pairs_of, panel, panels, same, twice
from hungjury.base.errors import InputError
from hungjury.judges.prm import prm
from oracles import prm as naive_prm

# Against the loops over pairs


@settings(max_examples=80)
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
        with pytest.raises(InputError, match="two judgments"):
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
        assert same(model.p[i], expected)
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
    for p, level in zip(small.p, small.levels, strict=True):
        assert same(p, naive_prm.prm(few, level, range(1, 7)))


@settings(max_examples=30)
@given(rows=panels(lowest=0), smoothing=st.sampled_from([0.0, 1.0]))
def test_scenarios_are_all_thresholds(rows, smoothing):
    assume(twice(rows))
    judgments = panel(rows)
    models = prm(judgments, smoothing=smoothing, draws=3).scenarios()
    assert [min(m.relevant) for m in models] == list(range(1, judgments.max_grade + 1))
    for rel, model in enumerate(models, 1):
        alone = prm(judgments, rel, None, smoothing, draws=3)
        np.testing.assert_array_equal(model.p, alone.p)
        np.testing.assert_array_equal(model.low, alone.low)
    falling = np.diff([m.p for m in models], axis=0)
    assert (falling[~np.isnan(falling)] <= 0).all()  # a stricter notion is met less often


def test_the_order_of_judges_does_not_matter():
    """By hand: (1, 0), (1, 1), (0, 0): of three ordered pairs that start with 1, two end with 1."""
    for rows in (pairs_of((1, 0), (1, 1), (0, 0)), pairs_of((0, 1), (1, 1), (0, 0))):
        model = prm(panel(rows))
        assert model.p == pytest.approx([1 / 3, 2 / 3])
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
            np.quantile(drawn, [0.025, 0.975]), abs=0.01
        )
        assert model.low[level] < model.p[level] < model.high[level]


def test_intervals_are_reproducible():
    judgments = panel(many_topics(8))
    first, again, other = (prm(judgments, draws=50, seed=seed) for seed in (1, 1, 2))
    assert (first.low == again.low).all()
    assert (first.high == again.high).all()
    assert (first.low != other.low).any()
    assert (first.p == other.p).all()


@pytest.mark.parametrize("smoothing", [0, 1])
def test_one_topic_leaves_nothing_to_resample(smoothing):
    """An interval without width would claim that p is known exactly."""
    model = prm(panel(pairs_of((1, 0), (1, 1), (0, 0))), smoothing=smoothing)
    assert np.isnan([model.low, model.high]).all()
    assert [row["low"] for row in model.rows()] == [None, None]
    assert [line.split()[2] for line in str(model).splitlines()[1:]] == ["-", "-"]
    (note,) = (note for note in model.notes if note.kind == "one-topic")
    assert note.subjects == ("0", "1")


def test_a_level_of_a_single_topic_has_no_interval():
    rows = pairs_of((2, 2), (2, 1)) + pairs_of((0, 1), (1, 1), topic="2")
    model = prm(panel(rows), rel=2)
    assert np.isnan(model.low).tolist() == [True, False, True]
    (note,) = (note for note in model.notes if note.kind == "one-topic")
    assert note.subjects == ("0", "2")


def test_samples_without_a_level_are_left_out_of_its_interval():
    """Of two topics with a level one or both are in a sample: 2/3, 0, or 2/5 of both."""
    rows = pairs_of((2, 2), (2, 1)) + pairs_of((2, 0), (2, 0), topic="2")
    rows += [row for topic in "345678" for row in pairs_of((0, 1), topic=topic)]
    model = prm(panel(rows), rel=2, draws=200)
    i = model.levels.index(2)
    assert (model.low[i], model.p[i], model.high[i]) == pytest.approx((0, 2 / 5, 2 / 3))


# Levels that nobody gave twice


def test_an_unseen_level_is_an_error():
    model = prm(panel(UNSEEN))
    assert model.levels == [0, 1, 2, 3]
    assert np.isnan(model.p[2:]).all()
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
