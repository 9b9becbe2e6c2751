"""LETOR / SVMlight text and numpy's files as ranking data, and folds of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from hungjury import native
from hungjury.base.arrays import Array, ArrayLike
from hungjury.base.choices import LabelKind
from hungjury.base.errors import InputError
from hungjury.base.files import cores, file_error
from hungjury.base.parameters import MOST_FEATURES, check_count
from hungjury.data.reading.lines import parse_text
from hungjury.data.reading.options import FileLike
from hungjury.data.reading.sources import Source, expand
from hungjury.ltr.data import (
    GRADES,
    FeaturesLike,
    Labels,
    RankingData,
    as_labels,
    check_together,
    ends,
    ranking_data,
)

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
        start = os.fspath(source).removesuffix("feature.npy")
        features, given, groups = (
            _array(f"{start}{of}.npy") for of in ("feature", "label", "group")
        )
        return ranking_data(features, given, groups, kind=labels)
    files = expand(source)
    if len(files) > 1:
        remedy = "give one, or join_data() several of them"
        raise InputError(f"there are {len(files)} files", code="several-files", remedy=remedy)
    check_count("columns", columns, 0, MOST_FEATURES)
    return _text(files[0], labels).padded_to(columns)


def _text(source: Source, kind: LabelKind) -> RankingData:
    table = native.FeatureTable()
    parse_text(source, table.feed, table.finish, cores())
    rows, width = table.rows, table.width
    if not rows or not width:
        remedy = "lines are LABEL qid:QUERY 1:VALUE 2:VALUE ..."
        raise InputError("no row of features", code="empty-file", file=source.name, remedy=remedy)
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


def _array(path: str) -> Array:
    try:
        return np.asarray(np.load(Path(path), allow_pickle=False))
    except OSError as error:
        raise file_error(path, error) from None
    except ValueError:
        said = "not an array saved by numpy"
        remedy = "make it with numpy.save"
        raise InputError(said, code="not-numpy", file=path, remedy=remedy) from None


def as_ranking_data(
    given: RankingDataLike, labels: LabelKind = GRADES, columns: int = 0
) -> RankingData:
    """Return ranking data from a file, a tuple (features, labels, groups) or as it is."""
    if isinstance(given, RankingData):
        return given
    if isinstance(given, tuple):
        if len(given) != 3:
            remedy = "give (features, labels, groups)"
            raise InputError(f"there are {len(given)} arrays", code="array-count", remedy=remedy)
        return ranking_data(*given, kind=labels)
    return read_letor(given, labels, columns)


Fold = tuple[RankingData, RankingData, RankingData]  # train, validation, test
Folder: TypeAlias = "str | os.PathLike[str]"
FoldsLike: TypeAlias = "Folder | Sequence[Folder | Fold]"
PARTS = (("train",), ("vali", "valid"), ("test",))
ENDINGS = (".txt", ".txt.gz", ".svm", ".svm.gz", ".letor", ".letor.gz", "_feature.npy")


def read_fold(folder: Folder, kind: LabelKind = GRADES) -> Fold:
    """Read the files train, vali (or valid) and test of a folder, as LETOR and MSLR have them.

    Parameters
    ----------
    folder : path
        The folder.
    kind : {"grades", "probabilities"}
        The kind of labels.

    Returns
    -------
    (train, validation, test)
        Ranking data.
    """
    place = Path(folder)
    if not place.is_dir():
        remedy = "name a folder for each fold"
        raise InputError("no such folder", code="no-folder", file=str(folder), remedy=remedy)
    parts = [read_letor(_part(place, names), kind) for names in PARTS]
    widest = max(part.features.shape[1] for part in parts)
    train, valid, test = (part.padded_to(widest) for part in parts)
    return train, valid, test


def _part(folder: Path, names: tuple[str, ...]) -> Path:
    for name in names:
        for ending in ENDINGS:
            if (found := folder / f"{name}{ending}").is_file():
                return found
    raise InputError(
        f"{names[0]}.txt is missing",
        code="missing-part",
        file=str(folder),
        remedy="a fold has train.txt, vali.txt and test.txt (.gz too), or train_feature.npy, "
        "train_label.npy, train_group.npy and so on",
    )


def join_data(parts: Sequence[RankingData]) -> RankingData:
    """Join several sets of ranking data, for example the parts of a fold to split them anew.

    Parameters
    ----------
    parts : sequence of RankingData
        The sets, in order.

    Returns
    -------
    RankingData
        All their queries.

    Examples
    --------
    >>> import numpy as np
    >>> import hungjury as hj
    >>> rng = np.random.default_rng(0)
    >>> data = hj.ltr.ranking_data(rng.random((60, 3)), rng.integers(0, 4, 60), [10] * 6)
    >>> parts = hj.ltr.make_folds(data, 3)[0]
    >>> hj.ltr.join_data(parts[:2])
    RankingData(4 queries, 40 documents, 3 features)
    """
    if not len(parts):
        raise InputError("no data to join", code="no-data", remedy="give at least one set")
    widths = [part.features.shape[1] for part in parts]
    if len(set(widths)) > 1:
        said = f"the parts have {' and '.join(map(str, widths))} features"
        raise InputError(said, code="other-features", remedy="give parts with the same features")
    queries = [q for part in parts for q in part.queries]
    check_together(queries)
    named = None
    if any(part.named is not None for part in parts):
        named = tuple(name for part in parts for name in part.documents)
    tables: list[Any] = [part.features for part in parts]
    if any(hasattr(table, "tocsr") for table in tables):
        from scipy.sparse import vstack

        tables = [vstack(tables, format="csr")]
    return RankingData(
        tables[0] if len(tables) == 1 else np.concatenate(tables),
        Labels.join([part.labels for part in parts]),
        ends(np.concatenate([part.sizes for part in parts])),
        queries,
        named,
        tuple(note for part in parts for note in part.notes),
    )


def make_folds(data: RankingData, folds: int = 5) -> list[Fold]:
    """Split ranking data into folds, as LETOR and MSLR are published.

    Parameters
    ----------
    data : RankingData
        All queries.
    folds : int
        Number of parts. Queries are split in their order: parts published one after the other
        stay intact.

    Returns
    -------
    list of (train, validation, test)
        Each part is the test data once; the part before it is the validation data, as in LETOR.

    Examples
    --------
    >>> import numpy as np
    >>> import hungjury as hj
    >>> rng = np.random.default_rng(0)
    >>> data = hj.ltr.ranking_data(rng.random((60, 3)), rng.integers(0, 4, 60), [10] * 6)
    >>> len(hj.ltr.make_folds(data, 3))
    3
    """
    if not 3 <= folds <= len(data.queries):
        said = f"{folds} folds of {len(data.queries)} queries"
        remedy = "make at least 3 folds, with a query in each"
        raise InputError(said, code="out-of-range", argument="folds", remedy=remedy)
    parts = np.array_split(np.arange(len(data.queries)), folds)
    made = []
    for first in range(folds):
        *train, valid, test = [parts[(first + i) % folds] for i in range(folds)]
        made.append((data.select(np.concatenate(train)), data.select(valid), data.select(test)))
    return made
