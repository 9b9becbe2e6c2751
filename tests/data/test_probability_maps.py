"""Grades that become probabilities at reading: map={0: 0.05, 1: 0.3}, --map 0:0.05,1:0.3."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import hungjury as hj
from hungjury.base.errors import InputError
from hungjury.cli.main import hungjury as command

P = {0: 0.05, 1: 0.3, 2: 0.95}
TEXT = "0:0.05,1:0.3,2:0.95"
QRELS = {"1": {"a": 0, "b": 1, "c": 2, "d": 1}, "2": {"a": 2, "b": 0}}
RUNS = {"s": {"1": {"b": 4.0, "a": 3.0, "c": 2.0, "x": 1.0}, "2": {"b": 2.0, "a": 1.0}}}
# With a map at reading, documents without a label count nothing, unless a measure says otherwise.
MEASURES = {
    "eRAP": "eRAP(prob=[0.05, 0.3, 0.95], unjudged=0)",
    "eRRBP(p=0.8)": "eRRBP(p=0.8, prob=[0.05, 0.3, 0.95], unjudged=0)",
    "eRDCG(base=2)": "eRDCG(base=2, prob=[0.05, 0.3, 0.95], unjudged=0)",
    "eRAP(unjudged=0.05)": "eRAP(prob=[0.05, 0.3, 0.95])",
}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """The same labels as a qrels file and as a table, and a run."""
    rows = [(t, d, label) for t, mine in QRELS.items() for d, label in mine.items()]
    found = {name: tmp_path / name for name in ("labels.qrels", "labels.csv", "s.run")}
    found["labels.qrels"].write_text("".join(f"{t} 0 {d} {label}\n" for t, d, label in rows))
    found["labels.csv"].write_text(
        "query_id,doc_id,relevance\n" + "".join(f"{t},{d},{label}\n" for t, d, label in rows)
    )
    found["s.run"].write_text("".join(
        f"{t} Q0 {d} 1 {score} s\n" for t, mine in RUNS["s"].items() for d, score in mine.items()
    ))  # fmt: skip
    return found


@pytest.mark.parametrize("mapping", [P, TEXT])
@pytest.mark.parametrize("source", ["dict", "labels.qrels", "labels.csv"])
def test_labels_become_probabilities(source: str, mapping: Any, files: Any) -> None:
    given = QRELS if source == "dict" else files[source]
    found = hj.read_qrels(given, map=mapping)
    assert found.soft
    assert found.to_dict() == {t: {d: P[v] for d, v in m.items()} for t, m in QRELS.items()}
    assert found.settings.map == TEXT
    (note,) = [note for note in found.notes if note.kind == "relabelled"]
    assert note.count == 6


@pytest.mark.parametrize("name", MEASURES)
def test_a_map_at_reading_is_the_map_of_a_measure(name: str, files: Any) -> None:
    expected = hj.evaluate(QRELS, RUNS, MEASURES[name]).mean()[0, 0]
    assert hj.evaluate(QRELS, RUNS, name, map=P).mean()[0, 0] == pytest.approx(expected)
    words = ["evaluate", files["labels.qrels"], files["s.run"], "-m", name, "--map", TEXT,
             "--format", "csv", "--quiet"]  # fmt: skip
    done = CliRunner().invoke(command, [str(word) for word in words])
    assert done.exit_code == 0, done.output
    (row,) = csv.reader(io.StringIO(done.stdout.partition("\n")[2]))
    assert float(row[-1]) == pytest.approx(expected)


def test_judges_votes_become_probabilities() -> None:
    other = {"1": {"a": 2, "b": 1, "c": 1, "d": 0}, "2": {"a": 2, "b": 1}}
    panel = hj.read_judgments({"x": QRELS, "y": other}, map=P)
    merged = hj.merge(panel, "binmv").to_dict()
    for t, mine in QRELS.items():
        for d, label in mine.items():
            assert merged[t][d] == pytest.approx((P[label] + P[other[t][d]]) / 2)


def test_grades_that_the_map_leaves_out_are_refused_by_line(files: Any) -> None:
    with pytest.raises(InputError, match=r"labels\.qrels:3: the label 2 is mixed with") as caught:
        hj.read_qrels(files["labels.qrels"], map={0: 0.05, 1: 0.3})
    assert caught.value.line == 3


def test_probabilities_beyond_1_are_refused(files: Any) -> None:
    with pytest.raises(InputError, match=r"1\.5 is fractional, but not between 0 and 1"):
        hj.read_qrels(files["labels.qrels"], map={0: 0.05, 1: 1.5, 2: 1})
