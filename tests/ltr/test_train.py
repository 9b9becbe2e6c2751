"""Training: it learns, for the users it is given; saved models; LightGBM's own ways in."""

from __future__ import annotations

import importlib.util
import json

import numpy as np
import pytest

import hungjury as hj
from hungjury.base.errors import InputError, MeasureError, MissingExtra
from hungjury.ltr.objective import Goal
from hungjury.ltr.ranker import _digest
from hungjury.users.model import Dynamic, UserClass, UserModel, user_model

lightgbm = pytest.importorskip("lightgbm", reason="training needs lightgbm (extra 'ltr')")
SMALL = {"num_threads": 1, "num_leaves": 8, "n_estimators": 15, "learning_rate": 0.2}
SHAPE = user_model("published-shape")


def learnable(seed, queries=60, size=15, top=4, noise=0.6):
    """Grades that two of six features tell, with noise."""
    rng = np.random.default_rng(seed)
    rows = queries * size
    features = rng.normal(size=(rows, 6))
    taste = features[:, 0] + np.abs(features[:, 1]) + noise * rng.normal(size=rows)
    grades = np.digitize(taste, [0.8, 1.6, 2.4, 3.2])
    return features, np.minimum(grades, top), np.full(queries, size)


TRAIN, VALID, TEST = (learnable(seed) for seed in (1, 2, 3))


NMCG = 'nMCG(user="published-shape", nav_rel=3)@10'


def test_training_raises_nmcg_of_unseen_queries():
    ranker = hj.train_ranker(TRAIN, VALID, nav_rel=3, **SMALL)
    unseen = hj.ltr.ranking_data(*TEST)
    start, now = ranker.score(unseen, 0).mean(), ranker.score(unseen).mean()
    assert now > start + 0.15
    history = ranker.history[f"valid {NMCG}"]
    assert ranker.trees == int(np.argmax(history)) + 1
    assert ranker.score(hj.ltr.ranking_data(*VALID)).mean() == pytest.approx(max(history))
    scores = hj.evaluate(unseen.qrels(), {"it": ranker.rank(unseen)}, [ranker.goal.measure])
    assert scores.mean()[0, 0] == pytest.approx(now, abs=0.01)  # ties in score aside


def test_early_stopping_keeps_the_best_number_of_trees():
    ranker = hj.train_ranker(
        TRAIN, VALID, **{**SMALL, "n_estimators": 200}, early_stopping_rounds=5, seed=1
    )
    history = ranker.history[f"valid {NMCG}"]
    assert ranker.trees + 5 == len(history) < 200
    assert history[ranker.trees - 1] == max(history)
    without = hj.train_ranker(TRAIN, **SMALL, early_stopping_rounds=5)
    assert without.trees == 15
    assert without.history == {}
    assert "No data to validate on." in without._repr_html_()
    assert f"<td>{max(history):.4f}</td>" in ranker._repr_html_()


def test_the_first_trees_are_a_smaller_model():
    whole, small = (hj.train_ranker(TRAIN, **{**SMALL, "n_estimators": n}) for n in (15, 3))
    np.testing.assert_array_equal(whole.predict(TEST[0], trees=3), small.predict(TEST[0]))


def test_one_core_or_two_give_one_model():
    wanted = {**SMALL, "n_estimators": 3}
    one, two = (hj.train_ranker(TRAIN, **{**wanted, "num_threads": n}) for n in (1, 2))
    np.testing.assert_array_equal(one.predict(TEST[0]), two.predict(TEST[0]))


def test_other_users_get_another_ranker():
    flat = UserClass("all", (0.1,) * 10, Dynamic(0.0, 0.0, 0.1))
    steep = UserClass("all", (0.1,) * 10, Dynamic(1.0, 0.0, 0.0))
    rankers = [hj.train_ranker(TRAIN, user=UserModel((users,)), **SMALL) for users in (flat, steep)]
    assert not np.array_equal(*(ranker.predict(TEST[0]) for ranker in rankers))


@pytest.mark.parametrize("objective", ["nmcg", "ndcg", "lambdarank"])
def test_saved_and_loaded(tmp_path, objective):
    ranker = hj.train_ranker(TRAIN, VALID, objective, nav_rel=2, cutoff=5, **SMALL)
    path = tmp_path / "ranker.json"
    ranker.save(path)
    back = hj.ltr.Ranker.load(path)
    np.testing.assert_array_equal(ranker.predict(TEST[0]), back.predict(TEST[0]))
    assert (back.trees, back.history) == (ranker.trees, ranker.history)
    assert back.user == ranker.user
    assert str(back.goal.measure) == str(ranker.goal.measure)
    assert (
        back.score(hj.ltr.ranking_data(*TEST)).mean()
        == ranker.score(hj.ltr.ranking_data(*TEST)).mean()
    )
    assert json.loads(path.read_text())["user"]["format"] == "hungjury user model"


def signed(content):
    """A ranker's file whose digest fits, whatever it lacks."""
    return json.dumps({**content, "digest": _digest(content)})


def test_files_that_are_no_rankers(tmp_path):
    path = tmp_path / "ranker.json"
    for text, said in (
        ("no json", "not a saved ranker"),
        ("{}", "not a saved ranker"),
        ('{"format": "hungjury ranker", "version": 9}', "of version 9"),
        ('{"format": "hungjury ranker", "version": 1}', "of version 1"),
        ('{"format": "hungjury ranker", "version": 2}', "its digest does not match"),
        (signed({"format": "hungjury ranker", "version": 2}), "not a user model"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=said):
            hj.ltr.Ranker.load(path)
    with pytest.raises(InputError, match="cannot be read"):
        hj.ltr.Ranker.load(tmp_path / "nowhere.json")
    hj.train_ranker(TRAIN, **SMALL).save(path)
    content = json.loads(path.read_text())
    del content["trees"]
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match="its digest does not match"):
        hj.ltr.Ranker.load(path)
    path.write_text(signed(content))
    with pytest.raises(InputError, match="not a usable ranker: 'trees'"):
        hj.ltr.Ranker.load(path)


def test_grade_probabilities_train_and_certain_ones_are_grades():
    features, grades, sizes = TRAIN
    certain = hj.train_ranker((features, np.eye(5)[grades], sizes), **SMALL)
    plain = hj.train_ranker(TRAIN, **SMALL)
    np.testing.assert_array_equal(certain.predict(TEST[0]), plain.predict(TEST[0]))
    binary = (grades >= 3).astype(float)
    chances = hj.train_ranker(
        (features, 0.1 + 0.8 * binary, sizes), labels="probabilities", nav_rel=1, **SMALL
    )
    unseen = hj.ltr.ranking_data(TEST[0], TEST[1], TEST[2])
    values = Goal("nmcg", SHAPE, 3, 10).queries(unseen.labels, unseen.offsets)
    start = values.values(np.zeros(len(unseen))).mean()
    assert values.values(chances.predict(unseen)).mean() > start + 0.15


def test_what_noisy_judges_said_is_enough_to_learn_from():
    """Five judges of known accuracy; their mean vote as probability of relevance."""
    rng = np.random.default_rng(7)
    features, grades, sizes = TRAIN
    truth = grades >= 2
    votes = np.mean([np.where(rng.random(len(truth)) < 0.75, truth, ~truth) for _ in range(5)], 0)
    settings = {"nav_rel": 1, **SMALL}
    noisy = hj.train_ranker((features, votes, sizes), labels="probabilities", **settings)
    perfect = hj.train_ranker((features, truth.astype(int), sizes), **settings)
    unseen = hj.ltr.ranking_data(TEST[0], (TEST[1] >= 2).astype(int), TEST[2])
    start, best = noisy.score(unseen, 0).mean(), perfect.score(unseen).mean()
    assert noisy.score(unseen).mean() > start + 0.8 * (best - start)


def test_lambdarank_refuses_probabilities():
    with pytest.raises(InputError, match="needs integer grades"):
        hj.train_ranker((TRAIN[0], np.eye(5)[TRAIN[1]], TRAIN[2]), objective="lambdarank", **SMALL)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"objective": "map"}, "invalid value 'map' for objective"),
        ({"cutoff": 11}, "covers 10 ranks, but 11 are needed"),
        ({"cutoff": 0}, "cutoff must be an integer from 1"),
        ({"nav_rel": 0}, "nav_rel must be an integer from 1"),
        ({"metric": "auc"}, "the parameter metric is set by the objective"),
        ({"max_bin": -1}, "LightGBM refuses"),
        (
            {"valid": (VALID[0][:, :4], *VALID[1:])},
            "6 features in the training data, but the validation data has 4",
        ),
        ({"valid": VALID[:2]}, "there are 2 arrays"),
        ({"user": "nowhere.json"}, "cannot be read"),
    ],
)
def test_what_cannot_be_trained(more, said):
    with pytest.raises((InputError, MeasureError), match=said):
        hj.train_ranker(TRAIN, **{**SMALL, **more})


def test_other_features_are_refused():
    ranker = hj.train_ranker(TRAIN, **SMALL)
    for wrong in (TEST[0][:, :3], TEST[0][0]):
        with pytest.raises(InputError, match="trained on 6 features"):
            ranker.predict(wrong)


def test_missing_features_are_lightgbms():
    features = TRAIN[0].copy()
    features[::3, 0] = np.nan
    ranker = hj.train_ranker((features, *TRAIN[1:]), **SMALL)
    assert np.isfinite(ranker.predict(features)).all()


@pytest.mark.parametrize(
    ("grades", "nav_rel", "said"),
    [
        (np.minimum(TRAIN[1], 2), 3, "navigational; the largest grade is 2, nav_rel is 3"),
        (np.tile([1] + [0] * 14, 60), 1, "no training query is informational"),
    ],
)
def test_a_class_without_queries_is_a_warning(grades, nav_rel, said):
    with pytest.warns(UserWarning, match=said):
        ranker = hj.train_ranker((TRAIN[0], grades, TRAIN[2]), nav_rel=nav_rel, **SMALL)
    assert said in str(ranker.notes[-1])
    assert np.isfinite(ranker.predict(TEST[0])).all()


def test_lightgbms_train_with_our_objective_and_metric():
    goal = hj.ltr.NMCGObjective(nav_rel=3)
    data = lightgbm.Dataset(TRAIN[0], label=TRAIN[1], group=TRAIN[2])
    valid = lightgbm.Dataset(VALID[0], label=VALID[1], group=VALID[2], reference=data)
    found: dict[str, dict[str, list[float]]] = {}
    settings = {"objective": goal.objective, "metric": "none", "verbosity": -1, "seed": 0,
                "deterministic": True, "force_row_wise": True, **SMALL}  # fmt: skip
    booster = lightgbm.train(
        settings, data, valid_sets=[valid], feval=goal.metric,
        callbacks=[lightgbm.record_evaluation(found)],
    )  # fmt: skip
    ranker = hj.train_ranker(TRAIN, VALID, **SMALL)
    whole = hj.train_ranker(TRAIN, **SMALL)
    np.testing.assert_array_equal(booster.predict(TEST[0]), whole.predict(TEST[0]))
    with pytest.raises(InputError, match="16 trees requested, but the ranker has 15"):
        whole.predict(TEST[0], trees=16)
    assert tuple(found["valid_0"][NMCG]) == ranker.history[f"valid {NMCG}"]
    with pytest.raises(InputError, match="the data set has no groups"):
        goal.metric(np.zeros(3), lightgbm.Dataset(TRAIN[0], label=TRAIN[1]).construct())


def test_weights_multiply_gradients():
    goal = hj.ltr.NMCGObjective(nav_rel=3)
    scores = np.random.default_rng(0).normal(size=len(TRAIN[1]))
    plain = goal.sklearn_objective(TRAIN[1], scores, None, TRAIN[2])
    doubled = goal.sklearn_objective(TRAIN[1], scores, np.full(len(scores), 2.0), TRAIN[2])
    for a, b in zip(plain, doubled, strict=True):
        np.testing.assert_allclose(2 * a, b)


@pytest.mark.filterwarnings("ignore:The argument 'eval_set'")
def test_lightgbms_own_estimator_takes_the_objective():
    pytest.importorskip("sklearn", reason="LGBMRanker needs scikit-learn")
    goal = hj.ltr.NMCGObjective(nav_rel=3)
    model = lightgbm.LGBMRanker(
        objective=goal.sklearn_objective, verbosity=-1, random_state=0, **SMALL
    )
    model.fit(
        TRAIN[0], TRAIN[1], group=TRAIN[2], eval_set=[VALID[:2]], eval_group=[VALID[2]],
        eval_metric=goal.sklearn_metric,
    )  # fmt: skip
    assert model.evals_result_["valid_0"][NMCG][-1] > 0.8


def estimator(**more):
    return hj.ltr.NMCGRanker(
        n_estimators=15, num_leaves=8, learning_rate=0.2,
        lightgbm_parameters={"num_threads": 1}, **more,
    )  # fmt: skip


def test_estimator():
    model = estimator(nav_rel=2)
    assert "nav_rel=2" in repr(model)
    with pytest.raises(InputError, match="not fitted"):
        model.predict(TEST[0])
    assert model.fit(TRAIN[0], TRAIN[1], group=TRAIN[2], valid=VALID) is model
    same = hj.train_ranker(TRAIN, VALID, nav_rel=2, **SMALL)
    np.testing.assert_array_equal(model.predict(TEST[0]), same.predict(TEST[0]))
    assert model.best_iteration_ == same.trees
    assert model.score(*TEST) == pytest.approx(same.score(hj.ltr.ranking_data(*TEST)).mean())
    assert model.set_params(nav_rel=3).get_params()["nav_rel"] == 3
    with pytest.raises(InputError, match="no parameter eta"):
        model.set_params(eta=1)


def test_estimator_in_scikit_learn():
    base = pytest.importorskip("sklearn.base", reason="needs scikit-learn")
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = estimator(nav_rel=2, user=SHAPE)
    copy = base.clone(model)
    assert copy is not model
    assert copy.get_params() == model.get_params()
    both = make_pipeline(StandardScaler(), copy)
    both.fit(TRAIN[0], TRAIN[1], nmcgranker__group=TRAIN[2])
    assert both.predict(TEST[0]).shape == (len(TEST[0]),)
    assert not hasattr(base.clone(copy), "ranker_")


def test_without_lightgbm(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(MissingExtra, match=r"hungjury\[ltr\]"):
        hj.train_ranker(TRAIN, **SMALL)


def test_real_queries(shared_data):
    """MQ2008, grades 0 to 2: a few trees are better than the start on queries never seen."""
    parts = [
        hj.ltr.read_letor(str(shared_data / "ltr-mq2008" / f"{part}_feature.npy"))
        for part in ("train", "vali", "test")
    ]
    ranker = hj.train_ranker(*parts[:2], nav_rel=2, num_threads=1, n_estimators=25)
    unseen = parts[2]
    assert ranker.score(unseen).mean() > ranker.score(unseen, 0).mean() + 0.05


def test_scikit_learn_is_not_needed():
    assert importlib.util.find_spec("hungjury.ltr.train") is not None
    import subprocess
    import sys

    code = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import hungjury as hj\n"
        "print(hj.ltr.NMCGRanker(nav_rel=1).get_params()['nav_rel'], 'lightgbm' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "False"]


@pytest.mark.parametrize("name", ["ignore_column", "ignore_feature", "eval_at", "label_gain"])
def test_parameters_without_effect_are_refused(name):
    """LightGBM accepts them, under all their names, and ignores them."""
    with pytest.raises(InputError, match=f"the parameter {name} has no effect"):
        hj.train_ranker(TRAIN, **{**SMALL, name: 1})


def test_lambdarank_keeps_its_own_parameters():
    options = {**SMALL, "n_estimators": 3, "num_threads": 1}
    plain = hj.train_ranker(TRAIN, objective="lambdarank", **options)
    other = hj.train_ranker(TRAIN, objective="lambdarank", sigmoid=5.0, **options)
    assert not np.array_equal(plain.predict(TEST[0]), other.predict(TEST[0]))
