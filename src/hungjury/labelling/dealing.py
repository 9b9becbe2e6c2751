"""Decide who sees which document next. No clock and no database."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from statistics import median

from hungjury.base.records import Record

AWAY = 30 * 60.0  # seconds of inactivity after which a document is offered to other people
RECENT = 10 * 60.0
LAST = 30  # answers that a person's pace is estimated from


class Answer(Record):
    """One person's answer about one document: a grade, or None for a skip."""

    grade: int | None
    reason: str = ""
    note: str = ""


class Counts(Record):
    """Numbers of finished documents, of all documents, and of labels still needed."""

    done: int = 0
    total: int = 0
    left: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.done + other.done, self.total + other.total, self.left + other.left)


@dataclass
class Dealing:
    """Deals out documents to people.

    Parameters
    ----------
    topics : sequence of str
        The topic of each document, by position in the plan.
    batches : list of list of int
        Positions in the order in which they are shown, batch by batch.
    people : int
        How many people are expected; documents are labelled twice only if there are two.
    share : float
        The part of the documents that several people label, spread evenly over the plan.
    raters : int
        How many people label each of these; no document is shown to more.
    available : set of int, optional
        Positions that can be shown; default: all.
    adjudicate : bool
        Deal out only documents whose labels conflict, to be decided.
    """

    topics: Sequence[str]
    batches: list[list[int]]
    people: int = 1
    share: float = 0.0
    raters: int = 2
    available: set[int] | None = None
    adjudicate: bool = False
    answers: list[dict[int, Answer | None]] = field(init=False)  # None: dealt, not answered yet
    others: list[dict[int, Answer | None]] = field(init=False)  # adjudicated, or to be
    turns: dict[int, list[int]] = field(init=False, default_factory=dict)
    seen_at: dict[int, float] = field(init=False, default_factory=dict)
    paces: dict[int, list[float]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        count = len(self.topics)
        self.answers = [{} for _ in range(count)]
        self.others = [{} for _ in range(count)]
        self.shared = {i for i in range(count) if int((i + 1) * self.share) > int(i * self.share)}
        can = set(range(count)) if self.available is None else self.available
        self.batches = [kept for one in self.batches if (kept := [i for i in one if i in can])]
        self.batch_of = {i: n for n, batch in enumerate(self.batches) for i in batch}
        self.recount()

    def recount(self) -> None:
        """Count again, after `others` has changed."""
        self.counts = [self._counted(batch) for batch in self.batches]

    # ---- events

    def deal(self, person: int, item: int) -> None:
        """Record that a person is shown a document."""
        self.turns.setdefault(person, []).append(item)
        self._set(person, item, None)

    def answer(self, person: int, item: int, answer: Answer | None, seconds: float = 0.0) -> None:
        """Record an answer, or that it was undone (None)."""
        self._set(person, item, answer)
        pace = self.paces.setdefault(person, [])
        if answer is None:
            del pace[-1:]
        else:
            pace.append(seconds)

    def alive(self, person: int, now: float) -> None:
        """Record that a person's page is active."""
        self.seen_at[person] = now

    def _set(self, person: int, item: int, answer: Answer | None) -> None:
        self.answers[item][person] = answer
        if item in self.batch_of:
            number = self.batch_of[item]
            self.counts[number] = self._counted(self.batches[number])

    # ---- the next document

    def current(self, person: int) -> int | None:
        """Return the first document that a person was shown and has not answered."""
        waiting = self._waiting(person)
        return self.turns[person][-waiting] if waiting else None

    def last_answered(self, person: int) -> int | None:
        """Return the document that undo goes back to."""
        answered = self.answered(person)
        return self.turns[person][answered - 1] if answered else None

    def answered(self, person: int) -> int:
        """Count the documents that a person has answered."""
        return len(self.turns.get(person, ())) - self._waiting(person)

    def _waiting(self, person: int) -> int:
        """Count documents that a person was shown and has not answered, always the latest ones."""
        mine = reversed(self.turns.get(person, []))
        return sum(1 for _ in takewhile(lambda i: self.answers[i][person] is None, mine))

    def choose(self, person: int, now: float) -> int | None:
        """Choose a document that this person has never seen, from the earliest batch that has one.

        People stay on their topic while the batch has documents of it, and then prefer a topic
        that no one else is working on.
        """
        for batch, counts in zip(self.batches, self.counts, strict=True):
            if not counts.left:
                continue
            free = [i for i in batch if self._free(i, person, now)]
            if free:
                before = self.turns.get(person, [])
                mine = self.topics[before[-1]] if before else None
                busy = {self.topics[i] for i in batch if self._claims(i, person, now)}
                topics = [self.topics[i] for i in free]
                wanted = mine if mine in topics else next((t for t in topics if t not in busy), "")
                return next((i for i in free if self.topics[i] == wanted), free[0])
        return None

    def _free(self, item: int, person: int, now: float) -> bool:
        if person in self.answers[item]:
            return False
        if self.adjudicate:
            return self.conflict(item) and not self._claims(item, person, now)
        return self.wanted(item) > len(self.given(item)) + self._claims(item, person, now)

    def _claims(self, item: int, person: int, now: float) -> int:
        """Count the other people who are being shown the document."""
        return sum(
            said is None and other != person and now - self.seen_at.get(other, -AWAY) < AWAY
            for other, said in self.answers[item].items()
        )

    # ---- progress

    def wanted(self, item: int) -> int:
        """Return how many people should label a document."""
        return min(self.raters, self.people) if item in self.shared else 1

    def given(self, item: int, adjudicated: bool = False) -> dict[int, int]:
        """Return the grade that each person gave a document, or decided on."""
        said = (self.answers if adjudicated == self.adjudicate else self.others)[item]
        return {who: a.grade for who, a in said.items() if a is not None and a.grade is not None}

    def conflict(self, item: int) -> bool:
        """Tell whether people disagree about a document that has not been adjudicated."""
        return len({*self.given(item).values()}) > 1 and not self.given(item, adjudicated=True)

    def _count(self, item: int) -> Counts:
        given = self.given(item)
        if self.adjudicate:
            done, open_ = bool(self.given(item, adjudicated=True)), self.conflict(item)
            return Counts(int(done), int(done or open_), int(open_))
        answered = sum(a is not None for a in self.answers[item].values())
        left = min(self.wanted(item) - len(given), self.people - answered)
        return Counts(int(bool(given)), 1, max(left, 0))

    def _counted(self, items: Sequence[int]) -> Counts:
        return sum(map(self._count, items), Counts())

    def overall(self) -> Counts:
        """Add up the counts of the whole plan."""
        return sum(self.counts, Counts())

    def batches_done(self) -> int:
        """Count the first batches that need no more labels."""
        return sum(1 for _ in takewhile(lambda batch: batch.left == 0, self.counts))

    def seconds_left(self, person: int, now: float) -> float | None:
        """Estimate the time to finish, at this person's pace and with the people active now."""
        pace = self.paces.get(person, [])[-LAST:]
        if not pace:
            return None
        active = sum(now - at < RECENT for who, at in self.seen_at.items() if who != person) + 1
        return median(pace) * self.overall().left / active
