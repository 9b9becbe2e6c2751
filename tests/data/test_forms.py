"""Labels and runs in the forms that people have: tables, frames, dictionaries, output of LLMs."""

import io
import json
import types
from collections import namedtuple
from pathlib import Path

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

import hungjury as hj
from builders.commands import hungjury
from builders.reading import (
    FRAMES,
    LABEL_COLUMNS,
    MEASURES,
    QRELS,
    RUNS,
    SCORE_COLUMNS,
    TABLES,
    assert_same,
    codes,
    gzipped,
    joined,
    label_columns,
    refused,
    run_rows,
    score_columns,
    write,
)
from hungjury.base.errors import InputError

Qrel = namedtuple("Qrel", "query_id doc_id relevance iteration", defaults=["0"])
ScoredDoc = namedtuple("ScoredDoc", "query_id doc_id score")
COLUMNS = "topic=query,document=passage,label=rating,judge=model"
LABELS = {"1": {"a": 2, "b": 0}, "2": {"a": 1}}


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_any_columns_and_delimiters(tmp_path, mark):
    rows = ["query,passage,rating,model", "1,a,2,gpt", "1,b,0,gpt", "1,a,1,llama"]
    path = write(tmp_path, "labels.txt", "\n".join(rows).replace(",", mark) + "\n")
    panel = hj.read_judgments(path, columns=COLUMNS)
    assert panel.qrels_of("gpt").to_dict() == {"1": {"a": 2, "b": 0}}
    named = dict(part.split("=") for part in COLUMNS.split(","))
    assert hj.read_judgments(path, columns=named).judges == ["gpt", "llama"]
    error = refused(lambda: hj.read_qrels(path), "unknown-columns")
    assert "query, passage, rating, model" in error.message
    assert "docno" in error.remedy


def test_two_columns_for_one_role_are_refused():
    frame = pandas.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1], "grade": [2]})
    error = refused(lambda: hj.read_qrels(frame), "ambiguous-column")
    assert "label, grade" in error.message
    assert hj.read_qrels(frame, columns={"label": "grade"}).to_dict() == {"1": {"a": 2}}
    missing = refused(lambda: hj.read_qrels(frame, columns={"label": "x"}), "unknown-column")
    assert "qid, docno, label, grade" in missing.message


def test_frames_of_pyterrier_are_read_by_docno():
    run = pandas.DataFrame(
        {"qid": ["1", "1"], "query": ["cats", "cats"], "docid": [7, 8], "docno": ["a", "b"],
         "rank": [0, 1], "score": [2.0, 1.0]}
    )  # fmt: skip
    assert hj.evaluate(LABELS, run, "P@1", topics="retrieved").values.ravel()[0] == 1.0
    text = run.assign(docid=["x", "y"])
    refused(lambda: hj.read_runs(text), "ambiguous-column")


def test_a_run_is_not_read_as_probabilities():
    run = pandas.DataFrame(
        {"qid": ["1"], "docno": ["a"], "rank": [1], "score": [0.5], "run": ["bm25"]}
    )
    refused(lambda: hj.read_qrels(run), "run-as-labels")
    assert hj.read_qrels(run, columns={"label": "score"}).soft


def test_wide_tables(tmp_path):
    path = write(tmp_path, "wide.csv", "qid,docno,judge10,judge2,remark\n1,a,2,1,x\n1,b,,0,y\n")
    panel = hj.read_judgments(path, wide=True, without="remark")
    assert panel.judges == ["judge2", "judge10"]
    assert panel.qrels_of("judge10").to_dict() == {"1": {"a": 2}}
    error = refused(lambda: hj.read_judgments(path, wide=True), "not-labels")
    assert "remark" in error.message
    assert 'without="remark"' in error.remedy


def test_json_arrays_and_extra_fields(tmp_path):
    rows = [
        {"qid": 1, "docno": "a", "label": 2, "reason": "on topic", "tokens": {"in": 7}},
        {"qid": 1, "docno": "b", "label": 0},
    ]
    array = write(tmp_path, "a.json", json.dumps(rows, indent=1))
    lines = write(tmp_path, "b.jsonl", "".join(json.dumps(r) + "\n" for r in rows))
    for path in (array, lines):
        assert hj.read_qrels(path).to_dict() == {"1": {"a": 2, "b": 0}}
    assert hj.read_judgments([array, lines]).judges == ["a", "b"]


def test_a_folder_per_judge(tmp_path):
    for judge, label in (("ann", 1), ("bob", 0)):
        (tmp_path / judge).mkdir()
        write(tmp_path / judge, "part1.qrels", f"1 0 a {label}\n")
        write(tmp_path / judge, "part2.qrels", f"2 0 a {label}\n")
    for source in (str(tmp_path / "*"), str(tmp_path), [str(tmp_path / j) for j in ("ann", "bob")]):
        panel = hj.read_judgments(source)
        assert panel.judges == ["ann", "bob"]
        assert panel.qrels_of("ann").to_dict() == {"1": {"a": 1}, "2": {"a": 1}}


def test_a_dictionary_of_sources(tmp_path):
    frame = pandas.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1]})
    panel = hj.read_judgments({
        "path": write(tmp_path, "x.qrels", "1 0 a 1\n"), "frame": frame,
        "dict": {"1": {"a": 1}}, "qrels": hj.read_qrels({"1": {"a": 1}}),
        "records": [Qrel("1", "a", 1)],
    })  # fmt: skip
    assert panel.judges == ["dict", "frame", "path", "qrels", "records"]
    assert panel.label.tolist() == [1.0] * 5


def test_lazy_frames_and_records():
    lazy = polars.LazyFrame({"qid": ["1", "1"], "docno": ["a", "b"], "label": [1, 0]})
    assert hj.read_qrels(lazy).to_dict() == {"1": {"a": 1, "b": 0}}
    labels = [Qrel("1", "a", 1), Qrel("1", "b", 0)]
    assert hj.read_qrels(labels).to_dict() == {"1": {"a": 1, "b": 0}}
    assert hj.read_qrels(iter(labels)).to_dict() == {"1": {"a": 1, "b": 0}}
    run = [ScoredDoc("1", "a", 2.0), ScoredDoc("1", "b", 1.0)]
    assert hj.evaluate(labels, run, "P@1").values.ravel().tolist() == [1.0]


def test_maps_and_missing_labels(tmp_path):
    path = write(tmp_path, "q", "1 0 a Yes\n1 0 b no\n1 0 c Sorry, I cannot\n1 0 d\n1 0 e 2\n")
    with pytest.raises(InputError):
        hj.read_qrels(path)
    found = hj.read_qrels(path, map="yes:1,no:0", missing="drop")
    assert found.to_dict() == {"1": {"a": 1, "b": 0, "e": 2}}
    assert codes(found)["missing"] == 2
    assert codes(found)["relabelled"] == 2
    assert found.settings.map == "yes:1,no:0"
    table = io.StringIO("qid,docno,worker,label\n1,a,x,\n1,b,x,1\n1,a,y,Unsure\n1,b,y,0\n")
    panel = hj.read_judgments(table, missing="drop")
    (note,) = [n for n in panel.notes if n.kind == "missing"]
    assert "x 1, y 1" in note.text
    unseen = hj.read_qrels(LABELS, map={"never": 0, 2: 1})
    assert codes(unseen)["map-unseen"] == 1
    assert unseen.to_dict() == {"1": {"a": 1, "b": 0}, "2": {"a": 1}}


@pytest.mark.parametrize("map_", ["yes", "yes:x", ":1", "a:1,A:0"])
def test_maps_that_say_nothing_are_refused(map_):
    refused(lambda: hj.read_qrels(LABELS, map=map_), "invalid-map")


@pytest.mark.parametrize("map_", [{"a": "b"}, 3])
def test_maps_of_another_type_are_refused(map_):
    refused(lambda: hj.read_qrels(LABELS, map=map_), "invalid-type")


def test_runs_without_any_judged_document_are_refused():
    error = refused(lambda: hj.evaluate(LABELS, {"1": {"other": 1.0}}, "AP"), "nothing-judged")
    assert "document ids" in error.remedy


def test_lists_whose_order_depends_on_precision_are_counted():
    close = {"1": {"a": 1.00000001, "b": 1.0}, "2": {"a": 1.0}}
    scores = hj.evaluate(LABELS, close, "P@1")
    assert codes(scores)["precision"] == 1
    assert scores.values.ravel().tolist() == [1.0, 1.0]
    single = hj.evaluate(LABELS, hj.read_runs(close, score_precision="single"), "P@1")
    assert single.values.ravel().tolist() == [0.0, 1.0]
    assert "precision" not in codes(single)
    harmless = {"1": {"b": 1.00000001, "a": 1.0}}
    assert "precision" not in codes(hj.evaluate(LABELS, harmless, "P@1"))


def test_the_audit_never_gives_up(tmp_path):
    write(tmp_path, "q", "1 0 a 1\n1 0 b 0\n1 0 a 0\n2 0 c yes\n")
    write(tmp_path, "good.run", "1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n")
    write(tmp_path, "bad.run", "1 Q0 a 1 zz x\n")
    write(tmp_path, "fine", "1 0 a 1\n1 0 b 0\n")

    def run(*words):
        return hungjury("audit", *words, cwd=tmp_path)

    done = run("q", "good.run", "bad.run")
    assert done.returncode == 2
    for words in ("'yes' is not a number", "conflicting labels", "'zz' is not a finite number",
                  "--duplicates first", "1 system (x)"):  # fmt: skip
        assert words in done.stdout
    assert run("fine", "good.run").returncode == 0
    assert run("fine", "good.run", "--map", "7:1").returncode == 1
    found = json.loads(run("q", "--format", "json").stdout)
    assert [e["code"] for e in found["errors"]] == ["unreadable-label", "conflicting-labels"]
    assert found["exit_code"] == 2


def test_the_audit_lists_every_line_that_cannot_be_read(tmp_path):
    write(tmp_path, "q", "1 0 a 1\n1 0 b\n1 0 c 0\n\n1 0 d\n1 0 e 1 2 3\n")
    write(tmp_path, "bad.run", "1 Q0 a 1 zz x\n1 Q0 c 2 1 x\n1 Q0 c 3 yy x\n1 Q0\n")
    found = hj.audit(str(tmp_path / "q"), str(tmp_path / "bad.run"))
    assert found.exit_code == 2
    assert [(e.code, Path(e.file).name, e.line) for e in found.errors] == [
        ("few-columns", "q", 2), ("many-columns", "q", 6),
        ("not-a-number", "bad.run", 1), ("few-columns", "bad.run", 4),
    ]  # fmt: skip
    assert "2 such lines: 2, 5" in str(found)
    assert "2 such lines: 1, 3" in str(found)


def test_the_audit_tells_agreement_and_the_coverage_of_the_top(tmp_path):
    made = hj.simulate(systems=3, topics=5, documents=40, depth=20)
    text = str(hj.audit(made.judgments, made.runs))
    alpha = hj.agreement(made.judgments).alpha_nominal
    assert f"alpha (nominal) {alpha:.3f}" in text
    labels = {"1": {"a": 1, "b": 0}}
    runs = {"x": {"1": {"a": 3, "b": 2}}, "y": {"1": {"b": 3, "z": 2, "w": 1, "v": 0}}}
    assert "50 % of the top 10 (y 25 %)" in str(hj.audit(labels, runs))
    long = {"x": {"1": {f"d{rank}": -rank for rank in range(1, 121)}}}
    deep = {"1": {f"d{rank}": 1 for rank in (1, 2, 11, 100, 101)}}
    assert "20 % of the top 10 (x 20 %); 4 % of the top 100 (x 4 %)" in str(hj.audit(deep, long))


def test_two_columns_of_unknown_names_are_named(tmp_path):
    path = write(tmp_path, "q", "foo,bar\na,b\n")
    error = refused(lambda: hj.read_qrels(path), "unknown-columns")
    assert "unknown columns: foo, bar" in error.message
    assert error.line == 1


def test_a_column_of_different_probabilities_is_not_one_of_ids(tmp_path):
    lines = [f"1,d{d},{d / 12},0.5" for d in range(13)]  # 0 and 1 among them
    path = write(tmp_path, "w.csv", "\n".join(["topic,document,ann,bob", *lines]))
    panel = hj.read_judgments(path, wide=True)
    assert panel.judges == ["ann", "bob"]
    assert len(panel) == 26


def test_audits_are_shown_in_notebooks():
    runs = {"x": {"1": {"a": 3, "b": 2}}}
    assert "Nothing unusual found." in hj.audit({"1": {"a": 1, "b": 0}}, runs).to_html()
    odd = hj.audit({"1": {"a": 1, "b": 0}, "2": {"a": 0}}, runs)
    page = odd.to_html()
    assert "1 system (x)" in page
    assert all(note.kind in page for note in odd.notes)
    assert odd.notes


def test_a_dataset_with_several_sets_of_labels_needs_a_choice(tmp_path):
    for name in ("queries.jsonl", "corpus.jsonl"):
        write(tmp_path, name, "{}")
    (tmp_path / "qrels").mkdir()
    test = write(tmp_path / "qrels", "test.tsv", "query-id\tcorpus-id\tscore\nq\td\t1\n")
    assert hj.read_qrels(tmp_path).to_dict() == {"q": {"d": 1}}
    write(tmp_path / "qrels", "dev.tsv", "query-id\tcorpus-id\tscore\nq\te\t1\n")
    with pytest.raises(InputError, match=r"several sets of labels: dev\.tsv, test\.tsv") as caught:
        hj.read_qrels(tmp_path)
    assert str(test) in str(caught.value)


# Labels and runs from tables, frames and dictionaries.


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
