"""Gold standards, the distance of systems' means from them, and each judge alone beside them.

The deterministic gold standard (DGS) scores systems by the gold labels; the randomised one (RGS)
takes these as right with probability 0.95 and scores by the expected measure (CS 4.2).

The paper does not say how probable relevance is for documents without a label; `Doubt` sets
it, for gold labels and for judges.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from hungjury.base.arrays import Floats, Indices, Int16s
from hungjury.base.errors import Argument, InputError, MeasureError, check_choice
from hungjury.base.records import Record
from hungjury.base.results import Result, Table
from hungjury.data.labels import as_judgments, as_qrels
from hungjury.data.qrels import Judgments
from hungjury.data.reading.options import JudgmentsLike, QrelsLike, RunsLike
from hungjury.data.runs import Runs, as_runs, load
from hungjury.judges.judge_scores import (
    JudgedRuns,
    check_measure_of_judges,
    gold_labels,
    score_judges,
)
from hungjury.judges.panel import Panel
from hungjury.measures.batch import Scorer
from hungjury.measures.catalogue import Measure, measure_list
from hungjury.measures.evaluate import MeasureNames, evaluate
from hungjury.measures.scores import over_topics
from hungjury.stats.correlation import TauTies, kendall_cross, rmse, tau_ap, tau_ap_cross
from hungjury.studies.claims import Resampling

DETERMINISTIC, RANDOMISED = STANDARDS = ("DGS", "RGS")
CONSTANT = "constant judge"


class Doubt(Record):
    """Trust in labels: they are wrong with probability `wrong`, and documents without
    one are relevant with probability `unjudged`."""

    wrong: float = 0.05
    unjudged: float = 0.0

    def __str__(self) -> str:
        return f"{self.wrong:g}, unjudged {self.unjudged:g}"

    def of_labels(self, one: Measure, top: int = 1) -> Measure:
        """The expected counterpart of a measure, for labels 0 and 1."""
        if top > 1:
            raise MeasureError(
                f"a randomised gold standard is for binary labels, but grades go up to {top}",
                code="not-binary",
                remedy=("name the lowest relevant grade with", Argument("rel")),
            )
        chances = (self.wrong, 1 - self.wrong)
        return one.for_probabilities(chances).but(unjudged=self.unjudged)

    def of_votes(self, one: Measure) -> Measure:
        """The expected counterpart of a measure, for probabilities."""
        return one.for_probabilities().but(unjudged=self.unjudged)


def need_judges(judgments: Judgments, what: str, least: int = 3) -> None:
    """Check that there are more judges than the size of tuples."""
    number = len(judgments.judges)
    if number < least:
        have = "there is only 1" if number == 1 else f"there are only {number}"
        said = f"{what} needs at least {least} judges, but {have}"
        remedy = "give more judges, one file each"
        raise InputError(said, code="too-few-judges", argument="judges", remedy=remedy)


class PanelScores(Record, eq=False):
    """Scores under each judge and under gold labels, by each gold standard, on the topics that have
    gold labels.

    The fields are the parameters of `tuple_study`. Expensive steps run only when they are needed.
    """

    given: JudgmentsLike
    source: RunsLike
    named: MeasureNames
    gold: QrelsLike
    rel: int | None = None
    standards: Sequence[str] = (DETERMINISTIC,)
    seed: int = 0
    drop_empty: bool = False
    doubts: Sequence[Doubt] = (Doubt(),)
    resampling: Resampling | None = None
    tied: TauTies = "exact"

    def __post_init__(self) -> None:
        if self.gold is None:
            said = "a study of judges needs gold labels, but there are none"
            remedy = "give qrels of the same topics as gold labels"
            raise InputError(said, code="needs-gold", argument="gold", remedy=remedy)
        for name in self.standards:
            check_choice("a gold standard", name, STANDARDS)
        for one in measure_list(self.named):
            check_measure_of_judges(one, self.rel, self.panel.grades[-1])

    @cached_property
    def judgments(self) -> Judgments:
        return as_judgments(self.given)

    @cached_property
    def panel(self) -> Panel:
        return Panel.of(self.judgments, self.rel)

    @cached_property
    def measures(self) -> list[str]:
        """Their names."""
        return [str(one) for one in measure_list(self.named)]

    @cached_property
    def runs(self) -> Runs:
        return load(as_runs(self.source))

    @cached_property
    def scored(self) -> JudgedRuns:
        return score_judges(
            self.judgments, self.runs, self.measures, self.rel, self.gold, self.drop_empty
        )

    @property
    def judges(self) -> list[str]:
        """The judges studied; who is dropped for finding nothing relevant is known after
        scoring."""
        return self.scored.judges if self.drop_empty else self.judgments.judges

    @cached_property
    def places(self) -> list[int]:
        """The places in the panel of the judges that are studied."""
        return [self.judgments.judges.index(name) for name in self.judges]

    @cached_property
    def labels(self) -> Int16s:
        """[judge, document] of the judges studied."""
        return self.panel.matrix()[self.places]

    @cached_property
    def known(self) -> Indices:
        """The topics that have gold labels."""
        assert self.scored.gold is not None
        return np.flatnonzero(~np.isnan(self.scored.gold[0]).all(axis=0))

    @cached_property
    def _values(self) -> dict[Doubt | None, Floats]:
        """[measure, system, topic] under gold labels as they are, and as far as they are
        trusted."""
        scored = self.scored
        assert scored.gold is not None
        values: dict[Doubt | None, Floats] = {None: scored.gold[:, :, self.known]}
        if RANDOMISED in self.standards:
            labels = gold_labels(as_qrels(self.gold), self.rel)
            labels = labels.select([scored.alignment.pool.topics[t] for t in self.known])
            for doubt in self.doubts:
                measures = [doubt.of_labels(one, scored.grades[-1]) for one in scored.measures]
                values[doubt] = evaluate(labels, self.runs, measures).values
        return values

    @cached_property
    def means(self) -> dict[Doubt | None, Floats]:
        """[measure, system]"""
        return {doubt: self._averaged(found) for doubt, found in self._values.items()}

    @cached_property
    def _drawn(self) -> tuple[Floats, dict[Doubt | None, Floats]]:
        """Shares of resampled topics [draw, topic], and means with them [measure, draw, system]."""
        assert self.resampling is not None
        shares, each = self.resampling.topics(len(self.known)), self._values.items()
        return shares, {d: np.swapaxes(self._averaged(mine, shares), 1, 2) for d, mine in each}

    def _averaged(self, values: Floats, shares: Floats | None = None) -> Floats:
        """Values [measure, system, topic] summarised over topics."""
        pairs = zip(values, self.scored.measures, strict=True)
        return np.stack([over_topics(mine, one.average, shares) for mine, one in pairs])

    def nearness(self, m: int, values: Floats, doubt: Doubt | None = None) -> dict[str, Floats]:
        """tau, tau_ap and rmse [vector] of values [vector, system, topic] by measure `m`.

        doubt: None for gold labels as they are.
        """
        gold, by = self.means[doubt][m], self.scored.measures[m]
        means = over_topics(values, by.average)
        ranked = by.better(means), by.better(gold[None])
        return {
            "tau": kendall_cross(*ranked)[:, 0],
            "tau_ap": np.atleast_1d(tau_ap(*ranked, self.tied)),
            "rmse": np.atleast_1d(rmse(means, gold)),
        }

    def on_other_topics(
        self, m: int, values: Floats, doubt: Doubt | None = None
    ) -> dict[str, Floats]:
        """tau_ap and rmse [draw, vector] on resampled topics."""
        shares, means_of = self._drawn
        gold, by = means_of[doubt][m], self.scored.measures[m]
        drawn = over_topics(values, by.average, shares)
        means = np.moveaxis(drawn, 2, 0)  # [draw, vector, system]
        near = tau_ap_cross(by.better(means), by.better(gold[:, None]))[:, :, 0]
        return {"tau_ap": near, "rmse": np.asarray(rmse(means, gold[:, None]))}


class SingleRow(Record, eq=False):
    """One way to score against one gold standard: a number for each judge."""

    measure: str
    by: str
    gold: str
    tau: Floats
    tau_ap: Floats
    rmse: Floats
    doubt: Doubt | None = None  # how far labels are trusted; None: completely
    draws: Floats | None = None  # [draw]: the mean tau_ap with other judges, on other topics
    control: bool = False  # of one judge, to whom nothing is relevant


class SingleJudges(Record, Result, eq=False):
    """Results for all ways to score, and the judges."""

    judges: list[str]
    rows: list[SingleRow]

    def table(self) -> Table:
        """Means over judges, each with the half of its 95 % interval; then a constant judge."""
        rows = [
            (one.gold, f"{CONSTANT}, {one.by}" if one.control else one.by, *_mean(one.tau),
             *_mean(one.tau_ap), *_mean(one.rmse))
            for one in sorted(self.rows, key=lambda row: row.control)
        ]  # fmt: skip
        names = ("gold", "measure", "tau", "+- tau", "tau_ap", "+- tau_ap", "rmse", "+- rmse")
        return Table(names, rows)

    def _parts(self) -> list[str | Table]:
        return [f"means over {len(self.judges)} judges", self.table()]


def _mean(values: Floats) -> tuple[float, float | None]:
    from scipy.special import stdtrit

    if len(values) == 1:
        return float(values[0]), None
    half = stdtrit(len(values) - 1, 0.975) * values.std(ddof=1) / np.sqrt(len(values))
    return float(values.mean()), float(half)


def single_judges(
    judgments: JudgmentsLike,
    runs: RunsLike,
    measures: MeasureNames,
    gold: QrelsLike,
    rel: int | None = None,
    *,
    drop_empty: bool = False,
    doubts: Sequence[Doubt] = (Doubt(),),
    resampling: Resampling | None = None,
) -> SingleJudges:
    """Score every judge alone, and compare the systems' means with gold.

    Use it to see what one judge is worth before judges are combined (`tuple_study`): tau and tau_ap
    say how well a single judge orders the systems, RMSE how far the scores are off. All judges
    count the same in the means; a wide interval says that judges differ.

    Parameters
    ----------
    judgments, runs, measures
        As in `aware`.
    gold : Qrels or source
        True labels.
    rel : int, optional
        Take labels as binary, with this as the lowest relevant grade.
    drop_empty : bool
        Leave out judges with nothing relevant on some topic.
    doubts : sequence of Doubt
        How far labels are trusted, for the expected measures and the randomised gold standard.
        Default: right with probability 0.95, documents without a label not relevant.
    resampling : Resampling, optional
        Also draw mean tau_ap with other judges and on other topics.

    Returns
    -------
    SingleJudges
        For each measure, means over judges of correlation and distance.

    Notes
    -----
    Labels are compared with the deterministic gold standard (DGS); expected measures, with labels
    that are right with probability 0.95, with DGS and with the randomised gold standard (RGS),
    whose labels are right with the same probability. A constant judge, to whom no document of the
    pool is relevant, is shown as a control: expected measures rank systems by how many judged
    documents they retrieve, which alone agrees with gold to some extent.

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(systems=4, topics=10)
    >>> found = hj.studies.single_judges(made.judgments, made.runs, "AP", made.gold)
    >>> found.judges
    ['judge1', 'judge2', 'judge3', 'judge4', 'judge5']

    `found.table()` has a row for AP, and one for its expected counterpart against each standard.
    """
    scores = PanelScores(
        judgments, runs, measures, gold, rel, STANDARDS, 0, drop_empty, doubts, resampling
    )
    need_judges(scores.judgments, "a mean over judges", 2)

    def row(
        m: int, by: Measure, gold: str, values: Floats, doubt: Doubt | None, control: bool = False
    ) -> SingleRow:
        """From values [judge, system, topic]."""
        known = values[:, :, scores.known]
        trusted = doubt if gold == RANDOMISED else None
        near, draws = scores.nearness(m, known, trusted), None
        if resampling is not None and not control:
            moved = scores.on_other_topics(m, known, trusted)["tau_ap"]
            draws = resampling.joint(near["tau_ap"], moved, "judges")
        name = scores.measures[m]
        return SingleRow(name, str(by), gold, **near, doubt=doubt, draws=draws, control=control)

    rows = []
    for m, one in enumerate(scores.scored.measures):
        rows.append(row(m, one, DETERMINISTIC, scores.scored.filled[m], None))
        for doubt in doubts:
            chances = Scorer(doubt.of_labels(one), scores.scored.alignment, 1)
            nothing = np.zeros_like(scores.labels[:1])
            for labels, control in ((scores.labels, False), (nothing, True)):
                values = chances.filled(labels)
                rows += [
                    row(m, chances.measure, standard, values, doubt, control)
                    for standard in scores.standards
                ]
    return SingleJudges(scores.judges, rows)
