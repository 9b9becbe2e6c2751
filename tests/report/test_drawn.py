"""Every plot, artist by artist: places, names, colours and sizes, compared with files."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace as Made
from typing import Any

import numpy as np
import pytest

import hungjury as hj
from builders.drawn import described
from builders.expected import assert_expected
from hungjury.base.errors import InputError
from hungjury.base.results import Table
from hungjury.report import board_plots, judge_plots, pictures, study_plots, users
from hungjury.studies.recipe import Lines, Matrix

EXPECTED = Path(__file__).parent / "expected"
nan = float("nan")


def names(number: int, word: str = "s") -> list[str]:
    return [f"{word}{i}" for i in range(number)]


def square(number: int) -> Any:
    """A matrix of numbers from 0 to 1, not symmetric."""
    return (np.arange(number * number).reshape(number, number) * 7 % 11) / 10


# Leaderboards, comparisons, scores


def board(number: int = 3, **more: Any) -> Any:
    mean = 0.8 - 0.1 * np.arange(number)
    return Made(
        systems=names(number),
        measure="nDCG@10",
        mean=mean,
        low=mean - 0.05,
        high=mean + 0.07,
        scale="panel",
        settings=Made(level=0.9),
        level=0.8,
        beats=square(number),
        parts={"web": None, "news": None},
        collection_means=lambda: np.array([mean, mean / 2]),
        **more,
    )


QRELS = {
    "1": {"a": 1, "b": 0, "c": 1},
    "2": {"a": 0, "b": 1, "c": 0},
    "3": {"a": 1, "b": 1, "c": 0},
}
RUNS = {
    "one": {t: {"a": 3, "b": 2, "c": 1} for t in "123"},
    "two": {"1": {"c": 3, "a": 2}, "2": {"b": 3, "a": 2}, "3": {"c": 3, "b": 2, "a": 1}},
    "three": {"1": {"b": 3}, "2": {"a": 2, "c": 1}, "3": {"c": 3}},
}


def scored(measures: list[str], systems: int = 3) -> Any:
    runs = dict(RUNS) | {f"copy{i}": RUNS["one"] for i in range(systems - 3)}
    return hj.evaluate(QRELS, runs, measures)


def compared(*measures: str, **how: Any) -> Any:
    return hj.compare(scored(list(measures)), test="t", **how)


def curve(systems: int, by: str, bands: bool, under: bool = False) -> Any:
    precision = np.array([[0.9 - 0.05 * s, 0.5, 0.1 * s % 1] for s in range(systems)])

    def points(s: int) -> tuple[Any, Any]:
        return np.array([0, 0.5, 1.0])[: 3 - s % 2], precision[s][: 3 - s % 2]

    half = np.array([[0.2, 0.1, 0.3]] * systems) if bands else None
    found = Made(systems=["_x", *names(systems - 1)], precision=precision, by=by, points=points,
                 half=half, under=None)  # fmt: skip
    found.under = (
        Made(points=lambda s: (np.array([0.1, 0.2]), np.array([0.3, s / 10]))) if under else None
    )
    return found


def bump(systems: int, over: list[str]) -> Any:
    ranks = np.array([[1 + (s + m) % systems for m in range(len(over))] for s in range(systems)])
    return board_plots.draw_bump(names(systems), over, ranks.astype(float))


BOARDS: dict[str, Callable[[], Any]] = {
    "board": lambda: board_plots.draw_board(board(), "intervals"),
    "board of people": lambda: board_plots.draw_board(
        Made(**vars(board()) | {"scale": "gold"}), "intervals"
    ),
    "board of one": lambda: board_plots.draw_board(
        Made(**vars(board(1)) | {"low": np.array([0.5]), "high": np.array([0.5])}), "intervals"
    ),
    "board of pairs": lambda: board_plots.draw_board(board(), "pairs"),
    "scores": lambda: board_plots.draw_score_board(board(), "intervals"),
    "scores pairs": lambda: board_plots.draw_score_board(board(4), "pairs"),
    "scores collections": lambda: board_plots.draw_score_board(board(), "collections"),
    "differences": lambda: board_plots.draw_comparison(compared("AP", "P@2"), "P@2", "differences"),
    "differences from one": lambda: board_plots.draw_comparison(
        compared("AP", baseline="one", correction="none", alpha=0.4), "AP", "differences"
    ),
    "topics of pairs": lambda: board_plots.draw_comparison(compared("AP"), "AP", "topics"),
    "topics of many pairs": lambda: board_plots.draw_comparison(
        hj.compare(scored(["AP"], 5), test="t"), "AP", "topics"
    ),
    "scores topics": lambda: board_plots.draw_scores(scored(["AP"]), "AP", "topics", None),
    "scores topics sum": lambda: board_plots.draw_scores(
        scored(["NumRet"]), "NumRet", "topics", None
    ),
    "scores ranking": lambda: board_plots.draw_scores(scored(["AP"]), "AP", "ranking", None),
    "scores ranking sum": lambda: board_plots.draw_scores(
        scored(["NumRet"]), "NumRet", "ranking", None
    ),
    "scores scatter": lambda: board_plots.draw_scores(
        scored(["AP", "RR", "P@2"]), "RR", "scatter", None
    ),
    "scores scatter other": lambda: board_plots.draw_scores(
        scored(["AP", "RR", "P@2"]), "AP", "scatter", "P@2"
    ),
    "scores scatter 20": lambda: board_plots.draw_scores(
        scored(["AP", "RR"], 20), "AP", "scatter", None
    ),
    "scores scatter 21": lambda: board_plots.draw_scores(
        scored(["AP", "RR"], 21), "AP", "scatter", None
    ),
    "scores bump": lambda: board_plots.draw_scores(scored(["AP", "RR", "P@2"]), "AP", "bump", None),
    "scores distribution": lambda: board_plots.draw_scores(
        scored(["RR", "AP"]), "AP", "distribution", None
    ),
    "scores heat map": lambda: board_plots.draw_scores(
        scored(["RR", "AP"]), "AP", "heat-map", None
    ),
    "heat map of nothing": lambda: board_plots._by_columns(
        np.full((2, 1), nan), ["a", "b"], ["c"], "t"
    ),
    "heat map large": lambda: board_plots._by_columns(
        np.full((85, 16), 2.0), names(85), names(16, "t"), "t"
    ),
    "heat map below 0": lambda: board_plots._by_columns(
        np.full((1, 80), -2.0), ["s"], names(80, "t"), "t"
    ),
    "heat map of 15": lambda: board_plots._by_columns(np.full((1, 15), 1.0), ["s"], names(15), "t"),
    "bump 10": lambda: bump(10, ["AP", "RR"]),
    "bump 12": lambda: bump(12, ["a" * 10] * 6),
    "bump 39": lambda: bump(39, ["a" * 10] * 7),
    "bump 40": lambda: bump(40, ["a"] * 10),
    "bump 80": lambda: bump(80, ["a"]),
    "bump 81": lambda: bump(81, ["a", "b"]),
    "curve recall": lambda: board_plots.draw_precision_recall(curve(4, "recall", True)),
    "curve rank": lambda: board_plots.draw_precision_recall(curve(5, "rank", True, under=True)),
    "curve many": lambda: board_plots.draw_precision_recall(curve(13, "recall", False)),
}


# Judges


def judged(rankings: bool = True, number: int = 3) -> Any:
    labels = names(number, "j")
    of = Made(
        systems=["x", "y", "z"],
        measure="AP",
        tau=square(number),
        tau_ap=square(number) / 2,
        ranks=lambda: np.array([[1, 2, 3], [3, 1, 2], [1, 3, 2]], float)[np.arange(number) % 3],
    )
    return Made(
        judges=labels,
        order=lambda: [*range(1, number), 0],
        rankings=of if rankings else None,
        pairs=Made(kappa=square(number), agreement=square(number) / 3),
    )


def with_gold() -> Any:
    bins = [
        Made(stated=0.2, relevant_low=0.1, relevant_high=0.4, relevant=0.3, documents=1200),
        Made(stated=0.8, relevant_low=0.6, relevant_high=0.9, relevant=0.7, documents=7),
    ]
    return Made(
        judges=["a", "b", "c"],
        kappa=np.array([0.2, nan, 0.6]),
        level=0.9,
        rel=2,
        kappa_low=np.array([0.1, nan, 0.5]),
        kappa_high=np.array([0.3, nan, 0.9]),
        correlation=square(3),
        reliability=bins,
    )


def merged() -> Any:
    panel = Made(
        grades=[0, 1, 3],
        judges=["a", "b", "none"],
        judge=np.array([0, 0, 0, 0, 1, 1, 1, 1]),
        document=np.array([0, 1, 2, 3, 0, 1, 2, 3]),
        choice=np.array([0, 1, 2, 2, 1, 1, 1, 0]),
    )
    return Made(panel=panel, method="binmv", hard=lambda: Made(labels=np.array([0, 1, 1, 1])))


def prm(notion: str, shift: float) -> Any:
    p = {"no": 0.1 + shift, "maybe": nan, "yes": 0.7}
    low = {"no": 0.05, "maybe": nan, "yes": 0.8}
    high = {"no": 0.3, "maybe": nan, "yes": 0.6}
    return Made(notion=notion, p=p, low=low, high=high, levels=[0, 1, 3])


JUDGES: dict[str, Callable[[], Any]] = {
    "kappa": lambda: judge_plots.draw_agreement(judged()),
    "agreement": lambda: judge_plots.draw_agreement(judged(False), "agreement"),
    "tau": lambda: judge_plots.draw_agreement(judged(), "tau"),
    "tau_ap": lambda: judge_plots.draw_agreement(judged(number=4), "tau_ap"),
    "kappa of 13": lambda: judge_plots.draw_agreement(judged(number=13)),
    "bump": lambda: judge_plots.draw_agreement(judged(), "bump"),
    "rankings": lambda: judge_plots.draw_agreement(judged(), "rankings"),
    "rankings of 13": lambda: judge_plots.draw_agreement(judged(number=13), "rankings"),
    "gold kappa": lambda: judge_plots.draw_gold_agreement(with_gold(), "kappa"),
    "gold reliability": lambda: judge_plots.draw_gold_agreement(with_gold(), "reliability"),
    "gold errors": lambda: judge_plots.draw_gold_agreement(with_gold(), "errors"),
    "merged": lambda: judge_plots.draw_merged(merged()),
    "prm": lambda: judge_plots.draw_prm([prm("1 or more", 0.0), prm("2 or more", 0.1)]),
}


# Studies


def tuples(draws: bool) -> Any:
    rows = [
        ["sgl_tau_msd", 0.5, 0.7], ["tpc_tau_msd", 0.4, 0.6], ["sgl_fro_md", 0.3, 0.9],
        ["sgl_kld_med", 0.1, 0.2], ["uni", 0.45, 0.5], ["binmv", 0.2, 0.65],
    ]  # fmt: skip
    each = [
        Made(measure=m, gold=g, approach=row[0], size=k)
        for m, g in (("RR", "deterministic"), ("AP", "random"), ("AP", "deterministic"))
        for row in rows for k in (2, 3)
    ]  # fmt: skip
    values = np.arange(len(each))[:, None] / 50 + np.linspace(-0.1, 0.1, 21)
    return Made(
        by_size=lambda measure, what: Table(["approach", "k=2", "k=3"], rows),
        rows=each,
        draws={"tau_ap": values} if draws else {},
    )


def anova(response: str = "tau_ap", subject: str | None = "topic", many: int = 3) -> Any:
    levels: dict[str, list[Any]] = {
        "topic": [7, 9, 11, 13] if many < 10 else list(range(many)),
        "approach": names(many, "approach" if many == 3 else "a"),
        "size": [2, 3],
    }

    def means(name: str) -> Any:
        mean = 0.5 + 0.1 * np.arange(len(levels[name]))
        return Made(levels=levels[name], mean=mean, half=mean / 10)

    def interaction(across: str, lines: str) -> Any:
        found = np.arange(len(levels[across]) * len(levels[lines])) % 7 / 10
        found = found.reshape(len(levels[across]), len(levels[lines]))
        if many == 3:
            found[-1, 0] = nan
        return found

    def tukey(factor: str) -> Any:
        number = len(levels[factor])
        order = np.arange(number)[::-1]
        apart = np.abs(np.subtract.outer(np.arange(number), np.arange(number)))
        return Made(order=order, needed=np.diag(0.02 + 0.02 * np.arange(number)),
                    different=apart > 1, groups=[(0, 1), (1, 2)])  # fmt: skip

    return Made(levels=levels, subject=subject, factors=["approach", "size"], response=response,
                means=means, interaction=interaction, tukey=tukey)  # fmt: skip


def power(measures: int) -> Any:
    p = np.array([[0.01 * m, 0.5, 0.04] for m in range(measures)])
    return Made(best_first=lambda: [*range(1, measures), 0], p=p, measures=names(measures, "m"),
                power=np.linspace(0.2, 0.9, measures), alpha=0.05)  # fmt: skip


def indices(lengths: list[int]) -> Any:
    curves = {f"m{i}": np.array([float(i + n) for n in range(len(lengths))]) for i in range(10)}
    curves["m1"][-1] = np.inf
    return Made(lengths=lengths, curves=curves)


def rate_lines(number: int, across: int) -> Any:
    panels = [
        Lines(f"panel {i}", {f"m{i}": [1, 0.5], "_b": np.array([[1, 0.7], [0.9, 0.6], [1, 0.8]])})
        for i in range(number)
    ]
    return study_plots.draw_rate_lines([*panels, Lines("empty", {})], (1.0, 0.25), "tau", across)


def matrices(number: int, across: int) -> Any:
    panels = [
        Matrix(f"p{i}", ("a", "b" * 30), ("x", "y"), square(2) - 0.2 * i) for i in range(number)
    ]
    panels[-1] = Matrix("last", ("a", "b"), ("x", "y"), square(2), ("over", "under"))
    return study_plots.draw_matrices(panels, across)


def robustness() -> Any:
    values = np.arange(2 * 3 * 4).reshape(2, 3, 4) / 30
    return Made(matrix=lambda what: values * (1 if what == "tau" else 0.5), measures=["AP", "RR"],
                systems=5, topics=7, rates=(0.5, 0.3, 0.1))  # fmt: skip


def correlations(number: int) -> Any:
    return Made(matrix=lambda what: square(number) * (1 if what == "tau" else 0.5),
                measures=names(number, "m"))  # fmt: skip


STUDIES: dict[str, Callable[[], Any]] = {
    "correlations": lambda: study_plots.draw_correlations(correlations(3)),
    "correlations tau_ap": lambda: study_plots.draw_correlations(correlations(13), "tau_ap"),
    "correlations 25": lambda: study_plots.draw_correlations(correlations(25)),
    "robustness": lambda: study_plots.draw_robustness(robustness()),
    "robustness tau_ap": lambda: study_plots.draw_robustness(robustness(), "tau_ap"),
    "power": lambda: study_plots.draw_power(power(3)),
    "power of many": lambda: study_plots.draw_power(power(28), 0.3),
    "tuples": lambda: study_plots.draw_tuples(tuples(True), "AP"),
    "tuples rmse": lambda: study_plots.draw_tuples(tuples(False), "AP", "rmse"),
    "rates": lambda: rate_lines(3, 2),
    "rates one": lambda: rate_lines(1, 1),
    "matrices": lambda: matrices(3, 2),
    "matrix": lambda: matrices(1, 1),
    "main effects": lambda: study_plots.draw_main_effects(anova()),
    "main effects lettered": lambda: study_plots.draw_main_effects(
        anova("AP", None), {"a": "size", "b": "approach"}
    ),
    "main effects no subject": lambda: study_plots.draw_main_effects(anova("AP", None)),
    "main effects of many": lambda: study_plots.draw_main_effects(anova(many=31)),
    "main effects of 7": lambda: study_plots.draw_main_effects(anova(many=7)),
    "main effects of 13": lambda: study_plots.draw_main_effects(anova(many=13)),
    "main effects of 12": lambda: study_plots.draw_main_effects(anova(many=12)),
    "main effects of 6": lambda: study_plots.draw_main_effects(anova(many=6)),
    "interaction": lambda: study_plots.draw_interaction(anova(), "topic", "approach"),
    "interaction of 12": lambda: study_plots.draw_interaction(anova(many=12), "size", "approach"),
    "interaction of 13": lambda: study_plots.draw_interaction(anova(many=13), "topic", "approach"),
    "interaction of 40": lambda: study_plots.draw_interaction(anova(many=40), "approach", "topic"),
    "tukey": lambda: study_plots.draw_tukey(anova("rmse"), "approach"),
    "tukey smallest first": lambda: study_plots.draw_tukey(anova(), "approach", False, "approach0"),
    "tukey of 13": lambda: study_plots.draw_tukey(anova(many=13), "approach", True, "a5"),
    "balancing": lambda: study_plots.draw_balancing(indices([10, 100, 1000])),
    "balancing dots": lambda: study_plots.draw_balancing_dots(indices([10, 100, 1000])),
    "significance": lambda: study_plots.draw_significance(
        Made(
            balance=4.5,
            ranks=[0, 1, 2],
            share=[0.9, 0.5, 0.1],
            alpha=0.05,
            p=0.8,
            trials=12000,
            topics=50,
        )
    ),
}


# Users and rankers


def users_of(relevant: bool, ranks: int = 4, classes: int = 2) -> Any:
    each = []
    for c, name in enumerate(("navigational", "informational", "other")[:classes]):
        share = np.arange(ranks, 0, -1) / (ranks * (ranks + 1) / 2)
        dynamic = Made(values=lambda n: np.full(n, 1 / n), alpha=0.5, beta=0.25, gamma=None,
                       r2=0.875 if c == 0 else None, rmse=0.01 if c == 1 else None)  # fmt: skip
        each.append(
            Made(name=name, stationary=share, dynamic=dynamic, backward=0.125 if c else None,
                 pages=None if c else 1234, visits=(1000, 234) if c else None,
                 moves=((1, 2), (3, 4000)) if c == 0 else None,
                 rates=tuple(0.5 + r for r in range(ranks)) if c else None)
        )  # fmt: skip
    by = tuple((k, each[0].stationary) for k in (*map(str, range(1, 10)), "10 or more"))
    return Made(classes=each, ranks=ranks, by_relevant=by if relevant else (),
                query_rates={"q": 1} if relevant else {})  # fmt: skip


def rankers(sets: int, folds: int) -> Any:
    found = Made(
        measures=["nDCG@10", "nMCG@10"],
        folds=folds,
        objectives=["lambdarank", "nmcg"],
        algorithms=["λ-MART", "nMCG-MART without 3"],
        sizes=["1", "2", "all"],
        curves=np.arange(12).reshape(2, 2, 3) / 20,
        trees=np.array([[1, 2], [2, 3]]),
        means=lambda: np.arange(12).reshape(2, 2, 3) / 10,
    )
    one = Made(**vars(found) | {"measures": ["nDCG@10"]})
    return Made(found=dict(zip("AB", [found, one][:sets], strict=False)))


USERS: dict[str, Callable[[], Any]] = {
    "users": lambda: users.draw_users(users_of(False)),
    "users by relevant": lambda: users.draw_users(users_of(True, 25, 3)),
    "training": lambda: users.draw_training(
        Made(history={"valid": [0.1, 0.3, 0.2], "train": [0.4]}, trees=2, goal="nMCG@10")
    ),
    "rankers": lambda: users.draw_comparisons(rankers(1, 1)),
    "rankers of two sets": lambda: users.draw_comparisons(
        Made(found={"A": rankers(1, 2).found["A"], "B": rankers(1, 5).found["A"]})
    ),
}


# What all plots are made of


def intervals(**how: Any) -> Any:
    figure, axes = pictures.new_rows(["a", "b", "c"])
    low = np.array([0.1, -np.inf, 0.2])
    high = np.array([0.3, 0.4, np.inf])
    pictures.draw_intervals(axes, np.array([0.2, 0.3, 0.4]), low, high, **how)
    return figure


def fitted(width: Any, kind: str) -> Any:
    plain = {"map": lambda: pictures.square_map(square(3), names(3), "t"), "rows": intervals}[
        kind
    ]()
    pictures.fit(plain, width)
    return plain


def styles() -> Any:
    figure, axes = pictures.new_picture(3, 2)
    for style in pictures.line_styles(30):
        axes.plot([0, 1], [0, 1], **style)
    return figure


def heat(low: float, **how: Any) -> Any:
    figure, axes = pictures.new_picture(3, 2)
    values = np.array([[0.0, 0.55, 0.61], [nan, 0.7, 1.0]])
    pictures.heat_map(axes, values, ["a", "b"], ["x" * 50, "_y", "z\x00"], low, **how)
    return figure


PARTS: dict[str, Callable[[], Any]] = {
    **{f"rows {n}": lambda n=n: pictures.new_rows(names(n))[0] for n in (1, 5, 6, 30, 31, 80, 81)},
    "grid": lambda: pictures.new_grid(5, 4, 3, 2, [1, 2])[0],
    "intervals": intervals,
    "intervals in colours": lambda: intervals(
        colours=["red", "blue", "0.5"], dots=["0.1", "0.2", "0.3"]
    ),
    "map": lambda: pictures.square_map(square(3) - 0.3, names(3), "title"),
    "map of 12": lambda: pictures.square_map(square(12), names(12), "title"),
    "map from 0.2": lambda: pictures.square_map(
        square(4), names(4), "title", cell=1.0, low=0.2, numbered=3
    ),
    "map of 81": lambda: pictures.square_map(square(81), names(81), "title"),
    "cells": lambda: heat(0.0, numbered=True),
    "cells from 0.5": lambda: heat(
        0.5, numbered=True, high=0.9, colours="viridis_r", aspect="auto"
    ),
    "column map": lambda: fitted("column", "map"),
    "column rows": lambda: fitted("column", "rows"),
    "page map": lambda: fitted("page", "map"),
    "page rows": lambda: fitted("page", "rows"),
    "styles": styles,
}

EVERY = {"boards": BOARDS, "judges": JUDGES, "studies": STUDIES, "users": USERS, "parts": PARTS}


@pytest.fixture(scope="module", autouse=True)
def _no_search_for_garbage() -> Iterator[None]:
    """Plots are many small objects: Python would look through all of them again and again."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize(
    ("room", "name"), [(room, name) for room, plots in EVERY.items() for name in plots]
)
def test_a_plot_shows_what_it_should(room: str, name: str) -> None:
    figure = EVERY[room][name]()
    assert_expected(EXPECTED / f"drawn-{room}.txt", name, described(figure))


@pytest.mark.parametrize(("relevant", "ranks"), [(False, 4), (True, 2)])
def test_users_in_words(relevant: bool, ranks: int) -> None:
    text = users.user_text(users_of(relevant, ranks))
    assert_expected(EXPECTED / "drawn-users.txt", f"text {relevant} {ranks}", text)


# Plots of characters: dots, lines, bars, shades, names


def dashed() -> Any:
    figure, axes = pictures.new_picture(4, 3)
    axes.plot([0, 1, 2], [0, 1, 0], "-")
    axes.plot([0.5], [0.5], "o", linestyle="None")
    axes.fill_between([0, 1], [0, 0], [0.1, 0.2])
    axes.set(xlabel="below", title="above", xlim=(0, 2), ylim=(0, 1))
    return figure


def corners() -> Any:
    """Dots and ticks on the edges; of ticks side by side, the first that has room."""
    figure, axes = pictures.new_picture(4, 3)
    axes.plot([0, 1, 0, 1], [0, 0, 1, 1], "o")
    axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.set_xticks([0, 0.04, 0.5, 1], ["first", "next", "middle", "last"])
    return figure


TEXTS: dict[str, Callable[[], Any]] = {
    "corners": corners,
    "rows": intervals,
    "map": lambda: pictures.square_map(square(3), names(3), "title"),
    "bars": lambda: judge_plots.draw_merged(merged()),
    "lines": dashed,
    "two panels": lambda: study_plots.draw_main_effects(anova("AP", None)),
    "many rows": lambda: board_plots.draw_board(board(61), "intervals"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_plot_of_characters(name: str) -> None:
    text = pictures.terminal_text(TEXTS[name](), 60)
    assert_expected(EXPECTED / "characters.txt", name, text)


def test_a_matplotlib_that_cannot_draw_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with text.usetex where LaTeX is missing: its log is long."""
    figure, _ = pictures.new_picture(2, 2)

    def fails(*_: Any, **__: Any) -> None:
        raise RuntimeError("\nlatex was not found\nand this is its log")

    monkeypatch.setattr(figure, "savefig", fails)
    with pytest.raises(InputError, match="present settings: latex was not found") as caught:
        pictures.picture_bytes(figure, "svg")
    assert "log" not in caught.value.message
