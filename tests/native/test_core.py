"""Limits of the native core, and its portability."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest

import hungjury as hj
from builders.paths import ROOT
from hungjury import native
from hungjury.native import _core

OTHERS = """
import io, sys
import hungjury as hj
from hungjury.data.alignment import align
from hungjury.data.runs import read_runs
from hungjury.data.labels import read_qrels

qrels = read_qrels({"1": {"d1": 1}})
runs = read_runs(io.BytesIO(b"".join(b"1 Q0 d%d 1 %d t\\n" % (i, -i) for i in range(50))))
found = align(runs, qrels.pool, others=50)
print(sorted(found.others.hash.tolist()))
"""


USED = """
import io, sys
import hungjury as hj
from hungjury.native import _core

_core.warn_of_leaks()
made = hj.simulate(systems=3, topics=4, depth=20)
hj.leaderboard(made.judgments, made.runs, "nDCG@10", "em-mv", draws=100, gold=made.gold)
hj.evaluate(made.gold, made.runs, ["AP", "nDCG@10"])
table = "topic,document,judge,label\\n1,a,x,1\\n1,b,y,0\\n"
for odd in ("", '1,"c",x,1\\n', "1,c,x\\n"):
    print(hj.audit(io.StringIO(table + odd), {"1": {"a": 1.0}}, judgments=True).exit_code)
try:
    hj.read_runs(io.StringIO("1 Q0 a 1 2 t\\n1 Q0\\n"))
except hj.HungjuryError as error:
    kept = error
"""


KEPT = """
import ctypes
import hungjury as hj
from hungjury.native import _core

_core.warn_of_leaks()
ctypes.pythonapi.Py_IncRef(ctypes.py_object(hj.read_runs({"1": {"a": 1.0}}).stores))
"""


def test_no_object_outlives_the_interpreter():
    """Bindings count references right; one reference too many is noticed."""
    done, kept = (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for code in (USED, KEPT)
    )
    assert done.stdout.split() == ["0", "0", "2"]
    assert "leaked" not in done.stderr
    assert "leaked" in kept.stderr


def test_offsets_of_ids_never_wrap():
    """A list of ids knows where each ends. With offsets of 8 bits, what 64 bits do after 2^64 bytes
    happens after 256: the list is refused, and ids before that are those that were added."""
    fits = ["x" * 60] * 4 + ["y" * 15]  # 255 bytes
    assert _core.narrow_list_ids(fits) == fits
    for ids in (["x" * 60] * 5, ["x" * 200, "y" * 56], ["z" * 256], ["ab"] * 128):
        with pytest.raises(native.BadLine) as caught:
            _core.narrow_list_ids(ids)
        assert caught.value.args == (len(ids), "too-long", "the list of a topic is too long")


def test_hashes_differ_between_processes():
    """Ids that share a slot in one process do not in the next: none can be made that always do."""
    call = [sys.executable, "-c", OTHERS]
    there = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    here = io.StringIO()
    with contextlib.redirect_stdout(here):
        exec(OTHERS, {})
    assert len(there) == pytest.approx(len(here.getvalue()), rel=0.2)
    assert there != here.getvalue()


def test_text_after_the_tag_is_allowed():
    run = io.StringIO("1 Q0 a 1 2 tag and more text 1.5\n1 Q0 b -2 1 tag #\n1 Q0 c +3 0 tag\n")
    assert hj.read_runs(run).ranked("tag", "1") == [("a", 2.0), ("b", 1.0), ("c", 0.0)]


@pytest.mark.parametrize("rank", ["123456789", "99999999999999999999", "-99999999999999999999"])
def test_ranks_of_any_size_are_integers(rank):
    """Ranks only ever contradict scores, which is told; they order nothing."""
    lines = [f"1 Q0 a {rank} 2 t\n", "1 Q0 b 5 1 t\n"]
    scores = hj.evaluate({"1": {"a": 1, "b": 0}}, io.StringIO("".join(lines)), "AP")
    told = any(note.kind == "rank-contradicts" for note in scores.notes)
    assert told == (not rank.startswith("-"))


def test_pairs_are_placed_by_topic():
    """Against a loop: topics in the order given, the pairs of each that rows have as they came."""
    rng = np.random.default_rng(3)
    for topics, pairs, number in ((1, 1, 1), (3, 10, 4), (7, 50, 200), (5, 40, 0)):
        order = rng.permutation(topics)
        topic_of = rng.integers(topics, size=pairs, dtype=np.int32)
        rows = rng.integers(pairs, size=number, dtype=np.int32)
        listed, position, counts = native.place_pairs(order, topic_of, rows)
        used = [[p for p in range(pairs) if topic_of[p] == t and p in rows] for t in order]
        expected = [p for mine in used for p in mine]
        assert listed.tolist() == expected
        assert counts.tolist() == list(map(len, used))
        where = [expected.index(p) if p in expected else -1 for p in range(pairs)]
        assert position.tolist() == where


@pytest.mark.parametrize(
    ("order", "topic_of", "rows"),
    [([0, 2], [0], [0]), ([0, -1], [0], [0]), ([0], [1], [0]), ([0], [-1], [0]), ([0], [0], [1]),
     ([0], [0], [-1])],
)  # fmt: skip
def test_pairs_out_of_range_are_refused(order, topic_of, rows):
    with pytest.raises(IndexError):
        native.place_pairs(
            np.array(order), np.array(topic_of, dtype=np.int32), np.array(rows, dtype=np.int32)
        )


# The native code is ISO C++17: another compiler takes it without extensions or warnings.


NATIVE = ROOT / "src" / "hungjury" / "native"
SOURCES = sorted(NATIVE.glob("*.cpp"))


def nanobind_headers() -> Path:
    found = importlib.util.find_spec("nanobind")
    if found is None or found.origin is None:
        pytest.skip("nanobind is only installed while building: pip install nanobind")
    return Path(found.origin).parent / "include"


@pytest.mark.long
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_clang_compiles_without_extensions(source: Path) -> None:
    if shutil.which("clang++") is None:
        pytest.skip("clang++ is not installed")
    command = ["clang++", "-std=c++17", "-pedantic-errors", "-Wall", "-Wextra", "-Werror"]
    for folder in (sysconfig.get_paths()["include"], nanobind_headers()):
        command += ["-isystem", str(folder)]
    done = subprocess.run(
        [*command, "-fsyntax-only", str(source)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_there_are_sources() -> None:
    assert len(SOURCES) > 3
