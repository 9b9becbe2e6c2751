"""Labels, pools, texts, scalings and simulated collections: whole values of small cases."""

from __future__ import annotations

import gzip
import hashlib
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hungjury as hj
from builders.outcomes import Case, outcome, plain, stored
from hungjury.data.pool import Pool, natural_order, stable_order
from hungjury.data.qrels import Judgments, Qrels
from hungjury.data.reading.sources import Source
from hungjury.data.texts import DOCUMENTS, MOST, QUERIES, Kind, check_texts, find_texts

CASES: dict[str, Case] = {}

# ---- labels

GRADES = hj.read_qrels({"q2": {"a": 1, "b": 0}, "q10": {"c": 2, "d": -1}, "q1": {"e": 0}})
SOFT = hj.read_qrels({"1": {"a": 0.25, "b": 0.5}, "2": {"c": 1.0}})
CHANCES = Qrels(
    Pool(["1", "2"], ["a", "b", "c"], np.array([0, 2, 3])), None, (0, 1, 2),
    grade_p=np.array([[0.5, 0.25, 0.25], [0.2, 0.4, 0.4], [0, 0, 1.0]]),
)  # fmt: skip
PANEL = hj.read_judgments(
    {
        "y": {"2": {"a": 1, "b": 0}, "10": {"c": 2}},
        "x": {"2": {"a": 0}, "3": {"d": 1}},
        "z": {"10": {"c": 0}},
    }
)
PANEL_OF_FAMILIES = Judgments(
    **{
        **{name: getattr(PANEL, name) for name in PANEL.__dataclass_fields__},
        "family": ("f", "g", "f"),
    }
)


def _forms(qrels: Qrels) -> Any:
    rng = np.random.default_rng(3)
    return {
        "repr": repr(qrels),
        "soft": qrels.soft,
        "length": len(qrels),
        "text": qrels.to_text(),
        "hard": plain(qrels.threshold()),
        "at 0.3": plain(qrels.threshold(0.3)),
        "drawn": qrels.draw(rng, 3).tolist(),
        "relevant": [qrels.relevant(rel).tolist() for rel in (0, 1, 2)],
        "selected": plain(qrels.select(qrels.topics[1:])),
        "judge": plain(qrels.by_one_judge()),
        "named": qrels.by_one_judge("me").judges,
        "pool": repr(qrels.pool),
        "topics": qrels.pool.topic_of.tolist(),
        "found": [qrels.pool.find(t, d) for t in ("q2", "1", "no") for d in ("a", "b", "no")],
    }


for name, qrels in (("grades", GRADES), ("chances", SOFT), ("chances of grades", CHANCES)):
    CASES[f"labels: {name}"] = lambda _, qrels=qrels: _forms(qrels)
    for rel in (0, 1, 2, 3):
        CASES[f"labels: {name} at least {rel}"] = lambda _, qrels=qrels, rel=rel: qrels.at_least(
            rel
        )
for topic, document in (("a b", "c"), ("1", "a b"), ("#1", "a"), ("1", "#a"), ("", "a")):
    one = Qrels(Pool([topic], [document], np.array([0, 1])), np.array([1], np.int16), (0, 1))
    CASES[f"written: {topic!r} {document!r}"] = lambda _, one=one: one.to_text("here")


def _judged(panel: Judgments) -> Any:
    return {
        "repr": repr(panel),
        "matrix": panel.matrix().tolist(),
        "weight": panel.weight.tolist(),
        "families": panel.families,
        "only": plain(panel.only(np.array([2, 0]))),
        "families of two": panel.only(np.array([2, 0])).families,
        "selected": plain(panel.select(["2", "3"])),
        "topics": [panel.topics, panel.select(["10"]).topics],
    }


CASES["pickled"] = lambda _: [
    pickle.loads(pickle.dumps(one)) for one in (GRADES, SOFT, CHANCES, PANEL)
]
CASES["a pickled source"] = lambda _: str(pickle.loads(pickle.dumps(Source("x", held=b"1"))).held)
CASES["judgments"] = lambda _: _judged(PANEL)
CASES["judgments of families"] = lambda _: _judged(PANEL_OF_FAMILIES)
CASES["judgments of nobody"] = lambda _: PANEL.qrels_of("w")
CASES["soft judgments"] = lambda _: SOFT.by_one_judge().matrix()

NAMES = ["10", "9", "a10", "a9", "", "a09", "007", "7", "b", "1" * 20, "2" * 19]
for kept in (
    NAMES,
    ["10", "9", "8"],
    ["7", "07"],
    ["1" * 18, "2"],
    ["1" * 19, "2"],
    ["3", "x"],
    [],
):
    CASES[f"order: {kept}"] = lambda _, kept=kept: [kept[i] for i in natural_order(kept)]
CASES["stable order"] = lambda _: [
    str(stable_order(np.array(values))) for values in ([1, 2, 2], [2, 1, 2, 1], [], [1])
]

# ---- texts


def texts(name: str, content: str | bytes, *wanted: str, kind: Kind = DOCUMENTS) -> None:
    """Find texts in a file, and in the same file compressed."""

    def case(folder: Path) -> Any:
        data = content if isinstance(content, bytes) else content.encode()
        (folder / "plain").write_bytes(data)
        (folder / "packed").write_bytes(gzip.compress(data))
        found = [find_texts([str(folder / one)], wanted, kind) for one in ("plain", "packed")]
        first, other = (
            [[t.get(w).head, t.get(w).body] for w in wanted] + [sorted(t.missing), t.others, len(t)]
            for t in found
        )
        assert first == other
        return first

    CASES[f"texts: {name}"] = case


LINES = [
    {"_id": "a", "title": "A", "text": "one", "contents": "other"},
    {"text": ["p1", "p2"], "_id": "b"},
    {"_id": 7, "title": "", "headline": "H", "passage": {"x": 1}},
    {"_id": "a", "text": "again"},
    {"_id": "e", "title": "", "text": None},
    {"_id": "é", "TEXT": "upper"},
]
JSONL = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in LINES)
texts("objects", JSONL, "a", "b", "7", "e", "é", "no")
texts("a mark and blank lines", "\ufeff\n" + JSONL, "a", "7")
texts("queries", '{"qid": "1", "query": "Q", "desc": "D", "narrative": "N"}\n', "1", kind=QUERIES)
texts("no id", '{"name": 1, "text": "x"}\n', "1")
texts("not an object", JSONL + "[1]\n", "zz")
texts("not JSON", JSONL + "{\n", "zz")
texts("two columns", "a\tone\nb\ttwo\tthree\n", "a", "b")
texts("three columns", "a\tA\tone\nb\tB\n", "a", "b")
texts("four columns", "a\tu\tA\tone\nb\tu\tB\ttwo\r\n", "a", "b")
texts("a header", "docno\ttext\ttitle\n a \tone\tA\nb\t\tB\n", "a", "b", "docno")
texts("queries in columns", "1\tQ\tD\tN\n2\tR\n", "1", "2", kind=QUERIES)
texts("queries with a header", "qid\tquery\ttitle\tnarrative\n1\tQ\tT\tN\n", "1", kind=QUERIES)
texts("other ids", "a\tone\nb\ttwo\nc\tthree\nd\tfour\n", "w", "x", "y", "z")
texts("nothing wanted", "a\tone\n")
texts("no columns", "a one\n", "a")
texts("not UTF-8", b"a\tone \xff\n", "a")
for size in (MOST, MOST + 1):
    CASES[f"texts: {size} characters"] = lambda folder, size=size: (
        (folder / "x").write_text(f"a\t{'y' * size}\n"),
        find_texts([str(folder / "x")], ["a"], DOCUMENTS).get("a").body[-40:],
    )


def _two_files(folder: Path) -> Any:
    """The second file has what is missing in the first; a third is not read."""
    for name, content in (("1", "a\tone\n"), ("2", "a\tother\nb\ttwo\n"), ("3", "no columns\n")):
        (folder / name).write_text(content)
    found = find_texts([str(folder / "[12]"), str(folder / "3")], ["a", "b"], DOCUMENTS)
    return [found.get(n).body for n in "ab"], found.others


CASES["texts: two files"] = _two_files
CASES["texts: no file"] = lambda folder: check_texts([str(folder / "no")], DOCUMENTS)
CASES["texts: a binary file"] = lambda folder: (
    (folder / "x").write_bytes(b"\x00\x01"),
    find_texts([str(folder / "x")], ["a"], QUERIES),
)

# ---- scalings

LABELS = {"x": {"1": {"a": 1, "b": 10, "c": 100}, "2": {"d": 4}}, "y": {"1": {"a": 0.5, "b": 2}}}
for scaling in (
    "geometric", "geometric(k=2)", "median", "median(k=0.5)", "linear", "linear(low=0)",
    "linear(high=1000)", "linear(low=0, high=50)", "percentile", "geometric(by=topic)",
    "linear(by=all)", "percentile(by=all)", "median(by=topic)", "linear(low=3, high=3)", "other",
    "linear(low=4, high=3)", "x=linear,y=median", "x=linear(low=0, high=100), *=percentile",
    "x=linear", "*=linear,x=median", "x=linear,median", "=linear", "x=", "x=y=linear",
    {"x": "linear", "*": "percentile"}, {}, {"x": {"y": "linear"}}, 3,
):  # fmt: skip
    CASES[f"scaling: {scaling}"] = lambda _, scaling=scaling: hj.read_judgments(
        LABELS, scaling=scaling
    )
for name, labels in (
    ("zero", {"a": 0, "b": 1, "c": 3}), ("zeros", {"a": 0, "b": 0, "c": 3}),
    ("negative", {"a": -1, "b": 1, "c": 3}), ("equal", {"a": 2, "b": 2}),
    ("far apart", {"a": -1.7e308, "b": 1.7e308}),
):  # fmt: skip
    for scaling in ("geometric", "median", "linear", "percentile"):
        CASES[f"scaling: {scaling} of {name}"] = lambda _, labels=labels, scaling=scaling: (
            hj.read_qrels({"1": labels}, scaling=scaling)
        )
CASES["scaling: rules for qrels"] = lambda _: hj.read_qrels({"1": {"a": 1}}, scaling="x=linear")
CASES["scaling: an audit"] = lambda _: hj.audit(
    {"x": {"1": {"a": 0, "b": 1}}, "y": {"1": {"a": 2, "b": 5}}}, judgments=True,
    scaling="x=geometric,y=linear",
).to_text()  # fmt: skip

# ---- simulated collections


def simulated(name: str, **options: Any) -> None:
    """The digests of all files of a simulated collection."""

    def case(folder: Path) -> Any:
        made = hj.simulate(**options)
        made.write(folder / "new")
        listed = (folder / "new" / "simulation.sha256").read_text()
        files = sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
        digest = hashlib.sha256(listed.encode()).hexdigest()[:16]
        return files, digest, made.quality, made.accuracy, repr(made.judgments)

    CASES[f"simulated: {name}"] = case


SMALL = {"systems": 2, "topics": 3, "documents": 40, "depth": 25}
simulated("plain", **SMALL)
simulated("seed", **SMALL, seed=5)
simulated("grades", **SMALL, grades=4, accuracies=(0.9, 0.2))
simulated("odd", **SMALL, grades=3, odd=("copycat", "constant", "lazy", "reversed", "coder", "lazy",
                                         "coder"))  # fmt: skip
simulated("fooled", **SMALL, grades=3, fooled=0.5)
simulated("reach", **{**SMALL, "systems": 4}, reach=0.01, hardness=5)
simulated("half reach", **{**SMALL, "systems": 3}, reach=0.5, hardness=0)
for wrong in (
    {"systems": 0}, {"topics": 0}, {"documents": 9}, {"documents": 10, "depth": 11}, {"depth": 0},
    {"grades": 1}, {"grades": 1002}, {"reach": 0.0}, {"reach": 1.1}, {"fooled": -0.1},
    {"fooled": 1.1}, {"hardness": -1.0}, {"hardness": 101.0}, {"accuracies": ()},
    {"accuracies": (1.1,)}, {"accuracies": (-0.1, 1)}, {"seed": -1}, {"odd": ["strange"]},
    {"systems": 10_001}, {"topics": 1_000_001}, {"documents": 10_000_001},
):  # fmt: skip
    CASES[f"simulated: {wrong}"] = lambda _, wrong=wrong: hj.simulate(**wrong)
LEAST = {"systems": 1, "topics": 1, "documents": 10, "depth": 10, "reach": 1.0, "fooled": 1.0}
simulated("least", **LEAST, hardness=0, accuracies=(0.0, 1.0))
CASES["simulated: most"] = lambda _: repr(
    hj.simulate(1, 1, 10, 1, grades=1001, hardness=100.0, fooled=0.0).judgments
)


def _written_again(folder: Path) -> Any:
    """A simulation replaces the files of an earlier one, and no others."""
    first, second = (hj.simulate(**{**SMALL, "systems": n}, seed=n) for n in (3, 2))
    said = []
    first.write(folder)
    (folder / "runs" / "mine.run").write_text("mine")
    second.write(folder)
    said.append(sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()))
    for name, text in (("gold.qrels", "1 0 mine 1\n"), ("runs/system3.run", "mine")):
        (folder / name).write_text(text)
        try:
            first.write(folder)
        except hj.HungjuryError as error:
            said.append(str(error))
        second.gold.write(folder / "gold.qrels")
    return said


CASES["simulated: written again"] = _written_again


def _own_files(folder: Path) -> None:
    (folder / "judges").mkdir()
    (folder / "judges" / "me.qrels").write_text("1 0 a 1\n")
    hj.simulate(**SMALL).write(folder)


CASES["simulated: beside own files"] = _own_files
CASES["simulated: into a file"] = lambda folder: (
    (folder / "x").write_text(""),
    hj.simulate(**SMALL).write(folder / "x"),
)


@pytest.mark.parametrize("name", CASES)
def test_outcome(name: str, tmp_path: Path, expected: dict[str, Any]) -> None:
    assert outcome(CASES[name], tmp_path) == expected[name]


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    return stored("test_whole_values", CASES)


def test_all_are_stored(expected: dict[str, Any]) -> None:
    assert list(expected) == list(CASES)
