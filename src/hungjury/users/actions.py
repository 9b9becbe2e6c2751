"""Yandex's relevance-prediction log: Q records show a page, C records click on its results.

    session <TAB> time <TAB> Q <TAB> query <TAB> region <TAB> url1 <TAB> ... <TAB> url10
    session <TAB> time <TAB> C <TAB> url

A click belongs to the session's latest page. Queries are called query_region, as the labels of
that log are given per query and region.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hungjury.users.engine import RECORD
from hungjury.users.formats import Tally

__all__ = ["yandex_action_clicks"]

SHOWN = 10  # results of a page


def yandex_action_clicks(
    connection: Any, paths: Sequence[Path], target: Path, tally: Tally
) -> None:
    """Write the clicks with their ranks to the Parquet file `target`.

    The log is read twice: once for the narrow part, which is sorted to find each click's page, and
    once for the wide pages, which stream past a hash table of the clicks.
    """
    narrow = target.with_name("actions.parquet")
    run = connection.raw_sql
    run(f"create or replace temp view lines as {_lines(paths)}")
    run(
        f"""copy (select record, c0 as session, try_cast(c1 as double) as time, c2 as kind,
            c3 as item from lines) to {_quoted(narrow)}"""
    )
    # The planner cannot know how many pages a text file holds and would keep them in memory.
    run("set disabled_optimizers = 'build_side_probe_side,join_order'")
    run(f"copy ({_clicks(narrow)}) to {_quoted(target)}")
    run("reset disabled_optimizers")
    pages, unreadable = run(
        f"""select count(*) filter (kind = 'Q'),
            count(*) filter (kind is null or kind not in ('Q', 'C') or item is null)
            from {_quoted(narrow)}"""
    ).fetchone()
    clicked = run(f"select count(distinct page) from {_quoted(target)}").fetchone()[0]
    tally.pages_without_clicks += pages - clicked
    tally.unreadable += unreadable


def _lines(paths: Sequence[Path]) -> str:
    """Records of any length up to a full page, numbered."""
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(5 + SHOWN))
    files = ", ".join(_quoted(p) for p in paths)
    return f"""select row_number() over () - 1 as record, *
        from read_csv([{files}], delim = '\t', header = false, quote = '', escape = '',
            null_padding = true, auto_detect = false, columns = {{{columns}}})"""


def _clicks(narrow: Path) -> str:
    shown = " ".join(f"when c{4 + rank} then {rank}" for rank in range(1, SHOWN + 1))
    paged = f"""select session, time, kind, item, record,
            last_value(case when kind = 'Q' then record end ignore nulls)
                over (partition by session order by time, record) as page
        from {_quoted(narrow)} where kind in ('Q', 'C')"""
    return f"""
        with clicks as materialized (select * from ({paged}) where kind = 'C')
        select session, page, c3 || '_' || c4 as query, case item {shown} end as rank, time,
            clicks.record as {RECORD}
        from (select * from lines where c2 = 'Q') as pages
        join clicks on pages.record = clicks.page
        union all
        select session, page, null, null, time, record from clicks where page is null"""


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
