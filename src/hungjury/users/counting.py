"""Count clicks with one query that both DuckDB and Spark understand.

Each click is paired with the next one of its session. Clicks that cannot be used are kept apart,
so they are counted but never linked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hungjury.base.errors import InputError
from hungjury.users.engine import RECORD, QueryEngine, need_ibis
from hungjury.users.logs import EMPTY_PAGE, KIND, UNREADABLE, Tally
from hungjury.users.readers import click_table

if TYPE_CHECKING:
    from ibis.expr import types as ir

__all__ = [
    "BAD_RECORD",
    "COUNTED",
    "MOST_RELEVANT",
    "NO_CLICK",
    "OFF_PAGE",
    "UNLABELLED",
    "WITHOUT_SESSION",
    "WITHOUT_TIME",
    "Row",
    "count_clicks",
]

MOST_RELEVANT = 5  # queries with this many relevant documents or more form one group
UNLABELLED = -1
COUNTED, OFF_PAGE, WITHOUT_TIME, WITHOUT_SESSION, NO_CLICK, BAD_RECORD = range(6)
Row = Mapping[str, Any]


def count_clicks(
    engine: QueryEngine | None,
    log: object,
    relevant: Mapping[str, int] | None,
    ranks: int,
    min_sessions: int,
    by_query: bool = False,
) -> tuple[list[Row], list[Row], Tally]:
    """Counts by group of queries and pair of ranks; holding times by query, if asked for."""
    needs_query = relevant is not None or min_sessions > 1 or by_query
    clicks, tally = click_table(engine, log, needs_query)
    if relevant is not None:
        clicks = _labelled(clicks, relevant)
        if KIND in clicks.columns and min_sessions <= 1 and not by_query:
            clicks = clicks.drop("query")  # pages are numbered, which is cheaper to sort
    paths = _paths(_with_next(clicks, ranks))
    times: dict[str, ir.Scalar] = {}
    if "time" in paths.columns:
        paths, times = _spent(paths, min_sessions)
    rows = _counts(paths, times).to_pyarrow().to_pylist()
    if not by_query:
        return rows, [], tally
    if not times or "query" not in paths.columns:
        raise InputError(
            "holding times by query need the columns query and time",
            code="missing-column",
            remedy="name the columns of the log query and time",
        )
    held = {name: times[name] for name in ("held", "spent")}
    each = paths.filter(paths.state == COUNTED).group_by(["query", "start"]).aggregate(**held)
    return rows, each.to_pyarrow().to_pylist(), tally


def _labelled(clicks: ir.Table, relevant: Mapping[str, int]) -> ir.Table:
    """Add the number of relevant documents of each click's query."""
    if "query" not in clicks.columns:
        raise InputError(
            "labels were given, but the log has no query column",
            code="missing-column",
            remedy="add a column query, or leave the labels out",
        )
    import pyarrow

    names = pyarrow.array(list(relevant), pyarrow.string())
    numbers = pyarrow.array([min(n, MOST_RELEVANT) for n in relevant.values()], pyarrow.int64())
    table = need_ibis().memtable(pyarrow.table({"judged_query": names, "relevant": numbers}))
    clicks = clicks.mutate(query=clicks.query.cast("string"))
    joined = clicks.left_join(table, clicks.query == table.judged_query).drop("judged_query")
    return joined.mutate(relevant=joined.relevant.fill_null(UNLABELLED))


def _with_next(clicks: ir.Table, ranks: int) -> ir.Table:
    """Every click with its state, and with the next click of its session in the same state."""
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
    """Clicks with the rank they start from and the rank they go to (0: the path ends)."""
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
    """Clicks grouped by state, labels, rank and the rank they go to."""
    return t.group_by(["state", "group", "start", "to"]).aggregate(
        clicks=t.count(),
        sessions=t[f"next_{RECORD}"].isnull().cast("int64").sum(),
        disorder=(t[f"next_{RECORD}"] < t[RECORD]).cast("int64").sum(),
        **times,
    )


def _spent(t: ir.Table, min_sessions: int) -> tuple[ir.Table, dict[str, ir.Scalar]]:
    """Times from a click to its known end: its own, or the next click of the path."""
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
