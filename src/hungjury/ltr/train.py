"""Training rankers for users (TH 5.5.2, 5.6.1)."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from difflib import get_close_matches
from math import isfinite
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.choices import LabelKind, Objective
from hungjury.base.errors import Argument, InputError, Note
from hungjury.base.files import cores
from hungjury.data.runs import Progress
from hungjury.ltr.data import RankingData
from hungjury.ltr.labels import GRADES
from hungjury.ltr.letor import RankingDataLike, as_ranking_data
from hungjury.ltr.objective import (
    LAMBDARANK,
    NMCG,
    Goal,
    Queries,
    Single,
    class_shares,
    need_lightgbm,
)
from hungjury.ltr.ranker import Ranker
from hungjury.users.model import PUBLISHED_SHAPE, UserModel, user_model

if TYPE_CHECKING:
    from lightgbm import Booster, Dataset
    from lightgbm.callback import CallbackEnv

# The papers' settings, and for each other names by which LightGBM knows it.
SETTINGS: dict[str, tuple[float | None, tuple[str, ...]]] = {
    "learning_rate": (0.05, ("shrinkage_rate", "eta")),
    "num_leaves": (64, ("num_leaf", "max_leaves", "max_leaf", "max_leaf_nodes")),
    "num_iterations": (
        1500,
        ("num_iteration", "n_iter", "num_tree", "num_trees", "num_round", "num_rounds", "nrounds",
         "num_boost_round", "n_estimators", "max_iter"),
    ),
    "early_stopping_round": (
        100, ("early_stopping_rounds", "early_stopping", "n_iter_no_change"),
    ),
    "seed": (0, ("random_seed", "random_state")),
    "verbosity": (-1, ("verbose",)),
    "num_threads": (None, ("num_thread", "nthread", "nthreads", "n_jobs")),
    # The same model on one core or two.
    "deterministic": (True, ()),
    "force_row_wise": (True, ("force_col_wise",)),
}  # fmt: skip
OURS = ("objective", "objective_type", "app", "application", "loss", "metric", "metrics")


def train_ranker(
    train: RankingDataLike,
    valid: RankingDataLike | None = None,
    objective: Objective = NMCG,
    user: str | os.PathLike[str] | UserModel = PUBLISHED_SHAPE,
    nav_rel: int = 3,
    *,
    cutoff: int = 10,
    labels: LabelKind = GRADES,
    progress: Progress | None = None,
    **lightgbm_parameters: Any,
) -> Ranker:
    """Train trees that rank documents for users, with LightGBM.

    The trees maximise nMCG, which weights ranks by how much the users of `user` look at them, for
    navigational and informational queries separately (nMCG-MART). Use it with a model calibrated on
    your own click log (`hungjury.calibrate`), and `hungjury.ltr.compare_rankers` to see whether it
    is better than λ-MART on your data. Labels may be probabilities, as merged judges give them.

    Parameters
    ----------
    train : path, RankingData or tuple
        A LETOR file, ranking data, or (features, labels, groups).
    valid : path, RankingData or tuple, optional
        With validation data, training stops when the measure has not risen for 100 trees, and the
        best number of trees is kept.
    objective : {"nmcg", "ndcg", "lambdarank"}
        nMCG@cutoff of `user`; nDCG by the same loops; or LightGBM's own nDCG.
    user : str, path or UserModel
        A user model, the file of a saved one, or ``"published-shape"``.
    nav_rel : int
        Queries with exactly one document of this grade or more are navigational.
    cutoff : int
        Ranks counted.
    labels : {"grades", "probabilities"}
        ``"probabilities"`` where labels are P(relevant).
    progress : callable, optional
        Called as ``progress(done, total, what)``.
    **lightgbm_parameters
        Parameters of LightGBM. Default: learning rate 0.05, 64 leaves, at most 1500 trees, seed 0.

    Returns
    -------
    Ranker
        The trees, with the measure's history on the validation data; ``ranker.rank(data)`` is a
        run, and ``ranker.save(path)`` keeps it with its users.

    Examples
    --------
    Five trees on random data, trained for the first ten ranks:

    >>> import numpy as np
    >>> import hungjury as hj
    >>> rng = np.random.default_rng(0)
    >>> data = hj.ltr.ranking_data(rng.random((60, 3)), rng.integers(0, 4, 60), [10] * 6)
    >>> hj.train_ranker(data, nav_rel=1, num_iterations=5, min_data_in_leaf=5)
    Ranker(nmcg, nMCG@10, 5 trees)
    """
    goal = Goal(objective, user_model(user), nav_rel, cutoff)
    data = as_ranking_data(train, labels)
    seen = [] if valid is None else [as_ranking_data(valid, labels, data.features.shape[1])]
    for one in seen:
        if one.features.shape[1] != data.features.shape[1]:
            raise InputError(
                f"{data.features.shape[1]} features in the training data, but the validation data "
                f"has {one.features.shape[1]}",
                code="other-features",
                remedy="give both the same features",
            )
    settings = parameters_with(lightgbm_parameters, stop_early=bool(seen))
    notes = user_notes(goal, data)
    for note in notes:
        warnings.warn(str(note), stacklevel=2)
    booster, history = boost(
        goal, data, [("valid", one) for one in seen], [goal], settings, progress
    )
    trees = booster.best_iteration or booster.current_iteration()
    return Ranker(booster, goal, trees, history, settings, data.notes + notes)


def parameters_with(given: Mapping[str, Any], stop_early: bool) -> dict[str, Any]:
    """Return LightGBM's parameters: those given, and for all others the defaults."""
    for name in OURS:
        if name in given:
            raise InputError(
                f"the parameter {name} is set by the objective",
                code="fixed-parameter",
                remedy=("choose", Argument("objective", *get_args(Objective))),
            )
    _check_parameters(given)
    settings = dict(given)
    for name, (value, aliases) in SETTINGS.items():
        if name not in given and not any(alias in given for alias in aliases):
            settings[name] = cores() if name == "num_threads" else value
    if not stop_early:
        for name in ("early_stopping_round", *SETTINGS["early_stopping_round"][1]):
            settings.pop(name, None)
    return settings


def _check_parameters(given: Mapping[str, Any]) -> None:
    """Refuse what LightGBM accepts silently: unknown names and numbers that are not finite."""
    known = {*SETTINGS, *(alias for _, aliases in SETTINGS.values() for alias in aliases)}
    if not known.issuperset(given):
        known |= lightgbm_names()
    for name, value in given.items():
        if name not in known:
            near = get_close_matches(name, sorted(known), 1)
            raise InputError(
                f"LightGBM has no parameter '{name}'",
                code="unknown-parameter",
                argument=name,
                remedy=f"did you mean '{near[0]}'?" if near else "see LightGBM's documentation",
            )
        if isinstance(value, float) and not isfinite(value):
            raise InputError(
                f"the parameter {name} is {value}",
                code="out-of-range",
                argument=name,
                remedy="give a finite number",
            )


def lightgbm_names() -> set[str]:
    """Return all parameters of LightGBM and their other names, as it lists them itself."""
    import ctypes
    import json

    library = need_lightgbm().basic._LIB
    size = ctypes.c_int64(0)
    buffer = ctypes.create_string_buffer(1 << 20)
    library.LGBM_DumpParamAliases(ctypes.c_int64(len(buffer)), ctypes.byref(size), buffer)
    listed: dict[str, list[str]] = json.loads(buffer.value)
    return {*listed, *(alias for aliases in listed.values() for alias in aliases)}


def boost(
    goal: Goal,
    data: RankingData,
    seen: list[tuple[str, RankingData]],
    measured: list[Goal],
    settings: Mapping[str, Any],
    progress: Progress | None = None,
) -> tuple[Booster, dict[str, tuple[float, ...]]]:
    """Train a booster; return it and, for each monitored set, its measures after every tree."""
    lightgbm = need_lightgbm()
    built_in = goal.name == LAMBDARANK
    if built_in and data.labels.grades is None:
        raise InputError(
            "LightGBM's lambdarank needs integer grades, but these labels are probabilities",
            code="needs-grades",
            argument="objective",
            remedy="objective 'ndcg' or 'nmcg' takes them as expected gains",
        )
    prepared: dict[int, list[Queries]] = {}

    def dataset(one: RankingData, goals: list[Goal], like: Dataset | None = None) -> Dataset:
        made: Dataset = lightgbm.Dataset(
            one.features, label=one.labels.plain(), group=one.sizes, params=dict(settings),
            reference=like,
        )  # fmt: skip
        prepared[id(made)] = [g.queries(one.labels, one.offsets) for g in goals]
        return made

    learnt = dataset(data, [goal])
    looked = [dataset(one, measured, learnt) for _, one in seen]

    def gradient(scores: Floats, part: Dataset) -> tuple[Single, Single]:
        return prepared[id(part)][0].lambdas(scores)

    def metric(scores: Floats, part: Dataset) -> list[tuple[str, float, bool]]:
        return [
            (g.short, float(queries.values(scores).mean()), True)
            for g, queries in zip(measured, prepared[id(part)], strict=True)
        ]

    def advance(state: CallbackEnv) -> None:
        if progress is not None:
            progress(state.iteration + 1, state.end_iteration, "training")

    found: dict[str, dict[str, list[float]]] = {}
    try:
        booster = lightgbm.train(
            {**settings, "objective": LAMBDARANK if built_in else gradient, "metric": "none"},
            learnt,
            valid_sets=looked,
            valid_names=[name for name, _ in seen],
            feval=metric if looked else None,
            callbacks=[lightgbm.record_evaluation(found), advance],
        )
    except lightgbm.basic.LightGBMError as error:
        if "num_features()" in str(error):
            raise InputError(
                "no feature can split the documents: they are too few, or no feature varies",
                code="no-features",
                remedy="give more documents, or smaller leaves with LightGBM's min_data_in_leaf",
            ) from None
        raise InputError(
            f"LightGBM refuses: {str(error).partition(' at /')[0].strip()}",
            code="lightgbm-error",
            remedy="see LightGBM's documentation",
        ) from None
    return booster, {
        f"{name} {short}": tuple(values)
        for name, shorts in found.items()
        for short, values in shorts.items()
    }


def user_notes(goal: Goal, data: RankingData) -> tuple[Note, ...]:
    """Return notes on the users a ranker is trained for; none for other objectives."""
    if goal.name != NMCG:
        return ()
    return _missing_class(goal, data) + goal.user.notes(goal.cutoff)


def _missing_class(goal: Goal, data: RankingData) -> tuple[Note, ...]:
    """Note a user class without training queries."""
    if len(goal.user.classes) == 1:
        return ()
    share = class_shares(data.labels, data.offsets, goal.nav_rel)
    top = data.labels.largest
    if not share.any():
        hint = f"; the largest grade is {top}, nav_rel is {goal.nav_rel}"
        text = f"no training query is navigational{hint if top < goal.nav_rel else ''}"
    elif np.all(share == 1):
        text = "no training query is informational"
    else:
        return ()
    return (Note("class-without-data", 1, text, about="result"),)
