"""Reading options, each declared once, and the sources that readers accept.

An option is one entry of `TableOptions`, `LabelOptions`, `JudgeOptions` or `RunOptions`: its name,
the type that callers see, and an `Option` with everything else. From it follow the keyword of every
function that reads, the flag of every command, the check of its value, the policy that readers
follow, and what the settings of results record.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import IO, TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, TypedDict

from hungjury.base import choices
from hungjury.base.errors import Argument, InputError, Remedy
from hungjury.base.options import Chosen, Option, Policy, check_known, declared
from hungjury.base.records import Settings
from hungjury.data.reading import values

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame, IntoLazyFrame
    from typing_extensions import Unpack as Unpack

    from hungjury.data.open_scales import ScalingLike
    from hungjury.data.qrels import Judgments, Qrels
    from hungjury.data.runs import RunFiles, Runs

else:
    Unpack = None  # in annotations of options, which are not evaluated

FileLike: TypeAlias = "str | os.PathLike[str] | IO[str] | IO[bytes]"
FilesLike: TypeAlias = "FileLike | Sequence[str | os.PathLike[str]]"
# Named tuples, as ir_measures has them, or dictionaries.
Records: TypeAlias = "Sequence[tuple[object, ...]] | Sequence[Mapping[str, Any]]"
Frame: TypeAlias = "IntoDataFrame | IntoLazyFrame"
ByTopic: TypeAlias = Mapping[str, Mapping[str, float]]  # {topic: {document: value}}
LabelsLike: TypeAlias = "FilesLike | Frame | Records | ByTopic"
Rankings: TypeAlias = Mapping[str, Sequence[str]]  # {topic: [document, ...]}, best first
ScoresLike: TypeAlias = (
    "FilesLike | Frame | Records | ByTopic | Rankings | Mapping[str, ByTopic | Rankings]"
)
VotesLike: TypeAlias = "FilesLike | Frame | Records | Mapping[str, Qrels | LabelsLike]"

QrelsLike: TypeAlias = "Qrels | LabelsLike"
RunsLike: TypeAlias = "Runs | RunFiles | ScoresLike"
JudgmentsLike: TypeAlias = "Judgments | VotesLike"


def _columns(help: str, more: str = "") -> Option:
    """Declare an option that names columns."""
    return Option(
        None, help, more, kind="dict or str", metavar="ROLE=NAME,...", read=values.columns_by_role,
        recorded=False,
    )  # fmt: skip


class TableOptions(TypedDict, total=False):
    """Options of everything that reads tables."""

    columns: Annotated[
        str | Mapping[str, str] | None,
        _columns(
            "Columns of tables: topic=query,document=passage,label=rating,judge=model; or paths in "
            "JSON (label=outputs.score.value); joined by +: judge=model+prompt.",
            'Or a dictionary: ``{"topic": "query", "document": "passage"}``.',
        ),
    ]


class LabelOptions(TableOptions, total=False):
    """Options of `read_qrels`."""

    duplicates: Annotated[
        choices.Duplicates,
        Option("error", "Which label to use for a document with conflicting labels."),
    ]
    grades: Annotated[
        str | Iterable[int] | None,
        Option(
            None,
            "Scale of the labels; default: 0 to the largest label. The lowest grade means not "
            "relevant: with 1-4, 1 becomes 0.",
            "Integers such as ``range(4)``, or ``'0-3'``.",
            kind="iterable of int or str",
            metavar="0-3",
            read=values.grades_of,
            show=lambda grades: grades or (),
        ),
    ]
    outside: Annotated[
        choices.Outside, Option("error", "What to do with labels outside the declared grades.")
    ]
    scaling: Annotated[
        "ScalingLike | None",
        Option(
            None,
            "Scale labels to probabilities: geometric, median, linear or percentile; or one for "
            "each judge: 'crowd=linear(low=0, high=1),gpt*=percentile'.",
            "For labels on an open scale, such as magnitude estimates. Judges are named by "
            "patterns, of which the first that matches counts; a dictionary is accepted too: "
            '``{"crowd": "linear(low=0, high=1)", "gpt*": "percentile"}``.',
            kind="str or dict",
            metavar="NAME",
            read=values.scaling_given,
            show=lambda scaling: None if scaling is None else str(scaling),
        ),
    ]
    layout: Annotated[
        choices.ToolLayout | None,
        Option(
            None,
            "The labels are the JSON export of this tool.",
            "`columns` names other paths in it.",
            recorded=False,
        ),
    ]
    extract: Annotated[
        str | None,
        Option(
            None,
            "Find labels in texts: number (the only one in the text), last-number, json:KEY, or a "
            "regular expression whose first group is the label.",
            "Labels that are numbers already stay as they are.",
            metavar="HOW",
            read=values.extraction,
            show=lambda extract: None if extract is None else extract.text,
        ),
    ]
    map: Annotated[
        str | Mapping[Any, float | None] | Callable[[Any], float | None] | None,
        Option(
            None,
            "New labels for old ones, words included: yes:1,no:0,-2:missing.",
            'Or a dictionary: ``{"yes": 1, "no": 0, -2: None}``, or a function of a label (number '
            "or text). A label that becomes None, or ``missing`` in text, is left out.",
            kind="dict, str or callable",
            metavar="OLD:NEW,...",
            read=values.relabelling,
            show=values.map_text,
        ),
    ]
    missing: Annotated[
        choices.Missing, Option("error", "What to do with labels that are empty or not numbers.")
    ]


class JudgeOptions(LabelOptions, total=False):
    """Options of `read_judgments`."""

    judge_column: Annotated[
        Literal["iteration"] | None,
        Option(
            None,
            "The second column of a qrels file names the judge.",
            recorded=False,
        ),
    ]
    wide: Annotated[
        bool,
        Option(
            False,
            "Tables have a column for every judge.",
            "Empty cells were not judged.",
            recorded=False,
        ),
    ]
    repeats: Annotated[
        choices.Repeats,
        Option(
            "error",
            "What to do with several labels of one judge for one document, such as samples of an "
            "LLM: their mean as a probability (of labels 0 and 1), or the most frequent one.",
            "How much a judge's repeated labels differ is noted. `duplicates` comes first.",
        ),
    ]
    only: Annotated[
        str | Iterable[str],
        Option(
            (),
            "Only judges whose name matches; repeatable.",
            'A pattern such as ``"gpt*"``, or a list of patterns.',
            kind="str or list of str",
            metavar="PATTERN",
            read=values.patterns,
        ),
    ]
    without: Annotated[
        str | Iterable[str],
        Option(
            (),
            "Without judges whose name matches; repeatable.",
            kind="str or list of str",
            metavar="PATTERN",
            read=values.patterns,
        ),
    ]


class GoldOptions(TypedDict, total=False):
    """Options of everything that reads gold labels beside other labels."""

    gold_columns: Annotated[
        str | Mapping[str, str] | None,
        _columns("Columns of the gold labels, where they differ from those of --columns."),
    ]
    gold_layout: Annotated[
        choices.ToolLayout | None, Option(None, "The gold labels are the JSON export of this tool.")
    ]


class RunOptions(TableOptions, total=False):
    """Options of `read_runs`."""

    ties: Annotated[
        choices.Ties,
        Option(
            "trec",
            "Order of documents with equal scores.",
            '"trec": score, then document id, both descending; ranks are ignored. "input": the '
            'order of the lines. "expected": the mean over all orders inside ties.',
        ),
    ]
    score_precision: Annotated[
        choices.ScorePrecision,
        Option(
            "double",
            "Precision in which scores are compared.",
            '"single": as 32-bit floats, like trec_eval up to version 9.',
        ),
    ]
    names: Annotated[
        choices.SystemNames,
        Option("tag", "Name systems by run tag or by file name.", recorded=False),
    ]


class BesideOptions(RunOptions, total=False):
    """Options of everything that reads runs beside labels."""

    run_columns: Annotated[
        str | Mapping[str, str] | None,
        _columns("Columns of the runs, where they differ from those of --columns."),
    ]


class ScoringOptions(LabelOptions, BesideOptions, total=False):
    """Options of everything that reads qrels and runs."""


class ReadingOptions(JudgeOptions, BesideOptions, GoldOptions, total=False):
    """Options of everything that reads labels and runs."""


LABELS, JUDGES, RUNS = map(declared, (LabelOptions, JudgeOptions, RunOptions))
GOLD, BESIDE = declared(GoldOptions), declared(BesideOptions)
READING = JUDGES | BESIDE | GOLD
# Gold labels are grades in files of their own, whatever the scale and the layout of the judges'.
GRADES = {n: one for n, one in LABELS.items() if n not in ("scaling", "layout")}


class LabelPolicy(Policy, options=JUDGES):
    """How labels are read."""

    def __post_init__(self) -> None:
        if self.wide and self.judge_column is not None:
            said = "a wide table has a column for every judge and none that names the judge"
            remedy: Remedy = ("leave out", Argument("judge_column"))
            raise InputError(said, code="wide-and-judge-column", remedy=remedy)
        if self.scaling is not None and self.grades is not None:
            said = f"grades are declared, but the scaling {self.scaling} gives probabilities"
            remedy = ("leave out", Argument("grades"), "; labels on an open scale are not grades")
            raise InputError(said, code="grades-and-scaling", argument="grades", remedy=remedy)
        if self.outside != "error" and self.grades is None:
            said = f"outside is {self.outside!r}, but no grades are declared"
            remedy = "leave outside out; an open scale has no bounds"
            if self.scaling is None:
                remedy = ("declare the scale, such as", Argument("grades", range(4)))
            raise InputError(said, code="no-grades", remedy=remedy)

    def for_gold(self) -> "LabelPolicy":
        """Return the policy for gold labels: grades on the same scale, by one judge."""
        return LabelPolicy(**{name: getattr(self, name) for name in GRADES})

    @property
    def takes_words(self) -> bool:
        """True where labels may be words."""
        return bool(self.map or self.extract) or self.missing == "drop"

    def reads(self, text: str) -> bool:
        """Tell whether a text can be read as a label."""
        found = self.extract(text) if self.extract else text
        if found is None or callable(self.map):
            return found is not None
        key = values.label_key(found)
        return isinstance(key, float) or key in dict(self.map)

    def used(self, grades: tuple[int, ...]) -> "LabelSettings":
        """Return the settings that results record; `grades` are those that were found.

        Those that start above 0 are recorded as declared, which is how the labels were read.
        """
        if self.grades and self.grades[0] > 0:
            grades = self.grades
        return LabelSettings(**{**self.recorded, "grades": grades})


class RunPolicy(Policy, options=RUNS):
    """How runs are read: the order of lists, and the names of systems."""

    @property
    def single(self) -> bool:
        return bool(self.score_precision == "single")


class LabelSettings(Settings, Chosen, kw_only=True, values=LabelPolicy().recorded):
    """How labels were read."""


class ScoreSettings(Settings, Chosen, kw_only=True, values=RunPolicy().recorded):
    """How runs were scored."""

    topics: str = "judged"
    undefined: choices.Undefined = "zero"
    unjudged: choices.Unjudged = "nonrelevant"
    depth: int | None = None
    labels: LabelSettings = field(default_factory=LabelSettings)


def among(options: Mapping[str, Any], known: Mapping[str, Option]) -> dict[str, Any]:
    """Return those of the given options that a reader takes."""
    return {name: given for name, given in options.items() if name in known}


def assigned(
    options: Mapping[str, Any], labels: object, runs: object = None, gold: object = None
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Assign options to labels, runs and gold labels; None: there are no runs, or no gold labels.

    An option applies to everything that is still to be read and accepts it; an option that applies
    to nothing is refused.
    """
    from hungjury.data.qrels import Judgments, Qrels  # these carry settings, declared here
    from hungjury.data.runs import RunFiles, Runs

    check_known(options, READING)
    read = Qrels, Judgments, Runs, RunFiles, type(None)
    of_labels, of_runs, of_gold = (
        {} if isinstance(source, read) else chosen
        for source, chosen in (
            (labels, among(options, JUDGES)),
            (runs, run_options(options)),
            (gold, gold_options(options)),
        )
    )
    if gold is None:
        refuse_gold_options(options)
    taken = {*of_labels, *of_runs, *of_gold}
    taken |= {*(GOLD if of_gold else ()), *(BESIDE if of_runs else ())}
    left = {k: v for k, v in options.items() if k not in taken and v is not None}
    refuse_options(left, "the labels and runs")
    return of_labels, of_runs, of_gold


def gold_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of gold labels; their columns may have other names."""
    return among(options, GRADES) | _own(options, "gold_")


def run_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of runs; their columns may have other names."""
    return among(options, RUNS) | _own(options, "run_")


def _own(options: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """Return the options that are for one kind of files only, without their prefix."""
    given = {name: value for name, value in options.items() if value is not None}
    return {n.removeprefix(prefix): v for n, v in given.items() if n.startswith(prefix)}


def refuse_gold_options(options: Mapping[str, Any]) -> None:
    """Refuse options of gold labels where there are no gold labels."""
    for name in GOLD:
        if options.get(name) is not None:
            said = f"{name} is given, but no gold labels"
            remedy = ("give", Argument("gold"))
            raise InputError(said, code="no-gold", argument=name, remedy=remedy)


def refuse_options(options: Mapping[str, object], what: str) -> None:
    """Refuse reading options for data that has already been read."""
    for name in options:
        said = f"{name} was given, but {what} have been read already"
        remedy = "give the option where the files are read"
        raise InputError(said, code="already-read", argument=name, remedy=remedy)
