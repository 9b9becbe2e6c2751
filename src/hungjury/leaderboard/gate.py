"""gate: may a candidate replace the baseline? A decision for pipelines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from hungjury.base.errors import Argument, InputError, Note, check_known, few, percent
from hungjury.base.options import takes
from hungjury.base.records import Record, fields_of
from hungjury.base.results import Result, Table
from hungjury.base.text import finite
from hungjury.data.labels import as_gold, as_labels
from hungjury.data.qrels import Judgments, Qrels
from hungjury.data.reading.options import READING, JudgmentsLike, QrelsLike, RunsLike, assigned
from hungjury.data.runs import RunFiles, Runs, as_runs
from hungjury.leaderboard.board import Leaderboard
from hungjury.leaderboard.leaderboard import leaderboard
from hungjury.leaderboard.options import BOARD
from hungjury.leaderboard.plan_file import PlansLike
from hungjury.leaderboard.score_board import ScoreBoard, leaderboard_of_scores
from hungjury.measures.catalogue import Measure, measure_list
from hungjury.measures.evaluate import MeasureNames, evaluate
from hungjury.measures.score_files import JudgeScores
from hungjury.measures.scores import Scores
from hungjury.stats.multiple import simultaneous_widths

GateVerdict = Literal["better", "same", "not worse", "worse", "undecided"]
VERDICTS: dict[GateVerdict, tuple[bool | None, str]] = {  # does it pass, and what is said
    "better": (True, "is better than"),
    "same": (True, "is the same as"),
    "not worse": (True, "is not worse than"),
    "worse": (False, "is worse than"),
    "undecided": (None, "cannot be told apart from"),
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
        return VERDICTS[self.verdict][0]

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
        return f"{state}: {self.candidate} {VERDICTS[self.verdict][1]} {self.baseline}: {why}"

    def to_dict(self) -> dict[str, Any]:
        """Return all fields, and whether the candidate passed."""
        return dict(finite({**fields_of(self), "passed": self.passed}))


class Gates(Result, list[Gate]):
    """The decisions about all candidates by all measures: a list of `Gate`.

    Examples
    --------
    >>> import hungjury as hj
    >>> sim = hj.simulate(topics=5, systems=3, seed=1)
    >>> gates = hj.gate(sim.gold, sim.runs, "system3", ["system1", "system2"], "nDCG@10")
    >>> [one.passed for one in gates], gates.passed  # None: undecided
    ([True, None], None)
    """

    @property
    def passed(self) -> bool | None:
        """True if all candidates passed, False if one is worse, None if one is undecided."""
        found = [one.passed for one in self]
        return False if False in found else None if None in found else True

    @property
    def notes(self) -> tuple[Note, ...]:
        """Notes on labels, runs and results."""
        return tuple(dict.fromkeys(note for one in self for note in one.notes))

    def table(self) -> Table:
        """Return one row per decision."""
        return Table.of([row for one in self for row in one.table().to_dicts()])

    def to_text(self) -> str:
        """Write a line for each decision."""
        return "\n".join(one.to_text() for one in self)

    def to_dict(self) -> dict[str, Any]:
        """Return whether all passed, and all decisions."""
        return {"passed": self.passed, "gates": [one.to_dict() for one in self]}


class _Found(Record, eq=False):
    """Systems ranked by one measure, and what may be decided about them."""

    board: Leaderboard | ScoreBoard
    sized: bool = True  # does a difference have a valid interval?
    uncertain: bool = True  # are there chances of being better?
    stretch: float = 1.0
    why: str | None = None


@takes(BOARD, "reading")
def gate(
    labels: QrelsLike | JudgmentsLike | Scores,
    runs: RunsLike | None = None,
    baseline: str = "",
    candidate: str | list[str] = "",
    measure: MeasureNames | None = None,
    margin: float = 0.0,
    *,
    gold: QrelsLike | Judgments | None = None,
    plan: PlansLike | None = None,
    **options: Any,
) -> Gates:
    """Decide whether candidates are better than a baseline, and by how much.

    Parameters
    ----------
    labels : Qrels, Judgments or source
        Labels of one source, or of several judges. Judges are recognised by a judge column, by
        ``{judge: labels}``, and where several files give other labels to the same documents. Or
        scores, as `evaluate` and `read_scores` return them.
    runs : Runs or source
        Runs of the baseline and of all candidates; none with scores.
    baseline, candidate : str, or list of str
        Systems. A missing one, or one without a judged document, is an error.
    measure : str, Measure or list of these
        Every measure is decided by itself. Default: nDCG@10, or the first measure of scores.
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
    Gates
        A list of `Gate`, one for each measure and candidate.

    Notes
    -----
    With qrels or scores, topics are resampled and intervals are those of the mean difference, as
    wide as it takes to hold for all candidates at once; if labels are probabilities, labels are
    drawn from them too, the same ones for all systems. With judges and gold labels they come from
    the corrected leaderboard; where the panel agrees poorly with them nothing is decided. A panel
    without gold labels has no valid interval of a difference: there the decision rests on
    P(candidate beats baseline) alone, and a margin is refused; the same goes for scores
    by several judges. With several candidates the chance has to be larger: what the level leaves is
    divided by their number.

    Examples
    --------
    >>> import hungjury as hj
    >>> sim = hj.simulate(seed=1)
    >>> hj.gate(sim.gold, sim.runs, "system8", "system1")[0].verdict
    'better'
    """
    wanted = [candidate] if isinstance(candidate, str) else list(candidate)
    _check(baseline, wanted, margin)
    reading = {name: value for name, value in options.items() if name in READING}
    own = {name: value for name, value in options.items() if name not in READING}
    of_labels, of_runs, of_gold = assigned(reading, labels, runs, gold)
    level = BOARD["level"].value(own.get("level", BOARD["level"].default))
    given = labels if isinstance(labels, Scores) else as_labels(labels, **of_labels)
    if isinstance(given, (Judgments, JudgeScores)) and gold is None and margin:
        raise InputError(
            "a margin needs gold labels: without them a panel says who is better, not by how much",
            code="margin-without-gold",
            remedy=("leave out", Argument("margin"), "or give", Argument("gold")),
        )
    if isinstance(given, Judgments):
        known = None if gold is None else as_gold(gold, **of_gold)
        own |= {"gold": known, "plan": plan}
    elif gold is not None or plan is not None:
        raise InputError(
            "gold labels correct a panel, but these are labels of one source",
            code="gold-without-judges",
            remedy=("give labels of several judges, or leave out", Argument("gold")),
        )
    if (runs is None) != isinstance(given, Scores):
        raise InputError(
            "labels need runs" if runs is None else "scores take the place of labels and runs",
            code="labels-and-runs",
            argument="runs",
            remedy="give the runs of all systems" if runs is None else "leave the runs out",
        )
    if isinstance(given, Scores):
        names = measure if isinstance(measure, (list, tuple)) else [measure or given.measures[0]]
        decided = [_by_scores(given, str(one), own) for one in names]
    else:
        assert runs is not None
        lists = as_runs(runs, **of_runs)
        decided = [
            _by_panel(given, lists, one, own)
            if isinstance(given, Judgments) or (given.soft and not one.takes_probabilities)
            else _by_qrels(given, lists, one, own)
            for one in measure_list("nDCG@10" if measure is None else measure)
        ]
    out = Gates()
    for found in decided:
        board, compared = found.board, (baseline, *wanted)
        notes = _about_compared(board.notes, compared)
        for name in compared:
            check_known("run", name, board.systems)
        places = [board.systems.index(name) for name in compared]
        better = -1.0 if board.smaller_is_better else 1.0
        mean, draws = better * board.centre[places], better * board.samples[:, places]
        gap, drawn = mean[1:] - mean[0], draws[:, 1:] - draws[:, :1]
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
                    measure=board.measure,
                    margin=margin,
                    level=level,
                    verdict=verdict,
                    difference=float(gap[i]) if found.sized else None,
                    low=low if found.sized else None,
                    high=high if found.sized else None,
                    chance=chance if found.uncertain else None,
                    why=found.why,
                    candidates=len(wanted),
                    notes=notes,
                )
            )
    return out


def _check(baseline: str, wanted: list[str], margin: float) -> None:
    if not baseline or not all(wanted) or not wanted:
        raise InputError(
            "a gate compares a baseline with candidates",
            code="no-candidate",
            argument="candidate" if baseline else "baseline",
            remedy="name at least one system",
        )
    if baseline in wanted:
        said = f"'{baseline}' is both the baseline and a candidate"
        raise InputError(said, code="baseline-is-candidate", remedy="name two different systems")
    if not 0 <= margin < np.inf:
        said = f"margin must be 0 or more, got {margin!r}"
        remedy = "use a margin of 0 or more"
        raise InputError(said, code="bad-margin", argument="margin", remedy=remedy)


def _by_panel(
    judgments: Judgments | Qrels,
    runs: Runs | RunFiles,
    measure: Measure,
    options: Mapping[str, Any],
) -> _Found:
    board = leaderboard(judgments, runs, measure, **options)
    correction = board.correction
    if correction is None or correction.decides == "panel" or not correction.holds:
        return _Found(board, sized=correction is None and board.as_given)
    why = None if correction.concludes else correction.poor_agreement
    return _Found(board, stretch=correction.stretch, why=why)


def _by_qrels(
    qrels: Qrels, runs: Runs | RunFiles, measure: Measure, options: Mapping[str, Any]
) -> _Found:
    drawn = ("level", "seed", "target", "draws") if qrels.soft else ("level", "seed")
    scoring = {name: value for name, value in options.items() if name not in drawn}
    scores = evaluate(qrels, runs, measure, **scoring, distribution=qrels.soft)
    found = _by_scores(scores, None, {n: options[n] for n in drawn if n in options})
    return replace(found, uncertain=qrels.soft)


def _by_scores(scores: Scores, measure: str | None, options: Mapping[str, Any]) -> _Found:
    board = leaderboard_of_scores(scores, measure, **{"draws": DRAWS, **options})
    panel = isinstance(scores, JudgeScores)
    return _Found(board, sized=not panel, uncertain=panel or bool(scores.draws))


def _about_compared(notes: tuple[Note, ...], systems: tuple[str, ...]) -> tuple[Note, ...]:
    """Notes, those on compared systems first; a system without judged documents is an error."""
    unknown = [note.where for note in notes if note.kind == "nothing-judged"]
    empty = [name for name in systems if name in unknown]
    if empty:
        said = f"no document of {few(empty)} was judged"
        remedy = "check that runs and labels use the same ids of topics and documents"
        raise InputError(said, code="nothing-judged", remedy=remedy)
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
