"""Whose request it is: the session in its cookie, as long as the passkey that opened it is in force."""

from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.registry import Key
from agent_saga.console.desk import Desk
from agent_saga.console.errors import Refused
from agent_saga.console.sessions import Session, Sessions

SEE_OTHER = 303


class Visitors:
    """Sessions behind cookies. origin: of the page; on https the cookie is bound to this very host."""

    def __init__(self, desk: Desk, sessions: Sessions, origin: str) -> None:
        self._desk, self._sessions = desk, sessions
        self._secure = origin.startswith("https:")
        self._cookie = "__Host-approvals" if self._secure else "approvals"

    async def find(self, request: Request) -> Session | None:
        """The session, if there is one and its key still holds; one whose key was revoked ends here."""
        token = request.cookies.get(self._cookie, "")
        session = self._sessions.find(token)
        if session is None:
            return None
        try:
            (await self._desk.keys()).check(session.key, self._desk.now())
        except NotApproved:
            self._sessions.end(token)
            return None
        return session

    async def require(self, request: Request, form: dict[str, str]) -> Session:
        """The session of a form that is its own. Raises Refused (``no-session``, ``bad-form``)."""
        session = await self.find(request)
        if session is None:
            raise Refused(401, "no-session", "you are not signed in, or were away too long: sign in again")
        session.check_form(form.get("form", ""))
        return session

    def enter(self, key: Key, onward: str) -> Response:
        """Begin a session for who has just shown this key."""
        answer = RedirectResponse(onward, SEE_OTHER)
        token = self._sessions.begin(key)
        answer.set_cookie(self._cookie, token, path="/", secure=self._secure, httponly=True, samesite="strict")
        return answer

    def leave(self, request: Request) -> Response:
        """End the session."""
        self._sessions.end(request.cookies.get(self._cookie, ""))
        answer = RedirectResponse("/sign-in", SEE_OTHER)
        answer.delete_cookie(self._cookie, path="/", secure=self._secure, httponly=True, samesite="strict")
        return answer

    @staticmethod
    def turn_away(request: Request) -> Response:
        """To the way in, and back from there to the page that was asked for."""
        path = request.url.path
        return RedirectResponse("/sign-in" if path == "/" else f"/sign-in?onward={quote(path, safe='')}", SEE_OTHER)
