"""Reading labels that are probabilities of relevance or of grades."""

import io
import json

import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import strategies as st

import hungjury as hj
from builders.probabilities import GRADES, SOFT, frame, table
from hungjury.base.errors import InputError

chances = st.floats(0, 1)


# Reading probabilities of relevance


def decimals(form):
    rows = [(t, d, p) for t, pool in SOFT.items() for d, p in pool.items()]
    if form == "dictionary":
        return SOFT
    if form == "TREC columns":
        return io.StringIO("".join(f"{t} 0\t{d} {p}\n" for t, d, p in rows))
    if form == "CSV":
        return io.StringIO("topic,document,p\n" + "".join(f"{t},{d},{p}\n" for t, d, p in rows))
    if form == "JSON lines":
        keys = ("query_id", "doc_id", "relevance")
        return io.StringIO(
            "".join(json.dumps(dict(zip(keys, r, strict=True))) + "\n" for r in rows)
        )
    columns = dict(zip(("qid", "docno", "label"), map(list, zip(*rows, strict=True)), strict=True))
    return {"pandas": pandas.DataFrame, "polars": polars.DataFrame}[form](columns)


@pytest.mark.parametrize(
    "form", ["dictionary", "TREC columns", "CSV", "JSON lines", "pandas", "polars"]
)
def test_decimal_labels_are_probabilities(form):
    qrels = hj.read_qrels(decimals(form))
    assert qrels.soft
    assert (qrels.labels, qrels.grade_p) == (None, None)
    assert (qrels.grades, qrels.max_grade, len(qrels)) == ((0, 1), 1, 4)
    assert qrels.to_dict() == SOFT
    assert "probabilities" in repr(qrels)


@pytest.mark.parametrize("label", ["1.0", "1", "1e0", "+1"])
def test_whole_numbers_are_grades_however_they_are_written(label):
    qrels = hj.read_qrels(io.StringIO(f"1 0 a {label}\n1 0 b 0.0\n"))
    assert not qrels.soft
    assert qrels.labels.tolist() == [1, 0]


def test_one_decimal_makes_all_labels_probabilities():
    qrels = hj.read_qrels({"1": {"a": 1, "b": 0}, "2": {"c": 0.5}})
    assert qrels.p.tolist() == [1, 0, 0.5]


@pytest.mark.parametrize(("other", "line"), [("1.5", 2), ("2", 2), ("-1", 2), ("-0.5", 2)])
def test_probabilities_lie_between_0_and_1(other, line):
    text = io.StringIO(f"1 0 a 0.5\n1 0 b {other}\n1 0 c 1\n")
    with pytest.raises(InputError, match="between 0 and 1") as caught:
        hj.read_qrels(text)
    assert caught.value.line == line
    assert f"label {other}" in caught.value.message
    assert "scale" in caught.value.remedy


@pytest.mark.parametrize("label", ["nan", "inf", "half", "0,5"])
def test_probabilities_are_numbers(label):
    with pytest.raises(InputError) as caught:
        hj.read_qrels(io.StringIO(f"1 0 a 0.5\n1 0 b {label}\n"))
    assert caught.value.line == 2


@pytest.mark.parametrize(
    ("duplicates", "p"), [("first", 0.5), ("last", 0.25), ("max", 0.5), ("error", None)]
)
def test_duplicates(duplicates, p):
    text = io.StringIO("1 0 a 0.5\n1 0 b 0.1\n1 0 a 0.25\n")
    if p is None:
        with pytest.raises(InputError, match=r"labelled 0\.25 here and 0\.5") as caught:
            hj.read_qrels(text)
        assert caught.value.line == 3
        assert "first" in caught.value.remedy
    else:
        assert hj.read_qrels(text, duplicates=duplicates).p.tolist() == [p, 0.1]


def test_equal_duplicates_are_no_conflict():
    qrels = hj.read_qrels(io.StringIO("1 0 a 0.5\n1 0 a 0.5\n"))
    assert qrels.p.tolist() == [0.5]
    assert [note.kind for note in qrels.notes] == ["duplicate"]


# Reading probabilities of grades


def grade_sources(tmp_path):
    yield io.StringIO(table(GRADES))
    yield io.StringIO(table(GRADES, "query_id,doc_id"))
    yield io.StringIO(table(GRADES).replace(",", "\t"))
    yield [io.StringIO(table(GRADES))]
    columns = frame()
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    yield io.StringIO("".join(json.dumps(row) + "\n" for row in rows))
    yield pandas.DataFrame(columns)
    yield polars.DataFrame(columns)
    yield pyarrow.table(columns)
    pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "grades.parquet")
    yield tmp_path / "grades.parquet"
    (tmp_path / "grades.csv").write_text(table(GRADES))
    yield tmp_path / "grades.csv"


def test_columns_with_the_probability_of_every_grade(tmp_path):
    for source in grade_sources(tmp_path):
        qrels = hj.read_qrels(source)
        assert qrels.soft
        assert (qrels.labels, qrels.p) == (None, None)
        assert qrels.grades == (0, 1, 2)
        assert qrels.to_dict() == GRADES


def test_topics_are_in_natural_order_whatever_the_order_of_rows():
    text = "document,p1,topic,p0\nz,0.25,10,0.75\na,0.5,9,0.5\ny,1,10,0\nb,0,9,1\n"
    qrels = hj.read_qrels(io.StringIO(text))
    assert qrels.topics == ["9", "10"]
    assert qrels.to_dict() == {
        "9": {"a": [0.5, 0.5], "b": [1, 0]},
        "10": {"z": [0.75, 0.25], "y": [0, 1]},
    }
    assert qrels.pool.documents == ["a", "b", "z", "y"]


@pytest.mark.parametrize("p", ["0.5,0.4", "0.6,0.6", "-0.5,1.5", "0,0", "0.5,0.50001"])
def test_probabilities_of_grades_add_up_to_1(p):
    text = io.StringIO(f"topic,document,p0,p1\n1,a,0.5,0.5\n1,b,{p}\n")
    with pytest.raises(InputError, match="probabilities of the grades are") as caught:
        hj.read_qrels(text)
    assert caught.value.line == 3
    assert "sum to 1" in caught.value.remedy


def test_probabilities_of_grades_may_be_rounded():
    qrels = hj.read_qrels(
        io.StringIO("topic,document,p0,p1,p2\n1,a,0.3333333,0.3333333,0.3333333\n")
    )
    assert qrels.grade_p.sum() == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize("value", ["nan", "", "much"])
def test_probabilities_of_grades_are_numbers(value):
    with pytest.raises(InputError, match="p1") as caught:
        hj.read_qrels(io.StringIO(f"topic,document,p0,p1\n1,a,0.5,0.5\n1,b,1,{value}\n"))
    assert caught.value.line == 3


def test_a_row_a_document():
    text = "topic,document,p0,p1\n1,a,0.5,0.5\n2,a,0.5,0.5\n1,a,0.5,0.5\n"
    with pytest.raises(InputError, match="document 'a' of topic '1' appears twice") as caught:
        hj.read_qrels(io.StringIO(text))
    assert caught.value.line == 4
    assert caught.value.remedy


def test_a_grade_without_a_column():
    with pytest.raises(InputError) as caught:
        hj.read_qrels(io.StringIO("topic,document,p0,p2\n1,a,0.5,0.5\n"))
    assert caught.value.remedy
