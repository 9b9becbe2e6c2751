"""Judgments: labels per (topic, document, judge)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hungjury.base.errors import Argument, InputError, UnknownName
from hungjury.base.notes import Note, plural
from hungjury.base.records import Record
from hungjury.data.labels import MISSING, resolve
from hungjury.data.pool import Pool
from hungjury.data.qrels import Qrels
from hungjury.data.reading.bad_lines import Stop, raise_error
from hungjury.data.reading.columns import InputTable
from hungjury.data.reading.formats import columns_of, table_format, unknown_header
from hungjury.data.reading.label_rows import (
    ROLES,
    Judges,
    LabelReader,
    Part,
    check_patterns,
    chosen,
    label_parts,
)
from hungjury.data.reading.options import (
    JUDGES,
    JudgeOptions,
    JudgmentsLike,
    LabelPolicy,
    LabelSettings,
    VotesLike,
    refuse_options,
    takes,
)
from hungjury.data.reading.sources import Source

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["Judgments", "as_judgments", "judgments_by", "read_judgments"]


class Judgments(Record, eq=False):
    """Rows (document, judge, label) over a pool; unjudged documents have no row.

    Examples
    --------
    >>> import hungjury as hj
    >>> judgments = hj.read_judgments({"ann": {"q1": {"d1": 1}}, "ben": {"q1": {"d1": 0, "d2": 1}}})
    >>> judgments.judges, judgments.qrels_of("ben").to_dict()
    (['ann', 'ben'], {'q1': {'d1': 0, 'd2': 1}})
    """

    pool: Pool
    judges: list[str]
    document: NDArray[np.int32]
    judge: NDArray[np.int32]
    label: NDArray[np.float64]
    grades: tuple[int, ...]
    soft: bool = False
    settings: LabelSettings = field(default_factory=LabelSettings)
    notes: tuple[Note, ...] = ()
    family: tuple[str, ...] | None = None  # of each judge; those of a family share one vote

    @property
    def families(self) -> tuple[str, ...]:
        """The family of each judge; by default every judge is its own family."""
        return tuple(self.judges) if self.family is None else self.family

    @property
    def weight(self) -> NDArray[np.float64]:
        """[judge]: the weight of a vote."""
        _, at, size = np.unique(self.families, return_inverse=True, return_counts=True)
        return np.asarray(1 / size[at])

    @property
    def topics(self) -> list[str]:
        return self.pool.topics

    @property
    def max_grade(self) -> int:
        return self.grades[-1]

    def __len__(self) -> int:
        return len(self.label)

    def __repr__(self) -> str:
        return (
            f"Judgments({plural(len(self.judges), 'judge')}, {plural(len(self.topics), 'topic')}, "
            f"{plural(len(self.pool), 'document')}, {plural(len(self), 'label')})"
        )

    def matrix(self) -> NDArray[np.int16]:
        """Grades as [judge, document], `MISSING` where there is none."""
        if self.soft:
            raise InputError(
                "these judgments are probabilities, not grades",
                code="needs-grades",
                remedy="merge them by binmv, and score by expected measures such as eRAP",
            )
        out = np.full((len(self.judges), len(self.pool)), MISSING, dtype=np.int16)
        out[self.judge, self.document] = self.label.astype(np.int16)
        return out

    def only(self, judges: NDArray[np.intp]) -> Judgments:
        """The judgments of some judges, by their places, over the same pool."""
        chosen = np.sort(judges)
        rows = np.isin(self.judge, chosen)
        return replace(
            self,
            judges=[self.judges[k] for k in chosen],
            document=self.document[rows],
            judge=np.searchsorted(chosen, self.judge[rows]).astype(np.int32),
            label=self.label[rows],
            family=None if self.family is None else tuple(self.family[k] for k in chosen),
        )

    def qrels_of(self, judge: str) -> Qrels:
        """The labels of one judge, as qrels."""
        if judge not in self.judges:
            raise UnknownName(
                f"no judge '{judge}'",
                remedy=f"the judges are {', '.join(self.judges[:20])}",
            )
        mine = self.judge == self.judges.index(judge)
        documents, labels = self.document[mine], self.label[mine]
        order = np.argsort(documents)
        keep = np.zeros(len(self.pool), dtype=bool)
        keep[documents] = True
        return Qrels(
            self.pool.select(keep),
            None if self.soft else labels[order].astype(np.int16),
            self.grades,
            labels[order] if self.soft else None,
            settings=self.settings,
        )


@takes(JUDGES)
def read_judgments(source: VotesLike, **options: Unpack[JudgeOptions]) -> Judgments:
    """Read the labels of several judges.

    Parameters
    ----------
    source : path, pattern, list of these, frame or dict
        One file or folder per judge, named after it; a table or frame with a column for the judge;
        ``{judge: source}``, each source a path, a frame, `Qrels` or ``{topic: {document: label}}``.
    {options}

    Returns
    -------
    Judgments
        Judges are in natural order: 2 before 10.

    Notes
    -----
    Where the scale is not declared, labels that do not belong to it (negative ones, or a few above
    all others) and judges on different scales are errors.

    Examples
    --------
    >>> import hungjury as hj
    >>> panel = hj.read_judgments({"ann": {"1": {"a": 2, "b": 0}}, "bob": {"1": {"a": 1}}})
    >>> panel.judges, len(panel)
    (['ann', 'bob'], 3)
    """
    return judgments_by(source, LabelPolicy.of(options))


def judgments_by(source: object, policy: LabelPolicy, stop: Stop = raise_error) -> Judgments:
    """Read labels of several judges by a policy."""
    reader = judgment_reader(source, policy, stop)
    found = resolve(*reader.rows(), policy=policy, stop=stop)
    return Judgments(
        pool=found.pool,
        judges=found.judges,
        document=found.document,
        judge=found.judge,
        label=found.label,
        grades=found.grades,
        soft=found.soft,
        settings=policy.used(found.grades),
        notes=found.notes,
    )


def judgment_reader(source: object, policy: LabelPolicy, stop: Stop = raise_error) -> LabelReader:
    """A reader that has read all files of the judges."""
    if isinstance(source, Mapping):
        source = {k: v.to_dict() if isinstance(v, Qrels) else v for k, v in source.items()}
    parts = label_parts(source, policy, several=True)
    judges = _judges(parts, policy, isinstance(source, Mapping))
    if judges == "file":
        names = list(dict.fromkeys(part.stem for part in parts))
        check_patterns(names, policy)
        kept = set(chosen(names, policy))
        parts = [part for part in parts if part.stem in kept]
    reader = LabelReader(policy, judges, stop)
    reader.read(parts)
    return reader


def _judges(parts: list[Part], policy: LabelPolicy, by_name: bool) -> Judges:
    """Find out where the judges are named."""
    if policy.wide:
        return "wide"
    if policy.judge_column == "iteration":
        return "iteration"
    if by_name:
        return "file"
    first = parts[0]
    if isinstance(first, InputTable):
        return "column"
    kind = table_format(first, policy.columns)
    alone = len(parts) == 1
    if kind is not None:
        table = columns_of(first, kind, policy.columns)
        if (table.need if alone else table.find)("judge") is not None:
            return "column"
    elif alone and (wrong := unknown_header(first, ROLES["column"])) is not None:
        raise wrong
    files = [part for part in parts if isinstance(part, Source)]
    if len(files) > 1 and len({file.group or file.name for file in files}) == 1:
        folder = os.path.dirname(first.name)
        raise InputError(
            "only one directory, and a directory is one judge",
            code="one-judge",
            file=folder,
            remedy=f"name its files, if each is a judge: '{folder}/*'",
        )
    if alone:
        raise InputError(
            "only one file, without a judge column",
            code="one-judge",
            file=first.name,
            remedy=(
                "give one file per judge, or use",
                Argument("judge_column", "iteration"),
                "if the second column of a qrels file names the judge",
            ),
        )
    _check_names(files)
    return "file"


def _check_names(files: list[Source]) -> None:
    """Refuse two files with the same name, which would be read as one judge."""
    seen: dict[str, Source] = {}
    for file in files:
        before = seen.setdefault(file.stem, file)
        if before is not file and not (file.group and file.group == before.group):
            raise InputError(
                f"two files are called '{file.stem}' ({before.name} and {file.name}), but "
                "judges are named after their files",
                code="same-name",
                remedy="give each judge's file its own name, and each file once",
            )


def as_judgments(source: JudgmentsLike, **options: Unpack[JudgeOptions]) -> Judgments:
    """Judgments, given or read from a source."""
    if isinstance(source, Judgments):
        refuse_options(options, "the judgments")
        return source
    return read_judgments(source, **options)
