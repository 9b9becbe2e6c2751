"""The native loops behind AWARE's closeness, compared with plain ones."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hungjury import native


def loop_kernel_sums(values: list[float], points: int, bandwidth: float) -> list[float]:
    grid = [i / (points - 1) for i in range(points)]
    return [math.fsum(math.exp(-((v - p) ** 2) / (2 * bandwidth**2)) for v in values) for p in grid]


@pytest.mark.parametrize(("points", "bandwidth"), [(100, 0.015), (100, 0.3), (7, 0.001), (2, 1.0)])
def test_kernel_sums_on_a_grid(points: int, bandwidth: float) -> None:
    rng = np.random.default_rng(1)
    values = np.concatenate([rng.random((3, 40)), [[0.0] * 20 + [1.0] * 20]])
    values[0, :4] = [0.0, 1.0, 0.5, 1 + 1e-10]
    found = native.kernel_sums(values, points, bandwidth)
    for row, sums in zip(values.tolist(), found, strict=True):
        wanted = np.array(loop_kernel_sums(row, points, bandwidth))
        np.testing.assert_allclose(sums, wanted, rtol=1e-12, atol=1e-22)


def test_kernel_sums_refuse_values_far_outside() -> None:
    for value in (math.nan, math.inf, 5.0, -3.0):
        with pytest.raises(IndexError, match="far outside"):
            native.kernel_sums(np.array([[value]]), 100, 0.015)


@pytest.mark.parametrize("size", [1, 7, 8, 9, 50])
def test_squared_distances(size: int) -> None:
    rng = np.random.default_rng(size)
    left, right = rng.random((3, size)), rng.random((5, size))
    found = native.squared_distances(left, right)
    for i, a in enumerate(left.tolist()):
        for j, b in enumerate(right.tolist()):
            wanted = math.fsum((x - y) ** 2 for x, y in zip(a, b, strict=True))
            assert found[i, j] == pytest.approx(wanted, rel=1e-13)
    assert not np.diag(native.squared_distances(left, left)).any()
