"""Counters of authenticators over all sagas of a store: one that does not grow may mean that a key was copied.

The last counter of each key is remembered beside the trace, with the digest that was signed, so that the same signature
handed in again after a crash is no new use. Where the memory is lost, certify still finds it (AS311).

Source: docs/spec/approval-v1.md, "Counters".
"""

from typing import Any, Final

from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.proofs import Signed
from agent_saga.trace.store import Store

_NAME: Final = "agent-saga/counter/"


async def count_signature(store: Store, signed: Signed[Any]) -> None:
    """Take in one more signature, durable on return. Raises NotApproved (``counter-back``)."""
    counter, key = signed.evidence.counter, signed.key
    if counter is None:
        return
    last, digest = _read(await store.recall(_NAME + key.id), key.counter)
    if digest == signed.digest.hex():
        return
    if counter <= last and (counter or last):
        raise NotApproved("counter-back", f"key {key.id} had counted to {last} and now says {counter}: was it copied?")
    await store.remember(_NAME + key.id, f"{counter} {signed.digest.hex()}".encode())


def _read(kept: bytes | None, enrolled: int) -> tuple[int, str]:
    """What was remembered of a key; else its counter at enrolment."""
    number, _, digest = (kept or b"").decode("ascii", "replace").partition(" ")
    return (max(int(number), enrolled), digest) if number.isascii() and number.isdigit() else (enrolled, "")
