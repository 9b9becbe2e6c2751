"""Options on input files, and from files to scores; a command gets each group as one value."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, fields
from functools import wraps
from typing import TYPE_CHECKING, Any, cast

import click

from hungjury.base.choices import (
    Duplicates,
    JudgeColumn,
    Missing,
    Outside,
    ScorePrecision,
    SystemNames,
    Ties,
    Undefined,
    Unjudged,
)
from hungjury.base.parameters import MOST_GRADE, MOST_RANKS
from hungjury.base.records import Record
from hungjury.base.text import integer_of
from hungjury.cli.options import (
    F,
    all_of,
    choice,
    choice_option,
    count,
    grade,
    measures_option,
    quiet_option,
)
from hungjury.cli.output import is_much, progress_bar

if TYPE_CHECKING:
    from hungjury.data.judgments import Judgments
    from hungjury.data.qrels import Qrels
    from hungjury.data.reading.options import LabelPolicy
    from hungjury.data.runs import RunFiles
    from hungjury.measures.catalogue import Measure
    from hungjury.measures.scores import Scores


class InputFiles(Record):
    """Labels and runs, by arguments and by long options."""

    files: tuple[str, ...]
    qrels: str | None
    runs: tuple[str, ...]

    def sorted_out(self) -> tuple[str, list[str]]:
        """The labels' file and the runs' files."""
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


class JudgeFiles(Record):
    """Labels of several judges, and where the names of judges are found."""

    judges: tuple[str, ...]
    judge_column: JudgeColumn | None
    wide: bool
    only: tuple[str, ...]
    without: tuple[str, ...]

    def options(self) -> dict[str, Any]:
        """What `read_judgments` takes beside the options for labels."""
        return {k: v for k, v in asdict(self).items() if k != "judges"}


class GradeFlags(Record):
    """How grades are read."""

    duplicates: Duplicates
    grades: list[int] | None
    outside: Outside
    map: str | None
    missing: Missing
    columns: str | None

    def policy(self, **more: Any) -> LabelPolicy:
        from hungjury.data.reading.options import LabelPolicy

        return LabelPolicy.of(**asdict(self), **more)

    def gold(self, source: str) -> Qrels:
        """Gold labels, which are grades even if judges use another scale."""
        from hungjury.data.qrels import qrels_by

        return qrels_by(source, self.policy().for_gold())

    def people(self, sources: tuple[str, ...]) -> Qrels | Judgments:
        """Labels of one person, or of several: a file each."""
        from hungjury.data.judgments import judgments_by

        if len(sources) == 1 and not any(mark in sources[0] for mark in "*?["):
            return self.gold(sources[0])
        return judgments_by(list(sources), self.policy().for_gold())


class LabelFlags(GradeFlags):
    """How labels are read, be they grades, probabilities or on an open scale."""

    scaling: str | None

    def qrels(self, source: str) -> Qrels:
        from hungjury.data.qrels import qrels_by

        return qrels_by(source, self.policy())

    def judgments(self, source: JudgeFiles) -> Judgments:
        from hungjury.data.judgments import judgments_by

        return judgments_by(list(source.judges), self.policy(**source.options()))


class RunFlags(Record):
    """How runs are read."""

    ties: Ties
    score_precision: ScorePrecision | None
    names: SystemNames

    def options(self, precision: ScorePrecision = "double") -> dict[str, Any]:
        """What `read_runs` takes; `precision` is that of scores, unless the user says."""
        return {**asdict(self), "score_precision": self.score_precision or precision}

    def files(
        self,
        runs: Iterable[str],
        columns: str | None = None,
        precision: ScorePrecision = "double",
    ) -> RunFiles:
        from hungjury.data.reading.options import RunPolicy
        from hungjury.data.reading.sources import expand
        from hungjury.data.runs import RunFiles

        policy = RunPolicy.of(columns=columns, **self.options(precision))
        return RunFiles(expand(list(runs), "scoreddocs"), policy)


def _grades(
    _context: click.Context, _option: click.Parameter, value: str | None
) -> list[int] | None:
    """'0-3' or '0,1,2' as a list of grades."""
    if value is None:
        return None
    ends = re.fullmatch(r"(-?[0-9]+)-(-?[0-9]+)", value)
    numbers = [integer_of(text.strip()) for text in (ends.groups() if ends else value.split(","))]
    given = [number for number in numbers if number is not None]
    if len(given) < len(numbers) or (ends and given[0] > given[1]):
        raise click.BadParameter(f"{value!r} is not a scale; write 0-3 or 0,1,2")
    if max(map(abs, given)) > MOST_GRADE:
        raise click.BadParameter(f"{value!r}: grades go from {-MOST_GRADE} to {MOST_GRADE}")
    return list(range(given[0], given[1] + 1)) if ends else given


def _together(name: str, kind: type[Any], *options: Any) -> Callable[[F], F]:
    """Decorator: add options to a command and pass their values as one argument."""
    members = [field.name for field in fields(kind)]

    def decorate(command: F) -> F:
        @wraps(command)
        def gathered(**given: Any) -> Any:
            values = {member: given.pop(member) for member in members}
            return command(**given, **{name: kind(**values)})

        return cast(F, all_of(options)(gathered))

    return decorate


def judge_options(meaning: str, required: bool = False) -> Callable[[F], F]:
    """Flags that name the files of several judges."""
    return _together(
        "judges", JudgeFiles,
        click.option("--judges", multiple=True, required=required, metavar="FILES", help=meaning),
        click.option("--judge-column", type=choice(JudgeColumn),
                     help="The second column of a qrels file names the judge."),
        click.option("--wide", is_flag=True, help="Tables have a column for every judge."),
        click.option("--only", multiple=True, metavar="PATTERN",
                     help="Only judges whose name matches; repeatable."),
        click.option("--without", multiple=True, metavar="PATTERN",
                     help="Without judges whose name matches; repeatable."),
    )  # fmt: skip


judges_needed = judge_options(
    "Labels of several judges: one file each, or a table with a judge column.", required=True
)


def runs_option(
    what: str = "Runs; repeatable, or a quoted glob.", *, required: bool = False
) -> Callable[[F], F]:
    """Files of runs, by name."""
    return click.option("--runs", multiple=True, required=required, metavar="FILES", help=what)


runs_needed = runs_option(required=True)
binary_option = click.option(
    "--rel", type=grade, help="Make labels binary; grades from this one up are relevant."
)
input_options = _together(
    "inputs", InputFiles,
    click.argument("files", nargs=-1, metavar="QRELS RUN..."),
    click.option("--qrels", metavar="FILE", help="Labels, instead of the first argument."),
    runs_option(),
)  # fmt: skip
_GRADES = [
    choice_option("--duplicates", Duplicates,
                  "Which label to use for a document with conflicting labels."),
    click.option("--grades", callback=_grades, metavar="0-3",
                 help="Scale of the labels; default: 0 to the largest label."),
    choice_option("--outside", Outside, "What to do with labels outside --grades."),
    click.option("--map", metavar="OLD:NEW,...",
                 help="New labels for old ones, words included: yes:1,no:0,-2:missing."),
    choice_option("--missing", Missing, "What to do with labels that are empty or not numbers."),
    click.option("--columns", metavar="ROLE=NAME,...",
                 help="Columns of tables: topic=query,document=passage,label=rating,judge=model."),
]  # fmt: skip
grade_options = _together("label_flags", GradeFlags, *_GRADES)
label_options = _together(
    "label_flags", LabelFlags, *_GRADES,
    click.option("--scaling", metavar="NAME",
                 help="Scale labels to probabilities: geometric, median, linear or percentile; or "
                 "one for each judge: 'crowd=linear(low=0, high=1),gpt*=percentile'."),
)  # fmt: skip
run_options = _together(
    "run_flags", RunFlags,
    choice_option("--ties", Ties, "Order of documents with equal scores."),
    click.option("--score-precision", type=choice(ScorePrecision),
                 help="Precision of scores; default: double (single for evaluate --format trec)."),
    choice_option("--names", SystemNames, "Name systems by run tag or by file name."),
)  # fmt: skip


DEFAULT = ("nDCG@10", "AP", "P@10", "RR")
_SCORING = [
    input_options,
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
]  # fmt: skip
_READING = [label_options, run_options, quiet_option]


def scoring_options(command: F) -> F:
    """The flags that say what is scored; `score_files` takes them."""
    return all_of(_SCORING)(command)


def reading_options(command: F) -> F:
    """The flags that say how files are read; `score_files` takes them."""
    return all_of(_READING)(command)


def score_files(
    default: tuple[str, ...], default_topics: str = "judged",
    precision: ScorePrecision = "double", *,
    inputs: InputFiles, measures: tuple[str, ...], complete: bool, depth: int | None,
    rel: int | None, judged_only: bool, topics: str | None, undefined: Undefined,
    label_flags: LabelFlags, run_flags: RunFlags, quiet: bool,
) -> tuple[Scores, list[Measure]]:  # fmt: skip
    """Read the files and score them."""
    from hungjury.measures.evaluate import evaluate

    labels_file, run_paths = inputs.sorted_out()
    _no_measure_among(run_paths)
    wanted = _measures(measures or default, rel)
    if complete and topics not in (None, "judged"):
        raise click.UsageError("-c means --topics judged; give only one of them")
    which = "judged" if complete else topics or default_topics
    chosen = which if which in ("judged", "retrieved") else which.split(",")
    labels = label_flags.qrels(labels_file)
    found = run_flags.files(run_paths, label_flags.columns, precision)
    unjudged: Unjudged = "condensed" if judged_only else "nonrelevant"
    with progress_bar(quiet, is_much(found)) as progress:
        scores = evaluate(
            labels, found, wanted, chosen, undefined, unjudged, depth=depth, progress=progress
        )
    return scores, wanted


def _no_measure_among(runs: list[str]) -> None:
    """ir_measures takes measures after the run; here they would be read as files."""
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
    """Measures by name; --rel sets the threshold of those that have one and do not name it."""
    from hungjury.measures.catalogue import measure_list

    found = measure_list(names)
    if rel is None:
        return found
    return [m.but(rel=rel) if getattr(m, "rel", rel) == 1 else m for m in found]
