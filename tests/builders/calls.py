"""A folder of what commands read, and calls of commands in it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import hungjury as hj
from hungjury.cli.main import hungjury as group


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A panel with gold labels, and what other commands make of it."""
    where = tmp_path_factory.mktemp("calls")
    made = hj.simulate(systems=4, topics=6, documents=30, depth=12, grades=3, seed=4)
    made.write(where)
    labels, runs = made.judgments, made.runs
    hj.plan(labels, runs, ["nDCG@10"], 12).write(where / "plan.csv")
    scores = hj.evaluate(made.gold, made.runs, ["AP", "P@5"])
    lines = [
        f"{system},{topic},{scores.values[0, s, t]:.6f},{scores.values[1, s, t]:.6f}\n"
        for s, system in enumerate(scores.systems)
        for t, topic in enumerate(scores.topics)
    ]
    (where / "scores.csv").write_text("system,topic,AP,P@5\n" + "".join(lines))
    rows = [
        f"s{s},t{t},j{j},{1 + (s * t + j * (s + t)) % 5}\n"
        for s in range(3) for t in range(6) for j in range(3)
    ]  # fmt: skip
    (where / "answers.csv").write_text("system,topic,judge,score\n" + "".join(rows))
    hj.merge(labels, "binmv", 1).plain().write(where / "soft.qrels")
    topics = [f"{topic},{'odd' if t % 2 else 'even'}\n" for t, topic in enumerate(scores.topics)]
    (where / "slices.csv").write_text("topic,group\n" + "".join(topics))
    lines = (where / "gold.qrels").read_text().splitlines(True)
    (where / "few.qrels").write_text("".join(lines[:40]))
    other = hj.simulate(systems=4, topics=5, documents=30, depth=12, grades=3, seed=5)
    other.write(where / "other")
    made.write(where / "one")
    return where


@pytest.fixture(autouse=True)
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder)
    return folder


def call(*words: str) -> Result:
    done = CliRunner().invoke(group, list(words))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done
