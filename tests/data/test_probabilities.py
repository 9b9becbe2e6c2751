"""Labels that are probabilities: read, mapped from grades, written, converted, drawn and scored."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.parquet
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import hungjury as hj
from builders.examples import examples
from builders.probabilities import GRADES, HARD, RUN, SOFT, frame, graded, table
from hungjury.base.errors import InputError, MeasureError
from hungjury.cli.main import hungjury as command

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


# Labels that are probabilities: written, converted, drawn, and scored.


documents = st.text("aZ0é#-'\"", min_size=1, max_size=4)
topics = documents.filter(lambda text: text[0] != "#")  # a line that starts so is a comment


# Writing


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("written")


@examples(30)
@given(made=st.dictionaries(topics, st.dictionaries(documents, chances, max_size=5), max_size=3))
def test_soft_labels_are_written_and_read_back(folder, made):
    made = {topic: pool for topic, pool in made.items() if pool}
    made.setdefault("0", {})["decimal"] = 0.5
    path = folder / "soft"
    qrels = hj.read_qrels(made)
    qrels.write(str(path))
    again = hj.read_qrels(path)
    assert again.to_dict() == made
    assert again.topics == qrels.topics
    assert again.pool.documents == qrels.pool.documents


@st.composite
def distributions(draw, size):
    weights = draw(st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(any))
    return [w / sum(weights) for w in weights]


@examples(30)
@given(data=st.data(), size=st.integers(2, 5))
def test_grade_probabilities_are_written_and_read_back(folder, data, size):
    names = st.text("aZ0é#-' ,\"", min_size=1, max_size=4).map(str.strip).filter(bool)
    pools = st.dictionaries(names, distributions(size), min_size=1, max_size=4)
    made = data.draw(st.dictionaries(names, pools, min_size=1, max_size=3))
    rows = [(t, d, *p) for t, pool in made.items() for d, p in pool.items()]
    columns = zip(*rows, strict=True)
    header = ["topic", "document", *(f"p{k}" for k in range(size))]
    source = pandas.DataFrame(dict(zip(header, columns, strict=True)))
    qrels = hj.read_qrels(source)
    path = folder / "grades.csv"
    qrels.write(str(path))
    again = hj.read_qrels(path)
    assert again.to_dict() == made
    assert again.topics == qrels.topics
    assert (again.grade_p == qrels.grade_p).all()


@pytest.mark.parametrize(("topic", "document"), [("1", "a b"), ("1 2", "a"), ("#1", "a")])
def test_ids_that_trec_columns_cannot_hold_are_refused(tmp_path, topic, document):
    qrels = hj.read_qrels({topic: {document: 0.5}, "9": {"z": 0.25}})
    with pytest.raises(InputError):
        qrels.write(str(tmp_path / "labels"))
    assert not (tmp_path / "labels").exists()


def test_hard_labels_are_written_and_read_back(tmp_path):
    hj.read_qrels(HARD).write(str(tmp_path / "labels"))
    assert (tmp_path / "labels").read_text() == "1 0 a 2\n1 0 b 0\n1 0 c -1\n2 0 a 1\n"
    assert hj.read_qrels(tmp_path / "labels").to_dict() == HARD


def test_certain_probabilities_are_worth_the_same_when_read_back(tmp_path):
    soft = hj.read_qrels({"1": {"a": 2, "b": 0}}).at_least(1)
    soft.write(str(tmp_path / "labels"))
    again = hj.read_qrels(tmp_path / "labels")
    assert again.at_least(1).p.tolist() == soft.p.tolist()
    assert hj.evaluate(again, RUN, "eRAP").values == hj.evaluate(soft, RUN, "eRAP").values


# From one kind to another


def test_at_least():
    qrels = hj.read_qrels(HARD)
    assert qrels.at_least(1).p.tolist() == [1, 0, 0, 1]
    assert qrels.at_least(2).p.tolist() == [1, 0, 0, 0]
    assert graded().at_least(1).p == pytest.approx([0.8, 0, 0.5])
    assert graded().at_least(2).p == pytest.approx([0.5, 0, 0])
    soft = hj.read_qrels(SOFT)
    assert soft.at_least(1).to_dict() == SOFT
    for made in (qrels, graded(), soft):
        made = made.at_least(1)
        assert (made.soft, made.grades, made.labels, made.grade_p) == (True, (0, 1), None, None)


@pytest.mark.parametrize("rel", [0, -1, 3])
def test_at_least_a_grade_of_the_scale(rel):
    for made in (hj.read_qrels(HARD), graded()):
        with pytest.raises(InputError, match=f"rel is {rel}") as caught:
            made.at_least(rel)
        assert "between 1 and 2" in caught.value.remedy
    with pytest.raises(InputError, match="rel is 2"):
        hj.read_qrels(SOFT).at_least(2)


def test_threshold():
    soft = hj.read_qrels(SOFT)
    assert soft.threshold().labels.tolist() == [1, 0, 1, 0]
    assert soft.threshold(0.25).labels.tolist() == [1, 0, 1, 1]
    assert soft.threshold(0.51).labels.tolist() == [0, 0, 1, 0]
    assert graded().threshold().labels.tolist() == [2, 0, 0]  # a tie goes to the lower grade
    assert graded().threshold().grades == (0, 1, 2)
    hard = hj.read_qrels(HARD)
    assert hard.threshold() is hard
    for made in (soft, graded()):
        assert not made.threshold().soft
        assert hj.evaluate(made.threshold(), RUN, "AP").values[0, 0, 0] > 0


def test_select():
    for made, whole in (
        (hj.read_qrels(SOFT), SOFT),
        (graded(), GRADES),
        (hj.read_qrels(HARD), HARD),
    ):
        assert made.select(["2"]).to_dict() == {"2": whole["2"]}


# Drawing


def test_draws_follow_the_probabilities():
    draws = 20_000
    soft = {"1": {f"d{i}": p for i, p in enumerate([0.0, 0.05, 0.5, 0.95, 1.0])}}
    drawn = hj.read_qrels(soft).draw(np.random.default_rng(0), draws)
    assert drawn.shape == (draws, 5)
    p = np.array(list(soft["1"].values()))
    assert (abs(drawn.mean(axis=0) - p) <= 4 * np.sqrt(p * (1 - p) / draws)).all()
    assert abs(np.corrcoef(drawn[:, 1:4].T) - np.eye(3)).max() < 4 / math.sqrt(draws)
    drawn = graded().draw(np.random.default_rng(0), draws)
    for i, chances in enumerate([GRADES["1"]["a"], GRADES["1"]["b"], GRADES["2"]["a"]]):
        share = np.array([(drawn[:, i] == grade).mean() for grade in range(3)])
        p = np.array(chances)
        assert (abs(share - p) <= 4 * np.sqrt(p * (1 - p) / draws)).all()


def test_draws_are_reproducible_and_do_not_depend_on_blocks():
    for made in (hj.read_qrels(SOFT), graded()):
        whole = made.draw(np.random.default_rng(3), 30)
        assert (whole == made.draw(np.random.default_rng(3), 30)).all()
        rng = np.random.default_rng(3)
        parts = np.concatenate([made.draw(rng, n) for n in (10, 1, 19)])
        assert (whole == parts).all()
        assert (whole != made.draw(np.random.default_rng(4), 30)).any()


def test_certain_labels_are_always_the_same():
    drawn = hj.read_qrels(HARD).draw(np.random.default_rng(0), 3)
    assert drawn.tolist() == [[2, 0, -1, 1]] * 3


# Measures that do not suit


@pytest.mark.parametrize("name", ["AP", "nDCG@10", "RBP(p=0.5)", "Bpref", "NumRel", "P_10"])
@pytest.mark.parametrize("kind", ["p", "grade_p"])
def test_a_measure_of_grades_names_the_choices(kind, name):
    made = hj.read_qrels(SOFT) if kind == "p" else graded()
    with pytest.raises(MeasureError, match="needs grades, but these labels are prob") as caught:
        hj.evaluate(made, RUN, ["eRAP", name])
    for choice in (f"E({hj.measure(name)})", "eRAP", "eRRBP", "eRDCG", "threshold(0.5)"):
        assert choice in caught.value.remedy
    assert hj.evaluate(made, RUN, f"E({hj.measure(name)}, draws=2)").values.shape == (1, 1, 2)
    assert hj.evaluate(made.threshold(0.5), RUN, name).values.shape == (1, 1, 2)


@pytest.mark.parametrize("name", ["GAP(g=[1])", "xGAP(g=[1])", "eGAP(g=[1])"])
def test_graded_precision_wants_grades(name):
    with pytest.raises(MeasureError, match="needs grades"):
        hj.evaluate(SOFT, RUN, name)


@pytest.mark.parametrize("name", ["eRAP", "eRRBP", "eRDCG"])
@pytest.mark.parametrize(("given", "what"), [("rel=1", "rel"), ("prob=[0, 1]", "prob")])
def test_parameters_for_grades_on_probabilities_of_relevance(name, given, what):
    with pytest.raises(MeasureError, match=f"{what} needs grades") as caught:
        hj.evaluate(SOFT, RUN, f"{name}({given})")
    assert caught.value.remedy == f"leave {what} out"
    with pytest.raises(MeasureError, match=f"{what} needs grades"):
        hj.score_list(f"{name}({given})", [0.5, 0.2])


@pytest.mark.parametrize("name", ["eRAP", "eRRBP", "eRDCG"])
def test_a_map_of_grades_on_probabilities_of_grades_is_their_product(name):
    """P(relevant) is the sum over grades of P(grade) times P(relevant given the grade)."""
    given, prob = graded(), [0.1, 0.4, 0.9]
    soft = {
        topic: {d: sum(p * q for p, q in zip(row, prob, strict=True)) for d, row in rows.items()}
        for topic, rows in given.to_dict().items()
    }
    found = hj.evaluate(given, RUN, f"{name}(prob={prob}, unjudged=0)").values
    assert found == pytest.approx(hj.evaluate(soft, RUN, f"{name}(unjudged=0)").values)


def test_rel_on_probabilities_of_grades():
    for rel in (1, 2):
        found = hj.evaluate(graded(), RUN, f"eRAP(rel={rel})")
        assert found.values == pytest.approx(
            hj.evaluate(graded().at_least(rel), RUN, "eRAP").values
        )
    with pytest.raises(MeasureError, match="rel=3"):
        hj.evaluate(graded(), RUN, "eRAP(rel=3)")


def test_grades_in_a_list_of_probabilities():
    with pytest.raises(InputError, match="cannot score"):
        hj.score_list("eRAP", [0.5, 2])
    with pytest.raises(InputError, match="cannot score"):
        hj.score_list("AP", [0.5, 1])


# Grades that become probabilities at reading: map={0: 0.05, 1: 0.3}, --map 0:0.05,1:0.3.


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
