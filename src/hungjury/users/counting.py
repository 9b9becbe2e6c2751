"""Count clicks with one query that both DuckDB and Spark understand, through ibis.

Each click is paired with the next one of its session. Clicks that cannot be used are kept apart,
so they are counted but never linked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

from hungjury.base.errors import InputError
from hungjury.base.records import Record
from hungjury.users.logs import EMPTY_PAGE, KIND, RECORD, UNREADABLE, Relevant, Tally
from hungjury.users.model import LogReport
from hungjury.users.readers import QueryEngine, click_table, need_ibis

if TYPE_CHECKING:
    from ibis.expr import types as ir

MOST_RELEVANT = 5  # queries with this many relevant documents or more form one group
UNLABELLED = -1
COUNTED, OFF_PAGE, WITHOUT_TIME, WITHOUT_SESSION, NO_CLICK, BAD_RECORD = range(6)
Row = Mapping[str, Any]


class Counts(Record, eq=False):
    """The clicks of a log by group of queries, rank, and rank they go to (0: the path ends)."""

    rows: list[Row]  # of queries that are labelled, if labels were given
    queries: list[Row]  # holding times by query and rank, if they were wanted
    timed: bool  # whether the log has times
    report: LogReport


def count_clicks(
    engine: QueryEngine | None,
    log: object,
    relevant: Relevant | None,
    ranks: int,
    min_sessions: int,
    by_query: bool = False,
    columns: Mapping[str, str] | str | None = None,
) -> Counts:
    """Count clicks by group of queries and pair of ranks; holding times by query if asked for.

    relevant: documents of each judged query. Queries are grouped by how many of these are on the
    page, where the log lists its documents, else by how many there are.
    """
    needs_query = relevant is not None or min_sessions > 1 or by_query
    clicks, tally = click_table(engine, log, needs_query, relevant, columns)
    named = clicks
    shown = "relevant" in clicks.columns
    if relevant is not None:
        if not shown:
            clicks = _labelled(clicks, {query: len(each) for query, each in relevant.items()})
        number = clicks.relevant.fill_null(UNLABELLED)
        clicks = clicks.mutate(relevant=need_ibis().least(number, MOST_RELEVANT))
        if KIND in clicks.columns and min_sessions <= 1 and not by_query:
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
    return Counts(used, queries, bool(times), report)


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
        raise InputError(
            "holding times by query need the columns query and time",
            code="missing-column",
            remedy="name the columns of the log query and time",
        )
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
