"""Labels, judges and priors drawn together from their posterior, by strata of documents.

A document that good systems rank first is more likely to be relevant than one that a single system
has at rank 80. One prior for both pulls the labels of top documents down wherever judges
are unsure, and with them the scores of good systems. So documents are put into strata by a linear
combination of where the systems rank them, fitted to their grades as the label model draws them;
the label model has a prior for each stratum.

The model is that of EM (Dawid and Skene): a document has a true grade, drawn from the prior of its
stratum; every judge gives a label that depends on the true grade alone, by a confusion matrix. EM
finds the likeliest matrices and stops there. Here they are uncertain too: a Gibbs sampler draws
true grades given matrices and priors, then those given the grades, in turn. It starts where EM
ended. Errors that judges make on all topics stay in the draws; a posterior with
fixed matrices would hide them. Judges of one family share one vote.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import numpy as np

from hungjury import native
from hungjury.base.arrays import Array, Bools, Floats, Int16s, Int32s, Ints, NDArray
from hungjury.base.choices import Scope
from hungjury.base.errors import Argument, MeasureError, Note, percent, plural
from hungjury.base.files import cores
from hungjury.base.records import Record
from hungjury.data.alignment import Alignment
from hungjury.data.runs import Progress
from hungjury.judges.agreement import Agreement
from hungjury.judges.em import disagrees_with_votes
from hungjury.judges.merge_types import Merged
from hungjury.judges.panel import NOT_JUDGED, Panel
from hungjury.leaderboard.effect_products import row_products

MOST_STRATA = 20
DOCUMENTS_EACH = 50  # at least, to learn a stratum's prior
DEEPEST = 100  # ranks below say little
RIDGE = 1.0  # systems that are copies of each other share their weight


class RankStrata:
    """Strata of some documents of an aligned pool, for any grades they are given."""

    def __init__(self, alignment: Alignment, known: Bools) -> None:
        """known: [document of the pool], those to put into strata."""
        self.topic = np.unique(alignment.pool.topic_of[known], return_inverse=True)[1]
        self.sizes = np.bincount(self.topic)
        self.number = int(np.clip(known.sum() // DOCUMENTS_EACH, 1, MOST_STRATA))
        self.document, self.system, self.height = _heights(alignment, known)
        systems, size = alignment.shape[0], len(self.topic)
        mean = np.bincount(self.system, self.height, systems) / size
        (gram,) = row_products(self.system, self.document, self.height, [np.ones(size)], systems)
        gram -= size * np.outer(mean, mean)
        self.inverse = np.linalg.inv(gram + RIDGE * np.eye(len(gram)))
        self.root = np.linalg.cholesky(self.inverse)

    def of(self, grade: Array, rng: np.random.Generator) -> Ints:
        """[known document]: its stratum, 0 for the least promising; all of about equal size.

        The weights of systems are drawn from their distribution under least squares.
        """
        topic = self._topic_effects(grade - grade.mean())
        target = grade - topic
        target = target - target.mean()
        moments = np.bincount(self.system, self.height * target[self.document], len(self.inverse))
        weights = self.inverse @ moments
        spread = np.sqrt(max(target @ target - weights @ moments, 0.0) / len(target))
        drawn = weights + spread * (self.root @ rng.standard_normal(len(weights)))
        heights = self.height * drawn[self.system]
        promise = np.bincount(self.document, heights, len(topic)) + topic
        edges = np.quantile(promise, np.linspace(0, 1, self.number + 1)[1:-1])
        return np.asarray(np.searchsorted(edges, promise))

    def _topic_effects(self, target: Floats) -> Floats:
        """[known document]: deviation of its topic from the mean, shrunk towards 0 as far as it
        may be chance: topics differ in how much is relevant."""
        mean = np.bincount(self.topic, target) / self.sizes
        chance = target.var() / self.sizes
        between = max(float(np.mean(mean**2 - chance)), 0.0)
        return np.asarray((mean * between / (between + chance + 1e-12))[self.topic])


def _heights(alignment: Alignment, known: Bools) -> tuple[Int32s, Int32s, Floats]:
    """Known documents (by their place among them) in the lists of systems, in the order of
    documents; and the log of how far each is above the end of the list, or above rank 100."""
    cells = np.argsort(alignment.start, kind="stable")
    cell = np.repeat(cells, (alignment.stop - alignment.start)[cells])
    near = np.flatnonzero((alignment.rank <= DEEPEST) & known[alignment.document])
    near = near[np.argsort(alignment.document[near], kind="stable")]
    cell = cell[near]
    height = np.log((np.minimum(alignment.length[cell], DEEPEST) + 1.0) / alignment.rank[near])
    place = np.cumsum(known, dtype=np.int32) - np.int32(1)
    system = (cell // alignment.shape[1]).astype(np.int32)
    return place[alignment.document[near]], system, height


CHAINS = 2  # always two: results do not depend on the number of cores
WARM_UP = 50  # sweeps before the first draw that is kept
PSEUDO_DOCUMENTS = 1.0  # in each stratum, with the grades of all documents together
PSEUDO_LABELS = 1.0  # of each kind for each true grade
HONEST = 1.0  # more of them on the diagonal: a judge tends to be right

LEAST_AGREEMENT = 0.5  # correlation of the expected grades of two chains
NO_SPREAD = 1e-9  # expected grades that differ by less are the same
SWEEPS_A_FIT = 10  # sweeps between fits of the strata
TOLD = 50  # sweeps after which progress is told

Strata = Callable[[Array, np.random.Generator], Ints]


class LabelDraws(Record, eq=False):
    """Label sets [draw, document], and the fitted model."""

    labels: Int16s
    posterior: Floats  # [document, grade]: mean over sweeps; zeros for unjudged documents
    confusion: Floats  # [judge, true grade, label]: mean over sweeps (and topics)
    votes: Floats  # [judge]: weight of a vote; families share one


class _VoteTable(Record, eq=False):
    """Votes of the judged documents; a unit is a judge, or a judge on one topic."""

    begin: Ints  # [judged document + 1]: where its votes begin in `said`
    said: Int32s  # unit * grades + label
    unit_judge: Ints
    weight: Floats  # [vote code]: how much its evidence counts
    grades: int

    @staticmethod
    def of(panel: Panel, scope: Scope, weights: Floats) -> _VoteTable:
        order = np.argsort(panel.document, kind="stable")
        document, key = panel.document[order], panel.judge[order].astype(np.int64)
        if scope == "topic":
            key += len(panel.judges) * panel.pool.topic_of[document].astype(np.int64)
        keys, unit = np.unique(key, return_inverse=True)
        size = len(panel.grades)
        judged = np.flatnonzero(panel.judged)
        return _VoteTable(
            np.searchsorted(document, np.append(judged, len(panel.pool))).astype(np.int64),
            (unit * size + panel.choice[order]).astype(np.int32),
            keys % len(panel.judges),
            np.repeat(weights[keys % len(panel.judges)], size),
            size,
        )


class _Chain:
    """A Gibbs sampler: grades given parameters, parameters given grades."""

    def __init__(
        self, votes: _VoteTable, strata: Strata, posterior: Floats, rng: np.random.Generator
    ) -> None:
        self.votes, self.strata, self.rng = votes, strata, rng
        self.usual = PSEUDO_DOCUMENTS * posterior.mean(axis=0)
        size, units = votes.grades, len(votes.unit_judge)
        self.posterior = np.zeros(posterior.shape)  # summed over sweeps
        self.confusion = np.zeros((units, size, size))
        self.with_vote = np.zeros((units * size, size), dtype=np.int64)
        upto = np.cumsum(posterior[:, :-1], axis=1)
        first = (rng.random(len(posterior))[:, None] >= upto).sum(axis=1)
        np.add.at(self.with_vote, (votes.said, np.repeat(first, np.diff(votes.begin))), 1)
        self.grades = first.astype(np.int8)
        self.stratify()

    def stratify(self) -> None:
        """Put documents into strata by their present grades."""
        size = self.votes.grades
        self.stratum = self.strata(self.grades, self.rng).astype(np.int32)
        cell = self.stratum.astype(np.int64) * size + self.grades
        number = (int(self.stratum.max()) + 1) * size
        self.in_stratum = np.bincount(cell, minlength=number).reshape(-1, size)

    def sweep(self) -> None:
        """Draw parameters given grades, then grades given parameters."""
        votes, size = self.votes, self.votes.grades
        prior = _dirichlet(self.in_stratum + self.usual, self.rng)
        said = self.with_vote.reshape(-1, size, size).swapaxes(1, 2)  # [unit, true grade, label]
        confusion = _dirichlet(said + PSEUDO_LABELS + HONEST * np.eye(size), self.rng)
        self.confusion += confusion
        self.in_stratum[:], self.with_vote[:] = 0, 0
        native.draw_grades(
            votes.begin,
            votes.said,
            self.stratum,
            np.log(prior),
            np.log(confusion).swapaxes(1, 2).reshape(-1, size) * votes.weight[:, None],
            self.rng.random(len(self.grades)),
            self.grades,
            self.posterior.reshape(-1),
            self.in_stratum.reshape(-1),
            self.with_vote.reshape(-1),
        )

    def run(self, draws: int, tell: Callable[[], None]) -> NDArray[np.int8]:
        """[draw, judged document], after a discarded warm-up; reports every 50 sweeps."""
        kept = np.empty((draws, len(self.grades)), dtype=np.int8)
        for i in range(-WARM_UP, draws):
            if i == 0:
                self.posterior[:], self.confusion[:] = 0, 0
            if i % SWEEPS_A_FIT == 0:
                self.stratify()
            self.sweep()
            if i >= 0:
                kept[i] = self.grades
            if i % TOLD == TOLD - 1:
                tell()
        return kept


def draw_labels(
    merged: Merged,
    strata: Strata,
    draws: int,
    seed: np.random.SeedSequence,
    progress: Progress | None = None,
) -> LabelDraws:
    """Draw label sets from the posterior of EM's model, started from what EM found.

    merged: what em-mv or em-neu gave. strata: puts the judged documents into strata, each with a
    prior of its own, given their grades.
    """
    panel = merged.panel
    weights = panel.weight
    votes = _VoteTable.of(panel, merged.settings.scope, weights)
    assert merged.posterior is not None
    start = merged.posterior[panel.judged][:, list(panel.grades)]
    share = [draws // CHAINS + (c < draws % CHAINS) for c in range(CHAINS)]
    sweeps = count(TOLD, TOLD)  # of all chains together

    def tell() -> None:
        if progress is not None:
            progress(min(next(sweeps), draws), draws, "drawing labels")

    seeds = [np.random.default_rng(one) for one in seed.spawn(CHAINS)]
    chains = [_Chain(votes, strata, start, rng) for rng in seeds]
    with ThreadPoolExecutor(min(CHAINS, cores())) as pool:
        kept = list(pool.map(lambda c, n: c.run(n, tell), chains, share))
    check_chains(panel, merged.posterior, [chain.posterior for chain in chains])
    labels = np.full((draws, len(panel.pool)), NOT_JUDGED)
    labels[:, panel.judged] = np.array(panel.grades, dtype=np.int16)[np.concatenate(kept)]
    posterior = np.zeros((len(panel.pool), len(panel.grades)))
    posterior[panel.judged] = np.sum([chain.posterior for chain in chains], axis=0) / draws
    confusion = np.sum([chain.confusion for chain in chains], axis=0) / draws
    return LabelDraws(labels, posterior, _by_judge(confusion, votes, panel), weights)


def check_chains(panel: Panel, start: Floats, chains: list[Floats]) -> None:
    """Refuse a posterior that contradicts the mean vote, and chains that disagree.

    start: EM's posterior [document, grade]. chains: sums over sweeps [judged document, grade].
    """
    grade = np.arange(len(panel.grades), dtype=float)
    by_chain = [(c / np.maximum(c.sum(axis=1, keepdims=True), 1e-300)) @ grade for c in chains]
    whole = np.zeros((len(panel.pool), len(panel.grades)))
    whole[panel.judged] = np.sum(chains, axis=0)
    across = np.corrcoef(by_chain) if min(map(np.ptp, by_chain)) > NO_SPREAD else np.ones((2, 2))
    if across.min() < LEAST_AGREEMENT:
        what = "two runs of the label model disagree"
    elif disagrees_with_votes(panel, start[:, list(panel.grades)]) or disagrees_with_votes(
        panel, whole
    ):
        what = "the label model contradicts the mean vote"
    else:
        return
    raise MeasureError(
        f"{what}: its grades cannot be used",
        code="label-model",
        remedy=("use", Argument("merge", "binmv"), ", the mean over judges"),
    )


def _dirichlet(counts: NDArray[np.floating[Any]], rng: np.random.Generator) -> Floats:
    """Draw probabilities over the last axis. None is quite 0, so their logs are numbers."""
    gamma = np.maximum(rng.standard_gamma(counts), 1e-300)
    return np.asarray(gamma / gamma.sum(axis=-1, keepdims=True))


def _by_judge(confusion: Floats, votes: _VoteTable, panel: Panel) -> Floats:
    """The mean over a judge's topics; NaN for one without votes."""
    number = len(panel.judges)
    units = np.bincount(votes.unit_judge, minlength=number)
    total = np.zeros((number, *confusion.shape[1:]))
    np.add.at(total, votes.unit_judge, confusion)
    with np.errstate(invalid="ignore"):
        return np.asarray(total / units[:, None, None])


TOO_MUCH = 0.03  # agreement beyond what independent judges would have
FAR = 5.0  # in standard errors
FEW = 50  # common documents needed to compare two judges


def dependence(found: Agreement, judges: list[str], labels: LabelDraws) -> tuple[Note, ...]:
    """A note on judges who agree more than independent errors, as in the label model, explain.

    The expected agreement of two judges follows from the prior and their confusion matrices.
    judges: those of `labels`.
    """
    prior, confusion = prior_of_grades(labels), labels.confusion
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


def prior_of_grades(labels: LabelDraws) -> Floats:
    """[grade]: shares of the grades among judged documents."""
    total = labels.posterior.sum(axis=0)
    return np.asarray(total / total.sum())
