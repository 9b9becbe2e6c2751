"""Bad labels, runs, tables and panels: the error names the place and a remedy."""

import gzip
import types

import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

import hungjury as hj
from builders.bad_input import (
    GOOD_QRELS,
    GOOD_RUN,
    PARQUET,
    QRELS,
    RUN,
    complaint,
    nothing_else,
    parquet,
    refused,
    write,
)
from hungjury.base.errors import MeasureError, UnknownName

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
    "label in full-width digits": ("1 0 a １\n", 1, "is not a number"),
    "CSV label in full-width digits": ("qid,docno,label\n1,a,１\n", 2, "is not a number"),
    "JSONL label in full-width digits": (
        '{"qid": "1", "docno": "a", "label": "１"}\n', 1, "is not a number"),
    "JSONL key twice": ('{"qid": "1", "docno": "a", "label": 1, "label": 0}\n', 1, "'label'"),
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


@pytest.mark.parametrize("case", LABEL_FILES)
def test_bad_files_of_labels(tmp_path, case):
    """They reach everyone who reads labels."""
    content, line, says = LABEL_FILES[case]
    content = content.encode() if isinstance(content, str) else content
    path, good = write(tmp_path, "bad", content), write(tmp_path, "good", "8 0 a 1\n")
    packed = write(tmp_path, "packed", gzip.compress(content))
    where = {"file": path, "line": line}
    refused(lambda: hj.read_qrels(packed), says, file=packed, line=line)
    refused(lambda: hj.read_qrels(path), says, **where)
    refused(lambda: hj.evaluate(path, RUN, "AP"), says, **where)
    if "beside" not in case:  # different scales, see test_reading_scales.py
        refused(lambda: hj.read_judgments([path, good]), says, **where)


# Bad files of runs.


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
    "CSV without scores": ("qid,docno,place\n1,a,1\n", None, "no column for the score"),
    "CSV with only a header": ("qid,docno,score\n", None, "no row"),
    "CSV score nan": ("qid,docno,score\n1,a,1\n1,b,nan\n", 3, "not a finite number"),
    "CSV score 1_000": ("qid,docno,score\n1,a,1_000\n", 2, "not a finite number"),
    "CSV score empty": ("qid,docno,score\n1,a,\n", 2, "not a finite number"),
    "CSV row too short": ("qid,docno,score\n1,a\n", 2, "expected 3 columns"),
    "CSV no tag": ("qid,docno,score,run\n1,a,2,x\n1,b,1,\n", 3, "run is missing"),
    "JSONL Infinity": ('{"qid": 1, "docno": "a", "score": Infinity}\n', 1, "not a finite number"),
    "Parquet cut": (parquet(qid=["1"], docno=["a"], score=[1])[:-20], None, "Parquet"),
}  # fmt: skip


@pytest.mark.parametrize("case", RUN_FILES)
def test_bad_files_of_runs(tmp_path, case):
    content, line, says = RUN_FILES[case]
    content = content.encode() if isinstance(content, str) else content
    path, packed = write(tmp_path, "bad", content), write(tmp_path, "gz", gzip.compress(content))
    refused(lambda: hj.read_runs(packed), says, file=packed, line=line)
    refused(lambda: hj.evaluate(QRELS, packed, "AP"), says, file=packed, line=line)
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


# Bad dictionaries and frames.


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


# Bad input of several judges: tables with a column each, folders, maps, scales, patterns.


assert nothing_else

LONG = "query,passage,model,stars\n1,a,gpt,2\n1,a,llama,1\n1,b,gpt,0\n1,b,llama,0\n"
ROLES = "topic=query,document=passage,judge=model,label=stars"
TABLES = {  # content, options, line, what is said
    "columns nobody knows": (LONG, {}, 1, ("unknown columns: query, passage", "topic=NAME")),
    "a column that is not there": (
        LONG, {"columns": "label=rating,document=passage,judge=model"}, None,
        ("no column 'rating'", "query, passage, model, stars")),
    "two columns for the document": (
        "topic,docid,doc_id,judge,label\n1,a,b,x,1\n", {}, None, "2 columns may be the document"),
    "two columns for the judge": (
        "topic,doc,judge,worker,label\n1,a,b,x,1\n", {}, None, "2 columns may be the judge"),
    "an id that is missing": (
        LONG + "1,,gpt,1\n", {"columns": ROLES}, 6, "the passage is missing"),
    "a judge that is missing": (LONG + "1,c,,1\n", {"columns": ROLES}, 6, "the model is missing"),
    "a refusal": (
        LONG + '1,c,gpt,"Sorry, I cannot"\n', {"columns": ROLES}, 6,
        ("'Sorry, I cannot' is not a number", 'missing="drop"')),
    "an empty label": (LONG + "1,c,gpt,\n", {"columns": ROLES}, 6, "the label is missing"),
    "a word beside the map": (
        LONG + "1,c,gpt,maybe\n", {"columns": ROLES, "map": "yes:1,no:0"}, 6, "'maybe'"),
    "a map to a word": (LONG, {"columns": ROLES, "map": "2:high"}, None, "'high'"),
    "a label twice in the map": (LONG, {"columns": ROLES, "map": "2:1,2.0:0"}, None, "twice"),
    "the label 0 twice in the map": (LONG, {"columns": ROLES, "map": "0:1,0:0"}, None, "twice"),
    "a code": (LONG + "1,c,gpt,999\n", {"columns": ROLES}, 6, ("999 (1)", "999:missing")),
    "a negative label": (LONG + "1,c,gpt,-1\n", {"columns": ROLES}, 6, ("-1 (1)", "gpt 1")),
    "steps": (
        "topic,doc,judge,label\n1,a,x,0\n1,b,x,33\n1,c,x,66\n", {}, 4, 'map="0:0,33:1,66:2"'),
    "outside": (LONG, {"columns": ROLES, "grades": range(2)}, 2, 'outside="clip" or "missing"'),
    "clip without a scale": (LONG, {"columns": ROLES, "outside": "clip"}, None, "no grades"),
    "a pattern for nobody": (LONG, {"columns": ROLES, "only": "claude*"}, None,
                             ("no judge matches 'claude*'", "gpt, llama")),
    "patterns that leave nobody": (LONG, {"columns": ROLES, "without": "*"}, None, "no judge"),
    "wide, without documents": ("topic,gpt,llama\n1,1,0\n", {"wide": True}, None, "document"),
    "wide, columns nobody knows": ("q,d,gpt\n1,a,1\n", {"wide": True}, 1, "unknown columns"),
    "wide, a refusal": (
        "topic,document,gpt,llama\n1,a,1,0\n1,b,,no idea\n", {"wide": True}, 3, "'no idea'"),
    "wide, a row too short": ("topic,document,gpt\n1,a,1\n1,b\n", {"wide": True}, 3, "found 2"),
    "wide, with a judge column": (
        "topic,document,gpt\n1,a,1\n", {"wide": True, "judge_column": "iteration"}, None, "wide"),
    "wide, in columns without names": ("1 0 a 1\n", {"wide": True}, None, "header"),
    "a scaling for nobody": (
        LONG, {"columns": ROLES, "scaling": "human=linear"}, None,
        "the scaling of 'human' applies to no judge"),
}  # fmt: skip


@pytest.mark.parametrize("case", TABLES)
def test_bad_tables_of_judges(tmp_path, case):
    content, options, line, says = TABLES[case]
    path = write(tmp_path, "panel.csv", content)
    found = complaint(lambda: hj.read_judgments(path, **options))
    for words in [says] if isinstance(says, str) else says:
        assert words in found
    if line is not None:
        assert found.startswith(f"{path}:{line}: ")
    # Whoever takes a path takes the options, and refuses the same.
    for call in (hj.agreement, lambda p, **o: hj.leaderboard(p, RUN, "AP", **o)):
        assert complaint(lambda call=call: call(path, **options)) == found


def test_folders_of_judges(tmp_path):
    for judge in ("gpt", "llama"):
        (tmp_path / judge).mkdir()
        write(tmp_path / judge, "1.qrels", "1 0 a 1\n1 0 b 0\n")
    folder = str(tmp_path / "gpt")
    assert hj.read_judgments([folder]).judges == ["gpt"]
    bad = write(tmp_path / "llama", "2.qrels", "2 0 a 1\n2 0\n")
    panel = str(tmp_path / "*")
    refused(lambda: hj.read_judgments(panel), "expected 4 columns", file=bad, line=2)
    write(tmp_path / "llama", "2.qrels", "1 0 a 0\n")
    refused(lambda: hj.read_judgments(panel), "both by judge 'llama'", file=bad, line=1)
    (tmp_path / "none").mkdir()
    refused(lambda: hj.read_judgments(panel), "empty", file=str(tmp_path / "none"))


@pytest.mark.parametrize(
    ("panel", "says"),
    [
        ({"a": {"1": {"x": 1}}, "b": 3}, "int"),
        ({"a": {"1": {"x": 1}}, "b": "no/such/file"}, "no such file"),
        ({"a": {"1": {"x": 1}}, "b": {"1": 3}}, "int"),
        ({"a": {"1": {"x": "yes"}}, "b": {"1": {"x": 1}}}, "'yes' is not a number"),
    ],
)
def test_dictionaries_of_judges(panel, says):
    assert says in complaint(lambda: hj.read_judgments(panel))


@pytest.mark.parametrize(
    ("name", "error", "says"),
    [
        ("NDGC@10", UnknownName, "nDCG"),
        ("RBP(P=0.5)", MeasureError, "no parameter P"),
        ("Rbp@x", UnknownName, ""),
        ("rbp", UnknownName, "trec_eval's 'rbp'"),
        ("MAP", UnknownName, "did you mean AP?"),
    ],
)
def test_names_of_measures(name, error, says):
    assert says in complaint(lambda: hj.evaluate(QRELS, RUN, name), error)


def test_measures_of_ir_measures_that_mean_something_else():
    ir_measures = pytest.importorskip("ir_measures")
    for measure in (ir_measures.alpha_nDCG @ 10, ir_measures.ERR_IA @ 10):
        assert complaint(lambda m=measure: hj.evaluate(QRELS, RUN, m), UnknownName)
