"""Gold labels and a panel combined: against loops, and in simulation where the truth is known."""

import numpy as np
import pytest

from hungjury.leaderboard.small_area import combine_estimates, expected_contrasts, wide_kernel

RIDGE = 1e-6  # of the kernel's mean variance


def kernel_of(systems, rng):
    shown = rng.random((systems, 6)) * (rng.random((systems, 6)) < 0.6) + 0.01
    shown /= np.linalg.norm(shown, axis=1, keepdims=True)
    return shown @ shown.T


def covariance_of(systems, rng, size=0.04):
    root = rng.normal(size=(systems, systems)) * size / np.sqrt(systems)
    return root @ root.T + 0.2 * size**2 * np.eye(systems)


def naive(direct, covariance, panel, kernel, unit):
    """Posterior mean and covariance by dense matrices, grid point by grid point.

    log tau ~ N(log(0.06 range), 0.4²), log slope ~ N(0, 0.5²), both from -4 to 4 sd.
    """
    systems = len(direct)
    centre = np.eye(systems) - 1 / systems
    near = centre @ kernel @ centre
    wide = 0.2 * near + 0.8 * near @ near * np.trace(near) / np.trace(near @ near)
    wide = wide + RIDGE * np.trace(wide) / (systems - 1) * centre
    basis = np.linalg.svd(centre)[0][:, : systems - 1]
    y, x = basis.T @ direct, basis.T @ panel
    error, inner = basis.T @ covariance @ basis, basis.T @ wide @ basis
    weights, means, covariances = [], [], []
    for a in np.linspace(-4, 4, 33):
        for b in np.linspace(-4, 4, 33):
            tau, slope = 0.06 * unit * np.exp(0.4 * a), np.exp(0.5 * b)
            prior = tau**2 * inner
            total = prior + error
            off = y - slope * x
            solved = np.linalg.solve(total, off)
            _, size = np.linalg.slogdet(total)
            weights.append(-0.5 * (size + off @ solved + a * a + b * b))
            means.append(slope * x + prior @ solved)
            covariances.append(prior - prior @ np.linalg.solve(total, prior))
    weights = np.exp(np.array(weights) - max(weights))
    weights /= weights.sum()
    mean = sum(w * m for w, m in zip(weights, means, strict=True))
    spread = sum(
        w * (c + np.outer(m - mean, m - mean))
        for w, m, c in zip(weights, means, covariances, strict=True)
    )
    grid = np.linspace(-4, 4, 33)
    by_tau, by_slope = weights.reshape(33, 33).sum(axis=1), weights.reshape(33, 33).sum(axis=0)
    return (
        direct.mean() + basis @ mean,
        basis @ spread @ basis.T + covariance.mean(),
        [first_reaching(np.exp(0.5 * grid), by_slope, q) for q in (0.5, 0.025, 0.975)],
        [first_reaching(0.06 * unit * np.exp(0.4 * grid), by_tau, q) for q in (0.5, 0.025, 0.975)],
    )


def first_reaching(values, weights, share):
    """The first value up to which the weights add up to a share."""
    total = 0.0
    for value, weight in zip(values, weights, strict=True):
        total += weight
        if total >= share:
            return value
    return values[-1]


@pytest.mark.parametrize("unit", [1.0, 3.0])
def test_combination_is_the_loop(unit):
    rng = np.random.default_rng(2)
    kernel, covariance = kernel_of(5, rng), covariance_of(5, rng)
    direct, panel = rng.normal(0.5, 0.1, 5), rng.normal(0.6, 0.08, 5)
    found = combine_estimates(direct, covariance, panel, kernel, unit, 40_000, rng)
    mean, spread, slope, tau = naive(direct, covariance, panel, kernel, unit)
    assert found.slope == pytest.approx(slope)
    assert found.tau == pytest.approx(tau)
    np.testing.assert_allclose(found.mean, mean, atol=1e-8)
    np.testing.assert_allclose(found.covariance, spread, atol=1e-8)
    np.testing.assert_allclose(found.draws.mean(axis=0), mean, atol=2e-3)
    np.testing.assert_allclose(np.cov(found.draws.T), spread, atol=2e-4)


def test_sure_labels_are_taken_as_they_are():
    rng = np.random.default_rng(3)
    direct, panel = rng.normal(0.5, 0.1, 6), rng.normal(0.6, 0.08, 6)
    found = combine_estimates(direct, np.zeros((6, 6)), panel, kernel_of(6, rng), 1.0, 100, rng)
    np.testing.assert_allclose(found.mean, direct, atol=1e-9)
    np.testing.assert_allclose(found.draws, np.tile(direct, (100, 1)), atol=1e-6)


def test_labels_that_say_nothing_leave_the_panel():
    rng = np.random.default_rng(4)
    panel = rng.normal(0.6, 0.08, 6)
    covariance = 1e4 * np.eye(6)
    found = combine_estimates(np.full(6, 0.3), covariance, panel, kernel_of(6, rng), 1.0, 100, rng)
    off = found.mean - found.mean.mean()
    assert np.corrcoef(off, panel)[0, 1] > 0.999
    assert found.mean.mean() == pytest.approx(0.3)


def test_coverage_where_the_model_holds():
    """Differences between systems are covered as often as intervals say."""
    rng = np.random.default_rng(5)
    kernel = kernel_of(12, rng)
    wide = wide_kernel(kernel) + 1e-9 * np.eye(12)
    upper = np.triu_indices(12, 1)
    covered, closer = [], []
    for _ in range(150):
        tau = 0.06 * np.exp(0.4 * rng.normal())
        panel = rng.normal(0.5, 0.1, 12)
        truth = 0.3 + 0.8 * panel + tau * rng.multivariate_normal(np.zeros(12), wide)
        covariance = covariance_of(12, rng, 0.08)
        direct = rng.multivariate_normal(truth, covariance)
        found = combine_estimates(direct, covariance, panel, kernel, 1.0, 50, rng)
        variance = np.diag(found.covariance)
        sd = np.sqrt((variance[:, None] + variance - 2 * found.covariance)[upper])
        error = np.subtract.outer(found.mean - truth, found.mean - truth)[upper]
        covered.append((np.abs(error) < 1.96 * sd).mean())
        plain = np.subtract.outer(direct - truth, direct - truth)[upper]
        closer.append((error**2).mean() / (plain**2).mean())
    assert 0.92 < np.mean(covered) < 0.98
    assert np.mean(closer) < 0.8


def test_expected_contrasts_are_those_of_a_known_panel_error():
    rng = np.random.default_rng(6)
    kernel, covariance = kernel_of(5, rng), covariance_of(5, rng)
    centre = np.eye(5) - 1 / 5
    wide = wide_kernel(kernel)
    prior = 0.05**2 * (wide + RIDGE * np.trace(wide) / 4 * centre)
    error = centre @ covariance @ centre
    expected = prior - prior @ np.linalg.pinv(prior + error) @ prior
    np.testing.assert_allclose(expected_contrasts(covariance, kernel, 0.05), expected, atol=1e-9)


@pytest.mark.parametrize("off", [0.0, 2e-16, -2e-16])
def test_systems_that_show_the_same_may_still_differ_a_little(off):
    """Cosines of equal lists are 1 up to rounding, which must not be taken for a kernel."""
    kernel = np.array([[1.0, 1.0 + off], [1.0 + off, 1.0]])
    direct, covariance = np.array([0.5, 0.4]), 0.0004 * np.eye(2)
    found = combine_estimates(direct, covariance, direct, kernel, 1.0, 50, np.random.default_rng(0))
    assert found.mean.mean() == pytest.approx(0.45)
    assert np.isfinite(found.draws).all()
    assert np.isfinite(expected_contrasts(covariance, kernel, 0.06)).all()
