"""Labels, judges and priors drawn together from their posterior.

The model is that of EM (Dawid and Skene): a document has a true grade, drawn from the prior of its
stratum; every judge gives a label that depends on the true grade alone, by a confusion matrix. EM
finds the likeliest matrices and stops there. Here they are uncertain too: a Gibbs sampler draws
true grades given matrices and priors, then those given the grades, in turn. It starts where EM
ended. What judges are wrong about on all topics alike stays in the draws; a posterior with
matrices held fixed would hide it.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hungjury import native
from hungjury.assessors.merged import Merged
from hungjury.assessors.panel import NOT_JUDGED, Panel
from hungjury.machine import cores

__all__ = ["LabelDraws", "draw_labels"]

CHAINS = 2  # started apart and run apart: the same numbers on any number of cores
WARM_UP = 50  # sweeps before the first draw that is kept
PSEUDO_DOCUMENTS = 1.0  # in each stratum, with the grades of all documents together
PSEUDO_LABELS = 1.0  # of each kind for each true grade
HONEST = 1.0  # more of them on the diagonal: a judge tends to be right

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LabelDraws:
    """Label sets [draw, document], and what was learned beside them."""

    labels: NDArray[np.int16]
    posterior: Floats  # [document, grade]: mean over sweeps; zeros where nobody judged
    confusion: Floats  # [assessor, true grade, label]: mean over sweeps (and topics)
    strata: Ints  # [document]


@dataclass(frozen=True, eq=False)
class _Votes:
    """Votes of the judged documents; a unit is an assessor, or an assessor on one topic."""

    begin: Ints  # [judged document + 1]: where its votes begin in `said`
    said: NDArray[np.int32]  # unit * grades + label
    stratum: NDArray[np.int32]  # [judged document]
    unit_assessor: Ints
    strata: int
    grades: int

    @staticmethod
    def of(panel: Panel, strata: Ints, scope: str) -> _Votes:
        order = np.argsort(panel.document, kind="stable")
        document, key = panel.document[order], panel.assessor[order].astype(np.int64)
        if scope == "topic":
            key += len(panel.assessors) * panel.pool.topic_of[document].astype(np.int64)
        keys, unit = np.unique(key, return_inverse=True)
        size = len(panel.grades)
        judged = np.flatnonzero(panel.judged)
        return _Votes(
            np.searchsorted(document, np.append(judged, len(panel.pool))).astype(np.int64),
            (unit * size + panel.choice[order]).astype(np.int32),
            strata[judged].astype(np.int32),
            keys % len(panel.assessors),
            int(strata.max()) + 1,
            size,
        )


class _Chain:
    """A Gibbs sampler: grades given parameters, parameters given grades."""

    def __init__(self, votes: _Votes, posterior: Floats, rng: np.random.Generator) -> None:
        self.votes, self.rng = votes, rng
        self.usual = PSEUDO_DOCUMENTS * posterior.mean(axis=0)
        size, units = votes.grades, len(votes.unit_assessor)
        self.in_stratum = np.zeros((votes.strata, size), dtype=np.int64)
        self.with_vote = np.zeros((units * size, size), dtype=np.int64)
        self.posterior = np.zeros(posterior.shape)  # summed over sweeps
        self.confusion = np.zeros((units, size, size))
        self._count(self._first(posterior))

    def _first(self, posterior: Floats) -> Ints:
        upto = np.cumsum(posterior[:, :-1], axis=1)
        return np.asarray((self.rng.random(len(posterior))[:, None] >= upto).sum(axis=1))

    def _count(self, grades: Ints) -> None:
        votes = self.votes
        np.add.at(self.in_stratum, (votes.stratum, grades), 1)
        np.add.at(self.with_vote, (votes.said, np.repeat(grades, np.diff(votes.begin))), 1)

    def sweep(self) -> NDArray[np.int8]:
        """[judged document]: the next draw of their grades."""
        votes, size = self.votes, self.votes.grades
        prior = _dirichlet(self.in_stratum + self.usual, self.rng)
        said = self.with_vote.reshape(-1, size, size).swapaxes(1, 2)  # [unit, true grade, label]
        confusion = _dirichlet(said + PSEUDO_LABELS + HONEST * np.eye(size), self.rng)
        self.confusion += confusion
        self.in_stratum[:], self.with_vote[:] = 0, 0
        drawn = np.empty(len(votes.stratum), dtype=np.int8)
        native.draw_grades(
            votes.begin,
            votes.said,
            votes.stratum,
            np.log(prior),
            np.ascontiguousarray(np.log(confusion).swapaxes(1, 2)).reshape(-1, size),
            self.rng.random(len(drawn)),
            drawn,
            self.posterior.reshape(-1),
            self.in_stratum.reshape(-1),
            self.with_vote.reshape(-1),
        )
        return drawn

    def run(self, draws: int, progress: Callable[[int], None] | None) -> NDArray[np.int8]:
        """[draw, judged document], after a warm-up that is forgotten."""
        for _ in range(WARM_UP):
            self.sweep()
        self.posterior[:], self.confusion[:] = 0, 0
        kept = np.empty((draws, len(self.posterior)), dtype=np.int8)
        for i in range(draws):
            kept[i] = self.sweep()
            if progress is not None and i % 50 == 49:
                progress(50)
        return kept


def draw_labels(
    merged: Merged,
    strata: Ints,
    draws: int,
    seed: np.random.SeedSequence,
    progress: Callable[[int], None] | None = None,
) -> LabelDraws:
    """Draw label sets from the posterior of EM's model, started from what EM found.

    merged: what em-mv or em-neu gave. strata: [document of the pool], each with its own prior.
    """
    panel = merged.panel
    votes = _Votes.of(panel, strata, merged.policies["scope"])
    assert merged.posterior is not None
    start = merged.posterior[panel.judged][:, list(panel.grades)]
    share = [draws // CHAINS + (c < draws % CHAINS) for c in range(CHAINS)]

    chains = [_Chain(votes, start, np.random.default_rng(one)) for one in seed.spawn(CHAINS)]
    with ThreadPoolExecutor(min(CHAINS, cores())) as pool:
        kept = list(pool.map(lambda c, n: c.run(n, progress), chains, share))
    labels = np.full((draws, len(panel.pool)), NOT_JUDGED)
    labels[:, panel.judged] = np.array(panel.grades, dtype=np.int16)[np.concatenate(kept)]
    posterior = np.zeros((len(panel.pool), len(panel.grades)))
    posterior[panel.judged] = np.sum([chain.posterior for chain in chains], axis=0) / draws
    confusion = np.sum([chain.confusion for chain in chains], axis=0) / draws
    return LabelDraws(labels, posterior, _by_assessor(confusion, votes, panel), strata)


def _dirichlet(counts: NDArray[np.floating[Any]], rng: np.random.Generator) -> Floats:
    """Probabilities over the last axis. Never quite 0, so that their logs are numbers."""
    gamma = np.maximum(rng.standard_gamma(counts), 1e-300)
    return np.asarray(gamma / gamma.sum(axis=-1, keepdims=True))


def _by_assessor(confusion: Floats, votes: _Votes, panel: Panel) -> Floats:
    """The mean over an assessor's topics; NaN for one without votes."""
    number = len(panel.assessors)
    units = np.bincount(votes.unit_assessor, minlength=number)
    total = np.zeros((number, *confusion.shape[1:]))
    np.add.at(total, votes.unit_assessor, confusion)
    with np.errstate(invalid="ignore"):
        return np.asarray(total / units[:, None, None])
