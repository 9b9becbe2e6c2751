"""leaderboard: which system is better, and how certain is that with these judges and topics?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.choices import Target
from hungjury.base.errors import Argument, InputError, MeasureError, Note, percent, plural
from hungjury.data.alignment import align
from hungjury.data.labels import as_judgments, as_qrels
from hungjury.data.qrels import Judgments
from hungjury.data.reading.options import JudgmentsLike, QrelsLike, RunsLike, assigned, takes
from hungjury.data.runs import Progress, as_runs
from hungjury.judges.agreement import Agreement, panel_agreement
from hungjury.judges.merge import MergeLike, merge_method
from hungjury.judges.panel import Jury, Panel, seat_jury
from hungjury.leaderboard.board import JudgeRow, Leaderboard, look_ahead, standing
from hungjury.leaderboard.correction import gold_estimate, planned_gold
from hungjury.leaderboard.draws import Drawn, draw_scores, panel_error_of, panel_estimate
from hungjury.leaderboard.evidence import Evidence, depth_shown
from hungjury.leaderboard.label_model import LabelDraws
from hungjury.leaderboard.options import BOARD, BoardOptions, LeaderboardSettings, split_options
from hungjury.leaderboard.plan_file import PlansLike
from hungjury.measures.catalogue import Measure, MeasureLike, measure_list
from hungjury.stats.resampling import interval

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from hungjury.leaderboard.options import BoardArguments


TOO_MUCH = 0.03  # agreement beyond what independent judges would have
FAR = 5.0  # in standard errors
FEW = 50  # common documents needed to compare two judges


def judge_rows(
    found: Agreement, jury: Jury, labels: LabelDraws | None, weights: Floats | None
) -> list[JudgeRow]:
    """A row for every judge; `labels` and `weights` [judge, topic] are of those who vote."""
    _, kappa = found.pairs.with_others()
    voting = jury.judgments
    accuracy: dict[str, float] = {}
    if labels is not None:
        right = np.einsum("g,kgg->k", _prior(labels), labels.confusion)
        accuracy = dict(zip(voting.judges, right.tolist(), strict=True))
    weight = None if labels is not None else jury.panel.vote_share()
    weight = weight if weights is None else weights.mean(axis=1)
    share = {} if weight is None else dict(zip(voting.judges, weight.tolist(), strict=True))
    family = dict(zip(voting.judges, voting.families, strict=True))
    pool = max(len(found.panel.pool), 1)
    return [
        JudgeRow(
            name=name,
            family=family.get(name, name),
            labels=int(found.labels[k]),
            covered=int(found.labels[k]) / pool,
            relevant=float(1 - found.label_rates[k, 0]),
            kappa=None if np.isnan(kappa[k]) else float(kappa[k]),
            accuracy=accuracy.get(name),
            weight=None if weight is None else share.get(name, 0.0),
        )
        for k, name in enumerate(found.judges)
    ]


def dependence(found: Agreement, judges: list[str], labels: LabelDraws) -> tuple[Note, ...]:
    """A note on judges who agree more than independent errors, as in the label model, explain.

    The expected agreement of two judges follows from the prior and their confusion matrices.
    judges: those of `labels`.
    """
    prior, confusion = _prior(labels), labels.confusion
    expected = np.einsum("g,kgl,mgl->km", prior, confusion, confusion, optimize=True)
    at = [found.judges.index(name) for name in judges]
    seen, common = (part[np.ix_(at, at)] for part in (found.pairs.agreement, found.pairs.common))
    compared = (common >= FEW) & ~np.isnan(expected)
    np.fill_diagonal(compared, False)
    error = np.sqrt(np.maximum(expected * (1 - expected), 1e-9) / np.maximum(common, 1))
    excess = np.where(compared, seen - expected, 0.0)
    many = int((excess > np.maximum(TOO_MUCH, FAR * error)).sum()) // 2
    if not many:
        return ()
    one, other = np.unravel_index(int(np.argmax(excess)), excess.shape)
    text = (
        f"{many} of {plural(int(compared.sum()) // 2, 'pair')} of judges agree more than judges "
        f"who err independently would, most of all {judges[one]} and "
        f"{judges[other]}: on {percent(seen[one, other])} of documents, where "
        f"{percent(expected[one, other])} would be expected. They may share errors, in which case "
        "the intervals are too narrow"
    )
    return (Note("dependent-judges", many, text, about="judges"),)


def _prior(labels: LabelDraws) -> Floats:
    """[grade]: shares of the grades among judged documents."""
    total = labels.posterior.sum(axis=0)
    return np.asarray(total / total.sum())


FEW_TOPICS = 10


def cautions(jury: Jury, drawn: Drawn, found: Agreement | None) -> tuple[Note, ...]:
    """Return notes on what to consider before trusting the leaderboard."""
    judgments = jury.judgments
    out: list[Note] = []
    if len(judgments.judges) == 2:
        text = "only two judges: where they differ, it is unknown who is right; use three or more"
        out.append(Note("two-judges", 1, text, about="judges"))
    if len(judgments.topics) < FEW_TOPICS:
        text = f"only {plural(len(judgments.topics), 'topic')}: intervals are rough below ten"
        out.append(Note("few-topics", len(judgments.topics), text, about="result"))
    alone = jury.panel.labels_per_document().get(1, 0)
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
        same = tuple(name for name, share in found.near_constant.items() if share == 1)
        if same:
            text = "a judge with the same label for every document does not affect the ranking"
            out.append(Note("constant-judge", len(same), text, subjects=same, about="judges"))
        if drawn.labels is not None:
            out += dependence(found, judgments.judges, drawn.labels)
    return tuple(out)


@takes(BOARD, "reading")
def leaderboard(
    judgments: JudgmentsLike,
    runs: RunsLike,
    measure: MeasureLike,
    merge: MergeLike = "binmv",
    *,
    gold: QrelsLike | Judgments | None = None,
    plan: PlansLike | None = None,
    progress: Progress | None = None,
    **arguments: Unpack[BoardArguments],
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
    gold : Qrels, Judgments or source, optional
        Labels of some documents by people; `Judgments` for several people. The whole leaderboard
        is then about people, and `Leaderboard.correction` says how the panel differs from them.
    plan : Plan, path or list of these, optional
        How these documents were chosen. Labels of several plans count together.
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
    chosen = _one(measure)
    options, reading = split_options(arguments, BoardOptions)
    options = options.but(measure=chosen, merge=merge_method(merge))
    of_labels, of_runs, of_gold = assigned(reading, judgments, runs, gold)
    given, lists = as_judgments(judgments, **of_labels), as_runs(runs, **of_runs)
    if gold is not None and not isinstance(gold, Judgments):
        gold = as_qrels(gold, **of_gold)
    _check_topics(given, options.target)
    if gold is None and (plan is not None or options.gold_design or options.looks):
        raise InputError(
            "a plan, a gold design and looks need gold labels",
            code="no-gold",
            remedy=("give the labels as", Argument("gold")),
        )
    remembered = max(chosen.unjudged_depth, depth_shown(chosen))
    aligned = align(lists, given.pool, None, progress, remembered, named=True)
    panel = Panel.of(given, options.rel)
    found = panel_agreement(panel) if len(panel.judges) > 1 and not given.soft else None
    jury = seat_jury(panel, options.families, found.near_copies if found else (), options.contrary)
    labels_seed, means_seed, panels_seed = np.random.SeedSequence(options.seed).spawn(3)
    drawn = draw_scores(jury.panel, aligned, options, labels_seed, progress)
    correction, ahead, labelled = None, None, None
    correction_notes: tuple[Note, ...] = ()
    if gold is None:
        layer = panel_error_of(options.panel_error, jury.panel, aligned, chosen)
        made = panel_estimate(drawn, options, layer, means_seed)
        if options.outlook and len(aligned.systems) > 1:
            ahead = look_ahead(jury.panel, drawn, options, made.parts, panels_seed)
    else:
        labelled = planned_gold(gold, plan, panel, aligned, options)
        made, correction, correction_notes = gold_estimate(
            labelled, jury.panel, drawn, options, means_seed
        )
    better = -1.0 if chosen.smaller_is_better else 1.0
    order = np.lexsort((np.arange(len(made.mean)), -better * made.mean))
    mean, samples = made.mean[order], made.draws[:, order]
    # With few topics an interval may exceed the measure's range; clip it.
    low, high = np.clip(interval(made.means[:, order], options.level), chosen.low, chosen.high)
    stretch = 1.0 if correction is None else correction.stretch
    where = standing(better * mean, better * samples, options.level, made.together, stretch)
    concludes = correction is None or correction.concludes
    notes = given.notes + aligned.notes + chosen.notes() + drawn.notes + jury.notes
    return Leaderboard(
        **vars(where) | {"apart": where.apart & concludes},
        measure=str(chosen),
        merge=str(options.merge),
        target=options.target,
        scale=made.scale,
        systems=[drawn.alignment.systems[s] for s in order],
        topics=drawn.alignment.pool.topics,
        mean=mean,
        low=low,
        high=high,
        cells=made.cells[order],
        unsure=drawn.draws.spread.mean(axis=0),
        samples=samples,
        shares=made.parts.shares(),
        outlook=ahead,
        judges=[] if found is None else judge_rows(found, jury, drawn.labels, drawn.weights),
        labels_per_document=jury.panel.labels_per_document(),
        agreement=found,
        correction=None if correction is None else correction.ordered(order),
        evidence=Evidence.of(panel, jury.panel, drawn, options, gold, labelled, order),
        settings=LeaderboardSettings(
            **aligned.policy.recorded,
            **options.recorded,
            labels=given.settings.but(grades=() if given.soft else given.grades),
            judges=len(jury.panel.judges),
            families=jury.families,
        ),
        notes=notes + correction_notes + cautions(jury, drawn, found),
    )


def _one(measure: MeasureLike) -> Measure:
    wanted = measure_list(measure)
    if len(wanted) != 1:
        raise MeasureError(
            f"a leaderboard has one measure, not {len(wanted)}",
            code="several-measures",
            argument="measure",
            remedy="make one for each",
        )
    drawn = wanted[0].expectation
    if drawn is not None:
        raise MeasureError(
            f"{drawn}: a leaderboard draws labels itself",
            code="expected-measure",
            argument="measure",
            remedy=f"ask for {drawn.of}",
        )
    return wanted[0]


def _check_topics(judgments: Judgments, target: Target) -> None:
    if target == "population" and len(judgments.topics) < 2:
        raise InputError(
            "one topic says nothing about other topics",
            code="one-topic",
            remedy=("use", Argument("target", "topics"), "for this topic alone, or judge more"),
        )
