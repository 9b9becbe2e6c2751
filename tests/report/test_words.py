"""Words and figures of the report: headline, conclusions, axes, shortened names."""

import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from builders.boards import ordinary
from hungjury.report.page_figures import border, chart, runs_by_bin, scale, shown_ends
from hungjury.report.words import common_prefix, conclusions, lead


@pytest.fixture(scope="module")
def board():
    return ordinary()


# ---- words


def said(sentences):
    return " ".join("".join(p if isinstance(p, str) else p[0] for p in s) for s in sentences)


def with_first(board, p_best, near):
    """A board whose first system cannot be told apart from the `near` next ones."""
    apart = board.apart.copy()
    apart[0], apart[:, 0] = True, True
    apart[0, : near + 1], apart[: near + 1, 0] = False, False
    rest = np.full(len(board.systems) - 1, (1 - p_best) / (len(board.systems) - 1))
    return replace(board, apart=apart, p_best=np.concatenate([[p_best], rest]))


@pytest.mark.parametrize(
    ("p_best", "near", "words"),
    [
        (0.99, 0, "is better than every other system"),
        (0.96, 2, "is very likely the best of 4"),
        (0.6, 1, "cannot be told apart from {1}"),
        (0.6, 2, "cannot be told apart from 2 other systems"),
        (0.4, 3, "cannot be told apart from any other system"),
    ],
)
def test_the_headline_says_how_sure(board, p_best, near, words):
    board = with_first(board, p_best, near)
    found = lead(board, 3)
    assert words.replace("{1}", board.systems[1]) in said([found["head"]])
    assert f"{board.mean[0]:.3f}" in said([found["below"]])
    assert f"{p_best:.0%}".replace("%", " %") in said([found["below"]])


def test_equal_means_share_the_first_place(board):
    mean = board.mean.copy()
    mean[1] = mean[0]
    assert "1 other system share" in said([lead(replace(board, mean=mean), 3)["head"]])


def test_conclusions_fit_the_target_and_the_warnings(board):
    may, may_not = conclusions(with_first(board, 0.6, 2), 3)
    assert "topics like these" in said(may)
    assert "better than 1 other system" in said(may)
    assert "one of the 2 systems close" in said(may_not)
    assert "topics unlike these" in said(may_not)
    _, may_not = conclusions(replace(board, target="topics", scale="panel"), 3)
    assert "other topics" in said(may_not)
    assert "on the panel’s scale" in said(may_not)
    assert "0.035 of the measure's range" in said(may_not)
    _, may_not = conclusions(replace(board, scale="people"), 3)
    assert "panel" not in said(may_not)


# ---- figures


@pytest.mark.parametrize(
    ("low", "high"), [(0, 1), (0.21, 0.87), (-0.03, 0.04), (0.5, 0.5), (0, 0), (120, 4000)]
)
def test_axes_hold_their_values_and_have_round_ticks(low, high):
    axis = scale(low, high)
    assert axis.low <= low <= high <= axis.high
    assert 2 <= len(axis.ticks) <= 7
    assert len({axis.text(tick) for tick in axis.ticks}) == len(axis.ticks)
    for tick in axis.ticks:
        assert float(axis.text(tick).replace("−", "-")) == pytest.approx(tick)
    assert axis.at(axis.low) == 0
    assert axis.at(axis.high + 1) == 100


def test_a_hopeless_system_does_not_squeeze_the_others():
    low = np.array([0.7, 0.71, 0.72, 0.73, 0.75, 0.1])
    high = np.full(6, 0.8)
    assert shown_ends(low, high, 0.6) == (0.7, 0.8)
    assert shown_ends(low[:-1], high[:-1], 0.1) == (0.7, 0.8)
    assert shown_ends(np.array([0.3]), high[:1], 0.0) == (0.3, 0.8)
    assert shown_ends(np.array([0.1, 0.3, 0.5, 0.7]), high[:4], 0.6) == (0.1, 0.8)
    # Where smaller is better, the hopeless are at the other end.
    low, high = np.array([1.0, 1.1, 1.2, 1.3, 2.0]), np.array([2.0, 2.1, 2.2, 2.3, 50.0])
    assert shown_ends(low, high, -20.0) == (1.0, 2.3)
    axis = scale(1.0, 2.3)
    assert axis.cut(2.0, 25.0, 50.0) == ("▸", True)
    assert axis.cut(1.0, 1.5, 2.3) == ("", False)
    assert axis.cut(0.5, 1.5, 2.3) == ("◂", False)


@pytest.mark.parametrize(
    ("names", "prefix"),
    [
        (["run-of-my-group-bm25", "run-of-my-group-t5"], "run-of-my-group-"),
        (["a-b-1", "a-b-2"], ""),  # short enough
        (["my-long-system", "my-long-systems"], "my-long-"),
        (["run-of-my-group-", "run-of-my-group-t5"], ""),  # nothing would be left
        (["run-of-my-group-bm25"], ""),
        ([], ""),
    ],
)
def test_names_are_shortened_to_what_differs(names, prefix):
    assert common_prefix(names) == prefix


def test_runs_cover_the_cells_of_their_bin():
    bins = np.random.default_rng(0).integers(-1, 3, (9, 9))
    drawn = np.full((9, 9), -1)
    for k, path in enumerate(runs_by_bin(bins, 3)):
        for x, y, length in re.findall(r"M(\d+) (\d+)\.5h(\d+)", path):
            drawn[int(y), int(x) : int(x) + int(length)] = k
    np.testing.assert_array_equal(drawn, bins)


def test_the_border_runs_where_inside_meets_outside():
    inside = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1]], dtype=bool)
    assert sorted(re.findall("M[^M]+", border(inside))) == sorted(
        ["M2 0v1", "M2 1v1", "M2 2v1", "M0 2h1", "M1 2h1", "M2 2h1"]
    )


def test_a_chart_writes_no_number_over_another():
    drawn = chart([(2, 0.3), (20, 0.2), (21, 0.19), (22, 0.18), (40, 0.1)], 21, 3, 3)
    told = [p["x"] for p in drawn.points if p["labelled"]]
    assert all(b - a >= 38 for a, b in pairwise(told))
    assert [p["labelled"] for p in drawn.points if p["kind"] == "now"] == [True]
    assert [p["kind"] for p in drawn.points] == ["measured"] * 2 + ["now"] + ["guessed"] * 2
    heights = [p["y"] for p in drawn.points]
    assert heights == sorted(heights)
