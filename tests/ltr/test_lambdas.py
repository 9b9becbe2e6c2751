"""Gradients of nMCG-MART: slow loops, finite differences, LightGBM's own lambdarank."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hungjury as hj
from hungjury.base.errors import InputError
from hungjury.data.runs import read_runs
from hungjury.ltr.data import Labels, ranking_data
from hungjury.ltr.objective import Goal, GradedQueries, Queries, class_shares
from hungjury.measures.catalogue.user_models import nMCG
from hungjury.measures.evaluate import evaluate
from hungjury.users.model import Dynamic, UserClass, UserModel, user_model
from oracles.ltr import cost, exactly_one, lambdas, swap_changes, value

SHAPE = user_model("published-shape")


def bumpy() -> UserModel:
    """A class whose dynamic rises again, and one that looks at nothing below rank 3."""
    one = UserClass("navigational", (0.2,) * 5, Dynamic(0.6, -0.35, 0.5))
    two = UserClass("informational", (0.2,) * 5, Dynamic(0.2, 0.05, 0.0))
    return UserModel((one, two), source="bumpy")


def scored_queries(seed, queries=12, most=8, top=4, ties=True):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, most + 1, queries)
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    grades = rng.integers(0, top + 1, offsets[-1]) * (rng.random(offsets[-1]) < 0.6)
    scores = rng.normal(size=offsets[-1]) * 2
    return Labels(grades), offsets, np.round(scores) if ties else scores


def each(queries, scores):
    for i in range(len(queries.over_ideal)):
        part = slice(queries.offsets[i], queries.offsets[i + 1])
        yield (
            part,
            queries.gains[part].tolist(),
            scores[part].tolist(),
            queries.discounts[i].tolist(),
        )


@pytest.mark.parametrize("user", [SHAPE, bumpy()], ids=["published-shape", "bumpy"])
@pytest.mark.parametrize("cutoff", [1, 3, 5])
def test_lambdas_are_those_of_a_pair_loop(user, cutoff):
    for seed in range(5):
        labels, offsets, scores = scored_queries(seed)
        queries = Goal("nmcg", user, 3, cutoff).queries(labels, offsets)
        gradient, hessian = queries.lambdas(scores)
        for part, gains, mine, delta in each(queries, scores):
            slow = lambdas(gains, mine, delta)
            np.testing.assert_allclose(gradient[part], slow[0], rtol=2e-6, atol=1e-7)
            np.testing.assert_allclose(hessian[part], slow[1], rtol=2e-6, atol=1e-7)


def test_lambdas_are_derivatives_of_the_cost_with_fixed_changes():
    labels, offsets, scores = scored_queries(3, most=6, ties=False)
    queries = Goal("nmcg", SHAPE, 3, 4).queries(labels, offsets)
    gradient, hessian = queries.lambdas(scores)
    step = 1e-4
    for part, gains, mine, delta in each(queries, scores):
        changes = swap_changes(gains, mine, delta)
        for d in range(len(mine)):
            around = []
            for side in (-step, 0, step):
                moved = list(mine)
                moved[d] += side
                around.append(cost(gains, moved, changes))
            low, here, high = around
            assert gradient[part][d] == pytest.approx((high - low) / (2 * step), abs=1e-5)
            assert hessian[part][d] == pytest.approx((high - 2 * here + low) / step**2, abs=1e-4)


def test_far_scores_stay_finite():
    queries = Queries.of(np.array([3.0, 0, 1]), np.array([0, 3]), np.array([[1.0, 0.5]]))
    for scores in ([1e6, -1e6, 0], [-1e6, 1e6, 0], [-5000.0, 0, -4000]):
        for found in queries.lambdas(np.array(scores)):
            assert np.isfinite(found).all()
    gradient, _ = queries.lambdas(np.array([-1e6, 1e6, 0]))
    assert gradient[0] < 0 < gradient[1]


def test_values_are_means_over_the_orders_of_tied_documents():
    for seed in range(4):
        labels, offsets, scores = scored_queries(seed, most=6)
        queries = Goal("nmcg", bumpy(), 2, 4).queries(labels, offsets)
        slow = [value(*rest) for _, *rest in each(queries, scores)]
        np.testing.assert_allclose(queries.values(scores), slow, rtol=1e-12, atol=1e-12)


def test_values_are_those_of_evaluate():
    labels, offsets, scores = scored_queries(5, queries=40, most=30)
    data = ranking_data(np.zeros((len(scores), 1)), labels.values, np.diff(offsets))
    measure = nMCG(nav_rel=3, cutoff=7)
    runs = read_runs({"one": data.run(scores)}, ties="expected")
    found = evaluate(data.qrels(), runs, [measure])
    values = Goal("nmcg", SHAPE, 3, 7).queries(labels, offsets).values(scores)
    mine = dict(zip(data.queries, values, strict=True))
    np.testing.assert_allclose(found.values[0, 0], [mine[t] for t in found.topics], atol=1e-12)


def test_one_core_or_two(monkeypatch):
    labels, offsets, scores = scored_queries(1, queries=1500, most=40, ties=False)
    assert len(scores) > 20_000  # or only one core is used
    queries = Goal("nmcg", SHAPE, 3, 10).queries(labels, offsets)
    found = []
    for cores in ("1", "2", "3"):
        monkeypatch.setenv("HUNGJURY_THREADS", cores)
        found.append([*queries.lambdas(scores), queries.values(scores)])
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(a, b)


def test_class_shares_with_known_grades_and_with_probabilities():
    offsets = np.array([0, 3, 5, 6])
    known = Labels(np.array([3, 0, 1, 4, 3, 2]))
    assert class_shares(known, offsets, 3).tolist() == [1, 0, 0]
    rng = np.random.default_rng(0)
    chances = rng.dirichlet(np.ones(4), 6)
    chances[[0, 3, 4]] = [[0, 0, 0, 1], [0, 0, 0.5, 0.5], [0, 0, 1, 0]]
    for nav_rel in (1, 2, 3):
        found = class_shares(Labels(chances), offsets, nav_rel)
        p = chances[:, nav_rel:].sum(axis=1)
        slow = [exactly_one(p[a:b].tolist()) for a, b in ((0, 3), (3, 5), (5, 6))]
        np.testing.assert_allclose(found, slow, atol=1e-12)


def test_probabilities_of_0_and_1_are_grades():
    labels, offsets, scores = scored_queries(8)
    sure = Labels(np.eye(5)[labels.values])
    hard, soft = (Goal("nmcg", SHAPE, 3, 5).queries(one, offsets) for one in (labels, sure))
    np.testing.assert_array_equal(hard.discounts, soft.discounts)
    np.testing.assert_array_equal(hard.gains, soft.gains)
    np.testing.assert_array_equal(hard.lambdas(scores), soft.lambdas(scores))


def test_probabilities_are_expected_gains():
    chances = np.array([[0.5, 0.25, 0.25], [1, 0, 0], [0, 0.5, 0.5]])
    queries = Goal("nmcg", SHAPE, 2, 3).queries(Labels(chances), np.array([0, 3]))
    np.testing.assert_allclose(queries.gains, [0.25 + 3 * 0.25, 0, 0.5 + 3 * 0.5])
    one = exactly_one([0.25, 0, 0.5])
    table = SHAPE.discounts(3)
    np.testing.assert_allclose(queries.discounts[0], one * table[0] + (1 - one) * table[1])


def lightgbm_derivatives(grades, sizes, scores):
    """LightGBM's lambdarank: the leaf of each document, gradient and hessian of each leaf.

    One tree with a leaf for nearly every document; without penalty a leaf has the value
    -gradient / hessian and the weight hessian.
    """
    lightgbm = pytest.importorskip("lightgbm", reason="needs lightgbm (extra 'ltr')")
    own = np.arange(len(grades), dtype=float)[:, None]
    data = lightgbm.Dataset(own, label=grades, group=sizes, init_score=scores)
    settings = {
        "objective": "lambdarank", "lambdarank_norm": False, "learning_rate": 1.0,
        "lambdarank_truncation_level": 1000, "num_leaves": len(grades) + 1, "min_data_in_leaf": 0,
        "min_data_in_bin": 1, "max_bin": 2 * len(grades), "min_sum_hessian_in_leaf": 0,
        "lambda_l2": 0, "verbosity": -1, "num_threads": 1,
    }  # fmt: skip
    booster = lightgbm.train(settings, data, 1)
    leaves = booster.predict(own, pred_leaf=True)[:, 0]
    table = booster.trees_to_dataframe().set_index("node_index")
    rows = table.loc[[f"0-L{leaf}" for leaf in range(leaves.max() + 1)]]
    return leaves, (-rows["value"] * rows["weight"]).to_numpy(), rows["weight"].to_numpy()


def test_with_the_discount_of_dcg_it_is_lightgbms_lambdarank():
    pytest.importorskip("pandas", reason="LightGBM shows its trees as a frame of pandas")
    rng = np.random.default_rng(4)
    sizes = np.array([9, 14, 5])
    grades = rng.integers(0, 5, sizes.sum())
    scores = rng.normal(size=sizes.sum())
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    mine = Goal("ndcg", SHAPE, 3, 1000).queries(Labels(grades), offsets).lambdas(scores)
    leaves, *theirs = lightgbm_derivatives(grades, sizes, scores)
    assert len(set(leaves)) > 0.9 * len(grades)
    for each_document, b in zip(mine, theirs, strict=True):
        a = np.bincount(leaves, each_document)
        assert a @ b / np.linalg.norm(a) / np.linalg.norm(b) > 0.99999  # one direction
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5)
    users = Goal("nmcg", SHAPE, 3, 10).queries(Labels(grades), offsets).lambdas(scores)
    assert np.abs(np.bincount(leaves, users[0]) - theirs[0]).max() > 0.01  # other users, another


@pytest.mark.parametrize("name", ["xgap", "egap"])
@pytest.mark.parametrize("cutoff", [3, 20])
def test_graded_objectives_are_the_measures(name: str, cutoff: int) -> None:
    """Values are those of the measure, ties as the mean over all orders; the size of a gradient is
    the change of the measure when two documents change places."""
    rng = np.random.default_rng(5)
    g = (0.2, 0.5, 0.3)
    offsets = np.array([0, 6, 13])
    grades = rng.integers(0, 4, 13)
    grades[0] = 3
    made = GradedQueries.of(grades, offsets, g, cutoff, name == "xgap")
    measure = {"xgap": hj.m.xGAP, "egap": hj.m.eGAP}[name](g=g, cutoff=cutoff)

    def value(scores: Any, ties: str = "trec") -> list[float]:
        labels, runs = {}, {}
        for q in range(2):
            own = range(offsets[q], offsets[q + 1])
            labels[str(q)] = {f"d{i}": int(grades[i]) for i in own}
            runs[str(q)] = {f"d{i}": float(scores[i]) for i in own}
        qrels = hj.read_qrels(labels, grades=range(4))
        lists = hj.read_runs({"s": runs}, ties=ties)
        return hj.evaluate(qrels, lists, measure).values[0, 0].tolist()

    scores = rng.permutation(13).astype(float)
    assert made.values(scores) == pytest.approx(value(scores))
    tied = np.floor(scores / 3)
    assert made.values(tied) == pytest.approx(value(tied, "expected"))
    gradient, hessian = np.zeros((2, 13))
    for i in range(13):
        for j in range(13):
            q = int(i >= 6)
            if grades[i] > grades[j] and q == int(j >= 6):
                other = scores.copy()
                other[[i, j]] = other[[j, i]]
                size = abs(value(other)[q] - value(scores)[q])
                wrong = 1 / (1 + np.exp(scores[i] - scores[j]))
                gradient[i] -= size * wrong
                gradient[j] += size * wrong
                hessian[[i, j]] += size * wrong * (1 - wrong)
    found = made.lambdas(scores)
    assert found[0] == pytest.approx(gradient, abs=1e-6)
    assert found[1] == pytest.approx(hessian, abs=1e-6)


def test_training_for_graded_average_precision(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    features = rng.random((400, 3))
    grades = np.clip((features[:, 0] * 4).astype(int), 0, 3)
    data = hj.ltr.ranking_data(features, grades, [20] * 20)
    ranker = hj.train_ranker(data, None, "xgap", num_iterations=20, min_data_in_leaf=5)
    assert ranker.score(data).mean() > ranker.score(data, trees=0).mean() + 0.2
    assert ranker.goal.thresholds == pytest.approx((1 / 3,) * 3)
    ranker.save(tmp_path / "ranker.json")
    again = hj.ltr.Ranker.load(tmp_path / "ranker.json")
    assert again.goal.thresholds == pytest.approx(ranker.goal.thresholds)
    assert str(again.goal.measure).startswith("xGAP(g=")
    soft = hj.ltr.ranking_data(features, rng.random(400), [20] * 20, kind="probabilities")
    with pytest.raises(InputError, match="needs integer grades"):
        hj.train_ranker(soft, None, "egap", labels="probabilities")
