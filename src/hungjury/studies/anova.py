"""Factorial analysis of variance with repeated measures (TH 4.28, 4.31).

Sums of squares are of type II: what a term explains beside all terms that do not contain it.

    y = mean + subject + factors + pairs of factors + error

Subjects (such as sizes of tuples) are observed under every condition; their effect is separated.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from hungjury.base.arrays import Array, Floats, Ints
from hungjury.base.errors import InputError, check_known
from hungjury.base.records import Record
from hungjury.base.results import Cell, Result, Table
from hungjury.stats.multiple import TukeyGroups, tukey_groups

Pair = tuple[str, str]
SINGULAR = 1e-10  # of the largest singular value: smaller ones are 0
EFFECTS = ((0.14, "large"), (0.06, "medium"), (0.01, "small"))


class Effect(Record):
    """A line of an analysis of variance; NaN where a number is not defined."""

    source: str
    ss: float
    df: int
    ms: float
    f: float = float("nan")
    p: float = float("nan")
    omega2: float = float("nan")


class Means(Record, eq=False):
    """Means of the response at the levels of a factor, with half-widths of their 95 % intervals."""

    factor: str
    levels: list[Any]
    mean: Floats
    half: Floats
    count: Ints


def omega_squared(df: float, f: float, observations: int) -> float:
    """The share of variance due to a factor (4.29); negative estimates are 0."""
    if np.isinf(f):
        return 1.0
    part = df * (f - 1)
    return float(max(part / (part + observations), 0.0))


def effect_size(omega2: float) -> str:
    """An effect in words: large, medium, small or none."""
    return next((word for least, word in EFFECTS if omega2 >= least), "none")


class Anova(Record, Result, eq=False):
    """The table of an analysis, and means for its plots."""

    response: str
    subject: str | None
    factors: tuple[str, ...]
    effects: list[Effect]  # subject, factors, pairs, then error and total
    alpha: float
    columns: Mapping[str, Array]  # of subject, factors and response, a row an observation
    levels: Mapping[str, list[Any]]

    @cached_property
    def error(self) -> Effect:
        return self["error"]

    def __getitem__(self, source: str) -> Effect:
        for one in self.effects:
            if one.source == source:
                return one
        known = ", ".join(one.source for one in self.effects)
        raise InputError(
            f"no effect '{source}'", code="unknown-effect", remedy=f"choose from {known}"
        )

    def means(self, factor: str) -> Means:
        """Main effect: the mean of the response at each level, over everything else."""
        from scipy.stats import t

        check_known("factor", factor, list(self.levels))
        values = [self._response[self.columns[factor] == one] for one in self.levels[factor]]
        count = np.array([len(v) for v in values])
        spread = np.array([v.std(ddof=1) if len(v) > 1 else np.nan for v in values])
        half = t.ppf(0.975, np.maximum(count - 1, 1)) * spread / np.sqrt(count)
        mean = np.array([v.mean() for v in values])
        return Means(factor, list(self.levels[factor]), mean, half, count)

    def interaction(self, one: str, other: str) -> Floats:
        """[level of one, level of other]: means of the response; NaN without observations."""
        for factor in (one, other):
            check_known("factor", factor, list(self.levels))
        out = np.full((len(self.levels[one]), len(self.levels[other])), np.nan)
        for i, j in np.ndindex(out.shape):
            here = self.columns[one] == self.levels[one][i]
            here = here & (self.columns[other] == self.levels[other][j])
            if here.any():
                out[i, j] = self._response[here].mean()
        return out

    def tukey(self, factor: str) -> TukeyGroups:
        """Which levels of a factor differ (4.30)."""
        found = self.means(factor)
        return tukey_groups(found.mean, found.count, self.error.ms, self.error.df, self.alpha)

    def tukey_table(self, factor: str, largest_first: bool = True) -> Table:
        """Levels by their means, with an X for every group they belong to."""
        found, (order, groups, *_) = self.means(factor), self.tukey(factor)
        rows: list[list[Cell]] = []
        for place, level in enumerate(order):
            marks = "".join("X" if a <= place <= b else "." for a, b in groups)
            rows.append([str(found.levels[level]), float(found.mean[level]), marks])
        if not largest_first:
            rows = [[name, mean, str(marks)[::-1]] for name, mean, marks in reversed(rows)]
        return Table((factor, f"mean {self.response}", "groups"), rows)

    def table(self) -> Table:
        rows = [
            (e.source, e.ss, e.df, e.ms, e.f, e.p, e.omega2,
             "" if np.isnan(e.omega2) else effect_size(e.omega2))
            for e in self.effects
        ]  # fmt: skip
        names = ("source", "SS", "DF", "MS", "F", "p", "omega2", "size")
        return Table(names, rows, formats={"p": _p_value})

    def _parts(self) -> list[str | Table]:
        return [f"{self.response}, {len(self._response)} observations", self.table()]

    @cached_property
    def _response(self) -> Floats:
        return np.asarray(self.columns[self.response], dtype=float)


def _p_value(p: float) -> str:
    if np.isnan(p):
        return "-"
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def factorial_anova(
    rows: Iterable[Mapping[str, Any]],
    response: str,
    factors: Sequence[str],
    subject: str | None = None,
    interactions: Iterable[Pair] | None = None,
    scale_by: str | None = None,
    alpha: float = 0.05,
) -> Anova:
    """Compute a factorial analysis of variance with repeated measures.

    It says which factors explain the response: ω² is the share of variance due to a factor (0.01
    small, 0.06 medium, 0.14 large), p the probability of so large an F if the factor had no effect.
    Tukey's groups say which levels differ. With many observations nearly everything is significant;
    read ω² first. Residuals are taken as independent and normal, with one variance.

    Parameters
    ----------
    rows : iterable of mappings
        Observations, each with the response and a level of every factor.
    response : str
        Name of the response.
    factors : sequence of str
        Names of the factors; those with one level are dropped.
    subject : str, optional
        The unit that is measured under all conditions.
    interactions : iterable of pairs, optional
        Pairs of factors. Default: all.
    scale_by : str, optional
        First divide the response by its largest value at each level of this factor, as is done with
        RMSE by measure.
    alpha : float
        Level of the tests.

    Returns
    -------
    Anova
        Sums of squares (type II), F, p and ω² of every effect; Tukey groups.

    Examples
    --------
    >>> import hungjury as hj
    >>> rows = [{"score": s + t % 3, "system": s, "topic": t} for s in range(3) for t in range(8)]
    >>> found = hj.studies.factorial_anova(rows, "score", ["system"], "topic")
    >>> [effect.source for effect in found.effects]
    ['topic', 'system', 'error', 'total']

    Topics are the subjects; their effect is separated from that of systems.
    """
    names = [*([subject] if subject else []), *factors]
    columns = _columns(rows, response, [*names, *([scale_by] if scale_by is not None else [])])
    levels = {name: list(dict.fromkeys(columns[name].tolist())) for name in names}
    if scale_by is not None:
        columns[response] = _scaled(columns[response], columns[scale_by])
    used = [name for name in names if len(levels[name]) > 1]
    asked = itertools.combinations(factors, 2) if interactions is None else interactions
    pairs = [(a, b) for a, b in asked if a in used and b in used]
    if not used:
        remedy = "give a factor with at least two levels"
        raise InputError("no factor has two levels", code="one-level", remedy=remedy)
    for pair in pairs:
        _check_seen(columns, levels, pair)
    effects = _effects(columns, response, used, pairs, subject)
    kept = tuple(name for name in factors if name in used)
    return Anova(response, subject if subject in used else None, kept, effects, alpha, columns,
                 levels)  # fmt: skip


def _columns(
    rows: Iterable[Mapping[str, Any]], response: str, names: Sequence[str]
) -> dict[str, Array]:
    listed = list(rows)
    for name in (response, *names):
        if not listed or any(name not in row for row in listed):
            raise InputError(
                f"an observation has no '{name}'" if listed else "there are no observations",
                code="missing-factor",
                remedy="give rows with the response and every factor",
            )
    columns = {name: np.array([row[name] for row in listed]) for name in names}
    columns[response] = np.array([row[response] for row in listed], dtype=float)
    if not np.isfinite(columns[response]).all():
        said = f"'{response}' has no value in some rows"
        raise InputError(said, code="undefined-values", remedy="leave out rows without a value")
    return columns


def _scaled(values: Floats, groups: Array) -> Floats:
    """Values over the largest of their group."""
    out = values.copy()
    for group in np.unique(groups):
        mine = groups == group
        largest = values[mine].max()
        out[mine] = values[mine] / largest if largest > 0 else 0.0
    return out


def _effects(
    columns: Mapping[str, Array],
    response: str,
    used: Sequence[str],
    pairs: Sequence[Pair],
    subject: str | None,
) -> list[Effect]:
    """Factors with two levels at least, then pairs of factors, error and total."""
    from scipy.stats import f as f_distribution

    values, count = columns[response], len(columns[response])
    terms: list[tuple[str, ...]] = [*((name,) for name in used), *pairs]
    codes = {name: np.unique(columns[name], return_inverse=True)[1] for name in used}
    degrees = {t: math.prod(int(codes[name].max()) for name in t) for t in terms}
    left = count - 1 - sum(degrees.values())
    if left < 1:
        said = f"{count} observations are too few for this model"
        remedy = "leave out interactions, or give more observations"
        raise InputError(said, code="too-few-observations", remedy=remedy)
    cells = {term: np.unique([codes[n] for n in term], axis=1, return_inverse=True)[1].ravel()
             for term in terms}  # fmt: skip
    designs = {term: np.eye(int(cell.max()) + 1)[cell] for term, cell in cells.items()}
    centred = values - values.mean()

    def explained(part: Sequence[tuple[str, ...]]) -> float:
        """The sum of squares of some terms together, by least squares."""
        if not part:
            return 0.0
        design = np.hstack([designs[term] for term in part])
        along = design.T @ centred
        return float(along @ np.linalg.pinv(design.T @ design, SINGULAR, hermitian=True) @ along)

    total = float((centred**2).sum())
    error = total - explained(terms)
    effects = []
    for term, df in degrees.items():
        others = [one for one in terms if not set(term) <= set(one)]
        ss = explained([*others, term]) - explained(others)
        with np.errstate(divide="ignore", invalid="ignore"):
            f = float(np.divide(ss / df, error / left))
        omega2 = float("nan") if term == (subject,) else omega_squared(df, f, count)
        p = float(f_distribution.sf(f, df, left))
        effects.append(Effect("*".join(term), ss, df, ss / df, f, p, omega2))
    return [
        *effects,
        Effect("error", error, left, error / left),
        Effect("total", total, count - 1, total / (count - 1)),
    ]


def _check_seen(columns: Mapping[str, Array], levels: Mapping[str, list[Any]], pair: Pair) -> None:
    """Check that every combination of the two factors' levels was observed."""
    seen = set(zip(*(columns[name].tolist() for name in pair), strict=True))
    for both in itertools.product(*(levels[name] for name in pair)):
        if both not in seen:
            said = f"no observation of {pair[0]} {both[0]} with {pair[1]} {both[1]}"
            remedy = "leave out that interaction, or levels that are not seen with all others"
            raise InputError(said, code="empty-cell", remedy=remedy)
