"""A leaderboard: who is better, how certain that is, and what it rests on."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hungjury import native
from hungjury.base.arrays import Bools, Floats, Ints
from hungjury.base.choices import BoardPicture, Target
from hungjury.base.errors import Note, percent
from hungjury.base.files import write_whole
from hungjury.base.records import Record
from hungjury.base.results import Plot, Result, Table, in_report
from hungjury.base.text import finite, letter
from hungjury.data.texts import TextFiles
from hungjury.judges.agreement import Agreement, judge_means
from hungjury.judges.families import Favour, Jury, favours
from hungjury.judges.votes import AsGiven
from hungjury.leaderboard.correction import Correction
from hungjury.leaderboard.evidence import Evidence, Outlook, Step, apart_in, look_ahead, next_steps
from hungjury.leaderboard.gold_agreement import AgainstGold, against_gold
from hungjury.leaderboard.label_model import LabelDraws, prior_of_grades
from hungjury.leaderboard.options import BoardOptions, LeaderboardSettings
from hungjury.leaderboard.panel_error import OVERRATED, ROUNDING
from hungjury.measures.distribution import functional
from hungjury.stats.multiple import chance_needed, letter_groups, told_apart
from hungjury.stats.resampling import interval


class Standing(Record, eq=False):
    """How systems compare: what follows from draws of their means, in the order of the draws."""

    p_best: Floats
    rank_low: Ints
    rank_high: Ints
    beats: Floats  # [system, system]: P(row has the larger mean); equal means count half
    apart: Bools  # [system, system]: told apart

    @property
    def pairs_apart(self) -> int:
        """The number of pairs of systems that are told apart."""
        return int(self.apart.sum()) // 2


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
    counted = _counted(draws)
    beats, apart = pairs_of(mean, draws, level, together, stretch)
    above, equal = _places(counted)
    tail = (1 - level) / 2
    first = np.quantile((above + 1)[: len(draws)], tail, axis=0, method="inverted_cdf")
    last = np.quantile((above + equal)[: len(draws)], 1 - tail, axis=0, method="inverted_cdf")
    return Standing(
        np.where(above == 0, 1 / equal, 0.0).mean(axis=0),
        first.astype(np.int64),
        last.astype(np.int64),
        beats,
        apart,
    )


def pairs_of(
    mean: Floats, draws: Floats, level: float, together: bool, stretch: float
) -> tuple[Floats, Bools]:
    """[system, system]: P(row has the larger mean), and who is told apart; see `standing`."""
    beats = native.shares_larger(np.ascontiguousarray(_counted(draws).T))
    return beats, told_apart(mean, draws, beats, level, together, stretch)


def _counted(draws: Floats) -> Floats:
    """The draws that are counted: with one more, as `standing` says."""
    if not np.ptp(draws, axis=0).any():
        return draws
    return np.vstack([draws, np.zeros(draws.shape[1])])


def _places(draws: Floats) -> tuple[Ints, Ints]:
    """[draw, system]: how many systems are larger, and how many equal, itself included."""
    order = np.argsort(-draws, axis=1, kind="stable")
    ordered = np.take_along_axis(draws, order, axis=1)
    new = np.diff(ordered, axis=1, prepend=np.inf) != 0  # not equal to the one before
    group = np.cumsum(new).reshape(draws.shape) - 1  # of equal systems, counted over all draws
    above, equal = np.empty_like(group), np.empty_like(group)
    np.put_along_axis(above, order, (np.flatnonzero(new) % draws.shape[1])[group], axis=1)
    np.put_along_axis(equal, order, np.bincount(group.ravel())[group], axis=1)
    return above, equal


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


class Ranking(Standing, Result, eq=False):
    """Base of leaderboards: systems, best first. Arrays are in the order of `systems`."""

    measure: str
    systems: list[str]
    mean: Floats
    low: Floats
    high: Floats
    centre: Floats  # [system]: what the samples are around; not `mean` if that is the panel's alone
    samples: Floats  # [draw, system]: draws of the means, from which ranks and chances follow

    def __repr__(self) -> str:
        what = f"{self.measure}, {len(self.systems)} systems, best {self.systems[0]}"
        return f"{type(self).__name__}({what})"

    @property
    def groups(self) -> list[list[str]]:
        """Systems that cannot be told apart; two share a group exactly if they cannot."""
        return [[self.systems[s] for s in group] for group in self.group_places]

    @cached_property
    def group_places(self) -> list[list[int]]:
        """The places, from 0, of the systems of each group."""
        return [[int(s) for s in group] for group in letter_groups(self.apart)]

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

        In "scale", which not all have, is whose means and intervals these are: "panel" or "gold".
        """
        columns = self._columns()
        return Table(list(columns), list(zip(*columns.values(), strict=True)))

    def _columns(self) -> dict[str, Sequence[Any]]:
        """The columns of the table; groups are letters."""
        *columns, groups = BoardRow._fields
        rows = self.rows()
        found = {name: [getattr(row, name) for row in rows] for name in columns}
        return {**found, groups: [row.letters for row in rows]}


def ranked(
    mean: Floats,
    ends: Floats | tuple[Any, Any],
    draws: Floats,
    options: BoardOptions,
    smaller: bool,
    centre: Floats | None = None,
    stretch: float = 1.0,
) -> tuple[Ints, dict[str, Any]]:
    """Order systems, best first: the order, and the fields of a `Ranking` that follow from draws.

    mean, ends: [system] and [2, system], as they are shown. draws: [draw, system]. smaller: means
    are better. centre: [system], what the draws are around, if not `mean`.
    """
    better = -1.0 if smaller else 1.0
    centre = mean if centre is None else centre
    middle = better * centre
    order = np.argsort(-functional(middle, better * draws, options.order), kind="stable")
    samples = draws[:, order]
    where = standing(middle[order], better * samples, options.level, options.together, stretch)
    low, high = np.asarray(ends)[:, order]
    shown = {"mean": mean[order], "low": low, "high": high}
    return order, vars(where) | shown | {"centre": centre[order], "samples": samples}


def best_elsewhere(systems: Sequence[str], standing: Mapping[str, Any]) -> tuple[Note, ...]:
    """Explain a system below the first whose chance to be the best is shown as a larger one.

    The first is ahead on average, but P(best) is about all others at once: it is shared among
    systems that are much alike, and larger for a system whose mean is less certain.
    """
    best = standing["p_best"]
    rival = int(np.argmax(best))
    if round(100 * best[rival]) <= round(100 * best[0]):
        return ()
    text = (
        f"another system is more likely to be the best ({percent(best[rival])}) than the first "
        f"({percent(best[0])}), which beats it with a chance of "
        f"{percent(standing['beats'][0, rival])}; similar systems share the chance to be the best, "
        "and it is larger for a mean that is less certain"
    )
    return (Note("best-elsewhere", 1, text, subjects=(systems[rival],), about="result"),)


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


def judge_rows(
    found: Agreement, jury: Jury, labels: LabelDraws | None, weights: Floats | None
) -> list[JudgeRow]:
    """A row for every judge; `labels` and `weights` [judge, topic] are of those who vote."""
    _, kappa = found.pairs.with_others()
    voting, modelled = jury.judgments.judges, labels is not None
    if labels is not None:
        each = np.einsum("g,kgg->k", prior_of_grades(labels), labels.confusion)
    else:
        each = jury.panel.vote_share() if weights is None else weights.mean(axis=1)
    known = dict(zip(voting, each.tolist(), strict=True))
    family = dict(zip(voting, jury.judgments.families, strict=True))
    pool = max(len(found.panel.pool), 1)
    return [
        JudgeRow(
            name=name,
            family=family.get(name, name),
            labels=int(found.labels[k]),
            covered=int(found.labels[k]) / pool,
            relevant=float(1 - found.label_rates[k, 0]),
            kappa=None if np.isnan(kappa[k]) else float(kappa[k]),
            accuracy=known.get(name) if modelled else None,
            weight=None if modelled else known.get(name, 0.0),
        )
        for k, name in enumerate(found.judges)
    ]


class Leaderboard(Ranking, eq=False):
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

    merge: str
    target: Target
    scale: str  # "panel" or "gold": whose means these are
    topics: list[str]
    cells: Floats  # [system, topic]: expected score
    unsure: Floats  # [topic]: uncertainty due to the judges, a mean standard deviation
    shares: Mapping[str, float]  # of the variance of a difference, by cause
    labels_per_document: Mapping[int, int]  # number of labels: documents of the pool that have it
    agreement: Agreement | None
    kin: list[str]  # systems built on LLMs like the judges
    kin_overrated: tuple[float, float, float] | None  # by gold labels: middle, low, high
    correction: Correction | None  # how gold labels corrected the panel
    evidence: Evidence  # the lists and labels it was made from
    settings: LeaderboardSettings
    notes: tuple[Note, ...] = ()

    @staticmethod
    def of(found: Evidence, notes: tuple[Note, ...]) -> Leaderboard:
        """Rank the systems. All that takes more time is computed when it is asked for."""
        options, made, jury, correction = found.options, found.made, found.jury, found.correction
        chosen, labels, systems = options.measure, found.panel.judgments, found.alignment.systems
        # With few topics an interval may exceed the measure's range; clip it.
        ends = np.clip(interval(made.means, options.level), chosen.low, chosen.high)
        stretch = 1.0 if correction is None else correction.stretch
        order, ranking = ranked(
            made.mean, ends, made.draws, options, chosen.smaller_is_better, made.centre, stretch
        )
        if correction is not None:
            ranking["apart"] &= correction.concludes
            mean = correction.direct_mean[order]
            covariance = correction.direct_covariance[np.ix_(order, order)]
            correction = replace(correction, direct_mean=mean, direct_covariance=covariance)
        in_order = [systems[s] for s in order]
        return Leaderboard(
            **ranking,
            measure=str(chosen),
            merge=str(options.merge),
            target=options.target,
            scale=made.scale,
            systems=in_order,
            topics=found.alignment.pool.topics,
            cells=made.cells[order],
            unsure=found.drawn.draws.spread.mean(axis=0),
            shares=made.parts.shares(),
            labels_per_document=jury.panel.labels_per_document(),
            agreement=found.agreement,
            kin=[systems[s] for s in order if found.kin[s]],
            kin_overrated=found.overrated,
            correction=correction,
            evidence=replace(found, order=order),
            settings=LeaderboardSettings(
                **found.alignment.policy.recorded,
                **options.recorded,
                labels=labels.settings.but(grades=() if labels.soft else labels.grades),
                judges=len(jury.panel.judges),
                families=jury.families,
            ),
            notes=notes + best_elsewhere(in_order, ranking),
        )

    @cached_property
    def judges(self) -> list[JudgeRow]:
        """A row for every judge, if there are several."""
        drawn = self.evidence.drawn
        if self.agreement is None:
            return []
        return judge_rows(self.agreement, self.evidence.jury, drawn.labels, drawn.weights)

    @property
    def alike(self) -> bool:
        """True for a single system, and where all have the same scores."""
        return not (np.ptp(self.cells, axis=0) > ROUNDING).any()

    @cached_property
    def outlook(self) -> Outlook | None:
        """The precision with more topics or judges; None with gold labels, and where `alike`."""
        options = self.evidence.options
        if not options.outlook or self.correction is not None or self.alike:
            return None
        return look_ahead(self.evidence, np.random.SeedSequence(options.seed).spawn(3)[2])

    @cached_property
    def assumed(self) -> Assumed | None:
        """The assumptions about the panel's error; None for its own view, and with gold labels."""
        evidence = self.evidence
        layer, error, undeclared = evidence.layer, evidence.made.error, None
        if layer is None or error is None:
            return None
        if layer.kin.any():
            undeclared = apart_in(error.draws(kin=False), evidence.options)
        return Assumed(layer.tau, evidence.jury.declared, OVERRATED, undeclared)

    @cached_property
    def favours(self) -> tuple[Favour, ...]:
        """Which families of judges favour whom, if two or more are declared."""
        evidence, panel = self.evidence, self.evidence.jury.panel
        if evidence.jury.declared < 2 or panel.share is not None:
            return ()
        means = judge_means(panel, evidence.alignment, evidence.measure)
        scores, families = evidence.measure.better(means), panel.judgments.families
        return favours(scores, families, evidence.alignment.systems, evidence.kin)

    @cached_property
    def steps(self) -> list[Step]:
        """Steps that would tell more systems apart, the most helpful first."""
        return next_steps(self)

    @cached_property
    def gold(self) -> AgainstGold | None:
        """Judges, merges and the panel compared with gold labels."""
        return against_gold(self.evidence)

    @property
    def as_given(self) -> bool:
        """Say whether labels are probabilities of one source, without an error of judges."""
        return self.merge == AsGiven.name and self.assumed is None

    @property
    def smaller_is_better(self) -> bool:
        """True where smaller means are better."""
        return self.evidence.measure.smaller_is_better

    @property
    def rule(self) -> str:
        """When two systems are told apart, and what that allows for."""
        stretch = 1.0 if self.correction is None else self.correction.stretch
        looks = "" if stretch == 1 else ", at any of the declared looks"
        level = self.settings.level
        if self.settings.together:
            return f"at a level of {percent(level)} no pair at all is told apart by chance{looks}"
        needed = chance_needed(level, stretch)
        return f"P(one beats the other) is at least {needed:.3f}, each pair by itself{looks}"

    def _columns(self) -> dict[str, Sequence[Any]]:
        return {**super()._columns(), "scale": [self.scale] * len(self.systems)}

    def to_text(self, digits: int = 3) -> str:
        """Write a table with bars for intervals, then the sources of uncertainty."""
        return str(in_report("board.board_text")(self, digits))

    def to_latex(self, digits: int = 3) -> str:
        """Write a booktabs table."""
        return replace(self._captioned(digits), caption="").to_latex()

    def _captioned(self, digits: int) -> Table:
        table: Table = in_report("board.rounded_board")(self, self.settings.level, digits)
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
        content = {
            "measure": self.measure,
            "merge": self.merge,
            "target": self.target,
            "scale": self.scale,
            "settings": self.settings,
            "systems": self.table().to_dicts(),
            "beats": self.beats,
            "groups": self.groups,
            "shares": self.shares,
            "told_apart": {"rule": self.rule, "pairs": self.pairs_apart},
            "outlook": outlook,
            "assumed": self.assumed,
            "kin": {"systems": self.kin, "overrated": self.kin_overrated},
            "favours": self.favours,
            "next": self.steps,
            "judges": self.judges,
            "labels_per_document": {str(n): d for n, d in self.labels_per_document.items()},
            "topics": dict(zip(self.topics, self.unsure.tolist(), strict=True)),
            "gold": self.gold,
            "correction": self.correction,
            "notes": self.notes,
        }
        return dict(finite(content))
