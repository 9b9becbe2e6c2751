"""Training rankers for users (TH 5.5.2, 5.6.1)."""

from __future__ import annotations

import ctypes
import json
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from difflib import get_close_matches
from math import isfinite
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from hungjury.base.arrays import ArrayLike, Floats
from hungjury.base.choices import LabelKind, Objective
from hungjury.base.errors import Argument, InputError, Note
from hungjury.base.files import cores
from hungjury.base.options import takes
from hungjury.base.parameters import MOST_TREES, check_count
from hungjury.data.runs import Progress
from hungjury.ltr.data import GRADES, FeaturesLike, RankingData, ranking_data
from hungjury.ltr.letor import RankingDataLike, as_ranking_data
from hungjury.ltr.objective import (
    LAMBDARANK,
    NMCG,
    Goal,
    GradedQueries,
    Queries,
    Single,
    class_shares,
    need_lightgbm,
)
from hungjury.ltr.options import FEATURES, GOAL, TREES, split_options
from hungjury.ltr.ranker import Ranker

if TYPE_CHECKING:
    from lightgbm import Booster, Dataset
    from lightgbm.callback import CallbackEnv
    from sklearn.utils import Tags
    from typing_extensions import Self

    from hungjury.users.model import UserModel

# The same model on one core or two.
STEADY = {"verbosity": -1, "deterministic": True, "force_row_wise": True}
# Parameters of LightGBM's own command, files, predictions, clusters, objectives and metrics.
USELESS = {
    "task", "config", "data", "valid", "input_model", "output_model", "output_result",
    "saved_feature_importance_type", "snapshot_freq", "header", "label_column", "weight_column",
    "group_column", "ignore_column", "two_round", "save_binary", "precise_float_parser",
    "parser_config_file", "pre_partition", "refit_decay_rate", "start_iteration_predict",
    "num_iteration_predict", "predict_raw_score", "predict_leaf_index", "predict_contrib",
    "predict_disable_shape_check", "pred_early_stop", "pred_early_stop_freq",
    "pred_early_stop_margin", "convert_model", "convert_model_language", "num_machines",
    "local_listen_port", "time_out", "machine_list_filename", "machines", "num_class",
    "is_unbalance", "scale_pos_weight", "boost_from_average", "reg_sqrt", "alpha", "fair_c",
    "poisson_max_delta_step", "tweedie_variance_power", "objective_seed",
    "lambdarank_position_bias_regularization", "metric_freq", "is_provide_training_metric",
    "eval_at", "multi_error_top_k", "auc_mu_weights",
}  # fmt: skip
OF_LAMBDARANK = {"lambdarank_truncation_level", "lambdarank_norm", "label_gain", "sigmoid"}


@takes(GOAL | FEATURES, "lightgbm_parameters")
def train_ranker(
    train: RankingDataLike,
    valid: RankingDataLike | None = None,
    objective: Objective = NMCG,
    *,
    labels: LabelKind = GRADES,
    progress: Progress | None = None,
    **options: Any,
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
    objective : {"nmcg", "ndcg", "lambdarank", "xgap", "egap"}
        nMCG@cutoff of `user`; nDCG by the same loops; LightGBM's own nDCG; or xGAP or eGAP, for
        users who differ in the lowest grade that satisfies them.
    labels : {"grades", "probabilities"}
        ``"probabilities"`` where labels are P(relevant).
    progress : callable, optional
        Called as ``progress(done, total, what)``.
    {options}
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
    Ranker(nmcg, nMCG(user="published-shape", nav_rel=1)@10, 5 trees)
    """
    wanted, features, parameters = split_options(options)
    data = as_ranking_data(train, labels).using(**features)
    goal = Goal.of(objective, **wanted).on(data.labels)
    seen = [] if valid is None else [as_ranking_data(valid, labels, data.features.shape[1])]
    for one in seen:
        if one.features.shape[1] != data.features.shape[1]:
            raise InputError(
                f"{data.features.shape[1]} features in the training data, but the validation data "
                f"has {one.features.shape[1]}",
                code="other-features",
                remedy="give both the same features",
            )
    settings = parameters_with(parameters, bool(seen), [objective])
    notes = user_notes(goal, data)
    for note in notes:
        warnings.warn(str(note), stacklevel=3)  # the caller of the public function
    booster, history = boost(
        goal, data, [("valid", one) for one in seen], [goal], settings, progress
    )
    trees = booster.best_iteration or booster.current_iteration()
    return Ranker(booster, goal, trees, history, settings, data.notes + notes)


def parameters_with(
    given: Mapping[str, Any], stop_early: bool, objectives: Sequence[Objective] = (NMCG,)
) -> dict[str, Any]:
    """Return LightGBM's parameters: those given, and for all others the defaults."""
    known = lightgbm_names()
    _check_parameters(given, known, objectives)
    named = {known[name] for name in given}
    ours = {name: option.default for name, option in TREES.items()}
    ours |= STEADY | {"num_threads": cores()}
    if "force_col_wise" in named:
        del ours["force_row_wise"]
    settings = {**given, **{name: ours[name] for name in ours if name not in named}}
    return {
        name: value
        for name, value in settings.items()
        if stop_early or known[name] != "early_stopping_round"
    }


def _check_parameters(
    given: Mapping[str, Any], known: Mapping[str, str], objectives: Sequence[Objective]
) -> None:
    """Refuse what LightGBM accepts silently: names without an effect, and infinite numbers."""
    without_effect = USELESS if LAMBDARANK in objectives else USELESS | OF_LAMBDARANK
    for name, value in given.items():
        if name not in known:
            near = get_close_matches(name, sorted(known), 1)
            raise InputError(
                f"LightGBM has no parameter '{name}'",
                code="unknown-parameter",
                argument=name,
                remedy=f"did you mean '{near[0]}'?" if near else "see LightGBM's documentation",
            )
        if known[name] in ("objective", "metric"):
            raise InputError(
                f"the parameter {name} is set by the objective",
                code="fixed-parameter",
                remedy=("choose", Argument("objective", *get_args(Objective))),
            )
        if known[name] in without_effect:
            said = f"the parameter {name} has no effect on this training"
            remedy = "leave it out; features, labels and queries are used as they were read"
            raise InputError(said, code="parameter-without-effect", argument=name, remedy=remedy)
        number = TREES.get(known[name])
        if number is not None and isinstance(number.default, int):
            check_count(name, value, int(number.low or 0), int(number.high or MOST_TREES))
        finite = not isinstance(value, float) or isfinite(value)
        if not finite or not isinstance(value, (str, int, float, list, tuple)):
            said = f"the parameter {name} is {value!r:.60}"
            remedy = "give a finite number, text or a list"
            raise InputError(said, code="out-of-range", argument=name, remedy=remedy)


def lightgbm_names() -> dict[str, str]:
    """Return LightGBM's parameters by all their names, as it lists them itself."""
    library = need_lightgbm().basic._LIB
    size = ctypes.c_int64(0)
    buffer = ctypes.create_string_buffer(1 << 20)
    library.LGBM_DumpParamAliases(ctypes.c_int64(len(buffer)), ctypes.byref(size), buffer)
    listed: dict[str, list[str]] = json.loads(buffer.value)
    return {alias: name for name, aliases in listed.items() for alias in (name, *aliases)}


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
    goal = goal.on(data.labels)
    prepared: dict[int, list[Queries | GradedQueries]] = {}

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
            (str(g), float(queries.values(scores).mean()), True)
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
    except (lightgbm.basic.LightGBMError, UnicodeEncodeError) as error:
        if "num_features()" in str(error):
            said = "no feature can split the documents: they are too few, or no feature varies"
            remedy = "give more documents, or smaller leaves with LightGBM's min_data_in_leaf"
            raise InputError(said, code="no-features", remedy=remedy) from None
        said = f"LightGBM refuses: {str(error).partition(' at /')[0].strip()}"
        remedy = "see LightGBM's documentation"
        raise InputError(said, code="lightgbm-error", remedy=remedy) from None
    return booster, {
        f"{name} {measure}": tuple(values)
        for name, measures in found.items()
        for measure, values in measures.items()
    }


def user_notes(goal: Goal, data: RankingData) -> tuple[Note, ...]:
    """Return notes on the users a ranker is trained for; none for other objectives."""
    if goal.name != NMCG:
        return ()
    share = class_shares(data.labels, data.offsets, goal.nav_rel)
    top, text = data.labels.largest, ""
    if len(goal.user.classes) > 1 and not share.any():
        hint = f"; the largest grade is {top}, nav_rel is {goal.nav_rel}"
        text = f"no training query is navigational{hint if top < goal.nav_rel else ''}"
    elif len(goal.user.classes) > 1 and np.all(share == 1):
        text = "no training query is informational"
    without = [Note("class-without-data", 1, text, about="result")] if text else []
    return (*without, *goal.user.notes(goal.cutoff))


@dataclass(eq=False, repr=False)
class NMCGRanker:
    """nMCG-MART with scikit-learn's `fit` and `predict`.

    Use it in pipelines and searches of scikit-learn, which itself is not needed;
    `hungjury.train_ranker` does the same on files. After `fit`, `ranker_` is the trained `Ranker`
    and `best_iteration_` its number of trees.

    Parameters
    ----------
    user, nav_rel, cutoff, labels
        As in `hungjury.train_ranker`.
    learning_rate, num_leaves, n_estimators, early_stopping_rounds, random_state
        LightGBM's parameters of these names.
    lightgbm_parameters : mapping, optional
        Anything else that LightGBM takes.

    Examples
    --------
    >>> import numpy as np
    >>> import hungjury as hj
    >>> rng = np.random.default_rng(0)
    >>> X, y, groups = rng.random((60, 3)), rng.integers(0, 4, 60), [6] * 10
    >>> ranker = hj.ltr.NMCGRanker(n_estimators=5)
    >>> ranker.fit(X, y, groups).predict(X).shape
    (60,)
    """

    # scikit-learn's clone needs every parameter unchanged.
    user: str | os.PathLike[str] | UserModel = GOAL["user"].default
    nav_rel: int = GOAL["nav_rel"].default
    cutoff: int = GOAL["cutoff"].default
    labels: LabelKind = GRADES
    learning_rate: float = TREES["learning_rate"].default
    num_leaves: int = TREES["num_leaves"].default
    n_estimators: int = TREES["num_iterations"].default
    early_stopping_rounds: int = TREES["early_stopping_round"].default
    random_state: int = TREES["seed"].default
    lightgbm_parameters: Mapping[str, Any] | None = None

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return all parameters by name."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def set_params(self, **values: Any) -> Self:
        """Change parameters, for the next `fit`."""
        known = self.get_params()
        for name, value in values.items():
            if name not in known:
                raise InputError(
                    f"NMCGRanker has no parameter {name}",
                    code="unknown-parameter",
                    remedy=f"choose from {', '.join(known)}; LightGBM's own go into "
                    "lightgbm_parameters",
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        changed = [one for one in fields(self) if getattr(self, one.name) != one.default]
        shown = (f"{one.name}={getattr(self, one.name)!r}" for one in changed)
        return f"NMCGRanker({', '.join(shown)})"

    def __sklearn_tags__(self) -> Tags:
        """Tags for scikit-learn's own tools, which import it themselves."""
        from sklearn import utils

        return utils.Tags(
            estimator_type=None,
            target_tags=utils.TargetTags(required=True),
            input_tags=utils.InputTags(sparse=True, allow_nan=True),
        )

    def fit(
        self,
        X: FeaturesLike,
        y: ArrayLike,
        group: ArrayLike | None = None,
        valid: tuple[FeaturesLike, ArrayLike, ArrayLike] | None = None,
    ) -> Self:
        """Train on rows of features.

        Parameters
        ----------
        X : array_like or sparse matrix
            Features, [row, feature]; rows of a query are adjacent.
        y : array_like
            Labels of the rows.
        group : array_like
            The query of every row, or the number of rows of each query.
        valid : (features, labels, groups), optional
            Other queries, to stop early.

        Returns
        -------
        NMCGRanker
            The ranker itself.
        """
        options = self.get_params()
        more = options.pop("lightgbm_parameters") or {}
        data = ranking_data(X, y, group, kind=self.labels)
        self.ranker_ = train_ranker(data, valid, **options, **more)
        self.best_iteration_ = self.ranker_.trees
        self.n_features_in_ = self.ranker_.features
        return self

    def predict(self, X: FeaturesLike) -> Floats:
        """Return the scores of rows; larger is better within a query."""
        return self._fitted().predict(X)

    def score(self, X: FeaturesLike, y: ArrayLike, group: ArrayLike | None = None) -> float:
        """Return the mean of nMCG@cutoff over queries."""
        data = ranking_data(X, y, group, kind=self.labels)
        return float(self._fitted().score(data).mean())

    def _fitted(self) -> Ranker:
        if not hasattr(self, "ranker_"):
            raise InputError("the ranker is not fitted", code="not-fitted", remedy="call fit first")
        return self.ranker_
