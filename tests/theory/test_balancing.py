"""The balancing index: printed numbers, exact loops, and the three ways to it."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.paths import DOCS
from hungjury import score_list
from hungjury.base.errors import HungjuryError, MeasureError, MissingExtra
from hungjury.measures.catalogue import CATALOGUE
from hungjury.theory import balancing_curves, balancing_index, significance_curve
from hungjury.theory.balancing import balancing_curve
from oracles import gain as naive_gain
from oracles import measures as naive
from oracles import theory as naive_theory

NEVER = -math.inf

# Exact scores, up to a factor that both lists share.


def exact_ap(labels):
    ranks = [n for n, label in enumerate(labels, 1) if label]
    return sum((Fraction(i, n) for i, n in enumerate(ranks, 1)), Fraction(0))


def exact_rbp(p):
    return lambda labels: sum(
        (Fraction(label) * p**n for n, label in enumerate(labels)), Fraction(0)
    )


def exact_err(scale):
    def score(labels):
        reached, value = Fraction(1), Fraction(0)
        for n, label in enumerate(labels, 1):
            satisfied = Fraction(2**label - 1, 2**scale)
            value += reached * satisfied / n
            reached *= 1 - satisfied
        return value

    return score


# Numbers


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("AP", (7, 87, 957)),
        ("nDCG(base=2)", (7, 94, 991)),
        ("nDCG(base=10)", (10, 99, 998)),
        ("RBP(p=0.8)", (6, 8, 8)),
        ("RBP(p=0.95)", (9, 57, 59)),
        ("ERR", (1, 1, 1)),
    ],
)
@pytest.mark.parametrize("method", ["auto", "closed", "bisection", "scan"])
def test_the_values_behind_figure_3_3(name, expected, method):
    """Thesis, section 3.5; binary labels, lists of 10, 100 and 1000 documents."""
    assert tuple(balancing_index(name, n, method=method) for n in (10, 100, 1000)) == expected


def test_rbp_saturates_at_8_from_length_21_on():
    """Thesis, text to Figure 3.3: p = 0.8, lists longer than 20."""
    assert [balancing_index("RBP(p=0.8)", n) for n in (20, 21, 50, 5000)] == [7, 8, 8, 8]


def test_the_examples_of_section_3_5():
    """Grades 0 to 3, lists of 5: DCG balances with a full list only, ERR not even then."""
    pool = [0] * 5 + [1] * 5 + [3]
    tails = [[0] * (5 - n) + [1] * n for n in range(1, 6)]
    dcg = [score_list("DCG(base=2)", labels, pool) for labels in [[3, 0, 0, 0, 0], *tails]]
    assert dcg == pytest.approx([3, 0.4307, 0.9307, 1.5616, 2.5616, 3.5616], abs=5e-5)
    assert balancing_index("DCG(base=2)", 5, 1, 3) == 1
    err = [score_list("ERR", labels, pool) for labels in [[3, 0, 0, 0, 0], *tails]]
    assert err == pytest.approx([0.875, 0.025, 0.0531, 0.0882, 0.1396, 0.2472], abs=5e-5)
    assert balancing_index("ERR", 5, 1, 3) == NEVER


def test_section_3_4_the_measures_differ_outside_the_order():
    """(1,0,0,1,0) and (0,1,1,0,1): AP is 3/2 and 53/30 over the recall base."""
    pool = [1] * 5 + [0] * 5
    values = [score_list("AP", labels, pool) * 5 for labels in [(1, 0, 0, 1, 0), (0, 1, 1, 0, 1)]]
    assert values == pytest.approx([3 / 2, 53 / 30])


# Exactness


@pytest.mark.parametrize("length", [1, 2, 3, 10, 40, 53, 54, 60, 1000, 5000, 1_000_000])
def test_rbp_one_half_is_1_at_every_length(length):
    """Rank 2 misses by 2**-length, which floating point does not see."""
    assert balancing_index("RBP(p=0.5)", length) == 1
    assert balancing_index("gRBP(p=0.5)", length) == 1


@pytest.mark.parametrize("length", [*range(1, 13), 20, 33])
def test_closed_forms_are_the_exact_scan(length):
    loops = {
        "AP": exact_ap,
        "GMAP": exact_ap,
        "ERR": exact_err(1),
        "ERR(max_grade=3)": exact_err(3),
        "RBP(p=0)": exact_rbp(Fraction(0)),
        "RBP(p=0.5)": exact_rbp(Fraction(1, 2)),
        "RBP(p=0.8)": exact_rbp(Fraction(4, 5)),
        "RBP(p=0.95)": exact_rbp(Fraction(19, 20)),
    }
    for name, score in loops.items():
        expected = naive_theory.balancing_index(score, length)
        assert balancing_index(name, length, method="closed") == expected, name


@pytest.mark.parametrize(("q_min", "q_max"), [(1, 2), (2, 3), (1, 3), (3, 3)])
def test_closed_forms_with_grades(q_min, q_max):
    loops = {"ERR": exact_err(q_max), "ERR(max_grade=5)": exact_err(5), "CG": sum}
    loops |= {f"gRBP(p={p})": exact_rbp(Fraction(str(p))) for p in (0.5, 0.9, 0.99)}
    for length in (*range(1, 7), 13, 21):
        for name, score in loops.items():
            expected = naive_theory.balancing_index(score, length, q_min, q_max)
            assert balancing_index(name, length, q_min, q_max, method="closed") == expected, name


def test_ties_of_grades_and_ranks_are_settled_exactly():
    """p = 1/2, gains 2 and 3: two documents, 2 + 2/2 = 3, balance exactly."""
    assert balancing_index("gRBP(p=0.5)", 2, 2, 3) == 1
    assert balancing_index("gRBP(p=0.5, gains={2: 2, 3: 3.0000000000000004})", 2, 2, 3) == NEVER
    # The same with p = 3/10 and gains 10 and 13; the nearest float to 0.3 is below it.
    assert balancing_index("gRBP(p=0.3, gains={2: 10, 3: 13})", 2, 2, 3) == 1
    assert balancing_index("gRBP(p=0.3, gains={2: 10, 3: 13})", 1, 2, 3) == NEVER


@given(
    st.integers(1, 200),
    st.sampled_from(["AP", "ERR", "nDCG", "nDCG(base=2)", "nDCG(base=10)", "DCG(base=1.5)@7",
                     'nDCG(dcg="exp-log2")', "AP@9", "RBP(p=0.93)@20", "ERR@3", "nCG@5",
                     "gRBP(p=0.9, gains={1: 4})", "AP(rel=2)", "RBP(rel=3)", "CG(gains={2: 7})",
                     "P@10", "R@7", "F1@5", "Mean@3", "ERR(gains={1: 3, 2: 1})", "eRAP"]),
    st.sampled_from([(1, 3), (2, 3), (3, 3), (1, 4)]),
)  # fmt: skip
def test_closed_forms_are_the_scan_of_scores(length, name, grades):
    expected = balancing_index(name, length, *grades, method="scan")
    assert balancing_index(name, length, *grades, method="closed") == expected


@pytest.mark.parametrize(
    "name", ["DCG(gains={0: 0.5})", "DCG(gains={1: -1})", "DCG(gains={1: 1, 2: -1})", "RR"]
)
def test_where_a_closed_form_would_not_be_right_there_is_none(name):
    with pytest.raises(MeasureError, match="no closed form"):
        balancing_index(name, 5, 1, 2, method="closed")
    lists = balancing_index(name, 5, 1, 2, method="scan")
    assert balancing_index(name, 5, 1, 2) == lists


# Any measure


# Measures of the page, and what it says about Replacement.
ROWS = re.findall(
    r"^\| `(.+?)` \| (proved|not refuted|fails)", (DOCS / "axioms.md").read_text("utf-8"), re.M
)


def test_bisection_is_the_scan_wherever_replacement_holds():
    sound = [name for name, found in ROWS if found != "fails"]
    assert len(sound) >= 20
    for name in sound:
        for length in (1, 2, 13):
            scan = balancing_index(name, length, 1, 2, method="scan")
            assert balancing_index(name, length, 1, 2, method="bisection") == scan, name


def test_every_measure_of_the_catalogue_has_an_index_or_none():
    assert len(ROWS) >= len(list(CATALOGUE)) - 2
    for name, _ in ROWS:
        index = balancing_index(name, 6, 1, 2)
        assert index == NEVER or 1 <= index <= 6, name
        assert index == balancing_index(name, 6, 1, 2, method="scan"), name


@pytest.mark.parametrize(("name", "index"), [("ESL", 1), ("Fallout", 6)])
@pytest.mark.parametrize("method", ["auto", "bisection", "scan"])
def test_where_smaller_is_better(name, index, method):
    """Nothing is read before rank 1; any one relevant document leaves out one that is not."""
    assert balancing_index(name, 6, 1, 2, method=method) == index


@pytest.mark.parametrize("length", [1, 4, 12])
def test_one_pool_for_both_lists(length):
    """Bpref and R-precision depend on the pool: as many documents of each grade as ranks."""
    pool = [0] * length + [1] * length
    for name, loop in {"Bpref": naive.bpref, "Rprec": naive.rprec, "nDCG": naive_gain.ndcg}.items():
        expected = naive_theory.balancing_index(lambda labels, f=loop: f(labels, pool), length)
        assert balancing_index(name, length) == expected


def test_a_function_of_the_labels():
    assert balancing_index(lambda labels: sum(labels), 12, 1, 3) == 10
    assert balancing_index(lambda labels: labels[0], 12) == 1
    assert balancing_index(lambda labels: labels[0], 12, 1, 2) == NEVER
    assert balancing_index(lambda labels: math.nan, 12) == NEVER


def test_without_replacement_every_rank_is_tried():
    """A score that likes exactly five documents: 1 to 7 do not balance, 8 does, 9 does not."""

    def five(labels):
        return float(sum(labels) == 5) if labels[0] == 0 else 0.5

    assert balancing_index(five, 12) == 8
    assert balancing_index(five, 12, method="bisection") != 8


@pytest.mark.parametrize("rank", range(1, 13))
def test_a_scan_leaves_no_rank_out_between_its_blocks(rank, monkeypatch):
    monkeypatch.setattr("hungjury.theory.balancing.BUDGET", 36)  # three lists of 12 at once

    def only(labels):
        return 0.5 if labels == (2, *[0] * 11) else float(sum(labels) == 13 - rank)

    assert balancing_index(only, 12, 1, 2, method="scan") == rank


def test_scores_that_differ_by_rounding_balance():
    assert balancing_index(lambda labels: 0.1 + 0.2 if labels[0] else 0.3, 4) == 4
    assert balancing_index(lambda labels: 1.000001 if labels[0] else 1.0, 4) == 1


def test_a_million_documents():
    assert balancing_index("AP", 1_000_000) == 998_587
    assert balancing_index("ERR", 1_000_000) == 1
    assert balancing_index("P@10", 100_000) == 10


def test_ap_of_a_million_documents_in_exact_arithmetic():
    """The precisions from rank b on add up to 1 or more, from the next one on not."""
    length, found = 1_000_000, 998_587
    sums = [math.fsum((n - b + 1) / n for n in range(b, length + 1)) for b in (found, found + 1)]
    assert sums[0] >= 1 > sums[1]


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (("AP", 0), {}, "length must be .* got 0"),
        (("AP", 5, 0), {}, "q_min must be .* got 0"),
        (("AP", 5, 3, 2), {}, "is larger than q_max"),
        (("AP", 5), {"method": "guess"}, "invalid value 'guess' for method"),
        (("AP(rel=2)", 5), {}, "the largest grade of the labels is 1"),
        ((len, 5), {"method": "closed"}, "len has no closed form"),
    ],
)
def test_what_has_no_index(arguments, options, words):
    with pytest.raises(HungjuryError, match=words) as caught:
        balancing_index(*arguments, **options)
    assert caught.value.remedy


# The figures


def test_figure_3_3_is_the_index_at_every_length():
    data = balancing_curves(range(1, 121, 7))
    assert len(data.curves) == 8
    for name, values in data.curves.items():
        alone = [balancing_index(name, int(n)) for n in data.lengths]
        assert values.tolist() == alone
        assert (np.diff(values) >= 0).all()
    assert data.curves["P@10"].tolist() == [min(n, 10) for n in range(1, 121, 7)]
    assert balancing_curve("ERR", [4, 5], 1, 3).tolist() == [NEVER, NEVER]
    assert balancing_curve("AP", []).tolist() == []


@pytest.fixture(scope="module")
def significance():
    return significance_curve(trials=1000, seed=5, labels="independent")


@pytest.mark.parametrize("rnk", [0, 6, 8, 11, 20])
def test_figure_3_5_is_the_simulation_of_the_loop(significance, rnk):
    # 2.0096 is the 0.975 quantile of Student's t with 49 degrees of freedom.
    loop = naive_theory.share_significant(rnk, 0.8, 40, 50, 150, 2.0096, seed=rnk)
    error = math.sqrt(max(loop * (1 - loop), 0.01) / 150)
    assert significance.share[rnk] == pytest.approx(loop, abs=4 * error)


@pytest.mark.long
@pytest.mark.parametrize("rnk", [0, 8, 10, 13, 20])
def test_figure_3_5_with_fixed_shares_is_the_simulation_of_the_loop(rnk):
    found = significance_curve(trials=1000, length=60, seed=7)
    run = naive_theory.rbp_of_fixed_run
    loop = naive_theory.share_significant(rnk, 0.8, 60, 50, 250, 2.0096, seed=rnk, run=run)
    error = math.sqrt(max(loop * (1 - loop), 0.01) / 250)
    assert found.share[rnk] == pytest.approx(loop, abs=4 * error)


def test_fixed_shares_differ_almost_always_at_rank_8():
    found = significance_curve(trials=500)
    assert found.labels == "fixed"
    assert (found.share[:8] > 0.99).all()
    assert found.share[8] > 0.85


def test_figure_3_5_tells_the_runs_apart_up_to_the_balancing_index(significance):
    """Thesis, section 3.5: almost always below rank 8, ever less often beyond."""
    assert significance.balance == 8
    assert significance.ranks.tolist() == list(range(21))
    assert (significance.share[:6] > 0.95).all()
    assert (significance.share[14:] < 0.1).all()
    assert (np.diff(significance.share[4:14]) < 0).all()
    assert significance.error[0] == 0
    assert 0 < significance.error[8] < 0.02


def test_figure_3_5_comes_from_its_seed():
    first, again, other = (
        significance_curve(trials=100, seed=seed, labels="independent").share.tolist()
        for seed in (5, 5, 6)
    )
    assert first == again != other


def test_figure_3_5_deep_in_the_list():
    """A persistent user reads the tail, where the second run is better at every rnk."""
    data = significance_curve(0.99, trials=40)
    assert data.balance > 20
    assert (data.share == 1).all()
    # Cut behind rank 20 there is no tail: from rnk = 20 on the runs are alike.
    cut = significance_curve(0.99, length=20, trials=400)
    assert cut.share[0] == 1
    assert cut.share[20] == pytest.approx(0.05, abs=0.045)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"p": 1.0}, "p is 1.0"),
        ({"alpha": 0}, "alpha is 0"),
        ({"length": 19}, "length must be .* got 19"),
        ({"topics": 1}, "topics must be .* got 1"),
        ({"trials": 0}, "trials must be .* got 0"),
    ],
)
def test_what_cannot_be_simulated(options, words):
    with pytest.raises(HungjuryError, match=words):
        significance_curve(**options)


def test_the_pictures(significance, tmp_path):
    pytest.importorskip("matplotlib")
    curves = balancing_curves(range(1, 31)).plot().figure
    names = [text.get_text() for text in curves.axes[0].get_legend().get_texts()]
    assert names[0] == "B(N) = N"
    assert {"AP", "ERR", "P@10", "RBP(p=0.5)", "nDCG(base=2)"} <= set(names)
    drawn = dict(zip(names, curves.axes[0].get_lines(), strict=True))
    assert drawn["AP"].get_ydata()[9] == 7
    few = balancing_curves([10, 100], ["AP", "ERR"]).plot().figure.axes[0]  # rows of dots
    assert [text.get_text() for text in few.get_legend().get_texts()] == ["N = 10", "N = 100"]
    picture = significance.plot().figure
    for figure in (curves, picture):
        figure.savefig(tmp_path / "figure.svg")
    assert "<svg" in (tmp_path / "figure.svg").read_text()


def test_pictures_need_their_package(significance, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    for draw in (
        balancing_curves([1, 2]).plot,
        significance.plot,
    ):
        with pytest.raises(MissingExtra, match=r"hungjury\[report\]"):
            draw()
