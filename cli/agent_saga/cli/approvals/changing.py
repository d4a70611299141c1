"""What is in force in a log, and the signed lines that change it: a registry or policy adopted, a key revoked."""

import asyncio
from typing import TYPE_CHECKING, Any, Final

import typer

from agent_saga.cli.approvals.answering import fresh
from agent_saga.cli.approvals.given import fingerprint_of, now, put, told
from agent_saga.cli.approvals.stores import open_lines

if TYPE_CHECKING:
    from agent_saga.approvals.registry.history import History, InForce

CHANGE_SECONDS: Final = 86_400
"""Within which the signatures of a change are gathered: a day, since the second person may sit elsewhere."""


def in_force(store: str, otherwise: str) -> "tuple[list[bytes], InForce]":
    """The log's own lines, and what is in force after them.

    otherwise: what to do where the log was not opened with a registry. Raises BadParameter.
    """
    from agent_saga.runtime.approving.standing import standings

    own = open_lines(store)[1]
    found = standings(own)
    if not found:
        raise typer.BadParameter(
            f"{store}: its log was not opened with a registry (`agent-saga log open --registry`): {otherwise}"
        )
    return own, found[-1]


def history_of(log: list[bytes]) -> "History":
    """All that was ever in force, by the log's own lines, of which log.opened is the first. Raises LineError."""
    from agent_saga.approvals.registry.history import History
    from agent_saga.trace.codec import decode, leaf_hash
    from agent_saga.trace.events import LogOpened

    opened = decode(log[0])[0]
    assert isinstance(opened, LogOpened)
    history = History(opened, leaf_hash(log[0]))
    return history.extend((index, leaf_hash(line), decode(line)[0]) for index, line in enumerate(log[1:], 1))


def change_by(standing: "InForce", word: Any, subject: str, key_id: str, since: str | None = None) -> dict[str, Any]:
    """What the holder of a key signs to change what is in force. word: enroll, revoke or adopt. Raises NotApproved."""
    from agent_saga.approvals.display import reading
    from agent_saga.approvals.errors import NotApproved
    from agent_saga.approvals.requests import Change, as_written
    from agent_saga.approvals.windows import shifted

    key = standing.registry.key.get(key_id)
    if key is None:
        raise NotApproved("unknown-key", f"the registry holds no key {key_id[:64]!r}")
    begin = now()
    change = Change(
        v=1,
        log=standing.log,
        change=word,
        subject=subject,
        registry=standing.digest,
        prev=standing.prev,
        person=key.person,
        key_id=key.id,
        nonce=fresh(),
        issued_at=begin,
        not_after=shifted(begin, CHANGE_SECONDS),
        compromised_since=since,
    )
    value = as_written(change)
    reading(value)
    return value


def exported(output: str, change: dict[str, Any]) -> int:
    """Write a change that somebody else is to sign to a new file."""
    from agent_saga.approvals.digests import canonical

    put(output, canonical(change) + b"\n")
    told(f"fingerprint  {fingerprint_of(change)}")
    return 0


def own_line(log: list[bytes], at: str, type_: str, members: dict[str, Any]) -> bytes:
    """The next of the log's own lines."""
    import os

    from agent_saga.trace.codec import decode, leaf_hash
    from agent_saga.trace.limits import LOG_SAGA
    from agent_saga.trace.writer import SagaWriter

    seq = decode(log[-1])[0].seq + 1
    return SagaWriter(LOG_SAGA, os.urandom, seq=seq, head=leaf_hash(log[-1])).line(type_, at, **members)


def append_own(store: str, log: list[bytes], at: str, type_: str, members: dict[str, Any]) -> None:
    """Write the next of the log's own lines; when another came between, the store refuses it. Raises StoreError."""
    asyncio.run(_append(store, own_line(log, at, type_, members)))


def append_effective(store: str, log: list[bytes], line: bytes) -> None:
    """Write a line of the log's own if it changes what is in force, as every reader of the log will judge it.

    Raises NotApproved, and then writes nothing; StoreError.
    """
    from agent_saga.approvals.errors import NotApproved
    from agent_saga.trace.codec import decode, leaf_hash

    history = history_of(log)
    before = len(history.faults)
    history.add(len(log), leaf_hash(line), decode(line)[0])
    for fault in history.faults[before:]:
        raise NotApproved(fault.reason, fault.words)
    asyncio.run(_append(store, line))


async def _append(store: str, line: bytes) -> None:
    from agent_saga.trace.codec import decode
    from agent_saga.trace.limits import LOG_SAGA
    from agent_saga.trace.store import NewLine, open_store

    opened = open_store(store, create=False)
    try:
        await opened.append([NewLine(LOG_SAGA, decode(line)[0].seq, line)])
    finally:
        await opened.close()
