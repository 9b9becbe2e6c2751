"""Labels and runs from tables, frames and dictionaries."""

import types

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

import hungjury as hj
from builders.reading import (
    FRAMES,
    LABEL_COLUMNS,
    MEASURES,
    QRELS,
    RUNS,
    SCORE_COLUMNS,
    TABLES,
    assert_same,
    gzipped,
    joined,
    label_columns,
    run_rows,
    score_columns,
    write,
)


@pytest.mark.parametrize("names", LABEL_COLUMNS.values(), ids=list(LABEL_COLUMNS))
@pytest.mark.parametrize("kind", TABLES)
def test_labels_from_tables(tmp_path, kind, names):
    path = write(tmp_path, "table", TABLES[kind](label_columns(names)))
    assert hj.read_qrels(path).to_dict() == QRELS
    assert hj.read_qrels(gzipped(path, "table.gz")).to_dict() == QRELS


@pytest.mark.parametrize("names", SCORE_COLUMNS.values(), ids=list(SCORE_COLUMNS))
@pytest.mark.parametrize("kind", TABLES)
def test_runs_from_tables(tmp_path, kind, names):
    path = write(tmp_path, "alpha.csv.gz", TABLES[kind](score_columns(names, RUNS["alpha"])))
    runs = hj.read_runs(path)
    assert runs.to_dict() == {"alpha": RUNS["alpha"]}
    assert_same(hj.evaluate(QRELS, path, MEASURES), hj.evaluate(QRELS, runs, MEASURES))


@pytest.mark.parametrize("names", LABEL_COLUMNS.values(), ids=list(LABEL_COLUMNS))
@pytest.mark.parametrize("frame", FRAMES)
def test_labels_from_frames(frame, names):
    assert hj.read_qrels(FRAMES[frame](label_columns(names))).to_dict() == QRELS


@pytest.mark.parametrize("names", SCORE_COLUMNS.values(), ids=list(SCORE_COLUMNS))
@pytest.mark.parametrize("frame", FRAMES)
def test_runs_from_frames(frame, names):
    columns = score_columns(names, RUNS["beta"])
    columns["rank"] = list(range(len(columns["score"])))
    made = FRAMES[frame](columns)
    assert hj.read_runs(made).to_dict() == {"run": RUNS["beta"]}
    expected = hj.evaluate(QRELS, {"run": RUNS["beta"]}, MEASURES)
    assert_same(hj.evaluate(QRELS, made, MEASURES), expected)


@pytest.mark.parametrize("column", ["tag", "system", "run", "run_id"])
@pytest.mark.parametrize("frame", FRAMES)
def test_a_table_may_hold_several_systems(tmp_path, frame, column):
    columns = {"topic": [], "document": [], "score": []}
    systems = []
    for name, lists in RUNS.items():
        for key, values in score_columns(columns, lists).items():
            columns[key] += values
        systems += [name] * (len(columns["topic"]) - len(systems))
    columns[column] = systems
    assert hj.read_runs(FRAMES[frame](columns)).to_dict() == RUNS
    path = write(tmp_path, "all.csv", TABLES["CSV"](columns))
    assert hj.read_runs(path).to_dict() == RUNS
    assert_same(hj.evaluate(QRELS, path, MEASURES), hj.evaluate(QRELS, RUNS, MEASURES))


@pytest.mark.parametrize("frame", FRAMES)
def test_whole_numbers_are_ids_too(frame):
    made = FRAMES[frame]({"qid": [2, 10, 2], "docno": [7, 7, 8], "label": [1.0, 2.0, 0.0]})
    assert hj.read_qrels(made).to_dict() == {"2": {"7": 1, "8": 0}, "10": {"7": 2}}


def test_categories_are_ids_too():
    columns = label_columns(LABEL_COLUMNS["ours"])
    for made in (
        pandas.DataFrame(columns).astype({"topic": "category", "document": "category"}),
        polars.DataFrame(columns).with_columns(polars.col("topic").cast(polars.Categorical)),
        pyarrow.table({k: pyarrow.array(v).dictionary_encode() for k, v in columns.items()}),
    ):
        assert hj.read_qrels(made).to_dict() == QRELS


def test_ids_as_bytes_are_decoded_or_refused():
    made = pyarrow.table({"qid": [b"1"], "docno": [b"a"], "label": [1]})
    try:
        found = hj.read_qrels(made).to_dict()
    except hj.HungjuryError:
        found = "refused"
    assert found in ({"1": {"a": 1}}, "refused")


def test_ids_with_commas_blanks_and_newlines(tmp_path):
    odd = {"topic 1": {"a,b": 1, "c d": 0, 'e"f': 2, "g\u2028h": 1}}
    documents, labels = list(odd["topic 1"]), list(odd["topic 1"].values())
    columns = {"topic": ["topic 1"] * 4, "document": documents, "label": labels}
    for kind in ("CSV", "CSV, all quoted", "TSV", "JSON lines", "JSON lines, UTF-8", "Parquet"):
        path = write(tmp_path, "t", TABLES[kind](columns))
        assert hj.read_qrels(path).to_dict() == odd, kind


def test_a_table_without_topics_is_one_topic():
    crowd = pandas.DataFrame({"task": ["x", "y"], "label": [1, 0]})
    qrels = hj.read_qrels(crowd)
    assert qrels.topics == ["topic"]
    assert qrels.to_dict()["topic"] == {"x": 1, "y": 0}
    run = pandas.DataFrame({"document": ["y", "x"], "score": [1.0, 2.0]})
    assert hj.evaluate(crowd, run, "AP").mean().item() == 1.0


def test_systems_may_be_named_after_their_files(tmp_path):
    text = joined(run_rows(RUNS["alpha"], "same"))
    paths = [write(tmp_path, name, text) for name in ("one.run", "two.res.gz")]
    assert hj.read_runs(paths, names="stem").systems == ["one", "two"]
    columns = {**score_columns(SCORE_COLUMNS["ours"], RUNS["alpha"])}
    columns["tag"] = ["same"] * len(columns["score"])
    tables = [write(tmp_path, name, TABLES["CSV"](columns)) for name in ("a.csv", "b.csv")]
    assert hj.read_runs(tables, names="stem").systems == ["a", "b"]


# --- dictionaries ---------------------------------------------------------------------------


def test_dictionaries():
    assert hj.read_qrels(QRELS).to_dict() == QRELS
    assert hj.read_qrels({2: {7: 1}}).to_dict() == {"2": {"7": 1}}
    assert hj.read_qrels(types.MappingProxyType(QRELS)).to_dict() == QRELS
    assert hj.read_runs(RUNS["alpha"]).to_dict() == {"run": RUNS["alpha"]}
    assert hj.read_runs(RUNS).to_dict() == RUNS
    assert hj.read_runs({"s": {"t": {"d": np.float32(0.5)}}}).to_dict() == {"s": {"t": {"d": 0.5}}}


def test_any_mapping_of_runs_can_be_scored():
    frozen = types.MappingProxyType(RUNS)
    assert_same(hj.evaluate(QRELS, frozen, "AP"), hj.evaluate(QRELS, RUNS, "AP"))


@pytest.mark.parametrize("kind", [list, np.array, pandas.Series, set, iter])
def test_topics_may_come_as_any_list(kind):
    assert hj.evaluate(QRELS, RUNS, "AP", topics=kind(["2", "10"])).topics == ["2", "10"]


@pytest.mark.parametrize("lists", [{"q-1": {"nan": 1.0}, "2": {}}, {"2": {}, "q-1": {"nan": 1.0}}])
def test_a_topic_may_have_an_empty_list(lists):
    assert hj.evaluate(QRELS, lists, "RR").to_dict()["run"]["q-1"] == {"RR": 1.0}
