"""Files that are written: whole, through links, into what is no regular file, never over inputs."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from hungjury.base.errors import InputError
from hungjury.base.files import refuse_inputs, write_whole
from hungjury.cli.main import hungjury as group

QRELS = "1 0 a 1\n1 0 b 0\n"
RUN = "1 Q0 a 1 2.0 x\n1 Q0 b 2 1.0 x\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.txt").write_text(QRELS)
    (tmp_path / "r.txt").write_text(RUN)
    yield tmp_path
    names = sorted(path.name for path in tmp_path.iterdir())
    assert not [name for name in names if name.startswith(".")], "something half is left"
    assert (tmp_path / "q.txt").read_text() == QRELS
    assert (tmp_path / "r.txt").read_text() == RUN


def evaluate(*more: str) -> str:
    """The error of an evaluation; empty where it worked."""
    words = ["evaluate", "q.txt", "r.txt", "-m", "AP", "--quiet", *more]
    found = CliRunner().invoke(group, words)
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        assert isinstance(found.exception, InputError), found.exception
        return str(found.exception)
    return found.output if found.exit_code else ""


def test_a_new_file_has_the_usual_mode(here: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(here / "new", "text")
    finally:
        os.umask(before)
    assert stat.S_IMODE((here / "new").stat().st_mode) == 0o640
    assert (here / "new").read_text() == "text"


@pytest.mark.parametrize("mode", [0o600, 0o664, 0o755])
def test_a_file_keeps_its_mode_and_owner(here: Path, mode: int) -> None:
    out = here / "out"
    out.write_text("old")
    out.chmod(mode)
    if os.geteuid() == 0:
        os.chown(out, 4321, 4322)
    before = out.stat()
    assert not evaluate("-o", "out")
    after = out.stat()
    assert "AP" in out.read_text()
    assert (after.st_mode, after.st_uid, after.st_gid) == (
        before.st_mode, before.st_uid, before.st_gid,
    )  # fmt: skip


def test_a_file_of_somebody_else_stays_theirs(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the owner cannot be given back, the file is written in place."""
    out = here / "out"
    out.write_text("an old and long text")
    same = out.stat()

    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    status = os.stat_result((same.st_mode, same.st_ino, same.st_dev, 1, 4321, 4322, 3, 0, 0, 0))
    monkeypatch.setattr("hungjury.base.files._status", lambda _path: status)
    monkeypatch.setattr(os, "chown", refused)
    write_whole(out, "new")
    assert out.read_text() == "new"
    assert out.stat().st_ino == same.st_ino


def test_a_write_protected_file_is_left_alone(here: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    out = here / "out"
    out.write_text("old")
    out.chmod(0o444)
    with pytest.raises(InputError, match="Permission denied"):
        write_whole(out, "new")
    assert out.read_text() == "old"


def test_links_are_followed(here: Path) -> None:
    (here / "folder").mkdir()
    (here / "folder" / "real").write_text("old")
    (here / "link").symlink_to("second")
    (here / "second").symlink_to(Path("folder") / "real")
    assert not evaluate("-o", "link")
    assert (here / "link").is_symlink()
    assert (here / "second").is_symlink()
    assert "AP" in (here / "folder" / "real").read_text()


def test_a_link_to_nothing_makes_the_file(here: Path) -> None:
    (here / "link").symlink_to("real")
    write_whole(here / "link", "text")
    assert (here / "link").is_symlink()
    assert (here / "real").read_text() == "text"


def test_a_fifo_is_written_into(here: Path) -> None:
    os.mkfifo(here / "fifo")
    (here / "link").symlink_to("fifo")
    for name in ("fifo", "link"):
        read: list[str] = []
        reader = threading.Thread(target=lambda: read.append((here / "fifo").read_text()))  # noqa: B023
        reader.start()
        assert not evaluate("-o", name)
        reader.join(10)
        assert "AP" in read[0]
        assert stat.S_ISFIFO((here / name).stat().st_mode)


def test_a_device_is_written_into(here: Path) -> None:
    """A copy of /dev/null in a folder of the test; never the device itself."""
    try:
        os.mknod(here / "null", 0o600 | stat.S_IFCHR, os.makedev(1, 3))
        write_whole(here / "null", "nothing")
    except (PermissionError, InputError):
        pytest.skip("devices cannot be made here")
    assert not evaluate("-o", "null")
    assert stat.S_ISCHR((here / "null").stat().st_mode)
    assert stat.S_IMODE((here / "null").stat().st_mode) == 0o600


def test_a_redirected_standard_output_keeps_what_it_holds(here: Path) -> None:
    """`hungjury ... -o /dev/stdout >> log` adds to the log."""
    if not Path("/proc/self/fd").exists():
        pytest.skip("there is no /proc here")
    with (here / "log").open("a") as log:
        log.write("first\n")
        log.flush()
        write_whole(f"/proc/self/fd/{log.fileno()}", "second\n")
    assert (here / "log").read_text() == "first\nsecond\n"


@pytest.mark.parametrize("name", ["q.txt", "./r.txt", "link", "hard"])
def test_an_input_is_not_an_output(here: Path, name: str) -> None:
    (here / "link").symlink_to("q.txt")
    os.link(here / "r.txt", here / "hard")
    assert "it is an input" in evaluate("-o", name)


def test_an_input_named_by_a_pattern_is_not_an_output(here: Path) -> None:
    words = ["evaluate", "q.txt", "r.*", "-m", "AP", "-o", "r.txt"]
    assert "it is an input" in str(CliRunner().invoke(group, words).exception)


def test_a_file_in_a_folder_of_inputs_is_not_overwritten(here: Path) -> None:
    (here / "fold").mkdir()
    (here / "fold" / "train.txt").write_text("1 qid:1 1:1\n")
    with pytest.raises(InputError, match="it is an input"):
        refuse_inputs([here / "fold" / "train.txt"], [here / "fold"])
    refuse_inputs([here / "fold" / "new.txt", here / "other"], [here / "fold", here / "absent"])


def test_two_outputs_are_two_files(here: Path) -> None:
    (here / "out").write_text("")
    (here / "link").symlink_to("out")
    with pytest.raises(InputError, match="two outputs"):
        refuse_inputs([here / "out", here / "link"], [])
    (here / "new link").symlink_to("new")
    for other in ("new", "./new", "new link"):
        with pytest.raises(InputError, match="two outputs"):
            refuse_inputs([str(here / "new"), f"{here}/{other}"], [])
    refuse_inputs([here / "new", here / "newer"], [])
    os.mkfifo(here / "fifo")
    refuse_inputs([here / "fifo", here / "fifo"], [here / "fifo"])


def test_a_tag_is_not_an_input(here: Path) -> None:
    """A run is often tagged with its own name."""
    from hungjury.cli.main import finished
    from hungjury.cli.options import new_file, word

    done: list[str] = []

    @click.command()
    @click.option("--tag", type=word)
    @click.option("--input", "read")
    @click.option("-o", "output", type=new_file)
    def command(tag: str, read: str, output: str) -> None:
        done.append(output)

    (here / "a.run").write_text("")
    ready = finished(command)
    assert CliRunner().invoke(ready, ["--tag", "a.run", "-o", "a.run"]).exit_code == 0
    assert done == ["a.run"]
    assert CliRunner().invoke(ready, ["--input", "a.run", "-o", "a.run"]).exit_code == 1


def test_a_folder_is_not_a_file(here: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        write_whole(here, "text")
