"""Errors of judges on documents with gold labels, and their correlation."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["effective_judges", "error_correlation"]

Floats = NDArray[np.float64]


def error_correlation(errors: Floats, weight: Floats | None = None) -> Floats:
    """[judge, judge]: correlation of errors on the documents that both judged.

    Parameters
    ----------
    errors
        Label minus gold label [judge, document]; NaN for a missing label.
    weight
        [document]: inverse inclusion probabilities; default: equal.

    Notes
    -----
    NaN where two judges share fewer than two documents, or one of them makes the same error on all.
    """
    known = ~np.isnan(errors)
    value = np.where(known, errors, 0.0)
    weights = known * (1.0 if weight is None else weight)
    total = weights @ known.T
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = ((weights * value) @ known.T) / total  # of a row's judge, on common documents
        product = ((weights * value) @ value.T) / total - mean * mean.T
        square = ((weights * value**2) @ known.T) / total - mean**2
        # Rounding leaves something of a variance that is 0.
        scale = np.where(square > 1e-12, square, np.nan)
        return np.asarray(product / np.sqrt(scale * scale.T))


def effective_judges(correlation: Floats) -> float:
    """How many independent judges would err as little together: n / (1 + (n - 1) r), r the mean
    correlation of errors; NaN if it is not known for any pair."""
    number = len(correlation)
    pairs = correlation[np.triu_indices(number, 1)]
    known = pairs[~np.isnan(pairs)]
    if not len(known):
        return float(number) if number == 1 else float("nan")
    return float(number / (1 + (number - 1) * max(float(known.mean()), 0.0)))
