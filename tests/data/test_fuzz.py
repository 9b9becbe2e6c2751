"""The readers under random bytes and hostile tables: a result or an error of ours.

Everything is seeded, so that a failure can be seen again.
"""

import csv
import gzip
import io
import json
import math
import random
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hungjury as hj
from builders.examples import examples, share_of
from hungjury import native
from hungjury.base.errors import HungjuryError, InputError
from hungjury.data.reading import sources

QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 0, "d": 1}, "t3": {"a": 1}}
RUN = {"1": {"a": 2.0, "x": 1.0}, "2": {"d": 1.0, "b": 0.5}, "t3": {"a": 3.0}}
MEASURES = ["AP", "nDCG@3", "Judged@2", "NumRet"]


# --- a plain parser, written from the rules -------------------------------------------------

INTEGER = re.compile(rb"[+-]?[0-9]+")
NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def number_of(token):
    """A finite decimal number, or None."""
    value = float(token) if NUMBER.fullmatch(token) else math.nan
    return value if math.isfinite(value) else None


def text_of(token):
    return token.decode("utf-8", "surrogateescape")


def is_text(token):
    try:
        token.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def columns_of(data):
    """(line number, columns) of every line that is neither blank nor a comment; no columns where
    a carriage return is anywhere but at the end of a line."""
    for number, line in enumerate(data.split(b"\n"), 1):
        line = line.removesuffix(b"\r")
        columns = [c for c in re.split(rb"[ \t\v\f]", line) if c]
        if b"\r" in line:
            yield number, []
        elif columns and not line.startswith(b"#"):
            yield number, columns


def plain_labels(data):
    """Rows (topic, iteration, document, label, line), or the number of the first bad line."""
    rows = []
    for number, columns in columns_of(data):
        if len(columns) != 4 or not (is_text(columns[0]) and is_text(columns[2])):
            return number
        label = number_of(columns[3])
        word = None if label is not None else text_of(columns[3])
        rows.append((*map(text_of, columns[:3]), word if label is None else label, number))
    return rows


def plain_run(data):
    """Rows (topic, document, score, tag, line), or the number of the first bad line."""
    rows = []
    for number, columns in columns_of(data):
        score = number_of(columns[4]) if len(columns) >= 6 else None
        if score is None or not INTEGER.fullmatch(columns[3]):
            return number
        if len(columns) > 6 and len(columns[5]) == 3 and columns[5].isdigit():
            return number  # a score such as 3 000
        if columns[0].startswith(b"\xef\xbb\xbf") or columns[5].startswith(b"\xef\xbb\xbf"):
            return number
        try:
            topic, tag = columns[0].decode(), columns[5].decode()
        except UnicodeDecodeError:
            return number
        rows.append((topic, text_of(columns[2]), score, tag, number))
    return rows


# --- random text ----------------------------------------------------------------------------

BLANKS = [b" ", b"\t", b"  ", b" \t ", b"\v", b"\f", b" " * 17, b"\t" * 70]
# What is no blank to us, though other tools think so, and bytes that vector code may get wrong.
ODD = [b"\x00", b"\x08", b"\x0e", b"\x1c", b"\x1f", b"\x7f", b"\x80", b"\x85", b"\xa0", b"\xff",
       b"\xc2\xa0", b"\xe2\x80\xa8", "é".encode(), b"#", b"#x", b'"', b",", b"{",
       b"NA"]  # fmt: skip
NUMBERS = [b"0", b"1", b"2", b"-1", b"0.5", b"3.25", b"1e3", b"+7", b".5", b"1.", b"-0", b"1E-5",
           b"12345678901234567890", b"0.30000000000000004", b"1e-400", b"00012"]  # fmt: skip
WRONG = [b"nan", b"inf", b"-inf", b"1e999", "１".encode(), b"0x1", b"1_0", b"--1", b"1e", b"1e+",
         b".", b"-", b"1,5", b"1.2.3", b"e5", b"\xd9\xa3", b"1\x00", b"0x1p3", b"1f",
         b"infinity"]  # fmt: skip


def token(rng):
    kind = rng.random()
    if kind < 0.5:
        return rng.choice([b"a", b"b", b"c", b"d", b"x1", b"doc-22"])
    if kind < 0.7:
        return b"%d" % rng.randrange(10 ** rng.randint(1, 12))
    if kind < 0.85:
        return rng.choice(ODD) + b"z" * rng.randrange(3)
    return b"k" * rng.choice([7, 8, 9, 15, 16, 17, 31, 33, 62, 63, 64, 65, 127, 128, 129, 300])


INTEGERS = [b"0", b"1", b"7", b"-1", b"+3", b"007", b"123456789", b"99999999999999999999"]
NO_INTEGERS = [b"1.0", b"1e3", b"-", b"+", b"x", b"0x1", b"1-", "１".encode()]


def line(rng, columns, number_at, wrong):
    """A line of so many columns; now and then blank, a comment or (if `wrong`) a bad one."""
    kind = rng.random()
    if kind < 0.04:
        return rng.choice([b"", b" ", b"\t\r", b"#", b"# 1 0 a", b"#1 0 a 1 2 3", b"\v"])
    if wrong and kind < 0.06:
        columns += rng.choice([-3, -1, 1, 2])
    row = [token(rng) for _ in range(columns)]
    row[0] = rng.choice([b"1", b"2", b"t3", b"t3", row[0]])
    if number_at < columns:
        usual = rng.choice(NUMBERS) if rng.random() < 0.5 else repr(rng.gauss(0, 99)).encode()
        row[number_at] = rng.choice(WRONG) if wrong and rng.random() < 0.02 else usual
    if number_at == 4 and columns > 3:
        bad = wrong and rng.random() < 0.02
        row[3] = rng.choice(NO_INTEGERS) if bad else rng.choice(INTEGERS)
    if row[0].startswith(b"#") and rng.random() < 0.5:
        row[0] = b" " + row[0]  # a blank before it, and # is no comment
    parts = [rng.choice(BLANKS) if rng.random() < 0.3 else b" " for _ in row]
    text = b"".join(c + gap for c, gap in zip(row, parts, strict=True))
    if wrong and rng.random() < 0.01:
        at = rng.randrange(len(text))
        text = text[:at] + b"\r" + text[at:]
    return text if rng.random() < 0.1 else text.rstrip(b" \t\r\v\f")


def document(rng, columns, number_at, wrong):
    lines = [line(rng, columns, number_at, wrong) for _ in range(rng.randint(1, 30))]
    return rng.choice([b"\n", b"\n", b"\r\n"]).join(lines) + rng.choice([b"", b"\n", b"\n\n"])


def pieces(rng, data):
    """The same bytes, cut at random."""
    if rng.random() < 0.3:
        return [data]
    most = rng.choice([1, 3, 16, 64, 200])
    out, at = [], 0
    while at < len(data):
        size = rng.randint(1, most)
        out.append(data[at : at + size])
        at += size
    return out


def fed(parser, parts):
    """None after a good parse, or the number of the bad line."""
    try:
        for part in parts:
            parser.feed(part)
        parser.finish()
    except native.BadLine as error:
        return error.args[0]
    return None


@pytest.mark.parametrize("wrong", [False, True], ids=["valid", "half valid"])
def test_labels_are_what_a_plain_parser_reads(wrong):
    rng = random.Random(11 + wrong)
    good = 0
    for _ in range(share_of(360)):
        data = document(rng, 4, 3, wrong)
        expected = plain_labels(data)
        table = native.LabelTable()
        bad = fed(table, pieces(rng, data))
        if isinstance(expected, int):
            assert bad == expected, data
            continue
        assert bad is None, data
        columns = table.take_columns()
        topics, iterations, documents = table.topics, table.iterations, table.documents
        words = dict(table.words)
        rows = [
            (
                topics[columns["pair_topic"][pair]], iterations[i], documents[pair],
                words.get(row, label), number,
            )
            for row, (pair, i, label, number) in enumerate(
                zip(*(columns[c].tolist() for c in ("pair", "iteration", "label", "line")),
                    strict=True)
            )
        ]  # fmt: skip
        assert rows == expected, data
        good += 1
    assert good > share_of(360) / 5


@pytest.mark.parametrize("wrong", [False, True], ids=["valid", "half valid"])
def test_runs_are_what_a_plain_parser_reads(wrong):
    rng = random.Random(21 + wrong)
    good = 0
    for _ in range(share_of(360)):
        data = document(rng, 6, 4, wrong)
        expected = plain_run(data)
        store = native.RunStore()
        bad = fed(store, pieces(rng, data))
        if isinstance(expected, int):
            assert bad == expected, data
            continue
        lists, again = {}, set()
        for topic, name, score, _, number in expected:
            if name in lists.setdefault(topic, {}):
                again.add(number)
            lists[topic][name] = score
        if again:
            assert bad in again, data
            continue
        assert bad is None, data
        read = {t: dict(zip(*store.ranked(t, "input", False), strict=True)) for t in store.topics}
        assert read == lists, data
        assert [list(docs) for docs in read.values()] == [list(docs) for docs in lists.values()]
        assert store.tags[0] == (expected[0][3] if expected else "")
        good += 1
    assert good > share_of(360) / 5


def test_numbers_are_what_python_reads():
    rng = random.Random(31)
    texts = [*NUMBERS, *WRONG]
    for _ in range(share_of(1200)):
        digits = "".join(rng.choice("0123456789") for _ in range(rng.randint(1, 25)))
        at = rng.randint(0, len(digits))
        power = rng.choice(["", "", f"e{rng.randint(-330, 330)}", f"E+{rng.randint(0, 25)}"])
        texts.append(
            (rng.choice(["", "-", "+"]) + digits[:at] + "." + digits[at:] + power).encode()
        )
        texts.append(bytes(rng.choice(b"0123456789+-.eExX_n ") for _ in range(rng.randint(1, 6))))
        texts.append(repr(rng.uniform(-1, 1) * 10 ** rng.randint(-308, 308)).encode())
    for text in texts:
        store = native.RunStore()
        bad = fed(store, [b"1 Q0 a 1 " + text + b" tag"])
        expected = plain_run(b"1 Q0 a 1 " + text + b" tag")
        if isinstance(expected, int):
            assert bad == 1, text
        elif expected:
            assert store.ranked(expected[0][0], "input", False)[1] == [expected[0][2]], text


# --- anything at all: a result or an error of ours ------------------------------------------

LABELS = b"".join(b"%d 0 d%d %d\n" % (t, d, (t * d) % 4) for t in range(1, 5) for d in range(8))
LISTS = b"".join(
    b"%d Q0 d%d %d %.3f tag\n" % (t, d * 3 % 10, d + 1, 9 - d / 7) for t in range(1, 5)
    for d in range(9)
)  # fmt: skip
CSV = b"qid,docno,label,score,worker\n" + b"".join(
    b'%d,"d,%d",%d,%.2f,w%d\n' % (t, d, d % 3, d / 3, d % 2) for t in range(1, 4) for d in range(5)
)
TSV = b"query-id\tcorpus-id\tscore\n" + b"".join(
    b'%d\td"%d\t%d\n' % (t, t, t % 2) for t in range(9)
)
JSONL = b"".join(
    b'{"qid": "%d", "docno": "d%d", "label": %d, "score": 0.%d}\n' % (t % 3, t, t % 2, t)
    for t in range(12)
)
SEEDS = {
    "labels": LABELS,
    "CRLF labels": b"\xef\xbb\xbf# c\r\n" + LABELS.replace(b"\n", b"\r\n"),
    "runs": LISTS,
    "gz": gzip.compress(LISTS, mtime=0),
    "CSV": CSV,
    "TSV": TSV,
    "JSON lines": JSONL,
}


def mutated(rng, data):
    """A few flips, insertions, deletions and repeated slices."""
    out = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 4, 8])):
        at = rng.randrange(len(out) + 1)
        size = rng.choice([1, 1, 2, 5, 20])
        kind = rng.randrange(5)
        if kind == 0 and at < len(out):
            out[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            out[at:at] = bytes(rng.choice(b" \t\n\r#,\"'{}[]-+.e0123\x00\xff") for _ in range(size))
        elif kind == 2:
            del out[at : at + size]
        elif kind == 3:
            source = rng.randrange(len(out) + 1)
            out[at:at] = out[source : source + 10 * size]
        else:
            out[at:at] = rng.randbytes(size)
    return bytes(out)


def outcome(call, allowed):
    """What a call gave: a result, or the text of an error of the family, with its remedy."""
    try:
        return call()
    except allowed as error:
        found = error
    assert found.remedy, found
    return str(found)


def check(data):
    """Read bytes as everything that they might be."""
    qrels = outcome(lambda: hj.read_qrels(io.BytesIO(data)), InputError)
    if not isinstance(qrels, str) and not qrels.soft:
        assert qrels.labels.max() <= qrels.max_grade
        assert len(qrels.labels) == len(qrels.pool.documents) == qrels.pool.offsets[-1]
    outcome(
        lambda: hj.read_qrels(io.BytesIO(data), duplicates="max", grades=range(3), outside="clip"),
        InputError,
    )
    by = {"judge_column": "iteration"}
    outcome(lambda: hj.read_judgments(io.BytesIO(data), duplicates="first", **by), InputError)
    runs = outcome(lambda: hj.read_runs(io.BytesIO(data)), InputError)
    if not isinstance(runs, str):
        assert all(runs.ranked(s, t) for s in runs.systems for t in runs.stores[0].topics[:1])
    outcome(lambda: hj.evaluate(io.BytesIO(data), RUN, MEASURES), HungjuryError)
    scores = outcome(lambda: hj.evaluate(QRELS, io.BytesIO(data), MEASURES), HungjuryError)
    if not isinstance(scores, str):
        assert not np.isnan(scores.values).any()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", SEEDS)
def test_mutated_files(kind, monkeypatch):
    rng = random.Random(kind)
    for _ in range(share_of(50)):
        monkeypatch.setattr(sources, "CHUNK", rng.choice([1, 2, 7, 64, 1000, 1 << 20]))
        check(mutated(rng, SEEDS[kind]))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "start", [b"", b"\x1f\x8b", b"{", b"qid,docno,label\n", b"1 0 a ", b"PAR1"]
)
def test_random_bytes(start, monkeypatch):
    rng = random.Random(start)
    for _ in range(share_of(40)):
        monkeypatch.setattr(sources, "CHUNK", rng.choice([1, 5, 100, 1 << 20]))
        size = rng.choice([0, 1, 2, 10, 100, 3000])
        few = bytes(rng.choice(b'01ad \t\n#\r\x00\xff.,"') for _ in range(size))
        check(start + (few if rng.random() < 0.6 else rng.randbytes(size)))


@pytest.mark.filterwarnings("error")
def test_streamed_and_remembered_runs_agree_on_anything(monkeypatch):
    """Also where only some of the topics are judged."""
    rng = random.Random(41)
    both = 0
    for _ in range(share_of(160)):
        monkeypatch.setattr(sources, "CHUNK", rng.choice([1, 3, 64, 500, 1 << 20]))
        data = document(rng, 6, 4, True) if rng.random() < 0.5 else mutated(rng, LISTS)
        rows = plain_run(data)
        topics = {row[0] for row in rows} if isinstance(rows, list) else {"1"}
        judged = [t for t in sorted(topics) if rng.random() < 0.8] or ["1"]
        qrels = hj.read_qrels({t: {"a": 1, "d1": 2, "d3": 1, "b": 0} for t in judged})

        def score(runs, qrels=qrels):
            found = hj.evaluate(qrels, runs, MEASURES)
            return found.to_dict(), sorted(map(str, found.notes))

        streamed = outcome(lambda: score(io.BytesIO(data)), InputError)  # noqa: B023
        remembered = outcome(lambda: score(hj.read_runs(io.BytesIO(data))), InputError)  # noqa: B023
        if isinstance(streamed, str):
            assert isinstance(remembered, str), data
        else:
            assert streamed == remembered, data
            both += 1
    assert both > share_of(160) / 8


# Tables nobody would write on purpose: a result or an error of ours with a remedy, never anything
# else, and what is read is finite.


NAMES = ["qid", "docno", "label", "score", "rank", "run", "worker", "iteration", "p0", "p1", "x"]
NUMERIC = ["0", "1", "2", "-1", "0.5", "1e3", "1e999", "nan", "inf", "１", "1_0", "", " 1 ", "0x1"]
TEXTS = st.one_of(
    st.sampled_from(["a", "b", "1", "2", "NA", '"', "é", "#", "all", "\x1b[0m", "=1+1", "$x_1$"]),
    st.text(max_size=6),
)
CELLS = st.one_of(st.sampled_from(NUMERIC), TEXTS)
VALUES = st.one_of(CELLS, st.integers(), st.floats(), st.none(), st.booleans(), st.just([]))


@st.composite
def tables(draw, cells):
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=6))
    rows = draw(st.lists(st.tuples(*(cells for _ in names)), max_size=5))
    return names, rows


def refused_or_finite(read, data):
    try:
        found = read(io.BytesIO(data)).to_dict()
    except HungjuryError as error:
        found, remedy = {}, error.remedy
        assert remedy
    values = [v for inner in found.values() for v in inner.values()]
    for one in values:
        assert np.isfinite(list(one.values()) if isinstance(one, dict) else one).all()


@examples(60)
@given(tables(CELLS), st.sampled_from([",", "\t"]))
def test_separated_tables(table, mark):
    names, rows = table
    text = io.StringIO()
    csv.writer(text, delimiter=mark).writerows([names, *rows])
    data = text.getvalue().encode("utf-8", "surrogatepass")
    refused_or_finite(hj.read_qrels, data)
    refused_or_finite(hj.read_runs, data)


@examples(60)
@given(tables(VALUES))
def test_json_lines(table):
    names, rows = table
    lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
    data = "\n".join(lines).encode("utf-8", "surrogatepass")
    refused_or_finite(hj.read_qrels, data)
    refused_or_finite(hj.read_runs, data)
