"""AWARE on incomplete panels, on grades, with judges drawn again, and as weights of votes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import hungjury as hj
from builders.aware import Nested
from hungjury.base.errors import InputError, MeasureError
from hungjury.judges.aware import aware, weighted_votes
from hungjury.judges.judge_scores import score_judges
from hungjury.judges.merge import merge
from hungjury.measures.scores import NOT_RETRIEVED, SCORED, UNDEFINED


@pytest.fixture(scope="module")
def small() -> Any:
    return hj.simulate(systems=6, topics=5, documents=40, depth=20, seed=2)


# Grades


def graded(seed: int = 0) -> Any:
    return hj.simulate(systems=4, topics=4, documents=40, depth=20, grades=4, seed=seed)


def test_graded_labels() -> None:
    sim = graded()
    scores = aware(sim.judgments, sim.runs, "nDCG@10", replicates=10)
    assert np.allclose(scores.weights.sum(axis=0), 1)
    scored = score_judges(sim.judgments, sim.runs, "ERR")
    (random,) = scored.random(replicates=50)
    means = random.mean(axis=(1, 2, 3))
    assert means[0] < means[1] < means[2]


def test_rel_makes_labels_binary() -> None:
    sim = graded()
    binary = aware(sim.judgments, sim.runs, "AP", "uni", rel=2)
    by_measure = aware(sim.judgments, sim.runs, "AP(rel=2)", "uni")
    assert np.allclose(binary.values, by_measure.values)
    assert binary.settings.rel == 2
    with pytest.raises(MeasureError, match="made binary at grade 2"):
        aware(sim.judgments, sim.runs, "AP(rel=2)", "uni", rel=2)
    for rel in (0, 4):
        with pytest.raises(MeasureError, match=f"rel is {rel}"):
            aware(sim.judgments, sim.runs, "AP", "uni", rel=rel)
    with pytest.raises(MeasureError, match="rel=4"):
        aware(sim.judgments, sim.runs, "AP(rel=4)", "uni")


def test_what_is_not_judged_stays_so_with_rel() -> None:
    given: Nested = {"a": {"1": {"d": 2, "e": -1}}, "b": {"1": {"d": 1, "e": 0, "f": 2}}}
    runs = {"x": {"1": {"f": 3.0, "e": 2.0, "d": 1.0}}}
    scores = aware(hj.read_judgments(given, grades=range(-1, 3)), runs, "Judged@3", "uni", rel=2)
    assert scores.alone[0, :, 0, 0] == pytest.approx([1 / 3, 1])


# Incomplete panels


def some_topics() -> tuple[Any, Any]:
    """Three judges; the last judged the second topic only, and not all of it."""
    given: Nested = {
        "a": {"1": {"d1": 1, "d2": 0, "d3": 1}, "2": {"d1": 1, "d2": 1, "d3": 0}},
        "b": {"1": {"d1": 0, "d2": 1, "d3": 1}, "2": {"d1": 0, "d2": 1, "d3": 1}},
        "c": {"2": {"d1": 1, "d3": -1}},
    }
    runs = {
        "x": {"1": {"d1": 3.0, "d2": 2.0}, "2": {"d1": 3.0, "d2": 2.0, "d3": 1.0}},
        "y": {"1": {"d3": 3.0, "d2": 2.0}, "2": {"d3": 3.0, "d1": 2.0}},
        "z": {"2": {"d2": 1.0}},
    }
    return hj.read_judgments(given, grades=range(-1, 2)), hj.read_runs(runs)


@pytest.mark.parametrize("weights", ["uni", "sgl_tau_msd", "tpc_fro_md"])
def test_weights_are_over_those_who_judged(weights: str) -> None:
    judgments, runs = some_topics()
    scores = aware(judgments, runs, "AP", weights, replicates=20)
    assert scores.weights[2, 0] == 0
    assert np.allclose(scores.weights.sum(axis=0), 1)
    a, b = scores.alone[0, 0, :, 0], scores.alone[0, 1, :, 0]
    share = scores.weights[0, 0]
    assert np.allclose(scores.values[0, :, 0], share * a + (1 - share) * b)
    # What c did not judge is unjudged: d1 is the only relevant document of topic 2.
    assert scores.alone[0, 2, :, 1] == pytest.approx([1, 0.5, 0])


def test_status_of_cells() -> None:
    judgments, runs = some_topics()
    scores = aware(judgments, runs, "AP", "uni")
    assert scores.status[0].tolist() == [
        [SCORED, SCORED],
        [SCORED, SCORED],
        [NOT_RETRIEVED, SCORED],
    ]
    given: Nested = {k: {"1": {"d": 0}, "2": {"d": 1}} for k in "ab"}
    nothing = aware(given, {"x": {"1": {"d": 1.0}, "2": {"d": 1.0}}}, "AP", "uni")
    assert nothing.status[0].tolist() == [[UNDEFINED, SCORED]]
    assert nothing.values[0].tolist() == [[0.0, 1.0]]


def test_judges_who_find_nothing(small: Any) -> None:
    given = {
        "a": {"1": {"d": 1, "e": 0}, "2": {"d": 1, "e": 1}},
        "b": {"1": {"d": 0, "e": 0}, "2": {"d": 1, "e": 0}},
        "c": {"1": {"d": 0, "e": 1}},
    }
    runs = {s: {t: {"d": x, "e": 1.0} for t in "12"} for s, x in (("x", 2.0), ("y", 0.0))}
    kept = aware(given, runs, "AP", "uni")
    (note,) = [n for n in kept.notes if n.kind == "empty-judge"]
    assert str(note).endswith(": b")
    assert note.count == 1
    assert np.allclose(kept.values[0, :, 0], [(1 + 0 + 0.5) / 3, (0.5 + 0 + 1) / 3])
    dropped = aware(given, runs, "AP", "uni", drop_empty=True)
    assert dropped.judges == ["a", "c"]
    assert np.allclose(dropped.weights, [[0.5, 1], [0.5, 0]])
    assert [n.kind for n in dropped.notes if "judge" in n.kind] == ["dropped-judge"]
    del given["a"], given["c"]
    given["d"] = {"1": {"d": 0}}
    with pytest.raises(InputError, match="every judge has some topic without"):
        aware(given, runs, "AP", "uni", drop_empty=True)
    complete = aware(small.judgments, small.runs, "AP", "uni", drop_empty=True)
    assert complete.judges == small.judgments.judges


def test_one_judge_keeps_its_scores() -> None:
    given = {"a": {"1": {"d": 1, "e": 0}}}
    runs = {s: {"1": {"d": x, "e": 1.0}} for s, x in (("x", 2.0), ("y", 0.0))}
    scores = aware(given, runs, "AP")
    assert scores.values[0].tolist() == [[1.0], [0.5]]
    assert scores.weights.tolist() == [[1.0]]
    assert "one-judge" in [n.kind for n in scores.notes]


def test_a_judge_who_judged_nothing() -> None:
    given = {"a": {"1": {"d": 1}}, "b": {"1": {"d": 0}}, "c": {"1": {"d": -1}}}
    with pytest.raises(InputError, match="1 judge without judgments: c"):
        aware(hj.read_judgments(given, grades=range(-1, 2)), {"x": {"1": {"d": 1.0}}}, "AP")


# Resampling and votes


def test_resampled_judges(small: Any) -> None:
    scores = aware(small.judgments, small.runs, ["AP", "RBP"], replicates=10)
    drawn = scores.sample(1, 400)
    assert drawn.shape == (400, *scores.values.shape)
    assert np.array_equal(drawn, scores.sample(1, 400))
    spread = drawn.std(axis=0)
    assert (spread > 0).any()
    off = np.abs(drawn.mean(axis=0) - scores.values)
    assert (off < 0.1 * scores.values.max()).all()
    low, high = scores.alone.min(axis=1), scores.alone.max(axis=1)
    assert ((drawn >= low - 1e-12) & (drawn <= high + 1e-12)).all()
    judgments, runs = some_topics()
    partial = aware(judgments, runs, "AP", "uni")
    lonely = partial.sample(0, 400)  # sometimes only c is drawn, who did not judge topic 1
    ones = [partial.alone[0, k, :, 0] for k in (0, 1)]
    possible = [x * ones[0] + (1 - x) * ones[1] for x in (0, 1 / 3, 1 / 2, 2 / 3, 1)]
    near = [np.isclose(lonely[:, 0, :, 0], one).all(axis=1) for one in possible]
    assert np.any(near, axis=0).all()
    with pytest.raises(MeasureError, match="0 draws"):
        scores.sample(1, 0)


def test_votes_weighted_by_aware(small: Any) -> None:
    scores = aware(small.judgments, small.runs, "AP", "tpc_fro_msd", replicates=10)
    votes = weighted_votes(small.judgments, scores)
    labels, topic_of = small.judgments.matrix(), small.judgments.pool.topic_of
    slow = [
        sum(scores.weights[k, topic_of[d]] * labels[k, d] for k in range(len(labels)))
        for d in range(labels.shape[1])
    ]
    assert np.allclose(votes.p, slow)
    plain = weighted_votes(small.judgments, aware(small.judgments, small.runs, "AP", "uni"))
    assert np.allclose(plain.p, merge(small.judgments, "binmv").p)
    judgments, runs = some_topics()
    partial = weighted_votes(judgments, aware(judgments, runs, "AP", "uni"))
    assert partial.to_dict()["2"] == pytest.approx({"d1": 2 / 3, "d2": 1, "d3": 0.5})
    scores = aware(judgments, runs, "AP", "uni")
    only_c = replace(scores, weights=np.array([[0.5, 0], [0.5, 0], [0, 1.0]]))
    silent = weighted_votes(judgments, only_c).to_dict()["2"]  # c judged d1 alone
    assert silent == pytest.approx({"d1": 1, "d2": 1, "d3": 0.5})


def test_votes_of_other_judgments(small: Any) -> None:
    scores = aware(small.judgments, small.runs, "AP", "uni")
    with pytest.raises(InputError, match="different topics or judges"):
        weighted_votes({"a": {"1": {"d": 1}}}, scores)
    sim = graded()
    with pytest.raises(MeasureError, match="4 grades"):
        weighted_votes(sim.judgments, aware(sim.judgments, sim.runs, "AP", "uni"))
