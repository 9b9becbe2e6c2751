"""What the readers of labels give, note and refuse: whole outcomes of small inputs."""

from __future__ import annotations

import io
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import hungjury as hj
from builders.outcomes import Case, outcome, stored
from hungjury.data.labels import as_gold, as_judgments, as_labels, as_qrels
from hungjury.data.reading.formats import APPLICATION, is_database, labelled_columns
from hungjury.data.reading.options import LabelPolicy

CASES: dict[str, Case] = {}


def text(name: str, content: str, **options: Any) -> None:
    """Read a text as qrels, and as judgments."""
    CASES[f"qrels: {name}"] = lambda _: hj.read_qrels(io.StringIO(content), **options)
    CASES[f"judgments: {name}"] = lambda _: hj.read_judgments(io.StringIO(content), **options)


def panel(name: str, source: Any, **options: Any) -> None:
    """Read the labels of judges."""

    def case(_: Path) -> Any:
        given = io.StringIO(source) if isinstance(source, str) else source
        return hj.read_judgments(given, **options)

    CASES[f"panel: {name}"] = case


def files(name: str, *named: tuple[str, str], read: Any = hj.read_judgments, **how: Any) -> None:
    """Read files."""

    def case(folder: Path) -> Any:
        for path, content in named:
            (folder / path).parent.mkdir(exist_ok=True)
            (folder / path).write_text(content)
        return read([str(folder / path) for path, _ in named], **how)

    CASES[f"files: {name}"] = case


# ---- maps, words, texts

WORDS = "1 0 a yes\n1 0 b no\n2 0 c 2\n2 0 d ?\n"
text("words", WORDS)
text("words, one left out", WORDS, missing="drop")
text("words and a map", WORDS, map="yes:1,no:0,?:missing")
text("a map of numbers", "1 0 a 1\n1 0 b 2\n", map={2: 1, 1: 0, 7: 3})
text("a map to missing", "1 0 a 1\n1 0 b -2\n", map="-2:missing")
text("a function", "1 0 a 1\n1 0 b 2\n", map=lambda v: v - 1)
text("a function that fails", "1 0 a 1\n1 0 b 2\n", map=lambda v: v / (v - 2))
text("a function of words", WORDS, map=lambda v: {"yes": 1, "no": 0, "?": None}.get(v, v))
text(
    "numbers in texts", "topic,document,label\n1,a,Score: 2\n1,b,0\n2,c,3 of 4\n", extract="number"
)
text("last numbers", "topic,document,label\n1,a,Score: 2\n1,b,1 of 3\n", extract="last-number")
text("an expression", "topic,document,label\n1,a,s=2\n1,b,s=1\n1,c,x\n", extract=r"s=(\d)",
     missing="drop")  # fmt: skip
text("texts with numbers", "topic,document,label\n1,a,Score 2\n1,b,Score 1\n1,c,\n1,d,none\n")
text("long words", "topic,document,label\n1,a," + "x" * 45 + "\n1,b,bad\n1,c,bad\n")
text("twelve words", "".join(f"1 0 d{i} w{i}\n" for i in range(12)) + "1 0 e 1\n")
for how in ("json:", "", "(", 3):
    text(f"extract {how!r}", WORDS, extract=how)
JSON_LABELS = [
    {"topic": "1", "document": d, "label": label}
    for d, label in zip("abcdef", ['{"r": {"s": 2}}', 'So {"r": {"s": "1"}}.', '{"r": {"s": true}}',
                                   '{"r": 1}', '{"r": {"s": null}}', "{"], strict=True)
]  # fmt: skip
CASES["labels in JSON"] = lambda _: hj.read_qrels(JSON_LABELS, extract="json:r.s", missing="drop")
for given in ("a:1,a:2", "a", "a:x", ":1", {"a": float("nan")}, 7, {"A ": 1, "a": 2}):
    text(f"map {given!r}", WORDS, map=given)

# ---- scales that are declared

for grades in ("0-3", "0,1", [2], [-1, 0, 2], "x", [0, 1001], range(0), "1-2", "0,2,5"):
    text(f"grades {grades}", "1 0 a 1\n1 0 b 2\n1 0 c -1\n", grades=grades)
for grades in ([-1000, 0, 1], [-1001, 0, 1], [0, 1000], [0, -1], "0-99999", "0-100000", "3-1"):
    CASES[f"grades {grades}"] = lambda _, grades=grades: LabelPolicy.of({"grades": grades}).grades
for outside in ("clip", "missing"):
    for grades in ("0-1", "1-2", "0,2"):
        text(f"{outside} {grades}", "1 0 a 1\n1 0 b 3\n1 0 c -1\n1 0 d 0\n2 0 e 2\n", grades=grades,
             outside=outside)  # fmt: skip
text("outside without grades", WORDS, outside="clip")
text("grades and a scaling", WORDS, grades="0-3", scaling="linear")
text("outside and a scaling", WORDS, outside="missing", scaling="linear")
text("fractions", "1 0 a 0.5\n1 0 b 1\n")
text("fractions above 1", "1 0 a 0.5\n1 0 b 2\n1 0 c 1.5\n")
text("ends among fractions", "1 0 a 1\n1 0 b 0\n1 0 c 0.5\n1 0 d 2\n1 0 e -1\n")
text("the largest grade and a larger one", "1 0 a 1000\n1 0 b -1000\n1 0 c 1001\n1 0 d 1002\n")
text("large labels", "1 0 a 1001\n1 0 b 2\n")
text("small labels", "1 0 a -1001\n1 0 b 2\n")
text("grade 1000", "1 0 a 1000\n1 0 b 999\n1 0 c 1\n")
text("only negative labels", "1 0 a -1\n1 0 b -1\n")
text("wide steps", "1 0 a 0\n1 0 b 5\n1 0 c 10\n")
text("two wide steps", "1 0 a 0\n1 0 b 10\n")
text("steps of 9", "1 0 a 0\n1 0 b 9\n")
text("steps of 4", "1 0 a 0\n1 0 b 4\n1 0 c 8\n")
text("twenty wide steps", "".join(f"1 0 d{i} {5 * i}\n" for i in range(20)))
text("many wide steps", "".join(f"1 0 d{i} {5 * i}\n" for i in range(21)))

# ---- duplicates and repeated labels

TWICE = "1 0 a 0\n1 0 b 1\n1 0 a 2\n1 0 b 1\n2 0 a 1\n2 0 a 0\n1 0 a 1\n"
for how in ("error", "first", "last", "max"):
    text(f"duplicates {how}", TWICE, duplicates=how)
for how in ("mean", "majority"):
    panel(f"repeats {how}", TWICE.replace("2\n", "0\n"), repeats=how)
REPEATED = [
    {"judge": j, "topic": "1", "document": d, "label": v}
    for j, d, v in [("x", "a", 0), ("x", "a", 2), ("x", "a", 2), ("y", "a", 1), ("y", "a", 0),
                    ("y", "b", 1), ("x", "b", 3), ("x", "b", 0), ("y", "c", 1), ("y", "c", 1)]
]  # fmt: skip
for how in ("error", "mean", "majority"):
    panel(f"repeats of judges, {how}", REPEATED, repeats=how)
panel("repeats of 1 and 2", [{**REPEATED[0], "label": label} for label in (1, 2)], repeats="mean")
panel("repeats, duplicates first", REPEATED, repeats="mean", duplicates="first")
panel("repeats of 0 and 1", [{**r, "label": r["label"] % 2} for r in REPEATED], repeats="mean")
panel("repeats, scaled", REPEATED, scaling="linear(low=0, high=3)", duplicates="max")


def labelled(**by_document: int) -> str:
    return "".join(f"1 0 {d} {v}\n" for d, v in by_document.items())


def slips(size: int, other: int) -> tuple[tuple[str, str], ...]:
    """Two files, of which the second gives some of the documents another label."""
    one = {f"d{i}": 0 for i in range(size)}
    return (
        ("one", labelled(**one, z=1)),
        ("two", labelled(**{f"d{i}": 1 for i in range(other)}, y=1)),
    )


def slipped(paths: list[str]) -> tuple[int, Any]:
    found = hj.read_qrels(paths, duplicates="first")
    return len(found), found.notes


for size, other in ((20, 10), (20, 11), (1198, 12), (1198, 13)):
    files(f"{other} slips of {size}", *slips(size, other), read=slipped)
files("one judge of two", ("one", labelled(a=1, b=0)), ("two", labelled(a=0, b=0)))

# ---- columns and forms of tables

CSV = "query_id,doc_id,rel,worker\n1,a,1,x\n1,a,0,y\n1,b,2,x\n"
text("a table of judges", CSV)
text("a table, only one", CSV, columns="judge=worker,topic=query_id")
for given in ("judge=nobody", "judge", "x=y", "topic=a,topic=b", 3, "label=rel+worker"):
    text(f"columns {given!r}", CSV, columns=given)
for patterns in ({"only": "x"}, {"without": ["x"]}, {"only": ["z*"]}, {"without": "*"},
                 {"only": ["x", "y"], "without": "y"}):  # fmt: skip
    panel(f"{patterns}", CSV, **patterns)
text("no topics", "document,label\na,1\nb,0\n")
text("no topics, a judge", "document;label;judge\na;1;x\nb;0;y\n")
text("two documents", "topic,doc_id,docno,label\n1,a,b,1\n")
text("two labels", "topic,document,label,grade\n1,a,1,2\n")
text("a run", "qid,docno,score,rank\n1,a,1,2\n")
text("no label", "topic,document,judge\n1,a,x\n")
text("a short row", "topic,document,label\n1,a\n1,b,1\n")
text("a column twice", "topic,document,label,label\n1,a,1,2\n")
text("an open quote", 'topic,document,label\n1,"a,1\n')
text("quoted", 'topic,document,label\n1,"a,b",1\n1,"c ""d""",0\n')
text("tabs", 'topic\tdocument\tlabel\n1\t"a\t1\n')
text("an unknown header", "who,what,why\n1,a,1\n")
text("only a header", "topic,document,label\n")
text("empty", "")
text("blank lines", "\n\n")
text("one column", "a\n")
text("three columns", "1 0 a\n")
text("five columns", "1 0 a 1 2\n")
text("a run's columns", "1 Q0 a 1 0.5 x\n")
text("an empty id", "topic,document,label\n1,,1\n")
text("JSON lines", '{"topic": 1, "document": "a", "label": 1}\n{"topic": 1, "document": 2}\n')
text("bad JSON", '{"topic": 1, "document": "a", "label": 1}\n{"topic": 1,\n')
text("JSON, not objects", '{"topic": 1, "document": "a", "label": 1}\n[1]\n')
text("a key twice", '{"topic": 1, "topic": 2, "document": "a", "label": 1}\n')
text("an array", '[{"topic": "1", "document": "a", "label": 1}]')
text("a bad array", '[{"topic": "1", "document": "a", "label": 1},\n{]')
text("by topic", '{"1": {"a": 1, "b": 0}, "2": {"c": 2}}')
text("deeper", '{"x": {"1": {"a": 1}}}')
text("paths", '{"q": {"id": "1"}, "docs": [{"n": "a", "v": 1}, {"n": "b", "v": 0}]}',
     columns="topic=q.id,document=docs.n,label=docs.v")  # fmt: skip
text("an unknown path", '{"q": {"id": "1"}, "docs": [{"n": "a", "v": 1}]}',
     columns="topic=q.id,document=docs.n,label=docs.x")  # fmt: skip
text("uneven lists", '{"topic": "1", "d": ["a", "b"], "v": [1]}', columns="document=d,label=v")
text("joined columns", '{"topic": "1", "document": "a", "label": 1, "m": "x", "p": "y"}',
     columns="judge=m+p")  # fmt: skip
text("a bad layout", '{"topic": "1"}\n', layout="umbrela")
text("no layout", "1 0 a 1\n", layout="umbrela")
text("a broken answer", '{"qid": "1", "docid": "a", "judgment": 0, "result_status": 0}\n'
     '{"qid": "1", "docid": "b", "judgment": 2, "result_status": 1}\n', layout="umbrela",
     missing="drop")  # fmt: skip

WIDE = "topic,document,x,y,text\n1,a,1,0,t1\n1,b,,2,t2\n2,c,1,,t3\n"
text("wide", WIDE, wide=True)
panel("wide, without", WIDE, wide=True, without="y")
panel("wide, only a text", WIDE, wide=True, only=["x", "text"])
panel("wide, unknown texts", WIDE.replace("text", "said"), wide=True)
panel("wide and a column", WIDE, wide=True, judge_column="iteration")
panel("wide TREC", "1 0 a 1\n", wide=True)
for rows in (10, 11):
    numbered = "".join(f"1,d{i},{i % 2},{i}\n" for i in range(rows))
    panel(f"wide, {rows} numbers", f"topic,document,x,n\n{numbered}", wide=True)
panel("iterations", "1 x a 1\n1 y a 0\n1 y b 1\n", judge_column="iteration")
panel("iterations, only", "1 x a 1\n1 y b 0\n", judge_column="iteration", only="y")

P = "topic,document,p0,p1,p2\n2,b,0.5,0.25,0.25\n1,a,0,0,1\n"
text("grade columns", P)
text("grade columns, scaled", P, scaling="linear")
text("no distribution", P.replace("0.5,", "0.6,"))
text("a negative chance", P.replace("0.5,0.25", "0.8,-0.05"))
text("a document twice", P + "1,a,1,0,0\n")
text("one grade column", "topic,document,label,p0\n1,a,1,0\n")

# ---- judges by files

files("names", ("a.qrels", "1 0 a 1\n"), ("b.txt", "1 0 a 0\n2 0 b 1\n"))
files("the same name", ("x/a.qrels", "1 0 a 1\n"), ("y/a.qrels", "1 0 a 0\n"))
files("a table and TREC", ("a.csv", CSV), ("b.qrels", "1 0 a 0\n"))
files("TREC and a table", ("a.qrels", "1 0 a 0\n"), ("b.csv", CSV))
files("one of them empty", ("a.qrels", "1 0 a 0\n"), ("b.qrels", ""))
files("alike topics", ("a.qrels", "1 0 a 0\n01 0 b 1\n2 0 c 1\n"), ("b.qrels", "1 0 a 0\n"))
for names in (["a", "b"], ["a", "a"]):
    panel(f"by name {names}", {n: {"1": {"d": i}} for i, n in enumerate(names)})
panel("no dictionary", {"a": {"1": 3}})
panel("empty", {"a": {}})
panel("no judge", {})
panel("a judge's qrels", {"a": hj.read_qrels({"1": {"d": 1}}), "b": {"1": {"d": 0}}})


panel("words of seven", {f"j{i}": {"1": dict.fromkeys("abcdefg"[: i + 1], "x")} for i in range(7)})
panel("no dictionary of labels", {"a": {"1": {"d": 1}}, "b": 3})


def folder(name: str, asked: str, *paths: str) -> None:
    """Read the labels of judges in a folder."""

    def case(place: Path) -> Any:
        for i, path in enumerate(paths):
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_text(f"1 0 a {i % 2}\n2 0 d{i} 1\n")
        return hj.read_judgments(str(place / asked))

    CASES[f"folder: {name}"] = case


folder("one judge", "x", "x/1", "x/2")
folder("one file", "x", "x/1")
folder("two judges", "x", "x/a/1", "x/b/1")
folder("files of two folders", "*/*", "x/a", "y/b")
folder("folders by pattern", "*", "x/1", "y/1", "y/2")

# ---- gold labels, and labels of one or several judges


def either(name: str, read: Any, made: Any, **options: Any) -> None:
    """Read labels of one source or of several; `made` makes the source in a folder."""
    CASES[f"either: {name}"] = lambda place: read(made(place), **options)


def two(same: int, other: int) -> Any:
    """Two files with labels for the same documents, some of which differ."""

    def made(place: Path) -> list[str]:
        for path, label in (("one", 0), ("two", 1)):
            rows = {f"d{i}": label if i < other else 0 for i in range(same)}
            (place / path).write_text(labelled(**rows))
        return [str(place / path) for path in ("one", "two")]

    return made


def size_of(read: Any) -> Any:
    """The kind and the number of labels."""
    return lambda *given, **options: [
        type(found := read(*given, **options)).__name__, len(found), found.notes
    ]  # fmt: skip


GIVEN = hj.read_qrels({"1": {"a": 1}})
for read in (as_gold, as_labels):
    name = read.__name__
    either(f"{name} of qrels", read, lambda _: hj.read_qrels({"1": {"a": 1}}))
    either(
        f"{name} of qrels, with options",
        read,
        lambda _: hj.read_qrels({"1": {"a": 1}}),
        grades="0-1",
    )
    either(f"{name} by topic", read, lambda _: {"1": {"a": 1, "b": 0}})
    either(f"{name} by judge", read, lambda _: {"x": {"1": {"a": 1}}, "y": {"1": {"a": 0}}})
    either(f"{name} of a table", read, lambda _: io.StringIO(CSV))
    either(f"{name} of TREC", read, lambda _: io.StringIO("1 0 a 1\n"))
    either(f"{name} of bad TREC", read, lambda _: io.StringIO("1 0 a 1 2\n"))
    either(f"{name} of a table in a file", read, lambda place: (
        (place / "x.csv").write_text(CSV), str(place / "x.csv"))[1])  # fmt: skip
    for other in (0, 1, 2, 30):
        either(f"{name}, {other} of 100", size_of(read), two(100, other))
either("as_labels, only", as_labels, lambda _: io.StringIO(CSV), only="x")
either("as_labels, wide", as_labels, lambda _: io.StringIO(WIDE), wide=True)
either(
    "as_labels, iterations", as_labels, lambda _: io.StringIO("1 x a 1\n"), judge_column="iteration"
)
either("as_qrels", as_qrels, lambda _: hj.read_qrels({"1": {"a": 1}}))
either("as_qrels, with options", as_qrels, lambda _: hj.read_qrels({"1": {"a": 1}}), grades="0-1")
either("as_judgments, read", as_judgments, lambda _: {"x": {"1": {"a": 1}}})
either("as_judgments, with options", as_judgments,
       lambda _: hj.read_judgments({"x": {"1": {"a": 1}}}), grades="0-1")  # fmt: skip

# ---- the database of labels


def database(name: str, read: Any, rows: list[tuple[Any, ...]], number: int = APPLICATION) -> None:
    """Read a database with the views of that of labels."""

    def case(place: Path) -> Any:
        path = place / "labels.db"
        with closing(sqlite3.connect(path)) as base:
            base.execute(f"pragma application_id = {number}")
            for view, more in (("gold", []), ("votes", [("2", "c", 2, "y")])):
                base.execute(f"create table {view} (topic, document, label, judge, note)")
                base.executemany(f"insert into {view} values (?, ?, ?, ?, 'n')", [*rows, *more])
            base.commit()
        return [is_database(path), is_database(place / "no"), read(path)]

    CASES[f"database: {name}"] = case


ROWS = [("1", "a", 1, "x"), ("1", "b", 0, "x")]
database("qrels", hj.read_qrels, ROWS)
database("judges", hj.read_judgments, ROWS)
database("nothing", hj.read_qrels, [])
database("of another program", hj.read_qrels, ROWS, number=7)
database("through a pipe", lambda path: hj.read_qrels(io.BytesIO(path.read_bytes())), ROWS)
database(
    "damaged",
    lambda path: (path.write_bytes(path.read_bytes()[:900]), hj.read_qrels(path)),
    ROWS,
)
database("lost", lambda path: labelled_columns(f"{path}2", "gold"), ROWS)


@pytest.mark.parametrize("name", CASES)
def test_outcome(name: str, tmp_path: Path, expected: dict[str, Any]) -> None:
    assert outcome(CASES[name], tmp_path) == expected[name]


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    return stored("test_whole_labels", CASES)


def test_all_are_stored(expected: dict[str, Any]) -> None:
    assert list(expected) == list(CASES)
    assert json.dumps(expected)
