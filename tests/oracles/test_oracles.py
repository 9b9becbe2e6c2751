"""The slow oracles against sums by hand and against each other."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import pytest

from oracles import expected
from oracles import gain as naive_gain
from oracles import graded as naive_graded
from oracles import markov as naive_markov
from oracles import measures as naive
from oracles import prm as naive_prm

# Hand sums

MIXED = [0, 2, None, 1, -1, 0, 3]
MIXED_POOL = [0, 0, 0, 2, 1, 3, 1, -1, -2]


@pytest.mark.parametrize(
    ("value", "by_hand"),
    [
        (naive.precision(MIXED, MIXED_POOL, 4), 2 / 4),
        (naive.precision(MIXED, MIXED_POOL, 20), 3 / 20),
        (naive.precision(MIXED, MIXED_POOL, 4, rel=2), 1 / 4),
        (naive.recall(MIXED, MIXED_POOL, 4), 2 / 4),
        (naive.f1(MIXED, MIXED_POOL, 5), 2 * (2 / 5) * (2 / 4) / (2 / 5 + 2 / 4)),
        (naive.fallout(MIXED, MIXED_POOL, 5), 1 / 3),
        (naive.rprec(MIXED, MIXED_POOL), 2 / 4),
        (naive.ap(MIXED, MIXED_POOL), (1 / 2 + 2 / 4 + 3 / 7) / 4),
        (naive.ap(MIXED, MIXED_POOL, cutoff=4), (1 / 2 + 2 / 4) / 4),
        (naive.ncp(MIXED, MIXED_POOL, [0.4, 0.3, 0.2, 0.1]), 0.4 / 2 + 0.3 / 2 + 0.2 * 3 / 7),
        (naive.rr(MIXED, MIXED_POOL), 1 / 2),
        (naive.rr(MIXED, MIXED_POOL, cutoff=1), 0),
        (naive.success(MIXED, MIXED_POOL, 1), 0),
        (naive.success(MIXED, MIXED_POOL, 2), 1),
        (naive.iprec(MIXED, MIXED_POOL, 0.5), 1 / 2),
        (naive.iprec(MIXED, MIXED_POOL, 0.6), 3 / 7),  # 2.4 documents: three
        (naive.iprec(MIXED, MIXED_POOL, 0.6, levels="trec"), 1 / 2),  # rounded to two
        (naive.iprec(MIXED, MIXED_POOL, 0.7), 3 / 7),  # 2.8 documents: three
        (naive.iprec(MIXED, MIXED_POOL, 1.0), 0),
        (naive_gain.cg(MIXED, MIXED_POOL, cutoff=4), 3),
        (naive_gain.ncg(MIXED, MIXED_POOL, cutoff=2), 2 / 5),
        (naive_gain.dcg(MIXED, MIXED_POOL), 2 / math.log2(3) + 1 / math.log2(5) + 3 / 3),
        (naive_gain.dcg(MIXED, MIXED_POOL, base=4), 2 + 1 + 3 / math.log(7, 4)),
        (
            naive_gain.dcg(MIXED, MIXED_POOL, 4, form="exp-log2"),
            3 / math.log2(3) + 1 / math.log2(5),
        ),
        (naive_gain.dcg(MIXED, MIXED_POOL, 2, gains={2: 10}), 10 / math.log2(3)),
        (naive_gain.ndcg(MIXED, MIXED_POOL, 2), (2 / math.log2(3)) / (3 + 2 / math.log2(3))),
        (naive_gain.rbp(MIXED, MIXED_POOL, p=0.5), 0.5 * (1 / 2 + 1 / 8 + 1 / 64)),
        (naive_gain.grbp(MIXED, MIXED_POOL, 4, p=0.5), 0.5 * (2 / 8 + 1 / 32 + 3 / 256)),
        (naive_gain.err([1, 3], [1, 3], max_grade=3), 1 / 8 + 7 / 8 * 7 / 8 / 2),
        (naive.esl(MIXED, MIXED_POOL, want=2), 2),
        (naive.esl(MIXED, MIXED_POOL, want=4), None),
        # ideal gain 3, 5, 6, 7, 7, 7, 7; at ranks 2, 4, 7
        (naive_gain.q_measure(MIXED, MIXED_POOL), (3 / 7 + 5 / 11 + 9 / 14) / 4),
        (naive.judged_rate(MIXED, MIXED_POOL, 5), 3 / 5),
        (naive.judged_rate(MIXED, MIXED_POOL, 50), 5 / 7),
        (naive.num_unjudged_ret(MIXED, MIXED_POOL), 2),
        (naive.set_precision(MIXED, MIXED_POOL), 3 / 7),
        (naive.set_f(MIXED, MIXED_POOL, beta=3), 4 * (3 / 7) * (3 / 4) / (3 * 3 / 7 + 3 / 4)),
        # one judged non-relevant above the first two, two above the third; min(N, R) = 3
        (naive.bpref(MIXED, MIXED_POOL), (2 * (1 - 1 / 3) + (1 - 2 / 3)) / 4),
        (naive.bpref([0, 0, 1], [0, 0, 1]), 0),
        (naive.bpref([1, None, 1], [1, 1]), 1),
        (naive.infap([None, 1], [1]), 1 / 2),
        # two pooled above out of three, one of them judged: half of a hit by smoothing
        (naive.infap([1, None, -1, 1], [1, 1, -1]), (1 + 1 / 4 + 2 / 4) / 2),
        (naive.gmap([0.5, 0.0, None]), (0.5 * 1e-10) ** (1 / 3)),
    ],
)
def test_hand_sums(value: float | None, by_hand: float | None) -> None:
    if by_hand is None:
        assert value is None
    else:
        assert value == pytest.approx(by_hand, rel=1e-4)


def test_nothing_to_divide_by_is_undefined() -> None:
    for oracle in (
        naive.ap,
        naive.rprec,
        naive.bpref,
        naive.infap,
        naive_gain.ndcg,
        naive_gain.ncg,
    ):
        assert oracle([0, None, -1], [0, 0, -1]) is None
    assert naive.recall([0], [0]) is None
    assert naive_gain.q_measure([0], [0]) is None
    assert naive.iprec([0], [0], 0.1) is None
    assert naive.eleven_point([0], [0]) is None
    assert naive.f1([0], [0], 5) is None
    assert naive.fallout([1], [1]) is None
    assert naive.set_precision([], [1]) == 0
    assert naive.ap([], [1]) == 0


def test_condensed_list_and_gain_form() -> None:
    assert naive.condensed(MIXED) == [0, 2, 1, 0, 3]
    with pytest.raises(ValueError, match="unknown form"):
        naive_gain.dcg([1], [1], form="linear")


def test_mean_over_orders() -> None:
    assert naive.mean_over_orders([[1, 0]], [1], naive.rr) == pytest.approx(3 / 4)
    two_groups = naive.mean_over_orders([[0], [1, 0, 0]], [1], naive.rr)
    assert two_groups == pytest.approx((1 / 2 + 1 / 3 + 1 / 4) / 3)
    assert naive.mean_over_orders([[1, 2], [0]], [1, 2], naive_gain.dcg, cutoff=1) == 1.5
    assert naive.mean_over_orders([[0, 0]], [0], naive.ap) is None


# Random relevance


SOFT = [0.9, 0.2, 0.0, 1.0, 0.5, 0.7]
SOFT_POOL = [*SOFT, 0.3, 0.6]


def test_certain_labels_give_the_plain_measures() -> None:
    run, pool = [1, 0, 1, None, 1, 0], [1, 0, 1, 1, 0, 1]
    assert expected.errbp(run, pool, p=0.7) == pytest.approx(naive_gain.rbp(run, pool, p=0.7))
    assert expected.erdcg(run, pool, base=2) == pytest.approx(naive_gain.dcg(run, pool, base=2))
    assert expected.erap(run, pool) == pytest.approx(naive.ap(run, pool))
    assert expected.ap_moments(run, pool) == pytest.approx((naive.ap(run, pool), 0))


def test_closed_means_are_means_over_all_outcomes() -> None:
    for cutoff in (None, 4):
        mean, _ = expected.errbp_moments(SOFT, SOFT_POOL, cutoff=cutoff)
        assert expected.errbp(SOFT, SOFT_POOL, cutoff=cutoff) == pytest.approx(mean)
        mean, _ = expected.erdcg_moments(SOFT, SOFT_POOL, base=3, cutoff=cutoff)
        assert expected.erdcg(SOFT, SOFT_POOL, base=3, cutoff=cutoff) == pytest.approx(mean)
        both = expected.erap_moments(SOFT, SOFT_POOL, cutoff=cutoff)
        assert both is not None
        assert expected.erap(SOFT, SOFT_POOL, cutoff=cutoff) == pytest.approx(both[0])


def test_linear_time_variances_equal_enumeration() -> None:
    v = [p * (1 - p) for p in SOFT]
    ranks = range(1, len(SOFT) + 1)
    weights = [0.2 * 0.8 ** (n - 1) for n in ranks]
    _, variance = expected.errbp_moments(SOFT, SOFT_POOL, p=0.8)
    assert variance == pytest.approx(sum(w * w * s for w, s in zip(weights, v, strict=True)))
    total = 0.0
    for n in ranks:
        below = sum(SOFT[m - 1] / m for m in range(n + 1, len(SOFT) + 1))
        c = (1 + sum(SOFT[: n - 1])) / n + below
        total += v[n - 1] * c**2 + v[n - 1] * sum(v[: n - 1]) / n**2
    both = expected.erap_moments(SOFT, SOFT_POOL)
    assert both is not None
    assert both[1] == pytest.approx(total / sum(SOFT_POOL) ** 2)


def test_expected_ap_by_hand_and_through_any_measure() -> None:
    # (1,1): 1; (1,0): 1; (0,1): 1/2; (0,0): 0
    mean, variance = expected.ap_moments([0.5, 0.5], [0.5, 0.5])
    assert mean == pytest.approx(2.5 / 4)
    assert variance == pytest.approx((1 + 1 + 0.25) / 4 - mean**2)
    one, _ = expected.ap_moments([0.5, None], [0.5, 0.8], unjudged=0.0)
    assert one == pytest.approx(0.5 * (0.2 * 1 + 0.8 / 2))
    laws = [[1 - p, p] for p in SOFT]
    rest = [[1 - p, p] for p in SOFT_POOL[len(SOFT) :]]
    direct = expected.ap_moments(SOFT, SOFT_POOL, cutoff=3)
    assert expected.measure_moments(laws, rest, naive.ap, cutoff=3) == pytest.approx(direct)
    graded, _ = expected.measure_moments([None, [0.5, 0.2, 0.3]], [], naive_gain.cg)
    assert graded == pytest.approx(0.8)
    assert expected.std_of_topic_mean([0.04, 0.05]) == pytest.approx(0.15)


def test_grade_map_unjudged_documents_and_recall_base() -> None:
    prob = [0.1, 0.4, 1.0]
    run, pool = [2, None, -1, 1], [2, 1, 0, -1]
    assert expected.probabilities(run, prob) == [1.0, 0.1, 0.1, 0.4]
    assert expected.probabilities(run, prob, unjudged=0.3) == [1.0, 0.3, 0.3, 0.4]
    assert expected.recall_base_of(pool, prob) == pytest.approx(1.6)
    wider = expected.recall_base_of(pool, prob, None, "retrieved", 3)
    assert wider == pytest.approx(1.9)
    assert expected.erap([2], pool, prob, recall_base=4) == 0.25
    assert expected.erap([None], [0.0, 0.0]) is None
    assert expected.prob_from_thresholds([0.2, 0.8]) == [0, 0.2, 1]
    with pytest.raises(TypeError, match="grade map"):
        expected.probability(0.5, prob)


# Graded average precision


def test_one_threshold_makes_all_three_ap_at_that_grade() -> None:
    for k, g in ((1, [1.0, 0.0, 0.0]), (2, [0.0, 1.0, 0.0]), (3, [0.0, 0.0, 1.0])):
        plain = naive.ap(MIXED, MIXED_POOL, rel=k)
        for oracle in (naive_graded.gap, naive_graded.xgap, naive_graded.egap):
            assert oracle(MIXED, MIXED_POOL, g) == pytest.approx(plain)
            at_4 = oracle(MIXED, MIXED_POOL, g, cutoff=4)
            assert at_4 == pytest.approx(naive.ap(MIXED, MIXED_POOL, 4, rel=k))


def test_graded_family_by_hand_and_undefined() -> None:
    run, g = [1, 2], [0.25, 0.75]
    assert naive_graded.gap(run, run, g) == pytest.approx((0.25 + (0.25 + 1) / 2) / 1.25)
    drawn = 0.25 / 2 + 0.75
    assert naive_graded.xgap(run, run, g) == pytest.approx(0.125 + drawn * 1.25 / 2)
    assert naive_graded.egap(run, run, g) == pytest.approx(0.25 + 0.75 / 2)
    assert naive_graded.gap([0, 1], [0, 1], g) == 0.5  # an expected recall base below 1
    for oracle in (naive_graded.gap, naive_graded.xgap, naive_graded.egap):
        assert oracle([1, 0], [1, 0], [0.0, 1.0]) is None
        assert oracle([0], [1], [0.5, 0.5]) == 0


# Markov users

MODELS = [f"{c}_{s}_{t}" for c in ("GL", "LO") for s in ("AD", "OR") for t in ("ID", "LID")]


def relevant_ranks(run: list[int]) -> list[int]:
    return [rank for rank, label in enumerate(run, start=1) if label]


@pytest.mark.parametrize("model", MODELS)
def test_symmetric_pulls_have_a_law_proportional_to_their_sums(model: str) -> None:
    run = [1, 1, 1, 0, 1, 0, 0, 0, 1, 0]
    connected, space, kind = model.split("_")
    hits = relevant_ranks(run)
    states = list(range(1, 11)) if space == "AD" else hits
    sums = []
    for a, i in enumerate(states):
        near = [j for b, j in enumerate(states) if connected == "GL" or abs(a - b) == 1]
        sums.append(sum(naive_markov.pull(i, j, kind) for j in near))
    kept = [sums[states.index(rank)] for rank in hits]
    assert naive_markov.markov_distribution(10, hits, model) == [
        value / sum(kept) for value in kept
    ]


def test_small_chains_by_hand() -> None:
    third, half, full = Fraction(1, 3), Fraction(1, 2), Fraction(1)
    skewed = [[0 * full, third, 2 * third], [half, 0 * full, half], [full, 0 * full, 0 * full]]
    assert naive_markov.stationary(skewed) == [Fraction(6, 13), Fraction(2, 13), Fraction(5, 13)]
    assert naive_markov.watched(skewed, [0, 2]) == [[third / 2, Fraction(5, 6)], [full, 0 * full]]
    # neighbours among relevant ranks 1, 2, 4: pulls 1/2 and 1/3, so 3 : 5 : 2
    assert naive_markov.mp([1, 1, 0, 1], [1], "LO_OR_ID") == pytest.approx((3 + 5 + 2 * 3 / 4) / 10)
    lid = 1 / math.log10(3), 1 / math.log10(4)
    by_hand = (lid[0] + sum(lid) + lid[1] * 3 / 4) / (2 * sum(lid))
    assert naive_markov.mp([1, 1, 0, 1], [1], "LO_OR_LID") == pytest.approx(by_hand)
    # ends of a local chain over four ranks pull half as much as the middle: 1 : 2 : 1
    assert naive_markov.mp([1, 1, 0, 1], [1], "LO_AD_ID") == pytest.approx((1 + 2 + 3 / 4) / 4)


@pytest.mark.parametrize("model", [*MODELS, "constant"])
def test_markov_corners(model: str) -> None:
    assert naive_markov.mp([0, None, -1], [1], model) == 0
    assert naive_markov.mp([0, 1, 0], [1], model) == 0.5
    assert naive_markov.mp([0, 1, 0], [1, 1], model, rec=True) == 0.25
    assert naive_markov.mp([1], [1], model) == 1
    assert naive_markov.mp([0], [0], model, rec=True) is None


def test_constant_user_with_recall_is_average_precision() -> None:
    for cutoff in (None, 5):
        value = naive_markov.mp(MIXED, MIXED_POOL, "constant", rec=True, cutoff=cutoff)
        assert value == pytest.approx(naive.ap(MIXED, MIXED_POOL, cutoff))


# Disagreement


def two_judges() -> Iterator[naive_prm.Judgment]:
    levels = {"a": (2, 2, 0), "b": (0, 2, None), "c": (0, 0, None), "d": (2, None, None)}
    for document, given in levels.items():
        for judge, level in enumerate(given):
            if level is not None:
                yield ("t", document, judge, level)


def test_predicted_relevance_counts_ordered_pairs() -> None:
    judgments = list(two_judges())
    # given 2: a (2,2) twice and (2,0) twice, b once (0); given 0: a twice (2), b once, c twice (0)
    assert naive_prm.prm_counts(judgments, 2, {2}) == (2, 5)
    assert naive_prm.prm_counts(judgments, 0, {2}) == (3, 5)
    assert naive_prm.prm(judgments, 2, {2}) == pytest.approx(0.4)
    assert naive_prm.prm(judgments, 2, {2}, a=1) == pytest.approx(3 / 7)
    assert naive_prm.prm(judgments, 1, {2}) is None
    assert naive_prm.prm(judgments, 1, {2}, a=0.5) == 0.5
    levels = [2, 2, 0, 0, 0]
    assert naive_prm.relevant_count_binary(levels, {2}) == 2
    assert naive_prm.relevant_count_prm(levels, {2: 0.4, 0: 0.6}) == pytest.approx(2.6)
