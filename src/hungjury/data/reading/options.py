"""Reading options, each declared once, and the sources that readers accept.

An option is one entry of `TableOptions`, `LabelOptions`, `JudgeOptions` or `RunOptions`: its name,
the type that callers see, and an `Option` with everything else. From it follow the keyword of every
function that reads, the flag of every command, the check of its value, the policy that readers
follow, and what the settings of results record.
"""

import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from textwrap import fill, indent
from typing import (
    IO,
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    TypeAlias,
    TypedDict,
    TypeVar,
    get_args,
    get_origin,
)

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
from hungjury.base.errors import Argument, InputError, check_choice
from hungjury.base.records import Record, Settings
from hungjury.data.reading.values import (
    columns_by_role,
    grades_of,
    map_text,
    patterns,
    relabelling,
    scaling_given,
)

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame, IntoLazyFrame
    from typing_extensions import Self

    from hungjury.data.open_scales import ScalingLike
    from hungjury.data.qrels import Judgments, Qrels
    from hungjury.data.runs import RunFiles, Runs

FileLike: TypeAlias = "str | os.PathLike[str] | IO[str] | IO[bytes]"
FilesLike: TypeAlias = "FileLike | Sequence[str | os.PathLike[str]]"
Records: TypeAlias = "Sequence[tuple[object, ...]]"  # named tuples, as ir_measures has them
Frame: TypeAlias = "IntoDataFrame | IntoLazyFrame"
ByTopic: TypeAlias = Mapping[str, Mapping[str, float]]  # {topic: {document: value}}
LabelsLike: TypeAlias = "FilesLike | Frame | Records | ByTopic"
ScoresLike: TypeAlias = "FilesLike | Frame | Records | ByTopic | Mapping[str, ByTopic]"
VotesLike: TypeAlias = "FilesLike | Frame | Records | Mapping[str, Qrels | LabelsLike]"

QrelsLike: TypeAlias = "Qrels | LabelsLike"
RunsLike: TypeAlias = "Runs | RunFiles | ScoresLike"
JudgmentsLike: TypeAlias = "Judgments | VotesLike"

F = TypeVar("F", bound=Callable[..., Any])


class Option(Record):
    """What every surface needs to know about an option."""

    default: Any
    help: str  # for the command line, and the first sentences of the docstring
    more: str = ""  # what only Python can be given
    kind: str = ""  # for docstrings, where the type is not one of a few words
    metavar: str | None = None  # on the command line
    read: Callable[[Any], Any] = lambda given: given  # checks what was given, returns what is kept
    show: Callable[[Any], Any] = lambda kept: kept  # what settings record
    recorded: bool = True  # in the settings of results
    for_gold: bool = True  # gold labels are read with it too
    flag: bool = True  # on the command line
    parse: Callable[[str], Any] = str  # from the text of a flag to what functions take
    low: float | None = None  # of numbers, on the command line
    high: float | None = None
    open_high: bool = False
    name: str = ""
    choices: tuple[str, ...] = ()  # the words of its type

    def value(self, given: Any) -> Any:
        """Check what was given, and return what a policy keeps."""
        if self.choices and not (given is None and self.default is None):
            check_choice(self.name, given, self.choices)
        return self.read(given)


class TableOptions(TypedDict, total=False):
    """Options of everything that reads tables."""

    columns: Annotated[
        str | Mapping[str, str] | None,
        Option(
            None,
            "Columns of tables: topic=query,document=passage,label=rating,judge=model.",
            'Or a dictionary: ``{"topic": "query", "document": "passage"}``.',
            kind="dict or str",
            metavar="ROLE=NAME,...",
            read=columns_by_role,
            recorded=False,
        ),
    ]


class LabelOptions(TableOptions, total=False):
    """Options of `read_qrels`."""

    duplicates: Annotated[
        Duplicates, Option("error", "Which label to use for a document with conflicting labels.")
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
            read=grades_of,
            show=lambda grades: grades or (),
        ),
    ]
    outside: Annotated[
        Outside, Option("error", "What to do with labels outside the declared grades.")
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
            read=scaling_given,
            show=lambda scaling: None if scaling is None else str(scaling),
            for_gold=False,  # which are grades even if judges use another scale
        ),
    ]
    map: Annotated[
        str | Mapping[Any, float | None] | None,
        Option(
            None,
            "New labels for old ones, words included: yes:1,no:0,-2:missing.",
            'Or a dictionary: ``{"yes": 1, "no": 0, -2: None}``. A label that becomes None, or '
            "``missing`` in text, is left out.",
            kind="dict or str",
            metavar="OLD:NEW,...",
            read=relabelling,
            show=map_text,
        ),
    ]
    missing: Annotated[
        Missing, Option("error", "What to do with labels that are empty or not numbers.")
    ]


class JudgeOptions(LabelOptions, total=False):
    """Options of `read_judgments`."""

    judge_column: Annotated[
        JudgeColumn | None,
        Option(
            None,
            "The second column of a qrels file names the judge.",
            recorded=False,
            for_gold=False,
        ),
    ]
    wide: Annotated[
        bool,
        Option(
            False,
            "Tables have a column for every judge.",
            "Empty cells were not judged.",
            kind="bool",
            recorded=False,
            for_gold=False,
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
            read=patterns,
            for_gold=False,
        ),
    ]
    without: Annotated[
        str | Iterable[str],
        Option(
            (),
            "Without judges whose name matches; repeatable.",
            kind="str or list of str",
            metavar="PATTERN",
            read=patterns,
            for_gold=False,
        ),
    ]


class RunOptions(TableOptions, total=False):
    """Options of `read_runs`."""

    ties: Annotated[
        Ties,
        Option(
            "trec",
            "Order of documents with equal scores.",
            '"trec": score, then document id, both descending; ranks are ignored. "input": the '
            'order of the lines. "expected": the mean over all orders inside ties.',
        ),
    ]
    score_precision: Annotated[
        ScorePrecision,
        Option(
            "double",
            "Precision in which scores are compared.",
            '"single": as 32-bit floats, like trec_eval up to version 9.',
        ),
    ]
    names: Annotated[
        SystemNames, Option("tag", "Name systems by run tag or by file name.", recorded=False)
    ]


class ScoringOptions(LabelOptions, RunOptions, total=False):
    """Options of everything that reads qrels and runs."""


class ReadingOptions(JudgeOptions, RunOptions, total=False):
    """Options of everything that reads labels and runs."""


def declared(kind: Any) -> dict[str, Option]:
    """Return the options of a declaration by name."""
    found = {}
    for name, annotation in kind.__annotations__.items():
        accepted, option = get_args(annotation)
        found[name] = replace(option, name=name, choices=_words(accepted))
    return found


def _words(accepted: Any) -> tuple[str, ...]:
    """Return the words of a literal type, alone or in a union with None."""
    kinds = (accepted, *get_args(accepted))
    return next((get_args(kind) for kind in kinds if get_origin(kind) is Literal), ())


LABELS, JUDGES, RUNS = map(declared, (LabelOptions, JudgeOptions, RunOptions))
READING = JUDGES | RUNS
GRADES = {name: one for name, one in LABELS.items() if one.for_gold}  # labels of one judge


class _Chosen(Record):
    """Base of records with a field for each of some options."""

    def __init_subclass__(cls, *, values: Mapping[str, Any] | None = None, **how: bool) -> None:
        if values:
            cls.__annotations__ = {**dict.fromkeys(values, "Any"), **cls.__annotations__}
            for name, default in values.items():
                setattr(cls, name, default)
        super().__init_subclass__(**how)

    def but(self, **values: Any) -> "Self":
        """Return a copy with some other values."""
        return replace(self, **values)

    if TYPE_CHECKING:

        def __init__(self, **values: Any) -> None: ...

        def __getattr__(self, name: str) -> Any: ...


class Policy(_Chosen):
    """Checked values of options, which readers follow."""

    options: ClassVar[Mapping[str, Option]]

    def __init_subclass__(cls, *, options: Mapping[str, Option]) -> None:
        cls.options = options
        values = {name: one.value(one.default) for name, one in options.items()}
        super().__init_subclass__(values=values)

    @classmethod
    def of(cls, options: Mapping[str, Any], taken: Mapping[str, Option] | None = None) -> "Self":
        """Check options in any form that readers accept; `taken` are those of the caller."""
        check_known(options, taken or cls.options)
        return cls(**{name: cls.options[name].value(one) for name, one in options.items()})

    @property
    def recorded(self) -> dict[str, Any]:
        """The values that the settings of results record."""
        return {n: one.show(getattr(self, n)) for n, one in self.options.items() if one.recorded}


class LabelPolicy(Policy, options=JUDGES):
    """How labels are read."""

    def __post_init__(self) -> None:
        if self.wide and self.judge_column is not None:
            raise InputError(
                "a wide table has a column for every judge and none that names the judge",
                code="wide-and-judge-column",
                remedy=("leave out", Argument("judge_column")),
            )
        if self.scaling is not None and self.grades is not None:
            raise InputError(
                f"grades are declared, but the scaling {self.scaling} gives probabilities",
                code="grades-and-scaling",
                argument="grades",
                remedy=(
                    "leave out",
                    Argument("grades"),
                    "; labels on an open scale are not grades",
                ),
            )
        if self.outside != "error" and self.grades is None:
            raise InputError(
                f"outside is {self.outside!r}, but no grades are declared",
                code="no-grades",
                remedy=("declare the scale, such as", Argument("grades", range(4)))
                if self.scaling is None
                else "leave outside out; an open scale has no bounds",
            )

    def for_gold(self) -> "LabelPolicy":
        """Return the policy for gold labels: grades on the same scale, by one judge."""
        return LabelPolicy(**{name: getattr(self, name) for name in GRADES})

    @property
    def takes_words(self) -> bool:
        """True where labels may be words."""
        return bool(self.map) or self.missing == "drop"

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


class LabelSettings(Settings, _Chosen, kw_only=True, values=LabelPolicy().recorded):
    """How labels were read."""


class ScoreSettings(Settings, _Chosen, kw_only=True, values=RunPolicy().recorded):
    """How runs were scored."""

    topics: str = "judged"
    undefined: Undefined = "zero"
    unjudged: Unjudged = "nonrelevant"
    depth: int | None = None
    labels: LabelSettings = field(default_factory=LabelSettings)


def check_known(options: Mapping[str, object], known: Mapping[str, object]) -> None:
    """Refuse names that are not options, as Python refuses unknown keywords."""
    unknown = next((name for name in options if name not in known), None)
    if unknown is not None:
        from difflib import get_close_matches  # imported only for errors

        near = get_close_matches(unknown, known, 1)
        meant = f"; did you mean '{near[0]}'?" if near else ""
        raise TypeError(f"got an unexpected keyword argument '{unknown}'{meant}")


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
        {} if isinstance(source, read) else among(options, known)
        for source, known in ((labels, JUDGES), (runs, RUNS), (gold, GRADES))
    )
    taken = {*of_labels, *of_runs, *of_gold}
    refuse_options({k: v for k, v in options.items() if k not in taken}, "the labels and runs")
    return of_labels, of_runs, of_gold


def refuse_options(options: Mapping[str, object], what: str) -> None:
    """Refuse reading options for data that has already been read."""
    for name in options:
        raise InputError(
            f"{name} was given, but {what} have been read already",
            code="already-read",
            argument=name,
            remedy="give the option where the files are read",
        )


def takes(options: Mapping[str, Option], rest: str | None = None) -> Callable[[F], F]:
    """Decorator: show options in the signature and the docstring of a function.

    The docstring says where: ``{options}`` among its parameters. rest: the name under which it
    describes further keywords.
    """

    def decorate(function: F) -> F:
        written = inspect.signature(function)
        kept = [one for one in written.parameters.values() if one.kind is not one.VAR_KEYWORD]
        named = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=one.default)
            for name, one in options.items()
        ]
        if rest is not None:
            named.append(inspect.Parameter(rest, inspect.Parameter.VAR_KEYWORD))
        function.__signature__ = written.replace(parameters=[*kept, *named])  # type: ignore[attr-defined]
        entries = "\n".join(map(_entry, options.values()))
        text = (function.__doc__ or "").replace("{options}", indent(entries, "    ").strip())
        function.__doc__ = text
        return function

    return decorate


def _entry(option: Option) -> str:
    """Return the entry of an option in the parameters of a docstring."""
    words = ", ".join(f'"{word}"' for word in option.choices)
    kind = f"{{{words}}}" if words else option.kind
    optional = ", optional" if option.default is None else ""
    said = fill(f"{option.help} {option.more}", 92, break_long_words=False)
    return f"{option.name} : {kind}{optional}\n{indent(said, '    ')}"
