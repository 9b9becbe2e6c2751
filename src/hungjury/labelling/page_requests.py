"""The requests of a page: check what was sent, ask the desk, and say what the page shows next."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from hungjury.labelling.dealing import Answer
from hungjury.labelling.desk import Desk
from hungjury.labelling.guard import Refused
from hungjury.labelling.store import Judge

__all__ = ["Body", "PageRequests", "Reply"]

LONGEST_NOTE, LONGEST_REASON, LONGEST_TIME = 4000, 500, 24 * 3600.0
Body: TypeAlias = Mapping[str, object]
Reply: TypeAlias = dict[str, Any]


class PageRequests:
    """All requests of a person's page.

    Parameters
    ----------
    desk : Desk
        Deals out documents and stores answers.
    results : callable
        Results for the systems after this many batches, as JSON, or None.
    """

    def __init__(self, desk: Desk, results: Callable[[int], object]) -> None:
        self.desk, self.results = desk, results

    def progress(self, judge: Judge) -> Reply:
        now = self.desk.progress(judge.number)
        return {"progress": now, "results": self.results(now["batches_done"])}

    def task(self, judge: Judge, _body: Body) -> Reply:
        return self._page(judge, self.desk.task(judge.number))

    def label(self, judge: Judge, body: Body) -> Reply:
        grade = body.get("grade")
        if type(grade) is not int or grade not in {g.grade for g in self.desk.store.grades}:
            raise Refused(400, "This is not one of the grades.")
        return self._answer(judge, body, grade)

    def skip(self, judge: Judge, body: Body) -> Reply:
        reason = _text(body, "reason", LONGEST_REASON)
        if not reason:
            raise Refused(400, "Skipping needs a reason.")
        return self._answer(judge, body, None, reason)

    def undo(self, judge: Judge, _body: Body) -> Reply:
        return self._page(judge, self.desk.undo(judge.number))

    def _answer(self, judge: Judge, body: Body, grade: int | None, reason: str = "") -> Reply:
        note = _text(body, "note", LONGEST_NOTE)
        said = Answer(grade, reason, note, adjudicated=self.desk.adjudicate)
        item = body.get("item")
        if type(item) is not int or not 0 <= item < len(self.desk.items):
            raise Refused(400, "Document not found.")
        return self._page(judge, self.desk.answer(judge.number, item, said, _seconds(body)))

    def _page(self, judge: Judge, state: Reply) -> Reply:
        """The state of a person's work, and what else the page shows."""
        grades = [{"grade": g.grade, "meaning": g.meaning} for g in self.desk.store.grades]
        known = self.results(state["progress"]["batches_done"])
        return {**state, "judge": judge.name, "grades": grades, "results": known}


def _text(body: Body, name: str, longest: int) -> str:
    text = body.get(name, "")
    if not isinstance(text, str) or len(text) > longest:
        raise Refused(400, f"The {name} must be text of at most {longest} characters.")
    return text.encode("utf-8", "replace").decode("utf-8").strip()


def _seconds(body: Body) -> float:
    seconds = body.get("seconds", 0)
    if (
        isinstance(seconds, bool)
        or not isinstance(seconds, (int, float))
        or not abs(seconds) < math.inf  # isfinite() cannot take the largest integers
    ):
        raise Refused(400, "The time must be a number of seconds.")
    return float(min(max(seconds, 0), LONGEST_TIME))
