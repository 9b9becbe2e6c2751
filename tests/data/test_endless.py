"""Sources without an end, and names of any length, are refused in a few words."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import hungjury as hj
from hungjury.base.errors import InputError
from hungjury.data.reading import sources
from hungjury.judges.families import read_families


@pytest.mark.parametrize("device", ["/dev/urandom", "/dev/zero"])
def test_devices_are_refused_by_their_first_block(
    device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for read in (hj.read_qrels, hj.read_runs):
        with pytest.raises(InputError, match="this is a device, not a file"):
            read(device)
    with open(device) as endless:
        monkeypatch.setattr(sys, "stdin", endless)
        with pytest.raises(InputError, match="this is a device, not a file"):
            hj.read_qrels("-")


def test_a_pipe_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MOST_HELD", 1 << 14)
    for size, message in ((100, None), (10_000, "cannot be read through a pipe")):
        lines = io.BytesIO(b"".join(b"1 0 d%d 1\n" % i for i in range(size)))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(lines))
        if message is None:
            assert len(hj.read_qrels("-").to_dict()["1"]) == size
        else:
            with pytest.raises(InputError, match=message):
                hj.read_qrels("-")


@pytest.mark.parametrize(
    "line", ["1 0 {id} x\n", "1 0 {id} 1\n1 0 {id} 2\n", "{id} 0 d 1 2 3 4\n", "{id}\n"]
)
def test_long_ids_are_cut_in_messages(tmp_path: Path, line: str) -> None:
    path = tmp_path / "a.qrels"
    path.write_text("1 0 d 1\n" + line.format(id="y" * (1 << 20)))
    with pytest.raises(hj.HungjuryError) as caught:
        hj.read_qrels(str(path))
    assert len(str(caught.value)) < 2000


OWN_FILES: dict[str, Callable[[str], object]] = {
    "ranker": hj.ltr.Ranker.load,
    "plan": hj.Plan.read,
    "project": hj.Project,
    "result": lambda path: hj.diff(path, path),
    "users": hj.users.user_model,
    "families": read_families,
    "clusters": lambda path: hj.evaluate("soft.qrels", "a.run", f'E(P@1, clusters="{path}")'),
}


@pytest.mark.parametrize("kind", OWN_FILES)
def test_files_of_our_own_are_not_devices_either(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("soft.qrels").write_text("1 0 a 0.5\n1 0 b 0.25\n")
    Path("a.run").write_text("1 Q0 a 1 2.0 x\n1 Q0 b 2 1.0 x\n")
    for path, told in (("/dev/zero", "/dev/zero: this is a device"), ("none", "none: cannot be")):
        with pytest.raises(InputError, match=told):
            OWN_FILES[kind](path)


@pytest.mark.parametrize("begin", [b"", b"1 0 a 1\n1 0 "])
def test_a_line_without_end_is_refused_before_it_fills_memory(begin: bytes, tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.gz"
    with gzip.open(bomb, "wb", 1) as file:
        file.write(begin)
        for _ in range(8):  # 256 MB, of which the first half is read
            file.write(bytes([97 if begin else 0]) * (32 << 20))
    said = "the line has more than 128 MB" if begin else "this is a binary file, not text"
    with pytest.raises(InputError, match=said):
        hj.read_qrels(bomb)
    assert said in hj.audit(bomb).to_text()


def test_names_of_files_are_cut_in_messages() -> None:
    with pytest.raises(InputError) as caught:
        hj.read_qrels("x" * 100_000)
    assert len(str(caught.value)) < 300
    with pytest.raises(InputError) as caught:
        hj.simulate(accuracies=list(range(5000)))
    assert len(str(caught.value)) < 600


def test_an_open_file_that_is_damaged_is_refused() -> None:
    with (
        gzip.open(io.BytesIO(b"\x1f\x8b\x08\x00" + b"x" * 50)) as damaged,
        pytest.raises(InputError, match="cannot be read") as caught,
    ):
        hj.read_qrels(damaged)
    assert caught.value.remedy == "check that it is whole"
