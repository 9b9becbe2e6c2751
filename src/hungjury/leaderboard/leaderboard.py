"""leaderboard: which system is better, and how certain is that with these judges and topics? And
`Boards`: the same by other measures, and on groups of topics."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from hungjury.base.arrays import Bools, Floats
from hungjury.base.errors import Argument, InputError, Note, few, noted, plural
from hungjury.base.files import write_whole
from hungjury.base.options import takes
from hungjury.base.records import Record
from hungjury.base.results import Result, Table, in_report
from hungjury.data.alignment import Alignment, align
from hungjury.data.labels import as_gold, as_judgments, as_labels
from hungjury.data.qrels import Judgments, Qrels
from hungjury.data.reading.formats import read_table, table_format
from hungjury.data.reading.options import JudgmentsLike, QrelsLike, RunsLike, Unpack, assigned
from hungjury.data.reading.sources import expand
from hungjury.data.runs import Progress, RunFiles, Runs, as_runs
from hungjury.judges.agreement import panel_agreement
from hungjury.judges.families import Jury, kin_of, seated
from hungjury.judges.judge_scores import check_no_expectation
from hungjury.judges.merge import MergeLike, merge_method
from hungjury.judges.merge_types import LabelMerge
from hungjury.judges.panel import Panel
from hungjury.judges.votes import AsGiven
from hungjury.leaderboard.board import Leaderboard, pairs_of
from hungjury.leaderboard.correction import gold_estimate, overrating, planned_gold, settled
from hungjury.leaderboard.draws import Drawn, Estimate, draw_scores, panel_estimate
from hungjury.leaderboard.evidence import Evidence, depth_shown
from hungjury.leaderboard.label_model import dependence
from hungjury.leaderboard.many_systems import best_systems, check_best
from hungjury.leaderboard.options import BOARD, BoardArguments, BoardOptions, split_options
from hungjury.leaderboard.panel_error import PanelError
from hungjury.leaderboard.plan_file import PlansLike
from hungjury.measures.catalogue import MeasureLike
from hungjury.measures.catalogue import measure as as_measure

FEW_TOPICS = 10


@takes(BOARD, "reading")
def leaderboard(
    judgments: JudgmentsLike | QrelsLike,
    runs: RunsLike,
    measure: MeasureLike,
    merge: MergeLike = "binmv",
    *,
    gold: QrelsLike | Judgments | None = None,
    plan: PlansLike | None = None,
    best: int | None = None,
    progress: Progress | None = None,
    **arguments: Unpack[BoardArguments],
) -> Leaderboard:
    """Rank systems by the labels of several judges, with the uncertainty of the ranking.

    Parameters
    ----------
    judgments : Judgments, Qrels or source
        Labels, or anything `read_judgments` takes. Labels of one source, such as `Qrels`, are those
        of one judge; if they are probabilities, these are taken as true: labels are drawn from
        them, and no error of judges is added.
    runs : Runs or source
        Runs, or anything `read_runs` takes.
    measure : str or Measure
        One measure.
    merge : str, Merge or Weights
        Any merge of labels, or ``"aware"``, ``"aware(sgl_kld_msd)"`` to merge scores.
    gold : Qrels, Judgments or source, optional
        Labels of some documents by people; `Judgments` for several people. The whole leaderboard
        is then about people, and `Leaderboard.correction` says how the panel differs from them.
    plan : Plan, path or list of these, optional
        How these documents were chosen. Labels of several plans count together.
    best : int, optional
        Compare only so many systems, the best ones by the judges' votes. More than 2,500 systems
        cannot be compared without.
    progress : callable, optional
        Called as ``progress(done, total, what)``.
    {options}
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
    options, reading = split_options(arguments, BoardOptions)
    check_best(best)
    options = options.but(measure=as_measure(measure), merge=merge_method(merge))
    check_no_expectation(options.measure)
    of_labels, of_runs, of_gold = assigned(reading, judgments, runs, gold)
    given, options = _labels(judgments, of_labels, options, gold is not None)
    lists = as_runs(runs, **of_runs)
    people = None if gold is None else as_gold(gold, **of_gold)
    if people is None and (plan is not None or options.gold_design or options.looks):
        said = "a plan, a gold design and looks need gold labels"
        raise InputError(said, code="no-gold", remedy=("give the labels as", Argument("gold")))
    asked = Panel.of(given, options.rel)
    aligned = _aligned(lists, given, options, progress)
    aligned, best_notes = best_systems(aligned, asked, [options.measure], best)
    kin, kin_notes = kin_of(aligned.systems, options.kin)
    agreement = panel_agreement(asked) if len(asked.judges) > 1 and not given.soft else None
    copies = agreement.near_copies if agreement else ()
    learns = isinstance(options.merge, LabelMerge) and options.merge.needs_users
    panel, jury = seated(
        asked, aligned, options.families, copies, options.contrary, people is not None, learns
    )
    labels_seed, means_seed = np.random.SeedSequence(options.seed).spawn(2)
    drawn = draw_scores(jury.panel, aligned, options, labels_seed, progress)
    notes = panel.judgments.notes + aligned.notes + options.measure.notes() + drawn.notes
    notes += jury.notes + kin_notes + best_notes
    labelled = correction = overrated = None
    if people is None:
        made, layer = _by_panel(jury, drawn, options, kin)
        notes += () if layer is None else layer.notes
    else:
        labelled = planned_gold(people, plan, asked, aligned, options)
        made, correction, more = gold_estimate(labelled, jury.panel, drawn, options, means_seed)
        overrated = overrating(kin, made, drawn, options)
        notes += more
        layer = None
        if correction.estimate not in ("exact", "model") and len(made.mean) > 1:
            alone, layer = _by_panel(jury, drawn, options, kin)
            told = _told(made, options, correction.stretch), _told(alone, options)
            made, correction, more = settled(made, correction, alone, told)
            notes += more
        layer = layer if correction.decides == "panel" else None
    evidence = Evidence(
        options, panel, jury, agreement, kin, drawn, made, layer, labelled, correction, overrated
    )
    return Leaderboard.of(evidence, notes + _cautions(evidence))


def _aligned(
    lists: Runs | RunFiles, given: Judgments, options: BoardOptions, progress: Progress | None
) -> Alignment:
    """Align the runs with the judged pool, unless there are too few topics."""
    measure = options.measure
    depth = max(measure.unjudged_depth, depth_shown(measure))
    aligned = align(lists, given.pool, None, progress, depth, named=True, by_name=True)
    if options.target == "population" and len(given.topics) < 2:
        raise InputError(
            "one topic says nothing about other topics",
            code="one-topic",
            remedy=("use", Argument("target", "topics"), "for this topic alone, or judge more"),
        )
    return aligned


def _by_panel(
    jury: Jury, drawn: Drawn, options: BoardOptions, kin: Bools
) -> tuple[Estimate, PanelError | None]:
    """The panel's means, and the panel error; None for the panel's own view."""
    layer, tau = None, options.panel_error
    if tau != 0:
        posterior = None if drawn.merged is None else drawn.merged.posterior
        layer = PanelError.of(
            jury.panel, drawn.alignment, options.measure, jury.declared, tau, kin, posterior
        )
    seed = np.random.SeedSequence(options.seed).spawn(2)[1]  # the same beside gold labels
    return panel_estimate(drawn, options, layer, seed), layer


def _labels(
    source: JudgmentsLike | QrelsLike, reading: Any, options: BoardOptions, gold: bool
) -> tuple[Judgments, BoardOptions]:
    """The labels of judges. Probabilities of one source are drawn from, without a panel error."""
    one: Any = as_labels(source, **reading) if isinstance(source, Mapping) and source else source
    if not isinstance(one, Qrels):
        given = one if isinstance(one, Judgments) else as_judgments(one, **reading)
        if not given.soft or len(given.judges) > 1 or gold:
            return given, options
        one = given.qrels_of(given.judges[0])
    elif not one.soft or (gold and one.p is not None):
        return one.by_one_judge(), options
    if gold:
        raise InputError(
            "gold labels correct judges, but these are probabilities of grades of one source",
            code="gold-without-judges",
            remedy=("give the labels of judges, or leave out", Argument("gold")),
        )
    if str(options.merge) != "binmv":
        raise InputError(
            "probabilities of one source need no merge",
            code="nothing-to-merge",
            remedy=("leave out", Argument("merge"), "or give labels of several judges"),
        )
    if options.rel is not None:
        one, options = one.at_least(options.rel), options.but(rel=None)
    error = 0.0 if options.panel_error is None else options.panel_error
    return one.by_one_judge(), options.but(merge=AsGiven(one), panel_error=error)


def _told(made: Estimate, options: BoardOptions, stretch: float = 1.0) -> Floats:
    """[system, system]: 1 where the row is told apart from the column as better, -1 as worse."""
    better = -1.0 if options.measure.smaller_is_better else 1.0
    beats, apart = pairs_of(
        better * made.centre, better * made.draws, options.level, options.together, stretch
    )
    return np.asarray(apart * np.sign(beats - 0.5))


def _cautions(evidence: Evidence) -> tuple[Note, ...]:
    """Return notes on what to consider before trusting the leaderboard."""
    judgments, drawn, found = evidence.jury.judgments, evidence.drawn, evidence.agreement
    judges, topics = len(judgments.judges), len(judgments.topics)
    text = "only two judges: where they differ, it is unknown who is right; use three or more"
    out = noted("two-judges", int(judges == 2), text, about="judges")
    if topics < FEW_TOPICS:
        text = f"only {plural(topics, 'topic')}: intervals are rough below ten"
        out += noted("few-topics", topics, text, about="result")
    alone = evidence.jury.panel.labels_per_document().get(1, 0)
    if judges > 1 and alone > len(judgments.pool) / 2:
        text = f"{alone:,} of {len(judgments.pool):,} documents have the label of one judge only"
        out += noted("one-label", alone, text, about="judges")
    lists = zip(drawn.alignment.systems, drawn.alignment.retrieved, strict=True)
    empty = tuple(system for system, row in lists if not row.any())
    text = "nothing retrieved for any judged topic, scored 0"
    out += noted("nothing-retrieved", len(empty), text, subjects=empty, about="result")
    if found is not None:
        out += tuple(Note("judges", 1, sentence, about="judges") for sentence in found.warnings)
        same = tuple(name for name, share in found.near_constant.items() if share == 1)
        text = "a judge with the same label for every document does not affect the ranking"
        out += noted("constant-judge", len(same), text, subjects=same, about="judges")
        if drawn.labels is not None:
            out += dependence(found, judgments.judges, drawn.labels)
    return out


GROUP = ("group", "slice", "class", "category", "type", "kind")


def read_slices(path: str) -> dict[str, list[str]]:
    """Read groups of topics: a table with a topic and its group in each row."""
    (source,) = expand(path)
    kind = table_format(source, tuple(("group", name) for name in GROUP))
    if kind is None:
        raise source.error(
            "this is not a table of topics and groups", "no-groups",
            "write a header line `topic,group`, and one line for each topic",
        )  # fmt: skip
    table = read_table(source, kind)
    topic = table.need("topic")
    others = [name for name in table.columns if name != topic]
    named = [name for name in others if name.strip().lower() in GROUP] or others
    if len(named) != 1:
        raise table.error(
            f"which column is the group of a topic: {few(others) or 'there is none'}?",
            "no-groups", "call it group",
        )  # fmt: skip
    found: dict[str, list[str]] = {}
    pairs = zip(table.texts(topic), table.texts(named[0]), strict=True)
    for one, group in dict.fromkeys(pairs):
        found.setdefault(group, []).append(one)
    return found


class Boards(Record, Result, eq=False):
    """A leaderboard, with those by other measures and on groups of topics.

    Attributes
    ----------
    board : Leaderboard
        By the first measure, on all topics.
    measures : tuple of Leaderboard
        By the other measures.
    slices : dict
        By the first measure, on each group of topics.
    left_out : dict
        Why a group has no leaderboard.
    """

    board: Leaderboard
    measures: tuple[Leaderboard, ...] = ()
    slices: Mapping[str, Leaderboard] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def of(
        measures: Sequence[Any],
        slices: Mapping[str, Sequence[str]],
        rank: Callable[[Any, Sequence[str] | None], Leaderboard],
    ) -> Boards:
        """Rank by every measure, and by the first one on every group of topics."""
        first, *more = [rank(one, None) for one in measures]
        boards, why = {}, {}
        for name, topics in slices.items():
            here = [topic for topic in topics if topic in first.topics]
            try:
                if not here:
                    raise InputError("none of its topics was judged", code="no-topics")
                boards[name] = rank(measures[0], here)
            except InputError as error:
                why[name] = error.message
        return Boards(first, tuple(more), boards, why)

    @property
    def notes(self) -> tuple[Note, ...]:
        return self.board.notes

    @property
    def multiplicity(self) -> str:
        """A sentence on the number of comparisons over all groups."""
        level, together = self.board.settings.level, self.board.settings.together
        boards = len(self.slices)
        pairs = sum(len(b.systems) * (len(b.systems) - 1) // 2 for b in self.slices.values())
        wrong = (1 - level) * (boards if together else pairs)
        return (
            f"{plural(boards, 'group')} of topics, {plural(pairs, 'comparison')}: each group is "
            f"decided by itself. If no systems differed, about {wrong:.1f} of these would tell two "
            "apart by chance, so a difference in one group only is a question, not a finding."
        )

    def table(self) -> Table:
        """Return the rows of all leaderboards, by measure and group."""
        named = [("", self.board), *(("", b) for b in self.measures), *self.slices.items()]
        rows = [
            {"measure": board.measure, "group": name, **row}
            for name, board in named
            for row in board.table().to_dicts()
        ]
        return Table.of(rows)

    def by_measure(self) -> Table:
        """Return the mean and the groups of every system by every measure."""
        boards = [self.board, *self.measures]
        places = [dict(zip(b.systems, b.rows(), strict=True)) for b in boards]
        rows = [
            [system, *(f"{p[system].mean:.3f} {p[system].letters}" for p in places)]
            for system in self.board.systems
        ]
        return Table(["system", *(b.measure for b in boards)], rows)

    def by_group(self) -> Table:
        """Return the leader of every group, and how many pairs are told apart in it."""
        rows: list[list[str | int]] = [
            [name, len(b.topics), b.systems[0], f"{b.mean[0]:.3f}", b.pairs_apart]
            for name, b in self.slices.items()
        ]
        return Table(["group", "topics", "first", "mean", "pairs told apart"], rows)

    def _parts(self) -> list[str | Table]:
        parts: list[str | Table] = [self.board.to_text()]
        if self.measures:
            parts += ["Means by other measures; systems that share a letter are not told apart:"]
            parts.append(self.by_measure())
        if self.slices:
            parts += [self.multiplicity, self.by_group()]
        return parts + [f"{name}: {text}." for name, text in self.left_out.items()]

    def to_dict(self) -> dict[str, Any]:
        """Return the leaderboard, and those by other measures and on groups of topics."""
        return {
            **self.board.to_dict(),
            "measures": [board.to_dict() for board in self.measures],
            "slices": {name: board.to_dict() for name, board in self.slices.items()},
            "left_out": dict(self.left_out),
            "multiplicity": self.multiplicity if self.slices else None,
        }

    def write_page(self, path: str | os.PathLike[str], **how: Any) -> None:
        """Write the report of the leaderboard, with sections on the others; as its `write_page`."""
        write_whole(path, in_report("page.page")(self.board, beside=self, **how))
