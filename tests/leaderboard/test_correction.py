"""Gold labels and a panel combined: against loops, in simulation, and which estimate is made."""

import math
from dataclasses import fields, replace
from types import SimpleNamespace

import numpy as np
import pytest

import hungjury as hj
from hungjury.base.errors import HungjuryError
from hungjury.judges.panel import Panel
from hungjury.leaderboard.correction import (
    COVERED,
    MEASURED_AT,
    Correction,
    Covered,
    _kind,
    _stretch,
    correlation_with_gold,
    effective_number,
    reliability,
    settled,
)
from hungjury.leaderboard.draws import Estimate
from hungjury.leaderboard.gold import GoldLabels
from hungjury.leaderboard.panel_error import combine_estimates, expected_contrasts, wide_kernel
from hungjury.measures.catalogue import measure as as_measure

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
    np.testing.assert_allclose(expected_contrasts(covariance, wide, 0.05), expected, atol=1e-9)


@pytest.mark.parametrize("off", [0.0, 2e-16, -2e-16])
def test_systems_that_show_the_same_may_still_differ_a_little(off):
    """Cosines of equal lists are 1 up to rounding, which must not be taken for a kernel."""
    kernel = np.array([[1.0, 1.0 + off], [1.0 + off, 1.0]])
    direct, covariance = np.array([0.5, 0.4]), 0.0004 * np.eye(2)
    found = combine_estimates(direct, covariance, direct, kernel, 1.0, 50, np.random.default_rng(0))
    assert found.mean.mean() == pytest.approx(0.45)
    assert np.isfinite(found.draws).all()
    assert np.isfinite(expected_contrasts(covariance, wide_kernel(kernel), 0.06)).all()


# How gold labels correct a board: which estimate, looks, level, correlation, more labels.


def sample_of(labels=0, skipped=0, design="plan"):
    return SimpleNamespace(
        documents=np.arange(labels), skipped=np.arange(skipped), design=design, grades=(0, 1, 2)
    )


def kind(measure="nDCG@10", wanted="combined", systems=5, design="plan"):
    found, notes = _kind(
        sample_of(7, design=design),
        SimpleNamespace(measure=hj.measure(measure), estimate=wanted),
        SimpleNamespace(systems=["s"] * systems, longest=1000),
    )
    return found, [note.kind for note in notes]


def test_which_estimate_is_made():
    assert kind() == ("combined", [])
    for measure in ("RBP(p=0.8)", "DCG@5", "P@10", "ERR@10", "ERR", "nDCG@5"):
        assert kind(measure) == ("combined", []), measure
    # The combination holds for shallow measures that were tried; not for recall, nor for the first
    # relevant document.
    for measure in ("AP", "nDCG", "nDCG@20", "nDCG@100", "R@10", "R@100", "P@100", "RBP(p=0.95)",
                    "RR", "Bpref", "Q"):  # fmt: skip
        assert kind(measure) == ("direct", ["direct-only"]), measure
    assert kind(design="whole") == ("exact", [])
    assert kind("AP", design="whole") == ("exact", [])
    assert kind(design=None) == ("model", ["unknown-design"])
    assert kind(wanted="direct") == ("direct", [])
    assert kind("Rprec", wanted="direct") == ("direct", ["direct-only"])  # not tried on data
    assert kind("Rprec", systems=1) == ("direct", ["direct-only"])
    assert kind(systems=1) == ("direct", [])
    assert kind(systems=2) == ("combined", [])
    assert kind(design="topics") == ("direct", ["direct-only"])
    assert kind(design="random") == ("combined", [])


def test_sentences_about_direct_estimates():
    options = SimpleNamespace(measure=hj.measure("AP"), estimate="combined")
    lists = SimpleNamespace(systems=["s"] * 5, longest=1000)
    (by_measure,) = _kind(sample_of(7), options, lists)[1]
    (by_design,) = _kind(sample_of(7, design="topics"), options, lists)[1]
    assert "not supported for this measure" in str(by_measure)
    assert "whole topics" in str(by_design)


@pytest.mark.parametrize(
    ("labels", "skipped", "looks", "needed"),
    [  # Lan and DeMets' bounds, O'Brien-Fleming-like, two-sided 0.05
        (100, 0, [100, 200], 2.9626),
        (200, 0, [100, 200], 1.9686),
        (190, 10, [200, 100, 100], 1.9686),  # documents that were skipped were looked at as well
        (100, 0, [100, 200, 300], 3.7103),
        (200, 0, [100, 200, 300], 2.5114),
        (300, 0, [100, 200, 300], 1.9930),
    ],
)
def test_looks_ask_for_the_bounds_of_the_literature(labels, skipped, looks, needed):
    found = _stretch(sample_of(labels, skipped), looks, 0.05)
    assert found * 1.959964 == pytest.approx(needed, abs=0.004)


def test_a_single_look_asks_for_nothing_more():
    assert _stretch(sample_of(100), (), 0.05) == 1
    assert _stretch(sample_of(100), [], 0.05) == 1
    assert _stretch(sample_of(100), [100], 0.05) == pytest.approx(1, abs=1e-3)
    with pytest.raises(HungjuryError, match="more than the largest budget"):
        _stretch(sample_of(101), [50, 100], 0.05)


@pytest.mark.parametrize(
    ("labelled", "reaches", "holds"),
    [(2, False, False), (3, True, False), (9, True, False), (10, True, True)],
)
def test_who_is_better_asks_for_less_depth_than_intervals(labelled, reaches, holds):
    correction = Correction(**{f.name: None for f in fields(Correction)})
    assert (correction.reaches, correction.holds) == (True, True)  # not labelled by depth
    correction = replace(correction, depth=(labelled, 3, 10))
    assert (correction.reaches, correction.holds) == (reaches, holds)


def test_the_correlation_over_systems_is_the_loop():
    rng = np.random.default_rng(1)
    panel = rng.normal(size=6)
    draws = 0.5 * panel + rng.normal(size=(200, 6)) + 3
    each = sorted(float(np.corrcoef(panel, row)[0, 1]) for row in draws)
    middle, low, high = correlation_with_gold(panel, draws, 0.95)
    assert middle == pytest.approx((each[99] + each[100]) / 2)
    assert low == pytest.approx(np.quantile(each, 0.025))
    assert high == pytest.approx(np.quantile(each, 0.975))
    # Systems that all have the same mean have no correlation.
    assert correlation_with_gold(np.ones(6), draws, 0.95) == (0, 0, 0)


def test_effective_judges_by_the_definition():
    """n / (1 + (n - 1) r), r the mean correlation of errors on gold documents."""
    rng = np.random.default_rng(2)
    shared = rng.random(60) < 0.3
    gold = rng.integers(0, 2, 60)
    wrong = shared | (rng.random((3, 60)) < 0.1)
    labels = {
        f"j{k}": {"t": {f"d{i:02}": int(gold[i] ^ wrong[k, i]) for i in range(60)}}
        for k in range(3)
    }
    judgments = hj.read_judgments(labels, grades=range(2))
    chosen = np.arange(0, 60, 2)
    ones = np.ones(len(chosen), dtype=np.int64)
    sample = GoldLabels(chosen, np.eye(2)[gold[chosen]], ones, (0, 1), np.full(60, 0.5))
    errors = np.array(
        [[given["t"][f"d{i:02}"] - gold[i] for i in chosen] for given in labels.values()]
    )
    r = np.mean([np.corrcoef(errors[a], errors[b])[0, 1] for a, b in ((0, 1), (0, 2), (1, 2))])
    found = effective_number(sample, Panel.of(judgments))
    assert found == pytest.approx(3 / (1 + 2 * r))
    assert 1 < found < 2


def test_the_level_is_the_panels_minus_the_peoples():
    made = hj.simulate(systems=4, topics=8, documents=40, depth=20, fooled=0.3, seed=5)
    plan = hj.plan(made.judgments, made.runs, "P@5", 70, seed=1)
    truth, gold = made.gold.to_dict(), {}
    for topic, document in zip(plan.topics, plan.documents, strict=True):
        gold.setdefault(topic, {})[document] = truth[topic][document]
    given = {"draws": 200, "outlook": False, "target": "topics"}
    panel = hj.leaderboard(made.judgments, made.runs, "P@5", panel_error=0, **given)
    people = hj.leaderboard(made.judgments, made.runs, "P@5", gold=gold, plan=plan, **given)
    middle, low, high = people.correction.level
    assert middle == pytest.approx(panel.mean.mean() - people.mean.mean())
    assert low < middle < high
    assert people.correction.labels == 70
    assert people.correction.level_known
    assert people.correction.skipped == 0
    numbers = [labels for labels, _ in people.correction.expected]
    pool = len(made.judgments.pool)
    assert numbers == [n for n in (70, 100, 120, 170, 200, 500, 1000) if n <= pool]
    needed = [difference for _, difference in people.correction.expected]
    assert needed == pytest.approx(sorted(needed, reverse=True), abs=1e-6)
    assert math.isfinite(needed[0])


def test_labels_never_make_a_board_less_decisive():
    """The panel's chances stay where labels tell fewer systems apart and do not contradict it."""
    made = Estimate("gold", *[np.zeros(3)] * 2, np.zeros((2, 3)), np.zeros((2, 3)), None)
    panel = replace(made, scale="panel", draws=np.ones((2, 3)), mean=np.ones(3))
    few = np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 0.0]])
    many = np.array([[0, 1, 1], [-1, 0, 1], [-1, -1, 0.0]])
    found = Correction(
        **dict.fromkeys([f.name for f in fields(Correction)])
        | {"labels": 60, "estimate": "combined", "level_known": True, "decides": "gold",
           "agreement": (0.6, 0.5, 0.7)}
    )  # fmt: skip
    kept, correction, notes = settled(made, found, panel, (few, many))
    assert correction.decides == "panel"
    assert (kept.draws == 1).all()
    assert (kept.centre == 1).all()
    assert (kept.mean == 0).all()
    assert kept.scale == "gold"
    assert [note.kind for note in notes] == ["undecided-labels"]
    for told in ((many, few), (many, many), (-few, many)):
        same, correction, notes = settled(made, found, panel, told)
        assert correction.decides == "gold"
        assert (same.draws == 0).all()
    unknown = replace(found, level_known=False)
    kept, _, notes = settled(made, unknown, panel, (many, few))
    assert kept.scale == "panel"
    assert (kept.mean == 1).all()
    assert (kept.centre == 0).all()
    assert [note.kind for note in notes] == ["unknown-level"]
    kept, _, notes = settled(made, unknown, panel, (few, many))
    assert (kept.centre == 1).all()
    assert "follow the labels" not in notes[-1].text


def test_the_record_of_intervals_is_that_of_the_nearest_measure_and_number_of_labels():
    def found(name, labels):
        record = Covered.record(as_measure(name), labels)
        return record and (record.measure, record.labels, record.share)

    for name, shares in COVERED.items():
        for labels, share in zip(MEASURED_AT, shares, strict=True):
            assert found(name, labels) == (name, labels, share)
    assert found("nDCG@5", 130)[:2] == ("nDCG@10", 100)
    assert found("nDCG@15", 150)[:2] == ("nDCG@20", 200)
    assert found("nDCG@500", 0)[:2] == ("nDCG", 100)
    assert found("R@30", 5000)[:2] == ("R(rel=2)@10", 1000)
    assert found("Judged@10", 200) is None
    record = Covered("R(rel=2)@10", 1000, 0.84)
    assert record.weak
    assert not replace(record, share=0.88).weak
    assert str(record) == (
        "95 % intervals of differences by R(rel=2)@10 from 1,000 gold labels covered 84 % of the "
        "pairs of systems on public collections"
    )


def test_labels_alone_decide_only_where_most_of_the_spread_is_real():
    made = Estimate("gold", *[np.zeros(3)] * 2, np.zeros((2, 3)), np.zeros((2, 3)), None)
    panel = replace(made, scale="panel", draws=np.ones((2, 3)), mean=np.ones(3))
    told = np.array([[0, 1, 1], [-1, 0, 1], [-1, -1, 0.0]])
    given = dict.fromkeys([f.name for f in fields(Correction)]) | {
        "labels": 60, "estimate": "direct", "level_known": True, "decides": "gold",
        "agreement": (0.6, 0.5, 0.7),
    }  # fmt: skip
    none = Correction(**given | {"reliability": 0.0})
    assert settled(made, none, panel, (0 * told, 0 * told))[1].decides == "gold"  # nothing is told
    assert settled(made, none, panel, (told, -told))[1].decides == "panel"
    for share, decides in ((0.749, "panel"), (0.75, "gold"), (None, "gold")):
        found = Correction(**given | {"reliability": share})
        _, correction, notes = settled(made, found, panel, (told, -told))
        assert correction.decides == decides
        texts = [note.text for note in notes]
        assert texts == [
            "60 gold labels do not decide yet: 25 % of what they see between systems is their own "
            "error, so ranks and chances are the panel's"
        ] * (decides == "panel")
    rng = np.random.default_rng(1)
    mean, covariance = rng.normal(size=4), covariance_of(4, rng, 0.5)
    error = seen = 0.0
    for a in range(4):
        for b in range(4):
            error += covariance[a, a] + covariance[b, b] - 2 * covariance[a, b]
            seen += (mean[a] - mean[b]) ** 2
    assert reliability(mean, covariance) == pytest.approx(1 - error / seen)
    assert reliability(mean, 100 * covariance) == 0
    assert reliability(np.ones(4), covariance) == 0
