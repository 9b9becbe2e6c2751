"""plan: which documents should people label, to find out which system is better?"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import NDArray

from hungjury.batch import Scorer
from hungjury.catalogue import Measure, measure_list
from hungjury.choices import PlanDesign
from hungjury.collection.align import Alignment, align
from hungjury.collection.inputs import Inputs
from hungjury.collection.judgments import Judgments
from hungjury.collection.likes import JudgmentsLike, RunsLike
from hungjury.collection.policy import ReadingOptions
from hungjury.collection.runs import Progress
from hungjury.errors import Argument, InputError, check_choice, check_seed
from hungjury.evaluation import MeasureNames
from hungjury.judges.merged import Merged
from hungjury.judges.merging import merge
from hungjury.limits import MOST_LABELS, check_count
from hungjury.stats.designs import priorities
from hungjury.uncertainty.effects import effects_in_parts
from hungjury.uncertainty.foresight import expected_differences
from hungjury.uncertainty.planned import Plan

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["digests", "influence", "plan", "plan_weights"]

Floats = NDArray[np.float64]
FLOOR = 0.05  # of the mean influence: every document has some probability
DRAWS, SLOW_DRAWS = 4, 1  # label sets that effects are averaged over: with a kernel, without


def plan(
    judgments: JudgmentsLike,
    runs: RunsLike,
    measure: MeasureNames,
    budget: int,
    design: PlanDesign = "influence",
    seed: int = 0,
    *,
    rel: int | None = None,
    progress: Progress | None = None,
    **reading: Unpack[ReadingOptions],
) -> Plan:
    """Choose the documents that people should label.

    Parameters
    ----------
    judgments, runs : Judgments and Runs, or sources
        As `leaderboard` takes them. Documents are chosen among those that a judge labelled.
    measure : str, Measure or list of these
        The measure that systems will be compared by; with several, influence is averaged.
    budget : int
        Number of labels. A plan is the beginning of every larger plan with the same seed.
    design : {"influence", "uniform", "topics"}
        "influence": documents that matter more for comparisons are likelier to be drawn;
        "uniform": equal probabilities; "topics": whole pools of random topics, as many as fit.
    seed : int
        Random seed.
    rel : int, optional
        Take labels as binary, with this as the lowest relevant grade.
    progress : callable, optional
        Called as ``progress(done, total, what)``.
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

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(seed=1)
    >>> hj.plan(made.judgments, made.runs, "nDCG@10", budget=50)
    Plan(50 documents of 2,202, design influence, nDCG@10)
    """
    wanted = measure_list(measure)
    check_choice("design", design, get_args(PlanDesign))
    check_seed(seed)
    inputs = Inputs.of(reading, judgments, runs)
    given = inputs.judgments()
    _check_budget(budget, len(given.pool))
    aligned = align(
        inputs.lists(), given.pool, None, progress, max(m.unjudged_depth for m in wanted)
    )
    weight = plan_weights(given, aligned, wanted, design, rel)
    rng = np.random.default_rng(seed)
    if design == "topics":
        by_topic = rng.permutation(len(given.pool.topics)).astype(float)
        priority = by_topic[given.pool.topic_of]
    else:
        priority = priorities(weight, rng)
    order = np.argsort(priority, kind="stable")
    size = _size(given, order, budget, design)
    chosen = order[:size]
    following = float(priority[order[size]]) if size < len(order) else np.inf
    pool = given.pool
    return Plan(
        topics=[pool.topics[t] for t in pool.topic_of[chosen]],
        documents=[pool.documents[d] for d in chosen],
        weight=weight[chosen],
        priority=priority[chosen],
        next_priority=following,
        votes=_votes(given, chosen),
        measures=[str(one) for one in wanted],
        design=design,
        budget=int(budget),
        seed=int(seed),
        pool=len(pool),
        pool_topics=len(pool.topics),
        digests=digests(given, aligned),
        expected=[]
        if design == "topics"
        else _expected(given, aligned, wanted, weight, budget, rel),
    )


def _expected(
    judgments: Judgments,
    alignment: Alignment,
    measures: list[Measure],
    weight: Floats,
    budget: int,
    rel: int | None,
) -> list[tuple[int, float]]:
    """The expected precision for the first measure, on these topics."""
    merged = merge(judgments, "binmv", rel, "all")
    return expected_differences(measures[0], alignment, merged, weight, budget)


def plan_weights(
    judgments: Judgments,
    alignment: Alignment,
    measures: list[Measure],
    design: PlanDesign,
    rel: int | None = None,
) -> Floats:
    """[document of the pool]: weights that inclusion probabilities are proportional to; mean 1."""
    if design != "influence":
        return np.ones(len(judgments.pool))
    merged = merge(judgments, "binmv", rel, "all")
    found = [influence(one, alignment, merged) for one in measures]
    return np.asarray(sum(one / one.mean() for one in found) / len(found))


def influence(measure: Measure, alignment: Alignment, merged: Merged) -> Floats:
    """[document]: how much its label changes differences between systems, with a floor."""
    scorer = Scorer(measure, alignment, merged.max_grade)
    labels = merged.sample(np.random.default_rng(0), DRAWS if scorer.native else SLOW_DRAWS)
    everything = np.arange(len(alignment.pool))
    spread = np.empty(len(everything))
    for mine, part in effects_in_parts(scorer, labels, (0, merged.max_grade), everything):
        effect = part.table()[:, :, 1]
        several = len(effect) > 1
        spread[mine] = effect.std(axis=0, ddof=1) * np.sqrt(2) if several else np.abs(effect[0])
    floor = FLOOR * float(spread.mean())
    return np.asarray(spread + floor) if floor > 0 else np.ones(len(spread))


def digests(judgments: Judgments, alignment: Alignment) -> dict[str, str]:
    """Short digests to check whether a plan was made from these judgments and runs.

    The order in which judges and runs were given does not matter.
    """
    pool, topics = judgments.pool, len(judgments.pool.topics)
    by_judge = np.argsort(judgments.judge, kind="stable")
    ends = np.searchsorted(judgments.judge[by_judge], np.arange(len(judgments.judges) + 1))
    votes = [
        _digest([name], judgments.document[rows], judgments.label[rows])
        for name, rows in zip(judgments.judges, np.split(by_judge, ends[1:-1]), strict=True)
    ]
    start, stop = (ends.reshape(-1, topics) for ends in (alignment.start, alignment.stop))
    lists = [
        _digest(
            [name],
            stop[s] - start[s],
            alignment.rank[start[s, 0] : stop[s, -1]],
            alignment.document[start[s, 0] : stop[s, -1]],
        )
        for s, name in enumerate(alignment.systems)
    ]
    return {
        "judgments": _digest([*pool.topics, *pool.documents, *sorted(votes)], pool.offsets),
        "runs": _digest(sorted(lists)),
    }


def _digest(names: list[str], *numbers: NDArray[Any]) -> str:
    found = hashlib.sha256("\n".join(names).encode("utf-8", "surrogateescape"))
    for values in numbers:
        found.update(np.ascontiguousarray(values).tobytes())
    return found.hexdigest()[:16]


def _check_budget(budget: int, pool: int) -> None:
    check_count("budget", budget, 1, MOST_LABELS)
    if budget > pool:
        raise InputError(
            f"the budget of {budget:,} labels is larger than the pool of {pool:,} documents",
            code="budget-above-pool",
            argument="budget",
            remedy=f"ask for at most {pool:,}",
        )


def _size(judgments: Judgments, order: NDArray[np.int64], budget: int, design: PlanDesign) -> int:
    """Rows of the plan: the budget, or the whole topics that fit into it."""
    if design != "topics":
        return budget
    pool = judgments.pool
    topic = pool.topic_of[order]
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


def _votes(judgments: Judgments, chosen: NDArray[np.int64]) -> dict[str, list[float | None]]:
    """Each judge's labels of some documents."""
    row = np.full(len(judgments.pool), -1)
    row[chosen] = np.arange(len(chosen))
    mine = row[judgments.document] >= 0
    table: list[list[float | None]] = [[None] * len(chosen) for _ in judgments.judges]
    triples = (judgments.judge[mine], row[judgments.document[mine]], judgments.label[mine])
    for judge, place, label in zip(*(column.tolist() for column in triples), strict=True):
        table[judge][place] = label
    return dict(zip(judgments.judges, table, strict=True))
