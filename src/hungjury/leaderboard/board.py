"""A leaderboard: who is better, how certain that is, and what more topics or judges would show."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hungjury import native
from hungjury.base.arrays import Floats, Ints
from hungjury.base.choices import BoardPicture, Target
from hungjury.base.errors import MeasureError, Note, percent
from hungjury.base.files import write_whole
from hungjury.base.records import Record
from hungjury.base.results import Plot, Result, in_report
from hungjury.base.tables import Table
from hungjury.base.text import letter
from hungjury.data.texts import TextFiles
from hungjury.judges.agreement import Agreement
from hungjury.judges.families import Favour
from hungjury.judges.panel import Panel
from hungjury.judges.votes import AsGiven
from hungjury.leaderboard.correction import Correction
from hungjury.leaderboard.draws import Drawn, Estimate, draw_scores, mean_draws, reported_rate
from hungjury.leaderboard.evidence import AgainstGold, Evidence, against_gold
from hungjury.leaderboard.options import BoardOptions, LeaderboardSettings
from hungjury.leaderboard.panel_error import SPREAD
from hungjury.stats.multiple import (
    chance_needed,
    letter_groups,
    of_differences,
    simultaneous_widths,
    told_apart,
    typical,
)


class Standing(Record, eq=False):
    """How systems compare: what follows from draws of their means, in the order of the draws."""

    p_best: Floats
    rank_low: Ints
    rank_high: Ints
    beats: Floats  # [system, system]: P(row has the larger mean); equal means count half
    apart: NDArray[np.bool_]  # [system, system]: told apart

    @property
    def pairs_apart(self) -> int:
        """The number of pairs of systems that are told apart."""
        return int(self.apart.sum()) // 2

    def letters(self) -> list[str]:
        """The groups of systems that cannot be told apart, by letter."""
        groups = letter_groups(self.apart)
        return [
            "".join(letter(g) for g, mine in enumerate(groups) if s in mine)
            for s in range(len(self.apart))
        ]


def standing(
    mean: Floats,
    draws: Floats,
    level: float = 0.95,
    together: bool = False,
    stretch: float = 1.0,
) -> Standing:
    """Ranks, chances and groups from means [system] and draws [draw, system]; larger is better.

    together, stretch: see `told_apart`.

    A finite number of draws cannot show certainty: one more draw is counted in which all systems
    are equal, unless the draws are all the same.
    """
    if len(draws) > 1 and (draws != draws[0]).any():
        counted = np.vstack([draws, np.zeros(draws.shape[1])])
    else:
        counted = draws
    beats = native.shares_larger(np.ascontiguousarray(counted.T))
    above, equal = _places(counted)
    tail = (1 - level) / 2
    first = np.quantile((above + 1)[: len(draws)], tail, axis=0, method="inverted_cdf")
    last = np.quantile((above + equal)[: len(draws)], 1 - tail, axis=0, method="inverted_cdf")
    return Standing(
        np.where(above == 0, 1 / equal, 0.0).mean(axis=0),
        first.astype(np.int64),
        last.astype(np.int64),
        beats,
        told_apart(mean, draws, beats, level, together, stretch),
    )


def _places(draws: Floats) -> tuple[Ints, Ints]:
    """[draw, system]: how many systems are larger, and how many equal, itself included."""
    order = np.argsort(-draws, axis=1, kind="stable")
    ordered = np.take_along_axis(draws, order, axis=1)
    place = np.arange(draws.shape[1])
    new = np.ones(draws.shape, dtype=bool)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    first = np.maximum.accumulate(np.where(new, place, 0), axis=1)
    ends = np.ones(draws.shape, dtype=bool)
    ends[:, :-1] = new[:, 1:]
    last = np.minimum.accumulate(np.where(ends, place, place[-1])[:, ::-1], axis=1)[:, ::-1]
    above, equal = np.empty_like(first), np.empty_like(first)
    np.put_along_axis(above, order, first, axis=1)
    np.put_along_axis(equal, order, last - first + 1, axis=1)
    return above, equal


TIMES = (0.5, 1, 2, 4)  # topics
SHARES = (0.25, 0.5, 0.75)  # of the judges, measured
MORE = (1.5, 2)  # times as many judges, extrapolated
DRAWS = 100  # for each smaller panel


class Outlook(Record):
    """The smallest detectable difference between two systems with other numbers of topics and of
    judges: the one at which half of all pairs are told apart.
    """

    difference: float  # with the present topics and judges
    topics: list[tuple[int, float]]
    judges: list[tuple[int, float]]  # with the panel's own view only
    measured: int  # how many of `judges` were measured on smaller panels; the rest is extrapolated
    floor: float | None = None  # limit set by panel error, with any number of topics and judges


def look_ahead(
    panel: Panel,
    drawn: Drawn,
    options: BoardOptions,
    made: Estimate,
    seed: np.random.SeedSequence,
) -> Outlook:
    """Estimate the precision with other numbers of topics and judges.

    More judges of the same kind share the panel error: with one, no smaller panels are measured,
    and `floor` says what remains. In the panel's own view smaller panels are measured.
    """
    level, parts = options.level, made.parts
    total, wider = of_differences(parts.total), 1.0
    if options.together and len(made.mean) > 1:
        needed = simultaneous_widths(made.draws, level)[np.triu_indices(len(made.mean), 1)]
        wider = float(np.median(needed)) / (typical(total, level) or 1.0)
    here = wider * typical(total, level)
    if parts.panel is not None:
        fixed, documents = of_differences(parts.panel), of_differences(parts.labels)
        steady = total - fixed - documents  # topics

        def needed_with(rate: float) -> float:
            unsure = fixed + documents * rate
            found = typical(np.maximum(steady * rate, 0) + unsure, level, unsure, SPREAD)
            return wider * found

        number = parts.number
        topics = [(n, needed_with(number / n)) for n in _counts(number)]
        return Outlook(
            needed_with(1.0), topics, [], 0, wider * typical(fixed, level, fixed, SPREAD)
        )
    # What judges share is learned from all documents, so more topics help there too; only where
    # judges are resampled does it stay as long as there are no more of them.
    fixed = 0 * total
    if parts.shared is not None and options.merge.gives == "weights":
        fixed = of_differences(parts.shared)
    topics = [(n, wider * v) for n, v in topics_curve(parts.number, total - fixed, fixed, level)]

    def with_fewer(size: int) -> float:
        mine = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, size))
        order = np.random.default_rng(mine).permutation(len(panel.judges))
        try:
            fewer = draw_scores(panel.only(order[:size]), drawn.alignment, short, mine)
        except MeasureError:  # a label model that so few judges cannot support
            return np.nan
        _, _, small = mean_draws(fewer.cells, fewer.draws, options.target, mine)
        total = small.scaled(reported_rate(chosen, fewer.cells.mean(axis=1), small.number)).total
        needed = wider * typical(of_differences(total), level) * spread / _spread(fewer)
        return min(needed, widest)

    # Fewer judges may see all systems closer together: a difference counts by how far apart
    # systems are.
    spread = _spread(drawn)
    chosen, short = options.measure, options.but(draws=DRAWS)
    widest = chosen.high - chosen.low if chosen.average == "mean" else np.inf
    judges, measured = judges_curve(len(panel.judges), here, with_fewer)
    return Outlook(here, topics, judges, measured)


def _spread(drawn: Drawn) -> float:
    """Return how far apart the systems' means are."""
    return max(float(drawn.cells.mean(axis=1).std()), 1e-12)


def topics_curve(number: int, part: Floats, fixed: Floats, level: float) -> list[tuple[int, float]]:
    """part, fixed: variances [system, system] of differences, of which the first shrinks with the
    number of topics."""
    part = np.maximum(part, 0)  # differences of sums may fall below by rounding
    return [(n, typical(part * number / n + fixed, level)) for n in _counts(number)]


def _counts(number: int) -> list[int]:
    return sorted({max(round(number * times), 1) for times in TIMES})


def judges_curve(
    number: int, difference: float, measure: Callable[[int], float]
) -> tuple[list[tuple[int, float]], int]:
    """Measured on smaller panels by `measure`; for larger ones a + b / judges is fitted."""
    sizes = sorted({round(number * share) for share in SHARES} & set(range(2, number)))
    found = [(k, measure(k)) for k in sizes]
    curve = [(k, value) for k, value in found if not np.isnan(value)] + [(number, difference)]
    # A single small panel may look good by luck: precision must not fall with more judges.
    needed = np.maximum.accumulate([value for _, value in reversed(curve)])[::-1]
    curve = [(k, float(value)) for (k, _), value in zip(curve, needed, strict=True)]
    if len(curve) < 2:
        return curve, len(curve)
    size, value = np.array(curve).T
    squares = value**2  # variances add up
    slope, floor = np.polyfit(1 / size, squares, 1)
    slope = min(max(slope, 0.0), squares[-1] * number)
    floor = squares[-1] - slope / number  # the fit goes through the present panel
    more = [round(number * times) for times in MORE]
    return [*curve, *((k, float(np.sqrt(floor + slope / k))) for k in more)], len(curve)


class Step(Record):
    """Something that would tell more systems apart."""

    text: str
    pairs: int | None  # that would be told apart then, of all; None if it is not known


class Assumed(Record):
    """What a board without gold labels assumes about the panel's error."""

    tau: float  # typical error about a system, of the measure's range
    families: int  # declared
    overrated: float  # what kin are over-rated by, of the measure's range
    undeclared: int | None  # pairs told apart if no kin were declared; None without kin


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


class Leaderboard(Standing, Result, eq=False):
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
    scale: str  # "panel" or "gold": whose means these are
    systems: list[str]
    topics: list[str]
    mean: Floats
    low: Floats
    high: Floats
    cells: Floats  # [system, topic]: expected score
    unsure: Floats  # [topic]: uncertainty due to the judges, a mean standard deviation
    samples: Floats  # [draw, system]: draws of the means, from which ranks and chances follow
    error: tuple[Floats, Floats] | None  # of these, the panel's error about systems and kin
    shares: Mapping[str, float]  # of the variance of a difference, by cause
    outlook: Outlook | None
    judges: list[JudgeRow]
    labels_per_document: Mapping[int, int]  # number of labels: documents of the pool that have it
    agreement: Agreement | None
    assumed: Assumed | None  # about the panel's error; None for its own view, and with gold labels
    kin: list[str]  # systems built on LLMs like the judges
    kin_overrated: tuple[float, float, float] | None  # by gold labels: middle, low, high
    favours: tuple[Favour, ...]  # which families of judges favour whom
    steps: list[Step]  # what would help, the most helpful first
    correction: Correction | None  # how gold labels corrected the panel
    evidence: Evidence | None  # the lists and labels it was made from
    settings: LeaderboardSettings
    notes: tuple[Note, ...] = ()

    @cached_property
    def gold(self) -> AgainstGold | None:
        """Judges, merges and the panel compared with gold labels, computed when asked for."""
        return None if self.evidence is None else against_gold(self.evidence)

    @property
    def as_given(self) -> bool:
        """Say whether labels are probabilities of one source, without an error of judges."""
        return self.merge == AsGiven.name and self.assumed is None

    @property
    def smaller_is_better(self) -> bool:
        """True where smaller means are better."""
        from hungjury.measures.catalogue import measure

        return bool(measure(self.measure).smaller_is_better)

    @property
    def rule(self) -> str:
        """When two systems are told apart, and what that allows for."""
        stretch = 1.0 if self.correction is None else self.correction.stretch
        looks = "" if stretch == 1 else ", at any of the declared looks"
        if self.settings.together:
            return (
                "at a level of "
                f"{percent(self.settings.level)} no pair at all is told apart by chance{looks}"
            )
        needed = chance_needed(self.settings.level, stretch)
        return f"P(one beats the other) is at least {needed:.3f}, each pair by itself{looks}"

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
        numbers = (getattr(self, name).tolist() for name in BoardRow._fields[1:-1])
        return [BoardRow(*row) for row in zip(self.systems, *numbers, groups, strict=True)]

    def table(self) -> Table:
        """Return a row per system, with every digit.

        "scale" says whose means and intervals these are: "panel" or "people".
        """
        columns = [*BoardRow._fields, "scale"]
        return Table(columns, [[*row[:-1], row.letters, self.scale] for row in self.rows()])

    def to_text(self, digits: int = 3) -> str:
        """Write a table with bars for intervals, then the sources of uncertainty."""
        return str(in_report("board.board_text")(self, digits))

    def to_latex(self, digits: int = 3) -> str:
        """Write a booktabs table."""
        return str(in_report("board.rounded_board")(self, digits).to_latex())

    def _captioned(self, digits: int) -> Table:
        table: Table = in_report("board.rounded_board")(self, digits)
        return replace(table, caption=in_report("board.headline")(self))

    def to_html(self, digits: int = 3) -> str:
        """Write a table with a caption; `write_page` makes a whole report."""
        return self._captioned(digits).to_html()

    def to_markdown(self, digits: int = 3) -> str:
        """Write a Markdown table below a caption."""
        return self._captioned(digits).to_markdown()

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
        *,
        queries: TextFiles = (),
        documents: TextFiles = (),
        title: str = "",
        author: str = "",
        dataset: str = "",
        **more: Any,
    ) -> None:
        """Write the report: a self-contained HTML page.

        Parameters
        ----------
        path : str or path
            The file to write.
        queries, documents : path or list of paths
            Texts to show in the lists of two systems: JSON lines or tab-separated columns by id,
            or ids such as ``ir_datasets:beir/nfcorpus``.
        title, author, dataset : str
            What the head of the page says.
        **more
            `origin` and `history`, by which the command line says where the page comes from.
        """
        head = {"title": title, "author": author, "dataset": dataset}
        texts = {"queries": queries, "documents": documents}
        write_whole(path, in_report("page.page")(self, **texts, **head, **more))

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
            "told_apart": {"rule": self.rule, "pairs": self.pairs_apart},
            "outlook": outlook,
            "assumed": None if self.assumed is None else asdict(self.assumed),
            "kin": {"systems": self.kin, "overrated": self.kin_overrated},
            "favours": [asdict(one) for one in self.favours],
            "next": [asdict(step) for step in self.steps],
            "judges": [asdict(judge) for judge in self.judges],
            "labels_per_document": {str(n): d for n, d in self.labels_per_document.items()},
            "topics": dict(zip(self.topics, self.unsure.tolist(), strict=True)),
            "gold": None if self.gold is None else asdict(self.gold),
            "correction": None if self.correction is None else self.correction.to_dict(),
            "notes": [note.to_dict() for note in self.notes],
        }
