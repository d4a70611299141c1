"""What waits, one request in full, and a signature over it.

A request is drafted here and kept for its session; a form names it by its digest only. So nothing that a browser sends
becomes part of what is signed but the choice and the reason, and both are shown again before the passkey is asked.
"""

from typing import Final, cast

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from agent_saga.approvals.requests import request_digest
from agent_saga.console.desk import Desk, Word, assertion_of
from agent_saga.console.errors import Refused
from agent_saga.console.forms import read_form
from agent_saga.console.pages import listing, request, review
from agent_saga.console.visitors import SEE_OTHER, Visitors
from agent_saga.trace.base64url import unpadded

_WORDS: Final = ("approve", "deny")


class Answering:
    """The routes for who has signed in."""

    def __init__(self, desk: Desk, visitors: Visitors) -> None:
        self._desk, self._visitors = desk, visitors

    async def listing(self, request: Request) -> Response:
        """GET /: what waits."""
        session = await self._visitors.find(request)
        if session is None:
            return self._visitors.turn_away(request)
        registry = (await self._desk.keys()).registry
        about = f"Judged by registry version {registry.version}. A session approves nothing: only signatures count."
        done = request.query_params.get("done", "")
        return HTMLResponse(listing(await self._desk.waiting(), session, about, done))

    async def request(self, asked: Request) -> Response:
        """GET /request/LEAF: the whole action, and the question."""
        session = await self._visitors.find(asked)
        if session is None:
            return self._visitors.turn_away(asked)
        waiting = await self._desk.find(asked.path_params["leaf"])
        draft = self._desk.draft(waiting, session.key, "approve", "")
        return HTMLResponse(request(waiting, await self._desk.text(draft), session))

    async def review(self, asked: Request) -> Response:
        """POST /request/LEAF: the whole of what would be signed."""
        form = await read_form(asked)
        session = await self._visitors.require(asked, form)
        if form.get("decision") not in _WORDS:
            raise Refused(400, "no-choice", "choose whether to approve or to deny")
        waiting = await self._desk.find(asked.path_params["leaf"])
        word = cast(Word, form["decision"])
        drafted = self._desk.draft(waiting, session.key, word, form.get("reason", "").strip())
        lines = await self._desk.text(drafted)
        digest = request_digest(drafted)
        session.keep(digest.hex(), drafted)
        party = (await self._desk.keys()).registry.party
        return HTMLResponse(review(drafted, lines, digest.hex(), unpadded(digest), party.id, session))

    async def sign(self, asked: Request) -> Response:
        """POST /request/LEAF/sign: the passkey's answer, handed to the engine."""
        form = await read_form(asked)
        session = await self._visitors.require(asked, form)
        digest = form.get("digest", "")
        drafted = session.opened.get(digest)
        if drafted is None or drafted.prev != asked.path_params["leaf"]:
            raise Refused(409, "not-shown", "this request was not shown to you, or was answered: read it again")
        await self._desk.answer(drafted, session.key, assertion_of(form))
        session.opened.pop(digest, None)
        return RedirectResponse(f"/?done={drafted.decision}", SEE_OTHER)
