"""Made-up click logs, and their comparison with loops."""

from __future__ import annotations

import csv
import random
from pathlib import Path
from typing import Any

import pytest

from hungjury.users.model import UserClass, UserModel
from oracles import users as naive_users

RANKS = 6


def make_log(seed: int, sessions: int = 60, odd: bool = True) -> list[dict[str, Any]]:
    """Interleaved sessions with ties in time, records out of order, clicks off the page."""
    chance = random.Random(seed)
    ranks = [1, 1, 1, 2, 2, 3, 4, 5, 6] + [0, 7, -2, 99, None] * odd
    records: list[dict[str, Any]] = []
    for _ in range(sessions * 5):
        session = chance.randrange(sessions)
        records.append(
            {
                "session": f"s{session}",
                "query": f"q{session % 3 + chance.choice([0, 0, 0, 1])}",
                "page": chance.choice(["1", "1", "2"]),
                "rank": chance.choice(ranks),
                "time": float(chance.randrange(12)),
            }
        )
        if odd and chance.random() < 0.05:
            records[-1][chance.choice(["session", "time"])] = None
    return records


def write_csv(records: list[dict[str, Any]], path: Path) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(records[0]))
        writer.writeheader()
        writer.writerows(records)
    return path


def write_parquet(records: list[dict[str, Any]], path: Path) -> Path:
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.Table.from_pylist(records), path)
    return path


def assert_class(one: UserClass, walks: Any, ranks: int = RANKS) -> None:
    """Everything that is counted, against the loops."""
    moves = naive_users.moves(walks, ranks)
    assert list(one.visits or ()) == naive_users.visits(walks, ranks)
    assert [list(row) for row in one.moves or ()] == moves
    assert one.pages == len(walks)
    for mine, theirs in zip(one.transitions or (), naive_users.transitions(moves), strict=True):
        assert mine == pytest.approx(theirs)
    assert list(one.never_left or ()) == [i + 1 for i, row in enumerate(moves) if not any(row)]
    assert one.stationary == pytest.approx(
        [float(v) for v in naive_users.long_run_distribution(moves) or ()]
    )
    assert one.backward == pytest.approx(naive_users.backward_share(moves))
    if one.rates is not None:
        spent = naive_users.holding_times(walks, ranks)
        assert list(one.held or ()) == [len(times) for times in spent]
        for rate, times in zip(one.rates, spent, strict=True):
            assert rate == pytest.approx(naive_users.rate(times))


def assert_report(model: UserModel, records: list[dict[str, Any]], ranks: int = RANKS) -> None:
    log = model.log
    assert log is not None
    walks = naive_users.paths(records, ranks)
    moves = naive_users.moves(walks, ranks)
    assert log.records == len(records)
    assert log.without_session == sum(r["session"] is None for r in records)
    named = [r for r in records if r["session"] is not None]
    assert log.without_time == sum("time" in r and r["time"] is None for r in named)
    timed = [r for r in named if "time" not in r or r["time"] is not None]
    assert log.off_page == sum(not naive_users.on_page(r, ranks) for r in timed)
    assert log.counted == sum(map(len, walks))
    assert log.repeated == sum(moves[i][i] for i in range(ranks))
    assert log.backward == sum(moves[i][j] for i in range(ranks) for j in range(i))
    assert log.out_of_order == naive_users.out_of_order(records, ranks)
    assert log.sessions == len({walk[0]["session"] for walk in walks})


def yandex_actions(seed: int) -> tuple[str, list[dict[str, Any]]]:
    """A log of Q and C records, sessions interleaved; and its clicks as records."""
    chance = random.Random(seed)
    lines, records = [], []
    page: dict[int, tuple[int, int, list[str]]] = {}
    for number in range(400):
        session = chance.randrange(40)
        if session not in page or chance.random() < 0.15:
            query, urls = chance.randrange(5), [f"u{chance.randrange(30)}" for _ in range(10)]
            page[session] = (number, query, urls)
            lines.append("\t".join([str(session), str(number), "Q", str(query), "1", *urls]))
            continue
        begin, query, urls = page[session]
        url = chance.choice([*urls, *urls, *urls, "elsewhere"])
        lines.append(f"{session}\t{number}\tC\t{url}")
        rank = urls.index(url) + 1 if url in urls else None
        records.append({"session": session, "query": f"{query}_1", "page": begin, "rank": rank,
                        "time": float(number)})  # fmt: skip
    chance.shuffle(lines)  # times tell the order
    return "\n".join(lines) + "\n", records
