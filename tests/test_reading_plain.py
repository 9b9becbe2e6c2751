"""Separated tables read in native code: the same labels and errors as from the other reader."""

import random

import pytest

import hungjury as hj
from hungjury import native
from hungjury.collection.reading import LabelReader
from hungjury.errors import HungjuryError

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
        assert everything(path) == by_the_other(path), text
    assert 30 < sum(done) < 140


@pytest.mark.parametrize("odd", ['q,"d",w,1', "q,d,w,x", "q,d,w", "q,,w,1", "q,é,w,1", "q,d\0,w,1"])
def test_anything_unusual_is_left_to_the_other(odd):
    table = native.LabelTable()
    rows = f"q,c,v,1\n{odd}\n".encode()
    assert not table.add_plain(rows, ",", 4, [0, 2, 1, 3], "topic", 2)
    assert table.rows == 0
    assert table.add_plain(b"q,c,v,1\n\nq, d ,v,0.5", ",", 4, [0, 2, 1, 3], "topic", 2)
    columns = table.take_columns()
    assert columns["label"].tolist() == [1, 0.5]
    assert columns["line"].tolist() == [2, 4]
    assert table.documents == ["c", "d"]


def test_columns_that_are_not_there():
    table = native.LabelTable()
    for places in ([0, 1, 2, 4], [0, 1, -1, 3], [0, 1, 2]):
        with pytest.raises(IndexError):
            table.add_plain(b"q,c,v,1\n", ",", 4, places, "topic", 2)
