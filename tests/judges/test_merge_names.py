"""Merges by name: printing and parsing them, what they say of themselves, and what is refused."""

import numpy as np
import pytest
from click.testing import CliRunner

from builders.votes import judgments, made_up
from hungjury.base.errors import InputError, MeasureError, UnknownName
from hungjury.cli.main import hungjury as command
from hungjury.judges.merge import MERGES, merge, merge_method, merges
from hungjury.judges.merge_types import LabelMerge, Verdict
from hungjury.judges.weights import Uniform

# Names, and what is refused


def test_names_are_read_and_printed_back():
    for text in ("mv", "mv(ties=not)", "mv( ties = not , graded=median)", "mv(ties=relevant)",
                 "em-mv", "em-mv(start=shares, tol=1e-6)", "em-neu(rounds=5)", "binmv",
                 "qbinmv(k=10)", "aware(uni)", "aware", "aware(weights=tpc_fro_md)"):  # fmt: skip
        method = merge_method(text)
        assert MERGES.parse(str(method)) == method
        assert merge_method(method) is method
    assert str(merge_method("qbinmv(k=15)")) == "qbinmv"
    assert str(merge_method("aware")) == "aware(uni)"
    assert merge_method(Uniform()) == merge_method("aware(uni)")
    assert [cls.name for cls in MERGES] == [
        "binmv", "qbinmv", "mv", "em-mv", "em-neu", "aware",
    ]  # fmt: skip


@pytest.mark.parametrize("cls", list(MERGES), ids=lambda cls: cls.name)
def test_a_merge_gives_what_it_says(cls):
    method = cls()
    given = judgments(made_up(3), 1)
    if cls.gives == "weights":
        assert method.weights is not None
        with pytest.raises(MeasureError, match="measures, not labels"):
            merge(given, method)
        return
    merged = merge(given, method)
    assert method.weights is None
    assert {"labels": merged.labels, "probabilities": merged.p}[cls.gives] is not None
    assert merged.soft == (cls.gives == "probabilities")
    assert (merged.fit is not None) == (cls.drawn_from == "model")
    assert (type(method).redraw is not LabelMerge.redraw) == (cls.drawn_from == "judges")


def test_merges_are_listed():
    rows = {row["name"]: row for row in merges()}
    assert list(rows) == [cls.name for cls in MERGES]
    assert rows["mv"]["gives"] == "labels"
    assert rows["aware"]["gives"] == "weights"
    assert [p["name"] for p in rows["qbinmv"]["parameters"]] == ["k"]
    assert rows["em-neu"]["drawn_from"] == "model"
    assert all(row["meaning"].endswith(".") for row in rows.values())


def test_a_merge_is_one_class_and_its_help_follows():
    """Everything else learns about a new merge from its declaration."""
    from click.testing import CliRunner

    from hungjury.cli.main import hungjury

    class LowestVote(LabelMerge):
        """The lowest vote."""

        gives = "labels"

        def decide(self, panel, scope, rng):
            return Verdict(np.argmax(panel.counts() > 0, axis=1))

        def redraw(self, panel, rng):
            return self.decide(panel, "all", rng).choice

    MERGES.add("lowest")(LowestVote)
    try:
        votes = {"t": {"d1": {"a": 1, "b": 1}, "d2": {"a": 0, "b": 1}}}
        merged = merge(judgments(votes, 1), "lowest")
        assert merged.to_dict() == {"t": {"d1": 1, "d2": 0}}
        for command in ("merge", "leaderboard"):
            text = " ".join(CliRunner().invoke(hungjury, [command, "--help"]).output.split())
            assert "em-neu" in text
            assert "lowest" in text
            assert ("aware or lowest" in text) == (command == "leaderboard")
    finally:
        del MERGES._classes["lowest"]


@pytest.mark.parametrize(
    ("method", "hint"),
    [("em", "em-mv"), ("emmv", "did you mean em-mv"), ("qbinmw", "qbinmv"), ("median", "choose")],
)
def test_an_unknown_method_is_named_with_a_suggestion(method, hint):
    with pytest.raises(UnknownName, match=hint):
        merge(judgments(made_up(1), 1), method)


@pytest.mark.parametrize(
    "method", ["mv(ties=coin)", "qbinmv(k=0)", "em-mv(tol=0)", "em-neu(rounds=0)", "mv@3",
               "em-mv(start=random)", "binmv(k=1)"]
)  # fmt: skip
def test_bad_parameters_are_refused(method):
    with pytest.raises(MeasureError, match="remedy"):
        merge(judgments(made_up(1), 1), method)


@pytest.mark.parametrize("method", [None, 3, object(), dict, merge])
def test_things_that_are_no_merge(method):
    with pytest.raises(MeasureError, match="is not a merge"):
        merge(judgments(made_up(1), 1), method)


@pytest.mark.parametrize("rel", [0, -1, 4, 9])
def test_rel_beyond_the_scale(rel):
    with pytest.raises(MeasureError, match="rel must be between 1 and 3"):
        merge(judgments(made_up(1, top=3), 3), "mv", rel=rel)


def test_other_bad_input():
    given_ = judgments(made_up(1, top=3), 3)
    with pytest.raises(InputError, match="invalid value 'topics' for scope"):
        merge(given_, "em-mv", scope="topics")
    with pytest.raises(MeasureError, match="lowest relevant grade"):
        merge(given_, "qbinmv")
    with pytest.raises(InputError, match="no document is judged"):
        merge({"a": {"t": {"x": -1}}, "b": {"t": {"x": -1}}}, "mv", grades=range(-1, 2))
    with pytest.raises(InputError, match="2 labels outside the scale"):
        merge({"a": {"t": {"x": -1}}, "b": {"t": {"x": -1}}}, "mv")


def test_probabilities_need_a_merge_that_gives_them(tmp_path):
    for name in "ab":
        (tmp_path / name).write_text("1 0 d 1\n")
    words = ["merge", "--judges", str(tmp_path / "*"), "--method", "mv", "--soft"]
    found = CliRunner().invoke(command, words)
    assert found.exit_code == 2
    assert "mv gives labels" in found.output
