"""A scaling for every judge: chosen by patterns, against loops, and as the remedy of an error."""

import functools
import json
import re

import pytest
from click.testing import CliRunner

import hungjury as hj
from builders.magnitudes import made_up, probabilities, rows
from builders.reading import write
from hungjury.base.errors import InputError
from hungjury.cli.main import hungjury as command
from hungjury.data.open_scales import patterns_of
from oracles import scaling as naive_scaling

BINARY, GRADED, STARS = [0, 1] * 40, [0, 1, 2, 3] * 20, [0, 5, 4, 3] * 20


def labels(grades):
    return {"1": {f"d{i}": grade for i, grade in enumerate(grades)}}


PANEL = {
    "crowd": labels(BINARY),
    "gpt_long": labels(GRADED),
    "gpt_short": labels(GRADED[::-1]),
    "rubric": labels(STARS),
}


@pytest.mark.parametrize("by", ["judge", "topic", "all"])
def test_each_judge_has_the_scaling_of_the_first_pattern(by):
    panel = made_up(1)
    given = {"j1": f"median(by={by}, k=2)", "j[12]": "percentile", "*": f"linear(by={by})"}
    found = probabilities(hj.read_judgments(panel, scaling=given))
    expected = {}
    for who, scale, together in (
        ("j1", functools.partial(naive_scaling.median, k=2), by),
        ("j2", naive_scaling.percentile, "judge"),
        ("j0", naive_scaling.linear, by),
    ):
        expected |= naive_scaling.scaled(rows({who: panel[who]}), scale, together)
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_all_means_all_judges_of_the_pattern():
    panel = made_up(2)
    found = probabilities(hj.read_judgments(panel, scaling="j0=percentile,*=linear(by=all)"))
    two = {who: panel[who] for who in ("j1", "j2")}
    expected = naive_scaling.scaled(rows(two), naive_scaling.linear, "all")
    assert {k: v for k, v in found.items() if k[0] != "j0"} == pytest.approx(expected)


def test_text_and_dictionaries_say_the_same():
    by_text = "crowd=linear(low=0, high=1),gpt_*=linear(low=0, high=3), *=percentile"
    by_dict = {
        "crowd": "linear(low=0, high=1)",
        "gpt_*": "linear(low=0, high=3)",
        "*": "percentile",
    }
    one, two = (hj.read_judgments(PANEL, scaling=given) for given in (by_text, by_dict))
    assert probabilities(one) == probabilities(two)
    assert one.settings == two.settings
    assert hj.read_judgments(PANEL, scaling=one.settings.scaling).settings == one.settings
    assert one.qrels_of("gpt_long").to_dict()["1"]["d1"] == pytest.approx(1 / 3)
    assert one.qrels_of("crowd").to_dict()["1"]["d1"] == 1


def test_different_scales_are_refused_with_the_scaling_that_fits():
    with pytest.raises(InputError) as caught:
        hj.read_judgments(PANEL)
    (fitting,) = re.findall(r'scaling="([^"]*)"', caught.value.remedy)
    assert fitting == (
        "crowd=linear(low=0, high=1),rubric=linear(low=0, high=5),*=linear(low=0, high=3)"
    )
    found = hj.read_judgments(PANEL, scaling=fitting)
    assert found.soft
    for who, top in (("crowd", 1), ("gpt_long", 3), ("rubric", 5)):
        first = list(PANEL[who]["1"].items())[:4]
        expected = {document: pytest.approx(grade / top) for document, grade in first}
        assert dict(list(found.qrels_of(who).to_dict()["1"].items())[:4]) == expected


def test_the_remedy_names_many_judges_by_a_pattern():
    panel = {f"crowd{i}": labels(BINARY) for i in range(3)}
    panel |= {name: labels(GRADED) for name in ("gpt", "llama", "phi", "qwen")}
    with pytest.raises(InputError, match=re.escape("crowd*=linear(low=0, high=1),*=linear(")):
        hj.read_judgments(panel)
    assert patterns_of(["a_bin", "b_bin"], ["a", "b"]) == ["*_bin"]
    assert patterns_of(["ab", "ac"], []) == ["ab", "ac"]
    assert patterns_of(["a,b=[c]"], ["x"]) == ["a?b??c?"]


@pytest.mark.parametrize(
    ("scaling", "says"),
    [
        ("crowd=linear", "no scaling for 3 judges: gpt_long, gpt_short, rubric"),
        ("human=linear,*=linear", "the scaling of 'human' applies to no judge"),
        ("*=linear,gpt*=percentile", "the scaling of 'gpt*' applies to no judge"),
        ("crowd=linear,percentile", "invalid scaling"),
        ("=linear", "invalid scaling"),
        ({"*": None}, "invalid value None"),
        ({"*": {"*": "linear"}}, "invalid value"),
        ({}, "invalid value"),
        ("*=log", "log"),
    ],
)
def test_scalings_that_do_not_fit_the_judges(scaling, says):
    with pytest.raises(ValueError, match=re.escape(says)) as caught:
        hj.read_judgments(PANEL, scaling=scaling)
    assert caught.value.remedy


def test_labels_without_judges_have_one_scaling():
    with pytest.raises(InputError, match="these labels have no judges"):
        hj.read_qrels(labels([1, 30, 200.5]), scaling="*=linear")


def test_the_audit_goes_on_without_labels_that_cannot_be_scaled():
    panel = {"ann": labels([1, 10, 100]), "bob": labels([0, 5, 20])}
    found = hj.audit(panel, judgments=True, scaling="geometric")
    assert [error.code for error in found.errors] == ["unsuitable-scaling"]
    assert "labels: 3 by 2 judges" in str(found)


def test_on_the_command_line(tmp_path):
    for who, topics in PANEL.items():
        lines = (f"1 0 {document} {grade}\n" for document, grade in topics["1"].items())
        write(tmp_path, f"{who}.qrels", "".join(lines))
    files = str(tmp_path / "*.qrels")
    run = CliRunner().invoke
    refused = run(command, ["audit", "--judges", files])
    assert "--scaling 'crowd=linear(low=0, high=1),rubric" in refused.output
    given = "crowd=linear(high=1),rubric=linear(high=5),*=linear(high=3)"
    done = run(command, ["audit", "--judges", files, "--scaling", given, "--format", "json"])
    notes = json.loads(done.stdout)["notes"]
    assert [note["count"] for note in notes if note["kind"] == "scaled"] == [80, 80, 160]
