"""Pictures of studies show what was found; tables export it."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hungjury as hj
from hungjury.base.errors import InputError
from hungjury.base.results import Table
from hungjury.report.pictures import new_picture, new_rows, picture_bytes, save_picture
from hungjury.report.study_plots import (
    draw_approaches,
    draw_interaction,
    draw_main_effects,
    draw_matrices,
    draw_rate_lines,
    draw_tukey,
    draw_tuples,
)
from hungjury.studies.recipe import Lines, Matrix


@pytest.fixture(scope="module")
def sim() -> Any:
    return hj.simulate(systems=5, topics=4, documents=60, depth=20, seed=1)


@pytest.fixture(scope="module")
def scores(sim: Any) -> Any:
    return hj.evaluate(sim.gold, sim.runs, ["AP", "RBP", "ERR"])


def texts(figure: Any) -> list[str]:
    found = [t.get_text() for legend in figure.legends for t in legend.get_texts()]
    for axes in figure.axes:
        legend = axes.get_legend()
        found += [t.get_text() for t in (legend.get_texts() if legend else [])]
        found += [axes.get_title(loc="left"), axes.get_xlabel(), axes.get_ylabel()]
        found += [t.get_text() for t in (*axes.get_xticklabels(), *axes.get_yticklabels())]
        found += [t.get_text() for t in axes.texts]
    return found


def test_correlations(scores: Any, tmp_path: Path) -> None:
    figure = hj.studies.correlate_measures(scores).plot("tau_ap").figure
    assert {"AP", "RBP", "ERR", "1.00"} <= set(texts(figure))
    save_picture(figure, str(tmp_path / "x.svg"))
    assert (tmp_path / "x.svg").read_text().count("<svg") == 1


def test_approaches_that_end_alike_keep_their_order() -> None:
    names = [f"approach {i}" for i in range(12)]
    _, axes = new_picture(4, 3)
    draw_approaches(axes, [2, 3], dict.fromkeys(names, np.array([0.5, 0.6])), "tau_ap")
    assert [line.get_label() for line in axes.lines] == names


@pytest.mark.parametrize("what", ["topics", "ranking", "bump", "heat-map"])
def test_names_that_are_no_text_can_be_drawn(what: Any) -> None:
    """Bytes of a file that are not UTF-8 are lone surrogates in names."""
    runs = {f"{s}\udcff": {"1": {"a": 1.0, "b": float(s)}, "2": {"c": 1.0}} for s in "02"}
    scores = hj.evaluate({"1": {"a": 1, "b": 0}, "2": {"c": 1}}, runs, "AP")
    figure = scores.plot(what=what).figure
    assert picture_bytes(figure, "svg").startswith(b"<?xml")
    assert r"0\udcff" in texts(figure)


@pytest.mark.filterwarnings("error")  # matplotlib warns where no room is left for the axes
def test_long_names_leave_room_for_the_plot() -> None:
    name = f'nMCG(user="{"/folder" * 40}/users.json")@4'
    panel_of = Lines("", {name: [1, 0.5], "AP": [1, 0.8]})
    rates = draw_rate_lines([panel_of], (1, 0.5), "power", 1)
    panel = Matrix("", (name, "AP"), (name, "AP"), np.eye(2))
    matrix = draw_matrices((panel,), 1)
    rows, _ = new_rows([name, "AP"])
    for figure in (rates, matrix, rows):
        picture_bytes(figure, "svg")
        short = [text for text in texts(figure) if text.startswith("nMCG(")]
        assert short
        assert all(text.endswith('users.json")@4') for text in short)
        assert "AP" in texts(figure)
        assert figure.axes[0].get_position().width > 0.2


def test_robustness(sim: Any) -> None:
    found = hj.studies.robustness(sim.gold, sim.runs, ["AP", "RBP"], (0.5, 0.1), 2)
    figure = found.plot().figure
    assert {"AP", "RBP", "100%", "50%", "10%"} <= set(texts(figure))
    first = figure.axes[0].lines[0].get_ydata()
    np.testing.assert_allclose(first, [1, *found.mean()[0]])
    panel = Lines("", {f"m{i}": [1, i / 30] for i in range(30)})
    many = draw_rate_lines([panel], (1, 0.5), "power", 1)
    styles = {(x.get_color(), x.get_marker(), x.get_linestyle()) for x in many.axes[0].lines}
    assert len(styles) == 30
    nine = many.axes[0].lines[:9]  # as in TH Figure 5.6, where two lines nearly coincide
    assert len({x.get_color() for x in nine}) == len({x.get_marker() for x in nine}) == 9


def test_power(scores: Any) -> None:
    found = hj.studies.discriminative_power(scores, samples=50)
    figure = found.plot().figure
    assert f"AP  {found.power[0]:.1%}" in texts(figure)
    assert len(figure.axes[0].lines) == 4


def test_tuples(sim: Any) -> None:
    found = hj.studies.tuple_study(
        sim.judgments, sim.runs, "AP", sim.gold, sizes=[2, 3], tuples=2, replicates=2,
    )  # fmt: skip
    shown = texts(draw_tuples(found, "AP"))
    assert {"uni", "mv", "em-mv", "em-neu"} <= set(shown)
    assert sum(name.startswith(("sgl_", "tpc_")) for name in shown) == 3
    figure = draw_tuples(found, "AP", "rmse")
    assert len(figure.axes[0].lines) == 34
    assert not figure.axes[0].collections
    drawn = hj.studies.tuple_study(
        sim.judgments, sim.runs, "AP", sim.gold, sizes=[2, 3], tuples=2, approaches=["uni", "mv"],
        resamples=20,
    )  # fmt: skip
    assert len(draw_tuples(drawn, "AP").axes[0].collections) == 2  # a band for each line
    with pytest.raises(InputError, match="ERR was not studied"):
        draw_tuples(found, "ERR")
    anova = hj.studies.factorial_anova(found.observations(), "tau_ap", ["approach"], "size")
    assert {"uni", "mv"} <= set(texts(draw_interaction(anova, "size", "approach")))


def test_analysis_of_variance() -> None:
    rng = np.random.default_rng(0)
    rows = [
        {"size": k, "gap": g, "weight": w, "rmse": rng.normal() + 3 * (g == "kld")}
        for k, g, w in itertools.product(range(8), ("fro", "kld", "tau"), ("md", "med"))
    ]
    found = hj.studies.factorial_anova(rows, "rmse", ["gap", "weight"], "size")
    figure = draw_main_effects(found)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["size", "gap", "weight"]
    np.testing.assert_allclose(figure.axes[1].lines[0].get_ydata(), found.means("gap").mean)
    figure = draw_main_effects(found, {"b": "gap"})
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["(b) gap"]
    figure = draw_interaction(found, "gap", "weight")
    assert {"md", "med", "fro", "kld", "mean RMSE"} <= set(texts(figure))
    figure = draw_tukey(found, "gap", beside_of="fro")
    assert next(t.get_text() for t in figure.axes[0].get_yticklabels()) == "kld"
    colours = [line.get_color() for line in figure.axes[0].lines[:3]]
    assert colours[0] != colours[1] == colours[2]
    worst = draw_tukey(found, "gap", largest_first=False)
    assert [t.get_text() for t in worst.axes[0].get_yticklabels()][-1] == "kld"


def test_tables_in_all_forms() -> None:
    table = Table(("name", "n", "x_1"), [("a&b", 3, 0.123456), ("c", 10, float("nan"))], digits=2)
    assert table.to_text() == "name   n   x_1\na&b    3  0.12\nc     10     -"
    assert table.to_csv() == "name,n,x_1\na&b,3,0.123456\nc,10,nan\n"
    assert r"a\&b & 3 & 0.12 \\" in table.to_latex()
    assert r"x\_1" in table.to_latex()
    assert [row["n"] for row in table] == [3, 10]
    for backend in ("pandas", "polars"):
        assert table.to_frame(backend)["x_1"][0] == 0.123456
    with pytest.raises(InputError, match="invalid value 'arrow' for backend"):
        table.to_frame("arrow")
    shout = Table(("name",), [("a",)], formats={"name": str.upper})
    assert shout.to_text().endswith("A")
