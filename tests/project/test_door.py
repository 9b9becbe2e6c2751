"""Arguments of the wrong type, to everything public: a result or an error of ours, nothing raw."""

from __future__ import annotations

import inspect
import io
import math
import os
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import hungjury as hj
from hungjury.base.errors import HungjuryError

PACKAGES = (hj, hj.stats, hj.theory, hj.studies, hj.ltr, hj.users)


def closed() -> io.StringIO:
    file = io.StringIO("1 0 a 1\n")
    file.close()
    return file


class InBytes(os.PathLike[bytes]):
    def __fspath__(self) -> bytes:
        return b"no/such/file"


def odd_values() -> list[Any]:
    """What people give by mistake, or to see what happens."""
    by_number = pd.DataFrame([["1", "a", 1]])
    nested = pd.DataFrame([[1]], columns=pd.MultiIndex.from_tuples([("a", "b")]))
    twice = pd.DataFrame([[1, 2, 3]], columns=["query_id", "query_id", "doc_id"])
    imaginary = pd.DataFrame({"query_id": ["1"], "doc_id": ["a"], "score": [1 + 2j]})
    itself: list[Any] = []
    itself.append(itself)
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    return [
        None, True, 0, -1, 2.5, math.nan, 10**30, "", "2", "no such thing", b"bytes", [], {}, (),
        object(), [None], ["x"], {"x": 1}, {1: {2: 3}}, [[1, 2], [3]], abs, int, np.array([1, 2]),
        np.array("x"), closed(), by_number, nested, iter(()), Path("no/such/file"),
        10**400, Fraction(1, 3), "\ud800", np.array([]), np.array([("a", 1)], "U3,i8"),
        np.ma.masked_array([1, 2], [0, 1]), twice, imaginary, pd.Index(["a"]), np.array(1),
        np.ones((2, 2, 2)), np.timedelta64(1), np.array([1j]), pd.array([1, None], "Int64"),
        pl.Series([1, 2]), pa.scalar(1), {"a": 1}.values(), [[]], ["\ud800"], [1, "a"], "x" * 300,
        np.array(["\ud800"]), InBytes(), itself, deep,
    ]  # fmt: skip


ODD = odd_values()
SIM = hj.simulate(systems=3, topics=3, documents=20, depth=10, grades=3, seed=1)
BY_JUDGES = hj.read_scores(
    [{"system": s, "topic": t, "judge": j, "score": 1} for s in "ab" for t in "12" for j in "xy"],
    scale=(0, 1),
)
SCORES = hj.evaluate(SIM.gold, SIM.runs, ["AP", "P@5"])
LETOR = "".join(
    f"{q % 2} qid:{q} 1:{0.1 * q} 2:{0.3 * d}\n{1} qid:{q} 1:{0.7 * d} 2:0.5\n"
    for q in range(1, 9)
    for d in range(3)
)
DATA = hj.ltr.read_letor(io.StringIO(LETOR))
CLICKS = pd.DataFrame(
    {"session": [1, 1, 1, 2, 2], "query": ["q"] * 5, "rank": [1, 2, 3, 1, 2], "time": range(5)}
)
PANEL = {"judgments": SIM.judgments}
LISTS = {**PANEL, "runs": SIM.runs}
ROWS = [{"s": s, "t": t, "y": 0.1 * i} for s in "ab" for i, t in enumerate("uvwx")]
TREES = {"cutoff": 3, "num_iterations": 2, "min_data_in_leaf": 1}
CALLS: dict[Callable[..., Any], dict[str, Any]] = {
    hj.agreement: {**LISTS, "measure": "AP", "rel": 1},
    hj.agreement_with_gold: {**PANEL, "gold": SIM.gold, "rel": 1, "plan": None, "seed": 0,
                             "level": 0.9},
    hj.audit: {"labels": SIM.gold, "runs": SIM.runs, "progress": None, "judgments": False},
    hj.aware: {**LISTS, "measure": "AP", "weights": "sgl_tau_msd", "rel": 1, "replicates": 5,
               "seed": 0, "gold": None, "orientation": "dissimilarity", "drop_empty": False},
    hj.calibrate: {"log": CLICKS, "qrels": None, "nav_rel": 1, "ranks": 3, "min_sessions": 1,
                   "pages": "all", "rates_by": "class", "engine": "duckdb", "memory": "1GB"},
    hj.compare: {"scores": SCORES, "baseline": "system1", "test": "t", "correction": "holm",
                 "alpha": 0.05, "margin": None, "samples": 20, "seed": 0},
    hj.evaluate: {"qrels": SIM.gold, "runs": SIM.runs, "measures": "AP", "topics": "judged",
                  "undefined": "zero", "unjudged": "nonrelevant", "depth": 5, "progress": None},
    hj.gate: {"labels": SIM.gold, "runs": SIM.runs, "baseline": "system1", "candidate": "system2",
              "measure": "AP", "margin": 0.0},
    hj.leaderboard: {**LISTS, "measure": "AP", "merge": "mv", "gold": None, "plan": None,
                     "progress": None, "rel": 1, "families": None, "draws": 100, "seed": 0,
                     "level": 0.9, "target": "topics"},
    hj.measure: {"text": "AP"},
    hj.measures: {},
    hj.merge: {**PANEL, "method": "mv", "rel": 1, "scope": "all", "seed": 0, "runs": None,
               "measure": None, "weights": "uniform"},
    hj.merges: {},
    hj.plan: {**LISTS, "measure": "AP", "budget": 5, "design": "uniform", "seed": 0, "rel": 1,
              "progress": None},
    hj.prm: {**PANEL, "rel": 1, "relevant": None, "smoothing": 1.0, "draws": 100, "seed": 0},
    hj.read_judgments: {"source": {"x": SIM.gold.to_dict()}, "duplicates": "error", "grades": None,
                        "outside": "error", "scaling": None, "map": None, "missing": "error",
                        "judge_column": None, "wide": False, "only": "x", "without": (),
                        "columns": None},
    hj.read_qrels: {"source": SIM.gold.to_dict(), "map": None, "grades": None},
    hj.read_runs: {"source": SIM.runs.to_dict(), "progress": None, "ties": "trec", "names": "tag",
                   "score_precision": "double"},
    hj.score_list: {"name": "AP", "labels": [1, 0], "pool": [1, 0]},
    hj.simulate: {"systems": 2, "topics": 2, "documents": 20, "depth": 5, "accuracies": [0.9],
                  "grades": 2, "seed": 0, "odd": (), "hardness": 0.0, "fooled": 0.0, "reach": 1.0},
    hj.train_ranker: {"train": DATA, "valid": None, "objective": "nmcg", "nav_rel": 1,
                      "labels": "grades", "progress": None, **TREES},
    hj.stats.kendall: {"x": [1.0, 2.0], "y": [2.0, 1.0], "variant": "b"},
    hj.stats.rbo: {"a": ["x", "y"], "b": ["y", "x"], "p": 0.9, "ties": "a"},
    hj.stats.rmse: {"x": [1.0, 2.0], "y": [2.0, 1.0]},
    hj.stats.tau_ap: {"estimate": [1.0, 2.0], "truth": [2.0, 1.0], "ties": "a", "samples": 5,
                      "seed": 0},
    hj.theory.axiom_table: {"length": 2, "grades": 2, "binary_length": 2},
    hj.theory.balancing_curves: {"lengths": [3], "measures": ["P"]},
    hj.theory.balancing_index: {"measure": "P", "length": 3, "q_min": 1, "q_max": 1,
                                "method": "auto"},
    hj.theory.check_axioms: {"measure": "P@2", "length": 2, "grades": 2, "pool": None,
                             "samples": 5, "seed": 0},
    hj.theory.compare_lists: {"a": [1, 0], "b": [0, 1], "kind": "rank", "max_grade": 1,
                              "scale": "ordinal"},
    hj.theory.significance_curve: {"p": 0.5, "length": 3, "topics": 5, "trials": 5, "alpha": 0.05,
                                   "labels": "fixed", "seed": 0},
    hj.studies.compare_approaches: {**LISTS, "measure": "AP", "gold": None, "rel": 1,
                                    "replicates": 5, "seed": 0, "merges": ["mv"], "others": None,
                                    "orientation": "dissimilarity", "drop_empty": False},
    hj.studies.complete_runs: {"qrels": SIM.gold, "runs": SIM.runs},
    hj.studies.correlate_measures: {"scores": SCORES},
    hj.studies.discriminative_power: {"scores": SCORES, "method": "tukey", "alpha": 0.05,
                                      "samples": None, "seed": 0, "progress": None},
    hj.studies.downsample: {"qrels": SIM.gold, "rate": 0.5, "seed": 0, "repetition": 0},
    hj.studies.factorial_anova: {"rows": ROWS, "response": "y", "factors": ["s"], "subject": "t",
                                 "interactions": None, "scale_by": None, "alpha": 0.05},
    hj.studies.few_highly_relevant: {"qrels": SIM.gold, "grade": 1},
    hj.studies.robustness: {"qrels": SIM.gold, "runs": SIM.runs, "measures": "AP", "rates": [0.5],
                            "repetitions": 1, "seed": 0, "systems": None, "progress": None},
    hj.studies.run_quartiles: {"scores": SCORES, "measure": "AP"},
    hj.studies.single_judges: {**LISTS, "measures": "AP", "gold": SIM.gold, "rel": 1,
                               "drop_empty": False, "doubts": (), "resampling": None},
    hj.studies.tuple_study: {**LISTS, "measures": "AP", "gold": SIM.gold, "rel": 1, "sizes": [2],
                             "tuples": 1, "approaches": ["mv"], "standards": ["deterministic"],
                             "replicates": 5, "seed": 0, "orientation": "dissimilarity",
                             "drop_empty": False, "doubts": (), "resamples": 5},
    hj.ltr.compare_data_sets: {"sets": {}},
    hj.ltr.compare_rankers: {"folds": [], "nav_rel": 1, "sizes": [1], "objectives": ["nmcg"],
                             "samples": 5, "seed": 0, "progress": None, **TREES},
    hj.ltr.join_data: {"parts": [DATA]},
    hj.ltr.make_folds: {"data": DATA, "folds": 4},
    hj.ltr.ranking_data: {"features": np.ones((2, 2)), "labels": [0, 1], "groups": [2],
                          "documents": None, "kind": "grades"},
    hj.ltr.read_fold: {"folder": "no/such/folder", "kind": "grades"},
    hj.ltr.read_letor: {"source": io.StringIO(LETOR), "labels": "grades", "columns": 0},
    hj.users.fit_dynamic: {"pi": np.array([0.5, 0.3, 0.2])},
    hj.users.published_shape: {},
    hj.diff: {"old": "no/such/folder", "new": "no/such/folder"},
    hj.doctor: {"files": "no/such/file"},
    hj.read_answers: {"source": "no/such/file", "scale": None, "columns": None},
    hj.read_scores: {"source": "no/such/file", "columns": None, "missing": "error",
                     "duplicates": "error", "smaller": (), "scale": None},
    hj.theory.balancing_of_all: {"lengths": [3]},
    hj.theory.interval_scale: {"measure": "P@2", "length": 2, "grades": 2, "order": None},
    hj.merge_table: {"labels": "no/such/file.csv", "output": "no/such/merged.csv", "method": "mv",
                     "rel": 1, "scope": "all", "seed": 0, "grades": None, "outside": "error",
                     "duplicates": "error", "columns": None, "parts": 2, "engine": "duckdb",
                     "memory": "1GB", "workers": None, "folder": None},
    hj.compare_merges: {**PANEL, "gold": SIM.gold, "rel": 1, "scope": "all", "seed": 0,
                        "methods": ["mv"], "draws": 5},
    hj.leaderboard_of_scores: {"scores": SCORES, "measure": "AP", "families": 1},
    hj.aware_of_scores: {"scores": BY_JUDGES, "weights": "uni", "replicates": 10, "seed": 0},
    hj.leaderboards: {"collections": {"a": (SIM.judgments, SIM.runs)}, "measure": "AP",
                      "gold": None, "merge": "mv", "common": False, "weights": None},
    hj.users.user_walk: {"model": "RBP", "relevant": [1], "length": 3},
    hj.users.user_model: {"given": "published"},
    hj.to_ir_measures: {"name": "AP"},
}  # fmt: skip


def public() -> Iterator[tuple[str, Any]]:
    for package in PACKAGES:
        for name in package.__all__:
            yield f"{package.__name__}.{name}", getattr(package, name)


def test_every_public_function_is_called() -> None:
    functions = {name: one for name, one in public() if inspect.isfunction(one)}
    assert [name for name, one in functions.items() if one not in CALLS] == []


def raw(call: Callable[[], Any]) -> str:
    """Say what a call raised, if it is not an error of ours."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            call()
        except HungjuryError as error:
            return "" if error.remedy else f"no remedy: {error}"
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    return ""


def attacks(function: Callable[..., Any], usual: dict[str, Any]) -> list[str]:
    """Give odd values for one argument at a time, and list what comes out raw."""
    found = []
    for name in usual:
        for value in ODD:
            if callable(value) and name in ("progress", "measure"):
                continue  # what a user's own function raises is the user's
            what = raw(lambda given={**usual, name: value}: function(**given))
            if what:
                shown = type(value).__name__ if value is ODD[-2] else repr(value)  # too deep
                found.append(f"{function.__qualname__}({name}={shown:.40}): {what:.100}")
    return found


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("function", CALLS, ids=lambda one: one.__qualname__)
def test_no_function_raises_anything_raw(function: Callable[..., Any]) -> None:
    assert attacks(function, CALLS[function]) == []


def test_what_can_be_read_only_once_is_read_at_the_door() -> None:
    for given in ([1, "a"], [(1, 2, 3)], [None]):
        for call in (
            lambda one: hj.prm(SIM.judgments, relevant=one),
            lambda one: hj.studies.robustness(SIM.gold, SIM.runs, "AP", one),
            lambda one: hj.studies.factorial_anova(ROWS, "y", ["s"], interactions=one),
            lambda one: hj.read_judgments({"x": SIM.gold.to_dict()}, only=one),
        ):
            with pytest.raises(hj.HungjuryError):
                call(iter(given))
    assert hj.stats.rbo(iter("ab"), (x for x in "ab")) == 1.0
    assert hj.simulate(systems=2, topics=2, accuracies={"a": 0.9}.values()).accuracy


def test_narrow_numbers_of_numpy_do_not_overflow() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        given = {**CALLS[hj.gate], "margin": np.uint64(1)}
        hj.gate(**given)
        hj.prm(SIM.judgments, smoothing=np.float16(0.5))


OBJECTS: dict[str, Any] = {
    "Simulation": SIM,
    "Qrels": SIM.gold,
    "Judgments": SIM.judgments,
    "Runs": SIM.runs,
    "Scores": SCORES,
    "Comparison": hj.compare(SCORES),
    "Leaderboard": hj.leaderboard(SIM.judgments, SIM.runs, "AP", draws=100),
    "Agreement": hj.agreement(SIM.judgments),
    "GoldAgreement": hj.agreement_with_gold(SIM.judgments, SIM.gold),
    "PRM": hj.prm(SIM.judgments),
    "Plan": hj.plan(SIM.judgments, SIM.runs, "AP", 5),
    "AwareScores": hj.aware(SIM.judgments, SIM.runs, "AP", replicates=5),
    "Merged": hj.merge(SIM.judgments, "binmv"),
    "UserModel": hj.users.published_shape(),
    "Audit": hj.audit(SIM.gold),
    "Table": SCORES.table(),
    "Walk": hj.users.user_walk("GL_AD_ID", [1, 2], 5),
    "Dynamic": hj.users.fit_dynamic(np.array([0.5, 0.3, 0.2])),
    "RankingData": DATA,
    "Anova": hj.studies.factorial_anova(ROWS, "y", ["s"], "t"),
    "MeasureCorrelation": hj.studies.correlate_measures(SCORES),
    "AxiomReport": hj.theory.check_axioms("P@2", length=2, grades=2),
}
ODD.append(OBJECTS["Plan"])  # has a method `read`, but is not a file
USUAL = {
    "path": "out", "folder": "folder", "rel": 1, "judge": "judge1", "topics": ["1"], "rng": 0,
    "steps": 3, "ranks": 3, "factor": "s", "one": "AP", "other": "P@5", "axiom": "swap",
    "system": "system1", "topic": "1", "queries": [0], "scores": np.ones(48),
}  # fmt: skip


@pytest.mark.parametrize("name", OBJECTS)
def test_no_method_raises_anything_raw(name: str) -> None:
    one, found = OBJECTS[name], []
    for method in (m for m in dir(one) if not m.startswith("_")):
        bound = getattr(one, method)
        if not inspect.ismethod(bound) or method in ("plot", "render", "to_frame", "write_page"):
            continue
        parameters = inspect.signature(bound).parameters.values()
        named = [p for p in parameters if p.kind is not p.VAR_KEYWORD]
        usual = {p.name: USUAL.get(p.name, p.default) for p in named}
        if not any(value is inspect.Parameter.empty for value in usual.values()):
            found += attacks(bound, usual)
    assert found == []
