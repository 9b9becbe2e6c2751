"""Files that are not there, cannot be read or do not fit together."""

import gzip
import io
import os
import sys
from functools import cache

import numpy as np
import pandas
import pytest

import hungjury as hj
from builders.bad_input import GOOD_QRELS, GOOD_RUN, QRELS, RUN, complaint, refused, write
from hungjury.base.errors import InputError, UnknownName

# places


def everywhere(source):
    """All that read from a place."""
    return [
        lambda: hj.read_qrels(source),
        lambda: hj.read_runs(source),
        lambda: hj.read_judgments([source, source]),
        lambda: hj.evaluate(source, RUN, "AP"),
        lambda: hj.evaluate(QRELS, source, "AP"),
    ]


@cache
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
    refused(lambda: hj.read_judgments(panel), "both files and directories", file=str(folder))


def test_paths_where_nothing_is(tmp_path):
    path = str(tmp_path / "missing.txt")
    for call in everywhere(path):
        refused(call, "no such file", file=path)
    refused(lambda: hj.read_qrels("1 0 a 1\n"), "no such file", file="1 0 a 1\n")
    refused(lambda: hj.read_qrels("a\0b"), "source has a character that cannot be written")


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
    [None, 3, 2.5, b"1 0 a 1\n", [3], [None], [[]], object(), len, np.arange(3), [b"x"], True],
    ids=["None", "3", "2.5", "bytes", "[3]", "[None]", "[[]]", "object", "function", "array",
         "[bytes]", "True"],
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


# several files together


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
            lambda policy=policy: hj.read_judgments(paths, duplicates=policy),
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
    assert hj.read_judgments(path).judges == ["ann"]
    table = write(tmp_path, "t.csv", "qid,docno,label\n1,a,1\n")
    assert hj.read_judgments(table).judges == ["t"]


def test_a_judge_who_is_not_there():
    panel = hj.read_judgments({"ann": QRELS, "bob": QRELS})
    refused(lambda: panel.qrels_of("carl"), ("'carl'", "ann, bob"), error=UnknownName)


def test_no_common_topic(tmp_path):
    path = write(tmp_path, "x.run", "q1 Q0 a 1 1 t\n")
    says = ("no topic in common", "1, 2")
    refused(lambda: hj.evaluate(QRELS, path, "AP"), says)
    refused(lambda: hj.evaluate(QRELS, {"q1": {"a": 1.0}}, "AP"), says)
    refused(lambda: hj.evaluate(QRELS, RUN, "AP", topics=["7"]), "topic '7' has no judgments")
