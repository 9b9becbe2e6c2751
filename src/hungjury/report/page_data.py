"""What the report's script shows on demand: lists, texts and pairs, packed into one block.

The block is a header in JSON and columns of integers, compressed and written in base64. The script
unpacks it; nothing of it is markup, whatever ids and texts contain.
"""

from __future__ import annotations

import base64
import json
import math
import os
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hungjury.base.records import Record
from hungjury.data.texts import Kind, TextFiles, find_texts
from hungjury.judges.agreement import Agreement
from hungjury.leaderboard.board import Leaderboard
from hungjury.leaderboard.evidence import Evidence
from hungjury.report.board import shown
from hungjury.report.page_figures import common_prefix, matrix_judges

MOST = 1500  # characters of one text; a page of whole documents would be too large to mail


def page_texts(
    sources: TextFiles, wanted: Iterable[str], kind: Kind
) -> dict[str, tuple[str, str]] | None:
    """Find texts by id: head and body as they are shown; None if no files were given."""
    if isinstance(sources, (str, os.PathLike)):
        sources = [sources]
    paths = [os.fspath(source) for source in sources]
    if not paths:
        return None
    ids = list(dict.fromkeys(wanted))
    texts = find_texts(paths, ids, kind)
    every = ((name, texts.get(name)) for name in ids if name not in texts.missing)
    return {shown(name): (_short(text.head), _short(text.body)) for name, text in every}


def _short(text: str) -> str:
    return text if len(text) <= MOST else text[:MOST].rstrip() + " […]"


MOST_SYSTEMS = 1000  # systems that can be compared in pairs
MOST_PLACES = 600_000  # ranks of all lists together: about 2 MB of the page
MOST_UNJUDGED = 30_000  # documents that no judge labelled and whose ids are shown


class PageLists(Record, eq=False):
    """The lists of the best systems.

    Attributes
    ----------
    places
        [system, topic, rank]: as `Evidence.lists`.
    documents
        Places in the pool of all documents in the lists, ascending.
    unjudged
        Ids of documents that no judge labelled, as they are met in the lists.
    unjudged_at
        For each place of such a document, list after list, which of these ids it has: 1 and up, or
        0 where they are too many.
    """

    evidence: Evidence
    places: NDArray[np.int32]
    documents: NDArray[np.int32]
    unjudged: list[str]
    unjudged_at: NDArray[np.int64]

    @staticmethod
    def of(found: Evidence) -> PageLists:
        """As many lists as fit on a page."""
        room = max(MOST_PLACES // (len(found.alignment.pool.topics) * found.depth), 2)
        size = min(MOST_SYSTEMS, room)
        places = found.lists[:size]
        return PageLists(
            found, places, np.unique(places[places >= 0]), *_unjudged(found, found.unjudged[:size])
        )

    def ids(self) -> Iterator[str]:
        """Return ids of all documents that are shown."""
        pooled = self.evidence.alignment.pool.documents
        yield from (pooled[d] for d in self.documents)
        yield from self.unjudged


def _unjudged(found: Evidence, rows: NDArray[np.int32]) -> tuple[list[str], NDArray[np.int64]]:
    """Ids, and which of them each place has."""
    others = found.alignment.others
    assert others is not None
    met = rows[rows >= 0]
    _, first, which = np.unique(others.hash[met], return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(1, len(order) + 1)
    at = number[which.ravel()]
    ids = [others.id(int(k)) for k in met[first[order[:MOST_UNJUDGED]]]]
    return ids, np.where(at > MOST_UNJUDGED, 0, at)


STEPS = 1000  # steps that the largest contribution is divided into
NOT_KNOWN = -32768  # in place of a share or a gold label
LEVEL = 9  # of compression


class Packed(Record):
    """A header of plain values, and arrays by name."""

    head: dict[str, Any]
    columns: dict[str, NDArray[Any]]

    def __or__(self, other: Packed) -> Packed:
        return Packed(self.head | other.head, self.columns | other.columns)


def packed(data: Packed) -> str:
    """Return text for the page: length of the header, header, columns."""
    columns = {name: _little(array) for name, array in data.columns.items()}
    kinds = {
        name: [array.dtype.kind + str(array.dtype.itemsize), array.size]
        for name, array in columns.items()
    }
    head = json.dumps(data.head | {"columns": kinds}, separators=(",", ":")).encode()
    body = b"".join(array.tobytes() for array in columns.values())
    block = len(head).to_bytes(4, "little") + head + body
    return base64.b64encode(zlib.compress(block, LEVEL)).decode()


def _little(array: NDArray[Any]) -> NDArray[Any]:
    """In little-endian order, as the script's arrays."""
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))


def script_data(
    board: Leaderboard, systems: list[str], lists: PageLists | None, texts: dict[str, Any]
) -> Packed:
    """Return chances of pairs, agreement of judges, and the lists of every system."""
    size = min(len(systems), MOST_SYSTEMS)
    upper = np.triu_indices(size, 1)
    beats = board.beats[upper]
    # Whole thousandths, but 0 and 1 for these alone.
    thousandths = np.where((beats > 0) & (beats < 1), np.clip(np.rint(1000 * beats), 1, 999),
                           1000 * beats)  # fmt: skip
    head = {"systems": systems[:size], "prefix": common_prefix(systems[:size])}
    data = Packed(
        head,
        {"beats": thousandths.astype(np.uint16), "apart": board.apart[upper].astype(np.uint8)},
    )
    if board.agreement is not None:
        data |= _agreement(board.agreement)
    if lists is not None and size > 1:
        data |= _lists(board, lists, texts)
    return data


def _agreement(found: Agreement) -> Packed:
    order = matrix_judges(found)
    pairs, upper = found.pairs, np.triu_indices(len(order), 1)
    at = np.ix_(order, order)
    return Packed(
        {"panel": [shown(found.judges[k]) for k in order]},
        {
            "kappa": _thousandths(pairs.kappa[at][upper]),
            "agreement": _thousandths(pairs.agreement[at][upper]),
            "common": pairs.common[at][upper].astype(np.uint32),
        },
    )


def _thousandths(values: NDArray[np.float64]) -> NDArray[np.int16]:
    return np.where(np.isnan(values), NOT_KNOWN, np.rint(1000 * values)).astype(np.int16)


def _lists(board: Leaderboard, lists: PageLists, texts: dict[str, Any]) -> Packed:
    """Return lists of the best systems, and what is known about the documents in them."""
    found, documents, size = lists.evidence, lists.documents, len(lists.places)
    pool = found.alignment.pool
    ends = np.searchsorted(documents, pool.offsets)
    # 0 after the end of a list, 1 not judged, else 2 plus the place among the topic's documents.
    place = np.searchsorted(documents, lists.places) - ends[:-1][None, :, None]
    place = np.where(lists.places >= 0, place + 2, lists.places + 2)
    added = found.contributions[:size]
    most = float(np.abs(added).max(initial=0.0)) or 1.0
    soft = found.panel.judgments.soft
    labels, none = _labels(found, documents)
    gold = np.zeros(0) if found.gold is None else found.gold[documents]
    names = [shown(pool.documents[d]) for d in documents]
    scores = board.cells[:size]
    if found.measure.average == "gmean":
        scores = np.exp(scores)
    judges = [shown(j) for j in found.panel.judgments.judges]
    head = {
        "depth": found.depth,
        "lists": size,
        "topics": [shown(t) for t in board.topics],
        "judges": judges,
        "judgesPrefix": common_prefix(judges),
        "documents": names,
        "documentsPrefix": common_prefix(names),
        "unjudged": [shown(name) for name in lists.unjudged],
        "threshold": min(found.measure.threshold, found.probability.shape[1]),
        "top": 1 if soft else max(found.panel.judgments.grades),
        "none": none,
        "soft": soft,
        "unit": most / STEPS,
        "smaller": found.measure.smaller_is_better,
        **texts,
    }
    return Packed(
        head,
        {
            "scores": scores.astype(np.float32),
            "ranked": _smallest(place),
            "unjudgedAt": _smallest(lists.unjudged_at),
            "added": np.rint(added * (STEPS / most)).astype(np.int16),
            "ends": ends.astype(np.uint32),
            "labels": _smallest(labels.T),  # judge after judge
            "chances": np.rint(100 * found.probability[documents].T).astype(np.uint8),
            "gold": np.where(np.isnan(gold), NOT_KNOWN, np.rint(100 * gold)).astype(np.int16),
        },
    )


def _labels(found: Evidence, documents: NDArray[Any]) -> tuple[NDArray[np.int64], int]:
    """[document, judge]: labels, probabilities in percent; and the number that says: no label."""
    given = found.panel.judgments
    row = np.full(len(given.pool), -1)
    row[documents] = np.arange(len(documents))
    mine = row[given.document] >= 0
    values = np.rint(given.label * 100) if given.soft else given.label
    none = math.floor(min(values.min(initial=0), 0)) - 1
    out = np.full((len(documents), len(given.judges)), none, dtype=np.int64)
    out[row[given.document[mine]], given.judge[mine]] = values[mine].astype(np.int64)
    return out, none


def _smallest(values: NDArray[Any]) -> NDArray[Any]:
    """Convert to the smallest integers that fit."""
    low, high = values.min(initial=0), values.max(initial=0)
    kinds = (np.uint8, np.int8, np.uint16, np.int16, np.int32)
    fitting = (k for k in kinds if np.iinfo(k).min <= low and high <= np.iinfo(k).max)
    return values.astype(next(fitting))
