"""Names with parameters: written, read back, refused; and trec_eval's names for the same."""

import string
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import hungjury as hj
from hungjury.base import parameters
from hungjury.base.errors import HungjuryError, MeasureError, UnknownName
from hungjury.base.named import Catalogue, Named
from hungjury.base.parameters import param, required
from hungjury.judges.weights import WEIGHTS
from hungjury.measures.catalogue import CATALOGUE, measure_list, trec_name

calmly = settings(
    deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow]
)


def value_of(field):
    """Random values of a parameter, inside its range."""
    kind, bounds = field.kind, field.bounds
    low, high = bounds.get("low"), bounds.get("high")
    if kind is parameters.integer:
        values = st.integers(low or 0, min(high or 10**6, 10**6))
    elif kind in (parameters.number, parameters.numbers):
        values = st.floats(
            0 if low is None else low, 1e6 if high is None else high,
            exclude_min=bounds.get("open_low", False), exclude_max=bounds.get("open_high", False),
        )  # fmt: skip
        if kind is parameters.numbers:
            values = st.lists(values, max_size=4)
    elif kind is parameters.mapping:
        values = st.dictionaries(st.integers(0, 20), st.floats(-1e3, 1e3), max_size=4)
    elif kind is parameters.flag:
        values = st.booleans()
    elif field.choices:
        values = st.sampled_from(field.choices)
    else:  # a kind of its own: leave the default
        return None
    return st.none() | values if field.default is None else values


@st.composite
def any_measure(draw):
    cls = draw(st.sampled_from(list(CATALOGUE)))
    given_values = {}
    for field in cls.params():
        values = value_of(field)
        assume(values is not None or not field.required)
        if values is not None and (field.required or draw(st.booleans())):
            given_values[field.name] = draw(values)
    try:
        return cls(**given_values)
    except MeasureError:  # parameters that exclude each other
        assume(False)


@calmly
@given(any_measure())
def test_what_is_printed_is_read_back(one):
    again = hj.measure(str(one))
    assert again == one
    assert hash(again) == hash(one)
    assert str(again) == str(one)


@calmly
@given(any_measure())
def test_the_trec_name_means_the_same_measure(one):
    assert hj.measure(trec_name(one)) == one


@calmly
@given(st.text(string.printable + "é５", max_size=20), st.sampled_from(["", "AP", "P@", "nDCG("]))
def test_any_text_is_a_measure_or_an_error_of_ours(text, start):
    try:
        found = measure_list([start + text])
    except HungjuryError as error:
        found = error.remedy
    assert found


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        ("AP", "AP"),
        (" AP ( rel = 2 ) @ 100 ", "AP(rel=2)@100"),
        ("AP(rel=1)", "AP"),
        ("nDCG@10", "nDCG@10"),
        ("nDCG(dcg='exp-log2')@10", 'nDCG(dcg="exp-log2")@10'),
        ("nDCG(dcg=exp-log2)@10", 'nDCG(dcg="exp-log2")@10'),
        ("nDCG(dcg=log2)", "nDCG"),
        ("nDCG(gains={2: 9, 1: 3.5})", "nDCG(gains={1: 3.5, 2: 9})"),
        ("RBP(p=0.80)", "RBP"),
        ("RBP(rel=2, p=.5)@10", "RBP(p=0.5, rel=2)@10"),
        ("IPrec@0.10", "IPrec@0.1"),
        ("IPrec@1.0", "IPrec@1"),
        ("NCP(weights=[3, 2, 1])", "NCP(weights=[3, 2, 1])"),
        ("xGAP(g='0.1, 0.9')@10", "xGAP(g=[0.1, 0.9])@10"),
        ("ndcg@10", "nDCG@10"),
        ("NDCG@10", "nDCG@10"),
        ("NDCG(base=2)@10", "nDCG(base=2)@10"),
        ("xgap(g=[0.4, 0.6])@10", "xGAP(g=[0.4, 0.6])@10"),
        ("rbp(p=0.5)", "RBP(p=0.5)"),
        ("e(ap)", "E(AP)"),
        ("Judged@10", "Judged@10"),
        ("P(rel=2.0)@5", "P(rel=2)@5"),
        ("E(AP)", "E(AP)"),
        ("E(of=AP)@10", "E(AP@10)"),
        ("E(AP(rel=2)@10, draws=50)", "E(AP(rel=2)@10, draws=50)"),
        (
            "E(nDCG(gains={1: 3.5}, dcg='exp-log2')@10, seed=3)",
            'E(nDCG(dcg="exp-log2", gains={1: 3.5})@10, seed=3)',
        ),
    ],
)
def test_how_measures_are_written(text, printed):
    assert str(hj.measure(text)) == printed
    assert hj.measure(printed) == hj.measure(text)


def test_no_two_measures_differ_by_case_only():
    names = [cls.name.lower() for cls in CATALOGUE]
    assert len(set(names)) == len(names)
    for cls in CATALOGUE:
        assert CATALOGUE[cls.name.upper()] is cls
        assert CATALOGUE[cls.name.lower()] is cls


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("dawid-skene", "did you mean em-mv or em-neu?"),
        ("Dawid_Skene", "did you mean em-mv or em-neu?"),
        ("majority", "did you mean mv?"),
        ("MajorityVote", "did you mean mv?"),
        ("krippendorff", "`hungjury agreement` reports it"),
    ],
)
def test_hints_for_merges_by_other_names(name, says):
    with pytest.raises(UnknownName) as caught:
        hj.merge({"a": {"1": {"d": 1}}, "b": {"1": {"d": 0}}}, name)
    assert says in caught.value.remedy


def test_merges_and_weights_in_any_case():
    votes = {"a": {"1": {"d": 1}}, "b": {"1": {"d": 0}}}
    assert hj.merge(votes, "BinMV").settings.merge == "binmv"
    assert WEIGHTS.parse("SGL_tau_MSD") == WEIGHTS.parse("sgl_tau_msd")
    for name, says in (("uniform", "uni"), ("dawid-skene", "merges labels"),
                       ("krippendorff", "`hungjury agreement`")):  # fmt: skip
        with pytest.raises(UnknownName) as caught:
            WEIGHTS.parse(name)
        assert says in caught.value.remedy


def test_a_small_recall_level_is_read_back():
    one = CATALOGUE["IPrec"](recall=1e-5)
    assert hj.measure(str(one)) == one


def test_measures_are_values():
    assert hj.measure("AP(rel=2)@10") == hj.measure("AP(rel=2)@10")
    assert hj.measure("AP") != hj.measure("GMAP")
    assert len({hj.measure("P@5"), hj.measure("P(rel=1)@5"), hj.measure("P@10")}) == 2
    assert measure_list(["AP", "map", hj.measure("AP")]) == [hj.measure("AP")]
    with pytest.raises(AttributeError):
        hj.measure("AP").rel = 3


def test_parameters_may_be_numpy_scalars():
    assert CATALOGUE["AP"](rel=np.int64(2)) == hj.measure("AP(rel=2)")
    assert CATALOGUE["RBP"](p=np.float64(0.5)) == hj.measure("RBP(p=0.5)")
    assert str(CATALOGUE["P"](cutoff=np.int32(5))) == "P@5"


@pytest.mark.parametrize(
    "text",
    [
        "AP(rel=__import__('os'))",
        "AP(rel=__import__('pathlib').Path('made').touch())",
        "AP(rel=open('made', 'w'))",
        "AP(**{'rel': open('made', 'w')})",
        "AP(rel=[open('made', 'w') for x in [1]])",
        "AP(rel=(lambda: open('made', 'w'))())",
        "AP(rel=2 if open('made', 'w') else 3)",
        "AP(rel=f\"{open('made', 'w')}\")",
        "nDCG(gains={1: open('made', 'w')})",
        "AP(open('made', 'w'))",
        "set_F.open('made', 'w')",
        "ndcg.1=open('made', 'w')",
    ],
)
def test_nothing_is_evaluated(text, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(HungjuryError):
        measure_list(text)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        # names that look alike
        ("ndcg_at_10", UnknownName, "did you mean nDCG@10?"),
        ("MRR@10", UnknownName, "did you mean RR@10?"),
        ("precision@5", UnknownName, "did you mean P@5?"),
        ("MAP", UnknownName, "did you mean AP?"),
        ("rbp@10", UnknownName, "write RBP for the measure with hungjury's defaults"),
        ("krippendorff", UnknownName, "`hungjury agreement` reports it"),
        ("Krippendorff_Alpha", UnknownName, "`hungjury agreement` reports it"),
        ("nDCG@10,AP", UnknownName, "name each measure by itself: nDCG@10 and AP"),
        ("nDCG@10 map", UnknownName, "name each measure by itself: nDCG@10 and map"),
        ("RBP(p=0.8, rel=2", UnknownName, "write Name"),
        ("P@0", MeasureError, "cutoff is 0, but must be in [1, 2147483647]"),
        ("bprefs", UnknownName, "did you mean Bpref"),
        ("sucess@5", UnknownName, "did you mean Success"),
        ("judge@10", UnknownName, "did you mean Judged"),
        ("zzzzzz", UnknownName, "choose from "),
        # parameters
        ("AP(re=2)", MeasureError, "did you mean rel?"),
        ("AP(persistence=0.8)", MeasureError, "AP takes rel, cutoff"),
        ("NumQ(rel=2)", MeasureError, "NumQ takes no parameters"),
        ("AP(2)", MeasureError, "parameters must be named"),
        ("RBP(0.8, 2)", MeasureError, "parameters must be named"),
        ("AP(rel=)", MeasureError, "cannot be read"),
        ("AP(rel=1_0)", MeasureError, "cannot be read"),
        ("P(rel=0x1)@5", MeasureError, "cannot be read"),
        ("AP(rel=2", UnknownName, "Name(param=value, ...)@k"),
        ("AP(rel=two)", MeasureError, "an integer"),
        ("AP(rel=1.5)", MeasureError, "an integer"),
        ("AP(rel=True)", MeasureError, "an integer"),
        ("AP(rel=None)", MeasureError, "an integer"),
        ("RBP(p='high')", MeasureError, "a number"),
        ("RBP(p=1e999)", MeasureError, "a number"),
        ("nDCG(dcg=ln)", MeasureError, "one of 'log2', 'exp-log2'"),
        ("nDCG(gains=3)", MeasureError, "a map such as"),
        ("nDCG(gains=ab)", MeasureError, "a map such as"),
        ("nDCG(gains=[1, 2])", MeasureError, "a map such as"),
        ("NCP(weights=3)", MeasureError, "a list of numbers"),
        ("NCP(weights='3,')", MeasureError, "a number"),
        ("NCP(weights='a')", MeasureError, "a number"),
        # given twice: neither may win in silence
        ("AP(rel=2, rel=3)", MeasureError, "rel"),
        ("AP(rel=2)(rel=3)", MeasureError, "cannot be read"),
        ("AP(rel=2).x(rel=3)", MeasureError, "cannot be read"),
        ("AP(cutoff=10)@5", MeasureError, "cutoff"),
        ("E(AP@10)@5", MeasureError, "cutoff"),
        ("E(AP, of=RR)", MeasureError, "of"),
        # a measure inside another
        ("E()", MeasureError, "write E(X)"),
        ("E(E(AP))", MeasureError, "one measure of certain labels"),
        ("E(Bpref)@5", MeasureError, "takes no cutoff"),
        ("E(nDGC)", HungjuryError, "unknown measure 'nDGC'"),
        # ranges
        ("RBP(p=1)", MeasureError, "p is 1.0, but must be in [0, 1)"),
        ("RBP(p=-0.1)", MeasureError, "p is -0.1, but must be in [0, 1)"),
        ("NCP(p=0)", MeasureError, "(0, 1]"),
        ("AP(rel=0)", MeasureError, "rel is 0, but must be >= 1"),
        ("AP@0", MeasureError, "cutoff is 0"),
        ("IPrec@1.5", MeasureError, "recall is 1.5, but must be in [0, 1]"),
        ("DCG(base=1)", MeasureError, "> 1"),
        ("SetF(beta=-1)", MeasureError, ">= 0"),
        ("NCP(weights=[1, -1])", MeasureError, "weights is -1.0"),
        # cutoffs
        ("F1", MeasureError, "write F1@cutoff"),
        ("Success(rel=2)", MeasureError, "write Success@cutoff"),
        ("IPrec", MeasureError, "write IPrec@recall"),
        ("Bpref@10", MeasureError, "write Bpref without @10"),
        ("P@10.5", MeasureError, "an integer"),
        ("P@1.2.3", HungjuryError, "1.2.3"),
        ("P@.", HungjuryError, "."),
        ("P@５", HungjuryError, "５"),
        ("P@-5", UnknownName, "Name@k"),
        ("P@ten", UnknownName, "Name@k"),
        # no name at all
        ("", UnknownName, "Name@k"),
        ("@10", UnknownName, "Name@k"),
        ("(rel=2)", UnknownName, "Name@k"),
        ("AP, P@5", UnknownName, "name each measure by itself"),
        ("AP(rel=" + "-" * 5000 + "1)", HungjuryError, "rel"),
    ],
)  # fmt: skip
def test_what_cannot_be_a_measure_is_refused(text, error, says):
    with pytest.raises(error) as caught:
        hj.measure(text)
    assert isinstance(caught.value, HungjuryError)
    assert says in str(caught.value)
    assert caught.value.remedy
    assert str(caught.value).count("remedy:") == 1


def test_a_cutoff_with_leading_zeros_is_a_number_or_refused():
    try:
        found = str(hj.measure("P@010"))
    except HungjuryError as error:
        found = error.remedy
    assert found == "P@10" or "P@" in found


def test_the_catalogue_can_be_listed():
    rows = hj.measures()
    assert str(rows).splitlines()[0].startswith("P@cutoff "), "a line for each, not dictionaries"
    assert ">P@cutoff</td>" in rows._repr_html_()
    listed = {entry["name"]: entry for entry in rows}
    assert set(listed) == {cls.name for cls in CATALOGUE}
    for name, entry in listed.items():
        assert entry["meaning"], name
        assert entry["range"][0] <= entry["range"][1]
        assert all(p["name"] and p["meaning"] for p in entry["parameters"])
        if not any(p.required for p in CATALOGUE[name].params()):
            assert str(hj.measure(entry["write"])).split("@")[0] == name
    assert listed["P"]["write"] == "P@cutoff"
    ranges = {p["name"]: p["range"] for p in listed["nDCG"]["parameters"]}
    assert ranges == {
        "cutoff": "[1, 2147483647]",
        "dcg": "'log2' or 'exp-log2'",
        "base": "> 1",
        "gains": "",
    }


@pytest.mark.parametrize("cls", list(CATALOGUE), ids=lambda cls: cls.name)
def test_every_measure_has_a_formula_of_its_own_and_says_where_it_is_from(cls):
    assert "formula" in vars(cls)  # a formula of a parent class is that of another measure
    left, _, right = cls.formula.partition(" = ")
    assert left.split("@")[0].split("(")[0] == cls.name
    assert right
    assert cls.paper


# --- a catalogue of our own -----------------------------------------------------------------


class Toy(Named):
    """Base of all toys."""


TOYS = Catalogue("toy", Toy)


class Ball(Toy, called="Ball"):
    """A toy."""

    at: ClassVar[str] = "size"
    red: bool = param(False, kind=parameters.flag, doc="is it red?")
    weights: tuple[float, ...] = param((), kind=parameters.numbers, low=0, high=1, doc="shares")
    size: int = required(kind=parameters.integer, low=1, high=9, doc="how large")


class Box(Toy, called="Box"):
    """Holds another toy, whose text it is given."""

    positional: ClassVar[str] = "inside"
    inside: str = param("", kind=str, doc="what is in it")
    price: float = param(0.5, kind=parameters.number, high=2, open_high=True, doc="its price")


def test_a_catalogue_holds_what_was_entered():
    assert list(TOYS) == [Ball, Box]
    assert "Ball" in TOYS
    assert "Bell" not in TOYS
    assert TOYS["Ball"] is Ball
    assert Ball.name == "Ball"
    assert TOYS.example(Ball) == "Ball@size"
    with pytest.raises(UnknownName, match=r"unknown toy 'Bal'\n.*did you mean Ball"):
        TOYS["Bal"]


def test_flags_lists_and_words_go_there_and_back():
    ball = TOYS.parse("Ball(red=True, weights=[0.25, 1])@3")
    assert ball == Ball(red=True, weights=[0.25, 1.0], size=3)
    assert str(ball) == "Ball(red=True, weights=[0.25, 1])@3"
    assert TOYS.parse(str(ball)) == ball


def test_one_parameter_may_go_without_its_name_where_that_is_said():
    assert TOYS.parse("Box(Ball(red=True))") == Box(inside="Ball(red=True)")
    assert TOYS.parse("Box(AP)").inside == "AP"
    with pytest.raises(MeasureError, match="must be named"):
        TOYS.parse("Box(AP, RR)")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Ball(red=1)@3", "True or False"),
        ("Ball(weights=[2])@3", r"\[0, 1\]"),
        ("Ball@10", r"\[1, 9\]"),
        ("Box(price=2)", "< 2"),
        ("Ball", "write Ball@size"),
    ],
)
def test_what_does_not_fit_a_toy_is_refused(text, says):
    with pytest.raises(MeasureError, match=says):
        TOYS.parse(text)


def test_parameters_without_their_names() -> None:
    with pytest.raises(TypeError, match=r"parameters of nDCG are named, as in nDCG\(cutoff=10\)"):
        hj.m.nDCG(10)  # type: ignore[call-arg, misc]
    with pytest.raises(TypeError, match="NumQ has no parameters"):
        hj.m.NumQ(1)  # type: ignore[call-arg, misc]
