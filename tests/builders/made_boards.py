"""Leaderboards whose every number is made up: what their renderings say, without computing them."""

from __future__ import annotations

from types import SimpleNamespace as Made
from typing import Any

import numpy as np

from hungjury.base.errors import Note
from hungjury.leaderboard.board import BoardRow, JudgeRow

nan = float("nan")


def made_board(
    number: int = 4, apart: int = 2, step: float = 0.1, told: Any = None, **changes: Any
) -> Any:
    """A board of systems s0, s1, ..., which are told apart from those `apart` or more places away;
    told: [system, system], in place of this."""
    mean = 0.7 - step * np.arange(number)
    far = np.abs(np.subtract.outer(np.arange(number), np.arange(number))) >= apart
    groups = [list(range(s, min(s + apart, number))) for s in range(max(number - apart + 1, 1))]
    settings = Made(
        judges=3,
        families=3,
        level=0.95,
        rel=None,
        labels=Made(grades=[0, 1, 2]),
        seed=7,
        draws=100,
        to_dict=lambda: {"seed": 7, "draws": 100, "rel": None, "labels": {"grades": "0-2"}, "n": 3},
    )
    board = Made(
        systems=[f"s{i}" for i in range(number)],
        topics=["t1", "t2", "t3"],
        measure="nDCG@10",
        merge="binmv",
        scale="panel",
        target="population",
        as_given=False,
        settings=settings,
        mean=mean,
        low=mean - 0.06,
        high=mean + 0.09,
        apart=far,
        group_places=groups,
        p_best=np.array([0.7, 0.2, 0.0996, 0.0004] + [0.0] * number)[:number],
        pairs_apart=int(np.triu(far).sum()),
        rule="a rule",
        correction=None,
        outlook=None,
        assumed=Made(families=2, tau=0.05, overrated=0.03, undeclared=4),
        kin=[],
        favours=[],
        kin_overrated=None,
        gold=None,
        steps=[Made(text="label 50 documents", pairs=5)],
        shares={"topics": 0.6, "judges": 0.4},
        labels_per_document={1: 3, 3: 6, 5: 1},
        beats=np.where(np.tri(number, dtype=bool), 0.03, 0.97),
        agreement=None,
        evidence=None,
        judges=[
            JudgeRow("j1", "f", 1200, 0.5, 0.25, 0.4, nan, 0.25),
            JudgeRow("j2", "f", 1, 1.0, 0.0, None, 0.75, None),
        ],
        notes=(
            Note("a", 1, "odd file"),
            Note("b", 1, "result", about="result"),
            Note("b", 1, "result", about="result"),
        ),
        unsure=np.array([0.2, 0.0, 0.5]),
        cells=np.tile(mean[:, None], 3) / [1, 2, 4],
    )
    vars(board).update(changes)
    if told is not None:
        board.apart = told
    ends = [(1 + max(s - apart + 1, 0), min(s + apart, number)) for s in range(number)]
    board.rows = lambda: [
        BoardRow(name, *(float(x[s]) for x in (board.mean, board.low, board.high, board.p_best)),
                 *ends[s], [n for n, group in enumerate(board.group_places) if s in group])
        for s, name in enumerate(board.systems)
    ]  # fmt: skip
    return board


def of(settings: Any, **changes: Any) -> Any:
    """The same settings but for some."""
    return Made(**vars(settings) | changes)


def made_correction(**changes: Any) -> Any:
    """How gold labels correct a panel."""
    known: dict[str, Any] = {
        "estimate": "combined",
        "labels": 1200,
        "poor": False,
        "poor_agreement": "agrees poorly",
        "concludes": True,
        "level": (0.1234, 0.05, 0.2),
        "level_known": True,
        "slope": (0.8, 0.7, 0.9),
        "stretch": 1.25,
        "correlation": (0.9, 0.85, 0.95),
        "agreement": (0.6, 0.5, 0.7),
        "panel_error": (0.02, 0.01, 0.03),
        "effective_judges": 1.75,
        "expected": [(100, 0.05), (2000, 0.025), (4000, 0.0125)],
        "interval_level": 0.9,
        "looks": (50, 1000),
        "covered": None,
        "decides": "gold",
    }
    return Made(**known | changes)


def made_outlook(**changes: Any) -> Any:
    """What other numbers of topics and judges would give."""
    known: dict[str, Any] = {
        "difference": 0.0612,
        "topics": [(3, 0.0612), (6, 0.0432), (1000, 0.01)],
        "judges": [(1, 0.1), (2, 0.08), (3, 0.0612), (6, 0.06)],
        "floor": 0.0555,
        "measured": 3,
    }
    return Made(**known | changes)


def made_gold(judges: int = 2, **changes: Any) -> Any:
    """How a panel compares with gold labels."""
    rows = [
        Made(kind="judge", name=f"j{k}", documents=10 * k, agreement=0.5, kappa=0.25, tau_ap=None)
        for k in range(judges)
    ]
    rows.insert(1, Made(kind="merge", name="binmv", documents=99, agreement=0.75, kappa=0.5,
                        tau_ap=0.8))  # fmt: skip
    bias = {"s1": (0.1, 0.05, 0.15), "s0": (-0.02, -0.05, float("inf")), "other": (0, 0, 0)}
    known: dict[str, Any] = {
        "rows": rows,
        "overall": (0.05, 0.01, 0.09),
        "level": 0.8,
        "topics": ["t1", "t2"],
        "relevant": (0.25, 0.5),
        "bias": bias,
    }
    return Made(**known | changes)
