"""gate: may a candidate replace the baseline? A decision for pipelines."""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal, cast

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.errors import Argument, InputError, UnknownName, percent
from hungjury.base.records import Record
from hungjury.base.results import Result
from hungjury.base.tables import Table
from hungjury.comparison.compare import common_values
from hungjury.data.reading.options import JudgmentsLike, QrelsLike, RunsLike, takes
from hungjury.leaderboard.draws import as_reported
from hungjury.leaderboard.leaderboard import leaderboard
from hungjury.leaderboard.options import BOARD
from hungjury.measures.catalogue import measure as find_measure
from hungjury.measures.evaluate import evaluate
from hungjury.measures.scores import averaged
from hungjury.stats.multiple import simultaneous_widths
from hungjury.stats.resampling import topic_deviations

GateVerdict = Literal["better", "same", "not worse", "worse", "undecided"]
PASSES: dict[str, bool | None] = {
    "better": True, "same": True, "not worse": True, "worse": False, "undecided": None,
}  # fmt: skip
SAID: dict[str, str] = {
    "better": "is better than",
    "same": "is the same as",
    "not worse": "is not worse than",
    "worse": "is worse than",
    "undecided": "cannot be told apart from",
}
DRAWS = 10_000


class Gate(Record, Result):
    """The decision about one candidate.

    Attributes
    ----------
    verdict
        "better", "same" (within the margin), "not worse" (by more than the margin), "worse" or
        "undecided".
    passed
        True, False, or None if undecided.
    difference, low, high
        Candidate minus baseline in the direction of the measure (positive is better), with its
        simultaneous interval. None for a panel without gold labels, which has no valid interval.
    chance
        P(candidate beats baseline); None for plain qrels.
    why
        Why nothing is decided regardless of the interval; None otherwise.

    Examples
    --------
    >>> import hungjury as hj
    >>> sim = hj.simulate(topics=5, systems=3, seed=1)
    >>> (decision,) = hj.gate(sim.gold, sim.runs, "system3", "system1", "nDCG@10")
    >>> decision.verdict, decision.passed
    ('better', True)
    """

    baseline: str
    candidate: str
    measure: str
    margin: float
    level: float
    verdict: GateVerdict
    difference: float | None
    low: float | None
    high: float | None
    chance: float | None
    why: str | None = None

    @property
    def passed(self) -> bool | None:
        return PASSES[self.verdict]

    def table(self) -> Table:
        """Return one row with all fields."""
        return Table.of([self.to_dict()])

    def to_text(self) -> str:
        """Write the decision and its reason in one line."""
        if self.low is None or self.high is None or self.difference is None:
            why = f"P({self.candidate} beats {self.baseline}) = {self.chance:.3f}"
        else:
            why = (
                f"{self.measure} {self.difference:+.4f} ({percent(self.level)} interval "
                f"{self.low:+.4f} to {self.high:+.4f}, margin {self.margin:g})"
            )
        if self.why is not None:
            why = f"{why}; {self.why}"
        state = {True: "pass", False: "FAIL", None: "UNDECIDED"}[self.passed]
        return f"{state}: {self.candidate} {SAID[self.verdict]} {self.baseline}: {why}"

    def to_dict(self) -> dict[str, Any]:
        """Return all fields, and whether the candidate passed."""
        return {**vars(self), "passed": self.passed}


@takes({name: BOARD[name] for name in ("level", "seed")}, "options")
def gate(
    labels: QrelsLike | JudgmentsLike,
    runs: RunsLike,
    baseline: str,
    candidate: str | list[str],
    measure: str = "nDCG@10",
    margin: float = 0.0,
    *,
    judges: bool = False,
    **options: Any,
) -> list[Gate]:
    """Decide whether candidates are better than a baseline, and by how much.

    Parameters
    ----------
    labels : Qrels, Judgments or source
        Labels of one source, or of several judges with ``judges=True``.
    runs : Runs or source
        Runs of the baseline and of all candidates.
    baseline, candidate : str, or list of str
        Systems. A missing one is an error.
    measure : str
        One measure.
    margin : float
        Differences up to this size do not matter in practice.
    judges : bool
        Take `labels` as judgments of several judges.
    {options}
    **options
        Options of `evaluate`, such as `ties`; with ``judges=True`` options of `leaderboard`, such
        as `gold`, `plan` or `target`.

    Returns
    -------
    list of Gate
        One for each candidate.

    Notes
    -----
    With qrels, topics are resampled and intervals are those of the mean difference, as wide as it
    takes to hold for all candidates at once. With judges and gold labels they come from the
    corrected leaderboard; where the panel agrees poorly with them nothing is decided. A panel
    without gold labels has no valid interval of a difference: there the decision rests on
    P(candidate beats baseline) alone, and a margin is refused.

    Examples
    --------
    >>> import hungjury as hj
    >>> sim = hj.simulate(seed=1)
    >>> hj.gate(sim.gold, sim.runs, "system8", "system1")[0].verdict
    'better'
    """
    level, seed = (BOARD[n].value(options.pop(n, BOARD[n].default)) for n in ("level", "seed"))
    wanted = [candidate] if isinstance(candidate, str) else list(candidate)
    if not wanted:
        raise InputError(
            "no candidate to compare with the baseline",
            code="no-candidate",
            argument="candidate",
            remedy="name at least one system",
        )
    if baseline in wanted:
        raise InputError(
            f"'{baseline}' is both the baseline and a candidate",
            code="baseline-is-candidate",
            remedy="name two different systems",
        )
    if not (isinstance(margin, Real) and 0 <= margin < np.inf):
        raise InputError(
            f"margin must be 0 or more, got {margin!r}",
            code="bad-margin",
            argument="margin",
            remedy="use a margin of 0 or more",
        )
    known = judges and options.get("gold") is not None
    if judges and not known and margin:
        raise InputError(
            "a margin needs gold labels: without them a panel says who is better, not by how much",
            code="margin-without-gold",
            remedy=("leave out", Argument("margin"), "or give", Argument("gold")),
        )
    chosen = find_measure(measure)
    better = -1.0 if chosen.smaller_is_better else 1.0
    if judges:
        board = leaderboard(
            cast("JudgmentsLike", labels), runs, chosen, seed=seed, level=level, outlook=False,
            **options,
        )  # fmt: skip
        names, mean, draws = board.systems, board.mean, board.samples
        correction = board.correction
        poor = None if correction is None or correction.concludes else correction.poor_agreement
        stretch = 1.0 if correction is None else correction.stretch
    else:
        poor, stretch = None, 1.0
        scores = evaluate(cast("QrelsLike", labels), runs, chosen, **options)
        (counted,), _, _ = common_values(scores)
        names, values = scores.systems, averaged(counted, chosen.average)
        shown = as_reported(chosen, 1)  # counts are multiplied by the number of topics already
        mean, draws = shown(values.mean(axis=1)), shown(_resampled(values, seed))
    places = [_find(names, name) for name in (baseline, *wanted)]
    gap = better * (mean[places[1:]] - mean[places[0]])
    drawn = better * (draws[:, places[1:]] - draws[:, places[:1]])
    half = simultaneous_widths(draws[:, places], level, stretch, with_first=True)[0, 1:]
    low, high = gap - half, gap + half
    by_how_much = known or not judges
    out = []
    for i, name in enumerate(wanted):
        chance = float((drawn[:, i] > 0).mean() + (drawn[:, i] == 0).mean() / 2)
        ends = float(low[i]), float(high[i])
        if not by_how_much:
            verdict = by_chance(chance, level)
        else:
            verdict = by_interval(*ends, margin) if poor is None else "undecided"
        out.append(
            Gate(
                baseline=baseline,
                candidate=name,
                measure=str(chosen),
                margin=margin,
                level=level,
                verdict=verdict,
                difference=float(gap[i]) if by_how_much else None,
                low=ends[0] if by_how_much else None,
                high=ends[1] if by_how_much else None,
                chance=chance if judges else None,
                why=poor,
            )
        )
    return out


def by_interval(low: float, high: float, margin: float) -> GateVerdict:
    """The verdict from an interval of candidate minus baseline, given a margin."""
    if low > margin:
        return "better"
    if high < -margin:
        return "worse"
    if low >= -margin and high <= margin:
        return "same"
    return "not worse" if low >= -margin and margin > 0 else "undecided"


def by_chance(chance: float, level: float) -> GateVerdict:
    """The verdict from P(candidate beats baseline)."""
    tail = (1 - level) / 2
    return "better" if chance >= 1 - tail else "worse" if chance <= tail else "undecided"


def _find(names: list[str], name: str) -> int:
    if name not in names:
        raise UnknownName(
            f"no run is called '{name}'", remedy=f"the runs are {', '.join(names[:20])}"
        )
    return names.index(name)


def _resampled(values: Floats, seed: int) -> Floats:
    """[draw, system]: means over resampled topics, widened to Student's t."""
    if values.shape[1] < 2:
        raise InputError(
            "one topic cannot tell systems apart",
            code="one-topic",
            remedy="score two topics or more",
        )
    rng = np.random.default_rng(seed)
    return np.asarray(values.mean(axis=1) + topic_deviations(values, DRAWS, rng, rng))
