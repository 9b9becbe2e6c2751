"""E(X) against every outcome: exact moments, one draw per document, and recall bases."""

import io
import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hungjury as hj
from builders.examples import examples
from hungjury.base.errors import HungjuryError, MeasureError
from hungjury.base.parameters import MOST_RANKS
from oracles import expected as loops
from oracles import gain as naive_gain
from oracles import measures as naive

# measures of binary labels with a recursion, and their loops
EXACT = {
    "AP": naive.ap,
    "AP@2": lambda x, pool: naive.ap(x, pool, cutoff=2),
    "P@3": lambda x, pool: naive.precision(x, pool, 3),
    "R@3": lambda x, pool: naive.recall(x, pool, 3),
    "RR": naive.rr,
    "Success@2": lambda x, pool: naive.success(x, pool, 2),
    "nDCG": naive_gain.ndcg,
    "nDCG@2": lambda x, pool: naive_gain.ndcg(x, pool, 2),
    "ERR": lambda x, pool: naive_gain.err(x, pool, 1),
    "RBP(p=0.6)": lambda x, pool: naive_gain.rbp(x, pool, 0.6),
}
DRAWN = {
    "Rprec": naive.rprec,
    "Bpref": naive.bpref,
    "Q": naive_gain.q_measure,
}
INSIDE, OUTSIDE = list("abcde"), list("xy")
chances = st.sampled_from([0.0, 1.0]) | st.integers(1, 999).map(lambda i: i / 1000)


def as_run(documents):
    return {d: float(-i) for i, d in enumerate(documents)}


def binary(pool):
    return {d: [1 - p, p] for d, p in pool.items()}


def graded(laws):
    size = len(next(iter(laws.values())))
    lines = ["topic,document," + ",".join(f"p{k}" for k in range(size))]
    lines += [f"q,{d}," + ",".join(map(repr, p)) for d, p in laws.items()]
    return hj.read_qrels(io.StringIO("\n".join(lines) + "\n"))


@examples(25)
@given(
    pool=st.dictionaries(st.sampled_from(INSIDE[1:]), chances, max_size=4),
    order=st.permutations(INSIDE + OUTSIDE),
    size=st.integers(1, 7),
    outside=st.sampled_from([0.0, 0.3, 1.0]),
)
def test_moments_are_exact(pool, order, size, outside):
    pool = {"a": 0.4, **pool}
    documents = order[:size] if "a" in order[:size] else [*order[:size], "a"]
    names = [f"E({name}, unjudged={outside}, draws=2)" for name in EXACT]
    scores = hj.evaluate({"q": pool}, {"q": as_run(documents)}, names)
    for i, oracle in enumerate(EXACT.values()):
        mean, variance = loops.list_moments(documents, binary(pool), oracle, outside)
        assert scores.values[i, 0, 0] == pytest.approx(mean, abs=1e-12)
        assert scores.variance[i, 0, 0] == pytest.approx(variance, abs=1e-12)
    assert not [note for note in scores.notes if note.kind == "sampled"]


@pytest.mark.parametrize(
    ("name", "oracle", "has_variance"),
    [
        ("nDCG@2", lambda x, pool: naive_gain.ndcg(x, pool, 2), False),
        ("nDCG", naive_gain.ndcg, False),
        (
            'nDCG(dcg="exp-log2")@3',
            lambda x, pool: naive_gain.ndcg(x, pool, 3, gains={1: 1, 2: 3}),
            False,
        ),
        ("nDCG(gains={1: 5, 2: 1})@2",
         lambda x, pool: naive_gain.ndcg(x, pool, 2, gains={1: 5, 2: 1}), False),
        ("ERR", lambda x, pool: naive_gain.err(x, pool, 2), True),
        ("AP(rel=2)", lambda x, pool: naive.ap(x, pool, rel=2), True),
    ],
)  # fmt: skip
def test_several_grades(name, oracle, has_variance):
    rng = np.random.default_rng(4)
    laws = {d: rng.dirichlet([1, 1, 1]).tolist() for d in INSIDE}
    laws["b"], laws["c"] = [0.0, 0.0, 1.0], [0.2, 0.8, 0.0]
    documents = ["c", "x", "a", "e", "b"]
    scores = hj.evaluate(graded(laws), {"q": as_run(documents)}, f"E({name}, draws=4000)")
    mean, variance = loops.list_moments(documents, laws, oracle)
    assert scores.values[0, 0, 0] == pytest.approx(mean, abs=1e-12)
    tolerance = 1e-12 if has_variance else 0.5 * variance  # else from 200 draws
    assert scores.variance[0, 0, 0] == pytest.approx(variance, abs=tolerance)


def test_a_large_pool_is_followed_as_exactly():
    """With equal chances E(R@k) is k P(R > 0) / N; the distribution of R is cut where it is 0."""
    size, p, k = 3000, 0.01, 50
    soft = {"q": {f"d{i}": p for i in range(size)}}
    scores = hj.evaluate(soft, {"q": as_run(list(soft["q"])[:k])}, [f"E(R@{k})", f"E(nDCG@{k})"])
    assert scores.values[0, 0, 0] == pytest.approx(k * (1 - (1 - p) ** size) / size, rel=1e-12)
    assert 0 < scores.values[1, 0, 0] < 0.05


# One draw for every (topic, document)

SOFT = {"1": {"a": 0.5, "b": 0.25, "c": 0.9}, "2": {"a": 0.7, "d": 0.1}}
RUN = {t: as_run(["x", "a", "y", "b"]) for t in SOFT}
OTHER = {t: as_run(["z", "x", "d", "c", "y"]) for t in SOFT}
NAMES = [f"E({name}, unjudged=0.4, draws=50)" for name in [*EXACT, *DRAWN]]


def test_identical_runs_have_identical_scores():
    scores = hj.evaluate(SOFT, {"one": RUN, "two": OTHER, "three": RUN}, NAMES, distribution=True)
    assert (scores.values[:, 0] == scores.values[:, 2]).all()
    assert (scores.variance[:, 0] == scores.variance[:, 2]).all()
    for draws in scores.draws.values():
        assert (draws[:, 0] == draws[:, 2]).all()


def test_nothing_depends_on_which_other_runs_are_loaded():
    among = hj.evaluate(SOFT, {"one": RUN, "two": OTHER}, NAMES, distribution=True)
    alone = hj.evaluate(SOFT, {"one": RUN}, NAMES, distribution=True)
    np.testing.assert_allclose(among.values[:, 0], alone.values[:, 0], rtol=1e-13)
    for m, draws in among.draws.items():
        np.testing.assert_allclose(draws[:, 0], alone.draws[m][:, 0], rtol=1e-6)


def test_bounded_measures_stay_in_their_range():
    names = [name.replace("unjudged=0.4", "unjudged=0.9") for name in NAMES]
    scores = hj.evaluate(SOFT, {"one": RUN, "two": OTHER}, names, distribution=True)
    for draws in scores.draws.values():
        assert draws.min() >= 0
        assert draws.max() <= 1 + 1e-6
    assert scores.values.max() <= 1


@pytest.mark.parametrize("name", [*EXACT, *DRAWN])
def test_draws_follow_the_same_distribution(name):
    """Drawn moments against every outcome, with unjudged documents."""
    documents, pool = ["x", "a", "y", "b"], SOFT["1"]
    measure = f"E({name}, unjudged=0.4, draws=3000)"
    scores = hj.evaluate({"1": pool}, {"1": as_run(documents)}, measure, distribution=True)
    oracle = {**EXACT, **DRAWN}[name]
    mean, variance = loops.list_moments(documents, binary(pool), oracle, 0.4)
    drawn = scores.draws[0][:, 0, 0].astype(float)
    assert drawn.mean() == pytest.approx(mean, abs=4 * math.sqrt(variance / 3000) + 1e-6)
    assert drawn.var() == pytest.approx(variance, rel=0.2, abs=1e-4)
    if name in DRAWN:
        assert [note.kind for note in scores.notes].count("sampled") == 1


# Recall bases


@pytest.mark.parametrize("name", ["AP", "R@3", "nDCG@2", "nDCG", "RR"])
@pytest.mark.parametrize(
    ("base", "extra"),
    [
        ("recall_base=4", {"least": 4}),
        ("recall_base={1: 4}", {"least": 4}),
        ("recall_base=2.5", {"least": 3}),
        ("collection=9", {"elsewhere": 4}),  # 3 in the pool, 2 in the list
        ("collection=5", {"elsewhere": 0}),  # all of them
        ("recall_base=retrieved", {"elsewhere": 1}),  # z, of the other run
    ],
)
def test_recall_bases(name, base, extra):
    documents = ["x", "a", "y", "b"]
    runs = {"one": {"1": as_run(documents)}, "two": {"1": as_run(["z", "x", "c"])}}
    measure = f"E({name}, unjudged=0.4, {base}, draws=3000)"
    scores = hj.evaluate({"1": SOFT["1"]}, runs, measure, distribution=True)
    mean, variance = loops.list_moments(documents, binary(SOFT["1"]), EXACT[name], 0.4, **extra)
    assert scores.values[0, 0, 0] == pytest.approx(mean, abs=1e-10)
    assert scores.variance[0, 0, 0] == pytest.approx(variance, abs=1e-10)
    drawn = scores.draws[0][:, 0, 0].astype(float)
    assert drawn.mean() == pytest.approx(mean, abs=4 * math.sqrt(variance / 3000) + 1e-6)


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.parametrize(
    ("base", "extra"),
    [
        ("collection=9", [{"elsewhere": 4}, {"elsewhere": 5}]),
        ("recall_base=4", [{"least": 4}, {"least": 4}]),
    ],
)
def test_recall_bases_of_drawn_measures(name, base, extra):
    """Each list has a recall base of its own, and the two runs retrieve different numbers."""
    lists = [["x", "a", "y", "b"], ["z", "c", "a"]]
    runs = {str(number): {"1": as_run(documents)} for number, documents in enumerate(lists)}
    measure = f"E({name}, unjudged=0.4, {base}, draws=3000)"
    scores = hj.evaluate({"1": SOFT["1"]}, runs, measure)
    for number, (documents, how) in enumerate(zip(lists, extra, strict=True)):
        mean, variance = loops.list_moments(documents, binary(SOFT["1"]), DRAWN[name], 0.4, **how)
        spread = 4 * math.sqrt(variance / 3000)
        assert scores.values[0, number, 0] == pytest.approx(mean, abs=spread + 1e-6)


@pytest.mark.parametrize(
    ("name", "depth"),
    [
        ("E(AP)", 0),
        ("E(AP, unjudged=0.4)", 0),
        ("E(AP, unjudged=0.4, recall_base=retrieved, base_depth=7)", 7),
        ("E(AP, recall_base=retrieved, base_depth=7)", 0),
        ("E(Rprec)", 0),
        ("E(Rprec, unjudged=0.4)", MOST_RANKS),  # drawn: each of them has labels
    ],
)
def test_ranks_on_which_unjudged_documents_matter(name, depth):
    assert hj.measure(name).unjudged_depth == depth


def test_recall_bases_that_do_not_fit():
    run = {"1": as_run("xab")}
    for base, why in [
        ("collection=2", "more than 2 documents"),
        ("recall_base={7: 3}", "no number for 1 topic"),
        ("recall_base=pool", "must count"),
        ("recall_base=0", "above 0"),
        ("recall_base={1: 0}", "above 0"),
    ]:
        with pytest.raises(MeasureError, match=why) as caught:
            hj.evaluate({"1": SOFT["1"]}, run, f"E(AP, unjudged=0.4, {base})")
        assert caught.value.remedy


def test_expected_average_precision_with_a_given_recall_base():
    """Also where no document of the pool may be relevant, but one outside it may."""
    nothing = {"1": {"a": 0.0, "b": 0.0, "c": 0.0}}
    bases = ("recall_base=2", "recall_base={1: 2}", "recall_base=list", "collection=7")
    names = [f"eRAP(unjudged=0.5, {base})" for base in bases]
    scores = hj.evaluate(nothing, {"1": as_run("axbc")}, names)
    sum_of_precisions = 0.5 / 2
    for i, base in enumerate((2, 2, 0.5, 2.0)):  # the last: four documents outside the pool
        assert scores.values[i, 0, 0] == pytest.approx(sum_of_precisions / base)


# Probabilities of grades, and P(relevant) of each grade


def test_grade_probabilities_and_relevance_of_grades():
    rng = np.random.default_rng(2)
    laws = {d: rng.dirichlet([1, 1, 1]).tolist() for d in INSIDE}
    prob = [0.1, 0.5, 0.9]
    soft = {"q": {d: float(np.dot(law, prob)) for d, law in laws.items()}}
    run = {"q": as_run(["c", "x", "a"])}
    given = f"prob={prob}, unjudged=0.2"
    names = [f"E(AP, {given})", f"eRAP({given})", f"E(nDCG@2, {given})"]
    found = hj.evaluate(graded(laws), run, names)
    same = hj.evaluate(soft, run, [name.replace(f"prob={prob}, ", "") for name in names])
    np.testing.assert_allclose(found.values, same.values, rtol=1e-12)
    np.testing.assert_allclose(found.variance, same.variance, rtol=1e-12)
    with pytest.raises(MeasureError, match="already probabilities"):
        hj.evaluate(soft, run, names[0])


# Whole distributions


def test_systems_stay_paired():
    """Two systems that share documents: P(A > B) and the difference against every outcome."""
    soft = {"1": {"a": 0.5, "b": 0.3, "c": 0.6}, "2": {"a": 0.2, "b": 0.9, "c": 0.4}}
    runs = {"A": {t: as_run("ab") for t in soft}, "B": {t: as_run("bc") for t in soft}}
    scores = hj.evaluate(soft, runs, "E(P@2, draws=20000)", distribution=True)
    laws = [[1 - p, p] for pool in soft.values() for p in pool.values()]

    def means(x):
        return (x[0] + x[1] + x[3] + x[4]) / 4, (x[1] + x[2] + x[4] + x[5]) / 4

    def difference(x):
        return means(x)[0] - means(x)[1]

    ahead = loops.moments_of_grades(laws, lambda x: (np.sign(difference(x)) + 1) / 2)[0]
    assert scores.wins()[0, 1] == pytest.approx(ahead, abs=0.015)
    assert scores.wins()[1, 0] == pytest.approx(1 - ahead, abs=0.015)
    apart = loops.moments_of_grades(laws, difference)[1]
    covariance = scores.covariance()
    paired = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    assert paired == pytest.approx(apart, rel=0.05)
    assert (scores.mean_std() ** 2).sum() > 1.2 * apart  # as if systems shared no documents
    low, high = scores.interval(0.5)
    assert (low <= scores.mean()).all()
    assert (scores.mean() <= high).all()
    part = scores.select(["B"], ["2"])
    assert part.draws[0].shape == (20000, 1, 1)


def test_orders_by_other_functionals():
    """The sum of two documents dominates a single one, and quantiles do not show it."""
    soft = {"1": {"a": 0.6, "b": 0.55, "c": 0.62}}
    runs = {"A": {"1": as_run("a")}, "B": {"1": as_run("bc")}}
    scores = hj.evaluate(soft, runs, "E(CG, draws=20000)", distribution=True)
    assert scores.order() == scores.order("wins") == ["B", "A"]
    assert scores.order(0.01) == ["A", "B"]  # both 0
    assert scores.order("median") == ["A", "B"]  # both 1
    with pytest.raises(HungjuryError, match="cannot be ordered by 'mode'"):
        scores.order("mode")
    assert scores.dominance("B", "A").holds
    other = scores.dominance("A", "B")
    assert (other.holds, other.witness) == (False, 1.0)
    assert other.first == 0
    assert other.second == pytest.approx(0.55 * 0.62, abs=0.015)
    with pytest.raises(HungjuryError, match="no system 'C'"):
        scores.dominance("A", "C")


# Dependent labels


def test_a_shift_leaves_probabilities_and_ties_documents_together():
    """The covariance of two documents of a topic, integrated over the shift, and its absence
    between topics; a shift common to judges reaches across topics."""
    p, sd, draws = [0.2, 0.7], 1.5, 20000
    soft = {t: {"a": p[0], "b": p[1]} for t in ("1", "2")}
    runs = {"s": {t: as_run("ab") for t in soft}}
    names = [
        f"E(CG, draws={draws})",
        f"E(CG, topic_shift={sd}, draws={draws})",
        f"E(CG, judge_shift={sd}, draws={draws})",
    ]
    scores = hj.evaluate(soft, runs, names)
    np.testing.assert_allclose(scores.values[:, 0], sum(p), atol=0.02)
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    weights = weights / weights.sum()

    def given_shift(chance):
        low, high = -40.0, 40.0
        for _ in range(80):
            middle = (low + high) / 2
            mean = (weights / (1 + np.exp(-middle - sd * nodes))).sum()
            low, high = (middle, high) if mean < chance else (low, middle)
        return 1 / (1 + np.exp(-middle - sd * nodes))

    one, other = map(given_shift, p)
    alone = sum(q * (1 - q) for q in p)
    together = 2 * ((weights * one * other).sum() - p[0] * p[1])
    assert together > 0.05
    assert scores.variance[0, 0, 0] == pytest.approx(alone)
    for m in (1, 2):
        assert scores.variance[m, 0] == pytest.approx([alone + together] * 2, rel=0.05)
    across = (weights * (one + other) ** 2).sum() - sum(p) ** 2
    of_mean = [alone / 2, (alone + together) / 2, (alone + together + across) / 2]
    assert scores.mean_std()[:, 0] ** 2 == pytest.approx(of_mean, rel=0.05)


def test_near_duplicates_are_relevant_together(tmp_path):
    path = tmp_path / "clusters.txt"
    path.write_text("1 a first\n1 c first\n1 elsewhere first\n2 a first\n")
    soft = {"1": {"a": 0.4, "b": 0.4, "c": 0.3}}
    name = f"E(CG, clusters='{path}', draws=20000)"
    scores = hj.evaluate(soft, {"1": as_run("abc")}, name)
    variance = 0.4 * 0.6 * 2 + 0.3 * 0.7 + 2 * (0.3 - 0.4 * 0.3)  # P(both) is the smaller one
    assert scores.values[0, 0, 0] == pytest.approx(1.1, abs=0.03)
    assert scores.variance[0, 0, 0] == pytest.approx(variance, rel=0.05)
    path.write_text("1 a first\n1 b\n")
    with pytest.raises(HungjuryError, match="three columns") as caught:
        hj.evaluate(soft, {"1": as_run("abc")}, name)
    assert (caught.value.line, caught.value.remedy != "") == (2, True)


def test_the_probability_of_more_relevant_documents_is_exact() -> None:
    """P(A > B) for precision, against all label sets of three topics with shared documents."""
    rng = np.random.default_rng(3)
    documents = [f"d{i}" for i in range(4)]
    topics = ["1", "2", "3"]
    soft = {t: {d: float(round(rng.random(), 2)) for d in documents} for t in topics}
    runs = {
        name: {t: {d: float(-i) for i, d in enumerate(rng.permutation(documents))} for t in topics}
        for name in "ABC"
    }
    scores = hj.evaluate(soft, runs, ["E(P@2)", "E(AP)"], distribution=True)
    assert set(scores.hits) == {0}
    for chosen in (topics, topics[1:]):
        found = scores.select(topics=chosen).wins(0)
        expected = np.zeros((3, 3))
        places = [(t, d) for t in chosen for d in documents]
        top = {s: {(t, d) for t in chosen for d in list(runs[s][t])[:2]} for s in runs}
        for labels in itertools.product((0, 1), repeat=len(places)):
            weight = np.prod([soft[t][d] if x else 1 - soft[t][d]
                              for (t, d), x in zip(places, labels, strict=True)])  # fmt: skip
            hits = [sum(x for place, x in zip(places, labels, strict=True) if place in top[s])
                    for s in runs]  # fmt: skip
            for i, j in itertools.product(range(3), repeat=2):
                expected[i, j] += weight * ((hits[i] > hits[j]) + (hits[i] == hits[j]) / 2)
        assert np.abs(found - expected).max() < 1e-12
    drawn = scores.select(systems=["A", "B"])
    assert drawn.wins(0)[0, 1] == pytest.approx(scores.wins(0)[0, 1], abs=1e-12)
