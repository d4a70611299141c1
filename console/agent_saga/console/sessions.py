"""Who is signed in: in memory, each session bound to the one passkey that opened it.

A session lets its person read, and prepare what is then signed. It approves nothing.
"""

import hmac
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256

from agent_saga.approvals.registry.model import Key
from agent_saga.approvals.requests import Request
from agent_saga.console.errors import Refused
from agent_saga.console.limits import IDLE_SECONDS, MAX_OPENED, MAX_SESSIONS, SESSION_SECONDS
from agent_saga.trace.base64url import unpadded


@dataclass
class Session:
    """One signed-in passkey. form: a secret that each of its forms carries. opened: requests before it, by digest."""

    key: Key
    form: str
    until: datetime
    seen: datetime
    opened: dict[str, Request] = field(default_factory=dict)

    def check_form(self, token: str) -> None:
        """Raises Refused for a form that is not of this session."""
        if not hmac.compare_digest(token.encode(), self.form.encode()):
            raise Refused(403, "bad-form", "this form is not of your session; load the page again")

    def keep(self, digest: str, request: Request) -> None:
        """Put a request before the person; the oldest unsigned one goes when there are too many."""
        while len(self.opened) >= MAX_OPENED:
            self.opened.pop(next(iter(self.opened)))
        self.opened[digest] = request


class Sessions:
    """All sessions of this process. clock: now, with a zone. random: bytes from a secret source."""

    def __init__(self, clock: Callable[[], datetime], random: Callable[[int], bytes]) -> None:
        self._clock, self._random = clock, random
        self._by_hash: dict[bytes, Session] = {}

    def begin(self, key: Key) -> str:
        """A session for the holder of this key, who has just shown it. Returns the secret of its cookie."""
        now = self._clock()
        self._by_hash = {one: kept for one, kept in self._by_hash.items() if _stands(kept, now)}
        while len(self._by_hash) >= MAX_SESSIONS:
            self._by_hash.pop(next(iter(self._by_hash)))
        token, form = unpadded(self._random(32)), unpadded(self._random(32))
        self._by_hash[_hash(token)] = Session(key, form, now + timedelta(seconds=SESSION_SECONDS), now)
        return token

    def find(self, token: str) -> Session | None:
        """The session of a cookie, if it still stands."""
        session, now = self._by_hash.get(_hash(token)), self._clock()
        if session is None or not _stands(session, now):
            return None
        session.seen = now
        return session

    def end(self, token: str) -> None:
        """Sign out."""
        self._by_hash.pop(_hash(token), None)


def _stands(session: Session, now: datetime) -> bool:
    return now < session.until and now < session.seen + timedelta(seconds=IDLE_SECONDS)


def _hash(token: str) -> bytes:
    """Sessions are kept by a hash, so that the time of a look-up tells nothing about a secret."""
    return sha256(token.encode()).digest()
