"""From a click log to a user model: clicks become paths over ranks, paths become chains.

The clicks of a result page in time order are one path; a new query starts a new one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hungjury.base.arrays import Floats, Ints
from hungjury.base.choices import ClickEngine, Pages, RatesBy
from hungjury.base.errors import Argument, InputError, plural
from hungjury.base.parameters import MOST_GRADE, MOST_LABELS, MOST_RANKS_OF_A_PAGE, check_count
from hungjury.base.records import Record
from hungjury.data.labels import as_qrels
from hungjury.data.reading.options import QrelsLike
from hungjury.users.chain import closed_groups, stationary_distribution
from hungjury.users.counting import MOST_RELEVANT, Counts, Row, count_clicks
from hungjury.users.model import (
    ALL,
    INFORMATIONAL,
    NAVIGATIONAL,
    Rates,
    UserClass,
    UserModel,
    fit_dynamic,
)
from hungjury.users.readers import is_ibis_table, open_engine


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
    columns: Mapping[str, str] | str | None = None,
) -> UserModel:
    """Estimate from a click log how users move over result pages.

    The clicks of a page in time order are one path over its ranks. Counted over many pages they
    give, for each class of queries, where users are in the long run (the stationary distribution),
    a smooth curve fitted to it (the dynamic), and how long they stay at a rank (holding times).
    Use the result in ``nMCG(user=...)``, ``MP(model=...)`` and `train_ranker`, to weight ranks as
    your own users do. Clicks are not attention: ranks below the last click may have been read too,
    and a class with fewer than about 100 pages is mostly noise (a note says so).

    Parameters
    ----------
    log : path, glob, frame or ibis table
        Yandex logs, TREC Session XML, or a table with the columns session, rank and, if known,
        query, page, time and until. An ibis table is counted where it is stored.
    qrels : Qrels or source, optional
        Labels by query. Pages with exactly one document of at least grade `nav_rel` are
        navigational, other pages of judged queries informational. Where the log does not list the
        documents of its pages, those of the labels are counted. Without labels there is one class.
    nav_rel : int
        Lowest grade that makes a document the target of a navigational query.
    ranks : int
        Results per page; clicks elsewhere are reported.
    min_sessions : int
        Estimate holding times from queries with at least this many sessions (the papers: 100).
    pages : {"all", "moves"}
        ``"all"`` counts every page with a click: users enter it with their first click and leave
        it after their last, and the stationary distribution is the share of clicks at each rank.
        ``"moves"``, as in the thesis, counts only moves between clicks; pages with a single click,
        which are most pages, are then not seen.
    rates_by : {"class", "query"}
        Holding times per class of queries, or also per query of at least `min_sessions` sessions,
        which ``MP(rates="model")`` uses for topics of that name.
    engine : {"duckdb", "spark"}
        The engine that counts clicks. DuckDB stays below `memory` and spills to disk.
    memory : str
        Memory limit of DuckDB.
    columns : dict or str, optional
        Columns of a table by role, such as ``{"session": "visit"}`` or ``"session=visit"``.

    Returns
    -------
    UserModel
        One class of users, or a navigational and an informational one; `log` reports everything
        unusual in the log, such as clicks without a session or outside the page.

    Notes
    -----
    A dynamic δ(i) = α/i + βi + γ is fitted to the stationary distribution over ranks by least
    squares and clipped at 0 (Ferrante, Ferro and Maistro 2014; Maistro 2018, chapter 5). The rate
    of the holding time at a rank is (K - 1) over the sum of the K times known; it is None where
    fewer than two are known.

    Examples
    --------
    Three pages with four clicks, half of them at rank 1:

    >>> import pandas as pd
    >>> import hungjury as hj
    >>> log = pd.DataFrame({"session": [1, 1, 2, 3], "rank": [1, 2, 1, 3]})
    >>> hj.calibrate(log, ranks=3)["all"].stationary
    (0.5, 0.25, 0.25)
    """
    check_count("ranks", ranks, 3, MOST_RANKS_OF_A_PAGE)
    check_count("nav_rel", nav_rel, 1, MOST_GRADE)
    check_count("min_sessions", min_sessions, 0, MOST_LABELS)
    relevant = None if qrels is None else _relevant(qrels, nav_rel)
    asked = (log, relevant, ranks, min_sessions, rates_by == "query", columns)
    if is_ibis_table(log):
        counts = count_clicks(None, *asked)
    else:
        with open_engine(engine, memory) as opened:
            counts = count_clicks(opened, *asked)
    found = _model(counts, ranks, nav_rel, relevant is not None, pages)
    return replace(found, query_rates=_query_rates(counts.queries, ranks))


def _by_rank(rows: Sequence[Row], column: str, ranks: int) -> Floats:
    """Add up a column of rows by the rank at which clicks start."""
    total = np.zeros(ranks)
    for row in rows:
        total[row["start"] - 1] += row.get(column) or 0
    return total


def _rates(rows: Sequence[Row], ranks: int) -> Rates:
    """Estimate the rate of the exponential holding time at every rank.

    Of K holding times known, (K - 1) / their sum is unbiased. One alone says nothing: None.
    """
    held, spent = (_by_rank(rows, column, ranks) for column in ("held", "spent"))
    return tuple(
        float((k - 1) / total) if k >= 2 and total > 0 else None
        for k, total in zip(held, spent, strict=True)
    )


def _query_rates(rows: Sequence[Row], ranks: int) -> tuple[tuple[str, Rates], ...]:
    """Estimate the rates of every query that has any."""
    by_query: dict[str, list[Row]] = {}
    for row in rows:
        by_query.setdefault(str(row["query"]), []).append(row)
    found = ((query, _rates(by_query[query], ranks)) for query in sorted(by_query))
    return tuple((query, rates) for query, rates in found if any(r is not None for r in rates))


def _relevant(qrels: QrelsLike, nav_rel: int) -> dict[str, set[str]]:
    """Return the documents of at least grade `nav_rel` of each judged query."""
    labels = as_qrels(qrels)
    if labels.labels is None:
        raise InputError(
            "query classes need grades, but these labels are probabilities",
            code="needs-grades",
            argument="labels",
            remedy="binarise them first",
        )
    found: dict[str, set[str]] = {topic: set() for topic in labels.topics}
    for i in np.flatnonzero(labels.labels >= nav_rel):
        found[labels.topics[labels.pool.topic_of[i]]].add(labels.pool.documents[i])
    return found


class _Chain(Record, eq=False):
    """The moves of some clicks between ranks."""

    visits: Ints  # [rank]
    moves: Ints  # [from, to]
    pages: int

    @classmethod
    def of(cls, rows: Sequence[Row], ranks: int) -> _Chain:
        moves, pages = np.zeros((ranks, ranks), np.int64), 0
        for row in rows:
            if row["to"] > 0:
                moves[row["start"] - 1, row["to"] - 1] += row["clicks"]
            else:
                pages += row["clicks"]
        return cls(_by_rank(rows, "clicks", ranks).astype(np.int64), moves, pages)

    def stationary(self, pages: Pages) -> Floats | None:
        """Return the stationary distribution over ranks, or None without data for one."""
        if pages == "moves":
            return long_run_distribution(self.moves)
        # Users come in with the first click of a page and go out after the last. As many enter a
        # rank as leave it, so the visits themselves are stationary.
        total = int(self.visits.sum())
        return self.visits / total if total else None

    def transitions(self, pages: Pages) -> Floats:
        """Return [from, to]; a rank without departures has probability 1 on the diagonal.

        For all pages, a user who leaves comes back through an entry: p_ij = (v_ij + exits_i
        entries_j / pages) / visits_i.
        """
        moves = self.moves.astype(float)
        if pages == "all" and self.pages:
            entries, exits = self.visits - moves.sum(axis=0), self.visits - moves.sum(axis=1)
            moves = moves + np.outer(exits, entries) / self.pages
        left = moves.sum(axis=1, keepdims=True)
        return np.where(left > 0, moves / np.maximum(left, 1e-300), np.eye(len(moves)))


def _model(counts: Counts, ranks: int, nav_rel: int, labelled: bool, pages: Pages) -> UserModel:
    rows, report = counts.rows, replace(counts.report, counted_pages=pages)
    if not rows:
        raise InputError(
            f"no click in the log can be counted ({plural(report.records, 'click')} read)",
            code="nothing-counted",
            remedy="check that queries are labelled"
            if labelled
            else "check the columns session and rank",
        )
    groups = {ALL: rows}
    if labelled:
        groups = {
            NAVIGATIONAL: [r for r in rows if r["group"] == 1],
            INFORMATIONAL: [r for r in rows if r["group"] != 1],
        }
    classes = tuple(
        _user_class(name, mine, ranks, counts.timed, pages) for name, mine in groups.items()
    )
    by_relevant = _by_relevant(rows, ranks, pages) if labelled else ()
    return UserModel(classes, nav_rel, by_relevant=by_relevant, log=report)


def _by_relevant(
    rows: Sequence[Row], ranks: int, pages: Pages
) -> tuple[tuple[str, tuple[float, ...]], ...]:
    """Return the distributions for queries with 0, 1, 2, ... relevant documents, if any."""
    found = []
    for number in range(MOST_RELEVANT + 1):
        pi = _Chain.of([r for r in rows if r["group"] == number], ranks).stationary(pages)
        if pi is not None:
            name = f"{number} or more" if number == MOST_RELEVANT else str(number)
            found.append((name, tuple(pi.tolist())))
    return tuple(found)


def _user_class(name: str, rows: Sequence[Row], ranks: int, timed: bool, pages: Pages) -> UserClass:
    counted = _Chain.of(rows, ranks)
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
        held=tuple(_by_rank(rows, "held", ranks).astype(int).tolist()) if timed else None,
        rates=_rates(rows, ranks) if timed else None,
    )


def long_run_distribution(moves: NDArray[np.int64]) -> Floats | None:
    """Return the stationary distribution over recurrent ranks, or None if there are none.

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
