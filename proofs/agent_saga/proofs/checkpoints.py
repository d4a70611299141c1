"""Checkpoints: what a log signs about itself. Origin, number of lines, root; nothing else.

Source: C2SP tlog-checkpoint; docs/spec/log-v1.md, "Checkpoints".
"""

import re
from dataclasses import dataclass

from agent_saga.proofs.errors import Refuted
from agent_saga.proofs.hashing import HASH
from agent_saga.proofs.limits import MAX_NAME, MAX_SIZE
from agent_saga.proofs.names import from_base64, to_base64
from agent_saga.proofs.notes import Note, Signer, check_signature, parse_note, sign
from agent_saga.proofs.vkeys import VerifierKey

_SIZE = re.compile(r"0|[1-9][0-9]{0,15}").fullmatch


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The state of a log. size: its number of lines. root: 32 bytes over all of them."""

    origin: str
    size: int
    root: bytes

    def text(self) -> str:
        """The text that is signed."""
        return f"{self.origin}\n{self.size}\n{to_base64(self.root)}\n"


@dataclass(frozen=True, slots=True)
class Pin:
    """What an auditor trusts before looking: this origin, signed by this key."""

    origin: str
    vkey: VerifierKey


def parse_checkpoint(text: str) -> Checkpoint:
    """Read a checkpoint's text in its one spelling; extension lines are refused, we sign none.

    Raises Refuted (``bad-checkpoint``, ``bad-base64``).
    """
    origin, _, rest = text.partition("\n")
    size, _, rest = rest.partition("\n")
    root, end, more = rest.partition("\n")
    if not end or more or not 0 < len(origin) <= MAX_NAME or not origin.isprintable():
        raise Refuted("bad-checkpoint", "expected three lines, origin, size and root; found other text")
    if not _SIZE(size) or int(size) > MAX_SIZE:
        raise Refuted("bad-checkpoint", f"{size[:40]!r} is no size of a log")
    data = from_base64(root, "the root")
    if len(data) != HASH:
        raise Refuted("bad-checkpoint", f"a root of {len(data)} bytes: expected {HASH}")
    return Checkpoint(origin, int(size), data)


def sign_checkpoint(checkpoint: Checkpoint, key: VerifierKey, signer: Signer) -> Note:
    """The checkpoint as a note signed by the log. Same input, same bytes: Ed25519 is deterministic.

    Raises Refuted (``bad-checkpoint``) for what no verifier would read, KeyFault for a witness's key.
    """
    parse_checkpoint(checkpoint.text())
    return Note(checkpoint.text(), (sign(checkpoint.text(), key, signer),))


def open_checkpoint(data: bytes, pin: Pin) -> tuple[Checkpoint, Note]:
    """Read a signed checkpoint and check it against the pin: its first line, and a signature by exactly that key.

    Raises Refuted (``wrong-origin``, ``unsigned``, ``bad-signature``, and what parsing raises).
    """
    note = parse_note(data)
    checkpoint = parse_checkpoint(note.text)
    if checkpoint.origin != pin.origin:
        raise Refuted("wrong-origin", f"a checkpoint of the log {checkpoint.origin!r}: pinned is {pin.origin!r}")
    check_signature(note, pin.vkey)
    return checkpoint, note
