"""LETOR / SVMlight text, and numpy's files of features, labels and queries, as ranking data."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hungjury import native
from hungjury.choices import LabelKind
from hungjury.collection.likes import FileLike
from hungjury.collection.reading import parse_text
from hungjury.collection.sources import Source, expand
from hungjury.errors import InputError
from hungjury.ltr.data import FeaturesLike, RankingData, check_together, ends, ranking_data
from hungjury.ltr.labels import GRADES, as_labels
from hungjury.machine import cores

__all__ = ["RankingDataLike", "as_ranking_data", "read_letor"]

RankingDataLike: TypeAlias = "RankingData | tuple[FeaturesLike, ArrayLike, ArrayLike] | FileLike"
ARRAYS = "_feature.npy"


def read_letor(source: FileLike, labels: LabelKind = GRADES, columns: int = 0) -> RankingData:
    """Read a LETOR file, ``label qid:query 1:value 2:value ... # document``, plain or gz.

    Parameters
    ----------
    source : path or open file
        A path that ends in ``_feature.npy`` means arrays saved by numpy, beside ``_label.npy`` and
        ``_group.npy``.
    labels : {"grades", "probabilities"}
        The kind of labels in the first column.
    columns : int
        Smallest number of features, if the file leaves out the last ones.

    Returns
    -------
    RankingData
        The rows. Features that a line leaves out are 0; ``nan`` is LightGBM's missing value. A
        document's id is ``docid = X`` in the comment, or the comment's first word.

    Examples
    --------
    >>> import io
    >>> import hungjury as hj
    >>> hj.ltr.read_letor(io.BytesIO(b"1 qid:1 1:0.5\\n0 qid:1 1:0.2\\n"))
    RankingData(1 query, 2 documents, 1 feature)
    """
    if isinstance(source, (str, os.PathLike)) and os.fspath(source).endswith(ARRAYS):
        return _arrays(os.fspath(source), labels)
    files = expand(source)
    if len(files) > 1:
        raise InputError(
            f"there are {len(files)} files",
            code="several-files",
            remedy="give one, or join_data() several of them",
        )
    return _text(files[0], labels).padded_to(columns)


def _text(source: Source, kind: LabelKind) -> RankingData:
    table = native.FeatureTable()
    parse_text(source, table.feed, table.finish, cores())
    rows, width = table.rows, table.width
    if not rows or not width:
        raise InputError(
            "no row of features",
            code="empty-file",
            file=source.name,
            remedy="lines are LABEL qid:QUERY 1:VALUE 2:VALUE ...",
        )
    queries, documents = table.queries, table.documents
    check_together(queries, source.name)
    found = table.take()
    sizes = np.diff([*found["starts"].tolist(), rows])
    return RankingData(
        found["cells"].reshape(rows, width),
        as_labels(found["labels"], kind, rows, source.name, found["lines"]),
        ends(sizes),
        queries,
        tuple(documents) if any(documents) else None,
    )


def _arrays(path: str, kind: LabelKind) -> RankingData:
    start = path.removesuffix(ARRAYS)
    features, labels, groups = (_array(f"{start}_{what}.npy") for what in _KINDS)
    return ranking_data(features, labels, groups, kind=kind)


_KINDS = ("feature", "label", "group")


def _array(path: str) -> NDArray[Any]:
    try:
        return np.asarray(np.load(Path(path), allow_pickle=False))
    except OSError as error:
        raise InputError(
            f"cannot be read: {error.strerror}",
            code="unreadable-file",
            file=path,
            remedy="check the path",
        ) from None
    except ValueError:
        raise InputError(
            "not an array saved by numpy",
            code="not-numpy",
            file=path,
            remedy="make it with numpy.save",
        ) from None


def as_ranking_data(
    given: RankingDataLike, labels: LabelKind = GRADES, columns: int = 0
) -> RankingData:
    """Ranking data, given or made from a file or a tuple (features, labels, groups)."""
    if isinstance(given, RankingData):
        return given
    if isinstance(given, tuple):
        if len(given) != 3:
            raise InputError(
                f"there are {len(given)} arrays",
                code="array-count",
                remedy="give (features, labels, groups)",
            )
        features, values, groups = given
        return ranking_data(features, values, groups, kind=labels)
    return read_letor(given, labels, columns)
