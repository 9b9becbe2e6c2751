"""hungjury study"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from hungjury.base.errors import check_installed, shell_word
from hungjury.base.parameters import MOST_WORKERS
from hungjury.cli import options
from hungjury.cli.failing import flag, refuse, was_typed
from hungjury.cli.main import finished
from hungjury.cli.options import Decorator, count, option, plain_value
from hungjury.cli.output import print_notes, progress_bar, say
from hungjury.cli.reading import Reading
from hungjury.data.reading.options import JUDGES, RUNS

if TYPE_CHECKING:
    from hungjury.base.parameters import Declared
    from hungjury.data.runs import Progress
    from hungjury.studies.recipe import Recipe

EVERY = 10.0  # seconds between lines of progress where there is no terminal


class _Studies(click.Group):
    """One command per recipe, created lazily because recipes are slow to import."""

    def list_commands(self, _context: click.Context) -> list[str]:
        from hungjury.studies.papers import RECIPES

        return [recipe.name for recipe in RECIPES]

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        from hungjury.studies.papers import RECIPES

        return _command(RECIPES[name])


@click.command("study", cls=_Studies)
def study_command() -> None:
    """Run a paper's experiments on your data; a study can be stopped and resumed at any time.

    \b
    Examples:
      hungjury simulate -o demo
      hungjury study markov --data demo -o results/
      hungjury study markov --help
    """


_STUDY = options.all_of(
    option(
        "--data [NAME=]FOLDER ...",
        "Folder with runs/ and, if needed, judges*/ and gold.qrels (or qrels*), or a JSON file "
        "that describes a collection. Repeat it to compare collections.",
    ),
    options.runs("Runs, instead of those in --data."),
    options.judges("Judges, instead of those in --data."),
    option("--gold QRELS", "Gold labels, instead of those in --data."),
    option(
        "--as-published",
        "Use the paper's own settings where they differ from the defaults; options that are given "
        "take precedence.",
        bool,
    ),
    option(
        "-o, --output FOLDER",
        "Output folder; results go into a subfolder named after the study, the data and the "
        "parameters that are not the defaults.",
        required=True,
    ),
    option(
        "--engine", "local, dask://HOST:PORT, or the name of a joblib backend.", default="local"
    ),
    option(
        "--jobs",
        "Number of parallel jobs; default: one per core.",
        count(MOST_WORKERS),
        name="workers",
    ),
    options.seed(),
    options.csv_safe,
    options.reading({n: one for n, one in (JUDGES | RUNS).items() if n != "scaling"}),
    options.quiet,
)


def _command(recipe: type[Recipe]) -> click.Command:
    """The command of one recipe, with an option for each of its parameters."""
    from hungjury.studies.recipe import NEEDS

    def run(as_published: bool, reading: Reading, **given: Any) -> None:
        chosen = {parameter.name: given.pop(parameter.name) for parameter in recipe.params()}
        named = {name: value for name, value in chosen.items() if was_typed(flag(name))}
        read = dict(reading.options)
        if as_published:
            named = {**recipe.published, **named}
            paper = recipe.published_reading.items()
            read |= {k: v for k, v in paper if not was_typed(flag(k))}
        _run(recipe(**named), read, **given)

    flags = map(_flag, recipe.params())
    *first, last = (NEEDS[need][0] for need in recipe.needs)
    needs = f"{', '.join(first)} and {last}" if first else last
    text = (
        f"{recipe.__doc__}\n\n{recipe.paper}. Needs {needs}.{_published(recipe)}\n\n"
        f"\b\nExample:\n  hungjury study {recipe.name} --data demo -o results"
    )
    return finished(click.command(recipe.name, help=text)(options.all_of(*flags, _STUDY)(run)))


def _published(recipe: type[Recipe]) -> str:
    """Return a sentence on --as-published, if it changes anything."""
    flags = []
    for name, value in {**recipe.published, **recipe.published_reading}.items():
        for one in value if isinstance(value, tuple) else (value,):
            flags.append(flag(name) if one is True else f"{flag(name)} {shell_word(one)}")
    return f"\n\n--as-published is short for {' '.join(flags)}." if flags else ""


def _flag(parameter: Declared) -> Decorator:
    """Make the option of a parameter, which checks its value itself."""
    default, usage = parameter.default, flag(parameter.name)
    if default is False:
        return option(usage, parameter.doc, bool)
    meaning, shown, usage = parameter.doc, default, f"{usage} VALUE"
    if isinstance(default, tuple):
        meaning, usage = f"{meaning}; repeatable", f"{usage} ..."
        shown = " ".join(map(str, default))
    more = "" if shown in ("", None) else f"  [default: {shown}]"
    return option(usage, meaning + more, plain_value)


def _run(
    recipe: Recipe, read: Mapping[str, Any], *, data: tuple[str, ...], runs: tuple[str, ...],
    judges: tuple[str, ...], gold: str | None, output: str, engine: str, workers: int | None,
    seed: int, csv_safe: bool, quiet: bool,
) -> None:  # fmt: skip
    from hungjury.report.study_page import write_study
    from hungjury.studies.claims import summary, verdicts
    from hungjury.studies.data import Sources, read_collections
    from hungjury.studies.engines import Engine
    from hungjury.studies.recipe import run_study

    check_installed("matplotlib", "studies", "the figures of a study")
    files = {"runs": list(runs) or None, "judges": list(judges) or None, "gold": gold}
    given: dict[str, Any] = {**files, **read}
    refuse(not data and not runs, "give --data FOLDER, or --runs and whatever else the study needs")
    sources = read_collections(data, **given) if data else Sources.of(**given)

    def announce(sentence: str) -> None:
        say(f"{recipe.name}: {sentence}", quiet)

    with _progress(quiet) as progress:
        study = run_study(
            recipe, sources, output, seed, Engine(engine, workers), progress, announce
        )
    page, *others = write_study(study, csv_safe)
    print_notes(study.notes, quiet, str(page))
    if study.report.claims:
        click.echo(f"{summary(study.report.claims)}\n\n{verdicts(study.report.claims)}\n")
    click.echo(f"{page}\n{len(others)} tables and figures in the same folder")


@contextmanager
def _progress(quiet: bool) -> Iterator[Progress | None]:
    """A progress bar on a terminal; elsewhere a line from time to time."""
    if quiet or sys.stderr.isatty():
        with progress_bar(quiet) as bar:
            yield bar
        return
    began = last = time.monotonic()

    def line(done: int, total: int, what: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= EVERY and done < total:
            last = now
            left = (now - began) / done * (total - done)
            click.echo(f"{done} of {total} jobs, about {_duration(left)} left", err=True)

    yield line


def _duration(seconds: float) -> str:
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
