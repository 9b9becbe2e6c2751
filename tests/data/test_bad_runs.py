"""Bad files of runs."""

import gzip

import pytest

import hungjury as hj
from builders.bad_input import GOOD_QRELS, GOOD_RUN, QRELS, parquet, refused, write

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
