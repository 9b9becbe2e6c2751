"""The slow oracles against numbers printed in papers and outputs of trec_eval."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from builders.paths import SHARED
from oracles import gain as naive_gain
from oracles import graded as naive_graded
from oracles import markov as naive_markov
from oracles import measures as naive

DATA = SHARED
THREE_RUNS = [
    [1, 1, 1, 1, 0, 0, 0, 1, 0, 0],
    [1, 1, 1, 0, 1, 0, 0, 0, 1, 0],
    [1, 1, 0, 1, 1, 0, 0, 0, 0, 1],
]
THREE_RATES = [
    [0.2000, 0.0357, 0.2000, 0.0400, 0.0056, 0.0005, 0.0035, 0.0017, 0.0034, 0.0024],
    [0.0177, 0.0047, 0.0037, 0.0015, 0.0041, 0.0031, 0.0057, 0.0022, 0.0061, 0.0045],
    [0.0056, 0.0051, 0.0062, 0.0031, 0.0046, 0.0025, 0.005, 0.0022, 0.007, 0.005],
]


# Printed numbers


@pytest.mark.parametrize(
    ("run", "printed"), list(zip(THREE_RUNS, [0.9205, 0.8668, 0.8120], strict=True))
)
def test_markov_precision_as_printed(run: list[int], printed: float) -> None:
    assert naive_markov.mp(run, run, model="GL_AD_ID") == pytest.approx(printed, abs=5e-5)


@pytest.mark.parametrize(
    ("run", "rates", "value"),
    list(zip(THREE_RUNS, THREE_RATES, [0.66, 0.8706, 0.8005], strict=True)),
)
def test_markov_precision_in_continuous_time(
    run: list[int], rates: list[float], value: float
) -> None:
    assert naive_markov.mp(run, run, rates=rates) == pytest.approx(value, abs=5e-5)


def test_graded_average_precision_of_a_late_key_document() -> None:
    run = [1] * 100 + [2]
    g = [0.1, 0.9]
    assert naive_graded.xgap(run, run, g) == pytest.approx(0.1971, abs=5e-5)
    assert naive_graded.egap(run, run, g) == pytest.approx(0.1089, abs=5e-5)
    assert naive_graded.gap(run, run, g) == pytest.approx(0.9190, abs=5e-5)


def test_three_judges_toy() -> None:
    runs = [[1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [0, 1, 1, 0, 1]]
    scores = [naive.ap(run, [1, 1, 1]) or 0.0 for run in runs]
    assert scores == pytest.approx([2 / 3, 1, 53 / 90])
    assert sum(scores) / 3 == pytest.approx(0.7519, abs=5e-5)


def test_growing_tails_of_the_lowest_grade() -> None:
    tails = [[0] * (5 - n) + [1] * n for n in range(1, 6)]
    dcgs = [naive_gain.dcg(tail, tail, base=2) for tail in tails]
    errs = [naive_gain.err(tail, tail, max_grade=3) for tail in tails]
    assert dcgs == pytest.approx([0.4307, 0.9307, 1.5616, 2.5616, 3.5616], abs=5e-5)
    assert errs == pytest.approx([0.025, 0.0531, 0.0882, 0.1396, 0.2472], abs=6e-5)
    assert naive_gain.err([3, 0, 0, 0, 0], [3], max_grade=3) == 0.875


@pytest.mark.parametrize(
    ("oracle", "params", "at_10", "at_100"),
    [
        (naive.ap, {}, 7, 87),
        (naive_gain.ndcg, {"base": 2}, 7, 94),
        (naive_gain.ndcg, {"base": 10}, 10, 99),
        (naive_gain.rbp, {"p": 0.8}, 6, 8),
        (naive_gain.rbp, {"p": 0.95}, 9, 57),
        (naive_gain.err, {"max_grade": 1}, 1, 1),
    ],
)
def test_balancing_index(
    oracle: Callable[..., float], params: dict[str, float], at_10: int, at_100: int
) -> None:
    for size, printed in ((10, at_10), (100, at_100)):
        pool = [1] * size
        first_only = oracle([1] + [0] * (size - 1), pool, **params)
        balanced = [
            b
            for b in range(1, size + 1)
            if oracle([0] * (b - 1) + [1] * (size - b + 1), pool, **params) >= first_only
        ]
        assert max(balanced) == printed


# trec_eval's own outputs


def read_labels(qrels: dict[str, dict[str, int]], lines: list[str]) -> dict[str, naive.Labels]:
    """Labels in trec_eval's order: score as a 32-bit float, then document id, both descending."""
    ranked: dict[str, list[tuple[float, bytes]]] = {}
    for line in lines:
        topic, _, document, _, score = line.split()[:5]
        single = struct.unpack("f", struct.pack("f", float(score)))[0]
        ranked.setdefault(topic, []).append((single, document.encode()))
    return {
        topic: [qrels[topic].get(doc.decode()) for _, doc in sorted(documents, reverse=True)]
        for topic, documents in ranked.items()
        if topic in qrels
    }


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = {}
    for line in path.read_text().splitlines():
        topic, _, document, grade = line.split()
        qrels.setdefault(topic, {})[document] = int(grade)
    return qrels


def data_folder(name: str) -> Path:
    folder = DATA / name
    if not folder.is_dir():
        pytest.skip(f"reference data {name} is not beside the project (../shared/data)")
    return folder


PLAIN: dict[str, Callable[..., float | None]] = {
    "num_ret": lambda labels, pool, rel: naive.num_ret(labels, pool),
    "num_rel": naive.num_rel,
    "num_rel_ret": naive.num_rel_ret,
    "num_nonrel_judged_ret": naive.num_nonrel_judged_ret,
    "map": naive.ap,
    "Rprec": naive.rprec,
    "bpref": naive.bpref,
    "recip_rank": naive.rr,
    "infAP": naive.infap,
    "11pt_avg": partial(naive.eleven_point, levels="trec"),
    "set_P": naive.set_precision,
    "set_recall": naive.set_recall,
    "set_F": naive.set_f,
    "ndcg": lambda labels, pool, rel: naive_gain.ndcg(labels, pool),
}
CUT: dict[str, Callable[..., float | None]] = {
    "P": naive.precision,
    "recall": naive.recall,
    "map_cut": naive.ap,
    "success": naive.success,
    "ndcg_cut": lambda labels, pool, cutoff, rel: naive_gain.ndcg(labels, pool, cutoff),
    "unj": lambda labels, pool, cutoff, rel: naive.num_unjudged_ret(labels, pool, cutoff) / cutoff,
}


def by_trec_name(name: str, labels: naive.Labels, pool: list[int], rel: int) -> float | None:
    """The oracle's value under trec_eval's name; KeyError for names there is no oracle for."""
    if name in PLAIN:
        return PLAIN[name](labels, pool, rel=rel)
    stem, _, last = name.rpartition("_")
    if stem == "iprec_at_recall":
        return naive.iprec(labels, pool, float(last), rel, levels="trec")
    if name == "11pt_avg_.25,.5,.75":
        return naive.eleven_point(labels, pool, rel, at=(0.25, 0.5, 0.75), levels="trec")
    if name == "ndcg_1=3,2=9,4=4.5":
        return naive_gain.ndcg(labels, pool, gains={1: 3, 2: 9, 4: 4.5})
    return CUT[stem](labels, pool, cutoff=int(last), rel=rel)


@pytest.mark.parametrize(
    ("qrels_name", "output", "rel", "least"),
    [
        ("qrels.test", "out.test.aq", 1, 180),
        ("qrels.rel_level", "out.test.aql", 2, 180),
        ("qrels.test", "out.test.meas_params", 1, 45),
    ],
)
def test_as_trec_eval_prints(qrels_name: str, output: str, rel: int, least: int) -> None:
    folder = data_folder("trec_eval")
    qrels = read_qrels(folder / qrels_name)
    lists = read_labels(qrels, (folder / "results.test").read_text().splitlines())
    compared = 0
    for line in (folder / output).read_text().splitlines():
        name, topic, printed = line.split()
        if topic == "all":
            continue
        try:
            value = by_trec_name(name, lists[topic], list(qrels[topic].values()), rel)
        except KeyError:
            continue  # a measure without an oracle
        compared += 1
        assert f"{value or 0.0:.4f}" == f"{float(printed):.4f}", (name, topic)
    assert compared >= least


def test_geometric_mean_as_trec_eval_prints() -> None:
    folder = data_folder("trec_eval")
    qrels = read_qrels(folder / "qrels.test")
    lists = read_labels(qrels, (folder / "results.test").read_text().splitlines())
    values = [naive.ap(labels, list(qrels[topic].values())) for topic, labels in lists.items()]
    lines = (folder / "out.test").read_text().splitlines()
    printed = next(line.split()[2] for line in lines if line.startswith("gm_map "))
    assert f"{naive.gmap(values):.4f}" == printed


@pytest.mark.parametrize("system", ["p_tct1", "Fast_ForwardP_2"])
def test_as_the_deep_learning_reference_prints(system: str) -> None:
    folder = data_folder("dl21")
    qrels = read_qrels(folder / "qrels.nist.txt")
    with gzip.open(folder / "runs" / f"{system}.run.gz", "rt") as stream:
        lists = read_labels(qrels, stream.readlines())
    with gzip.open(folder / "reference" / "trec_eval.binary-rel1.gz", "rt") as stream:
        rows = [line.split() for line in stream if line.startswith(f"{system}\t")]
    with gzip.open(folder / "reference" / "ndcg_cut_10.csv.gz", "rt") as stream:
        cells = [line.strip().split(",") for line in stream if line.startswith(f"{system},")]
    rows += [[system, "ndcg_cut_10", topic, value] for _, topic, value in cells]
    rows = [row for row in rows if row[2] in qrels]  # without the averages
    assert len(rows) == 53 * 8
    for _, name, topic, printed in rows:
        value = by_trec_name(name, lists[topic], list(qrels[topic].values()), 1)
        assert f"{value or 0.0:.4f}" == f"{float(printed):.4f}", (name, topic)
