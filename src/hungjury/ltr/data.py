"""RankingData: documents of queries as rows of features, with grades or grade probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hungjury.base.arrays import Floats
from hungjury.base.choices import LabelKind
from hungjury.base.errors import InputError, Note, check_choice, plural
from hungjury.base.records import Record
from hungjury.base.text import integer_of
from hungjury.data.labels import as_qrels
from hungjury.data.qrels import Qrels
from hungjury.data.reading.options import QrelsLike

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix, sparray, spmatrix

FeaturesLike: TypeAlias = "ArrayLike | spmatrix | sparray"
Features: TypeAlias = "NDArray[Any] | csr_matrix"


GRADES: Final = "grades"
PROBABILITIES: Final = "probabilities"
LARGEST_GRADE = 30  # the gain table ends here, as LightGBM's does


class Labels(Record, eq=False):
    """Either whole grades [row], or probabilities [row, grade]; P(relevant) is the case of two."""

    grades: NDArray[np.int64] | None = None
    chances: Floats | None = None

    @property
    def largest(self) -> int:
        """The largest grade that occurs, or that has a probability."""
        if self.chances is not None:
            return int(self.chances.shape[1]) - 1
        assert self.grades is not None
        return int(self.grades.max(initial=0))

    def gains(self) -> Floats:
        """Return 2^grade - 1 of every row, or its expectation."""
        if self.chances is None:
            assert self.grades is not None
            return np.asarray(np.exp2(self.grades) - 1)
        return np.asarray(self.chances @ (np.exp2(np.arange(self.chances.shape[1])) - 1))

    def at_least(self, grade: int) -> Floats:
        """Return P(that grade and more) of every row; 0 or 1 where grades are known."""
        if self.chances is None:
            assert self.grades is not None
            return (self.grades >= grade).astype(float)
        return np.asarray(np.minimum(self.chances[:, grade:].sum(axis=1), 1.0))

    def plain(self) -> NDArray[Any]:
        """Return the grade of every row, or its probability of relevance."""
        return self.at_least(1) if self.grades is None else self.grades

    def take(self, rows: NDArray[Any]) -> Labels:
        if self.chances is not None:
            return Labels(chances=self.chances[rows])
        assert self.grades is not None
        return Labels(grades=self.grades[rows])

    @staticmethod
    def join(parts: Sequence[Labels]) -> Labels:
        grades = [p.grades for p in parts if p.grades is not None]
        chances = [p.chances for p in parts if p.chances is not None]
        if grades and chances:
            raise InputError(
                "some parts have grades, others probabilities",
                code="mixed-labels",
                remedy="give all the same kind",
            )
        if grades:
            return Labels(grades=np.concatenate(grades))
        width = max(c.shape[1] for c in chances)
        return Labels(
            chances=np.concatenate([np.pad(c, ((0, 0), (0, width - c.shape[1]))) for c in chances])
        )


def as_labels(
    given: ArrayLike,
    kind: LabelKind,
    rows: int,
    file: str | None = None,
    lines: NDArray[np.int64] | None = None,
) -> Labels:
    """Check labels of rows; `file` and `lines` locate errors."""
    check_choice("labels", kind, get_args(LabelKind))
    values = as_array(given)
    if values.dtype.kind not in "fiub":
        raise InputError(
            "the labels are not numbers",
            code="not-numbers",
            argument="labels",
            file=file,
            remedy="give numbers",
        )
    if values.ndim not in (1, 2) or len(values) != rows:
        raise InputError(
            f"the labels have the shape {values.shape}, but there are {rows} rows of features",
            code="wrong-shape",
            argument="labels",
            file=file,
            remedy="give one label per row, or probabilities [row, grade]",
        )
    of = _Complaints(values, file, lines)
    of.check(~np.isfinite(values), "is not a number", "give every row a label")
    if values.ndim == 2:
        return _of_matrix(values.astype(float), of)
    if kind == PROBABILITIES:
        of.check(
            (values < 0) | (values > 1),
            "is not a probability",
            "probabilities must be between 0 and 1",
        )
        p = values.astype(float)
        return Labels(chances=np.stack([1 - p, p], axis=1))
    of.check(
        values != np.floor(values),
        "is not an integer grade",
        'say labels="probabilities" if it is the probability of relevance',
    )
    of.check(values < 0, "is below 0", "grades count from 0; leave unjudged documents out")
    of.check(
        values > LARGEST_GRADE,
        f"is larger than the largest grade {LARGEST_GRADE}",
        "gains are 2^grade - 1; map the labels to small grades",
    )
    return Labels(grades=values.astype(np.int64))


class _Complaints:
    """Reports the first wrong label and its location."""

    def __init__(
        self,
        values: NDArray[Any],
        file: str | None,
        lines: Sequence[int] | NDArray[np.int64] | None,
    ) -> None:
        self.values, self.file, self.lines = values, file, lines

    def check(self, bad: NDArray[np.bool_], what: str, remedy: str) -> None:
        wrong = bad if bad.ndim == 1 else bad.any(axis=1)
        if not wrong.any():
            return
        row = int(np.flatnonzero(wrong)[0])
        shown = self.values[row].tolist()
        where = "" if self.lines is not None else f" of row {row}"
        raise InputError(
            f"the label {shown}{where} {what}",
            code="invalid-label",
            file=self.file,
            line=None if self.lines is None else int(self.lines[row]),
            remedy=remedy,
        )


def _of_matrix(chances: Floats, of: _Complaints) -> Labels:
    if not 2 <= chances.shape[1] <= LARGEST_GRADE + 1:
        raise InputError(
            f"there are probabilities of {chances.shape[1]} grades",
            code="grade-count",
            remedy=f"give a column for each of 2 to {LARGEST_GRADE + 1} grades, 0 first",
        )
    uneven = abs(chances.sum(axis=1) - 1) > 1e-6
    of.check(
        (chances < 0).any(axis=1) | uneven,
        "does not sum to 1",
        "probabilities of grades must be non-negative and sum to 1",
    )
    return Labels(chances=chances)


def as_features(given: FeaturesLike) -> Features:
    """Return features [row, feature] as a compressed matrix if they are sparse, else an array."""
    return given.tocsr() if hasattr(given, "tocsr") else as_array(given)


def as_array(given: ArrayLike) -> NDArray[Any]:
    """Return an array, or refuse lists whose parts differ in length."""
    try:
        return np.asarray(given)
    except ValueError as error:
        raise InputError(
            f"not an array: {error}", code="ragged", remedy="give rows of the same length"
        ) from None


class RankingData(Record, eq=False):
    """Documents of queries as rows of features, with labels.

    Rows of a query are adjacent; query i has the rows ``offsets[i]`` to ``offsets[i + 1]``. Make it
    with `ranking_data` from arrays or `read_letor` from a file; `judged_by` replaces its labels by
    those of a panel, and `run` turns scores of its rows into a run that `evaluate` takes.
    """

    features: Features
    labels: Labels
    offsets: NDArray[np.int64]  # [query + 1]
    queries: list[str]
    named: tuple[str, ...] | None = None  # ids of the documents, where they have any
    notes: tuple[Note, ...] = ()

    def __len__(self) -> int:
        return int(self.offsets[-1])

    def __repr__(self) -> str:
        rows, columns = self.features.shape
        queries = "1 query" if len(self.queries) == 1 else f"{len(self.queries)} queries"
        return f"RankingData({queries}, {plural(rows, 'document')}, {plural(columns, 'feature')})"

    @property
    def sizes(self) -> NDArray[np.int64]:
        """[query]: its documents."""
        return np.diff(self.offsets)

    @cached_property
    def documents(self) -> list[str]:
        """Ids; a document without one is named by its query and its place in it, from 1."""
        given = self.named or ("",) * len(self)
        places = np.arange(len(self)) - np.repeat(self.offsets[:-1], self.sizes) + 1
        asked = np.repeat(np.arange(len(self.queries)), self.sizes)
        return [
            name or f"{self.queries[q]}-{place}"
            for name, q, place in zip(given, asked.tolist(), places.tolist(), strict=True)
        ]

    def select(self, queries: Sequence[int] | NDArray[Any]) -> RankingData:
        """Return only some queries, by their indices, in that order."""
        spans = [np.arange(self.offsets[q], self.offsets[q + 1]) for q in queries]
        rows = np.concatenate(spans) if spans else np.arange(0)
        return RankingData(
            self.features[rows],
            self.labels.take(rows),
            ends([len(s) for s in spans]),
            [self.queries[q] for q in queries],
            None if self.named is None else tuple(self.named[r] for r in rows.tolist()),
            self.notes,
        )

    def padded_to(self, columns: int) -> RankingData:
        """Pad to at least that many features with 0, as SVMlight leaves them out."""
        rows, now = self.features.shape
        if now >= columns:
            return self
        if hasattr(self.features, "tocsr"):
            wider = self.features.copy()
            wider.resize((rows, columns))
        else:
            wider = np.hstack([self.features, np.zeros((rows, columns - now))])
        return replace(self, features=wider)

    def using(
        self, features: str | Sequence[int] | None = None, drop: str | Sequence[int] | None = None
    ) -> RankingData:
        """Return the same rows with only some features, numbered from 1, or without some.

        The others are 0 everywhere, so trees cannot split on them, and a ranker trained on these
        rows takes rows with all features.
        """
        columns = self.features.shape[1]
        used = np.full(columns, features is None)
        if features is not None:
            used[_numbers(features, "features", columns)] = True
        if drop is not None:
            used[_numbers(drop, "drop", columns)] = False
        if used.all():
            return self
        given: Any = self.features
        sparse = hasattr(given, "tocsr")
        return replace(
            self, features=given.multiply(used).tocsr() if sparse else np.where(used, given, 0)
        )

    def judged_by(self, qrels: QrelsLike) -> RankingData:
        """Return the same documents with the labels of `qrels`.

        These are grades, or probabilities as merged judges or soft qrels give them. Documents
        without a label are not relevant; queries without any are left out. Notes report both.
        """
        labels = as_qrels(qrels)
        known = set(labels.topics)
        kept = [i for i, query in enumerate(self.queries) if query in known]
        data = self.select(kept)
        asked = np.repeat(np.arange(len(data.queries)), data.sizes).tolist()
        found = np.array(
            [
                labels.pool.find(data.queries[q], d)
                for q, d in zip(asked, data.documents, strict=True)
            ],
            dtype=np.int64,
        )
        if not (found >= 0).any():
            raise InputError(
                "no document of the features has a label in the qrels",
                code="no-labelled-document",
                remedy="queries and documents need the same ids; name documents after # in "
                "LETOR files, or with the argument documents",
            )
        notes = _unlabelled(int((found < 0).sum()), set(self.queries) - known)
        return replace(data, labels=_gathered(labels, found), notes=data.notes + notes)

    def qrels(self) -> dict[str, dict[str, Any]]:
        """Return the labels as ``{query: {document: label}}``, grades or P(relevant)."""
        return self._by_name(self.labels.plain().tolist())

    def run(self, scores: NDArray[np.float64]) -> dict[str, dict[str, float]]:
        """Return scores of all rows as a run, ``{query: {document: score}}``."""
        return self._by_name(scores.tolist())

    def _by_name(self, values: list[Any]) -> dict[str, dict[str, Any]]:
        """Return values of all rows by query and document; repeated names are an error."""
        documents = self.documents
        found: dict[str, dict[str, Any]] = {}
        for query, part in self._parts():
            names = documents[part]
            found[query] = dict(zip(names, values[part], strict=True))
            if len(found[query]) < len(names):
                name = next(n for n in names if names.count(n) > 1)
                raise InputError(
                    f"query '{query}' has {names.count(name)} documents called '{name}'",
                    code="ambiguous-document",
                    remedy="name the documents of a query differently (# NAME at the end of their "
                    "lines), or leave all names out",
                )
        return found

    def _parts(self) -> list[tuple[str, slice]]:
        spans = pairwise(self.offsets.tolist())
        return [(q, slice(*span)) for q, span in zip(self.queries, spans, strict=True)]


def _numbers(given: str | Sequence[int], argument: str, columns: int) -> list[int]:
    """Return places of features, from numbers or text such as "1-20,25"."""
    found: list[int] = []
    for part in given.split(",") if isinstance(given, str) else map(str, given):
        first, last = (integer_of(end) for end in (part.partition("-")[0], part.rpartition("-")[2]))
        if first is None or last is None or not 1 <= first <= last <= columns:
            raise InputError(
                f"invalid features {part!r}",
                code="unknown-feature",
                argument=argument,
                remedy=f"give numbers from 1 to {columns}, such as 1-20,25",
            )
        found += range(first - 1, last)
    return found


def _unlabelled(documents: int, queries: set[str]) -> tuple[Note, ...]:
    notes = []
    if documents:
        text = f"{plural(documents, 'document')} without a label: taken as not relevant"
        notes.append(Note("unlabelled-documents", documents, text))
    if queries:
        text = "queries without labels, left out"
        names = tuple(sorted(queries))
        notes.append(Note("unlabelled-queries", len(queries), text, subjects=names))
    return tuple(notes)


def _gathered(qrels: Qrels, found: NDArray[np.int64]) -> Labels:
    """Gather labels of documents by their index in the pool; -1: not in it."""
    missing = found < 0
    if qrels.labels is not None:
        grades = np.maximum(qrels.labels[found], 0).astype(np.int64)  # below 0: not judged
        return Labels(grades=np.where(missing, 0, grades))
    chances = qrels.grade_p
    if chances is None:
        assert qrels.p is not None
        chances = np.stack([1 - qrels.p, qrels.p], axis=1)
    nothing = np.eye(chances.shape[1])[0]
    return Labels(chances=np.where(missing[:, None], nothing, chances[found]))


def ranking_data(
    features: FeaturesLike,
    labels: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    documents: Sequence[str] | None = None,
    kind: LabelKind = GRADES,
) -> RankingData:
    """Make ranking data from arrays.

    Parameters
    ----------
    features : array_like or sparse matrix
        [row, feature].
    labels : array_like, optional
        A grade per row; with ``kind="probabilities"`` P(relevant) per row; or probabilities [row,
        grade]. None where nothing is known, as when ranking.
    groups : array_like, optional
        The query of every row, or the number of rows of each query, as LightGBM takes it.
    documents : sequence of str, optional
        Ids of the rows.
    kind : {"grades", "probabilities"}
        The kind of labels.

    Returns
    -------
    RankingData
        The data.

    Examples
    --------
    >>> import numpy as np
    >>> import hungjury as hj
    >>> rng = np.random.default_rng(0)
    >>> data = hj.ltr.ranking_data(rng.random((60, 3)), rng.integers(0, 4, 60), [10] * 6)
    >>> data
    RankingData(6 queries, 60 documents, 3 features)
    """
    table = as_features(features)
    if table.dtype.kind not in "fiub":
        raise InputError(
            "the features are not numbers",
            code="not-numbers",
            argument="features",
            remedy="give a table of numbers",
        )
    if table.ndim != 2 or 0 in table.shape:
        raise InputError(
            f"the features have the shape {table.shape}",
            code="wrong-shape",
            argument="features",
            remedy="give rows of documents' features",
        )
    rows = table.shape[0]
    offsets, queries = _queries(groups, rows)
    if documents is not None and len(documents) != rows:
        raise InputError(
            f"there are {len(documents)} document ids for {rows} rows",
            code="wrong-length",
            argument="documents",
            remedy="give one id per row",
        )
    given = (
        Labels(grades=np.zeros(rows, dtype=np.int64))
        if labels is None
        else as_labels(labels, kind, rows)
    )
    named = None if documents is None else tuple(map(str, documents))
    return RankingData(table, given, offsets, queries, named)


def _queries(groups: ArrayLike | None, rows: int) -> tuple[NDArray[np.int64], list[str]]:
    if groups is None:
        raise InputError(
            "the rows of each query are not known",
            code="no-groups",
            argument="groups",
            remedy="give the query of every row, or the number of rows of each query",
        )
    given = as_array(groups)
    if given.ndim != 1 or not len(given):
        raise InputError(
            f"the groups have the shape {given.shape}",
            code="wrong-shape",
            argument="groups",
            remedy="give one list: the query of each row, or the number of rows of each query",
        )
    if len(given) == rows:
        return _by_query([str(q) for q in given.tolist()])
    if given.dtype.kind not in "iu":
        raise InputError(
            f"there are {len(given)} groups for {rows} rows",
            code="wrong-length",
            argument="groups",
            remedy="give the query of every row, or the numbers of rows of all queries",
        )
    return _by_size(given.astype(np.int64), rows)


def _by_size(sizes: NDArray[np.int64], rows: int) -> tuple[NDArray[np.int64], list[str]]:
    if (bad := np.flatnonzero(sizes < 1)).size:
        raise InputError(
            f"query {bad[0] + 1} of {len(sizes)} has {sizes[bad[0]]} documents",
            code="empty-query",
            argument="groups",
            remedy="leave queries without documents out of the groups",
        )
    if sizes.sum() != rows:
        raise InputError(
            f"the groups add up to {sizes.sum():,} rows, but there are {rows:,}",
            code="wrong-length",
            argument="groups",
            remedy="give each query's number of rows, or the query of every row",
        )
    return ends(sizes), [str(i + 1) for i in range(len(sizes))]


def _by_query(rows: list[str]) -> tuple[NDArray[np.int64], list[str]]:
    """Return where queries begin and end, and their names, from the query of every row."""
    starts = [0, *(i for i in range(1, len(rows)) if rows[i] != rows[i - 1])]
    queries = [rows[i] for i in starts]
    check_together(queries)
    return np.array([*starts, len(rows)], dtype=np.int64), queries


def check_together(queries: list[str], file: str | None = None) -> None:
    """Check that the rows of each query are adjacent."""
    seen: set[str] = set()
    for query in queries:
        if query in seen:
            raise InputError(
                f"the rows of query '{query}' are not adjacent",
                code="scattered-query",
                file=file,
                remedy="sort the rows by query",
            )
        seen.add(query)


def ends(sizes: ArrayLike) -> NDArray[np.int64]:
    """Return where queries of these sizes begin and end, [query + 1]."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
