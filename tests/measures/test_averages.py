"""Studies and comparisons summarise topics as the measure does: GMAP by the geometric mean."""

from __future__ import annotations

import math

import numpy as np
import pytest

import hungjury as hj
from builders.scores import scores_of
from hungjury.base.errors import HungjuryError
from hungjury.measures.scores import over_topics
from hungjury.studies import compare_approaches, tuple_study
from hungjury.studies.measure_comparison import better_on

FLOOR = 0.00001
COLLECTION = hj.simulate(systems=6, topics=5, accuracies=(0.9, 0.8, 0.7), seed=5)


def geometric_means(values: np.ndarray) -> list[float]:
    """values: [system, topic]"""
    return [
        math.exp(sum(math.log(max(v, FLOOR)) for v in row) / len(row)) for row in values.tolist()
    ]


def error(ours: list[float], theirs: list[float]) -> float:
    return math.sqrt(sum((a - b) ** 2 for a, b in zip(ours, theirs, strict=True)) / len(ours))


def judges_values() -> list[np.ndarray]:
    """AP [system, topic] under each judge alone."""
    labels = COLLECTION.judgments
    return [
        hj.evaluate(labels.qrels_of(name), COLLECTION.runs, "AP").values[0]
        for name in labels.judges
    ]


def test_comparisons_with_gold_take_the_geometric_mean() -> None:
    truth = geometric_means(hj.evaluate(COLLECTION.gold, COLLECTION.runs, "AP").values[0])
    each = judges_values()
    found = compare_approaches(
        COLLECTION.judgments, COLLECTION.runs, "GMAP", COLLECTION.gold, replicates=2
    )
    assert found["uni"].rmse == pytest.approx(error(geometric_means(sum(each) / len(each)), truth))
    for row, values in zip(found.judges, each, strict=True):
        means = geometric_means(values)
        assert row.rmse == pytest.approx(error(means, truth))
        assert row.tau == pytest.approx(hj.stats.kendall(means, truth))


def test_studies_of_judges_take_the_geometric_mean() -> None:
    truth = geometric_means(hj.evaluate(COLLECTION.gold, COLLECTION.runs, "AP").values[0])
    everybody = sum(judges_values()) / len(COLLECTION.judgments.judges)
    (row,) = tuple_study(
        COLLECTION.judgments, COLLECTION.runs, "GMAP", COLLECTION.gold, approaches=["uni"],
        sizes=[len(COLLECTION.judgments.judges)], tuples=1,
    ).rows  # fmt: skip
    assert row.rmse == pytest.approx(error(geometric_means(everybody), truth))


@pytest.mark.parametrize("name", ["AP", "GMAP", "NumRelRet", "ESL"])
def test_resamples_of_topics_are_summarised_like_the_topics(name: str) -> None:
    """A resample that holds every topic once is the collection itself."""
    scores = hj.evaluate(COLLECTION.gold, COLLECTION.runs, name)
    shares = np.full((1, 5), 0.2)
    np.testing.assert_allclose(better_on(scores, shares)[0], scores.better())
    average = scores.averages[0]
    np.testing.assert_allclose(over_topics(scores.values[0], average), scores.mean()[0])


def test_systems_without_a_mean_come_last():
    scores = scores_of([[[np.nan] * 3, [0.2] * 3, [0.7] * 3, [0.2] * 3]])
    assert scores.best_first() == [2, 1, 3, 0]


def test_how_topics_were_chosen_is_recorded():
    labels, runs = {"1": {"a": 1}, "2": {"b": 1}}, {"x": {"1": {"a": 1}, "2": {"b": 1}}}
    assert hj.evaluate(labels, runs, "AP", topics=["1"]).settings.topics == "listed"
    assert hj.evaluate(labels, runs, "AP", topics="retrieved").settings.topics == "retrieved"


def test_levels_of_intervals_are_shares():
    soft = {"1": {"a": 0.5, "b": 0.2}}
    scores = hj.evaluate(soft, {"x": {"1": {"a": 2, "b": 1}}}, "E(AP)", distribution=True)
    with pytest.raises(HungjuryError, match="level"):
        scores.interval(1.5)
