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

from hungjury.machine import cores
from hungjury.users.engine import RECORD

__all__ = ["CLICK", "EMPTY_PAGE", "KIND", "UNREADABLE", "yandex_action_clicks"]

KIND = "hungjury_kind"
CLICK, EMPTY_PAGE, UNREADABLE = range(3)  # what a row of the view is
SHOWN = 10  # results of a page
LARGE, CHUNK = 1 << 26, 1 << 22  # bytes
PART = 1 << 40  # more records than a part has


def yandex_action_clicks(connection: Any, paths: Sequence[Path], folder: Path, view: str) -> None:
    """Make a view of the clicks with their ranks, of pages without clicks, and of bad records.

    The log is read twice whenever the view is: once for its narrow part, which is sorted to find
    each click's page, and once for the wide pages, which stream past a hash table of the clicks.
    folder: where parts of a large file may be kept as long as the view is used.
    """
    # The planner cannot know how many pages a text file holds; it would keep them in memory.
    connection.raw_sql("set disabled_optimizers = 'build_side_probe_side,join_order'")
    lines = " union all ".join(_lines(n, part) for n, part in enumerate(_parts(paths, folder)))
    connection.raw_sql(f"create or replace view hungjury_lines as {lines}")
    connection.raw_sql(f"create or replace view {view} as {_clicks()}")


def _parts(paths: Sequence[Path], folder: Path) -> list[list[Path]]:
    """The files in as many parts as there are cores: records are numbered one by one, but parts
    beside each other. A large file that stands alone is cut between lines."""
    if len(paths) == 1 and paths[0].suffix != ".gz" and paths[0].stat().st_size > LARGE:
        paths = _cut(paths[0], folder, cores())
    most = -(-len(paths) // cores())
    return [list(paths[i : i + most]) for i in range(0, len(paths), most)]


def _cut(path: Path, folder: Path, number: int) -> list[Path]:
    size = path.stat().st_size
    parts = [folder / f"part-{i}.tsv" for i in range(number)]
    with path.open("rb") as whole:
        for i, part in enumerate(parts, 1):
            with part.open("wb") as piece:
                while whole.tell() < size * i // number:
                    piece.write(whole.read(min(CHUNK, size * i // number - whole.tell())))
                piece.write(whole.readline())
    return parts


def _lines(number: int, paths: Sequence[Path]) -> str:
    """Records of any length up to a full page, numbered within their part of the log."""
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(5 + SHOWN))
    files = ", ".join("'" + str(p).replace("'", "''") + "'" for p in paths)
    return f"""select row_number() over () + {number * PART} as record, *
        from read_csv([{files}], delim = '\t', header = false, quote = '', escape = '',
            null_padding = true, auto_detect = false, columns = {{{columns}}})"""


def _clicks() -> str:
    """Pages are joined to what happened on them; a row without a page stays, with no rank.

    Results are compared by 64-bit hashes, among the ten of a page only.
    """
    shown = ", ".join(f"hash(c{4 + rank}) as shown{rank}" for rank in range(1, SHOWN + 1))
    rank = " ".join(f"when shown{rank} then {rank}" for rank in range(1, SHOWN + 1))
    return f"""
        select happened.session, happened.page, pages.query, case item {rank} end as rank,
            happened.time, happened.kind as {KIND}, happened.record as {RECORD}
        from (select record, c3 || '_' || c4 as query, {shown} from hungjury_lines where c2 = 'Q')
            as pages
        right join ({_happened()}) as happened on pages.record = happened.page"""


def _happened() -> str:
    """Clicks with the record of their page; pages without clicks and bad records without one."""
    narrow = """select record, c0 as session, try_cast(c1 as double) as time, c2 as action,
            case when c3 is not null then hash(c3) end as item from hungjury_lines"""
    ordered = f"""select *, lead(action) over sessions as next_action,
            last_value(case when action = 'Q' then record end ignore nulls) over sessions as page
        from ({narrow}) window sessions as
            (partition by session, action in ('Q', 'C') order by time, record)"""
    return f"""
        select session, time, item, record, case when action = 'C' then page end as page,
            case action when 'C' then {CLICK} when 'Q' then {EMPTY_PAGE} else {UNREADABLE} end
                as kind
        from ({ordered}) where action is distinct from 'Q' or next_action is distinct from 'C'"""
