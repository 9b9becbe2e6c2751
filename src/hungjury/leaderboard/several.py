"""Leaderboards beside a leaderboard: by other measures, and on groups of topics."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from hungjury.base.errors import InputError, Note, few, plural
from hungjury.base.files import write_whole
from hungjury.base.records import Record
from hungjury.base.results import Result, in_report
from hungjury.base.tables import Table
from hungjury.data.reading.formats import read_table, table_format
from hungjury.data.reading.sources import expand
from hungjury.leaderboard.board import Leaderboard

GROUP = ("group", "slice", "class", "category", "type", "kind")


def read_slices(path: str) -> dict[str, list[str]]:
    """Read groups of topics: a table with a topic and its group in each row."""
    (source,) = expand(path)
    kind = table_format(source, tuple(("group", name) for name in GROUP))
    if kind is None:
        raise source.error(
            "this is not a table of topics and groups", "no-groups",
            "write a header line `topic,group`, and one line for each topic",
        )  # fmt: skip
    table = read_table(source, kind)
    topic = table.need("topic")
    others = [name for name in table.columns if name != topic]
    named = [name for name in others if name.strip().lower() in GROUP] or others
    if len(named) != 1:
        raise table.error(
            f"which column is the group of a topic: {few(others) or 'there is none'}?",
            "no-groups", "call it group",
        )  # fmt: skip
    found: dict[str, list[str]] = {}
    pairs = zip(table.texts(topic), table.texts(named[0]), strict=True)
    for one, group in dict.fromkeys(pairs):
        found.setdefault(group, []).append(one)
    return found


class Boards(Record, Result, eq=False):
    """A leaderboard, with those by other measures and on groups of topics.

    Attributes
    ----------
    board : Leaderboard
        By the first measure, on all topics.
    measures : tuple of Leaderboard
        By the other measures.
    slices : dict
        By the first measure, on each group of topics.
    left_out : dict
        Why a group has no leaderboard.
    """

    board: Leaderboard
    measures: tuple[Leaderboard, ...] = ()
    slices: Mapping[str, Leaderboard] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def of(
        measures: Sequence[Any],
        slices: Mapping[str, Sequence[str]],
        rank: Callable[[Any, Sequence[str] | None], Leaderboard],
    ) -> Boards:
        """Rank by every measure, and by the first one on every group of topics."""
        first, *more = [rank(one, None) for one in measures]
        boards, why = {}, {}
        for name, topics in slices.items():
            here = [topic for topic in topics if topic in first.topics]
            try:
                if not here:
                    raise InputError("none of its topics was judged", code="no-topics")
                boards[name] = rank(measures[0], here)
            except InputError as error:
                why[name] = error.message
        return Boards(first, tuple(more), boards, why)

    @property
    def notes(self) -> tuple[Note, ...]:
        return self.board.notes

    @property
    def multiplicity(self) -> str:
        """A sentence on the number of comparisons over all groups."""
        level, together = self.board.settings.level, self.board.settings.together
        boards = len(self.slices)
        pairs = sum(len(b.systems) * (len(b.systems) - 1) // 2 for b in self.slices.values())
        wrong = (1 - level) * (boards if together else pairs)
        return (
            f"{plural(boards, 'group')} of topics, {plural(pairs, 'comparison')}: each group is "
            f"decided by itself. If no systems differed, about {wrong:.1f} of these would tell two "
            "apart by chance, so a difference in one group only is a question, not a finding."
        )

    def table(self) -> Table:
        """Return the rows of all leaderboards, by measure and group."""
        named = [("", self.board), *(("", b) for b in self.measures), *self.slices.items()]
        rows = [
            {"measure": board.measure, "group": name, **row}
            for name, board in named
            for row in board.table().to_dicts()
        ]
        return Table.of(rows)

    def by_measure(self) -> Table:
        """Return the mean and the groups of every system by every measure."""
        boards = [self.board, *self.measures]
        places = [dict(zip(b.systems, b.rows(), strict=True)) for b in boards]
        rows = [
            [system, *(f"{p[system].mean:.3f} {p[system].letters}" for p in places)]
            for system in self.board.systems
        ]
        return Table(["system", *(b.measure for b in boards)], rows)

    def by_group(self) -> Table:
        """Return the leader of every group, and how many pairs are told apart in it."""
        rows: list[list[str | int]] = [
            [name, len(b.topics), b.systems[0], f"{b.mean[0]:.3f}", b.pairs_apart]
            for name, b in self.slices.items()
        ]
        return Table(["group", "topics", "first", "mean", "pairs told apart"], rows)

    def _parts(self) -> list[str | Table]:
        parts: list[str | Table] = [self.board.to_text()]
        if self.measures:
            parts += ["Means by other measures; systems that share a letter are not told apart:"]
            parts.append(self.by_measure())
        if self.slices:
            parts += [self.multiplicity, self.by_group()]
        return parts + [f"{name}: {text}." for name, text in self.left_out.items()]

    def to_dict(self) -> dict[str, Any]:
        """Return the leaderboard, and those by other measures and on groups of topics."""
        return {
            **self.board.to_dict(),
            "measures": [board.to_dict() for board in self.measures],
            "slices": {name: board.to_dict() for name, board in self.slices.items()},
            "left_out": dict(self.left_out),
            "multiplicity": self.multiplicity if self.slices else None,
        }

    def write_page(self, path: str | os.PathLike[str], **how: Any) -> None:
        """Write the report of the leaderboard, with sections on the others; as its `write_page`."""
        write_whole(path, in_report("page.page")(self.board, beside=self, **how))
