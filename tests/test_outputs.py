"""Files of every kind: through links, keeping modes, or to stdout; and JSON of every command."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from hungjury.cli.main import hungjury as group
from hungjury.errors import HungjuryError

PANEL = ["--judges", "judges/*", "--runs", "runs/*"]
FILES = ["gold.qrels", "runs/*"]


def run(*words: str) -> str:
    done = CliRunner().invoke(group, words)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code in (0, 1), done.output
    return done.stdout


def simulate(folder: Path, **more: int) -> None:
    size = {"systems": 3, "topics": 5, "documents": 20, "depth": 10} | more
    words = [word for name, value in size.items() for word in (f"--{name}", str(value))]
    run("simulate", "-o", str(folder), *words, "--quiet")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("outputs") / "demo"
    simulate(folder)
    return folder


@pytest.fixture
def here(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(made)
    return made


WRITERS = {
    "report": (["leaderboard", *PANEL, "--draws", "100", "--report"], "html", "<!doctype"),
    "board": (["leaderboard", *PANEL, "--draws", "100", "-o"], "txt", "nDCG@10"),
    "plan": (["plan", *PANEL, "--budget", "10", "-o"], "csv", "# hungjury plan"),
    "merged": (["merge", "--judges", "judges/*", "--rel", "1", "-o"], "qrels", " 0 doc"),
    "soft": (
        ["prm", "--judges", "judges/*", "--rel", "1", "--qrels", "gold.qrels", "--soft"],
        "qrels",
        " 0 doc",
    ),
    "picture": (["curve", *FILES, "-o"], "svg", "<svg"),
    "data": (["curve", *FILES, "-o"], "csv", "IPrec@"),
}


@pytest.mark.parametrize("kind", WRITERS)
def test_files_are_written_through_links_and_keep_their_mode(
    here: Path, tmp_path: Path, kind: str
) -> None:
    words, ending, part = WRITERS[kind]
    if ending == "svg":
        pytest.importorskip("matplotlib")
    real, link = tmp_path / "real", tmp_path / f"link.{ending}"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    run(*words, str(link), "--quiet")
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    assert part in real.read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == [link.name, "real"]


@pytest.mark.parametrize("kind", [kind for kind, (words, *_) in WRITERS.items()
                                  if words[-1] == "-o" and kind != "picture"])  # fmt: skip
def test_a_dash_is_standard_output(here: Path, kind: str) -> None:
    words, _, part = WRITERS[kind]
    found = run(*words, "-", "--quiet")
    assert part in found
    assert found == run(*words[:-1], "--quiet")
    assert not (here / "-").exists()


JSON = {
    "evaluate": [*FILES, "-q", "-m", "AP", "-m", "nDCG@10", "-m", "ERR", "-m", "Bpref"],
    "compare": [*FILES, "-m", "AP"],
    "leaderboard": [*PANEL, "--draws", "100"],
    "agreement": ["--judges", "judges/*"],
    "aware": [*PANEL],
    "prm": ["--judges", "judges/*", "--rel", "1", "--draws", "20"],
    "audit": [*FILES],
    "measures": [],
}
ODD: dict[str, dict[str, int]] = {
    "usual": {},
    "one topic": {"topics": 1},
    "one system": {"systems": 1},
}


def refuse(constant: str) -> Any:
    raise AssertionError(f"{constant} is not JSON")


@pytest.fixture(scope="module")
def collections(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("odd")
    out = {name: root / name.replace(" ", "-") for name in [*ODD, "one judge", "nothing relevant"]}
    for name, size in ODD.items():
        simulate(out[name], **size)
    for name in ("one judge", "nothing relevant"):
        simulate(out[name])
    for path in sorted((out["one judge"] / "judges").iterdir())[1:]:
        path.unlink()
    empty = out["nothing relevant"]
    for path in [empty / "gold.qrels", *(empty / "judges").iterdir()]:
        lines = [line.split()[:3] for line in path.read_text().splitlines()]
        path.write_text("".join(f"{' '.join(words)} 0\n" for words in lines))
    return out


@pytest.mark.parametrize("kind", [*ODD, "one judge", "nothing relevant"])
@pytest.mark.parametrize("name", JSON)
def test_json_has_no_numbers_that_json_lacks(
    collections: dict[str, Path], monkeypatch: pytest.MonkeyPatch, name: str, kind: str
) -> None:
    """A result whose numbers are numbers or null, or an error that says what to do."""
    monkeypatch.chdir(collections[kind])
    refused: HungjuryError | None = None
    try:
        assert json.loads(run(name, *JSON[name], "--format", "json"), parse_constant=refuse)
    except HungjuryError as error:
        refused = error
    assert refused is None or (kind != "usual" and refused.remedy)
