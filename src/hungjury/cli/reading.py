"""From what a command is given to labels, runs and scores."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import click

from hungjury.base.choices import MissingScores, RepeatedScores, ScorePrecision, Undefined, Unjudged
from hungjury.base.errors import HungjuryError
from hungjury.base.options import Option
from hungjury.base.records import Record
from hungjury.cli.failing import refuse, was_typed
from hungjury.cli.output import Output, is_much, progress_bar
from hungjury.data.reading.options import (
    JUDGES,
    LABELS,
    LabelPolicy,
    RunPolicy,
    among,
    gold_options,
    refuse_gold_options,
    run_options,
)

if TYPE_CHECKING:
    from hungjury.data.qrels import Judgments, Qrels
    from hungjury.data.runs import RunFiles, Runs
    from hungjury.measures.catalogue import Measure
    from hungjury.measures.score_files import Answers, JudgeScores
    from hungjury.measures.scores import Scores

DEFAULT = ("nDCG@10", "AP", "P@10", "RR")


class InputFiles(Record):
    """Labels and runs, by arguments and by long options."""

    files: tuple[str, ...]
    qrels: str | None
    runs: tuple[str, ...]

    @staticmethod
    def of(files: tuple[str, ...], qrels: str | None, runs: tuple[str, ...]) -> InputFiles:
        """Let arguments win over the files of a project."""
        if files and not was_typed("--qrels"):
            qrels = None
        if files and not was_typed("--runs"):
            runs = ()
        return InputFiles(files, qrels, runs)

    def sorted_out(self) -> tuple[str, list[str]]:
        """Return the labels' file and the runs' files."""
        rest = list(self.files)
        qrels = self.qrels
        if qrels is None:
            refuse(not rest, "give a qrels file and at least one run")
            qrels = rest.pop(0)
        everything = [*self.runs, *rest]
        refuse(not everything, "give at least one run after the qrels file")
        if [qrels, *everything].count("-") > 1:
            raise click.UsageError("stdin can be read only once; give - for one file")
        return qrels, everything


class Reading(Record):
    """How a command reads its files: the values of its reading options."""

    options: Mapping[str, Any]

    @staticmethod
    def of(**options: Any) -> Reading:
        """Refuse options of gold labels where there are none."""
        given = click.get_current_context().params
        if not given.get("gold") and not given.get("have"):
            refuse_gold_options(options)
        return Reading(options)

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
        return LabelPolicy.of(among(self.options, taken))

    def runs(self, files: Iterable[str], precision: ScorePrecision = "double") -> RunFiles:
        """Find the files of runs; `precision` is that of scores, unless the user says."""
        from hungjury.data.reading.sources import expand
        from hungjury.data.runs import RunFiles

        options = run_options(self.options)
        if not was_typed("--score-precision"):
            options["score_precision"] = precision
        return RunFiles(expand(list(files), "scoreddocs"), RunPolicy.of(options))


class ScoreTables(Record):
    """Tables that take the place of labels and runs: scores of any tool, or scored answers."""

    score_columns: str | None
    scale: str | None
    scores: tuple[str, ...] = ()
    missing_scores: MissingScores = "error"
    repeated_scores: RepeatedScores = "error"
    smaller: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse answers beside labels and runs, or without their scale."""
        given = click.get_current_context().params
        if self.answers and any(given.get(name) for name in ("judges", "runs", "qrels")):
            raise click.UsageError("--answers takes the place of labels and runs; give only one")
        refuse(self.answers and self.scale is None, "--answers needs --scale, such as --scale 1-5")

    def read(self) -> Scores | JudgeScores:
        """Read scores."""
        from hungjury.measures.score_files import FLAGS, read_scores

        try:
            return read_scores(
                list(self.scores), columns=self.score_columns, missing=self.missing_scores,
                duplicates=self.repeated_scores, smaller=self.smaller, scale=self.scale,
            )  # fmt: skip
        except HungjuryError as error:
            raise error.renamed(FLAGS) from None

    def read_some(self, measures: tuple[str, ...] = ()) -> Scores:
        """Read scores, and keep some measures (or judges), if any are named."""
        found = self.read()
        return found.select(measures=measures) if measures else found

    def measures(self, given: tuple[str, ...]) -> tuple[str, ...]:
        """Return the measures by which answers are compared: their scores, unless one is typed."""
        return ("Mean@1",) if self.answers and not was_typed("--measure") else given

    def panel(
        self, reading: Reading, judges: tuple[str, ...], runs: tuple[str, ...]
    ) -> tuple[Judgments, Runs | RunFiles]:
        """Read labels of judges and runs; or answers as both."""
        if not self.answers:
            return reading.judgments(judges), reading.runs(runs)
        found = self.read_answers()
        return found.judgments, found.runs

    def read_answers(self) -> Answers:
        """Read answers that judges scored."""
        from hungjury.measures.score_files import read_answers

        assert self.scale is not None
        return read_answers(list(self.answers), scale=self.scale, columns=self.score_columns)


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
    with progress_bar(out.quiet, is_much(found)) as progress:
        scores = evaluate(
            labels, found, wanted, chosen, undefined, unjudged, depth=depth,
            distribution=distribution, progress=progress,
        )  # fmt: skip
    return scores, wanted


def _no_measure_among(runs: list[str]) -> None:
    """Refuse a measure after the runs, where ir_measures takes it: it would be read as a file."""
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
