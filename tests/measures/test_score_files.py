"""Scores of other tools come in as they are: nothing is lost, nothing is guessed in silence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hungjury as hj
from builders.commands import hungjury
from hungjury.base.errors import InputError

SIM = hj.simulate(topics=6, systems=3, seed=1)
SCORES = hj.evaluate(SIM.gold, SIM.runs, ["nDCG@10", "AP"])


def assert_same(found: Any, scores: hj.Scores = SCORES) -> None:
    assert isinstance(found, hj.Scores)
    assert found.measures == scores.measures
    s, t = ([one.index(n) for n in two] for one, two in
            ((found.systems, scores.systems), (found.topics, scores.topics)))  # fmt: skip
    assert np.array_equal(found.values[:, s][:, :, t], scores.values)


@pytest.mark.parametrize(
    "form",
    ["csv", "json", "dict", "pandas", "polars", "rows", "jsonl", "array", "parquet"],
)
def test_own_results_come_back_without_loss(tmp_path: Path, form: str) -> None:
    path = tmp_path / "scores.txt"
    frame = SCORES.to_frame()
    rows = frame.to_dict("records")
    if form == "csv":
        path.write_text(SCORES.to_csv(per_topic=True, summary=True))
    elif form == "json":
        path.write_text(SCORES.to_json(per_topic=True))
    elif form == "jsonl":
        path.write_text("\n".join(map(json.dumps, rows)))
    elif form == "array":
        path.write_text(json.dumps(rows))
    elif form == "parquet":
        frame.to_parquet(path)
    source = {"dict": SCORES.to_dict(), "pandas": frame, "rows": rows,
              "polars": SCORES.to_frame("polars")}.get(form, path)  # fmt: skip
    assert_same(hj.read_scores(source))


def test_comparisons_of_read_scores_are_the_same() -> None:
    again = hj.read_scores(SCORES.to_frame())
    one, other = (hj.compare(x, baseline="system1").to_csv() for x in (SCORES, again))
    assert one == other


def test_the_output_of_trec_eval(shared_data: Path) -> None:
    found = hj.read_scores(shared_data / "trec_eval" / "out.test.aq")
    assert isinstance(found, hj.Scores)
    assert found.systems == ["STANDARD"]
    assert "all" not in found.topics
    assert found.measures[:2] == ["num_ret", "num_rel"]
    at = found.measures.index("map"), 0, found.topics.index("301")
    assert found.values[at] == 0.0324


def test_the_output_of_ir_measures(tmp_path: Path) -> None:
    for system, value in (("bm25", 0.25), ("dense", 0.5)):
        text = f"1\tnDCG@10\t{value}\n2\tnDCG@10\t0.75\nall\tnDCG@10\t9\n"
        (tmp_path / f"{system}.txt").write_text(text)
    found = hj.read_scores(str(tmp_path / "*.txt"))
    assert isinstance(found, hj.Scores)
    assert found.systems == ["bm25", "dense"]
    assert found.values[0].tolist() == [[0.25, 0.75], [0.5, 0.75]]


def test_dictionaries_of_ranx_have_the_measure_outside() -> None:
    found = hj.read_scores(
        {"a": {"ndcg@10": {"q1": 0.1, "q2": 0.2}}, "b": {"ndcg@10": {"q1": 0.3, "q2": 0.4}}}
    )
    assert isinstance(found, hj.Scores)
    assert found.topics == ["q1", "q2"]
    assert found.measures == ["ndcg@10"]


def test_folders_of_mteb(tmp_path: Path) -> None:
    for model, values in (("e5", (0.5, 0.6)), ("bge", (0.7, 0.8))):
        folder = tmp_path / model / "abc123"
        folder.mkdir(parents=True)
        (folder / "model_meta.json").write_text("{}")
        for task, value in zip(("NFCorpus", "SciFact"), values, strict=True):
            parts = [{"main_score": value - 0.1}, {"main_score": value + 0.1}]
            content = {"task_name": task, "scores": {"dev": [], "test": parts}}
            (folder / f"{task}.json").write_text(json.dumps(content))
    found = hj.read_scores(tmp_path)
    assert isinstance(found, hj.Scores)
    assert (found.systems, found.topics) == (["bge", "e5"], ["NFCorpus", "SciFact"])
    assert np.allclose(found.values, [[[0.7, 0.8], [0.5, 0.6]]])


def test_a_column_per_measure_and_other_names() -> None:
    rows = [{"model": "a", "question": "1", "note": "x", "MRR": 0.5, "speed": "2.5"}]
    found = hj.read_scores(rows)
    assert isinstance(found, hj.Scores)
    assert found.measures == ["MRR", "speed"]
    with pytest.raises(InputError, match="no column of the topic"):
        hj.read_scores([{"model": "a", "nr": "1", "MRR": 0.5}])
    named = hj.read_scores([{"model": "a", "nr": "1", "MRR": 0.5}], columns="topic=nr")
    assert named.topics == ["1"]


CELLS = {"a": {"1": {"X": 0.5}, "2": {"X": 0.5}}, "b": {"1": {"X": 0.25}}}


def test_missing_scores_are_never_silent() -> None:
    with pytest.raises(InputError, match="1 missing score: b 1 of 2 topics"):
        hj.read_scores(CELLS)
    dropped, zero = (hj.read_scores(CELLS, missing=how) for how in ("drop", "zero"))
    assert dropped.topics == ["1"]
    assert isinstance(zero, hj.Scores)
    assert zero.values[0].tolist() == [[0.5, 0.5], [0.25, 0.0]]
    assert [note.kind for note in dropped.notes + zero.notes] == ["missing-scores"] * 2


def test_repeated_scores_are_never_silent() -> None:
    rows = [{"system": "a", "topic": "1", "score": v} for v in (1, 2, 6)]
    with pytest.raises(InputError, match="2 repeated scores"):
        hj.read_scores(rows)
    values = [
        hj.read_scores(rows, duplicates=how).values.item() for how in ("first", "last", "mean")
    ]
    assert values == [1, 6, 3]


def test_directions() -> None:
    found = hj.read_scores({"a": {"1": {"latency": 2.0, "ESL": 1.0, "AP": 0.5}}}, smaller="latency")
    assert isinstance(found, hj.Scores)
    assert found.smaller == [True, True, False]
    with pytest.raises(InputError, match="no measure lag"):
        hj.read_scores(SCORES.to_dict(), smaller="lag")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ({"a": {"1": {"X": "much"}}}, "not a finite number"),
        ({"a": {"1": {"X": float("nan")}}}, "not a finite number"),
        ({"a": 1}, "values per topic"),
        ([{"system": "a", "topic": "all", "score": 1}], "no score per topic"),
        (7, "not a source of scores"),
    ],
)
def test_what_are_not_scores(source: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        hj.read_scores(source)


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (b"system,topic,F\na,1,0.5\nb,1,0.5,x\n", 3, "expected 3 columns"),
        (b"system,topic,F\na,1,0.5\nb,1\n", 3, "expected 3 columns"),
        (b"system,topic,F\n\nn\xe9,1,0.5\n", 3, "not UTF-8 text"),
        (b"AP 1 0.5\n\nAP 2 0.5 x\n", 3, "expected a measure, a topic and a value"),
        (b"AP 1 0.5\nAP \xe9 0.5\n", 2, "not UTF-8 text"),
        (b'{"system": "a", "topic": "1", "F": 1}\n{"system": }\n', 2, "not JSON"),
        (b"system,topic,F,F\na,1,0.5,0.6\n", 1, "two columns are called 'F'"),
    ],
)
def test_lines_that_cannot_be_read_are_named(
    tmp_path: Path, content: bytes, line: int, words: str
) -> None:
    path = tmp_path / "scores.txt"
    path.write_bytes(content)
    with pytest.raises(InputError, match=words) as caught:
        hj.read_scores(path)
    assert (caught.value.file, caught.value.line) == (str(path), line)


def test_sheets_of_excel(tmp_path: Path) -> None:
    path = tmp_path / "scores.xlsx"  # has 15 digits of a number
    SCORES.to_frame().to_excel(path, index=False)
    assert hj.read_scores(path).values == pytest.approx(SCORES.values, abs=1e-14)


def test_a_single_line_of_json_is_a_row(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_text('{"system": "a", "topic": "1", "F": 0.25}\n')
    assert hj.read_scores(path).values.tolist() == [[[0.25]]]


def test_means_alone_are_refused(tmp_path: Path) -> None:
    (tmp_path / "means.json").write_text(SCORES.to_json())
    with pytest.raises(InputError, match="means only"):
        hj.read_scores(tmp_path / "means.json")


GIVEN = [("a", "1", "x", 3), ("a", "1", "y", 4), ("b", "1", "x", 1), ("b", "1", "y", 2)]
ROWS = [{"system": s, "topic": t, "judge": j, "score": v} for s, t, j, v in GIVEN]


def test_scores_of_several_judges() -> None:
    found = hj.read_scores(ROWS, scale="1-5")
    assert isinstance(found, hj.JudgeScores)
    assert found.values[:, :, 0].tolist() == [[3, 1], [4, 2]]
    assert found.judges == ["x", "y"]
    assert found.select(measures=["y"]).values.tolist() == [[[4], [2]]]
    assert hj.studies.correlate_measures(found).of("x", "y") == 1.0
    with pytest.raises(InputError, match="need their scale"):
        hj.read_scores(ROWS)
    with pytest.raises(InputError, match="1 score outside of 1 to 3"):
        hj.read_scores(ROWS, scale=(1, 3))
    with pytest.raises(InputError, match="scored one system only: z"):
        hj.read_scores(
            [*ROWS, {"system": "a", "topic": "1", "judge": "z", "score": 2}], scale="1-5"
        )


def test_the_command_compares_scores(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(SCORES.to_csv(per_topic=True))
    done = hungjury("compare", "--scores", str(path), "--baseline", "system1", "--format", "csv")
    assert done.returncode == 0, done.stderr
    assert done.stdout == hj.compare(SCORES, baseline="system1").to_csv()
    both = hungjury("compare", "--scores", str(path), "qrels", "run")
    assert both.returncode == 2
    assert "--scores" in both.stderr
