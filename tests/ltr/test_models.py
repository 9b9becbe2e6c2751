"""Models from files that were cut, edited or made by somebody else are refused."""

import json

import numpy as np
import pytest

from hungjury.base.errors import InputError
from hungjury.ltr import Ranker, read_letor
from hungjury.ltr.ranker import _digest, check_model
from hungjury.ltr.train import train_ranker
from hungjury.users.model import UserModel, published_shape

pytest.importorskip("lightgbm")


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    features = rng.normal(size=(300, 5))
    labels = (features[:, 0] + rng.normal(size=300) > 0.5).astype(int)
    return features, labels, [10] * 30


@pytest.fixture(scope="module")
def ranker(data):
    return train_ranker(data, nav_rel=1, num_iterations=8, min_data_in_leaf=5, num_leaves=6)


@pytest.fixture
def saved(tmp_path, ranker):
    path = tmp_path / "ranker.json"
    ranker.save(path)
    return path


def refused(path, says):
    with pytest.raises(InputError, match=says) as caught:
        Ranker.load(path)
    assert caught.value.file == str(path)
    assert caught.value.remedy


def edited(path, change, sign=True):
    """A ranker changed by someone who knows how digests are made, if `sign`."""
    content = json.loads(path.read_text())
    change(content)
    if sign:
        content["digest"] = _digest(content)
    path.write_text(json.dumps(content))


def test_a_ranker_comes_back(saved, ranker, data):
    assert np.array_equal(Ranker.load(saved).predict(data[0]), ranker.predict(data[0]))
    edited(saved, lambda content: None)  # laid out differently: the same ranker
    assert np.array_equal(Ranker.load(saved).predict(data[0]), ranker.predict(data[0]))


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_file_cut_short_is_refused(saved, share):
    text = saved.read_text()
    saved.write_text(text[: int(len(text) * share)])
    refused(saved, "not a saved ranker")


def test_an_edited_ranker_is_refused(saved):
    edited(saved, lambda c: c.update(model=c["model"].replace("0", "1", 1)), sign=False)
    refused(saved, "digest")


def model_with(name, values):
    """Change an array of the first tree."""

    def change(content):
        before, mark, rest = content["model"].partition(f"\n{name}=")
        assert mark
        old, _, after = rest.partition("\n")
        content["model"] = f"{before}{mark}{values(old.split())}\n{after}"

    return change


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda c: c.update(model=c["model"][: len(c["model"]) // 2]), "not complete"),
        (lambda c: c.update(model=""), "not complete"),
        (lambda c: c.update(model=7), "not a usable ranker"),
        (lambda c: c.pop("model"), "not a usable ranker"),
        (lambda c: c.update(trees=9), "it uses 9 trees of 8"),
        (lambda c: c.update(trees=0), "it uses 0 trees"),
        (lambda c: c.update(trees="8"), "not a usable ranker"),
        (model_with("left_child", lambda v: " ".join(["0"] * len(v))), "sizes|not a tree"),
        (model_with("split_feature", lambda v: " ".join(["4"] * (len(v) + 9))), "sizes|integers"),
        (model_with("max_feature_idx", lambda v: "999999999"), "max_feature_idx"),
    ],
)  # fmt: skip
def test_a_signed_but_wrong_ranker_is_refused(saved, change, says):
    edited(saved, change)
    refused(saved, says)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("left_child", "0", "is not a tree"),  # a node that is its own child: an endless walk
        ("right_child", "-7", "is not a tree"),  # a leaf that is not there
        ("split_feature", "5", "does not have"),  # a feature that is not there
        ("split_feature", "-", "integers"),
        ("leaf_value", "nan", "numbers"),
        ("threshold", "1 2", "entries"),
    ],
)
def test_trees_are_checked(ranker, name, value, says):
    """One entry of the first tree is changed, and the stated size with it."""
    text = ranker.booster.model_to_string()
    check_model(text)
    start = text.index("Tree=0")
    before, mark, rest = text[start:].partition(f"\n{name}=")
    old = rest.split("\n")[0]
    new = " ".join([value, *old.split()[1:]])
    grown = len(new) - len(old)
    size = int(text.split("\ntree_sizes=")[1].split()[0])
    head = text[:start].replace(f"\ntree_sizes={size}", f"\ntree_sizes={size + grown}")
    with pytest.raises(ValueError, match=says):
        check_model(head + before + mark + new + rest[len(old) :])


USERS = {
    "NaN": (lambda c: c["classes"][0]["stationary"].__setitem__(0, float("nan")), "NaN"),
    "Infinity": (lambda c: c["classes"][0]["dynamic"].update(alpha=float("inf")), "Infinity"),
    "huge": (lambda c: c["classes"][0]["dynamic"].update(alpha=10**400), "not a user model"),
    "a word": (lambda c: c["classes"][0]["dynamic"].update(alpha="1"), "the dynamic"),
    "a short law": (lambda c: c["classes"][0].update(stationary=[1.0]), "10 numbers"),
    "short visits": (lambda c: c["classes"][0].update(visits=[1, 2]), "visits"),
    "short moves": (lambda c: c["classes"][0].update(moves=[[1]]), "moves"),
    "ragged moves": (lambda c: c["classes"][0].update(moves=[[1] * 9] * 10), "moves"),
    "transitions of words": (
        lambda c: c["classes"][0].update(transitions=[["x"] * 10] * 10), "transitions"),
    "a rank off the page": (lambda c: c["classes"][0].update(never_left=[11]), "never_left"),
    "too many ranks": (lambda c: c.update(ranks=10**9), "ranks"),
    "a list": (lambda c: c.update(classes=[[]]), "not a user model"),
}  # fmt: skip


@pytest.mark.parametrize("case", USERS)
def test_user_models_that_are_wrong_are_refused(tmp_path, case):
    change, says = USERS[case]
    content = published_shape().content()
    content = json.loads(json.dumps(content))
    change(content)
    path = tmp_path / "users.json"
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match=says) as caught:
        UserModel.load(path)
    assert caught.value.file == str(path)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a": 1, "a": 2}', "", "\xff\xfe{}"])
def test_files_that_are_not_models_are_refused(tmp_path, text):
    path = tmp_path / "users.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match="not a user model"):
        UserModel.load(path)


def test_unknown_parameters_of_lightgbm_are_refused(data):
    with pytest.raises(InputError, match="did you mean 'min_data_in_leaf'"):
        train_ranker(data, min_data_in_leave=5)
    with pytest.raises(InputError, match="learning_rate is inf"):
        train_ranker(data, learning_rate=float("inf"))


def test_a_small_file_does_not_take_gigabytes(tmp_path):
    path = tmp_path / "sparse.txt"
    lines = ["0 qid:1 100000:1\n"] + ["1 qid:1 1:1\n"] * 1200
    path.write_text("".join(lines))
    with pytest.raises(
        InputError, match=r"documents by 100000 features would take \d+ MB"
    ) as caught:
        read_letor(path)
    assert caught.value.line < 1000
    path.write_text("".join(lines[:20]))
    assert read_letor(path).features.shape == (20, 100000)


@pytest.mark.parametrize(
    ("names", "says"),
    [(["a", "b", "a"], "2 documents called 'a'"), (["", "b", "1-1"], "2 documents called '1-1'")],
)
def test_documents_that_share_a_name_are_not_lost(tmp_path, ranker, names, says):
    path = tmp_path / "x.txt"
    row = " ".join(f"{i}:0.5" for i in range(1, 6))
    path.write_text("".join(f"1 qid:1 {row} # {name}\n" for name in names))
    with pytest.raises(InputError, match=says):
        ranker.rank(read_letor(path))
    with pytest.raises(InputError, match=says):
        read_letor(path).qrels()
