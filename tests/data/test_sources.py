"""Labels and runs from wherever they are: paths, patterns, open files, pipes, packed or not."""

import contextlib
import gzip
import io
import os
import sys
import threading
from pathlib import Path

import pytest

import hungjury as hj
from builders.reading import (
    MEASURES,
    QRELS,
    RUNS,
    assert_same,
    gzipped,
    joined,
    qrels_rows,
    run_rows,
    write,
)


def from_stdin(path, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path(path).read_bytes())))
    return "-"


def in_two_members(path):
    data = Path(path).read_bytes()
    target = Path(path).with_name("two.gz")
    target.write_bytes(gzip.compress(data[:17]) + gzip.compress(data[17:]))
    return target


def opened(path, close_later, mode, **how):
    stream = open(path, mode, **how)  # noqa: SIM115 - the fixture closes it
    close_later.append(stream)
    return stream


WHERE = {
    "path": lambda p, m, c: p,
    "Path": lambda p, m, c: Path(p),
    "glob": lambda p, m, c: str(Path(p).parent / "th*.t?t"),
    "deep glob": lambda p, m, c: str(Path(p).parent.parent / "**" / "the[f]ile.txt"),
    "list": lambda p, m, c: [p],
    "tuple of Path": lambda p, m, c: (Path(p),),
    "list in a list": lambda p, m, c: [[p]],
    "generator": lambda p, m, c: (x for x in [p]),
    "text file": lambda p, m, c: opened(p, c, "r", encoding="utf-8"),
    "binary file": lambda p, m, c: opened(p, c, "rb"),
    "open gz": lambda p, m, c: opened(gzipped(p, "x.gz"), c, "rb"),
    "StringIO": lambda p, m, c: io.StringIO(Path(p).read_text(encoding="utf-8")),
    "BytesIO": lambda p, m, c: io.BytesIO(Path(p).read_bytes()),
    "gz": lambda p, m, c: gzipped(p, "zipped.txt.gz"),
    "gz without the ending": lambda p, m, c: gzipped(p, "zipped.txt"),
    "gz in two members": lambda p, m, c: in_two_members(p),
    "stdin": lambda p, m, c: from_stdin(p, m),
    "gz on stdin": lambda p, m, c: from_stdin(gzipped(p, "x.gz"), m),
}


@pytest.fixture(params=list(WHERE))
def place(request, tmp_path, monkeypatch):
    """A function that turns bytes into a source of the asked kind."""
    close_later = []
    folder = tmp_path / "thefolder"
    folder.mkdir()

    def put(content):
        return WHERE[request.param](write(folder, "thefile.txt", content), monkeypatch, close_later)

    yield put
    for stream in close_later:
        stream.close()


def test_labels_from_anywhere(place):
    qrels = hj.read_qrels(place(joined(qrels_rows())))
    assert qrels.to_dict() == QRELS
    assert qrels.topics == ["2", "10", "q-1"]
    assert qrels.notes == ()


def test_runs_from_anywhere(place):
    runs = hj.read_runs(place(joined(run_rows(RUNS["alpha"], "alpha"))))
    assert runs.to_dict() == {"alpha": RUNS["alpha"]}
    assert runs.notes == ()


def test_scores_from_anywhere(place):
    from_memory = hj.evaluate(QRELS, hj.read_runs({"alpha": RUNS["alpha"]}), MEASURES)
    streamed = hj.evaluate(QRELS, place(joined(run_rows(RUNS["alpha"], "alpha"))), MEASURES)
    assert_same(streamed, from_memory)


def test_judges_from_anywhere(place):
    rows = [(t, a, d, label) for t, _, d, label in qrels_rows() for a in ("ann", "bob")]
    judgments = hj.read_judgments(place(joined(rows)), judge_column="iteration")
    assert judgments.judges == ["ann", "bob"]
    assert judgments.qrels_of("bob").to_dict() == QRELS


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("packed", [False, True])
def test_labels_from_a_pipe(tmp_path, packed):
    """What a shell makes of <(zcat qrels.gz): it can be read once and not wound back."""
    pipe, content = tmp_path / "pipe", joined(qrels_rows())
    os.mkfifo(pipe)
    got = []

    def fill():
        with contextlib.suppress(BrokenPipeError):
            pipe.write_bytes(gzip.compress(content) if packed else content)

    def read():
        try:
            got.append(hj.read_qrels(str(pipe)).to_dict())
        except Exception as error:
            got.append(error)

    threads = [threading.Thread(target=work, daemon=True) for work in (fill, read)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5)
    assert got == [QRELS]


def test_several_files_of_labels_are_one_set(tmp_path):
    rows = qrels_rows()
    paths = [write(tmp_path, f"{i}.qrels", joined(part)) for i, part in
             enumerate([rows[:3], rows[3:4], rows[4:]])]  # fmt: skip
    assert hj.read_qrels(paths).to_dict() == QRELS
    assert hj.read_qrels(str(tmp_path / "*.qrels")).to_dict() == QRELS
    assert hj.read_qrels(Path(p) for p in paths).to_dict() == QRELS


def test_several_runs_keep_the_order_they_were_given_in(tmp_path):
    paths = [write(tmp_path, f"{n}.run", joined(run_rows(RUNS[n], n))) for n in ("beta", "alpha")]
    assert hj.read_runs(paths).systems == ["beta", "alpha"]
    assert hj.read_runs(str(tmp_path / "*.run")).systems == ["alpha", "beta"]
    assert hj.evaluate(QRELS, iter(paths), "AP").systems == ["beta", "alpha"]
    assert hj.read_runs(paths).to_dict() == RUNS
    seen = []
    hj.read_runs(paths, progress=lambda *step: seen.append(step[:2]))
    assert seen == [(1, 2), (2, 2)]


def test_a_name_with_glob_characters_is_a_file_first(tmp_path):
    path = write(tmp_path, "run[1]*.txt", joined(run_rows(RUNS["beta"], "beta")))
    write(tmp_path, "run1x.txt", "not a run")
    assert hj.read_runs(path).to_dict() == {"beta": RUNS["beta"]}


def test_reading_leaves_no_file_open(tmp_path, recwarn):
    packed = gzipped(write(tmp_path, "q", joined(qrels_rows())), "q.gz")
    hj.read_qrels(packed)
    hj.read_qrels(str(tmp_path / "q"))
    assert [str(w.message) for w in recwarn if w.category is ResourceWarning] == []
