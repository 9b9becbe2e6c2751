"""From a click log to a user model: clicks become paths over ranks, paths become chains.

The clicks of a result page in time order are one path; a new query starts a new one. Clicks are
counted with one query that both DuckDB and Spark understand, through ibis: each is paired with the
next one of its session. Clicks that cannot be used are kept apart, so they are counted but never
linked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from hungjury.base.arrays import Floats, Ints
from hungjury.base.choices import ClickEngine, Pages, RatesBy
from hungjury.base.errors import Argument, InputError, plural
from hungjury.base.parameters import MOST_GRADE, MOST_LABELS, MOST_RANKS_OF_A_PAGE, check_count
from hungjury.base.records import Record
from hungjury.data.labels import as_qrels
from hungjury.data.reading.options import QrelsLike
from hungjury.users import model
from hungjury.users.chain import long_run_distribution
from hungjury.users.logs import EMPTY_PAGE, KIND, RECORD, UNREADABLE, Relevant, Tally
from hungjury.users.model import LogReport, Rates, UserClass, UserModel
from hungjury.users.readers import QueryEngine, click_table, is_ibis_table, need_ibis, open_engine

if TYPE_CHECKING:
    from ibis.expr import types as ir

MOST_RELEVANT = 5  # queries with this many relevant documents or more form one group
UNLABELLED = -1
COUNTED, OFF_PAGE, WITHOUT_TIME, WITHOUT_SESSION, NO_CLICK, BAD_RECORD = range(6)
Row = Mapping[str, Any]


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
    by_query = rates_by == "query"
    with nullcontext() if is_ibis_table(log) else open_engine(engine, memory) as opened:
        rows, queries, timed, report = count_clicks(
            opened, log, relevant, ranks, min_sessions, by_query, columns
        )
    if not rows:
        said = f"no click in the log can be counted ({plural(report.records, 'click')} read)"
        remedy = "check the columns session and rank; labels need the queries of the log"
        raise InputError(said, code="nothing-counted", remedy=remedy)
    groups = {model.ALL: rows}
    if relevant is not None:
        groups = {
            model.NAVIGATIONAL: [r for r in rows if r["group"] == 1],
            model.INFORMATIONAL: [r for r in rows if r["group"] != 1],
        }
    classes = [_user_class(name, mine, ranks, timed, pages) for name, mine in groups.items()]
    by_relevant = () if relevant is None else _by_relevant(rows, ranks, pages)
    report = replace(report, counted_pages=pages)
    query_rates = _query_rates(queries, ranks)
    return UserModel(tuple(classes), nav_rel, query_rates, by_relevant, log=report)


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
        said = "query classes need grades, but these labels are probabilities"
        raise InputError(said, code="needs-grades", argument="labels", remedy="binarise them first")
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
        said = f"{plural(counted.pages, 'page')} with clicks, and no rank to which users return"
        more = (";", Argument("pages", "all"), "needs no moves") if pages == "moves" else ()
        said = f"the class '{name}' has {said}"
        remedy = ("give a longer log, another nav_rel, or no labels (one class)", *more)
        raise InputError(said, code="too-few-clicks", remedy=remedy)
    left = moves.sum(axis=1) if pages == "moves" else counted.visits
    return UserClass(
        name,
        stationary=tuple(pi.tolist()),
        dynamic=model.fit_dynamic(pi),
        visits=tuple(counted.visits.tolist()),
        moves=tuple(tuple(row) for row in moves.tolist()),
        transitions=tuple(tuple(row) for row in counted.transitions(pages).tolist()),
        never_left=tuple(int(r) + 1 for r in np.flatnonzero(left == 0)),
        pages=counted.pages,
        backward=int(np.tril(moves, -1).sum()) / all_moves if all_moves else None,
        held=tuple(_by_rank(rows, "held", ranks).astype(int).tolist()) if timed else None,
        rates=_rates(rows, ranks) if timed else None,
    )


def count_clicks(
    engine: QueryEngine | None,
    log: object,
    relevant: Relevant | None,
    ranks: int,
    min_sessions: int,
    by_query: bool,
    columns: Mapping[str, str] | str | None,
) -> tuple[list[Row], list[Row], bool, LogReport]:
    """Count clicks by group of queries, rank, and rank they go to (0: the path ends), of labelled
    queries if labels were given; and holding times by query and rank if asked for. Also return
    whether the log has times.

    relevant: documents of each judged query. Queries are grouped by how many of these are on the
    page, where the log lists its documents, else by how many there are.
    """
    by_name = min_sessions > 1 or by_query
    clicks, tally = click_table(engine, log, relevant is not None or by_name, relevant, columns)
    named = clicks
    shown = "relevant" in clicks.columns
    if relevant is not None:
        if not shown:
            clicks = _labelled(clicks, {query: len(each) for query, each in relevant.items()})
        number = clicks.relevant.fill_null(UNLABELLED)
        clicks = clicks.mutate(relevant=need_ibis().least(number, MOST_RELEVANT))
        if KIND in clicks.columns and not by_name:
            clicks = clicks.drop("query")  # pages are numbered, which is cheaper to sort
    paths = _paths(_with_next(clicks, ranks))
    times: dict[str, ir.Scalar] = {}
    if "time" in paths.columns:
        paths, times = _spent(paths, min_sessions)
    rows = _counts(paths, times).to_pyarrow().to_pylist()
    queries = _by_query(paths, times) if by_query else []
    used = [r for r in rows if r["state"] == COUNTED and r["group"] != UNLABELLED]
    report = replace(_report(rows, tally), relevant_shown=shown and tally.listed)
    if not used and relevant and report.unlabelled:
        _refuse_names(named, next(iter(relevant)), report.unlabelled)
    return used, queries, bool(times), report


def _refuse_names(clicks: ir.Table, topic: str, unlabelled: int) -> NoReturn:
    query = clicks.select("query").limit(1).to_pyarrow()["query"][0].as_py()
    raise InputError(
        f"none of the {unlabelled:,} clicks is on a page of a labelled query: the log has queries "
        f"such as {str(query)!r}, the labels have topics such as {topic!r}",
        code="no-labelled-query",
        argument="qrels",
        remedy="call the topics of the labels as the log calls its queries; those of Yandex' logs "
        "are query_region",
    )


def _by_query(paths: ir.Table, times: dict[str, ir.Scalar]) -> list[Row]:
    if not times or "query" not in paths.columns:
        said = "holding times by query need the columns query and time"
        remedy = "name the columns of the log query and time"
        raise InputError(said, code="missing-column", remedy=remedy)
    held = {name: times[name] for name in ("held", "spent")}
    each = paths.filter(paths.state == COUNTED).group_by(["query", "start"]).aggregate(**held)
    rows: list[Row] = each.to_pyarrow().to_pylist()
    return rows


def _report(rows: list[Row], tally: Tally) -> LogReport:
    def clicks(wanted: Callable[[Row], bool]) -> int:
        return sum(r["clicks"] for r in rows if wanted(r))

    def total(name: str) -> int:
        return sum(r.get(name) or 0 for r in rows if r["state"] == COUNTED)

    state = Counter[int]()
    for row in rows:
        state[row["state"]] += row["clicks"]
    unlabelled = clicks(lambda r: r["state"] == COUNTED and r["group"] == UNLABELLED)
    report = LogReport(
        records=sum(state.values()) - state[NO_CLICK] - state[BAD_RECORD],
        counted=state[COUNTED] - unlabelled,
        off_page=state[OFF_PAGE],
        without_session=state[WITHOUT_SESSION],
        without_time=state[WITHOUT_TIME],
        unlabelled=unlabelled,
        repeated=clicks(lambda r: r["to"] > 0 and r["to"] == r["start"]),
        backward=clicks(lambda r: 0 < r["to"] < r["start"]),
        out_of_order=total("disorder"),
        ends_early=total("early"),
        sessions=total("sessions"),
        pages_without_clicks=tally.pages_without_clicks + state[NO_CLICK],
        unreadable=tally.unreadable + state[BAD_RECORD],
    )
    if negative := total("negative"):
        said = f"{negative:,} of {report.records:,} clicks have a negative time"
        remedy = "give times in seconds since a common start"
        raise InputError(said, code="negative-time", remedy=remedy)
    if not report.records:
        said = "the log contains no clicks"
        remedy = "check the command that produced it"
        raise InputError(said, code="no-clicks", remedy=remedy)
    return report


def _labelled(clicks: ir.Table, relevant: Mapping[str, int]) -> ir.Table:
    """Add the number of relevant documents of each click's query."""
    if "query" not in clicks.columns:
        said = "labels were given, but the log has no query column"
        remedy = "add a column query, or leave the labels out"
        raise InputError(said, code="missing-column", remedy=remedy)
    import pyarrow

    names = pyarrow.array(list(relevant), pyarrow.string())
    numbers = pyarrow.array(list(relevant.values()), pyarrow.int64())
    table = need_ibis().memtable(pyarrow.table({"judged_query": names, "relevant": numbers}))
    clicks = clicks.mutate(query=clicks.query.cast("string"))
    return clicks.left_join(table, clicks.query == table.judged_query).drop("judged_query")


def _with_next(clicks: ir.Table, ranks: int) -> ir.Table:
    """Add to every click its state, and the next click of its session in the same state."""
    ibis = need_ibis()
    states = []
    if KIND in clicks.columns:
        states += [(clicks[KIND] == EMPTY_PAGE, NO_CLICK), (clicks[KIND] == UNREADABLE, BAD_RECORD)]
    states.append((clicks.session.isnull(), WITHOUT_SESSION))
    order = [RECORD]
    if "time" in clicks.columns:
        unknown = clicks.time.isnull() | clicks.time.isnan() | clicks.time.isinf()
        states.append((unknown, WITHOUT_TIME))
        order = ["time", RECORD]
    states.append((clicks["rank"].isnull() | ~clicks["rank"].between(1, ranks), OFF_PAGE))
    clicks = clicks.mutate(state=ibis.cases(*states, else_=COUNTED).cast("int8"))
    window = ibis.window(group_by=["session", "state"], order_by=order)
    known = [c for c in ("rank", "query", "page", "time", RECORD) if c in clicks.columns]
    return clicks.mutate(**{f"next_{c}": clicks[c].lead().over(window) for c in known})


def _paths(t: ir.Table) -> ir.Table:
    """Add to clicks the rank they start from and the rank they go to (0: the path ends)."""
    ibis = need_ibis()
    zero = ibis.literal(0, "int64")
    on_page = t.state == COUNTED
    goes_on = on_page & t.next_rank.notnull()
    for column in ("query", "page"):
        if column in t.columns:
            goes_on = goes_on & t[f"next_{column}"].identical_to(t[column])
    return t.mutate(
        group=t.relevant if "relevant" in t.columns else zero,
        start=ibis.ifelse(on_page, t["rank"], zero),
        to=ibis.ifelse(goes_on, t.next_rank, zero),
    )


def _counts(t: ir.Table, times: dict[str, ir.Scalar]) -> ir.Table:
    """Count clicks by state, labels, rank and the rank they go to."""
    return t.group_by(["state", "group", "start", "to"]).aggregate(
        clicks=t.count(),
        sessions=t[f"next_{RECORD}"].isnull().cast("int64").sum(),
        disorder=(t[f"next_{RECORD}"] < t[RECORD]).cast("int64").sum(),
        **times,
    )


def _spent(t: ir.Table, min_sessions: int) -> tuple[ir.Table, dict[str, ir.Scalar]]:
    """Add the time from a click to its known end: its own, or the next click of the path."""
    ibis = need_ibis()
    end = ibis.ifelse(t.to > 0, t.next_time, ibis.null("float64"))
    if "until" in t.columns:
        end = ibis.coalesce(t.until, end)
    if min_sessions > 1 and "query" in t.columns:
        each = t.group_by("query").aggregate(seen_in=t.session.nunique())
        often = each.filter(each.seen_in >= min_sessions).rename(often="query")
        t = t.mutate(end=end).left_join(often, t.query == often.often)
        end = ibis.ifelse(t.often.notnull(), t.end, ibis.null("float64"))
    t = t.mutate(spent=ibis.ifelse(t.state == COUNTED, end - t.time, ibis.null("float64")))
    usable = t.spent >= 0
    return t, {
        "held": usable.cast("int64").sum(),
        "spent": t.spent.sum(where=usable),
        "early": (t.spent < 0).cast("int64").sum(),
        "negative": (t.time < 0).cast("int64").sum(),
    }
