"""What a witness remembers: of each log the largest checkpoint that it signed, so that no log takes anything back.

    {"witness":"agent-saga-witness-v1","seen":{"log.example/acme":[700,"Oc3YzY/VBQuv2qO2fjmk0udxH5Cphg7IbaCFbY1DIRA="]}}

The file is durable before a signature leaves: a witness that signed and forgot could be made to sign a fork.

Source: C2SP tlog-witness ("the witness MUST persist ... before responding"); docs/spec/log-v1.md, "Witnesses".
"""

import contextlib
import json
import os
from collections.abc import Iterator
from typing import Any, Final

from agent_saga.proofs.checkpoints import Checkpoint, Pin, open_checkpoint
from agent_saga.proofs.continuing import Continuation, check_continues
from agent_saga.proofs.cosigning import cosign
from agent_saga.proofs.errors import LogFault, Refuted
from agent_saga.proofs.keys import SigningKey
from agent_saga.proofs.limits import MAX_SIZE
from agent_saga.proofs.log.auditing import Audited, audit_log
from agent_saga.proofs.log.folder import LogFolder, place_of
from agent_saga.proofs.log.lock import locked
from agent_saga.proofs.log.opened import Standing
from agent_saga.proofs.names import from_base64, to_base64
from agent_saga.proofs.notes import Note

_HEADER: Final = "agent-saga-witness-v1"
_MOST: Final = 16 << 20


def cosign_checkpoint(
    data: bytes, pin: Pin, key: SigningKey, state: str, continuation: Continuation | None, *, at: int
) -> tuple[Checkpoint, Note]:
    """Check a checkpoint against what was seen before, remember it, and cosign it.

    state: the file of what was seen; made when nothing stands there. continuation: the proof from the checkpoint that
    was seen. at: POSIX seconds. Raises Refuted (``rolled-back``, ``wrong-sizes``, ``inconsistent``, and what opening
    raises), LogFault (the state cannot be read or written, or another witness is at it).
    """
    checkpoint, note = open_checkpoint(data, pin)
    with _held(state) as seen:
        before = seen.get(checkpoint.origin)
        if before is not None:
            check_continues(before, checkpoint, continuation)
        signed = cosign(note, key.vkey, key, at)
        seen[checkpoint.origin] = checkpoint
    return checkpoint, signed


def monitor_log(
    store: str, pin: Pin, key: SigningKey, state: str, *, at: int, standing: Standing | None = None
) -> tuple[Audited, Note]:
    """Read a whole log, make its root and its saga index again, and cosign its latest checkpoint.

    state: as for a witness; "" for none. at: POSIX seconds. standing: as of ``audit_log``.
    Raises Refuted, LogFault, SourceError.
    """
    with _held(state) as seen:
        audited = audit_log(store, pin, seen.get(pin.origin), standing)
        folder, size = LogFolder(place_of(store)), audited.checkpoint.size
        checkpoint, note = open_checkpoint(folder.cosigned(size) or folder.note(size), pin)
        if checkpoint != audited.checkpoint or audited.sagas is None:
            raise Refuted("not-indexed", f"{store}: its log has no saga index that could be audited")
        signed = cosign(note, key.vkey, key, at)
        seen[checkpoint.origin] = checkpoint
    return audited, signed


@contextlib.contextmanager
def _held(path: str) -> Iterator[dict[str, Checkpoint]]:
    """What was seen, for one witness at a time; kept durably when the block ends well. "": nothing, and not kept."""
    if not path:
        yield {}
        return
    folder = LogFolder(os.path.dirname(os.path.abspath(path)))
    name = os.path.basename(path)
    with locked(folder, f"{name}.lock"):
        seen = _read(folder, name)
        before = dict(seen)
        yield seen
        if seen != before:
            folder.replace(name, _text(seen), durable=True)


def _read(folder: LogFolder, name: str) -> dict[str, Checkpoint]:
    if not folder.has(name):
        return {}
    data = folder.read(name, _MOST)
    try:
        document: Any = json.loads(data)
        if document["witness"] != _HEADER:
            raise ValueError(f"begins as {str(document['witness'])[:40]!r}")
        return {origin: _checkpoint(origin, *pair) for origin, pair in document["seen"].items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, Refuted) as fault:
        raise LogFault(
            f"{folder.path / name}: is no witness's state ({fault}); restore it: a witness that forgets can be made to "
            "sign a fork"
        ) from fault


def _checkpoint(origin: str, size: int, root: str) -> Checkpoint:
    found = Checkpoint(origin, size, from_base64(root, "a root"))
    if type(size) is not int or not 0 <= size <= MAX_SIZE or len(found.root) != 32:
        raise ValueError(f"{origin[:80]!r} has no size and root")
    return found


def _text(seen: dict[str, Checkpoint]) -> bytes:
    pairs = {origin: [one.size, to_base64(one.root)] for origin, one in sorted(seen.items())}
    return (json.dumps({"witness": _HEADER, "seen": pairs}, separators=(",", ":"), ensure_ascii=False) + "\n").encode()
