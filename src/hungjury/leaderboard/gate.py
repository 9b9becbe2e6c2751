"""gate: may a candidate replace the baseline? A decision for pipelines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from typing import Any, Literal

import numpy as np

from hungjury.base.arrays import Floats
from hungjury.base.errors import Argument, InputError, Note, UnknownName, few, percent
from hungjury.base.options import takes
from hungjury.base.records import Record
from hungjury.base.results import Result
from hungjury.base.tables import Table
from hungjury.comparison.compare import common_values
from hungjury.data.labels import as_labels
from hungjury.data.qrels import Judgments, Qrels
from hungjury.data.reading.options import (
    READING,
    JudgmentsLike,
    QrelsLike,
    RunsLike,
    among,
    assigned,
)
from hungjury.data.runs import RunFiles, Runs, as_runs
from hungjury.leaderboard.draws import as_reported
from hungjury.leaderboard.leaderboard import leaderboard
from hungjury.leaderboard.options import BOARD
from hungjury.leaderboard.plan_file import PlansLike
from hungjury.measures.catalogue import Measure, measure_list
from hungjury.measures.evaluate import MeasureNames, evaluate
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
    """The decision about one candidate by one measure.

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
        P(candidate beats baseline); None for grades of one source.
    candidates
        How many were compared with the baseline; the decision is corrected for their number.
    why
        Why nothing is decided regardless of the interval; None otherwise.
    notes
        What to know about labels, runs and result.

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
    candidates: int = 1
    notes: tuple[Note, ...] = ()

    @property
    def passed(self) -> bool | None:
        return PASSES[self.verdict]

    def table(self) -> Table:
        """Return one row with all fields except the notes."""
        row = self.to_dict()
        return Table.of([{name: value for name, value in row.items() if name != "notes"}])

    def to_text(self) -> str:
        """Write the decision and its reason in one line."""
        together = f" over {self.candidates} candidates" if self.candidates > 1 else ""
        if self.low is None or self.high is None or self.difference is None:
            why = f"P({self.candidate} beats {self.baseline}) = {self.chance:.3f}"
            why += together and f" (corrected{together})"
        else:
            why = (
                f"{self.measure} {self.difference:+.4f} ({percent(self.level)} interval{together} "
                f"{self.low:+.4f} to {self.high:+.4f}, margin {self.margin:g})"
            )
        if self.why is not None:
            why = f"{why}; {self.why}"
        state = {True: "pass", False: "FAIL", None: "UNDECIDED"}[self.passed]
        return f"{state}: {self.candidate} {SAID[self.verdict]} {self.baseline}: {why}"

    def to_dict(self) -> dict[str, Any]:
        """Return all fields, and whether the candidate passed."""
        return {
            **{name: one for name, one in vars(self).items() if name[0] != "_"},
            "passed": self.passed,
            "notes": [note.to_dict() for note in self.notes],
        }


class _Found(Record, eq=False):
    """Means of systems by one measure, and what is known about them."""

    systems: list[str]
    mean: Floats
    draws: Floats  # [draw, system]
    notes: tuple[Note, ...]
    sized: bool = True  # does a difference have a valid interval?
    stretch: float = 1.0
    why: str | None = None


@takes(BOARD, "reading")
def gate(
    labels: QrelsLike | JudgmentsLike,
    runs: RunsLike,
    baseline: str,
    candidate: str | list[str],
    measure: MeasureNames = "nDCG@10",
    margin: float = 0.0,
    *,
    gold: QrelsLike | Judgments | None = None,
    plan: PlansLike | None = None,
    **options: Any,
) -> list[Gate]:
    """Decide whether candidates are better than a baseline, and by how much.

    Parameters
    ----------
    labels : Qrels, Judgments or source
        Labels of one source, or of several judges. Judges are recognised by a judge column, by
        ``{judge: labels}``, and where several files give other labels to the same documents.
    runs : Runs or source
        Runs of the baseline and of all candidates.
    baseline, candidate : str, or list of str
        Systems. A missing one, or one without a judged document, is an error.
    measure : str, Measure or list of these
        Every measure is decided by itself.
    margin : float
        Differences up to this size do not matter in practice.
    gold, plan
        Gold labels of some documents, and how these were chosen: as in `leaderboard`.
    {options}
    **reading
        Options of `read_judgments` and `read_runs`; with plain qrels those of `evaluate`, such as
        `undefined`, in place of the options of a panel.

    Returns
    -------
    list of Gate
        One for each measure and candidate.

    Notes
    -----
    With qrels, topics are resampled and intervals are those of the mean difference, as wide as it
    takes to hold for all candidates at once; if labels are probabilities, labels are drawn from
    them too, the same ones for all systems. With judges and gold labels they come from the
    corrected leaderboard; where the panel agrees poorly with them nothing is decided. A panel
    without gold labels has no valid interval of a difference: there the decision rests on
    P(candidate beats baseline) alone, and a margin is refused. With several candidates the chance
    has to be larger: what the level leaves is divided by their number.

    Examples
    --------
    >>> import hungjury as hj
    >>> sim = hj.simulate(seed=1)
    >>> hj.gate(sim.gold, sim.runs, "system8", "system1")[0].verdict
    'better'
    """
    wanted = [candidate] if isinstance(candidate, str) else list(candidate)
    _check(baseline, wanted, margin)
    of_labels, of_runs, of_gold = assigned(among(options, READING), labels, runs, gold)
    given, lists = as_labels(labels, **of_labels), as_runs(runs, **of_runs)
    own = {name: value for name, value in options.items() if name not in READING}
    level, seed = (BOARD[n].value(own.get(n, BOARD[n].default)) for n in ("level", "seed"))
    if isinstance(given, Judgments):
        if gold is None and margin:
            raise InputError(
                "a margin needs gold labels: without them a panel says who is better, not by how "
                "much",
                code="margin-without-gold",
                remedy=("leave out", Argument("margin"), "or give", Argument("gold")),
            )
        own |= {"gold": gold, "plan": plan} | of_gold
    elif gold is not None or plan is not None:
        raise InputError(
            "gold labels correct a panel, but these are labels of one source",
            code="gold-without-judges",
            remedy=("give labels of several judges, or leave out", Argument("gold")),
        )
    out = []
    for one in measure_list(measure):
        if isinstance(given, Judgments) or (given.soft and not one.takes_probabilities):
            found = _by_panel(given, lists, one, {**own, "outlook": False})
        else:
            found = _by_qrels(given, lists, one, seed, own)
        notes = _about_compared(found.notes, (baseline, *wanted))
        places = [_find(found.systems, name) for name in (baseline, *wanted)]
        better = -1.0 if one.smaller_is_better else 1.0
        gap = better * (found.mean[places[1:]] - found.mean[places[0]])
        drawn = better * (found.draws[:, places[1:]] - found.draws[:, places[:1]])
        draws = found.draws[:, places]
        half = simultaneous_widths(draws, level, found.stretch, with_first=True)[0, 1:]
        for i, name in enumerate(wanted):
            chance = float((drawn[:, i] > 0).mean() + (drawn[:, i] == 0).mean() / 2)
            low, high = float(gap[i] - half[i]), float(gap[i] + half[i])
            if not found.sized:  # the panel alone says who is better, and not by how much
                verdict = "undecided" if margin else by_chance(chance, level, len(wanted))
            else:
                verdict = by_interval(low, high, margin) if found.why is None else "undecided"
            out.append(
                Gate(
                    baseline=baseline,
                    candidate=name,
                    measure=str(one),
                    margin=margin,
                    level=level,
                    verdict=verdict,
                    difference=float(gap[i]) if found.sized else None,
                    low=low if found.sized else None,
                    high=high if found.sized else None,
                    chance=chance if isinstance(given, Judgments) or given.soft else None,
                    why=found.why,
                    candidates=len(wanted),
                    notes=notes,
                )
            )
    return out


def _check(baseline: str, wanted: list[str], margin: float) -> None:
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


def _by_panel(
    judgments: Judgments | Qrels,
    runs: Runs | RunFiles,
    measure: Measure,
    options: Mapping[str, Any],
) -> _Found:
    board = leaderboard(judgments, runs, measure, **options)
    correction = board.correction
    sized = correction is not None or board.as_given
    found = _Found(board.systems, board.mean, board.samples, board.notes, sized)
    if correction is None:
        return found
    if correction.decides == "panel":
        return replace(found, sized=False)
    why = None if correction.concludes else correction.poor_agreement
    return replace(found, stretch=correction.stretch, why=why)


def _by_qrels(
    qrels: Qrels, runs: Runs | RunFiles, measure: Measure, seed: int, options: Mapping[str, Any]
) -> _Found:
    drawn = ("level", "seed", "target", "draws") if qrels.soft else ("level", "seed")
    scoring = {name: value for name, value in options.items() if name not in drawn}
    number = options.get("draws", DRAWS)
    scores = evaluate(qrels, runs, measure, **scoring, distribution=qrels.soft)
    (counted,), _, notes = common_values(scores)
    values = averaged(counted, measure.average)
    shown = as_reported(measure, 1)  # counts are multiplied by the number of topics already
    mean, draws = shown(values.mean(axis=1)), shown(_resampled(values, seed, number))
    if 0 not in scores.draws and options.get("target") == "topics":
        raise InputError(
            f"{measure} has no distribution on these topics alone",
            code="nothing-uncertain",
            remedy=("use E(X), such as E(AP), or leave out", Argument("target")),
        )
    if 0 in scores.draws:  # of labels
        population = options.get("target", "population") == "population"
        draws = scores.resampled_means(0, number, seed) + (draws - mean) * population
    return _Found(scores.systems, mean, draws, scores.notes + notes)


def _about_compared(notes: tuple[Note, ...], systems: tuple[str, ...]) -> tuple[Note, ...]:
    """Notes, those on compared systems first; a system without judged documents is an error."""
    unknown = [note.where for note in notes if note.kind == "nothing-judged"]
    empty = [name for name in systems if name in unknown]
    if empty:
        raise InputError(
            f"no document of {few(empty)} was judged",
            code="nothing-judged",
            remedy="check that runs and labels use the same ids of topics and documents",
        )
    mine = [replace(note, about="result") for note in notes if note.where in systems]
    return (*mine, *(note for note in notes if note.where not in systems))


def by_interval(low: float, high: float, margin: float) -> GateVerdict:
    """The verdict from an interval of candidate minus baseline, given a margin."""
    if low > margin:
        return "better"
    if high < -margin:
        return "worse"
    if low >= -margin and high <= margin:
        return "same"
    return "not worse" if low >= -margin and margin > 0 else "undecided"


def by_chance(chance: float, level: float, candidates: int = 1) -> GateVerdict:
    """The verdict from P(candidate beats baseline), one of several such decisions."""
    tail = (1 - level) / 2 / candidates
    return "better" if chance >= 1 - tail else "worse" if chance <= tail else "undecided"


def _find(names: list[str], name: str) -> int:
    if name not in names:
        raise UnknownName(
            f"no run is called '{name}'", remedy=f"the runs are {', '.join(names[:20])}"
        )
    return names.index(name)


def _resampled(values: Floats, seed: int, draws: int = DRAWS) -> Floats:
    """[draw, system]: means over resampled topics, widened to Student's t."""
    if values.shape[1] < 2:
        raise InputError(
            "one topic cannot tell systems apart",
            code="one-topic",
            remedy="score two topics or more",
        )
    rng = np.random.default_rng(seed)
    return np.asarray(values.mean(axis=1) + topic_deviations(values, draws, rng, rng))
