"""Documents with equal scores: the mean over all their orders, and the fixed orders."""

from __future__ import annotations

import contextlib
import functools
import io
import itertools
import random
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import hungjury as hj
from builders.examples import examples
from builders.measures import AS_FOUND, CLASSES, measures, oracle_value, same
from hungjury.base.errors import MeasureError
from oracles import measures as naive

Groups = Sequence[Sequence[int | None]]
KNOWING = [cls for cls in CLASSES if cls.averages_ties]
NOT_KNOWING = [cls for cls in CLASSES if not cls.averages_ties]
TOP = 4

# Up to 7 documents in ties of up to 4, unjudged and negative ones among them.
groups = st.lists(
    st.lists(st.none() | st.integers(-1, TOP), min_size=1, max_size=4), min_size=1, max_size=4
).filter(lambda found: sum(map(len, found)) <= 7)
more_pool = st.lists(st.integers(-1, TOP), max_size=4)


def tied_scores(groups: Groups, more: Iterable[int], chosen: list[Any], **policy: Any) -> Any:
    """Score one list whose groups are tied."""
    qrels, runs = tied_list(tuple(map(tuple, groups)), tuple(more))
    return hj.evaluate(qrels, runs, chosen, undefined="nan", **policy)


@functools.lru_cache(8)
def tied_list(groups: Groups, more: Sequence[int]) -> tuple[Any, Any]:
    """Labels, and the runs; ids are dealt at random, so that their order inside a tie says
    nothing."""
    size = sum(map(len, groups))
    ids = random.Random(size).sample([f"d{i}" for i in range(99)], size)
    labels: dict[str, int] = {f"other{i}": grade for i, grade in enumerate(more)}
    run: dict[str, float] = {}
    for score, group in enumerate(reversed(groups)):
        for label in group:
            document = ids.pop()
            run[document] = float(score)
            if label is not None:
                labels[document] = label
    labels["judged, so that the topic is"] = 0
    qrels = hj.read_qrels({"q": labels}, grades=range(TOP + 1))
    other = {"judged, so that the topic is": 1.0}  # a judged document must be in some run
    return qrels, hj.read_runs({"s": {"q": run}, "z": {"q": other}}, ties="expected")


def pool_of(groups: Groups, more: Iterable[int]) -> list[int]:
    return [label for group in groups for label in group if label is not None] + [*more, 0]


def brute_force(m: Any, groups: Groups, pool: list[int], depth: int | None = None) -> float:
    def one_order(labels: Sequence[int | None], pool: list[int]) -> float:
        return oracle_value(m, labels[:depth], pool, TOP)

    value = naive.mean_over_orders(groups, pool, one_order)
    assert value is not None
    return value


def test_who_knows_the_mean_over_orders() -> None:
    names = {cls.name for cls in KNOWING}
    assert {"P", "R", "F1", "Rprec", "AP", "GMAP", "RR", "Success", "nDCG", "RBP"} <= names
    assert {cls.name for cls in NOT_KNOWING} >= {"ERR", "Q", "Bpref", "infAP", "IPrec"}


@examples(20, phases=AS_FOUND)
@given(data=st.data(), groups=groups, more=more_pool)
def test_mean_over_all_orders(data: st.DataObject, groups: Groups, more: list[int]) -> None:
    assume(any(label is not None for group in groups for label in group))
    chosen = [data.draw(measures(cls)) for cls in KNOWING]
    values = tied_scores(groups, more, chosen).values[:, 0, 0]
    pool = pool_of(groups, more)
    for m, value in zip(chosen, values, strict=True):
        assert same(value, brute_force(m, groups, pool)), m


# Lists for the policies: a tie of all, ties that a cut goes through, unjudged documents in them.
LISTS: list[Groups] = [
    [[1, 0, None, 2]],
    [[0, 1], [2, None, 0], [1]],
    [[None, 3], [0, -1, 1, None]],
    [[2], [0], [None, None, 1]],
    [[0, None, -1], [4, 1, 0]],
]


NEEDED = {"g": [0.1, 0.4, 0.3, 0.2]}  # parameters without a default, other than cutoff


def variants(cls: Any) -> list[Any]:
    """A measure without and with cutoffs, as far as it allows."""
    names = {f.name for f in cls.params()}
    needed = {name: value for name, value in NEEDED.items() if name in names}
    if cls.at != "cutoff":
        return [cls(**needed), *([cls(**needed, rel=2)] if "rel" in names else [])]
    optional = next(f.default is None for f in cls.params() if f.name == "cutoff")
    cut = [cls(**needed, cutoff=k) for k in (1, 2, 3, 5)]
    return cut + ([cls(**needed)] if optional else [])


@pytest.mark.parametrize("cls", KNOWING, ids=lambda cls: cls.name)
def test_lists_cut_between_ties(cls: Any) -> None:
    for groups in LISTS:
        for depth in itertools.accumulate(map(len, groups)):
            values = tied_scores(groups, [1], variants(cls), depth=depth).values[:, 0, 0]
            for m, value in zip(variants(cls), values, strict=True):
                expected = brute_force(m, groups, pool_of(groups, [1]), depth)
                assert same(value, expected), (m, groups, depth)


def accepted(groups: Groups, cls: Any, **policy: Any) -> Iterator[tuple[Any, float]]:
    """The variants of a measure that are not refused, with their scores."""
    chosen = variants(cls)
    try:
        values = tied_scores(groups, [1], chosen, **policy).values[:, 0, 0]
        yield from zip(chosen, values, strict=True)
    except hj.HungjuryError:
        for m in chosen:
            with contextlib.suppress(hj.HungjuryError):
                yield m, tied_scores(groups, [1], [m], **policy).values[0, 0, 0]


@pytest.mark.parametrize("cls", KNOWING, ids=lambda cls: cls.name)
def test_lists_cut_inside_a_tie_have_the_mean_over_orders_or_are_refused(cls: Any) -> None:
    for groups in LISTS[1:4]:
        between = set(itertools.accumulate(map(len, groups)))
        for depth in set(range(1, max(between))) - between:
            for m, value in accepted(groups, cls, depth=depth):
                expected = brute_force(m, groups, pool_of(groups, [1]), depth)
                assert same(value, expected), (m, groups, depth)


@pytest.mark.parametrize("cls", KNOWING, ids=lambda cls: cls.name)
def test_condensed_lists_have_the_mean_over_orders_or_are_refused(cls: Any) -> None:
    for groups in LISTS:
        judged = [naive.condensed(group) for group in groups]
        for m, value in accepted(groups, cls, unjudged="condensed"):
            assert same(value, brute_force(m, judged, pool_of(groups, [1]))), (m, groups)


def test_tied_list_of_unjudged_documents_only() -> None:
    chosen = [m for cls in KNOWING for m in variants(cls)]
    values = tied_scores([[None, None], [None]], [1, 2], chosen).values[:, 0, 0]
    for m, value in zip(chosen, values, strict=True):
        assert same(value, oracle_value(m, [None] * 3, [1, 2, 0], TOP)), m


@examples(8, phases=AS_FOUND)
@given(data=st.data(), seed=st.integers(0, 10**6))
def test_expected_among_many_lists(simulate: Any, data: st.DataObject, seed: int) -> None:
    """Blocks of lists of different length, padding and missing lists beside tied ones."""
    made = simulate(seed, topics=3)
    chosen = [data.draw(measures(cls)) for cls in KNOWING]
    qrels = hj.read_qrels(made.labels, grades=range(5))
    among = hj.evaluate(qrels, hj.read_runs(made.runs, ties="expected"), chosen, undefined="nan")
    for j, system in enumerate(among.systems):
        for k, topic in enumerate(among.topics):
            lines = made.runs[system].get(topic)
            if lines is None:
                continue
            one = hj.read_runs({system: {topic: lines}}, ties="expected")
            if not set(lines) & set(made.labels[topic]):  # such a run alone is refused
                continue
            alone = hj.evaluate(qrels, one, chosen, topics=[topic], undefined="nan")
            for i, m in enumerate(chosen):
                assert same(among.values[i, j, k], alone.values[i, 0, 0]), m


def test_without_ties_the_mean_is_the_value() -> None:
    labels = {"q": {"a": 1, "b": 0, "c": 2, "d": 1}}
    run = {"s": {"q": {"a": 1.0, "x": 2.0, "b": 3.0, "c": 4.0}}}
    names = ["AP", "nDCG@2", "RR", "Success@2", "Rprec", "RBP", "R@3", "SetF"]
    plain = hj.evaluate(labels, hj.read_runs(run), names)
    expected = hj.evaluate(labels, hj.read_runs(run, ties="expected"), names)
    assert plain.values == pytest.approx(expected.values, abs=1e-12)


@pytest.mark.parametrize("cls", NOT_KNOWING, ids=lambda cls: cls.name)
@examples(3)
@given(data=st.data())
def test_others_refuse(cls: Any, data: st.DataObject) -> None:
    m = data.draw(measures(cls))
    with pytest.raises(MeasureError, match="ties") as caught:
        tied_scores([[1, 0]], [4], [m])
    assert str(m) in caught.value.message
    assert caught.value.remedy is not None
    assert 'ties="trec"' in caught.value.remedy


# Fixed orders

LINES = """\
q Q0 a 1 2.0 s
q Q0 é 2 2.0 s
q Q0 d10 9 2.0 s
q Q0 d9 4 2.0 s
q Q0 B 3 2.0 s
q Q0 low 1 1.0 s
q Q0 zero 7 0.0 s
q Q0 minus 8 -0.0 s
"""
BY_BYTES = ["é", "d9", "d10", "a", "B", "low", "zero", "minus"]


def ranks(text: str, **policy: str) -> list[str]:
    """The order in which a run's documents are scored, seen through RR of each alone, from a
    file read while scoring and from memory."""
    documents = [line.split()[2] for line in text.splitlines()]
    found = {}
    for document in documents:
        runs = hj.read_runs(io.StringIO(text), **policy)
        value = hj.evaluate({"q": {document: 1}}, runs, "RR").values[0, 0, 0]
        found[document] = round(1 / value)
    in_order = sorted(documents, key=found.__getitem__)
    assert [document for document, _ in runs.ranked("s", "q")] == in_order
    assert sorted(found.values()) == list(range(1, len(documents) + 1))
    return in_order


def test_trec_order_is_score_then_id_in_bytes_both_descending() -> None:
    assert ranks(LINES) == BY_BYTES
    upside_down = "\n".join(reversed(LINES.splitlines()))
    assert ranks(upside_down) == BY_BYTES


def test_trec_order_while_reading() -> None:
    for place, document in enumerate(BY_BYTES, start=1):
        value = hj.evaluate({"q": {document: 1}}, io.StringIO(LINES), "RR").values[0, 0, 0]
        assert value == pytest.approx(1 / place)


def test_input_order_inside_ties() -> None:
    assert ranks(LINES, ties="input") == ["a", "é", "d10", "d9", "B", "low", "zero", "minus"]


def test_single_precision_makes_near_ties() -> None:
    near = "q Q0 a 1 1.00000002 s\nq Q0 b 2 1.00000001 s\nq Q0 c 3 0.5 s\n"
    assert ranks(near) == ["a", "b", "c"]
    assert ranks(near, score_precision="single") == ["b", "a", "c"]


def test_single_precision_and_the_mean_over_orders() -> None:
    near = "q Q0 a 1 1.00000002 s\nq Q0 b 2 1.00000001 s\n"
    labels = {"q": {"a": 1, "b": 0}}
    for precision, value in (("double", 1.0), ("single", 0.75)):
        runs = hj.read_runs(io.StringIO(near), ties="expected", score_precision=precision)
        assert hj.evaluate(labels, runs, "RR").values[0, 0, 0] == pytest.approx(value)


def test_a_tie_rule_nobody_knows_is_refused() -> None:
    with pytest.raises(hj.HungjuryError, match="'random' for ties"):
        hj.read_runs({"q": {"a": 1.0}}, ties="random")
