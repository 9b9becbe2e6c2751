"""What is done with duplicates, scales, negative labels and the order of topics."""

import io

import pytest

import hungjury as hj
from builders.reading import codes, joined, qrels_rows, write

TWICE = "1 0 a 1\n1 0 b 2\n1 0 a 3\n1 0 c 1\n1 0 a 2\n1 0 b 2\n"


@pytest.mark.parametrize(("policy", "taken"), [("first", 1), ("last", 2), ("max", 3)])
def test_conflicting_duplicates(tmp_path, policy, taken):
    qrels = hj.read_qrels(io.StringIO(TWICE), duplicates=policy)
    assert qrels.to_dict() == {"1": {"a": taken, "b": 2, "c": 1}}
    assert codes(qrels) == {"conflict": 1, "duplicate": 1}
    assert policy in next(n.text for n in qrels.notes if n.kind == "conflict")
    assert qrels.settings.duplicates == policy
    parts = [write(tmp_path, str(i), line) for i, line in enumerate(TWICE.splitlines())]
    assert hj.read_qrels(parts, duplicates=policy).to_dict() == qrels.to_dict()


@pytest.mark.parametrize(("policy", "taken"), [("first", 1), ("last", 0), ("max", 1)])
def test_conflicting_duplicates_of_a_judge(policy, taken):
    text = "1 x a 1\n1 y a 0\n1 x a 0\n"
    judgments = hj.read_judgments(io.StringIO(text), duplicates=policy, judge_column="iteration")
    assert judgments.qrels_of("x").to_dict() == {"1": {"a": taken}}
    assert judgments.qrels_of("y").to_dict() == {"1": {"a": 0}}


def test_identical_duplicates_are_dropped_and_told():
    qrels = hj.read_qrels(io.StringIO("1 0 a 1\n1 7 a 1.0\n1 0 b 0\n1 0 a 1\n"))
    assert qrels.to_dict() == {"1": {"a": 1, "b": 0}}
    assert codes(qrels) == {"duplicate": 2}


SCALE = {"1": {"a": -1, "b": 0, "c": 3, "d": 7, "e": 9}}


@pytest.mark.parametrize(
    ("grades", "outside", "kept", "told"),
    [
        (range(4), "clip", {"a": 0, "b": 0, "c": 3, "d": 3, "e": 3}, 3),
        (range(4), "missing", {"a": -1, "b": 0, "c": 3}, 2),
        ([1, 2], "clip", {"a": 1, "b": 1, "c": 2, "d": 2, "e": 2}, 5),
        ([0, 2, 8], "clip", {"a": 0, "b": 0, "c": 2, "d": 2, "e": 8}, 4),
        (range(10), "error", {"a": -1, "b": 0, "c": 3, "d": 7, "e": 9}, 0),
        (range(-1, 4), "missing", {"a": -1, "b": 0, "c": 3}, 2),
    ],
)
def test_a_declared_scale(grades, outside, kept, told):
    qrels = hj.read_qrels(SCALE, grades=grades, outside=outside)
    assert qrels.to_dict() == {"1": kept}
    assert qrels.grades == tuple(g for g in grades if g >= 0)
    assert codes(qrels).get("outside", 0) == told


@pytest.mark.parametrize(
    ("grades", "outside", "kept", "told"),
    [
        (range(4), "clip", {"a": 0, "b": 0, "c": 3, "d": 3, "e": 3}, 3),
        (range(4), "missing", {"b": 0, "c": 3}, 3),
        (range(-1, 10), "error", {"a": -1, "b": 0, "c": 3, "d": 7, "e": 9}, 0),
    ],
)
def test_a_declared_scale_of_judges(grades, outside, kept, told):
    panel = hj.read_judgments({"x": SCALE, "y": SCALE}, grades=grades, outside=outside)
    assert panel.qrels_of("y").to_dict() == {"1": kept}
    assert codes(panel).get("outside", 0) == 2 * told
    if told:
        (note,) = [n for n in panel.notes if n.kind == "outside"]
        assert f"x {told}, y {told}" in note.text


def test_the_scale_is_that_of_the_whole_input():
    assert hj.read_qrels({"1": {"a": 0}, "2": {"a": 3}}).grades == (0, 1, 2, 3)
    assert hj.read_qrels({"1": {"a": 0}}).grades == (0, 1)
    assert hj.read_qrels({"1": {"a": -2}}).grades == (0, 1)
    panel = hj.read_judgments({"x": {"1": {"a": 1}}, "y": {"1": {"a": 2}}})
    assert panel.qrels_of("x").max_grade == 2
    assert hj.read_qrels({"1": {"a": 1}}, grades=range(5)).max_grade == 4


def test_soft_labels_stay_soft(tmp_path):
    soft = {"1": {"a": 0.25, "b": 1.0, "c": 0.0}, "2": {"a": 1.0}}
    path = write(tmp_path, "soft.qrels", joined(qrels_rows(soft)))
    for source in (soft, path):
        qrels = hj.read_qrels(source)
        assert qrels.soft
        assert qrels.labels is None
        assert qrels.to_dict() == soft
        assert qrels.grades == (0, 1)
    assert not hj.read_qrels({"1": {"a": 1.0, "b": 0.0}}).soft
    panel = hj.read_judgments({"x": soft, "y": {"1": {"a": 1.0}}})
    assert panel.soft
    assert panel.qrels_of("y").soft
    assert panel.qrels_of("x").to_dict() == soft
    qrels = hj.read_qrels(path)
    qrels.write(tmp_path / "again.qrels")
    assert hj.read_qrels(tmp_path / "again.qrels").to_dict() == soft


def test_negative_labels_are_pooled_but_not_judged():
    labels = {"1": {"a": 2, "b": -1, "c": -2, "d": 0}}
    qrels = hj.read_qrels(labels)
    assert qrels.to_dict() == labels
    assert qrels.grades == (0, 1, 2)
    run = {"1": {"b": 4.0, "c": 3.0, "d": 2.0, "a": 1.0}}
    scores = hj.evaluate(qrels, run, ["Judged@4", "P@4", "NumRel", "NumNonrelJudgedRet"])
    assert scores.values.ravel().tolist() == [0.5, 0.25, 1.0, 1.0]


@pytest.mark.parametrize("label", ["-32768", "-32769", "-40000", "-65535", "-1e300"])
def test_a_huge_negative_label_does_not_become_a_grade(label, recwarn):
    try:
        found = hj.read_qrels(io.StringIO(f"1 0 a {label}\n1 0 b 1\n")).to_dict()["1"]["a"]
    except hj.HungjuryError:
        found = -1
    assert -32768 < found < 0  # -32768 marks what nobody judged
    assert not recwarn.list


def test_topics_are_in_natural_order():
    topics = ["10", "9", "a10", "a9", "b", "101"]
    assert hj.read_qrels({t: {"d": 1} for t in topics}).topics == [
        "9",
        "10",
        "101",
        "a9",
        "a10",
        "b",
    ]


def test_a_topic_of_thousands_of_digits_is_a_topic():
    assert len(hj.read_qrels({"1" * 5000: {"d": 1}, "2": {"d": 1}}).topics) == 2
