"""Labels and runs given as arguments: objects, or sources to read with the given options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from hungjury.base.records import Record
from hungjury.data.judgments import Judgments
from hungjury.data.labels import as_judgments, as_qrels
from hungjury.data.qrels import Qrels
from hungjury.data.reading.options import (
    GRADES,
    JUDGES,
    READING,
    RUNS,
    JudgmentsLike,
    QrelsLike,
    RunsLike,
    among,
    check_known,
    refuse_options,
)
from hungjury.data.runs import RunFiles, Runs, as_runs


class Inputs(Record):
    """Sources of labels, runs and gold labels, and the options to read them with.

    An option applies to everything that is still to be read and accepts it; an option that applies
    to nothing is refused.
    """

    labels: QrelsLike | JudgmentsLike
    runs: RunsLike | None
    gold: QrelsLike | JudgmentsLike | None
    label_options: Mapping[str, Any]
    run_options: Mapping[str, Any]
    gold_options: Mapping[str, Any]

    @staticmethod
    def of(
        options: Mapping[str, Any],
        labels: QrelsLike | JudgmentsLike,
        runs: RunsLike | None = None,
        gold: QrelsLike | JudgmentsLike | None = None,
    ) -> Inputs:
        """Assign the options; None: there are no runs, or no gold labels."""
        check_known(options, READING)
        read = Qrels, Judgments, Runs, RunFiles, type(None)
        of_labels, of_runs, of_gold = (
            {} if isinstance(source, read) else among(options, known)
            for source, known in ((labels, JUDGES), (runs, RUNS), (gold, GRADES))
        )
        taken = {*of_labels, *of_runs, *of_gold}
        refuse_options({k: v for k, v in options.items() if k not in taken}, "the labels and runs")
        return Inputs(labels, runs, gold, of_labels, of_runs, of_gold)

    def judgments(self) -> Judgments:
        return as_judgments(cast("JudgmentsLike", self.labels), **self.label_options)

    def qrels(self) -> Qrels:
        return as_qrels(cast("QrelsLike", self.labels), **self.label_options)

    def read_runs(self) -> Runs | RunFiles:
        return as_runs(cast("RunsLike", self.runs), **self.run_options)

    def read_gold(self) -> Qrels | Judgments | None:
        """Read gold labels, if there are any; judgments of several people stay judgments."""
        return self.gold if isinstance(self.gold, Judgments) else self.gold_qrels()

    def gold_qrels(self) -> Qrels | None:
        """Read gold labels, which must be one set of labels."""
        if self.gold is None:
            return None
        return as_qrels(cast("QrelsLike", self.gold), **self.gold_options)
