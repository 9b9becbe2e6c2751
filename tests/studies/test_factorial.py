"""Analysis of variance: against loops, other libraries, published tables and known effects."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import hungjury as hj
from hungjury.base.errors import InputError
from hungjury.stats.multiple import tukey_groups
from hungjury.studies.anova import effect_size, omega_squared
from oracles import studies as naive

TH_TABLES = {
    # total observations, then df, F and omega^2 as printed in Tables 4.1 to 4.4
    "4.1": (5916, [(33, 171.8716, 0.4880), (2, 30230.1290, 0.9109), (1, 9183.9134, 0.6082),
                   (66, 145.0584, 0.6164), (33, 42.1620, 0.1867), (2, 12311.4096, 0.8063)]),
    "4.2": (5916, [(33, 361.6465, 0.6680), (2, 10490.3151, 0.7800), (1, 1394.9723, 0.1907),
                   (66, 254.9091, 0.7391), (33, 27.9039, 0.1305), (2, 117.9227, 0.0380)]),
    "4.3": (5220, [(1, 0.7746, 0), (4, 41.1420, 0.0298), (2, 14.8185, 0.0053),
                   (2, 3867.6402, 0.5970), (1, 1318.3279, 0.2015), (4, 27.5633, 0.0199),
                   (2, 10.3056, 0.0036), (8, 12.6764, 0.0176)]),
    "4.4": (5220, [(1, 50.4805, 0.0094), (4, 19.7969, 0.0142), (2, 252.9934, 0.0880),
                   (2, 1295.7805, 0.3316), (1, 1944.7464, 0.2713), (4, 8.7584, 0.0059),
                   (2, 14.5350, 0.0052), (8, 75.5719, 0.1026)]),
}  # fmt: skip


@pytest.mark.parametrize("table", TH_TABLES)
def test_omega_squared_as_published(table: str) -> None:
    observations, rows = TH_TABLES[table]
    for df, f, printed in rows:
        assert omega_squared(df, f, observations) == pytest.approx(printed, abs=5.1e-5)


@pytest.mark.parametrize("alpha", [0, 1, -0.1, float("nan"), "5%"])
def test_tukey_groups_refuse_a_level_that_is_none(alpha: Any) -> None:
    with pytest.raises(InputError, match="alpha"):
        tukey_groups([1, 2], [10, 10], 0.5, 18, alpha)


@pytest.mark.parametrize(
    ("means", "marks", "ss_error"),
    [
        # Figures 4.8 and 4.9, (d) to (f): AP correlation, then RMSE
        ({"tpc": 0.6611, "sgl": 0.6602}, ["X", "X"], 6.4347),
        ({"apc": 0.6687, "tau": 0.6645, "kld": 0.6608, "fro": 0.6593, "rmse": 0.6499},
         ["X...", "XX..", ".XX.", "..X.", "...X"], 6.4347),
        ({"med": 0.6630, "md": 0.6620, "msd": 0.6569}, ["X.", "X.", ".X"], 6.4347),
        ({"tpc": 0.6036, "sgl": 0.5843}, ["X.", ".X"], 49.8622),
        ({"rmse": 0.6119, "tau": 0.5987, "apc": 0.5967, "fro": 0.5868, "kld": 0.5758},
         ["X...", ".X..", ".XX.", "..XX", "...X"], 49.8622),
        ({"msd": 0.6360, "md": 0.5816, "med": 0.5642}, ["X..", ".X.", "..X"], 49.8622),
    ],
)  # fmt: skip
def test_tukey_groups_as_published(
    means: dict[str, float], marks: list[str], ss_error: float
) -> None:
    values = np.array(list(means.values()))
    sizes = np.full(len(values), 5220 / len(values))
    found = tukey_groups(values, sizes, ss_error / 5167, 5167)
    assert [
        "".join("X" if a <= place <= b else "." for a, b in found.groups)
        for place in range(len(values))
    ] == marks


def test_groups_are_the_oracles() -> None:
    rng = np.random.default_rng(0)
    for _ in range(4):
        values = rng.normal(size=8).round(2)
        found = tukey_groups(values, np.full(8, 10), 0.5, 72)
        needed = found.needed[0, 1]
        names = {str(i): float(v) for i, v in enumerate(values)}
        wanted = naive.tukey_marks(names, lambda a, b, least=needed: abs(a - b) > least)
        mine = {
            str(level): "".join("X" if a <= place <= b else "." for a, b in found.groups)
            for place, level in enumerate(found.order)
        }
        assert mine == wanted


def test_one_way_tukey_is_scipys() -> None:
    from scipy.stats import tukey_hsd

    rng = np.random.default_rng(5)
    samples = [rng.normal(mean, 1, 12) for mean in (0, 0.2, 1.5, 1.6)]
    rows = [{"g": i, "y": y} for i, sample in enumerate(samples) for y in sample]
    found = hj.studies.factorial_anova(rows, "y", ["g"]).tukey("g")
    np.testing.assert_array_equal(found.different, tukey_hsd(*samples).pvalue < 0.05)


def design(seed: int = 0, **effects: Any) -> list[dict[str, Any]]:
    """Six subjects, three factors, everything once; effects by level, the rest noise."""
    rng = np.random.default_rng(seed)
    rows = []
    for subject, a, b, c in itertools.product(range(6), "pqr", "xyzw", "uv"):
        y = rng.normal() + 0.3 * subject + effects.get(a, 0) + effects.get(b, 0)
        rows.append({"subject": subject, "a": a, "b": b, "c": c, "y": y + effects.get(a + c, 0)})
    return rows


@pytest.mark.parametrize("pairs", [None, [("a", "c")], []])
def test_the_table_is_the_oracles(pairs: Any) -> None:
    rows = design(1, p=1.0, pu=0.5)
    found = hj.studies.factorial_anova(rows, "y", ["a", "b", "c"], "subject", pairs)
    listed = [("a", "b"), ("a", "c"), ("b", "c")] if pairs is None else pairs
    wanted = naive.anova(rows, "y", ["subject", "a", "b", "c"], listed)
    assert [one.source for one in found.effects] == list(wanted)
    for one in found.effects:
        ss, df, f = wanted[one.source]
        assert (one.ss, one.df) == (pytest.approx(ss), df)
        if not np.isnan(f):
            assert one.f == pytest.approx(f)
            if one.source != "subject":
                omega = naive.omega_squared(df, f, len(rows))
                assert one.omega2 == pytest.approx(omega)
    assert np.isnan(found["subject"].omega2)
    assert sum(one.ss for one in found.effects[:-1]) == pytest.approx(found["total"].ss)


@pytest.mark.parametrize("kept", [slice(None), slice(None, -1), slice(5, None)])
def test_every_design_is_statsmodels_type_two(kept: slice) -> None:
    """Balanced designs, each cell twice, and such as lack some observations."""
    pandas = pytest.importorskip("pandas")
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    rows = [*design(7, p=1.0, xu=0.4), *design(8, q=0.5)][kept]
    mine = hj.studies.factorial_anova(rows, "y", ["a", "b", "c"], "subject", [("a", "c")])
    formula = "y ~ C(subject) + C(a) + C(b) + C(c) + C(a):C(c)"
    theirs = anova_lm(ols(formula, pandas.DataFrame(rows)).fit(), typ=2)
    for source, line in zip(("subject", "a", "b", "c", "a*c"), theirs.index, strict=False):
        ss, df, f, p = theirs.loc[line, ["sum_sq", "df", "F", "PR(>F)"]]
        found = mine[source]
        assert (found.ss, found.df) == (pytest.approx(ss, rel=1e-9), df)
        assert (found.f, found.p) == (pytest.approx(f, rel=1e-9), pytest.approx(p, rel=1e-9))
    assert mine.error.ss == pytest.approx(theirs.loc["Residual", "sum_sq"], rel=1e-9)
    assert mine.error.df == theirs.loc["Residual", "df"]


def test_repeated_measures_are_statsmodels_own() -> None:
    import pandas
    from statsmodels.stats.anova import AnovaRM

    rows = [row for row in design(2, x=0.7) if (row["a"], row["c"]) == ("p", "u")]
    theirs = AnovaRM(pandas.DataFrame(rows), "y", "subject", ["b"]).fit().anova_table.loc["b"]
    mine = hj.studies.factorial_anova(rows, "y", ["b"], "subject")["b"]
    assert mine.f == pytest.approx(theirs["F Value"])
    assert mine.p == pytest.approx(theirs["Pr > F"])


def test_factors_with_one_level_are_left_out() -> None:
    rows = [row | {"systems": "T08"} for row in design(3)]
    found = hj.studies.factorial_anova(rows, "y", ["a", "systems", "b"], "subject")
    assert found.factors == ("a", "b")
    assert [one.source for one in found.effects] == [
        "subject", "a", "b", "a*b", "error", "total",
    ]  # fmt: skip


def test_effects_of_known_size() -> None:
    """A factor of variance s against noise of variance 1 explains s / (s + 1)."""
    rng = np.random.default_rng(0)
    for shift in (0.0, 0.25, 1.0):
        rows = [
            {"a": a, "y": rng.normal() + (shift if a == "q" else -shift)}
            for a in "pq" for _ in range(1000)
        ]  # fmt: skip
        found = hj.studies.factorial_anova(rows, "y", ["a"])["a"]
        assert found.omega2 == pytest.approx(shift**2 / (shift**2 + 1), abs=0.03)


def test_no_effect_is_seldom_significant() -> None:
    p = [hj.studies.factorial_anova(design(seed)[::2], "y", ["a", "b"], "subject", [])["a"].p
         for seed in range(30)]  # fmt: skip
    assert np.mean(np.array(p) < 0.1) <= 0.2
    assert np.mean(p) == pytest.approx(0.5, abs=0.12)


def test_effects_in_words() -> None:
    words = [effect_size(x) for x in (0.0, 0.0099, 0.01, 0.06, 0.139, 0.14, 0.9)]
    assert words == ["none", "none", "small", "medium", "medium", "large", "large"]


def test_means_for_plots() -> None:
    rows = design(4, p=2.0)
    found = hj.studies.factorial_anova(rows, "y", ["a", "b", "c"], "subject")
    means = found.means("a")
    for level, mean in zip(means.levels, means.mean, strict=True):
        assert mean == pytest.approx(naive.mean_where(rows, "y", a=level))
    assert means.half.min() > 0
    both = found.interaction("subject", "b")
    assert both.shape == (6, 4)
    assert both[2, 1] == pytest.approx(naive.mean_where(rows, "y", subject=2, b="y"))
    table = found.tukey_table("a")
    assert table.rows[0][0] == "p"
    assert table.rows[0][2].startswith("X")
    worst_first = found.tukey_table("a", largest_first=False)
    assert worst_first.rows[-1][0] == "p"
    assert str(found).startswith("y, 144 observations")
    assert "$<$ 0.0001" in found.table().to_latex()
    assert found.table().to_frame()["SS"][0] == found["subject"].ss


def test_responses_are_scaled_by_their_largest() -> None:
    rows = design(6)
    for row in rows:
        row["y"] = (abs(row["y"]) + 0.1) * (100 if row["b"] == "x" else 1)
    found = hj.studies.factorial_anova(rows, "y", ["a", "b"], "subject", [], scale_by="b")
    for level in "xyzw":
        mine = [
            y for y, b in zip(found.columns["y"], found.columns["b"], strict=True) if b == level
        ]
        assert max(mine) == pytest.approx(1)


def test_what_cannot_be_analysed() -> None:
    rows = design(0)
    for work, message in (
        (lambda: hj.studies.factorial_anova([], "y", ["a"]), "no observations"),
        (lambda: hj.studies.factorial_anova(rows, "z", ["a"]), "no 'z'"),
        (lambda: hj.studies.factorial_anova(rows, "y", ["a", "gap"]), "no 'gap'"),
        (lambda: hj.studies.factorial_anova(rows[:1], "y", ["a"]), "two levels"),
        (
            lambda: hj.studies.factorial_anova(rows[::24][:3], "y", ["subject"]),
            "too few for this model",
        ),
        (
            lambda: hj.studies.factorial_anova([*rows, rows[0] | {"y": np.nan}], "y", ["a"]),
            "no value",
        ),
        (
            lambda: hj.studies.factorial_anova(
                [r for r in rows if r["a"] + r["c"] != "pu"], "y", ["a", "c"]
            ),
            "no observation of a p with c u",
        ),
        (lambda: hj.studies.factorial_anova(rows, "y", ["a"])["b"], "no effect 'b'"),
    ):
        with pytest.raises(InputError, match=message):
            work()
