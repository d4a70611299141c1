"""Witness cosignatures: somebody else saw this checkpoint at a time, and it continued what they had seen before.

    signed = "cosignature/v1\\ntime SECONDS\\n" || the checkpoint's text
    blob   = u64 big-endian SECONDS || Ed25519 signature

Source: C2SP tlog-cosignature; docs/spec/log-v1.md, "Witnesses".
"""

from collections.abc import Sequence
from dataclasses import dataclass

from agent_saga.proofs.checking import check_consistency
from agent_saga.proofs.checkpoints import Checkpoint, Pin, open_checkpoint
from agent_saga.proofs.errors import Refuted, Unprovable
from agent_saga.proofs.notes import Note, Signature, Signer
from agent_saga.proofs.vkeys import COSIGNATURE, VerifierKey

_TIME = 8
_LAST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Cosigned:
    """A witness's statement that was verified. at: POSIX seconds, by the witness's clock."""

    name: str
    at: int


def _message(text: str, at: int) -> bytes:
    return f"cosignature/v1\ntime {at}\n{text}".encode()


def cosign(note: Note, key: VerifierKey, signer: Signer, at: int) -> Note:
    """Add a witness's signature to a checkpoint; one of the same key that was there is replaced.

    at: POSIX seconds. Raises Refuted (``wrong-key``) for a key that is no witness's, Unprovable for what is no time.
    """
    if key.kind != COSIGNATURE:
        raise Refuted("wrong-key", f"the key of {key.name} is not a witness's")
    if not 0 <= at <= _LAST:
        raise Unprovable(f"{at} is no time of a cosignature: expected POSIX seconds from 0 to 2^63 - 1")
    blob = at.to_bytes(_TIME, "big") + signer.sign(_message(note.text, at))
    others = tuple(one for one in note.signatures if not one.claims(key))
    return Note(note.text, (*others, Signature(key.name, key.id, blob)))


def check_cosignature(note: Note, key: VerifierKey) -> Cosigned:
    """Check that this witness cosigned. Raises Refuted (``unsigned``, ``bad-signature``, ``wrong-key``)."""
    if key.kind != COSIGNATURE:
        raise Refuted("wrong-key", f"the key of {key.name} is not a witness's")
    found = note.by(key)
    if not found:
        raise Refuted("unsigned", f"no cosignature by {key.name}")
    times = []
    for one in found:
        at = int.from_bytes(one.blob[:_TIME], "big")
        if at > _LAST or not key.signed(_message(note.text, at), one.blob[_TIME:]):
            raise Refuted("bad-signature", f"the cosignature of {key.name} is not over this checkpoint by this key")
        times.append(at)
    return Cosigned(key.name, max(times))


def witness(data: bytes, pin: Pin, seen: Checkpoint | None, proof: Sequence[bytes]) -> tuple[Checkpoint, Note]:
    """What a witness does before it signs: the log's signature, and that nothing it saw before was changed.

    seen: the largest checkpoint of this log that the witness has signed; None at first. proof: consistency from it.
    Raises Refuted (``rolled-back`` when the log became smaller, ``inconsistent``, and what opening raises).
    """
    checkpoint, note = open_checkpoint(data, pin)
    if seen is not None:
        if checkpoint.size < seen.size:
            raise Refuted("rolled-back", f"a checkpoint of {checkpoint.size} lines: {seen.size} were seen before")
        check_consistency(seen.size, checkpoint.size, proof, seen.root, checkpoint.root)
    return checkpoint, note
