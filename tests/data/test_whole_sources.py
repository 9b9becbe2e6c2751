"""Where text comes from and which form it has: whole outcomes of small inputs."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

import pandas
import polars
import pytest

import hungjury as hj
from builders.outcomes import Case, outcome, stored
from hungjury.data.alignment import align
from hungjury.data.reading import sources
from hungjury.data.reading.columns import InputTable
from hungjury.data.reading.formats import table_as_written, table_format
from hungjury.data.reading.lines import another_kind, unknown_header
from hungjury.data.reading.nested import layout_of, layouts, likely_columns
from hungjury.data.reading.options import (
    BESIDE,
    GOLD,
    JUDGES,
    LABELS,
    RUNS,
    LabelPolicy,
    RunPolicy,
    assigned,
)
from hungjury.data.reading.sources import Source, expand
from hungjury.data.reading.values import columns_by_role, map_text, relabelling
from hungjury.data.runs import as_runs, map_files
from hungjury.data.texts import DOCUMENTS, find_texts

CASES: dict[str, Case] = {}


@contextmanager
def patched(owner: Any, **values: Any) -> Iterator[None]:
    """Let an object have other attributes for a while."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in values.items():
            patch.setattr(owner, name, value, raising=False)
        yield


def made(folder: Path, **files: str | bytes) -> None:
    """Write files; __ in names is a folder's end."""
    for name, content in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


# ---- which files are meant


def meant(name: str, *asked: str, part: str = "qrels", folders: bool = False, **files: str) -> None:
    """Expand paths below a folder."""

    def case(folder: Path) -> Any:
        made(folder, **files)
        given = [str(folder / one) for one in asked]
        found = expand(given[0] if len(given) == 1 else given, part, folders=folders)
        return [[o.name, o.stem, o.group, Path(o.name).is_file() and o.size] for o in found]

    CASES[f"meant: {name}"] = case


TWO = {"b.qrels": "1", "a.txt": "22", "sub__c.qrels.gz": "333", ".hidden": "4"}
meant("one", "a.txt", **TWO)
meant("two", "b.qrels", "a.txt", **TWO)
meant("a pattern", "*", **TWO)
meant("a pattern of judges", "*", folders=True, **TWO)
meant("deep", "**", folders=True, **TWO)
meant("no match", "*.csv", **TWO)
meant("nothing there", "no", **TWO)
meant("a folder", "sub", **TWO)
meant("a folder of a judge", "sub", folders=True, **TWO)
meant("files and folders", "", folders=True, **TWO)
meant("folders in a folder", "x", folders=True, x__a__1="1", x__b__2="2", x__b__3="3")
meant("an empty folder", "x/a", folders=True, x__a__b__c="1")
BEIR = {"x__queries.jsonl": "q", "x__corpus.jsonl": "dd"}
for part in ("queries", "docs", "qrels", "scoreddocs"):
    meant(f"BEIR {part}", "x", part=part, **BEIR, x__qrels__test_tsv="111")
meant("BEIR with two splits", "x", **BEIR, x__qrels__test="1", x__qrels__dev="2")
meant("BEIR without labels", "x", **BEIR)
for name in ("a.qrels.gz", ".gz", "a.TXT", "gpt-4.1", "x.y.run", ""):
    CASES[f"stem of {name!r}"] = lambda _, name=name: Source(f"folder/{name}").stem
for given in (3, b"a", {"a": 1}, [], [[]], None, polars.DataFrame({"a": [1]}), [polars.DataFrame()],
              hj.read_runs({"1": {"a": 1}}), io.StringIO("1 0 a 1\n")):  # fmt: skip
    CASES[f"expanded: {type(given).__name__} {len(CASES)}"] = lambda _, given=given: [
        [one.name, one.held.decode()] for one in expand(given)
    ]


class Stream:
    """An open file that fails."""

    name = "mine"

    def __init__(self, error: Exception | None = None, content: str | bytes = "") -> None:
        self.error, self.content = error, content

    def read(self, *_: int) -> str | bytes:
        if self.error is not None:
            raise self.error
        return self.content


for stream in (
    Stream(ValueError("I/O operation on closed file.")),
    Stream(OSError("not readable")),
    Stream(UnicodeDecodeError("latin-9", b"a", 0, 1, "bad")),
    Stream(content=b"1 0 b 1\n"),
    Stream(content="1 0 \udcff 1\n"),
    Stream(content="\ud800"),
):
    CASES[f"stream {len(CASES)}"] = lambda _, stream=stream: hj.read_qrels(stream)


def _stdin(content: bytes | None) -> Case:
    def case(_: Path) -> Any:
        given = None if content is None else SimpleNamespace(buffer=io.BytesIO(content))
        with patched(sys, stdin=given):
            return hj.read_qrels("-")

    return case


CASES["standard input"] = _stdin(b"1 0 a 1\n" * 1)
CASES["no standard input"] = _stdin(None)
CASES["a device"] = lambda _: hj.read_qrels("/dev/zero")
CASES["an empty device"] = lambda _: hj.read_qrels("/dev/null")


def _held(most: int) -> Any:
    with patched(sources, MOST_HELD=most, HEAD=4), patched(
        sys, stdin=SimpleNamespace(buffer=io.BytesIO(b"1 0 a 1\n"))
    ):  # fmt: skip
        return len(expand("-")[0].held)


CASES["a pipe of as much as is kept"] = lambda _: _held(8)
CASES["a longer pipe"] = lambda _: _held(7)
CASES["a much longer pipe"] = lambda _: _held(1 << 30) + 1

# ---- packed and broken files

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress, "xz": lzma.compress, "bz2": bz2.compress
}  # fmt: skip
TEXT = "".join(f"{i // 50} 0 d{i} {i % 3}\n" for i in range(400)).encode()


def _packed(pack: Callable[[bytes], bytes], cut: int, waiting: bool) -> Case:
    def case(folder: Path) -> Any:
        data = pack(TEXT[:2000]) + pack(TEXT[2000:]) + b"\0\0"
        made(folder, x=data[: len(data) - cut])
        with patched(sources, SMALL=0 if waiting else 1 << 17, HEAD=64):
            source = expand(str(folder / "x"))[0]
            pieces = b"".join(map(bytes, source.pieces(read_ahead=waiting)))
            with source.open() as opened:
                lines = opened.read().count(b"\n")
        return pieces == TEXT, lines, source.packed, source.head().decode(), len(source.content())

    return case


for name, pack in PACKERS.items():
    for cut in (0, 9):
        for waiting in (False, True):
            CASES[f"packed: {name} {cut} {waiting}"] = _packed(pack, cut, waiting)
for name, content in {
    "UTF-16": "1 0 a 1\n".encode("utf-16"), "a mark": b"\xef\xbb\xbf1 0 a 1\n",
    "only a mark": b"\xef\xbb\xbf", "a mark inside": b"1 0 a 1\n\xef\xbb\xbf1 0 b 1\n",
    "binary": b"\x7fELF\x00\x01\n", "odd bytes": b"1 0 \xff 1\n", "controls": b"1 0 \x01 1\n",
    "odd controls": b"\xff\x01\x02 1\n", "a carriage return": b"1 0 a 1\r1 0 b 0\r",
    "Windows": b"1 0 a 1\r\n1 0 b 0\r\n", "no newline": b"1 0 a 1",
    "SQLite": b"SQLite format 3\x00", "a damaged table": b"topic,document,label\n1,\xff,1\n",
    "a mark in a table": b"topic,document,label\n1,a,1\n\xef\xbb\xbf1,b,0\n",
    "tabs": b"1\t0\ta b\t1\n", "a plan": b"# hungjury plan\ntopic\tdocument\n1\ta\n",
    "comments": b"# text\n1 0 a 1\n",
}.items():  # fmt: skip

    def case(folder: Path, content: bytes = content) -> Any:
        made(folder, x=content)
        return hj.read_qrels(str(folder / "x"))

    CASES[f"bytes: {name}"] = case
    CASES[f"run of bytes: {name}"] = lambda folder, content=content: (
        made(folder, x=content),
        hj.read_runs(str(folder / "x")),
    )


# ---- parts of large files


def _parts(content: bytes, number: int, large: int) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "LARGE", large)

        def cut(folder: Path) -> Any:
            made(folder, x=content)
            source = expand(str(folder / "x"))[0]
            with patched(sources, LARGE=large):
                return [
                    [one.begin, one.end, one.lines_before, one.content().decode()]
                    for one in source.parts(number)
                ]

        return cut


LISTS = b"".join(b"%d Q0 d%d 1 %d x\n" % (i // 3, i, 20 - i) for i in range(12))
for number in (1, 2, 3, 5):
    CASES[f"{number} parts"] = _parts(LISTS, number, 10)
CASES["parts of a small file"] = _parts(LISTS, 2, 1 + len(LISTS) // 2)
CASES["parts of a file just large enough"] = _parts(LISTS, 2, len(LISTS) // 2)
CASES["parts of one list"] = _parts(b"1 Q0 a 1 1 x\n" * 9, 2, 10)
CASES["parts of a packed file"] = _parts(gzip.compress(LISTS), 2, 1)


def _aligned_in_parts(content: bytes) -> Case:
    def case(folder: Path) -> Any:
        made(folder, x=content)
        pool = hj.read_qrels({str(t): {f"d{i}": 1 for i in range(12)} for t in range(4)}).pool
        with patched(sources, LARGE=10), pytest.MonkeyPatch.context() as patch:
            patch.setenv("HUNGJURY_THREADS", "3")
            found = align(as_runs(str(folder / "x")), pool)
        return found.rank.tolist(), found.document.tolist(), found.length.tolist(), found.notes

    return case


CASES["aligned in parts"] = _aligned_in_parts(LISTS)
CASES["an error in a part"] = _aligned_in_parts(LISTS.replace(b"d8 1", b"d8 one"))
CASES["a list in two parts"] = _aligned_in_parts(LISTS + b"0 Q0 d9 1 1 x\n")


def _in_threads(threads: str, fails: int) -> Any:
    said: list[Any] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HUNGJURY_THREADS", threads)
        try:
            for one in map_files(lambda i: 6 // (i - fails), [3, 4, 5],
                                 lambda *step: said.append(step), "doing"):  # fmt: skip
                said.append(one)
        except ZeroDivisionError:
            said.append("failed")
    return said


for threads in ("1", "2"):
    for fails in (0, 4):
        CASES[f"{threads} threads, {fails} fails"] = lambda _, threads=threads, fails=fails: (
            _in_threads(threads, fails)
        )

# ---- datasets of a library


class Row(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int = 1
    iteration: str = ""
    score: float = 0.5


class Text(NamedTuple):
    doc_id: str
    title: str
    text: str


def _dataset(name: str, has: str, rows: list[Any], act: Callable[[], Any]) -> Any:
    """Act where `ir_datasets` has one dataset."""
    store = SimpleNamespace(get_many_iter=lambda ids: [r for r in rows if r.doc_id in ids])
    one = SimpleNamespace(
        qrels_iter=lambda: rows, scoreddocs_iter=lambda: rows, queries_iter=lambda: rows,
        docs_store=lambda: store,
        **{f"has_{part}": lambda part=part: part in has
           for part in ("qrels", "scoreddocs", "queries", "docs")},
    )  # fmt: skip
    module: Any = ModuleType("ir_datasets")
    module.load = {name: one}.__getitem__
    module.__spec__ = ModuleSpec("ir_datasets", None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "ir_datasets", module)
        return act()


ROWS = [Row("1", "a"), Row("1", "b", 0, "i", 2.5), Row("2", "c", 2, "0")]
for part in ("qrels", "scoreddocs", "queries", "docs"):
    CASES[f"dataset: {part}"] = lambda _, part=part: _dataset(
        "mine/one", part, ROWS,
        lambda: [sources.dataset_text("ir_datasets:mine/one", part).decode()
                 if part in ("qrels", "scoreddocs")
                 else list(sources.dataset_rows("ir_datasets:mine/one", part, ["1", "b"]))],
    )  # fmt: skip
    CASES[f"dataset without {part}"] = lambda _, part=part: _dataset(
        "mine/one", "nothing", ROWS, lambda: sources.dataset_rows("ir_datasets:mine/one", part, [])
    )
CASES["dataset: texts"] = lambda _: _dataset(
    "mine/one", "docs", [Text("a", "A", "one"), Text("b", "B", "two")],
    lambda: [[found.get(n).head, found.get(n).body] for found in [
        find_texts(["ir_datasets:mine/one"], ["a", "c"], DOCUMENTS)] for n in "abc"],
)  # fmt: skip
CASES["dataset: unknown"] = lambda _: _dataset(
    "mine/one", "qrels", ROWS, lambda: hj.read_qrels("ir_datasets:mine/two")
)
CASES["dataset: read"] = lambda _: _dataset(
    "mine/one", "qrels", ROWS, lambda: hj.read_qrels("ir_datasets:mine/one")
)

# ---- tables and their columns

FRAMES = {
    "indexed": pandas.DataFrame({"label": [1, 0]}, index=pandas.Index(["a", "b"], name="document")),
    "numbered": pandas.DataFrame(
        {"document": ["a", "b"], "label": [1, 0], "topic": 1}, index=[7, 8]
    ),
    "named index": pandas.DataFrame({"document": ["a"], "label": [1]}, index=["t"]),
    "number as name": pandas.DataFrame({"document": ["a"], "label": [1], 3: [2]}),
    "missing": pandas.DataFrame(  # of objects: pandas before 3 keeps None in texts, later ones NaN
        {"document": ["a", None], "label": [1, None], "topic": ["1", "1"]}, dtype=object
    ),
    "decimal ids": pandas.DataFrame({"document": [1.5], "label": [1], "topic": ["1"]}),
    "decimal topics": pandas.DataFrame({"document": ["a"], "label": [1], "topic": [2.0]}),
    "flags": pandas.DataFrame(
        {"document": ["a", "b"], "label": [True, False], "topic": [True, True]}
    ),
    "bytes": polars.DataFrame({"document": [b"a"], "label": [1], "topic": ["1"]}),
    "lists": polars.DataFrame({"documents": [["a", "b"]], "label": [1], "topic": ["1"]}),
    "PyTerrier": pandas.DataFrame({"qid": ["1"], "docno": ["a"], "docid": [3], "label": [1]}),
    "two names": pandas.DataFrame({"qid": ["1"], "docno": ["a"], "docid": ["x"], "label": [1]}),
    "a gold column": pandas.DataFrame({"query": ["1"], "doc": ["a"], "gold": [1]}),
    "a scored run": pandas.DataFrame({"qid": ["1"], "docno": ["a"], "score": [1], "run": ["x"]}),
    "scores as labels": pandas.DataFrame({"qid": ["1"], "docno": ["a"], "score": [1]}),
    "lazy": polars.LazyFrame({"qid": ["1"], "docno": ["a"], "label": [1]}),
    "a series": pandas.Series([1]),
}
for name, frame in FRAMES.items():
    CASES[f"frame: {name}"] = lambda _, frame=frame: hj.read_qrels(frame)
CASES["frame: named as it is"] = lambda _: hj.read_qrels(
    FRAMES["a scored run"], columns={"label": "score"}
)
CASES["frame: another case"] = lambda _: hj.read_qrels(
    FRAMES["scores as labels"], columns="label=SCORE"
)


class Other(NamedTuple):
    a: int


CASES["tuples"] = lambda _: hj.read_qrels([Row("1", "a"), Row("1", "b", 0)])
CASES["tuples of two kinds"] = lambda _: hj.read_qrels([Row("1", "a"), Other(1)])
CASES["objects"] = lambda _: hj.read_qrels([{"qid": "1", "docno": "a", "rel": "1"}, {"qid": "1"}])
CASES["roles"] = lambda _: [
    [InputTable("t", {n: [1] for n in names}).known(role) for role in ("topic", "label", "judge")]
    for names in (["qid", "Rel", "worker"], ["query"], [" LABEL ", "label"])
]
for head in ("a,b\n", "topic,document\n", "query_id;rel\n", "qid\tdocno\n", "qid docno\n",
             "[\n", "[{\n", "[ {\n", "[1]\n", " {\n", "PAR1", "PK\x03\x04", "qid\n",
             "x,rel\n"):  # fmt: skip
    CASES[f"format of {head!r}"] = lambda _, head=head: [
        table_format(Source("x", held=head.encode()), columns)
        for columns in ((), (("label", "x"),), (("judge", "a+z"),))
    ]
    CASES[f"header {head!r}"] = lambda _, head=head: [
        one(Source("x", held=head.encode()), ("score", "topic"))
        for one in (another_kind, unknown_header)
    ]
for words in ("1 0 a 1", "1 Q0 a 1", "1 0 a b", "1 0 a 1 2"):
    CASES[f"another kind: {words}"] = lambda _, words=words: [
        another_kind(Source("x", held=words.encode()), roles) for roles in ((), ("score",))
    ]


def _excel(rows: list[list[Any]], more: list[list[Any]] | None = None) -> Case:
    def case(folder: Path) -> Any:
        import openpyxl

        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        if more is not None:
            other = book.create_sheet("more")
            for row in more:
                other.append(row)
        book.save(folder / "x.xlsx")
        return hj.read_qrels(str(folder / "x.xlsx"))

    return case


SHEET = [["topic", "document", "label", None], [1.0, "a", 1.0, None], [None] * 4, [1, "b", 0.5, 3]]
CASES["Excel"] = _excel(SHEET)
CASES["Excel: a bad id"] = _excel([*SHEET, [1.5, "c", 1, None]])
CASES["Excel: two sheets"] = _excel(SHEET, SHEET)
CASES["Excel: an empty sheet"] = _excel(SHEET, [])
CASES["Excel: nothing"] = _excel([])
CASES["Excel: a column twice"] = _excel([["topic", "topic"], [1, 2]])

EXPORTS = Path(__file__).parent / "exports"
for path in sorted(EXPORTS.iterdir()):
    for read in (hj.read_qrels, hj.read_judgments):
        CASES[f"export {path.name}: {read.__name__}"] = lambda folder, path=path, read=read: read(
            shutil.copy(path, folder), layout=path.stem, missing="drop"
        )

    def looked(_: Path, path: Path = path) -> Any:
        source = Source(path.name, str(path))
        table = table_as_written(source, str(table_format(source)))
        return layout_of(table), likely_columns(table), len(table)

    CASES[f"looked at {path.name}"] = looked
CASES["layouts"] = lambda _: {name: str(one) for name, one in layouts().items()}
NESTED = [
    {
        "topic": "1",
        "m": {"judge": {"id": "x"}, "doc.name": "d"},
        "s": {"a": {"v": 1}, "b": {"v": 2}},
    }
]
for columns in (
    "document=m.doc.name,label=s.*.v,judge=s.@", "document=m.doc.name,label=s.a.v",
    "document=m.nothing,label=s.a.v", "document=m,label=s.a", "document=m.doc.name,label=s.@",
):  # fmt: skip
    CASES[f"paths: {columns}"] = lambda _, columns=columns: hj.read_judgments(
        NESTED, columns=columns
    )
CASES["likely paths"] = lambda _: likely_columns(
    InputTable("t", {"q": [{"id": 1, "query": {"id": 2}}], "x": [{"docno": 3}], "rel": [1]})
)

# ---- options


def options(name: str, given: dict[str, Any], *what: Any) -> None:
    CASES[f"options: {name}"] = lambda _: assigned(given, *what)


QRELS, RUN_GIVEN = hj.read_qrels({"1": {"a": 1}}), hj.read_runs({"1": {"a": 1}})
options("labels and runs", {"grades": "0-3", "ties": "input", "columns": "topic=q"}, "q", "r")
options("all", {"grades": "0-3", "gold_columns": "a=b", "run_columns": "c=d", "only": "x"}, 1, 2, 3)
options("no gold", {"gold_columns": "topic=a"}, "q", "r")
options("read labels", {"grades": "0-3"}, QRELS, "r")
options("read runs", {"ties": "input"}, "q", RUN_GIVEN)
options("all read", {"columns": "topic=a"}, QRELS, RUN_GIVEN)
options("no runs", {"ties": "trec"}, "q")
options("unknown", {"grade": 3}, "q", "r")
options("None for gold", {"gold_columns": None}, "q", "r")
options("layouts", {"layout": "umbrela", "gold_layout": "argilla"}, "q", None, "g")
for name, known in (("labels", LABELS), ("judges", JUDGES), ("runs", RUNS), ("gold", GOLD),
                    ("beside", BESIDE)):  # fmt: skip
    CASES[f"declared: {name}"] = lambda _, known=known: {
        n: [one.default, one.recorded, one.flag, one.metavar, one.kind, one.choices]
        for n, one in known.items()
    }
CASES["policy"] = lambda _: [
    repr(LabelPolicy.of({"map": "a:1", "extract": "number", "only": "x"}).for_gold()),
    LabelPolicy.of({"grades": "1-3"}).recorded,
    [LabelPolicy.of(o).takes_words for o in ({}, {"map": "a:1"}, {"missing": "drop"},
                                             {"extract": "number"})],
    [RunPolicy.of({"score_precision": p}).single for p in ("single", "double")],
    [LabelPolicy.of(o).reads(t) for t in ("1", "a", "x 1", "")
     for o in ({}, {"map": "a:1"}, {"extract": "number"}, {"map": len})],
]  # fmt: skip
for given in (
    None,
    "",
    "topic=a,document=b",
    {"topic": "a"},
    "topic=",
    "=a",
    "topic=a=b",
    "what=x",
):
    CASES[f"columns: {given!r}"] = lambda _, given=given: columns_by_role(given)
CASES["maps"] = lambda _: [
    map_text(relabelling(one))
    for one in (None, "", "Yes : 1, no:0.5", {2: None, "a b": 1}, len, {True: 0})
]


@pytest.mark.parametrize("name", CASES)
def test_outcome(name: str, tmp_path: Path, expected: dict[str, Any]) -> None:
    assert outcome(CASES[name], tmp_path) == expected[name]


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    return stored("test_whole_sources", CASES)


def test_all_are_stored(expected: dict[str, Any]) -> None:
    assert list(expected) == list(CASES)
