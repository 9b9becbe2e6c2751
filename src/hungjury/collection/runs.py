"""Runs: the ranked lists of systems, in memory or still in their files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, get_args

import numpy as np

from hungjury import native
from hungjury.collection.likes import ScoresLike
from hungjury.collection.notes import Note
from hungjury.collection.reading import ONE_TOPIC, parse_text
from hungjury.collection.sources import Source, expand
from hungjury.collection.tables import (
    Table,
    frame_table,
    is_frame,
    nested_table,
    read_table,
    table_format,
)
from hungjury.errors import Argument, InputError, check_choice
from hungjury.machine import cores
from hungjury.settings import ScorePrecision, Ties

__all__ = ["Progress", "RunFiles", "RunPolicy", "Runs", "read_runs"]

Progress = Callable[[int, int, str], None]  # done, of how many, doing what
T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True)
class RunPolicy:
    """How lists are ordered and systems named."""

    ties: Ties = "trec"
    score_precision: ScorePrecision = "double"
    names: str = "tag"

    def __post_init__(self) -> None:
        for name, choices in (
            ("ties", get_args(Ties)),
            ("score_precision", get_args(ScorePrecision)),
            ("names", ("tag", "stem")),
        ):
            check_choice(name, getattr(self, name), choices)

    @property
    def single(self) -> bool:
        return self.score_precision == "single"


@dataclass(frozen=True, eq=False)
class Runs:
    """Runs in memory, for any labels that come later."""

    systems: list[str]
    stores: list[native.RunStore] = field(repr=False)
    policy: RunPolicy = RunPolicy()
    notes: tuple[Note, ...] = ()

    @property
    def topics(self) -> list[str]:
        """Topics of any run, in order of appearance."""
        return list(dict.fromkeys(t for store in self.stores for t in store.topics))

    def ranked(self, system: str, topic: str) -> list[tuple[str, float]]:
        """One list, best document first."""
        store = self.stores[self.systems.index(system)]
        documents, scores = store.ranked(topic, self.policy.ties, self.policy.single)
        return list(zip(documents, scores, strict=True))

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """``{system: {topic: {document: score}}}``."""
        return {
            system: {t: dict(self.ranked(system, t)) for t in store.topics}
            for system, store in zip(self.systems, self.stores, strict=True)
        }


@dataclass(frozen=True)
class RunFiles:
    """Runs still in their files: read while they are aligned, one list in memory at a time."""

    sources: list[Source]
    policy: RunPolicy = RunPolicy()


@dataclass(frozen=True)
class ReadRun:
    """One run as it was read."""

    name: str
    store: native.RunStore
    file: str
    note: Note | None = None


def map_files(
    work: Callable[[T], U], items: list[T], progress: Progress | None, what: str
) -> Iterator[U]:
    """Run a reader over files, on all cores; results in order, the first error wins."""
    if len(items) == 1 or cores() == 1:  # threads would cost more than they bring
        for done, item in enumerate(items, 1):
            yield work(item)
            if progress is not None:
                progress(done, len(items), what)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(cores(), max(len(items), 1))) as pool:
        waiting = [pool.submit(work, item) for item in items]
        try:
            for done, one in enumerate(waiting, 1):
                yield one.result()
                if progress is not None:
                    progress(done, len(items), what)
        finally:
            for one in waiting:
                one.cancel()


def read_runs(
    source: ScoresLike,
    ties: Ties = "trec",
    score_precision: ScorePrecision = "double",
    names: str = "tag",
    *,
    progress: Progress | None = None,
) -> Runs:
    """Read runs: TREC run files, tables, a frame, ``{topic: {document: score}}`` for one system
    or ``{system: {topic: {document: score}}}`` for several.

    ties: "trec" (score, then document id, both descending; ranks ignored), "input" (the order of
    the lines) or "expected" (the mean over all orders inside ties).
    score_precision: "single" compares scores as 32-bit floats, as trec_eval up to 9 does.
    names: a system is named by its run's "tag", or by its file's name ("stem").
    """
    policy = RunPolicy(ties, score_precision, names)
    found: list[ReadRun] = []
    if isinstance(source, Mapping):
        found = _nested(source)
    elif is_frame(source):
        found = _by_system(frame_table(source), "run")
    else:
        sources = expand(source, "scoreddocs")
        for several in map_files(lambda s: read_store(s, policy), sources, progress, "reading"):
            found += several
    check_names((run.name, run.file) for run in found)
    return Runs(
        [run.name for run in found],
        [run.store for run in found],
        policy,
        tuple(run.note for run in found if run.note is not None),
    )


def check_names(systems: Iterable[tuple[str, str]]) -> None:
    """Two runs with one name are an error: (name, file) pairs in, nothing out."""
    seen: dict[str, str] = {}
    for name, file in systems:
        if file and seen.get(name) == file:
            raise InputError(
                "this run is given twice", code="same-name", file=file, remedy="give it once"
            )
        if name in seen:
            places = f" ({seen[name]} and {file})" if file else ""
            raise InputError(
                f"two runs are called '{name}'{places}",
                code="same-name",
                remedy=(
                    "rename one, or use",
                    Argument("names", "stem"),
                    "to name systems after their files",
                ),
            )
        seen[name] = file


def run_name(tags: tuple[str, str], source: Source, policy: RunPolicy) -> tuple[str, Note | None]:
    """A run's system name, and a note where the file holds two tags."""
    first, second = tags
    note = None
    if second:
        note = Note("two-tags", 1, f"holds two tags, '{first}' and '{second}'", source.name)
    return (source.stem if policy.names == "stem" else first), note


def read_store(source: Source, policy: RunPolicy) -> list[ReadRun]:
    """The run (or, in a table with a system column, runs) of one source."""
    kind = table_format(source)
    if kind is not None:
        found = _by_system(read_table(source, kind), source.stem)
        return found if policy.names == "tag" else [_named_by_file(found, source)]
    store = native.RunStore()
    parse_text(source, store.feed, store.finish)
    if not store.rows:
        raise InputError(
            "the file has no lines", file=source.name, remedy="check the command that produced it"
        )
    name, note = run_name(store.tags, source, policy)
    return [ReadRun(name, store, source.name, note)]


def load(runs: Runs | RunFiles) -> Runs:
    """Runs in memory, for when they are needed twice."""
    if isinstance(runs, Runs):
        return runs
    found = [run for source in runs.sources for run in read_store(source, runs.policy)]
    check_names((run.name, run.file) for run in found)
    notes = tuple(run.note for run in found if run.note is not None)
    return Runs([run.name for run in found], [run.store for run in found], runs.policy, notes)


def _named_by_file(found: list[ReadRun], source: Source) -> ReadRun:
    if len(found) > 1:
        raise InputError(
            f"the {len(found)} systems of one table cannot all be called '{source.stem}'",
            file=source.name,
            code="same-name",
            remedy=("use", Argument("names", "tag"), "and give each system its own name"),
        )
    return replace(found[0], name=source.stem)


def _by_system(table: Table, stem: str) -> list[ReadRun]:
    topic, document, score = table.find("topic"), table.need("document"), table.need("score")
    count = len(table)
    topics = [ONE_TOPIC] * count if topic is None else table.texts(topic)
    documents = table.texts(document)
    scores = np.array(table.numbers(score, "score"), dtype=float)
    lines = table.line_numbers()
    if (rank := table.find("rank")) is not None:
        table.check_integers(rank, "rank")
    tag = table.find("tag")
    tags = [stem] * count if tag is None else table.texts(tag)
    out = []
    for name in dict.fromkeys(tags):
        rows = [i for i, t in enumerate(tags) if t == name]
        store = native.RunStore()
        here = [topics[i] for i in rows], [documents[i] for i in rows]
        store.add(*here, scores[rows], lines[rows])
        _finish_table(store, table)
        out.append(ReadRun(name, store, table.name))
    if not out:
        raise InputError(
            "the table has no rows", file=table.name, remedy="check the command that produced it"
        )
    return out


def _finish_table(store: native.RunStore, table: Table) -> None:
    try:
        store.finish()
    except native.BadLine as error:
        line, code, message = error.args
        raise InputError(
            message,
            code=code,
            file=table.name,
            line=line,
            remedy="keep one row per document and topic",
        ) from None


def _nested(source: Mapping[str, Any]) -> list[ReadRun]:
    # An empty dictionary may be a system without topics or a topic without documents.
    inner = next((v for v in source.values() if isinstance(v, Mapping) and v), None)
    if inner is None:
        raise InputError(
            "the dictionary holds no run",
            remedy="give {topic: {document: score}} or {system: {topic: {document: score}}}",
        )
    if isinstance(next(iter(inner.values())), Mapping):
        return [
            run
            for system, lists in source.items()
            for run in _by_system(nested_table(lists, "score", f"<dict>[{system!r}]"), str(system))
        ]
    return _by_system(nested_table(source, "score"), "run")
