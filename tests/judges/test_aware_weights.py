"""AWARE's weights and random judges: against loops, and their laws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.aware import scored_panel, weights_from_scores
from builders.examples import examples
from hungjury.base.errors import InputError, MeasureError, UnknownName
from hungjury.judges import weights as random_judges
from hungjury.judges.weights import (
    CLASSES,
    ESTIMATORS,
    GAPS,
    WEIGHTS,
    Estimator,
    Supervised,
    Uniform,
    class_probabilities,
    closeness,
    draw_random_labels,
    normalised,
    random_scores,
)
from oracles import aware as naive_aware

NAMES = sorted(ESTIMATORS)
by_name = pytest.mark.parametrize("name", NAMES)
by_gap = pytest.mark.parametrize("gap", GAPS)


def judges_scores(
    seed: int, judges: int = 4, systems: int = 4, topics: int = 3
) -> tuple[Any, Any, Any]:
    """Scores with ties, a constant judge, and who judged what; nobody judged nothing."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 5, (judges, systems, topics)) / 4
    scores[0] = 0.25
    random = rng.integers(0, 9, (3, 5, systems, topics)) / 8
    random[0, 0] = 0.5
    judged = rng.random((judges, topics)) < 0.7
    judged[:, 0] |= ~judged.any(axis=1)
    judged[0] |= ~judged.any(axis=0)
    return scores, random, judged


def by_class(random: Any) -> dict[str, Any]:
    return dict(zip(CLASSES, random.tolist(), strict=True))


def everywhere(scores: Any) -> Any:
    return np.ones((scores.shape[0], scores.shape[2]), dtype=bool)


@by_name
@pytest.mark.parametrize("orientation", ["dissimilarity", "printed"])
def test_estimators_are_the_loops(name: str, orientation: str) -> None:
    for seed in range(1 if "kld" in name else 2):
        scores, random, judged = judges_scores(seed)
        random = random[:, :2]  # loops are slow
        for who in (everywhere(scores), judged):
            panel = scored_panel(scores, who)
            fast = weights_from_scores(name, panel, random, orientation=orientation)
            slow = naive_aware.weights(
                name, scores.tolist(), by_class(random), who.tolist(), orientation == "printed"
            )
            assert np.allclose(fast, slow, rtol=1e-12, atol=1e-12)


@by_gap
def test_supervised_is_the_loop(gap: str) -> None:
    for seed in range(5):
        scores, random, judged = judges_scores(seed)
        judged[:, 2] = True
        gold = random[0, 1].copy()
        gold[:, 0] = np.nan
        panel = scored_panel(scores, judged)
        fast = weights_from_scores(f"supervised(gap={gap})", panel, gold=gold)
        slow = naive_aware.supervised(gap, scores.tolist(), gold.tolist(), [1, 2], judged.tolist())
        assert np.allclose(fast, slow, rtol=1e-12, atol=1e-12)


@by_gap
@examples(8)
@given(seed=st.integers(0, 10**6))
def test_closeness_is_the_loop_and_within_bounds(gap: str, seed: int) -> None:
    scores, random, _ = judges_scores(seed)
    close = closeness(gap, scores, random[1])
    for k, mine in enumerate(scores.tolist()):
        slow = [naive_aware.GAPS[gap](mine, other) for other in random[1].tolist()]
        assert close[k] == pytest.approx(np.mean(slow), abs=1e-12)
    assert (close >= 0).all()
    assert (close <= 1 + 1e-12).all()


@by_gap
def test_a_judge_is_closest_to_itself(gap: str) -> None:
    rng = np.random.default_rng(1)
    scores = rng.random((2, 6, 3))
    assert closeness(gap, scores[:1], scores[:1]) == pytest.approx(1, abs=1e-12)
    assert closeness(gap, scores[:1], scores[1:]) < 1 - 1e-3


@pytest.mark.parametrize("gap", ["tau", "apc"])
def test_constant_scores_are_close_to_nothing(gap: str) -> None:
    rng = np.random.default_rng(2)
    constant, other = np.full((1, 5, 2), 0.3), rng.random((4, 5, 2))
    assert closeness(gap, constant, other) == pytest.approx(0, abs=1e-12)
    assert closeness(gap, other, constant) == pytest.approx(np.zeros(4), abs=1e-12)


@pytest.mark.parametrize("weight", ["md", "msd", "med"])
@examples(10)
@given(seed=st.integers(0, 10**6))
def test_by_topic_fro_and_rmse_are_the_same(weight: str, seed: int) -> None:
    scores, random, judged = judges_scores(seed)
    panel = scored_panel(scores, judged)
    fro, rmse = (
        weights_from_scores(f"tpc_{gap}_{weight}", panel, random) for gap in ("fro", "rmse")
    )
    assert np.allclose(fro, rmse, rtol=1e-12, atol=1e-12)


@by_name
@pytest.mark.parametrize("seed", [1, 2])
def test_weights_add_up_to_one_and_follow_their_judge(name: str, seed: int) -> None:
    scores, random, judged = judges_scores(seed)
    weights = weights_from_scores(name, scored_panel(scores, judged), random)
    assert np.allclose(weights.sum(axis=0), 1, atol=1e-12)
    assert (weights[~judged] == 0).all()
    assert (weights >= 0).all()
    order = np.random.default_rng(seed).permutation(len(scores))
    again = weights_from_scores(name, scored_panel(scores[order], judged[order]), random)
    assert np.allclose(again, weights[order], rtol=1e-12, atol=1e-12)


@by_name
def test_single_granularity_gives_one_weight_before_they_are_shared_out(name: str) -> None:
    scores, random, _ = judges_scores(7, judges=5, topics=4)
    weights = weights_from_scores(name, scores, random)
    assert np.allclose(weights, weights[:, :1]) == name.startswith("sgl")


@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith("_md")])
def test_threads_change_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scores, random, judged = judges_scores(3, judges=6, systems=7, topics=5)
    panel = scored_panel(scores, judged)
    monkeypatch.setenv("HUNGJURY_THREADS", "1")
    alone = weights_from_scores(name, panel, random)
    for threads in ("2", "5"):
        monkeypatch.setenv("HUNGJURY_THREADS", threads)
        assert np.array_equal(weights_from_scores(name, panel, random), alone)


def test_uniform_weights() -> None:
    scores, _, judged = judges_scores(5)
    weights = weights_from_scores("uni", scored_panel(scores, judged))
    assert np.allclose(weights, judged / judged.sum(axis=0))
    assert np.allclose(weights_from_scores("uni", scores), 1 / len(scores))


def test_all_zero_weights_are_equal_ones() -> None:
    judged = np.array([[True, True, False], [True, True, False], [False, True, False]])
    raw = np.array([[0.0, 3.0, 1.0], [0.0, 1.0, 1.0], [9.0, 0.0, 1.0]])
    expected = [[0.5, 0.75, 0.0], [0.5, 0.25, 0.0], [0.0, 0.0, 0.0]]
    assert np.allclose(normalised(raw, judged), expected)


def test_the_three_weights_by_hand() -> None:
    close = np.array([0.2, 0.5, 0.9])[:, None, None]
    given = {"md": 0.1, "msd": 0.01, "med": 1.4}
    for weight, value in given.items():
        assert Estimator(weight=weight).from_closeness(close) == pytest.approx(value)
    given = {"md": 0.2, "msd": 0.04, "med": 1.6}
    for weight, value in given.items():
        assert Estimator(weight=weight).from_closeness(close, "printed") == pytest.approx(value)


# Names


def test_thirty_estimators_are_parsed_and_printed() -> None:
    assert len(ESTIMATORS) == 30
    for name in NAMES:
        assert str(WEIGHTS.parse(name)) == name
    assert WEIGHTS.parse("estimator(granularity=tpc, gap=kld)") == WEIGHTS.parse("tpc_kld_msd")
    assert WEIGHTS.parse("uni") == Uniform()
    assert WEIGHTS.parse("supervised(gap=apc)") == Supervised(gap="apc")
    assert str(Supervised(gap="apc")) == 'supervised(gap="apc")'
    assert WEIGHTS.parse(str(Supervised(gap="apc"))) == Supervised(gap="apc")


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [("sgl_tau_mds", "sgl_tau_msd"), ("SGL_apc_mde", "sgl_apc_med"), ("unif", "uni")],
)
def test_unknown_names_come_with_suggestions(wrong: str, meant: str) -> None:
    with pytest.raises(UnknownName, match=meant):
        WEIGHTS.parse(wrong)


# What cannot be done


@pytest.mark.parametrize("gap", ["fro", "rmse", "kld"])
def test_scores_outside_the_unit_interval(gap: str) -> None:
    scores, random, _ = judges_scores(0)
    with pytest.raises(MeasureError, match=r"scores in \[0, 1\](.|\n)*tau or apc"):
        weights_from_scores(f"sgl_{gap}_md", 3 * scores, random)
    assert weights_from_scores("sgl_tau_md", 3 * scores, random).shape == (4, 3)


def test_rankings_need_two_systems() -> None:
    scores, random, _ = judges_scores(0, systems=1)
    with pytest.raises(MeasureError, match="at least two systems"):
        weights_from_scores("tpc_apc_md", scores, random)
    assert weights_from_scores("tpc_fro_md", scores, random).shape == (4, 3)


def test_a_judge_without_gold_topics_is_named() -> None:
    scores, random, judged = judges_scores(0)
    judged[2] = [True, False, False]
    gold = np.where(np.arange(3) == 0, np.nan, random[0, 0])
    with pytest.raises(InputError, match="'judge 3' judged no gold topic"):
        weights_from_scores("supervised", scored_panel(scores, judged), gold=gold)


def test_two_systems_are_enough_for_a_ranking():
    mine = np.array([[[0.9], [0.1]], [[0.2], [0.3]]])  # [judge, system, topic]
    theirs = np.array([[[0.8], [0.7]]])
    for gap in ("tau", "apc"):
        # Both orders are as close: a ranking turned around is not random.
        assert closeness(gap, mine, theirs) == pytest.approx([1, 1])
        with pytest.raises(MeasureError, match="at least two systems"):
            closeness(gap, mine[:, :1], theirs[:, :1])


# Random judges: their laws, and that a seed says all.


DOCUMENTS = 40


def shares(labels: Any) -> Any:
    """A score: one system, one topic, the share of relevant documents; undefined without any."""
    share = (labels > 0).mean(axis=1)
    return np.where(share > 0, share, np.nan)[:, None, None]


def labels_themselves(labels: Any) -> Any:
    return labels.astype(float)[:, :, None]


@pytest.mark.parametrize(
    ("name", "grades", "law"),
    [
        ("und", 2, [0.95, 0.05]),
        ("uni", 2, [0.5, 0.5]),
        ("ovr", 2, [0.05, 0.95]),
        ("und", 4, [0.95, 0.05 / 3, 0.05 / 3, 0.05 / 3]),
        ("uni", 4, [0.25] * 4),
        ("ovr", 4, [0.05, 0.95 / 3, 0.95 / 3, 0.95 / 3]),
    ],
)
def test_laws_of_the_classes(name: str, grades: int, law: list[float]) -> None:
    assert class_probabilities(name, grades) == pytest.approx(law)
    size = 400_000
    values = [0, 1, 3, 7][:grades]
    (labels,) = draw_random_labels(
        class_probabilities(name, grades), values, size, [np.random.SeedSequence(5)]
    )
    found = [np.mean(labels == value) for value in values]
    # Five standard deviations; thresholds of 8 bits would make 0.05 into 0.047, nine of them.
    error = 5 * np.sqrt(np.array(law) * (1 - np.array(law)) / size)
    assert (np.abs(np.array(found) - law) < error).all()


def test_documents_and_replicates_are_independent() -> None:
    (scores,) = random_scores([labels_themselves], DOCUMENTS, replicates=250, seed=3)
    for labels in scores[:, :, :, 0]:
        by_document = np.corrcoef(labels.T) - np.eye(DOCUMENTS)
        assert np.abs(by_document).max() < 6 / np.sqrt(250)
        assert len(np.unique(labels, axis=0)) > 125
    assert np.corrcoef(scores[:, :, :, 0].reshape(3, -1))[0, 1] == pytest.approx(0, abs=0.03)


def test_shapes_and_undefined_scores() -> None:
    one, two = random_scores([shares, labels_themselves], 10, replicates=30)
    assert one.shape == (len(CLASSES), 30, 1, 1)
    assert two.shape == (len(CLASSES), 30, 10, 1)
    assert not np.isnan(one).any()
    assert (one[0] == 0).any()  # ten documents, none of them relevant
    assert one[2].mean() == pytest.approx(0.95, abs=0.05)


def test_a_replicate_depends_on_its_seed_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def scores(replicates: int = 25, seed: int = 7) -> Any:
        return random_scores([labels_themselves], DOCUMENTS, (0, 1, 2), replicates, seed)[0]

    whole = scores()
    assert np.array_equal(scores(), whole)
    assert np.array_equal(scores(replicates=10), whole[:, :10])
    assert not np.array_equal(scores(seed=8), whole)
    monkeypatch.setattr(random_judges, "LABELS_AT_ONCE", 3 * DOCUMENTS)
    for threads in ("1", "2"):
        monkeypatch.setenv("HUNGJURY_THREADS", threads)
        assert np.array_equal(scores(), whole)


def test_progress_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_judges, "LABELS_AT_ONCE", 4 * DOCUMENTS)
    seen: list[tuple[int, int]] = []
    random_scores(
        [shares], DOCUMENTS, replicates=10, progress=lambda n, of, _: seen.append((n, of))
    )
    assert seen == [(n, 30) for n in (4, 8, 10, 14, 18, 20, 24, 28, 30)]


def test_what_cannot_be_drawn() -> None:
    with pytest.raises(InputError, match="replicates must be an integer from 1"):
        random_scores([shares], DOCUMENTS, replicates=0)
    for grades in ([0], [-1, 0, 1], [0, 300]):
        with pytest.raises(MeasureError, match="grades"):
            random_scores([shares], DOCUMENTS, grades)
