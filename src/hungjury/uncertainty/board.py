"""A leaderboard: systems, best first, and how certain their ranking is."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from hungjury.choices import FrameBackend, Target
from hungjury.collection.notes import Note
from hungjury.files import write_whole
from hungjury.judges.agreement import Agreement
from hungjury.records import Record
from hungjury.stats.letters import letter_groups
from hungjury.tables import Table
from hungjury.text_formats import json_text
from hungjury.uncertainty.against_gold import AgainstGold
from hungjury.uncertainty.corrected import Correction
from hungjury.uncertainty.evidence import Evidence
from hungjury.uncertainty.judge_rows import JudgeRow
from hungjury.uncertainty.outlook import Outlook
from hungjury.uncertainty.settings import LeaderboardSettings

if TYPE_CHECKING:
    from hungjury.report.page_texts import TextFiles
    from hungjury.report.pictures import Plot

__all__ = ["BoardPicture", "Leaderboard"]

Floats = NDArray[np.float64]
BoardPicture = Literal["intervals", "pairs"]


class Leaderboard(Record, eq=False):
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
    gold: AgainstGold | None
    correction: Correction | None  # how gold labels corrected the panel
    evidence: Evidence | None  # the lists and labels it was made from
    settings: LeaderboardSettings
    notes: tuple[Note, ...] = ()

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

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, digits: int = 3) -> str:
        """A table with bars for intervals, followed by the sources of uncertainty."""
        from hungjury.report.board_text import board_text

        return board_text(self, digits)

    def table(self) -> Table:
        """A row per system, with every digit."""
        from hungjury.report.board_text import table

        return table(self)

    def to_csv(self, safe: bool = False) -> str:
        """A line per system; `safe`: escape text that a spreadsheet would run as a formula."""
        return self.table().to_csv(safe)

    def to_json(self) -> str:
        """The content of `to_dict` as JSON."""
        return json_text(self.to_dict())

    def to_latex(self, digits: int = 3) -> str:
        """A booktabs table."""
        from hungjury.report.board_text import rounded_board

        return rounded_board(self, digits).to_latex()

    def to_html(self, digits: int = 3) -> str:
        """A table with a caption; `write_page` makes a whole report."""
        from hungjury.report.board_text import headline, rounded_board

        return replace(rounded_board(self, digits), caption=headline(self)).to_html()

    def _repr_html_(self) -> str:
        return self.to_html()

    def plot(self, what: BoardPicture = "intervals") -> Plot:
        """Draw the systems' means with their intervals, or who beats whom.

        Parameters
        ----------
        what : {"intervals", "pairs"}
            Means and intervals of all systems, or a heat map of P(row beats column).
        """
        from hungjury.report.board_plots import draw_board
        from hungjury.report.pictures import Plot

        return Plot(draw_board(self, what))

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
        from hungjury.report.page import page

        write_whole(path, page(self, command, queries, documents))

    def to_dict(self) -> dict[str, Any]:
        """All fields except the samples, as plain numbers, lists and strings."""
        from hungjury.report.board_text import as_dict

        return as_dict(self)

    def to_frame(self, backend: FrameBackend = "pandas") -> Any:
        """A row per system."""
        return self.table().to_frame(backend)
