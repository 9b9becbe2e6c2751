"""Separated tables read in native code: the same labels and errors as from the other reader."""

import gzip
import random

import pytest

import hungjury as hj
from hungjury import native
from hungjury.base.errors import HungjuryError
from hungjury.data.reading import sources
from hungjury.data.reading.label_rows import LabelReader
from hungjury.data.reading.options import LabelPolicy
from hungjury.data.reading.sources import expand

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


@pytest.mark.parametrize("seed", range(4))
def test_both_readers_give_the_same(tmp_path, by_the_other, monkeypatch, seed):
    rng, path = random.Random(seed), tmp_path / "labels.csv"
    original = LabelReader._plain
    done = []

    def watched(self, part, mark):
        done.append(original(self, part, mark))
        return done[-1]

    monkeypatch.setattr(LabelReader, "_plain", watched)
    for _ in range(150):
        text = a_table(rng)
        path.write_bytes(text.encode())
        monkeypatch.setattr(sources, "CHUNK", rng.choice([3, 20, 1 << 18]))
        assert everything(path) == by_the_other(path), text
    assert 30 < sum(done) < 140


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
    text = "topic,document,judge,label\n" + "".join(f"q,d{i},a,1\n" for i in range(200_000))
    good, bad = tmp_path / "good.csv", tmp_path / "bad.csv.gz"
    good.write_text("topic,document,judge,label\nq,d1,b,1\nq,d2,b,0\n")
    bad.write_bytes(gzip.compress(text.encode())[:-2000])
    errors = []
    reader = LabelReader(LabelPolicy(), "column", errors.append)
    reader.read(list(expand([str(bad), str(good)])))
    rows, _ = reader.rows()
    assert [error.code for error in errors] == ["damaged-file"]
    assert rows.judges == ["b"]
    assert rows.label.tolist() == [1, 0]
