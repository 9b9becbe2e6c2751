"""Run a whole study: check the data, run the jobs, report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from hungjury.base.errors import HungjuryError, StudyFailed
from hungjury.base.notes import Note
from hungjury.base.records import Record
from hungjury.data.runs import Progress
from hungjury.measures.catalogue import measure
from hungjury.studies import papers
from hungjury.studies.data import Sources, StudyData, check_collections, study_data
from hungjury.studies.engines import Engine
from hungjury.studies.jobs import LOCAL_ENGINE, Finished, ResultStore, run_work
from hungjury.studies.recipe import Recipe, Report, Studied

__all__ = ["Study", "run_study"]

MOST_SHOWN = 5


class Study(Record):
    """The results, and where they are written. `sources` and `finished` have an entry for each
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
    chosen = papers.RECIPES.parse(recipe) if isinstance(recipe, str) else recipe
    collections = (sources,) if isinstance(sources, Sources) else tuple(sources)
    check_collections(collections)
    several = len(collections) > 1
    data, work = [], []
    for one in collections:
        with _naming(one.name if several else ""):
            data.append(study_data(one))
            chosen.check(data[-1])
            work.append((one, chosen.jobs(data[-1])))
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
    studied = [Studied(d, f.results) for d, f in zip(data, finished, strict=True)]
    report = chosen.report(studied)
    notes = (
        *dict.fromkeys(note for name in chosen.chosen_measures for note in measure(name).notes()),
        *(_about(one, note) if several else note for one in data for note in one.notes),
    )
    return Study(chosen, collections, seed, report, tuple(finished), folder, notes)


def _about(data: StudyData, note: Note) -> Note:
    """The note with the name of its collection."""
    name = data.sources.name
    return replace(note, where=f"{name}: {note.where}" if note.where else name)


@contextmanager
def _naming(collection: str) -> Iterator[None]:
    """Make errors name the collection they are about."""
    try:
        yield
    except HungjuryError as error:
        if collection:
            error.message = f"collection {collection}: {error.message}"
        raise


def _listed(failed: dict[str, str]) -> str:
    """The keys, and what went wrong in one line each."""
    lines = [f"\n  {key}: {error.splitlines()[0]}" for key, error in failed.items()]
    more = [f"\n  and {len(lines) - MOST_SHOWN} more"] if len(lines) > MOST_SHOWN else []
    return "".join(lines[:MOST_SHOWN] + more)
