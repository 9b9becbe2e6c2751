"""Checks on every request, and headers of every reply.

The server listens on this machine only. That alone does not stop other pages in the same
browser: a name that resolves to 127.0.0.1 (rebinding) is refused by its Host, a form or script of
another origin by its Origin, and a page without the token by its cookie.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from hungjury.labelling.store import Person

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST = 64 * 1024  # bytes of a request's body
LARGEST_HEAD = 16 * 1024  # bytes of its URL and headers
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


class Refused(Exception):
    """A refused request: a status code and a sentence."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


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
            _check_size(scope)
            _check_origin(scope["method"], scope["headers"])
        except Refused as refused:
            reply = PlainTextResponse(refused.message, refused.status)
            await reply(scope, receive, with_headers)
        else:
            await self.app(scope, receive, with_headers)


def _check_size(scope: Scope) -> None:
    sizes = [len(name) + len(value) for name, value in scope["headers"]]
    if len(scope["raw_path"]) + len(scope["query_string"]) + sum(sizes) > LARGEST_HEAD:
        raise Refused(431, f"Address and headers may have {LARGEST_HEAD // 1024} KB.")


def _check_origin(method: str, headers: Sequence[tuple[bytes, bytes]]) -> None:
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
        return parts.hostname in LOOPBACK and parts.netloc == host and "@" not in host
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
    import json

    if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
        raise Refused(415, "The body must be JSON.")
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > LARGEST:
            raise Refused(413, f"A request may have {LARGEST // 1024} KB.")
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Refused(400, "The body must be a JSON object.")
    return found
