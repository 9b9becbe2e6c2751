"""Labels, rankings and texts from ir_datasets, by id."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from hungjury.base.errors import InputError, MissingExtra

PREFIX = "ir_datasets:"


def dataset_text(name: str, part: str) -> bytes:
    """Return the part "qrels" or "scoreddocs" of the dataset ``ir_datasets:ID``, as a TREC file."""
    dataset = _load(name, part)
    identifier = name.removeprefix(PREFIX)
    lines = _labels(dataset) if part == "qrels" else _ranking(dataset, identifier)
    return "".join(lines).encode("utf-8")


def dataset_rows(name: str, part: str, wanted: Collection[str]) -> Iterator[dict[str, Any]]:
    """Return the wanted "queries" or "docs" of the dataset ``ir_datasets:ID``."""
    dataset = _load(name, part)
    if part == "docs":
        rows = dataset.docs_store().get_many_iter(wanted)
    else:
        rows = (row for row in dataset.queries_iter() if row.query_id in wanted)
    return (row._asdict() for row in rows)


def _load(name: str, part: str) -> Any:
    """Load the dataset, and check that it has this part."""
    try:
        import ir_datasets
    except ImportError:
        raise MissingExtra("ir_datasets", "ecosystem", f"reading {name}") from None
    identifier = name.removeprefix(PREFIX)
    try:
        dataset = ir_datasets.load(identifier)
    except KeyError:
        raise InputError(
            f"ir_datasets has no dataset '{identifier}'",
            code="unknown-dataset",
            file=name,
            remedy="see https://ir-datasets.com for the ids",
        ) from None
    if not getattr(dataset, f"has_{part}")():
        raise InputError(
            f"the dataset has no {part}",
            code="missing-part",
            file=name,
            remedy="use a subset that has them",
        )
    return dataset


def _labels(dataset: Any) -> Iterator[str]:
    for row in dataset.qrels_iter():
        group = getattr(row, "iteration", None) or getattr(row, "subtopic_id", None) or "0"
        yield f"{row.query_id} {group} {row.doc_id} {row.relevance}\n"


def _ranking(dataset: Any, identifier: str) -> Iterator[str]:
    for row in dataset.scoreddocs_iter():
        yield f"{row.query_id} Q0 {row.doc_id} 0 {row.score!r} {identifier}\n"
