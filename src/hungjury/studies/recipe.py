"""Recipes: the experiments of `hungjury study NAME`, how to write one, and how they are run.

A recipe is a class with a name and parameters, declared like a measure. It says what it needs of
the data, which jobs have to be done, and how to report their results. docs/extend.md shows one
that is run by a test.

Rules that keep a study resumable and its numbers the same everywhere:

- `jobs` returns the same keys and arguments whenever data and parameters are the same. All that a
  result depends on is in the arguments, the seed or the data; the recipe's parameters are not
  known to a job unless they are arguments.
- A job takes (data: StudyData, seed: int, **arguments) and returns dictionaries, lists, text,
  numbers and arrays. Its seed is its own, made from the study's seed and its key: jobs that
  need the same random draws say so with the same word in `Job(..., draws="tuples")`.
- Jobs last from a second to a minute: shorter ones cost more to hand out than to do, and longer
  ones are lost when the study is stopped.
- A study may have several collections: `jobs` is asked for each, and `report` sets all of them
  side by side. Tables have a column for the collection only where there are several.
- `report` is quick and draws no random numbers. Figures are described by `Drawing`, and drawn when
  they are written.
- Parameters default to those of the paper, unless there is a better choice today: then the paper's
  is in `published`, which `--as-published` sets. Their names become flags, so they differ from
  those of the command line (data, runs, judges, gold, grades, ties, seed, ...). Those whose default
  is a tuple become flags that can be repeated.

Recipes live in `studies/papers/`, one file each, and are imported in its `__init__`.
"""

from __future__ import annotations

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from hungjury.base.arrays import Floats
from hungjury.base.errors import Argument, HungjuryError, InputError, Note, Remedy, StudyFailed
from hungjury.base.named import Catalogue, Named
from hungjury.base.parameters import measure_names
from hungjury.base.records import Record
from hungjury.base.results import Table, in_report
from hungjury.data.reading.options import among
from hungjury.data.runs import Progress
from hungjury.measures.catalogue import measure
from hungjury.studies.claims import Claim, claims_table
from hungjury.studies.data import Sources, StudyData, check_collections, study_data
from hungjury.studies.engines import Engine
from hungjury.studies.jobs import LOCAL_ENGINE, Finished, Job, ResultStore, run_work

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_SCALE: Remedy = ("use graded labels, or declare their scale with", Argument("grades"))
NEEDS: dict[str, tuple[str, Remedy]] = {
    "gold": (
        "gold labels",
        ("name a qrels file with", Argument("gold"), ", or put gold.qrels into the folder of",
         Argument("data")),
    ),
    "graded gold": ("gold labels with at least two relevant grades", _SCALE),
    "judges": (
        "at least two judges",
        ("name one file for each judge with", Argument("judges"),
         ", or put them into judges/ in the folder of", Argument("data")),
    ),
    "graded judges": ("judges who give at least two relevant grades", _SCALE),
    "systems": ("at least two runs", ("name more runs with", Argument("runs"))),
}  # fmt: skip
"""What recipes may need of the data, in words, and the remedy where it is missing."""


class Drawing(Record, eq=False):
    """A figure: the function of `report/study_plots.py` that draws it, and its arguments. It is
    drawn when the study is written, because drawing is slow. numbers: what it shows, as a table."""

    title: str
    drawn_by: str
    arguments: tuple[Any, ...]
    numbers: Table | None = None

    def draw(self) -> Figure:
        """Draw it with matplotlib."""
        figure: Figure = in_report(f"study_plots.{self.drawn_by}")(*self.arguments)
        return figure


class Lines(Record, eq=False):
    """A panel: a line of values, one for each rate, under each name; [line, rate] with a band."""

    title: str
    series: Mapping[str, Sequence[float] | Floats]


class Matrix(Record, eq=False):
    """A panel: correlations [row, column]; triangles: what is above and below the diagonal."""

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    values: Floats
    triangles: tuple[str, str] | None = None


Shown = Mapping[str, Table | Drawing]


class Report(Record):
    """The results of a study.

    shown: tables and figures by the names of their files, such as "table-5.2". remarks: sentences
    for the page, one per paragraph. claims: the paper's claims, each with its verdict.
    """

    shown: Shown
    remarks: Sequence[str] = ()
    claims: Sequence[Claim] = ()

    @property
    def figures(self) -> dict[str, Drawing]:
        return {name: one for name, one in self.shown.items() if isinstance(one, Drawing)}

    @property
    def tables(self) -> dict[str, Table]:
        """All tables, and the numbers of figures that have them."""
        numbers = {name: one.numbers for name, one in self.figures.items()}
        found = {**self.shown, **numbers}
        return {name: one for name, one in found.items() if isinstance(one, Table)}

    @property
    def all_tables(self) -> dict[str, Table]:
        """All tables; claims come first, if there are any."""
        return {**({"claims": claims_table(self.claims)} if self.claims else {}), **self.tables}


class Studied(Record, eq=False):
    """A collection, and the results of its jobs by their keys. name: of the collection in tables;
    empty if it is the only one."""

    name: str
    data: StudyData
    results: Mapping[str, Any]


class Recipe(Named, ABC):
    """Base of all recipes; see the module's docstring."""

    paper: ClassVar[str] = ""
    needs: ClassVar[tuple[str, ...]] = ()
    published: ClassVar[Mapping[str, Any]] = {}
    """Parameters of the paper that differ from the defaults; `--as-published` sets them."""
    published_reading: ClassVar[Mapping[str, Any]] = {}
    """Options of reading, in the same way."""

    @abstractmethod
    def jobs(self, data: StudyData) -> list[Job]:
        """Return the jobs of a collection."""

    @abstractmethod
    def report(self, studied: Sequence[Studied]) -> Report:
        """Make tables and figures from the results of all jobs, for one collection or several."""

    def changed(self, sources: Sequence[Sources]) -> dict[str, Any]:
        """Return the parameters, and options of reading, that are not the defaults; those of the
        paper under one name."""
        mine = {p.name: (getattr(self, p.name), p.default) for p in self.params()}
        found = {name: value for name, (value, default) in mine.items() if value != default}
        paper = dict(self.published)
        for policy in (part for one in sources for part in (one.labels, one.lists)):
            usual = type(policy)().recorded
            read = type(policy).of(among(self.published_reading, policy.options)).recorded
            found |= {k: v for k, v in policy.recorded.items() if v != usual[k]}
            paper |= {k: v for k, v in read.items() if v != usual[k]}
        if paper and all(found.get(k) == v for k, v in paper.items()):
            return {PUBLISHED: True} | {k: v for k, v in found.items() if k not in paper}
        return found

    def needed(self) -> tuple[str, ...]:
        """Return the needs of this study, which depend on its parameters in some recipes."""
        return self.needs

    def check(self, data: StudyData) -> None:
        """Raise an error, before any job starts, if a collection lacks something."""
        for need in self.needed():
            found = _missing(need, data)
            if found is not None:
                words, remedy = NEEDS[need]
                said = f"the study {self.name} needs {words}, but {found}"
                raise InputError(said, code="unsuitable-data", remedy=remedy)


MOST_SHOWN = 5  # failed jobs
LONGEST = 120  # characters of a folder's name
PUBLISHED = "as-published"
RECIPES = Catalogue("study", Recipe)  # type: ignore[type-abstract]


def _missing(need: str, data: StudyData) -> str | None:
    """Say what was found instead of what is needed; None if nothing is missing."""
    if need == "systems":
        return "there is only one" if len(data.sources.runs) < 2 else None
    gold = need.endswith("gold")
    if not (data.sources.gold if gold else data.sources.judges):
        return "no gold labels were given" if gold else "no judges were given"
    if need == "judges":
        return "there is only one" if len(data.judgments.judges) < 2 else None
    labels, these = (data.gold, "these") if gold else (data.judgments, "their labels")
    if not need.startswith("graded") or (labels.max_grade > 1 and not labels.soft):
        return None
    return f"{these} are {'probabilities' if labels.soft else 'binary'}"


class Study(Record):
    """The results, and where they are written: a folder for each set of parameters, beside the
    stored results of all. `sources` and `finished` have an entry for each
    collection; `notes` are on labels and measures."""

    recipe: Recipe
    sources: tuple[Sources, ...]
    seed: int
    report: Report
    finished: tuple[Finished, ...]
    folder: Path
    notes: tuple[Note, ...] = ()


def run_study(
    recipe: str | Recipe,
    sources: Sources | Sequence[Sources],
    output: str | Path,
    seed: int = 0,
    engine: Engine = LOCAL_ENGINE,
    progress: Progress | None = None,
    announce: Callable[[str], None] | None = None,
) -> Study:
    """Run a recipe, given by name as in "markov(rel=2)", and store results below `output`.

    The same call resumes where an earlier one stopped. Several sources are reported side by side;
    the results of each do not depend on the others. announce: called once with a sentence on what
    is reused and what has to be done.
    """
    from hungjury.studies import papers  # which imports this module

    chosen = papers.RECIPES.parse(recipe) if isinstance(recipe, str) else recipe
    collections = (sources,) if isinstance(sources, Sources) else tuple(sources)
    check_collections(collections)
    several = len(collections) > 1
    data, work = [], []
    for one in collections:
        try:
            data.append(study_data(one))
            chosen.check(data[-1])
            work.append((one, chosen.jobs(data[-1])))
        except HungjuryError as error:
            if several:
                error.message = f"collection {one.name}: {error.message}"
            raise
    folder = Path(output) / chosen.name
    with ResultStore(folder / "jobs.sqlite") as store:
        finished = run_work(work, store, seed, engine, progress, announce)
    failed = {
        f"{one.name}: {key}" if several else key: error
        for one, each in zip(collections, finished, strict=True)
        for key, error in each.failed.items()
    }
    if failed:
        number = sum(len(jobs) for _, jobs in work)
        raise StudyFailed(
            f"{len(failed)} of {number} jobs failed{_listed(failed)}",
            remedy="the others are stored; the same command tries the failed ones again",
        )
    studied = [
        Studied(one.sources.name if several else "", one, each.results)
        for one, each in zip(data, finished, strict=True)
    ]
    report = chosen.report(studied)
    mine = [p.name for p in chosen.params() if p.kind is measure_names]
    named = [measure(one) for name in mine for one in getattr(chosen, name)]
    notes = (
        *dict.fromkeys(note for one in named for note in one.notes()),
        *(_about(one, note) if several else note for one in data for note in one.notes),
    )
    home = folder / set_name(chosen, collections, seed)
    return Study(chosen, collections, seed, report, tuple(finished), home, notes)


def set_name(recipe: Recipe, sources: Sequence[Sources], seed: int) -> str:
    """Return the name of the folder of a set of parameters: the collections, and what differs from
    the defaults."""
    changed = recipe.changed(sources) | ({"seed": seed} if seed else {})
    parts = ["+".join(one.name for one in sources if one.name)]
    for name, value in changed.items():
        each = value if isinstance(value, (tuple, list)) else [] if value is True else [value]
        parts.append(file_stem("-".join([name, *map(str, each)])))
    whole = "_".join(filter(None, parts)) or "defaults"
    if len(whole) <= LONGEST:
        return whole
    return f"{whole[:LONGEST]}-{hashlib.sha256(whole.encode()).hexdigest()[:8]}"


def _about(data: StudyData, note: Note) -> Note:
    """Name the collection in a note."""
    return replace(note, where=": ".join(filter(None, (data.sources.name, note.where))))


def _listed(failed: dict[str, str]) -> str:
    """List the keys, and what went wrong in one line each."""
    lines = [f"\n  {key}: {error.splitlines()[0]}" for key, error in failed.items()]
    more = [f"\n  and {len(lines) - MOST_SHOWN} more"] if len(lines) > MOST_SHOWN else []
    return "".join(lines[:MOST_SHOWN] + more)


def file_stem(*texts: str) -> str:
    """Turn texts into a part of a file name; empty ones leave no trace."""
    stems = (re.sub(r"[^\w.+@-]+", "-", text).strip("-") for text in texts)
    return "-".join(filter(None, stems))


def before(collection: str) -> str:
    """The name of a collection before what is said about it, where there are several."""
    return f"{collection}: " if collection else ""
