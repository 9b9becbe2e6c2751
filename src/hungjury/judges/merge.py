"""Merge the labels of several judges into qrels, and find merges by name."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from hungjury.base.choices import Scope
from hungjury.base.errors import Argument, InputError, MeasureError, Note, check_choice, check_seed
from hungjury.base.named import Described
from hungjury.base.parameters import param
from hungjury.data.labels import as_judgments
from hungjury.data.qrels import Judgments
from hungjury.data.reading.options import JudgmentsLike, ReadingOptions, RunsLike, assigned
from hungjury.data.runs import as_runs
from hungjury.judges import em, votes  # these fill the catalogue
from hungjury.judges.merge_types import MERGES, LabelMerge, Merge, Merged, MergeSettings, Verdict
from hungjury.judges.panel import Panel
from hungjury.judges.votes import Aggregator, CrowdKit, is_aggregator
from hungjury.judges.weights import Uniform, Weights, as_weights
from hungjury.measures.evaluate import MeasureNames

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["MERGES", "AwareMerge", "MergeLike", "em", "label_merge", "merge", "merge_method",
           "merge_names", "merges", "votes"]  # fmt: skip

MergeLike: TypeAlias = "str | Merge | Weights | Aggregator"


@MERGES.add("aware")
class AwareMerge(Merge):
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
    **reading: Unpack[ReadingOptions],
) -> Merged:
    """Merge the labels of several judges into one set of labels.

    Parameters
    ----------
    judgments : Judgments or source
        Labels, or anything `read_judgments` takes.
    method : str or object
        ``"mv"``, ``"mv(ties=relevant)"``, ``"em-mv"``, ``"em-neu"``, ``"binmv"``,
        ``"qbinmv(k=10)"``, or an aggregator object of crowd-kit. `merges` lists them.
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
    **reading
        Options of `read_judgments` and `read_runs`, such as ``grades=range(4)`` or
        ``score_precision="single"``, for labels and runs that are still to be read.

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
    check_choice("scope", scope, get_args(Scope))
    if not isinstance(seed, np.random.Generator):
        check_seed(seed)
    of_labels, of_runs, _ = assigned(reading, judgments, runs)
    given = as_judgments(judgments, **of_labels)
    panel = Panel.of(given, rel)
    if runs is None and measure is None:
        return chosen.merge(panel, scope, seed)
    panel.some_votes()
    loaded = None if runs is None else as_runs(runs, **of_runs)
    p, more = _weighted_votes(given, chosen, rel, seed, loaded, measure, weights)
    settings = MergeSettings.of(f"{chosen} weighted by {weights}", panel, scope, seed)
    merged = Merged.of(chosen, panel, Verdict(posterior=p), settings)
    return replace(merged, notes=merged.notes + more)


def _weighted_votes(
    judgments: Judgments,
    method: LabelMerge,
    rel: int | None,
    seed: int | np.random.Generator,
    runs: RunsLike | None,
    measure: MeasureNames | None,
    weights: str | Weights,
) -> tuple[NDArray[np.float64], tuple[Note, ...]]:
    """Weight votes by AWARE's weights: their shares [document, 2], and notes on the weights."""
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
        raise MeasureError(
            f"votes cannot be weighted by {kind}, which needs gold labels",
            code="needs-gold",
            argument="weights",
            remedy="use an estimator such as sgl_tau_msd",
        )
    if not isinstance(seed, int):
        seed = int(seed.integers(2**31))
    scores = aware(judgments, runs, measure, kind, rel, seed=seed)
    p = weighted_votes(judgments, scores, rel).p
    assert p is not None
    notes = tuple(note for note in scores.notes if note.about != "files")
    return np.stack([1 - p, p], axis=1), notes


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
        raise MeasureError(
            f"{found} merges measures, not labels",
            code="not-labels",
            remedy="use aware() or a leaderboard, or choose a merge of labels such as binmv",
        )
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
        ("judges", the "posterior" or a "model"), and its parameters.

    Examples
    --------
    >>> import hungjury as hj
    >>> [row["name"] for row in hj.merges() if row["gives"] == "labels"]
    ['mv']
    """
    return [
        {**entry, "gives": cls.gives, "drawn_from": cls.drawn_from}
        for cls, entry in zip(MERGES, MERGES.entries(), strict=True)
    ]


def merge_names(*, of_labels: bool = False) -> list[str]:
    """List the names of the merges, or only of those that merge labels."""
    return [cls.name for cls in MERGES if issubclass(cls, LabelMerge) or not of_labels]
