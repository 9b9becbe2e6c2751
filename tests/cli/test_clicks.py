"""`hungjury clicks` and the pictures of users."""

from __future__ import annotations

import random

import pytest
from click.testing import CliRunner

from hungjury.base.errors import InputError
from hungjury.cli.clicks import clicks_command
from hungjury.users.model import Dynamic, LogReport, UserClass, UserModel, user_model

pytest.importorskip("ibis", reason="counting clicks needs ibis (extra 'clicks')")


@pytest.fixture
def log(tmp_path):
    chance = random.Random(1)
    lines = ["session,query,rank,time"]
    for number in range(600):
        session = number // 4
        rank = chance.choice([1, 1, 1, 2, 3, 4, 12])
        lines.append(f"{session},q{session % 4},{rank},{number}")
    path = tmp_path / "log.csv"
    path.write_text("\n".join(lines) + "\n")
    labels = tmp_path / "labels.txt"
    labels.write_text("q0 0 a 1\nq1 0 a 1\nq1 0 b 1\nq2 0 a 0\n")
    return str(path), str(labels)


def run(*arguments: str):
    return CliRunner().invoke(clicks_command, list(arguments), catch_exceptions=False)


@pytest.mark.usefixtures("laid_out")
def test_a_model_and_a_picture_are_made(log, tmp_path):
    path, labels = log
    model, picture = tmp_path / "users.json", tmp_path / "users.svg"
    done = run(path, "--qrels", labels, "-o", str(model), "--plot", str(picture))
    assert done.exit_code == 0
    assert "share of backward moves" in done.stdout
    assert "navigational" in done.stdout
    assert "clicks outside the ranks of the page" in done.stderr
    assert "queries without labels" in done.stderr
    assert "ranks without a click in class 'navigational': 5, 6, 7, 8, 9 and 1 more" in done.stderr
    saved = UserModel.load(model)
    assert [c.name for c in saved.classes] == ["navigational", "informational"]
    law = saved["navigational"].stationary[0]
    assert f"{law:.4f}" in done.stdout
    text = picture.read_text()
    assert text.lstrip().startswith("<?xml")


def test_quiet_tells_no_notes(log):
    done = run(log[0], "--quiet")
    assert done.stderr == ""
    assert done.stdout.startswith(" ")


def test_errors_reach_the_command(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("session,rank\n")
    with pytest.raises(InputError, match="contains no clicks"):
        run(str(path))


@pytest.mark.long
def test_pictures_of_every_kind_of_model(tmp_path):
    flat = UserClass("all", (0.25,) * 4, Dynamic(0.0, 0.0, 0.25, None, 0.0))
    for name, model in (
        ("shape", user_model("published-shape")),
        ("flat", UserModel((flat,), log=LogReport())),
    ):
        plot = model.plot()
        for ending, head in {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}.items():
            path = tmp_path / f"{name}.{ending}"
            plot.save(path)
            assert path.read_bytes().startswith(head)
