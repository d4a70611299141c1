"""Telling people that something waits for them: a command, or a webhook with a signed body. It carries no authority.

A notice names what waits and where, and none of its arguments: whoever is told opens the request itself, from the
store, before signing anything. A notice that is lost or forged delays or annoys; it approves nothing.

    {"about":"house wire: bank.wire (irreversible)","action":"...","leaf":"...","name":"house","not_after":"...",
     "notice":"approval.requested","quorum":2,"roles":["approver"],"saga":"...","step":"wire","v":1}

Source: docs/guide/runtime.md, "Approvals".
"""

import asyncio
import hmac
import logging
import subprocess
from collections.abc import Callable, Collection, Mapping, Sequence
from hashlib import sha256
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from agent_saga.approvals.digests import canonical
from agent_saga.runtime.approving.waits import Pending, pending_of
from agent_saga.runtime.errors import RuntimeFault
from agent_saga.runtime.kernel.consent import Authority
from agent_saga.runtime.kernel.state import State
from agent_saga.trace.base64url import unpadded

Notify = Callable[[bytes], None]
"""Told the body of one notice. Raises NotNotified."""
Sign = Callable[[bytes], str]
Post = Callable[[str, bytes, Mapping[str, str]], int]
"""Sends a body with headers to a URL and returns the status code. Raises OSError."""

HEADER: Final = "Agent-Saga-Signature"
PATIENCE: Final = 10.0
"""Seconds that a command may take."""
_SHORTEST: Final = 16
"""Bytes of a secret: 128 bits, as much as anybody could not guess."""


_log = logging.getLogger(__name__)


class NotNotified(RuntimeFault):
    """A notice did not reach where it was to go. The request waits all the same."""


def notice(pending: Pending) -> bytes:
    """The body of the notice about one request: canonical JSON."""
    asked = pending.requested
    return canonical(
        {
            "v": 1,
            "notice": "approval.requested",
            "saga": pending.saga,
            "name": pending.name,
            "step": pending.step,
            "about": pending.about,
            "action": asked.action,
            "leaf": pending.leaf,
            "roles": list(asked.roles),
            "quorum": asked.quorum,
            "not_after": asked.not_after,
        }
    )


async def tell(notify: Notify, state: State, known: Collection[str], authority: Authority) -> None:
    """Tell of every request of a saga that is not known yet, by its leaf. One that nobody hears of is logged."""
    before = ((authority.policy, authority.keys), *authority.before)
    for one in pending_of(state, before):
        if one.leaf not in known:
            try:
                await asyncio.to_thread(notify, notice(one))
            except NotNotified as fault:
                _log.warning("saga %s step %s waits, and nobody was told: %s", one.saga, one.step, fault)


def by_hmac(secret: bytes) -> Sign:
    """Signs bodies with HMAC-SHA-256 (RFC 2104): ``sha256=HEX``. Raises NotNotified for a short secret."""
    if len(secret) < _SHORTEST:
        raise NotNotified(f"the webhook's secret has {len(secret)} bytes: expected {_SHORTEST} or more")
    return lambda body: f"sha256={hmac.new(secret, body, sha256).hexdigest()}"


def by_key(name: str, private: Ed25519PrivateKey) -> Sign:
    """Signs bodies with Ed25519 (RFC 8032): ``ed25519=NAME:BASE64URL``. private: a key that signs nothing else."""
    return lambda body: f"ed25519={name}:{unpadded(private.sign(body))}"


def command(arguments: Sequence[str], patience: float = PATIENCE) -> Notify:
    """Runs a program, never through a shell, with the body on its standard input."""

    def told(body: bytes) -> None:
        try:
            done = subprocess.run(arguments, input=body, capture_output=True, timeout=patience, check=False)
        except (OSError, subprocess.TimeoutExpired) as fault:
            raise NotNotified(f"{arguments[0]}: {fault}") from fault
        if done.returncode != 0:
            raise NotNotified(f"{arguments[0]} ended with {done.returncode}: expected 0")

    return told


def webhook(url: str, sign: Sign, post: Post) -> Notify:
    """Posts the body to a URL, signed in the header ``Agent-Saga-Signature``. post: what opens the connection."""

    def told(body: bytes) -> None:
        try:
            status = post(url, body, {"Content-Type": "application/json", HEADER: sign(body)})
        except OSError as fault:
            raise NotNotified(f"{url}: {fault}") from fault
        if not 200 <= status < 300:
            raise NotNotified(f"{url} answered {status}: expected 200 to 299")

    return told
