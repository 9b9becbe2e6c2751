"""Folds: train, validation and test data, from files or by cutting one set into parts."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np

from hungjury.choices import LabelKind
from hungjury.errors import InputError
from hungjury.ltr.data import Features, RankingData, check_together, ends
from hungjury.ltr.labels import GRADES, Labels
from hungjury.ltr.letor import read_letor

__all__ = ["Fold", "FoldsLike", "join_data", "make_folds", "read_fold"]

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
        raise InputError(
            "no such folder",
            code="no-folder",
            file=str(folder),
            remedy="name a folder for each fold",
        )
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
    """Join several sets of ranking data.

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
    widths = [part.features.shape[1] for part in parts]
    if len(set(widths)) > 1:
        raise InputError(
            f"the parts have {' and '.join(map(str, widths))} features",
            code="other-features",
            remedy="give parts with the same features",
        )
    queries = [q for part in parts for q in part.queries]
    check_together(queries)
    named = None
    if any(part.named is not None for part in parts):
        named = tuple(name for part in parts for name in part.documents)
    return RankingData(
        _stacked([part.features for part in parts]),
        Labels.join([part.labels for part in parts]),
        ends(np.concatenate([part.sizes for part in parts])),
        queries,
        named,
        tuple(note for part in parts for note in part.notes),
    )


def _stacked(tables: list[Features]) -> Features:
    if any(hasattr(table, "tocsr") for table in tables):
        from scipy.sparse import vstack

        return vstack(tables, format="csr")
    return np.concatenate(tables)


def make_folds(data: RankingData, folds: int = 5) -> list[Fold]:
    """Split ranking data into folds.

    Parameters
    ----------
    data : RankingData
        All queries.
    folds : int
        Number of parts. Queries are split in their order, so that parts published one after the
        other stay intact.

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
        raise InputError(
            f"{folds} folds of {len(data.queries)} queries",
            code="out-of-range",
            argument="folds",
            remedy="make at least 3 folds, with a query in each",
        )
    parts = np.array_split(np.arange(len(data.queries)), folds)
    made = []
    for first in range(folds):
        *train, valid, test = [parts[(first + i) % folds] for i in range(folds)]
        chosen = (np.concatenate(train), valid, test)
        made.append((data.select(chosen[0]), data.select(chosen[1]), data.select(chosen[2])))
    return made
