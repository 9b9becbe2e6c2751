"""Every measure of the catalogue against its slow loop in naive*.py."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import hungjury as hj
import naive
import naive_expected
import naive_gain
import naive_graded
import naive_markov
import naive_users
from hungjury.catalogue import CATALOGUE
from hungjury.users.transitions import MODELS

Labels = Sequence[int | None]
Pool = Sequence[int]
Oracle = Callable[[Any, Labels, Pool, int], "float | None"]
NAN = math.nan


def ncp(m: Any, labels: Labels, pool: Pool) -> float | None:
    """The law's weights brought to sum 1 over the R relevant documents; undefined at sum 0."""
    total = int(naive.num_rel(labels, pool, m.rel))
    if m.weights is not None:
        weights = [*m.weights, *[0.0] * total][:total]
    else:
        ratio = m.p if m.stop == "geometric" else 1.0
        weights = [ratio**i for i in range(total)]
    whole = sum(weights)
    return naive.ncp(labels, pool, [w / whole for w in weights], m.rel) if whole else None


def gains(m: Any) -> dict[int, float] | None:
    return None if m.gains is None else dict(m.gains)


def chances(m: Any, top: int) -> dict[str, Any]:
    """P(relevant) of grades and of unjudged documents; without a map grades decide."""
    surely = [float(grade >= (m.rel or 1)) for grade in range(top + 1)]
    return {"prob": m.prob or surely, "unjudged": m.unjudged, "cutoff": m.cutoff}


def smooth(alpha: float) -> tuple[float, float, float]:
    """alpha/i + gamma, which sums to 1 over ten ranks."""
    return alpha, 0.0, (1 - alpha * sum(1 / i for i in range(1, 11))) / 10


SHAPE = {"navigational": smooth(0.15), "informational": smooth(0.03)}  # the shipped users

# measure, labels in rank order, pool, largest grade of the scale -> value
ORACLES: dict[str, Oracle] = {
    "P": lambda m, x, pool, top: naive.precision(x, pool, m.cutoff, m.rel),
    "R": lambda m, x, pool, top: naive.recall(x, pool, m.cutoff, m.rel),
    "F1": lambda m, x, pool, top: naive.f1(x, pool, m.cutoff, m.rel),
    "Fallout": lambda m, x, pool, top: naive.fallout(x, pool, m.cutoff, m.rel),
    "Rprec": lambda m, x, pool, top: naive.rprec(x, pool, m.rel),
    "AP": lambda m, x, pool, top: naive.ap(x, pool, m.cutoff, m.rel),
    "GMAP": lambda m, x, pool, top: naive.ap(x, pool, m.cutoff, m.rel),
    "NCP": lambda m, x, pool, top: ncp(m, x, pool),
    "RR": lambda m, x, pool, top: naive.rr(x, pool, m.cutoff, m.rel),
    "Success": lambda m, x, pool, top: naive.success(x, pool, m.cutoff, m.rel),
    "IPrec": lambda m, x, pool, top: naive.iprec(x, pool, m.recall, m.rel),
    "IPrec11": lambda m, x, pool, top: naive.eleven_point(x, pool, m.rel),
    "ESL": lambda m, x, pool, top: naive.esl(x, pool, m.want, m.rel),
    "ESLSaving": lambda m, x, pool, top: naive.esl_saving(x, pool, m.want, m.rel),
    "CG": lambda m, x, pool, top: naive_gain.cg(x, pool, m.cutoff, gains(m)),
    "nCG": lambda m, x, pool, top: naive_gain.ncg(x, pool, m.cutoff, gains(m)),
    "DCG": lambda m, x, pool, top: naive_gain.dcg(x, pool, m.cutoff, m.base, gains(m), m.dcg),
    "nDCG": lambda m, x, pool, top: naive_gain.ndcg(x, pool, m.cutoff, m.base, gains(m), m.dcg),
    "RBP": lambda m, x, pool, top: naive_gain.rbp(x, pool, m.p, m.cutoff, m.rel),
    "gRBP": lambda m, x, pool, top: naive_gain.grbp(
        x, pool, m.max_grade or top, m.p, m.cutoff, gains(m)
    ),
    "ERR": lambda m, x, pool, top: naive_gain.err(x, pool, m.max_grade or top, m.cutoff, gains(m)),
    "Q": lambda m, x, pool, top: naive_gain.q_measure(x, pool, m.beta, m.cutoff, gains(m), m.rel),
    "Bpref": lambda m, x, pool, top: naive.bpref(x, pool, m.rel),
    "infAP": lambda m, x, pool, top: naive.infap(x, pool, m.rel),
    "Judged": lambda m, x, pool, top: naive.judged_rate(x, pool, m.cutoff),
    "GAP": lambda m, x, pool, top: naive_graded.gap(x, pool, m.g, m.cutoff),
    "xGAP": lambda m, x, pool, top: naive_graded.xgap(x, pool, m.g, m.cutoff),
    "eGAP": lambda m, x, pool, top: naive_graded.egap(x, pool, m.g, m.cutoff),
    "eRP": lambda m, x, pool, top: naive_expected.erp(x, pool, m.cutoff, **chances(m, top)),
    "eRRBP": lambda m, x, pool, top: naive_expected.errbp(x, pool, m.p, **chances(m, top)),
    "eRDCG": lambda m, x, pool, top: naive_expected.erdcg(x, pool, m.base, **chances(m, top)),
    "eRAP": lambda m, x, pool, top: naive_expected.erap(
        x, pool, **chances(m, top), recall_base=m.recall_base
    ),
    "MP": lambda m, x, pool, top: naive_markov.mp(
        x, pool, m.model, m.rates, m.rec, m.rel, m.cutoff
    ),
    "nMCG": lambda m, x, pool, top: naive_users.nmcg(
        x, pool, SHAPE, m.nav_rel or m.users.nav_rel, m.cutoff
    ),
    "SetP": lambda m, x, pool, top: naive.set_precision(x, pool, m.rel),
    "SetR": lambda m, x, pool, top: naive.set_recall(x, pool, m.rel),
    "SetF": lambda m, x, pool, top: naive.set_f(x, pool, m.beta, m.rel),
    "SetFallout": lambda m, x, pool, top: naive.set_fallout(x, pool, m.rel),
    "NumQ": lambda m, x, pool, top: 1.0,
    "NumRet": lambda m, x, pool, top: naive.num_ret(x, pool),
    "NumRel": lambda m, x, pool, top: naive.num_rel(x, pool, m.rel),
    "NumRelRet": lambda m, x, pool, top: naive.num_rel_ret(x, pool, m.rel),
    "NumNonrelJudgedRet": lambda m, x, pool, top: naive.num_nonrel_judged_ret(x, pool, m.rel),
}
# Without a recall base, or with one of documents that are not relevant.
ALWAYS_DEFINED = {
    "Judged", "NumQ", "NumRet", "NumRel", "NumRelRet", "NumNonrelJudgedRet", "Fallout",
    "SetFallout", "eRP", "eRRBP", "eRDCG",
}  # fmt: skip
BY_GAIN = {"CG", "nCG", "DCG", "nDCG", "gRBP", "ERR"}
# What counts where the measure is undefined: the worst value.
WORST: dict[str, Oracle] = {
    "ESL": lambda m, x, pool, top: naive.esl_counted(x, pool, m.want, m.rel),
    "Fallout": lambda m, x, pool, top: float(len(x) > 0),
    "SetFallout": lambda m, x, pool, top: float(len(x) > 0),
}
DRAWN = {"E"}  # values that come from random draws have no loop to be equal to
CLASSES: list[Any] = [cls for cls in CATALOGUE if cls.name not in DRAWN]


def oracle_value(m: Any, labels: Labels, pool: Pool, top: int) -> float:
    """What the loops say; NaN where the pool holds nothing that counts for the measure."""
    if m.name in ALWAYS_DEFINED:
        something = True
    elif m.name in BY_GAIN:
        form = getattr(m, "dcg", "log2")
        something = any(naive_gain.gain(label, gains(m), form) > 0 for label in pool)
    elif m.name == "eRAP":
        given = chances(m, top)
        something = naive_expected.recall_base_of(pool, given["prob"], given["unjudged"]) > 0
    else:
        something = naive.num_rel(labels, pool, getattr(m, "rel", 1)) > 0
    if not something:
        return NAN
    value = ORACLES[m.name](m, labels, pool, top)
    return NAN if value is None else value


def counted_value(m: Any, labels: Labels, pool: Pool, top: int) -> float:
    """The same, with 0 or the worst value where the measure is undefined."""
    value = oracle_value(m, labels, pool, top)
    if not math.isnan(value):
        return value
    return WORST[m.name](m, labels, pool, top) if m.name in WORST else 0.0  # type: ignore[return-value]


def same(value: float, expected: float) -> bool:
    """Equal but for rounding, NaN equal to NaN."""
    if math.isnan(expected) or math.isnan(value):
        return math.isnan(expected) and math.isnan(value)
    return math.isclose(value, expected, rel_tol=1e-12, abs_tol=1e-12)


# Measures with any parameters

some_gains = st.dictionaries(st.integers(0, 4), st.sampled_from([0.0, 0.5, 1.0, 3.0, 10.0]))
PARAMS: dict[str, st.SearchStrategy[Any]] = {
    "rel": st.integers(1, 4),
    "cutoff": st.integers(1, 12),
    "recall": st.integers(0, 20).map(lambda i: i / 20) | st.floats(0.001, 1),
    "stop": st.sampled_from(["uniform", "geometric"]),
    "weights": st.lists(st.sampled_from([0.0, 0.1, 1.0, 2.5]), max_size=5),
    "want": st.integers(1, 4),
    "gains": some_gains,
    "dcg": st.sampled_from(["log2", "exp-log2"]),
    "base": st.floats(1.1, 20),
    "p": st.floats(0.01, 0.99),
    "max_grade": st.integers(4, 6),
    "beta": st.floats(0, 5),
    "g": st.lists(st.integers(0, 3), min_size=4, max_size=4)
    .filter(any)
    .map(lambda parts: [part / sum(parts) for part in parts]),
    "prob": st.lists(st.sampled_from([0.0, 0.1, 0.5, 1.0]), min_size=5, max_size=5),
    "unjudged": st.sampled_from([0.0, 0.05, 1.0]),
    "recall_base": st.sampled_from(["pool", 0.5, 7.0]),
    "base_depth": st.integers(1, 100),
    "of": st.sampled_from([CATALOGUE["AP"](rel=2), CATALOGUE["nDCG"](gains={1: 0.5})]),
    "draws": st.integers(2, 5),
    "seed": st.integers(0, 9),
    "model": st.sampled_from(MODELS),
    "rates": st.none(),
    "rec": st.booleans(),
    "nav_rel": st.integers(1, 3),
    "user": st.just("published-shape"),
}

# A failing example with one measure of each class is not worth the minutes it takes to shrink.
AS_FOUND = (Phase.explicit, Phase.reuse, Phase.generate)


@functools.cache
def measures(cls: Any) -> st.SearchStrategy[Any]:
    """Measures of one class; optional parameters are now and then left out."""
    values = {f.name: PARAMS[f.name] for f in cls.params()}
    for f in cls.params():
        if f.default is None:
            values[f.name] = st.none() | values[f.name]
    return st.fixed_dictionaries(values).map(functools.partial(with_values, cls))


def with_values(cls: Any, values: dict[str, Any]) -> Any:
    if values.get("prob") is not None and "rel" in values:
        values = values | {"rel": None}  # they exclude each other
    if cls.name == "nMCG":
        values = values | {"cutoff": min(values["cutoff"], 10)}  # ranks that its users know
    return cls(**values)


grades = st.integers(-2, 4)
judged_lists = st.lists(st.none() | grades, max_size=12)
more_pool = st.lists(grades, max_size=8)


def pool_of(labels: Labels, more: Pool, m: Any = None) -> list[int]:
    """A pool that holds the list; one that has the whole scale for measures that ask for it."""
    whole_scale = [4] if getattr(m, "prob", None) is not None else []
    return [label for label in labels if label is not None] + list(more) + whole_scale


# Tests


def test_every_measure_has_an_oracle() -> None:
    assert {cls.name for cls in CATALOGUE} == set(ORACLES) | DRAWN


def test_every_parameter_is_varied() -> None:
    assert {f.name for cls in CATALOGUE for f in cls.params()} <= set(PARAMS)


@pytest.mark.parametrize("name", ORACLES)
@settings(max_examples=50)
@given(data=st.data(), labels=judged_lists, more=more_pool)
def test_one_list(name: str, data: st.DataObject, labels: Labels, more: Pool) -> None:
    m = data.draw(measures(CATALOGUE[name]))
    pool = pool_of(labels, more, m)
    top = max([1, *pool])
    assert same(hj.score_list(m, labels, pool), oracle_value(m, labels, pool, top)), m


@settings(max_examples=30)
@given(labels=judged_lists)
def test_the_pool_of_a_list_without_one_is_the_list(labels: Labels) -> None:
    for name in ("AP", "nDCG@5", "Bpref", "NumRel", "ERR"):
        assert same(hj.score_list(name, labels), hj.score_list(name, labels, pool_of(labels, [])))


@pytest.mark.parametrize("source", ["files", "interleaved files", "dictionaries"])
@settings(max_examples=15, phases=AS_FOUND)
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


@settings(max_examples=15, phases=AS_FOUND)
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


@settings(max_examples=30, phases=AS_FOUND)
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
