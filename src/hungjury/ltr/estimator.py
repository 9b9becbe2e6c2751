"""A ranker with scikit-learn's interface; scikit-learn itself is not needed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hungjury.base.choices import LabelKind
from hungjury.base.errors import InputError
from hungjury.ltr.data import FeaturesLike, ranking_data
from hungjury.ltr.labels import GRADES
from hungjury.ltr.ranker import Ranker
from hungjury.ltr.train import train_ranker
from hungjury.users.model import PUBLISHED_SHAPE, UserModel

if TYPE_CHECKING:
    from sklearn.utils import Tags
    from typing_extensions import Self

__all__ = ["NMCGRanker"]

PARAMETERS = (
    "user", "nav_rel", "cutoff", "labels", "learning_rate", "num_leaves", "n_estimators",
    "early_stopping_rounds", "random_state", "lightgbm_parameters",
)  # fmt: skip


class NMCGRanker:
    """nMCG-MART with `fit` and `predict`; parameters as in `train_ranker`.

    lightgbm_parameters: a dict of anything else that LightGBM takes. After `fit`, `ranker_` is the
    trained `Ranker` and `best_iteration_` its number of trees.
    """

    def __init__(
        self,
        user: str | os.PathLike[str] | UserModel = PUBLISHED_SHAPE,
        nav_rel: int = 3,
        cutoff: int = 10,
        labels: LabelKind = GRADES,
        learning_rate: float = 0.05,
        num_leaves: int = 64,
        n_estimators: int = 1500,
        early_stopping_rounds: int = 100,
        random_state: int = 0,
        lightgbm_parameters: Mapping[str, Any] | None = None,
    ) -> None:
        # scikit-learn's clone needs every parameter unchanged.
        self.user = user
        self.nav_rel = nav_rel
        self.cutoff = cutoff
        self.labels = labels
        self.learning_rate = learning_rate
        self.num_leaves = num_leaves
        self.n_estimators = n_estimators
        self.early_stopping_rounds = early_stopping_rounds
        self.random_state = random_state
        self.lightgbm_parameters = lightgbm_parameters

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """All parameters by name."""
        return {name: getattr(self, name) for name in PARAMETERS}

    def set_params(self, **values: Any) -> Self:
        """Change parameters, for the next `fit`."""
        for name, value in values.items():
            if name not in PARAMETERS:
                raise InputError(
                    f"NMCGRanker has no parameter {name}",
                    code="unknown-parameter",
                    remedy=f"choose from {', '.join(PARAMETERS)}; LightGBM's own go into "
                    "lightgbm_parameters",
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = type(self)()
        changed = [n for n in PARAMETERS if getattr(self, n) != getattr(defaults, n)]
        return f"NMCGRanker({', '.join(f'{n}={getattr(self, n)!r}' for n in changed)})"

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
        """group: the query of every row, or the number of rows of each query.

        valid: (features, labels, groups) of other queries, to stop early.
        """
        self.ranker_ = train_ranker(
            ranking_data(X, y, group, kind=self.labels),
            valid,
            user=self.user,
            nav_rel=self.nav_rel,
            cutoff=self.cutoff,
            labels=self.labels,
            learning_rate=self.learning_rate,
            num_leaves=self.num_leaves,
            n_estimators=self.n_estimators,
            early_stopping_rounds=self.early_stopping_rounds,
            random_state=self.random_state,
            **(self.lightgbm_parameters or {}),
        )
        self.best_iteration_ = self.ranker_.trees
        self.n_features_in_ = self.ranker_.features
        return self

    def predict(self, X: FeaturesLike) -> NDArray[np.float64]:
        """[row]: scores; larger is better within a query."""
        return self._fitted().predict(X)

    def score(self, X: FeaturesLike, y: ArrayLike, group: ArrayLike | None = None) -> float:
        """The mean of nMCG over queries."""
        data = ranking_data(X, y, group, kind=self.labels)
        return float(self._fitted().score(data).mean())

    def _fitted(self) -> Ranker:
        if not hasattr(self, "ranker_"):
            raise InputError("the ranker is not fitted", code="not-fitted", remedy="call fit first")
        return self.ranker_
