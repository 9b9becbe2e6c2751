"""Every measure with many parameters, every way to score it: the numbers stay what they were."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

import hungjury as hj
from builders.collection import random_collection
from builders.stored import Cases, check
from hungjury.base.errors import HungjuryError
from hungjury.data.alignment import Alignment, align
from hungjury.data.qrels import MISSING
from hungjury.measures.batch import Scorer, range_of
from hungjury.measures.catalogue import CATALOGUE
from hungjury.users.chain import MODELS

TOP = 4
REQUIRED = {"cutoff": 4, "recall": 0.5, "g": [0.1, 0.2, 0.3, 0.4]}
OTHERS: dict[str, list[Any]] = {
    "rel": [2],
    "cutoff": [1, 3],
    "recall": [0.0, 0.35, 1.0],
    "levels": ["trec"],
    "stop": ["geometric"],
    "weights": [[1.0, 0.5, 0.1]],
    "want": [2, 3],
    "gains": [{0: 0.5, 1: 3.0, 3: 1.0}],
    "dcg": ["exp-log2"],
    "base": [3.0],
    "p": [0.35],
    "max_grade": [6],
    "beta": [0.0, 2.5],
    "T": [2.5],
    "normalize": [False],
    "relative": [True],
    "g": [[0.0, 0.5, 0.5, 0.0]],
    "prob": [[0.1, 0.3, 0.5, 0.7, 1.0]],
    "unjudged": [0.2],
    "recall_base": ["list", "retrieved", 7.0],
    "base_depth": [2],
    "collection": [50],
    "model": [*MODELS, "published-shape", [[0.5, 0.5, 0.0], [0.2, 0.5, 0.3], [0.1, 0.8, 0.1]]],
    "rates": [[0.5, 0.2, 0.4] * 4],
    "rec": [True],
    "steps": [0, 3],
    "nav_rel": [2],
}
WAYS: dict[str, dict[str, Any]] = {
    "trec": {"undefined": "nan"},
    "retrieved": {"topics": "retrieved"},
    "cut": {"depth": 3},
    "condensed": {"unjudged": "condensed"},
}


@cache
def collection(ties: str = "trec") -> tuple[Any, Any, Alignment]:
    made = random_collection(3, topics=6)
    qrels = hj.read_qrels(made.labels, grades=range(TOP + 1))
    runs = hj.read_runs(made.runs, ties=ties)
    return qrels, runs, align(runs, qrels.pool)


def variants(cls: Any) -> list[Any]:
    """The measure with one parameter after the other changed, and with all of them."""
    base = {f.name: REQUIRED[f.name] for f in cls.params() if f.required}
    names = [f.name for f in cls.params() if f.name in OTHERS]
    changes = [{}, *({name: value} for name in names for value in OTHERS[name])]
    changes.append({name: OTHERS[name][-1] for name in names if name not in ("prob", "steps")})
    found = []
    for change in changes:
        try:
            found.append(cls(**base | change))
        except HungjuryError:
            continue
    return list(dict.fromkeys(found))


def vectors(alignment: Alignment, number: int = 7) -> Any:
    """Label vectors: dense, sparse, nothing relevant, not judged, missing."""
    rng = np.random.default_rng(5)
    shape = (number, len(alignment.pool))
    labels = rng.integers(-1, TOP + 1, shape).astype(np.int16)
    labels[rng.random(shape) < rng.random((number, 1))] = 0
    labels[rng.random(shape) < 0.1] = MISSING
    labels[0] = 0
    return labels


def scored(chosen: list[Any]) -> dict[str, dict[str, Any]]:
    """Everything that can be computed of measures."""
    found: dict[str, dict[str, Any]] = {str(m): {} for m in chosen}
    for ties in ("trec", "expected"):
        qrels, runs, alignment = collection(ties)
        mine = [m for m in chosen if ties == "trec" or m.averages_ties]
        labels = vectors(alignment)
        for way, how in WAYS.items() if ties == "trec" else [(ties, {})]:
            scores = hj.evaluate(qrels, runs, mine, **how) if mine else None
            for i, m in enumerate(mine):
                found[str(m)][way] = scores.values[i]
                if m.has_variance:
                    found[str(m)][f"{way} variance"] = scores.variance[i]
        for m in mine:
            scorer = Scorer(m, alignment, TOP)
            found[str(m)][f"many, {ties}"] = refused(partial(scorer, labels))
            if ties == "trec":
                found[str(m)]["filled"] = refused(partial(scorer.filled, labels))
    return found


def facts(m: Any) -> dict[str, Any]:
    """What a measure says of itself."""
    kernel = m.kernel(np.arange(1.0, 7.0), TOP)
    shown = None
    if kernel is not None:
        constant = kernel.constant_unit is not None
        shown = [kernel.name, kernel.worth, kernel.weights, constant]
    qrels, _, alignment = collection()
    native = Scorer(m, alignment, TOP).native
    checks = [refused(partial(m.check, top)) for top in range(1, TOP + 3)]
    chances = refused(lambda: str(m.with_probabilities([0.0, 0.2, 0.4, 0.6, 1.0])))
    counterpart = refused(lambda: str(m.for_probabilities()))
    sure = refused(partial(m.check_probabilities))
    unit = range_of(m, qrels.pool, qrels.labels, TOP)
    basic = [m.threshold, m.depth, m.declared_grade, m.needs_nonrelevant, m.proof, m.unjudged_depth]
    return {"facts": basic, "native": native, "kernel": shown, "checks": checks, "chances": chances,
            "counterpart": counterpart, "soft": sure, "unit": unit,
            "notes": m.notes(qrels)}  # fmt: skip


def refused(case: Callable[[], Any]) -> Any:
    try:
        return case()
    except HungjuryError as error:
        return error


def of_family(family: str) -> Cases:
    """The cases of the measures in one file of the catalogue."""
    classes = [cls for cls in CATALOGUE if cls.__module__.endswith(f".{family}")]
    chosen = {cls.name: variants(cls) for cls in classes if cls.name not in ("E", "Residual")}
    every = [m for several in chosen.values() for m in several]
    if family == "cwl":
        every += [hj.measure(f"Residual({name})") for name in RESIDUALS]
    found = scored(every)
    ends = [m for several in chosen.values() for m in (several[0], several[-1])]
    cases: dict[str, Any] = {name: partial(found.__getitem__, name) for name in found}
    return cases | {f"{m}: facts": partial(facts, m) for m in ends}


RESIDUALS = ("RBP", "gRBP(p=0.5)@3", "SDCG", "BPM(T=2)", "INSQ", "INST(T=3)", "NERR8@3", "NERR9",
             "NERR10", "NERR11")  # fmt: skip


def test_average_precision() -> None:
    check(__file__, "average_precision", of_family("average_precision"))


def test_cwl() -> None:
    check(__file__, "cwl", of_family("cwl"))


def test_gain() -> None:
    check(__file__, "gain", of_family("gain"))


def test_precision() -> None:
    check(__file__, "precision", of_family("precision"))


def test_probabilities() -> None:
    check(__file__, "probabilities", of_family("probabilities"))


def test_sets() -> None:
    check(__file__, "sets", of_family("sets"))


def test_user_models() -> None:
    check(__file__, "user_models", of_family("user_models"))
