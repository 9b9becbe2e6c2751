"""Labels of several judges, wherever their names stand."""

import gzip

import pandas
import pytest

import hungjury as hj
from builders.reading import FRAMES, TABLES, codes, joined, qrels_rows, write

PANEL = {"ann": {"1": {"a": 1, "b": 0}, "2": {"a": 2}}, "bob": {"1": {"a": 0}, "2": {"c": 1}}}


def panel_rows():
    return [
        (who, t, d, v) for who, labels in PANEL.items() for t, ds in labels.items()
        for d, v in ds.items()
    ]  # fmt: skip


def assert_panel(judgments, names=("ann", "bob")):
    assert judgments.judges == list(names)
    assert judgments.topics == ["1", "2"]
    assert len(judgments) == 5
    for mine, name in zip(PANEL, names, strict=True):
        assert judgments.qrels_of(name).to_dict() == PANEL[mine]
    assert (judgments.matrix() == -32768).sum() == 3  # not judged: four documents, five labels


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("a.qrels.gz", "a"),
        ("a.txt", "a"),
        ("a.QRELS.TXT", "a"),
        ("gpt-4.1.qrels", "gpt-4.1"),
        ("llama3.2.prompt-1.txt.gz", "llama3.2.prompt-1"),
        ("judge", "judge"),
        ("judge.v2", "judge.v2"),
        ("a b.csv", "a b"),
    ],
)
def test_a_file_names_its_judge(tmp_path, file, name):
    other = write(tmp_path, "zz.qrels", "1 0 d 1\n")
    path = write(tmp_path, file, gzip.compress(b"1 0 d 0\n"))
    assert hj.read_judgments([path, other]).judges == [name, "zz"]


def test_one_file_per_judge(tmp_path):
    for name, labels in PANEL.items():
        write(tmp_path, f"{name}.qrels.gz", gzip.compress(joined(qrels_rows(labels))))
    assert_panel(hj.read_judgments(str(tmp_path / "*.qrels.gz")))
    assert_panel(hj.read_judgments(tmp_path / f"{name}.qrels.gz" for name in PANEL))
    assert_panel(hj.read_judgments([tmp_path / f"{n}.qrels.gz" for n in ("bob", "ann")][::-1]))


@pytest.mark.parametrize("column", ["judge", "assessor", "worker", "annotator"])
@pytest.mark.parametrize("kind", [*TABLES, *FRAMES])
def test_a_judge_column(tmp_path, kind, column):
    who, topic, document, label = map(list, zip(*panel_rows(), strict=True))
    columns = {column: who, "query_id": topic, "doc_id": document, "relevance": label}
    if kind in FRAMES:
        source = FRAMES[kind](columns)
    else:
        source = write(tmp_path, "labels", TABLES[kind](columns))
    assert_panel(hj.read_judgments(source))


def test_the_columns_of_crowd_kit():
    crowd = pandas.DataFrame(
        {"task": ["x", "x", "y"], "worker": ["u", "v", "u"], "label": [1, 0, 1]}
    )
    judgments = hj.read_judgments(crowd)
    assert judgments.topics == ["topic"]
    assert judgments.judges == ["u", "v"]
    assert judgments.qrels_of("u").to_dict() == {"topic": {"x": 1, "y": 1}}


def test_the_second_column_of_qrels_names_the_judge_only_when_asked(tmp_path):
    rows = [(t, who, d, str(v)) for who, t, d, v in panel_rows()]
    path = write(tmp_path, "jg", joined(rows))
    assert_panel(hj.read_judgments(path, judge_column="iteration"))
    with pytest.raises(hj.HungjuryError, match="iteration"):
        hj.read_judgments(path)
    halves = [write(tmp_path, f"half{i}", joined(rows[i::2])) for i in (0, 1)]
    assert hj.read_judgments(halves).judges == ["half0", "half1"]
    assert set(hj.read_judgments(halves, judge_column="iteration").judges) == {"ann", "bob"}


@pytest.mark.parametrize("frame", FRAMES)
def test_the_iteration_column_of_a_frame(frame):
    columns = {"qid": ["1", "1"], "docno": ["a", "a"], "label": [0, 1], "iteration": ["i", "j"]}
    made = FRAMES[frame](columns)
    assert hj.read_judgments(made, judge_column="iteration").judges == ["i", "j"]
    both = FRAMES[frame]({**columns, "judge": ["x", "y"]})
    assert hj.read_judgments(both).judges == ["x", "y"]
    assert hj.read_judgments(both, judge_column="iteration").judges == ["i", "j"]


def test_the_second_column_of_qrels_beside_a_table_is_no_judge(tmp_path):
    table = write(tmp_path, "a.csv", "qid,docno,label,worker\n1,a,1,ann\n")
    plain = write(tmp_path, "b.qrels", "1 0 a 0\n")
    try:
        found = hj.read_judgments([table, plain]).judges
    except hj.HungjuryError:
        found = "refused"
    assert found in (["ann", "b"], "refused")


def test_a_dictionary_of_judges():
    assert_panel(hj.read_judgments(PANEL))


def test_two_judges_do_not_conflict_but_one_may_repeat_himself():
    panel = pandas.DataFrame(
        {"topic": ["1"] * 3, "document": ["a"] * 3, "judge": ["x", "y", "x"], "label": [0, 1, 0]}
    )
    judgments = hj.read_judgments(panel)
    assert len(judgments) == 2
    assert codes(judgments) == {"duplicate": 1}
