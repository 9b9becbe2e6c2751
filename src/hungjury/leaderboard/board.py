"""A leaderboard: systems, best first, its judges, and how certain the ranking is."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hungjury import native
from hungjury.base.arrays import Floats
from hungjury.base.choices import Target
from hungjury.base.errors import Note, percent, plural
from hungjury.base.files import write_whole
from hungjury.base.records import Record
from hungjury.base.results import Plot, Result, in_report
from hungjury.base.tables import Table
from hungjury.base.text import letter
from hungjury.data.qrels import Judgments
from hungjury.data.texts import TextFiles
from hungjury.judges.agreement import Agreement
from hungjury.judges.families import Jury
from hungjury.leaderboard.correction import Correction
from hungjury.leaderboard.evidence import AgainstGold, Evidence, against_gold
from hungjury.leaderboard.label_model import LabelDraws
from hungjury.leaderboard.options import LeaderboardSettings
from hungjury.leaderboard.standing import Outlook
from hungjury.stats.multiple import letter_groups

TOO_MUCH = 0.03  # agreement beyond what independent judges would have
FAR = 5.0  # in standard errors
FEW = 50  # common documents needed to compare two judges


class JudgeRow(Record):
    """One judge; None for what is not known."""

    name: str
    family: str
    labels: int
    covered: float  # share of the pool that the judge labelled
    relevant: float  # share of labels above the lowest grade
    kappa: float | None  # Cohen's, with the others
    accuracy: float | None  # how often right, by the label model
    weight: float | None  # share of the vote, or AWARE's weight; 0 for judges who do not vote


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
    weight = None if labels is not None else vote_share(voting)
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


def vote_share(judgments: Judgments) -> Floats:
    """[judge]: the mean over documents of a judge's share of the vote; these add up to 1."""
    document, judge = _votes(judgments)
    judges, documents = len(judgments.judges), len(judgments.pool)
    total = native.sum_by_key(document, judge, judgments.weight, documents)
    parts = np.divide(1.0, total, out=np.zeros(documents), where=total > 0)
    share = judgments.weight * native.sum_by_key(judge, document, parts, judges)
    return np.asarray(share / max(int((total > 0).sum()), 1))


def labels_per_document(judgments: Judgments) -> dict[int, int]:
    """Count the documents of the pool by their number of labels."""
    number = native.count_keys(_votes(judgments)[0], len(judgments.pool))
    labels, documents = np.unique(number, return_counts=True)
    return {int(n): int(d) for n, d in zip(labels, documents, strict=True)}


def _votes(judgments: Judgments) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Documents and judges of labels that are votes: not below 0."""
    counted = judgments.label >= 0
    if counted.all():
        return judgments.document, judgments.judge
    return judgments.document[counted], judgments.judge[counted]


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


BoardPicture = Literal["intervals", "pairs"]


class BoardRow(NamedTuple):
    """One system of a leaderboard.

    Attributes
    ----------
    mean, low, high
        The mean over topics and its interval, on the panel's scale unless gold labels correct it.
    p_best
        The probability that no other system is better.
    rank_low, rank_high
        The interval of its rank, 1 for the best.
    groups
        Numbers of the groups that it shares with systems it cannot be told apart from.

    Examples
    --------
    >>> import hungjury as hj
    >>> sim = hj.simulate(topics=5, systems=3, seed=1)
    >>> row = hj.leaderboard(sim.judgments, sim.runs, "nDCG@10", draws=100).rows()[0]
    >>> row.system, row.rank_low, row.rank_high
    ('system1', 1, 3)
    """

    system: str
    mean: float
    low: float
    high: float
    p_best: float
    rank_low: int
    rank_high: int
    groups: list[int]  # of systems that cannot be told apart, by number

    @property
    def letters(self) -> str:
        """The groups by letter, such as "ab"."""
        return "".join(map(letter, self.groups))


class Leaderboard(Record, Result, eq=False):
    """Systems, best first, and how certain their ranking is. Arrays are in the order of `systems`.

    On the "panel" scale `mean` is the panel's own, and `low` and `high` are where it would be with
    other labels and topics: neither says where people's labels would put the system. What people
    would say about who is better is in `p_best`, ranks, `beats`, `apart`.

    Examples
    --------
    >>> import hungjury as hj
    >>> made = hj.simulate(systems=3, topics=10)
    >>> board = hj.leaderboard(made.judgments, made.runs, "nDCG@10", draws=100)
    >>> board.systems[0], board.scale, board.beats.shape
    ('system1', 'panel', (3, 3))
    """

    measure: str
    merge: str
    target: Target
    scale: str  # "panel" or "people": whose means these are
    systems: list[str]
    topics: list[str]
    mean: Floats
    low: Floats
    high: Floats
    p_best: Floats
    rank_low: NDArray[np.int64]
    rank_high: NDArray[np.int64]
    beats: Floats  # [system, system]: P(row beats column)
    apart: NDArray[np.bool_]  # [system, system]: told apart
    cells: Floats  # [system, topic]: expected score
    unsure: Floats  # [topic]: uncertainty due to the judges, a mean standard deviation
    samples: Floats  # [draw, system]: draws of the means, from which ranks and chances follow
    shares: Mapping[str, float]  # of the variance of a difference, by cause
    outlook: Outlook | None
    judges: list[JudgeRow]
    labels_per_document: Mapping[int, int]  # number of labels: documents of the pool that have it
    agreement: Agreement | None
    correction: Correction | None  # how gold labels corrected the panel
    evidence: Evidence | None  # the lists and labels it was made from
    settings: LeaderboardSettings
    notes: tuple[Note, ...] = ()

    @cached_property
    def gold(self) -> AgainstGold | None:
        """Judges, merges and the panel compared with gold labels, computed when asked for."""
        return None if self.evidence is None else against_gold(self.evidence)

    @property
    def groups(self) -> list[list[str]]:
        """Systems that cannot be told apart; two share a group exactly if they cannot."""
        return [[self.systems[s] for s in group] for group in self.group_places]

    @cached_property
    def group_places(self) -> list[list[int]]:
        """The places, from 0, of the systems of each group."""
        return [[int(s) for s in group] for group in letter_groups(self.apart)]

    def __repr__(self) -> str:
        return f"Leaderboard({self.measure}, {len(self.systems)} systems, best {self.systems[0]})"

    def rows(self) -> list[BoardRow]:
        """Return a row per system, best first; every rendering starts from these."""
        groups: list[list[int]] = [[] for _ in self.systems]
        for number, group in enumerate(self.group_places):
            for s in group:
                groups[s].append(number)
        numbers = (self.mean, self.low, self.high, self.p_best, self.rank_low, self.rank_high)
        each = zip(self.systems, *(one.tolist() for one in numbers), groups, strict=True)
        return [BoardRow(*row) for row in each]

    def table(self) -> Table:
        """Return a row per system, with every digit.

        Means and intervals on the panel's scale are under headings that begin with "panel".
        """
        whose = "panel_" if self.scale == "panel" else ""
        names = ["system", f"{whose}mean", f"{whose}low", f"{whose}high", "p_best", "rank_low",
                 "rank_high", "groups"]  # fmt: skip
        return Table(names, [[*row[:-1], row.letters] for row in self.rows()])

    def to_text(self, digits: int = 3) -> str:
        """Write a table with bars for intervals, then the sources of uncertainty."""
        return str(in_report("board.board_text")(self, digits))

    def to_latex(self, digits: int = 3) -> str:
        """Write a booktabs table."""
        return str(in_report("board.rounded_board")(self, digits).to_latex())

    def to_html(self, digits: int = 3) -> str:
        """Write a table with a caption; `write_page` makes a whole report."""
        table = in_report("board.rounded_board")(self, digits)
        return str(replace(table, caption=in_report("board.headline")(self)).to_html())

    def plot(self, what: BoardPicture = "intervals") -> Plot:
        """Draw the systems' means with their intervals, or who beats whom.

        Parameters
        ----------
        what : {"intervals", "pairs"}
            Means and intervals of all systems, or a heat map of P(row beats column).
        """
        return self._drawn("board_plots.draw_board", what)

    def write_page(
        self,
        path: str | os.PathLike[str],
        command: Sequence[str] | None = None,
        *,
        queries: TextFiles = (),
        documents: TextFiles = (),
    ) -> None:
        """Write the report: a self-contained HTML page.

        Parameters
        ----------
        path : str or path
            The file to write.
        command : sequence of str, optional
            The words of the command line that made the leaderboard, to be shown.
        queries, documents : path or list of paths
            Texts to show in the lists of two systems: JSON lines or tab-separated columns by id,
            or ids such as ``ir_datasets:beir/nfcorpus``.
        """
        write_whole(path, in_report("page.page")(self, command, queries, documents))

    def to_dict(self) -> dict[str, Any]:
        """Return all fields except the samples, as plain numbers, lists and strings."""
        outlook = None if self.outlook is None else asdict(self.outlook) | {"scale": self.scale}
        return {
            "measure": self.measure,
            "merge": self.merge,
            "target": self.target,
            "scale": self.scale,
            "settings": self.settings.to_dict(),
            "systems": self.table().to_dicts(),
            "beats": self.beats.tolist(),
            "groups": self.groups,
            "shares": dict(self.shares),
            "outlook": outlook,
            "judges": [asdict(judge) for judge in self.judges],
            "labels_per_document": {str(n): d for n, d in self.labels_per_document.items()},
            "topics": dict(zip(self.topics, self.unsure.tolist(), strict=True)),
            "gold": None if self.gold is None else asdict(self.gold),
            "correction": None if self.correction is None else self.correction.to_dict(),
            "notes": [note.to_dict() for note in self.notes],
        }
