"""Challenges for signing in and enrolling: made here, good for minutes, good once.

A ticket goes to the browser and comes back with the answer, so nothing is kept for who never answers. Its challenge is

    SHA-256("agent-saga/console/v1\\0" || purpose || "\\0" || ticket)

a domain of its own: an answer to it is no approval, and no digest of an approval can be asked for under its name.

Source: W3C Web Authentication Level 3, 13.4.3 (challenges).
"""

import hmac
from collections.abc import Callable
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final, Literal

from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.spelling import from_base64url
from agent_saga.console.errors import Refused
from agent_saga.console.limits import TICKET_SECONDS
from agent_saga.trace.base64url import unpadded

Purpose = Literal["login", "enrol"]
_DOMAIN: Final = b"agent-saga/console/v1\0"
_NONCE, _TIME, _MAC = 16, 8, 32


class Tickets:
    """Makes tickets and takes each at most once. clock: now, with a zone. random: bytes from a secret source."""

    def __init__(self, clock: Callable[[], datetime], random: Callable[[int], bytes]) -> None:
        self._clock, self._random = clock, random
        self._secret = random(32)
        self._spent: dict[str, datetime] = {}

    def issue(self, purpose: Purpose) -> str:
        """A fresh ticket."""
        until = int((self._clock() + timedelta(seconds=TICKET_SECONDS)).timestamp())
        body = self._random(_NONCE) + until.to_bytes(_TIME, "big")
        return unpadded(body + self._mac(purpose, body))

    def challenge(self, purpose: Purpose, ticket: str) -> bytes:
        """The 32 bytes that a passkey signs, or creates itself over."""
        return sha256(_DOMAIN + purpose.encode() + b"\0" + ticket.encode()).digest()

    def check(self, purpose: Purpose, ticket: str) -> bytes:
        """The challenge of a ticket that was issued here, still stands and was not spent. Raises Refused."""
        try:
            data = from_base64url(ticket, "the ticket", _NONCE + _TIME + _MAC)
        except NotApproved as fault:
            raise Refused(400, "bad-ticket", f"{fault}; go back and try again") from fault
        body, mac = data[:-_MAC], data[-_MAC:]
        if not hmac.compare_digest(mac, self._mac(purpose, body)):
            raise Refused(400, "bad-ticket", "this page did not ask for that; go back and try again")
        if int.from_bytes(body[_NONCE:], "big") < self._clock().timestamp():
            raise Refused(400, "late", "the page stood open too long; go back and try again")
        if ticket in self._spent:
            raise Refused(400, "used", "this answer was used before; go back and try again")
        return self.challenge(purpose, ticket)

    def spend(self, ticket: str) -> None:
        """Take a ticket that was checked and well answered: it is not good again."""
        now = self._clock()
        self._spent = {one: until for one, until in self._spent.items() if until > now}
        self._spent[ticket] = now + timedelta(seconds=TICKET_SECONDS)

    def _mac(self, purpose: Purpose, body: bytes) -> bytes:
        return hmac.digest(self._secret, purpose.encode() + b"\0" + body, "sha256")
