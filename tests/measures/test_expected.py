"""Relevance as a random variable: eRRBP, eRDCG and eRAP against enumeration of every outcome."""

import io
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import hungjury as hj
from builders.examples import examples
from hungjury.base.errors import MeasureError
from hungjury.judges.merge import merge
from hungjury.measures.catalogue import CATALOGUE
from hungjury.stats.correlation import tau_ap
from oracles import expected as loops
from oracles import measures as naive

NAMES = ["eRRBP", "eRDCG", "eRAP"]
SUMS = ["eRRBP", "eRDCG"]  # nothing to divide by: never undefined
MOMENTS = {"eRRBP": loops.errbp_moments, "eRDCG": loops.erdcg_moments, "eRAP": loops.erap_moments}
INSIDE = ["d1", "d2", "D3", "é4", "5"]  # documents that may be judged
OUTSIDE = ["x", "y#", "Z"]  # documents that nobody judges
TOP = 3

chances = st.sampled_from([0.0, 1.0, 0.5]) | st.integers(0, 1000).map(lambda i: i / 1000)


# Made-up collections


@st.composite
def lists(draw):
    """{system: {topic: {document: score}}}; now and then a system has no list."""
    topics, systems = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    runs = {}
    for s in range(systems):
        runs[f"s{s}"] = {}
        for t in range(topics):
            order = draw(st.permutations(INSIDE + OUTSIDE))
            kept = order[: draw(st.integers(1 if s == t == 0 else 0, 6))]
            if kept:
                runs[f"s{s}"][f"q{t}"] = {d: float(-i) for i, d in enumerate(kept)}
        runs[f"s{s}"]["nobody judged this"] = {"d1": 1.0}
    return topics, runs


def pools(topics, labels):
    pool = st.dictionaries(st.sampled_from(INSIDE), labels, min_size=1)
    return st.fixed_dictionaries({f"q{t}": pool for t in range(topics)})


@st.composite
def measures(draw, name, kind):
    """A measure with any parameters that suit soft labels, a grade map, or a threshold."""
    given = {"cutoff": draw(st.none() | st.integers(1, 7))}
    given["unjudged"] = draw(st.none() | st.sampled_from([0.0, 0.3, 1.0]))
    if kind == "prob":
        given["prob"] = draw(st.lists(chances, min_size=TOP + 1, max_size=TOP + 1))
    if kind == "rel":
        given["rel"] = draw(st.none() | st.integers(1, TOP))
    if name == "eRRBP":
        given["p"] = draw(st.floats(0, 0.99))
    if name == "eRDCG":
        given["base"] = draw(st.floats(1.1, 12))
    if name == "eRAP":
        given["recall_base"] = draw(st.sampled_from(["pool", "retrieved", 2.5, 1]))
        given["base_depth"] = draw(st.integers(1, 7))
        given["collection"] = draw(st.none() | st.integers(1, 20))
    return CATALOGUE[name](**given)


def ranked(run, topic):
    lines = run.get(topic, {})
    return sorted(lines, key=lambda d: -lines[d])


def unjudged_retrieved(made, runs, topic, depth):
    """Documents outside the pool that any run has in its first ranks, as a set."""
    found = set()
    for run in runs.values():
        found |= set(ranked(run, topic)[:depth]) - set(made[topic])
    return len(found)


def expected_moments(m, made, runs, system, topic, condensed):
    """Mean and variance by enumeration; None where nothing in the pool may be relevant and the
    measure divides by that."""
    labels = [made[topic].get(d) for d in ranked(runs[system], topic)]
    if condensed:
        labels = naive.condensed(labels)
    pool = list(made[topic].values())
    prob = m.prob
    if m.rel is not None or any(label is not None and label > 1 for label in labels + pool):
        prob = prob or [float(grade >= (m.rel or 1)) for grade in range(TOP + 1)]
    more = {"prob": prob, "unjudged": m.unjudged, "cutoff": m.cutoff}
    if m.name == "eRRBP":
        more["p"] = m.p
    if m.name == "eRDCG":
        more["base"] = m.base
    if m.name == "eRAP":
        more["recall_base"] = m.recall_base
        more["collection"] = m.collection
        more["unjudged_retrieved"] = unjudged_retrieved(made, runs, topic, m.base_depth)
    return MOMENTS[m.name](labels, pool, **more)


def close(value, expected):
    return math.isclose(value, expected, rel_tol=1e-10, abs_tol=1e-12)


def check(made, runs, chosen, unjudged="nonrelevant", read=hj.read_qrels):
    scores = hj.evaluate(read(made), runs, chosen, undefined="nan", unjudged=unjudged)
    for i, m in enumerate(chosen):
        for j, system in enumerate(scores.systems):
            for k, topic in enumerate(scores.topics):
                value, spread = scores.values[i, j, k], scores.variance[i, j, k]
                found = expected_moments(m, made, runs, system, topic, unjudged == "condensed")
                if found is None:
                    assert math.isnan(value), (m, system, topic)
                else:
                    assert close(value, found[0]), (m, system, topic)
                    assert close(spread, found[1]), (m, system, topic)


def on_a_scale(made):
    return hj.read_qrels(made, grades=range(TOP + 1))


# Against enumeration


def some_judged(runs, made):
    """Is any judged document in a run? If not, evaluate refuses."""
    lists = [(t, found) for run in runs.values() for t, found in run.items() if t in made]
    return any(document in made[t] for t, found in lists for document in found)


@pytest.mark.parametrize("unjudged", ["nonrelevant", "condensed"])
@pytest.mark.parametrize("kind", ["soft", "prob", "rel"])
@examples(12)
@given(data=st.data())
def test_mean_and_variance(kind, unjudged, data):
    topics, runs = data.draw(lists())
    labels = chances if kind == "soft" else st.integers(-2, TOP)
    made = data.draw(pools(topics, labels))
    assume(some_judged(runs, made))
    chosen = [data.draw(measures(name, kind)) for name in NAMES]
    check(made, runs, chosen, unjudged, hj.read_qrels if kind == "soft" else on_a_scale)


@examples(16)
@given(data=st.data())
def test_probabilities_of_grades_are_summed_from_rel_on(data):
    topics, runs = data.draw(lists())
    made = data.draw(pools(topics, st.tuples(chances, chances, chances).filter(any)))
    assume(some_judged(runs, made))
    rows = [(t, d, *(v / sum(p) for v in p)) for t, pool in made.items() for d, p in pool.items()]
    text = "topic,document,p0,p1,p2\n" + "".join(f"{t},{d},{a},{b},{c}\n" for t, d, a, b, c in rows)
    qrels = hj.read_qrels(io.StringIO(text))
    name = data.draw(st.sampled_from(NAMES))
    for rel in (1, 2):
        m = CATALOGUE[name](rel=rel, cutoff=data.draw(st.none() | st.integers(1, 7)))
        soft = {t: {} for t in made}
        for t, d, *p in rows:
            soft[t][d] = min(sum(p[rel:]), 1.0)
        plain = CATALOGUE[name](cutoff=m.cutoff)
        scores = hj.evaluate(qrels, runs, m, undefined="nan")
        for j, system in enumerate(scores.systems):
            for k, topic in enumerate(scores.topics):
                found = expected_moments(plain, soft, runs, system, topic, False)
                if found is None:
                    assert math.isnan(scores.values[0, j, k])
                else:
                    assert close(scores.values[0, j, k], found[0])
                    assert close(scores.variance[0, j, k], found[1])


@examples(40)
@given(
    st.lists(st.none() | chances, min_size=1, max_size=7),
    st.lists(chances, max_size=4),
    st.data(),
)
def test_one_list_of_probabilities(labels, more, data):
    name = data.draw(st.sampled_from(NAMES))
    m = data.draw(measures(name, "soft"))
    if name == "eRAP" and m.recall_base == "retrieved":
        m = CATALOGUE["eRAP"](cutoff=m.cutoff, unjudged=m.unjudged)
    pool = [v for v in labels if v is not None] + more
    value = hj.score_list(m, labels, pool)
    extra = {"eRRBP": ["p"], "eRDCG": ["base"], "eRAP": ["recall_base", "collection"]}[name]
    given = {key: getattr(m, key) for key in [*extra, "cutoff", "unjudged"]}
    loop = {"eRRBP": loops.errbp, "eRDCG": loops.erdcg, "eRAP": loops.erap}[name]
    expected = loop(labels, pool, **given)
    assert math.isnan(value) if expected is None else close(value, expected)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("pool", [[0.5], [1]])
def test_an_empty_list_scores_0(name, pool):
    assert hj.score_list(f"{name}(unjudged=0.3)", [], pool) == 0


def test_the_prob_of_a_scale_suits_a_list_without_the_largest_grade():
    labels, prob = [1, 0, None], [0.1, 0.5, 0.9]
    expected = loops.erap(labels, [1, 0], prob)
    assert hj.score_list("eRAP(prob=[0.1, 0.5, 0.9])", labels) == pytest.approx(expected)


def test_a_prob_that_ends_below_the_grades_of_a_list_is_refused():
    with pytest.raises(MeasureError, match="prob has 2 values"):
        hj.score_list("eRAP(prob=[0, 1])", [2, 0])


def test_a_simulation_agrees_within_its_error():
    rng = np.random.default_rng(11)
    p = rng.random(60)
    made = {"q": {f"d{i}": float(v) for i, v in enumerate(p)}}
    run = {"q": {f"d{i}": float(-i) for i in range(45)}}
    scores = hj.evaluate(made, run, ["eRRBP(p=0.9)", "eRDCG(base=2)", "eRAP"])
    x = rng.random((40_000, 60)) < p
    n = np.arange(1, 46)
    seen = x[:, :45]
    drawn = [
        (seen * 0.1 * 0.9 ** (n - 1)).sum(axis=1),
        (seen / np.maximum(1, np.log2(n))).sum(axis=1),
        (seen * np.cumsum(seen, axis=1) / n).sum(axis=1) / p.sum(),
    ]
    for i, sample in enumerate(drawn):
        error = sample.std() / math.sqrt(len(sample))
        assert abs(scores.values[i, 0, 0] - sample.mean()) < 4 * error
        away = (sample - sample.mean()) ** 2
        error = away.std() / math.sqrt(len(sample))
        assert abs(scores.variance[i, 0, 0] - away.mean()) < 4 * error


# Certain labels


def summed(values, names):
    """The values of plain measures as their expected twins have them: 0 where a sum is undefined
    for lack of relevant documents."""
    sums = np.array([name.startswith(tuple(SUMS)) for name in names])
    return np.where(sums[:, None, None] & np.isnan(values), 0.0, values), sums


def binary(rel, top):
    return {grade: float(grade >= rel) for grade in range(1, top + 1)}


def twins(rel, top):
    """Expected measures beside what they are when p is 0 or 1."""
    gains = binary(rel, top)
    pairs = [
        (f"eRRBP(p=0.7, rel={rel})", f"RBP(p=0.7, rel={rel})"),
        (f"eRRBP(rel={rel})@5", f"RBP(rel={rel})@5"),
        (f"eRDCG(rel={rel})", f"DCG(base=10, gains={gains})"),
        (f"eRDCG(base=2, rel={rel})@4", f"DCG(base=2, gains={gains})@4"),
        (f"eRAP(rel={rel})", f"AP(rel={rel})"),
        (f"eRAP(rel={rel})@3", f"AP(rel={rel})@3"),
    ]
    return [list(side) for side in zip(*pairs, strict=True)]


@pytest.mark.parametrize("unjudged", ["nonrelevant", "condensed"])
@examples(25)
@given(seed=st.integers(0, 10**6), rel=st.integers(1, 4))
def test_certain_labels_give_the_plain_measures(simulate, unjudged, seed, rel):
    made = simulate(seed)
    qrels = hj.read_qrels(made.labels, grades=range(5))
    uncertain, plain = twins(rel, 4)
    scores = hj.evaluate(qrels, made.runs, uncertain, undefined="nan", unjudged=unjudged)
    expected = hj.evaluate(qrels, made.runs, plain, undefined="nan", unjudged=unjudged)
    values, sums = summed(expected.values, uncertain)
    np.testing.assert_allclose(scores.values, values, rtol=1e-12, atol=1e-12)
    assert (scores.status[~sums] == expected.status[~sums]).all()
    defined = ~np.isnan(expected.values)
    assert (scores.status[defined] == expected.status[defined]).all()
    assert (scores.variance[~np.isnan(scores.values)] == 0).all()


@examples(25)
@given(seed=st.integers(0, 10**6), rel=st.integers(1, 4))
def test_certain_probabilities_give_the_plain_measures(simulate, seed, rel):
    made = simulate(seed, negative=False)
    qrels = hj.read_qrels(made.labels, grades=range(5))
    uncertain = ["eRRBP(p=0.7)", "eRDCG(base=3)", "eRAP", "eRAP@3"]
    plain = [f"RBP(p=0.7, rel={rel})", f"DCG(base=3, gains={binary(rel, 4)})"]
    plain += [f"AP(rel={rel})", f"AP(rel={rel})@3"]
    soft = qrels.at_least(rel)
    assert soft.soft
    scores = hj.evaluate(soft, made.runs, uncertain, undefined="nan")
    expected = hj.evaluate(qrels, made.runs, plain, undefined="nan")
    values, _ = summed(expected.values, uncertain)
    np.testing.assert_allclose(scores.values, values, rtol=1e-12, atol=1e-12)
    assert (scores.variance[~np.isnan(scores.values)] == 0).all()


# Real lists and judges


@pytest.fixture(scope="module")
def dl21(shared_data):
    return shared_data / "dl21"


@pytest.fixture(scope="module")
def nist(dl21):
    return hj.read_qrels(dl21 / "qrels.nist.txt")


@pytest.fixture(scope="module")
def runs(dl21):
    return hj.read_runs(sorted((dl21 / "runs").glob("*.gz")), score_precision="single")


def test_certain_labels_on_real_lists(nist, runs):
    uncertain, plain = twins(2, 3)
    expected = hj.evaluate(nist, runs, plain)
    scores = hj.evaluate(nist, runs, uncertain)
    np.testing.assert_allclose(scores.values, expected.values, rtol=1e-11, atol=1e-13)
    assert (scores.variance == 0).all()
    soft = hj.evaluate(nist.at_least(2), runs, ["eRRBP(p=0.7)", "eRAP", "eRAP@3"])
    np.testing.assert_allclose(soft.values, expected.values[[0, 4, 5]], rtol=1e-11, atol=1e-13)
    assert (soft.variance == 0).all()


def test_votes_of_27_judges_as_probabilities(dl21, nist, runs):
    """Agreement of system rankings with NIST's on TREC 2021 Deep Learning (measures of RR, votes
    as in CS): binmv and qbinmv under eRAP, then under eRRBP with persistence 0.8."""
    files = sorted((dl21 / "judges-llama").glob("*.gz"))
    judges = hj.read_judgments(files, duplicates="first", grades=range(4), outside="clip")
    gold = hj.evaluate(nist, runs, ["AP(rel=2)", "RBP(p=0.8, rel=2)"]).mean()
    for method, ap, rbp in (("binmv", 0.630, 0.848), ("qbinmv", 0.682, 0.765)):
        means = hj.evaluate(merge(judges, method, rel=2), runs, ["eRAP", "eRRBP(p=0.8)"]).mean()
        assert tau_ap(means[0], gold[0]) == pytest.approx(ap, abs=5e-4)
        assert tau_ap(means[1], gold[1]) == pytest.approx(rbp, abs=5e-4)
