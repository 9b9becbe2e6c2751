"""RankingData: documents of queries as rows of features, with grades or grade probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, TypeAlias, get_args

import numpy as np

from hungjury.base.arrays import Array, ArrayLike, Bools, Floats, Ints
from hungjury.base.choices import LabelKind
from hungjury.base.errors import InputError, Note, check_choice, plural
from hungjury.base.parameters import check_count
from hungjury.base.records import Record
from hungjury.base.text import integer_of
from hungjury.data.labels import as_qrels
from hungjury.data.reading.options import QrelsLike

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix, sparray, spmatrix

FeaturesLike: TypeAlias = "ArrayLike | spmatrix | sparray"
Features: TypeAlias = "Array | csr_matrix"


GRADES: Final = "grades"
PROBABILITIES: Final = "probabilities"
LARGEST_GRADE = 30  # the gain table ends here, as LightGBM's does


class Labels(Record, eq=False):
    """Whole grades [row], or probabilities [row, grade]; P(relevant) is the case of two."""

    values: Array

    @property
    def graded(self) -> bool:
        """True for grades, false for probabilities."""
        return self.values.ndim == 1

    @property
    def largest(self) -> int:
        """The largest grade that occurs, or that has a probability."""
        return int(self.values.max(initial=0)) if self.graded else self.values.shape[1] - 1

    def gains(self) -> Floats:
        """Return 2^grade - 1 of every row, or its expectation."""
        if self.graded:
            return np.asarray(np.exp2(self.values) - 1)
        return np.asarray(self.values @ (np.exp2(np.arange(self.values.shape[1])) - 1))

    def at_least(self, grade: int) -> Floats:
        """Return P(that grade and more) of every row; 0 or 1 where grades are known."""
        if self.graded:
            return (self.values >= grade).astype(float)
        return np.asarray(np.minimum(self.values[:, grade:].sum(axis=1), 1.0))

    def plain(self) -> Array:
        """Return the grade of every row, or its probability of relevance."""
        return self.values if self.graded else self.at_least(1)

    @staticmethod
    def join(parts: Sequence[Labels]) -> Labels:
        if len({part.graded for part in parts}) > 1:
            said = "some parts have grades, others probabilities"
            raise InputError(said, code="mixed-labels", remedy="give all the same kind")
        values = [part.values for part in parts]
        if not parts[0].graded:
            width = max(v.shape[1] for v in values)
            values = [np.pad(v, ((0, 0), (0, width - v.shape[1]))) for v in values]
        return Labels(np.concatenate(values))


def as_labels(
    given: ArrayLike,
    kind: LabelKind,
    rows: int,
    file: str | None = None,
    lines: Ints | None = None,
) -> Labels:
    """Check labels of rows; `file` and `lines` locate errors."""
    check_choice("labels", kind, get_args(LabelKind))
    values = _numbers(_array(given), "labels")
    if values.ndim not in (1, 2) or len(values) != rows:
        raise _wrong(
            f"the labels have the shape {values.shape}, but there are {rows} rows of features",
            "labels",
            "give one label per row, or probabilities [row, grade]",
        )

    def check(bad: Bools, what: str, remedy: str) -> None:
        for row in np.flatnonzero(bad.reshape(rows, -1).any(axis=1))[:1]:
            where = "" if lines is not None else f" of row {row}"
            raise InputError(
                f"the label {values[row].tolist()}{where} {what}",
                code="invalid-label",
                file=file,
                line=None if lines is None else int(lines[row]),
                remedy=remedy,
            )

    check(~np.isfinite(values), "is not a number", "give every row a label")
    if values.ndim == 2:
        grades = values.shape[1]
        if not 2 <= grades <= LARGEST_GRADE + 1:
            remedy = f"give a column for each of 2 to {LARGEST_GRADE + 1} grades, 0 first"
            raise _wrong(f"there are probabilities of {grades} grades", None, remedy, "grade-count")
        uneven = abs(values.sum(axis=1, dtype=float) - 1) > 1e-6
        remedy = "probabilities of grades must be non-negative and sum to 1"
        check((values < 0).any(axis=1) | uneven, "does not sum to 1", remedy)
        return Labels(values.astype(float))
    if kind == PROBABILITIES:
        remedy = "probabilities must be between 0 and 1"
        check((values < 0) | (values > 1), "is not a probability", remedy)
        p = values.astype(float)
        return Labels(np.stack([1 - p, p], axis=1))
    remedy = 'say labels="probabilities" if it is the probability of relevance'
    check(values != np.floor(values), "is not an integer grade", remedy)
    check(values < 0, "is below 0", "grades count from 0; leave unjudged documents out")
    what = f"is larger than the largest grade {LARGEST_GRADE}"
    check(values > LARGEST_GRADE, what, "gains are 2^grade - 1; map the labels to small grades")
    return Labels(values.astype(np.int64))


def _wrong(
    problem: str, argument: str | None, remedy: str, code: str = "wrong-shape"
) -> InputError:
    return InputError(problem, code=code, argument=argument, remedy=remedy)


def as_features(given: FeaturesLike) -> Features:
    """Return features [row, feature] as a compressed matrix if they are sparse, else an array."""
    return _numbers(given.tocsr() if hasattr(given, "tocsr") else _array(given), "features")


def _array(given: ArrayLike) -> Array:
    """Return an array, or refuse lists whose parts differ in length."""
    try:
        return np.asarray(given)
    except ValueError as error:
        remedy = "give rows of the same length"
        raise _wrong(f"not an array: {error}", None, remedy, "ragged") from None


def _numbers(given: Any, argument: str) -> Any:
    if given.dtype.kind not in "fiub":
        raise _wrong(f"the {argument} are not numbers", argument, "give numbers", "not-numbers")
    return given


class RankingData(Record, eq=False):
    """Documents of queries as rows of features, with labels.

    Rows of a query are adjacent; query i has the rows ``offsets[i]`` to ``offsets[i + 1]``. Make it
    with `ranking_data` from arrays or `read_letor` from a file; `judged_by` replaces its labels by
    those of a panel, and `run` turns scores of its rows into a run that `evaluate` takes.
    """

    features: Features
    labels: Labels
    offsets: Ints  # [query + 1]
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
    def sizes(self) -> Ints:
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

    def select(self, queries: Sequence[int] | Array) -> RankingData:
        """Return only some queries, by their indices, in that order."""
        for query in queries:
            check_count("queries", query, 0, len(self.queries) - 1)
        spans = [np.arange(self.offsets[q], self.offsets[q + 1]) for q in queries]
        rows = np.concatenate(spans) if spans else np.arange(0)
        return RankingData(
            self.features[rows],
            Labels(self.labels.values[rows]),
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
            used[_places(features, "features", columns)] = True
        if drop is not None:
            used[_places(drop, "drop", columns)] = False
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
        data = self.select([i for i, query in enumerate(self.queries) if query in known])
        asked = [q for q, size in zip(data.queries, data.sizes, strict=True) for _ in range(size)]
        pairs = zip(asked, data.documents, strict=True)
        found = np.array([labels.pool.find(*pair) for pair in pairs], dtype=np.int64)
        missing = found < 0
        if missing.all():
            raise InputError(
                "no document of the features has a label in the qrels",
                code="no-labelled-document",
                remedy="queries and documents need the same ids; name documents after # in "
                "LETOR files, or with the argument documents",
            )
        notes = list(data.notes)
        if number := int(missing.sum()):
            text = f"{plural(number, 'document')} without a label: taken as not relevant"
            notes.append(Note("unlabelled-documents", number, text))
        if without := tuple(sorted(set(self.queries) - known)):
            text = "queries without labels, left out"
            notes.append(Note("unlabelled-queries", len(without), text, subjects=without))
        values: Array
        if labels.labels is not None:
            values = np.maximum(labels.labels, 0).astype(np.int64)[found]  # below 0: not judged
        elif labels.grade_p is not None:
            values = labels.grade_p[found]
        else:
            assert labels.p is not None
            values = np.stack([1 - labels.p, labels.p], axis=1)[found]
        values[missing] = 0 if values.ndim == 1 else np.eye(values.shape[1])[0]
        return replace(data, labels=Labels(values), notes=tuple(notes))

    def qrels(self) -> dict[str, dict[str, Any]]:
        """Return the labels as ``{query: {document: label}}``, grades or P(relevant)."""
        return self._by_name(self.labels.plain().tolist())

    def run(self, scores: Floats) -> dict[str, dict[str, float]]:
        """Return scores of all rows as a run, ``{query: {document: score}}``."""
        if scores.shape != (len(self),):
            said, remedy = f"scores are not {len(self):,} numbers", "give a score for each row"
            raise InputError(said, code="wrong-shape", argument="scores", remedy=remedy)
        return self._by_name(scores.tolist())

    def _by_name(self, values: list[Any]) -> dict[str, dict[str, Any]]:
        """Return values of all rows by query and document; repeated names are an error."""
        documents = self.documents
        found: dict[str, dict[str, Any]] = {}
        for query, (begin, end) in zip(self.queries, pairwise(self.offsets.tolist()), strict=True):
            names = documents[begin:end]
            found[query] = dict(zip(names, values[begin:end], strict=True))
            if len(found[query]) < len(names):
                name = next(n for n in names if names.count(n) > 1)
                raise InputError(
                    f"query '{query}' has {names.count(name)} documents called '{name}'",
                    code="ambiguous-document",
                    remedy="name the documents of a query differently (# NAME at the end of their "
                    "lines), or leave all names out",
                )
        return found


def _places(given: str | Sequence[int], argument: str, columns: int) -> list[int]:
    """Return places of features, from numbers or text such as "1-20,25"."""
    found: list[int] = []
    for part in given.split(",") if isinstance(given, str) else map(str, given):
        first, last = (integer_of(end) for end in (part.partition("-")[0], part.rpartition("-")[2]))
        if first is None or last is None or not 1 <= first <= last <= columns:
            said = f"invalid features {part!r}"
            remedy = f"give numbers from 1 to {columns}, such as 1-20,25"
            raise InputError(said, code="unknown-feature", argument=argument, remedy=remedy)
        found += range(first - 1, last)
    return found


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
    if table.ndim != 2 or 0 in table.shape:
        remedy = "give rows of documents' features"
        raise _wrong(f"the features have the shape {table.shape}", "features", remedy)
    rows = table.shape[0]
    offsets, queries = _queries(groups, rows)
    if documents is not None and len(documents) != rows:
        problem = f"there are {len(documents)} document ids for {rows} rows"
        raise _wrong(problem, "documents", "give one id per row", "wrong-length")
    given = as_labels(np.zeros(rows, dtype=int) if labels is None else labels, kind, rows)
    named = None if documents is None else tuple(map(str, documents))
    return RankingData(table, given, offsets, queries, named)


def _queries(groups: ArrayLike | None, rows: int) -> tuple[Ints, list[str]]:
    """Return where queries begin and end, and their names."""
    both = "the query of every row, or the number of rows of each query"
    if groups is None:
        raise _wrong("the rows of each query are not known", "groups", f"give {both}", "no-groups")
    given = _array(groups)
    if given.ndim != 1 or not len(given):
        problem = f"the groups have the shape {given.shape}"
        raise _wrong(problem, "groups", f"give one list: {both}")
    if len(given) == rows:
        names = [str(q) for q in given.tolist()]
        starts = [0, *(i for i in range(1, rows) if names[i] != names[i - 1])]
        queries = [names[i] for i in starts]
        check_together(queries)
        return np.array([*starts, rows], dtype=np.int64), queries
    if given.dtype.kind not in "iu":
        problem = f"there are {len(given)} groups for {rows} rows"
        raise _wrong(problem, "groups", f"give {both}", "wrong-length")
    for query in np.flatnonzero(given < 1)[:1]:
        problem = f"query {query + 1} of {len(given)} has {given[query]} documents"
        remedy = "leave queries without documents out of the groups"
        raise _wrong(problem, "groups", remedy, "empty-query")
    if given.sum() != rows:
        problem = f"the groups add up to {given.sum():,} rows, but there are {rows:,}"
        raise _wrong(problem, "groups", f"give {both}", "wrong-length")
    return ends(given), [str(i + 1) for i in range(len(given))]


def check_together(queries: list[str], file: str | None = None) -> None:
    """Check that the rows of each query are adjacent."""
    seen: set[str] = set()
    for query in queries:
        if query in seen:
            said = f"the rows of query '{query}' are not adjacent"
            remedy = "sort the rows by query"
            raise InputError(said, code="scattered-query", file=file, remedy=remedy)
        seen.add(query)


def ends(sizes: ArrayLike) -> Ints:
    """Return where queries of these sizes begin and end, [query + 1]."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
