"""The server of the labelling page: requests, checks on them, serving on this machine only."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import json
import math
import os
import secrets
import signal
import socket
import sqlite3
import sys
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.resources import files
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlsplit

from hungjury.base.errors import Argument, InputError, check_installed
from hungjury.labelling.desk import Desk
from hungjury.labelling.items import Answer
from hungjury.labelling.store import Person

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

# The server listens on this machine only. That alone does not stop other pages in the same browser:
# a name that resolves to 127.0.0.1 (rebinding) is refused by its Host, a form or script of another
# origin by its Origin, and a page without the token by its cookie.
LARGEST = 64 * 1024  # bytes of a request's body
LARGEST_HEAD = 16 * 1024  # bytes of its URL and headers
EXCHANGE_SECONDS = 30.0  # for a request to arrive and its reply to be taken
MOST_CONNECTIONS = 100  # open at once
LOOPBACK = ("127.0.0.1", "localhost", "::1")
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
LONGEST_NOTE, LONGEST_REASON, LONGEST_TIME = 4000, 500, 24 * 3600.0
Body: TypeAlias = Mapping[str, Any]
Reply: TypeAlias = dict[str, Any]


class Refused(Exception):
    """A refused request: a status code and a sentence."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


class PageRequests:
    """Answer the requests of a person's page.

    Parameters
    ----------
    desk : Desk
        Deals out documents and stores answers.
    results : callable
        Results for the systems after this many batches, as JSON, or None.
    """

    def __init__(self, desk: Desk, results: Callable[[int], object]) -> None:
        self.desks, self.results = {"label": desk, "adjudicate": desk.adjudicating()}, results
        self._used = desk

    def _desk(self, body: Body) -> Desk:
        """Return the desk that a page works at; what was done at the other one is loaded."""
        found = self.desks.get(str(body.get("mode", "label")))
        if found is None:
            raise Refused(400, "The mode is label or adjudicate.")
        if found is not self._used:
            found.load()
            self._used = found
        return found

    def progress(self, person: Person, body: Body) -> Reply:
        return self._with_results({"progress": self._desk(body).progress(person.number)})

    def task(self, person: Person, body: Body) -> Reply:
        return self._page(person, self._desk(body).task(person.number))

    def label(self, person: Person, body: Body) -> Reply:
        grade = body.get("grade")
        if type(grade) is not int or grade not in {g.grade for g in self._desk(body).store.grades}:
            raise Refused(400, "This is not one of the grades.")
        return self._answer(person, body, grade)

    def skip(self, person: Person, body: Body) -> Reply:
        reason = _text(body, "reason", LONGEST_REASON)
        if not reason:
            raise Refused(400, "Skipping needs a reason.")
        return self._answer(person, body, None, reason)

    def undo(self, person: Person, body: Body) -> Reply:
        return self._page(person, self._desk(body).undo(person.number))

    def _answer(self, person: Person, body: Body, grade: int | None, reason: str = "") -> Reply:
        said = Answer(grade, reason, _text(body, "note", LONGEST_NOTE))
        item, desk = body.get("item"), self._desk(body)
        if type(item) is not int or not 0 <= item < len(desk.items):
            raise Refused(400, "Document not found.")
        return self._page(person, desk.answer(person.number, item, said, _seconds(body)))

    def _page(self, person: Person, state: Reply) -> Reply:
        """Add what else the page shows to the state of a person's work."""
        grades = [{"grade": g.grade, "meaning": g.meaning} for g in self._used.store.grades]
        return self._with_results({**state, "person": person.name, "grades": grades})

    def _with_results(self, state: Reply) -> Reply:
        done = self.desks["label"].dealing.batches_done()
        return {**state, "results": self.results(done)}


def _text(body: Body, name: str, longest: int) -> str:
    text = body.get(name, "")
    if not isinstance(text, str) or len(text) > longest:
        raise Refused(400, f"The {name} must be text of at most {longest} characters.")
    return text.encode("utf-8", "replace").decode("utf-8").strip()


def _seconds(body: Body) -> float:
    seconds = body.get("seconds", 0)
    # isfinite() cannot take the largest integers
    if type(seconds) not in (int, float) or not abs(seconds) < math.inf:
        raise Refused(400, "The time must be a number of seconds.")
    return float(min(max(seconds, 0), LONGEST_TIME))


class Guard:
    """Middleware that refuses requests from other sites and adds headers to every reply."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        from starlette.responses import PlainTextResponse

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                more = [(k.encode(), v.encode()) for k, v in HEADERS.items()]
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        try:
            _check_origin(scope)
        except Refused as refused:
            reply = PlainTextResponse(refused.message, refused.status)
            await reply(scope, receive, with_headers)
        else:
            await self.app(scope, receive, with_headers)


def _check_origin(scope: Scope) -> None:
    method, headers = scope["method"], scope["headers"]
    sizes = [len(name) + len(value) for name, value in headers]
    if len(scope["raw_path"]) + len(scope["query_string"]) + sum(sizes) > LARGEST_HEAD:
        raise Refused(431, f"Address and headers may have {LARGEST_HEAD // 1024} KB.")
    hosts = [value.decode("latin-1") for name, value in headers if name == b"host"]
    origins = [value.decode("latin-1") for name, value in headers if name == b"origin"]
    if len(hosts) != 1 or not _is_loopback(hosts[0]):
        raise Refused(421, "This server answers to 127.0.0.1 and localhost only.")
    if any(origin != f"http://{hosts[0]}" for origin in origins):
        raise Refused(403, "Requests from other pages are refused.")
    if method == "POST" and len(origins) != 1:
        raise Refused(403, "Requests that change something must come from the page itself.")
    if method not in ("GET", "HEAD", "POST"):
        raise Refused(405, "GET and POST only.")


def _is_loopback(host: str) -> bool:
    try:
        parts = urlsplit(f"//{host}")
        port = "" if parts.port is None else f":{parts.port}"
        names = {f"[{name}]" if ":" in name else name for name in LOOPBACK}
        return host.lower() in {f"{name}{port}" for name in names}
    except ValueError:
        return False


def key_of(person: Person) -> str:
    """The public part of a person's address; two servers on one machine never share one."""
    return hashlib.sha256(person.token.encode()).hexdigest()[:16]


def whose(people: Sequence[Person], token: str) -> Person:
    """The person a token belongs to; every token is compared in full, in constant time."""
    found = [one for one in people if secrets.compare_digest(one.token.encode(), token.encode())]
    if not found:
        raise Refused(403, "Open the whole address that `hungjury label` printed for you.")
    return found[0]


async def read_json(request: Request) -> dict[str, Any]:
    """The body of a request: a JSON object of bounded size."""
    from starlette.requests import ClientDisconnect

    if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
        raise Refused(415, "The body must be JSON.")
    body = b""
    try:
        async for piece in request.stream():
            body += piece
            if len(body) > LARGEST:
                raise Refused(413, f"A request may have {LARGEST // 1024} KB.")
    except ClientDisconnect:
        raise Refused(400, "The request did not arrive whole.") from None
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Refused(400, "The body must be a JSON object.")
    return found


PAGE = {"": "page.html", "page.css": "page.css", "page.js": "page.js", "text.js": "text.js"}
KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript"}
# The cookie is SameSite=Strict, so a browser does not send it when it follows a link from another
# site. This page, which is our own, requests the labelling page.
ENTER = """<!doctype html><html lang="en"><meta charset="utf-8"><title>hungjury label</title>
<meta http-equiv="refresh" content="0;url=/{key}/"><a href="/{key}/">Start labelling</a></html>"""


def address(port: int, person: Person) -> str:
    """Return the address of a person's page."""
    return f"http://127.0.0.1:{port}/enter?token={person.token}"


def make_app(desk: Desk, results: Callable[[int], object]) -> ASGIApp:
    """Make the application that serves the page.

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
    folder = files("hungjury.labelling").joinpath("page")
    parts = {name: folder.joinpath(file).read_bytes() for name, file in PAGE.items()}

    async def enter(request: Request) -> Response:
        person = whose(desk.people, request.query_params.get("token", ""))
        key = key_of(person)
        reply = HTMLResponse(ENTER.format(key=key))
        reply.set_cookie(
            f"hungjury-{key}", person.token, path=f"/{key}/", httponly=True, samesite="strict"
        )
        return reply

    def person_of(request: Request) -> Person:
        key = request.path_params["key"]
        person = whose(desk.people, request.cookies.get(f"hungjury-{key}", ""))
        if key_of(person) != key:
            raise Refused(403, "This address belongs to another person.")
        return person

    async def page(request: Request) -> Response:
        person_of(request)
        name = request.path_params.get("part", "")
        if name not in parts:
            raise Refused(404, "Page not found.")
        return Response(parts[name], media_type=KINDS[PAGE[name].rpartition(".")[2]])

    def request_of(name: str) -> Route:
        method = "GET" if name == "progress" else "POST"

        async def handle(request: Request) -> Response:
            person = person_of(request)
            desk.store.check()
            body = request.query_params if method == "GET" else await read_json(request)
            return JSONResponse(getattr(asked, name)(person, body))

        return Route(f"/{{key}}/{name}", handle, methods=[method])

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, Refused)
        if request.method == "POST":
            return JSONResponse({"error": error.message}, error.status)
        return PlainTextResponse(error.message, error.status)

    async def not_stored(request: Request, error: Exception) -> Response:
        if desk.store.rescued:
            signal.raise_signal(signal.SIGINT)  # stop as Ctrl-C does, after this reply
        said = error.message if isinstance(error, InputError) else error
        return JSONResponse({"error": f"The label could not be stored: {said}."}, 507)

    routes = [
        Route("/enter", enter),
        *map(request_of, ("task", "label", "skip", "undo", "progress")),
        Route("/{key}/", page),
        Route("/{key}/{part}", page),
    ]
    handlers: Any = {Refused: refused, sqlite3.Error: not_stored, InputError: not_stored}
    return Guard(Starlette(routes=routes, exception_handlers=handlers))


HOST = "127.0.0.1"


def listen(port: int) -> socket.socket:
    """Open a socket on the loopback interface; port 0 takes any free one."""
    for package in ("starlette", "uvicorn"):
        check_installed(package, "label", "the labelling page")
    # asyncio sends small packets at once only on sockets that are declared to be TCP; otherwise
    # every reply would wait about 40 ms for an acknowledgement.
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((HOST, port))
        found.listen(64)
    except OSError as error:
        found.close()
        taken = error.errno == errno.EADDRINUSE
        said = f"port {port} is in use" if taken else f"port {port}: {error.strerror}"
        remedy = ("choose another", Argument("port"), "or 0 for any free one")
        raise InputError(said, code="port", remedy=remedy) from None
    return found


def _bounded_connections() -> type[asyncio.Protocol]:
    """Make the HTTP protocol whose connections cannot keep others out by sending nothing.

    All of them come from this machine, tunnels included, so addresses do not tell people apart.
    A request and its reply have a time limit, however their bytes drip; where too many connections
    are open, the one that has the least time left is closed.
    """
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Bounded(H11Protocol):
        until: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self.allow_time()
            open_ones: list[Any] = [c for c in self.connections if not c.transport.is_closing()]
            if len(open_ones) > MOST_CONNECTIONS:
                min(open_ones, key=lambda one: one.until.when()).transport.abort()

        def connection_lost(self, exc: Exception | None) -> None:
            if self.until is not None:
                self.until.cancel()
            super().connection_lost(exc)

        def on_response_complete(self) -> None:
            self.allow_time()
            super().on_response_complete()

        def allow_time(self) -> None:
            if self.until is not None:
                self.until.cancel()
            self.until = self.loop.call_later(EXCHANGE_SECONDS, self.transport.abort)

    return Bounded


def serve(app: ASGIApp, at: socket.socket) -> None:
    """Answer requests until the process is interrupted."""
    import uvicorn

    config = uvicorn.Config(
        app,
        http=_bounded_connections(),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        h11_max_incomplete_event_size=16 * 1024,
        timeout_graceful_shutdown=1,
    )
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[at])


def open_browser(address: str) -> bool:
    """Open an address in the browser, if there is a display."""
    if sys.platform.startswith("linux") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        return False
    try:
        return webbrowser.open(address)
    except webbrowser.Error:
        return False
