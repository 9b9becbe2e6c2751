"""How close two judges are, by the scores that they give to systems (TH 4.3.3).

Scores are arrays [judge, system, topic]. Closeness is 1 for equal scores, at least 0, and comes
as the mean over the second group: [judge].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hungjury import native
from hungjury.errors import MeasureError
from hungjury.stats.correlation import kendall_cross, tau_ap_cross, with_ties

__all__ = ["Gap", "closeness"]

Array = NDArray[np.float64]
Gap = Literal["fro", "rmse", "kld", "tau", "apc"]

BANDWIDTH = 0.015
POINTS = np.linspace(0, 1, 100)
LOWEST_DENSITY = 1e-12
SHARPNESS = 1.0  # beta of (4.22)
BOUNDED = ("fro", "rmse", "kld")  # gaps that compare scores in [0, 1]
ROUNDING = 1e-9


def closeness(gap: Gap, mine: Array, theirs: Array, smaller: bool = False) -> Array:
    """[judge]: mean closeness of each of `mine` to all of `theirs`; `smaller`: the best systems,
    which tau_ap looks at first, have the smallest scores."""
    if gap in BOUNDED:
        _within_bounds(gap, mine, theirs)
    elif mine.shape[1] < 2:
        raise MeasureError(
            f"{gap} compares rankings and needs at least two systems",
            code="one-system",
            remedy="give more runs, or weights from fro, rmse or kld",
        )
    if smaller and gap == "apc":
        mine, theirs = -mine, -theirs
    return GAPS[gap](mine, theirs)


def comparable(gap: Gap, *scores: Array) -> bool:
    """Can this gap compare scores in this range? tau and apc only use their order."""
    return gap not in BOUNDED or all(_in_bounds(*_range(each)) for each in scores)


def _range(scores: Array) -> tuple[float, float]:
    return float(scores.min(initial=0)), float(scores.max(initial=0))


def _in_bounds(low: float, high: float) -> bool:
    return low >= -ROUNDING and high <= 1 + ROUNDING


def _within_bounds(gap: Gap, *scores: Array) -> None:
    for each in scores:
        low, high = _range(each)
        if not _in_bounds(low, high):
            raise MeasureError(
                f"{gap} compares scores in [0, 1], but scores range from {low:g} to {high:g}",
                code="scores-not-in-range",
                remedy="use a measure in [0, 1], such as nDCG for DCG, or weights from tau or apc",
            )


def _frobenius(mine: Array, theirs: Array) -> Array:
    """1 - |M_k - M_h| / sqrt(|T||S|), (4.5) and (4.20)."""
    return _root_mean_square(*(s.reshape(len(s), -1) for s in (mine, theirs)))


def _rmse(mine: Array, theirs: Array) -> Array:
    """1 - RMSE of the systems' means over topics, (4.8) and (4.21)."""
    return _root_mean_square(_means(mine), _means(theirs))


def _means(scores: Array) -> Array:
    """[judge, system]: means over topics."""
    return scores[:, :, 0] if scores.shape[2] == 1 else np.asarray(scores.mean(axis=2))


def _root_mean_square(mine: Array, theirs: Array) -> Array:
    """1 - root mean square difference of each row of `mine`, averaged over the rows of `theirs`."""
    squares = native.squared_distances(*map(np.ascontiguousarray, (mine, theirs)))
    return np.asarray(1 - np.sqrt(squares / mine.shape[1]).mean(axis=1))


def _kullback_leibler(mine: Array, theirs: Array) -> Array:
    """exp(-beta KL(M_k || M_h)) of the densities of all scores, (4.12) and (4.22)."""
    step = POINTS[1] - POINTS[0]
    share = np.full(len(POINTS), step)
    share[[0, -1]] = step / 2  # trapezoid rule
    f, g = (_densities(scores.reshape(len(scores), -1), share) for scores in (mine, theirs))
    # Not a matrix product: our own threads call this, and BLAS threads would compete with them.
    cross = np.einsum("kp,hp->kh", f * share, np.log(g))
    divergence = (f * np.log(f) * share).sum(axis=1)[:, None] - cross
    return np.asarray(np.exp(-SHARPNESS * np.maximum(divergence, 0)).mean(axis=1))


def _densities(values: Array, share: Array) -> Array:
    """[row, point]: Gaussian kernel density of each row (4.10), of integral 1 over [0, 1]."""
    out = native.kernel_sums(np.ascontiguousarray(values), len(POINTS), BANDWIDTH)
    return np.maximum(out / (out @ share)[:, None], LOWEST_DENSITY)


def _order(scores: Array) -> Array:
    """[judge, system]: means over topics, for ranking."""
    return with_ties(_means(scores))


def _kendall(mine: Array, theirs: Array) -> Array:
    """|tau_b| of the systems' means over topics, (4.15) and (4.23); 0 where one is constant."""
    tau = kendall_cross(_order(mine), _order(theirs))
    return np.asarray(np.nan_to_num(np.abs(tau)).mean(axis=1))


def _ap_correlation(mine: Array, theirs: Array) -> Array:
    """|tau_ap| of the systems' means over topics, theirs as estimates, (4.18) and (4.24)."""
    tau = tau_ap_cross(_order(theirs), _order(mine))
    return np.asarray(np.abs(tau).mean(axis=0))


GAPS: dict[Gap, Callable[[Array, Array], Array]] = {
    "fro": _frobenius,
    "rmse": _rmse,
    "kld": _kullback_leibler,
    "tau": _kendall,
    "apc": _ap_correlation,
}
