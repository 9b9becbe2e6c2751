"""A whole study: check the data, do the jobs, report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hungjury.collection.runs import Progress
from hungjury.errors import StudyFailed
from hungjury.studies import papers
from hungjury.studies.data import Sources, study_data
from hungjury.studies.engines import Engine
from hungjury.studies.recipe import Recipe, Report
from hungjury.studies.runner import LOCAL_ENGINE, Finished, run_jobs
from hungjury.studies.store import Store

__all__ = ["Study", "run_study"]

MOST_SHOWN = 5


@dataclass(frozen=True)
class Study:
    """What came out, and where it is written."""

    recipe: Recipe
    sources: Sources
    seed: int
    report: Report
    finished: Finished
    folder: Path


def run_study(
    recipe: str | Recipe,
    sources: Sources,
    output: str | Path,
    seed: int = 0,
    engine: Engine = LOCAL_ENGINE,
    progress: Progress | None = None,
    told: Callable[[str], None] | None = None,
) -> Study:
    """Run a recipe, given by name as in "markov(rel=2)", and store results below `output`.

    The same call goes on where another one stopped. told: called once with a sentence about what
    is there already and what has to be done.
    """
    chosen = papers.RECIPES.parse(recipe) if isinstance(recipe, str) else recipe
    data = study_data(sources)
    chosen.check(data)
    jobs = chosen.jobs(data)
    folder = Path(output) / chosen.name
    with Store(folder / "jobs.sqlite") as store:
        finished = run_jobs(jobs, sources, store, seed, engine, progress, told)
    if finished.failed:
        raise StudyFailed(
            f"{len(finished.failed)} of {len(jobs)} jobs failed{_listed(finished.failed)}",
            remedy="the others are stored; the same command tries the failed ones again",
        )
    return Study(chosen, sources, seed, chosen.report(data, finished.results), finished, folder)


def _listed(failed: dict[str, str]) -> str:
    """The keys, and what went wrong in one line each."""
    lines = [f"\n  {key}: {error.splitlines()[0]}" for key, error in failed.items()]
    more = [f"\n  and {len(lines) - MOST_SHOWN} more"] if len(lines) > MOST_SHOWN else []
    return "".join(lines[:MOST_SHOWN] + more)
