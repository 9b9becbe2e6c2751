"""Compressed files: the same result as from the plain file, whole or refused."""

import bz2
import gzip
import io
import lzma

import pytest
import zstandard

import hungjury as hj
from hungjury.base.errors import InputError
from hungjury.data.reading import compressed, sources

QRELS = b"".join(b"%d 0 d%d %d\n" % (t, d, d % 3) for t in range(20) for d in range(200))
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
    plain = hj.evaluate(io.BytesIO(QRELS), io.BytesIO(RUN), ["AP", "nDCG@10"])
    qrels, run = tmp_path / "qrels", tmp_path / "x.run.zst"
    qrels.write_bytes(PACK[kind](QRELS))
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


def test_an_error_in_a_line_ends_the_thread_that_decompresses(tmp_path, beside):
    path = tmp_path / "x.run"
    path.write_bytes(gzip.compress(RUN[:3000] + b"a bad line\n" + RUN))
    with pytest.raises(InputError, match="expected 6 columns"):
        hj.read_runs(path)


def test_pieces_made_ahead_are_not_overwritten_while_used():
    buffers = [memoryview(bytearray(4)) for _ in range(4)]

    def pieces():
        for i in range(100):
            view = buffers[i % 4]
            view[:] = i.to_bytes(4, "little")
            yield view

    made = compressed.ahead(pieces(), 2)
    assert [int.from_bytes(piece, "little") for piece in made] == list(range(100))
