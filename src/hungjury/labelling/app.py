"""Routes of the server: the page, its styles and script, and four requests that change state."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Awaitable, Callable
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeAlias

from hungjury.labelling.dealing import Answer
from hungjury.labelling.desk import Desk
from hungjury.labelling.guard import Guard, Refused, key_of, read_json, whose
from hungjury.labelling.store import Judge

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp

__all__ = ["address", "make_app"]

LONGEST_NOTE, LONGEST_REASON, LONGEST_TIME = 4000, 500, 24 * 3600.0
PAGE = {
    "": ("page.html", "text/html"),
    "page.css": ("page.css", "text/css"),
    "page.js": ("page.js", "text/javascript"),
    "text.js": ("text.js", "text/javascript"),
}
# The cookie is SameSite=Strict, so a browser does not send it when it follows a link from another
# site. This page, which is our own, requests the labelling page.
ENTER = """<!doctype html><html lang="en"><meta charset="utf-8"><title>hungjury label</title>
<meta http-equiv="refresh" content="0;url=/{key}/"><a href="/{key}/">Start labelling</a></html>"""

Handler: TypeAlias = "Callable[[Request, Judge], Awaitable[Response | dict[str, Any]]]"


def address(port: int, judge: Judge) -> str:
    """The address of a person's page."""
    return f"http://127.0.0.1:{port}/enter?token={judge.token}"


def make_app(desk: Desk, results: Callable[[int], Any] = lambda batches: None) -> ASGIApp:
    """The application.

    Parameters
    ----------
    desk : Desk
        Deals out documents and stores answers.
    results : callable, optional
        Results for the systems after this many batches, as JSON, or None.
    """
    from starlette.applications import Starlette
    from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
    from starlette.routing import Route

    judges = {key_of(judge): judge for judge in desk.judges}
    parts = {name: (_part(file), kind) for name, (file, kind) in PAGE.items()}

    def about(judge: Judge, state: dict[str, Any]) -> dict[str, Any]:
        grades = [{"grade": g.grade, "meaning": g.meaning} for g in desk.store.grades]
        known = results(state["progress"]["batches_done"])
        return {**state, "judge": judge.name, "grades": grades, "results": known}

    async def enter(request: Request) -> Response:
        judge = whose(desk.judges, request.query_params.get("token", ""))
        key = key_of(judge)
        reply = HTMLResponse(ENTER.format(key=key))
        reply.set_cookie(
            f"hungjury-{key}", judge.token, path=f"/{key}/", httponly=True, samesite="strict"
        )
        return reply

    async def page(request: Request, judge: Judge) -> Response:
        name = request.path_params.get("part", "")
        if name not in parts:
            raise Refused(404, "Page not found.")
        text, kind = parts[name]
        return Response(text, media_type=kind)

    async def progress(request: Request, judge: Judge) -> dict[str, Any]:
        now = desk.progress(judge.number)
        return {"progress": now, "results": results(now["batches_done"])}

    async def task(request: Request, judge: Judge) -> dict[str, Any]:
        await read_json(request)
        return about(judge, desk.task(judge.number))

    async def label(request: Request, judge: Judge) -> dict[str, Any]:
        body = await read_json(request)
        grade = body.get("grade")
        if type(grade) is not int or grade not in {g.grade for g in desk.store.grades}:
            raise Refused(400, "This is not one of the grades.")
        said = Answer(grade, note=_text(body, "note", LONGEST_NOTE), adjudicated=desk.adjudicate)
        return about(judge, desk.answer(judge.number, _item(body, desk), said, _seconds(body)))

    async def skip(request: Request, judge: Judge) -> dict[str, Any]:
        body = await read_json(request)
        reason = _text(body, "reason", LONGEST_REASON)
        if not reason:
            raise Refused(400, "Skipping needs a reason.")
        note = _text(body, "note", LONGEST_NOTE)
        said = Answer(None, reason, note, adjudicated=desk.adjudicate)
        return about(judge, desk.answer(judge.number, _item(body, desk), said, _seconds(body)))

    async def undo(request: Request, judge: Judge) -> dict[str, Any]:
        await read_json(request)
        return about(judge, desk.undo(judge.number))

    def of_judge(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
        async def handle(request: Request) -> Response:
            key = request.path_params["key"]
            judge = whose(desk.judges, request.cookies.get(f"hungjury-{key}", ""))
            if judges.get(key) != judge:
                raise Refused(403, "This address belongs to another person.")
            found = await handler(request, judge)
            return found if isinstance(found, Response) else JSONResponse(found)

        return handle

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, Refused)
        if request.method == "POST":
            return JSONResponse({"error": error.message}, error.status)
        return PlainTextResponse(error.message, error.status)

    async def not_stored(request: Request, error: Exception) -> Response:
        return JSONResponse({"error": f"The label could not be stored: {error}."}, 507)

    def post(path: str, handler: Handler) -> Route:
        return Route(f"/{{key}}/{path}", of_judge(handler), methods=["POST"])

    routes = [
        Route("/enter", enter),
        post("task", task),
        post("label", label),
        post("skip", skip),
        post("undo", undo),
        Route("/{key}/progress", of_judge(progress)),
        Route("/{key}/", of_judge(page)),
        Route("/{key}/{part}", of_judge(page)),
    ]
    handlers: Any = {Refused: refused, sqlite3.Error: not_stored}
    return Guard(Starlette(routes=routes, exception_handlers=handlers))


def _part(name: str) -> str:
    return files("hungjury.labelling").joinpath("page", name).read_text(encoding="utf-8")


def _item(body: dict[str, Any], desk: Desk) -> int:
    item = body.get("item")
    if type(item) is not int or not 0 <= item < len(desk.items):
        raise Refused(400, "Document not found.")
    return item


def _text(body: dict[str, Any], name: str, longest: int) -> str:
    text = body.get(name, "")
    if not isinstance(text, str) or len(text) > longest:
        raise Refused(400, f"The {name} must be text of at most {longest} characters.")
    return text.encode("utf-8", "replace").decode("utf-8").strip()


def _seconds(body: dict[str, Any]) -> float:
    seconds = body.get("seconds", 0)
    if type(seconds) not in (int, float) or not math.isfinite(seconds):
        raise Refused(400, "The time must be a number of seconds.")
    return min(max(float(seconds), 0.0), LONGEST_TIME)
