"""Lines of labels and runs however they are written, and separated tables in native code."""

import gzip
import io
import random

import numpy as np
import pytest

import hungjury as hj
from builders.reading import MEASURES, QRELS, RUNS, assert_same, joined, qrels_rows, run_rows, write
from hungjury import native
from hungjury.base.errors import HungjuryError
from hungjury.data.reading import sources
from hungjury.data.reading.label_rows import LabelReader
from hungjury.data.reading.options import LabelPolicy
from hungjury.data.reading.sources import expand


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


@pytest.fixture(params=[None, 3, 64], ids="chunk={}".format)
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


@pytest.mark.parametrize("gap", [" ", "  ", "\t "])
def test_columns_may_begin_and_end_anywhere(gap):
    """Lines are looked at in steps of 64 bytes."""
    documents = ["d" * n for n in range(1, 200)]
    labels = gap.join(["t", "0", "{}", "{}\n"])
    text = "".join(labels.format(d, len(d) % 3) for d in documents)
    assert hj.read_qrels(io.StringIO(text)).to_dict() == {"t": {d: len(d) % 3 for d in documents}}
    lines = gap.join(["t", "Q0", "{}", "1", "{}", "tag\n"])
    text = "".join(lines.format(d, len(d)) for d in documents)
    assert hj.read_runs(io.StringIO(text)).to_dict() == {
        "tag": {"t": {d: float(len(d)) for d in reversed(documents)}}
    }


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


# Separated tables read in native code: the same labels and errors as from the other reader.


USUAL = ["a", "b ", " c", "d e", "1", "007", "x|y", "NA", "#h"]
UNUSUAL = ["é", "", '"q"', "\x1f", "a\rb"]


@pytest.fixture
def by_the_other(monkeypatch):
    """Reads a file without the native reader."""

    def read(path):
        with monkeypatch.context() as patch:
            patch.setattr(LabelReader, "_plain", lambda *_: False)
            return everything(path)

    return read


def everything(path):
    try:
        found = hj.read_judgments(path)
    except HungjuryError as error:
        return str(error)
    labels = (found.document.tolist(), found.judge.tolist(), found.label.tolist())
    return (found.judges, found.topics, found.pool.documents, labels, found.grades, found.notes)


def a_table(rng):
    """Columns in any order, some lines empty, at times something unusual."""
    mark, odd = rng.choice(",;\t"), rng.random() < 0.4
    end = rng.choice(["\n", "\n", "\r\n", "\r"])
    columns = rng.sample(["topic", "document", "judge", "label", "extra"], 5)
    if rng.random() < 0.3:
        columns.remove("topic")
    lines = [mark.join(columns)]
    for row in range(rng.randint(0, 8)):
        ids = USUAL + UNUSUAL if odd and rng.random() < 0.2 else USUAL
        words = ["0", "1", "2", *(["0.5", "x", "", "nan", "+1", "1_0"] if odd else [])]
        value = {
            "topic": rng.choice(ids),
            "document": f"{rng.choice(ids)}{row}" if rng.random() < 0.9 else rng.choice(ids),
            "judge": rng.choice(["j1", "j2", "j10"]),
            "label": rng.choice(words),
            "extra": rng.choice(["", "z", "  "]),
        }
        line = mark.join(value[column] for column in columns)
        if odd and rng.random() < 0.1:
            line += mark
        lines.append(line if rng.random() < 0.9 else "")
    return end.join(lines) + rng.choice([end, ""])


@pytest.mark.parametrize("seed", range(2))
def test_both_readers_give_the_same(tmp_path, by_the_other, monkeypatch, seed):
    rng, path = random.Random(seed), tmp_path / "labels.csv"
    original = LabelReader._plain
    done = []

    def watched(self, part, mark):
        done.append(original(self, part, mark))
        return done[-1]

    monkeypatch.setattr(LabelReader, "_plain", watched)
    for _ in range(100):
        text = a_table(rng)
        path.write_bytes(text.encode())
        monkeypatch.setattr(sources, "CHUNK", rng.choice([3, 20, 1 << 18]))
        assert everything(path) == by_the_other(path), text
    assert 20 < sum(done) < 95


def plain_rows(table, text, size=1000, places=(0, 2, 1, 3)):
    """Adds rows after a header, in pieces of some size; whether all was as usual."""
    whole = b"topic,document,judge,label\n" + text
    rows = native.PlainTable(table, ",", 4, list(places), "topic")
    pieces = (whole[i : i + size] for i in range(0, len(whole), size))
    return (all(map(rows.feed, pieces)) and rows.finish()) or rows.undo()


@pytest.mark.parametrize("size", [1, 7, 1000])
@pytest.mark.parametrize(
    "odd", ['q,"d",w,1', "q,d,w,x", "q,d,w", "q,,w,1", "q,é,w,1", "q,d\0,w,1", "q,d,w,1\r\r"]
)
def test_anything_unusual_is_left_to_the_other(odd, size):
    """What was added before is taken back; rows of an earlier table stay."""
    table = native.LabelTable()
    assert not plain_rows(table, f"q,c,v,1\n{odd}\n".encode(), size)
    assert (table.rows, table.iterations) == (0, [])
    assert plain_rows(table, b"q,c,v,1\r\n\nq, d ,v,0.5", size)
    assert not plain_rows(table, f"q,e,u,1\nq,f,v,1\n{odd}\n".encode(), size)
    assert table.iterations == ["v"]
    assert plain_rows(table, b"q,c,w,2\n", size)
    columns = table.take_columns()
    assert columns["label"].tolist() == [1, 0.5, 2]
    assert columns["line"].tolist() == [2, 4, 2]
    assert columns["iteration"].tolist() == [0, 0, 1]
    assert [table.documents[pair] for pair in columns["pair"]] == ["c", "d", "c"]


@pytest.mark.parametrize("last", ["q,d,w,1\r", "q," + "d" * 100_000 + ",w,1"])
def test_an_unusual_last_line(last):
    table = native.LabelTable()
    assert not plain_rows(table, f"q,c,v,1\n{last}".encode(), 997)
    assert table.rows == 0


def test_columns_that_are_not_there():
    for places in ([0, 1, 2, 4], [0, 1, -1, 3], [0, 1, 2]):
        with pytest.raises(IndexError):
            plain_rows(native.LabelTable(), b"q,c,v,1\n", places=places)


def test_a_damaged_file_leaves_no_rows_behind(tmp_path):
    """The audit goes on with the other judges."""
    text = "topic,document,judge,label\n" + "".join(f"q,d{i},a,1\n" for i in range(100_000))
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv.gz"
    good.write_text("topic,document,judge,label\nq,d1,b,1\nq,d2,b,0\n")
    bad.write_bytes(gzip.compress(text.encode())[:-1000])
    errors = []
    reader = LabelReader(LabelPolicy(), errors.append)
    rows = reader.read(expand([str(bad), str(good)]), "column")
    assert [error.code for error in errors] == ["damaged-file"]
    assert rows.judges == ["b"]
    assert rows.label.tolist() == [1, 0]
