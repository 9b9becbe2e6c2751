"""Every measure of the catalogue against its slow loop."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hungjury as hj
from builders.examples import examples
from builders.measures import (
    AS_FOUND,
    BY_GAIN,
    CLASSES,
    DRAWN,
    ORACLES,
    PARAMS,
    Labels,
    Pool,
    counted_value,
    judged_lists,
    measures,
    more_pool,
    oracle_value,
    pool_of,
    same,
)
from hungjury.measures.catalogue import CATALOGUE
from oracles import measures as naive


def test_every_measure_has_an_oracle() -> None:
    assert {cls.name for cls in CATALOGUE} == set(ORACLES) | DRAWN


def test_every_parameter_is_varied() -> None:
    assert {f.name for cls in CATALOGUE for f in cls.params()} <= set(PARAMS)


@pytest.mark.parametrize("name", ORACLES)
@examples(24)
@given(data=st.data(), labels=judged_lists, more=more_pool)
def test_one_list(name: str, data: st.DataObject, labels: Labels, more: Pool) -> None:
    m = data.draw(measures(CATALOGUE[name]))
    pool = pool_of(labels, more, m)
    top = max([1, *pool])
    assert same(hj.score_list(m, labels, pool), oracle_value(m, labels, pool, top)), m


@examples(30)
@given(labels=judged_lists)
def test_the_pool_of_a_list_without_one_is_the_list(labels: Labels) -> None:
    for name in ("AP", "nDCG@5", "Bpref", "NumRel", "ERR"):
        assert same(hj.score_list(name, labels), hj.score_list(name, labels, pool_of(labels, [])))


@pytest.mark.parametrize("source", ["files", "interleaved files", "dictionaries"])
@examples(8, phases=AS_FOUND)
@given(data=st.data(), seed=st.integers(0, 10**6))
def test_collection(
    simulate: Callable[..., Any], source: str, data: st.DataObject, seed: int
) -> None:
    made = simulate(seed)
    chosen = [data.draw(measures(cls)) for cls in CLASSES]
    qrels = hj.read_qrels(made.qrels_text(), grades=range(5))
    runs = made.runs if source == "dictionaries" else made.run_texts(together=source == "files")
    scores = hj.evaluate(qrels, runs, chosen, undefined="nan")
    assert scores.measures == [str(m) for m in chosen]
    assert sorted(scores.systems) == sorted(made.runs)
    for i, m in enumerate(chosen):
        for j, system in enumerate(scores.systems):
            for k, topic in enumerate(scores.topics):
                expected = oracle_value(m, made.ranked(system, topic), made.pool(topic), made.top)
                assert same(scores.values[i, j, k], expected), (m, system, topic)


@examples(8, phases=AS_FOUND)
@given(data=st.data(), seed=st.integers(0, 10**6))
def test_summary_over_topics(simulate: Callable[..., Any], data: st.DataObject, seed: int) -> None:
    made = simulate(seed)
    chosen = [data.draw(measures(cls)) for cls in CLASSES]
    qrels = hj.read_qrels(made.labels, grades=range(5))
    scores = hj.evaluate(qrels, made.runs, chosen)
    mean = scores.mean()
    for i, m in enumerate(chosen):
        for j, system in enumerate(scores.systems):
            each = [
                counted_value(m, made.ranked(system, t), made.pool(t), made.top)
                for t in scores.topics
            ]
            if m.name == "GMAP":
                expected = naive.gmap(each)
            elif m.name.startswith("Num"):
                expected = sum(each)
            else:
                expected = sum(each) / len(each)
            assert same(mean[i, j], expected), (m, system)


@examples(15, phases=AS_FOUND)
@given(data=st.data(), seed=st.integers(0, 10**6))
def test_scale_is_that_of_the_whole_input(
    simulate: Callable[..., Any], data: st.DataObject, seed: int
) -> None:
    made = simulate(seed)
    top = max(1, *(g for t in made.labels for g in made.pool(t)))
    chosen = [data.draw(measures(CATALOGUE[name])) for name in ("ERR", "gRBP")]
    scores = hj.evaluate(made.labels, made.runs, chosen, undefined="nan")
    for i, m in enumerate(chosen):
        for j, system in enumerate(scores.systems):
            for k, topic in enumerate(scores.topics):
                expected = oracle_value(m, made.ranked(system, topic), made.pool(topic), top)
                assert same(scores.values[i, j, k], expected), (m, system, topic)


# Gains that need a second look

GAIN_NAMES = sorted(BY_GAIN)


@pytest.mark.parametrize("name", [*GAIN_NAMES, "Q"])
def test_a_gain_for_grade_0_is_for_judged_documents_only(name: str) -> None:
    m = CATALOGUE[name](gains={0: 0.5, 1: 2.0})
    labels = {"q": {"a": 0, "b": 1, "c": 0, "d": -1}}
    run = {"q": {"a": 5.0, "x": 4.0, "d": 3.0, "b": 2.0}}
    value = hj.evaluate(labels, run, m).values[0, 0, 0]
    expected = oracle_value(m, [0, None, -1, 1], [0, 1, 0, -1], 1)
    assert same(value, expected)
    assert same(hj.score_list(m, [0, None, -1, 1], [0, 1, 0, -1]), expected)


@pytest.mark.parametrize("name", ["DCG", "nDCG"])
def test_a_gain_map_is_taken_as_it_is_in_the_exponential_form(name: str) -> None:
    m = CATALOGUE[name](gains={1: 3.0}, dcg="exp-log2")
    labels = [0, 2, 1]
    assert same(hj.score_list(m, labels), oracle_value(m, labels, labels, 2))


@pytest.mark.parametrize("name", GAIN_NAMES)
def test_no_gain_at_all_is_undefined(name: str) -> None:
    m = CATALOGUE[name](gains={1: 0.0, 2: 0.0})
    assert math.isnan(hj.score_list(m, [1, 2, 0]))


@pytest.mark.parametrize("name", ["ERR", "gRBP"])
def test_a_scale_that_ends_below_the_labels_is_refused(name: str) -> None:
    with pytest.raises(hj.HungjuryError, match="max_grade"):
        hj.evaluate({"q": {"a": 3, "b": 1}}, {"q": {"a": 1.0}}, f"{name}(max_grade=2)")


# One list whose labels and pool or parameters do not fit


@pytest.mark.parametrize("name", ["AP", "NCP", "R@5", "nDCG"])
def test_a_list_that_is_not_in_its_pool_is_refused(name: str) -> None:
    with pytest.raises(hj.HungjuryError, match="pool"):
        hj.score_list(name, [1, 2], [1])


@pytest.mark.parametrize("name", ["eRAP", "eRRBP", "eRDCG"])
def test_a_grade_map_for_more_grades_than_the_list_shows(name: str) -> None:
    m = CATALOGUE[name](prob=[0.0, 0.5, 1.0])
    assert same(hj.score_list(m, [1, 0]), oracle_value(m, [1, 0], [1, 0], 2))


@pytest.mark.parametrize("name", ["ERR(max_grade=2)", "gRBP(max_grade=2)", "GAP(g=[0.5, 0.5])"])
def test_a_scale_that_ends_below_the_labels_of_a_list_is_refused(name: str) -> None:
    with pytest.raises(hj.HungjuryError, match="3"):
        hj.score_list(name, [3, 0])
