"""Bad input: an error that says what, where and what to do, and nothing else happens."""

import gc
import gzip
import io
import os
import sys
import types

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

import hungjury as hj
from hungjury.errors import HungjuryError, InputError, MeasureError, UnknownName

QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 0, "d": 1}}
RUN = {"1": {"a": 2.0, "b": 1.0}, "2": {"d": 1.0}}
GOOD_QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 0\n2 0 d 1\n"
GOOD_RUN = "1 Q0 a 1 2 good\n1 Q0 b 2 1 good\n2 Q0 d 1 1 good\n"


@pytest.fixture(autouse=True)
def nothing_else(capfd, recwarn):
    """No warning (not even of a file left open) and no output, whatever the input."""
    yield
    gc.collect(1)
    assert [str(w.message) for w in recwarn] == []
    assert capfd.readouterr() == ("", "")


def refused(call, says=(), *, error=InputError, file=None, line=None):
    """The error of a call, after a look at all its parts."""
    with pytest.raises(HungjuryError) as caught:
        call()
    found = caught.value
    assert type(found) is error, found
    assert (found.file, found.line) == (file, line), found
    assert found.remedy
    text = str(found)
    if file is not None:
        assert text.startswith(f"{file}: " if line is None else f"{file}:{line}: ")
    for words in [says] if isinstance(says, str) else says:
        assert words in text
    return found


def complaint(call, error=InputError):
    """What a call is refused with; where is not looked at."""
    with pytest.raises(error) as caught:
        call()
    assert caught.value.remedy
    return str(caught.value)


def write(folder, name, content):
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def parquet(**columns):
    out = io.BytesIO()
    how = {"compression": "none", "use_dictionary": False, "write_statistics": False}
    pyarrow.parquet.write_table(pyarrow.table(columns), out, **how)
    return out.getvalue()


PARQUET = parquet(qid=["1"], docno=["cafe"], label=[1])


# --- files of labels: what is in them, the line, the words ----------------------------------

LABEL_FILES = {
    "three columns": ("1 0 a 1\n1 0 b\n", 2, "expected 4 columns"),
    "three columns in line 1": ("1 a 1\n1 0 b 1\n", 1, "found 3"),
    "one column at the end": ("1 0 a 1\n# x\n\n1 0 b 1\nend", 5, "found 1"),
    "three columns, CRLF": ("1 0 a 1\r\n\r\n1 0 b\r\n", 3, "found 3"),
    "five columns": ("1 0 a 1\n1 0 b 1 x\n", 2, "expected 4 columns"),
    "a run": (GOOD_RUN, 1, "is this a run?"),
    "a comment behind a blank": ("1 0 a 1\n # note\n", 2, "expected 4 columns"),
    "a label that is a word": ("1 0 a 1\n1 0 b yes\n", 2, "'yes' is not a number"),
    "a label with a comma": ("1 0 a 0,5\n", 1, "'0,5' is not a number"),
    "label nan": ("1 0 a nan\n", 1, "is not a number"),
    "label inf": ("1 0 a 1\n1 0 b inf\n", 2, "is not a number"),
    "label 1e999": ("1 0 a 1\n1 0 b 1e999\n", 2, "is not a number"),
    "label 0x1": ("1 0 a 0x1\n", 1, "is not a number"),
    "label -": ("1 0 a -\n", 1, "is not a number"),
    "a very long label": ("1 0 a " + "x" * 500 + "\n", 1, "xxx...' is not a number"),
    "label 5000": ("1 0 a 1\n1 0 b 5000\n", 2, "too large for a grade"),
    "label -40000": ("1 0 a 1\n1 0 b -40000\n", 2, "too small for a grade"),
    "label 1e300": ("1 0 a 1\n1 0 b 1e300\n", 2, "too large for a grade"),
    "1.5 beside 3": ("1 0 a 1.5\n1 0 b 0.5\n1 0 c 3\n", 1, "1.5"),
    "3 beside 0.5": ("1 0 a 1\n1 0 b 3\n1 0 c 0.5\n", 2, ("label 3", "0.5", "scale labels")),
    "-1 beside 0.5": ("1 0 a 0.5\n1 0 b -1\n", 2, "label -1"),
    "conflict": ("1 0 a 1\n1 0 b 0\n1 9 a 0\n", 3, ("'a'", "topic '1'", "0 here and 1 in line 1")),
    "conflict far away": ("1 0 a 1\n2 0 a 0\n\n#\n1 0 a 2\n", 5, "2 here and 1 in line 1"),
    "no label, only comments": ("# nothing\n#\n", None, "no label"),
    "no label, only blank lines": ("\n \n\t\r\n", None, "no label"),
    "only a byte-order mark": (b"\xef\xbb\xbf", None, ""),
    "empty": ("", None, "empty"),
    "a document id that is not UTF-8": (b"1 0 a 1\n1 0 caf\xe9 1\n", 2, "not UTF-8"),
    "a topic id that is not UTF-8": (b"1 0 a 1\ncaf\xe9 0 a 1\n", 2, "not UTF-8"),
    "UTF-16": ("1 0 a 1\n".encode("utf-16"), None, ("UTF-16", "save the file as UTF-8")),
    "UTF-16, the other way round": ("\ufeff1 0 a 1\n".encode("utf-16-be"), None, "UTF-16"),
    "old Mac line ends": ("1 0 a 1\r1 0 b 1\r", 1, "carriage return"),
    "a return in a line": ("1 0 a 1\n1 0 b\r 1\n", 2, "carriage return"),
    "a return in a comment": ("1 0 a 1\n# b\r1 0 b 1\n", 2, "carriage return"),
    "semicolons": ("1;0;a;1\n", 1, ("expected 4 columns", "header")),
    "CSV without a header": ("1,0,a,1\n", 1, ("expected 4 columns", "header")),
    # tables
    "CSV without the label": ("qid,docno\n1,a\n", None, ("no column for the label", "relevance")),
    "CSV without the document": ("qid,label\n1,1\n", None, "no column for the document"),
    "CSV with only a header": ("qid,docno,label\n", None, "no label"),
    "CSV row too short": ("qid,docno,label\n1,a,1\n1,b\n", 3, "expected 3 columns"),
    "CSV with a column twice": ("qid,docno,label,label\n1,a,1,1\n", 1, "called 'label'"),
    "CSV with a cell too long": ("qid,docno," + "x" * 200000 + "\n", 1, "larger than field limit"),
    "CSV row too long": ("qid,docno,label\n1,a,b,1\n", 2, "expected 3 columns"),
    "CSV label a word": ("qid,docno,label\n1,a,1\n1,b,x\n", 3, "'x' is not a number"),
    "CSV label missing": ("qid,docno,label\n1,a,\n", 2, "the label is missing"),
    "CSV label nan": ("qid,docno,label\n1,a,nan\n", 2, "not a number"),
    "CSV label 1_0": ("qid,docno,label\n1,a,1_0\n", 2, "not a number"),
    "CSV label behind blank lines": ("qid,docno,label\n\n1,a,1\n\n\n1,b,x\n", 6, "'x'"),
    "CSV label behind a long cell": ('qid,docno,label\n1,"a\nb",1\n1,b,x\n', 4, "'x'"),
    "CSV id missing": ("qid,docno,label\n1,a,1\n1,,0\n", 3, "docno is missing"),
    "CSV topic missing": ("qid,docno,label\n,a,1\n", 2, "qid is missing"),
    "CSV conflict": ("qid,docno,label\n1,a,1\n1,a,0\n", 3, "0 here and 1 in line 2"),
    "CSV open quote": ('qid,docno,label\n1,"a,1\n1,b,1\n', 3, ""),
    "CSV not UTF-8": (b"qid,docno,label\n1,a,1\n1,caf\xe9,1\n", 3, "not UTF-8"),
    "TSV row too short": ("query-id\tcorpus-id\tscore\n1\ta\t1\n1\tb\n", 3, "expected 3 columns"),
    "TSV label a word": ("query-id\tcorpus-id\tscore\n1\ta\tx\n", 2, "'x'"),
    "JSONL broken": ('{"qid": "1", "docno": "a", "label": 1}\n{"qid": "1", \n', 2, "not JSON"),
    "JSONL other keys": (
        '{"qid": "1", "docno": "a", "label": 1}\n\n{"qid": "1", "docno": "b"}\n',
        3, "the label is missing"),
    "JSONL a list": ('{"qid": "1", "docno": "a", "label": 1}\n[1, 2]\n', 2, "object"),
    "JSONL null id": ('{"qid": null, "docno": "a", "label": 1}\n', 1, "qid is missing"),
    "JSONL null label": ('{"qid": "1", "docno": "a", "label": null}\n', 1, "the label is missing"),
    "JSONL NaN": ('{"qid": "1", "docno": "a", "label": NaN}\n', 1, "the label is missing"),
    "JSONL word": ('{"qid": "1", "docno": "a", "label": 1}\n'
                   '\n{"qid": "1", "docno": "b", "label": "x"}\n', 3, "not a number"),
    "JSONL no label": ('{"qid": "1", "docno": "a"}\n', None, "no column for the label"),
    "JSONL 400 digits": ('{"qid": "1", "docno": "a", "label": 1%s}\n' % ("0" * 400), 1, ""),
    "JSONL 5000 digits": ('{"qid": "1", "docno": "a", "label": 1%s}\n' % ("0" * 5000), 1, ""),
    "JSONL half a surrogate pair": (
        '{"qid": "1", "docno": "\\ud800", "label": 1}\n', 1, "not UTF-8"),
    "JSONL too deep": ('{"qid": ' + "[" * 99999, 1, ""),
    "Parquet magic only": (b"PAR1 and nothing like it", None, "not a readable Parquet file"),
    "Parquet cut": (PARQUET[:-20], None, "Parquet"),
    "Parquet with a broken end": (PARQUET[:-68] + b"\xff" * 60 + PARQUET[-8:], None, "Parquet"),
    "Parquet not UTF-8": (PARQUET.replace(b"cafe", b"caf\xe9"), None, ""),
    "Parquet without labels": (parquet(qid=["1"], docno=["a"]), None, "no column for the label"),
    "Parquet null": (parquet(qid=["1", None], docno=["a", "b"], label=[1, 1]), 2, "missing"),
}  # fmt: skip


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gz"])
@pytest.mark.parametrize("case", LABEL_FILES)
def test_bad_files_of_labels(tmp_path, case, packed):
    content, line, says = LABEL_FILES[case]
    content = content.encode() if isinstance(content, str) else content
    path = write(tmp_path, "bad", gzip.compress(content) if packed else content)
    refused(lambda: hj.read_qrels(path), says, file=path, line=line)


@pytest.mark.parametrize("case", LABEL_FILES)
def test_bad_labels_reach_everyone_who_reads_labels(tmp_path, case):
    content, line, says = LABEL_FILES[case]
    path, good = write(tmp_path, "bad", content), write(tmp_path, "good", "8 0 a 1\n")
    where = {"file": path, "line": line}
    refused(lambda: hj.evaluate(path, RUN, "AP"), says, **where)
    if "beside" not in case:  # different scales, see test_reading_scales.py
        refused(lambda: hj.read_judgments([path, good]), says, **where)


# --- files of runs --------------------------------------------------------------------------

RUN_FILES = {
    "five columns": ("1 Q0 a 1 2\n", 1, "expected 6 columns"),
    "five columns in line 3": ("1 Q0 a 1 2 t\n\n1 Q0 b 2 1\n", 3, "found 5"),
    "one column at the end": (GOOD_RUN + "end", 4, "found 1"),
    "labels": (GOOD_QRELS, 1, "expected 6 columns"),
    "score nan": ("1 Q0 a 1 nan t\n", 1, "'nan' is not a finite number"),
    "score NaN": ("1 Q0 a 1 2 t\n1 Q0 b 1 NaN t\n", 2, "not a finite number"),
    "score inf": ("1 Q0 a 1 inf t\n", 1, "not a finite number"),
    "score -inf": ("1 Q0 a 1 -inf t\n", 1, "not a finite number"),
    "score abc": ("1 Q0 a 1 abc t\n", 1, "'abc' is not a finite number"),
    "score 1e999": ("1 Q0 a 1 1e999 t\n", 1, "not a finite number"),
    "score -1e999": ("1 Q0 a 1 -1e999 t\n", 1, "not a finite number"),
    "score 0x1p3": ("1 Q0 a 1 0x1p3 t\n", 1, "not a finite number"),
    "score 1_000": ("1 Q0 a 1 1_000 t\n", 1, "not a finite number"),
    "score 1,5": ("1 Q0 a 1 1,5 t\n", 1, "not a finite number"),
    "score 1e": ("1 Q0 a 1 1e t\n", 1, "not a finite number"),
    "score 1e+": ("1 Q0 a 1 1e+ t\n", 1, "not a finite number"),
    "score e5": ("1 Q0 a 1 e5 t\n", 1, "not a finite number"),
    "score .": ("1 Q0 a 1 . t\n", 1, "not a finite number"),
    "score --1": ("1 Q0 a 1 --1 t\n", 1, "not a finite number"),
    "score 1.2.3": ("1 Q0 a 1 1.2.3 t\n", 1, "not a finite number"),
    "score 1f": ("1 Q0 a 1 1f t\n", 1, "not a finite number"),
    "score in full-width digits": ("1 Q0 a 1 １ t\n", 1, "not a finite number"),
    "a blank in an id": ("1 Q0 a 1 2 t\n1 Q0 my doc 2 1 t\n", 2, "the rank 'doc' is not an int"),
    "a fractional rank": ("1 Q0 a 1.0 2 t\n", 1, "the rank '1.0' is not an integer"),
    "a rank in full-width digits": ("1 Q0 a １ 2 t\n", 1, "is not an integer"),
    "no rank": ("1 Q0 a - 2 t\n", 1, "the rank '-' is not an integer"),
    "lines that end with returns": ("1 Q0 a 1 2 t\r1 Q0 b 2 1 t\r", 1, "carriage return"),
    "a return in a line": ("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\r1 Q0 c 3 0 t\n", 2, "carriage return"),
    "two returns": ("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\r\r\n", 2, "carriage return"),
    "CSV score in full-width digits": ("qid,docno,score\n1,a,１\n", 2, "not a finite number"),
    "CSV score in Arabic digits": ("qid,docno,score\n1,a,\u0663\n", 2, "not a finite number"),
    "CSV with a fractional rank": ("qid,docno,score,rank\n1,a,1,1.5\n", 2, "not an integer"),
    "JSONL with a fractional rank": (
        '{"qid": 1, "docno": "a", "score": 1, "rank": 1.5}\n', 1, "not an integer"),
    "JSONL score in full-width digits": (
        '{"qid": 1, "docno": "a", "score": "１"}\n', 1, "not a finite number"),
    "JSONL key twice": ('{"qid": 1, "docno": "a", "score": 1, "score": 2}\n', 1, "'score'"),
    "score left out": ("1 Q0 a 1  t\n", 1, "found 5"),
    "a document twice": ("1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n1 Q0 a 3 1 t\n", 3, ("'a'", "topic '1'")),
    "a document twice at once": ("1 Q0 a 1 3 t\n1 Q0 a 2 3 t\n", 2, "twice"),
    "a document twice, topics mixed": (
        "1 Q0 a 1 3 t\n2 Q0 a 1 3 t\n1 Q0 b 2 2 t\n2 Q0 d 2 2 t\n1 Q0 a 3 1 t\n", 5, "twice"),
    "a document twice in the last list": (GOOD_RUN + "2 Q0 d 2 0 good", 4, "topic '2'"),
    "empty": ("", None, "empty"),
    "only comments": ("# x\n#", None, "no line"),
    "only blank lines": ("\n\n \r\n", None, "no line"),
    "a topic that is not UTF-8": (b"1 Q0 a 1 2 t\n\ncaf\xe9 Q0 a 1 2 t\n", 3, "not UTF-8"),
    "an overlong topic": (b"1 Q0 a 1 2 t\nq\xc0\xaf Q0 a 1 2 t\n", 2, "not UTF-8"),
    "a document twice, not judged": (GOOD_RUN + "x Q0 d 1 1 good\nx Q0 d 2 0 good", 5, "twice"),
    "a document twice, not judged, topics mixed": (
        "x Q0 d 1 1 t\n" + GOOD_RUN + "x Q0 d 2 0 t\n", 5, "topic 'x'"),
    "a second tag that is not UTF-8": (GOOD_RUN.encode() + b"2 Q0 a 1 2 \xff\n", 4, "not UTF-8"),
    "a tag that is not UTF-8": (b"1 Q0 a 1 2 caf\xe9\n", 1, "not UTF-8"),
    "CSV without scores": ("qid,docno,rank\n1,a,1\n", None, "no column for the score"),
    "CSV with only a header": ("qid,docno,score\n", None, "no row"),
    "CSV score nan": ("qid,docno,score\n1,a,1\n1,b,nan\n", 3, "not a finite number"),
    "CSV score 1_000": ("qid,docno,score\n1,a,1_000\n", 2, "not a finite number"),
    "CSV score empty": ("qid,docno,score\n1,a,\n", 2, "not a finite number"),
    "CSV row too short": ("qid,docno,score\n1,a\n", 2, "expected 3 columns"),
    "CSV no tag": ("qid,docno,score,run\n1,a,2,x\n1,b,1,\n", 3, "run is missing"),
    "JSONL Infinity": ('{"qid": 1, "docno": "a", "score": Infinity}\n', 1, "not a finite number"),
    "Parquet cut": (parquet(qid=["1"], docno=["a"], score=[1])[:-20], None, "Parquet"),
}  # fmt: skip


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gz"])
@pytest.mark.parametrize("case", RUN_FILES)
def test_bad_files_of_runs(tmp_path, case, packed):
    content, line, says = RUN_FILES[case]
    content = content.encode() if isinstance(content, str) else content
    path = write(tmp_path, "bad", gzip.compress(content) if packed else content)
    good = write(tmp_path, "good", GOOD_RUN.replace("good", "better"))
    where = {"file": path, "line": line}
    refused(lambda: hj.read_runs(path), says, **where)
    refused(lambda: hj.read_runs([good, path]), says, **where)
    refused(lambda: hj.evaluate(QRELS, path, "AP"), says, **where)
    refused(lambda: hj.evaluate(QRELS, [good, path], "AP"), says, **where)


def test_a_table_with_a_document_twice_says_where(tmp_path):
    path = write(tmp_path, "bad.csv", "qid,docno,score\n1,a,2\n\n1,b,1\n1,a,0\n")
    for call in (lambda: hj.read_runs(path), lambda: hj.evaluate(QRELS, path, "AP")):
        refused(call, "'a' appears twice in the list of topic '1'", file=path, line=5)


# --- places ---------------------------------------------------------------------------------


def everywhere(source):
    """All that read from a place."""
    return [
        lambda: hj.read_qrels(source),
        lambda: hj.read_runs(source),
        lambda: hj.read_judgments([source, source]),
        lambda: hj.evaluate(source, RUN, "AP"),
        lambda: hj.evaluate(QRELS, source, "AP"),
    ]


def packed_runs():
    """Enough that a reader does not see the end at once; nothing that packs well."""
    rng = np.random.default_rng(1)
    rows = [f"1 Q0 {rng.integers(1 << 60):x} 1 {rng.random()} t\n" for _ in range(20000)]
    return gzip.compress("".join(rows).encode())


def damaged(data):
    middle = len(data) // 2
    return data[:middle] + bytes(64) + data[middle + 64 :]


PACKED = {
    "cut": lambda data: data[: len(data) // 2],
    "cut by one byte": lambda data: data[:-1],
    "only a header": lambda data: data[:10],
    "only two bytes": lambda data: data[:2],
    "damaged": damaged,
    "wrong checksum": lambda data: data[:-8] + bytes(4) + data[-4:],
    "wrong method": lambda data: data[:2] + b"\x05" + data[3:],
    "rubbish behind": lambda data: data + b"rubbish",
}


@pytest.mark.parametrize("harm", PACKED)
def test_broken_gz_files(tmp_path, harm):
    path = write(tmp_path, "x.run.gz", PACKED[harm](packed_runs()))
    says = "compressed file is truncated or damaged"
    refused(lambda: hj.read_runs(path), says, file=path)
    refused(lambda: hj.evaluate(QRELS, path, "AP"), says, file=path)
    path = write(tmp_path, "x.qrels.gz", PACKED[harm](gzip.compress(GOOD_QRELS.encode())))
    for call in (lambda: hj.read_qrels(path), lambda: hj.evaluate(path, RUN, "AP")):
        refused(call, says, file=path)


def test_directories(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    for call in everywhere(str(folder)):
        refused(call, "directory", file=str(folder))
    refused(lambda: hj.read_qrels(str(folder)), "folder/*", file=str(folder))
    write(folder, "a.qrels", GOOD_QRELS)
    write(folder, "b.qrels", GOOD_QRELS)
    panel = [str(folder)]
    refused(lambda: hj.read_judgments(panel), ("one judge", "folder/*"), file=str(folder))
    (folder / "deeper").mkdir()
    refused(lambda: hj.read_judgments(panel), "files beside directories", file=str(folder))


def test_paths_where_nothing_is(tmp_path):
    path = str(tmp_path / "missing.txt")
    for call in everywhere(path):
        refused(call, "no such file", file=path)
    refused(lambda: hj.read_qrels("1 0 a 1\n"), "no such file", file="1 0 a 1\n")
    refused(lambda: hj.read_qrels("a\0b"), "no such file", file="a\0b")


def test_globs_that_match_nothing(tmp_path):
    (tmp_path / "folder.run").mkdir()
    refused(lambda: hj.read_runs(str(tmp_path / "*.run")), "no file matches")
    for pattern in ("*.res", "**/*.qrels", "[x]"):
        text = str(tmp_path / pattern)
        for call in everywhere(text):
            refused(call, f"no file matches '{text}'")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_files_that_may_not_be_read(tmp_path):
    path = write(tmp_path, "secret", GOOD_QRELS)
    os.chmod(path, 0)
    for call in everywhere(path):
        refused(call, "cannot be read", file=path)


def test_empty_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    refused(lambda: hj.read_qrels("-"), "empty", file="<stdin>")


def test_streams_that_hold_rubbish(tmp_path):
    refused(lambda: hj.read_qrels(io.StringIO("1 0 a\n")), file="<stream>", line=1)
    refused(lambda: hj.read_runs(io.BytesIO(b"")), "empty", file="<stream>")
    path = write(tmp_path, "latin", b"1 0 caf\xe9 1\n")
    with open(path, "rb") as stream:
        refused(lambda: hj.read_qrels(stream), "not UTF-8", file=path, line=1)
    with open(path, encoding="utf-8") as stream, pytest.raises(InputError, match="UTF-8"):
        hj.read_qrels(stream)


@pytest.mark.parametrize(
    "source",
    [None, 3, 2.5, b"1 0 a 1\n", [3], [None], [[]], object(), len, np.arange(3), [b"x"], True,
     [{"1": {"a": 1}}]],
    ids=["None", "3", "2.5", "bytes", "[3]", "[None]", "[[]]", "object", "function", "array",
         "[bytes]", "True", "[dict]"],
)  # fmt: skip
def test_things_that_cannot_be_read(source):
    for call in everywhere(source):
        text = complaint(call)
        assert "cannot read from" in text or "no files" in text


@pytest.mark.parametrize("source", [[], (), iter([]), [iter([])]], ids=["list", "tuple", "1", "2"])
def test_no_files_at_all(source):
    for read in (hj.read_runs, hj.read_qrels, hj.read_judgments):
        refused(lambda read=read: read(source), "no files were given")
    refused(lambda: hj.evaluate(QRELS, [], "AP"), "no files were given")


# --- dictionaries and frames ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "says"),
    [
        ({}, "no label"),
        ({"1": {}}, "no label"),
        ({"1": 3}, "contains int under '1'"),
        ({"1": ["a"]}, "contains list under '1'"),
        ({"1": {"a": "x"}}, "'x' is not a number"),
        ({"1": {"a": None}}, "the label is missing"),
        ({"1": {"a": float("nan")}}, "the label is missing"),
        ({"1": {"a": {"b": 1}}}, "not a number"),
        ({"1": {"a": 10**400}}, "number"),
        ({"1": {None: 1}}, "missing"),
        ({"1": {"": 1}}, "missing"),
        ({1.5: {"a": 1}}, "1.5 is a decimal number"),
        ({"1": {"a": 1}, 1: {"a": 2}}, "labelled 2 here and 1"),
    ],
)
def test_bad_dictionaries_of_labels(labels, says):
    calls = [lambda: hj.read_qrels(labels), lambda: hj.evaluate(labels, RUN, "AP")]
    if labels not in ({}, {"1": {}}):  # a judge may have judged nothing
        calls.append(lambda: hj.read_judgments({"ann": labels, "bob": QRELS}))
    for call in calls:
        assert says in complaint(call)


@pytest.mark.parametrize(
    "panel", [{}, {"ann": {}}, {"ann": 3}, {"ann": QRELS, "bob": None}], ids=repr
)
def test_bad_dictionaries_of_judges(panel):
    complaint(lambda: hj.read_judgments(panel))


@pytest.mark.parametrize(
    ("runs", "says"),
    [
        ({}, "no run"),
        ({"1": 3.0}, "no run"),
        ({"1": {}}, ""),
        ({"s": {"1": {}}}, ""),
        ({"s": RUN, "t": 5}, ""),
        ({"s": RUN, "t": {"1": 5.0}}, "contains float under '1'"),
        ({"1": {"a": 1.0}, "2": 5}, "contains int under '2'"),
        ({"1": {"a": float("inf")}}, "inf is not a finite number"),
        ({"1": {"a": "x"}}, "not a finite number"),
        ({"1": {"a": None}}, "not a finite number"),
        ({"1": {"a": 10**400}}, "number"),
        ({"1": {"a": 1.0}, 1: {"a": 2.0}}, "'a' appears twice in the list of topic '1'"),
        ({"s": {"1": {"5": 1.0, 5: 2.0}}}, "'5' appears twice in the list of topic '1'"),
        ({"s": RUN, "t": {None: {"a": 1.0}}}, "missing"),
    ],
)
def test_bad_dictionaries_of_runs(runs, says):
    for call in (lambda: hj.read_runs(runs), lambda: hj.evaluate(QRELS, runs, "AP")):
        assert says in complaint(call)


FRAME_KINDS = {"pandas": pandas.DataFrame, "polars": polars.DataFrame, "pyarrow": pyarrow.table}
FRAMES = {
    "no label": ({"qid": ["1"], "docno": ["a"]}, None, ("no column for the label", "relevance")),
    "no document": ({"qid": ["1"], "label": [1]}, None, "no column for the document"),
    "no rows": ({"qid": [], "docno": [], "label": []}, None, "no label"),
    "missing topic": ({"qid": ["1", None], "docno": ["a", "b"], "label": [1, 1]}, 2, "qid"),
    "missing document": ({"qid": ["1", "1"], "docno": [None, "b"], "label": [1, 1]}, 1, "docno"),
    "decimal ids": ({"qid": [1.0, 2.0], "docno": ["a", "b"], "label": [1, 1]}, 1, "decimal"),
    "missing label": ({"qid": ["1", "1"], "docno": ["a", "b"], "label": [1, None]}, 2, "label"),
    "NaN label": (
        {"qid": ["1"], "docno": ["a"], "label": [float("nan")]},
        1,
        "the label is missing",
    ),
    "label a word": ({"qid": ["1"], "docno": ["a"], "label": ["x"]}, 1, "'x' is not a number"),
    "conflict": ({"qid": ["1", "1"], "docno": ["a", "a"], "label": [0, 1]}, 2, "1 here and 0"),
}


@pytest.mark.parametrize("kind", FRAME_KINDS)
@pytest.mark.parametrize("case", FRAMES)
def test_bad_frames_of_labels(case, kind):
    columns, row, says = FRAMES[case]
    frame = FRAME_KINDS[kind](columns)
    refused(lambda: hj.read_qrels(frame), says, file="<frame>", line=row)
    refused(lambda: hj.evaluate(frame, RUN, "AP"), says, file="<frame>", line=row)


@pytest.mark.parametrize("kind", FRAME_KINDS)
def test_bad_frames_of_runs_and_judgments(kind):
    make = FRAME_KINDS[kind]
    twice = make({"qid": ["1", "1"], "docno": ["a", "a"], "score": [2.0, 1.0]})
    for call in (lambda: hj.read_runs(twice), lambda: hj.evaluate(QRELS, twice, "AP")):
        refused(call, "'a' appears twice in the list of topic '1'", file="<frame>", line=2)
    labels = make({"qid": ["1"], "docno": ["a"], "label": [1]})
    refused(lambda: hj.read_runs(labels), "no column for the score", file="<frame>")
    refused(lambda: hj.read_judgments(labels), "no column for the judge", file="<frame>")
    refused(lambda: hj.read_judgments(labels, judge_column="iteration"),
            "no column for the iteration", file="<frame>")  # fmt: skip
    nobody = make({"qid": ["1", "1"], "docno": ["a", "b"], "label": [1, 0], "worker": ["x", None]})
    refused(lambda: hj.read_judgments(nobody), "worker", file="<frame>", line=2)


@pytest.mark.parametrize("dtype", ["string", "Int64", "category"])
def test_missing_ids_in_every_kind_of_pandas_column(dtype):
    ids = pandas.array(["1", None], dtype="string") if dtype == "string" else [1, None]
    frame = pandas.DataFrame({"qid": pandas.Series(ids, dtype=dtype), "docno": ["a", "b"],
                              "label": [1, 1]})  # fmt: skip
    refused(lambda: hj.read_qrels(frame), "qid", file="<frame>", line=2)


def test_a_column_twice():
    frame = pandas.DataFrame([["1", "a", 1, 2]], columns=["qid", "docno", "label", "label"])
    assert "label" in complaint(lambda: hj.read_qrels(frame))


def test_the_audit_takes_what_reading_takes():
    same = [
        str(hj.audit(q, r)) for q in (QRELS, hj.read_qrels(QRELS)) for r in (RUN, hj.read_runs(RUN))
    ]
    assert len(set(same)) == 1
    assert "1 system" in same[0]


def test_arguments_that_changed_places():
    runs, qrels = hj.read_runs(RUN), hj.read_qrels(QRELS)
    refused(lambda: hj.evaluate(runs, qrels, "AP"), ("unexpected Runs", "labels first, then runs"))
    refused(lambda: hj.agreement(qrels), ("unexpected Qrels", "read_judgments"))


def test_a_frame_in_a_list_is_no_list_of_files():
    run = {"qid": ["1"], "docno": ["a"], "score": [1.0]}
    for one in (pandas.DataFrame(run), polars.DataFrame(run)):
        refused(lambda one=one: hj.read_runs([one, one]), ("a frame is mixed", "`system`"))


def test_things_that_look_like_frames():
    for source in (types.SimpleNamespace(columns=["qid"]), types.SimpleNamespace(column_names=3)):
        refused(lambda source=source: hj.read_qrels(source), "cannot read from SimpleNamespace")


# --- several files together -----------------------------------------------------------------


def test_two_runs_with_one_tag(tmp_path):
    paths = [write(tmp_path, name, GOOD_RUN) for name in ("x.run", "y.run")]
    for call in (lambda: hj.read_runs(paths), lambda: hj.evaluate(QRELS, paths, "AP")):
        refused(call, ("two runs are called 'good'", *paths, 'names="stem"'))
    same = [paths[0], paths[0]]
    refused(lambda: hj.read_runs(same, names="stem"), "this run is given twice", file=paths[0])


def test_two_systems_of_one_table_cannot_be_named_after_it(tmp_path):
    path = write(tmp_path, "x.csv", "qid,docno,score,tag\n1,a,2,one\n1,b,1,two\n")
    assert hj.read_runs(path).systems == ["one", "two"]
    refused(lambda: hj.read_runs(path, names="stem"), ("2 systems", 'names="tag"'), file=path)


def test_two_judges_with_files_of_one_name(tmp_path):
    paths = []
    for folder, label in (("gpt", 1), ("llama", 0)):
        (tmp_path / folder).mkdir()
        paths.append(write(tmp_path / folder, "labels.qrels", f"1 0 a {label}\n"))
    for policy in ("error", "first"):  # which would leave the second one's labels out
        refused(
            lambda policy=policy: hj.read_judgments(paths, policy),
            ("two files are called 'labels'", *paths, "after their files"),
        )


def test_files_with_and_without_a_column_of_judges(tmp_path):
    table = write(tmp_path, "a.csv", "qid,docno,label,worker\n1,a,1,ann\n")
    plain = write(tmp_path, "b.qrels", "1 0 a 0\n")
    refused(lambda: hj.read_judgments([table, plain]), "mixed", file=plain)
    refused(lambda: hj.read_judgments([plain, table]), "mixed", file=table)
    bare = write(tmp_path, "c.csv", "qid,docno,label\n1,a,1\n")
    refused(lambda: hj.read_judgments([table, bare]), "no column for the judge", file=bare)


def test_a_table_of_chances_without_a_row(tmp_path):
    path = write(tmp_path, "x.csv", "qid,docno,p0,p1\n")
    refused(lambda: hj.read_qrels(path), "no label", file=path)


def test_conflicts_between_two_files(tmp_path):
    one, two = write(tmp_path, "one", "1 0 a 1\n1 0 b 1\n"), write(tmp_path, "two", "#\n1 0 a 0\n")
    refused(lambda: hj.read_qrels([one, two]), (f"0 here and 1 in {one}:1", "several judges"),
            file=two, line=2)  # fmt: skip
    assert hj.read_qrels([one, two], duplicates="last").to_dict() == {"1": {"a": 0, "b": 1}}


def test_a_judge_who_contradicts_himself(tmp_path):
    mine = write(tmp_path, "ann", "1 0 a 1\n1 0 b 1\n1 0 a 2\n")
    other = write(tmp_path, "bob", "1 0 a 0\n")
    says = "2 here and 1 in line 1, both by judge 'ann'"
    error = refused(lambda: hj.read_judgments([other, mine]), says, file=mine, line=3)
    assert "several judges" not in str(error)  # which is what was used
    both = write(tmp_path, "both", "1 ann a 1\n1 bob a 0\n1 bob b 0\n1 bob a 1\n")
    refused(lambda: hj.read_judgments(both, judge_column="iteration"),
            "1 here and 0 in line 2, both by judge 'bob'", file=both, line=4)  # fmt: skip
    crowd = pandas.DataFrame({"task": ["x", "x"], "worker": ["u", "u"], "label": [1, 0]})
    refused(lambda: hj.read_judgments(crowd), ("0 here and 1", "'u'"), file="<frame>", line=2)


def test_one_file_is_one_judge(tmp_path):
    path = write(tmp_path, "ann", GOOD_QRELS)
    refused(lambda: hj.read_judgments(path), ("only one file", "iteration"), file=path)
    table = write(tmp_path, "t.csv", "qid,docno,label\n1,a,1\n")
    refused(lambda: hj.read_judgments(table), "only one file", file=table)


def test_a_judge_who_is_not_there():
    panel = hj.read_judgments({"ann": QRELS, "bob": QRELS})
    refused(lambda: panel.qrels_of("carl"), ("'carl'", "ann, bob"), error=UnknownName)


def test_no_common_topic(tmp_path):
    path = write(tmp_path, "x.run", "q1 Q0 a 1 1 t\n")
    says = ("no topic in common", "1, 2")
    refused(lambda: hj.evaluate(QRELS, path, "AP"), says)
    refused(lambda: hj.evaluate(QRELS, {"q1": {"a": 1.0}}, "AP"), says)
    refused(lambda: hj.evaluate(QRELS, RUN, "AP", topics=["7"]), "topic '7' has no judgments")


# --- policies and other arguments -----------------------------------------------------------

ODD = ["", "Error", "zero ", None, 1, ["first"], b"first"]


@pytest.mark.parametrize("value", ODD, ids=repr)
@pytest.mark.parametrize(
    ("read", "name", "choice"),
    [
        (lambda **k: hj.read_qrels(QRELS, **k), "duplicates", '"max"'),
        (lambda **k: hj.read_qrels(QRELS, **k), "outside", '"clip"'),
        (lambda **k: hj.read_judgments({"a": QRELS}, **k), "duplicates", '"max"'),
        (lambda **k: hj.read_judgments({"a": QRELS}, **k), "outside", '"clip"'),
        (lambda **k: hj.read_runs(RUN, **k), "ties", '"expected"'),
        (lambda **k: hj.read_runs(RUN, **k), "score_precision", '"single"'),
        (lambda **k: hj.read_runs(RUN, **k), "names", '"stem"'),
        (lambda **k: hj.evaluate(QRELS, RUN, "AP", **k), "undefined", '"drop"'),
        (lambda **k: hj.evaluate(QRELS, RUN, "AP", **k), "unjudged", '"condensed"'),
    ],
)
def test_policies_that_do_not_exist(read, name, choice, value):
    refused(
        lambda: read(**{name: value}), (f"invalid value {value!r} for {name}", f"{name}=", choice)
    )


@pytest.mark.parametrize("value", ["all", "", "Judged", [], ["9"], ["1", "9"], [None], None, 5],
                         ids=repr)  # fmt: skip
def test_topics_that_do_not_exist(value):
    refused(lambda: hj.evaluate(QRELS, RUN, "AP", topics=value), "topic")


@pytest.mark.parametrize("value", ["judge", "", 2, ["iteration"]], ids=repr)
def test_judge_columns_that_do_not_exist(value):
    refused(lambda: hj.read_judgments({"a": QRELS}, judge_column=value), "judge_column")


@pytest.mark.parametrize(
    "grades",
    [[], [1], range(1), [-1, 0], 5, "abc", [0.5, 1], [0, None], [0, float("nan")],
     ["x", "y"], range(70000)],
    ids=repr,
)  # fmt: skip
def test_scales_that_are_none(grades):
    for call in (lambda: hj.read_qrels(QRELS, grades=grades),
                 lambda: hj.read_judgments({"a": QRELS}, grades=grades)):  # fmt: skip
        refused(call, "grades")


def test_labels_outside_the_declared_scale(tmp_path):
    path = write(tmp_path, "q", "1 0 a 0\n1 0 b 4\n1 0 c 9\n1 0 d -1\n")
    says = ("label 4 is not among the declared grades 0-3", "2 such labels", "clip")
    refused(lambda: hj.read_qrels(path, grades=range(4)), says, file=path, line=2)
    soft = write(tmp_path, "soft", "1 0 a 1\n1 0 b 0.5\n")
    refused(lambda: hj.read_qrels(soft, grades=range(2)), "label 0.5", file=soft, line=2)
    refused(lambda: hj.read_qrels({"1": {"a": 7}}, grades=range(4), outside="missing"),
            "no label is left")  # fmt: skip


@pytest.mark.parametrize("outside", ["clip", "missing"])
def test_nothing_is_outside_a_scale_that_was_not_declared(outside):
    says = (f"outside is '{outside}'", "no grades are declared", "grades=range(4)")
    refused(lambda: hj.read_qrels(QRELS, outside=outside), says)
    refused(lambda: hj.read_judgments({"a": QRELS}, outside=outside), says)
    refused(lambda: hj.read_qrels(QRELS, outside=outside, scaling="median"),
            (f"outside is '{outside}'", "open scale", "leave outside out"))  # fmt: skip


@pytest.mark.parametrize("depth", [0, -1, "10", 1.5, float("nan")], ids=repr)
def test_depths_that_are_none(depth):
    refused(lambda: hj.evaluate(QRELS, RUN, "AP", depth=depth), "depth")


# --- measures -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measures", "error", "says"),
    [
        ([], MeasureError, "no measure was given"),
        ((), MeasureError, "no measure was given"),
        ("ndcg@10", UnknownName, "did you mean nDCG"),
        (["AP", "sucess@5"], UnknownName, "did you mean Success"),
        ("F1", MeasureError, "needs cutoff"),
        ("E(AP@10)@5", MeasureError, "AP@10 has a cutoff"),
        ("P@0", MeasureError, "cutoff is 0"),
        ("RBP(p=1.5)", MeasureError, "[0, 1)"),
        ("RBP(q=0.5)", MeasureError, "no parameter q"),
        ("AP(2)", MeasureError, "need their names"),
        ("Bpref@5", MeasureError, "nothing behind @"),
        ("rbp", UnknownName, "trec_eval's 'rbp'"),
        ("Rprec_mult_0.20", UnknownName, "trec_eval's 'Rprec_mult_0.20'"),
        ("AP(rel=3)", MeasureError, "the largest grade of the labels is 2"),
        (["AP", "P(rel=7)@5"], MeasureError, "rel=7"),
        ("RBP(rel=3)", MeasureError, "rel=3"),
        ("", UnknownName, "cannot be read"),
        (None, HungjuryError, "measure"),
        ([None], HungjuryError, "measure"),
        ([3], HungjuryError, "measure"),
        (3, HungjuryError, "measure"),
    ],
)
def test_measures_that_cannot_be_computed(measures, error, says):
    assert says in complaint(lambda: hj.evaluate(QRELS, RUN, measures), error)


def test_grades_are_wanted_but_labels_are_probabilities():
    soft = hj.read_qrels({"1": {"a": 0.5, "b": 1.0}})
    for name in ("AP", "nDCG@10", "RBP"):
        refused(lambda name=name: hj.evaluate(soft, RUN, name), "probabilities", error=MeasureError)
    refused(lambda: soft.at_least(2), "rel is 2")
    panel = hj.read_judgments({"x": {"1": {"a": 0.5}}, "y": {"1": {"a": 1}}})
    refused(panel.matrix, "probabilities")


def test_ties_without_a_cheap_mean():
    runs = hj.read_runs({"1": {"a": 1.0, "b": 1.0}, "2": {"d": 1.0}}, ties="expected")
    refused(lambda: hj.evaluate(QRELS, runs, "ERR"), ("ERR", 'ties="trec"'), error=MeasureError)


@pytest.mark.parametrize(
    ("name", "labels", "error"),
    [
        ("AP", [0.5], InputError),
        ("AP", ["x"], InputError),
        ("AP", [float("nan")], InputError),
        ("AP", [1, 70000], InputError),
        ("AP", [1, -32768], InputError),
        ("ap", [1], UnknownName),
        ("F1", [1], MeasureError),
    ],
)
def test_lists_that_cannot_be_scored(name, labels, error):
    refused(lambda: hj.score_list(name, labels), error=error)


def test_frames_of_scores_come_from_two_libraries():
    scores = hj.evaluate(QRELS, RUN, "AP")
    refused(lambda: scores.to_frame("spark"), ("'spark'", "'pandas'"))


def test_labels_that_cannot_be_written(tmp_path):
    path = str(tmp_path / "no" / "folder" / "q.qrels")
    refused(lambda: hj.read_qrels(QRELS).write(path), "cannot be written", file=path)


def test_an_error_is_a_value_error_with_its_parts():
    found = refused(lambda: hj.read_qrels(io.StringIO("1 0 a 1\n1 0 b x\n")), file="<stream>",
                    line=2)  # fmt: skip
    assert isinstance(found, ValueError)
    assert found.message == "the label 'x' is not a number"
    assert str(found) == f"<stream>:2: {found.message}\n  remedy: {found.remedy}"
