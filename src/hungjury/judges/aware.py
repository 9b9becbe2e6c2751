"""AWARE: merge measures, not labels (TH chapter 4).

aware-m(t, s) = sum over judges k of a_k(t) m(t, s | k), with weights a_k(t) that add up to 1.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from hungjury.base.arrays import Floats, NDArray
from hungjury.base.choices import Orientation
from hungjury.base.errors import Argument, InputError, Note, noted, plural
from hungjury.base.parameters import MOST_DRAWS, check_count
from hungjury.base.results import Table
from hungjury.data.labels import as_judgments, as_qrels
from hungjury.data.reading.options import (
    JudgmentsLike,
    QrelsLike,
    ReadingOptions,
    RunsLike,
    ScoreSettings,
    Unpack,
    assigned,
)
from hungjury.data.runs import Progress, as_runs
from hungjury.judges.families import FEWEST_FAMILIES, SURE, correlation_with_rest
from hungjury.judges.judge_scores import JudgedRuns, score_judges
from hungjury.judges.panel import Panel, shares
from hungjury.judges.weights import ScoredPanel, Uniform, Weights, as_weights, random_scores
from hungjury.measures.evaluate import MeasureNames
from hungjury.measures.score_files import JudgeScores, read_scores
from hungjury.measures.scores import NOT_RETRIEVED, SCORED, UNDEFINED, Scores

FEW_GOLD_TOPICS = 10  # below, a note warns of supervised weights
ROUNDING = 1e-9
MOST_LEVELS = 100  # of a scale of integers


class AwareSettings(ScoreSettings, kw_only=True):
    """How the scores under several judges were combined."""

    weights: str
    orientation: Orientation = "dissimilarity"
    rel: int | None = None
    replicates: int | None = None  # random judges of each class, where the weights need them
    seed: int | None = None


class AwareScores(Scores, eq=False, kw_only=True):
    """Scores that AWARE combined from those of every judge, with the weights it used.

    Attributes
    ----------
    judges
        Names, in the order of the arrays.
    weights
        [judge, topic]; they sum to 1 over judges.
    alone
        [measure, judge, system, topic]: the scores under each judge alone (0 where undefined).

    Examples
    --------
    >>> import hungjury as hj
    >>> sim = hj.simulate(topics=5, systems=3, seed=1)
    >>> scores = hj.aware(sim.judgments, sim.runs, "AP", rel=1)
    >>> scores.judges[0], float(scores.weights[0, 0])
    ('judge1', 0.2)
    """

    judges: list[str]
    weights: Floats
    alone: Floats
    settings: AwareSettings
    families: tuple[str, ...] = ()  # of the judges, where some share a vote

    def weights_table(self) -> Table:
        """Return the mean weight of each judge over topics, heaviest first."""
        mean = self.weights.mean(axis=1).tolist()
        rows = sorted(zip(self.judges, mean, strict=True), key=lambda one: -one[1])
        return Table(["judge", "mean weight"], rows, digits=3)

    def to_text(self, digits: int = 4) -> str:
        """Return a line per system, best first by the first measure, and the judges' weights."""
        return f"{super().to_text(digits)}\n\n{self.weights_table()}"

    def _csv_table(self, per_topic: bool, summary: bool) -> Table:
        """Return rows for the scores of systems, then for the weights of judges."""
        scores = super()._csv_table(per_topic, summary)
        if per_topic:
            rows = [["system", *row] for row in scores.rows]
            for judge, weights in zip(self.judges, self.weights.tolist(), strict=True):
                named = zip(self.topics, weights, strict=True)
                rows += [["judge", judge, topic, "weight", weight] for topic, weight in named]
            return Table(["kind", "name", "topic", "measure", "value"], rows)
        rows = [["system", *row, None] for row in scores.rows]
        empty = [None] * len(self.measures)
        rows += [["judge", judge, *empty, w] for judge, w in self.weights_table().rows]
        return Table(["kind", "name", *self.measures, "weight"], rows)

    def _content(self, per_topic: bool) -> dict[str, Any]:
        mean = dict(zip(self.judges, self.weights.mean(axis=1).tolist(), strict=True))
        return {**super()._content(per_topic), "weights": mean}

    def sample(self, rng: np.random.Generator | int, n: int = 1) -> Floats:
        """Draw scores that other judges of the same kind might give, by resampling the judges.

        Parameters
        ----------
        rng : numpy.random.Generator or int
            Random generator or seed.
        n : int
            Number of draws.

        Returns
        -------
        ndarray
            [n, measure, system, topic]. A topic that no drawn judge labelled keeps its weights.
        """
        check_count("n", n, 1, MOST_DRAWS)
        family = np.unique(self.families or self.judges, return_inverse=True)[1]
        size = int(family.max()) + 1
        copies = np.random.default_rng(rng).multinomial(size, [1 / size] * size, size=n)
        drawn = copies[:, family, None] * self.weights
        drawn = shares(np.where(drawn.sum(axis=1, keepdims=True) > 0, drawn, self.weights), 1)
        return np.asarray(np.einsum("nkt,mkst->nmst", drawn, self.alone, optimize=True))


def aware(
    judgments: JudgmentsLike,
    runs: RunsLike,
    measure: MeasureNames,
    weights: str | Weights = "uni",
    rel: int | None = None,
    replicates: int = 1000,
    seed: int = 0,
    gold: QrelsLike | None = None,
    orientation: Orientation = "dissimilarity",
    progress: Progress | None = None,
    *,
    drop_empty: bool = False,
    **reading: Unpack[ReadingOptions],
) -> AwareScores:
    """Score runs by the weighted mean of their scores under each judge.

    Parameters
    ----------
    judgments : Judgments or source
        Labels, or anything `read_judgments` takes.
    runs : Runs or source
        Runs, or anything `read_runs` takes.
    measure : str, Measure or list of these
        With several measures, the weights are the mean of those that each measure alone would give.
    weights : str
        ``"uni"``, equal weights; one of the 30 estimators ``GRANULARITY_GAP_WEIGHT`` (``sgl`` or
        ``tpc``; ``fro``, ``rmse``, ``kld``, ``tau`` or ``apc``; ``md``, ``msd`` or ``med``), which
        give more weight to judges far from random ones; or ``"supervised"``, which gives more
        weight to judges close to `gold`. A note names judges whom the others contradict and the
        weights favour.
    rel : int, optional
        Take labels as binary, with this as the lowest relevant grade.
    replicates : int
        Random judges of each of the three classes.
    seed : int
        Random seed.
    gold : Qrels or source, optional
        Labels of some topics, for ``"supervised"``.
    orientation : {"dissimilarity", "printed"}
        ``"printed"`` weighs by closeness to random judges, as the thesis prints its equations.
    progress : callable, optional
        Called as ``progress(done, total, what)``.
    drop_empty : bool
        Leave out judges who found nothing relevant on some topic, as the papers do.
    **reading
        Options of `read_judgments` and `read_runs`, such as ``grades=range(4)`` or
        ``score_precision="single"``, for labels and runs that are still to be read; those
        of labels are for `gold` too.

    Returns
    -------
    AwareScores
        Scores with the weights and each judge's own scores.

    Notes
    -----
    aware-m(t, s) = Σ_k a_k(t) m(t, s | judge k), with Σ_k a_k(t) = 1 (Ferrante, Ferro and Maistro
    2017). Where a measure is undefined for a judge it counts as 0, or as its worst value if smaller
    is better.

    Merging labels first loses how differently the judges would score; AWARE scores each judge
    first. With ``"uni"`` the result is the score that the average judge gives. The estimators
    trust judges whose scores are unlike those of judges who guess, which also favours a judge who
    systematically says the opposite of the others; look at the notes and at `weights_table`.

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(systems=3, topics=4)
    >>> scores = hj.aware(made.judgments, made.runs, "AP", "uni")
    >>> scores.weights.shape, scores.settings.weights
    ((5, 4), 'uni')
    """
    chosen = as_weights(weights)
    _check_gold(chosen, gold is not None)
    check_count("replicates", replicates, 1, MOST_DRAWS)
    of_labels, of_runs, of_gold = assigned(reading, judgments, runs, gold)
    panel, lists = as_judgments(judgments, **of_labels), as_runs(runs, **of_runs)
    truth = None if gold is None else as_qrels(gold, **of_gold)
    scored = score_judges(panel, lists, measure, rel, truth, drop_empty, progress)
    if chosen.needs != "random" or len(scored.judges) == 1:
        return combine_scores(scored, chosen, None, orientation)
    random = scored.random(replicates, seed, progress)
    found = combine_scores(scored, chosen, random, orientation)
    return replace(found, settings=replace(found.settings, replicates=replicates, seed=seed))


def aware_of_scores(
    scores: JudgeScores | Any,
    weights: str | Weights = "uni",
    replicates: int = 1000,
    seed: int = 0,
    gold: str | None = None,
    orientation: Orientation = "dissimilarity",
) -> AwareScores:
    """Average the scores that judges gave to systems, with AWARE's weights of the judges.

    Parameters
    ----------
    scores : JudgeScores or source
        Scores by several judges, or what `read_scores` takes and returns as such.
    weights, replicates, seed, orientation
        As in `aware`. A random judge gives every system on every topic a random score of the scale:
        integers where all scores are, else its ends.
    gold : str, optional
        The judge whom ``"supervised"`` weights compare the others with; left out of the mean.

    Returns
    -------
    AwareScores
        Means of the judges' scores on each topic, with the weights. A judge counts on the topics
        where it scored every system.

    Examples
    --------
    >>> import hungjury as hj
    >>> rows = [{"system": s, "topic": t, "judge": j, "score": (s == "a") + (j != "z") * t % 2}
    ...         for s in "abc" for t in range(9) for j in "xyz"]
    >>> found = hj.aware_of_scores(hj.read_scores(rows, scale=(0, 2)), "sgl_tau_md", seed=1)
    >>> found.judges, found.weights.shape
    (['x', 'y', 'z'], (3, 9))
    """
    chosen = as_weights(weights)
    _check_gold(chosen, gold is not None)
    given = scores if isinstance(scores, JudgeScores) else read_scores(scores)
    if not isinstance(given, JudgeScores):
        raise InputError(
            "these scores are not by several judges", code="no-judges", argument="scores",
            remedy="give a table with a column of judges, and its scale",
        )  # fmt: skip
    others = [name for name in given.judges if name != gold]
    (low, high), measure = given.scale, given.measure
    people = None if gold is None else given.select(measures=[gold]).values[0]
    given = given.select(measures=others)
    whole = bool(np.all(np.nan_to_num(given.values) % 1 == 0)) and low % 1 == high % 1 == 0
    top = int(high - low) if whole and high - low <= MOST_LEVELS else 1
    share = (given.values - low) / (high - low)
    judged = np.asarray(~np.isnan(share).any(axis=1))
    if not judged.any(axis=0).all() or not judged.any(axis=1).all():
        raise InputError(
            "a topic has no judge who scored every system, or a judge has no such topic",
            code="missing-scores", argument="scores",
            remedy=('leave out such judges and topics, or use equal weights,',
                    Argument("weights", "uni"), "of `leaderboard_of_scores`"),
        )  # fmt: skip
    random = None
    if chosen.needs == "random" and len(others) > 1:
        shape = (-1, len(given.systems), len(given.topics))
        size = len(given.systems) * len(given.topics)
        (random,) = random_scores(
            [lambda labels: labels.reshape(shape) / top], size, range(top + 1), replicates, seed
        )
    truth = None if people is None else (people - low) / (high - low)
    smaller = bool(given.signs[0] < 0)
    panel = ScoredPanel(np.nan_to_num(share), judged, others, smaller, random, truth, orientation)
    found = (chosen if len(others) > 1 else Uniform()).of(panel)
    alone = np.nan_to_num(given.values)[None]
    values = np.einsum("kt,mkst->mst", found, alone, optimize=True)
    left = int((~np.isnan(share).all(axis=1) & ~judged).sum())
    text = f"{plural(left, 'time')} a judge scored some systems of a topic: not counted"
    return AwareScores(
        measures=[measure], systems=given.systems, topics=given.topics, values=values,
        status=np.full(values.shape, SCORED, dtype=np.uint8),
        settings=AwareSettings(weights=str(chosen), orientation=orientation,
                               replicates=replicates if random is not None else None, seed=seed),
        smaller=[smaller], judges=others, weights=found, alone=alone,
        notes=given.notes + noted("partly-scored", left, text, about="judges"),
    )  # fmt: skip


def _check_gold(weights: Weights, given: bool) -> None:
    if given != (weights.needs == "gold"):
        raise InputError(
            f"the weights {weights} {'do not use' if given else 'need'} gold labels",
            code="gold-and-weights",
            remedy=("give", Argument("gold"), "with", Argument("weights", "supervised"), "alone"),
        )


def combine_scores(
    scored: JudgedRuns,
    weights: Weights,
    random: list[Floats] | None = None,
    orientation: Orientation = "dissimilarity",
) -> AwareScores:
    """Average over judges that are already scored; `random` as `scored.random()` returns it."""
    chosen = weights if len(scored.judges) > 1 else Uniform()
    each = [
        chosen.of(scored.panel(m, None if random is None else random[m], orientation))
        for m in range(len(scored.measures))
    ]
    mean = _shared(np.mean(each, axis=0), scored)
    alone = scored.filled
    return AwareScores(
        measures=[str(m) for m in scored.measures],
        systems=scored.alignment.systems,
        topics=scored.alignment.pool.topics,
        values=np.einsum("kt,mkst->mst", mean, alone, optimize=True),
        status=_status(scored),
        settings=AwareSettings(
            **scored.alignment.policy.recorded,
            labels=scored.judgments.settings,
            weights=str(weights),
            orientation=orientation,
            rel=scored.rel,
        ),
        averages=[m.average for m in scored.measures],
        smaller=[m.smaller_is_better for m in scored.measures],
        notes=scored.notes + _little_gold(scored, weights) + _contradicted(scored, mean),
        judges=scored.judges,
        weights=mean,
        alone=alone,
        families=scored.families,
    )


def _little_gold(scored: JudgedRuns, weights: Weights) -> tuple[Note, ...]:
    """Note that supervised weights rest on few topics."""
    if weights.needs != "gold" or scored.gold is None:
        return ()
    topics = int((~np.isnan(scored.gold[0]).all(axis=0)).sum())
    text = f"supervised weights rest on {plural(topics, 'gold topic')}: do not trust them"
    few = topics if topics < FEW_GOLD_TOPICS else 0
    return noted("little-gold", few, text, about="result")


def _contradicted(scored: JudgedRuns, weights: Floats) -> tuple[Note, ...]:
    """Note that the weights favour judges who contradict the others."""
    number = len(scored.judges)
    if number < FEWEST_FAMILIES:
        return ()
    found, error = correlation_with_rest(scored.judgments, scored.rel)
    upper = found + SURE * error
    against = [scored.judgments.judges[k] for k in np.flatnonzero(upper < 0)]
    mean = dict(zip(scored.judges, weights.mean(axis=1).tolist(), strict=True))
    favoured = tuple(name for name in against if mean.get(name, 0.0) > (1 + ROUNDING) / number)
    share = sum(mean[name] for name in favoured)
    text = (
        f"the weights give {share:.0%} to {plural(len(favoured), 'judge')} whom the others "
        f"contradict, where equal weights give {len(favoured) / number:.0%}"
    )
    return noted("contrary-weight", len(favoured), text, subjects=favoured, about="judges")


def _shared(weights: Floats, scored: JudgedRuns) -> Floats:
    """Let families share one vote in weights [judge, topic]."""
    if scored.judgments.family is None:
        return weights
    families = scored.families
    return shares(weights / np.array([families.count(name) for name in families])[:, None], 0)


def _status(scored: JudgedRuns) -> NDArray[np.uint8]:
    """Mark values as undefined where no judge who judged the topic has one."""
    known = ~np.isnan(scored.values) & scored.judged[:, None, :]
    status = np.where(known.any(axis=1), SCORED, UNDEFINED).astype(np.uint8)
    status[~scored.alignment.retrieved & (status == SCORED)] = NOT_RETRIEVED
    return status


def weighted_votes(panel: Panel, scores: AwareScores) -> Floats:
    """Return the share [document, 2] of the votes for each label, with AWARE's weights.

    The unweighted share where all these weights are 0.
    """
    panel.binary_labels("weighting votes")
    weight = scores.weights[panel.judge, panel.pool.topic_of[panel.document]]
    each = [
        np.bincount(panel.document, weight * (panel.choice == c), len(panel.pool)) for c in (0, 1)
    ]
    votes = np.stack(each, axis=1).astype(float)
    alone = votes.sum(axis=1) == 0
    votes[alone] = panel.counts(np.ones(len(panel.judges)))[alone]
    return shares(votes, 1)
