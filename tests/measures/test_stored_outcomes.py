"""Expectations, scores as tables, files of scores, names of measures and refusals, as a whole."""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import hungjury as hj
from builders.collection import random_collection
from builders.probabilities import SOFT, graded
from builders.scores import scores_of
from builders.stored import Cases, check
from hungjury.data.alignment import align
from hungjury.measures import drawn_labels
from hungjury.measures.batch import Scorer, on_all_cores, places, range_of
from hungjury.measures.catalogue import CATALOGUE, measure, measure_list, trec_name
from hungjury.measures.distribution import functional, over_topics
from hungjury.measures.score_files import Answers

RUNS = {
    "A": {"1": {"a": 3.0, "x": 2.5, "b": 2.0, "c": 1.0}, "2": {"a": 1.0, "y": 0.5}},
    "B": {"1": {"c": 3.0, "y": 2.5, "a": 1.0}, "2": {"z": 2.0, "y": 1.0, "a": 0.5}},
    "C": {"1": {"b": 1.0, "a": 1.0, "z": 1.0}},
}
BINARY = {"1": {"a": 1, "b": 0, "c": 1, "d": 0}, "2": {"a": 1, "e": 0}}
CHANCES = {
    "1": {"a": [0.2, 0.3, 0.5], "b": [0.6, 0.3, 0.1], "c": [0.1, 0.8, 0.1]},
    "2": {"a": [0.5, 0.5, 0.0], "y": [0.3, 0.3, 0.4]},
}


def labels_of(kind: str) -> Any:
    """Probabilities of relevance, of every grade, binary labels or grades."""
    if kind == "grades":
        return graded(CHANCES)
    hard = {t: {d: int(np.argmax(p)) for d, p in docs.items()} for t, docs in CHANCES.items()}
    given = {"soft": SOFT, "binary": BINARY, "hard": hard}[kind]
    return hj.read_qrels(given, **({"grades": range(3)} if kind == "hard" else {}))


def folder_file(text: str, name: str) -> str:
    path = Path(tempfile.mkdtemp()) / name
    path.write_text(text, encoding="utf-8")
    return str(path)


# Expectations

DRAWS = "draws=7, seed=3"
EXACT = [
    "AP", "AP@2", "P@2", "R@2", "R", "F1@2", "RR", "RR@2", "Success@2", "ERR", "RBP", "nDCG@3",
    "nDCG", "DCG", "CG@2", "Mean@2", "gRBP", "nCG@2", "nDCG(gains={1: 5, 2: 1})",
    "nDCG(gains={0: 1})", "CG(gains={1: -1})",
]  # fmt: skip
SAMPLED = ["Rprec", "Bpref", "Q", "MP(model=GL_OR_ID)", "ESL", "NumRelRet", "infAP"]
OUTSIDE = [
    "unjudged=0.3", "unjudged=0.3, recall_base=retrieved", "unjudged=0.3, recall_base=7",
    "unjudged=0.3, recall_base={1: 3, 2: 5.5}", "unjudged=0.3, collection=40",
    "unjudged=0.3, recall_base=retrieved, base_depth=2", "unjudged=0.3, recall_base={1: 3}",
    "unjudged=0.3, collection=3", "prob=[0.1, 0.8], unjudged=0.2", "topic_shift=True",
    "judge_shift=0.5, unjudged=0.3", "topic_shift=0.4, judge_shift=2.5",
]  # fmt: skip


def expected(kind: str, name: str, **how: Any) -> Any:
    found = hj.evaluate(labels_of(kind), RUNS, name, **how)
    return {
        "values": found.values[0],
        "variance": None if found.variance is None else found.variance[0],
        "draws": list(found.draws.values()),
        "sampled": found.sampled,
        "std": found.mean_std(),
        "hits": [[h.p, h.topic, h.counted] for h in found.hits.values()],
        "notes": [note.text for note in found.notes if note.kind == "sampled"],
    }


def expectations() -> Cases:
    cases: dict[str, Callable[[], Any]] = {}
    for kind in ("soft", "grades"):
        for one in (*EXACT, *SAMPLED):
            name = f"E({one}, {DRAWS})"
            cases[f"{kind} {name}"] = partial(expected, kind, name)
        for how in ({"distribution": True}, {"unjudged": "condensed"}, {"ties": "expected"}):
            for one in ("AP", "P@2", "nDCG@3", "Rprec", "RBP"):
                name = f"E({one}, {DRAWS})"
                cases[f"{kind} {name} {how}"] = partial(expected, kind, name, **how)
    return cases


def unjudged_documents() -> Cases:
    cases: dict[str, Callable[[], Any]] = {}
    for kind in ("soft", "binary"):
        for one in ("AP", "R@2", "RR@3", "ERR", "Rprec", "nDCG@3"):
            for more in OUTSIDE:
                name = f"E({one}, {more}, {DRAWS})"
                cases[f"{kind} {name}"] = partial(expected, kind, name)
    uneven = {"1": {f"d{i}": 0.5 for i in range(60)}, "2": {"a": 0.5}}
    for one in ("AP", "Rprec"):
        name = f"E({one}, unjudged=0.3, collection=70, {DRAWS})"
        cases[f"uneven {name}"] = partial(evaluated, uneven, RUNS, name)
    name = f"E(AP, unjudged=0.3, {DRAWS})"
    for how in ({"distribution": True}, {"unjudged": "condensed"}, {"ties": "expected"},
                {"depth": 2}):  # fmt: skip
        cases[f"{name} {how}"] = partial(expected, "soft", name, **how)
    both = f"E(Rprec, unjudged=0.3, {DRAWS})"
    cases[f"{both} ties"] = partial(expected, "soft", both, ties="expected")
    clusters = "1 a k1\n\n1 c k1\n2 a k2\n9 z k1\n"
    for text in (clusters, "1 a\n"):
        one = hj.m.E(of="AP", draws=9, clusters=folder_file(text, "clusters.txt"))
        cases[f"clusters {len(text)}"] = partial(without_place, one)
    cases |= {
        "binomial": lambda: [drawn_labels.binomial(n, 0.3, 0, 4) for n in (2, 9)],
        "likely": lambda: drawn_labels.likely(np.array([0, 5, 4000]), 0.2),
    }
    for name in ("eRAP(unjudged=0.2, recall_base=retrieved)", "eRAP(unjudged=0.2, collection=2)",
                 "eRAP(recall_base={1: 3})", "eRP(unjudged=0.4)@2", "eRAP(rel=2)",
                 "eRAP(prob=[0, 0.5, 1])", "eRAP(prob=[0, 1])"):  # fmt: skip
        for kind in ("soft", "grades", "hard"):
            for ties in ("trec", "expected"):
                cases[f"{kind} {name} {ties}"] = partial(expected, kind, name, ties=ties)
    return cases


def without_place(one: Any) -> Any:
    try:
        found = hj.evaluate(labels_of("soft"), RUNS, one)
    except hj.HungjuryError as error:
        return [error.message, error.line, error.code, error.remedy]
    return [found.values, list(found.draws.values()), found.variance]


# Scores


@cache
def some() -> Any:
    made = random_collection(5, topics=5)
    names = ["AP", "ESL", "P@1", "R@1", "P@2", "R@2", "NumRet", "GMAP", "IPrec@0.0", "IPrec@0.5",
             'IPrec(levels="trec")@0.5', "nDCG@3"]  # fmt: skip
    return hj.evaluate(made.labels, made.runs, names, grades=range(5))


@cache
def uncertain() -> Any:
    names = ["E(P@2, draws=20)", "E(ESL, draws=20)", "AP(rel=2)", "E(AP, draws=20)", "E(P@1)"]
    chosen = [n for n in names if n != "AP(rel=2)"]
    return hj.evaluate(SOFT, RUNS, chosen, distribution=True)


def without_origin(text: str) -> dict[str, Any]:
    """What JSON says of scores, without the versions of libraries."""
    return {key: value for key, value in json.loads(text).items() if key != "provenance"}


def views(scores: Any) -> dict[str, Callable[[], Any]]:
    """All that scores can be turned into."""
    return {
        "repr": lambda: repr(scores),
        "text": scores.to_text,
        "text 2": lambda: scores.to_text(2),
        "latex": lambda: scores.to_latex(3),
        "markdown": scores.to_markdown,
        "html": scores.to_html,
        "csv": scores.to_csv,
        "csv topics": lambda: scores.to_csv(per_topic=True, summary=True),
        "json": lambda: without_origin(scores.to_json(per_topic=True)),
        "dict": scores.to_dict,
        "frame": lambda: scores.to_frame().to_csv(),
        "means": lambda: scores.means().to_csv(),
        "polars": lambda: scores.means("polars").columns,
        "mean": scores.mean,
        "counted": scores.counted,
        "std": lambda: [scores.std, scores.mean_std()],
        "better": lambda: [scores.better(), scores.signs, scores.best_first()],
        "notes": lambda: scores.notes,
    }


def scores_cases() -> Cases:
    cases = dict(views(some()))
    few = some().select(["s0", "s2"], ["q1", "q3"], ["ESL", "NumRet"])
    cases |= {f"few {name}": case for name, case in views(few).items()}
    spread = uncertain().with_spread(level=0.8, quantiles=[0.25])
    cases |= {f"spread {name}": case for name, case in views(spread).items()}
    cut = uncertain().select(["A", "C"], ["2"], uncertain().measures[1:])
    cases |= {f"cut {name}": case for name, case in views(cut).items()}
    hand = scores_of([[[0.2, np.nan], [0.4, 0.1]]], ["mean"], undefined="drop")
    cases |= {f"hand {name}": case for name, case in views(hand).items()}
    found = uncertain()
    cases |= {
        "quantiles": lambda: [found.quantile(0.5), found.quantile([0.1, 0.9], per_topic=True)],
        "interval": lambda: found.interval(0.8),
        "covariance": lambda: [found.covariance(0), found.covariance(1)],
        "wins": lambda: [found.wins(m) for m in range(4)],
        "wins of few": lambda: found.select(["A", "B"], ["1"]).wins(),
        "resampled": lambda: [found.resampled_means(1, n, 4) for n in (6, 20, 33)],
        "orders": lambda: [found.order(by, m) for by in ("mean", "median", "wins", 0.2, "0.9")
                           for m in (0, 1)],
        "dominance": lambda: [found.dominance(a, b, m) for a in "AB" for b in "ABC"
                              for m in (0, 1)],
        "first": lambda: [found.mean_draws(), found.covariance(), found.wins(),
                          found.interval(), found.dominance("A", "B")],
        "no draws": lambda: some().mean_draws(0),
        "no draws at all": lambda: some().quantile(0.5),
        "no such draws": lambda: some().mean_draws(99),
        "no spread": lambda: some().with_spread(level=0.5),
        "bad level": lambda: found.with_spread(level=1.0),
        "bad quantile": lambda: found.with_spread(quantiles=[0.0]),
        "bad order": lambda: found.order("best"),
        "bad place": lambda: found.order("mean", 9),
        "no system": lambda: found.dominance("A", "Z"),
        "no topic": lambda: found.select(topics=["7"]),
        "nothing left": lambda: found.select(systems=[]),
        "topic all": lambda: hj.evaluate({"all": {"a": 1}}, {"all": {"a": 1.0}}, "AP").to_csv(
            True, True),
        "functional": lambda: [functional(np.array([1.0, 2.0]), np.array([[1.0, 2.0], [3.0, 0.0]]),
                                          by) for by in ("mean", "median", "wins", 0.1)],
        "over topics": lambda: [over_topics(np.array([0.0, 0.5, 0.25]), average, shares)
                                for average in ("mean", "sum", "gmean")
                                for shares in (None, np.array([[0.5, 0.5, 0.0]]))],
    }  # fmt: skip
    for by, rel in (("recall", 1), ("rank", 1), ("rank", 2), ("level", 1)):
        cases[f"curve {by} {rel}"] = partial(curve, by, rel)
    one = hj.evaluate({"1": {"a": 1, "b": 0}}, {"1": {"b": 2.0, "a": 1.0}}, ["P@1", "R@1", "P@2"])
    cases["curve of other ranks"] = lambda: one.curve(by="rank")
    short = one.select(measures=["P@1", "R@1"])
    cases["curve of a topic"] = lambda: [short.curve(by="rank"), str(short.curve(by="rank"))]
    return cases


def curve(by: Any, rel: int) -> Any:
    found = some().curve(rel, by)
    return [found, str(found), found.points(1)]


# Files of scores and answers

ROWS = [
    {"model": s, "qid": t, "metric": m, "score": v}
    for s, t, m, v in [("a", "1", "ESL", 3), ("a", "2", "ESL", "4.5"), ("b", "1", "ESL", 1),
                       ("b", "2", "ESL", 0), ("a", "1", "x", None), ("a", "all", "ESL", 9)]
]  # fmt: skip
JUDGED = [
    {"system": s, "topic": t, "judge": j, "score": v, "answer": f"{s} on {t}"}
    for s, t, j, v in [("a", "1", "x", 3), ("a", "1", "y", 4), ("b", "1", "x", 1),
                       ("b", "1", "y", 2), ("a", "2", "x", 5), ("b", "2", "x", 2)]
]  # fmt: skip
TREC = "runid all r7\nmap 1 0.25\nmap 2 0.5\nmap all 0.375\nrelstring_10 1 '101\n"
FILES = {
    "trec.txt": TREC,
    "ir.txt": "1 AP 0.5\n2 AP 0.25\n\n1 P@5 0.2\n2 P@5 0.4\n",
    "bad.txt": "map 1 0.25\nmap 2\n",
    "word.txt": "map 1 high\n",
    "wide.csv": "system,topic,AP,note\na,1,0.5,x\na,2,0.25,y\n",
    "long.tsv": "system\ttopic\tmeasure\tvalue\na\t1\tAP\t0.5\nb\t1\tAP\t\n",
    "ours.json": json.dumps({"measures": ["AP"], "mean": {}, "topics": {"a": {"1": {"AP": 0.5}}}}),
    "means.json": json.dumps({"measures": ["AP"], "mean": {}}),
    "task.json": json.dumps({"task_name": "T", "scores": {"dev": [{"main_score": 0.5}],
                             "test": [{"main_score": 0.25}, {"main_score": 0.75}, {}]}}),
    "no-split.json": json.dumps({"task_name": "T", "scores": {}}),
    "nested.json": json.dumps({"1": {"map": 0.5, "P_5": 0.2}, "2": {"map": 0.25, "P_5": None}}),
    "ranx.json": json.dumps({"map": {"1": 0.5, "2": 0.25}}),
}  # fmt: skip


def read(source: Any, **how: Any) -> Any:
    found = hj.read_scores(source, **how)
    more = [found.measure, found.scale] if isinstance(found, hj.JudgeScores) else []
    axes = [found.measures, found.systems, found.topics]
    return [repr(found), axes, found.values, found.status, found.smaller, found.averages,
            found.notes, more]  # fmt: skip


def from_file(name: str, **how: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(FILES[name], encoding="utf-8")
        try:
            return read(str(path), **how)
        except hj.HungjuryError as error:
            return str(error).replace(folder, "FOLDER")


def mteb(files: dict[str, str]) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder) / "results" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        try:
            return read(f"{folder}/results", missing="drop")
        except hj.HungjuryError as error:
            return str(error).replace(folder, "FOLDER")


def answered(rows: Any, **how: Any) -> Any:
    found: Answers = hj.read_answers(rows, **how)
    with tempfile.TemporaryDirectory() as folder:
        found.write(Path(folder) / "new")
        files = {p.name: p.read_text() for p in sorted((Path(folder) / "new").iterdir())}
    labels = found.judgments.qrels_of(found.judgments.judges[0])
    scores = hj.evaluate(labels, found.runs, "eRP@1" if labels.soft else "Mean@1")
    return [repr(found), found.texts, found.scale, found.notes, files, scores.values]


def score_files() -> Cases:
    task = FILES["task.json"]
    half = [r for r in JUDGED if r["topic"] == "1" or r["system"] == "a"]
    cases: dict[str, Callable[[], Any]] = {name: partial(from_file, name) for name in FILES}
    cases |= {
        "rows": partial(read, ROWS[:4]),
        "row without a value": partial(read, ROWS[:5]),
        "frame": lambda: read(__import__("pandas").DataFrame(ROWS[:4])),
        "two": partial(read, [{"s": {"1": {"map": 0.5}}}, {"t": {"1": {"map": 0.5}}}]),
        "systems": partial(read, {"s": {"1": {"map": 0.5}}, "t": {"1": {"map": 0.25}}}),
        "ranx": partial(read, {"map": {"1": 0.5, "2": 0.25}}),
        "flat": partial(read, {"map": 0.5}),
        "nothing": partial(read, []),
        "number": partial(read, 3),
        "only all": partial(read, ROWS[5:]),
        "smaller": partial(read, {"1": {"cost": 2.0}}, smaller="cost"),
        "smaller of none": partial(read, {"1": {"cost": 2.0}}, smaller=["costs", "b"]),
        "named": partial(read, ROWS[:4], columns="system=model,value=score"),
        "no column": partial(read, ROWS[:4], columns={"system": "name"}),
        "no system": partial(read, [{"topic": "1", "value": 2}]),
        "no value": partial(read, [{"system": "a", "topic": "1", "measure": "AP"}]),
        "true": partial(read, {"1": {"map": True}}),
        "infinite": partial(read, {"1": {"map": float("inf")}}),
        "judges": partial(read, JUDGED, scale="1-5"),
        "judges without scale": partial(read, JUDGED),
        "outside": partial(read, JUDGED, scale=(1, 4)),
        "bad scale": partial(read, JUDGED, scale="5-1"),
        "no scale": partial(read, JUDGED, scale="high"),
        "one system": partial(read, [*JUDGED, JUDGED[0] | {"judge": "z"}], scale=(1, 5)),
        "measures of judges": partial(
            read, [r | {"measure": r["topic"]} for r in JUDGED], scale=(1, 5), missing="zero"),
        "answers": partial(answered, JUDGED, scale=(0, 5)),
        "answers by nobody": partial(
            answered, [{k: v for k, v in r.items() if k != "judge"} for r in JUDGED[4:]],
            scale=(0, 5)),
        "shares": partial(answered, [r | {"score": r["score"] / 10} for r in half], scale=(0, 1)),
        "answers below 0": partial(answered, half, scale=(-1, 5)),
        "answers of a large scale": partial(answered, half, scale=(0, 101)),
        "answers of a scale": partial(answered, half, scale=(0, 100)),
        "no answers": partial(answered, [], scale=(0, 5)),
        "answers twice": partial(answered, [*JUDGED, JUDGED[0]], scale=(0, 5)),
        "mteb": partial(mteb, {"m/r1/T.json": task, "m/r2/T.json": task, "n/r1/T.json": task,
                               "n/r1/model_meta.json": "{}", "n/r1/other.json": "[]"}),
        "mteb, one": partial(mteb, {"T.json": task}),
        "mteb, none": partial(mteb, {"a.txt": "x"}),
        "mteb, bad": partial(mteb, {"T.json": "{"}),
    }  # fmt: skip
    gap = {"a": {"1": {"m": 1.0}, "2": {"m": 2.0}}, "b": {"1": {"m": 3.0}}}
    apart = {"a": {"1": {"m": 1.0}}, "b": {"2": {"m": 3.0}}}
    for missing in ("error", "drop", "zero"):
        cases[f"missing {missing}"] = partial(read, gap, missing=missing)
        cases[f"apart {missing}"] = partial(read, apart, missing=missing)
    again = [*ROWS[:4], ROWS[0] | {"score": 8}, ROWS[0] | {"score": 4}]
    for duplicates in ("error", "first", "last", "mean"):
        cases[f"again {duplicates}"] = partial(read, again, duplicates=duplicates)
    return cases


# Names, and what is refused


def ir(name: str, **params: Any) -> Any:
    one = SimpleNamespace(NAME=name, params=params, SUPPORTED_PARAMS={})
    return str(measure(one))


def names() -> Cases:
    given = [
        "official", "all_trec", "P.5,10", "P_5", "ndcg_cut_10", "ndcg.1=3.5,2=9.0", "set_F.0.5",
        "map_cut.7", "iprec_at_recall_0.35", "iprec_at_recall_.5", "recall_1e5", "success_3",
        "ndcg_at_10", "nDCG10", "MRR@10", "map@5", "hit_rate", "r-precision", "AP P@10", "AP,map",
        "AP nope", "gm_bpref", "rbp.0.8", "prefs_simp", "unj@5", "G", "utility.1,2", "kappa",
        "fleiss_kappa", "nDGC@10", "", " ap ", "AP@", "E(AP)@10", "E(AP@10)@5", "E(SetP)@5",
        "E(official)", "E(E(AP))", "E(AP, recall_base=pool)", "E(AP, recall_base=0)",
        "E(AP, recall_base=x)", "E(AP, clusters=3)", "E(AP, topic_shift=True)",
        "E(AP, topic_shift=x)", "ERR(gains={1: 51})", "ERR(gains={1: 50})", "ERR(gains={1: -1})",
        "GAP(g=[0.5, 0.4])", "GAP(g=[-0.5, 1.5])", "MP(steps=3)", "MP(steps=3, rates=[1, 2])",
        "MP(model=no-such-file)", "MP(rates=model)", "MP(model=published-shape, rates=model)",
        "MP(model=[[0.5, 0.4], [1, 0]])", "MP(model=[[1, 0], [0, 1]])", "MP(steps=1000001)",
        "nMCG@11", "nMCG(user=3)", "nMCG(user=published-shape, nav_rel=2)@3", "Residual(AP)",
        "P", "R@2147483648", "RBP(p=1)", "NCP(p=0)", "IPrec@1.5", "E(AP, draws=1)",
    ]  # fmt: skip
    cases: dict[str, Callable[[], Any]] = {
        name: partial(lambda n: [[str(m), trec_name(m), repr(m)] for m in measure_list(n)], name)
        for name in given
    }
    odd: list[Any] = [[], [3], None, ["AP", "AP", "map"], 3.5]
    cases |= {f"list {one}": partial(lambda n: list(map(str, measure_list(n))), one) for one in odd}
    cases |= {
        "one of several": lambda: measure("official"),
        "levels": lambda: [trec_name(measure(f'IPrec(levels="trec")@{v}'))
                           for v in ("0.1", "0.125", "1e-31", "1")],
        "ours": lambda: [trec_name(measure(n)) for n in ("AP(rel=2)", "IPrec@0.1", "RBP", "P@7")],
        "ir RBP": lambda: ir("RBP", p=0.5, rel=2),
        "ir graded RBP": lambda: ir("RBP", p=0.5),
        "ir nDCG": lambda: ir("nDCG", dcg="exp-log2", cutoff=5),
        "ir AP": lambda: ir("AP", rel=2, judged_only=False),
        "ir judged": lambda: ir("AP", judged_only=True),
        "ir dcg": lambda: ir("AP", dcg="exp"),
        "ir max_rel": lambda: ir("INST", max_rel=3, T=2.0, min_rel=0),
        "ir min_rel": lambda: ir("INST", min_rel=1),
        "ir other": lambda: ir("ERR"),
        "ir nothing": lambda: ir("XYZ"),
        "ir parameter": lambda: ir("AP", strange=1),
        "measures": lambda: [(row["name"], row["native"], row["exact_expectation"], row["range"])
                             for row in hj.measures()],
    }  # fmt: skip
    return cases


LISTS: dict[str, Any] = {
    "plain": ("AP", [1, 0, None, 1], [1, 1, 1, 0]),
    "own pool": ("nDCG", [2, 0, 1]),
    "empty": ("AP", []),
    "nothing relevant": ("AP", [0, 0]),
    "chances": ("eRAP", [0.5, None, 0.25], [0.5, 0.25, 1.0]),
    "unjudged": ("eRAP(unjudged=0.5)", [0.5, None, 0.25]),
    "chances for AP": ("AP", [0.5, 0.25]),
    "chances above 1": ("eRAP", [1.5, 0.25]),
    "too large": ("AP", [1001]),
    "large": ("AP", [1000]),
    "not a number": ("AP", [float("nan")]),
    "too small a pool": ("AP", [1, 1, 2], [1, 2]),
    "scale": ("ERR(max_grade=2)", [3]),
    "grades": ("GAP(g=[0.5, 0.5])", [1, 0]),
    "whole floats": ("ERR", [1.0, 2.0, 0.0]),
    "threshold": ("AP(rel=3)", [1, 2]),
    "prob of chances": ("eRAP(prob=[0, 1])", [0.5]),
}


def evaluated(qrels: Any, runs: Any, measures: Any, **how: Any) -> Any:
    found = hj.evaluate(qrels, runs, measures, **how)
    return [found.values, found.status, found.mean(), found.variance, found.settings.to_dict(),
            found.notes, found.topics]  # fmt: skip


def evaluations() -> Cases:
    run, hard = RUNS, labels_of("hard")
    cases: dict[str, Callable[[], Any]] = {
        f"list {name}": partial(hj.score_list, *given) for name, given in LISTS.items()
    }
    both = ["AP", "ESL", "Fallout", "NumRel"]
    for undefined in ("zero", "nan", "drop"):
        for topics in ("judged", "retrieved", ["2"]):
            name = f"{undefined} {topics}"
            empty = {"1": {"a": 0, "b": 0}, "2": {"a": 1, "y": 0}, "3": {"q": 1}}
            cases[name] = partial(evaluated, empty, run, both, topics=topics, undefined=undefined)
    steps: list[Any] = []
    pairs: dict[str, tuple[Any, Any]] = {
        "no topics": ("AP", {"topics": []}),
        "unknown topic": ("AP", {"topics": ["1", "77"]}),
        "ties": ("AP", {"ties": "expected", "unjudged": "condensed"}),
        "ties of ERR": ("ERR", {"ties": "expected"}),
        "certain": (["E(AP)", "AP"], {}),
        "certain draws": ("E(AP)", {"distribution": True}),
        "rel": ("AP(rel=3)", {}),
        "rel inside": ("E(AP(rel=3))", {}),
        "rel of two": ("E(AP(rel=2), prob=[0, 0.5, 1])", {}),
        "progress": ("E(Rprec, draws=101, prob=[0, 0.5, 1])",
                     {"progress": lambda *step: steps.append(step)}),
        "unjudged grade": ("E(AP, unjudged=0.5)", {}),
        "prob": ("E(AP, prob=[0, 1])", {}),
        "map": ("eRAP(prob=[0, 1])", {}),
        "both": ("eRAP(prob=[0, 0.5, 1], rel=2)", {}),
        "rel of eRAP": ("eRAP(rel=3)", {}),
        "nav_rel": ("nMCG(nav_rel=3)", {}),
        "rates": ("MP(rates=[1])", {}),
        "g": ("GAP(g=[1])", {}),
        "residual": ("Residual(RBP(rel=3))", {}),
    }  # fmt: skip
    for name, (wanted, how) in pairs.items():
        cases[name] = partial(evaluated, hard, run, wanted, **how)
    cases["steps"] = lambda: steps[-3:]
    for kind, wanted in (("soft", "AP"), ("soft", "eRAP(rel=2)"), ("soft", "E(AP, prob=[0, 1])"),
                         ("grades", "E(AP, prob=[0, 1])"), ("grades", "eRAP(rel=2)"),
                         ("grades", "AP")):  # fmt: skip
        cases[f"{kind} {wanted}"] = partial(evaluated, labels_of(kind), run, wanted)
    aligned = align(hj.read_runs(run), hard.pool)
    scorer = Scorer("AP", aligned, 2)
    size = len(hard.pool)
    counts = np.arange(2 * 3 * 2 * 3).reshape(2, 3, 2, 3)
    labels = np.array([[0, 1, 2, 1, 0], [1, 0, 0, 0, 2]], dtype=np.int16)
    done: list[int] = []
    cases |= {
        "labels of one": lambda: scorer(labels[0]),
        "labels of others": lambda: scorer(np.zeros((2, size + 1), np.int16)),
        "real labels": lambda: scorer(np.zeros((2, size))),
        "large labels": lambda: scorer(np.full((2, size), 3)),
        "with counts": lambda: [Scorer(n, aligned, 2).filled(labels, counts=counts)
                                for n in ("AP", "nDCG@2", "Rprec", "ESL", "NumRel", "R", "Q")],
        "places": lambda: [places(aligned.start[one], aligned.stop[one])
                           for one in (slice(None), slice(1, 3))],
        "cores": lambda: [on_all_cores(done.append, list(range(9))), sorted(done)],
        "ranges": lambda: [range_of(measure(n), hard.pool, given, 2)
                           for n in ("AP", "DCG", "ESL", "NumRel", "CG@2", "NumRet", "eRAP")
                           for given in (hard.labels, hard.labels * 0)],
        "pickled": lambda: scorer.__reduce__()[1][0],
        "text": lambda: hj.evaluate(io.StringIO("1 0 a 1\n"), io.StringIO("1 Q0 a 1 1 r\n"),
                                    "AP").values,
        "catalogue": lambda: [cls.name for cls in CATALOGUE if cls.counterpart],
    }  # fmt: skip
    return cases


def test_expectations() -> None:
    check(__file__, "expectations", expectations())


def test_unjudged() -> None:
    check(__file__, "unjudged", unjudged_documents())


def test_scores() -> None:
    check(__file__, "scores", scores_cases())


def test_score_files() -> None:
    check(__file__, "score_files", score_files())


def test_names() -> None:
    check(__file__, "names", names())


def test_evaluations() -> None:
    check(__file__, "evaluations", evaluations())
