"""E(X): the expectation of any measure over uncertain labels, against all outcomes."""

import io
import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import hungjury as hj
from builders.examples import examples
from hungjury.base.errors import HungjuryError, MeasureError
from hungjury.report.comparison import trec_lines
from oracles import expected as loops
from oracles import gain as naive_gain
from oracles import graded as naive_graded
from oracles import measures as naive

INSIDE = ["a", "b", "c", "d", "e"]
OUTSIDE = ["x", "y"]
G = [0.3, 0.7]
# measure on grades 0 to 2, its loop
ORACLES = {
    "nDCG": naive_gain.ndcg,
    "nDCG@2": lambda x, pool: naive_gain.ndcg(x, pool, 2),
    "nDCG(gains={0: 0.5, 1: 2})": lambda x, pool: naive_gain.ndcg(x, pool, gains={0: 0.5, 1: 2}),
    "ERR": lambda x, pool: naive_gain.err(x, pool, 2),
    "RBP(p=0.6)": lambda x, pool: naive_gain.rbp(x, pool, 0.6),
    "RR": naive.rr,
    "RR(rel=2)": lambda x, pool: naive.rr(x, pool, rel=2),
    "P@2": lambda x, pool: naive.precision(x, pool, 2),
    "Rprec": naive.rprec,
    "Bpref": naive.bpref,
    "infAP": naive.infap,
    "Q": naive_gain.q_measure,
    "GAP(g=[0.3, 0.7])": lambda x, pool: naive_graded.gap(x, pool, G),
    "xGAP(g=[0.3, 0.7])": lambda x, pool: naive_graded.xgap(x, pool, G),
    "eGAP(g=[0.3, 0.7])": lambda x, pool: naive_graded.egap(x, pool, G),
}


def graded(laws):
    """Qrels from {topic: {document: [p of grade 0, 1, ...]}}."""
    size = len(next(iter(next(iter(laws.values())).values())))
    lines = ["topic,document," + ",".join(f"p{k}" for k in range(size))]
    lines += [
        f"{t},{d}," + ",".join(map(repr, p)) for t, pool in laws.items() for d, p in pool.items()
    ]
    return hj.read_qrels(io.StringIO("\n".join(lines) + "\n"))


def parts(laws, documents):
    """The laws along a list, None where unjudged, and those of the pool outside it."""
    rest = [law for d, law in laws.items() if d not in documents]
    return [laws.get(d) for d in documents], rest


def as_run(documents):
    return {d: float(-i) for i, d in enumerate(documents)}


orders = st.permutations(INSIDE + OUTSIDE).flatmap(
    lambda order: st.integers(1, 7).map(lambda n: order[:n])
)
chances = st.sampled_from([0.0, 1.0, 0.5]) | st.integers(0, 1000).map(lambda i: i / 1000)


@st.composite
def grade_laws(draw):
    weights = draw(st.tuples(*[st.sampled_from([0, 0, 1, 2, 5])] * 3).filter(any))
    return [w / sum(weights) for w in weights]


def some_pool(laws):
    return st.dictionaries(st.sampled_from(INSIDE), laws, min_size=1)


def some_judged(lists, pools):
    """Is any judged document in a list? If not, evaluate refuses."""
    return any(d in pool for pool in pools for documents in lists for d in documents)


# E(AP) is exact


@examples(40)
@given(
    pools=st.lists(some_pool(chances), min_size=1, max_size=3),
    lists=st.lists(orders, min_size=2, max_size=2),
    cutoff=st.none() | st.integers(1, 7),
)
def test_expected_ap_of_probabilities(pools, lists, cutoff):
    assume(some_judged(lists, pools))
    soft = {f"q{t}": pool for t, pool in enumerate(pools)}
    runs = {f"s{s}": dict.fromkeys(soft, as_run(docs)) for s, docs in enumerate(lists)}
    name = "E(AP, draws=2)" + (f"@{cutoff}" if cutoff else "")
    scores = hj.evaluate(soft, runs, name)
    for j, documents in enumerate(lists):
        for k, pool in enumerate(pools):
            labels = [pool.get(d) for d in documents]
            expected = loops.ap_moments(labels, list(pool.values()), cutoff=cutoff)[0]
            assert math.isclose(scores.values[0, j, k], expected, rel_tol=1e-10, abs_tol=1e-12)


@examples(30)
@given(
    pool=some_pool(grade_laws()),
    documents=orders,
    cutoff=st.none() | st.integers(1, 7),
    rel=st.integers(1, 2),
)
def test_expected_ap_of_grade_probabilities(pool, documents, cutoff, rel):
    assume(some_judged([documents], [pool]))
    of = f"AP(rel={rel})" + (f"@{cutoff}" if cutoff else "")
    scores = hj.evaluate(graded({"q": pool}), {"q": as_run(documents)}, f"E({of}, draws=2)")
    found = loops.measure_moments(*parts(pool, documents), naive.ap, cutoff=cutoff, rel=rel)
    assert math.isclose(scores.values[0, 0, 0], found[0], rel_tol=1e-10, abs_tol=1e-12)


@pytest.mark.parametrize("size", [1, 2, 31, 400])
@pytest.mark.parametrize("p", [0.001, 0.3, 0.999])
def test_expected_ap_of_a_large_pool_of_equal_chances(size, p):
    """With equal p all documents are alike: E(x_n / R) = P(R > 0) / N and, for m != n,
    E(x_m x_n / R) = E(max(R - 1, 0)) / (N (N - 1)), R binomial."""
    soft = {"q": {f"d{i}": p for i in range(size)}}
    value = hj.evaluate(soft, {"q": as_run(list(soft["q"]))}, "E(AP, draws=2)").values[0, 0, 0]
    some = 1 - (1 - p) ** size
    one, two = some / size, (size * p - some) / (size * max(size - 1, 1))
    expected = sum((one + (n - 1) * two) / n for n in range(1, size + 1))
    assert value == pytest.approx(expected, rel=1e-10)


def test_topics_of_very_different_size():
    rng = np.random.default_rng(5)
    large = {f"d{i}": float(v) for i, v in enumerate(rng.random(300))}
    soft = {"1": {"a": 0.5}, "2": large}
    runs = {"1": as_run(["a"]), "2": as_run([*list(large)[:100], "x"])}
    both = hj.evaluate(soft, runs, "E(AP, draws=2)").values[0, 0]
    assert both[0] == pytest.approx(0.5)
    alone = hj.evaluate({"2": large}, {"2": runs["2"]}, "E(AP, draws=2)").values[0, 0, 0]
    assert both[1] == pytest.approx(alone, rel=1e-11)
    drawn = hj.evaluate({"2": large}, {"2": runs["2"]}, "E(NCP)")  # AP without the exact mean
    assert abs(alone - drawn.values[0, 0, 0]) < 4 * drawn.std[0, 0, 0] / math.sqrt(1000)


def test_unjudged_documents_can_be_left_out():
    soft = {"q": {"a": 0.5, "b": 0.9}}
    names = ["E(AP)", "E(AP)@2", "E(nDCG)", "eRAP"]
    condensed = hj.evaluate(soft, {"q": as_run("xaybz")}, names, unjudged="condensed")
    short = hj.evaluate(soft, {"q": as_run("ab")}, names)
    np.testing.assert_allclose(condensed.values, short.values, rtol=1e-12)
    np.testing.assert_allclose(condensed.variance, short.variance, rtol=1e-12)


def test_it_is_not_the_ratio_of_expectations():
    """One document with p = 1/2: AP is 1 or (nothing relevant) 0; eRAP divides 1/2 by 1/2."""
    scores = hj.evaluate({"q": {"a": 0.5}}, {"q": {"a": 1.0}}, ["E(AP)", "eRAP"])
    assert scores.values[:, 0, 0].tolist() == [pytest.approx(0.5), 1.0]


# E(X) by drawing

DRAWS = 2000


def made_laws(seed):
    """A pool of five documents with laws of three grades, one of them certain, and two lists."""
    rng = np.random.default_rng(seed)
    laws = {d: rng.dirichlet([1, 1, 1]).tolist() for d in INSIDE}
    laws["c"] = [0.0, 0.0, 1.0]
    return laws, {"one": ["a", "x", "b", "c", "e", "y", "d"], "two": ["x", "d", "c", "a"]}


@pytest.fixture(scope="module", params=[1, 2])
def drawn(request):
    laws, lists = made_laws(request.param)
    runs = {s: {"q": as_run(documents)} for s, documents in lists.items()}
    names = [f"E({name}, draws={DRAWS}, seed=7)" for name in [*ORACLES, "AP"]]
    return laws, lists, hj.evaluate(graded({"q": laws}), runs, names, distribution=True)


@pytest.mark.parametrize("name", [*ORACLES, "AP"])
def test_drawn_moments(drawn, name):
    laws, lists, scores = drawn
    i = [*ORACLES, "AP"].index(name)
    oracle = ORACLES.get(name, naive.ap)
    for j, system in enumerate(scores.systems):
        where = parts(laws, lists[system])
        mean, variance = loops.measure_moments(*where, oracle)
        error = math.sqrt(variance / DRAWS)
        assert abs(scores.values[i, j, 0] - mean) < 4 * error + 1e-12
        fourth = loops.measure_moments(
            *where, lambda x, pool, mean=mean: ((oracle(x, pool) or 0.0) - mean) ** 4
        )[0]
        error = math.sqrt((fourth - variance**2) / DRAWS)
        assert abs(scores.variance[i, j, 0] - variance) < 4 * error + 1e-12


@pytest.mark.parametrize("name", ["nDCG", "ERR", "RBP(p=0.6)", "AP"])
def test_drawn_intervals(drawn, name):
    """Each side leaves out 2.5 % of the true law, but for drawing and for its steps."""
    laws, lists, scores = drawn
    i = [*ORACLES, "AP"].index(name)
    oracle = ORACLES.get(name, naive.ap)
    slack = 4 * math.sqrt(0.025 * 0.975 / DRAWS)
    for j, system in enumerate(scores.systems):
        low, high = scores.quantile([0.025, 0.975], per_topic=True)[:, i, j, 0]
        where = parts(laws, lists[system])

        def share(side, where=where):
            return loops.measure_moments(*where, lambda x, pool: side(oracle(x, pool) or 0.0))[0]

        assert low < scores.values[i, j, 0] < high
        assert share(lambda value: value < low - 1e-5) < 0.025 + slack  # noqa: B023
        assert share(lambda value: value <= low + 1e-5) > 0.025 - slack  # noqa: B023
        assert share(lambda value: value > high + 1e-5) < 0.025 + slack  # noqa: B023
        assert share(lambda value: value >= high - 1e-5) > 0.025 - slack  # noqa: B023


@examples(20)
@given(
    pool=some_pool(chances),
    documents=orders,
    name=st.sampled_from(["nDCG@3", "ERR", "RBP", "RR", "AP", "Bpref", "NumRelRet"]),
)
def test_intervals_are_ordered(pool, documents, name):
    assume(some_judged([documents], [pool]))
    name = f"E({name}, draws=40)"
    scores = hj.evaluate({"q": pool}, {"q": as_run(documents)}, name, distribution=True)
    low, high = (end[0, 0] for end in scores.interval())
    assert 0 <= low <= high
    assert scores.variance[0, 0, 0] >= 0


def test_only_drawn_measures_have_intervals():
    given, names = ({"q": {"a": 0.5}}, {"q": {"a": 1.0}}), ["eRAP", "E(RR)", "E(Bpref)"]
    drawn = hj.evaluate(*given, names, distribution=True).interval()
    assert np.isnan(drawn).any(axis=(0, 2)).tolist() == [True, False, False]
    exact = hj.evaluate(*given, names)  # of these, Bpref alone has to be drawn
    assert np.isnan(exact.interval()).any(axis=(0, 2)).tolist() == [True, True, False]
    with pytest.raises(HungjuryError, match="no labels were drawn for eRAP") as caught:
        exact.mean_draws(0)
    assert "distribution" in caught.value.remedy


def test_undefined_outcomes_score_0():
    """p = 1/2 for the only document: half of the label sets leave AP undefined."""
    names = ["E(AP)", "E(nDCG)", "E(Rprec)"]
    scores = hj.evaluate({"q": {"a": 0.5}}, {"q": {"a": 1.0}}, names)
    assert scores.values[:2, 0, 0] == pytest.approx([0.5, 0.5])
    assert scores.variance[:2, 0, 0] == pytest.approx([0.25, 0.25])
    assert scores.values[2, 0, 0] == pytest.approx(0.5, abs=4 * 0.5 / math.sqrt(1000))
    assert scores.variance[2, 0, 0] == pytest.approx(0.25, abs=0.01)
    assert scores.quantile([0.025, 0.975])[:, 2, 0].tolist() == [0, 1]


# Seeds

LAWS, LISTS = made_laws(3)
RUNS = {s: {"q": as_run(documents)} for s, documents in LISTS.items()}


def test_seeds_reproduce():
    qrels = graded({"q": LAWS})
    first, again = (hj.evaluate(qrels, RUNS, "E(Q, draws=60)") for _ in range(2))
    other = hj.evaluate(qrels, RUNS, "E(Q, draws=60, seed=1)")
    for part in ("values", "variance"):
        assert (getattr(first, part) == getattr(again, part)).all()
        assert (getattr(first, part) != getattr(other, part)).any()
    assert (first.draws[0] == again.draws[0]).all()
    assert (first.draws[0] != other.draws[0]).any()


def test_a_system_alone_is_as_among_others():
    qrels = graded({"q": LAWS})
    among = hj.evaluate(qrels, RUNS, ["E(ERR, draws=60)", "E(Q, draws=60)"])
    alone = hj.evaluate(qrels, {"two": RUNS["two"]}, "E(Q, draws=60)")
    j = among.systems.index("two")
    assert alone.values[0, 0, 0] == pytest.approx(among.values[1, j, 0], rel=1e-12)


def test_the_std_of_a_mean_over_topics():
    soft = {"1": {"a": 0.5, "b": 0.2}, "2": {"a": 0.4, "c": 0.9}}
    scores = hj.evaluate(soft, soft, ["E(AP)", "E(RR)"])
    for i in range(2):
        expected = loops.std_of_topic_mean(scores.variance[i, 0])
        assert scores.mean_std()[i, 0] == pytest.approx(expected)


def test_a_missing_list_is_a_certain_0():
    soft = {"1": {"a": 0.5}, "2": {"a": 0.5}}
    scores = hj.evaluate(soft, {"1": {"a": 1.0}}, ["E(AP)", "E(RR)"])
    assert scores.values[:, 0, 1].tolist() == [0, 0]
    assert scores.variance[:, 0, 1].tolist() == [0, 0]


# Certain labels

OF_CERTAIN = [
    "AP", "AP(rel=2)@3", "GMAP", "nDCG@5", "nDCG(gains={0: 0.5})", "ERR", "RBP", "gRBP", "RR",
    "P@3", "R@4", "F1@3", "Rprec", "Success@2", "IPrec@0.3", "IPrec11", "Q", "Bpref", "infAP",
    "Fallout@4", "Judged@4", "SetP", "SetF", "NumRet", "NumRel", "NumNonrelJudgedRet", "NCP",
    "DCG(base=2)",
    "GAP(g=[0.1, 0.2, 0.3, 0.4])", "xGAP(g=[0.1, 0.2, 0.3, 0.4])", "eGAP(g=[0.1, 0.2, 0.3, 0.4])",
]  # fmt: skip


@pytest.fixture(scope="module")
def certain(simulate):
    """Labels and runs of two collections."""
    found = [simulate(seed) for seed in (1, 2)]
    return [(hj.read_qrels(one.labels, grades=range(5)), hj.read_runs(one.runs)) for one in found]


@pytest.mark.parametrize("unjudged", ["nonrelevant", "condensed"])
@pytest.mark.parametrize("name", OF_CERTAIN)
def test_certain_labels_give_the_measure_itself(certain, name, unjudged):
    for qrels, runs in certain:
        names = [name, f"E({name}, draws=3)"]
        scores = hj.evaluate(qrels, runs, names, unjudged=unjudged)
        np.testing.assert_allclose(scores.values[1], scores.values[0], rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(scores.variance[1], 0, atol=1e-12)
        for end in scores.quantile([0.025, 0.975], per_topic=True)[:, 1]:
            np.testing.assert_allclose(end, scores.values[0], rtol=1e-6, atol=1e-7)


def test_counts_are_still_added_up():
    labels = {"1": {"a": 1, "b": 1}, "2": {"a": 1}}
    scores = hj.evaluate(labels, {"1": {"a": 1.0}, "2": {"a": 1.0}}, ["NumRel", "E(NumRel)"])
    assert scores.mean()[:, 0].tolist() == [3, 3]


def test_certain_labels_on_real_lists(shared_data):
    folder = shared_data / "dl21"
    runs = hj.read_runs(sorted((folder / "runs").glob("*.gz"))[:3], score_precision="single")
    qrels = hj.read_qrels(folder / "qrels.nist.txt")
    names = ["AP(rel=2)", "E(AP(rel=2), draws=2)", "nDCG@10", "E(nDCG@10, draws=2)"]
    values = hj.evaluate(qrels, runs, names).values
    np.testing.assert_allclose(values[1], values[0], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(values[3], values[2], rtol=1e-12)


@pytest.mark.parametrize("name", ["AP", "AP@2", "nDCG@2", "RBP", "P@2"])
def test_expected_ties(name):
    """Certain labels, every document in one tie: E(X) is X, the mean over all orders."""
    runs = hj.read_runs({"q": {"a": 1.0, "b": 1.0, "c": 1.0}}, ties="expected")
    scores = hj.evaluate({"q": {"a": 1, "b": 0, "c": 1}}, runs, [name, f"E({name}, draws=3)"])
    assert scores.values[1, 0, 0] == pytest.approx(scores.values[0, 0, 0])


def test_expected_ties_are_refused_where_the_measure_has_none():
    runs = hj.read_runs({"q": {"a": 1.0, "b": 1.0}}, ties="expected")
    with pytest.raises(MeasureError, match="ties"):
        hj.evaluate({"q": {"a": 0.5, "b": 0.2}}, runs, "E(ERR)")


def test_the_scale_is_checked():
    with pytest.raises(MeasureError, match="rel=2"):
        hj.evaluate({"q": {"a": 0.5}}, {"q": {"a": 1.0}}, "E(AP(rel=2))")
    with pytest.raises(MeasureError, match="g has 3 values"):
        hj.evaluate(graded({"q": LAWS}), RUNS, "E(GAP(g=[0.2, 0.2, 0.6]))")


def test_expected_counts_are_not_shown_as_integers():
    grades, run = {"1": {"a": 1, "b": 2, "c": 1}}, {"s": {"1": {"a": 1.0}}}
    name = "E(NumRel, prob=[0, 0.3, 1])"
    scores = hj.evaluate(grades, run, [name, "NumRel"], grades=range(3))
    value = scores.values[0, 0, 0]
    assert value != round(value)
    assert str(scores).splitlines()[1].split() == ["s", f"{value:.4f}", "3"]
    lines = trec_lines(scores, [hj.measure(name), hj.measure("NumRel")], False, True)
    assert f"\tall\t{value:.4f}\n" in lines
    assert "\tall\t3\n" in lines


# Names of expectations, such as E(AP) and E(nDCG@10, draws=20).


def test_a_cutoff_of_the_expectation_is_that_of_the_measure():
    outside, inside = hj.measure("E(AP)@3"), hj.measure("E(AP@3)")
    assert outside == inside
    assert str(outside) == str(inside) == "E(AP@3)"
    scores = hj.evaluate(
        {"q": {"a": 0.5, "b": 0.9}}, {"q": {"b": 1.0, "a": 0.5}}, [outside, "E(AP@1)"]
    )
    assert scores.values[0, 0, 0] > scores.values[1, 0, 0]


@pytest.mark.parametrize(
    "name",
    [
        "E(AP)",
        "E(nDCG@10, draws=20)",
        "E(RBP(p=0.9), draws=20, seed=3)",
        "E(GAP(g=[0.1, 0.9])@5)",
        'E(nDCG(dcg="exp-log2")@10)',
        "E(IPrec@0.1)",
    ],
)
def test_written_and_read_back(name):
    assert str(hj.measure(name)) == name
    assert hj.measure(str(hj.measure(name))) == hj.measure(name)


@pytest.mark.parametrize("name", ["E(E(AP))", "E(eRAP)", "E(eRRBP@10)", "E(eRDCG(base=2))"])
def test_expectations_of_expectations_are_refused(name):
    with pytest.raises(MeasureError, match="measure of certain labels") as caught:
        hj.measure(name)
    assert caught.value.remedy


@pytest.mark.parametrize(
    "name",
    ["E", "E()", "E(AP, nDCG)", "E(Bpref)@10", "E(AP, draws=1)", "E(AP, seed=-1)", "E(nothing)"],
)
def test_what_cannot_be_read(name):
    with pytest.raises(HungjuryError) as caught:
        hj.measure(name)
    assert caught.value.remedy


def test_a_list_alone_is_refused():
    with pytest.raises(MeasureError, match=r"evaluate\(\)"):
        hj.score_list("E(AP)", [1, 0])


# E(X, unjudged=...): documents that nobody judged, against all label sets.


UNSURE = {"t": {"a": 0, "b": 1, "c": 2, "d": 0}}
LIST = "ubacv"  # u and v are not judged
CHANCES = {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.1, "u": 0.8, "v": 0.8}


def over_all_labels(value):
    """The exact expectation: every label set with its probability."""
    total = 0.0
    for bits in itertools.product((0, 1), repeat=len(CHANCES)):
        x = dict(zip(CHANCES, bits, strict=True))
        chance = math.prod(CHANCES[d] if x[d] else 1 - CHANCES[d] for d in x)
        total += chance * value([x[d] for d in LIST], sum(x.values()))
    return total


def average_precision(x, relevant):
    found = sum(sum(x[: n + 1]) / (n + 1) for n in range(len(x)) if x[n])
    return found / relevant if relevant else 0.0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("P@2", lambda x, _: sum(x[:2]) / 2),
        ("RBP(p=0.5)", lambda x, _: sum(0.5 * 0.5**n * v for n, v in enumerate(x))),
        ("RR", lambda x, _: 1 / (x.index(1) + 1) if 1 in x else 0.0),
        ("Success@1", lambda x, _: float(x[0])),
        ("AP", average_precision),
        ("NCP", average_precision),
    ],
)
def test_unjudged_documents_count_where_nothing_in_the_pool_is_relevant(name, value):
    """Which has a probability of 0.45 here."""
    options = "prob=[0.1, 0.2, 0.3], unjudged=0.8, draws=4000"
    scores = hj.evaluate(UNSURE, {"t": as_run(LIST)}, f"E({name}, {options})")
    error = scores.std[0, 0, 0] / math.sqrt(4000)
    assert scores.values[0, 0, 0] == pytest.approx(over_all_labels(value), abs=4 * error)


def test_expectations_agree_with_the_exact_expected_measures():
    given = "prob=[0.1, 0.2, 0.3], unjudged=0.8"
    pairs = {"P@2": f"eRP({given})@2", "RBP(p=0.5)": f"eRRBP(p=0.5, {given})"}
    for drawn, exact in pairs.items():
        scores = hj.evaluate(
            UNSURE, {"t": as_run(LIST)}, [f"E({drawn}, {given}, draws=4000)", exact]
        )
        one, other = scores.values[:, 0, 0]
        assert one == pytest.approx(other, abs=4 * scores.std[0, 0, 0] / math.sqrt(4000))
