"""Replacement and Swap: the check against loops, and what it says of the catalogue."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import hungjury as hj
from builders.paths import DOCS
from hungjury.base.errors import HungjuryError, InputError, MeasureError
from hungjury.measures.catalogue import measure
from hungjury.measures.evaluate import score_list
from hungjury.theory.axioms import Counterexample, axiom_markdown, axiom_table, check_axioms
from hungjury.users.model import Dynamic, UserClass, UserModel
from oracles import gain as naive_gain
from oracles import measures as naive
from oracles import theory as naive_theory

pytestmark = pytest.mark.long  # searches through all lists

PAGE = DOCS / "axioms.md"
RANK_WEIGHTED_MEASURES = (
    "P@3", "R", "CG", "nCG", "gRBP", "eRP(prob=[0, 0.5, 1])@3", "eRRBP(prob=[0, 0.5, 1])",
    "eRDCG(prob=[0, 0.5, 1])", "nMCG@10", "Mean@1",
)  # fmt: skip
GRADES, LENGTH = 3, 4
POOLS = [(4, 4, 4), (4, 2, 1), (2, 1, 2), (4, 0, 1)]
# name -> loop of (labels, labels of the pool)
LOOPS = {
    "AP": naive.ap,
    "P@2": lambda labels, pool: naive.precision(labels, pool, 2),
    "RBP": lambda labels, pool: naive_gain.rbp(labels, pool, 0.8),
    "nDCG": naive_gain.ndcg,
    "ERR": lambda labels, pool: naive_gain.err(labels, pool, GRADES - 1),
    "Q": naive_gain.q_measure,
    "Bpref": naive.bpref,
    "ESL": naive.esl,
    "Fallout": naive.fallout,
    "R(rel=2)": lambda labels, pool: naive.recall(labels, pool, rel=2),
    "DCG(gains={1: 5, 2: 1})": lambda labels, pool: naive_gain.dcg(
        labels, pool, gains={1: 5, 2: 1}
    ),
}


def as_labels(pool):
    return [grade for grade, number in enumerate(pool) for _ in range(number)]


def is_allowed(found, length, pool):
    """A counterexample is a legal move between two lists of the pool."""
    assert len(found.before) == length
    moves = {
        "replacement": naive_theory.replacements(found.before, len(pool)),
        "swap": naive_theory.swaps(found.before),
    }
    return found.after in set(moves[found.axiom]) and all(
        naive_theory.can_be_drawn(labels, pool) for labels in (found.before, found.after)
    )


@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize("name", LOOPS)
def test_the_exhaustive_check_is_the_loop(name, pool):
    labels = as_labels(pool)
    sign = -1 if measure(name).smaller_is_better else 1

    def loop(one):
        value = LOOPS[name](one, labels)
        return None if value is None else sign * value

    expected = naive_theory.broken(loop, LENGTH, pool)
    report = check_axioms(name, LENGTH, GRADES, pool=labels)
    assert (report.method, report.pools) == ("exhaustive", 1)
    for axiom, pairs in expected.items():
        found = getattr(report, axiom)
        assert (found is None) == (not pairs)
        if found is not None:
            # The first pair in the order of the lists.
            assert (found.before, found.after) == min(pairs)
            assert found.value_before == pytest.approx(LOOPS[name](found.before, labels), abs=1e-12)
            assert found.value_after == pytest.approx(LOOPS[name](found.after, labels), abs=1e-12)


def test_all_pools_together_are_the_pools_one_by_one():
    pools = [p for p in itertools.product(range(4), repeat=3) if sum(p) >= 3]
    for name in ("AP", "Q", "Fallout", "ESL"):
        report = check_axioms(name, 3, 3)
        alone = [check_axioms(name, 3, 3, pool=as_labels(pool)) for pool in pools]
        for axiom in ("replacement", "swap"):
            holds = all(getattr(one, axiom) is None for one in alone)
            assert (getattr(report, axiom) is None) == holds
        if not report.refuted:
            assert report.pools == len(pools)
            assert report.pairs == sum(one.pairs for one in alone)


def test_the_number_of_pairs():
    """4 lists of 2 binary documents: 00-01, 00-10, 01-11, 10-11, and the swap 01-10."""
    report = check_axioms("NumQ", 2, 2, pool=[0, 0, 1, 1])
    assert (report.pairs, report.pools) == (5, 1)
    # Search length is undefined without a relevant document: 00 has no value.
    assert check_axioms("ESL", 2, 2, pool=[0, 0, 1, 1]).pairs <= 3


@pytest.mark.parametrize("name", ["AP", "P@5", "RBP(p=0.95)", "nDCG", "nDCG(base=2)", "ERR"])
@pytest.mark.parametrize(("length", "grades"), [(8, 2), (5, 3), (25, 4)])
def test_the_measures_of_section_3_4_1_have_both(name, length, grades):
    report = check_axioms(name, length, grades, samples=2000)
    assert not report.refuted
    assert report.pairs > 1000


@pytest.mark.parametrize("name", ["Q", "NumNonrelJudgedRet", "DCG(gains={1: 5, 2: 1})"])
def test_random_pairs_are_legal_and_find_what_is_wrong(name):
    report = check_axioms(name, 20, 3, seed=3)
    assert (report.method, report.refuted) == ("random", True)
    for found in (report.replacement, report.swap):
        if found is not None:
            assert is_allowed(found, 20, found.pool)
            assert found.value_after < found.value_before
            assert check_axioms(name, 20, 3, seed=3) == report


def test_random_pairs_come_from_the_pool_given():
    labels = [0] * 40 + [1] * 3 + [2]
    seen = []

    def remember(one):
        seen.append(one)
        return 0.0

    report = check_axioms(remember, 15, 3, pool=labels, samples=300)
    assert (report.method, report.refuted, report.pools) == ("random", False, 1)
    assert report.pairs == len(seen) / 2
    assert all(naive_theory.can_be_drawn(one, (40, 3, 1)) for one in seen)


def test_random_lists_are_poor_and_rich():
    """Plain draws from as many relevant documents as others would all hold about a half."""
    relevant = set()

    def remember(labels):
        relevant.add(sum(labels))
        return 0.0

    check_axioms(remember, 40, 2, samples=300)
    assert min(relevant) <= 4
    assert max(relevant) >= 36


def test_random_pairs_where_nothing_can_be_replaced():
    report = check_axioms("AP", 25, 2, pool=[0] * 15 + [1] * 10, samples=100)
    assert not report.refuted
    assert 0 < report.pairs <= 100


def test_a_function_of_the_labels():
    def last_rank(labels):
        return float(labels[-1])

    report = check_axioms(last_rank, 3, 2)
    assert report.measure == "last_rank"
    assert report.replacement is None
    assert (report.swap.before, report.swap.after) == ((0, 0, 1), (0, 1, 0))
    assert (report.swap.value_before, report.swap.value_after) == (1.0, 0.0)


def test_undefined_values_are_not_compared():
    def undefined_when_good(labels):
        return math.nan if sum(labels) > 1 else 0.0

    assert not check_axioms(undefined_when_good, 3, 2).refuted


def test_rounding_is_no_fall():
    assert not check_axioms(lambda labels: 1e6 * (1 - 1e-15 * sum(labels)), 3, 2).refuted
    assert check_axioms(lambda labels: 1e6 * (1 - 1e-9 * sum(labels)), 3, 2).refuted


# The catalogue


@pytest.fixture(scope="module")
def rows():
    return axiom_table()


@pytest.fixture(scope="module")
def table(rows):
    return {row.measure: row for row in rows}


def test_which_measures_fail(table):
    """Q and xGAP by surprise; Markov precision because its users spend time at a further document
    where precision is lower; BPM because the user who has enough stops and reads less; the count of
    judged non-relevant documents by its nature, and Accuracy, which likes one relevant document
    better than one more below."""
    failing = {
        name: [axiom for axiom in ("replacement", "swap") if row.verdict(axiom).status == "fails"]
        for name, row in table.items()
    }
    assert {name: axioms for name, axioms in failing.items() if axioms} == {
        "Q": ["swap"],
        "xGAP(g=[0.5, 0.5])": ["swap"],
        "NumNonrelJudgedRet": ["replacement"],
        "MP": ["replacement", "swap"],
        "BPM@10": ["replacement", "swap"],
        "Accuracy": ["replacement"],
    }


def test_what_is_proved(table):
    """Those of section 3.4.1, GMAP, which orders the lists of a topic as AP does, and sums of
    weights that do not increase with the rank."""
    proved = {name for name, row in table.items() if row.verdict("swap").status == "proved"}
    assert proved == {"AP", "GMAP", "RBP", "DCG", "nDCG", "ERR", *RANK_WEIGHTED_MEASURES}
    assert all(row.verdict("swap").proof.startswith("thesis") for row in map(table.get, proved))


@pytest.mark.parametrize("name", RANK_WEIGHTED_MEASURES)
def test_rank_weighted_measures_are_what_the_lemma_says(name):
    """The score is the sum of what each document adds alone, w_n g(l_n); w does not increase."""
    grades, length = 3, 6
    pool = [grade for grade in range(grades) for _ in range(length)]
    nothing = [0] * length
    base = score_list(name, nothing, pool=pool)
    alone = np.zeros((length, grades))
    for n, grade in itertools.product(range(length), range(grades)):
        one = [*nothing[:n], grade, *nothing[n + 1 :]]
        alone[n, grade] = score_list(name, one, pool=pool) - base
    assert (np.diff(alone, axis=1) >= -1e-12).all()  # g grows with the grade
    assert (np.diff(alone, axis=0) <= 1e-12).all()  # w does not grow with the rank
    for one in itertools.product(range(grades), repeat=length):
        together = base + sum(alone[n, grade] for n, grade in enumerate(one))
        assert score_list(name, one, pool=pool) == pytest.approx(together, abs=1e-12)


def test_a_dynamic_that_rises_has_no_swap():
    """Where users look more at rank 3 than at rank 2, a document is worth more there."""
    rising = Dynamic(0.5, 0.1, 0.0)
    assert rising.rises(3) == (3,)
    users = UserModel((UserClass("all", (1.0, 0.0, 0.0), rising),))
    found = check_axioms(hj.m.nMCG(user=users, cutoff=3), 3)
    assert found.proof == ""
    assert found.replacement is None
    assert (found.swap.before, found.swap.after) == ((0, 0, 1), (0, 1, 0))
    *_, last = axiom_table(2, 2, 2, user=users)[:-1]
    assert last.measure.startswith("nMCG(user=")
    assert last.verdict("replacement").status == "not refuted"


def test_the_step_that_proves_swap_for_ap():
    """What moving a document from rank j up to i adds to the sum of precisions, and takes away."""
    for bits in itertools.product((0, 1), repeat=7):
        for i, j in itertools.combinations(range(1, 8), 2):
            if (bits[i - 1], bits[j - 1]) != (0, 1):
                continue
            after = list(bits)
            after[i - 1], after[j - 1] = 1, 0
            m, between = sum(bits[: i - 1]), [k for k in range(i + 1, j) if bits[k - 1]]
            added = (m + 1) / i + sum(1 / k for k in between)
            taken = (m + 1 + len(between)) / j
            change = (score_list("AP", after) - score_list("AP", bits)) * sum(bits)
            assert change == pytest.approx(added - taken)
            assert added >= taken


@pytest.mark.parametrize("name", ["nDCG", "DCG", "ERR"])
def test_proofs_are_for_gains_that_grow(name):
    assert check_axioms(name, 3, 3).verdict("replacement").startswith("proved")
    falling = check_axioms(f"{name}(gains={{1: 5, 2: 1}})", 3, 3)
    assert falling.replacement is not None
    assert falling.swap is not None
    assert "for gains that grow with the grade" in falling.proof


def test_markov_precision_has_no_swap():
    """A case that lists of five documents do not show."""
    found = check_axioms("MP", 8)
    assert found.method == "exhaustive"
    before, after = (1, 0, 0, 0, 0, 0, 0, 1), (1, 0, 0, 0, 0, 0, 1, 0)
    assert score_list("MP", before) == pytest.approx(0.625)
    assert score_list("MP", after) == pytest.approx(0.6077, abs=5e-5)
    assert found.swap is not None


def test_smaller_is_better_turns_the_axioms_round(table):
    for name in ("ESL", "Fallout", "SetFallout"):
        assert table[name].verdict("replacement").status == "not refuted"
    worse = check_axioms("Fallout", 3, pool=[0, 0, 0, 1, 1, 1])
    assert not worse.refuted


def test_parameters_are_varied(table):
    assert {"RBP(p=0.1)", "RBP(p=0.5)", "RBP(p=0.9)"} <= set(table["RBP"].tried)
    assert len(table["MP"].tried) >= 9


def test_q_measure_by_hand(table):
    """Pool: one document each of grade 1 and 2, so that the ideal gain is 2, 3, 3, 3, 3."""
    found = table["Q"].verdict("swap").counterexample
    assert (found.before, found.after) == ((0, 0, 0, 2, 1), (0, 0, 1, 2, 0))
    assert found.pool == (3, 1, 1)
    assert found.value_before == pytest.approx((3 / 7 + 5 / 8) / 2)
    assert found.value_after == pytest.approx((2 / 6 + 5 / 7) / 2)


def test_xgap_by_hand(table):
    """g_k / RB(k), added up to the grade and over G: 1/4 for grade 1, 5/8 for grade 2."""
    found = table["xGAP(g=[0.5, 0.5])"].verdict("swap").counterexample
    assert (found.before, found.after) == ((0, 0, 1, 1, 2), (0, 0, 1, 2, 1))
    assert found.pool == (2, 3, 1)
    low, high = 1 / 4, 5 / 8
    before = low * 0.5 / 3 + low * 1.0 / 4 + high * 2.0 / 5
    after = low * 0.5 / 3 + high * 1.5 / 4 + low * 1.5 / 5
    assert (found.value_before, found.value_after) == pytest.approx((before, after))


def test_what_is_not_checked_says_why(table):
    unchecked = {name: row.problem for name, row in table.items() if not row.reports}
    assert unchecked == {
        "E(AP, prob=[0, 0.5, 1])": "E(AP, prob=[0, 0.5, 1]) draws labels for whole pools",
        "Residual(AP)": "AP has no residual",
    }


def test_the_page_is_up_to_date(rows, monkeypatch):
    monkeypatch.setattr("hungjury.theory.axioms.axiom_table", lambda *sizes: rows)
    text = axiom_markdown()
    assert PAGE.read_text(encoding="utf-8") == text, (
        "docs/axioms.md is out of date: write the output of `hungjury theory axioms` into it"
    )
    assert "| `AP` | proved | proved |" in text
    assert "fails (`Q`): (0, 0, 0, 2, 1) 0.5268 → (0, 0, 1, 2, 0) 0.5238, pool (3, 1, 1)" in text


def test_a_measure_that_cannot_be_checked_is_named(monkeypatch):
    def refuse(*args, **options):
        raise MeasureError("it wants probabilities", remedy="give some")

    monkeypatch.setattr("hungjury.theory.axioms.check_axioms", refuse)
    rows = axiom_table(2, 2)
    assert all(not row.reports and row.problem == "it wants probabilities" for row in rows)
    page = axiom_markdown(2, 2)
    assert "Not checked:" in page
    assert "- `CG`: it wants probabilities" in page


# What users see


def test_reports_can_be_read():
    assert str(check_axioms(lambda labels: -sum(labels), 2, 2, pool=[0, 0, 1, 1])) == (
        "<lambda>, lists of 2 with 2 grades: 5 pairs over 1 pool, exhaustive\n"
        "  replacement: (0, 0) scores 0, (0, 1) scores -1 "
        "(documents of each grade in the pool: (2, 2))\n"
        "  swap: not refuted: no counterexample among these lists"
    )
    # What is proved is told apart from what a search did not refute.
    assert str(check_axioms("RBP", 3, 2)).endswith(
        "  replacement: proved (thesis, section 3.4.1)\n  swap: proved (thesis, section 3.4.1)"
    )
    assert "swap: not refuted: no counterexample among" in str(check_axioms("MP", 5, 2))
    assert "swap: (1, 0, 0, 0, 0, 0, 0, 1) scores 0.625" in str(check_axioms("MP", 8, 2))
    text = str(check_axioms(lambda labels: -labels[4], 30, 2))
    assert "a list of 30 documents scores 0, with 1 for 0 at rank 5 scores -1" in text


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (("AP", 0), {}, "length must be .* got 0"),
        (("AP", 3, 1), {}, "grades must be .* got 1"),
        (("AP", 3, 2.5), {}, "grades must be .* got 2.5"),
        (("AP", 30), {"samples": 0}, "samples must be .* got 0"),
        (("AP", 3), {"pool": [0, 1]}, "the pool has 2 documents, the lists have 3"),
        (("AP", 3), {"pool": [0, 1, 2]}, "the pool has a label 2"),
        (("AP", 3), {"pool": [0, 1, -1]}, "a label of the pool must be .* got -1"),
        (("AP(rel=2)", 3, 2), {}, "the largest grade of the labels is 1"),
        (("APP", 3), {}, "unknown measure 'APP'"),
        ((3, 3), {}, "3 is not a measure"),
    ],
)
def test_what_cannot_be_checked(arguments, options, words):
    with pytest.raises(HungjuryError, match=words) as caught:
        check_axioms(*arguments, **options)
    assert caught.value.remedy
    if not isinstance(arguments[0], str):
        assert isinstance(caught.value, InputError)


def test_numpy_integers_are_integers():
    assert not check_axioms("AP", np.int64(3), np.int32(2)).refuted


@pytest.mark.parametrize(("length", "grades"), [(1000, 1001), (2_000_000_000, 2)])
def test_a_check_that_takes_hours_is_refused(length, grades):
    with pytest.raises(InputError, match="too many for 20,000 samples") as caught:
        check_axioms("AP", length, grades)
    assert "length" in caught.value.remedy


def test_values_of_a_counterexample_can_be_told_apart():
    """A fall in the fifth digit was printed as two equal numbers."""
    near = Counterexample("swap", (0, 1), (1, 0), 0.76561, 0.76559, (1, 1))
    assert "scores 0.76561, (1, 0) scores 0.76559" in str(near)
    far = Counterexample("swap", (0, 1), (1, 0), 0.625, 0.6077, (1, 1))
    assert "scores 0.625, (1, 0) scores 0.6077" in str(far)
