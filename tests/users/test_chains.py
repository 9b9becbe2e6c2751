"""Markov users: chains, the eight models in closed form, and Markov precision."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hungjury as hj
from builders.examples import examples
from hungjury.base.errors import HungjuryError, MeasureError
from hungjury.data.alignment import align
from hungjury.data.judged import judge_lists
from hungjury.data.qrels import MISSING
from hungjury.measures.catalogue.user_models import MP
from hungjury.users import chain as transitions
from hungjury.users.chain import (
    MODELS,
    closed_groups,
    pull_sums,
    stationary_distribution,
    transition_matrix,
)
from hungjury.users.model import Dynamic, UserClass, UserModel
from oracles import markov as naive_markov

RUNS = [
    (1, 1, 1, 1, 0, 0, 0, 1, 0, 0),
    (1, 1, 1, 0, 1, 0, 0, 0, 1, 0),
    (1, 1, 0, 1, 1, 0, 0, 0, 0, 1),
]
RATES = [
    (0.2, 0.0357, 0.2, 0.04, 0.0056, 0.0005, 0.0035, 0.0017, 0.0034, 0.0024),
    (0.0177, 0.0047, 0.0037, 0.0015, 0.0041, 0.0031, 0.0057, 0.0022, 0.0061, 0.0045),
    (0.0056, 0.0051, 0.0062, 0.0031, 0.0046, 0.0025, 0.005, 0.0022, 0.007, 0.005),
]
labels_lists = st.lists(st.sampled_from([0, 0, 1, 2, None, -1]), min_size=1, max_size=11)


def pool_of(labels: Any, more: Any = ()) -> list[int]:
    return [label for label in labels if label is not None] + list(more)


# Chains


@examples(40)
@given(st.integers(1, 6), st.integers(0, 10**6))
def test_stationary_law_stays(size, seed):
    rng = np.random.default_rng(seed)
    matrix = transition_matrix(rng.dirichlet(np.ones(size), size=size))
    law = stationary_distribution(matrix)
    assert law == pytest.approx(law @ matrix, abs=1e-12)
    assert law.sum() == pytest.approx(1)


def test_stationary_law_keeps_digits_of_rare_states():
    rare = 1e-13
    law = stationary_distribution(transition_matrix([[1 - rare, rare], [1, 0]]))
    assert law[1] == pytest.approx(rare, rel=1e-9)


@examples(40)
@given(st.integers(2, 6), st.data())
def test_a_chain_watched_on_some_states(size, data):
    kept = data.draw(st.sets(st.integers(0, size - 1), min_size=1))
    seed = data.draw(st.integers(0, 10**6))
    weights = np.random.default_rng(seed).integers(1, 9, (size, size))
    exact = [[Fraction(int(v), int(row.sum())) for v in row] for row in weights]
    seen = naive_markov.watched(exact, sorted(kept))
    whole = stationary_distribution(weights / weights.sum(axis=1, keepdims=True))
    part = whole[sorted(kept)]  # watching neither adds nor removes visits
    expected = naive_markov.stationary(seen) if len(seen) > 1 else [1]
    assert part / part.sum() == pytest.approx([float(v) for v in expected], abs=1e-12)


def test_pulls_are_kept_and_cannot_be_changed():
    table = transitions.pulls("ID", 4)
    assert transitions.pulls("ID", 4) is table
    with pytest.raises(ValueError, match="read-only"):
        table[1] = 0


def test_closed_groups():
    matrix = np.array([[0, 1, 0, 0], [0, 0.5, 0.5, 0], [0, 1, 0, 0], [0, 0, 0, 1.0]])
    assert [g.tolist() for g in closed_groups(matrix)] == [[1, 2], [3]]


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        ([[0.5, 0.5], [0.3, 0.6]], "not stochastic: the row of rank 2"),
        (
            [[0.5, 0.6, -0.1], [1, 0, 0], [1, 0, 0]],
            "negative or infinite entries in the row of rank 1",
        ),
        ([[math.nan, 1], [1, 0]], "infinite"),
        ([[1, 0], [0.5, 0.5]], "not irreducible: from rank 1 the user never reaches rank 2"),
        (
            [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]],
            "from ranks 1, 2 the user never reaches ranks 3, 4",
        ),
        ([[0.5, 0.5]], "shape 1 x 2"),
        ([], "shape 0"),
        ([["a"]], "not a table of numbers"),
        ([[1, 0], [1]], "not a table of numbers"),
        (3, "not a table of numbers"),
    ],
)
def test_bad_matrices_are_told(matrix, words):
    with pytest.raises(MeasureError, match=words) as caught:
        MP(model=matrix)
    assert caught.value.remedy


@pytest.mark.parametrize("sign", [-1, 1])
def test_a_row_may_miss_one_by_a_millionth(sign: int) -> None:
    MP(model=[[0, 1 + sign * 0.9e-6], [1, 0]])
    with pytest.raises(MeasureError, match="not stochastic"):
        MP(model=[[0, 1 + sign * 1.1e-6], [1, 0]])


# The eight models


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("size", [1, 2, 3, 20])
def test_closed_forms_equal_the_solve(model, size):
    hits = np.random.default_rng(size).random(size) < 0.5
    hits[-1] = True
    ranks = np.arange(1, size + 1, dtype=np.int32)
    sums = pull_sums(model, hits[None], ranks[None], np.array([size]))[0][hits]
    states = ranks[hits] if "_OR_" in model else ranks
    kept = np.arange(len(states)) if "_OR_" in model else np.flatnonzero(hits)
    connected, _, kind = ("GL", "AD", model) if model == "constant" else model.split("_")
    matrix = naive_markov.transition_matrix(states.tolist(), connected, kind)
    visits = stationary_distribution(np.array(matrix, dtype=float))[kept]
    assert sums / sums.sum() == pytest.approx(visits / visits.sum(), rel=1e-10)


@examples(60)
@given(
    labels_lists,
    st.lists(st.sampled_from([0, 1, 2]), max_size=3),
    st.sampled_from(MODELS),
    st.booleans(),
    st.booleans(),
    st.integers(1, 2),
    st.none() | st.integers(1, 12),
)
def test_mp_equals_the_exact_chain(labels, more, model, rec, timed, rel, cutoff):
    pool = pool_of(labels, more)
    rates = [0.1 + 0.37 * (i % 4) for i in range(len(labels))] if timed else None
    value = hj.score_list(MP(model=model, rec=rec, rates=rates, rel=rel, cutoff=cutoff),
                          labels, pool)  # fmt: skip
    if not any(label >= rel for label in pool):
        assert math.isnan(value)
        return
    expected = naive_markov.mp(labels, pool, model, rates, rec, rel, cutoff)
    assert value == pytest.approx(expected, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize(
    ("run", "rates", "discrete", "continuous"),
    list(zip(RUNS, RATES, (0.9205, 0.8668, 0.8120), (0.6600, 0.8706, 0.8005), strict=True)),
)
def test_published_values(run, rates, discrete, continuous):
    assert round(hj.score_list(MP(), run), 4) == discrete
    assert round(hj.score_list(MP(rates=rates), run), 4) == continuous


@pytest.mark.parametrize("model", MODELS)
def test_a_cutoff_shortens_the_chain(model):
    for run, cutoff in itertools.product(RUNS[1:], (1, 2, 4, 10)):
        value = hj.score_list(MP(model=model, cutoff=cutoff), run)
        assert value == pytest.approx(hj.score_list(MP(model=model), run[:cutoff]), rel=1e-12)
        assert value == pytest.approx(naive_markov.mp(run, run, model, cutoff=cutoff))


@examples(40)
@given(labels_lists)
def test_constant_model_with_recall_is_average_precision(labels):
    pool = pool_of(labels, [1])
    value = hj.score_list(MP(model="constant", rec=True), labels, pool)
    assert value == pytest.approx(hj.score_list("AP", labels, pool), rel=1e-13)


def test_small_lists():
    for model in MODELS:
        assert hj.score_list(MP(model=model), [0, None], [0, 1]) == 0
        assert hj.score_list(MP(model=model), [1]) == 1
        assert hj.score_list(MP(model=model), [0, 0, 1]) == pytest.approx(1 / 3)
        assert math.isnan(hj.score_list(MP(model=model), [0, 0]))
        assert hj.score_list(MP(model=model), [], [1]) == 0


def test_local_models_on_all_documents_do_not_know_the_distance():
    for run in RUNS:
        assert hj.score_list(MP(model="LO_AD_ID"), run) == hj.score_list(MP(model="LO_AD_LID"), run)


@pytest.mark.parametrize(("room", "condensed"), [(1, False), (7, True), (1 << 21, False)])
@pytest.mark.parametrize("model", MODELS)
def test_many_lists_and_copies_at_once(model, room, condensed, monkeypatch):
    monkeypatch.setattr(transitions, "ROOM", room)
    sizes = {"a": 3, "b": 9, "c": 1, "d": 6}
    lists = {t: {f"d{i}": float(-i) for i in range(n)} for t, n in sizes.items()}
    qrels = hj.read_qrels({t: dict.fromkeys(docs, 1) for t, docs in lists.items()})
    aligned = align(hj.read_runs({"s": lists}), qrels.pool)
    labels = np.random.default_rng(5).choice([0, 1, 1, MISSING], (2, 3, len(qrels)))
    for cells, judged in judge_lists(aligned, labels.astype(np.int16), 1, condensed=condensed):
        values = MP(model=model)(judged)
        for a, b, c in itertools.product(range(2), range(3), range(len(cells))):
            alone = labels[a, b, qrels.pool.slice(int(cells[c]))].tolist()
            pool = [label for label in alone if label != MISSING]
            seen = pool if condensed else [None if v == MISSING else v for v in alone]
            expected = hj.score_list(MP(model=model), seen, pool)
            assert values[a, b, c] == pytest.approx(expected, rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("model", ["GL_AD_ID", "GL_OR_LID", "LO_OR_ID"])
def test_through_evaluate_with_unjudged_documents(model, simulate):
    made = simulate(11)
    for unjudged in ("nonrelevant", "condensed"):
        found = hj.evaluate(
            made.qrels_text(), made.run_texts(), MP(model=model), undefined="nan", unjudged=unjudged
        )
        for (s, system), (t, topic) in itertools.product(
            enumerate(found.systems), enumerate(found.topics)
        ):
            labels = made.ranked(system, topic)
            if unjudged == "condensed":
                labels = [label for label in labels if label is not None and label >= 0]
            pool = made.pool(topic)
            expected = math.nan
            if any(label >= 1 for label in pool):
                expected = naive_markov.mp(labels, pool, model)
            assert found.values[0, s, t] == pytest.approx(expected, nan_ok=True)


# Other users


@examples(40)
@given(labels_lists, st.integers(1, 8), st.integers(0, 10**6), st.booleans())
def test_any_matrix_equals_the_exact_chain(labels, size, seed, timed):
    """Documents below the matrix are never visited; the watched chain is solved in fractions."""
    weights = np.random.default_rng(seed).integers(1, 9, (size, size))
    matrix = weights / weights.sum(axis=1, keepdims=True)
    rates = [1.0 + i for i in range(size)] if timed else None
    pool = pool_of(labels, [1])
    value = hj.score_list(MP(model=matrix, rates=rates), labels, pool)
    hits = [n for n, label in enumerate(labels, 1) if label is not None and label >= 1]
    met = [n for n in hits if n <= size]
    if not met:
        assert value == 0
        return
    exact = [[Fraction(int(v), int(row.sum())) for v in row] for row in weights]
    seen = naive_markov.watched(exact, [n - 1 for n in met])
    law = [float(v) for v in naive_markov.stationary(seen)] if len(met) > 1 else [1.0]
    if rates is not None:
        law = [v / rates[n - 1] for v, n in zip(law, met, strict=True)]
    expected = sum(v * (hits.index(n) + 1) / n for v, n in zip(law, met, strict=True)) / sum(law)
    assert value == pytest.approx(expected, rel=1e-10)


def walkers(**more: Any) -> UserModel:
    flat = Dynamic(0.0, 0.0, 1 / 3)
    return UserModel(
        (
            UserClass("navigational", (0.8, 0.1, 0.1), flat, rates=(1.0, 2.0, 4.0)),
            UserClass("informational", (0.2, 0.3, 0.5), flat, rates=(4.0, 2.0, None)),
        ),
        **more,
    )


def test_user_models_walk_by_class():
    users = walkers()
    one = hj.score_list(MP(model=users), [0, 1, 0])
    assert one == pytest.approx(0.5)  # a single state
    labels = [0, 1, 2]
    navigational = (0.1 * 1 / 2 + 0.1 * 2 / 3) / 0.2
    informational = (0.3 * 1 / 2 + 0.5 * 2 / 3) / 0.8
    assert hj.score_list(MP(model=users), labels) == pytest.approx(informational)
    assert hj.score_list(MP(model=users, nav_rel=2), labels) == pytest.approx(navigational)
    assert hj.score_list(MP(model=users), [0, 0, 0, 1, 1]) == 0  # no user gets there


def test_holding_times_of_a_user_model():
    users = walkers()
    with pytest.raises(MeasureError, match="no holding time is known at rank 3 for the class 'inf"):
        MP(model=users, rates="model")
    complete = UserModel((users.classes[0],) * 1)
    value = hj.score_list(MP(model=complete, rates="model"), [0, 1, 2])
    assert value == pytest.approx((0.05 / 2 + 0.025 * 2 / 3) / 0.075)
    with pytest.raises(MeasureError, match="not calibrated"):
        MP(rates="model")
    with pytest.raises(MeasureError, match="has no holding times for the class 'navigational'"):
        MP(model="published-shape", rates="model")


def test_missing_rates_are_told():
    with pytest.raises(MeasureError, match="for 3 ranks, but a relevant document is at rank 8"):
        hj.score_list(MP(rates=[1, 2, 3]), RUNS[0])
    assert hj.score_list(MP(rates=[1, 2, 3], cutoff=3), RUNS[0]) == 1
    with pytest.raises(MeasureError, match="rates is -1"):
        MP(rates=[1, -1])


@pytest.mark.parametrize(
    "text",
    [
        "MP",
        'MP(model="LO_OR_LID", rec=True, rel=2)@10',
        "MP(model=[[0.25, 0.75], [0.5, 0.5]], rates=[1, 2.5])",
        'MP(model="published-shape")',
    ],
)
def test_names_are_read_back(text):
    one = hj.measure(text)
    assert hj.measure(str(one)) == one
    assert hash(hj.measure(str(one))) == hash(one)
    assert str(hj.measure(str(one))) == str(one)


def test_unknown_models_are_told():
    with pytest.raises(HungjuryError, match="no model or file 'GL_ID'"):
        MP(model="GL_ID")


def test_saved_models_are_walked_by_name(tmp_path):
    path = str(tmp_path / "users.json")
    walkers().save(path)
    one = hj.measure(f'MP(model="{path}")')
    assert str(one) == f'MP(model="{path}")'
    assert hj.score_list(one, [0, 1, 2]) == hj.score_list(MP(model=walkers()), [0, 1, 2])
    assert str(MP(model=walkers())).startswith('MP(model="calibrated-')
    assert str(MP(model=walkers())) == str(MP(model=walkers()))


# Users who make a few moves


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("steps", [0, 1, 2, 7])
def test_a_few_moves_against_loops(model: str, steps: int) -> None:
    relevant, length = [2, 3, 7], 9
    naive = naive_markov.after_steps(length, relevant, model, steps)
    walk = hj.users.user_walk(model, relevant, length)
    assert walk.after(steps) == pytest.approx([float(p) for p in naive], abs=1e-12)
    mean = sum(float(p) * n / r for n, (p, r) in enumerate(zip(naive, relevant, strict=True), 1))
    assert walk.mean_precision(steps) == pytest.approx(mean)
    labels = [int(rank in relevant) for rank in range(1, length + 1)]
    found = hj.score_list(f"MP(model={model}, steps={steps})", labels)
    assert found == pytest.approx(mean)
    assert hj.score_list(f"MP(model={model}, steps={steps}, rec=True)", labels) == pytest.approx(
        mean
    )


def test_a_start_distribution_and_the_long_run() -> None:
    walk = hj.users.user_walk("GL_OR_LID", [1, 4, 5, 9], 10)
    start = [0.1, 0.2, 0.3, 0.4]
    assert walk.after(1, start) == pytest.approx(np.array(start) @ walk.transitions)
    assert walk.after(3, walk.stationary) == pytest.approx(walk.stationary)
    assert walk.distance(200) == pytest.approx(0, abs=1e-12)
    assert walk.mean_precision() == pytest.approx(walk.mean_precision(200))
    assert hj.users.user_walk("GL_AD_ID", [3], 8).mean_precision(5) == pytest.approx(1 / 3)


@pytest.mark.parametrize("model", MODELS)
def test_periods_and_mixing_times(model: str) -> None:
    """Only the local models on relevant documents go to and fro between odd and even places."""
    walk = hj.users.user_walk(model, [1, 3, 4, 8], 10)
    periodic = model.startswith("LO_OR")
    assert walk.period == (2 if periodic else 1)
    steps = walk.mixing_time(0.01)
    if periodic:
        assert steps is None
        return
    assert steps is not None

    def farthest(number: int) -> float:
        return max(walk.distance(number, np.eye(4)[first]) for first in range(4))

    assert farthest(steps) <= 0.01 < farthest(steps - 1)
    assert walk.mixing_time(0.999) == 0


def test_n_10_is_near_the_limit_for_global_models_only() -> None:
    """SPEC 14 on lists like TREC 8's: total variation up to .043 for GL_AD, .82 to .87 for LO."""
    rng = np.random.default_rng(0)
    weight = 1 / np.sqrt(np.arange(1, 301))
    lists = [np.sort(1 + rng.choice(300, 30, replace=False, p=weight / weight.sum())).tolist()
             for _ in range(3)]  # fmt: skip
    for model in MODELS:
        far = np.mean([hj.users.user_walk(model, one, 300).distance(10) for one in lists])
        assert far > 0.5 if model.startswith("LO") else far < 0.2
        if model.startswith("GL_AD"):
            assert far < 0.05


@pytest.mark.parametrize(
    "name", ["MP(steps=3, rates=[0.1, 0.2])", "MP(model=[[0, 1], [1, 0]], steps=3)",
             "MP(model='published-shape', steps=3)"],
)  # fmt: skip
def test_steps_are_for_the_models(name: str) -> None:
    with pytest.raises(MeasureError, match="steps are for the models") as found:
        hj.measure(name)
    assert found.value.code == "steps-of-model"


def test_a_walk_needs_relevant_documents_on_the_list() -> None:
    with pytest.raises(MeasureError, match="no relevant documents"):
        hj.users.user_walk("GL_AD_ID", [], 5)
    with pytest.raises(HungjuryError, match="from 1 to 5"):
        hj.users.user_walk("GL_AD_ID", [6], 5)
