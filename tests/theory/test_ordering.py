"""The partial order of judged lists: definitions, the thesis' examples, and laws."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.examples import examples
from builders.paths import DOCS
from hungjury.base.errors import InputError
from hungjury.theory import compare_lists
from hungjury.theory.list_pairs import ListScorer, plentiful_pool
from hungjury.theory.ordering import Step
from oracles import theory as naive_theory

PAGE = DOCS / "axioms.md"
KINDS = ("rank", "set")
MOVES = {"rank": {"replacement", "swap"}, "set": {"replacement"}}


def tuples(number, longest=7, top=3):
    """`number` lists of one length."""
    grades = st.integers(0, top)
    return st.integers(1, longest).flatmap(
        lambda n: st.tuples(*[st.tuples(*[grades] * n)] * number)
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("length", "grades"), [(1, 4), (2, 3), (3, 3), (4, 2)])
def test_every_pair_is_as_the_definition_says(kind, length, grades):
    for a, b in itertools.product(naive_theory.lists(length, grades), repeat=2):
        assert compare_lists(a, b, kind).relation == naive_theory.relation(a, b, kind)


@pytest.mark.parametrize(("length", "grades", "step"), [(3, 4, 5), (4, 3, 7), (5, 2, 1)])
def test_theorem_1_below_is_what_replacements_and_swaps_reach(length, grades, step):
    """Thesis, section 3.4: pairs with every `step`-th list, their chains gone through by moves."""
    everything = naive_theory.lists(length, grades)
    for a in everything[::step]:
        above = naive_theory.reachable(a, grades)
        for b in everything:
            comparison = compare_lists(a, b)
            assert (comparison.relation in ("less", "equal")) == (b in above)
            if b in above:
                check_chain(comparison.chain, a, b, grades)


def check_chain(chain, start, goal, grades):
    now = start
    for step in chain:
        assert step.before == now
        ups = (
            naive_theory.replacements(now, grades)
            if step.kind == "replacement"
            else (naive_theory.swaps(now))
        )
        assert step.after in set(ups)
        changed = [n for n, (x, y) in enumerate(zip(now, step.after, strict=True), 1) if x != y]
        assert list(step.ranks) == changed
        now = step.after
    assert now == goal


@given(tuples(2))
def test_a_set_is_below_by_replacements_alone(lists):
    a, b = lists
    comparison = compare_lists(a, b, "set")
    low, high = (a, b) if comparison.relation != "greater" else (b, a)
    if comparison.relation == "incomparable":
        assert comparison.chain is None
    else:
        assert {step.kind for step in comparison.chain} <= MOVES["set"]
        ends = [tuple(sorted(side, reverse=True)) for side in (low, high)]
        check_chain(comparison.chain, *ends, 4)


@given(tuples(2, longest=30, top=5))
def test_chains_of_long_lists(lists):
    a, b = lists
    # A pair that is comparable: the best of both at every rank is above each.
    best = tuple(map(max, a, b))
    up = compare_lists(a, best)
    assert up.relation in ("less", "equal")
    check_chain(up.chain, a, best, 6)
    down = compare_lists(best, a)
    assert down.relation == {"less": "greater", "equal": "equal"}[up.relation]
    assert down.chain == up.chain


@examples(50)
@given(tuples(3))
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_a_partial_order(kind, lists):
    a, b, c = lists

    def below(x, y):
        return compare_lists(x, y, kind).relation in ("less", "equal")

    assert compare_lists(a, a, kind).relation == "equal"
    if below(a, b) and below(b, a):  # sets are equal up to their order
        assert a == b if kind == "rank" else sorted(a) == sorted(b)
    if below(a, b) and below(b, c):
        assert below(a, c)
    turned = {"less": "greater", "greater": "less"}
    there = compare_lists(a, b, kind).relation
    assert compare_lists(b, a, kind).relation == turned.get(there, there)


@given(tuples(2))
def test_below_by_ranks_is_below_as_sets(lists):
    if compare_lists(*lists).relation in ("less", "equal"):
        assert compare_lists(*lists, "set").relation in ("less", "equal")


@given(tuples(2))
def test_a_ratio_scale_orders_all_sets(lists):
    a, b = lists
    relation = compare_lists(a, b, "set", scale="ratio").relation
    assert relation == {-1: "less", 0: "equal", 1: "greater"}[np.sign(sum(a) - sum(b))]
    ordinal = compare_lists(a, b, "set").relation
    assert ordinal in (relation, "incomparable")


def test_binary_sets_are_totally_ordered():
    """Thesis, section 3.3.1."""
    for a, b in itertools.product(naive_theory.lists(4, 2), repeat=2):
        assert compare_lists(a, b, "set").relation != "incomparable"


@pytest.fixture(scope="module")
def sound():
    """All measures of the catalogue that satisfy both axioms, as the page says."""
    passed = r"(?:proved|not refuted)"
    page = PAGE.read_text(encoding="utf-8")
    rows = re.findall(rf"\| `(.+?)` \| {passed} \| {passed} \|", page)
    found = [ListScorer(name) for name in rows]
    return [scorer for scorer in found if not scorer.smaller_is_better]


def test_a_list_below_another_never_scores_more(sound):
    """Thesis, Definition 1, for every measure that has both axioms."""
    assert {"AP", "P@3", "RBP", "nDCG", "ERR"} <= {scorer.name for scorer in sound}
    rng = np.random.default_rng(7)
    drawn = rng.integers(0, 3, size=(1200, 2, 5)).astype(np.int16)
    less = [compare_lists(a, b).relation == "less" for a, b in drawn.tolist()]
    assert sum(less) > 100
    low, high = drawn[less, 0], drawn[less, 1]
    pool = plentiful_pool(5, 3)
    for scorer in sound:
        assert (scorer(low, pool) <= scorer(high, pool) + 1e-12).all(), scorer.name


# The thesis' examples


def test_figure_3_1_sets():
    r, s, w = (0, 1, 1, 2, 2), (0, 1, 1, 2, 3), (0, 1, 1, 1, 3)
    comparable = compare_lists(r, s, "set")
    assert comparable.relation == "less"
    assert comparable.counts_a.tolist() == [5, 4, 2, 0]
    assert comparable.counts_b.tolist() == [5, 4, 2, 1]
    open_ = compare_lists(r, w, "set")
    assert open_.relation == "incomparable"
    assert open_.counts_b.tolist() == [5, 4, 1, 1]
    assert (open_.a_leads, open_.b_leads) == ([(2,)], [(3,)])
    units = compare_lists(r, w, "set", scale="ratio")
    assert units.relation == "equal"
    assert units.chain is None


def test_figure_3_2_ranked_lists():
    r, s, w = (0, 1, 1, 2, 2), (0, 1, 1, 2, 3), (0, 1, 1, 1, 3)
    comparable = compare_lists(r, s)
    assert comparable.relation == "less"
    assert comparable.counts_a.tolist() == [
        [1, 0, 0, 0], [2, 1, 0, 0], [3, 2, 0, 0], [4, 3, 1, 0], [5, 4, 2, 0],
    ]  # fmt: skip
    assert (comparable.a_leads, comparable.b_leads) == ([], [(5, 3)])
    assert comparable.chain == (Step("replacement", (5,), r, s),)
    open_ = compare_lists(r, w)
    assert open_.relation == "incomparable"
    # Entries (4, 3), (5, 3) and (5, 4) of the printed matrices, whose first column is grade 0.
    assert (open_.a_leads, open_.b_leads) == ([(4, 2), (5, 2)], [(5, 3)])


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((0, 2, 1, 3, 0), (3, 0, 1, 0, 2)),
        ((0, 1, 0, 1, 0), (1, 0, 0, 0, 1)),
        ((1, 0, 0, 1, 0), (0, 1, 1, 0, 1)),
    ],
)
def test_pairs_that_sections_3_3_2_and_3_4_call_incomparable(a, b):
    assert compare_lists(a, b).relation == "incomparable"


def test_a_pair_that_section_3_3_2_calls_incomparable_by_mistake():
    """No count of the first list is the larger one; swaps lead to the second."""
    r, v = (0, 1, 1, 2, 2), (2, 0, 1, 2, 1)
    comparison = compare_lists(r, v)
    assert comparison.relation == "less"
    assert [(step.kind, step.ranks) for step in comparison.chain] == [
        ("swap", (1, 2)),
        ("swap", (1, 4)),
        ("swap", (4, 5)),
    ]
    assert v in naive_theory.reachable(r, 3)


def test_the_example_in_the_proof_of_theorem_1():
    comparison = compare_lists((1, 0, 1, 0, 1, 1), (1, 1, 0, 1, 1, 0))
    assert comparison.relation == "less"
    assert {step.kind for step in comparison.chain} == {"swap"}


@given(st.integers(1, 3), st.data())
def test_equation_3_1_lists_with_k_relevant_documents_have_a_least_and_a_largest(top, data):
    labels = data.draw(st.lists(st.integers(0, top), min_size=1, max_size=8))
    relevant = sum(label > 0 for label in labels)
    rest = [0] * (len(labels) - relevant)
    for low, high in ((rest + [1] * relevant, labels), (labels, [top] * relevant + rest)):
        assert compare_lists(low, high).relation in ("less", "equal")


# What users see


def test_the_scale_can_be_declared():
    comparison = compare_lists((0, 1), (1, 0), max_grade=3)
    assert comparison.counts_a.shape == (2, 4)


def test_it_prints_its_reasons():
    text = str(compare_lists((1, 0, 2), (2, 0, 1)))
    assert text == ("(1, 0, 2) < (2, 0, 1): less\n  (1, 0, 2) -> (2, 0, 1)  swap at rank 1 and 3")
    text = str(compare_lists((0, 1, 0, 1, 0), (1, 0, 0, 0, 1)))
    assert "a has more documents of grade 1 and above down to rank 4" in text
    assert "b has more documents of grade 1 and above down to rank 1" in text
    assert "a has more documents of grade 2 and above\n" in str(
        compare_lists((0, 1, 1, 2, 2), (0, 1, 1, 1, 3), "set")
    )


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (([0, 1], [1]), {}, "a has 2 documents, b has 1"),
        (([], []), {}, "a is empty"),
        (([0, 1], [0, None]), {}, "b must be a list .of an integer each"),
        (([0, -1], [0, 1]), {}, "the label of a at rank 2 is -1"),
        (([0, 0.5], [0, 1]), {}, "a must be a list .of an integer each"),
        (([0, 1], [0, 3]), {"max_grade": 2}, "largest label is 3, but max_grade is 2"),
        (([0, 1], [0, 1]), {"kind": "list"}, "'list'"),
        (([0, 1], [0, 1]), {"kind": "set", "scale": "nominal"}, "'nominal'"),
        (([0, 1], [0, 1]), {"scale": "ratio"}, "does not order ranked lists"),
    ],
)
def test_what_cannot_be_compared(arguments, options, words):
    with pytest.raises(InputError, match=words) as caught:
        compare_lists(*arguments, **options)
    assert caught.value.remedy
