"""Options on input files; a command gets each group of them as one value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, fields
from functools import wraps
from typing import TYPE_CHECKING, Any, cast

import click

from hungjury.choices import (
    Duplicates,
    JudgeColumn,
    Missing,
    Outside,
    ScorePrecision,
    SystemNames,
    Ties,
)
from hungjury.cli.options import F, all_of, choice, choice_option, grade
from hungjury.limits import MOST_GRADE
from hungjury.numbers import integer_of
from hungjury.records import Record

if TYPE_CHECKING:
    from hungjury.collection.judgments import Judgments
    from hungjury.collection.policy import LabelPolicy
    from hungjury.collection.qrels import Qrels
    from hungjury.collection.runs import RunFiles


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
        from hungjury.collection.policy import LabelPolicy

        return LabelPolicy.of(**asdict(self), **more)

    def gold(self, source: str) -> Qrels:
        """Gold labels, which are grades even if judges use another scale."""
        from hungjury.collection.qrels import qrels_by

        return qrels_by(source, self.policy().for_gold())

    def people(self, sources: tuple[str, ...]) -> Qrels | Judgments:
        """Labels of one person, or of several: a file each."""
        from hungjury.collection.judgments import judgments_by

        if len(sources) == 1 and not any(mark in sources[0] for mark in "*?["):
            return self.gold(sources[0])
        return judgments_by(list(sources), self.policy().for_gold())


class LabelFlags(GradeFlags):
    """How labels are read, be they grades, probabilities or on an open scale."""

    scaling: str | None

    def qrels(self, source: str) -> Qrels:
        from hungjury.collection.qrels import qrels_by

        return qrels_by(source, self.policy())

    def judgments(self, source: JudgeFiles) -> Judgments:
        from hungjury.collection.judgments import judgments_by

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
        from hungjury.collection.policy import RunPolicy
        from hungjury.collection.runs import RunFiles
        from hungjury.collection.sources import expand

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
