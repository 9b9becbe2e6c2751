"""A ranker with scikit-learn's interface; scikit-learn itself is not needed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
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
    user: str | os.PathLike[str] | UserModel = PUBLISHED_SHAPE
    nav_rel: int = 3
    cutoff: int = 10
    labels: LabelKind = GRADES
    learning_rate: float = 0.05
    num_leaves: int = 64
    n_estimators: int = 1500
    early_stopping_rounds: int = 100
    random_state: int = 0
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

    def predict(self, X: FeaturesLike) -> NDArray[np.float64]:
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
