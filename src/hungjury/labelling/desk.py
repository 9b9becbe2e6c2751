"""The desk: who sees which document next, and the requests of a page, independently of HTTP."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import takewhile
from statistics import median
from typing import Any
from urllib.parse import quote

import numpy as np

from hungjury.base.errors import InputError, plural
from hungjury.base.records import Record, fields_of
from hungjury.data.texts import DOCUMENTS, Text, Texts
from hungjury.labelling.items import Answer, Item, batches
from hungjury.labelling.store import LabelStore, Person
from hungjury.stats.agreement import krippendorff_alpha

CONTEXT = replace(
    DOCUMENTS, option="context",
    bodies=("contexts", "context", "passages", *DOCUMENTS.bodies),
)  # fmt: skip


AWAY = 30 * 60.0  # seconds of inactivity after which a document is offered to other people
RECENT = 10 * 60.0
LAST = 30  # answers that a person's pace is estimated from


class AnswerTexts(Record):
    """Texts of systems' answers by their ids, used as those of documents."""

    texts: Mapping[str, str]
    missing: set[str]

    def get(self, name: str) -> Text:
        return Text(body=self.texts.get(name, ""))


class Display(Record):
    """How a page shows queries and documents: as texts, as a link, or by id only.

    Attributes
    ----------
    context
        What answers were made from, by the id of the answer or of its topic.
    rubric
        How to label, shown with every document.
    """

    queries: Texts | None = None
    documents: Texts | AnswerTexts | None = None
    link: str | None = None
    context: Texts | None = None
    rubric: str = ""

    def available(self, items: Sequence[Item]) -> set[int]:
        """Find the positions of the items that a person can judge."""
        queries, documents = self.queries, None if self.link is not None else self.documents
        return {
            i
            for i, item in enumerate(items)
            if not (queries is not None and item.topic in queries.missing)
            and not (documents is not None and item.document in documents.missing)
        }

    def task(self, item: Item) -> dict[str, Any]:
        query = Text() if self.queries is None else self.queries.get(item.topic)
        text = Text() if self.documents is None else self.documents.get(item.document)
        found = (
            [self.context.get(name) for name in (item.document, item.topic)] if self.context else []
        )
        answer = isinstance(self.documents, AnswerTexts)
        link = self.link
        for role in ("topic", "document"):
            link = link and link.replace(f"{{{role}}}", quote(getattr(item, role), safe=""))
        return {
            "topic": item.topic,
            "document": "" if answer else item.document,  # the id of an answer names its system
            "query": query.head,
            "description": query.body,
            "title": text.head,
            "text": text.body,
            "link": link,
            "answer": answer,
            "context": next((one.body or one.head for one in found if one != Text()), ""),
            "rubric": self.rubric,
        }


class Counts(Record):
    """Numbers of finished documents, of all documents, and of labels still needed."""

    done: int = 0
    total: int = 0
    left: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.done + other.done, self.total + other.total, self.left + other.left)


@dataclass
class Dealing:
    """Decides who sees which document next, without a clock or a database.

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


class Desk:
    """Deals out documents, stores answers and reports the state of each page.

    Parameters
    ----------
    store : LabelStore
    shown : Display
        How a page shows documents.
    people : sequence of Person
        The people who label now.
    share : float
        The part of the documents that several people label.
    raters : int
        How many people label each of these.
    adjudicate : bool
        Show only documents whose labels conflict, with those labels.
    clock : callable
        Seconds since some fixed time.
    """

    def __init__(
        self,
        store: LabelStore,
        shown: Display,
        people: Sequence[Person],
        share: float = 0.0,
        raters: int = 2,
        adjudicate: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.store, self.items, self.shown, self.people = store, store.items, shown, people
        self.share, self.raters, self.adjudicate, self.clock = share, raters, adjudicate, clock
        self.available = shown.available(self.items)
        if not self.available.intersection(store.order):
            said = "no document of the plan has a text and a query"
            remedy = "give other queries or documents, or a link template"
            raise InputError(said, code="no-text", remedy=remedy)
        self.names = {one.number: one.name for one in store.people()}
        self.seen_at = {one.number: self.clock() for one in people}
        self.load()

    def adjudicating(self) -> Desk:
        """Return the desk of the same people that deals out conflicts."""
        how = (self.share, self.raters, True, self.clock)
        return Desk(self.store, self.shown, self.people, *how)

    def load(self) -> None:
        """Load the stored state into memory."""
        self.dealing = Dealing(
            [item.topic for item in self.items],
            batches(self.items, self.store.order),
            len(self.names),
            self.share,
            self.raters,
            self.available,
            self.adjudicate,
        )
        self.dealing.seen_at = self.seen_at
        for item, person, adjudicated, said, seconds in self.store.events():
            if adjudicated != self.adjudicate:
                self.dealing.others[item][person] = said
            elif item in self.dealing.batch_of:
                self.dealing.deal(person, item)
                if said is not None:
                    self.dealing.answer(person, item, said, seconds)
            else:  # of another plan, or without text now
                self.dealing.answers[item][person] = said
        self.dealing.recount()

    # ---- requests of a page

    def task(self, person: int) -> dict[str, Any]:
        """Return the document that a person is working on; deal a new one if there is none."""
        self.dealing.alive(person, self.clock())
        if self.dealing.current(person) is None:
            with self._together():
                self._deal(person)
        return self.state(person)

    def answer(self, person: int, item: int, said: Answer, seconds: float) -> dict[str, Any]:
        """Store an answer to the current document, and go to the next one.

        A page repeats its request if it gets no reply; an answer that is already stored is not
        stored again.
        """
        self.dealing.alive(person, self.clock())
        if self.dealing.current(person) == item:
            with self._together():
                self.store.answer(person, item, said, seconds, self.adjudicate)
                self.dealing.answer(person, item, said, seconds)
                if self.dealing.current(person) is None:
                    self._deal(person)
            return self.state(person)
        stored = self.dealing.answers[item].get(person)
        return {**self.state(person), "refused": stored != said}

    def undo(self, person: int) -> dict[str, Any]:
        """Undo a person's last answer."""
        self.dealing.alive(person, self.clock())
        item = self.dealing.last_answered(person)
        before = None
        if item is not None:
            before = self.dealing.answers[item][person]
            with self._together():
                self.store.take_back(person, item, self.adjudicate)
                self.dealing.answer(person, item, None)
        found = self.state(person)
        if found["task"] is not None and before is not None:
            found["task"]["before"] = fields_of(before)
        return found

    def state(self, person: int) -> dict[str, Any]:
        """Return everything that a page shows, without changing it."""
        item = self.dealing.current(person)
        return {
            "task": None if item is None else self._task(item),
            "progress": self.progress(person),
            "undo": self.dealing.last_answered(person) is not None,
        }

    def progress(self, person: int) -> dict[str, Any]:
        dealing = self.dealing
        item = dealing.current(person)
        here = None if item is None else dealing.batch_of[item]
        overall = dealing.overall()
        inside = overall if here is None else dealing.counts[here]
        return {
            "done": overall.done,
            "total": overall.total,
            "left": overall.left,
            "mine": dealing.answered(person),
            "batch": None if here is None else here + 1,
            "batches": len(dealing.batches),
            "batches_done": dealing.batches_done(),
            "batch_left": inside.total - inside.done,
            "seconds_left": dealing.seconds_left(person, self.clock()),
            "conflicts": sum(map(dealing.conflict, range(len(self.items)))),
            "agreement": self._agreement(),
        }

    def _agreement(self) -> str | None:
        """Say how far people agree on the documents that several of them labelled."""
        votes = [given for i in range(len(self.items)) if len(given := self.dealing.given(i)) > 1]
        if not votes:
            return None
        same = sum(len({*given.values()}) == 1 for given in votes)
        text = f"People agree on {same:,} of {plural(len(votes), 'document')} that several labelled"
        scale = [one.grade for one in self.store.grades]
        counts = np.array([[[*given.values()].count(g) for g in scale] for given in votes], float)
        alpha = krippendorff_alpha(counts, "ordinal")
        return f"{text}." if np.isnan(alpha) else f"{text} (Krippendorff’s alpha {alpha:.2f})."

    def _task(self, item: int) -> dict[str, Any]:
        task = {"item": item, **self.shown.task(self.items[item]), "before": None, "said": []}
        if self.adjudicate:
            task["said"] = [
                {"person": self.names[who], "grade": said.grade, "note": said.note}
                for who, said in self.dealing.others[item].items()
                if said is not None and said.grade is not None
            ]
        return task

    def _deal(self, person: int) -> None:
        item = self.dealing.choose(person, self.clock())
        if item is not None:
            self.store.deal(person, item, self.adjudicate)
            self.dealing.deal(person, item)

    @contextmanager
    def _together(self) -> Iterator[None]:
        """Open a transaction; if it fails, reload the state in memory from disk."""
        try:
            with self.store.transaction():
                yield
        except BaseException:
            self.load()
            raise
