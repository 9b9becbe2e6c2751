"""The data of a study: collections by path, which any process can read, and their features."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hungjury.base.arrays import Ints
from hungjury.base.errors import Argument, InputError, Note
from hungjury.base.files import read_json
from hungjury.base.options import check_known
from hungjury.base.records import Record
from hungjury.data.alignment import Alignment
from hungjury.data.labels import judgments_by, qrels_by
from hungjury.data.qrels import Judgments, Qrels
from hungjury.data.reading.options import (
    JUDGES,
    READING,
    RUNS,
    LabelPolicy,
    ReadingOptions,
    RunPolicy,
    among,
)
from hungjury.data.reading.sources import CHUNK, Source, expand
from hungjury.data.runs import RunFiles, Runs, load
from hungjury.judges.merge import merge

if TYPE_CHECKING:
    from typing_extensions import Unpack

FILES = ("runs", "judges", "gold")
_SHAPE = (
    'write an object such as {"folder": "dl19", "grades": [0, 1, 2, 3], "only": ["llm_*"]}; paths '
    "are relative to the file"
)


def read_collections(given: Sequence[str], **options: Any) -> list[Sources]:
    """Collections as the command line takes them: FOLDER, FILE.json, or NAME=FOLDER.

    options: those of `Sources.of`, for all collections; a file's own options take precedence.
    """
    found = [read_collection(one, **options) for one in given]
    check_collections(found)
    return found


def read_collection(given: str, **options: Any) -> Sources:
    """A folder, see `Sources.in_folder`, or a JSON file with its path, the paths of its parts, and
    options of reading, all optional. Its name is the one before "=", or that of folder or file."""
    name, equals, path = given.partition("=")
    if not equals or os.path.exists(given):
        name, path = "", given
    place = Path(path)
    if place.suffix.lower() == ".json" and not os.path.isdir(place):
        sources, known = _described(place, options), place.stem
    else:
        sources, known = Sources.in_folder(place, **options), place.absolute().name
    return replace(sources, name=name or known)


def check_collections(collections: Sequence[Sources]) -> None:
    """Refuse collections with the same name or the same content."""
    for what, values in (
        ("are called", [one.name for one in collections]),
        ("contain the same files, like", [one.digest for one in collections]),
    ):
        value, times = Counter(values).most_common(1)[0]
        if times > 1:
            name = collections[values.index(value)].name
            said = f"{times} collections {what} '{name}'"
            remedy = "give each collection once, with a name of its own such as NAME=FOLDER"
            raise InputError(said, code="same-collection", argument="data", remedy=remedy)


def _described(file: Path, options: dict[str, Any]) -> Sources:
    said = read_json(str(file), "a description of a collection", _SHAPE)
    if not isinstance(said, dict):
        raise _invalid(file, "not a description of a collection")
    known = ["folder", *FILES, *READING]
    for key in said:
        if key not in known:
            raise _invalid(file, f"unknown key '{key}'", f"choose from {', '.join(known)}")
    places = {key: _places(file, key, said.pop(key)) for key in ("folder", *FILES) if key in said}
    parts: dict[str, Any] = {}
    for folder in places.pop("folder", []):
        parts |= folder_parts(Path(folder))
    given = {name: value for name, value in options.items() if value is not None}
    return Sources.of(**{"runs": None, **parts, **given, **said, **places})


def _places(file: Path, key: str, said: Any) -> list[str]:
    """Paths relative to the file."""
    paths = said if isinstance(said, list) else [said]
    if not all(isinstance(path, str) for path in paths):
        raise _invalid(file, f"'{key}' must be a path or a list of paths, got {said!r}")
    return [str(file.parent / path) for path in paths]


def _invalid(file: Path, what: str, remedy: str = _SHAPE) -> InputError:
    return InputError(what, file=str(file), code="invalid-file", remedy=remedy)


GOLD, MAJORITY = "gold", "mv"

GOLD_FILES = ("gold.qrels*", "qrels*", "*.qrels*")


class Sources(Record):
    """Files and how to read them. Small, hashable, and the same in every process: jobs are sent
    this instead of the data."""

    runs: tuple[str, ...]
    judges: tuple[str, ...] = ()
    gold: str | None = None
    labels: LabelPolicy = LabelPolicy()
    lists: RunPolicy = RunPolicy()
    digest: str = ""  # of the files' contents and of all the above
    name: str = ""  # what tables call the collection, where a study has several

    @staticmethod
    def of(
        runs: object, judges: object = None, gold: object = None, **reading: Unpack[ReadingOptions]
    ) -> Sources:
        """Files, globs or lists of these; the options are those of `read_judgments` and
        `read_runs`."""
        if runs is None:
            raise InputError(
                "no runs",
                code="no-runs",
                remedy=("put them into runs/ of the data's folder, or give", Argument("runs")),
            )
        check_known(reading, JUDGES | RUNS)
        found = Sources(
            _paths(runs),
            () if judges is None else _paths(judges),
            None if gold is None else _one(_paths(gold)),
            LabelPolicy.of(among(reading, JUDGES)),
            RunPolicy.of(among(reading, RUNS)),
        )
        return replace(found, digest=found.fresh_digest())

    @staticmethod
    def in_folder(folder: str | Path, **others: Any) -> Sources:
        """Read a folder with runs/ and, optionally, a folder judges* and a gold qrels
        file (gold.qrels, or else the only file called qrels*), as `hungjury simulate` writes it.
        Arguments of `Sources.of` in `others` take precedence."""
        parts = folder_parts(Path(folder))
        given = {k: v for k, v in others.items() if v is not None}
        return Sources.of(**{"runs": None, **parts, **given})

    def fresh_digest(self) -> str:
        """The digest of the files as they are now: names, contents and policies, not folders."""
        summary = hashlib.sha256(repr((self.labels, self.lists)).encode())
        gold = () if self.gold is None else (self.gold,)
        for role, paths in (("run", self.runs), ("judge", self.judges), ("gold", gold)):
            for path in paths:
                summary.update(f"\n{role} {Path(path).name} ".encode("utf-8", "surrogateescape"))
                summary.update(_content_digest(path))
        return summary.hexdigest()


class StudyData:
    """The data of a study; each part is read on first use."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self._labels: dict[str, Qrels] = {}

    @cached_property
    def runs(self) -> RunFiles:
        """The runs, as functions take them; alignments are cheaper."""
        return RunFiles([Source(p, p) for p in self.sources.runs], self.sources.lists)

    @cached_property
    def loaded_runs(self) -> Runs:
        """The runs in memory, for jobs that align them more than once."""
        return load(self.runs)

    def labels(self, whose: str) -> Qrels:
        """Labels by name: "gold", "mv" (the judges' most frequent grade), or a judge's own."""
        if whose == GOLD:
            return self.gold
        if whose not in self._labels:
            one = (
                merge(self.judgments, "mv") if whose == MAJORITY else self.judgments.qrels_of(whose)
            )
            self._labels[whose] = one
        return self._labels[whose]

    @cached_property
    def gold(self) -> Qrels:
        if self.sources.gold is None:
            raise InputError(
                "no gold labels", code="needs-gold", remedy=("give them with", Argument("gold"))
            )
        return qrels_by(self.sources.gold, self.sources.labels.for_gold())

    @cached_property
    def judgments(self) -> Judgments:
        if not self.sources.judges:
            raise InputError(
                "no judges",
                code="needs-judges",
                remedy=("give their files with", Argument("judges")),
            )
        return judgments_by(list(self.sources.judges), self.sources.labels)

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes on the labels that were read so far."""
        read = (vars(self)[name].notes for name in ("gold", "judgments") if name in vars(self))
        return tuple(note for notes in read for note in notes)


@lru_cache(maxsize=2)  # jobs come collection by collection
def study_data(sources: Sources) -> StudyData:
    """The data of the sources, read once per process."""
    if sources.fresh_digest() != sources.digest:
        said = "the files have changed since the study began"
        remedy = "start the study again; on a cluster, all machines must see the same files"
        raise InputError(said, code="changed-files", file=sources.runs[0], remedy=remedy)
    return StudyData(sources)


def folder_parts(folder: Path) -> dict[str, Any]:
    """The runs, judges and gold labels found in a folder."""
    if not os.path.isdir(folder):
        raise InputError(
            "no such folder", code="no-folder", file=str(folder), remedy="check the path"
        )
    parts: dict[str, Any] = {}
    if (folder / "runs").is_dir():
        parts["runs"] = str(folder / "runs" / "*")
    judges = sorted(p for p in folder.glob("judges*") if p.is_dir())
    files = (sorted(p for p in folder.glob(one) if p.is_file()) for one in GOLD_FILES)
    gold: list[Path] = next(filter(None, files), [])
    for name, found, what, inside in (
        ("judges", judges, "folders of judges", "*"),
        ("gold", gold, "candidates for gold labels", ""),
    ):
        if len(found) > 1:
            raise InputError(
                f"{len(found)} {what}: {', '.join(p.name for p in found)}",
                code=f"ambiguous-{name}",
                file=str(folder),
                remedy=("choose one with", Argument(name)),
            )
        if found:
            parts[name] = str(found[0] / inside)
    return parts


def _paths(source: object) -> tuple[str, ...]:
    """Absolute paths: other processes may work in other folders."""
    found = expand(source)
    for one in found:
        if one.path is None:
            raise InputError(
                "a study reads its files in several processes, and this one can be read only once",
                code="from-pipe",
                file=one.name,
                remedy="save it to a file first",
            )
    return tuple(os.path.abspath(one.path) for one in found if one.path is not None)


def _one(paths: tuple[str, ...]) -> str:
    if len(paths) != 1:
        said = f"{len(paths)} files of gold labels"
        raise InputError(said, code="ambiguous-gold", argument="gold", remedy="name one file")
    return paths[0]


def _content_digest(path: str) -> bytes:
    """The digest of a file's bytes."""
    summary = hashlib.sha256()
    with Source(path, path).raw() as file:
        while piece := file.read(CHUNK):
            summary.update(piece)
    return summary.digest()


class Facts(Record):
    """Numbers of topics, runs and relevant documents, and how deep lists and pool are.

    Parameters
    ----------
    topics, runs : int
        Judged topics, and all runs.
    complete : int
        Runs that retrieve on every topic.
    length : int
        Documents in the longest list.
    depth : int
        Pool depth: the rank to which most runs are judged on all topics, see `judged_depths`.
    pooled : int
        Runs that are judged at least so deep.
    grades : int
        Grades of the scale.
    least, mean, most
        Relevant documents of a topic.
    """

    topics: int
    runs: int
    complete: int
    length: int
    depth: int
    pooled: int
    grades: int
    least: int
    mean: float
    most: int


def collection_facts(labels: Qrels, runs: Alignment, rel: int = 1) -> Facts:
    """The facts of graded or binary labels, and of runs that are aligned to their pool."""
    relevant = labels.relevant(rel)
    depths = judged_depths(runs)
    often = Counter(int(depth) for depth in depths if 0 < depth < runs.longest)
    depth = max(often, key=lambda d: (often[d], d)) if often else 0
    return Facts(
        topics=len(labels.topics),
        runs=len(runs.systems),
        complete=int(runs.retrieved.all(axis=1).sum()),
        length=runs.longest,
        depth=depth,
        pooled=int((depths >= depth).sum()),
        grades=labels.max_grade + 1,
        least=int(relevant.min()),
        mean=float(relevant.mean()),
        most=int(relevant.max()),
    )


def judged_depths(runs: Alignment) -> Ints:
    """[system]: the rank down to which all lists of a run are judged without a gap.

    Lists that are judged to their end say nothing about the pool; a run that has only such lists
    counts as judged to the length of the longest list of all.
    """
    ranks = np.asarray(runs.rank, dtype=np.int64)
    cells = np.repeat(np.arange(len(runs.start)), runs.stop - runs.start)
    place = np.arange(len(ranks)) - runs.start[cells]
    unbroken = ranks == place + 1  # true up to the first gap, and false from there on
    depth = np.bincount(cells[unbroken], minlength=len(runs.start))
    depth[depth >= runs.length] = runs.longest
    return np.asarray(depth.reshape(runs.shape).min(axis=1), dtype=np.int64)
