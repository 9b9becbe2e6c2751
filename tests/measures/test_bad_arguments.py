"""Bad arguments and measures."""

import io

import pytest

import hungjury as hj
from builders.bad_input import QRELS, RUN, complaint, refused, write
from hungjury.base.errors import HungjuryError, InputError, MeasureError, UnknownName

# policies and other arguments

ODD = ["", "Error", "zero ", None, 1, ["first"], b"first"]


@pytest.mark.parametrize("value", ODD, ids=repr)
@pytest.mark.parametrize(
    ("read", "name", "choice"),
    [
        (lambda **k: hj.read_qrels(QRELS, **k), "duplicates", '"max"'),
        (lambda **k: hj.read_qrels(QRELS, **k), "outside", '"clip"'),
        (lambda **k: hj.read_judgments({"a": QRELS}, **k), "duplicates", '"max"'),
        (lambda **k: hj.read_judgments({"a": QRELS}, **k), "outside", '"clip"'),
        (lambda **k: hj.read_runs(RUN, **k), "ties", '"expected"'),
        (lambda **k: hj.read_runs(RUN, **k), "score_precision", '"single"'),
        (lambda **k: hj.read_runs(RUN, **k), "names", '"stem"'),
        (lambda **k: hj.evaluate(QRELS, RUN, "AP", **k), "undefined", '"drop"'),
        (lambda **k: hj.evaluate(QRELS, RUN, "AP", **k), "unjudged", '"condensed"'),
    ],
)
def test_policies_that_do_not_exist(read, name, choice, value):
    refused(
        lambda: read(**{name: value}), (f"invalid value {value!r} for {name}", f"{name}=", choice)
    )


@pytest.mark.parametrize("value", ["all", "", "Judged", [], ["9"], ["1", "9"], [None], None, 5],
                         ids=repr)  # fmt: skip
def test_topics_that_do_not_exist(value):
    refused(lambda: hj.evaluate(QRELS, RUN, "AP", topics=value), "topic")


@pytest.mark.parametrize("value", ["judge", "", 2, ["iteration"]], ids=repr)
def test_judge_columns_that_do_not_exist(value):
    refused(lambda: hj.read_judgments({"a": QRELS}, judge_column=value), "judge_column")


@pytest.mark.parametrize(
    "grades",
    [[], [1], range(1), [-1, 0], 5, "abc", [0.5, 1], [0, None], [0, float("nan")],
     ["x", "y"], range(70000)],
    ids=repr,
)  # fmt: skip
def test_scales_that_are_none(grades):
    for call in (lambda: hj.read_qrels(QRELS, grades=grades),
                 lambda: hj.read_judgments({"a": QRELS}, grades=grades)):  # fmt: skip
        refused(call, "grades")


def test_labels_outside_the_declared_scale(tmp_path):
    path = write(tmp_path, "q", "1 0 a 0\n1 0 b 4\n1 0 c 9\n1 0 d -1\n")
    says = ("label 4 is not among the declared grades 0-3", "2 such labels", "clip")
    refused(lambda: hj.read_qrels(path, grades=range(4)), says, file=path, line=2)
    soft = write(tmp_path, "soft", "1 0 a 1\n1 0 b 0.5\n")
    refused(lambda: hj.read_qrels(soft, grades=range(2)), "label 0.5", file=soft, line=2)
    refused(lambda: hj.read_qrels({"1": {"a": 7}}, grades=range(4), outside="missing"),
            "no label is left")  # fmt: skip


@pytest.mark.parametrize("outside", ["clip", "missing"])
def test_nothing_is_outside_a_scale_that_was_not_declared(outside):
    says = (f"outside is '{outside}'", "no grades are declared", "grades=range(4)")
    refused(lambda: hj.read_qrels(QRELS, outside=outside), says)
    refused(lambda: hj.read_judgments({"a": QRELS}, outside=outside), says)
    refused(lambda: hj.read_qrels(QRELS, outside=outside, scaling="median"),
            (f"outside is '{outside}'", "open scale", "leave outside out"))  # fmt: skip


@pytest.mark.parametrize("depth", [0, -1, "10", 1.5, float("nan")], ids=repr)
def test_depths_that_are_none(depth):
    refused(lambda: hj.evaluate(QRELS, RUN, "AP", depth=depth), "depth")


# measures


@pytest.mark.parametrize(
    ("measures", "error", "says"),
    [
        ([], MeasureError, "no measure was given"),
        ((), MeasureError, "no measure was given"),
        ("ndcgs@10", UnknownName, "did you mean nDCG"),
        (["AP", "sucess@5"], UnknownName, "did you mean Success"),
        ("AP,nDCG@10", UnknownName, "name each measure by itself: AP and nDCG@10"),
        ("MRR@10", UnknownName, "did you mean RR@10?"),
        ("ndcg_at_10", UnknownName, "did you mean nDCG@10?"),
        ("F1", MeasureError, "needs cutoff"),
        ("E(AP@10)@5", MeasureError, "AP@10 has a cutoff"),
        ("P@0", MeasureError, "cutoff is 0"),
        ("RBP(p=1.5)", MeasureError, "[0, 1)"),
        ("RBP(q=0.5)", MeasureError, "no parameter q"),
        ("AP(2)", MeasureError, "must be named"),
        ("Bpref@5", MeasureError, "does not take a number after @"),
        ("rbp", UnknownName, "trec_eval's 'rbp'"),
        ("Rprec_mult_0.20", UnknownName, "trec_eval's 'Rprec_mult_0.20'"),
        ("AP(rel=3)", MeasureError, "the largest grade of the labels is 2"),
        (["AP", "P(rel=7)@5"], MeasureError, "rel=7"),
        ("RBP(rel=3)", MeasureError, "rel=3"),
        ("", UnknownName, "cannot be read"),
        (None, HungjuryError, "measure"),
        ([None], HungjuryError, "measure"),
        ([3], HungjuryError, "measure"),
        (3, HungjuryError, "measure"),
    ],
)
def test_measures_that_cannot_be_computed(measures, error, says):
    assert says in complaint(lambda: hj.evaluate(QRELS, RUN, measures), error)


def test_grades_are_wanted_but_labels_are_probabilities():
    soft = hj.read_qrels({"1": {"a": 0.5, "b": 1.0}})
    for name in ("AP", "nDCG@10", "RBP"):
        refused(lambda name=name: hj.evaluate(soft, RUN, name), "probabilities", error=MeasureError)
    refused(lambda: soft.at_least(2), "rel is 2")
    panel = hj.read_judgments({"x": {"1": {"a": 0.5}}, "y": {"1": {"a": 1}}})
    refused(panel.matrix, "probabilities")


def test_ties_without_a_cheap_mean():
    runs = hj.read_runs({"1": {"a": 1.0, "b": 1.0}, "2": {"d": 1.0}}, ties="expected")
    refused(lambda: hj.evaluate(QRELS, runs, "ERR"), ("ERR", 'ties="trec"'), error=MeasureError)


@pytest.mark.parametrize(
    ("name", "labels", "error"),
    [
        ("AP", [0.5], InputError),
        ("AP", ["x"], InputError),
        ("AP", [float("nan")], InputError),
        ("AP", [1, 70000], InputError),
        ("AP", [1, -32768], InputError),
        ("apx", [1], UnknownName),
        ("F1", [1], MeasureError),
    ],
)
def test_lists_that_cannot_be_scored(name, labels, error):
    refused(lambda: hj.score_list(name, labels), error=error)


def test_frames_of_scores_come_from_two_libraries():
    scores = hj.evaluate(QRELS, RUN, "AP")
    refused(lambda: scores.to_frame("spark"), ("'spark'", '"pandas"'))


def test_labels_that_cannot_be_written(tmp_path):
    path = str(tmp_path / "no" / "folder" / "q.qrels")
    refused(lambda: hj.read_qrels(QRELS).write(path), "cannot be written", file=path)


def test_an_error_is_a_value_error_with_its_parts():
    found = refused(lambda: hj.read_qrels(io.StringIO("1 0 a 1\n1 0 b x\n")), file="<stream>",
                    line=2)  # fmt: skip
    assert isinstance(found, ValueError)
    assert found.message == "the label 'x' is not a number"
    assert str(found) == f"<stream>:2: {found.message}\n  remedy: {found.remedy}"
