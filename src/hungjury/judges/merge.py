"""Merge the labels of several judges into qrels, and find merges by name."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any, ClassVar, TypeAlias

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.choices import Scope
from hungjury.base.errors import Argument, InputError, MeasureError, Note, percent, plural
from hungjury.base.named import Described, Listing
from hungjury.base.parameters import MOST_DRAWS, check_count, param
from hungjury.base.plugins import load_plugins
from hungjury.base.records import Record
from hungjury.base.results import Result, Table
from hungjury.data.labels import as_judgments, as_qrels
from hungjury.data.reading.options import (
    JudgeOptions,
    JudgmentsLike,
    QrelsLike,
    ReadingOptions,
    RunsLike,
    Unpack,
    assigned,
)
from hungjury.data.runs import as_runs
from hungjury.judges import em, votes  # these fill the catalogue
from hungjury.judges.merge_types import MERGES, LabelMerge, Merge, Merged, MergeSettings, Verdict
from hungjury.judges.panel import Panel
from hungjury.judges.votes import Aggregator, CrowdKit, is_aggregator
from hungjury.judges.weights import Uniform, Weights, as_weights
from hungjury.measures.base import ratio
from hungjury.measures.evaluate import MeasureNames
from hungjury.stats.resampling import interval, resample_counts

__all__ = ["MERGES", "AwareMerge", "MergeLike", "em", "label_merge", "merge", "merge_method",
           "merge_names", "merges", "votes"]  # fmt: skip

LEVEL = 0.95  # of the intervals
FEW_TOPICS = 10  # below, documents are resampled
MergeLike: TypeAlias = "str | Merge | Weights | Aggregator"


class AwareMerge(Merge, called="aware"):
    """Weighted mean of the scores under each judge alone; drawn by resampling the judges."""

    positional: ClassVar[str] = "weights"
    gives: ClassVar[str] = "weights"
    weights: Weights = param(
        Uniform(), kind=as_weights, doc="uni, or an estimator such as sgl_tau_msd"
    )


def merge(
    judgments: JudgmentsLike,
    method: MergeLike,
    rel: int | None = None,
    scope: Scope = "topic",
    seed: int | np.random.Generator = 0,
    *,
    runs: RunsLike | None = None,
    measure: MeasureNames | None = None,
    weights: str | Weights = "sgl_tau_msd",
    gold: QrelsLike | None = None,
    **reading: Unpack[ReadingOptions],
) -> Merged:
    """Merge the labels of several judges into one set of labels.

    Parameters
    ----------
    judgments : Judgments or source
        Labels, or anything `read_judgments` takes.
    method : str or object
        ``"mv"``, ``"mv(ties=relevant)"``, ``"em-mv"``, ``"em-neu"``, ``"em-ordinal"``,
        ``"binmv"``, ``"qbinmv(k=10)"``, ``"prm(users='human*')"``, or an aggregator object of
        crowd-kit. `merges` lists them.
    rel : int, optional
        Take labels as binary, with this as the lowest relevant grade. Default: merge grades.
    scope : {"topic", "all"}
        Learn about judges from each topic alone, as the papers do, or from all topics together.
    seed : int or numpy.random.Generator
        Random seed, for ties that are decided by a coin and for AWARE's random judges.
    runs : Runs or source, optional
        For ``"binmv"`` of binary labels: weight the votes by AWARE's weights, which need runs and a
        measure.
    measure : str, Measure or list of these, optional
        The measure that the weights are computed with.
    weights : str
        AWARE's weights, as `aware` takes them; without `runs` all votes count the same.
    gold : Qrels or source, optional
        Known labels of some documents, on the judges' scale: EM takes them as they are and learns
        from them how judges err, and ``"prm"`` how they predict what people say.
    **reading
        Options of `read_judgments` and `read_runs`, such as ``grades=range(4)`` or
        ``score_precision="single"``, for labels and runs that are still to be read; those
        of labels are for `gold` too.

    Returns
    -------
    Merged
        Grades from majority votes; probabilities from the other methods, of relevance where labels
        are binary, else of every grade. `Merged.hard` gives the most probable labels.

    Notes
    -----
    BINMV is the mean vote of the judges who labelled a document. QBINMV maps it to 1 / (1 + exp(-k
    (p - 0.5))). The EM methods fit Dawid and Skene's model (1979): a confusion matrix for each
    judge and a probability for each label, starting from majority votes (em-mv) or from nearly
    perfect judges (em-neu). See Ferrante, Ferro and Maistro (2017).

    A majority vote discards how clear the vote was; probabilities keep it, and expected measures
    such as eRAP score them. EM gives judges who agree with the rest more weight and needs enough
    labels of each judge to learn from: with few documents per topic use ``scope="all"``. It can
    follow a majority of judges who share an error, as any merge can. To compare systems, a
    `leaderboard` goes on from here to say how far the result depends on the judges.

    Examples
    --------
    >>> import hungjury as hj
    >>> votes = {"ann": {"1": {"a": 1}}, "bob": {"1": {"a": 1}}, "eve": {"1": {"a": 0}}}
    >>> print(hj.merge(votes, "binmv", rel=1).to_dict())
    {'1': {'a': 0.6666666666666666}}

    Two of three judges find the document relevant: another judge of this kind would with
    probability 2/3.
    """
    chosen = label_merge(method)
    of_labels, of_runs, of_gold = assigned(reading, judgments, runs, gold)
    panel = Panel.of(as_judgments(judgments, **of_labels), rel)
    noted: tuple[Note, ...] = ()
    if gold is not None:
        if not chosen.takes_gold:
            raise MeasureError(
                f"{chosen} does not learn from gold labels",
                code="unused-gold",
                remedy=("merge by em-mv, em-neu, em-ordinal or prm, or leave out",
                        Argument("gold")),
            )  # fmt: skip
        panel, noted = em.with_gold(panel, as_qrels(gold, **of_gold))
    if runs is None and measure is None:
        merged = chosen.merge(panel, scope, seed)
    else:
        panel.some_votes()
        loaded = None if runs is None else as_runs(runs, **of_runs)
        verdict = _weighted_votes(panel, chosen, seed, loaded, measure, weights)
        settings = MergeSettings.of(f"{chosen} weighted by {weights}", panel, scope, seed)
        merged = Merged.of(chosen, panel, verdict, settings)
    return replace(merged, notes=merged.notes + noted)


def _weighted_votes(
    panel: Panel,
    method: LabelMerge,
    seed: int | np.random.Generator,
    runs: RunsLike | None,
    measure: MeasureNames | None,
    weights: str | Weights,
) -> Verdict:
    """Weight votes by AWARE's weights: their shares, and notes on the weights."""
    from hungjury.judges.aware import aware, weighted_votes

    if runs is None or measure is None:
        raise InputError(
            "AWARE's weights need both runs and a measure",
            code="runs-and-measure",
            remedy=("give", Argument("runs"), "and", Argument("measure"), "or neither"),
        )
    if not method.takes_weights:
        raise MeasureError(
            f"{method} does not take weighted votes",
            code="unweighted-merge",
            remedy=("merge by binmv, or leave out", Argument("runs"), "and", Argument("measure")),
        )
    kind = as_weights(weights)
    if kind.needs == "gold":
        said = f"votes cannot be weighted by {kind}, which needs gold labels"
        remedy = "use an estimator such as sgl_tau_msd"
        raise MeasureError(said, code="needs-gold", argument="weights", remedy=remedy)
    if not isinstance(seed, int):
        seed = int(seed.integers(2**31))
    scores = aware(panel.judgments, runs, measure, kind, panel.rel, seed=seed)
    notes = tuple(note for note in scores.notes if note.about != "files")
    return Verdict(posterior=weighted_votes(panel, scores), notes=notes)


def merge_method(method: object) -> Merge:
    """Turn a name, AWARE's weights or an aggregator into a merge."""
    if isinstance(method, Merge):
        return method
    if isinstance(method, Weights):
        return AwareMerge(weights=method)
    if isinstance(method, str):
        return MERGES.parse(method)
    if isinstance(method, type) or not is_aggregator(method):
        raise MeasureError(
            f"{method!r} is not a merge",
            code="not-a-merge",
            argument="merge",
            remedy="give a name such as 'em-mv', or an object with fit_predict_proba or "
            "fit_predict for a frame with the columns task, worker and label",
        )
    return CrowdKit(aggregator=method)


def label_merge(method: object) -> LabelMerge:
    """Find a merge of labels, as `merge_method` does."""
    found = merge_method(method)
    if not isinstance(found, LabelMerge):
        remedy = "use aware() or a leaderboard, or choose a merge of labels such as binmv"
        raise MeasureError(f"{found} merges measures, not labels", code="not-labels", remedy=remedy)
    return found


class MergeInfo(Described):
    """A merge, as `merges` describes it: a dictionary with these keys.

    Examples
    --------
    >>> import hungjury as hj
    >>> hj.merges()[0]["name"], hj.merges()[0]["gives"]
    ('binmv', 'probabilities')
    """

    gives: str
    drawn_from: str


def merges() -> list[MergeInfo]:
    """List the merges.

    Returns
    -------
    list of dict
        For each merge its name, syntax and meaning, what it gives ("labels",
        "probabilities" or "weights" on measures), what it is redrawn from
        ("judges", the "posterior" or a "model"), and its parameters. Printed, it has a line
        for each.

    Examples
    --------
    >>> import hungjury as hj
    >>> [row["name"] for row in hj.merges() if row["gives"] == "labels"]
    ['mv']
    """
    return Listing(
        {**entry, "gives": cls.gives, "drawn_from": cls.drawn_from}
        for cls, entry in zip(MERGES, MERGES.entries(), strict=True)
    )


def merge_names(*, of_labels: bool = False, of_judges: bool = False) -> list[str]:
    """List the names of the merges, or only of those that merge labels, or need judges alone."""
    return [
        cls.name
        for cls in MERGES
        if (issubclass(cls, LabelMerge) and not (of_judges and cls.needs_users))
        or not (of_labels or of_judges)
    ]


class ComparedMerge(Record):
    """A merge compared with gold labels; the ends of the intervals are those of resampling.

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(systems=2, topics=5)
    >>> one = hj.compare_merges(made.judgments, made.gold).merges[0]
    >>> one.accuracy_low <= one.accuracy <= one.accuracy_high
    True
    """

    merge: str
    accuracy: float  # share of documents with the gold label
    accuracy_low: float
    accuracy_high: float
    kappa: float  # Cohen's, with the gold labels
    kappa_low: float
    kappa_high: float
    log_loss: float | None  # mean of -log P(gold label); None for merges without probabilities
    p_best: float  # share of the resamples in which its accuracy is the largest


class MergeComparison(Record, Result, eq=False):
    """Merges compared with gold labels, best accuracy first.

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(systems=2, topics=5)
    >>> found = hj.compare_merges(made.judgments, made.gold)
    >>> found.best in {one.merge for one in found.merges}
    True
    """

    merges: list[ComparedMerge]
    documents: int
    resampled: str  # "topics" or "documents"
    ahead: tuple[float, float, float]  # the best merge's accuracy less the second's, with its ends
    notes: tuple[Note, ...] = ()

    @property
    def best(self) -> str:
        """The merge with the largest accuracy."""
        return self.merges[0].merge

    def table(self) -> Table:
        """Return a row per merge."""
        return Table.of([asdict(one) for one in self.merges], digits=3)

    def _parts(self) -> list[str | Table]:
        difference, low, high = self.ahead
        first, second = self.merges[0], self.merges[1].merge
        told = f"it is better than {second}" if low > 0 else f"it cannot be told from {second}"
        verdict = (
            f"best by accuracy: {first.merge}, {first.accuracy:.3f} ({first.accuracy_low:.3f} to "
            f"{first.accuracy_high:.3f}); {told} (difference {difference:.3f}, {low:.3f} to "
            f"{high:.3f}, {percent(LEVEL)} interval from resampled {self.resampled})"
        )
        return [f"{plural(self.documents, 'document')} with gold labels", self.table(), verdict]


def compare_merges(
    judgments: JudgmentsLike,
    gold: QrelsLike,
    rel: int | None = None,
    scope: Scope = "topic",
    seed: int = 0,
    *,
    methods: Iterable[MergeLike] | None = None,
    draws: int = 1000,
    **reading: Unpack[JudgeOptions],
) -> MergeComparison:
    """Compare merges with gold labels, to find the one that comes closest to them.

    Parameters
    ----------
    judgments : Judgments or source
        Labels, or anything `read_judgments` takes.
    gold : Qrels or source
        True labels of some documents, on the judges' scale. No merge sees them.
    rel : int, optional
        Take labels as binary, with this as the lowest relevant grade.
    scope : {"topic", "all"}
        Learn about judges from each topic alone, or from all topics together.
    seed : int
        Random seed.
    methods : iterable, optional
        Merges, as `merge` takes them. Default: all that need judges alone.
    draws : int
        Resamples behind the intervals: of topics, or of documents where topics are few.
    **reading
        Options of `read_judgments`, for labels that are still to be read.

    Returns
    -------
    MergeComparison
        Accuracy, Cohen's kappa and log loss of each merge, and which one is best.

    Notes
    -----
    Accuracy is misleading where most documents have one label; kappa corrects for it. The log loss
    also asks whether probabilities are right: 0.99 for a wrong label costs much more than 0.6.

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(systems=2, topics=5)
    >>> found = hj.compare_merges(made.judgments, made.gold, methods=["mv", "binmv"])
    >>> [one.log_loss is None for one in sorted(found.merges, key=lambda one: one.merge)]
    [False, True]
    """
    check_count("draws", draws, 1, MOST_DRAWS)
    of_labels, _, of_gold = assigned(reading, judgments, None, gold)
    panel = Panel.of(as_judgments(judgments, **of_labels), rel)
    known = em.with_gold(panel, as_qrels(gold, **of_gold))[0].known
    assert known is not None
    at = np.flatnonzero((known >= 0) & panel.judged)
    truth, size = known[at].astype(np.int64), len(panel.grades)
    names = merge_names(of_judges=True) if methods is None else list(methods)
    if not names:
        remedy = f"give some of {', '.join(merge_names(of_judges=True))}"
        raise InputError("no merge to compare", code="no-methods", remedy=remedy)
    chosen = [label_merge(m) for m in names]
    if methods is None and not panel.binary:
        chosen = [m for m in chosen if m.name != "qbinmv"]  # of binary labels
    unit = np.unique(panel.pool.topic_of[at], return_inverse=True)[1]
    by_topic = unit.max(initial=0) >= FEW_TOPICS
    unit = unit if by_topic else np.arange(len(at))
    units = int(unit.max()) + 1
    resamples = resample_counts(units, draws, seed)
    rows: list[tuple[Any, ...]] = []
    drawn, notes = [], dict[Note, None]()
    for method in chosen:
        merged = panel.merged(method, scope, seed)
        notes |= dict.fromkeys(merged.notes)
        said = np.searchsorted(panel.grades, merged.hard_labels[at])
        cell = (unit * size + truth) * size + said
        table = np.bincount(cell, minlength=units * size * size).reshape(units, -1)
        (same,), (kappa,) = _agreed(table.sum(axis=0)[None], size)
        accuracies, kappas = _agreed(resamples @ table, size)
        ends = interval(accuracies, LEVEL), interval(np.nan_to_num(kappas), LEVEL)
        p, loss = merged.posterior, None
        if p is not None:
            chance = p[at, np.array(panel.grades)[truth]]
            loss = float(-np.log(np.clip(chance, 1e-6, 1)).mean())
        rows.append((str(method), *map(float, (same, *ends[0], kappa, *ends[1])), loss))
        drawn.append(accuracies)
    accuracy = np.stack(drawn)
    best = accuracy >= accuracy.max(axis=0)
    p_best = (best / best.sum(axis=0)).mean(axis=1).tolist()
    found = [ComparedMerge(*(*row, p)) for row, p in zip(rows, p_best, strict=True)]
    order = sorted(range(len(found)), key=lambda m: -found[m].accuracy)
    first, second = order[0], order[min(1, len(order) - 1)]
    low, high = interval(accuracy[first] - accuracy[second], LEVEL)
    ahead = (found[first].accuracy - found[second].accuracy, float(low), float(high))
    what = "topics" if by_topic else "documents"
    return MergeComparison([found[m] for m in order], len(at), what, ahead, tuple(notes))


def _agreed(tables: Floats, size: int) -> tuple[Floats, Floats]:
    """Return accuracy and Cohen's kappa [draw] of counts [draw, gold label * label]."""
    share = tables.reshape(-1, size, size) / tables.sum(axis=1)[:, None, None]
    same = np.einsum("nii->n", share)
    chance = (share.sum(axis=1) * share.sum(axis=2)).sum(axis=1)
    return same, ratio(same - chance, 1 - chance)


load_plugins("hungjury.merges")
