"""Bad files of labels: the error names the file, the line and a remedy."""

import gzip

import pytest

import hungjury as hj
from builders.bad_input import GOOD_RUN, PARQUET, RUN, parquet, refused, write

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
