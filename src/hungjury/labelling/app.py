"""Routes of the server: the page, its styles and script, and four requests that change state."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from hungjury.labelling.desk import Desk
from hungjury.labelling.guard import Guard, Refused, key_of, read_json, whose
from hungjury.labelling.page_requests import Body, PageRequests, Reply
from hungjury.labelling.store import Judge

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp

__all__ = ["address", "make_app"]

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


def address(port: int, judge: Judge) -> str:
    """The address of a person's page."""
    return f"http://127.0.0.1:{port}/enter?token={judge.token}"


def make_app(desk: Desk, results: Callable[[int], object] = lambda batches: None) -> ASGIApp:
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

    asked = PageRequests(desk, results)
    judges = {key_of(judge): judge for judge in desk.judges}
    parts = {name: (_part(file), kind) for name, (file, kind) in PAGE.items()}

    async def enter(request: Request) -> Response:
        judge = whose(desk.judges, request.query_params.get("token", ""))
        key = key_of(judge)
        reply = HTMLResponse(ENTER.format(key=key))
        reply.set_cookie(
            f"hungjury-{key}", judge.token, path=f"/{key}/", httponly=True, samesite="strict"
        )
        return reply

    def judge_of(request: Request) -> Judge:
        key = request.path_params["key"]
        judge = whose(desk.judges, request.cookies.get(f"hungjury-{key}", ""))
        if judges.get(key) != judge:
            raise Refused(403, "This address belongs to another person.")
        return judge

    async def page(request: Request) -> Response:
        judge_of(request)
        name = request.path_params.get("part", "")
        if name not in parts:
            raise Refused(404, "Page not found.")
        text, kind = parts[name]
        return Response(text, media_type=kind)

    async def progress(request: Request) -> Response:
        return JSONResponse(asked.progress(judge_of(request)))

    def post(path: str, handler: Callable[[Judge, Body], Reply]) -> Route:
        async def handle(request: Request) -> Response:
            judge = judge_of(request)
            return JSONResponse(handler(judge, await read_json(request)))

        return Route(f"/{{key}}/{path}", handle, methods=["POST"])

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, Refused)
        if request.method == "POST":
            return JSONResponse({"error": error.message}, error.status)
        return PlainTextResponse(error.message, error.status)

    async def not_stored(request: Request, error: Exception) -> Response:
        return JSONResponse({"error": f"The label could not be stored: {error}."}, 507)

    routes = [
        Route("/enter", enter),
        post("task", asked.task),
        post("label", asked.label),
        post("skip", asked.skip),
        post("undo", asked.undo),
        Route("/{key}/progress", progress),
        Route("/{key}/", page),
        Route("/{key}/{part}", page),
    ]
    handlers: Any = {Refused: refused, sqlite3.Error: not_stored}
    return Guard(Starlette(routes=routes, exception_handlers=handlers))


def _part(name: str) -> str:
    return files("hungjury.labelling").joinpath("page", name).read_text(encoding="utf-8")
