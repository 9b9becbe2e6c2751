"""Results for the systems from the labels so far, computed in a separate process.

The leaderboard runs in its own process, at low priority, and never delays the
page. It is the usual command; its JSON output is summarised in a few sentences.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from itertools import combinations
from tempfile import TemporaryFile
from typing import Any

from hungjury.base.errors import percent, plural

COMMAND = [sys.executable, "-m", "hungjury"]
MORE = 50  # additional labels whose effect is shown
MOST_ROWS = 12
NICE = 10


class Results:
    """A leaderboard that is updated as labels come in.

    Parameters
    ----------
    arguments : sequence of str
        What follows `hungjury` on the command line; its output has to be JSON. Nothing: no
        results.
    """

    def __init__(self, arguments: Sequence[str]) -> None:
        self.arguments = arguments
        self.shown: dict[str, Any] = _only("The first results come at the end of the first batch.")
        self._batches = 0  # at whose end the latest leaderboard was begun
        self._process: subprocess.Popen[str] | None = None

    def after(self, batches: int) -> dict[str, Any] | None:
        """Return the latest results; start a new leaderboard when another batch is labelled."""
        if not self.arguments:
            return None
        if self._process is not None and self._process.poll() is not None:
            good = self._process.returncode == 0
            said = self._out if good else self._err
            said.seek(0)
            self.shown = _results(good, said.read())
            self._process = None
        if self._process is None and batches > self._batches:
            self._batches = batches
            self._process = self._begun()
        return self.shown

    def close(self) -> None:
        """Stop, even while a leaderboard is being computed."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _begun(self) -> subprocess.Popen[str]:
        own = {"OMP_NUM_THREADS": "1", "HUNGJURY_THREADS": "1", "HUNGJURY_KEEP": "no"}
        # Files: a full pipe would stop the process until somebody reads from it.
        files = (TemporaryFile("w+", encoding="utf-8") for _ in range(2))  # noqa: SIM115
        self._out, self._err = files
        process = subprocess.Popen(
            [*COMMAND, *self.arguments],
            stdin=subprocess.DEVNULL,
            stdout=self._out,
            stderr=self._err,
            text=True,
            env={**os.environ, **own},
            start_new_session=True,  # Ctrl-C is for the server, which ends this one
        )
        os.setpriority(os.PRIO_PROCESS, process.pid, NICE)
        return process


def _results(good: bool, text: str) -> dict[str, Any]:
    if not good:
        reason = text.strip().removeprefix("error: ") or "it was stopped"
        return _only(f"The leaderboard could not be made: {reason}")
    board = json.loads(text)
    rows = []
    for row in board["systems"][:MOST_ROWS]:
        ranks = "–".join(map(str, sorted({row["rank_low"], row["rank_high"]})))
        rows.append([row["system"], percent(row["p_best"]), ranks])
    return {"sentences": summarised(board), "columns": ["system", "P(best)", "ranks"], "rows": rows}


def _only(text: str) -> dict[str, Any]:
    return {"sentences": [text], "columns": [], "rows": []}


def summarised(board: dict[str, Any]) -> list[str]:
    """Summarise a leaderboard's JSON: what is settled, and what more labels would give."""
    pairs = list(combinations([row["system"] for row in board["systems"]], 2))
    together = {pair for group in board["groups"] for pair in combinations(group, 2)}
    apart = sum(pair not in together for pair in pairs)
    lines = [
        f"{board['measure']}: {apart:,} of {plural(len(pairs), 'pair')} of systems can be told "
        "apart."
    ]
    correction = board.get("correction")
    if correction and not correction["concludes"]:
        lines[0] = (
            f"{board['measure']}: nothing can be concluded, because the judges agree poorly with "
            "the labels of people so far."
        )
    if correction:
        lines.append(f"Corrected by {plural(correction['labels'], 'label')} of people.")
        lines += _outlook(correction["labels"], dict(correction["expected"]))
    else:
        lines.append(
            "These are the judges' scores: the labels so far are compared with them, they do not "
            "correct them."
        )
    if correction and correction["looks"]:
        lines.append(
            "Pairs that can be told apart are settled: the bounds allow for a look at the end of "
            "every batch, so you may stop after any of them."
        )
    else:
        lines.append(
            "Stop at the end of a batch, and decide how many labels you want without regard to who "
            "is ahead: stopping when the results please makes them look surer than they are."
        )
    return lines


def _outlook(now: int, expected: dict[int, float]) -> list[str]:
    """Give the smallest detectable difference, now and with more labels."""
    if now not in expected:
        return []
    text = f"Smallest difference that can be told apart: {expected[now]:.4f}"
    later = min((n for n in expected if n >= now + MORE), default=None)
    if later is None:
        return [f"{text}."]
    return [f"{text}; with {later - now} more labels {expected[later]:.4f}."]
