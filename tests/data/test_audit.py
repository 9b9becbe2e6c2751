"""The audit never gives up: it lists every line that cannot be read and describes the rest."""

import gzip
import json
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

import hungjury as hj
from builders.reading import write
from hungjury.base.errors import InputError
from hungjury.data.audit import Listing, readable_runs
from hungjury.data.runs import as_runs

FINE = "1 0 a 1\n1 0 b 0\n2 0 c 1\n"
RUN = "1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n2 Q0 c 1 1 x\n"
ROWS = [{"qid": "1", "docno": "a", "label": 1}, {"qid": "1", "docno": "b", "label": 0}]


def lines_of(*items):
    return "".join((item if isinstance(item, str) else json.dumps(item)) + "\n" for item in items)


LABELS = {  # content, [(code, line of the first one, how many)], documents that can be read
    "text": ("1 0 a 1\n1 0\nx\n1 0 b 0\n1 0 c 1 2 3\n",
             [("few-columns", 2, 2), ("many-columns", 5, 1)], 2),
    "words": ("1 0 a yes\n1 0 b 0\n1 0 c no\n1 0 d 1\n", [("unreadable-label", 1, 2)], 2),
    "not UTF-8": (b"1 0 a 1\n1 0 caf\xe9 1\n1 0 b 0\n\xe9 0 b 0\n", [("not-utf8", 2, 2)], 2),
    "CSV rows": ("qid,docno,label\n1,a,1\n1,b\n1,c,0\n1\n1,d,1,1\n", [("wrong-columns", 3, 3)], 2),
    "CSV ids": ("qid,docno,label\n1,,1\n,b,0\n1,c,0\n1,d,0\n", [("missing-id", 2, 2)], 2),
    "CSV words": ("qid,docno,label\n1,a,x\n1,b,\n1,c,0\n1,d,1\n", [("unreadable-label", 2, 2)], 2),
    "CSV not UTF-8": (b"qid;docno;label\n1;\xe9;1\n1;b;0\n1;a;1\n", [("not-utf8", 2, 1)], 2),
    "JSON lines": (
        lines_of(ROWS[0], "{", ROWS[1], "[1]", '{"qid": 1, "qid": 2}', {**ROWS[0], "docno": None}),
        [("not-json", 2, 2), ("not-an-object", 4, 1), ("missing-id", 6, 1)],
        2,
    ),
    "JSON array": (
        json.dumps([ROWS[0], 3, ROWS[1], None, {**ROWS[0], "qid": 1.5}]),
        [("not-an-object", 2, 2), ("decimal-id", 5, 1)],
        2,
    ),
    "probabilities": (
        "qid,docno,p0,p1\n1,a,0.5,0.5\n1,b,1,1\n1,c,x,1\n1,a,0,1\n1,d,-1,2\n1,e,1,0\n",
        [("not-a-number", 4, 1), ("not-a-distribution", 3, 2), ("duplicate-document", 5, 1)],
        2,
    ),
}  # fmt: skip


def shape(found):
    """Code, line and count of the errors."""
    said = [(e.code, e.line, str(e).partition(" such l")[0].rpartition("(")[2]) for e in found]
    return [(code, line, int(n) if n.isdigit() else 1) for code, line, n in said]


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gz"])
@pytest.mark.parametrize("case", LABELS)
def test_labels_in_error_are_listed_and_the_others_are_told(tmp_path, case, packed):
    content, expected, documents = LABELS[case]
    content = content.encode() if isinstance(content, str) else content
    path = tmp_path / "labels"
    path.write_bytes(gzip.compress(content) if packed else content)
    found = hj.audit(str(path), {"x": {"1": {"b": 2.0, "c": 1.0, "d": 1.0, "e": 0.5}}})
    assert shape(found.errors) == expected
    assert {error.file for error in found.errors} == {str(path)}
    assert all(error.remedy for error in found.errors)
    assert f"labels: {documents} documents judged for 1 topic" in str(found)
    assert "runs: 1 system (x)" in str(found)
    assert found.exit_code == 2


RUNS = {
    "text": ("1 Q0 a 1 zz x\n1 Q0 b 2 1 x\n1 Q0 c yy 0 x\n1 Q0\n",
             [("not-a-number", 1, 1), ("not-an-integer", 3, 1), ("few-columns", 4, 1)], 1),
    "twice": ("1 Q0 a 1 3 x\n# 1 Q0 a\n1 Q0 a 2 2 x\n1 Q0 b 3 1 x\n2 Q0 a 1 1 x\n1 Q0 b 4 0 x\n",
              [("duplicate-document", 3, 2)], 2),
    "CSV": ("qid,docno,score,rank\n1,a,x,1\n1,b,1,1\n1,c,1,1.5\n,d,1,1\n1,b,0,4\n1,a,inf,2\n",
            [("missing-id", 5, 1), ("not-a-number", 2, 2), ("not-an-integer", 4, 1),
             ("duplicate-document", 6, 1)], 1),
    "JSON lines": (lines_of({"qid": "1", "docno": "a", "score": None}, "x",
                            {"qid": "1", "docno": "b", "score": 1}), None, 1),
}  # fmt: skip


@pytest.mark.parametrize("case", RUNS)
def test_runs_in_error_are_listed_and_the_others_are_told(tmp_path, case):
    content, expected, longest = RUNS[case]
    labels, fine, bad = tmp_path / "q", tmp_path / "fine.run", tmp_path / "x.run"
    labels.write_text(FINE)
    fine.write_text(RUN.replace(" x\n", " fine\n"))
    bad.write_text(content)
    found = hj.audit(str(labels), [str(fine), str(bad)])
    expected = expected or [("not-json", 2, 1), ("not-a-number", 1, 1)]
    assert sorted(shape(found.errors)) == sorted(expected)
    assert "runs: 2 systems (fine, x)" in str(found)
    alone = hj.audit(str(labels), str(bad))
    assert f"{longest} document" in str(alone)


def test_many_bad_lines_are_counted_and_ten_are_named(tmp_path):
    write(tmp_path, "q", "".join(f"1 0 d{i}\n" for i in range(2500)) + FINE)
    (error,) = hj.audit(str(tmp_path / "q")).errors
    assert "(2,500 such lines: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2,490 more)" in str(error)


def test_errors_of_a_kind_are_told_together_only_if_they_name_lines():
    """Others of the same kind are as many as their messages."""
    listing = Listing()
    for message, line in (("one", 3), ("other", 5), ("whole", None), ("else", None)):
        listing(InputError(message, code="odd", file="f", line=line, remedy="none"))
    assert [error.message for error in listing.errors] == [
        "one (2 such lines: 3, 5)", "whole", "else",
    ]  # fmt: skip
    assert len(listing) == 4


def test_runs_that_can_be_read_are_not_in_error(tmp_path):
    """Whatever was listed before: errors of theirs that come up later are told."""
    fine, bad = write(tmp_path, "fine", RUN), write(tmp_path, "bad", RUN + "1 Q0\n")
    listing = Listing()
    listing(InputError("odd", code="odd", file="labels", line=1, remedy="none"))
    for files, names, told in (([fine], [fine], False), ([fine, bad], [fine, bad], True)):
        found, wrong = readable_runs(as_runs(files), listing)
        assert ([source.path for source in found.sources], wrong) == (names, told)


def test_later_lines_keep_their_numbers(tmp_path):
    write(tmp_path, "q", "1 0\n1 0 a 1\n\nx\n1 0 a 0\n")
    bad, conflict = hj.audit(str(tmp_path / "q")).errors
    assert (bad.code, bad.line, conflict.code, conflict.line) == (
        "few-columns", 1, "conflicting-labels", 5,
    )  # fmt: skip
    assert "1 in line 2" in str(conflict)


def test_judges_of_other_files_are_told(tmp_path):
    write(tmp_path, "ann", FINE)
    write(tmp_path, "bob", "1 0 a 1\n1 0\n1 0 b 1\n")
    write(tmp_path, "header", "question,passage,stars\n1,a,2\n")
    write(tmp_path, "none", "# nothing\n")
    found = hj.audit(str(tmp_path / "*"), judgments=True)
    assert [(Path(e.file).name, e.code) for e in found.errors] == [
        ("bob", "few-columns"), ("header", "unknown-columns"), ("none", "no-labels"),
    ]  # fmt: skip
    assert "labels: 5 by 2 judges (ann, bob)" in str(found)


def test_a_file_without_a_good_line_says_so_once(tmp_path):
    write(tmp_path, "q", "1 0\n1\n")
    found = hj.audit(str(tmp_path / "q"), {"1": {"a": 1.0}})
    assert shape(found.errors) == [("few-columns", 1, 2)]
    assert found.facts == []


def test_tables_of_judges(tmp_path):
    rows = "topic,document,judge,label\n1,a,ann,1\n1,a,bob,0\n1,b,,1\n1,b,ann\n1,b,bob,refused\n"
    write(tmp_path, "panel.csv", rows)
    found = hj.audit(str(tmp_path / "panel.csv"), judgments=True)
    assert sorted(shape(found.errors)) == [
        ("missing-id", 4, 1), ("unreadable-label", 6, 1), ("wrong-columns", 5, 1),
    ]  # fmt: skip
    assert "labels: 2 by 2 judges" in str(found)
    wide = "topic,document,ann,bob\n1,a,1,0\n,b,1,1\n1,c,0,x\n"
    write(tmp_path, "wide.csv", wide)
    found = hj.audit(str(tmp_path / "wide.csv"), judgments=True, wide=True)
    assert shape(found.errors) == [("missing-id", 3, 1), ("unreadable-label", 4, 1)]
    assert "labels: 3 by 2 judges" in str(found)


def test_frames_and_parquet(tmp_path):
    table = pyarrow.table({"qid": ["1", None, "1"], "docno": ["a", "b", "c"], "label": [1, 0, 0]})
    found = hj.audit(table)
    assert shape(found.errors) == [("missing-id", 2, 1)]
    pyarrow.parquet.write_table(table, tmp_path / "q.parquet")
    assert hj.audit(str(tmp_path / "q.parquet")).facts == found.facts


@pytest.mark.parametrize("bad", ["1 Q0 a 1 2 t\n1 Q0\n", "1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n"])
def test_runs_of_one_name_with_bad_lines(tmp_path, bad):
    """Files without errors are read again, not held in memory, and bad lines are left out again."""
    write(tmp_path, "q", FINE)
    write(tmp_path, "good.run", RUN)
    write(tmp_path, "bad.run", bad.replace(" t\n", f" {RUN.split()[5]}\n"))
    write(tmp_path, "none.run", "no run\n")
    table = "qid,docno,score,name\n1,a,1,x\n1,b,y,x\n"
    write(tmp_path, "table.csv", table.replace("name", "tag"))
    found = hj.audit(str(tmp_path / "q"), [str(tmp_path / "*.run"), str(tmp_path / "table.csv")])
    assert [error.code for error in found.errors].count("same-name") == 1
    assert len(found.errors) == 4
    assert "runs: 3 systems (bad, good, table)" in str(found)


def test_no_run_is_left(tmp_path):
    write(tmp_path, "q", FINE)
    write(tmp_path, "bad.run", "1 Q0\n")
    found = hj.audit(str(tmp_path / "q"), str(tmp_path / "bad.run"))
    assert shape(found.errors) == [("few-columns", 1, 1)]
    assert len(found.facts) == 2
    assert "systems" not in str(found)


def test_two_runs_of_one_name_are_named_by_file(tmp_path):
    write(tmp_path, "q", FINE)
    write(tmp_path, "one.run", RUN)
    write(tmp_path, "two.run", RUN)
    found = hj.audit(str(tmp_path / "q"), str(tmp_path / "*.run"))
    assert [error.code for error in found.errors] == ["same-name"]
    assert "runs: 2 systems (one, two)" in str(found)


def test_reading_still_stops_at_the_first_error(tmp_path):
    write(tmp_path, "q.csv", "qid,docno,label\n1,a\n1,b\n1,c,1\n")
    with pytest.raises(InputError) as caught:
        hj.read_qrels(str(tmp_path / "q.csv"))
    assert (caught.value.line, caught.value.code) == (2, "wrong-columns")
    assert "such" not in str(caught.value)


def test_labels_below_0_are_not_counted_as_judged():
    found = str(hj.audit({"1": {"a": 1, "b": -2, "c": 0}}, {"s": {"1": {"a": 1.0}}}))
    assert "labels: 2 documents judged for 1 topic\n" in found
    assert "labels below 0: 1 document pooled, but not judged\n" in found
    assert "below 0" not in str(hj.audit({"1": {"a": 1, "c": 0}}, {"s": {"1": {"a": 1.0}}}))
