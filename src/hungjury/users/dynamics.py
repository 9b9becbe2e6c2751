"""The user dynamic: a curve over ranks that is fitted to a stationary distribution (TH 5.5.1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hungjury.records import Record

__all__ = ["Dynamic", "fit_dynamic"]

Array = NDArray[np.float64]
ROUNDING = 1e-12


class Dynamic(Record):
    """delta(i) = alpha / i + beta i + gamma, not below 0, with the quality of its fit.

    r2 (the share of variance explained) and rmse are None where the curve was
    given and not fitted; r2 is None too where the distribution is uniform.
    """

    alpha: float
    beta: float
    gamma: float
    r2: float | None = None
    rmse: float | None = None

    def values(self, ranks: int) -> Array:
        """delta at the ranks 1 to `ranks`."""
        return curve(np.array([self.alpha, self.beta, self.gamma]), ranks)

    def rises(self, ranks: int) -> tuple[int, ...]:
        """The ranks up to `ranks` where the curve is above its value at the rank before."""
        values = self.values(ranks)
        return tuple(int(i) + 2 for i in np.flatnonzero(np.diff(values) > ROUNDING))


def curve(coefficients: Array, ranks: int) -> Array:
    return np.maximum(_terms(ranks) @ coefficients, 0.0)


def _terms(ranks: int) -> Array:
    i = np.arange(1, ranks + 1, dtype=float)
    return np.stack([1 / i, i, np.ones(ranks)], axis=1)


def fit_dynamic(pi: Array) -> Dynamic:
    """Fit a user dynamic to a stationary distribution by least squares.

    Parameters
    ----------
    pi : ndarray
        The distribution over ranks; ranks without visits are 0.

    Returns
    -------
    Dynamic
        α, β and γ of δ(i) = α/i + βi + γ.

    Examples
    --------
    >>> import numpy as np
    >>> import hungjury as hj
    >>> round(hj.users.fit_dynamic(np.array([0.5, 0.25, 0.125, 0.125])).r2, 3)
    0.989
    """
    coefficients: Array = np.linalg.lstsq(_terms(len(pi)), pi, rcond=None)[0].astype(float)
    missed = pi - curve(coefficients, len(pi))
    varies = float(((pi - pi.mean()) ** 2).sum())
    alpha, beta, gamma = (float(c) for c in coefficients)
    return Dynamic(
        alpha,
        beta,
        gamma,
        r2=1 - float((missed**2).sum()) / varies if varies > 1e-18 else None,
        rmse=float(np.sqrt((missed**2).mean())),
    )
