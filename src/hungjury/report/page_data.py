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
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hungjury.data.texts import DOCUMENTS, QUERIES, Kind, TextFiles, find_texts
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


STEPS = 1000  # steps that the largest contribution is divided into
NOT_KNOWN = -32768  # in place of a share or a gold label
LEVEL = 9  # of compression


def packed(data: Mapping[str, Any]) -> str:
    """Return text for the page: length of the header, header of plain values, arrays."""
    columns = {k: _little(v) for k, v in data.items() if isinstance(v, np.ndarray)}
    kinds = {k: [f"{v.dtype.kind}{v.dtype.itemsize}", v.size] for k, v in columns.items()}
    plain = {k: v for k, v in data.items() if k not in columns} | {"columns": kinds}
    head = json.dumps(plain, separators=(",", ":")).encode()
    body = b"".join(array.tobytes() for array in columns.values())
    block = len(head).to_bytes(4, "little") + head + body
    return base64.b64encode(zlib.compress(block, LEVEL)).decode()


def _little(array: NDArray[Any]) -> NDArray[Any]:
    """In little-endian order, as the script's arrays."""
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))


def script_data(
    board: Leaderboard, systems: list[str], queries: TextFiles, documents: TextFiles
) -> dict[str, Any]:
    """Return plain values and arrays by name: chances of pairs, agreement of judges, and the lists
    of every system."""
    size = min(len(systems), MOST_SYSTEMS)
    upper = np.triu_indices(size, 1)
    beats = board.beats[upper]
    # Whole thousandths, but 0 and 1 for these alone.
    thousandths = np.where((beats > 0) & (beats < 1), np.clip(np.rint(1000 * beats), 1, 999),
                           1000 * beats)  # fmt: skip
    data: dict[str, Any] = {
        "systems": systems[:size],
        "prefix": common_prefix(systems[:size]),
        "beats": thousandths.astype(np.uint16),
        "apart": board.apart[upper].astype(np.uint8),
    }
    if board.agreement is not None:
        data |= _agreement(board.agreement)
    if board.evidence is not None:
        lists = _lists(board, board.evidence, queries, documents)
        data |= lists if size > 1 else {}
    return data


def _agreement(found: Agreement) -> dict[str, Any]:
    order = matrix_judges(found)
    pairs, upper = found.pairs, np.triu_indices(len(order), 1)
    at = np.ix_(order, order)
    return {
        "panel": [shown(found.judges[k]) for k in order],
        "kappa": _thousandths(pairs.kappa[at][upper]),
        "agreement": _thousandths(pairs.agreement[at][upper]),
        "common": pairs.common[at][upper].astype(np.uint32),
    }


def _thousandths(values: NDArray[np.float64]) -> NDArray[np.int16]:
    return np.where(np.isnan(values), NOT_KNOWN, np.rint(1000 * values)).astype(np.int16)


def _lists(
    board: Leaderboard, found: Evidence, queries: TextFiles, documents: TextFiles
) -> dict[str, Any]:
    """Return as many lists of the best systems as fit on a page, and what is known about the
    documents in them."""
    pool = found.alignment.pool
    size = min(MOST_SYSTEMS, max(MOST_PLACES // (len(pool.topics) * found.depth), 2))
    places = found.lists[:size]
    listed = np.unique(places[places >= 0])  # places in the pool of all documents in the lists
    unjudged, unjudged_at = _unjudged(found, found.unjudged[:size])
    ends = np.searchsorted(listed, pool.offsets)
    # 0 after the end of a list, 1 not judged, else 2 plus the place among the topic's documents.
    place = np.searchsorted(listed, places) - ends[:-1][None, :, None]
    place = np.where(places >= 0, place + 2, places + 2)
    added = found.contributions[:size]
    most = float(np.abs(added).max(initial=0.0)) or 1.0
    soft = found.panel.judgments.soft
    labels, none = _labels(found, listed)
    gold = np.zeros(0) if found.gold is None else found.gold[listed]
    ids = [pool.documents[d] for d in listed]
    names = list(map(shown, ids))
    scores = board.cells[:size]
    if found.measure.average == "gmean":
        scores = np.exp(scores)
    judges = [shown(j) for j in found.panel.judgments.judges]
    return {
        "depth": found.depth,
        "lists": len(places),
        "topics": [shown(t) for t in board.topics],
        "judges": judges,
        "judgesPrefix": common_prefix(judges),
        "documents": names,
        "documentsPrefix": common_prefix(names),
        "unjudged": list(map(shown, unjudged)),
        "threshold": min(found.measure.threshold, found.probability.shape[1]),
        "top": 1 if soft else max(found.panel.judgments.grades),
        "none": none,
        "soft": soft,
        "unit": most / STEPS,
        "smaller": found.measure.smaller_is_better,
        "queries": page_texts(queries, board.topics, QUERIES),
        "texts": page_texts(documents, [*ids, *unjudged], DOCUMENTS),
        "scores": scores.astype(np.float32),
        "ranked": _smallest(place),
        "unjudgedAt": _smallest(unjudged_at),
        "added": np.rint(added * (STEPS / most)).astype(np.int16),
        "ends": ends.astype(np.uint32),
        "labels": _smallest(labels.T),  # judge after judge
        "chances": np.rint(100 * found.probability[listed].T).astype(np.uint8),
        "gold": np.where(np.isnan(gold), NOT_KNOWN, np.rint(100 * gold)).astype(np.int16),
    }


def _unjudged(found: Evidence, rows: NDArray[np.int32]) -> tuple[list[str], NDArray[np.int64]]:
    """Return ids of documents that no judge labelled, as they are met in the lists, and for each
    place of such a document, list after list, which of these ids it has: 1 and up, or 0 where they
    are too many."""
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
