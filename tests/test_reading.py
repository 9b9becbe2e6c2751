"""Labels and runs in every form that users have them in, and what is told about odd ones."""

import contextlib
import gzip
import io
import json
import os
import random
import sys
import threading
import types
from pathlib import Path

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

import hungjury as hj
from hungjury import native
from hungjury.collection import sources
from hungjury.collection.align import align
from hungjury.collection.runs import RunFiles, RunPolicy

# Ids that other readers stumble over: NA, quotes, #, other scripts, leading zeros, plain numbers.
QRELS = {
    "2": {"NA": 1, 'a"b': 0, "doc#1": 2, "é文": 1},
    "10": {"0007": 0, "7": 1, "NULL": 3, "'x'": 0},
    "q-1": {"nan": 2, "-": 0},
}
RUNS = {
    "alpha": {
        "10": {"7": 9.5, "NULL": 9.25, "unjudged": 3.0, "0007": -1.0},
        "2": {"é文": 3.5, "doc#1": 2.5, "NA": 1.5, 'a"b': 1e-3},
        "q-1": {"-": 0.25, "nan": 0.125},
    },
    "beta": {
        "2": {'a"b': 12.0, "other": 11.0, "NA": 10.0},
        "10": {"'x'": 3.0, "NULL": 2.0, "7": 1.0},
        "q-1": {"nan": 5.0},
    },
}
MEASURES = ["AP", "nDCG@10", "P@2", "Judged@5", "Bpref", "NumRet", "ERR"]
FRAMES = {
    "pandas": pandas.DataFrame,
    "pandas objects": lambda c: pandas.DataFrame(c).astype(object),
    "polars": polars.DataFrame,
    "pyarrow": pyarrow.table,
}


def qrels_rows(qrels=QRELS):
    return [(t, "0", d, str(label)) for t, docs in qrels.items() for d, label in docs.items()]


def run_rows(lists, tag):
    return [
        (t, "Q0", d, str(rank), repr(score), tag)
        for t, docs in lists.items()
        for rank, (d, score) in enumerate(docs.items(), 1)
    ]


def joined(rows, blank=" ", end="\n"):
    return "".join(blank.join(row) + end for row in rows).encode()


def write(folder, name, content):
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def codes(result):
    return {note.code: note.count for note in result.notes}


def assert_same(one, other):
    """The same scores, and the same said about them."""
    assert (one.measures, one.systems, one.topics) == (other.measures, other.systems, other.topics)
    np.testing.assert_array_equal(one.values, other.values)
    np.testing.assert_array_equal(one.status, other.status)
    assert one.policies == other.policies
    assert sorted(map(str, one.notes)) == sorted(map(str, other.notes))


# --- where the bytes come from --------------------------------------------------------------


def from_stdin(path, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path(path).read_bytes())))
    return "-"


def gzipped(path, name):
    target = Path(path).with_name(name)
    target.write_bytes(gzip.compress(Path(path).read_bytes()))
    return str(target)


def in_two_members(path):
    data = Path(path).read_bytes()
    target = Path(path).with_name("two.gz")
    target.write_bytes(gzip.compress(data[:17]) + gzip.compress(data[17:]))
    return target


def opened(path, close_later, mode, **how):
    stream = open(path, mode, **how)  # noqa: SIM115 - the fixture closes it
    close_later.append(stream)
    return stream


WHERE = {
    "path": lambda p, m, c: p,
    "Path": lambda p, m, c: Path(p),
    "glob": lambda p, m, c: str(Path(p).parent / "th*.t?t"),
    "deep glob": lambda p, m, c: str(Path(p).parent.parent / "**" / "the[f]ile.txt"),
    "list": lambda p, m, c: [p],
    "tuple of Path": lambda p, m, c: (Path(p),),
    "list in a list": lambda p, m, c: [[p]],
    "generator": lambda p, m, c: (x for x in [p]),
    "text file": lambda p, m, c: opened(p, c, "r", encoding="utf-8"),
    "binary file": lambda p, m, c: opened(p, c, "rb"),
    "open gz": lambda p, m, c: opened(gzipped(p, "x.gz"), c, "rb"),
    "StringIO": lambda p, m, c: io.StringIO(Path(p).read_text(encoding="utf-8")),
    "BytesIO": lambda p, m, c: io.BytesIO(Path(p).read_bytes()),
    "gz": lambda p, m, c: gzipped(p, "zipped.txt.gz"),
    "gz without the ending": lambda p, m, c: gzipped(p, "zipped.txt"),
    "gz in two members": lambda p, m, c: in_two_members(p),
    "stdin": lambda p, m, c: from_stdin(p, m),
    "gz on stdin": lambda p, m, c: from_stdin(gzipped(p, "x.gz"), m),
}


@pytest.fixture(params=list(WHERE))
def place(request, tmp_path, monkeypatch):
    """A function that turns bytes into a source of the asked kind."""
    close_later = []
    folder = tmp_path / "thefolder"
    folder.mkdir()

    def put(content):
        return WHERE[request.param](write(folder, "thefile.txt", content), monkeypatch, close_later)

    yield put
    for stream in close_later:
        stream.close()


def test_labels_from_anywhere(place):
    qrels = hj.read_qrels(place(joined(qrels_rows())))
    assert qrels.to_dict() == QRELS
    assert qrels.topics == ["2", "10", "q-1"]
    assert qrels.notes == ()


def test_runs_from_anywhere(place):
    runs = hj.read_runs(place(joined(run_rows(RUNS["alpha"], "alpha"))))
    assert runs.to_dict() == {"alpha": RUNS["alpha"]}
    assert runs.notes == ()


def test_scores_from_anywhere(place):
    from_memory = hj.evaluate(QRELS, hj.read_runs({"alpha": RUNS["alpha"]}), MEASURES)
    streamed = hj.evaluate(QRELS, place(joined(run_rows(RUNS["alpha"], "alpha"))), MEASURES)
    assert_same(streamed, from_memory)


def test_assessors_from_anywhere(place):
    rows = [(t, a, d, label) for t, _, d, label in qrels_rows() for a in ("ann", "bob")]
    judgments = hj.read_judgments(place(joined(rows)), assessor_column="iteration")
    assert judgments.assessors == ["ann", "bob"]
    assert judgments.by("bob").to_dict() == QRELS


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("packed", [False, True])
def test_labels_from_a_pipe(tmp_path, packed):
    """What a shell makes of <(zcat qrels.gz): it can be read once and not wound back."""
    pipe, content = tmp_path / "pipe", joined(qrels_rows())
    os.mkfifo(pipe)
    got = []

    def fill():
        with contextlib.suppress(BrokenPipeError):
            pipe.write_bytes(gzip.compress(content) if packed else content)

    def read():
        try:
            got.append(hj.read_qrels(str(pipe)).to_dict())
        except Exception as error:
            got.append(error)

    threads = [threading.Thread(target=work, daemon=True) for work in (fill, read)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5)
    assert got == [QRELS]


def test_several_files_of_labels_are_one_set(tmp_path):
    rows = qrels_rows()
    paths = [write(tmp_path, f"{i}.qrels", joined(part)) for i, part in
             enumerate([rows[:3], rows[3:4], rows[4:]])]  # fmt: skip
    assert hj.read_qrels(paths).to_dict() == QRELS
    assert hj.read_qrels(str(tmp_path / "*.qrels")).to_dict() == QRELS
    assert hj.read_qrels(Path(p) for p in paths).to_dict() == QRELS


def test_several_runs_keep_the_order_they_were_given_in(tmp_path):
    paths = [write(tmp_path, f"{n}.run", joined(run_rows(RUNS[n], n))) for n in ("beta", "alpha")]
    assert hj.read_runs(paths).systems == ["beta", "alpha"]
    assert hj.read_runs(str(tmp_path / "*.run")).systems == ["alpha", "beta"]
    assert hj.evaluate(QRELS, iter(paths), "AP").systems == ["beta", "alpha"]
    assert hj.read_runs(paths).to_dict() == RUNS
    seen = []
    hj.read_runs(paths, progress=lambda *step: seen.append(step[:2]))
    assert seen == [(1, 2), (2, 2)]


def test_a_name_with_glob_characters_is_a_file_first(tmp_path):
    path = write(tmp_path, "run[1]*.txt", joined(run_rows(RUNS["beta"], "beta")))
    write(tmp_path, "run1x.txt", "not a run")
    assert hj.read_runs(path).to_dict() == {"beta": RUNS["beta"]}


def test_reading_leaves_no_file_open(tmp_path, recwarn):
    packed = gzipped(write(tmp_path, "q", joined(qrels_rows())), "q.gz")
    hj.read_qrels(packed)
    hj.read_qrels(str(tmp_path / "q"))
    assert [str(w.message) for w in recwarn if w.category is ResourceWarning] == []


# --- how lines are written ------------------------------------------------------------------


def ragged(rows):
    """Blanks and tabs of any length between, before and behind the columns."""
    rng = random.Random(1)

    def gap(least):
        return "".join(rng.choice(" \t") for _ in range(rng.randint(least, 3)))

    return "".join(gap(0) + "".join(c + gap(1) for c in row) + "\n" for row in rows).encode()


def with_comments(rows):
    lines = joined(rows).splitlines(keepends=True)
    return b"# a\tcomment, with 1 0 columns\n#\n" + b"#x 0 d 1\n".join(lines) + b"#last"


LINES = {
    "blanks": joined,
    "tabs": lambda rows: joined(rows, "\t"),
    "many blanks": lambda rows: joined(rows, "   "),
    "any mix": ragged,
    "vertical tab and form feed": lambda rows: joined(rows, " \v\f"),
    "CRLF": lambda rows: joined(rows, end="\r\n"),
    "CRLF and tabs": lambda rows: joined(rows, "\t", "\r\n"),
    "no final newline": lambda rows: joined(rows)[:-1],
    "no final newline, CR": lambda rows: joined(rows, end="\r\n")[:-1],
    "trailing blanks": lambda rows: joined(rows, end=" \t \n"),
    "byte-order mark": lambda rows: b"\xef\xbb\xbf" + joined(rows),
    "byte-order mark, comment": lambda rows: b"\xef\xbb\xbf# hello\n" + joined(rows),
    "blank lines": lambda rows: b"\n \t\n" + joined(rows, end="\n\r\n\n") + b"\n\n",
    "comments": with_comments,
    "reversed": lambda rows: joined(rows[::-1]),
    "topics interleaved": lambda rows: joined(sorted(rows, key=lambda row: row[2])),
    "shuffled": lambda rows: joined(random.Random(3).sample(rows, len(rows))),
}


@pytest.fixture(params=list(LINES))
def lines(request):
    return LINES[request.param]


@pytest.fixture(params=[None, 3, 7, 64], ids="chunk={}".format)
def chunk(request, monkeypatch):
    """Reads of a few bytes: every line is cut somewhere."""
    if request.param is not None:
        monkeypatch.setattr(sources, "CHUNK", request.param)


@pytest.mark.usefixtures("chunk")
def test_labels_however_their_lines_are_written(lines):
    assert hj.read_qrels(io.BytesIO(lines(qrels_rows()))).to_dict() == QRELS


@pytest.mark.usefixtures("chunk")
def test_runs_however_their_lines_are_written(lines, tmp_path):
    paths = [write(tmp_path, f"{n}.run", lines(run_rows(r, n))) for n, r in RUNS.items()]
    runs = hj.read_runs(paths)
    assert runs.to_dict() == RUNS
    expected = {n: {t: list(d.items()) for t, d in lists.items()} for n, lists in RUNS.items()}
    assert {n: {t: runs.ranked(n, t) for t in lists} for n, lists in RUNS.items()} == expected
    streamed = hj.evaluate(QRELS, paths, MEASURES)
    assert_same(streamed, hj.evaluate(QRELS, runs, MEASURES))
    np.testing.assert_array_equal(streamed.values, hj.evaluate(QRELS, RUNS, MEASURES).values)


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
@pytest.mark.parametrize("packed", [False, True])
def test_a_line_may_be_cut_anywhere(tmp_path, monkeypatch, size, packed):
    rng = random.Random(size)
    names = [f"d{i}é" for i in range(30)]
    labels = {f"t{t}": {d: rng.randint(-1, 3) for d in names} for t in range(4)}
    lists = {t: {d: round(rng.gauss(0, 9), 2) for d in rng.sample(names, 20)} for t in labels}
    pack = gzip.compress if packed else bytes
    qrels = write(tmp_path, "q", pack(joined(qrels_rows(labels), "\t", "\r\n")))
    run = write(tmp_path, "r", pack(joined(run_rows(lists, "tag"))[:-1]))
    whole = hj.evaluate(qrels, run, MEASURES)
    monkeypatch.setattr(sources, "CHUNK", size)
    assert hj.read_qrels(qrels).to_dict() == labels
    assert hj.read_runs(run).to_dict() == {"tag": lists}
    assert_same(hj.evaluate(qrels, run, MEASURES), whole)
    assert_same(hj.evaluate(qrels, hj.read_runs(run), MEASURES), whole)


def test_only_column_zero_makes_a_comment():
    text = "#1 0 a 1\n 1 0 #b 1\n1 0 c# 0\n1 #0 #d 2\n"
    assert hj.read_qrels(io.StringIO(text)).to_dict() == {"1": {"#b": 1, "c#": 0, "#d": 2}}
    run = "# topic Q0 document rank score tag\n1 Q0 #b 1 2 #tag\n1 Q0 c#x 2 1 #tag\n"
    assert hj.read_runs(io.StringIO(run)).to_dict() == {"#tag": {"1": {"#b": 2.0, "c#x": 1.0}}}


def test_only_ascii_blanks_part_columns():
    """No-break spaces and the line separators of Unicode are letters of an id."""
    odd = "a\u00a0b\u2028c\u0085d\x1ce"
    assert hj.read_qrels(io.BytesIO(f"1 0 {odd} 1\n".encode())).to_dict() == {"1": {odd: 1}}


def test_text_behind_the_tag_is_ignored():
    run = "1 Q0 a 1 2 tag and more\n1 Q0 b 2 1 tag\n"
    runs = hj.read_runs(io.StringIO(run))
    assert runs.to_dict() == {"tag": {"1": {"a": 2.0, "b": 1.0}}}
    assert runs.notes == ()


@pytest.mark.parametrize(
    "text", ["1", "-1", "+1", "1.", ".5", "-.5", "1e3", "1E-3", "1.5e+2", "0", "-0.0", "007",
             "123456789012345678901234567890", "0.1000000000000000055511151231257827", "1e-400",
             "2.2250738585072011e-308", "9007199254740993", "1e22", "1e23", "179769313486231e294"],
)  # fmt: skip
def test_scores_are_read_to_the_last_bit(text):
    runs = hj.read_runs(io.StringIO(f"1 Q0 a 1 {text} tag\n"))
    assert runs.ranked("tag", "1") == [("a", float(text))]


# --- the order of a list --------------------------------------------------------------------

TIED = "1 Q0 b 1 5 t\n1 Q0 é 2 5.0 t\n1 Q0 a 3 5 t\n1 Q0 Z 4 7 t\n1 Q0 c 5 5.000000001 t\n"


@pytest.mark.parametrize(
    ("policy", "order"),
    [
        ({}, "Zcéba"),
        ({"score_precision": "single"}, "Zécba"),
        ({"ties": "input"}, "béaZc"),
        ({"ties": "expected"}, "Zcéba"),
    ],
)
def test_scores_order_a_list_and_ids_break_ties(policy, order):
    runs = hj.read_runs(io.StringIO(TIED), **policy)
    assert "".join(d for d, _ in runs.ranked("t", "1")) == order


def test_zero_and_minus_zero_are_a_tie():
    runs = hj.read_runs({"1": {"a": 0.0, "b": -0.0}})
    assert [d for d, _ in runs.ranked("run", "1")] == ["b", "a"]


# --- tables and frames ----------------------------------------------------------------------

LABEL_COLUMNS = {
    "ir_measures": ("query_id", "doc_id", "relevance"),
    "PyTerrier": ("qid", "docno", "label"),
    "ranx": ("q_id", "doc_id", "score"),
    "BEIR": ("query-id", "corpus-id", "score"),
    "ours": ("topic", "document", "label"),
    "capitals": ("Topic", "DocNo", "Rel"),
}
SCORE_COLUMNS = {
    "ir_measures": ("query_id", "doc_id", "score"),
    "PyTerrier": ("qid", "docno", "score"),
    "ranx": ("q_id", "doc_id", "score"),
    "BEIR": ("query-id", "corpus-id", "score"),
    "ours": ("topic", "document", "score"),
}


def label_columns(names):
    topic, document, label = zip(*((t, d, int(v)) for t, _, d, v in qrels_rows()), strict=True)
    return dict(zip(names, map(list, (topic, document, label)), strict=True))


def score_columns(names, lists):
    rows = [(t, d, s) for t, docs in lists.items() for d, s in docs.items()]
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def separated(columns, mark, quote):
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    return "".join(mark.join(quote(str(v)) for v in row) + "\n" for row in rows)


def csv_quoted(text):
    return '"' + text.replace('"', '""') + '"'


def csv_where_needed(text):
    return csv_quoted(text) if any(c in text for c in '",\n') else text


def json_lines(columns, **how):
    rows = zip(*columns.values(), strict=True)
    return "".join(json.dumps(dict(zip(columns, row, strict=True)), **how) + "\n" for row in rows)


def parquet(columns):
    out = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), out)
    return out.getvalue()


TABLES = {
    "CSV": lambda c: separated(c, ",", csv_where_needed).encode(),
    "CSV, all quoted": lambda c: separated(c, ",", csv_quoted).encode(),
    "CSV, CRLF": lambda c: separated(c, ",", csv_where_needed).replace("\n", "\r\n").encode(),
    "CSV, blank lines": lambda c: (
        separated(c, ",", csv_where_needed).replace("\n", "\n\n").encode()
    ),
    "CSV, mark": lambda c: b"\xef\xbb\xbf" + separated(c, ",", csv_where_needed).encode(),
    "CSV, no final newline": lambda c: separated(c, ",", csv_where_needed).encode()[:-1],
    "CSV, blanks": lambda c: separated(c, " , ", str).encode(),
    "TSV": lambda c: separated(c, "\t", str).encode(),
    "TSV, CRLF": lambda c: separated(c, "\t", str).replace("\n", "\r\n").encode(),
    "JSON lines": lambda c: json_lines(c).encode(),
    "JSON lines, UTF-8": lambda c: json_lines(c, ensure_ascii=False).encode(),
    "JSON lines, blank lines": lambda c: json_lines(c).replace("\n", "\r\n\n").encode(),
    "Parquet": parquet,
}


@pytest.mark.parametrize("names", LABEL_COLUMNS.values(), ids=list(LABEL_COLUMNS))
@pytest.mark.parametrize("kind", TABLES)
def test_labels_from_tables(tmp_path, kind, names):
    path = write(tmp_path, "table", TABLES[kind](label_columns(names)))
    assert hj.read_qrels(path).to_dict() == QRELS
    assert hj.read_qrels(gzipped(path, "table.gz")).to_dict() == QRELS


@pytest.mark.parametrize("names", SCORE_COLUMNS.values(), ids=list(SCORE_COLUMNS))
@pytest.mark.parametrize("kind", TABLES)
def test_runs_from_tables(tmp_path, kind, names):
    path = write(tmp_path, "alpha.csv.gz", TABLES[kind](score_columns(names, RUNS["alpha"])))
    runs = hj.read_runs(path)
    assert runs.to_dict() == {"alpha": RUNS["alpha"]}
    assert_same(hj.evaluate(QRELS, path, MEASURES), hj.evaluate(QRELS, runs, MEASURES))


@pytest.mark.parametrize("names", LABEL_COLUMNS.values(), ids=list(LABEL_COLUMNS))
@pytest.mark.parametrize("frame", FRAMES)
def test_labels_from_frames(frame, names):
    assert hj.read_qrels(FRAMES[frame](label_columns(names))).to_dict() == QRELS


@pytest.mark.parametrize("names", SCORE_COLUMNS.values(), ids=list(SCORE_COLUMNS))
@pytest.mark.parametrize("frame", FRAMES)
def test_runs_from_frames(frame, names):
    columns = score_columns(names, RUNS["beta"])
    columns["rank"] = list(range(len(columns["score"])))
    made = FRAMES[frame](columns)
    assert hj.read_runs(made).to_dict() == {"run": RUNS["beta"]}
    expected = hj.evaluate(QRELS, {"run": RUNS["beta"]}, MEASURES)
    assert_same(hj.evaluate(QRELS, made, MEASURES), expected)


@pytest.mark.parametrize("column", ["tag", "system", "run", "run_id"])
@pytest.mark.parametrize("frame", FRAMES)
def test_a_table_may_hold_several_systems(tmp_path, frame, column):
    columns = {"topic": [], "document": [], "score": []}
    systems = []
    for name, lists in RUNS.items():
        for key, values in score_columns(columns, lists).items():
            columns[key] += values
        systems += [name] * (len(columns["topic"]) - len(systems))
    columns[column] = systems
    assert hj.read_runs(FRAMES[frame](columns)).to_dict() == RUNS
    path = write(tmp_path, "all.csv", TABLES["CSV"](columns))
    assert hj.read_runs(path).to_dict() == RUNS
    assert_same(hj.evaluate(QRELS, path, MEASURES), hj.evaluate(QRELS, RUNS, MEASURES))


@pytest.mark.parametrize("frame", FRAMES)
def test_whole_numbers_are_ids_too(frame):
    made = FRAMES[frame]({"qid": [2, 10, 2], "docno": [7, 7, 8], "label": [1.0, 2.0, 0.0]})
    assert hj.read_qrels(made).to_dict() == {"2": {"7": 1, "8": 0}, "10": {"7": 2}}


def test_categories_are_ids_too():
    columns = label_columns(LABEL_COLUMNS["ours"])
    for made in (
        pandas.DataFrame(columns).astype({"topic": "category", "document": "category"}),
        polars.DataFrame(columns).with_columns(polars.col("topic").cast(polars.Categorical)),
        pyarrow.table({k: pyarrow.array(v).dictionary_encode() for k, v in columns.items()}),
    ):
        assert hj.read_qrels(made).to_dict() == QRELS


def test_ids_as_bytes_are_decoded_or_refused():
    made = pyarrow.table({"qid": [b"1"], "docno": [b"a"], "label": [1]})
    try:
        found = hj.read_qrels(made).to_dict()
    except hj.HungjuryError:
        found = "refused"
    assert found in ({"1": {"a": 1}}, "refused")


def test_ids_with_commas_blanks_and_newlines(tmp_path):
    odd = {"topic 1": {"a,b": 1, "c d": 0, 'e"f': 2, "g\u2028h": 1}}
    documents, labels = list(odd["topic 1"]), list(odd["topic 1"].values())
    columns = {"topic": ["topic 1"] * 4, "document": documents, "label": labels}
    for kind in ("CSV", "CSV, all quoted", "TSV", "JSON lines", "JSON lines, UTF-8", "Parquet"):
        path = write(tmp_path, "t", TABLES[kind](columns))
        assert hj.read_qrels(path).to_dict() == odd, kind


def test_a_table_without_topics_is_one_topic():
    crowd = pandas.DataFrame({"task": ["x", "y"], "label": [1, 0]})
    qrels = hj.read_qrels(crowd)
    assert qrels.topics == ["topic"]
    assert qrels.to_dict()["topic"] == {"x": 1, "y": 0}
    run = pandas.DataFrame({"document": ["y", "x"], "score": [1.0, 2.0]})
    assert hj.evaluate(crowd, run, "AP").mean().item() == 1.0


# --- dictionaries ---------------------------------------------------------------------------


def test_dictionaries():
    assert hj.read_qrels(QRELS).to_dict() == QRELS
    assert hj.read_qrels({2: {7: 1}}).to_dict() == {"2": {"7": 1}}
    assert hj.read_qrels(types.MappingProxyType(QRELS)).to_dict() == QRELS
    assert hj.read_runs(RUNS["alpha"]).to_dict() == {"run": RUNS["alpha"]}
    assert hj.read_runs(RUNS).to_dict() == RUNS
    assert hj.read_runs({"s": {"t": {"d": np.float32(0.5)}}}).to_dict() == {"s": {"t": {"d": 0.5}}}


def test_any_mapping_of_runs_can_be_scored():
    frozen = types.MappingProxyType(RUNS)
    assert_same(hj.evaluate(QRELS, frozen, "AP"), hj.evaluate(QRELS, RUNS, "AP"))


@pytest.mark.parametrize("kind", [list, np.array, pandas.Series, set, iter])
def test_topics_may_come_as_any_list(kind):
    assert hj.evaluate(QRELS, RUNS, "AP", topics=kind(["2", "10"])).topics == ["2", "10"]


@pytest.mark.parametrize("lists", [{"q-1": {"nan": 1.0}, "2": {}}, {"2": {}, "q-1": {"nan": 1.0}}])
def test_a_topic_may_have_an_empty_list(lists):
    assert hj.evaluate(QRELS, lists, "RR").to_dict()["run"]["q-1"] == {"RR": 1.0}


# --- assessors ------------------------------------------------------------------------------

PANEL = {"ann": {"1": {"a": 1, "b": 0}, "2": {"a": 2}}, "bob": {"1": {"a": 0}, "2": {"c": 1}}}


def panel_rows():
    return [
        (who, t, d, v) for who, labels in PANEL.items() for t, ds in labels.items()
        for d, v in ds.items()
    ]  # fmt: skip


def assert_panel(judgments, names=("ann", "bob")):
    assert judgments.assessors == list(names)
    assert judgments.topics == ["1", "2"]
    assert len(judgments) == 5
    for mine, name in zip(PANEL, names, strict=True):
        assert judgments.by(name).to_dict() == PANEL[mine]
    assert (judgments.matrix() == -32768).sum() == 3  # not judged: four documents, five labels


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("a.qrels.gz", "a"),
        ("a.txt", "a"),
        ("a.QRELS.TXT", "a"),
        ("gpt-4.1.qrels", "gpt-4.1"),
        ("llama3.2.prompt-1.txt.gz", "llama3.2.prompt-1"),
        ("judge", "judge"),
        ("judge.v2", "judge.v2"),
        ("a b.csv", "a b"),
    ],
)
def test_a_file_names_its_assessor(tmp_path, file, name):
    other = write(tmp_path, "zz.qrels", "1 0 d 1\n")
    path = write(tmp_path, file, gzip.compress(b"1 0 d 0\n"))
    assert hj.read_judgments([path, other]).assessors == [name, "zz"]


def test_one_file_per_assessor(tmp_path):
    for name, labels in PANEL.items():
        write(tmp_path, f"{name}.qrels.gz", gzip.compress(joined(qrels_rows(labels))))
    assert_panel(hj.read_judgments(str(tmp_path / "*.qrels.gz")))
    assert_panel(hj.read_judgments(tmp_path / f"{name}.qrels.gz" for name in PANEL))
    assert_panel(hj.read_judgments([tmp_path / f"{n}.qrels.gz" for n in ("bob", "ann")][::-1]))


@pytest.mark.parametrize("column", ["assessor", "worker", "judge", "annotator"])
@pytest.mark.parametrize("kind", [*TABLES, *FRAMES])
def test_an_assessor_column(tmp_path, kind, column):
    who, topic, document, label = map(list, zip(*panel_rows(), strict=True))
    columns = {column: who, "query_id": topic, "doc_id": document, "relevance": label}
    if kind in FRAMES:
        source = FRAMES[kind](columns)
    else:
        source = write(tmp_path, "labels", TABLES[kind](columns))
    assert_panel(hj.read_judgments(source))


def test_the_columns_of_crowd_kit():
    crowd = pandas.DataFrame(
        {"task": ["x", "x", "y"], "worker": ["u", "v", "u"], "label": [1, 0, 1]}
    )
    judgments = hj.read_judgments(crowd)
    assert judgments.topics == ["topic"]
    assert judgments.assessors == ["u", "v"]
    assert judgments.by("u").to_dict() == {"topic": {"x": 1, "y": 1}}


def test_the_second_column_of_qrels_names_the_assessor_only_when_asked(tmp_path):
    rows = [(t, who, d, str(v)) for who, t, d, v in panel_rows()]
    path = write(tmp_path, "jg", joined(rows))
    assert_panel(hj.read_judgments(path, assessor_column="iteration"))
    with pytest.raises(hj.HungjuryError, match="iteration"):
        hj.read_judgments(path)
    halves = [write(tmp_path, f"half{i}", joined(rows[i::2])) for i in (0, 1)]
    assert hj.read_judgments(halves).assessors == ["half0", "half1"]
    assert set(hj.read_judgments(halves, assessor_column="iteration").assessors) == {"ann", "bob"}


@pytest.mark.parametrize("frame", FRAMES)
def test_the_iteration_column_of_a_frame(frame):
    columns = {"qid": ["1", "1"], "docno": ["a", "a"], "label": [0, 1], "iteration": ["i", "j"]}
    made = FRAMES[frame](columns)
    assert hj.read_judgments(made, assessor_column="iteration").assessors == ["i", "j"]
    both = FRAMES[frame]({**columns, "assessor": ["x", "y"]})
    assert hj.read_judgments(both).assessors == ["x", "y"]
    assert hj.read_judgments(both, assessor_column="iteration").assessors == ["i", "j"]


def test_the_second_column_of_qrels_beside_a_table_is_no_assessor(tmp_path):
    table = write(tmp_path, "a.csv", "qid,docno,label,worker\n1,a,1,ann\n")
    plain = write(tmp_path, "b.qrels", "1 0 a 0\n")
    try:
        found = hj.read_judgments([table, plain]).assessors
    except hj.HungjuryError:
        found = "refused"
    assert found in (["ann", "b"], "refused")


def test_a_dictionary_of_assessors():
    assert_panel(hj.read_judgments(PANEL))


def test_two_assessors_do_not_conflict_but_one_may_repeat_himself():
    panel = pandas.DataFrame(
        {"topic": ["1"] * 3, "document": ["a"] * 3, "assessor": ["x", "y", "x"], "label": [0, 1, 0]}
    )
    judgments = hj.read_judgments(panel)
    assert len(judgments) == 2
    assert codes(judgments) == {"duplicate": 1}


# --- policies for labels --------------------------------------------------------------------

TWICE = "1 0 a 1\n1 0 b 2\n1 0 a 3\n1 0 c 1\n1 0 a 2\n1 0 b 2\n"


@pytest.mark.parametrize(("policy", "taken"), [("first", 1), ("last", 2), ("max", 3)])
def test_conflicting_duplicates(tmp_path, policy, taken):
    qrels = hj.read_qrels(io.StringIO(TWICE), duplicates=policy)
    assert qrels.to_dict() == {"1": {"a": taken, "b": 2, "c": 1}}
    assert codes(qrels) == {"conflict": 1, "duplicate": 1}
    assert policy in next(n.text for n in qrels.notes if n.code == "conflict")
    assert qrels.policies["duplicates"] == policy
    parts = [write(tmp_path, str(i), line) for i, line in enumerate(TWICE.splitlines())]
    assert hj.read_qrels(parts, duplicates=policy).to_dict() == qrels.to_dict()


@pytest.mark.parametrize(("policy", "taken"), [("first", 1), ("last", 0), ("max", 1)])
def test_conflicting_duplicates_of_an_assessor(policy, taken):
    text = "1 x a 1\n1 y a 0\n1 x a 0\n"
    judgments = hj.read_judgments(io.StringIO(text), duplicates=policy, assessor_column="iteration")
    assert judgments.by("x").to_dict() == {"1": {"a": taken}}
    assert judgments.by("y").to_dict() == {"1": {"a": 0}}


def test_identical_duplicates_are_dropped_and_told():
    qrels = hj.read_qrels(io.StringIO("1 0 a 1\n1 7 a 1.0\n1 0 b 0\n1 0 a 1\n"))
    assert qrels.to_dict() == {"1": {"a": 1, "b": 0}}
    assert codes(qrels) == {"duplicate": 2}


SCALE = {"1": {"a": -1, "b": 0, "c": 3, "d": 7, "e": 9}}


@pytest.mark.parametrize(
    ("grades", "outside", "kept", "told"),
    [
        (range(4), "clip", {"a": -1, "b": 0, "c": 3, "d": 3, "e": 3}, 2),
        (range(4), "missing", {"a": -1, "b": 0, "c": 3}, 2),
        ([1, 2], "clip", {"a": -1, "b": 1, "c": 2, "d": 2, "e": 2}, 4),
        ([0, 2, 8], "clip", {"a": -1, "b": 0, "c": 2, "d": 2, "e": 8}, 3),
        (range(10), "error", {"a": -1, "b": 0, "c": 3, "d": 7, "e": 9}, 0),
    ],
)
def test_a_declared_scale(grades, outside, kept, told):
    qrels = hj.read_qrels(SCALE, grades=grades, outside=outside)
    assert qrels.to_dict() == {"1": kept}
    assert qrels.grades == tuple(grades)
    assert codes(qrels).get("outside", 0) == told
    judgments = hj.read_judgments({"x": SCALE, "y": SCALE}, grades=grades, outside=outside)
    assert judgments.by("y").to_dict() == {"1": kept}
    assert codes(judgments).get("outside", 0) == 2 * told


def test_the_scale_is_that_of_the_whole_input():
    assert hj.read_qrels({"1": {"a": 0}, "2": {"a": 3}}).grades == (0, 1, 2, 3)
    assert hj.read_qrels({"1": {"a": 0}}).grades == (0, 1)
    assert hj.read_qrels({"1": {"a": -2}}).grades == (0, 1)
    panel = hj.read_judgments({"x": {"1": {"a": 1}}, "y": {"1": {"a": 2}}})
    assert panel.by("x").max_grade == 2
    assert hj.read_qrels({"1": {"a": 1}}, grades=range(5)).max_grade == 4


def test_soft_labels_stay_soft(tmp_path):
    soft = {"1": {"a": 0.25, "b": 1.0, "c": 0.0}, "2": {"a": 1.0}}
    path = write(tmp_path, "soft.qrels", joined(qrels_rows(soft)))
    for source in (soft, path):
        qrels = hj.read_qrels(source)
        assert qrels.soft
        assert qrels.labels is None
        assert qrels.to_dict() == soft
        assert qrels.grades == (0, 1)
    assert not hj.read_qrels({"1": {"a": 1.0, "b": 0.0}}).soft
    panel = hj.read_judgments({"x": soft, "y": {"1": {"a": 1.0}}})
    assert panel.soft
    assert panel.by("y").soft
    assert panel.by("x").to_dict() == soft
    qrels = hj.read_qrels(path)
    qrels.write(tmp_path / "again.qrels")
    assert hj.read_qrels(tmp_path / "again.qrels").to_dict() == soft


def test_negative_labels_are_pooled_but_not_judged():
    labels = {"1": {"a": 2, "b": -1, "c": -2, "d": 0}}
    qrels = hj.read_qrels(labels)
    assert qrels.to_dict() == labels
    assert qrels.grades == (0, 1, 2)
    run = {"1": {"b": 4.0, "c": 3.0, "d": 2.0, "a": 1.0}}
    scores = hj.evaluate(qrels, run, ["Judged@4", "P@4", "NumRel", "NumNonrelJudgedRet"])
    assert scores.values.ravel().tolist() == [0.5, 0.25, 1.0, 1.0]


@pytest.mark.parametrize("label", ["-32768", "-32769", "-40000", "-65535", "-1e300"])
def test_a_huge_negative_label_does_not_become_a_grade(label, recwarn):
    try:
        found = hj.read_qrels(io.StringIO(f"1 0 a {label}\n1 0 b 1\n")).to_dict()["1"]["a"]
    except hj.HungjuryError:
        found = -1
    assert -32768 < found < 0  # -32768 marks what nobody judged
    assert not recwarn.list


# --- what is told ---------------------------------------------------------------------------


def told(qrels, runs, **policy):
    """Notes by code of the streamed and of the remembered runs, which have to agree."""
    aligned = align(hj.read_runs(runs, **policy), qrels.pool)
    streamed = align(RunFiles(sources.expand(runs), RunPolicy(**policy)), qrels.pool)
    assert sorted(map(str, aligned.notes)) == sorted(map(str, streamed.notes))
    return {note.code: note for note in streamed.notes}


def test_nothing_odd_is_told_of_clean_input(tmp_path):
    paths = [write(tmp_path, n, joined(run_rows(lists, n))) for n, lists in RUNS.items()]
    assert told(hj.read_qrels(QRELS), paths) == {}
    assert hj.evaluate(QRELS, paths, "AP").notes == ()


def test_topics_without_relevant_documents_are_told():
    qrels = hj.read_qrels({"1": {"a": 0, "b": -1}, "2": {"a": 1}, "x": {"a": 0}})
    assert codes(qrels) == {"nothing-relevant": 2}
    assert "1, x" in str(qrels.notes[0])
    assert "nothing-relevant" in codes(hj.evaluate(qrels, {"2": {"a": 1.0}}, "AP"))


def test_topics_missing_from_a_run_are_told(tmp_path):
    path = write(tmp_path, "x.run", "2 Q0 NA 1 1 sys\n")
    note = told(hj.read_qrels(QRELS), [path])["missing-topic"]
    assert (note.count, note.where) == (2, "sys")
    assert "10" in note.text
    assert "q-1" in note.text


def test_many_missing_topics_are_counted_rightly(tmp_path):
    path = write(tmp_path, "x.run", "1 Q0 a 1 1 sys\n")
    qrels = hj.read_qrels({str(i): {"a": 1} for i in range(1, 21)})
    note = told(qrels, [path])["missing-topic"]
    assert note.count == 19
    assert "19 judged topics" in note.text
    assert "1 more" not in note.text


def test_tied_scores_are_told(tmp_path):
    tied = "1 Q0 a 1 5 s\n1 Q0 b 2 5.0 s\n2 Q0 a 1 1 s\n"
    qrels = hj.read_qrels({"1": {"a": 1}, "2": {"a": 1}})
    path = write(tmp_path, "x.run", tied)
    assert told(qrels, [path])["ties"].count == 1
    assert told(qrels, [path])["ties"].text == "1 list holds documents with equal scores"
    near = write(tmp_path, "y.run", tied.replace("5.0", "5.000000001"))
    assert "ties" not in told(qrels, [near])
    assert told(qrels, [near], score_precision="single")["ties"].count == 1
    both = write(tmp_path, "z.run", tied + "2 Q0 b 2 1 s\n")
    assert told(qrels, [both])["ties"].text == "2 lists hold documents with equal scores"


def test_ranks_that_contradict_scores_are_told(tmp_path):
    qrels = hj.read_qrels({"1": {"a": 1}, "2": {"a": 1}})
    path = write(tmp_path, "x.run", "1 Q0 a 1 1 s\n1 Q0 b 2 2 s\n2 Q0 a 1 2 s\n2 Q0 b 2 1 s\n")
    assert told(qrels, [path])["rank-contradicts"].count == 1
    assert told(qrels, [path])["rank-contradicts"].text == "1 list has ranks against the scores"
    words = write(tmp_path, "y.run", "1 Q0 a x 1 s\n1 Q0 b y 2 s\n")
    assert "rank-contradicts" not in told(qrels, [words])


def test_two_tags_in_a_file_are_told(tmp_path):
    path = write(tmp_path, "x.run", "1 Q0 a 1 2 one\n1 Q0 b 2 1 two\n1 Q0 c 3 0 one\n")
    note = told(hj.read_qrels({"1": {"a": 1}}), [path])["two-tags"]
    assert note.where == path
    assert "'one'" in note.text
    assert "'two'" in note.text
    assert hj.read_runs(path).systems == ["one"]
    assert codes(hj.read_runs(path)) == {"two-tags": 1}


@pytest.mark.parametrize(
    "text",
    [
        "x Q0 a 1 1 s\ny Q0 a 1 1 s\n1 Q0 a 1 1 s\n",
        "x Q0 a 1 1 s\n1 Q0 a 1 1 s\ny Q0 a 1 1 s\n",
        "x Q0 a 1 1 s\ny Q0 a 1 1 s\nx Q0 b 2 0 s\ny Q0 b 2 0 s\n1 Q0 a 1 1 s\n",
    ],
)
def test_unjudged_topics_are_told(tmp_path, text):
    path = write(tmp_path, "x.run", text)
    assert told(hj.read_qrels({"1": {"a": 1}}), [path])["unjudged-topic"].count == 2


def test_a_document_twice_on_an_unjudged_topic_is_treated_alike(tmp_path):
    """Whether runs are read first or while they are scored makes no difference."""
    path = write(tmp_path, "x.run", "1 Q0 a 1 1 s\nx Q0 a 1 1 s\nx Q0 a 2 0 s\n")
    outcomes = []
    for runs in (lambda: path, lambda: hj.read_runs(path)):
        try:
            outcomes.append(hj.evaluate({"1": {"a": 1}}, runs(), "AP").values.tolist())
        except hj.HungjuryError as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]


def test_scores_carry_what_was_told_of_labels_and_runs(tmp_path):
    qrels = write(tmp_path, "q", "1 0 a 1\n1 0 a 1\n2 0 a 0\n3 0 a 9\n")
    run = write(
        tmp_path, "r", "1 Q0 a 2 5 s\n1 Q0 b 1 4 t\n3 Q0 a 1 1 s\n3 Q0 b 2 1 s\n9 Q0 a 1 1 s\n"
    )
    labels = hj.read_qrels(qrels, grades=range(3), outside="clip")
    for runs in (run, hj.read_runs(run)):
        assert codes(hj.evaluate(labels, runs, "AP")) == {
            "duplicate": 1, "nothing-relevant": 1, "outside": 1, "missing-topic": 1, "ties": 1,
            "rank-contradicts": 1, "two-tags": 1, "unjudged-topic": 1,
        }  # fmt: skip


# --- names of systems -----------------------------------------------------------------------


def test_systems_may_be_named_after_their_files(tmp_path):
    text = joined(run_rows(RUNS["alpha"], "same"))
    paths = [write(tmp_path, name, text) for name in ("one.run", "two.res.gz")]
    assert hj.read_runs(paths, names="stem").systems == ["one", "two"]
    columns = {**score_columns(SCORE_COLUMNS["ours"], RUNS["alpha"])}
    columns["tag"] = ["same"] * len(columns["score"])
    tables = [write(tmp_path, name, TABLES["CSV"](columns)) for name in ("a.csv", "b.csv")]
    assert hj.read_runs(tables, names="stem").systems == ["a", "b"]


def test_topics_are_in_natural_order():
    topics = ["10", "9", "a10", "a9", "b", "101"]
    assert hj.read_qrels({t: {"d": 1} for t in topics}).topics == [
        "9",
        "10",
        "101",
        "a9",
        "a10",
        "b",
    ]


def test_a_topic_of_thousands_of_digits_is_a_topic():
    assert len(hj.read_qrels({"1" * 5000: {"d": 1}, "2": {"d": 1}}).topics) == 2


def test_a_document_twice_is_found_wherever_it_stands():
    for size in (2, 3, 17, 64, 65, 300):
        for second in range(1, size, max(size // 30, 1)):
            ids = [f"d{i}" for i in range(size)]
            ids[second] = ids[second // 2]
            store = native.RunStore()
            store.feed("".join(f"1 Q0 {d} 1 1 s\n" for d in ids).encode())
            with pytest.raises(native.BadLine) as caught:
                store.finish()
            assert caught.value.args[0] == second + 1
