"""The sentences of a leaderboard: what may be concluded, and what may not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

import numpy as np

from hungjury.base.errors import percent, plural
from hungjury.base.text import visible_line
from hungjury.leaderboard.board import Leaderboard
from hungjury.report.board import assumed

SURE = 0.95
LONG = 8  # characters that names have in common before they are left out

Sentence = list[str | tuple[str]]  # texts, and (name,) for an id


def shown(text: str) -> str:
    """Return a name with invisible characters escaped."""
    return visible_line(text) or "(no name)"


def common_prefix(names: Sequence[str]) -> str:
    """Return the common prefix of all names, up to a separator; empty if it is short."""
    ends = zip(min(names, default=""), max(names, default=""), strict=False)
    same = "".join(a for a, _ in takewhile(lambda two: two[0] == two[1], ends))
    same = re.sub(r"[^\W_]*$", "", same)
    return same if len(names) > 1 and len(same) >= LONG and same not in names else ""


def lead(board: Leaderboard, digits: int) -> dict[str, Sentence]:
    """Return the headline, and the sentences below it."""
    best = (shown(board.systems[0]),)
    alone = len(board.systems) == 1
    level = percent(board.settings.level)
    where = f"{board.low[0]:.{digits}f} to {board.high[0]:.{digits}f}"
    panel = board.scale == "panel"
    whose = f"panel’s {level} interval" if panel else f"{level} interval"
    measured: Sentence = [
        best,
        f" has a {'panel ' if panel else ''}mean {board.measure} of {board.mean[0]:.{digits}f} "
        f"({whose} {where}).",
    ]
    if alone:
        return {
            "head": ["Only one system, so there is nothing to compare: ", best],
            "below": [*measured, " Give at least two systems."],
        }
    if not _concludes(board):
        return {"head": _head(board, best), "below": measured}
    chance = f" The chance that it is the best of the {len(board.systems):,} is "
    below: Sentence = [*measured, f"{chance}{percent(float(board.p_best[0]))}", *_next(board), "."]
    return {"head": _head(board, best), "below": below}


def _head(board: Leaderboard, best: tuple[str]) -> Sentence:
    if not _concludes(board):
        return ["The panel agrees poorly with gold labels: nothing can be concluded"]
    near = _not_apart(board)
    equal = int((board.mean[1:] == board.mean[0]).sum())
    if equal:
        return [best, f" and {plural(equal, 'other system')} share the first place"]
    whose = ""
    if board.scale == "panel" and not board.settings.panel_error:
        whose = " in the view of this panel"
    if not near:
        return [best, f" is better than every other system{whose}"]
    if board.p_best[0] >= SURE:
        return [best, f" is very likely the best of {len(board.systems):,}{whose}"]
    rest = "any other system"
    if len(near) == 1:
        return [best, " leads, but cannot be told apart from ", (shown(board.systems[near[0]]),)]
    if len(near) < len(board.systems) - 1:
        rest = f"{len(near):,} other systems"
    return [best, f" leads, but cannot be told apart from {rest}"]


def _next(board: Leaderboard) -> Sentence:
    """Other systems that might be the best."""
    rival = 1 + int(np.argmax(board.p_best[1:]))
    share = float(board.p_best[rival])
    if share == 0:
        return []
    return ["; for ", (shown(board.systems[rival]),), f" it is {percent(share)}"]


def _not_apart(board: Leaderboard) -> list[int]:
    """Return places of the systems that cannot be told apart from the first."""
    return [s for s in range(1, len(board.systems)) if not board.apart[0, s]]


def conclusions(board: Leaderboard, digits: int) -> tuple[list[Sentence], list[Sentence]]:
    """Return sentences on what the reader may conclude, and on what not."""
    if not _concludes(board):
        return [], [["Who is better: ", _why_not(board)], *_limits(board)]
    if len(board.systems) == 1:
        return [], [*_limits(board)]
    return _may(board, digits), [*_open(board), *_limits(board)]


def _concludes(board: Leaderboard) -> bool:
    return board.correction is None or board.correction.concludes


def _why_not(board: Leaderboard) -> str:
    assert board.correction is not None
    middle, low, high = board.correction.agreement
    return (
        f"grades of the panel and of people correlate by {middle:.2f} ({low:.2f} to {high:.2f}) on "
        "the documents that both labelled. Look into the judges, or estimate from planned gold "
        "labels alone."
    )


def _may(board: Leaderboard, digits: int) -> list[Sentence]:
    systems = len(board.systems)
    of = "topics like these" if board.target == "population" else "these topics"
    separated, pairs = int(board.apart.sum()) // 2, systems * (systems - 1) // 2
    worse = systems - 1 - len(_not_apart(board))
    error = board.settings.panel_error
    out: list[Sentence] = []
    if worse:
        rest = "every other system" if worse == systems - 1 else plural(worse, "other system")
        whose = "" if board.scale == "gold" or error else ", in the view of this panel"
        out.append([f"On {of}{whose}, ", (shown(board.systems[0]),), f" is better than {rest}."])
    rule = "with the error rate controlled over all pairs"
    if error and board.scale == "panel":
        rule = f"if the panel is off by {error:g} of the measure’s range for a typical system"
    out.append([f"{separated:,} of {plural(pairs, 'pair')} of systems can be told apart, {rule}."])
    if board.outlook is not None:
        gap = f"{board.outlook.difference:.{digits}f}"
        scale = " on the panel’s scale" if board.scale == "panel" else ""
        out.append([f"Smallest detectable difference between two systems: {gap}{scale}."])
    return out


def _open(board: Leaderboard) -> list[Sentence]:
    if all(len(group) == 1 for group in board.group_places):
        return []
    inside = "The order of systems inside a group that cannot be told apart: it may be chance."
    near = len(_not_apart(board))
    if not near or board.p_best[0] >= SURE:
        return [[inside]]
    return [
        [f"Who is best, the leader or one of the {plural(near, 'system')} close to it; and in "
         "general the order inside a group."]
    ]  # fmt: skip


def _limits(board: Leaderboard) -> list[Sentence]:
    out: list[Sentence] = []
    if board.target == "population":
        out.append(["Anything about topics unlike these."])
    else:
        out.append(["Anything about other topics: the uncertainty covers labels only."])
    if board.scale == "panel":
        out.append(
            ["That people would give these means or differences: they are on the panel’s scale. ",
             assumed(board)]
        )  # fmt: skip
    if board.correction is not None and board.correction.estimate == "model":
        out.append(
            ["That these are people’s means: it is not known how the documents with gold labels "
             "were chosen, and the model that corrects the panel may be wrong."]
        )  # fmt: skip
    return out
