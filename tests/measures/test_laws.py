"""Laws that hold for every measure of the catalogue."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import hungjury as hj
from builders.examples import examples
from builders.measures import (
    AS_FOUND,
    CLASSES,
    counted_value,
    judged_lists,
    measures,
    more_pool,
    oracle_value,
    pool_of,
    same,
)
from hungjury.data import judged as judged_module
from hungjury.data.alignment import align
from hungjury.data.judged import judge_lists
from hungjury.data.qrels import MISSING
from hungjury.measures.catalogue import CATALOGUE, measure
from hungjury.measures.scores import NOT_RETRIEVED, SCORED, UNDEFINED
from oracles import measures as naive

Labels = Sequence[int | None]
Simulate = Callable[..., Any]
seeds = st.integers(0, 10**6)
by_class = pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.name)
# Measures of what was retrieved, relevant or not: unjudged documents at the end change them.
LENGTH_MATTERS = {"SetP", "SetAP", "SetF", "NumRet", "Judged"}


def length_matters(m: Any, labels: Labels | None = None) -> bool:
    """Also where an unjudged document may be relevant."""
    if m.name == "ESLSaving":  # a list that does not find enough counts as read to its end
        return labels is None or sum((label or 0) >= m.rel for label in labels) < m.want
    if getattr(m, "takes_probabilities", False):
        return (m.unjudged if m.unjudged is not None else (m.prob or [0.0])[0]) > 0
    if m.name in ("Accuracy", "Compat"):  # not of all lists
        return True
    return m.name in LENGTH_MATTERS or m.name == "MP"  # its chain walks over all documents


def one_of_each(data: st.DataObject, known: Callable[[Any], bool] = lambda cls: True) -> list[Any]:
    return [data.draw(measures(cls)) for cls in CLASSES if known(cls)]


def equal(a: Any, b: Any) -> bool:
    """Equal arrays but for rounding; NaN in the same places."""
    return np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-12, atol=1e-12, equal_nan=True)


# One list


@by_class
@examples(12)
@given(data=st.data(), labels=judged_lists, more=more_pool)
def test_bounds(cls: Any, data: st.DataObject, labels: Labels, more: list[int]) -> None:
    m = data.draw(measures(cls))
    value = hj.score_list(m, labels, pool_of(labels, more, m))
    assert math.isnan(value) or cls.low - 1e-12 <= value <= cls.high + 1e-12


NEAR_ONE = {
    "P": {"cutoff": 3}, "F1": {"cutoff": 3}, "Success": {"cutoff": 3}, "IPrec": {"recall": 0.5},
    "RBP": {"p": 0.01}, "gRBP": {"p": 0.01}, "eRRBP": {"p": 0.01}, "eRP": {"cutoff": 3},
    "SDCG": {"cutoff": 3}, "INSQ": {"T": 0.02}, "INST": {"T": 0.5},
    "GAP": {"g": [0.25] * 4}, "xGAP": {"g": [0.25] * 4}, "eGAP": {"g": [0.25] * 4},
}  # fmt: skip


@pytest.mark.parametrize(
    "cls", [cls for cls in CLASSES if cls.high == 1.0], ids=lambda cls: cls.name
)
def test_bounds_are_no_wider_than_needed(cls: Any) -> None:
    m = cls(**NEAR_ONE.get(cls.name, {}))
    best, pool = [4, 4, 4], [4, 4, 4]
    if "Fallout" in cls.name:
        best, pool = [0, 0, 0], [0, 0, 0, 4]
    if cls.name == "ESLSaving":  # undefined where nothing could be read in vain
        pool = [4, 4, 4, 0]
    assert hj.score_list(m, best, pool) > 0.9
    nothing = hj.score_list(m, [None, None, None], [4, 0])
    if cls.name == "ESLSaving":  # worse than chance is below 0: 1 - (1 + 3) (1 + 1) / (1 * 1)
        assert (cls.low, nothing) == (-math.inf, -7)
    else:
        assert nothing == 0


@by_class
@examples(12)
@given(data=st.data(), labels=judged_lists, more=more_pool, number=st.integers(1, 9))
def test_unjudged_documents_at_the_end_change_nothing(
    cls: Any, data: st.DataObject, labels: Labels, more: list[int], number: int
) -> None:
    m = data.draw(measures(cls))
    if length_matters(m, labels) and (getattr(m, "cutoff", None) or math.inf) > len(labels):
        return
    pool = pool_of(labels, more, m)
    padded = hj.score_list(m, [*labels, *[None] * number], pool)
    assert same(padded, hj.score_list(m, labels, pool)), m


@pytest.mark.parametrize("name", sorted(LENGTH_MATTERS))
def test_length_matters(name: str) -> None:
    assert hj.score_list(name, [1, 0]) != hj.score_list(name, [1, 0, None], [1, 0])


def test_length_matters_for_a_search_that_does_not_find_enough() -> None:
    assert hj.score_list("ESLSaving", [0], [1, 0]) == -3  # 1 - (1 + 1) (1 + 1) / 1
    assert hj.score_list("ESLSaving", [0, None], [1, 0]) == -5


# Text


@pytest.mark.parametrize("cls", list(CATALOGUE), ids=lambda cls: cls.name)
@examples(12)
@given(data=st.data())
def test_written_and_read_back(cls: Any, data: st.DataObject) -> None:
    m = data.draw(measures(cls))
    for again in (CATALOGUE.parse(str(m)), measure(str(m)), measure(f" {m} ")):
        assert again == m
        assert hash(again) == hash(m)
        assert str(again) == str(m)
        assert type(again) is cls


@pytest.mark.parametrize(
    "values",
    [
        {"name": "IPrec", "recall": 0.00001},
        {"name": "RBP", "p": 1e-9},
        {"name": "SetF", "beta": 1e20},
        {"name": "nDCG", "gains": {1: 1e-7, 2: 1e20}},
        {"name": "NCP", "weights": [1e-7, 0.1 + 0.2]},
        {"name": "CG", "gains": {}},
    ],
    ids=lambda values: values["name"],
)
def test_unusual_numbers_are_written_and_read_back(values: dict[str, Any]) -> None:
    cls = CATALOGUE[values.pop("name")]
    m = cls(**values)
    assert CATALOGUE.parse(str(m)) == m


# Collections


def any_judged(made: Any, topics: Sequence[str], depth: int | None = None) -> bool:
    """Some run has a judged document; evaluate refuses runs without any."""
    lists = (made.ranked(system, topic)[:depth] for system in made.runs for topic in topics)
    return any(label is not None for labels in lists for label in labels)


def whole(made: Any, chosen: list[Any], **policy: Any) -> Any:
    assume(any_judged(made, policy.get("topics", list(made.labels)), policy.get("depth")))
    qrels = hj.read_qrels(made.labels, grades=range(5))
    return hj.evaluate(qrels, made.runs, chosen, undefined="nan", **policy)


@examples(10, phases=AS_FOUND)
@given(data=st.data(), seed=seeds)
def test_shape(simulate: Simulate, data: st.DataObject, seed: int) -> None:
    made, chosen = simulate(seed, topics=5, systems=2), one_of_each(data)
    scores = whole(made, chosen)
    assert scores.values.shape == scores.status.shape == (len(CLASSES), 2, 5)
    assert scores.values.dtype == np.float64
    assert scores.mean().shape == (len(CLASSES), 2)
    assert scores.topics == sorted(made.labels)


@examples(4, phases=AS_FOUND)
@given(data=st.data(), seed=seeds)
def test_one_topic_alone_is_as_among_many(
    simulate: Simulate, data: st.DataObject, seed: int
) -> None:
    made, chosen = simulate(seed, topics=3, systems=2), one_of_each(data)
    among = whole(made, chosen)
    first = next(iter(made.runs))
    for k, topic in enumerate(among.topics):
        if not any_judged(made, [topic]):
            continue  # nothing in common with the runs
        listed = whole(made, chosen, topics=[topic])
        assert listed.topics == [topic]
        assert equal(listed.values[..., 0], among.values[..., k])
        qrels = hj.read_qrels({topic: made.labels[topic]}, grades=range(5))
        alone = hj.evaluate(qrels, made.runs, chosen, undefined="nan")
        assert equal(alone.values[..., 0], among.values[..., k])
        if made.labels[topic].keys() & made.runs[first].get(topic, {}).keys():
            run = {topic: made.runs[first][topic]}
            alone = hj.evaluate(qrels, run, chosen, undefined="nan")
            assert equal(alone.values[:, 0, 0], among.values[:, 0, k])


@examples(4, phases=AS_FOUND)
@given(data=st.data(), seed=seeds)
def test_one_system_alone_is_as_among_many(
    simulate: Simulate, data: st.DataObject, seed: int
) -> None:
    made, chosen = simulate(seed), one_of_each(data)
    qrels = hj.read_qrels(made.labels, grades=range(5))
    among = whole(made, chosen)
    for j, system in enumerate(among.systems):
        if not any(label is not None for t in among.topics for label in made.ranked(system, t)):
            continue  # nothing in common with the labels
        alone = hj.evaluate(qrels, {system: made.runs[system]}, chosen, undefined="nan")
        assert equal(alone.values[:, 0], among.values[:, j])
        assert (alone.status[:, 0] == among.status[:, j]).all()


@examples(4, phases=AS_FOUND)
@given(data=st.data(), seed=seeds)
def test_order_of_lines_does_not_matter(simulate: Simulate, data: st.DataObject, seed: int) -> None:
    made, chosen = simulate(seed), one_of_each(data)
    before = whole(made, chosen)
    for together in (True, False):
        qrels = hj.read_qrels(made.qrels_text(), grades=range(5))
        runs = made.run_texts(together)
        for source in (runs, hj.read_runs(made.run_texts(together))):
            after = hj.evaluate(qrels, source, chosen, undefined="nan")
            assert after.topics == before.topics
            assert equal(after.values, before.values)


@examples(4, phases=AS_FOUND)
@given(data=st.data(), seed=seeds, number=st.integers(1, 5))
def test_unjudged_documents_below_the_rest_change_nothing(
    simulate: Simulate, data: st.DataObject, seed: int, number: int
) -> None:
    made = simulate(seed)
    chosen = [m for m in one_of_each(data) if not length_matters(m)]
    before = whole(made, chosen)
    for lists in made.runs.values():
        for lines in lists.values():
            lines.update({f"nobody judged {i}": -9.0 - i for i in range(number)})
    assert equal(whole(made, chosen).values, before.values)


@examples(4, phases=AS_FOUND)
@given(data=st.data(), seed=seeds, depth=st.integers(1, 8))
def test_depth_is_a_shorter_list(
    simulate: Simulate, data: st.DataObject, seed: int, depth: int
) -> None:
    made, chosen = simulate(seed), one_of_each(data)
    cut = whole(made, chosen, depth=depth)
    for lists in made.runs.values():
        for topic, lines in lists.items():
            best = sorted(lines, key=lambda d: (lines[d], d.encode()), reverse=True)[:depth]
            lists[topic] = {d: lines[d] for d in best}
    assert equal(cut.values, whole(made, chosen).values)


@examples(4, phases=AS_FOUND)
@given(data=st.data(), seed=seeds)
def test_condensed_is_the_condensed_list(
    simulate: Simulate, data: st.DataObject, seed: int
) -> None:
    made, chosen = simulate(seed), one_of_each(data)
    scores = whole(made, chosen, unjudged="condensed")
    for j, system in enumerate(scores.systems):
        for k, topic in enumerate(scores.topics):
            labels = naive.condensed(made.ranked(system, topic))
            for i, m in enumerate(chosen):
                expected = oracle_value(m, labels, made.pool(topic), made.top)
                assert same(scores.values[i, j, k], expected), (m, system, topic)


def test_condensed_infap_does_not_see_negative_grades() -> None:
    labels = {"q": {"minus": -1, "a": 0, "b": 1, "c": 2}}
    run = {"q": {"minus": 9.0, "a": 8.0, "x": 7.0, "b": 6.0, "c": 5.0}}
    value = hj.evaluate(labels, run, "infAP", unjudged="condensed").values[0, 0, 0]
    assert same(value, hj.score_list("infAP", [0, 1, 2], [-1, 0, 1, 2]))


# Topics without anything relevant, topics without a list


@examples(4, phases=AS_FOUND)
@given(data=st.data(), seed=seeds)
def test_undefined_is_zero_or_nan_or_dropped(
    simulate: Simulate, data: st.DataObject, seed: int
) -> None:
    made, chosen = simulate(seed), one_of_each(data)
    assume(any_judged(made, list(made.labels)))
    qrels = hj.read_qrels(made.labels, grades=range(5))
    zero, nan, drop = (
        hj.evaluate(qrels, made.runs, chosen, undefined=how) for how in ("zero", "nan", "drop")
    )
    undefined = np.isnan(nan.values)
    counted = np.zeros(nan.values.shape)  # 0, or the worst value where smaller is better
    for i, j, k in np.argwhere(undefined):
        labels = made.ranked(nan.systems[j], nan.topics[k])
        counted[i, j, k] = counted_value(chosen[i], labels, made.pool(nan.topics[k]), made.top)
        assert counted[i, j, k] == 0 or chosen[i].smaller_is_better
    assert equal(zero.values, np.where(undefined, counted, nan.values))
    assert equal(drop.values, nan.values)
    for scores in (zero, nan, drop):
        assert ((scores.status == UNDEFINED) == undefined).all()
    assert (np.isnan(nan.mean()) == undefined.any(axis=-1)).all()
    assert not np.isnan(zero.mean()).any()
    mean, kept = drop.mean(), drop.to_dict()
    for i, m in enumerate(chosen):
        for j, system in enumerate(drop.systems):
            left = drop.values[i, j][~undefined[i, j]]
            if m.average == "sum":
                assert same(mean[i, j], left.sum())
            elif m.average == "gmean" and len(left):
                assert same(mean[i, j], naive.gmap(list(left)))
            elif len(left):
                assert same(mean[i, j], left.sum() / len(left))
            else:
                assert math.isnan(mean[i, j])
            mine = {t for t, lines in kept[system].items() if str(m) in lines}
            assert mine == {t for k, t in enumerate(drop.topics) if not undefined[i, j, k]}


@examples(4, phases=AS_FOUND)
@given(data=st.data(), seed=seeds)
def test_topics_without_a_list(simulate: Simulate, data: st.DataObject, seed: int) -> None:
    made, chosen = simulate(seed), one_of_each(data)
    qrels = hj.read_qrels(made.labels, grades=range(5))
    judged = hj.evaluate(qrels, made.runs, chosen)
    retrieved = hj.evaluate(qrels, made.runs, chosen, topics="retrieved")
    absent = np.array([[t not in made.runs[s] for t in judged.topics] for s in judged.systems])
    defined = np.array([cls.name not in ("NumQ", "NumRel", "ESL", "ESLSaving") for cls in CLASSES])
    assert (judged.values[defined][:, absent] == 0).all()
    assert (judged.status[:, ~absent] != NOT_RETRIEVED).all()
    assert (judged.status[:, absent] != SCORED).all()
    assert equal(retrieved.values[:, ~absent], judged.values[:, ~absent])
    assert np.isnan(retrieved.values[:, absent]).all()
    count = (~absent).sum(axis=-1)
    assert (retrieved.mean()[[cls.name == "NumQ" for cls in CLASSES]] == count).all()
    p = judged.measures.index(str(next(m for m in chosen if m.name == "P")))
    total = np.where(absent, 0.0, retrieved.values[p]).sum(axis=-1)
    expected = np.divide(total, count, out=np.full(len(count), np.nan), where=count > 0)
    assert equal(retrieved.mean()[p], expected)
    assert equal(judged.mean()[p], total / len(judged.topics))


# Many label sets at once


def scored(alignment: Any, labels: Any, m: Any, **how: Any) -> Any:
    """[..., cell]"""
    values = np.full((*labels.shape[:-1], len(alignment.length)), np.inf)
    for cells, lists in judge_lists(
        alignment, labels, 4, needs_nonrelevant=m.needs_nonrelevant, **how
    ):
        found = m(lists)
        assert found.shape == (*labels.shape[:-1], len(cells))
        values[..., cells] = found
    assert not np.isposinf(values).any()  # every cell was given
    return values


@pytest.mark.parametrize("ties", ["trec", "expected"])
@examples(4, phases=AS_FOUND)
@given(data=st.data(), seed=seeds, condensed=st.booleans())
def test_stacked_labels_are_as_each_alone(
    simulate: Simulate, ties: str, data: st.DataObject, seed: int, condensed: bool
) -> None:
    made = simulate(seed, topics=3, systems=2)
    chosen = one_of_each(data, lambda cls: cls.averages_ties or ties == "trec")
    qrels = hj.read_qrels(made.labels, grades=range(5))
    aligned = align(hj.read_runs(made.runs, ties=ties), qrels.pool)
    rng = np.random.default_rng(seed)
    shape = (2, 2, len(qrels))
    labels = rng.integers(-1, 5, shape).astype(np.int16)
    labels[rng.random(shape) < 0.3] = MISSING
    how = {"condensed": condensed and ties == "trec"}
    for m in chosen:
        stacked = scored(aligned, labels, m, **how)
        assert stacked.shape == (2, 2, 2 * len(qrels.topics))
        for a in np.ndindex(2, 2):
            assert equal(stacked[a], scored(aligned, labels[a], m, **how)), m


@examples(10, phases=AS_FOUND)
@given(data=st.data(), seed=seeds, budget=st.integers(1, 40))
def test_lists_are_scored_in_blocks_of_any_size(
    simulate: Simulate, data: st.DataObject, seed: int, budget: int
) -> None:
    made, chosen = simulate(seed), one_of_each(data)
    at_once = whole(made, chosen)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judged_module, "BUDGET", budget)
        in_blocks = whole(made, chosen)
    assert equal(in_blocks.values, at_once.values)
