"""Ordinary tables that would give plausible wrong numbers: each is refused or noted."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import hungjury as hj
from builders.reading import refused, write

FRAME = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["a", "b", "a"], "label": [1, 0, 2]})
LABELS = {"1": {"a": 1, "b": 0}, "2": {"a": 2}}
RUN = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0}}


def kinds(found):
    return [note.kind for note in found.notes]


@pytest.mark.parametrize("name", ["query", "question", "prompt_id", "Question_ID"])
def test_names_of_topics(name):
    assert hj.read_qrels(FRAME.rename(columns={"qid": name})).to_dict() == LABELS
    both = FRAME.assign(**{name: "text"})  # beside ids, it is only a text
    assert hj.read_qrels(both).to_dict() == LABELS


@pytest.mark.parametrize("name", ["gold", "truth"])
def test_names_of_gold_labels(name):
    assert hj.read_qrels(FRAME.rename(columns={"label": name})).to_dict() == LABELS


def test_a_table_without_topics_is_noted_and_refused_beside_topics(tmp_path):
    alone = FRAME[["docno", "label"]].iloc[:2]
    assert "no-topic" in kinds(hj.read_qrels(alone))
    path = write(tmp_path, "a.csv", "docno,label\na,1\nb,0\n")
    assert "no-topic" in kinds(hj.read_qrels(path))
    assert "no-topic" in kinds(hj.read_runs(pd.DataFrame({"docno": ["a"], "score": [1.0]})))
    error = refused(lambda: hj.evaluate(alone, RUN, ["AP"]), "no-common-topic")
    assert "no topic column" in error.message
    assert 'columns="topic=NAME"' in error.remedy


@pytest.mark.parametrize(
    "frame",
    [FRAME.set_index("qid"), FRAME.set_index(["qid", "docno"]), FRAME.set_index("docno")],
    ids=["topic", "both", "document"],
)
def test_a_named_index_is_read(frame):
    assert hj.read_qrels(frame).to_dict() == LABELS


def test_other_indexes():
    assert hj.read_qrels(FRAME.iloc[::-1]).to_dict() == LABELS  # numbers of rows
    clash = FRAME.set_index("qid", drop=False)
    assert "qid" in refused(lambda: hj.read_qrels(clash), "unreadable-columns").message


def test_integer_column_names():
    frame = FRAME.set_axis([0, 1, 2], axis=1)
    assert "0, 1, 2" in refused(lambda: hj.read_qrels(frame), "missing-column").message
    assert hj.read_qrels(frame, columns="topic=0,document=1,label=2").to_dict() == LABELS


def test_a_list_of_dictionaries_is_a_table():
    records = FRAME.to_dict("records")
    assert hj.read_qrels(records).to_dict() == LABELS
    panel = hj.read_judgments([{**record, "worker": "x"} for record in records])
    assert panel.qrels_of("x").to_dict() == LABELS
    refused(lambda: hj.read_qrels([{"1": {"a": 1}}]), "missing-column")


def test_labels_of_several_judges_are_not_qrels(tmp_path):
    frame = FRAME.assign(worker=["x", "y", "x"])
    for source in (frame, pl.DataFrame(frame), write(tmp_path, "a.csv", frame.to_csv(index=False))):
        for options in ({}, {"duplicates": "first"}):
            error = refused(lambda s=source, o=options: hj.read_qrels(s, **o), "several-judges")
            assert "2 judges (x, y)" in error.message
    assert hj.read_qrels(FRAME.assign(worker="x")).to_dict() == LABELS


def test_wide_tables_have_no_judges_of_ids_and_texts(tmp_path):
    wide = FRAME.rename(columns={"label": "gpt"}).assign(query="tides", llama=[0, 1, 1])
    for source in (wide, write(tmp_path, "a.csv", wide.to_csv(index=False))):
        found = hj.read_judgments(source, wide=True)
        assert found.judges == ["gpt", "llama"]
        assert "not-a-judge" in kinds(found)
    texts = wide.assign(why=["x", "y", "z"])
    for options in ({}, {"missing": "drop"}):
        error = refused(lambda o=options: hj.read_judgments(texts, wide=True, **o), "not-labels")
        assert "why" in error.message
    long = pd.DataFrame({"qid": 1, "docno": range(20), "gpt": 1, "llama": 0, "number": range(20)})
    assert "number" in refused(lambda: hj.read_judgments(long, wide=True), "not-labels").message
    assert hj.read_judgments(long, wide=True, without="number").judges == ["gpt", "llama"]
    words = wide.assign(gpt="yes", llama="no")
    assert hj.read_judgments(words, wide=True, map="yes:1,no:0").judges == ["gpt", "llama"]


def test_two_columns_that_differ_in_case(tmp_path):
    path = write(tmp_path, "a.csv", "qid,docno,label,Label\n1,a,1,0\n")
    assert "label, Label" in refused(lambda: hj.read_qrels(path), "ambiguous-column").message
    assert hj.read_qrels(path, columns="label=Label").to_dict() == {"1": {"a": 0}}
    refused(lambda: hj.read_qrels(path, columns="label=LABEL"), "ambiguous-column")


MARK = b"\xef\xbb\xbf"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.qrels", MARK + b"1 0 a 1\n" + MARK + b"1 0 b 0\n"),
        ("a.qrels", MARK + MARK + b"1 0 a 1\n"),
        ("a.csv", MARK + b"qid,docno,label\n1,a,1\n" + MARK + b"qid,docno,label\n1,b,0\n"),
    ],
)
def test_marks_inside_files_of_labels(tmp_path, name, text):
    path = write(tmp_path, name, text)
    refused(lambda: hj.read_qrels(path), "byte-order-mark")


def test_marks_inside_runs(tmp_path):
    path = write(tmp_path, "a.run", b"1 Q0 a 1 2 t\n" + MARK + b"1 Q0 b 2 1 t\n")
    for call in (lambda: hj.read_runs(path), lambda: hj.evaluate(LABELS, path, ["AP"])):
        assert refused(call, "byte-order-mark").line == 2


def test_scores_with_blanks(tmp_path):
    path = write(tmp_path, "a.run", "1 Q0 a 1 3 000 t\n1 Q0 b 2 2 500 t\n")
    for call in (lambda: hj.read_runs(path), lambda: hj.evaluate(LABELS, path, ["AP"])):
        assert "3 000" in refused(call, "blank-in-score").message
    tagged = write(tmp_path, "b.run", "1 Q0 a 1 3 001\n1 Q0 b 2 2 001\n")
    assert hj.read_runs(tagged).systems == ["001"]
    commented = write(tmp_path, "c.run", "1 Q0 a 1 3 bm25 first stage\n")
    assert hj.read_runs(commented).systems == ["bm25"]


def test_topics_that_differ_in_zeros_are_noted():
    found = hj.read_judgments({"x": {"1": {"a": 1}}, "y": {"001": {"a": 1}}})
    note = next(note for note in found.notes if note.kind == "alike-topics")
    assert note.subjects == ("001 and 1",)
    assert "alike-topics" not in kinds(hj.read_judgments({"x": {"1": {"a": 1}, "10": {"a": 0}}}))


LISTS = {"1": ["a", "b"], "2": ["c"]}
RANKED = {"1": ["a", "b"], "2": ["c"]}


def order(runs, system):
    return {topic: [d for d, _ in runs.ranked(system, topic)] for topic in runs.topics}


def test_runs_as_lists_of_ids(tmp_path):
    import json

    frame = pd.DataFrame({"qid": [*LISTS], "docs": [*LISTS.values()]})
    lines = "".join(json.dumps({"qid": t, "doc_ids": d}) + "\n" for t, d in LISTS.items())
    for source, system in (
        (LISTS, "run"),
        ({"bm25": LISTS, "other": LISTS}, "bm25"),
        (frame, "run"),
        (pl.DataFrame(frame), "run"),
        (frame.assign(system="x"), "x"),
        (write(tmp_path, "a.json", json.dumps(LISTS)), "a"),
        (write(tmp_path, "b.json", json.dumps(LISTS, indent=1)), "b"),
        (write(tmp_path, "c.jsonl", lines), "c"),
    ):
        runs = hj.read_runs(source)
        assert order(runs, system) == RANKED
        assert "AP" in hj.evaluate({"1": {"b": 1}}, runs, ["AP"]).measures
    twice = {"1": ["a", "a"]}
    refused(lambda: hj.read_runs(twice), "duplicate-document")
    refused(lambda: hj.read_runs(pd.DataFrame({"qid": ["1"], "docs": [["a", "a"]]})),
            "duplicate-document")  # fmt: skip


def test_runs_with_ranks_and_no_scores(tmp_path):
    frame = pd.DataFrame(
        {"qid": "1", "docno": ["a", "b", "b", "a"], "rank": [2, 1, 2, 1], "system": [*"xxyy"]}
    )
    for source in (frame, write(tmp_path, "a.csv", frame.to_csv(index=False))):
        runs = hj.read_runs(source)
        assert order(runs, "x") == {"1": ["b", "a"]}
        assert order(runs, "y") == {"1": ["a", "b"]}
    error = refused(lambda: hj.read_runs(frame[["qid", "docno"]]), "missing-column")
    assert "ranks in a column rank are enough" in error.remedy


def test_gold_columns():
    gold = pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "truth": [1, 0], "rating": [9, 9]})
    panel = pd.DataFrame(
        {"qid": "1", "docno": ["a", "b"] * 2, "model": [*"xxyy"], "rating": [1, 0, 1, 1]}
    )
    options = {"columns": "judge=model,label=rating"}
    runs = {"s": {"1": {"a": 2.0, "b": 1.0}}, "t": {"1": {"a": 1.0, "b": 2.0}}}
    found = hj.aware(panel, runs, "AP", gold=gold, weights="supervised",
                     gold_columns="label=truth", **options)  # fmt: skip
    expected = hj.aware(panel, runs, "AP", gold={"1": {"a": 1, "b": 0}}, weights="supervised",
                        **options)  # fmt: skip
    assert found.to_dict() == expected.to_dict()
    call = lambda: hj.merge(panel, "mv", gold_columns="label=truth", **options)  # noqa: E731
    assert refused(call, "no-gold").argument == "gold_columns"


def test_options_as_text():
    table = [{"q": "1", "d": "a", "l": "yes"}, {"q": "1", "d": "b", "l": "no"}]
    found = hj.read_qrels(
        table, columns="topic=q,document=d,label=l", map="yes:2,no:0", grades="0-3"
    )
    assert found.to_dict() == {"1": {"a": 2, "b": 0}}
    assert found.grades == (0, 1, 2, 3)


def test_files_of_judges_are_not_one_qrels(tmp_path):
    """Conflicts over files are not duplicates, whatever is to be done with these."""
    for j, judge in enumerate("abc"):
        lines = [f"{t} 0 d{d} {(t + d * j) % 3}\n" for t in (1, 2) for d in range(20)]
        write(tmp_path, f"{judge}.qrels", "".join(lines))
    for how in ("error", "first", "last", "max"):
        call = lambda how=how: hj.read_qrels(f"{tmp_path}/*.qrels", duplicates=how)  # noqa: E731
        refused(call, "several-judges")
    parts = [write(tmp_path, f"{t}.txt", f"{t} 0 a 1\n{t} 0 b 0\n") for t in (1, 2)]
    assert len(hj.read_qrels(parts)) == 4
    again = write(tmp_path, "again.txt", "".join(f"1 0 d{d} {d % 2}\n" for d in range(300)))
    late = write(tmp_path, "late.txt", "1 0 d1 0\n1 0 d400 1\n")  # one label was corrected
    assert hj.read_qrels([again, late], duplicates="last").to_dict()["1"]["d1"] == 0
    twice = "".join(f"1 0 d{d} {label}\n" for d in range(20) for label in (0, 1))
    alone = write(tmp_path, "twice.txt", twice)  # conflicts in one file are not those of judges
    assert set(hj.read_qrels(alone, duplicates="last").to_dict()["1"].values()) == {1}
    refused(lambda: hj.read_qrels(alone), "conflicting-labels")


def test_gold_of_another_scale_is_refused_by_merges():
    chance = np.random.default_rng(1)
    truth = {str(t): {f"d{d}": int(chance.integers(4)) for d in range(30)} for t in range(4)}
    panel = {j: {t: dict(one) for t, one in truth.items()} for j in "abc"}
    binary = {t: {d: int(v > 1) for d, v in one.items()} for t, one in truth.items()}
    refused(lambda: hj.merge(panel, "em-neu", gold=binary), "gold-scale")
    refused(lambda: hj.compare_merges(panel, binary), "gold-scale")
    assert hj.merge(panel, "em-neu", rel=2, gold=binary).soft is not None
    assert hj.merge(panel, "em-neu", gold=truth).notes == ()


def test_labels_without_topics_are_named_before_anything_else():
    rows = [{"judge": j, "document": f"d{d}", "label": d % 2} for j in "abc" for d in range(9)]
    runs = {"s": {"1": {"d1": 1.0}, "2": {"d2": 1.0}}, "t": {"1": {"d2": 1.0}, "2": {"d3": 1.0}}}
    error = refused(lambda: hj.leaderboard(rows, runs, "AP"), "no-common-topic")
    assert "the labels have no topic column" in error.message
    assert 'columns="topic=NAME"' in error.remedy


def test_a_scale_that_ends_below_others_is_noted():
    rows = {
        j: {str(t): {f"d{d}": (t + d) % 4 * (3 if j == "x" else 1) for d in range(10)}
            for t in range(6)} for j in "xyz"
    }  # fmt: skip
    noted = [note for note in hj.read_judgments(rows).notes if note.kind == "lower-scale"]
    assert [note.subjects for note in noted] == [("y", "z")]
