"""What the readers of runs, the alignment and the audit say: whole outcomes of small inputs."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hungjury as hj
from builders.outcomes import Case, outcome, stored
from hungjury.data.alignment import Alignment, align
from hungjury.data.audit import examined
from hungjury.data.runs import as_runs

CASES: dict[str, Case] = {}
QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"d": 1, "e": -1}, "3": {"f": 1}}
RUN = (
    "1 Q0 a 1 3 x\n1 Q0 z 2 2 x\n1 Q0 b 3 2 x\n1 Q0 y 4 1 x\n"
    "2 Q0 w 1 2 x\n2 Q0 d 2 1 x\n2 Q0 e 3 0.5 x\n9 Q0 q 1 1 x\n"
)
SECOND = "3 Q0 f 1 1 y\n3 Q0 g 2 2 y\n1 Q0 c 1 2 y\n1 Q0 b 2 1 y\n"


def run(name: str, content: str, **options: Any) -> None:
    """Read a text as a run."""
    CASES[f"run: {name}"] = lambda _: hj.read_runs(io.StringIO(content), **options)


def given(name: str, source: Any, **options: Any) -> None:
    """Read what is in memory as runs."""
    CASES[f"runs: {name}"] = lambda _: hj.read_runs(source, **options)


def arrays(found: Alignment) -> dict[str, Any]:
    """Everything that an alignment knows."""
    names = ("start", "stop", "length", "rank", "document", "tie_first", "tie_last")
    values = {name: getattr(found, name) for name in names}
    out: dict[str, Any] = {n: None if v is None else v.tolist() for n, v in values.items()}
    out |= {"systems": found.systems, "shape": found.shape, "longest": found.longest}
    out |= {"retrieved": found.retrieved.tolist(), "notes": found.notes, "depth": found.depth}
    if found.others is not None:
        others = found.others
        out["others"] = {
            "system": others.system.tolist(),
            "topic": others.topic.tolist(),
            "rank": others.rank.tolist(),
            "ids": [others.id(i) for i in range(len(others.rank))] if others.ids else "",
            "by topic": [found.unjudged_retrieved(depth).tolist() for depth in (1, 2, 9)],
        }
    return out


def aligned(
    name: str, *contents: str, qrels: Any = QRELS, upto: int | None = None, options: Any = None,
    **how: Any,
) -> None:  # fmt: skip
    """Align run files, and the same runs in memory: both give the same."""

    def case(folder: Path) -> Any:
        pool = hj.read_qrels(qrels).pool
        paths = []
        for i, content in enumerate(contents):
            paths.append(str(folder / f"run{i}"))
            Path(paths[-1]).write_text(content)
        one = align(as_runs(paths, **(options or {})), pool, **how)
        same = align(hj.read_runs(paths, **(options or {})), pool, **how)
        assert arrays(one) == arrays(same)
        return arrays(one if upto is None else one.upto(upto))

    CASES[f"aligned: {name}"] = case


def audited(name: str, labels: Any, runs: Any = None, **options: Any) -> None:
    """Audit labels and runs, given or as texts of files."""

    def case(folder: Path) -> Any:
        sources = [labels, *([] if runs is None else runs if isinstance(runs, list) else [runs])]
        for i, one in enumerate(sources):
            if isinstance(one, str):
                sources[i] = str(folder / f"file{i}")
                Path(sources[i]).write_text(one)
        rest = (
            sources[1:] if len(sources) > 2 or isinstance(runs, str) else (sources[1:] or [None])[0]
        )
        found, read, one = examined(sources[0], rest, **{"judgments": False, **options})
        kept = None if one is None else one.systems
        return found.to_text(), found.exit_code, None if read is None else len(read), kept

    CASES[f"audit: {name}"] = case


run("plain", RUN)
run("ties as they come", RUN, ties="input")
run("two tags", RUN.replace("x\n", "w\n", 1))
run("named by file", RUN, names="stem")
run("a document twice", RUN + "1 Q0 a 9 9 x\n")
run("no lines", "\n")
run("qrels", "1 0 a 1\n")
run("a bad score", "1 Q0 a 1 high x\n")
run("a bad rank", "1 Q0 a first 1 x\n")
run("a short line", RUN + "1 Q0\n")
run("an unknown header", "who,what,why\n1,a,1\n")
run("a plan", "# hungjury plan\n")
run("a table", "topic,document,score,system\n1,a,1,s\n1,b,2,s\n2,c,1,t\n")
run("a table, named by file", "topic,document,score\n1,a,1\n1,b,2\n", names="stem")
run("systems named by a file", "topic,document,score,run\n1,a,1,s\n1,b,2,t\n", names="stem")
run("ranks", "topic,document,rank\n1,a,2\n1,b,1\n")
run("bad ranks", "topic,document,rank,score\n1,a,2.5,1\n1,b,1,2\n")
run("no score", "topic,document\n1,a\n")
run("a bad number", "topic,document,score\n1,a,nan\n")
run("no topic", "document,score\na,1\nb,2\n")
run("twice in a table", "topic,document,score\n1,a,1\n1,a,2\n")
run("only a header", "topic,document,score\n")
run("rankings in JSON", '{"1": ["a", "b"], "2": ["c"]}')
run("scores in JSON", '{"1": {"a": 1, "b": 2}, "2": {"c": 1}}')
run("lists of ids", '{"qid": "1", "docs": ["a", "b"]}\n{"qid": "2", "docs": ["c"]}\n')
given("by topic", {"1": {"a": 1, "b": 2}})
given("by system", {"s": {"1": {"a": 1}}, "t": {"1": ["b", "a"], "2": ["c"]}})
given("an empty system", {"s": {}, "t": {"1": {"a": 1}}})
given("nothing", {})
given("empty topics", {"1": {}})
given("twice in a ranking", {"1": ["a", "b", "a"]})
given("no scores", {"1": 3})
given("no number", {"1": {"a": "x"}})
given("named tuples", [("1", "a", 1)])
given("already read", hj.read_runs({"1": {"a": 1}}))


def files(*named: tuple[str, str], **options: Any) -> Case:
    def case(folder: Path) -> Any:
        for name, content in named:
            (folder / name).write_text(content)
        return hj.read_runs([str(folder / name) for name, _ in named], **options)

    return case


CASES["runs: two files"] = files(("p.run", RUN), ("q.run", SECOND))
CASES["runs: one name"] = files(("p.run", RUN), ("q.run", RUN))
CASES["runs: one file twice"] = files(("p.run", RUN), ("p.run", RUN))
CASES["runs: named by files"] = files(("p.run", RUN), ("q.run", RUN), names="stem")


def _steps(folder: Path) -> Any:
    """Progress over runs, as it is reported."""
    said: list[Any] = []
    paths = [str(folder / name) for name in "ab"]
    for path, content in zip(paths, (RUN, SECOND), strict=True):
        Path(path).write_text(content)
    hj.read_runs(paths, progress=lambda *step: said.append(step))
    align(as_runs(paths), hj.read_qrels(QRELS).pool, progress=lambda *step: said.append(step))
    align(hj.read_runs(paths), hj.read_qrels(QRELS).pool, progress=lambda *s: said.append(s))
    return said


CASES["progress"] = _steps

aligned("two runs", RUN, SECOND)
aligned("others", RUN, SECOND, others=2)
aligned("all others by name", RUN, SECOND, others=9, named=True)
aligned("depth", RUN, SECOND, depth=2)
aligned("depth 1", RUN, SECOND, depth=1)
aligned("ties averaged", RUN, SECOND, options={"ties": "expected"})
aligned("ties averaged, cut after", RUN, options={"ties": "expected"}, upto=2)
aligned("ties averaged to a depth", RUN, options={"ties": "expected"}, depth=2)
aligned("ties as they come", RUN, options={"ties": "input"})
aligned("cut", RUN, SECOND, upto=1)
aligned("cut below", RUN, SECOND, upto=2)
aligned("not cut", RUN, SECOND, upto=4)
aligned("by name", SECOND, RUN, by_name=True)
aligned("no common topic", "8 Q0 a 1 1 x\n")
aligned("nothing judged", "1 Q0 q 1 1 x\n")
aligned("one of two judged", "1 Q0 q 1 1 x\n", SECOND)
aligned("no topics", RUN, qrels={"topic": {"a": 1}})
aligned("one name", RUN, RUN)
aligned("interleaved", "1 Q0 a 1 3 x\n2 Q0 d 1 3 x\n1 Q0 b 2 2 x\n")
aligned("ranks contradict", "1 Q0 a 1 1 x\n1 Q0 b 2 2 x\n")
aligned("precision", "1 Q0 a 1 1.00000000001 x\n1 Q0 b 2 1 x\n")
aligned("single", "1 Q0 b 1 1.00000000001 x\n1 Q0 a 2 1 x\n", options={"score_precision": "single"})
CASES["aligned: depth 0"] = lambda _: align(
    hj.read_runs({"1": {"a": 1}}), hj.read_qrels(QRELS).pool, depth=0
)

TREC = "".join(f"{t} 0 {d} {v}\n" for t, ds in QRELS.items() for d, v in ds.items())
JUDGES = {
    "ann": {"1": {"a": 1, "b": 0, "c": 2}, "2": {"d": 1}},
    "bob": {"1": {"a": 2, "b": 0}, "2": {"d": 0}},
    "cy": {"1": {"a": 1}},
}
CROWD = {f"j{i}": {"1": {f"d{k}": (i + k) % 2 for k in range(i % 7 + 1)}} for i in range(43)}
audited("labels", QRELS)
audited("labels and a run", TREC, RUN)
audited("two runs", TREC, [RUN, SECOND])
audited("one tag", TREC, [RUN, RUN])
audited("bad lines", TREC + "1 0 g\n1 0 h x\n1 0 h y\n", RUN + "1 Q0\n1 Q0 a 9 9 x\n1 Q0 v 1 w x\n")
audited("many bad lines", TREC + "1 0 g\n" * 12, "".join(f"1 Q0 v{i}\n" for i in range(11)) + RUN)
audited("an empty run", TREC, ["", RUN])
audited("only an empty run", TREC, "")
audited("no labels", "", RUN)
audited("other topics", TREC, "8 Q0 a 1 1 x\n")
audited("conflicts", TREC + "1 0 a 0\n1 0 b 1\n", RUN)
audited("fractions", {"1": {"a": 0.5, "b": 1}})
audited("grade columns", "topic,document,p0,p1,p2\n2,b,0.5,0.25,0.25\n1,a,0,0,1\n")
audited("judges", JUDGES, judgments=True)
audited("judges with two labels", JUDGES, judgments=True, at_least=3)
audited("soft judges", {j: {"1": {"a": 0.5, "b": i / 3}} for i, j in enumerate("xyz")},
        judgments=True)  # fmt: skip
audited("one label each", {"x": {"1": {"a": 1}}, "y": {"1": {"b": 0}}}, judgments=True)
audited("a crowd", CROWD, judgments=True)
audited("a crowd, at least", CROWD, judgments=True, at_least=7)
audited("forty judges", {k: CROWD[k] for k in list(CROWD)[:40]}, judgments=True)
TOPS = (("x", 4), ("y", 2), ("z", 4))
SCALES = {j: {"1": {f"d{i}": i % top for i in range(99)}} for j, top in TOPS}
audited("two scales", SCALES, judgments=True)
audited("bad judgments", "topic,document,judge,label\n1,a,x,1\n1,,y,0\n,b,y,1\n1,b,z,w\n",
        judgments=True)  # fmt: skip
audited("bad JSON", '{"topic": "1", "document": "a", "label": 1}\n{"topic"\n[1]\n')
audited("bad rows", "topic,document,label\n1,a,1\n1,b\n2,c,1,1\n2,d,0\n")
audited("not UTF-8", "topic,document,label\n1,a,1\n1,b,\udcff\n".replace("\udcff", "é"))
audited("a bad table of runs", TREC, "topic,document,score\n1,a,1\n1,a,2\n1,b,x\n2,d,1\n")
LONG = {"s": {"1": {f"x{i}": -i for i in range(120)} | {"a": 1, "b": -0.5, "c": -50.5}},
        "t": {"1": {f"x{i}": -i for i in range(11)} | {"a": 1, "c": -9.5}}}  # fmt: skip
audited("long lists", QRELS, LONG)
audited("lists of 100", QRELS, {"s": {"1": {f"x{i}": -i for i in range(99)} | {"a": 1}}})
audited("lists of 10", QRELS, {"s": {"1": {f"x{i}": -i for i in range(9)} | {"a": 1}}})


def _whole_audit(_: Path) -> Any:
    """The other forms of an audit."""
    good = hj.audit({"1": {"a": 1, "b": 0}}, {"1": {"a": 2, "b": 1}})
    odd = hj.audit({"1": {"a": 1, "b": 0}}, {"1": {"a": 1, "b": 1}})
    return [[one.to_dict(), one.to_csv(), one.to_html(), one.exit_code] for one in (good, odd)]


CASES["audit: forms"] = _whole_audit
CASES["audit: at least -1"] = lambda _: hj.audit(QRELS, at_least=-1)


@pytest.mark.parametrize("name", CASES)
def test_outcome(name: str, tmp_path: Path, expected: dict[str, Any]) -> None:
    assert outcome(CASES[name], tmp_path) == expected[name]


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    return stored("test_whole_runs", CASES)


def test_all_are_stored(expected: dict[str, Any]) -> None:
    assert list(expected) == list(CASES)


def test_others_are_counted_once_in_a_topic() -> None:
    lists = {"s": {"1": {"x": 2, "y": 1}}, "t": {"1": {"y": 2, "a": 1}, "2": {"y": 1, "d": 0}}}
    found = align(hj.read_runs(lists), hj.read_qrels(QRELS).pool, others=5)
    assert np.array_equal(found.unjudged_retrieved(5), [2, 1, 0])
    assert np.array_equal(found.unjudged_retrieved(1), [2, 1, 0])
