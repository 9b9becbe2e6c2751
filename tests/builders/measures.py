"""Every measure of the catalogue with its slow loop, with any parameters, on any judged list."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import Phase
from hypothesis import strategies as st

from hungjury.measures.catalogue import CATALOGUE
from hungjury.users.chain import MODELS
from oracles import expected as naive_expected
from oracles import gain as naive_gain
from oracles import graded as naive_graded
from oracles import markov as naive_markov
from oracles import measures as naive
from oracles import users as naive_users

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
def times(*values: float | None) -> float | None:
    return None if None in values else math.prod(values)  # type: ignore[arg-type]


def relative_precision(m: Any, x: Labels, pool: Pool) -> float | None:
    if not m.relative:
        return naive.set_precision(x, pool, m.rel)
    most = min(len(x), naive.num_rel(x, pool, m.rel))
    return naive.num_rel_ret(x, pool, m.rel) / most if most else 0.0


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
    "IPrec": lambda m, x, pool, top: naive.iprec(x, pool, m.recall, m.rel, m.levels),
    "IPrec11": lambda m, x, pool, top: naive.eleven_point(x, pool, m.rel, levels=m.levels),
    "ESL": lambda m, x, pool, top: naive.esl(x, pool, m.want, m.rel),
    "ESLSaving": lambda m, x, pool, top: naive.esl_saving(x, pool, m.want, m.rel),
    "CG": lambda m, x, pool, top: naive_gain.cg(x, pool, m.cutoff, gains(m)),
    "Mean": lambda m, x, pool, top: naive_gain.mean_gain(x, pool, m.cutoff, gains(m)),
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
        x, pool, **chances(m, top), recall_base=m.recall_base, collection=m.collection
    ),
    "MP": lambda m, x, pool, top: naive_markov.mp(
        x, pool, m.model, m.rates, m.rec, m.rel, m.cutoff, m.steps
    ),
    "nMCG": lambda m, x, pool, top: naive_users.nmcg(
        x, pool, SHAPE, m.nav_rel or m.users.nav_rel, m.cutoff
    ),
    **{
        name: lambda m, x, pool, top: naive_gain.cwl(m.name, m, x, max(m.max_grade or top, top))
        for name in ("SDCG", "BPM", "INSQ", "INST", "NERR8", "NERR9", "NERR10", "NERR11")
    },
    "Accuracy": lambda m, x, pool, top: naive.accuracy(x, pool, m.cutoff, m.rel),
    "Compat": lambda m, x, pool, top: naive_gain.compat(x, pool, m.p, m.normalize),
    "SetAP": lambda m, x, pool, top: times(
        naive.set_precision(x, pool, m.rel), naive.set_recall(x, pool, m.rel)
    ),
    "SetP": lambda m, x, pool, top: relative_precision(m, x, pool),
    "SetR": lambda m, x, pool, top: naive.set_recall(x, pool, m.rel),
    "SetF": lambda m, x, pool, top: naive.set_f(x, pool, m.beta, m.rel),
    "SetFallout": lambda m, x, pool, top: naive.set_fallout(x, pool, m.rel),
    "NumQ": lambda m, x, pool, top: 1.0,
    "NumRet": lambda m, x, pool, top: (
        naive.num_ret(x, pool) if m.rel is None else naive.num_rel_ret(x, pool, m.rel)
    ),
    "NumRel": lambda m, x, pool, top: naive.num_rel(x, pool, m.rel),
    "NumRelRet": lambda m, x, pool, top: naive.num_rel_ret(x, pool, m.rel),
    "NumNonrelJudgedRet": lambda m, x, pool, top: naive.num_nonrel_judged_ret(x, pool, m.rel),
}
# Without a recall base, or with one of documents that are not relevant.
ALWAYS_DEFINED = {
    "Mean", "Judged", "NumQ", "NumRet", "NumRel", "NumRelRet", "NumNonrelJudgedRet", "Fallout",
    "SetFallout", "eRP", "eRRBP", "eRDCG",
}  # fmt: skip
BY_GAIN = {"CG", "nCG", "DCG", "nDCG", "gRBP", "ERR"}
# What counts where the measure is undefined: the worst value.
WORST: dict[str, Oracle] = {
    "ESL": lambda m, x, pool, top: naive.esl_counted(x, pool, m.want, m.rel),
    "Fallout": lambda m, x, pool, top: float(len(x) > 0),
    "SetFallout": lambda m, x, pool, top: float(len(x) > 0),
}
DRAWN = {"E", "Residual"}  # of other measures: draws have no loop to be equal to
CLASSES: list[Any] = [cls for cls in CATALOGUE if cls.name not in DRAWN]


def oracle_value(m: Any, labels: Labels, pool: Pool, top: int) -> float:
    """What the loops say; NaN where the pool holds nothing that counts for the measure."""
    if m.name in ALWAYS_DEFINED:
        something = True
    elif m.name in BY_GAIN:
        form = getattr(m, "dcg", "log2")
        something = any(naive_gain.gain(label, gains(m), form) > 0 for label in pool)
    elif m.name == "eRAP":
        something = True  # the loop knows
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
    "T": st.floats(0.6, 4),
    "normalize": st.booleans(),
    "relative": st.booleans(),
    "g": st.lists(st.integers(0, 3), min_size=4, max_size=4)
    .filter(any)
    .map(lambda parts: [part / sum(parts) for part in parts]),
    "prob": st.lists(st.sampled_from([0.0, 0.1, 0.5, 1.0]), min_size=5, max_size=5),
    "unjudged": st.sampled_from([0.0, 0.05, 1.0]),
    "recall_base": st.sampled_from(["pool", 0.5, 7.0]),
    "base_depth": st.integers(1, 100),
    "collection": st.sampled_from([1, 50, 1000]),
    "topic_shift": st.sampled_from([0.0, 0.8]),
    "judge_shift": st.sampled_from([0.0, 0.3]),
    "clusters": st.none(),
    "of": st.sampled_from([CATALOGUE["AP"](rel=2), CATALOGUE["nDCG"](gains={1: 0.5})]),
    "draws": st.integers(2, 5),
    "seed": st.integers(0, 9),
    "model": st.sampled_from(MODELS),
    "rates": st.none(),
    "rec": st.booleans(),
    "steps": st.integers(0, 4),
    "levels": st.sampled_from(["exact", "trec"]),
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
    if cls.name == "E" and values["recall_base"] == "pool":
        values = values | {"recall_base": "list"}
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
