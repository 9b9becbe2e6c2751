"""Runs: the ranked lists of systems, in memory or still in their files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from hungjury import native
from hungjury.base.arrays import Floats
from hungjury.base.errors import Argument, InputError, Note, check_known, plural
from hungjury.base.files import cores
from hungjury.base.options import takes
from hungjury.base.records import Record
from hungjury.data.reading.columns import InputTable, nested_table, table_or_files
from hungjury.data.reading.formats import read_table, table_format
from hungjury.data.reading.label_rows import ONE_TOPIC
from hungjury.data.reading.lines import Parser, parse_text, readable
from hungjury.data.reading.options import (
    RUNS,
    RunOptions,
    RunPolicy,
    RunsLike,
    ScoresLike,
    refuse_options,
)
from hungjury.data.reading.sources import CHECK_COMMAND, Source, Stop, expand, raise_error

if TYPE_CHECKING:
    from typing_extensions import Unpack

ROLES = ("topic", "document", "score")

Progress = Callable[[int, int, str], None]  # done, of how many, doing what
T = TypeVar("T")
U = TypeVar("U")


class Runs(Record, eq=False):
    """Ranked lists of systems in memory, for any labels that come later.

    Attributes
    ----------
    systems : list of str
        The names of the systems.
    policy : RunPolicy
        How the runs were read: the order of ties, the precision of scores.
    notes : tuple of Note
        What is unusual, such as a file with two tags.

    Examples
    --------
    >>> import hungjury as hj
    >>> runs = hj.read_runs({"bm25": {"q1": {"d1": 3.5, "d2": 7.25}}})
    >>> runs.systems, runs.ranked("bm25", "q1")
    (['bm25'], [('d2', 7.25), ('d1', 3.5)])
    """

    systems: list[str]
    stores: list[native.RunStore] = field(repr=False)
    policy: RunPolicy = RunPolicy()
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        return f"Runs({plural(len(self.systems), 'system')}, {plural(len(self.topics), 'topic')})"

    @property
    def topics(self) -> list[str]:
        """Topics of any run, in order of appearance."""
        return list(dict.fromkeys(t for store in self.stores for t in store.topics))

    def ranked(self, system: str, topic: str) -> list[tuple[str, float]]:
        """Return one list, best document first."""
        check_known("system", system, self.systems)
        store = self.stores[self.systems.index(system)]
        documents, scores = store.ranked(topic, self.policy.ties, self.policy.single)
        return list(zip(documents, scores, strict=True))

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """Return ``{system: {topic: {document: score}}}``."""
        return {
            system: {t: dict(self.ranked(system, t)) for t in store.topics}
            for system, store in zip(self.systems, self.stores, strict=True)
        }


class RunFiles(Record):
    """Runs still in their files: read while they are aligned, one list in memory at a time."""

    sources: list[Source]
    policy: RunPolicy = RunPolicy()


class ReadRun(Record, eq=False):
    """One run as it was read."""

    name: str
    store: native.RunStore
    file: str
    note: Note | None = None


def map_files(
    work: Callable[[T], U], items: list[T], progress: Progress | None, what: str
) -> Iterator[U]:
    """Run a reader over files, on all cores; results in order, raising the first error."""
    threads: Any = nullcontext()
    if len(items) > 1 and cores() > 1:  # else threads would cost more than they save
        from concurrent.futures import ThreadPoolExecutor

        threads = ThreadPoolExecutor(min(cores(), len(items)))
    with threads as pool:
        each = map(work, items) if pool is None else pool.map(work, items)
        for done, one in enumerate(each, 1):
            yield one
            if progress is not None:
                progress(done, len(items), what)


@takes(RUNS)
def read_runs(
    source: ScoresLike, progress: Progress | None = None, **options: Unpack[RunOptions]
) -> Runs:
    """Read ranked lists.

    Functions that take runs accept the source itself too, and read files while they align them,
    with one list in memory at a time. Read runs first to use them more than once, or to look at
    their lists.

    Parameters
    ----------
    source : path, pattern, list of these, frame or dict
        TREC run files, tables, a frame, a list of named tuples such as ir_measures' ``ScoredDoc``,
        ``{topic: {document: score}}`` for one system or ``{system: {topic: {document: score}}}``
        for several. A list of documents, best first, may be given instead of their scores.
    progress : callable, optional
        Called as ``progress(done, total, what)``.
    {options}

    Returns
    -------
    Runs
        The lists, in memory. Lists are ordered by score when they are used; the ranks in a file
        are ignored, and those that contradict the scores are noted.

    Examples
    --------
    >>> import hungjury as hj
    >>> hj.read_runs({"1": {"a": 0.5, "b": 0.9}}).ranked("run", "1")
    [('b', 0.9), ('a', 0.5)]
    """
    found = run_source(source, RunPolicy.of(options))
    return found if isinstance(found, Runs) else load(found, progress)


def run_source(source: object, policy: RunPolicy) -> Runs | RunFiles:
    """Return runs of frames and dictionaries in memory; files are read while they are aligned."""
    if isinstance(source, Mapping):
        return in_memory(_nested(source), policy)
    found = table_or_files(source, "score", dict(policy.columns), "run")
    if isinstance(found, InputTable):
        return in_memory(_by_system(found), policy)
    return RunFiles(expand(found, "scoreddocs"), policy)


def as_runs(source: RunsLike, **options: Unpack[RunOptions]) -> Runs | RunFiles:
    """Return runs, given or from a source; files are read while they are aligned."""
    if isinstance(source, (Runs, RunFiles)):
        refuse_options(options, "the runs")
        return source
    return run_source(source, RunPolicy.of(options))


def in_memory(found: list[ReadRun], policy: RunPolicy) -> Runs:
    """Gather runs that have been read."""
    check_names((run.name, run.file) for run in found)
    notes = tuple(run.note for run in found if run.note is not None)
    return Runs([run.name for run in found], [run.store for run in found], policy, notes)


def check_names(systems: Iterable[tuple[str, str]]) -> None:
    """Raise if two of the (name, file) pairs have the same name."""
    seen: dict[str, str] = {}
    for name, file in systems:
        if file and seen.get(name) == file:
            raise InputError(
                "this run is given twice", code="same-name", file=file, remedy="give it once"
            )
        if name in seen:
            places = f" ({seen[name]} and {file})" if file else ""
            said = f"two runs are called '{name}'{places}"
            remedy = (
                "rename one, or use",
                Argument("names", "stem"),
                "to name systems after their files",
            )
            raise InputError(said, code="same-name", remedy=remedy)
        seen[name] = file


def run_name(tags: tuple[str, str], source: Source, policy: RunPolicy) -> tuple[str, Note | None]:
    """Return a run's system name, and a note where the file has two tags."""
    first, second = tags
    note = None
    if second:
        note = Note("two-tags", 1, f"contains two tags, '{first}' and '{second}'", source.name)
    return (source.stem if policy.names == "stem" else first), note


def read_store(
    source: Source, policy: RunPolicy, free: int = 1, stop: Stop = raise_error
) -> list[ReadRun]:
    """Return the run (or, in a table with a system column, runs) of one source.

    stop: called with every line that cannot be read; where it returns, the line is left out.
    """
    kind = table_format(source, policy.columns)
    if kind is not None:
        found = _by_system(read_table(source, kind, policy.columns, stop=stop), stop)
        if policy.names == "tag":
            return found
        if len(found) > 1:
            said = f"the {len(found)} systems of one table cannot all be called '{source.stem}'"
            remedy = ("use", Argument("names", "tag"), "and give each system its own name")
            raise source.error(said, "same-name", remedy)
        return [replace(found[0], name=source.stem)]
    store = native.RunStore()
    parse_run(without_bad_lines(source, stop, free), store, free)
    if not store.rows:
        raise source.error("the file has no lines", "no-rows", CHECK_COMMAND)
    name, note = run_name(store.tags, source, policy)
    return [ReadRun(name, store, source.name, note)]


def without_bad_lines(source: Source, stop: Stop, free: int = 1) -> Source:
    """Leave out lines of a run file that cannot be read; `stop` is called with each."""
    return readable(source, native.RunStore, partial(parse_run, free=free), stop, once=True)


def parse_run(source: Source, into: Parser, free: int = 1) -> None:
    """Push a run file through a native parser."""
    parse_text(source, into.feed, into.finish, free, ROLES)


def load(runs: Runs | RunFiles, progress: Progress | None = None) -> Runs:
    """Load runs into memory, if they are needed twice."""
    if isinstance(runs, Runs):
        return runs
    policy = runs.policy
    free = cores() // len(runs.sources)
    each = map_files(lambda s: read_store(s, policy, free), runs.sources, progress, "reading")
    return in_memory([run for several in each for run in several], policy)


def _by_system(table: InputTable, stop: Stop = raise_error) -> list[ReadRun]:
    topic, document, score = table.find("topic"), table.need("document"), table.find("score")
    rank, tag = table.find("rank"), table.find("tag")
    if rank is None and score is None:
        score = table.need("score")  # which is an error

    def read(some: InputTable) -> tuple[list[str], list[str], list[str], Floats]:
        if rank is not None:
            some.check_integers(rank, "rank")
        # Of ranks alone: the higher, the later.
        scores = some.numbers(score, "score") if score else -some.numbers(rank or "", "rank")
        topics = [ONE_TOPIC] * len(some) if topic is None else some.texts(topic)
        tags = [some.stem] * len(some) if tag is None else some.texts(tag)
        return topics, some.texts(document), tags, scores

    table = table.readable(stop, read)
    topics, documents, tags, scores = read(table)
    lines = table.line_numbers()
    rows_of: dict[str, list[int]] = {}
    for i, name in enumerate(tags):
        rows_of.setdefault(name, []).append(i)

    def filled(rows: list[int]) -> native.RunStore:
        store = native.RunStore()
        here = [topics[i] for i in rows], [documents[i] for i in rows]
        store.add(*here, scores[rows], lines[rows])
        store.finish()
        return store

    note = table.without_topic if topic is None else None
    out = []
    for name, rows in rows_of.items():
        try:
            store = filled(rows)
        except native.BadLine:
            firsts: dict[tuple[str, str], int] = {}
            for i in rows:
                if firsts.setdefault((topics[i], documents[i]), i) != i:
                    said = f"document '{documents[i]}' appears twice in the list of topic "
                    remedy = "keep one row per document and topic"
                    error = (f"{said}'{topics[i]}'", "duplicate-document", remedy, table.line(i))
                    stop(table.error(*error))
            store = filled(list(firsts.values()))
        out.append(ReadRun(name, store, table.name, note))
    if not out:
        raise table.error("the table has no rows", "no-rows", CHECK_COMMAND)
    return out


def _nested(source: Mapping[str, Any]) -> list[ReadRun]:
    # An empty dictionary may be a system without topics or a topic without documents.
    inner = next((v for v in source.values() if isinstance(v, (Mapping, list, tuple)) and v), None)
    if inner is None:
        said = "the dictionary contains no run"
        remedy = "give {topic: {document: score}} or {system: {topic: {document: score}}}"
        raise InputError(said, code="no-run", remedy=remedy)
    deeper = isinstance(inner, Mapping) and next(iter(inner.values()))
    if isinstance(deeper, (Mapping, list, tuple)):
        return [
            run
            for system, lists in source.items()
            for run in _by_system(nested_table(lists, "score", f"<dict>[{system!r}]", str(system)))
        ]
    return _by_system(nested_table(source, "score", stem="run"))
