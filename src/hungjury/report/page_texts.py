"""Texts of queries and documents for the report."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import field

from hungjury.collection.texts import DOCUMENTS, QUERIES, Kind, find_texts
from hungjury.records import Record
from hungjury.report.page_words import shown

__all__ = ["PageTexts", "TextFiles", "page_texts"]

MOST = 1500  # characters of one text; a page of whole documents would be too large to mail

TextFiles = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


class PageTexts(Record):
    """Head and body by id, as it is shown; None: no files were given."""

    queries: dict[str, tuple[str, str]] | None = field(default=None)
    documents: dict[str, tuple[str, str]] | None = field(default=None)


def page_texts(
    queries: TextFiles, documents: TextFiles, topics: Iterable[str], wanted: Iterable[str]
) -> PageTexts:
    """Find the texts of these topics and documents."""
    return PageTexts(
        _found(_listed(queries), topics, QUERIES), _found(_listed(documents), wanted, DOCUMENTS)
    )


def _listed(sources: TextFiles) -> list[str]:
    if isinstance(sources, (str, os.PathLike)):
        sources = [sources]
    return [os.fspath(source) for source in sources]


def _found(
    sources: list[str], wanted: Iterable[str], kind: Kind
) -> dict[str, tuple[str, str]] | None:
    if not sources:
        return None
    ids = list(dict.fromkeys(wanted))
    texts = find_texts(sources, ids, kind)
    every = ((name, texts.get(name)) for name in ids if name not in texts.missing)
    return {shown(name): (_short(text.head), _short(text.body)) for name, text in every}


def _short(text: str) -> str:
    return text if len(text) <= MOST else text[:MOST].rstrip() + " […]"
