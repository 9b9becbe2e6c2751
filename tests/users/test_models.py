"""User dynamics, user models as files, and the gain that reaches such users."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hungjury as hj
from builders.examples import examples
from hungjury.base.errors import HungjuryError, InputError, MeasureError
from hungjury.measures.catalogue.user_models import nMCG
from hungjury.users.model import Dynamic, LogReport, UserClass, UserModel, fit_dynamic, user_model
from oracles import users as naive_users

CURVES = {
    "navigational": (0.5, -0.03, 0.2),
    "informational": (-0.1, 0.02, 0.15),  # grows: users look further down
}


def users(ranks: int = 10, names: tuple[str, ...] = tuple(CURVES)) -> UserModel:
    law = tuple([1 / ranks] * ranks)
    return UserModel(tuple(UserClass(n, law, Dynamic(*CURVES[n])) for n in names))


# Dynamics


@examples(40)
@given(st.floats(-1, 1), st.floats(-0.1, 0.1), st.floats(1.2, 3), st.integers(3, 20))
def test_a_curve_of_the_family_is_found_again(alpha, beta, gamma, ranks):
    gamma += abs(alpha) + 20 * abs(beta)
    law = Dynamic(alpha, beta, gamma).values(ranks)
    found = fit_dynamic(law)
    assert found.values(ranks) == pytest.approx(law, abs=1e-9)
    assert found.rmse == pytest.approx(0, abs=1e-9)


@examples(40)
@given(st.lists(st.floats(0, 1), min_size=4, max_size=12).filter(sum))
def test_least_squares_leaves_nothing_to_gain(values):
    """The residual is at right angles to 1/i, i and 1 (where nothing is clipped)."""
    law = np.array(values) / sum(values)
    found = fit_dynamic(law)
    i = np.arange(1, len(law) + 1)
    raw = found.alpha / i + found.beta * i + found.gamma
    for term in (1 / i, i, np.ones(len(i))):
        assert float((law - raw) @ term) == pytest.approx(0, abs=1e-8)
    assert found.values(len(law)) == pytest.approx(np.maximum(raw, 0))
    missed = law - np.maximum(raw, 0)
    assert found.rmse == pytest.approx(math.sqrt((missed**2).mean()), abs=1e-12)
    if found.r2 is not None:
        assert found.r2 == pytest.approx(1 - (missed**2).sum() / ((law - law.mean()) ** 2).sum())


def test_a_flat_law_has_no_variance_to_explain():
    assert fit_dynamic(np.full(10, 0.1)).r2 is None


def test_the_shipped_users_have_the_published_shape():
    shipped = user_model("published-shape")
    dcg = 1 / np.log2(np.arange(2, 12))
    dcg /= dcg.sum()
    navigational, informational = shipped.discounts(10)
    assert navigational[0] > 1.5 * navigational[1]  # a spike at rank 1
    assert navigational[:3] == pytest.approx(dcg[:3], rel=0.1)
    assert informational.max() < 1.4 * informational.min()
    for one in (navigational, informational):
        assert (one[4:] > dcg[4:]).all()
        assert one.sum() == pytest.approx(1)
    assert "not fitted" in shipped.about


# Files


def complete() -> UserModel:
    one = UserClass(
        "all", (0.25, 0.75, 0.0), Dynamic(0.1, 0.2, 0.3, 0.9, 0.01), visits=(3, 9, 0),
        moves=((0, 3, 0), (3, 6, 0), (0, 0, 0)),
        transitions=((0, 1, 0), (1 / 3, 2 / 3, 0), (0, 0, 1)),
        never_left=(3,), pages=2, backward=0.25, held=(2, 1, 0), rates=(0.5, None, None),
    )  # fmt: skip
    return UserModel(
        (one,),
        nav_rel=2,
        by_relevant=(("0", (1.0, 0.0, 0.0)),),
        about="a test",
        log=LogReport(records=12),
    )


def test_models_are_saved_and_loaded(tmp_path):
    path = tmp_path / "users.json"
    complete().save(path)
    again = UserModel.load(path)
    assert again == complete()
    assert again.log == complete().log
    assert again.about == "a test"
    assert hash(again) == hash(complete())
    assert again.name == str(path)
    assert path.stat().st_size < 2000
    users().save(path)
    assert UserModel.load(path) == users()


def test_the_table_has_a_row_per_rank() -> None:
    table = complete().to_frame()
    assert list(table.columns) == ["rank", "all: stationary", "all: dynamic"]
    assert table["rank"].tolist() == [1, 2, 3]
    assert table["all: stationary"].tolist() == [0.25, 0.75, 0.0]
    assert table["all: dynamic"].tolist() == pytest.approx(complete()["all"].dynamic.values(3))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: c.update(format="other"), "its format is 'other'"),
        (lambda c: c.pop("classes"), "classes is missing"),
        (lambda c: c["classes"][0].update(stationary=[0.5, 0.4, 0.0]), "does not sum to 1"),
        (lambda c: c["classes"][0].update(stationary=[1.5, -0.5, 0.0]), "does not sum to 1"),
        (lambda c: c["classes"][0].update(stationary=[0.5, 0.5]), "does not have 3 numbers"),
        (lambda c: c["classes"][0].update(name="other"), "its classes are other"),
        (lambda c: c["classes"][0].update(more=1), "unknown entry 'more'"),
        (lambda c: c["classes"][0].update(rates=[1, -1, 1]), "not 3 positive numbers"),
        (lambda c: c["classes"][0].update(dynamic={"alpha": 1}), "missing"),
        (lambda c: c["log"].update(other=1), "unexpected keyword"),
    ],
)
def test_bad_files_are_told(change, words, tmp_path):
    path = tmp_path / "users.json"
    complete().save(path)
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match=words) as caught:
        UserModel.load(path)
    assert caught.value.file == str(path)


@pytest.mark.parametrize("text", ["", "no json", "[1, 2]", "3", "null", '{"format": 3}'])
def test_other_files_are_told(text, tmp_path):
    path = tmp_path / "users.json"
    path.write_text(text)
    with pytest.raises(InputError, match="not a"):
        UserModel.load(path)


def test_missing_files_and_classes_are_told(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        user_model(tmp_path / "nothing.json")
    with pytest.raises(MeasureError, match=r'the user model "[-a-z0-9]+" has no class .other.'):
        users()["other"]
    assert users()["informational"].name == "informational"


# nMCG

labels_lists = st.lists(st.sampled_from([0, 0, 1, 2, 3, None, -1]), max_size=14)


@examples(80)
@given(labels_lists, st.lists(st.integers(0, 3), max_size=4), st.integers(1, 3), st.integers(1, 10))
def test_nmcg_equals_the_loop(labels, more, nav_rel, cutoff):
    pool = [label for label in labels if label is not None] + more
    measure = nMCG(user=users(), nav_rel=nav_rel, cutoff=cutoff)
    value = hj.score_list(measure, labels, pool)
    expected = naive_users.nmcg(labels, pool, CURVES, nav_rel, cutoff)
    assert value == pytest.approx(math.nan if expected is None else expected, nan_ok=True)


def test_nmcg_through_evaluate(simulate):
    made = simulate(3)
    found = hj.evaluate(made.qrels_text(), made.run_texts(), nMCG(user=users(), cutoff=5),
                        undefined="nan")  # fmt: skip
    for (s, system), (t, topic) in itertools.product(
        enumerate(found.systems), enumerate(found.topics)
    ):
        expected = naive_users.nmcg(made.ranked(system, topic), made.pool(topic), CURVES, 1, 5)
        if expected is None:
            expected = math.nan
        assert found.values[0, s, t] == pytest.approx(expected, nan_ok=True)


def test_nmcg_exceeds_one_where_users_look_further_down():
    assert hj.score_list(nMCG(user=users()), [1, 3], [1, 3]) > 1
    assert nMCG.high == math.inf


def test_one_class_serves_all_queries():
    alone = UserModel((UserClass("all", (0.2,) * 5, Dynamic(0.1, 0.0, 0.1)),))
    for labels in ([0, 1, 0], [1, 2, 0]):
        expected = naive_users.nmcg(labels, labels, {"all": (0.1, 0.0, 0.1)}, 1, 5)
        assert hj.score_list(nMCG(user=alone, cutoff=5), labels) == pytest.approx(expected)


def test_nmcg_in_ties_is_the_mean_over_orders():
    labels = {"q": {"a": 3, "b": 0, "c": 1}}
    runs = hj.read_runs({"s": {"q": {"a": 1.0, "b": 1.0, "c": 2.0}}}, ties="expected")
    found = hj.evaluate(labels, runs, nMCG(user=users()))
    orders = [[1, 3, 0], [1, 0, 3]]
    mean = sum(hj.score_list(nMCG(user=users()), o, [3, 0, 1]) for o in orders) / 2
    assert found.values[0, 0, 0] == pytest.approx(mean)


def test_nmcg_by_name(tmp_path):
    path = tmp_path / "users.json"
    users().save(path)
    one = hj.measure(f'nMCG(user="{path}", nav_rel=2)@5')
    assert hj.measure(str(one)) == one
    assert one.users == users()
    assert str(hj.measure("nMCG")) == "nMCG@10"
    assert hj.measure("nMCG@10") == nMCG()


def test_bad_parameters_are_told():
    with pytest.raises(MeasureError, match="covers 10 ranks, but 20 are needed"):
        hj.measure("nMCG@20")
    with pytest.raises(MeasureError, match="must be a user model"):
        nMCG(user=3)
    with pytest.raises(HungjuryError, match="cannot be read"):
        nMCG(user="nothing.json")
    with pytest.raises(MeasureError, match="nav_rel is 3, but the largest grade is 1"):
        hj.evaluate({"q": {"a": 1}}, {"s": {"q": {"a": 1.0}}}, nMCG(nav_rel=3))
