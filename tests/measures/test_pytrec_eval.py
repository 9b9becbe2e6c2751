"""pytrec_eval as a live oracle on made-up collections."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hungjury as hj
from hungjury.measures.catalogue import measure_list, trec_name

pytrec_eval = pytest.importorskip("pytrec_eval")

# Asked as trec_eval names: all that both have.
NAMES = {
    "num_q", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret", "map", "gm_map", "Rprec",
    "bpref", "recip_rank", "infAP", "ndcg", "ndcg_cut", "P", "recall", "map_cut", "success",
    "set_P", "set_recall", "set_F", "iprec_at_recall", "11pt_avg",
}  # fmt: skip
Runs = dict[str, dict[str, dict[str, float]]]


def collection(seed: int, topics: int = 6, systems: int = 4) -> tuple[dict[str, Any], Runs]:
    """Graded labels with some negative, lists of up to 60 of 80 documents of which about half
    are judged, scores on a coarse scale (ties) or a very fine one (ties in 32 bits only)."""
    rng = np.random.default_rng(seed)
    documents = [f"d{i}" for i in range(80)]
    qrels = {}
    for t in range(topics):
        judged = rng.choice(documents, size=rng.integers(20, 50), replace=False)
        grades = rng.choice([-1, 0, 1, 2, 3], p=[0.1, 0.5, 0.2, 0.15, 0.05], size=len(judged))
        qrels[f"q{t}"] = dict(zip(judged.tolist(), grades.tolist(), strict=True))
        qrels[f"q{t}"][documents[0]] = 3  # something is relevant at every level
    runs: Runs = {}
    for s in range(systems):
        runs[f"s{s}"] = {}
        for topic in qrels:
            if s and rng.random() < 0.15:
                continue  # a missing list
            found = rng.choice(documents, size=rng.integers(1, 61), replace=False)
            coarse = rng.integers(0, 15, len(found)).astype(float)
            fine = 1 + rng.integers(0, 50, len(found)) * 1e-8
            scores = coarse if rng.random() < 0.5 else fine
            runs[f"s{s}"][topic] = dict(zip(found.tolist(), scores.tolist(), strict=True))
    return qrels, runs


def rounded_alike(level: float, relevant: int) -> bool:
    """Recall levels in documents: trec_eval 10 rounds halves up, version 9, which is inside
    pytrec_eval, cuts after adding 0.9."""
    return math.floor(level * relevant + 0.5) == int(level * relevant + 0.9)


def comparable(name: str, relevant: int) -> bool:
    if name == "11pt_avg":
        return all(rounded_alike(i / 10, relevant) for i in range(11))
    if name.startswith("iprec_at_recall_"):
        return rounded_alike(float(name.rpartition("_")[2]), relevant)
    return True


def both(seed: int, rel: int) -> tuple[dict[str, Any], Runs, Any, dict[str, Any]]:
    """Our scores by trec_eval's names, and pytrec_eval's results by system."""
    qrels, runs = collection(seed)
    wanted = {trec_name(m): m for name in sorted(NAMES) for m in measure_list(name)}
    chosen = [m.but(rel=rel) if getattr(m, "rel", None) else m for m in wanted.values()]
    single = hj.read_runs(runs, score_precision="single")
    scores = hj.evaluate(qrels, single, chosen, topics="retrieved")
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, NAMES, relevance_level=rel)
    return wanted, runs, scores, {s: evaluator.evaluate(run) for s, run in runs.items()}


@pytest.mark.parametrize("rel", [1, 2, 3])
@pytest.mark.parametrize("seed", range(8))
def test_every_cell(seed: int, rel: int) -> None:
    wanted, _, scores, theirs = both(seed, rel)
    compared = set()
    for j, system in enumerate(scores.systems):
        for topic, values in theirs[system].items():
            k = scores.topics.index(topic)
            for i, name in enumerate(wanted):
                if name == "gm_map" or not comparable(name, int(values["num_rel"])):
                    continue  # gm_map is a logarithm there: see the summary
                compared.add(name)
                assert scores.values[i, j, k] == pytest.approx(values[name], abs=1e-12), name
    usual = {name for name in wanted if "iprec" not in name and name != "11pt_avg"}
    assert compared >= usual - {"gm_map"}


@pytest.mark.parametrize("seed", range(4))
def test_interpolated_precision_where_both_round_alike(seed: int) -> None:
    qrels, runs = collection(seed)
    for labels in qrels.values():  # exactly ten relevant documents a topic
        for place, document in enumerate(labels):
            labels[document] = 1 if place < 10 else 0
    names = [trec_name(m) for m in measure_list(["iprec_at_recall", "11pt_avg"])]
    single = hj.read_runs(runs, score_precision="single")
    scores = hj.evaluate(qrels, single, names, topics="retrieved")
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"iprec_at_recall", "11pt_avg"})
    for j, system in enumerate(scores.systems):
        for topic, values in evaluator.evaluate(runs[system]).items():
            assert len(values) == len(names) == 12
            mine = dict(zip(names, scores.values[:, j, scores.topics.index(topic)], strict=True))
            assert mine == pytest.approx(values, abs=1e-12)


@pytest.mark.parametrize(
    "name",
    ["num_ret", "num_rel_ret", "map", "ndcg", "ndcg_cut_10", "P_5", "Rprec", "recip_rank", "bpref",
     "set_P", "set_F", "infAP"],
)  # fmt: skip
def test_judged_documents_only(name: str) -> None:
    """Their -J is our condensed policy."""
    for seed in range(4):
        qrels, runs = collection(seed)
        single = hj.read_runs(runs, score_precision="single")
        scores = hj.evaluate(qrels, single, name, topics="retrieved", unjudged="condensed")
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, NAMES, judged_docs_only_flag=True)
        for j, system in enumerate(scores.systems):
            for topic, values in evaluator.evaluate(runs[system]).items():
                value = scores.values[0, j, scores.topics.index(topic)]
                assert value == pytest.approx(values[name], abs=1e-12), (system, topic)


@pytest.mark.parametrize("seed", range(4))
def test_summary(seed: int) -> None:
    wanted, _, scores, theirs = both(seed, rel=1)
    mean = scores.mean()
    aggregate: Callable[[str, list[float]], float] = pytrec_eval.compute_aggregated_measure
    for j, system in enumerate(scores.systems):
        for i, name in enumerate(wanted):
            if "iprec" in name or name == "11pt_avg":
                continue
            each = [values[name] for values in theirs[system].values()]
            assert mean[i, j] == pytest.approx(aggregate(name, each), abs=1e-12), name


def test_single_precision_is_needed_there() -> None:
    qrels, runs = collection(0)
    single = hj.evaluate(qrels, hj.read_runs(runs, score_precision="single"), "map")
    double = hj.evaluate(qrels, hj.read_runs(runs), "map")
    assert (single.values != double.values).any()
