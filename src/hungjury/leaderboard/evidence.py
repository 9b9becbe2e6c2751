"""The documents behind a leaderboard: which systems rank them, how they were labelled, and how much
they contribute to a system's score."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hungjury.base.arrays import Floats, Ints
from hungjury.base.records import Record
from hungjury.data.alignment import Alignment
from hungjury.data.judgments import Judgments
from hungjury.data.qrels import Qrels
from hungjury.judges.merge_types import Merged
from hungjury.judges.panel import Panel
from hungjury.judges.votes import vote_shares
from hungjury.leaderboard.draws import Drawn
from hungjury.leaderboard.effects import contributions, is_linear
from hungjury.leaderboard.options import BoardOptions
from hungjury.leaderboard.sample import Sample
from hungjury.measures.batch import Scorer
from hungjury.measures.catalogue import Measure

__all__ = ["BEYOND", "UNJUDGED", "Evidence", "depth_shown"]

MOST_RANKS = 20  # ranks of a list that are shown
UNJUDGED, BEYOND = -1, -2  # in place of a document: not in the pool; after the end of the list
Places = NDArray[np.int32]
WORK = 100_000_000  # systems times documents times draws
FEWEST_DRAWS, MOST_DRAWS = 8, 100


def depth_shown(measure: Measure) -> int:
    """The ranks that the measure uses, at most `MOST_RANKS`."""
    return min(measure.depth or MOST_RANKS, MOST_RANKS)


class Evidence(Record, eq=False):
    """The runs and labels that a leaderboard was made from; arrays are computed on demand.

    Attributes
    ----------
    panel, jury
        The votes of all judges, and of those who have a vote.
    drawn
        Scores under draws of labels, with some of these draws.
    options
        What the leaderboard was told.
    gold
        [document of the pool]: the mean gold label, NaN without one; None without gold labels.
    gold_labels
        The gold labels as they were given.
    order
        The alignment's systems in the order of the leaderboard.
    """

    panel: Panel
    jury: Panel
    drawn: Drawn
    options: BoardOptions
    gold: Floats | None
    gold_labels: Qrels | Judgments | None
    order: Ints

    @staticmethod
    def of(
        panel: Panel,
        jury: Panel,
        drawn: Drawn,
        options: BoardOptions,
        gold_labels: Qrels | Judgments | None,
        sample: Sample | None,
    ) -> Evidence:
        """Keep what was used, with systems in the order of the alignment."""
        gold, found = None, drawn.labels
        if sample is not None:
            gold = np.full(len(drawn.alignment.pool), np.nan)
            gold[sample.documents] = sample.shares @ np.array(sample.grades, dtype=float)
        if found is not None:
            some = found.labels[:: -(-len(found.labels) // MOST_DRAWS)].copy()
            drawn = replace(drawn, labels=replace(found, labels=some))
        order = np.arange(len(drawn.alignment.systems))
        return Evidence(panel, jury, drawn, options, gold, gold_labels, order)

    @property
    def alignment(self) -> Alignment:
        return self.drawn.alignment

    @property
    def judgments(self) -> Judgments:
        """The labels of all judges, also of those who have no vote."""
        return self.panel.judgments

    @property
    def measure(self) -> Measure:
        return self.options.measure

    @property
    def merged(self) -> Merged | None:
        """The merged labels; None if scores and not labels are merged."""
        return self.drawn.merged

    @property
    def draws(self) -> NDArray[np.int16] | None:
        """Label sets [draw, document], if a model drew them."""
        return None if self.drawn.labels is None else self.drawn.labels.labels

    def ordered(self, order: Ints) -> Evidence:
        """With systems in another order."""
        return replace(self, order=self.order[order])

    @property
    def depth(self) -> int:
        return depth_shown(self.measure)

    @cached_property
    def lists(self) -> Places:
        """[system, topic, rank]: the document's place in the pool, or `UNJUDGED`, or `BEYOND`."""
        return self._aligned[self.order]

    @cached_property
    def unjudged(self) -> Places:
        """[system, topic, rank]: the row among the alignment's `others` where a document is
        `UNJUDGED`, else -1."""
        others = self.alignment.others
        assert others is not None, "a leaderboard asks align() for them"
        out = np.full(self._aligned.shape, -1, dtype=np.int32)
        near = np.flatnonzero(others.rank <= self.depth)
        out[others.system[near], others.topic[near], others.rank[near] - 1] = near
        return np.asarray(out[self.order])

    @cached_property
    def _aligned(self) -> Places:
        """The lists of systems as they are aligned."""
        found, depth = self.alignment, self.depth
        ranks = np.arange(1, depth + 1)
        out = np.where(ranks <= found.length[:, None], UNJUDGED, BEYOND).astype(np.int32)
        size = found.stop - found.start
        cell = np.repeat(np.arange(len(size)), size)
        within = np.arange(len(cell)) - np.repeat(np.cumsum(size) - size, size)
        place = np.repeat(found.start, size) + within
        near = found.rank[place] <= depth
        out[cell[near], found.rank[place[near]] - 1] = found.document[place[near]]
        return out.reshape(*found.shape, depth)

    @cached_property
    def probability(self) -> Floats:
        """[document, grade above the lowest]: chance of at least this grade by the panel."""
        merged, found = self.merged, self.drawn.labels
        if merged is None:  # scores are merged: use the judges' mean vote
            share = vote_shares(self.jury)
        elif found is not None:
            share = np.zeros((len(merged.pool), merged.max_grade + 1))
            share[:, list(merged.panel.grades)] = found.posterior
        elif merged.posterior is not None:
            share = merged.posterior
        else:
            assert merged.labels is not None
            share = (merged.labels[:, None] == np.arange(merged.max_grade + 1)).astype(float)
        return np.asarray(np.cumsum(share[:, :0:-1], axis=1)[:, ::-1], dtype=float)

    @cached_property
    def contributions(self) -> NDArray[np.float32]:
        """[system, topic, rank]: the document's contribution to the system's score of the topic.

        By its gold label if there is one, else by the panel's possible labels.
        """
        scorer = Scorer(self.measure, self.alignment, self._top)
        labels, weights = self.label_sets(is_linear(scorer))
        lists = self._aligned
        out = np.zeros(lists.shape, dtype=np.float32)
        shown = np.unique(lists[lists >= 0]).astype(np.int64)
        ends = np.searchsorted(shown, self.alignment.pool.offsets)
        for topic, found in contributions(scorer, labels, weights, shown):
            at = np.searchsorted(shown[ends[topic] : ends[topic + 1]], lists[:, topic])
            at = np.minimum(at, found.shape[1] - 1)
            here = np.take_along_axis(found, at, axis=1)
            out[:, topic] = np.where(lists[:, topic] >= 0, here, 0.0)
        return out[self.order]

    @property
    def _number(self) -> int:
        """Label sets to average over."""
        cells = len(self.alignment.systems) * len(self.alignment.pool)
        return min(max(WORK // max(cells, 1), FEWEST_DRAWS), MOST_DRAWS)

    @property
    def _top(self) -> int:
        return self.jury.grades[-1] if self.merged is None else self.merged.max_grade

    def label_sets(self, several: bool) -> tuple[NDArray[np.int16], Floats]:
        """Labels [set, document], and the weight of each set on each topic [set, topic].

        One set of the most probable labels, unless several are wanted.
        """
        topics = len(self.alignment.pool.topics)
        if self.merged is None:
            assert self.drawn.weights is not None
            labels, weights = self.jury.matrix(), self.drawn.weights
        else:
            if self.merged.labels is not None or not several:
                hard = self.merged.hard().labels
                assert hard is not None
                labels = hard[None].copy()
            elif self.draws is not None:
                labels = self.draws[: self._number].copy()
            else:
                labels = self.merged.sample(0, self._number, completed=True)
            weights = np.full((len(labels), topics), 1 / len(labels))
        if self.gold is not None:
            known = ~np.isnan(self.gold)
            labels[:, known] = np.rint(self.gold[known]).astype(np.int16)
        return labels, weights
