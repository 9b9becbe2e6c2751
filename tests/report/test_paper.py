"""What goes into a paper: compact tables, compiled by TeX, and plots for its columns."""

import csv
import io
import re
import shutil
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import hungjury as hj
from builders.scores import scores_of, some_scores
from hungjury.base.errors import HungjuryError, InputError, UnknownName
from hungjury.base.results import Marked, Table
from hungjury.report.pictures import fit

SIM = hj.simulate(topics=8, systems=6, seed=3)
SCORES = hj.evaluate(SIM.gold, SIM.runs, ["nDCG@10", "AP", "NumRelRet"])


def clear_differences():
    """Five systems whose means differ by far, and one that is equal to the second."""
    noise = np.random.default_rng(0).normal(0, 0.01, (2, 5, 30))
    return scores_of(noise + np.array([0.1, 0.2, 0.3, 0.4, 0.5])[None, :, None])


# Tables


def test_marks_of_baselines_say_better_and_worse():
    table = hj.compare(clear_differences(), ["s1", "s3"]).compact()
    marks = {row[0]: row[1].mark for row in table.rows}
    assert marks == {"s1": "", "s3": "", "s4": "†‡", "s2": "†(‡)", "s0": "(†‡)"}
    assert [row[0] for row in table.rows][:2] == ["s1", "s3"]  # baselines first
    assert "better (p < 0.05) than † s1, ‡ s3; in parentheses: worse" in table.caption
    letters = hj.compare(clear_differences(), ["s1", "s3"]).compact(marks="letters")
    assert {row[0]: row[1].mark for row in letters.rows}["s2"] == "a(b)"
    plain = hj.compare(clear_differences(), "s1").compact(marks="none")
    assert not any(cell.mark for row in plain.rows for cell in row[1:])


def test_captions_state_test_correction_and_level():
    found = hj.compare(
        clear_differences(), "s1", "bootstrap", "bonferroni", alpha=0.01, samples=1500
    )
    caption = found.compact(caption="Results on two measures.").caption
    assert caption.startswith("Results on two measures. Sakai's bootstrap test, two-sided")
    for words in ("30 topics", "1,500 samples", "bonferroni over the 4 comparisons", "p < 0.01"):
        assert words in caption
    pair = SCORES.select(systems=["system1", "system2"])
    assert "all pairs of systems together" in hj.compare(pair, test="tukey").compact().caption


def test_the_best_are_bold_and_the_second_best_underlined_as_printed():
    values = np.tile([0.30004, 0.30001, 0.2, 0.1], (6, 1)).T[None]
    values = values + np.random.default_rng(0).normal(0, 1e-7, values.shape)
    table = hj.compare(scores_of(values)).compact(decimals=3)
    style = {row[1]: (row[2].bold, row[2].second) for row in table.rows}
    assert style == {"s0": (True, False), "s1": (True, False), "s2": (False, True),
                     "s3": (False, False)}  # fmt: skip
    finer = hj.compare(scores_of(values)).compact(decimals=5)
    assert [row[2].bold for row in finer.rows] == [True, False, False, False]
    assert r"\underline{0.200}" in table.to_latex()
    assert "<u>0.200" in table.to_html()
    assert "<ins>0.200</ins>" in table.to_markdown()


def test_fewer_systems_are_shown_but_all_are_tested():
    found = hj.compare(clear_differences(), "s0")
    two = found.select(top=2)
    assert two.systems == ["s4", "s3", "s0"]
    assert [row.p_corrected for row in two] == [r.p_corrected for r in found if r.system in
                                                ("s3", "s4")]  # fmt: skip
    assert "over the 4 comparisons of a measure, 2 of them shown" in two.to_text()
    assert found.select(["s2"]).systems == ["s2", "s0"]
    assert len(hj.compare(clear_differences()).select(top=3).rows) == 2 * 3
    with pytest.raises(UnknownName, match="no system 's9'"):
        found.select(["s9"])


def test_daggers_need_one_to_five_baselines():
    with pytest.raises(InputError, match="1 to 5 baselines, got 0"):
        hj.compare(clear_differences()).compact(marks="dagger")
    many = hj.compare(some_scores(systems=8), [f"s{i}" for i in range(6)])
    with pytest.raises(InputError, match="got 6"):
        many.compact(marks="dagger")
    assert "a s0, b s1" in many.compact().caption


def test_compact_csv_has_every_digit_and_the_marks():
    found = hj.compare(clear_differences(), "s1")
    rows = list(csv.DictReader(io.StringIO(found.compact().to_csv())))
    assert {r["system"]: r["m0 marks"] for r in rows}["s4"] == "†"
    assert float(rows[0]["m0"]) == found.mean[0, found.systems.index("s1")]


def test_superscripts_begin_below_each_other():
    table = Table(["x", "value"], [["a", Marked(0.5, "b", raised=True)],
                                   ["b", Marked(0.25, "acd", raised=True)]], 2)  # fmt: skip
    assert table.to_text() == "x  value\na   0.50 b\nb   0.25 acd".replace("value", "value    "[:5])
    assert table.to_markdown().splitlines()[2] == "| a | 0.50<sup>b</sup> |"
    names = Table(["a|b", "*n*"], [["x_y", 1]]).to_markdown()
    assert names.splitlines()[0] == r"| a\|b | \*n\* |"


TEX = r"""\documentclass[twocolumn]{article}
\usepackage{booktabs}
\begin{document}
%s
\end{document}
"""


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no TeX: texlive-latex-recommended")
def test_tables_are_compiled_by_tex(tmp_path):
    hostile = hj.compare(SCORES, ["system5", "system6"])
    names = {"system1": r"a_b & 50% \input{x} $^~#{}", "system2": "τ≥†‡∥§¶é<|>"}
    systems = [names.get(name, name) for name in SCORES.systems]
    scores = replace(SCORES, systems=systems)
    hostile = hj.compare(scores, ["system5", "system6"])
    parts = [
        hostile.compact(caption="Results of 100% & more").to_latex(),
        hostile.to_latex(),
        hj.compare(scores).compact().to_latex(),
        scores.to_latex(),
        hj.leaderboard(SIM.judgments, SIM.runs, "AP", draws=200).to_latex(),
    ]
    (tmp_path / "paper.tex").write_text(TEX % "\n\n".join(parts), encoding="utf-8")
    done = subprocess.run(["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
                          cwd=tmp_path, capture_output=True, text=True, timeout=120)  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Missing character" not in done.stdout
    assert (tmp_path / "paper.pdf").read_bytes().startswith(b"%PDF")


# Plots

FOUND = hj.compare(SCORES.select(systems=["system1", "system4", "system5"]), "system4")
AGREEMENT = hj.agreement(SIM.judgments, SIM.runs)
DRAWN = {
    **dict.fromkeys(("topics", "ranking", "scatter", "bump", "distribution", "heat-map"), SCORES),
    "topic differences": FOUND,
    "judges": hj.merge(SIM.judgments, "em-neu"),
    "bump of judges": AGREEMENT,
    "rankings": AGREEMENT,
}  # fmt: skip
WHAT = {"topic differences": "topics", "bump of judges": "bump"}


def test_fonts_for_papers_are_true_type(tmp_path):
    pytest.importorskip("matplotlib")
    plot = SCORES.plot(what="topics")
    plot.save(tmp_path / "plot.pdf", width="column")
    data = (tmp_path / "plot.pdf").read_bytes()
    assert b"/Type3" not in data, "fonts have to be TrueType"
    assert b"/FontFile2" in data
    wide, _ = plot.figure.get_size_inches()
    assert wide == pytest.approx(3.35)


@pytest.mark.parametrize("name", DRAWN)
def test_plots_for_papers(name):
    pytest.importorskip("matplotlib")
    result, what = DRAWN[name], WHAT.get(name, name)
    figure = result.plot(what=what).figure
    fit(figure, "column")
    wide, _ = figure.get_size_inches()
    assert wide == pytest.approx(3.35)
    assert max(t.get_fontsize() for t in texts(figure)) <= 8
    drawn = result.plot(what=what).to_text(70)
    assert max(map(len, drawn.splitlines())) <= 110
    assert re.search("[●█─▒·]", drawn)


def texts(figure):
    from matplotlib.text import Text

    return [t for t in figure.findobj(Text) if t.get_text()]


def test_plots_show_the_numbers():
    pytest.importorskip("matplotlib")
    (axes,) = SCORES.plot(what="scatter").figure.axes
    x, y = axes.lines[0].get_xydata().T
    assert np.allclose([x, y], SCORES.mean()[:2])
    tau = hj.stats.kendall(SCORES.mean()[0], SCORES.mean()[1])
    assert axes.get_title("left") == f"Kendall's τ = {tau:.3f}"
    axes = FOUND.plot(what="topics").figure.axes[0]
    row = FOUND.rows[0]
    heights = [bar.get_height() for bar in axes.patches]
    assert heights == sorted(heights, reverse=True)
    assert np.mean(heights) == pytest.approx(row.difference)
    (axes,) = SCORES.plot(what="bump").figure.axes
    lines = sorted(tuple(line.get_ydata()) for line in axes.lines)
    best = np.argsort(np.argsort(-SCORES.mean(), axis=1), axis=1).T + 1
    assert lines == sorted(map(tuple, best.tolist()))
    image = SCORES.plot(what="heat-map").figure.axes[0].images[0].get_array()
    assert np.allclose(np.sort(image.ravel()), np.sort(SCORES.values[0].ravel()))


def test_intervals_are_drawn_that_exclude_0_where_differences_are_significant():
    pytest.importorskip("matplotlib")
    for correction in ("holm", "bonferroni", "bh", "none"):
        found = hj.compare(SCORES, "system3", correction=correction)
        for row in found:
            excluded = row.low_corrected > 0 or row.high_corrected < 0
            assert excluded == found.significant(row), (correction, row)
        (lines,) = found.plot().figure.axes[0].collections
        drawn = [segment[:, 0].tolist() for segment in lines.get_segments()]
        rows = [row for row in found if row.measure == "nDCG@10"]
        assert np.allclose(drawn, [[row.low_corrected, row.high_corrected] for row in rows])


def test_names_that_are_left_out_are_said_to_be():
    pytest.importorskip("matplotlib")
    many = scores_of(np.random.default_rng(0).random((2, 90, 4)))
    for what, words in (
        ("ranking", "90 rows, names left out"),
        ("scatter", "names of 90 systems"),
        ("bump", "90 names left out"),
        ("heat-map", "90 names left out"),
    ):
        assert words in many.plot(what=what).words


def test_without_matplotlib_the_install_line_is_shown(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(HungjuryError, match=r"hungjury\[report\]"):
        SCORES.plot()


def test_pictures_and_widths_that_do_not_exist(tmp_path):
    pytest.importorskip("matplotlib")
    with pytest.raises(HungjuryError, match="what"):
        SCORES.plot(what="pie")
    with pytest.raises(HungjuryError, match="width"):
        SCORES.plot().save(tmp_path / "x.svg", width="poster")
    with pytest.raises(HungjuryError, match="two measures"):
        hj.evaluate(SIM.gold, SIM.runs, "AP").plot(what="scatter")
