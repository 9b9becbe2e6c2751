"""Names and numbers of trec_eval, on its own test files and on TREC runs."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import hungjury as hj
from builders.paths import SHARED
from hungjury.base.errors import HungjuryError, UnknownName
from hungjury.cli.main import hungjury as command
from hungjury.measures.catalogue import CATALOGUE, NOT_HERE, measure_list, trec_name

COUNTS = ("num_",)
Printed = dict[tuple[str, str], str]  # (measure, topic or "all") -> what trec_eval prints


@pytest.fixture(scope="module")
def folder(shared_data: Path) -> Path:
    return shared_data / "trec_eval"


def printed(path: Path) -> Printed:
    rows = (line.split("\t") for line in path.read_text().splitlines())
    return {(name.strip(), topic): value for name, topic, value in rows}


def shown(name: str, value: float) -> str:
    return f"{value:.0f}" if name.startswith(COUNTS) else f"{value:.4f}"


def ours(scores: Any, names: Iterable[str]) -> Printed:
    """All that one system's scores would print, per topic and summed up."""
    out, mean = {}, scores.mean()
    for i, name in enumerate(names):
        out[name, "all"] = shown(name, mean[i, 0])
        for k, topic in enumerate(scores.topics):
            out[name, topic] = shown(name, scores.values[i, 0, k])
    return out


def not_here(name: str) -> bool:
    """trec_eval has it, the catalogue says that it does not."""
    return name in NOT_HERE or any(name.startswith(f"{other}_") for other in NOT_HERE)


def compare(mine: Printed, theirs: Printed, least: int) -> None:
    """Every line of trec_eval's output that we have a measure for, and no other left out."""
    missing = {name for name, _ in theirs if not not_here(name)} - {name for name, _ in mine}
    assert not missing
    common = theirs.keys() & mine.keys()
    assert len(common) >= least
    assert {key: mine[key] for key in common} == {key: theirs[key] for key in common}


def all_trec(rel: int = 1) -> dict[str, Any]:
    """trec_eval's names and our measures, at a relevance level (its -l)."""
    return {
        trec_name(m): m.but(rel=rel) if getattr(m, "rel", None) else m
        for m in measure_list("all_trec")
    }


def test_official_measures(folder: Path) -> None:
    wanted = {trec_name(m): m for m in measure_list("official")}
    scores = hj.evaluate(
        folder / "qrels.test", folder / "results.test", wanted.values(), topics="retrieved"
    )
    assert scores.systems == ["STANDARD"]
    compare(ours(scores, wanted), printed(folder / "out.test"), least=29)


@pytest.mark.parametrize(
    ("qrels", "run", "output", "rel", "topics"),
    [
        ("qrels.test", "results.test", "out.test.aq", 1, "retrieved"),
        ("qrels.test", "results.trunc", "out.test.aqc", 1, "judged"),
        ("qrels.rel_level", "results.test", "out.test.aql", 2, "retrieved"),
    ],
)
@pytest.mark.parametrize("precision", ["double", "single"])
def test_all_measures_of_every_topic(
    folder: Path, qrels: str, run: str, output: str, rel: int, topics: str, precision: str
) -> None:
    wanted = all_trec(rel)
    runs = hj.read_runs(folder / run, score_precision=precision)
    scores = hj.evaluate(folder / qrels, runs, wanted.values(), topics=topics)
    assert scores.topics == ["301", "302", "303"]
    compare(ours(scores, wanted), printed(folder / output), least=255)


def test_measures_with_parameters(folder: Path) -> None:
    asked = [
        "iprec_at_recall.0.10,0.20,0.25,0.50,0.75", "P.3,5,7", "recall.20,2000",
        "ndcg_cut.10,20,23", "success.2,5,20",
    ]  # fmt: skip
    wanted = {trec_name(m): m for name in asked for m in measure_list(name)}
    (gains,) = measure_list("ndcg.1=3,2=9,4=4.5")
    assert gains == CATALOGUE["nDCG"](gains={1: 3, 2: 9, 4: 4.5})
    wanted["ndcg_1=3,2=9,4=4.5"] = gains
    scores = hj.evaluate(folder / "qrels.test", folder / "results.test", wanted.values())
    mine = ours(scores, wanted)
    three = np.mean([scores.values[list(wanted).index(f"iprec_at_recall_0.{x}"), 0]
                     for x in (25, 50, 75)], axis=0)  # fmt: skip
    for topic, value in zip([*scores.topics, "all"], [*three, three.mean()], strict=True):
        mine["11pt_avg_.25,.5,.75", topic] = shown("", value)
    compare(mine, printed(folder / "out.test.meas_params"), least=68)


def test_comments_in_qrels(folder: Path) -> None:
    """Comments are passed over; a # inside a line belongs to the document's id."""
    path = folder / "qrels.test.with-comments"
    qrels = hj.read_qrels(path).to_dict()
    plain = hj.read_qrels(folder / "qrels.test").to_dict()
    assert qrels["301"].pop("CR#93E-1860") == plain["301"].pop("CR93E-1860")
    assert qrels == plain
    wanted = {trec_name(m): m for m in measure_list("official")}
    scores = hj.evaluate(path, folder / "results.test", wanted.values(), topics="retrieved")
    compare(ours(scores, wanted), printed(folder / "out.test"), least=29)


def test_number_signs_in_runs(folder: Path) -> None:
    """31 topics of a run whose ids hold a #; its qrels are not at hand, so the counts it is."""
    path = folder / "results.comment.test"
    with path.open() as stream:
        first = {}
        for line in stream:
            topic, _, document = line.split()[:3]
            first.setdefault(topic, document)
    topics = sorted(first)[:31]
    qrels = {t: {first[t]: 1, first[t].split("#")[0]: 0} for t in topics}
    scores = hj.evaluate(qrels, path, ["num_q", "num_ret", "num_rel_ret", "SetFallout"])
    theirs = printed(folder / "out.comment.test")
    assert scores.systems == [theirs["runid", "all"]]
    assert [shown("num_", v) for v in scores.mean()[:2, 0]] == [
        theirs["num_q", "all"],
        theirs["num_ret", "all"],
    ]
    assert list(scores.mean()[2:, 0]) == [31, 0]


@pytest.mark.parametrize("name", ["qrels.123", "qrels.comments.123"])
def test_mean_over_judges(folder: Path, name: str) -> None:
    """trec_eval's judgment groups: the mean over the judges of a topic, then over topics."""
    judgments = hj.read_judgments(folder / name, judge_column="iteration", grades=range(-1, 7))
    assert judgments.judges == ["0", "1", "2"]
    wanted = {trec_name(m): m for m in measure_list(["map", "P"])}
    each = []
    for judge in judgments.judges:
        scores = hj.evaluate(judgments.qrels_of(judge), folder / "results.test", wanted.values())
        at = [scores.topics.index(t) if t in scores.topics else -1 for t in judgments.topics]
        there = np.array([i >= 0 for i in at])
        each.append(np.where(there, scores.values[:, 0, at], np.nan))
    topic_means = np.nanmean(each, axis=0)
    theirs = printed(folder / "out.test.qrels_jg")
    compared = 0
    for row, measure in zip(topic_means, wanted, strict=True):
        stem, _, cut = measure.partition("_")
        jg = f"{stem}_avgjg" + (f"_{cut}" if cut else "")
        for topic, value in zip([*judgments.topics, "all"], [*row, row.mean()], strict=True):
            assert shown("", value) == theirs[jg, topic], (jg, topic)
            compared += 1
    assert compared == 40


# Deep Learning 2021: 63 runs, 53 topics


@pytest.fixture(scope="module")
def deep_learning(shared_data: Path) -> Any:
    names = ["num_rel_ret", "map", "Rprec", "bpref", "recip_rank", "P_10", "P_20", "ndcg_cut_10"]
    home = shared_data / "dl21"
    runs = hj.read_runs(str(home / "runs" / "*.gz"), score_precision="single", names="stem")
    return names, hj.evaluate(home / "qrels.nist.txt", runs, names)


def cells(names: list[str], scores: Any) -> dict[tuple[str, str, str], str]:
    return {
        (system, name, topic): shown(name, scores.values[i, j, k])
        for i, name in enumerate(names)
        for j, system in enumerate(scores.systems)
        for k, topic in enumerate(scores.topics)
    }


def test_deep_learning_runs(shared_data: Path, deep_learning: Any) -> None:
    names, scores = deep_learning
    assert scores.values.shape == (8, 63, 53)
    theirs: dict[tuple[str, str, str], str] = {}
    home = shared_data / "dl21" / "reference"
    with gzip.open(home / "trec_eval.binary-rel1.gz", "rt") as stream:
        for system, name, topic, value in (line.split("\t") for line in stream):
            if topic != "all":
                theirs[system, name, topic] = value.strip()
    with gzip.open(home / "ndcg_cut_10.csv.gz", "rt") as stream:
        for row in csv.DictReader(stream):
            theirs[row["runid"], "ndcg_cut_10", row["topic"]] = f"{float(row['ndcg_cut_10']):.4f}"
    mine = cells(names, scores)
    theirs = {key: value for key, value in theirs.items() if key[2] in scores.topics}
    assert theirs.keys() == mine.keys()
    assert len(mine) == 3339 * 8
    assert {k: (v, theirs[k]) for k, v in mine.items() if v != theirs[k]} == {}


def test_single_precision_is_needed_there(shared_data: Path, deep_learning: Any) -> None:
    """Read in double precision some near-ties rank differently: the policy does something."""
    names, single = deep_learning
    home = shared_data / "dl21"
    runs = hj.read_runs(str(home / "runs" / "*.gz"), names="stem")
    double = hj.evaluate(home / "qrels.nist.txt", runs, names)
    assert cells(names, double) != cells(names, single)


# Measures by the names of trec_eval.


TREC_DATA = SHARED / "trec_eval"


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ("num_q", ["NumQ"]),
        ("num_ret", ["NumRet"]),
        ("num_rel", ["NumRel"]),
        ("num_rel_ret", ["NumRelRet"]),
        ("num_nonrel_judged_ret", ["NumNonrelJudgedRet"]),
        ("map", ["AP"]),
        ("gm_map", ["GMAP"]),
        ("Rprec", ["Rprec"]),
        ("bpref", ["Bpref"]),
        ("recip_rank", ["RR"]),
        ("infAP", ["infAP"]),
        ("11pt_avg", ['IPrec11(levels="trec")']),
        ("ndcg", ["nDCG"]),
        ("ndcg.1=3.5,2=9.0", ["nDCG(gains={1: 3.5, 2: 9})"]),
        ("set_P", ["SetP"]),
        ("set_recall", ["SetR"]),
        ("set_F", ["SetF"]),
        ("set_F.0.5", ["SetF(beta=0.5)"]),
        ("ndcg_cut.10", ["nDCG@10"]),
        ("ndcg_cut_10", ["nDCG@10"]),
        ("map_cut_100", ["AP@100"]),
        ("map_cut.5,100", ["AP@5", "AP@100"]),
        ("P.5,10", ["P@5", "P@10"]),
        ("P_5", ["P@5"]),
        ("recall_1000", ["R@1000"]),
        ("success_5", ["Success@5"]),
        ("success", ["Success@1", "Success@5", "Success@10"]),
        ("iprec_at_recall_0.10", ['IPrec(levels="trec")@0.1']),
        ("iprec_at_recall.0.10,.5", ['IPrec(levels="trec")@0.1', 'IPrec(levels="trec")@0.5']),
    ],
)
def test_the_names_of_trec_eval(text, ours):
    assert [str(m) for m in measure_list(text)] == ours


def test_plain_cut_names_mean_trec_evals_own_cuts():
    cuts = [5, 10, 15, 20, 30, 100, 200, 500, 1000]
    for theirs, ours in (("P", "P"), ("recall", "R"), ("ndcg_cut", "nDCG"), ("map_cut", "AP")):
        assert [str(m) for m in measure_list(theirs)] == [f"{ours}@{k}" for k in cuts]
    levels = measure_list("iprec_at_recall")
    assert [m.recall for m in levels] == [i / 10 for i in range(11)]


def test_the_sets_of_trec_eval():
    official = [trec_name(m) for m in measure_list("official")]
    assert official[:9] == ["num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map",
                            "Rprec", "bpref", "recip_rank"]  # fmt: skip
    assert official[9:20] == [f"iprec_at_recall_{i / 10:.2f}" for i in range(11)]
    assert official[20:] == [f"P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)]
    everything = [trec_name(m) for m in measure_list("all_trec")]
    assert len(set(everything)) == len(everything)
    assert set(official) < set(everything)


def test_trec_names_go_there_and_back():
    for one in measure_list("all_trec"):
        assert trec_name(one) != str(one) or one.name in ("Rprec", "infAP")
        assert hj.measure(trec_name(one)) == one
    assert trec_name(hj.measure("IPrec(levels='trec')@0.125")) != "iprec_at_recall_0.12"
    assert trec_name(hj.measure("IPrec@0.1")) == "IPrec@0.1"  # by definition: not trec_eval's
    for name in ("AP(rel=2)", "GMAP@5", "RBP(p=0.9)", "nDCG(base=2)@10", "R", "Judged@10"):
        assert trec_name(hj.measure(name)) == name


@pytest.mark.skipif(not TREC_DATA.exists(), reason="../shared/data/trec_eval is not here")
def test_every_name_that_trec_eval_prints_is_known_or_refused_by_name():
    lines = (TREC_DATA / "out.test.aq").read_text().splitlines()
    printed = [line.split()[0] for line in lines if line.split()[1] == "all"]
    known = []
    for name in printed:
        try:
            known.append(trec_name(hj.measure(name)))
        except UnknownName as error:
            assert f"trec_eval's '{name}' is not available" in str(error)  # noqa: PT017
    assert known == [trec_name(m) for m in measure_list("all_trec")]


@pytest.mark.parametrize(
    "text",
    ["gm_bpref", "Rprec_mult", "Rprec_mult_0.20", "utility", "utility.1,-1,0,0", "binG", "G",
     "ndcg_rel", "Rndcg", "relative_P_5", "relative_P.5,10", "set_relative_P", "set_map",
     "relstring", "relstring.20", "rbp", "rbp.0.8", "rbp_resid", "unj_10", "prefs_simp",
     "prefs_pair_ret", "prefs_num_prefs_poss", "map_avgjg", "P_avgjg.5", "yaap", "runid"],
)  # fmt: skip
def test_trec_eval_measures_we_do_not_have_are_refused_by_name(text):
    with pytest.raises(UnknownName, match="trec_eval's") as caught:
        hj.measure(text)
    assert caught.value.remedy


@pytest.mark.parametrize("text", ["official", "P.5,10", "P", "success"])
def test_a_name_for_several_measures_is_not_one_measure(text):
    with pytest.raises(HungjuryError) as caught:
        hj.measure(text)
    assert caught.value.remedy
    assert "unknown measure" not in str(caught.value)  # there are several


# `hungjury evaluate -q --format trec` line by line against pytrec_eval, on real collections.


pytrec_eval = pytest.importorskip("pytrec_eval")

DATA = SHARED
COUNTED = {"num_q", "num_ret", "num_rel", "num_rel_ret"}
# Without iprec_at_recall and 11pt_avg: pytrec_eval has trec_eval 9 inside, which rounds recall
# levels in another way than trec_eval 10.
PRINTED = [
    "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank",
    "P", "recall", "infAP", "ndcg", "ndcg_cut", "map_cut", "success", "set_P", "set_recall",
    "set_F",
]  # fmt: skip


def columns(path):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt") as stream:
        return [line.split() for line in stream]


def labels(path):
    out = {}
    for topic, _, document, grade in columns(path):
        out.setdefault(topic, {})[document] = int(grade)
    return out


def expected_lines(qrels, path):
    run, tag = {}, ""
    for topic, _, document, _, score, tag in columns(path):  # noqa: B007
        run.setdefault(topic, {})[document] = float(score)
    found = pytrec_eval.RelevanceEvaluator(qrels, set(PRINTED)).evaluate(run)
    printed = [trec_name(m) for name in PRINTED for m in measure_list(name)]

    def line(name, topic, value):
        return f"{name:<22}\t{topic}\t{value:.0f}" if name in COUNTED else (
            f"{name:<22}\t{topic}\t{value:.4f}")  # fmt: skip

    for topic in sorted(found):
        for name in printed:
            if name not in ("num_q", "gm_map"):  # averages over topics only
                yield line(name, topic, found[topic][name])
    yield f"{'runid':<22}\tall\t{tag}"
    for name in printed:
        each = [values[name] for values in found.values()]
        yield line(name, "all", pytrec_eval.compute_aggregated_measure(name, each))


@pytest.mark.parametrize(
    ("collection", "qrels"), [("dl21", "qrels.nist.txt"), ("trec8", "qrels.txt.gz")]
)
def test_every_line_is_that_of_trec_eval(collection, qrels):
    folder = DATA / collection
    if not folder.exists():
        pytest.skip(f"../shared/data/{collection} is not here")
    files = sorted((folder / "runs").iterdir())
    truth = labels(folder / qrels)
    chosen = [argument for name in PRINTED for argument in ("-m", name)]
    for path in (files[0], files[-1]):
        arguments = ["evaluate", str(folder / qrels), str(path), "-q", "--format", "trec", *chosen]
        done = CliRunner().invoke(command, arguments, catch_exceptions=False)
        assert done.exit_code == 0
        assert done.stdout.splitlines() == list(expected_lines(truth, path)), path.name
