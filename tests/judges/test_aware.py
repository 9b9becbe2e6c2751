"""AWARE from judgments and runs: laws, planted judges, incomplete panels, grades, errors."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import hungjury as hj
from builders.aware import Nested, planted
from hungjury import aware
from hungjury.base.errors import InputError, MeasureError, UnknownName
from hungjury.judges.aware import combine_scores, weighted_votes
from hungjury.judges.judge_scores import gold_labels, score_judges
from hungjury.judges.merge import merge
from hungjury.judges.panel import Panel
from hungjury.judges.weights import CLASSES, ESTIMATORS, WEIGHTS
from hungjury.measures.scores import NOT_RETRIEVED, SCORED, UNDEFINED
from oracles import aware as naive_aware


@pytest.fixture(scope="module")
def small() -> Any:
    return hj.simulate(systems=6, topics=5, documents=40, depth=20, seed=2)


def toy(labels: tuple[tuple[int, ...], ...], missing: tuple[int, ...]) -> tuple[Any, Any]:
    """One list d1 .. d5; a judge has so many relevant documents beyond it."""
    given: Nested = {}
    for k, row in enumerate(labels):
        given[f"a{k}"] = {"t": {f"d{i + 1}": x for i, x in enumerate(row)}}
        given[f"a{k}"]["t"] |= {"d6": int(missing[k] > 0)}
    run = {"s": {"t": {f"d{i}": 6.0 - i for i in range(1, 6)}}}
    return hj.read_judgments(given), hj.read_runs(run)


def test_the_toy_of_the_thesis() -> None:
    judgments, runs = toy(((1, 1, 0, 0, 0), (1, 1, 1, 0, 0), (0, 1, 1, 0, 1)), (1, 0, 0))
    scores = aware(judgments, runs, "AP", "uni")
    assert scores.alone[0, :, 0, 0] == pytest.approx([2 / 3, 1, 0.5889], abs=5e-5)
    assert scores.mean()[0, 0] == pytest.approx(0.7519, abs=5e-5)


def test_each_judge_alone_is_what_evaluate_says(small: Any) -> None:
    scores = aware(small.judgments, small.runs, ["AP", "nDCG@5"], "uni")
    for k, name in enumerate(small.judgments.judges):
        alone = hj.evaluate(small.judgments.qrels_of(name), small.runs, ["AP", "nDCG@5"])
        assert np.allclose(scores.alone[:, k], alone.values, rtol=1e-12, atol=1e-12)
    assert np.allclose(scores.values, scores.alone.mean(axis=1), rtol=1e-12, atol=1e-12)


def test_judges_of_a_family_share_one_vote() -> None:
    judgments, runs = toy(((1, 1, 0, 0, 0), (1, 1, 1, 0, 0), (0, 1, 1, 0, 1)), (1, 0, 0))
    judgments = replace(judgments, family=("x", "x", "y"))
    scores = aware(judgments, runs, "AP", "uni")
    assert scores.weights[:, 0] == pytest.approx([0.25, 0.25, 0.5])
    assert scores.mean()[0, 0] == pytest.approx((2 / 3 + 1) / 4 + 0.5889 / 2, abs=5e-5)


@pytest.mark.parametrize("weights", ["sgl_tau_msd", "tpc_kld_med", "sgl_fro_md", "tpc_apc_md"])
def test_the_whole_way_is_the_loops(small: Any, weights: str) -> None:
    scored = score_judges(small.judgments, small.runs, "AP")
    (random,) = scored.random(replicates=3, seed=4)
    scores = aware(small.judgments, small.runs, "AP", weights, replicates=3, seed=4)
    panel = np.nan_to_num(scored.values[0]).tolist()
    slow = naive_aware.weights(
        weights, panel, dict(zip(CLASSES, random.tolist(), strict=True)), scored.judged.tolist()
    )
    assert np.allclose(scores.weights, slow, rtol=1e-11, atol=1e-11)
    assert np.allclose(scores.values[0], naive_aware.aware(panel, slow), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize(("rbp", "expected"), [("RBP", "eRRBP"), ("DCG(base=10)", "eRDCG")])
def test_sums_over_equal_judges_are_those_of_mean_votes(
    small: Any, rbp: str, expected: str
) -> None:
    merged = hj.evaluate(merge(small.judgments, "binmv"), small.runs, expected)
    scores = aware(small.judgments, small.runs, rbp, "uni")
    assert np.allclose(scores.values, merged.values, rtol=1e-12, atol=1e-12)


# Planted judges


@pytest.fixture(scope="module")
def plants() -> tuple[Any, list[Any]]:
    judgments, runs, _ = planted(0)
    scored = score_judges(judgments, runs, "AP")
    return scored, scored.random(replicates=40)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_better_judges_weigh_more_and_coins_least(name: str, plants: Any) -> None:
    scored, random = plants
    weights = combine_scores(scored, ESTIMATORS[name], random).weights.mean(axis=1)
    assert (np.diff(weights) < 0).all()
    printed = combine_scores(scored, ESTIMATORS[name], random, "printed").weights.mean(axis=1)
    assert printed.argmin() == 0


def test_supervised_weights_order_them_too() -> None:
    judgments, runs, gold = planted(1, systems=8, topics=6)
    few = gold.select(["q1", "q4"])
    scores = aware(judgments, runs, "AP", "supervised", gold=few)
    assert (np.diff(scores.weights.mean(axis=1)) < 0).all()
    scored = score_judges(judgments, runs, "AP", gold=few)
    slow = naive_aware.supervised(
        "tau", scored.values[0].tolist(), scored.gold[0].tolist(), [1, 4], scored.judged.tolist()
    )
    assert np.allclose(scores.weights, slow)


def test_gold_is_read_with_the_same_threshold_and_any_pool(small: Any) -> None:
    graded = hj.simulate(systems=4, topics=3, documents=40, depth=20, grades=4, seed=5)
    more = graded.gold.to_dict()
    more["1"]["an unpooled document"] = 3
    scored = score_judges(graded.judgments, graded.runs, "AP", rel=2, gold=more)
    expected = hj.evaluate(more, graded.runs, "AP(rel=2)")
    assert np.allclose(scored.gold, expected.values)


# Seeds, threads, several measures


def test_the_seed_says_all(small: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def weights(seed: int = 3) -> Any:
        return aware(
            small.judgments, small.runs, "nDCG@5", "sgl_tau_msd", replicates=20, seed=seed
        ).weights

    monkeypatch.setenv("HUNGJURY_THREADS", "1")
    alone = weights()
    monkeypatch.setenv("HUNGJURY_THREADS", "2")
    assert np.array_equal(weights(), alone)
    assert not np.array_equal(weights(seed=4), alone)


def test_several_measures_share_the_mean_of_their_weights(small: Any) -> None:
    names = ["AP", "nDCG@5", "RBP"]
    together = aware(small.judgments, small.runs, names, "tpc_rmse_md", replicates=9)
    each = [aware(small.judgments, small.runs, m, "tpc_rmse_md", replicates=9) for m in names]
    mean = np.mean([one.weights for one in each], axis=0)
    assert np.allclose(together.weights, mean, rtol=1e-12)
    assert not np.allclose(each[0].weights, each[1].weights)
    assert together.measures == names
    for m, one in enumerate(each):
        values = np.einsum("kt,kst->st", mean, one.alone[0])
        assert np.allclose(together.values[m], values, rtol=1e-12)


def test_a_users_measure_by_arrays_alone(small: Any) -> None:
    """Any function of label vectors will do: here, relevant documents among the first five."""
    from builders.aware import weights_from_scores
    from hungjury.data.alignment import align
    from hungjury.data.judged import judge_lists
    from hungjury.judges.weights import random_scores

    aligned = align(small.runs, small.judgments.pool)

    def score(labels: Any) -> Any:
        out = np.empty((len(labels), len(aligned.length)))
        for cells, judged in judge_lists(aligned, labels.astype(np.int16), 1):
            out[:, cells] = judged.hits(1, 5).sum(axis=-1) / 5
        return out.reshape(len(labels), *aligned.shape)

    (random,) = random_scores([score], len(aligned.pool), replicates=15)
    weights = weights_from_scores("sgl_rmse_md", score(small.judgments.matrix()), random)
    expected = aware(small.judgments, small.runs, "P@5", "sgl_rmse_md", replicates=15)
    assert np.allclose(weights, expected.weights)


# What is said about it


def test_settings_and_texts(small: Any) -> None:
    scores = aware(small.judgments, small.runs, "AP", "sgl_tau_msd", replicates=5, seed=9)
    for key, value in {
        "weights": "sgl_tau_msd",
        "orientation": "dissimilarity",
        "replicates": 5,
        "seed": 9,
        "undefined": "zero",
        "ties": "trec",
    }.items():
        assert getattr(scores.settings, key) == value
    assert "system1" in scores.to_text()
    assert scores.to_text().endswith(f"\n\n{scores.weights_table()}")
    assert aware(small.judgments, small.runs, "AP", "uni").settings.seed is None


def test_progress(small: Any) -> None:
    seen: list[str] = []
    aware(
        small.judgments,
        small.runs,
        "AP",
        "sgl_tau_msd",
        replicates=3,
        progress=lambda *a: seen.append(a[2]),
    )
    assert set(seen) == {"aligning runs", "scoring random judges"}


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"weights": "sgl_tau_min"}, UnknownName, "sgl_tau_md"),
        ({"measure": "APP"}, UnknownName, "AP"),
        ({"measure": []}, MeasureError, "no measure"),
        ({"orientation": "up"}, InputError, '"printed"'),
        ({"replicates": 0}, InputError, "replicates must be"),
        ({"weights": "supervised"}, InputError, "need gold labels"),
        ({"gold": {"1": {"d": 1}}}, InputError, "do not use gold"),
        ({"weights": "supervised", "gold": {"no": {"d": 1}}}, InputError, "no topic in common"),
        ({"measure": "DCG", "weights": "sgl_fro_md"}, MeasureError, r"in \[0, 1\]"),
    ],
)
def test_what_cannot_be_done(
    small: Any, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    call = {"measure": "AP", "replicates": 3} | arguments
    with pytest.raises(error, match=message):
        aware(small.judgments, small.runs, **call)


def test_probabilities_are_refused() -> None:
    given = {"a": {"1": {"d": 0.4}}, "b": {"1": {"d": 0.9}}}
    with pytest.raises(InputError, match="probabilities"):
        aware(given, {"x": {"1": {"d": 1.0}}}, "AP", "uni")


def test_runs_in_files_are_read_once_even_with_gold(small: Any, tmp_path: Any) -> None:
    small.write(tmp_path)
    runs = sorted(str(p) for p in (tmp_path / "runs").glob("*"))
    how = {"weights": "supervised", "gold": str(tmp_path / "gold.qrels")}
    from_files = aware(small.judgments, runs, "AP", **how)
    in_memory = aware(small.judgments, small.runs, "AP", "supervised", gold=small.gold)
    assert from_files.systems == in_memory.systems
    assert np.allclose(from_files.values, in_memory.values)


def test_weights_can_be_given_as_a_value(small: Any) -> None:
    one = WEIGHTS.parse("tpc_tau_md")
    by_value = aware(small.judgments, small.runs, "AP", one, replicates=3)
    by_name = aware(small.judgments, small.runs, "AP", "tpc_tau_md", replicates=3)
    assert np.array_equal(by_value.values, by_name.values)


def test_gold_is_put_on_the_scale_of_binary_judges() -> None:
    gold = hj.read_qrels({"t": {"a": 0, "b": 1, "c": 2, "d": 3}}, grades=range(4))
    found = gold_labels(gold, 2)
    assert found.to_dict() == {"t": {"a": 0, "b": 0, "c": 1, "d": 1}}
    assert found.grades == (0, 1)
    assert gold_labels(gold, None) is gold


# AWARE on incomplete panels, on grades, with judges drawn again, and as weights of votes.


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
    with pytest.raises(InputError, match="1 judge without any judgment: c"):
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
    with pytest.raises(InputError, match="n must be an integer from 1"):
        scores.sample(1, 0)


def test_votes_weighted_by_aware(small: Any) -> None:
    scores = aware(small.judgments, small.runs, "AP", "tpc_fro_msd", replicates=10)
    panel = Panel.of(small.judgments)
    votes = weighted_votes(panel, scores)[:, 1]
    labels, topic_of = small.judgments.matrix(), small.judgments.pool.topic_of
    slow = [
        sum(scores.weights[k, topic_of[d]] * labels[k, d] for k in range(len(labels)))
        for d in range(labels.shape[1])
    ]
    assert np.allclose(votes, slow)
    plain = weighted_votes(panel, aware(small.judgments, small.runs, "AP", "uni"))
    assert np.allclose(plain[:, 1], merge(small.judgments, "binmv").p)
    judgments, runs = some_topics()
    panel, scores = Panel.of(judgments), aware(judgments, runs, "AP", "uni")
    second = panel.pool.slice(panel.pool.topics.index("2"))
    assert panel.pool.documents[second] == ["d1", "d2", "d3"]
    assert weighted_votes(panel, scores)[second, 1] == pytest.approx([2 / 3, 1, 0.5])
    only_c = replace(scores, weights=np.array([[0.5, 0], [0.5, 0], [0, 1.0]]))
    silent = weighted_votes(panel, only_c)[second, 1]  # c judged d1 alone
    assert silent == pytest.approx([1, 1, 0.5])


def test_weighted_votes_of_grades() -> None:
    sim = graded()
    with pytest.raises(MeasureError, match="4 grades"):
        merge(sim.judgments, "binmv", runs=sim.runs, measure="AP", weights="uni")
