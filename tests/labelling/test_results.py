"""Results shown while people label, and where the server listens."""

from __future__ import annotations

import json
import socket
import threading
import time
from typing import Any

import pytest

from hungjury.base.errors import InputError
from hungjury.labelling.app import listen
from hungjury.labelling.results import Results, summarised


def board(**more: Any) -> dict[str, Any]:
    """The part of a leaderboard's JSON that the page uses."""
    rows = [("a", 0.9, 1, 1), ("b", 0.1, 2, 3), ("c", 0.0, 2, 3)]
    systems = [
        dict(zip(("system", "p_best", "rank_low", "rank_high"), r, strict=True)) for r in rows
    ]
    return {"measure": "nDCG@10", "systems": systems, "groups": [["a"], ["b", "c"]], **more}


def test_results_say_what_is_settled_and_what_more_labels_buy() -> None:
    told = summarised(board())
    assert told[0].startswith("nDCG@10: 2 of 3 pairs of systems can be told apart")
    assert "do not correct" in told[1]
    assert "Stop at the end of a batch" in told[-1]
    expected = [[100, 0.0512], [150, 0.0421], [200, 0.04]]
    correction = {"labels": 100, "expected": expected, "looks": [], "concludes": True}
    told = summarised(board(correction=correction))
    assert told[1:3] == [
        "Corrected by 100 labels of people.",
        "Smallest difference that can be told apart: 0.0512; with 50 more labels 0.0421.",
    ]
    assert "Stop at the end of a batch" in told[-1]
    told = summarised(board(correction={**correction, "looks": [50, 100, 150]}))
    assert "Pairs that can be told apart are settled" in told[-1]


def test_results_follow_the_labels_without_waiting() -> None:
    done, go_on, asked = threading.Event(), threading.Event(), []

    def run(arguments: Any) -> tuple[bool, str]:
        asked.append(list(arguments))
        go_on.wait(10)
        done.set()
        return (True, json.dumps(board())) if len(asked) == 1 else (False, "error: no runs\n")

    results = Results(["leaderboard"], run)
    first = results.after(0)
    assert not asked
    assert results.after(1) == first  # it is being worked out
    go_on.set()
    assert done.wait(10)
    for _ in range(1000):
        if (shown := results.after(1)) != first:
            break
        time.sleep(0.01)
    assert shown["columns"] == ["system", "P(best)", "ranks"]
    assert shown["rows"][1] == ["b", "10 %", "2–3"]
    results.after(2)
    for _ in range(1000):
        if (failed := results.after(2)) != shown:
            break
        time.sleep(0.01)
    assert failed["sentences"] == ["The leaderboard could not be made: no runs"]
    assert asked == [["leaderboard"]] * 2
    results.close()


def test_closing_ends_a_leaderboard_in_the_middle() -> None:
    results = Results(["completion", "bash"])
    results.after(1)
    while results._process is None:
        time.sleep(0.01)
    results.close()
    assert not results._thread.is_alive()
    assert results._process.poll() is not None


def test_the_server_listens_on_loopback_and_replies_at_once() -> None:
    with listen(0) as at:
        assert at.getsockname()[0] == "127.0.0.1"
        assert at.proto == socket.IPPROTO_TCP  # else asyncio leaves Nagle's algorithm on
        with pytest.raises(InputError, match="is in use"):
            listen(at.getsockname()[1])
