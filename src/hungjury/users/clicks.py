"""From a click log to a user model: clicks become paths over ranks, paths become chains.

The clicks of a result page in time order are one path; a new query starts a new one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from hungjury.base.arrays import Floats
from hungjury.base.choices import ClickEngine, Pages, RatesBy
from hungjury.base.errors import Argument, InputError, check_choice
from hungjury.base.notes import plural
from hungjury.base.parameters import MOST_RANKS_OF_A_PAGE, check_count
from hungjury.data.labels import as_qrels
from hungjury.data.reading.options import QrelsLike
from hungjury.users.chain import closed_groups, stationary_distribution
from hungjury.users.counting import (
    BAD_RECORD,
    COUNTED,
    MOST_RELEVANT,
    NO_CLICK,
    OFF_PAGE,
    UNLABELLED,
    WITHOUT_SESSION,
    WITHOUT_TIME,
    Row,
    count_clicks,
)
from hungjury.users.engine import open_engine
from hungjury.users.logs import Tally
from hungjury.users.model import (
    ALL,
    INFORMATIONAL,
    NAVIGATIONAL,
    LogReport,
    UserClass,
    UserModel,
    fit_dynamic,
)
from hungjury.users.readers import is_ibis_table

__all__ = ["calibrate"]


def calibrate(
    log: object,
    qrels: QrelsLike | None = None,
    nav_rel: int = 1,
    *,
    ranks: int = 10,
    min_sessions: int = 1,
    pages: Pages = "all",
    rates_by: RatesBy = "class",
    engine: ClickEngine = "duckdb",
    memory: str = "1500MB",
) -> UserModel:
    """Count how users move over result pages, and fit user models to the counts.

    Parameters
    ----------
    log : path, glob, frame or ibis table
        Yandex logs, TREC Session XML, or a table with the columns session, rank and, if known,
        query, page, time and until. An ibis table is counted where it is stored.
    qrels : Qrels or source, optional
        Labels by query. Queries with exactly one document of at least grade `nav_rel` are
        navigational, other judged queries informational. Without labels there is one class.
    nav_rel : int
        See `qrels`.
    ranks : int
        Results per page; clicks elsewhere are reported.
    min_sessions : int
        Estimate holding times from queries with at least this many sessions (the papers: 100).
    pages : {"all", "moves"}
        ``"all"`` counts every page with a click: users enter it with their first click and leave
        it after their last, so that the stationary distribution is the share of clicks at each
        rank. ``"moves"``, as in the thesis, counts only moves between clicks; pages with a single
        click, which are most pages, are then not seen.
    rates_by : {"class", "query"}
        Holding times per class of queries, or also per query of at least `min_sessions` sessions,
        which ``MP(rates="model")`` uses for topics of that name.
    engine : {"duckdb", "spark"}
        The engine that counts clicks. DuckDB stays below `memory` and spills to disk.
    memory : str
        Memory limit of DuckDB.

    Returns
    -------
    UserModel
        One class of users, or a navigational and an informational one.

    Notes
    -----
    A dynamic δ(i) = α/i + βi + γ is fitted to the stationary distribution over ranks by least
    squares and clipped at 0 (Ferrante, Ferro and Maistro 2014; Maistro 2018, chapter 5).
    """
    check_count("ranks", ranks, 3, MOST_RANKS_OF_A_PAGE)
    check_choice("pages", pages, get_args(Pages))
    check_choice("rates_by", rates_by, get_args(RatesBy))
    if nav_rel < 1:
        raise InputError(
            f"nav_rel is {nav_rel}",
            code="out-of-range",
            argument="nav_rel",
            remedy="grades count from 1",
        )
    relevant = None if qrels is None else _relevant(qrels, nav_rel)
    asked = (log, relevant, ranks, min_sessions, rates_by == "query")
    if is_ibis_table(log):
        rows, queries, tally = count_clicks(None, *asked)
    else:
        with open_engine(engine, memory) as opened:
            rows, queries, tally = count_clicks(opened, *asked)
    found = _model(rows, tally, ranks, nav_rel, relevant is not None, pages)
    return replace(found, query_rates=_query_rates(queries, ranks))


def _query_rates(rows: list[Row], ranks: int) -> tuple[tuple[str, tuple[float | None, ...]], ...]:
    """Rates of the holding times of every query that has one."""
    held: dict[str, NDArray[np.int64]] = {}
    spent: dict[str, Floats] = {}
    for row in rows:
        query, at = str(row["query"]), row["start"] - 1
        held.setdefault(query, np.zeros(ranks, np.int64))[at] += row["held"] or 0
        spent.setdefault(query, np.zeros(ranks))[at] += row["spent"] or 0.0
    found = ((query, _rates(held[query], spent[query])) for query in sorted(held))
    return tuple((query, rates) for query, rates in found if any(r is not None for r in rates))


def _rates(held: NDArray[np.int64], spent: Floats) -> tuple[float | None, ...]:
    """(K - 1) / K over the mean holding time, where at least two are known."""
    return tuple(
        (int(k) - 1) / float(time) if k >= 2 and time > 0 else None
        for k, time in zip(held, spent, strict=True)
    )


def _relevant(qrels: QrelsLike, nav_rel: int) -> dict[str, int]:
    """The number of documents of at least grade `nav_rel` for each judged query."""
    labels = as_qrels(qrels)
    if labels.labels is None:
        raise InputError(
            "query classes need grades, but these labels are probabilities",
            code="needs-grades",
            argument="labels",
            remedy="binarise them first",
        )
    found = labels.pool.sum_by_topic(labels.labels >= nav_rel)
    return dict(zip(labels.topics, (int(n) for n in found), strict=True))


@dataclass
class _Counted:
    """Counts of one group of queries."""

    visits: NDArray[np.int64]  # [rank]
    moves: NDArray[np.int64]  # [from, to]
    held: NDArray[np.int64]  # [rank] visits with a known end
    spent: Floats  # [rank] their time
    pages: int = 0

    def stationary(self, pages: Pages) -> Floats | None:
        """The stationary distribution over ranks, or None without data for one."""
        if pages == "moves":
            return long_run_distribution(self.moves)
        # Users come in with the first click of a page and go out after the last. As many enter a
        # rank as leave it, so the visits themselves are stationary.
        total = int(self.visits.sum())
        return self.visits / total if total else None

    def transitions(self, pages: Pages) -> Floats:
        """[from, to]: a rank without departures gets probability 1 on the diagonal.

        For all pages, a user who leaves comes back through an entry: p_ij = (v_ij + exits_i
        entries_j / pages) / visits_i.
        """
        moves = self.moves.astype(float)
        if pages == "all" and self.pages:
            entries, exits = self.visits - moves.sum(axis=0), self.visits - moves.sum(axis=1)
            moves = moves + np.outer(exits, entries) / self.pages
        left = moves.sum(axis=1, keepdims=True)
        return np.where(left > 0, moves / np.maximum(left, 1e-300), np.eye(len(moves)))

    @classmethod
    def of(cls, rows: Iterable[Row], ranks: int) -> _Counted:
        new = cls(
            np.zeros(ranks, np.int64),
            np.zeros((ranks, ranks), np.int64),
            np.zeros(ranks, np.int64),
            np.zeros(ranks),
        )
        for row in rows:
            at = row["start"] - 1
            new.visits[at] += row["clicks"]
            new.held[at] += row.get("held") or 0
            new.spent[at] += row.get("spent") or 0.0
            if row["to"] > 0:
                new.moves[at, row["to"] - 1] += row["clicks"]
            else:
                new.pages += row["clicks"]
        return new


def _model(
    rows: list[Row], tally: Tally, ranks: int, nav_rel: int, labelled: bool, pages: Pages
) -> UserModel:
    report = replace(_report(rows, tally), counted_pages=pages)
    counted = [r for r in rows if r["state"] == COUNTED and r["group"] != UNLABELLED]
    if not counted:
        raise InputError(
            f"no click in the log can be counted ({plural(report.records, 'click')} read)",
            code="nothing-counted",
            remedy="check that queries are labelled"
            if labelled
            else "check the columns session and rank",
        )
    timed = any("held" in r for r in rows)
    if not labelled:
        whole = _user_class(ALL, _Counted.of(counted, ranks), timed, pages)
        return UserModel((whole,), nav_rel, log=report)
    navigational = [r for r in counted if r["group"] == 1]
    informational = [r for r in counted if r["group"] != 1]
    classes = tuple(
        _user_class(name, _Counted.of(some, ranks), timed, pages)
        for name, some in ((NAVIGATIONAL, navigational), (INFORMATIONAL, informational))
    )
    return UserModel(classes, nav_rel, by_relevant=_by_relevant(counted, ranks, pages), log=report)


def _by_relevant(
    counted: list[Row], ranks: int, pages: Pages
) -> tuple[tuple[str, tuple[float, ...]], ...]:
    """The distributions for queries with 0, 1, 2, ... relevant documents, if there are any."""
    found = []
    for number in range(MOST_RELEVANT + 1):
        mine = _Counted.of((r for r in counted if r["group"] == number), ranks)
        pi = mine.stationary(pages)
        if pi is not None:
            name = f"{number} or more" if number == MOST_RELEVANT else str(number)
            found.append((name, tuple(pi.tolist())))
    return tuple(found)


def _report(rows: list[Row], tally: Tally) -> LogReport:
    def clicks(wanted: Callable[[Row], bool]) -> int:
        return sum(r["clicks"] for r in rows if wanted(r))

    def total(name: str) -> int:
        return sum(r.get(name) or 0 for r in rows if r["state"] == COUNTED)

    report = LogReport(
        records=clicks(lambda r: r["state"] not in (NO_CLICK, BAD_RECORD)),
        counted=clicks(lambda r: r["state"] == COUNTED and r["group"] != UNLABELLED),
        off_page=clicks(lambda r: r["state"] == OFF_PAGE),
        without_session=clicks(lambda r: r["state"] == WITHOUT_SESSION),
        without_time=clicks(lambda r: r["state"] == WITHOUT_TIME),
        unlabelled=clicks(lambda r: r["state"] == COUNTED and r["group"] == UNLABELLED),
        repeated=clicks(lambda r: r["to"] > 0 and r["to"] == r["start"]),
        backward=clicks(lambda r: 0 < r["to"] < r["start"]),
        out_of_order=total("disorder"),
        ends_early=total("early"),
        sessions=total("sessions"),
        pages_without_clicks=tally.pages_without_clicks + clicks(lambda r: r["state"] == NO_CLICK),
        unreadable=tally.unreadable + clicks(lambda r: r["state"] == BAD_RECORD),
    )
    negative = total("negative")
    if negative:
        raise InputError(
            f"{negative:,} of {report.records:,} clicks have a negative time",
            code="negative-time",
            remedy="give times in seconds since a common start",
        )
    if not report.records:
        raise InputError(
            "the log contains no clicks",
            code="no-clicks",
            remedy="check the command that produced it",
        )
    return report


def _user_class(name: str, counted: _Counted, timed: bool, pages: Pages) -> UserClass:
    moves = counted.moves
    all_moves = int(moves.sum())
    pi = counted.stationary(pages)
    if pi is None:
        if not counted.pages:
            what = "no page with a click"
        else:
            missing = "rank to which users return" if all_moves else "moves between ranks"
            what = f"{plural(counted.pages, 'page')} with clicks, but no {missing}"
        advice = "give a longer log, another nav_rel, or no labels (one class)"
        raise InputError(
            f"the class '{name}' has {what}",
            code="too-few-clicks",
            remedy=advice
            if pages == "all"
            else (f"{advice};", Argument("pages", "all"), "needs no moves"),
        )
    left = moves.sum(axis=1) if pages == "moves" else counted.visits
    return UserClass(
        name,
        stationary=tuple(pi.tolist()),
        dynamic=fit_dynamic(pi),
        visits=tuple(counted.visits.tolist()),
        moves=tuple(tuple(row) for row in moves.tolist()),
        transitions=tuple(tuple(row) for row in counted.transitions(pages).tolist()),
        never_left=tuple(int(r) + 1 for r in np.flatnonzero(left == 0)),
        pages=counted.pages,
        backward=int(np.tril(moves, -1).sum()) / all_moves if all_moves else None,
        held=tuple(counted.held.tolist()) if timed else None,
        rates=_rates(counted.held, counted.spent) if timed else None,
    )


def long_run_distribution(moves: NDArray[np.int64]) -> Floats | None:
    """The stationary distribution over recurrent ranks, or None if there are none.

    A rank that users never leave ends paths and does not trap them: it is removed, and the chain
    is that of the moves between the others. If these form several closed groups,
    each group is weighted by its departures.
    """
    kept = np.arange(len(moves))
    while len(kept):
        inside = moves[np.ix_(kept, kept)]
        left = inside.sum(axis=1) > 0
        if left.all():
            break
        kept = kept[left]
    if not len(kept):
        return None
    pi = np.zeros(len(moves))
    for group in closed_groups(inside.astype(float)):
        part = inside[np.ix_(group, group)].astype(float)
        pi[kept[group]] = part.sum() * stationary_distribution(
            part / part.sum(axis=1, keepdims=True)
        )
    return np.asarray(pi / pi.sum())
