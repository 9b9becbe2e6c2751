"""Options on input files, and from files to scores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from functools import wraps
from typing import TYPE_CHECKING, Any, cast

import click

from hungjury.base.choices import (
    MissingScores,
    RepeatedScores,
    ScorePrecision,
    Undefined,
    Unjudged,
)
from hungjury.base.options import Option
from hungjury.base.parameters import MOST_RANKS
from hungjury.base.records import Record
from hungjury.cli.options import (
    F,
    Number,
    all_of,
    choice_option,
    count,
    grade,
    measures_option,
    was_typed,
)
from hungjury.cli.output import Output, is_much
from hungjury.data.reading.options import (
    BESIDE,
    GOLD,
    JUDGES,
    LABELS,
    among,
    gold_options,
    refuse_gold_options,
    run_options,
)

if TYPE_CHECKING:
    from hungjury.data.qrels import Judgments, Qrels
    from hungjury.data.reading.options import LabelPolicy
    from hungjury.data.runs import RunFiles
    from hungjury.measures.catalogue import Measure
    from hungjury.measures.score_files import JudgeScores
    from hungjury.measures.scores import Scores


class InputFiles(Record):
    """Labels and runs, by arguments and by long options."""

    files: tuple[str, ...]
    qrels: str | None
    runs: tuple[str, ...]

    def sorted_out(self) -> tuple[str, list[str]]:
        """Return the labels' file and the runs' files."""
        rest = list(self.files)
        qrels = self.qrels
        if qrels is None:
            if not rest:
                raise click.UsageError("give a qrels file and at least one run")
            qrels = rest.pop(0)
        everything = [*self.runs, *rest]
        if not everything:
            raise click.UsageError("give at least one run after the qrels file")
        if [qrels, *everything].count("-") > 1:
            raise click.UsageError("stdin can be read only once; give - for one file")
        return qrels, everything


class Reading(Record):
    """How a command reads its files: the values of its reading options."""

    options: Mapping[str, Any]

    def qrels(self, source: str) -> Qrels:
        """Read one label per document."""
        from hungjury.data.labels import qrels_by

        return qrels_by(source, self._labels(LABELS))

    def labels(self, source: str) -> Qrels | Judgments:
        """Read one label per document, unless these are labels of several judges."""
        from hungjury.data.labels import labels_by

        return labels_by(source, self._labels(JUDGES))

    def judgments(self, sources: Iterable[str]) -> Judgments:
        """Read the labels of several judges."""
        from hungjury.data.labels import judgments_by

        return judgments_by(list(sources), self._labels(JUDGES))

    def gold(self, source: str) -> Qrels:
        """Read gold labels, which are grades even if judges use another scale."""
        from hungjury.data.labels import as_qrels

        return as_qrels(source, **gold_options(self.options))

    def gold_of(self, sources: tuple[str, ...]) -> Qrels | Judgments | None:
        """Read the gold labels of one person, or of several; None without files."""
        from hungjury.data.labels import as_gold

        return as_gold(list(sources), **gold_options(self.options)) if sources else None

    def _labels(self, taken: Mapping[str, Option]) -> LabelPolicy:
        from hungjury.data.reading.options import LabelPolicy

        return LabelPolicy.of(among(self.options, taken))

    def runs(self, files: Iterable[str], precision: ScorePrecision = "double") -> RunFiles:
        """Find the files of runs; `precision` is that of scores, unless the user says."""
        from hungjury.data.reading.options import RunPolicy
        from hungjury.data.reading.sources import expand
        from hungjury.data.runs import RunFiles

        options = run_options(self.options)
        if not was_typed("--score-precision"):
            options["score_precision"] = precision
        return RunFiles(expand(list(files), "scoreddocs"), RunPolicy.of(options))


def flag(option: Option) -> Callable[[F], F]:
    """Make the flag of an option."""
    name, default = f"--{option.name.replace('_', '-')}", option.default
    how: dict[str, Any] = {}
    if option.choices:
        how = {"type": click.Choice(option.choices), "default": default, "show_default": True}
    elif default is False:
        how = {"is_flag": True}
    elif option.low is not None and option.high is not None:
        kind = Number(option.low, option.high, max_open=option.open_high)
        whole = isinstance(default, int)
        limits = count(int(option.high), int(option.low)) if whole else kind
        how = {"type": limits, "default": default, "show_default": True}
    else:
        how = {"type": option.parse, "metavar": option.metavar, "multiple": default == ()}
        if isinstance(default, str):
            how |= {"default": default, "show_default": True}
    return click.option(name, help=option.help, **how)


def reading_options(*groups: Mapping[str, Option]) -> Callable[[F], F]:
    """Decorator: add the reading options of some groups; a command gets them as `reading`."""
    options = {name: option for group in groups for name, option in group.items()}

    def decorate(command: F) -> F:
        @wraps(command)
        def gathered(**given: Any) -> Any:
            values = {name: given.pop(name) for name in options}
            if not given.get("gold") and not given.get("have"):
                refuse_gold_options(values)
            return command(reading=Reading(values), **given)

        return cast(F, all_of([flag(option) for option in options.values()])(gathered))

    return decorate


def judges_option(
    what: str = "Labels of several judges: one file each, or a table with a judge column.",
    *,
    required: bool = False,
) -> Callable[[F], F]:
    """Take files of several judges, by name."""
    return click.option("--judges", multiple=True, required=required, metavar="FILES", help=what)


def runs_option(
    what: str = "Runs; repeatable, or a quoted glob.", *, required: bool = False
) -> Callable[[F], F]:
    """Take files of runs, by name."""
    return click.option("--runs", multiple=True, required=required, metavar="FILES", help=what)


labels_and_runs = reading_options(LABELS, BESIDE)
judges_and_runs = reading_options(JUDGES, BESIDE)
judges_gold_and_runs = reading_options(JUDGES, GOLD, BESIDE)
judges_needed = judges_option(required=True)
runs_needed = runs_option(required=True)
binary_option = click.option(
    "--rel", type=grade, help="Make labels binary; grades from this one up are relevant."
)


def input_options(command: F) -> F:
    """Decorator: take labels and runs as arguments; a command gets them as `inputs`."""
    members = [field.name for field in fields(InputFiles)]

    @wraps(command)
    def gathered(**given: Any) -> Any:
        values = {member: given.pop(member) for member in members}
        if values["files"]:  # which win over the files of a project
            values |= {n: None if n == "qrels" else () for n in ("qrels", "runs")
                       if not was_typed(f"--{n}")}  # fmt: skip
        return command(inputs=InputFiles(**values), **given)

    return cast(F, all_of([
        click.argument("files", nargs=-1, metavar="QRELS RUN..."),
        click.option("--qrels", metavar="FILE", help="Labels, instead of the first argument."),
        runs_option(),
    ])(gathered))  # fmt: skip


class ScoreTables(Record):
    """Scores that another tool computed, and how they are read."""

    scores: tuple[str, ...]
    score_columns: str | None
    missing_scores: MissingScores
    repeated_scores: RepeatedScores
    smaller: tuple[str, ...]
    scale: str | None

    def read(self) -> Scores | JudgeScores:
        """Read them."""
        from hungjury.base.errors import HungjuryError
        from hungjury.measures.score_files import FLAGS, read_scores

        try:
            return read_scores(
                list(self.scores), columns=self.score_columns, missing=self.missing_scores,
                duplicates=self.repeated_scores, smaller=self.smaller, scale=self.scale,
            )  # fmt: skip
        except HungjuryError as error:
            raise error.renamed(FLAGS) from None

    def read_some(self, measures: tuple[str, ...] = ()) -> Scores:
        """Read them, and keep some measures (or judges), if any are named."""
        found = self.read()
        return found.select(measures=measures) if measures else found


_columns_option = click.option(
    "--score-columns", metavar="ROLE=NAME",
    help="Columns of --scores or --answers, such as system=model,topic=question.",
)  # fmt: skip
_scale_option = click.option(
    "--scale", metavar="LOW-HIGH",
    help="Lowest and highest possible value in --scores or --answers.",
)  # fmt: skip


def answers_options(command: F) -> F:
    """Decorator: take answers that judges scored, instead of judges and runs; a command gets the
    function that reads them as `answered`, or None."""
    has_scores = any(p.name == "scale" for p in getattr(command, "__click_params__", []))

    @wraps(command)
    def gathered(answers: tuple[str, ...], **given: Any) -> Any:
        scale, columns = (
            click.get_current_context().params[name] for name in ("scale", "score_columns")
        )
        if not has_scores:
            del given["scale"], given["score_columns"]
        if not answers:
            return command(answered=None, **given)
        if given["judges"] or given["runs"] or given.get("qrels"):
            raise click.UsageError("--answers takes the place of labels and runs; give only one")
        if scale is None:
            raise click.UsageError("--answers needs --scale, such as --scale 1-5")
        from hungjury.measures.score_files import read_answers

        if not was_typed("--measure"):
            given["measures"] = ("Mean@1",)
        return command(
            answered=lambda: read_answers(list(answers), scale=scale, columns=columns), **given
        )

    options = [] if has_scores else [_columns_option, _scale_option]
    return cast(F, all_of([
        click.option("--answers", multiple=True, metavar="FILES",
                     help="Answers that judges scored, instead of judges and runs: a table of "
                     "system, topic, judge and score; needs --scale."),
        *options,
    ])(gathered))  # fmt: skip


def scores_options(command: F) -> F:
    """Decorator: take scores instead of labels and runs; a command gets them as `tables`."""
    members = [field.name for field in fields(ScoreTables)]

    @wraps(command)
    def gathered(**given: Any) -> Any:
        return command(tables=ScoreTables(*(given.pop(name) for name in members)), **given)

    return cast(F, all_of([
        click.option("--scores", multiple=True, metavar="FILES",
                     help="Scores per topic of any tool, instead of labels and runs."),
        _columns_option,
        choice_option("--missing-scores", MissingScores,
                      "Topics on which --scores has no value of some system."),
        choice_option("--repeated-scores", RepeatedScores,
                      "Several values in --scores of one system on one topic."),
        click.option("--smaller", multiple=True, metavar="MEASURE",
                     help="A measure in --scores that is better when smaller; repeatable."),
        _scale_option,
    ])(gathered))  # fmt: skip


DEFAULT = ("nDCG@10", "AP", "P@10", "RR")
# The flags that say what is scored; `score_files` takes them.
scoring_options = all_of([
    input_options,
    scores_options,
    measures_option(
        'Measure such as nDCG@10 or "AP(rel=2)", or a trec_eval name; repeatable. '
        f"Default: {', '.join(DEFAULT[:-1])} and {DEFAULT[-1]}."
    ),
    click.option("-c", "--complete", is_flag=True, help="Same as --topics judged."),
    click.option("-M", "--depth", type=count(MOST_RANKS), help="Use only the first ranks."),
    click.option("-l", "--rel", type=grade,
                 help="Lowest relevant grade, for all measures."),
    click.option("-J", "--judged-only", is_flag=True,
                 help="Remove unjudged documents from lists."),
    click.option("--topics", metavar="WHICH",
                 help="judged (default), retrieved, or topic ids such as 301,302."),
    choice_option("--undefined", Undefined, "Value where nothing is relevant."),
])  # fmt: skip


def score_files(
    out: Output, default: tuple[str, ...], default_topics: str = "judged",
    precision: ScorePrecision = "double", *,
    inputs: InputFiles, measures: tuple[str, ...], complete: bool, depth: int | None,
    rel: int | None, judged_only: bool, topics: str | None, undefined: Undefined,
    reading: Reading, tables: ScoreTables, distribution: bool = False,
) -> tuple[Scores, list[Measure]]:  # fmt: skip
    """Read the files and score them, or read scores."""
    from hungjury.measures.evaluate import evaluate

    if tables.scores:
        if inputs.files or inputs.qrels or inputs.runs:
            raise click.UsageError("--scores takes the place of labels and runs; give only one")
        return tables.read_some(measures), []
    labels_file, run_paths = inputs.sorted_out()
    _no_measure_among(run_paths)
    wanted = _measures(measures or default, rel)
    if out.form == "trec":
        wanted = [one.but(levels="trec") if hasattr(one, "levels") else one for one in wanted]
    if complete and topics not in (None, "judged"):
        raise click.UsageError("-c means --topics judged; give only one of them")
    which = "judged" if complete else topics or default_topics
    chosen = which if which in ("judged", "retrieved") else which.split(",")
    labels = reading.qrels(labels_file)
    found = reading.runs(run_paths, precision)
    unjudged: Unjudged = "condensed" if judged_only else "nonrelevant"
    with out.progress(is_much(found)) as progress:
        scores = evaluate(
            labels, found, wanted, chosen, undefined, unjudged, depth=depth,
            distribution=distribution, progress=progress,
        )  # fmt: skip
    return scores, wanted


def _no_measure_among(runs: list[str]) -> None:
    """Refuse a measure after the runs, where ir_measures takes it: it would be read as a file."""
    from hungjury.base.errors import HungjuryError
    from hungjury.measures.catalogue import measure_list

    for name in runs:
        if not os.path.exists(name):
            try:
                measure_list(name)
            except HungjuryError:
                continue
            raise click.UsageError(f"{name} is a measure, not a file; use -m {name}")


def _measures(names: tuple[str, ...], rel: int | None) -> list[Measure]:
    """Parse measures; --rel sets the threshold of those that have one and do not name it."""
    from hungjury.measures.catalogue import measure_list

    found = measure_list(names)
    if rel is None:
        return found
    return [m.but(rel=rel) if getattr(m, "rel", rel) == 1 else m for m in found]
