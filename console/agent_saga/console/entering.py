"""Signing in with a passkey, signing out, and enrolling a new one."""

import re
from collections.abc import Callable
from hashlib import sha256
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from agent_saga.approvals.digests import fingerprint
from agent_saga.approvals.spelling import from_base64url
from agent_saga.console.desk import Desk, assertion_of
from agent_saga.console.enrolling import Made, entry_of
from agent_saga.console.enrolment_pages import enrol, enrolled
from agent_saga.console.forms import read_form
from agent_saga.console.limits import KEY_DAYS
from agent_saga.console.pages import sign_in
from agent_saga.console.tickets import Tickets
from agent_saga.console.visitors import Visitors
from agent_saga.runtime.times import later
from agent_saga.trace.base64url import unpadded

_REQUEST: Final = re.compile(r"/request/[0-9a-f]{64}").fullmatch
_HANDLE: Final = 16
"""Bytes of a user handle: random, so that it names nobody, and a second passkey never takes the first one's place."""


class Entering:
    """The routes that need no session."""

    def __init__(self, desk: Desk, visitors: Visitors, tickets: Tickets, random: Callable[[int], bytes]) -> None:
        self._desk, self._visitors, self._tickets, self._random = desk, visitors, tickets, random

    async def ask(self, request: Request) -> Response:
        """GET /sign-in: a challenge, for whoever asks."""
        registry, person = (await self._desk.keys()).registry, request.query_params.get("person", "")
        keys = [key for key in registry.keys if key.person == person and key.scheme == "webauthn"]
        ticket = self._tickets.issue("login")
        challenge = unpadded(self._tickets.challenge("login", ticket))
        onward = _onward(request.query_params.get("onward", ""))
        return HTMLResponse(sign_in(ticket, challenge, registry.party.id, keys, onward))

    async def sign_in(self, request: Request) -> Response:
        """POST /sign-in: a session for the passkey that answered."""
        form = await read_form(request)
        ticket = form.get("ticket", "")
        challenge = self._tickets.check("login", ticket)
        key = await self._desk.sign_in(assertion_of(form), challenge)
        self._tickets.check("login", ticket)  # another answer to it may have come in meanwhile
        self._tickets.spend(ticket)
        return self._visitors.enter(key, _onward(form.get("onward", "")))

    async def sign_out(self, request: Request) -> Response:
        """POST /sign-out."""
        await self._visitors.require(request, await read_form(request))
        return self._visitors.leave(request)

    async def ask_new(self, request: Request) -> Response:
        """GET /enrol: a challenge for a new passkey."""
        registry = (await self._desk.keys()).registry
        ticket = self._tickets.issue("enrol")
        challenge = unpadded(self._tickets.challenge("enrol", ticket))
        handle = unpadded(self._random(_HANDLE))
        return HTMLResponse(enrol(ticket, challenge, handle, registry.party.id, registry.algorithms))

    async def enrol(self, request: Request) -> Response:
        """POST /enrol: the registry's entry for a new passkey; nothing is kept here."""
        form = await read_form(request)
        challenge = self._tickets.check("enrol", form.get("ticket", ""))
        made = Made(form.get("person", ""), form.get("client", ""), form.get("attestation", ""))
        now = self._desk.now()
        until = later(now, KEY_DAYS * 86_400)
        entry = entry_of(made, challenge, (await self._desk.keys()).registry, now, until)
        public = from_base64url(entry["public"], "the public key")
        return HTMLResponse(enrolled(entry, fingerprint(sha256(public).digest())))


def _onward(path: str) -> str:
    """Where to go after signing in: a request of this page, or the list."""
    return path if _REQUEST(path) else "/"
