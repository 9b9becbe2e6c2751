"""The desk: handles the requests of a page, independently of HTTP."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import numpy as np

from hungjury.base.errors import InputError, plural
from hungjury.base.records import Record
from hungjury.data.texts import DOCUMENTS, Text, Texts
from hungjury.labelling.dealing import Answer, Dealing
from hungjury.labelling.items import Item, batches
from hungjury.labelling.store import LabelStore, Person
from hungjury.stats.agreement import krippendorff_alpha

CONTEXT = replace(
    DOCUMENTS, option="context",
    bodies=("contexts", "context", "passages", *DOCUMENTS.bodies),
)  # fmt: skip


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
            raise InputError(
                "no document of the plan has a text and a query",
                code="no-text",
                remedy="give other queries or documents, or a link template",
            )
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
            found["task"]["before"] = {
                "grade": before.grade, "reason": before.reason, "note": before.note
            }  # fmt: skip
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
