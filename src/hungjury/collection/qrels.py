"""Qrels: one label per (topic, document), a grade or a probability."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hungjury.collection.labels import LabelPolicy
from hungjury.collection.notes import Note, few, plural
from hungjury.collection.pool import Pool
from hungjury.collection.reading import read_labels
from hungjury.errors import InputError
from hungjury.files import write_whole

__all__ = ["Qrels", "read_qrels"]


@dataclass(frozen=True, eq=False)
class Qrels:
    """Labels over a pool: `labels` are whole grades, or `p` the probabilities of relevance."""

    pool: Pool
    labels: NDArray[np.int16] | None
    grades: tuple[int, ...]
    p: NDArray[np.float64] | None = None
    policies: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()

    @property
    def topics(self) -> list[str]:
        return self.pool.topics

    @property
    def soft(self) -> bool:
        """True where labels are probabilities."""
        return self.p is not None

    @property
    def max_grade(self) -> int:
        return self.grades[-1]

    def __len__(self) -> int:
        return len(self.pool)

    def __repr__(self) -> str:
        kind = "probabilities" if self.soft else f"grades {self.grades[0]}-{self.grades[-1]}"
        return f"Qrels({len(self.topics)} topics, {len(self)} documents, {kind})"

    def at_least(self, rel: int) -> Qrels:
        """Binary labels as probabilities: 1 for grades of `rel` and above, else 0."""
        if self.labels is None:
            raise InputError(
                f"rel={rel} asks for grades, but these labels are probabilities already",
                remedy="leave rel out",
            )
        return replace(self, labels=None, grades=(0, 1), p=(self.labels >= rel).astype(float))

    def select(self, topics: Iterable[str]) -> Qrels:
        """Only some topics."""
        wanted = set(topics)
        keep = np.repeat([t in wanted for t in self.topics], np.diff(self.pool.offsets))
        return replace(
            self,
            pool=self.pool.select(keep),
            labels=None if self.labels is None else self.labels[keep],
            p=None if self.p is None else self.p[keep],
        )

    def to_dict(self) -> dict[str, dict[str, float]]:
        """``{topic: {document: label}}``, as pytrec_eval and ranx take it."""
        values: list[float] = (self.p if self.labels is None else self.labels).tolist()  # type: ignore[union-attr]
        out: dict[str, dict[str, float]] = {}
        for i, topic in enumerate(self.topics):
            part = self.pool.slice(i)
            out[topic] = dict(zip(self.pool.documents[part], values[part], strict=True))
        return out

    def write(self, path: str) -> None:
        """TREC columns; probabilities as decimals. The file appears whole or not at all."""
        lines = []
        for topic, labels in self.to_dict().items():
            lines += [f"{topic} 0 {document} {label!r}\n" for document, label in labels.items()]
        write_whole(path, "".join(lines))


def read_qrels(
    source: Any,
    duplicates: str = "error",
    grades: Iterable[int] | None = None,
    outside: str = "error",
) -> Qrels:
    """Read labels: TREC qrels, a table, a frame or ``{topic: {document: label}}``.

    duplicates: a document labelled twice, differently: "error", "first", "last" or "max".
    grades: the declared scale, such as range(4); default: 0 to the largest label of the input.
    outside: labels outside a declared scale: "error", "clip" or "missing".
    """
    policy = LabelPolicy.of(duplicates, grades, outside)
    found, _ = read_labels(source, policy)
    labels = None if found.soft else found.label.astype(np.int16)
    ordered = np.argsort(found.document)
    labels = None if labels is None else labels[ordered]
    return Qrels(
        found.pool,
        labels,
        found.grades,
        found.label[ordered] if found.soft else None,
        {"duplicates": duplicates, "grades": list(found.grades), "outside": outside},
        found.notes + _empty_topics(found.pool, found.label[ordered]),
    )


def _empty_topics(pool: Pool, labels: NDArray[Any]) -> tuple[Note, ...]:
    count = pool.sum_by_topic(labels > 0)
    none = [t for t, n in zip(pool.topics, count, strict=True) if n == 0]
    if not none:
        return ()
    text = f"{plural(len(none), 'topic')} without any relevant document: {few(none)}"
    return (Note("nothing-relevant", len(none), text),)


def as_qrels(source: Any) -> Qrels:
    """Qrels, whatever they come as."""
    return source if isinstance(source, Qrels) else read_qrels(source)
