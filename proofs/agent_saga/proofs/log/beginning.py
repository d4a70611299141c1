"""Beginning a log: ``log.opened`` as the first line of an empty store.

Source: docs/spec/log-v1.md, "The log's own lines".
"""

from collections.abc import Callable
from typing import Any

from agent_saga.proofs.checkpoints import Checkpoint, parse_checkpoint
from agent_saga.proofs.errors import KeyFault, LogFault, Refuted
from agent_saga.proofs.hashing import EMPTY
from agent_saga.proofs.keys import SigningKey
from agent_saga.proofs.log.indexing import append_at
from agent_saga.proofs.log.writing import instant
from agent_saga.trace.limits import LOG_SAGA
from agent_saga.trace.store.base import NewLine
from agent_saga.trace.store.errors import Overtaken, Refusal
from agent_saga.trace.writer import SagaWriter


def open_log(
    store: str,
    key: SigningKey,
    *,
    origin: str,
    now: float,
    random: Callable[[int], bytes],
    registry: dict[str, Any] | None = None,
    policy: str = "",
) -> bytes:
    """Append ``log.opened`` to an empty store, which is made when nothing stands there; returns the line.

    now: POSIX seconds. registry: the first key registry. policy: digest of the policy in force, hex.
    Raises LogFault when the store holds lines already, KeyFault for a key of another purpose, CodecError, StoreError.
    """
    if key.purpose != "log":
        raise KeyFault(f"{key.name}: a key for {key.purpose}: a log is signed by a key for log")
    try:
        parse_checkpoint(Checkpoint(origin, 0, EMPTY).text())
    except Refuted as fault:
        raise LogFault(f"{origin[:80]!r} cannot be a log's origin: expected 1-256 printing characters") from fault
    members: dict[str, Any] = {"origin": origin, "vkey": str(key.vkey), "keys": registry or {}}
    if policy:
        members["policy"] = policy
    line = SagaWriter(LOG_SAGA, random).line("log.opened", instant(now), **members)
    try:
        append_at(store, NewLine(LOG_SAGA, 0, line), 0)
    except (Overtaken, Refusal) as fault:
        raise LogFault(f"{store}: holds lines already: log.opened is the first line of an empty store") from fault
    return line
