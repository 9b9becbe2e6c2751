"""leaderboard: which system is better, and can these judges on these topics tell?"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from hungjury.catalogue import Measure, MeasureLike, measure_list
from hungjury.collection.align import align
from hungjury.collection.inputs import Inputs
from hungjury.collection.judgments import Judgments
from hungjury.collection.likes import JudgmentsLike, QrelsLike, RunsLike
from hungjury.collection.notes import Note, plural
from hungjury.collection.policy import ReadingOptions
from hungjury.collection.runs import Progress, load
from hungjury.errors import Argument, InputError, MeasureError, check_choice, check_seed
from hungjury.files import write_whole
from hungjury.judges.agreement import Agreement, agreement
from hungjury.judges.jury import Families, Jury, seat_jury
from hungjury.judges.merged import Merge
from hungjury.judges.merging import merge_method
from hungjury.judges.weights import Weights
from hungjury.limits import MOST_DRAWS, check_count
from hungjury.settings import (
    Contrary,
    GoldDesign,
    GoldEstimate,
    LeaderboardSettings,
    Prior,
    Scope,
    Target,
)
from hungjury.stats.bootstrap import percentile_interval
from hungjury.stats.letters import letter_groups
from hungjury.tables import Table, json_text
from hungjury.uncertainty.against_gold import AgainstGold, against_gold
from hungjury.uncertainty.corrected import Correction, people_estimate, planned_sample
from hungjury.uncertainty.drawn import Drawn, Setting, draw_scores
from hungjury.uncertainty.estimate import Estimate, panel_error_of, panel_estimate
from hungjury.uncertainty.evidence import Evidence
from hungjury.uncertainty.judge_rows import JudgeRow, dependence, judge_rows, labels_per_document
from hungjury.uncertainty.outlook import Outlook, look_ahead
from hungjury.uncertainty.panel_error import TYPICAL, check_panel_error
from hungjury.uncertainty.planned import Plan
from hungjury.uncertainty.standing import standing

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from hungjury.report.pictures import Plot

__all__ = ["Leaderboard", "leaderboard"]

Floats = NDArray[np.float64]
BoardPicture = Literal["intervals", "pairs"]
FEWEST_DRAWS = 100
FEW_TOPICS = 10


@dataclass(frozen=True, eq=False)
class Leaderboard:
    """Systems best first, and how sure that is. All arrays are in the order of `systems`.

    On the "panel" scale `mean` is the panel's own, and `low` and `high` say where it would be with
    other labels and topics: neither says where people's labels would put the system. What is said
    about people is who is better: `p_best`, ranks, `beats`, `apart`.
    """

    measure: str
    merge: str
    target: Target
    scale: str  # whose means these are: "panel" or "people"
    systems: list[str]
    topics: list[str]
    mean: Floats
    low: Floats
    high: Floats
    p_best: Floats
    rank_low: NDArray[np.int64]
    rank_high: NDArray[np.int64]
    beats: Floats  # [system, system]: P(row beats column)
    apart: NDArray[np.bool_]  # [system, system]: told apart
    cells: Floats  # [system, topic]: expected score
    unsure: Floats  # [topic]: what judges leave open there, a mean standard deviation
    samples: Floats  # [draw, system]: draws of the means from which ranks and chances are made
    shares: Mapping[str, float]  # of the variance of a difference, by cause
    outlook: Outlook | None
    judges: list[JudgeRow]
    labels_per_document: Mapping[int, int]  # labels: documents of the pool that have so many
    agreement: Agreement | None
    gold: AgainstGold | None
    correction: Correction | None  # how gold labels corrected the panel
    evidence: Evidence | None  # the lists and labels it was made from
    settings: LeaderboardSettings
    notes: tuple[Note, ...] = ()

    @property
    def groups(self) -> list[list[str]]:
        """Systems that cannot be told apart; two share a group exactly if they cannot."""
        return [[self.systems[s] for s in group] for group in self.group_places]

    @cached_property
    def group_places(self) -> list[list[int]]:
        """The places, from 0, of the systems of each group."""
        return [[int(s) for s in group] for group in letter_groups(self.apart)]

    def __repr__(self) -> str:
        return f"Leaderboard({self.measure}, {len(self.systems)} systems, best {self.systems[0]})"

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, digits: int = 3) -> str:
        """A table with bars for intervals, and below it what the uncertainty is made of."""
        from hungjury.report.board_text import text

        return text(self, digits)

    def table(self) -> Table:
        """A row per system, with every digit."""
        from hungjury.report.board_text import table

        return table(self)

    def to_csv(self, safe: bool = False) -> str:
        """A line per system; `safe`: spreadsheets take no text for a formula."""
        return self.table().to_csv(safe)

    def to_json(self) -> str:
        """What `to_dict` gives."""
        return json_text(self.to_dict())

    def to_latex(self, digits: int = 3) -> str:
        """A booktabs table."""
        from hungjury.report.board_text import printed

        return printed(self, digits).to_latex()

    def to_html(self, digits: int = 3) -> str:
        """A table under a line that says what it is of; `write_page` makes a whole report."""
        from hungjury.report.board_text import headline, printed

        return replace(printed(self, digits), caption=headline(self)).to_html()

    def _repr_html_(self) -> str:
        return self.to_html()

    def plot(self, what: BoardPicture = "intervals") -> Plot:
        """Draw the systems' means with their intervals, or who beats whom.

        Parameters
        ----------
        what : {"intervals", "pairs"}
            Means and intervals of all systems, or a heat map of P(row beats column).
        """
        from hungjury.report.board_plots import draw_board
        from hungjury.report.pictures import Plot

        return Plot(draw_board(self, what))

    def write_page(
        self, path: str | os.PathLike[str], command: Sequence[str] | None = None
    ) -> None:
        """Write the report: one HTML page to look at, to print and to share.

        Parameters
        ----------
        path : str or path
            The file to write.
        command : sequence of str, optional
            The words of the command line that made the leaderboard, to be shown.
        """
        from hungjury.report.page import page

        write_whole(path, page(self, command))

    def to_dict(self) -> dict[str, Any]:
        """All of it but the samples, as plain numbers, lists and texts."""
        from hungjury.report.board_text import as_dict

        return as_dict(self)

    def to_frame(self, backend: str = "pandas") -> Any:
        """A row per system."""
        return self.table().to_frame(backend)


def leaderboard(
    judgments: JudgmentsLike,
    runs: RunsLike,
    measure: MeasureLike,
    merge: str | Merge | Weights | Any = "binmv",
    rel: int | None = None,
    target: Target = "population",
    draws: int = 1000,
    seed: int = 0,
    gold: QrelsLike | Judgments | None = None,
    *,
    plan: Plan | str | os.PathLike[str] | None = None,
    gold_design: GoldDesign | None = None,
    estimate: GoldEstimate = "combined",
    looks: Sequence[int] | None = None,
    panel_error: float = TYPICAL,
    scope: Scope = "topic",
    prior: Prior = "ranks",
    contrary: Contrary = "drop",
    families: Families = None,
    level: float = 0.95,
    replicates: int = 1000,
    outlook: bool = True,
    progress: Progress | None = None,
    **reading: Unpack[ReadingOptions],
) -> Leaderboard:
    """Rank systems by the labels of several judges, with the uncertainty of the ranking.

    Parameters
    ----------
    judgments : Judgments or source
        Labels, or anything `read_judgments` takes.
    runs : Runs or source
        Runs, or anything `read_runs` takes.
    measure : str or Measure
        One measure.
    merge : str, Merge or Weights
        Any merge of labels, or ``"aware"``, ``"aware(sgl_kld_msd)"`` to merge scores.
    rel : int, optional
        Take labels as binary, relevant from this grade on.
    target : {"population", "topics"}
        Systems on topics like these, or on exactly these topics.
    draws : int
        Draws of labels (or of judges) and topics.
    seed : int
        Random seed.
    gold : Qrels, Judgments or source, optional
        Labels of some documents by people; `Judgments` of several people. All of the leaderboard
        is then about people, and `Leaderboard.correction` tells how the panel differs from them.
    plan : Plan or path, optional
        How these documents were chosen.
    gold_design : {"plan", "random", "topics"}, optional
        How they were chosen without a plan: with equal chances, or all of random topics. If it is
        not known, a model alone corrects the panel.
    estimate : {"combined", "direct"}
        Use gold labels together with the panel's differences between systems, or alone. Measures
        such as AP always use them alone.
    looks : sequence of int, optional
        Numbers of gold labels at which the leaderboard is looked at, the last one the largest
        budget. Systems are then told apart by bounds that hold over all looks, so that labelling
        may stop at any of them.
    panel_error : float
        What the panel typically gets wrong about a system, compared with people, as a share of the
        measure's range. The default is typical of LLM judges; 0 gives the panel's own view.
    scope : {"topic", "all"}
        What em learns about judges from: each topic alone, or all topics.
    prior : {"ranks", "flat"}
        em's prior of a grade: varying with the ranks that systems give a document, or one prior.
    contrary : {"drop", "keep"}
        Leave out judges whose labels contradict those of all others, or let them vote.
    families : str, path or dict, optional
        Judges who share a vote: a pattern on names (the family is what it matches), a file with a
        judge and its family on each line, or ``{judge: family}``. Near-copies always share one.
    level : float
        Level of the intervals.
    replicates : int
        Random judges of each class, for AWARE's weights.
    outlook : bool
        Also estimate what more topics or judges would change.
    progress : callable, optional
        Called as ``progress(done, total, what)``.
    **reading
        Options of `read_judgments` and `read_runs`, such as ``grades=range(4)`` or
        ``score_precision="single"``, for labels and runs that are still to be read; those
        of labels are for `gold` too.

    Returns
    -------
    Leaderboard
        Means, intervals, P(best), rank intervals, P(A beats B) and groups of systems that cannot be
        told apart.

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(systems=4, topics=10)
    >>> board = hj.leaderboard(made.judgments, made.runs, "nDCG@10", draws=200)
    >>> len(board.systems), board.scale
    (4, 'panel')
    """
    chosen = _one(measure)
    check_choice("target", target, get_args(Target))
    check_choice("prior", prior, get_args(Prior))
    check_choice("contrary", contrary, get_args(Contrary))
    check_seed(seed)
    _check_draws(draws)
    check_panel_error(panel_error)
    inputs = Inputs.of(reading, judgments, runs, gold)
    given, lists, gold = inputs.judgments(), inputs.lists(), inputs.people()
    _check_topics(given, target)
    if gold is not None:
        lists = load(lists)  # aligned with two pools
    elif plan is not None or gold_design is not None or looks is not None:
        raise InputError(
            "a plan, a gold design or looks without gold labels",
            remedy=("give the labels as", Argument("gold")),
        )
    aligned = align(lists, given.pool, None, progress, chosen.unjudged_depth)
    setting = Setting(chosen, merge_method(merge), rel, scope, prior, replicates)
    several = len(given.judges) > 1 and not given.soft
    found = agreement(given, rel=rel) if several else None
    jury = seat_jury(given, families, found.near_copies if found else (), contrary, rel)
    voting = jury.judgments
    labels_seed, means_seed, panels_seed = np.random.SeedSequence(seed).spawn(3)
    drawn = draw_scores(voting, aligned, setting, draws, labels_seed, progress)
    correction, ahead, sample = None, None, None
    told: tuple[Note, ...] = ()
    if gold is None:
        layer = panel_error_of(panel_error, voting, drawn, setting)
        made = panel_estimate(drawn, chosen, target, layer, means_seed)
        if outlook and len(aligned.systems) > 1:
            ahead = look_ahead(voting, drawn, setting, target, made.parts, panels_seed)
    else:
        sample = planned_sample(gold, plan, gold_design, given, aligned, setting)
        made, correction, told = people_estimate(
            sample, voting, drawn, setting, estimate, target, means_seed, looks, 1 - level
        )
    settings = LeaderboardSettings(
        ties=aligned.policy.ties,
        score_precision=aligned.policy.score_precision,
        labels=replace(given.settings, grades=() if given.soft else given.grades),
        judges=len(voting.judges),
        families=jury.families,
        contrary=contrary,
        rel=rel,
        panel_error=panel_error,
        scope=scope,
        prior=prior,
        gold_design=gold_design,
        estimate=estimate,
        draws=draws,
        seed=seed,
        level=level,
    )
    checked = None if gold is None else against_gold(gold, given, lists, setting, drawn)
    notes = given.notes + aligned.notes + chosen.notes() + drawn.notes + jury.notes + told
    notes += _warnings(jury, drawn, found)
    evidence = Evidence.of(drawn, setting, given, voting, sample)
    return _board(drawn, setting, target, made, ahead, found, jury, checked, correction, evidence,
                  settings, notes)  # fmt: skip


def _one(measure: MeasureLike) -> Measure:
    wanted = measure_list(measure)
    if len(wanted) != 1:
        raise MeasureError(
            f"a leaderboard has one measure, not {len(wanted)}", remedy="make one for each"
        )
    drawn = wanted[0].expectation
    if drawn is not None:
        raise MeasureError(
            f"{drawn}: a leaderboard draws labels itself", remedy=f"ask for {drawn.of}"
        )
    return wanted[0]


def _check_draws(draws: int) -> None:
    check_count("draws", draws, 0, MOST_DRAWS)
    if draws < FEWEST_DRAWS:
        raise InputError(
            f"{draws} draws are too few for an interval",
            remedy=f"use at least {FEWEST_DRAWS}; 1000 is usual",
        )


def _check_topics(judgments: Judgments, target: Target) -> None:
    if target == "population" and len(judgments.topics) < 2:
        raise InputError(
            "one topic says nothing about other topics",
            code="one-topic",
            remedy=("use", Argument("target", "topics"), "for this topic alone, or judge more"),
        )


def _board(
    drawn: Drawn,
    setting: Setting,
    target: Target,
    estimate: Estimate,
    outlook: Outlook | None,
    found: Agreement | None,
    jury: Jury,
    gold: AgainstGold | None,
    correction: Correction | None,
    evidence: Evidence,
    settings: LeaderboardSettings,
    notes: tuple[Note, ...],
) -> Leaderboard:
    measure, level = setting.measure, settings.level
    better = -1.0 if measure.smaller_is_better else 1.0
    order = np.lexsort((np.arange(len(estimate.mean)), -better * estimate.mean))
    mean, samples = estimate.mean[order], estimate.draws[:, order]
    # No mean lies outside the measure's range, whatever few topics make of its interval.
    low, high = np.clip(percentile_interval(estimate.means[:, order], level),
                        measure.low, measure.high)  # fmt: skip
    stretch = 1.0 if correction is None else correction.stretch
    where = standing(better * mean, better * samples, level, estimate.together, stretch)
    return Leaderboard(
        measure=str(measure),
        merge=str(setting.merge),
        target=target,
        scale=estimate.scale,
        systems=[drawn.alignment.systems[s] for s in order],
        topics=drawn.alignment.pool.topics,
        mean=mean,
        low=low,
        high=high,
        p_best=where.p_best,
        rank_low=where.rank_low,
        rank_high=where.rank_high,
        beats=where.beats,
        apart=where.apart,
        cells=estimate.cells[order],
        unsure=drawn.draws.spread.mean(axis=0),
        samples=samples,
        shares=estimate.parts.shares(),
        outlook=outlook,
        judges=[] if found is None else judge_rows(found, jury, drawn.labels, drawn.weights),
        labels_per_document=labels_per_document(jury.judgments),
        agreement=found,
        gold=gold,
        correction=None if correction is None else correction.ordered(order),
        evidence=evidence.ordered(order),
        settings=settings,
        notes=notes,
    )


def _warnings(jury: Jury, drawn: Drawn, found: Agreement | None) -> tuple[Note, ...]:
    """What to consider before trusting the leaderboard."""
    judgments = jury.judgments
    out: list[Note] = []
    if len(judgments.judges) == 2:
        text = "only two judges: where they differ, nothing tells who is right; use three or more"
        out.append(Note("two-judges", 1, text, about="judges"))
    if len(judgments.topics) < FEW_TOPICS:
        text = f"only {plural(len(judgments.topics), 'topic')}: intervals are rough below ten"
        out.append(Note("few-topics", len(judgments.topics), text, about="result"))
    alone = labels_per_document(judgments).get(1, 0)
    if len(judgments.judges) > 1 and alone > len(judgments.pool) / 2:
        text = f"{alone:,} of {len(judgments.pool):,} documents have the label of one judge only"
        out.append(Note("one-label", alone, text, about="judges"))
    empty = [
        system
        for system, row in zip(drawn.alignment.systems, drawn.alignment.retrieved, strict=True)
        if not row.any()
    ]
    if empty:
        text = "nothing retrieved for any judged topic, scored 0"
        out.append(
            Note("nothing-retrieved", len(empty), text, subjects=tuple(empty), about="result")
        )
    if found is not None:
        out += [Note("judges", 1, sentence, about="judges") for sentence in found.warnings]
        out += _constant(found)
        if drawn.labels is not None:
            out += dependence(found, judgments.judges, drawn.labels)
    return tuple(out)


def _constant(found: Agreement) -> list[Note]:
    """Judges with one label for everything add the same to all systems."""
    same = tuple(name for name, share in found.near_constant.items() if share == 1)
    if not same:
        return []
    text = "a judge with one label for every document has no say in who is better"
    return [Note("constant-judge", len(same), text, subjects=same, about="judges")]
