"""Counters of authenticators: one that does not grow may mean that a key was copied.

Source: W3C Web Authentication Level 3, 6.1.1 and 7.2; OpenSSH PROTOCOL.u2f; docs/spec/approval-v1.md, "Counters".
"""

from typing import Any

from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.proofs import Signed


class Counters:
    """The last counter of every key, in the order of the log. Authenticators that always say 0 have none."""

    def __init__(self) -> None:
        self._last: dict[str, tuple[int, bytes]] = {}

    def check(self, signed: Signed[Any]) -> None:
        """Take in one more signature. Raises NotApproved (``counter-back``): an alarm; the signature itself holds.

        The same signature seen again, as on a retry, is no new use of the authenticator.
        """
        counter = signed.evidence.counter
        if counter is None:
            return
        last, digest = self._last.get(signed.key.id, (signed.key.counter, b""))
        if digest == signed.digest:
            return
        self._last[signed.key.id] = (max(last, counter), signed.digest)
        if counter <= last and (counter or last):
            raise NotApproved(
                "counter-back", f"key {signed.key.id} had counted to {last} and now says {counter}: was it copied?"
            )
