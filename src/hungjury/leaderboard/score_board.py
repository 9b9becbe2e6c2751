"""Leaderboards from scores, and over collections.

Where labels and lists of documents are not known, only scores are, a leaderboard rests on topics
and on the judges who scored. Over several collections it rests on the leaderboards of these. Both
are draws of means; everything else follows from them in one place, as for a single leaderboard.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.choices import ScoreBoardPicture
from hungjury.base.errors import Argument, InputError, Note, few, percent, plural
from hungjury.base.results import Plot, Table, in_report
from hungjury.base.text import finite
from hungjury.comparison.compare import common_values
from hungjury.judges.aware import aware_of_scores
from hungjury.judges.merge import MergeLike
from hungjury.judges.weights import Weights
from hungjury.leaderboard.board import BoardRow, Leaderboard, Ranking, best_elsewhere, ranked
from hungjury.leaderboard.leaderboard import leaderboard
from hungjury.leaderboard.options import BoardOptions, split_options
from hungjury.leaderboard.panel_error import SPREAD, TAU, kind_of_panel
from hungjury.measures.catalogue import MeasureLike
from hungjury.measures.score_files import JudgeScores, read_scores
from hungjury.measures.scores import Scores, averaged
from hungjury.stats.resampling import interval, repeat_deviations, topic_deviations

FEWEST = 2  # topics, and collections
SHARED_SYSTEMS, SHARED_KIN = 0.2, 0.7  # correlation of panel errors between collections
OVER_ALL = ("wins", "mean_rank", "borda")  # columns about all collections


class ScoreBoard(Ranking, eq=False):
    """Systems, best first, by scores or over collections, and how certain their order is.

    Attributes
    ----------
    measure : str
        What was averaged.
    systems : list of str
        Best first; all arrays are in this order.
    mean, low, high : ndarray
        The mean, and its interval.
    p_best, rank_low, rank_high, beats, apart : ndarray
        Chance to be the best, rank intervals, P(row beats column), and which pairs are told apart.
    samples : ndarray
        [draw, system], the draws of means that all this follows from.
    parts : dict
        The leaderboard of each collection by its name; empty for scores.
    decisive : dict
        For each collection, the leader and the pairs told apart without it.
    level : float
        Level of intervals.
    notes : tuple of Note
        What a reader should know.

    Examples
    --------
    >>> import hungjury as hj
    >>> sim = hj.simulate(topics=20, systems=3, seed=1)
    >>> scores = hj.evaluate(sim.gold, sim.runs, "nDCG@10")
    >>> hj.leaderboard_of_scores(scores, draws=200).systems
    ['system1', 'system2', 'system3']
    """

    level: float
    about: str  # a sentence on what was averaged and what the uncertainty includes
    parts: Mapping[str, Leaderboard | ScoreBoard] = field(default_factory=dict)
    decisive: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    smaller_is_better: bool = False
    notes: tuple[Note, ...] = ()

    def collection_means(self) -> Floats:
        """[collection, system]: the means on each collection."""
        rows = [
            [board.mean[board.systems.index(s)] for s in self.systems]
            for board in self.parts.values()
        ]
        return np.array(rows, dtype=float).reshape(len(self.parts), len(self.systems))

    def table(self) -> Table:
        """Return a row per system; with collections also wins, mean rank, Borda count and, for
        each collection, the mean, P(best) and the groups."""
        return replace(super().table(), digits=3)

    def _columns(self) -> dict[str, Sequence[Any]]:
        columns = super()._columns()
        if len(self.parts) < FEWEST:
            return columns
        means = self.collection_means()
        below = (means[:, :, None] > means[:, None, :]).sum(axis=2)
        ties = (means[:, :, None] == means[:, None, :]).sum(axis=2) - 1
        points = below + ties / 2
        wins = (means == means.max(axis=1, keepdims=True)).sum(axis=0)
        found = wins, (len(self.systems) - points).mean(axis=0), points.sum(axis=0)
        columns |= {name: one.tolist() for name, one in zip(OVER_ALL, found, strict=True)}
        for (name, board), row in zip(self.parts.items(), means, strict=True):
            known = {one.system: one for one in board.rows()}
            columns[name] = row.tolist()
            columns[f"{name} p_best"] = [known[system].p_best for system in self.systems]
            columns[f"{name} groups"] = [known[system].letters for system in self.systems]
        return columns

    def to_dict(self) -> dict[str, Any]:
        """Return the rows, P(A beats B), groups and notes."""
        without = {
            name: {"leader": leader, "pairs_apart": pairs}
            for name, (leader, pairs) in self.decisive.items()
        }
        return {
            "measure": self.measure,
            "level": self.level,
            "systems": self.table().to_dicts(),
            "beats": self.beats.tolist(),
            "groups": self.groups,
            "collections": list(self.parts),
            "without": without,
            "notes": finite(self.notes),
        }

    def _parts(self) -> Iterable[str | Table]:
        number = len(self.systems)
        yield self.about
        table = in_report("board.rounded_score_board")(self, 3)
        yield table
        if self.parts and set(self.parts) <= set(table.columns):
            yield "Under the name of a collection: the mean, P(best) and groups on it alone."
        yield (
            f"{self.pairs_apart} of {plural(number * (number - 1) // 2, 'pair')} of systems can be "
            "told apart; those that share a group letter cannot."
        )
        others = {name: who for name, (who, _) in self.decisive.items() if who != self.systems[0]}
        if others:
            told = ", ".join(f"without {name} {who} leads" for name, who in others.items())
            yield f"One collection decides who leads: {told}."
        elif self.decisive:
            yield f"{self.systems[0]} also leads if any one collection is left out."

    def plot(self, what: ScoreBoardPicture = "intervals") -> Plot:
        """Draw the board.

        Parameters
        ----------
        what : {"intervals", "pairs", "collections"}
            Means with intervals, P(row beats column), or the means on each collection.
        """
        return self._drawn("board_plots.draw_score_board", what)


def leaderboard_of_scores(
    scores: Scores | JudgeScores | Any,
    measure: str | None = None,
    *,
    families: int = 1,
    weights: str | Weights = "uni",
    seed_pattern: str | None = None,
    **options: Any,
) -> ScoreBoard:
    """Rank systems by scores that were computed elsewhere, with the uncertainty of the order.

    Topics are a sample of those that could be asked. If several judges scored, the errors that they
    share are included as for other leaderboards: without documents only the part of systems, which
    does not average out over topics. Scores without judges are taken as they are; where `evaluate`
    drew labels (E(X) with ``distribution=True``), the uncertainty of labels is included.

    Parameters
    ----------
    scores : Scores, JudgeScores or source
        Scores, or anything `read_scores` takes.
    measure : str, optional
        One of the measures; default: the first.
    families : int
        Of how many families the judges are, such as LLMs; more of them share fewer errors.
    weights : str
        Weights of the judges, as in `aware_of_scores`.
    seed_pattern : str, optional
        A regular expression such as ``"-seed[0-9]+$"``: systems whose names are equal without what
        it matches are repeats of one system, whose mean is ranked. How much repeats differ is
        estimated over all systems, and is a further source of uncertainty.
    **options
        `draws`, `seed`, `level`, `target`, `panel_error`, `together` and `order` of `leaderboard`.

    Returns
    -------
    ScoreBoard
        Means, intervals, P(best), rank intervals and groups.

    Examples
    --------
    >>> import hungjury as hj
    >>> table = {"a": {"1": {"F": 0.9}, "2": {"F": 0.8}}, "b": {"1": {"F": 0.1}, "2": {"F": 0.2}}}
    >>> hj.leaderboard_of_scores(table, draws=200).systems
    ['a', 'b']
    """
    chosen, _ = split_options(options, BoardOptions)
    found = scores if isinstance(scores, Scores) else read_scores(scores)
    rng, noise, of_panel, notes = np.random.default_rng(chosen.seed), None, 0.0, found.notes
    population, of_labels, average = chosen.target == "population", None, "mean"
    if isinstance(found, JudgeScores):
        cells, noise = _over_judges(found, weights, chosen.seed)
        smaller, name = found.smaller[0], found.measure
        usual = TAU[kind_of_panel(len(found.judges), families)]
        tau = usual if chosen.panel_error is None else chosen.panel_error
        of_panel = tau * (found.scale[1] - found.scale[0])
        who = f"{plural(len(found.judges), 'judge')}, a panel error of {tau:g} of the scale"
    else:
        name = measure or found.measures[0]
        found = found.select(measures=[name])
        smaller = bool(found.signs[0] < 0)
        (counted,), more = common_values(found, FEWEST if population else 1)
        average = found.averages[0]
        cells, notes = averaged(counted, average), notes + more
        who = "errors of whoever scored are not included"
        if 0 in found.draws:  # of labels
            who = "probabilities are taken as true"
            of_labels = found.resampled_means(0, chosen.draws, chosen.seed)
        elif not population:
            raise InputError(
                f"{name} has no distribution on these topics alone", code="nothing-uncertain",
                remedy=("use E(X) of labels that are probabilities, such as E(AP), or rank for a "
                        "population of topics,", Argument("target", "population")),
            )  # fmt: skip
    systems, groups = systems_of(found.systems, seed_pattern)
    again = repeat_deviations([cells], [1.0], groups, chosen.draws, rng, population)
    cells, top = np.stack([cells[mine].mean(axis=0) for mine in groups]), cells.max(initial=0.0)
    mean = cells.mean(axis=1)
    draws = np.tile(mean, (chosen.draws, 1))
    if population:
        draws += topic_deviations(cells, chosen.draws, rng, rng)
    elif noise is not None:
        error = [np.sqrt(noise[mine].sum()) / len(mine) for mine in groups]
        draws += rng.standard_normal(draws.shape) * error
    draws += again
    if average == "gmean":  # logarithms of few topics may be drawn far above the largest
        mean, draws = np.exp(mean), np.exp(np.minimum(draws, top))
    if of_labels is not None:
        shared = np.stack([of_labels[:, mine].mean(axis=1) for mine in groups], axis=1)
        draws = shared + (draws - mean)
    shown = draws.copy()
    if of_panel:
        factor = np.exp(SPREAD * rng.standard_normal((len(draws), 1)))
        draws += factor * of_panel * rng.standard_normal(draws.shape)
    told = f"{len(found.systems)} runs of " if seed_pattern else ""
    about = (
        f"{name}: {told}{plural(len(systems), 'system')}, {plural(cells.shape[1], 'topic')}; "
        f"{who}. Intervals are at a level of {percent(chosen.level)}."
    )
    ends = np.asarray(interval(shown, chosen.level))
    return score_board(name, systems, mean, ends, draws, smaller, chosen, about, notes=notes)


def _over_judges(scores: JudgeScores, weights: str | Weights, seed: int) -> tuple[Floats, Floats]:
    """[system, topic]: the mean over judges who scored; and [system]: its variance over judges."""
    values = scores.values
    if str(weights) != "uni":
        share = aware_of_scores(scores, weights, seed=seed).weights[:, None, :]
    elif np.isnan(values).all(axis=0).any():
        raise InputError(
            "a system has no score on some topic", code="missing-scores",
            remedy=("read the scores with", Argument("missing", "drop")),
        )  # fmt: skip
    else:
        share = ~np.isnan(values) / (~np.isnan(values)).sum(axis=0)
    filled = np.nan_to_num(values)
    cells = (share * filled).sum(axis=0)
    number = np.broadcast_to(share > 0, values.shape).sum(axis=0)
    spread = (share**2 * (filled - cells) ** 2).sum(axis=0) * number / np.maximum(number - 1, 1)
    return cells, np.asarray(spread.sum(axis=1) / cells.shape[1] ** 2)


def score_board(
    measure: str, systems: list[str], mean: Floats, ends: Floats, draws: Floats, smaller: bool,
    options: BoardOptions, about: str, notes: tuple[Note, ...] = (), **more: Any,
) -> ScoreBoard:  # fmt: skip
    order, ranking = ranked(mean, ends, draws, options, smaller)
    in_order = [systems[s] for s in order]
    return ScoreBoard(
        **ranking, measure=measure, systems=in_order, level=options.level, about=about,
        smaller_is_better=smaller, notes=notes + best_elsewhere(in_order, ranking), **more,
    )  # fmt: skip


def systems_of(systems: list[str], seed_pattern: str | None) -> tuple[list[str], list[list[int]]]:
    """The systems whose repeats these are, and the places of the repeats of each."""
    if seed_pattern is None:
        return systems, [[s] for s in range(len(systems))]
    try:
        names = [re.sub(seed_pattern, "", name) for name in systems]
    except re.error as error:
        raise InputError(
            f"seed_pattern is not a regular expression: {error}", code="bad-pattern",
            argument="seed_pattern", remedy="write something like '-seed[0-9]+$'",
        ) from None  # fmt: skip
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        places.setdefault(name, []).append(place)
    if len(places) == len(systems) or "" in places:
        raise InputError(
            f"{seed_pattern!r} does not tell repeats of a system from its name",
            code="no-repeats", argument="seed_pattern",
            remedy=f"the systems are {few(systems)}; match the part in which repeats differ",
        )  # fmt: skip
    return list(places), list(places.values())


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
        said = f"a column of the board has the name of a collection: {few(taken)}"
        raise InputError(said, code="collection-name", remedy="give the collection another name")
    without = [name for name in collections if gold and name not in gold]
    if without:
        said = f"{plural(len(without), 'collection')} without gold labels: {few(without)}"
        remedy = "give gold labels of all collections, or of none"
        raise InputError(said, code="gold-missing", remedy=remedy)
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
    about = (
        f"{first.measure}: {told}{plural(len(systems), 'system')} over "
        f"{plural(len(boards), 'collection')} ({', '.join(boards)}), "
        f"{plural(len(judges), 'judge')}. Means are those of collection means; intervals at a "
        f"level of {percent(chosen.level)}."
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
            lasting = errors.tau * errors.systems + errors.below, errors.kin  # with any topics
            shared = zip(lasting, (SHARED_SYSTEMS, SHARED_KIN), both, strict=True)
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
