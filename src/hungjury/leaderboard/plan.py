"""plan: which documents should people label, and what precision to expect from it."""

from __future__ import annotations

import numpy as np

from hungjury.base.arrays import Bools, Floats, Int32s, Ints
from hungjury.base.choices import PlanDesign, Target
from hungjury.base.errors import Argument, InputError, plural
from hungjury.base.options import takes
from hungjury.base.parameters import MOST_LABELS, check_count
from hungjury.data.alignment import Alignment, align
from hungjury.data.labels import as_gold, as_judgments
from hungjury.data.qrels import Judgments
from hungjury.data.reading.options import JudgmentsLike, QrelsLike, RunsLike, Unpack, assigned
from hungjury.data.runs import Progress, RunFiles, Runs, as_runs
from hungjury.judges.merge_types import Merged
from hungjury.judges.panel import Panel
from hungjury.judges.votes import BinomialVote
from hungjury.leaderboard.draws import Parts, reported_rate
from hungjury.leaderboard.effects import PoolEffects, effects_in_parts, scores_under
from hungjury.leaderboard.gold import gold_labels
from hungjury.leaderboard.many_systems import best_systems, check_best
from hungjury.leaderboard.options import BOARD, PLAN, PlanArguments, PlanOptions, split_options
from hungjury.leaderboard.panel_error import (
    EXPOSED,
    PRIOR_TAU,
    Spread,
    expected_contrasts,
    exposure_kernel,
    wide_kernel,
)
from hungjury.leaderboard.plan_file import Plan, PlanRows, named, permanent_numbers, short_hashes
from hungjury.measures.batch import Scorer, range_of
from hungjury.measures.catalogue import Measure, measure_list
from hungjury.measures.evaluate import MeasureNames
from hungjury.stats.multiple import of_differences, typical

BUDGETS = (100, 200, 500, 1000)
UNKNOWN = 0.5  # the doubt if there is only one judge, or if votes are probabilities
VOTES, ROUNDS = 20_000, 50  # votes that the doubt is estimated from, and rounds of EM


def expected_differences(
    measure: Measure,
    alignment: Alignment,
    merged: Merged,
    weight: Floats,
    budget: int,
    target: Target = "topics",
) -> list[tuple[int, float]]:
    """(labels, smallest detectable difference between two systems), typical over pairs.

    Grades are taken to be more uncertain than the votes on a document, as judges err together (see
    `doubt`). The panel's error is the one assumed before any gold label. On a
    population of topics, which of them were asked stays uncertain.
    """
    if len(alignment.systems) < 2:
        return []
    top = merged.max_grade
    grades = tuple(range(top + 1))
    labels = np.maximum(merged.sample(np.random.default_rng(0), 2), 0)
    scorer = Scorer(measure, alignment, top)
    assert merged.posterior is not None
    votes = merged.posterior
    unknown = doubt(merged.panel)
    usual = votes.mean(axis=0)
    if usual.max() == 1:  # all labels are the same: nothing to learn from
        return []
    chances = (1 - unknown) * votes + unknown * usual
    budgets = [n for n in sorted({*BUDGETS, budget}) if n <= len(weight)]
    drawn = labels[: 2 if scorer.native else 1]
    effects = PoolEffects(scorer, drawn, grades)
    undecided = Spread(effects, chances).contrasts_within(weight, budgets)
    voted = merged.hard_labels
    unit = range_of(measure, alignment.pool, voted, top)
    wide = wide_kernel(exposure_kernel(alignment))
    mean = scores_under(scorer, drawn).mean(axis=(0, 2))
    rate = reported_rate(measure, mean, len(alignment.pool.topics))
    each = np.outer(rate, rate)
    left = [expected_contrasts(found * each, wide, PRIOR_TAU * unit) for found in undecided]
    topics = Parts.of(scores_under(scorer, np.maximum(voted, 0)[None])[0], target).total
    level = BOARD["level"].default
    needed = [typical(of_differences(one + topics * each), level) for one in left]
    return list(zip(budgets, needed, strict=True))


def doubt(panel: Panel) -> float:
    """The weight of the overall grade distribution in predicting a person's grade from votes.

    One judge's label given the votes of the others is modelled as a mixture of those votes and of
    the grades of all documents; the weight of the latter is the most likely one over all
    judges. Judges err together, so a person is further from the votes than another judge is:
    the doubt is applied twice.
    """
    votes = panel.counts()
    others = votes.sum(axis=1)[panel.document] > 1
    rows = np.flatnonzero(others)
    if panel.share is not None or not len(rows):
        return UNKNOWN
    rows = rows[np.linspace(0, len(rows) - 1, min(VOTES, len(rows))).astype(np.int64)]
    document, choice = panel.document[rows], panel.choice[rows]
    own = panel.weight[panel.judge[rows]]
    left = votes[document].sum(axis=1) - own
    agreeing = np.maximum(votes[document, choice] - own, 0) / np.maximum(left, 1e-12)
    if agreeing.min() > 1 - 1e-9:  # judges who never differ count as one judge
        return UNKNOWN
    usual = (votes.sum(axis=0) / votes.sum())[choice]
    share = UNKNOWN
    for _ in range(ROUNDS):
        by_chance = share * usual
        share = float(np.mean(by_chance / ((1 - share) * agreeing + by_chance)))
    return 1 - (1 - share) ** 2


FIRST_HIT = "best"  # the kernel of measures of the first relevant document alone
VOTE = BinomialVote()  # plans use the mean vote, whatever a leaderboard merges by later
FLOOR = 0.05  # of the mean influence: every document has some probability
DRAWS, SLOW_DRAWS = 4, 1  # label sets that effects are averaged over: with a kernel, without


@takes(PLAN, "reading")
def plan(
    judgments: JudgmentsLike,
    runs: RunsLike,
    measure: MeasureNames,
    budget: int,
    *,
    have: QrelsLike | Judgments | None = None,
    best: int | None = None,
    progress: Progress | None = None,
    **arguments: Unpack[PlanArguments],
) -> Plan:
    """Choose the documents that people should label.

    Parameters
    ----------
    judgments, runs : Judgments and Runs, or sources
        As `leaderboard` takes them. Documents are chosen among those that a judge labelled.
    measure : str, Measure or list of these
        The measure that systems will be compared by; with several, influence is averaged.
    budget : int
        Number of labels in total, those at hand included. A plan is the beginning of every larger
        plan with the same seed.
    have : Qrels, Judgments or source, optional
        Gold labels at hand, of an earlier plan with the same seed. The plan lists only documents
        that have none of them.
    best : int, optional
        Compare only so many systems, the best ones by the judges' votes; as in `leaderboard`.
    progress : callable, optional
        Called as ``progress(done, total, what)``.
    {options}
    **reading
        Options of `read_judgments` and `read_runs`, such as ``grades=range(4)`` or
        ``score_precision="single"``, for labels and runs that are still to be read.

    Returns
    -------
    Plan
        Documents in the order to label them, with their inclusion probabilities.

    Notes
    -----
    The influence of a document is the root of the mean over pairs of systems of the squared
    difference of its effects on their means. Labelling may stop anywhere in the plan's order, as
    long as the decision to stop does not depend on the labels.

    Every document has a permanent random number, a hash of the seed and of the ids of topic and
    document. After judges, systems or topics were added, a plan with the same seed draws mostly
    the same documents again; labels of several such plans count together.

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(seed=1)
    >>> hj.plan(made.judgments, made.runs, "nDCG@10", budget=50)
    Plan(50 documents of 2,202, design influence, nDCG@10)
    """
    wanted = measure_list(measure)
    options, reading = split_options(arguments, PlanOptions)
    of_labels, of_runs, of_have = assigned(reading, judgments, runs, have)
    given = as_judgments(judgments, **of_labels)
    check_count("budget", budget, 1, MOST_LABELS)
    check_best(best)
    if budget > len(given.pool):
        raise InputError(
            f"the budget of {budget:,} labels is larger than the pool of {len(given.pool):,} "
            "documents",
            code="budget-above-pool",
            argument="budget",
            remedy=f"ask for at most {len(given.pool):,}",
        )
    panel = Panel.of(given, options.rel)
    alone = all(first_hit(one, panel.grades[-1]) for one in wanted)
    usual: PlanDesign = "depth" if alone else "influence"
    design: PlanDesign = options.design or usual
    lists, deep = as_runs(runs, **of_runs), max(m.unjudged_depth for m in wanted)
    depth = None if design == "depth" else _depth_read(lists, wanted)
    aligned = align(lists, given.pool, depth, progress, deep, by_name=True)
    aligned, _ = best_systems(aligned, panel, wanted, best)
    weight = plan_weights(panel, aligned, wanted, design)
    pool, names = given.pool, named(given.pool)
    hashes = permanent_numbers(options.seed, names)
    number = (hashes + 1.0) / 2.0**64  # in (0, 1]
    if design == "topics":
        by_topic = permanent_numbers(options.seed, [(topic, "") for topic in pool.topics])
        priority = by_topic[pool.topic_of] / 2.0**64
    else:
        priority = weight - 1 + number if design == "depth" else number / weight
    order = np.argsort(priority, kind="stable")
    known = np.zeros(len(pool), dtype=bool)
    if have is not None:
        have = as_gold(have, **of_have)
        known[gold_labels(have, given, options.rel).documents] = True
    size = _size(pool.topic_of[order], known[order], budget, design)
    listed, had = (
        PlanRows([names[d][0] for d in rows], [names[d][1] for d in rows], weight[rows],
                 priority[rows])
        for rows in (order[:size][~known[order[:size]]], order[:size][known[order[:size]]])
    )  # fmt: skip
    foreseen = []
    if design not in ("topics", "depth"):
        vote = panel.merged(VOTE)
        foreseen = expected_differences(wanted[0], aligned, vote, weight, budget, "population")
    following = float(priority[order[size]]) if size < len(order) else np.inf
    return Plan(
        **vars(listed),
        next_priority=following,
        votes=_votes(given, listed.places(pool)),
        measures=[str(one) for one in wanted],
        design=design,
        budget=int(budget),
        seed=int(options.seed),
        pool=len(pool),
        pool_topics=len(pool.topics),
        frame=np.unique(short_hashes(hashes)),
        reused=had,
        labels_at_hand=int(known.sum()),
        expected=foreseen,
    )


def _depth_read(lists: Runs | RunFiles, measures: list[Measure]) -> int | None:
    """The ranks that matter to any measure, and to what systems show; None: all of them."""
    cutoffs = [one.depth for one in measures]
    if None in cutoffs or lists.policy.ties == "expected":  # ties have to stay whole
        return None
    return max(EXPOSED, *(one or 0 for one in cutoffs))


def first_hit(measure: Measure, top: int) -> bool:
    """Tell whether a measure sees the first relevant document alone, as RR and Success do."""
    kernel = measure.kernel(np.ones(1), top)
    return kernel is not None and kernel.name == FIRST_HIT


def plan_weights(
    panel: Panel, alignment: Alignment, measures: list[Measure], design: PlanDesign
) -> Floats:
    """[document of the pool]: weights that inclusion probabilities are proportional to; mean 1.
    For design "depth", the smallest rank in any run."""
    if design == "depth":
        smallest = np.full(len(panel.pool), alignment.longest + 1.0)
        np.minimum.at(smallest, alignment.document, alignment.rank)
        return smallest
    if design != "influence":
        return np.ones(len(panel.pool))
    found = [influence(one, alignment, panel.merged(VOTE)) for one in measures]
    return np.asarray(sum(one / one.mean() for one in found) / len(found))


def influence(measure: Measure, alignment: Alignment, merged: Merged) -> Floats:
    """[document]: how much its label changes differences between systems, with a floor."""
    scorer = Scorer(measure, alignment, merged.max_grade)
    labels = merged.sample(np.random.default_rng(0), DRAWS if scorer.native else SLOW_DRAWS)
    spread = np.empty(len(alignment.pool))
    for mine, part in effects_in_parts(scorer, labels, (0, merged.max_grade)):
        spread[mine] = part.spread(1) * (np.sqrt(2) if len(alignment.systems) > 1 else 1)
    floor = FLOOR * float(spread.mean())
    return np.asarray(spread + floor) if floor > 0 else np.ones(len(spread))


def _size(topic: Int32s, known: Bools, budget: int, design: PlanDesign) -> int:
    """Rows of the plan: as many as it takes to use up the budget, or the whole topics that fit.

    topic, known: [document], in the order of the plan; labels at hand count towards the budget.
    """
    if design != "topics":
        left = budget - int(known.sum())
        if left <= 0:
            said = f"{plural(int(known.sum()), 'label')} at hand reach the budget of {budget:,}"
            remedy = "the budget is the total, labels at hand included: ask for more"
            raise InputError(said, code="budget-reached", argument="budget", remedy=remedy)
        return int(np.searchsorted(np.cumsum(~known), left)) + 1
    ends = np.flatnonzero(np.diff(topic, append=-1)) + 1
    fitting = ends[ends <= budget]
    if not len(fitting):
        raise InputError(
            f"no whole topic fits into {budget} labels: the first one drawn has "
            f"{int(ends[0])} documents",
            code="no-topic-fits",
            remedy=("raise the budget, or use", Argument("design", "influence")),
        )
    return int(fitting[-1])


def _votes(judgments: Judgments, chosen: Ints) -> dict[str, list[float | None]]:
    """Each judge's labels of some documents."""
    row = np.full(len(judgments.pool), -1)
    row[chosen] = np.arange(len(chosen))
    mine = row[judgments.document] >= 0
    table = np.full((len(judgments.judges), len(chosen)), None)
    table[judgments.judge[mine], row[judgments.document[mine]]] = judgments.label[mine]
    return dict(zip(judgments.judges, table.tolist(), strict=True))
