"""leaderboard: which system is better, and how certain is that with these judges and topics?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hungjury import native
from hungjury.base.arrays import Floats
from hungjury.base.choices import Target
from hungjury.base.errors import Argument, InputError, MeasureError, Note, plural
from hungjury.base.options import takes
from hungjury.data.alignment import Alignment, align
from hungjury.data.labels import as_gold, as_judgments, as_labels
from hungjury.data.qrels import Judgments, Qrels
from hungjury.data.reading.options import JudgmentsLike, QrelsLike, RunsLike, assigned
from hungjury.data.runs import Progress, as_runs
from hungjury.judges.agreement import Agreement, judge_means, panel_agreement
from hungjury.judges.families import (
    Favour,
    Jury,
    contrary_to_systems,
    correlation_with_systems,
    favours,
    kin_of,
    propose_families,
    read_in_reverse,
    seat_jury,
)
from hungjury.judges.merge import MergeLike, merge_method
from hungjury.judges.panel import Panel
from hungjury.judges.votes import AsGiven
from hungjury.leaderboard.board import (
    Assumed,
    JudgeRow,
    Leaderboard,
    Outlook,
    Step,
    look_ahead,
    standing,
)
from hungjury.leaderboard.correction import Correction, gold_estimate, planned_gold, settled
from hungjury.leaderboard.draws import Drawn, Estimate, as_reported, draw_scores, panel_estimate
from hungjury.leaderboard.evidence import Evidence, depth_shown
from hungjury.leaderboard.label_model import LabelDraws, dependence, prior_of_grades
from hungjury.leaderboard.options import BOARD, BoardOptions, LeaderboardSettings, split_options
from hungjury.leaderboard.panel_error import OVERRATED, TWO_FAMILIES, PanelError, kind_of_panel
from hungjury.leaderboard.plan import VOTE, expected_differences, influence
from hungjury.leaderboard.plan_file import PlansLike
from hungjury.measures.catalogue import Measure, MeasureLike, measure_list
from hungjury.measures.distribution import functional
from hungjury.stats.multiple import told_apart
from hungjury.stats.resampling import interval

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from hungjury.leaderboard.options import BoardArguments


MOST_SYSTEMS = 2500  # of a board: time grows with the cube of their number
MOST_COMPARED = 1000  # systems for which other assumptions are tried
LABELS_PROPOSED = 200  # by people, where nothing else would tell more systems apart


def judge_rows(
    found: Agreement, jury: Jury, labels: LabelDraws | None, weights: Floats | None
) -> list[JudgeRow]:
    """A row for every judge; `labels` and `weights` [judge, topic] are of those who vote."""
    _, kappa = found.pairs.with_others()
    voting = jury.judgments
    accuracy: dict[str, float] = {}
    if labels is not None:
        right = np.einsum("g,kgg->k", prior_of_grades(labels), labels.confusion)
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
    judgments: JudgmentsLike | QrelsLike,
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
    given, options = _labels(judgments, of_labels, options, gold is not None)
    lists = as_runs(runs, **of_runs)
    gold = None if gold is None else as_gold(gold, **of_gold)
    if gold is None and (plan is not None or options.gold_design or options.looks):
        raise InputError(
            "a plan, a gold design and looks need gold labels",
            code="no-gold",
            remedy=("give the labels as", Argument("gold")),
        )
    remembered = max(chosen.unjudged_depth, depth_shown(chosen))
    aligned = align(lists, given.pool, None, progress, remembered, named=True, by_name=True)
    _check_size(given, len(aligned.systems), options.target)
    panel = Panel.of(given, options.rel)
    found = panel_agreement(panel) if len(panel.judges) > 1 and not given.soft else None
    agreed, asked = correlation_with_systems(panel, aligned), panel
    turned = contrary_to_systems(panel, *agreed)
    if turned and gold is not None and options.contrary == "drop":
        given = read_in_reverse(given, turned)
        panel = Panel.of(given, options.rel)
        agreed = correlation_with_systems(panel, aligned)
    jury = seat_jury(
        panel, options.families, found.near_copies if found else (), options.contrary, agreed
    )
    kin, kin_notes = kin_of(aligned.systems, options.kin)
    labels_seed, means_seed, panels_seed = np.random.SeedSequence(options.seed).spawn(3)
    drawn = draw_scores(jury.panel, aligned, options, labels_seed, progress)
    correction, ahead, labelled, layer = None, None, None, None
    correction_notes: tuple[Note, ...] = ()
    overrated: tuple[float, float, float] | None = None

    def own_error() -> PanelError | None:
        if options.panel_error == 0:
            return None
        return PanelError.of(jury.panel, aligned, chosen, jury.declared, options.panel_error, kin)

    if gold is None:
        layer = own_error()
        made = panel_estimate(drawn, options, layer, means_seed)
        if options.outlook and len(aligned.systems) > 1:
            ahead = look_ahead(jury.panel, drawn, options, made, panels_seed)
    else:
        labelled = planned_gold(gold, plan, asked, aligned, options)
        made, correction, correction_notes = gold_estimate(
            labelled, jury.panel, drawn, options, means_seed
        )
        overrated = _overrated(kin, made, drawn, options)
        if correction.estimate not in ("exact", "model") and len(aligned.systems) > 1:
            alone = panel_estimate(drawn, options, own_error(), panels_seed)
            told = _told(made, options, correction.stretch), _told(alone, options)
            made, correction, more = settled(made, correction, alone, told)
            correction_notes += more
    better = -1.0 if chosen.smaller_is_better else 1.0
    ranked = made.mean if made.error is None else made.error.mean
    by = functional(better * ranked, better * made.draws, options.order)
    order = np.argsort(-by, kind="stable")
    mean, samples = made.mean[order], made.draws[:, order]
    # With few topics an interval may exceed the measure's range; clip it.
    low, high = np.clip(interval(made.means[:, order], options.level), chosen.low, chosen.high)
    stretch = 1.0 if correction is None else correction.stretch
    where = standing(
        better * ranked[order], better * samples, options.level, options.together, stretch
    )
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
        error=None if made.error is None else made.error.of_systems(order),
        shares=made.parts.shares(),
        outlook=ahead,
        judges=[] if found is None else judge_rows(found, jury, drawn.labels, drawn.weights),
        labels_per_document=jury.panel.labels_per_document(),
        agreement=found,
        assumed=None if layer is None else _assumed(layer, made, jury, options),
        kin=[aligned.systems[s] for s in order if kin[s]],
        kin_overrated=overrated,
        favours=_favours(jury, aligned, chosen, kin),
        steps=_steps(
            layer, made, jury, options, int(where.apart.sum()) // 2, correction, drawn, ahead
        ),
        correction=None if correction is None else correction.ordered(order),
        evidence=Evidence.of(panel, jury.panel, drawn, options, labelled, order),
        settings=LeaderboardSettings(
            **aligned.policy.recorded,
            **options.recorded,
            labels=given.settings.but(grades=() if given.soft else given.grades),
            judges=len(jury.panel.judges),
            families=jury.families,
        ),
        notes=notes + kin_notes + correction_notes + cautions(jury, drawn, found),
    )


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


def _assumed(layer: PanelError, made: Estimate, jury: Jury, options: BoardOptions) -> Assumed:
    """Collect assumptions about the panel's error, and count pairs without declared kin."""
    undeclared = None
    if layer.kin.any() and made.error is not None:
        undeclared = _pairs_apart(made.error.draws(kin=False), options)
    return Assumed(layer.tau, jury.declared, OVERRATED, undeclared)


def _steps(
    layer: PanelError | None,
    made: Estimate,
    jury: Jury,
    options: BoardOptions,
    now: int,
    correction: Correction | None,
    drawn: Drawn,
    ahead: Outlook | None,
) -> list[Step]:
    """List what would help, with its effect, the most helpful first; `now`: pairs told apart."""
    if correction is not None:
        return [
            Step(f"label {more - correction.labels:,} more documents: the smallest detectable "
                 f"difference becomes {needed:.3f}", None)
            for more, needed in correction.expected[2:3]
        ]  # fmt: skip
    systems = len(made.mean)
    if systems < 2:
        return [Step("give the runs of another system", None)]
    if layer is None and isinstance(options.merge, AsGiven):
        text = "give the labels of those who judged, if you have them: their errors then count"
        return [Step(text, None)]
    if layer is None or made.error is None:
        text = "leave out panel_error=0 (--panel-error 0) to see what people would say"
        return [Step(text, None)]
    if now == systems * (systems - 1) // 2:
        return [Step("nothing: all pairs of systems are told apart", None)]
    if systems > MOST_COMPARED:
        return _smaller_difference(ahead)
    out = []
    judges, proposed = len(jury.panel.judges), None
    if options.panel_error is None:
        if jury.declared == 1:
            proposed = propose_families(jury.panel.judges)
            tau = layer.by_kind[TWO_FAMILIES]
            text = "add judges of a second LLM"
            out.append(Step(text, _pairs_apart(made.error.draws(tau), options)))
        if proposed is not None:
            pattern, number = proposed
            tau = layer.by_kind[kind_of_panel(judges, number)]
            text = (f"declare the LLMs behind the judges: names suggest {number} "
                    f"(`--families '{pattern}'`)")  # fmt: skip
            out[-1:] = [Step(text, _pairs_apart(made.error.draws(tau), options))]
    twice = _pairs_apart(made.error.draws(times=2.0), options)
    out.append(Step(f"ask {2 * made.cells.shape[1]:,} topics", twice))
    helpful = [step for step in out if step.pairs is not None and step.pairs > now]
    helpful.sort(key=lambda step: -(step.pairs or 0))
    return helpful or [*_labels_to_ask(jury, drawn, options, ahead), *_smaller_difference(ahead)]


def _smaller_difference(ahead: Outlook | None) -> list[Step]:
    """More topics, by the difference that they would detect."""
    if ahead is None:
        return [Step("leave out outlook=False to see what more topics would give", None)]
    topics, needed = ahead.topics[-1]
    return [Step(f"ask {topics:,} topics: {_detects(ahead, needed)}", None)]


def _labels_to_ask(
    jury: Jury, drawn: Drawn, options: BoardOptions, ahead: Outlook | None
) -> list[Step]:
    """Gold labels, if a smaller difference is to be expected from them."""
    merged, budget = drawn.merged, min(LABELS_PROPOSED, len(jury.panel.pool))
    if merged is None or merged.posterior is None:  # the merge at hand has no probabilities
        merged = jury.panel.merged(VOTE)
    if ahead is None or merged.posterior is None:
        return []
    weight = influence(options.measure, drawn.alignment, merged)
    expected = dict(expected_differences(options.measure, drawn.alignment, merged, weight, budget))
    if expected.get(budget, ahead.difference) >= ahead.difference:
        return []
    command = f"`hungjury plan --budget {budget}`"
    return [Step(f"label {budget:,} documents ({command}): {_detects(ahead, expected[budget])}",
                 None)]  # fmt: skip


def _detects(ahead: Outlook, needed: float) -> str:
    was = f"{ahead.difference:.3f}"
    return f"the smallest detectable difference becomes about {needed:.3f} instead of {was}"


def _favours(
    jury: Jury, aligned: Alignment, measure: Measure, kin: NDArray[np.bool_]
) -> tuple[Favour, ...]:
    """Which families favour whom, if two or more are declared."""
    panel = jury.panel
    if jury.declared < 2 or panel.share is not None:
        return ()
    scores = measure.better(judge_means(panel, aligned, measure))
    known = np.flatnonzero(~np.isnan(scores).any(axis=1))
    families = [panel.judgments.families[k] for k in known]
    return favours(scores[known], families, aligned.systems, kin)


def _pairs_apart(draws: Floats, options: BoardOptions) -> int:
    """Count the pairs that would be told apart by these draws."""
    beats = native.shares_larger(np.ascontiguousarray(draws.T))
    apart = told_apart(draws.mean(axis=0), draws, beats, options.level, options.together)
    return int(apart.sum()) // 2


def _overrated(
    kin: NDArray[np.bool_], made: Estimate, drawn: Drawn, options: BoardOptions
) -> tuple[float, float, float] | None:
    """By how much the panel over-rates kin, compared with other systems of equal gold score."""
    if made.scale == "panel" or not kin.any() or kin.all():
        return None
    better = -1.0 if options.measure.smaller_is_better else 1.0
    said = as_reported(options.measure, drawn.cells.shape[1])(drawn.cells.mean(axis=1))
    truth = better * (made.draws - made.draws.mean(axis=1, keepdims=True))
    over, group = better * (said - said.mean()) - truth, kin - kin.mean()
    # At equal scores: the slope of a group beside that of the scores, in every draw.
    size, common = (truth**2).sum(axis=1), truth @ group
    gap = over @ group - (over * truth).sum(axis=1) * common / size
    gap /= np.maximum(group @ group - common**2 / size, 1e-12)
    low, high = interval(gap, options.level)
    return float(np.median(gap)), float(low), float(high)


def _told(made: Estimate, options: BoardOptions, stretch: float = 1.0) -> Floats:
    """[system, system]: 1 where the row is told apart from the column as better, -1 as worse."""
    better = -1.0 if options.measure.smaller_is_better else 1.0
    where = standing(
        better * made.mean, better * made.draws, options.level, options.together, stretch
    )
    return np.asarray(where.apart * np.sign(where.beats - 0.5))


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


def _check_size(judgments: Judgments, systems: int, target: Target) -> None:
    if systems > MOST_SYSTEMS:
        raise InputError(
            f"{systems:,} systems are too many for a leaderboard: all pairs are compared",
            code="too-many-systems",
            remedy=f"give at most {MOST_SYSTEMS:,}, such as the best ones by `hungjury evaluate`",
        )
    if target == "population" and len(judgments.topics) < 2:
        raise InputError(
            "one topic says nothing about other topics",
            code="one-topic",
            remedy=("use", Argument("target", "topics"), "for this topic alone, or judge more"),
        )
