"""Ranker: a trained model together with the users it was trained for."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hungjury.collection.notes import Note
from hungjury.errors import InputError
from hungjury.files import write_whole
from hungjury.json_files import read_json
from hungjury.ltr.data import FeaturesLike, RankingData, as_features
from hungjury.ltr.model_text import check_model
from hungjury.ltr.objective import Goal, need_lightgbm
from hungjury.records import Record
from hungjury.tables import Cell, Table, html_page
from hungjury.users.model import UserModel

if TYPE_CHECKING:
    from lightgbm import Booster

__all__ = ["Ranker"]

FORMAT, VERSION = "hungjury ranker", 2
Array = NDArray[np.float64]


class Ranker(Record, eq=False):
    """A trained ranker; `booster` is LightGBM's model."""

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
        return f"Ranker({self.goal.name}, {self.goal.short}, {self.trees} trees)"

    def _repr_html_(self) -> str:
        rows: list[list[Cell]] = [[name, values[self.trees - 1], values[-1], len(values)]
                for name, values in self.history.items()]  # fmt: skip
        head = f"{self.goal.name} trained for {self.goal.short}: {self.trees} trees"
        names = ["data", f"after {self.trees} trees", "after the last", "trees grown"]
        return html_page(head, Table(names, rows) if rows else "No data to validate on.")

    def predict(self, data: RankingData | FeaturesLike, trees: int | None = None) -> Array:
        """[row]: scores of ranking data or of rows of features; larger is better."""
        table = data.features if isinstance(data, RankingData) else as_features(data)
        if table.ndim != 2 or table.shape[1] != self.features:
            raise InputError(
                f"the ranker was trained on {self.features} features, these have the shape "
                f"{table.shape}",
                code="other-features",
                remedy="give rows with the features it was trained on",
            )
        if trees is not None and not 1 <= trees <= self.trees:
            raise InputError(
                f"{trees} trees requested, but the ranker has {self.trees}",
                code="out-of-range",
                argument="trees",
                remedy=f"use 1 to {self.trees} trees",
            )
        found = self.booster.predict(table, num_iteration=trees or self.trees)
        return np.asarray(found, dtype=np.float64)

    def score(self, data: RankingData, trees: int | None = None) -> Array:
        """[query]: the measure it was trained for, tied documents in the mean over their orders.

        With 0 trees all documents are tied: the value of a random order.
        """
        scores = np.zeros(len(data)) if trees == 0 else self.predict(data, trees)
        return self.goal.queries(data.labels, data.offsets).values(scores)

    def rank(self, data: RankingData, trees: int | None = None) -> dict[str, dict[str, float]]:
        """A run, ``{query: {document: score}}``, as `evaluate` and `read_runs` take it."""
        return data.run(self.predict(data, trees))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write model, users and history as JSON, atomically."""
        write_whole(path, self.to_json())

    def to_json(self) -> str:
        """Model, users and history as JSON, in the format of `load`."""
        content = {
            "format": FORMAT,
            "version": VERSION,
            "objective": self.goal.name,
            "nav_rel": self.goal.nav_rel,
            "cutoff": self.goal.cutoff,
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
            goal = Goal(content["objective"], user, content["nav_rel"], content["cutoff"])
            trees = check_model(content["model"])
            if not 1 <= content["trees"] <= trees:
                raise ValueError(f"it uses {content['trees']!r} trees of {trees}")
            booster = lightgbm.Booster(model_str=content["model"])
            history = {name: tuple(values) for name, values in content["history"].items()}
            return cls(booster, goal, content["trees"], history, content["parameters"])
        except (
            KeyError, TypeError, ValueError, AttributeError, lightgbm.basic.LightGBMError
        ) as error:  # fmt: skip
            raise InputError(
                f"not a usable ranker: {error}",
                code="invalid-file",
                file=text,
                remedy="train it again",
            ) from None


def _digest(content: Mapping[str, Any]) -> str:
    """A digest of everything but the digest itself, independent of layout."""
    rest = {key: value for key, value in content.items() if key != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def _plain(value: object) -> bool:
    """Whether JSON can hold the value."""
    return value is None or isinstance(value, (bool, int, float, str, list, tuple, dict))


def _read(path: str) -> dict[str, Any]:
    content = read_json(path, "a saved ranker", "make it with Ranker.save or `hungjury train`")
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(
            "not a saved ranker",
            code="not-a-ranker",
            file=path,
            remedy="make it with Ranker.save or `hungjury train`",
        )
    if content.get("version") != VERSION:
        raise InputError(
            f"a ranker of version {content.get('version')!r}",
            code="other-version",
            file=path,
            remedy=f"this version reads {VERSION}: train it again",
        )
    if content.get("digest") != _digest(content):
        raise InputError(
            "the ranker is damaged, or was edited: its digest does not match",
            code="damaged-file",
            file=path,
            remedy="copy or train it again",
        )
    return content
