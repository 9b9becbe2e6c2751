"""Use any aggregator with the interface of crowd-kit as a merge."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hungjury.choices import Scope
from hungjury.errors import MeasureError, MissingExtra
from hungjury.judges.merged import Merge, Verdict
from hungjury.judges.panel import Panel
from hungjury.parameters import required

__all__ = ["Aggregator", "CrowdKit", "is_aggregator"]


class _GivesLabels(Protocol):
    def fit_predict(self, data: Any, /) -> Any: ...


class _GivesProbabilities(Protocol):
    def fit_predict_proba(self, data: Any, /) -> Any: ...


Aggregator: TypeAlias = "_GivesLabels | _GivesProbabilities"


def is_aggregator(thing: object) -> bool:
    """Does it take a frame with the columns task, worker and label?"""
    return hasattr(thing, "fit_predict_proba") or hasattr(thing, "fit_predict")


class CrowdKit(Merge):
    """Probabilities where the aggregator has `fit_predict_proba`, else its labels."""

    aggregator: Any = required(kind=lambda value: value, doc="the aggregator")

    def __str__(self) -> str:
        return f"crowd-kit {type(self.aggregator).__name__}"

    @property
    def gives(self) -> str:  # type: ignore[override]
        return "probabilities" if self._has_posterior else "labels"

    @property
    def drawn_from(self) -> str:  # type: ignore[override]
        return "posterior" if self._has_posterior else "judges"

    @property
    def _has_posterior(self) -> bool:
        return hasattr(self.aggregator, "fit_predict_proba")

    def decide(self, panel: Panel, scope: Scope, rng: np.random.Generator) -> Verdict:
        panel.whole_labels(str(self))
        soft = self._has_posterior
        size = len(panel.grades)
        posterior = np.zeros((len(panel.pool), size))
        for frame in self._frames(panel, scope):
            tasks = np.unique(frame["task"].to_numpy())
            if soft:
                answer = self.aggregator.fit_predict_proba(frame)
                answer = answer.reindex(index=tasks, columns=range(size)).to_numpy(dtype=float)
                known = ~np.isnan(answer).all(axis=1)
                posterior[tasks] = np.nan_to_num(answer)
            else:
                labels = self.aggregator.fit_predict(frame).reindex(tasks).to_numpy(dtype=float)
                known = ~np.isnan(labels)
                posterior[tasks[known], labels[known].astype(np.int64)] = 1.0
            self._complain(tasks, known, panel)
        return Verdict(posterior=posterior) if soft else Verdict(np.argmax(posterior, axis=1))

    def _frames(self, panel: Panel, scope: Scope) -> Iterator[Any]:
        """Tasks are documents of the pool and labels positions in the grades."""
        try:
            from pandas import DataFrame
        except ImportError:
            raise MissingExtra("pandas", "crowd", str(self)) from None

        rows: list[NDArray[np.int64]] = [np.arange(len(panel.document))]
        if scope == "topic":
            topic = panel.pool.topic_of[panel.document]
            order = np.argsort(topic, kind="stable")
            rows = np.split(order, np.flatnonzero(np.diff(topic[order])) + 1)
        names = np.array(panel.judges, dtype=object)
        for part in rows:
            yield DataFrame(
                {
                    "task": panel.document[part],
                    "worker": names[panel.judge[part]],
                    "label": panel.choice[part],
                }
            )

    def _complain(self, tasks: NDArray[np.int32], known: NDArray[np.bool_], panel: Panel) -> None:
        if known.all():
            return
        document = panel.pool.documents[int(tasks[np.flatnonzero(~known)[0]])]
        raise MeasureError(
            f"{self} gave no label to document '{document}' ({int((~known).sum())} in all)",
            code="unlabelled-document",
            remedy="use an aggregator that labels every task, or another scope",
        )
