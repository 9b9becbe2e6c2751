"""Bad dictionaries and frames."""

import types

import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest

import hungjury as hj
from builders.bad_input import QRELS, RUN, complaint, refused


@pytest.mark.parametrize(
    ("labels", "says"),
    [
        ({}, "no label"),
        ({"1": {}}, "no label"),
        ({"1": 3}, "contains int under '1'"),
        ({"1": ["a"]}, "contains list under '1'"),
        ({"1": {"a": "x"}}, "'x' is not a number"),
        ({"1": {"a": None}}, "the label is missing"),
        ({"1": {"a": float("nan")}}, "the label is missing"),
        ({"1": {"a": {"b": 1}}}, "not a number"),
        ({"1": {"a": 10**400}}, "number"),
        ({"1": {None: 1}}, "missing"),
        ({"1": {"": 1}}, "missing"),
        ({1.5: {"a": 1}}, "1.5 is a decimal number"),
        ({"1": {"a": 1}, 1: {"a": 2}}, "labelled 2 here and 1"),
    ],
)
def test_bad_dictionaries_of_labels(labels, says):
    calls = [lambda: hj.read_qrels(labels), lambda: hj.evaluate(labels, RUN, "AP")]
    if labels not in ({}, {"1": {}}):  # a judge may have judged nothing
        calls.append(lambda: hj.read_judgments({"ann": labels, "bob": QRELS}))
    for call in calls:
        assert says in complaint(call)


@pytest.mark.parametrize(
    "panel", [{}, {"ann": {}}, {"ann": 3}, {"ann": QRELS, "bob": None}], ids=repr
)
def test_bad_dictionaries_of_judges(panel):
    complaint(lambda: hj.read_judgments(panel))


@pytest.mark.parametrize(
    ("runs", "says"),
    [
        ({}, "no run"),
        ({"1": 3.0}, "no run"),
        ({"1": {}}, ""),
        ({"s": {"1": {}}}, ""),
        ({"s": RUN, "t": 5}, ""),
        ({"s": RUN, "t": {"1": 5.0}}, "contains float under '1'"),
        ({"1": {"a": 1.0}, "2": 5}, "contains int under '2'"),
        ({"1": {"a": float("inf")}}, "inf is not a finite number"),
        ({"1": {"a": "x"}}, "not a finite number"),
        ({"1": {"a": None}}, "not a finite number"),
        ({"1": {"a": 10**400}}, "number"),
        ({"1": {"a": 1.0}, 1: {"a": 2.0}}, "'a' appears twice in the list of topic '1'"),
        ({"s": {"1": {"5": 1.0, 5: 2.0}}}, "'5' appears twice in the list of topic '1'"),
        ({"s": RUN, "t": {None: {"a": 1.0}}}, "missing"),
    ],
)
def test_bad_dictionaries_of_runs(runs, says):
    for call in (lambda: hj.read_runs(runs), lambda: hj.evaluate(QRELS, runs, "AP")):
        assert says in complaint(call)


FRAME_KINDS = {"pandas": pandas.DataFrame, "polars": polars.DataFrame, "pyarrow": pyarrow.table}
FRAMES = {
    "no label": ({"qid": ["1"], "docno": ["a"]}, None, ("no column for the label", "relevance")),
    "no document": ({"qid": ["1"], "label": [1]}, None, "no column for the document"),
    "no rows": ({"qid": [], "docno": [], "label": []}, None, "no label"),
    "missing topic": ({"qid": ["1", None], "docno": ["a", "b"], "label": [1, 1]}, 2, "qid"),
    "missing document": ({"qid": ["1", "1"], "docno": [None, "b"], "label": [1, 1]}, 1, "docno"),
    "decimal ids": ({"qid": [1.0, 2.0], "docno": ["a", "b"], "label": [1, 1]}, 1, "decimal"),
    "missing label": ({"qid": ["1", "1"], "docno": ["a", "b"], "label": [1, None]}, 2, "label"),
    "NaN label": (
        {"qid": ["1"], "docno": ["a"], "label": [float("nan")]},
        1,
        "the label is missing",
    ),
    "label a word": ({"qid": ["1"], "docno": ["a"], "label": ["x"]}, 1, "'x' is not a number"),
    "conflict": ({"qid": ["1", "1"], "docno": ["a", "a"], "label": [0, 1]}, 2, "1 here and 0"),
}


@pytest.mark.parametrize("kind", FRAME_KINDS)
@pytest.mark.parametrize("case", FRAMES)
def test_bad_frames_of_labels(case, kind):
    columns, row, says = FRAMES[case]
    frame = FRAME_KINDS[kind](columns)
    refused(lambda: hj.read_qrels(frame), says, file="<frame>", line=row)
    refused(lambda: hj.evaluate(frame, RUN, "AP"), says, file="<frame>", line=row)


@pytest.mark.parametrize("kind", FRAME_KINDS)
def test_bad_frames_of_runs_and_judgments(kind):
    make = FRAME_KINDS[kind]
    twice = make({"qid": ["1", "1"], "docno": ["a", "a"], "score": [2.0, 1.0]})
    for call in (lambda: hj.read_runs(twice), lambda: hj.evaluate(QRELS, twice, "AP")):
        refused(call, "'a' appears twice in the list of topic '1'", file="<frame>", line=2)
    labels = make({"qid": ["1"], "docno": ["a"], "label": [1]})
    refused(lambda: hj.read_runs(labels), "no column for the score", file="<frame>")
    refused(lambda: hj.read_judgments(labels), "no column for the judge", file="<frame>")
    refused(lambda: hj.read_judgments(labels, judge_column="iteration"),
            "no column for the iteration", file="<frame>")  # fmt: skip
    nobody = make({"qid": ["1", "1"], "docno": ["a", "b"], "label": [1, 0], "worker": ["x", None]})
    refused(lambda: hj.read_judgments(nobody), "worker", file="<frame>", line=2)


@pytest.mark.parametrize("dtype", ["string", "Int64", "category"])
def test_missing_ids_in_every_kind_of_pandas_column(dtype):
    ids = pandas.array(["1", None], dtype="string") if dtype == "string" else [1, None]
    frame = pandas.DataFrame({"qid": pandas.Series(ids, dtype=dtype), "docno": ["a", "b"],
                              "label": [1, 1]})  # fmt: skip
    refused(lambda: hj.read_qrels(frame), "qid", file="<frame>", line=2)


def test_a_column_twice():
    frame = pandas.DataFrame([["1", "a", 1, 2]], columns=["qid", "docno", "label", "label"])
    assert "label" in complaint(lambda: hj.read_qrels(frame))


def test_the_audit_takes_what_reading_takes():
    same = [
        str(hj.audit(q, r)) for q in (QRELS, hj.read_qrels(QRELS)) for r in (RUN, hj.read_runs(RUN))
    ]
    assert len(set(same)) == 1
    assert "1 system" in same[0]


def test_arguments_that_changed_places():
    runs, qrels = hj.read_runs(RUN), hj.read_qrels(QRELS)
    refused(lambda: hj.evaluate(runs, qrels, "AP"), ("unexpected Runs", "labels first, then runs"))
    refused(lambda: hj.agreement(qrels), ("unexpected Qrels", "read_judgments"))


def test_a_frame_in_a_list_is_no_list_of_files():
    run = {"qid": ["1"], "docno": ["a"], "score": [1.0]}
    for one in (pandas.DataFrame(run), polars.DataFrame(run)):
        refused(lambda one=one: hj.read_runs([one, one]), ("a frame is mixed", "`system`"))


def test_things_that_look_like_frames():
    for source in (types.SimpleNamespace(columns=["qid"]), types.SimpleNamespace(column_names=3)):
        refused(lambda source=source: hj.read_qrels(source), "cannot read from SimpleNamespace")
