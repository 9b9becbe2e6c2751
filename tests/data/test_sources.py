"""Labels and runs from wherever they are: paths, patterns, pipes, packed or not, read in parts."""

import bz2
import contextlib
import gzip
import io
import lzma
import os
import random
import sys
import threading
import time
from pathlib import Path

import lz4.frame
import numpy as np
import pytest
import zstandard

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
from hungjury import native
from hungjury.base.errors import HungjuryError, InputError, MissingExtra
from hungjury.data.alignment import align
from hungjury.data.reading import compressed, sources
from hungjury.data.runs import as_runs


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


# Compressed files: the same result as from the plain file, whole or refused.


MANY_LABELS = b"".join(b"%d 0 d%d %d\n" % (t, d, d % 3) for t in range(20) for d in range(200))
RUN = b"".join(
    b"%d Q0 d%d %d %d tag\n" % (t, d * 7 % 400, d, -d) for t in range(20) for d in range(300)
)
ZSTD = zstandard.ZstdCompressor(write_checksum=True)
PACK = {
    "gz": lambda data: gzip.compress(data, mtime=0),
    "gz, many members": lambda data: b"".join(
        gzip.compress(data[i : i + 5000], mtime=0) for i in range(0, len(data), 5000)
    ),
    "xz": lzma.compress,
    "bz2": bz2.compress,
    "zstd": ZSTD.compress,
    "lz4": lz4.frame.compress,
    "lz4, many frames": lambda data: b"".join(
        lz4.frame.compress(data[i : i + 5000]) for i in range(0, len(data), 5000)
    ),
    "zstd, many frames": lambda data: b"".join(
        ZSTD.compress(data[i : i + 5000]) for i in range(0, len(data), 5000)
    ),
}  # fmt: skip


@pytest.fixture(params=[False, True], ids=["in turn", "ahead"])
def beside(request, monkeypatch):
    """Decompress in the reading thread, or ahead of it."""
    monkeypatch.setattr(sources, "SMALL", 0 if request.param else 1 << 60)
    monkeypatch.setattr(sources, "CHUNK", 1000)
    monkeypatch.setenv("HUNGJURY_THREADS", "2")


@pytest.mark.parametrize("kind", PACK)
def test_compressed_files_are_read_as_plain_ones(tmp_path, kind, beside):
    plain = hj.evaluate(io.BytesIO(MANY_LABELS), io.BytesIO(RUN), ["AP", "nDCG@10"])
    qrels, run = tmp_path / "qrels", tmp_path / "x.run.zst"
    qrels.write_bytes(PACK[kind](MANY_LABELS))
    run.write_bytes(PACK[kind](RUN))
    assert hj.evaluate(qrels, run, ["AP", "nDCG@10"]).to_dict() == plain.to_dict()
    assert hj.evaluate(qrels, hj.read_runs(run), ["AP", "nDCG@10"]).to_dict() == plain.to_dict()
    assert hj.read_runs(run, names="stem").systems == ["x"]


@pytest.mark.parametrize("kind", PACK)
@pytest.mark.parametrize("cut", [0.3, 0.9, None])
def test_damaged_files_are_refused(tmp_path, kind, cut, beside):
    packed = PACK[kind](RUN)
    middle = len(packed) // 2
    bad = packed[: int(len(packed) * cut)] if cut else bytearray(packed)
    if not cut:
        bad[middle : middle + 8] = b"\x00\xff" * 4
    path = tmp_path / "x.run"
    path.write_bytes(bad)
    with pytest.raises(InputError, match="truncated or damaged") as caught:
        hj.read_runs(path)
    assert caught.value.file == str(path)


@pytest.mark.parametrize(("kind", "package"), [("zstd", "zstandard"), ("lz4", "lz4")])
def test_a_missing_decompressor_is_named(tmp_path, kind, package, monkeypatch):
    path = tmp_path / "x.run"
    path.write_bytes(PACK[kind](RUN))
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=f"x.run needs the package {package}") as caught:
        hj.read_runs(path)
    assert caught.value.remedy.startswith(f"pip install {package}, or 'hungjury[tables]'")


@pytest.mark.parametrize("kind", ["gz", "xz", "bz2"])
def test_zeros_behind_the_last_member_are_no_damage(tmp_path, kind):
    """Tapes and block devices fill the last block with them."""
    path = tmp_path / "x.run"
    path.write_bytes(PACK[kind](RUN) + bytes(1 << 16))
    assert hj.read_runs(path).to_dict() == hj.read_runs(io.BytesIO(RUN)).to_dict()


def test_an_error_in_a_line_ends_the_thread_that_decompresses(tmp_path, beside):
    path = tmp_path / "x.run"
    path.write_bytes(gzip.compress(RUN[:3000] + b"a bad line\n" + RUN))
    with pytest.raises(InputError, match="expected 6 columns"):
        hj.read_runs(path)


def test_gz_pieces_read_ahead_stay_as_they_are_while_used(tmp_path):
    path, text = tmp_path / "run.gz", random.Random(0).randbytes(3_000_000)
    path.write_bytes(gzip.compress(text, 1))
    found = []
    for piece in sources.Source("run", str(path)).pieces(1 << 16, read_ahead=True):
        time.sleep(0.001)  # the next ones are decompressed meanwhile
        found.append(bytes(piece))
    assert len(found) > 40
    assert b"".join(found) == text


def test_pieces_made_ahead_are_not_overwritten_while_used():
    buffers = [memoryview(bytearray(4)) for _ in range(4)]

    def pieces():
        for i in range(100):
            view = buffers[i % 4]
            view[:] = i.to_bytes(4, "little")
            yield view

    made = compressed.ahead(pieces(), 2)
    assert [int.from_bytes(piece, "little") for piece in made] == list(range(100))


# A large file read in parts beside each other gives what one reader gives, errors included.


LABELS = {str(t): {"a": 1, "b": 0, "c": 2} for t in range(0, 40, 2)}
FOUR = ["AP", "nDCG@3", "Judged@2", "NumRet"]


def lines_of(rng, topics=40):
    """A run: lists of any length, some topics unjudged, scores with ties."""
    rows = []
    for topic in range(topics):
        documents = rng.sample("abcdefghij", rng.randint(1, 8))
        rows += [f"{topic} Q0 {d} {i} {rng.choice('123.')}.5 sys" for i, d in enumerate(documents)]
    return [row.replace("..", ".") for row in rows]


def outcome(path, threads, monkeypatch):
    """Scores and notes, or the whole error."""
    monkeypatch.setenv("HUNGJURY_THREADS", str(threads))
    try:
        scores = hj.evaluate(LABELS, path, FOUR)
    except HungjuryError as error:
        return str(error)
    return scores.systems, scores.topics, scores.values.tolist(), scores.notes


@pytest.fixture
def small_parts(monkeypatch):
    monkeypatch.setattr(sources, "LARGE", 100)


def test_parts_hold_all_bytes_and_topics_stay_whole(tmp_path, small_parts):
    path = tmp_path / "run"
    path.write_text("\n".join(lines_of(random.Random(1))))
    whole = sources.Source(str(path), path)
    for number in (2, 3, 5):
        parts = whole.parts(number)
        assert len(parts) == number
        contents = [part.content() for part in parts]
        assert b"".join(contents) == path.read_bytes()
        topics = [{line.split()[0] for line in c.splitlines()} for c in contents]
        assert sum(map(len, topics)) == len(set().union(*topics))


def test_a_file_without_a_place_to_cut_stays_whole(tmp_path, small_parts):
    path = tmp_path / "run"
    path.write_text("".join(f"1 Q0 d{i} 1 1 sys\n" for i in range(100)))
    assert sources.Source(str(path), path).parts(2) == [sources.Source(str(path), path)]
    packed = tmp_path / "run.gz"
    packed.write_bytes(gzip.compress("\n".join(lines_of(random.Random(1))).encode(), 0))
    assert len(sources.Source(str(packed), packed).parts(2)) == 1


def spoilt(rng, rows):
    """Something odd or wrong somewhere."""
    at = rng.randrange(len(rows))
    kind = rng.randrange(8)
    if kind == 0:
        rows[at] = rows[at].rsplit(" ", 1)[0]  # too few columns
    elif kind == 1:
        rows[at] = rows[at].replace(".5 ", ".x ")
    elif kind == 2:
        rows.insert(at, rows[at])  # a document twice
    elif kind == 3:
        rng.shuffle(rows)  # lines of a topic not together
    elif kind == 4:
        rows[at] = rows[at].replace("sys", "other")
    elif kind == 5:
        rows[at] = "# " + rows[at]
    elif kind == 6:
        rows.insert(at, "")
    else:
        rows.append(rows[0])  # the first topic comes back
    return rows


def test_any_number_of_cores_gives_the_same_scores_notes_and_errors(
    tmp_path, small_parts, monkeypatch
):
    rng = random.Random(7)
    path = tmp_path / "run"
    failed = 0
    for _ in range(24):
        rows = lines_of(rng)
        for _ in range(rng.randrange(3)):
            rows = spoilt(rng, rows)
        path.write_text("\n".join(rows) + rng.choice(["", "\n", "\r\n"]))
        alone = outcome(str(path), 1, monkeypatch)
        failed += isinstance(alone, str)
        for threads in (2, 3):
            assert outcome(str(path), threads, monkeypatch) == alone
    assert 4 < failed < 20


def test_parts_are_indeed_read(tmp_path, small_parts, monkeypatch):
    seen = []
    whole = sources.Source.pieces
    monkeypatch.setattr(
        sources.Source,
        "pieces",
        lambda self, *a, **k: seen.append(self.begin) or whole(self, *a, **k),
    )
    path = tmp_path / "run"
    path.write_text("\n".join(lines_of(random.Random(1))))
    outcome(str(path), 2, monkeypatch)
    assert any(seen)


def test_ids_outside_the_pool_survive_the_joining_of_parts(tmp_path, small_parts, monkeypatch):
    path = tmp_path / "run"
    path.write_text("\n".join(lines_of(random.Random(1))))
    found = []
    for threads in (1, 3):
        monkeypatch.setenv("HUNGJURY_THREADS", str(threads))
        others = align(as_runs(str(path)), hj.read_qrels(LABELS).pool, others=10, named=True).others
        rows = range(len(others.rank))
        found.append([(others.topic[k], others.rank[k], others.id(k)) for k in rows])
    assert found[0] == found[1]
    assert len(found[0]) > 20


def test_numbers_are_those_python_reads():
    """Every length and every place of the dot, with and without a sign, to the last bit."""
    rng = random.Random(3)
    texts = []
    for size in range(1, 21):
        for dot in range(-1, size + 1):
            digits = "".join(rng.choice("0123456789") for _ in range(size))
            number = digits if dot < 0 else f"{digits[:dot]}.{digits[dot:]}"
            texts += [number, f"-{number}", f"+{number}", f"0{number}", f"{number}e-3"]
    for end in ("", "\n"):  # at the very end of a file and before its end
        table = native.LabelTable()
        table.feed("\n".join(f"1 0 d{i} {t}" for i, t in enumerate(texts)).encode() + end.encode())
        table.finish()
        read = table.take_columns()["label"]
        assert np.array_equal(read, [float(t) for t in texts])


def test_queries_alone_are_not_a_dataset_in_the_form_of_beir(tmp_path):
    queries = tmp_path / "queries.jsonl"
    queries.write_text('{"_id": "1", "text": "who?"}\n')
    assert [one.path for one in sources.expand(tmp_path, "queries")] == [str(tmp_path)]
    (tmp_path / "corpus.jsonl").write_text('{"_id": "a", "text": "me"}\n')
    assert [one.path for one in sources.expand(tmp_path, "queries")] == [str(queries)]
