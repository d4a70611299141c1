"""Whom the page answers, and the headers of every answer, refusals too.

A request whose Host is not the page's own is refused, or a name that leads to this machine would be let in. What
changes anything is a POST of this page's own forms: browsers name the page that a form stands on in ``Origin``.

Source: Fetch standard, "Origin header" and "Sec-Fetch-Site"; Content Security Policy Level 3; RFC 9110, 7.4 and 15.5.
"""

from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent_saga.console.limits import MAX_BODY

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
_HEADERS: Final = {
    "Content-Security-Policy": _POLICY,
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "publickey-credentials-get=(self), publickey-credentials-create=(self), camera=(), "
    "geolocation=(), microphone=()",
    # With no-referrer a browser would name no origin in the page's own forms.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_FORM: Final = "application/x-www-form-urlencoded"


class Guard:
    """Stands before every route. origin: where the page is seen, such as ``https://approve.example``."""

    def __init__(self, app: ASGIApp, origin: str) -> None:
        self._app, self._origin, self._host = app, origin, urlsplit(origin).netloc
        self._headers = dict(_HEADERS)
        if origin.startswith("https:"):
            self._headers["Strict-Transport-Security"] = "max-age=31536000"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, refuse, or pass on; only HTTP and the server's own life reach the routes."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            refusal = next(self._refusals(scope["method"], Headers(scope=scope)), None)
            app = self._app if refusal is None else PlainTextResponse(f"{refusal[1]}\n", refusal[0])
            await app(scope, receive, self._with_headers(send))

    def _with_headers(self, send: Send) -> Send:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        return sending

    def _refusals(self, method: str, headers: Headers) -> Iterator[tuple[int, str]]:
        if headers.getlist("host") != [self._host]:
            yield 421, f"this page is {self._origin} and answers to no other name"
        if method not in ("GET", "HEAD", "POST"):
            yield 405, "this page is read (GET) and answered (POST)"
        if method == "POST":
            yield from self._wrong_posts(headers)

    def _wrong_posts(self, headers: Headers) -> Iterator[tuple[int, str]]:
        if headers.getlist("origin") != [self._origin]:
            yield 403, f"forms are taken from {self._origin} only"
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            yield 403, f"forms are taken from {self._origin} only"
        if headers.get("content-type", "").partition(";")[0].strip() != _FORM:
            yield 415, f"expected {_FORM}"
        length = headers.get("content-length", "")
        if "transfer-encoding" in headers:  # it goes before Content-Length (RFC 9112, 6.3), and has no end
            yield 411, "the length of the form is told by Content-Length alone"
        elif not (length.isascii() and length.isdigit()):
            yield 411, "the length of the form is not told"
        elif len(length) > 9 or int(length) > MAX_BODY:
            yield 413, f"a form has at most {MAX_BODY} bytes"
