"""Labels that are probabilities: written, converted, drawn, and scored."""

import math

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hungjury as hj
from builders.probabilities import GRADES, HARD, RUN, SOFT, graded
from hungjury.base.errors import InputError, MeasureError

documents = st.text("aZ0é#-'\"", min_size=1, max_size=4)
topics = documents.filter(lambda text: text[0] != "#")  # a line that starts so is a comment
chances = st.floats(0, 1)


# Writing


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("written")


@settings(max_examples=30)
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


@settings(max_examples=30)
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
def test_a_map_of_grades_on_probabilities_of_grades_is_not_ignored(name):
    """Labels are probabilities here too: a second map from grades to probabilities is refused."""
    with pytest.raises(MeasureError, match="prob"):
        hj.evaluate(graded(), RUN, f"{name}(prob=[0.1, 0.4, 0.9])")


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
