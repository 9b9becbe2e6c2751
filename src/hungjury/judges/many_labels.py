"""Merge tables of labels that are too large for memory, from file to file.

The table is cut into parts with whole documents, or with whole topics where a merge learns from
each topic alone. A part fits into memory and is merged as any labels are. Only EM over all topics
has to see every part again and again: in each round the parts count how judges label documents
under their posterior, and the sums of these counts make the next confusion matrices. Parts can be
worked on by other processes and machines; what they send each other is as large as the number of
judges.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from hungjury.base.arrays import Floats, Ints
from hungjury.base.choices import ClickEngine, Duplicates, Outside, Scope
from hungjury.base.errors import Argument, HungjuryError, InputError, MeasureError, Note
from hungjury.base.files import cores, refuse_inputs, whole_file
from hungjury.base.parameters import check_count
from hungjury.base.records import Record
from hungjury.base.results import Result, Table
from hungjury.data.labels import read_judgments
from hungjury.data.pool import natural_order
from hungjury.data.reading.columns import InputTable
from hungjury.data.reading.options import JudgeOptions
from hungjury.data.reading.values import columns_by_role
from hungjury.data.runs import Progress
from hungjury.judges.em import LEAST, ExpectationMaximisation, expect, fit_of, model, tally, typical
from hungjury.judges.merge import MergeLike, label_merge
from hungjury.judges.merge_types import Fit, LabelMerge, Merged, MergeSettings, Verdict, by_grade
from hungjury.judges.panel import Panel, check_votes
from hungjury.users.logs import RECORD
from hungjury.users.readers import TABLES, Purpose, QueryEngine, one_kind, open_engine

if TYPE_CHECKING:
    import pyarrow

PURPOSE = Purpose("merging a table", "the table cannot be merged", "unreadable-table")
MOST_PARTS = 10_000
KEYS = ("topic", "document")
Files = str | os.PathLike[str] | list[str]


class MergedTable(Record, Result, eq=False):
    """What `merge_table` wrote, and what it learned about the judges.

    Attributes
    ----------
    path : str
        The file with the merged labels.
    documents : int
        Its rows.
    judges : list of str
        Names, in natural order.
    labels : array
        Labels of each judge that were counted.
    fit : Fit or None
        The model that EM fitted to all topics together.

    Examples
    --------
    >>> import hungjury as hj
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> text = "topic,document,judge,label\\n1,a,ann,1\\n1,a,bob,0\\n1,b,ann,0\\n"
    >>> _ = (folder / "labels.csv").write_text(text)
    >>> found = hj.merge_table(folder / "labels.csv", folder / "merged.csv", "binmv")
    >>> found.documents, found.labels.tolist()
    (2, [2, 1])
    """

    path: str
    documents: int
    judges: list[str]
    labels: Ints
    settings: MergeSettings
    fit: Fit | None = None
    notes: tuple[Note, ...] = ()

    def table(self) -> Table:
        """Return a row per judge: labels, and how often EM thinks that they are right."""
        names, columns = ["judge", "labels"], [self.judges, self.labels.tolist()]
        if self.fit is not None:
            right = np.diagonal(self.fit.unit_confusion, axis1=1, axis2=2)
            names += [f"P({g}|{g})" for g in range(right.shape[1])]
            columns += right.T.tolist()
        return Table(names, list(zip(*columns, strict=True)), 3, left=1)


class _Part(Record, eq=False):
    """A part of the table, and how it is merged: all that a worker has to know."""

    files: list[str]
    home: str  # beginning of the names of files that are kept for it
    source: str  # as errors call the table
    method: LabelMerge
    rel: int | None
    scope: Scope
    seed: tuple[int, int]
    reading: JudgeOptions
    alone: bool  # it is merged for itself


class _Begun(Record, eq=False):
    """What the first look at a part found."""

    judges: list[str]
    labels: Ints  # [judge]
    documents: int  # that are judged
    grades: tuple[int, ...]
    settings: MergeSettings
    notes: tuple[Note, ...] = ()
    sums: Sums | None = None  # for the first round of EM


Sums = tuple[Floats, Floats]  # of posteriors: [grade], and [judge, label, true grade]


def merge_table(
    labels: Files,
    output: str | os.PathLike[str],
    method: MergeLike,
    rel: int | None = None,
    scope: Scope = "topic",
    seed: int = 0,
    *,
    grades: str | Iterable[int] = (0, 1),
    outside: Outside = "error",
    duplicates: Duplicates = "error",
    columns: str | Mapping[str, str] | None = None,
    parts: int = 64,
    engine: ClickEngine = "duckdb",
    memory: str = "1500MB",
    workers: Any = None,
    folder: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> MergedTable:
    """Merge a table of labels that is too large for memory into a file.

    The result is that of `merge`. Use `merge` as long as the labels fit into memory: it is faster
    and returns what it merged; ten million labels take half a gigabyte.

    Parameters
    ----------
    labels : path, pattern or list of these
        Parquet, CSV or TSV files with the columns topic, document, judge and label.
    output : path
        The file to write, ``.parquet`` or ``.csv``: topic, document and the merged label, a
        probability of relevance where labels are binary; or a column ``p0``, ``p1``, ... for the
        probability of every grade. `read_qrels` reads it. It is written whole or not at all. The
        order of rows depends on `parts`.
    method : str or object
        Any merge that `merge` takes, except those that learn from users.
    rel, scope, seed
        As in `merge`. With ``"topic"``, EM keeps the labels of a topic in memory; over ``"all"``
        topics it passes over the parts, ten to thirty times as a rule.
    grades : iterable of int or str
        Scale of the labels, such as ``range(4)`` or ``"0-3"``.
    outside : {"error", "clip", "missing"}
        What to do with labels outside of it.
    duplicates : {"error", "first", "last", "max"}
        Which label to use where a judge gave a document conflicting ones.
    columns : dict or str, optional
        Columns by role, such as ``"topic=query,judge=model"``.
    parts : int
        Parts that the table is cut into. Every worker has one of them in memory: about 80 bytes
        a label.
    engine : {"duckdb", "spark"}
        What cuts the table into parts. DuckDB stays below `memory` and spills to disk. On Spark,
        its workers also merge the parts.
    memory : str
        Memory limit of DuckDB.
    workers : executor or Dask client, optional
        Who merges the parts: whatever has the method ``map`` of `concurrent.futures.Executor`.
        Default: threads of this process.
    folder : path, optional
        Where temporary files go, about as much as the table as CSV text. Workers on other machines
        have to see it under this name, and to have hungjury installed.
    progress : callable, optional
        Called as ``progress(done, total, what)``.

    Returns
    -------
    MergedTable
        The path, counts of documents and labels, and the model of EM.

    Examples
    --------
    >>> import hungjury as hj
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> text = "topic,document,judge,label\\n1,a,ann,1\\n1,a,bob,0\\n1,b,ann,0\\n"
    >>> _ = (folder / "labels.csv").write_text(text)
    >>> found = hj.merge_table(folder / "labels.csv", folder / "merged.csv", "binmv")
    >>> hj.read_qrels(found.path).to_dict()
    {'1': {'a': 0.5, 'b': 0.0}}
    """
    check_count("parts", parts, 1, MOST_PARTS)
    target, chosen = os.fspath(output), label_merge(method)
    sources, kind = one_kind(labels, "table")
    _check_files(target, sources[0].name, kind)
    refuse_inputs([target], [source.path for source in sources if source.path])
    named = dict(columns_by_role(columns))
    with whole_file(target) as path, open_engine(engine, memory, PURPOSE, folder) as opened:
        table = opened.table(sources, kind)
        known = InputTable(sources[0].name, dict.fromkeys(table.columns, ()), given=named)
        roles = {role: known.need(role) for role in ("document", "judge", "label")}
        if (topic := known.find("topic")) is not None:
            roles = {"topic": topic, **roles}
        together = _learns_together(chosen, scope if topic else "all")
        by_topic = "scope" in chosen.depends_on and not together
        keys = [table[name].cast("string") for role, name in roles.items() if role in KEYS]
        key = keys[0] if by_topic or len(keys) == 1 else keys[0].concat("\t", keys[1])
        renamed = {role: table[name] for role, name in roles.items()}
        if duplicates in ("first", "last"):
            renamed[RECORD] = table[RECORD]
        cut = table.select(**renamed, part=(key.hash() % parts).abs().cast("int16"))
        home = opened.folder / "parts"
        opened.write_parts(cut, home)
        reading: JudgeOptions = {"grades": grades, "outside": outside, "duplicates": duplicates}
        made = [
            _Part(sorted(map(str, one.glob("*.csv"))), str(one), sources[0].name, chosen, rel,
                  scope, (seed, number), reading, not together)
            for number, one in enumerate(sorted(home.glob("part=*")))
        ]  # fmt: skip
        if not made:
            raise InputError(
                "the table has no rows", code="empty-file", file=sources[0].name,
                remedy="check the command that produced it",
            )  # fmt: skip
        with _mapping(opened, workers, progress) as mapped:
            begun = mapped(_begin, made, "merging parts")
            judges, places = _all_judges(begun)
            check_votes(any(one.documents for one in begun))
            fit = _fit(made, begun, places, len(judges), mapped) if together else None
        rows = _write(path, made, begun[0].grades, fit is not None)
    counted = np.zeros(len(judges), dtype=np.int64)
    for one, where in zip(begun, places, strict=True):
        counted[where] += one.labels
    notes = dict.fromkeys(note for one in begun for note in one.notes)
    return MergedTable(
        target, rows, judges, counted, begun[0].settings, fit, (*notes, *(fit.notes if fit else ()))
    )


def _check_files(target: str, source: str, kind: str) -> None:
    if kind not in TABLES:
        said = f"a table of labels is expected, but this looks like {kind}"
        remedy = "give Parquet, CSV or TSV files with a line of column names"
        raise InputError(said, code="unsupported-source", file=source, remedy=remedy)
    if not target.endswith((".parquet", ".csv")):
        said = "the ending of the output says neither Parquet nor CSV"
        remedy = "let it end in .parquet or .csv"
        raise InputError(said, code="unknown-format", argument="output", file=target, remedy=remedy)


def _learns_together(method: LabelMerge, scope: Scope) -> bool:
    """Tell whether the model needs all parts; refuse merges that cannot be made of parts."""
    if method.needs_users:
        said = f"{method} learns from users, which a table in parts does not allow"
        remedy = "use another merge, or `merge`, which keeps the labels in memory"
        raise MeasureError(said, code="not-in-parts", remedy=remedy)
    if scope == "topic" or "scope" not in method.depends_on:
        return False
    if not isinstance(method, ExpectationMaximisation):
        raise MeasureError(
            f"{method} cannot learn from all topics of a table in parts",
            code="not-in-parts",
            remedy=("use", Argument("scope", "topic"), ", or em-mv, em-neu or em-ordinal"),
        )
    return True


Mapped = Callable[[Callable[[Any], Any], list[Any], str], list[Any]]


@contextmanager
def _mapping(engine: QueryEngine, workers: Any, progress: Progress | None) -> Iterator[Mapped]:
    """Return a function that calls another one for many things: here, or where the workers are."""
    with ThreadPoolExecutor(cores()) as threads:
        calls: Any = threads.map if workers is None else getattr(workers, "map", None)
        if hasattr(workers, "get_executor"):  # a Dask client
            calls = workers.get_executor().map
        elif workers is None and engine.spark is not None:
            cluster = engine.spark.sparkContext
            calls = lambda f, items: cluster.parallelize(items, len(items)).map(f).collect()  # noqa: E731

        def mapped(function: Callable[[Any], Any], items: list[Any], what: str) -> list[Any]:
            out: list[Any] = []
            for found in calls(function, items):
                if isinstance(found, HungjuryError):
                    raise found
                out.append(found)
                if progress is not None:
                    progress(len(out), len(items), what)
            return out

        yield mapped


def _begin(part: _Part) -> _Begun | HungjuryError:
    """Read a part; merge it for itself, or keep what EM needs in files.

    Errors are returned: not every cluster raises them as they are.
    """
    import pyarrow
    from pyarrow import parquet

    try:
        panel = Panel.of(read_judgments(part.files, **part.reading), part.rel)
        settings = MergeSettings.of(str(part.method), panel, part.scope, part.seed[0])
        merged, notes = _merged(part, panel, settings) if part.alone else ({}, ())
    except HungjuryError as error:
        error.file, error.line = part.source, None  # the part is a temporary file
        return error
    topics = pyarrow.array(panel.pool.topics, pyarrow.string())
    columns = {
        "topic": topics.take(pyarrow.array(panel.pool.topic_of)),
        "document": pyarrow.array(panel.pool.documents, pyarrow.string()),
        **(merged or {"judged": panel.judged}),
    }
    parquet.write_table(pyarrow.table(columns), f"{part.home}.parquet")
    votes, judged = panel.counts_by_judge().sum(axis=1), int(panel.judged.sum())
    about = (panel.judges, votes, judged, panel.grades, settings, notes)
    if part.alone:
        return _Begun(*about)
    method, size = part.method, len(panel.grades)
    assert isinstance(method, ExpectationMaximisation)
    place = np.cumsum(panel.judged, dtype=np.int32) - np.int32(1)
    document = place[panel.document]
    cell = (panel.judge * size + panel.choice).astype(np.int32)
    posterior = np.clip(method.first(panel)[panel.judged], LEAST, 1 - LEAST)
    np.savez(f"{part.home}.npz", document=document, cell=cell)
    np.save(f"{part.home}.npy", posterior)
    counts = tally(document, cell, posterior, len(panel.judges))
    return _Begun(*about, (posterior.sum(axis=0), counts))


def _merged(
    part: _Part, panel: Panel, settings: MergeSettings
) -> tuple[dict[str, Any], tuple[Note, ...]]:
    """Merge a part for itself: columns of labels or probabilities, and notes on EM."""
    method, rng = part.method, np.random.default_rng(part.seed)
    if len(panel.document):
        verdict = method.decide(panel, part.scope, rng)
    elif method.gives == "labels":
        verdict = Verdict(np.zeros(len(panel.pool), dtype=np.int64))
    else:
        verdict = Verdict(posterior=np.zeros((len(panel.pool), len(panel.grades))))
    merged = Merged.of(method, panel, verdict, settings)
    label = merged.labels if merged.p is None else merged.p
    return _columns(label, merged.grade_p), verdict.fit.notes if verdict.fit else ()


def _columns(label: Any, grade_p: Floats | None) -> dict[str, Any]:
    """Return a column of labels, or one for the probability of every grade."""
    return {"label": label} if grade_p is None else {f"p{g}": p for g, p in enumerate(grade_p.T)}


def _all_judges(begun: list[_Begun]) -> tuple[list[str], list[Ints]]:
    """Return all judges in natural order, and where those of each part are among them."""
    names = list(dict.fromkeys(name for one in begun for name in one.judges))
    judges = [names[i] for i in natural_order(names)]
    at = {name: place for place, name in enumerate(judges)}
    return judges, [np.array([at[name] for name in one.judges], dtype=np.int64) for one in begun]


def _fit(
    parts: list[_Part], begun: list[_Begun], places: list[Ints], judges: int, mapped: Mapped
) -> Fit:
    """Fit EM to all parts: each round makes the model from sums over them, and they their sums."""
    method, grades = parts[0].method, begun[0].grades
    assert isinstance(method, ExpectationMaximisation)
    documents, size = sum(one.documents for one in begun), len(grades)
    sums = [one.sums for one in begun if one.sums is not None]
    shape = np.tile(typical(size), (judges, 1)) if method.ordinal else None
    change, rounds, evidence = np.inf, 0, 0.0
    while change >= method.tol and rounds < method.rounds:
        counts = np.zeros((judges, size, size))
        for (_, some), where in zip(sums, places, strict=True):
            counts[where] += some
        mass = np.sum([one for one, _ in sums], axis=0)
        prior, confusion = model(mass, counts, documents, shape)
        rounds += 1
        asked = [(p.home, prior, confusion[at]) for p, at in zip(parts, places, strict=True)]
        found = mapped(_round, asked, f"round {rounds} of EM")
        sums, change = [one[:2] for one in found], max(one[2] for one in found)
        evidence = float(sum(one[3] for one in found))
    once, every = np.zeros(1, dtype=np.int64), np.zeros(judges, dtype=np.int64)
    how = map(np.array, ([evidence], [rounds], [change < method.tol]))
    return fit_of((prior, confusion, *how, every, np.arange(judges)), once, 1, size)


def _round(given: tuple[str, Floats, Floats]) -> tuple[Floats, Floats, float, float]:
    """Make the posteriors of a part from the model, and sums for the next one from these.

    Also returns the largest change of a posterior, and the log evidence.
    """
    home, prior, confusion = given
    posterior = np.load(f"{home}.npy")
    with np.load(f"{home}.npz") as rows:
        document, cell = rows["document"], rows["cell"]
    log_prior = np.broadcast_to(np.log(prior), posterior.shape)
    now, evidence = expect(document, cell, log_prior, confusion)
    np.save(f"{home}.npy", now)
    counts = tally(document, cell, now, len(confusion))
    change = float(np.abs(now - posterior).max(initial=0))
    return now.sum(axis=0), counts, change, float(evidence.sum())


def _write(path: str, parts: list[_Part], grades: tuple[int, ...], fitted: bool) -> int:
    """Write the merged labels of all parts into one file, and return its rows."""
    from pyarrow import csv, parquet

    rows = 0
    writer: Any = None
    for part in parts:
        table = _finished(part, grades, fitted)
        if writer is None and path.endswith(".parquet"):
            writer = parquet.ParquetWriter(path, table.schema)
        elif writer is None:
            options = csv.WriteOptions(quoting_style="needed")
            writer = csv.CSVWriter(path, table.schema, write_options=options)
        writer.write_table(table)
        rows += len(table)
    writer.close()
    return rows


def _finished(part: _Part, grades: tuple[int, ...], fitted: bool) -> pyarrow.Table:
    """Return the documents of a part with their labels, or probabilities after the last round."""
    import pyarrow
    from pyarrow import parquet

    ids = parquet.read_table(f"{part.home}.parquet", partitioning=None)
    if not fitted:
        return ids
    found = np.load(f"{part.home}.npy")
    judged = ids["judged"].to_numpy()
    posterior = np.zeros((len(ids), len(grades)))
    posterior[judged] = found / found.sum(axis=1, keepdims=True)
    ids = ids.drop_columns(["judged"])
    graded = None if grades == (0, 1) else by_grade(posterior, judged, grades)
    for name, values in _columns(posterior[:, 1], graded).items():
        ids = ids.append_column(name, pyarrow.array(values))
    return ids
