"""Ranker: a trained model together with the users it was trained for.

LightGBM trusts its input: an array that is too short is read beyond its end, and a tree whose nodes
form a cycle is traversed forever.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.errors import InputError, Note
from hungjury.base.files import read_json, write_whole
from hungjury.base.parameters import MOST_FEATURES, MOST_LEAVES, MOST_TREES
from hungjury.base.records import Record
from hungjury.base.results import Cell, Plot, Result, Table
from hungjury.base.text import decimal_of, integer_of
from hungjury.ltr.data import FeaturesLike, RankingData, as_features
from hungjury.ltr.objective import Goal, need_lightgbm
from hungjury.users.model import UserModel

if TYPE_CHECKING:
    from lightgbm import Booster

_TREE = re.compile(r"^Tree=(\d+)\n(.*?)(?=^Tree=\d+\n|^end of trees)", re.M | re.S)


def check_model(text: str) -> int:
    """Check a model and return its number of trees; a ValueError says what is wrong with it."""
    head, end, _ = text.partition("\nTree=")
    if not end or "\nend of trees" not in text:
        raise ValueError("the model is not complete")
    stated = _entries(head)
    features = _bounded(stated, "max_feature_idx", MOST_FEATURES - 1) + 1
    trees = list(_TREE.finditer(text))
    numbers = [tree[1] for tree in trees]
    if len(trees) > MOST_TREES or numbers != list(map(str, range(len(trees)))):
        raise ValueError("its trees are not numbered from 0")
    starts = [*(tree.start() for tree in trees), text.index("end of trees")]
    sizes = [len(text[begin:end].encode()) for begin, end in pairwise(starts)]
    if [integer_of(size) for size in stated.get("tree_sizes", "").split()] != sizes:
        raise ValueError("its trees do not have the sizes that are stated")
    for tree in trees:
        _check_tree(_entries(tree[2]), features, f"tree {tree[1]}")
    return len(trees)


def _entries(text: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in text.split("\n") if "=" in line)


def _bounded(entries: dict[str, str], name: str, most: int, least: int = 0) -> int:
    value = integer_of(entries.get(name, ""))
    if value is None or not least <= value <= most:
        raise ValueError(f"{name} is {entries.get(name)!r}")
    return value


def _check_tree(entries: dict[str, str], features: int, name: str) -> None:
    def column(title: str, read: Callable[[str], float | None], kind: str, count: int) -> list[Any]:
        found = [read(text) for text in entries.get(title, "").split()]
        if len(found) != count or None in found:
            raise ValueError(f"{title} of {name} does not have {count} entries that are {kind}")
        return found

    leaves = _bounded(entries, "num_leaves", MOST_LEAVES, 1)
    nodes = leaves - 1
    _bounded(entries, "num_cat", nodes)
    column("leaf_value", decimal_of, "numbers", leaves)
    if nodes == 0:
        return
    for title in ("threshold", "decision_type", "split_gain"):
        column(title, decimal_of, "numbers", nodes)
    if not all(0 <= f < features for f in column("split_feature", integer_of, "integers", nodes)):
        raise ValueError(f"{name} splits a feature that the model does not have")
    seen: set[int] = set()
    for side in ("left_child", "right_child"):
        for node, child in enumerate(column(side, integer_of, "integers", nodes)):
            # Children come after their node; what is below 0 is a leaf, counted from -1 down.
            if not (node < child < nodes or -leaves <= child < 0) or child in seen:
                raise ValueError(f"{name} is not a tree")
            seen.add(child)


FORMAT, VERSION = "hungjury ranker", 2


class Ranker(Record, Result, eq=False):
    """A trained ranker, together with the users it was trained for.

    `predict` scores rows, `rank` makes a run of ranking data, and `score` computes the measure it
    was trained for, query by query. `trees` is the number of trees used: those that did best on the
    validation data, or all. `booster` is LightGBM's own model.
    """

    booster: Booster
    goal: Goal
    trees: int  # as many as did best on the validation data, or all
    history: Mapping[str, tuple[float, ...]] = field(default_factory=dict)  # value after each tree
    parameters: Mapping[str, Any] = field(default_factory=dict)  # LightGBM's
    notes: tuple[Note, ...] = ()

    @property
    def user(self) -> UserModel:
        return self.goal.user

    @property
    def features(self) -> int:
        return int(self.booster.num_feature())

    def __repr__(self) -> str:
        return f"Ranker({self.goal.name}, {self.goal}, {self.trees} trees)"

    def table(self) -> Table:
        """Return the measure on each validation set, after the trees kept and after the last."""
        rows: list[list[Cell]] = [[name, values[self.trees - 1], values[-1], len(values)]
                for name, values in self.history.items()]  # fmt: skip
        return Table(["data", f"after {self.trees} trees", "after the last", "trees grown"], rows)

    def _parts(self) -> list[str | Table]:
        head = f"{self.goal.name} trained for {self.goal}: {self.trees} trees"
        return [head, self.table() if self.history else "No data to validate on."]

    def plot(self) -> Plot:
        """Draw the measure on the validation data after every tree, and the number kept."""
        return self._drawn("users.draw_training")

    def predict(self, data: RankingData | FeaturesLike, trees: int | None = None) -> Floats:
        """Score the rows of ranking data or of features; larger is better within a query."""
        table = data.features if isinstance(data, RankingData) else as_features(data)
        if table.ndim != 2 or table.shape[1] != self.features:
            raise InputError(
                f"the ranker was trained on {self.features} features, these have the shape "
                f"{table.shape}",
                code="other-features",
                remedy="give rows with the features it was trained on",
            )
        if trees is not None and not 1 <= trees <= self.trees:
            said = f"{trees} trees requested, but the ranker has {self.trees}"
            remedy = f"use 1 to {self.trees} trees"
            raise InputError(said, code="out-of-range", argument="trees", remedy=remedy)
        found = self.booster.predict(table, num_iteration=trees or self.trees)
        return np.asarray(found, dtype=np.float64)

    def score(self, data: RankingData, trees: int | None = None) -> Floats:
        """Compute the measure it was trained for, of every query.

        Tied documents count as the mean over their orders.

        With 0 trees all documents are tied: the value of a random order.
        """
        scores = np.zeros(len(data)) if trees == 0 else self.predict(data, trees)
        return self.goal.queries(data.labels, data.offsets).values(scores)

    def rank(self, data: RankingData, trees: int | None = None) -> dict[str, dict[str, float]]:
        """Return a run, ``{query: {document: score}}``, as `evaluate` and `read_runs` take it."""
        return data.run(self.predict(data, trees))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write model, users and history as JSON, atomically."""
        write_whole(path, self.to_json())

    def to_json(self) -> str:
        """Return model, users and history as JSON, in the format of `load`."""
        content = {
            "format": FORMAT,
            "version": VERSION,
            "objective": self.goal.name,
            "nav_rel": self.goal.nav_rel,
            "cutoff": self.goal.cutoff,
            "thresholds": list(self.goal.thresholds),
            "trees": self.trees,
            "user_name": self.user.name,
            "user": self.user.content(),
            "parameters": {key: value for key, value in self.parameters.items() if _plain(value)},
            "history": {name: list(values) for name, values in self.history.items()},
            "model": self.booster.model_to_string(num_iteration=-1),
        }
        content["digest"] = _digest(content)
        return json.dumps(content, indent=1, allow_nan=False) + "\n"

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Ranker:
        """Read what `save` wrote."""
        text = os.fspath(path)
        content = _read(text)
        lightgbm = need_lightgbm()
        user = UserModel.from_content(
            content.get("user"), file=text, source=str(content.get("user_name"))
        )
        try:
            name, nav_rel, cutoff = (content[key] for key in ("objective", "nav_rel", "cutoff"))
            goal = Goal(name, user, nav_rel, cutoff, tuple(content["thresholds"]))
            trees = check_model(content["model"])
            if not 1 <= content["trees"] <= trees:
                raise ValueError(f"it uses {content['trees']!r} trees of {trees}")
            booster = lightgbm.Booster(model_str=content["model"])
            history = {name: tuple(values) for name, values in content["history"].items()}
            return cls(booster, goal, content["trees"], history, content["parameters"])
        except (
            KeyError, TypeError, ValueError, AttributeError, lightgbm.basic.LightGBMError
        ) as error:  # fmt: skip
            said = f"not a usable ranker: {error}"
            remedy = "train it again"
            raise InputError(said, code="invalid-file", file=text, remedy=remedy) from None


def _digest(content: Mapping[str, Any]) -> str:
    """Return a digest of everything but the digest itself, independent of layout."""
    rest = {key: value for key, value in content.items() if key != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def _plain(value: object) -> bool:
    """Say whether JSON can represent the value."""
    return value is None or isinstance(value, (bool, int, float, str, list, tuple, dict))


def _read(path: str) -> dict[str, Any]:
    remedy = "make it with Ranker.save or `hungjury train`"
    content = read_json(path, "a saved ranker", remedy)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        problem, code = "not a saved ranker", "not-a-ranker"
    elif content.get("version") != VERSION:
        problem, code = f"a ranker of version {content.get('version')!r}", "other-version"
        remedy = f"this version reads {VERSION}: train it again"
    elif content.get("digest") != _digest(content):
        problem = "the ranker is damaged, or was edited: its digest does not match"
        code, remedy = "damaged-file", "copy or train it again"
    else:
        return content
    raise InputError(problem, code=code, file=path, remedy=remedy)
