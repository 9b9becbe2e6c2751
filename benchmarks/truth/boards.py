"""Boards of random panels, compared pair by pair with the ranking by people's labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from benchmarks.truth.plain_mean import PLAIN
from benchmarks.truth.public import Panel, Public
from hungjury.data.alignment import Alignment
from hungjury.data.qrels import Judgments
from hungjury.judges.agreement import panel_agreement
from hungjury.judges.families import seat_jury
from hungjury.judges.merge import merge_method
from hungjury.judges.panel import Panel as Votes
from hungjury.leaderboard.board import standing
from hungjury.leaderboard.draws import Estimate, draw_scores, panel_estimate
from hungjury.leaderboard.options import BoardOptions
from hungjury.leaderboard.panel_error import PanelError
from hungjury.measures.catalogue import measure
from hungjury.stats import tau_ap

BINS = (0.5, 0.7, 0.9, 0.95, 0.99, 1.0)  # edges
TOP = 10
SUBSETS = {2: 40, 5: 20}  # random boards of so many systems, for each panel

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Way:
    """How boards are made."""

    name: str
    target: str = "topics"
    kin: bool = False  # declared
    before: bool = False  # label noise, and 0.035 of the range for every panel


DEFAULT = Way("default")
BEFORE = Way("before", before=True)
DECLARED = Way("kin declared", kin=True)
POPULATION = Way("population", target="population")
FORMER_TAU = 0.035


@dataclass(frozen=True)
class Distance:
    """How far means of systems by some labels are from those by people's.

    The panel error is what is left once the common level is taken away, as a standard deviation
    over systems; `fitted` also allows for a panel that only stretches the scale.
    """

    level: float
    error: float
    fitted: float
    tau_ap: float

    @staticmethod
    def of(mean: Floats, truth: Floats) -> Distance:
        fit = np.polyfit(mean, truth, 1)
        return Distance(
            float((mean - truth).mean()),
            float((mean - truth).std(ddof=1)),
            float((truth - np.polyval(fit, mean)).std(ddof=2)),
            float(tau_ap(mean, truth)),
        )


@dataclass(frozen=True, eq=False)
class Compared:
    """Boards of one kind by one panel: pairs by the chance they were given, and the right ones."""

    collection: str
    measure: str
    panel: Panel
    way: str
    board: str
    pairs: NDArray[np.int64]  # [bin]
    right: NDArray[np.int64]  # [bin]
    apart: int  # pairs told apart
    wrong: int  # of these the wrong way round
    asked: str = "all"  # topics
    binary: bool = False
    ranks: tuple[int, int] = (0, 0)  # systems, and those whose rank by people is in the interval
    best: tuple[tuple[float, bool], ...] = ()  # P(best) of leaders, and were they best?
    distance: Distance | None = None  # of the board of all systems
    plain_tau_ap: float = float("nan")  # of scores on mean grades


def estimates(
    judgments: Judgments, alignment: Alignment, name: str, ways: Sequence[Way], draws: int,
    seed: int, families: Sequence[str] | None = None, kin: NDArray[np.bool_] | None = None,
) -> list[Estimate]:  # fmt: skip
    """The parts of `leaderboard`, in several ways with one target; families: of all these judges,
    where they are declared."""
    options = BoardOptions(
        measure=measure(name), merge=merge_method("binmv"), target=ways[0].target, draws=draws
    )
    panel, declared = Votes.of(judgments), 1
    if len(judgments.judges) > 1:
        known = None if families is None else dict(zip(judgments.judges, families, strict=True))
        jury = seat_jury(panel, known, copies=panel_agreement(panel).near_copies)
        panel, declared = jury.panel, jury.declared
    drawn = draw_scores(panel, alignment, options, np.random.SeedSequence(seed).spawn(2)[0])
    assert drawn.merged is not None
    usual = PanelError.of(
        panel, alignment, options.measure, declared, posterior=drawn.merged.posterior
    )
    out = []
    for way in ways:
        layer = replace(usual, kin=kin) if way.kin else usual
        if way.before:
            layer = PanelError.of(panel, alignment, options.measure, documents=False)
        found = panel_estimate(drawn, options, layer, np.random.SeedSequence(seed).spawn(2)[1])
        if way.before:
            assert found.error is not None
            found = replace(found, draws=found.means + FORMER_TAU * found.error.systems, error=None)
        out.append(found)
    return out


def boards_of(public: Public, found: Estimate, seed: int) -> dict[str, list[NDArray[np.int64]]]:
    """Systems of every board: all, random few, the panel's own top with and without later runs.

    The panel's means, the label noise and the panel error of a pair do not depend on which other
    systems are on the board: a board of some systems is a part of that of all.
    """
    rng = np.random.default_rng(seed)
    number = len(found.mean)
    best = np.argsort(-centre(found), kind="stable")
    official = best[~public.later[best]]
    out = {
        "all": [np.arange(number)],
        f"top {TOP}": [best[:TOP]],
        f"top {TOP}, official": [official[:TOP]],
    }
    for size, times in SUBSETS.items():
        out[f"{size} random"] = [rng.choice(number, size, replace=False) for _ in range(times)]
    return out


def centre(found: Estimate) -> Floats:
    """[system]: means to rank by."""
    return found.mean if found.error is None else found.error.mean


def compare(
    public: Public, panel: Panel, name: str, ways: Sequence[Way], draws: int, seed: int,
    truth: Floats | None = None,
) -> list[Compared]:  # fmt: skip
    """All boards of a panel; truth: by people's labels of other topics."""
    families = [public.families[k] for k in panel.judges] if "families" in panel.kind else None
    all_found = estimates(
        public.of(panel), public.alignment, name, ways, draws, seed, families, public.kin
    )
    truth = public.truth[name] if truth is None else truth
    out = []
    for way, found in zip(ways, all_found, strict=True):
        for board, each in boards_of(public, found, seed).items():
            pairs = np.zeros(len(BINS) - 1, dtype=np.int64)
            right, apart, wrong, ranks, best = pairs.copy(), 0, 0, np.zeros(2, dtype=np.int64), []
            for systems in each:
                one = against(found, truth, systems)
                pairs, right = pairs + one[0], right + one[1]
                apart, wrong = apart + one[2], wrong + one[3]
                covered, leader = ranks_and_leader(found, truth, systems)
                ranks, best = ranks + covered, [*best, leader]
            row = Compared(public.name, name, panel, way.name, board, pairs, right, apart, wrong,
                           public.asked, public.binary, tuple(ranks.tolist()),
                           tuple(best))  # fmt: skip
            if board == "all":
                plain = float("nan")
                if name in PLAIN and way is DEFAULT and public.asked == "all" and not public.binary:
                    plain = float(tau_ap(PLAIN[name](public.of(panel), public.alignment), truth))
                row = replace(row, distance=Distance.of(found.mean, truth), plain_tau_ap=plain)
            out.append(row)
    return out


def ranks_and_leader(
    found: Estimate, truth: Floats, systems: NDArray[np.int64]
) -> tuple[NDArray[np.int64], tuple[float, bool]]:
    """Count systems and those ranked within their interval; P(best) of the first, and was it?"""
    mean, real = centre(found)[systems], truth[systems]
    where = standing(mean, found.draws[:, systems])
    above, equal = (real[:, None] < real).sum(axis=1), (real[:, None] == real).sum(axis=1)
    inside = (where.rank_low <= above + equal) & (above + 1 <= where.rank_high)
    first = int(np.argmax(mean))
    leader = float(where.p_best[first]), bool(above[first] == 0)
    return np.array([len(systems), inside.sum()]), leader


def against(
    found: Estimate, truth: Floats, systems: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], int, int]:
    """Pairs and right pairs by bin, pairs told apart, and wrong ones among them."""
    where = standing(centre(found)[systems], found.draws[:, systems])
    i, j = np.triu_indices(len(systems), 1)
    chance = where.beats[i, j]
    gap = truth[systems][i] - truth[systems][j]
    told = where.apart[i, j] & (gap != 0)
    agrees = (chance > 0.5) == (gap > 0)
    known = gap != 0
    bins = np.clip(np.searchsorted(BINS, np.maximum(chance, 1 - chance), "right") - 1, 0,
                   len(BINS) - 2)  # fmt: skip
    size = len(BINS) - 1
    return (
        np.bincount(bins[known], minlength=size),
        np.bincount(bins[known & agrees], minlength=size),
        int(told.sum()),
        int((told & ~agrees).sum()),
    )
