"""What single labels do to scores, and products of these effects over documents."""

import tracemalloc

import numpy as np
import pytest

import hungjury as hj
from builders.effects import effects
from hungjury import native
from hungjury.data.alignment import align
from hungjury.judges.merge import merge
from hungjury.leaderboard import effect_products
from hungjury.leaderboard import effects as topic_effects
from hungjury.leaderboard.effect_products import Products
from hungjury.leaderboard.effects import (
    PoolEffects,
    contributions,
    effects_in_parts,
    scores_under,
)
from hungjury.measures.batch import Scorer


@pytest.fixture(scope="module")
def aligned():
    made = hj.simulate(systems=3, topics=2, documents=10, depth=7, grades=3, seed=2)
    return align(made.runs, made.judgments.pool)


def drawn(aligned, share=0.0, sets=2):
    """Label sets in which some documents have none."""
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 3, (sets, len(aligned.pool))).astype(np.int16)
    labels[rng.random(labels.shape) < share] = -1
    return labels


def loop(scorer, labels, grades, documents):
    """Every document at every grade, one after the other."""
    out = np.zeros((scorer.alignment.shape[0], len(documents), len(grades)))
    for one in labels:
        for i, d in enumerate(documents):
            for g, grade in enumerate(grades):
                changed = one.copy()
                changed[d] = grade
                out[:, i, g] += scores_under(scorer, changed[None])[0].mean(axis=1) / len(labels)
    return out - out[:, :, :1]


@pytest.mark.parametrize("measure", ["nDCG@5", "AP", "ERR@5", "RBP(p=0.8)", "RR", "Bpref"])
def test_documents_without_a_label_are_worth_nothing(measure, aligned):
    scorer, labels = Scorer(measure, aligned, 2), drawn(aligned, 0.4)
    everything = np.arange(len(aligned.pool))
    found = effects(scorer, labels, (0, 1, 2), everything)
    np.testing.assert_allclose(found, loop(scorer, labels, (0, 1, 2), everything), atol=1e-12)


@pytest.mark.parametrize("numbers", [1, 300, 500])
def test_effects_are_the_same_in_blocks_of_any_size(aligned, monkeypatch, numbers):
    scorer, labels = Scorer("RR", aligned, 2), drawn(aligned)
    everything = np.arange(len(aligned.pool))
    expected = effects(scorer, labels, (0, 1, 2), everything)
    monkeypatch.setattr(topic_effects, "NUMBERS_AT_ONCE", numbers)
    np.testing.assert_array_equal(effects(scorer, labels, (0, 1, 2), everything), expected)


@pytest.mark.parametrize("name", ["nDCG@3", "AP", "ERR@5", "GMAP"])
def test_effects_are_the_same_for_any_number_of_topics_at_once(name, aligned, monkeypatch):
    scorer, labels, rng = Scorer(name, aligned, 2), drawn(aligned, 0.2), np.random.default_rng(1)
    chosen = np.flatnonzero(rng.random(len(aligned.pool)) < 0.6)

    def found():
        products, spreads = Products(3, [np.ones(len(chosen))]), []
        for mine, part in effects_in_parts(scorer, labels, (0, 1, 2), chosen):
            spreads.append(part.spread(2))
            part.add_to(products, mine)
        table = effects(scorer, labels, (0, 1, 2), chosen)
        return len(spreads), np.concatenate(spreads), products.finish()[0], table

    together, *expected = found()
    monkeypatch.setattr(topic_effects, "EFFECTS_AT_ONCE", 1)
    apart, *others = found()
    assert (together, apart) == (1, 2)
    for one, other in zip(others, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("numbers", [1, 300])
def test_blocks_hold_no_more_numbers_than_they_may(aligned, monkeypatch, numbers):
    """Or the labels of one document's grades, where these are more."""
    scorer, labels, sizes = Scorer("RR", aligned, 2), drawn(aligned), []

    def watched(scorer, given):
        sizes.append(given.size)
        return scores_under(scorer, given)

    monkeypatch.setattr(topic_effects, "NUMBERS_AT_ONCE", numbers)
    monkeypatch.setattr(topic_effects, "scores_under", watched)
    effects(scorer, labels, (0, 1, 2), np.arange(len(aligned.pool)))
    assert max(sizes) <= max(numbers, 3 * len(aligned.pool))


@pytest.mark.parametrize("measure", ["P@5", "RBP(p=0.8)", "DCG@5", "RR"])
def test_contributions_where_documents_have_no_label(measure, aligned):
    """The score minus the score with the document not relevant, in label sets with gaps."""
    scorer, labels = Scorer(measure, aligned, 2), drawn(aligned, 0.4, 3)
    weights = np.random.default_rng(1).dirichlet(np.ones(3), 2).T  # [set, topic]
    everything, pool = np.arange(len(aligned.pool)), aligned.pool
    for topic, _, found in contributions(scorer, labels, weights, everything):
        expected = np.zeros_like(found)
        for one, weight in zip(labels, weights[:, topic], strict=True):
            whole = scores_under(scorer, one[None])[0][:, topic]
            for i, d in enumerate(range(pool.offsets[topic], pool.offsets[topic + 1])):
                without = one.copy()
                without[d] = 0
                less = scores_under(scorer, without[None])[0][:, topic]
                expected[:, i] += weight * (whole - less)
        np.testing.assert_allclose(found, expected, atol=1e-12)


# Products of effects over documents, against tables of effects and loops.


def entries_of(rng, rows, columns, number):
    return (
        rng.integers(0, rows, number).astype(np.int32),
        rng.integers(0, columns, number).astype(np.int32),
        rng.normal(size=number),
    )


@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.parametrize("weights", [1, 2, 5])
@pytest.mark.parametrize("number", [0, 1, 60, 500])
def test_products_of_rows(number, weights, threads, monkeypatch):
    """Entries in any order, some of them twice in one cell; some columns weigh nothing."""
    monkeypatch.setenv("HUNGJURY_THREADS", threads)
    monkeypatch.setattr(effect_products, "PRODUCTS_FOR_A_CORE", 10)
    rng = np.random.default_rng(number)
    row, column, value = entries_of(rng, 40, 9, number)
    given = [rng.gamma(1, size=9).round() for _ in range(weights)]
    table = np.zeros((40, 9))
    for r, c, one in zip(row, column, value, strict=True):
        table[r, c] += one
    found = effect_products.row_products(row, column, value, given, 40)
    for products, weight in zip(found, given, strict=True):
        expected = [
            [sum(table[a, c] * table[b, c] * weight[c] for c in range(9)) for b in range(40)]
            for a in range(40)
        ]
        np.testing.assert_allclose(products, expected, atol=1e-12)
        np.testing.assert_array_equal(products, products.T)


def test_products_of_rows_stay_inside_the_table():
    row, column, value = entries_of(np.random.default_rng(1), 6, 9, 20)
    weight = np.ones((9, 1))
    for rows, columns in ((int(row.max()), 9), (6, int(column.max()))):
        with pytest.raises(IndexError, match="outside the table"):
            native.row_products(row, column, value, weight[:columns], rows, 0, rows)
    with pytest.raises(IndexError, match="outside the table"):
        native.row_products(-row, column, value, weight, 6, 0, 6)
    with pytest.raises(IndexError, match="different sizes"):
        native.row_products(row, column, value[1:], weight, 6, 0, 6)
    for first, last in ((0, 7), (4, 3)):
        with pytest.raises(IndexError, match="outside the table"):
            native.row_products(row, column, value, weight, 6, first, last)
    for number in (0, 3):
        with pytest.raises(IndexError, match="one or two weights"):
            native.row_products(row, column, value, np.ones((9, number)), 6, 0, 6)


@pytest.mark.parametrize("sparse", [0.0, 1.0])
@pytest.mark.parametrize(
    ("measure", "at_once"),
    [(name, 1 << 22) for name in ("nDCG@5", "ERR@5", "AP", "P(rel=2)@10", "GMAP", "Bpref")]
    + [("nDCG@5", 1), ("Bpref", 1)],
)
def test_products_over_documents(made, measure, sparse, at_once, monkeypatch):
    monkeypatch.setattr(topic_effects, "SPARSE", sparse)
    monkeypatch.setattr(effect_products, "ENTRIES_AT_ONCE", at_once)
    rng = np.random.default_rng(5)
    scorer = Scorer(measure, align(made.runs, made.judgments.pool), 2)
    labels = np.maximum(merge(made.judgments, "binmv").sample(3, 2), 0)
    chosen = np.flatnonzero(rng.random(labels.shape[1]) < 0.8)
    weights = [rng.gamma(1, size=len(chosen)), rng.gamma(1, size=len(chosen)).round()]
    turn = rng.normal(size=(len(chosen), 3, 2))
    table = effects(scorer, labels, (0, 1, 2), chosen)
    parts = np.array([[row[d] @ turn[d] for d in range(len(chosen))] for row in table])
    products = Products(5, weights)
    for documents, part in effects_in_parts(scorer, labels, (0, 1, 2), chosen):
        part.turned(turn[documents]).add_to(products, documents)
    for found, weight in zip(products.finish(), weights, strict=True):
        expected = np.zeros((5, 5))
        for d, size in enumerate(weight):
            expected += size * parts[:, d] @ parts[:, d].T
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_products_of_many_topics_need_no_table_of_topics_and_documents():
    topics, documents = 1000, 100_000
    topic = np.repeat(np.arange(topics), documents // topics)
    entry, rate = np.zeros(1, dtype=np.int64), np.ones((2, documents, 1))
    products = Products(3, [np.ones(documents)])
    tracemalloc.start()
    products.add_linear(
        slice(0, documents), entry, entry, np.ones((1, 1)), topic, np.ones((topics, 3, 2)), rate
    )
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * topics * documents / 10
    (found,) = products.finish()
    assert found[1, 1] == 4 * documents  # every document adds (1 + 1) squared
    assert found[0, 1] == 4 * documents + 2  # and one of them moves the first system by 1 more


@pytest.mark.parametrize("ties", ["trec", "expected"])
@pytest.mark.parametrize("depth", [0, 3, 30])
def test_lists_down_to_a_rank(made, ties, depth):
    """What is left of a list are its documents at the first ranks, and those tied with them."""
    runs = made.runs.to_dict()
    coarse = {s: {t: {d: round(v) for d, v in docs.items()} for t, docs in topics.items()}
              for s, topics in runs.items()}  # fmt: skip
    aligned = align(hj.read_runs(coarse, ties=ties), made.judgments.pool)
    found = aligned.upto(depth)
    first = aligned.rank if aligned.tie_first is None else aligned.tie_first
    for cell, (start, stop) in enumerate(zip(aligned.start, aligned.stop, strict=True)):
        expected = [p for p in range(start, stop) if first[p] <= depth]
        mine = slice(found.start[cell], found.stop[cell])
        assert found.document[mine].tolist() == aligned.document[expected].tolist()
        assert found.rank[mine].tolist() == aligned.rank[expected].tolist()
        if found.tie_last is not None:
            assert found.tie_last[mine].tolist() == aligned.tie_last[expected].tolist()


@pytest.mark.parametrize("name", ["nDCG@3", "P@2", "AP@3", "ERR@3"])
def test_spread_over_systems(name):
    """From the few places that show a document, and from the whole table."""
    made = hj.simulate(seed=3)
    aligned = align(made.runs, made.judgments.pool)
    top = int(made.judgments.label.max())
    rng = np.random.default_rng(1)
    labels = rng.integers(0, top + 1, (3, len(aligned.pool))).astype(np.int16)
    for _, part in effects_in_parts(Scorer(hj.measure(name), aligned, top), labels, (0, top)):
        assert part.sparse
        table = part.table()
        expected = table[:, :, 1].std(axis=0, ddof=1)
        np.testing.assert_allclose(part.spread(1), expected, rtol=1e-7, atol=1e-12)
        np.testing.assert_allclose(
            topic_effects.TabledEffects(table).spread(1), expected, rtol=1e-12
        )
        np.testing.assert_array_equal(part.spread(0), 0)


@pytest.mark.parametrize("name", ["nDCG@3", "AP", "ERR@3", "Q"])
def test_effects_added_up_by_shares(name, aligned):
    """From places of lists and pools, and from tables, against sums over documents and grades."""
    scorer, grades = Scorer(hj.measure(name), aligned, 2), (0, 1, 2)
    share = np.random.default_rng(3).normal(size=(len(aligned.pool), 3))
    for documents, part in effects_in_parts(scorer, drawn(aligned), grades):
        table = part.table()
        expected = [
            sum(row[d, g] * mine[g] for d, mine in enumerate(share[documents]) for g in grades)
            for row in table
        ]
        np.testing.assert_allclose(part.summed(share[documents]), expected, atol=1e-12)


@pytest.mark.parametrize("name", ["nDCG@3", "AP", "Q"])
@pytest.mark.parametrize("most", [topic_effects.MOST_KEPT, 50, 0])
def test_effects_that_are_kept(name, most, aligned, monkeypatch):
    """The same as those worked out for the documents that are asked for; a few or none are kept."""
    monkeypatch.setattr(topic_effects, "MOST_KEPT", most)
    scorer, grades = Scorer(hj.measure(name), aligned, 2), (0, 1, 2)
    rng = np.random.default_rng(2)
    labels = rng.integers(-1, 3, (2, len(aligned.pool))).astype(np.int16)
    effects = PoolEffects(scorer, labels, grades)
    chosen = np.flatnonzero(rng.random(len(aligned.pool)) < 0.3)
    for documents in (chosen, None, None, chosen, np.arange(0)):
        expected = table_of(effects_in_parts(scorer, labels, grades, documents))
        found = table_of(effects.parts(documents))
        assert found.keys() == expected.keys()
        for document, values in expected.items():
            np.testing.assert_allclose(found[document], values, rtol=1e-12, atol=1e-15)
    assert bool(effects._kept) == (most > 50)


def table_of(parts):
    """Effects [system, grade] by the place of the document among those asked for."""
    return {
        part.start + i: one
        for part, effects in parts
        for i, one in enumerate(np.moveaxis(effects.table(), 1, 0))
    }
