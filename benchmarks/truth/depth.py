"""What do people credit to deep ranks, compared with a panel? The depth part of the panel error.

python -m benchmarks.truth.depth [--panels 1] [--data ../shared/data]

NIST's means of systems are regressed on the two parts of a panel's means: what is due to the first
ranks, and what is due to those below. The ratio of the two slopes is people's credit for depth
relative to the panel's. Its logarithm is shown as mean ± standard deviation over random panels.
Lists of dl21 end at rank 100: there it is measured below rank 20, which gave the numbers that
boards use below rank 100; dl19, with lists of 1,000, shows whether they hold there.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from benchmarks.truth.public import DEEP_MEASURES, Panel, Public, dl19, dl21
from hungjury.judges.panel import Panel as Votes
from hungjury.judges.votes import vote_shares
from hungjury.leaderboard.effects import scores_under
from hungjury.leaderboard.panel_error import BELOW, BELOW_SPREAD, MEASURED_DEPTH, drawn_grades
from hungjury.measures.batch import Scorer
from hungjury.measures.catalogue import measure

SMALLEST = 0.05  # ratio: the slope of what is below may be negative
LABEL_SETS = 8
CUTS = {"dl21": 20, "dl19": MEASURED_DEPTH}


def log_ratio(public: Public, panel: Panel, name: str) -> float:
    """People's credit for ranks below the cut by the panel's, relative to that for those above."""
    votes, aligned = Votes.of(public.of(panel)), public.alignment
    labels = drawn_grades(vote_shares(votes), votes.grades, LABEL_SETS, np.random.default_rng(0))
    whole, near = (
        scores_under(Scorer(name, lists, votes.grades[-1]), labels).mean(axis=(0, 2))
        for lists in (aligned, aligned.upto(CUTS[public.name]))
    )
    parts = np.stack([np.ones(len(whole)), near, whole - near], axis=1)
    _, above, deep = np.linalg.lstsq(parts, public.truth[name], rcond=None)[0]
    return float(np.log(max(deep / above, SMALLEST))) if above > 0 else float("nan")


def table(collections: list[Public], panels: int, seed: int) -> str:
    """The logarithms by collection, measure and kind of panel, as markdown."""
    drawn = {public.name: public.panels(panels, seed) for public in collections}
    kinds = list(dict.fromkeys(p.kind for mine in drawn.values() for p in mine))
    lines = [f"| collection, measure | {' | '.join(kinds)} |", "|---" * (len(kinds) + 1) + "|"]
    end = []
    for public in collections:
        every: list[float] = []
        for name in DEEP_MEASURES:
            if measure(name).depth is not None and public.name == "dl19":
                continue
            cells = []
            for kind in kinds:
                mine = [p for p in drawn[public.name] if p.kind == kind]
                found = np.array([log_ratio(public, p, name) for p in mine])
                found = found[~np.isnan(found)]
                every += found.tolist()
                cells.append(f"{found.mean():+.2f} ± {found.std():.2f}" if len(found) else "–")
            lines.append(f"| {public.name}, `{name}` | {' | '.join(cells)} |")
        end.append(f"{public.name}, below rank {CUTS[public.name]}: {np.mean(every):+.2f} ± "
                   f"{np.std(every):.2f}")  # fmt: skip
    return "\n".join([*lines, "", "; ".join(end) + f"; boards use {BELOW} ± {BELOW_SPREAD}."])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--panels", type=int, default=1, help="of every size and kind")
    parser.add_argument("--seed", type=int, default=5)
    given = parser.parse_args()
    print(table([dl21(given.data), dl19(given.data)], given.panels, given.seed))


if __name__ == "__main__":
    main()
