"""compare: marks of significance, text, CSV, JSON, LaTeX and frames."""

import csv
import io
import json
import math
import re

import numpy as np
import pytest

import hungjury as hj
from builders.scores import scores_of, some_scores
from hungjury.base.errors import InputError
from hungjury.base.text import letter
from hungjury.measures.scores import Scores

# Marks


def test_marks_name_the_systems_that_are_significantly_lower():
    noise = np.random.default_rng(3).normal(0, 0.01, (1, 3, 30))
    scores = scores_of(noise + np.array([0.2, 0.5, 0.201])[None, :, None])
    found = hj.compare(scores)
    assert found.systems[0] == "s1"
    others = found.systems[1:]  # these cannot be told apart
    assert found.beaten() == {("m0", "s1"): others, ("m0", "s2"): [], ("m0", "s0"): []}
    lines = found.to_text().splitlines()
    first = next(line for line in lines if line.startswith("a  "))
    assert first.split() == ["a", "s1", f"{found.mean[0, 0]:.4f}", "bc"]
    assert r"\textsuperscript{bc}" in found.to_latex()


def test_signed_ranks_beat_by_their_own_direction():
    # One bad topic turns the mean, but not the ranks.
    gains = [*np.linspace(0.01, 0.1, 19), -5.0]
    found = hj.compare(scores_of([[gains, np.zeros(20)]]), "s1", "wilcoxon")
    assert found.rows[0].difference < 0 < found.rows[0].effect
    assert found.rows[0].p < 0.05
    assert found.beaten() == {("m0", "s0"): ["s1"], ("m0", "s1"): []}


def test_letters_and_ranges_of_many_systems():
    assert [letter(i) for i in (0, 25, 26, 27, 51, 52, 701, 702)] == [
        "a", "z", "a2", "b2", "z2", "a3", "z27", "a28",
    ]  # fmt: skip
    joined = ["".join(map(letter, range(first, first + 3))) for first in range(80)]
    assert [re.findall("[a-z][0-9]*", one) for one in joined] == [
        [letter(first), letter(first + 1), letter(first + 2)] for first in range(80)
    ]
    values = np.arange(30)[None, :, None] + np.random.default_rng(0).normal(0, 0.01, (1, 30, 9))
    text = hj.compare(scores_of(values)).to_text()
    assert text.splitlines()[5].split()[0::3] == ["a", "b-d2"]
    assert text.splitlines()[32].split()[-1] == "c2,d2"
    assert "435 pairs" in text


# What it looks like


def test_csv_json_and_frames_hold_every_row():
    found = hj.compare(some_scores(), "s1", "wilcoxon")
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert [(r["measure"], r["system"]) for r in rows] == [(r.measure, r.system) for r in found]
    assert list(rows[0]) == [
        "measure", "system", "versus", "mean", "versus_mean", "difference", "low", "high",
        "low_corrected", "high_corrected", "p", "p_corrected", "wins", "ties", "losses",
        "effect", "topics",
    ]  # fmt: skip
    assert [float(r["p_corrected"]) for r in rows] == [r.p_corrected for r in found]
    data = json.loads(found.to_json())
    assert data["baselines"] == ["s1"]
    assert data["effect"] == "rank-biserial"
    assert [r["high"] for r in data["comparisons"]] == [r.high for r in found]
    assert data["mean"]["s0"]["m1"] == pytest.approx(found.mean[1, found.systems.index("s0")])
    for backend in ("pandas", "polars"):
        pytest.importorskip(backend)
        assert list(found.to_frame(backend)["p"]) == [r.p for r in found]
    with pytest.raises(InputError, match="invalid value 'excel' for backend"):
        found.to_frame("excel")


def test_infinite_ends_are_null_in_json_and_told_elsewhere():
    found = hj.compare(some_scores(topics=4), "s0", "randomisation")
    assert found.rows[0].high == math.inf
    assert json.loads(found.to_json())["comparisons"][0]["high"] is None
    assert "[-inf, +inf]" in str(found)
    assert r"[-\infty , +\infty ]" in found.to_latex()
    assert ",-inf,inf," in found.to_csv()


def test_intervals_are_told_of_only_where_they_are_shown():
    few, many = (hj.compare(some_scores(1, systems=n)) for n in (3, 8))
    assert "intervals" in few.to_text().splitlines()[1]
    assert "intervals" not in many.to_text().splitlines()[1]
    assert many.to_text().splitlines()[-1].startswith("The differences, intervals and p-values of")
    assert "intervals" not in few.to_latex()


def test_text_against_a_baseline():
    lines = hj.compare(some_scores(measures=1), "s0").to_text().splitlines()
    assert lines[0] == "against s0; Student's t test, two-sided, paired over 9 topics"
    assert "holm over the 3 comparisons of a measure" in lines[1]
    assert lines[4].split()[:4] == ["measure", "system", "mean", "difference"]
    assert lines[5].split()[:2] == ["m0", "s0"]
    assert [line.split()[0] for line in lines[6:]] == ["s2", "s3", "s1"]
    plain = hj.compare(some_scores(measures=1), "s0", correction="none").to_text()
    assert "not corrected" in plain
    assert plain.splitlines()[4].split().count("p") == 1


def test_small_p_values_are_not_shown_as_0():
    values = np.random.default_rng(0).normal(0, 0.01, (1, 2, 30)) + [[[1.0], [0.0]]]
    assert "<0.0001*" in str(hj.compare(scores_of(values), "s1"))


def test_latex_escapes_names():
    scores = some_scores(measures=1)
    hostile = [r"a_b&c%", r"\input{x}", "x$^2~", "#{}"]
    names = Scores(["P(rel=2)_%"], hostile, scores.topics, scores.values, scores.status)
    for text in (
        hj.compare(names, hostile[0]).to_latex(),
        hj.compare(names).to_latex(),
    ):
        table = text[text.index(r"\begin{tabular}") :]
        assert r"a\_b\&c\%" in table
        assert r"\textbackslash{}input\{x\}" in table
        assert r"P(rel=2)\_\%" in table
        body = table.split(r"\midrule")[1].split(r"\bottomrule")[0].strip().splitlines()
        head = table.split(r"\toprule")[1].split(r"\midrule")[0]
        columns = head.replace(r"\&", "").count("&")
        assert {row.replace(r"\&", "").count("&") for row in body} == {columns}
        assert all(line.startswith("%") for line in text.splitlines()[:3])
