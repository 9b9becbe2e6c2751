"""Reading options: the sources that functions accept, one policy for labels and one for runs.

A source is a path, a glob, an open file, a list of these, a data frame (pandas, polars, pyarrow)
or nested mappings.
"""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import IO, TYPE_CHECKING, Any, TypeAlias, TypedDict, get_args

from hungjury.base.choices import (
    Duplicates,
    JudgeColumn,
    Missing,
    Outside,
    ScorePrecision,
    SystemNames,
    Ties,
)
from hungjury.base.errors import Argument, InputError, check_choice
from hungjury.base.parameters import MOST_GRADE
from hungjury.base.records import LabelSettings, Record
from hungjury.base.text import decimal_of

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame, IntoLazyFrame
    from typing_extensions import Unpack

    from hungjury.data.judgments import Judgments
    from hungjury.data.open_scales import JudgeScaling, Scaling, ScalingLike
    from hungjury.data.qrels import Qrels
    from hungjury.data.runs import RunFiles, Runs

__all__ = [
    "GOLD_OPTIONS",
    "ROLES",
    "TOP_GRADE",
    "FileLike",
    "FilesLike",
    "JudgeOptions",
    "JudgmentsLike",
    "LabelOptions",
    "LabelPolicy",
    "LabelsLike",
    "QrelsLike",
    "ReadingOptions",
    "RunOptions",
    "RunPolicy",
    "RunsLike",
    "ScoresLike",
    "ScoringOptions",
    "VotesLike",
    "label_key",
    "refuse_options",
    "split_options",
]

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


TOP_GRADE = MOST_GRADE  # larger labels are not grades
ROLES = ("topic", "document", "label", "judge", "iteration", "score", "tag")
Relabelling = tuple[tuple[str | float, float | None], ...]  # label -> new label, None: missing


class LabelOptions(TypedDict, total=False):
    """The options of `read_qrels`."""

    duplicates: Duplicates
    grades: Iterable[int] | None
    outside: Outside
    scaling: ScalingLike | None
    map: str | Mapping[Any, float | None] | None
    missing: Missing
    columns: str | Mapping[str, str] | None


class JudgeOptions(LabelOptions, total=False):
    """The options of `read_judgments`."""

    judge_column: JudgeColumn | None
    wide: bool
    only: str | Iterable[str]
    without: str | Iterable[str]


class RunOptions(TypedDict, total=False):
    """The options of `read_runs`."""

    ties: Ties
    score_precision: ScorePrecision
    names: SystemNames
    columns: str | Mapping[str, str] | None


class ScoringOptions(LabelOptions, RunOptions, total=False):
    """The options of everything that reads qrels and runs."""


class ReadingOptions(JudgeOptions, RunOptions, total=False):
    """The options of everything that reads labels and runs."""


GOLD_OPTIONS = LabelOptions.__annotations__.keys() - {"scaling"}  # grades, by one judge


class LabelPolicy(Record):
    """How labels are read."""

    duplicates: Duplicates = "error"
    grades: tuple[int, ...] | None = None  # the declared scale
    outside: Outside = "error"
    scaling: Scaling | JudgeScaling | None = None
    map: Relabelling = ()
    missing: Missing = "error"
    columns: tuple[tuple[str, str], ...] = ()
    judge_column: JudgeColumn | None = None
    wide: bool = False
    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_choice("duplicates", self.duplicates, get_args(Duplicates))
        check_choice("outside", self.outside, get_args(Outside))
        check_choice("missing", self.missing, get_args(Missing))
        if self.judge_column not in (None, "iteration"):
            raise InputError(
                f"invalid value {self.judge_column!r} for judge_column",
                code="invalid-choice",
                remedy=(
                    "leave it out, or use",
                    Argument("judge_column", "iteration"),
                    "if the second column of a qrels file names the judge",
                ),
            )
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

    @classmethod
    def of(cls, **options: Unpack[JudgeOptions]) -> LabelPolicy:
        """Build the policy from options, in any form that readers accept."""
        rest: dict[str, Any] = {**options}
        grades, scaling = rest.pop("grades", None), rest.pop("scaling", None)
        return cls(
            grades=None if grades is None else _scale(grades),
            scaling=None if scaling is None else _scaling(scaling),
            map=_relabelling(rest.pop("map", None)),
            columns=_columns(rest.pop("columns", None)),
            only=_patterns(rest.pop("only", ())),
            without=_patterns(rest.pop("without", ())),
            **rest,
        )

    def for_gold(self) -> LabelPolicy:
        """The policy for gold labels: grades on the same scale, by one judge."""
        return replace(self, scaling=None, judge_column=None, wide=False, only=(), without=())

    @property
    def takes_words(self) -> bool:
        """Whether labels may be words."""
        return bool(self.map) or self.missing == "drop"

    def used(self, grades: tuple[int, ...]) -> LabelSettings:
        """The settings that results record; `grades` are those that were found."""
        return LabelSettings(
            duplicates=self.duplicates,
            grades=grades,
            outside=self.outside,
            scaling=None if self.scaling is None else str(self.scaling),
            map=",".join(f"{_key(k)}:{_value(v)}" for k, v in self.map) or None,
            missing=self.missing,
            only=self.only,
            without=self.without,
        )


class RunPolicy(Record):
    """How runs are read: the order of lists, and the names of systems."""

    ties: Ties = "trec"
    score_precision: ScorePrecision = "double"
    names: SystemNames = "tag"
    columns: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        check_choice("ties", self.ties, get_args(Ties))
        check_choice("score_precision", self.score_precision, get_args(ScorePrecision))
        check_choice("names", self.names, get_args(SystemNames))

    @classmethod
    def of(cls, **options: Unpack[RunOptions]) -> RunPolicy:
        """Build the policy from options, in any form that readers accept."""
        rest: dict[str, Any] = {**options}
        return cls(columns=_columns(rest.pop("columns", None)), **rest)

    @property
    def single(self) -> bool:
        return self.score_precision == "single"


def split_options(options: Mapping[str, object]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options for labels and those for runs; both get the columns."""
    unknown = [name for name in options if name not in ReadingOptions.__annotations__]
    if unknown:
        from difflib import get_close_matches  # imported only for errors

        near = get_close_matches(unknown[0], ReadingOptions.__annotations__, 1)
        meant = f"; did you mean '{near[0]}'?" if near else ""
        raise TypeError(f"got an unexpected keyword argument '{unknown[0]}'{meant}")
    return (
        {k: v for k, v in options.items() if k in JudgeOptions.__annotations__},
        {k: v for k, v in options.items() if k in RunOptions.__annotations__},
    )


def refuse_options(options: Mapping[str, object], what: str) -> None:
    """Refuse reading options for data that has already been read."""
    if options:
        raise InputError(
            f"{next(iter(options))} was given, but {what} have been read already",
            code="already-read",
            argument=next(iter(options)),
            remedy="give the option where the files are read",
        )


def _scale(grades: Iterable[int]) -> tuple[int, ...]:
    try:
        scale = tuple(sorted({operator.index(g) for g in grades}))
    except TypeError:
        problem = f"invalid grades {grades!r}"
    else:
        if sum(g >= 0 for g in scale) > 1 and scale[0] >= -TOP_GRADE and scale[-1] <= TOP_GRADE:
            return scale
        problem = f"the declared grades are {', '.join(map(str, scale)) or 'none'}"
    raise InputError(
        problem,
        code="invalid-grades",
        remedy=(
            f"declare at least two integers from 0 to {TOP_GRADE}, such as",
            Argument("grades", range(4)),
        ),
    )


def _relabelling(given: object) -> Relabelling:
    """Old and new labels: {"yes": 1, "no": 0, -2: None} or "yes:1,no:0,-2:missing"."""
    if given is None or given == "":
        return ()
    pairs: Iterable[Any]
    if isinstance(given, str):
        pairs = [part.rpartition(":")[::2] for part in given.split(",")]
    elif isinstance(given, Mapping):
        pairs = given.items()
    else:
        raise _bad_map(f"map must be text or a dictionary, got {given!r}")
    found: dict[str | float, float | None] = {}
    for old, new in pairs:
        key = label_key(old)
        if key in found or key == "":
            raise _bad_map(
                f"map names the label {old!r} twice" if key != "" else f"invalid map {given!r}"
            )
        found[key] = _new_label(new)
    return tuple(found.items())


def label_key(label: object) -> str | float:
    """The lookup key of a label: numbers as numbers, words case-insensitively."""
    number = decimal_of(label.strip()) if isinstance(label, str) else label
    if isinstance(number, Real) and math.isfinite(number):
        return float(number)
    return " ".join(str(label).split()).casefold()


def _new_label(new: Any) -> float | None:
    if new is None or (isinstance(new, str) and new.strip().lower() == "missing"):
        return None
    try:
        number = float(new)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise _bad_map(f"map has the new label {new!r}, which is not a number")
    return number


def _bad_map(problem: str) -> InputError:
    return InputError(
        problem,
        code="invalid-map",
        remedy=("write old and new labels, for example",
                Argument("map", "yes:1,no:0,unsure:missing")),
    )  # fmt: skip


def _key(key: str | float) -> str:
    return key if isinstance(key, str) else f"{key:g}"


def _value(value: float | None) -> str:
    return "missing" if value is None else f"{value:g}"


def _columns(given: object) -> tuple[tuple[str, str], ...]:
    """Columns by role: {"topic": "query"} or "topic=query,document=passage"."""
    if given is None or given == "":
        return ()
    remedy = (
        "name columns by what they hold, for example",
        Argument("columns", "topic=query,document=passage,label=rating,judge=model"),
        "; roles are " + ", ".join(ROLES),
    )
    if isinstance(given, str):
        pairs = [part.partition("=")[::2] for part in given.split(",")]
    elif isinstance(given, Mapping):
        pairs = [(str(role), str(column)) for role, column in given.items()]
    elif isinstance(given, tuple):
        return given
    else:
        raise InputError(
            f"columns must be text or a dictionary, got {given!r}",
            code="invalid-columns",
            remedy=remedy,
        )
    found = {role.strip(): column.strip() for role, column in pairs}
    for role, column in found.items():
        if role not in ROLES or not column:
            raise InputError(
                f"invalid columns: {role}={column}", code="invalid-columns", remedy=remedy
            )
    if len(found) < len(pairs):
        raise InputError("columns names a role twice", code="invalid-columns", remedy=remedy)
    return tuple(found.items())


def _scaling(given: object) -> Scaling | JudgeScaling | None:
    from hungjury.data.open_scales import scaling_of  # few labels are on open scales

    return scaling_of(given)


def _patterns(given: Any) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given or ())
