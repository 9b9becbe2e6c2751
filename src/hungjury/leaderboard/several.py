"""Several leaderboards together: over collections, by other measures, on groups of topics."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.errors import Argument, InputError, Note, few, percent, plural
from hungjury.base.files import write_whole
from hungjury.base.records import Record
from hungjury.base.results import Result, Table, in_report
from hungjury.data.reading.formats import read_table, table_format
from hungjury.data.reading.sources import expand
from hungjury.judges.merge import MergeLike
from hungjury.leaderboard.board import BoardRow, Leaderboard
from hungjury.leaderboard.leaderboard import leaderboard
from hungjury.leaderboard.options import BoardOptions, split_options
from hungjury.leaderboard.score_board import FEWEST, OVER_ALL, ScoreBoard, score_board, systems_of
from hungjury.measures.catalogue import MeasureLike
from hungjury.stats.resampling import interval, repeat_deviations

SHARED_SYSTEMS, SHARED_KIN = 0.2, 0.7  # correlation of panel errors between collections
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


def leaderboards(
    collections: Mapping[str, tuple[Any, Any]],
    measure: MeasureLike,
    *,
    gold: Mapping[str, Any] | None = None,
    merge: MergeLike = "binmv",
    common: bool = False,
    weights: Mapping[str, float] | None = None,
    seed_pattern: str | None = None,
    **options: Any,
) -> ScoreBoard:
    """Rank systems over several collections: the mean of their means, equally weighted.

    Errors of the panel about documents are independent between collections; those about systems
    are correlated by 0.2, and what systems built on LLMs are over-rated by is correlated by 0.7, as
    measured on two collections with the same judges.

    Parameters
    ----------
    collections : dict
        ``{name: (judgments, runs)}``, each as `leaderboard` takes them.
    measure : str or Measure
        One measure.
    gold : dict, optional
        Gold labels by collection; all collections need them.
    merge : str, Merge or Weights
        As in `leaderboard`.
    common : bool
        Rank the systems that all collections have. Otherwise a system that is missing somewhere
        is an error.
    weights : dict, optional
        Weights of the collections; default: equal.
    seed_pattern : str, optional
        A pattern of repeats of one system, as in `leaderboard_of_scores`; one collection will do.
    **options
        Options of `leaderboard`, for all collections.

    Returns
    -------
    ScoreBoard
        The overall order; `parts` has the leaderboard of each collection, and `decisive` says who
        would lead without it.

    Examples
    --------
    >>> import hungjury as hj
    >>> sims = {f"c{seed}": hj.simulate(topics=8, systems=3, seed=seed) for seed in (1, 2)}
    >>> both = {name: (sim.judgments, sim.runs) for name, sim in sims.items()}
    >>> board = hj.leaderboards(both, "nDCG@10", draws=200)
    >>> board.systems[0], list(board.parts)
    ('system1', ['c1', 'c2'])
    """
    if len(collections) < (FEWEST if seed_pattern is None else 1):
        raise InputError(
            f"{plural(len(collections), 'collection')} given", code="few-collections",
            remedy="give at least two, or use `leaderboard` for one",
        )  # fmt: skip
    taken = [name for name in collections if name in {*BoardRow._fields, *OVER_ALL}]
    if taken:
        raise InputError(
            f"a column of the board has the name of a collection: {few(taken)}",
            code="collection-name",
            remedy="give the collection another name",
        )
    without = [name for name in collections if gold and name not in gold]
    if without:
        raise InputError(
            f"{plural(len(without), 'collection')} without gold labels: {few(without)}",
            code="gold-missing",
            remedy="give gold labels of all collections, or of none",
        )
    _weights(collections, weights)  # refused before boards are made
    chosen, _ = split_options(options, BoardOptions)
    boards = {}
    seeds = np.random.SeedSequence(chosen.seed).spawn(len(collections) + 1)
    for (name, (judgments, runs)), seed in zip(collections.items(), seeds, strict=False):
        own = {**options, "seed": int(seed.generate_state(1)[0]), "outlook": False}
        boards[name] = leaderboard(
            judgments, runs, measure, merge, **own, gold=None if gold is None else gold[name]
        )
    names, notes = _same_systems(boards, common)
    systems, groups = systems_of(names, seed_pattern)
    rng = np.random.default_rng(seeds[-1])
    first = next(iter(boards.values()))

    pieces = _pieces(boards, names, groups, rng)

    def over(some: Iterable[str], about: str = "", **more: Any) -> ScoreBoard:
        mine = {name: pieces[name] for name in some}
        share = _weights(mine, weights)
        found = _overall(list(mine.values()), share, groups, chosen, rng)
        smaller = first.smaller_is_better
        return score_board(first.measure, systems, *found, smaller, chosen, about, **more)

    decisive = {}
    if len(boards) > 1:
        for name in boards:
            left = over(other for other in boards if other != name)
            decisive[name] = left.systems[0], left.pairs_apart
    judges = {judge.name for board in boards.values() for judge in board.judges}
    told = f"{len(names)} runs of " if seed_pattern else ""
    where = (
        f"over {len(boards)} collections ({', '.join(boards)})" if len(boards) > 1
        else plural(len(first.topics), "topic")
    )  # fmt: skip
    about = (
        f"{first.measure}: {told}{plural(len(systems), 'system')} {where}, "
        f"{plural(len(judges), 'judge')}. "
        f"{'The mean of collection means; intervals' if len(boards) > 1 else 'Intervals'} "
        f"at a level of {percent(chosen.level)}."
    )
    parts = {name: over([name]) if seed_pattern else board for name, board in boards.items()}
    return over(boards, about, parts=parts, decisive=decisive, notes=notes)


def _same_systems(
    parts: Mapping[str, Leaderboard], common: bool
) -> tuple[list[str], tuple[Note, ...]]:
    names = {name: set(board.systems) for name, board in parts.items()}
    every = set.intersection(*names.values())
    first = next(iter(parts.values()))
    systems = [name for name in sorted(first.systems) if name in every]
    absent = {name: sorted(set().union(*names.values()) - has) for name, has in names.items()}
    told = [f"{few(gone)} on {name}" for name, gone in absent.items() if gone]
    where: dict[Note, list[str]] = {}
    for name, board in parts.items():
        for note in board.notes:
            if note.about != "files":
                where.setdefault(note, []).append(name)
    notes = tuple(
        note if len(named) == len(parts) else replace(note, text=f"{few(named)}: {note.text}")
        for note, named in where.items()
    )
    if not told:
        return systems, notes
    if not common or not systems:
        raise InputError(
            f"systems are missing: {'; '.join(told)}", code="missing-systems",
            remedy=("rank those that all collections have with", Argument("common", True))
            if systems else "no system is in all collections; use the same run names",
        )  # fmt: skip
    count = sum(map(len, absent.values()))
    note = Note("missing-systems", count, f"left out: {'; '.join(told)}", about="result")
    return systems, (note, *notes)


def _weights(parts: Mapping[str, Any], weights: Mapping[str, float] | None) -> Floats:
    """[collection]: weights that add up to 1; equal ones where all that are left have none."""
    given = np.array([1.0 if weights is None else weights.get(name, np.nan) for name in parts])
    if np.isnan(given).any() or (given < 0).any():
        raise InputError(
            "weights are needed for all collections, 0 or more", code="bad-weights",
            argument="weights", remedy=f"give a weight for each of {', '.join(parts)}",
        )  # fmt: skip
    return np.asarray(given / given.sum() if given.any() else np.full(len(given), 1 / len(given)))


Piece = tuple[Floats, Floats, Floats, Floats]


def _pieces(
    boards: Mapping[str, Leaderboard], names: list[str], groups: list[list[int]],
    rng: np.random.Generator,
) -> dict[str, Piece]:  # fmt: skip
    """Return what collections add: means of systems, half intervals on the panel's scale, draws
    [draw, system], and the values [run, topic]."""
    join = np.zeros((len(names), len(groups)))
    for place, runs in enumerate(groups):
        join[runs, place] = 1 / len(runs)
    number = len(next(iter(boards.values())).samples)
    both = rng.standard_normal((2, number, len(groups)))
    pieces = {}
    for key, board in boards.items():
        at = [board.systems.index(name) for name in names]
        draws = board.samples[:, at] @ join
        errors = board.evidence.made.error
        if errors is not None:  # part of what is assumed is the same on all collections
            at_first = board.evidence.order[at]
            shared = zip(errors.lasting, (SHARED_SYSTEMS, SHARED_KIN), both, strict=True)
            for error, correlation, common in shared:
                own = error[:, at_first] @ join
                again = common @ _root(np.atleast_2d(np.cov(own.T)))
                draws += (np.sqrt(1 - correlation) - 1) * own + np.sqrt(correlation) * again
        half = (board.high - board.low)[at] @ join / 2
        pieces[key] = board.mean[at] @ join, half, draws, board.cells[at]
    return pieces


def _overall(
    pieces: Sequence[Piece], share: Floats, groups: list[list[int]], options: BoardOptions,
    rng: np.random.Generator,
) -> tuple[Floats, Floats, Floats]:  # fmt: skip
    """The mean over collections, the ends of its interval on the panel's scale, and draws."""
    means, halves, drawn, cells = zip(*pieces, strict=True)
    population = options.target == "population"
    again = repeat_deviations(cells, share, groups, len(drawn[0]), rng, population)
    squares = (np.ptp(np.asarray(interval(again, options.level)), axis=0) / 2) ** 2
    mean = share @ np.array(means)
    half = np.sqrt(squares + share**2 @ np.array(halves) ** 2)
    draws = again + np.tensordot(share, np.array(drawn), 1)
    return mean, np.stack([mean - half, mean + half]), draws


def _root(covariance: Floats) -> Floats:
    """The symmetric root, which does not depend on the order of axes."""
    value, vector = np.linalg.eigh(covariance)
    return np.asarray((vector * np.sqrt(np.maximum(value, 0))) @ vector.T)
