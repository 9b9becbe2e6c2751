"""What is done with odd labels and runs, and what is said about them."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hungjury as hj
from builders.reading import QRELS, RUNS, codes, joined, qrels_rows, run_rows, write
from hungjury.data.alignment import align
from hungjury.data.pool import natural_key, natural_order
from hungjury.data.reading import sources
from hungjury.data.reading.options import RunPolicy
from hungjury.data.runs import RunFiles

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
        ([1, 2], "clip", {"a": 0, "b": 0, "c": 1, "d": 1, "e": 1}, 5),
        ([0, 2, 8], "clip", {"a": 0, "b": 0, "c": 2, "d": 2, "e": 8}, 4),
        (range(10), "error", {"a": -1, "b": 0, "c": 3, "d": 7, "e": 9}, 0),
        (range(-1, 4), "missing", {"a": -1, "b": 0, "c": 3}, 2),
    ],
)
def test_a_declared_scale(grades, outside, kept, told):
    qrels = hj.read_qrels(SCALE, grades=grades, outside=outside)
    assert qrels.to_dict() == {"1": kept}
    zero = max(min(grades), 0)
    assert qrels.grades == tuple(g - zero for g in grades if g >= 0)
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


NUMBER = st.builds("{:0{}}".format, st.integers(0, 12), st.integers(1, 2))


@given(
    st.lists(st.text("a_07\n", max_size=3))
    | st.lists(st.builds("d{}".format, NUMBER))
    | st.lists(st.builds("{}_{}".format, NUMBER, NUMBER))
)
def test_names_of_one_shape_are_ordered_as_all_others(names):
    found = natural_order(names).tolist()
    assert found == sorted(range(len(names)), key=lambda i: natural_key(names[i]))


def test_names_counted_from_0_are_ordered_by_their_numbers(monkeypatch):
    """A key for each name would take many times as long."""
    monkeypatch.setattr("hungjury.data.pool.natural_key", None)
    assert natural_order(["d10", "d9", "d0", "d100"]).tolist() == [2, 1, 0, 3]


def test_a_topic_of_thousands_of_digits_is_a_topic():
    assert len(hj.read_qrels({"1" * 5000: {"d": 1}, "2": {"d": 1}}).topics) == 2


# What is told about odd labels and runs.


def told(qrels, runs, **policy):
    """Notes by code of the streamed and of the remembered runs, which have to agree."""
    aligned = align(hj.read_runs(runs, **policy), qrels.pool)
    streamed = align(RunFiles(sources.expand(runs), RunPolicy(**policy)), qrels.pool)
    assert sorted(map(str, aligned.notes)) == sorted(map(str, streamed.notes))
    return {note.kind: note for note in streamed.notes}


def test_nothing_odd_is_told_of_clean_input(tmp_path):
    paths = [write(tmp_path, n, joined(run_rows(lists, n))) for n, lists in RUNS.items()]
    judged = {t: {**docs, "unjudged": 0, "other": 0} for t, docs in QRELS.items()}
    assert told(hj.read_qrels(judged), paths) == {}
    assert hj.evaluate(judged, paths, "AP").notes == ()


def test_topics_without_relevant_documents_are_told():
    qrels = hj.read_qrels({"1": {"a": 0, "b": -1}, "2": {"a": 1}, "x": {"a": 0}})
    assert codes(qrels) == {"nothing-relevant": 2}
    assert "1, x" in str(qrels.notes[0])
    assert "nothing-relevant" in codes(hj.evaluate(qrels, {"2": {"a": 1.0}}, "AP"))


def test_documents_that_nobody_judged_are_told(tmp_path):
    """In the first ten ranks, of all runs together; a run without any judged document by name."""
    qrels = hj.read_qrels({"1": {"a": 1, "b": 0}})
    runs = {
        "some": "".join(f"1 Q0 x{i} {i} {-i} some\n" for i in range(1, 12))
        + "1 Q0 a 12 -12 some\n",
        "tenth": "".join(f"1 Q0 x{i} {i} {-i} tenth\n" for i in range(1, 10))
        + "1 Q0 a 10 -10 tenth\n",
        "none": "1 Q0 A 1 1 none\n",
        "all": "1 Q0 a 1 2 all\n1 Q0 b 2 1 all\n",
    }
    paths = [write(tmp_path, name, text) for name, text in runs.items()]
    notes = told(qrels, paths)
    assert set(notes) == {"unjudged-document", "nothing-judged"}
    assert notes["unjudged-document"].count == 20
    assert "20 of 23 documents in the first 10 ranks" in notes["unjudged-document"].text
    assert notes["nothing-judged"].where == "none"


def test_topics_missing_from_a_run_are_told(tmp_path):
    path = write(tmp_path, "x.run", "2 Q0 NA 1 1 sys\n")
    note = told(hj.read_qrels(QRELS), [path])["missing-topic"]
    assert (note.count, note.where) == (2, "sys")
    assert note.subjects == ("10", "q-1")
    assert str(note).endswith(": 10, q-1")


def test_many_missing_topics_are_counted_rightly(tmp_path):
    path = write(tmp_path, "x.run", "1 Q0 a 1 1 sys\n")
    qrels = hj.read_qrels({str(i): {"a": 1} for i in range(1, 21)})
    note = told(qrels, [path])["missing-topic"]
    assert note.count == 19
    assert "19 judged topics" in note.text
    assert "1 more" not in note.text


def test_tied_scores_are_told(tmp_path):
    tied = "1 Q0 a 1 5 s\n1 Q0 b 2 5.0 s\n2 Q0 a 1 1 s\n"
    qrels = hj.read_qrels({"1": {"a": 1}, "2": {"a": 1}})
    path = write(tmp_path, "x.run", tied)
    assert told(qrels, [path])["ties"].count == 1
    assert told(qrels, [path])["ties"].text == "1 list has documents with equal scores"
    near = write(tmp_path, "y.run", tied.replace("5.0", "5.000000001"))
    assert "ties" not in told(qrels, [near])
    assert told(qrels, [near], score_precision="single")["ties"].count == 1
    both = write(tmp_path, "z.run", tied + "2 Q0 b 2 1 s\n")
    assert told(qrels, [both])["ties"].text == "2 lists have documents with equal scores"


def test_ranks_that_contradict_scores_are_told(tmp_path):
    qrels = hj.read_qrels({"1": {"a": 1}, "2": {"a": 1}})
    path = write(tmp_path, "x.run", "1 Q0 a 1 1 s\n1 Q0 b 2 2 s\n2 Q0 a 1 2 s\n2 Q0 b 2 1 s\n")
    assert told(qrels, [path])["rank-contradicts"].count == 1
    assert told(qrels, [path])["rank-contradicts"].text == "1 list has ranks that contradict scores"
    alike = write(tmp_path, "y.run", "1 Q0 a 0 1 s\n1 Q0 b 0 2 s\n")
    assert "rank-contradicts" not in told(qrels, [alike])


def test_two_tags_in_a_file_are_told(tmp_path):
    path = write(tmp_path, "x.run", "1 Q0 a 1 2 one\n1 Q0 b 2 1 two\n1 Q0 c 3 0 one\n")
    note = told(hj.read_qrels({"1": {"a": 1}}), [path])["two-tags"]
    assert note.where == path
    assert "'one'" in note.text
    assert "'two'" in note.text
    assert hj.read_runs(path).systems == ["one"]
    assert codes(hj.read_runs(path)) == {"two-tags": 1}


@pytest.mark.parametrize(
    "text",
    [
        "x Q0 a 1 1 s\ny Q0 a 1 1 s\n1 Q0 a 1 1 s\n",
        "x Q0 a 1 1 s\n1 Q0 a 1 1 s\ny Q0 a 1 1 s\n",
        "x Q0 a 1 1 s\ny Q0 a 1 1 s\nx Q0 b 2 0 s\ny Q0 b 2 0 s\n1 Q0 a 1 1 s\n",
    ],
)
def test_unjudged_topics_are_told(tmp_path, text):
    path = write(tmp_path, "x.run", text)
    assert told(hj.read_qrels({"1": {"a": 1}}), [path])["unjudged-topic"].count == 2


def test_a_document_twice_on_an_unjudged_topic_is_treated_alike(tmp_path):
    """Whether runs are read first or while they are scored makes no difference."""
    path = write(tmp_path, "x.run", "1 Q0 a 1 1 s\nx Q0 a 1 1 s\nx Q0 a 2 0 s\n")
    outcomes = []
    for runs in (lambda: path, lambda: hj.read_runs(path)):
        try:
            outcomes.append(hj.evaluate({"1": {"a": 1}}, runs(), "AP").values.tolist())
        except hj.HungjuryError as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]


def test_scores_carry_what_was_told_of_labels_and_runs(tmp_path):
    qrels = write(tmp_path, "q", "1 0 a 1\n1 0 a 1\n2 0 a 0\n3 0 a 9\n")
    run = write(
        tmp_path, "r", "1 Q0 a 2 5 s\n1 Q0 b 1 4 t\n3 Q0 a 1 1 s\n3 Q0 b 2 1 s\n9 Q0 a 1 1 s\n"
    )
    labels = hj.read_qrels(qrels, grades=range(3), outside="clip")
    for runs in (run, hj.read_runs(run)):
        assert codes(hj.evaluate(labels, runs, "AP")) == {
            "duplicate": 1, "nothing-relevant": 1, "outside": 1, "missing-topic": 1, "ties": 1,
            "rank-contradicts": 1, "two-tags": 1, "unjudged-topic": 1, "unjudged-document": 2,
        }  # fmt: skip
