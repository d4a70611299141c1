"""Signed notes: a text, a blank line, and signatures, each on a line with the name of its key.

    log.example/acme
    4
    CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

    — log.example/acme tZo9DJ...

A signature counts only under a key that the verifier was given. Lines of other keys are passed over; a line of a known
key that does not verify refutes the whole note.

Source: C2SP signed-note; docs/spec/log-v1.md, "Signed notes".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from agent_saga.proofs.errors import KeyFault, Refuted
from agent_saga.proofs.limits import MAX_NOTE, MAX_SIGNATURES
from agent_saga.proofs.names import from_base64, sound_name, to_base64
from agent_saga.proofs.vkeys import ED25519, VerifierKey

_DASH: Final = "— "
_ID: Final = 4


class Signer(Protocol):
    """Makes signatures of one Ed25519 key: a file, a token, a remote signer."""

    def sign(self, message: bytes) -> bytes:
        """The 64 bytes of the signature (RFC 8032). Raises KeyFault."""
        ...


@dataclass(frozen=True, slots=True)
class Signature:
    """One signature line, of whoever's key. blob: what follows the four bytes of the key id."""

    name: str
    id: bytes
    blob: bytes

    def __str__(self) -> str:
        return f"{_DASH}{self.name} {to_base64(self.id + self.blob)}\n"

    def claims(self, key: VerifierKey) -> bool:
        """Whether it says that this key made it."""
        return self.name == key.name and self.id == key.id


@dataclass(frozen=True, slots=True)
class Note:
    """A note as it was read: unverified. text: with its last LF, what the signatures are over."""

    text: str
    signatures: tuple[Signature, ...]

    def __str__(self) -> str:
        return self.text + "\n" + "".join(map(str, self.signatures))

    def by(self, key: VerifierKey) -> list[Signature]:
        """The signatures that claim to be of this key."""
        return [one for one in self.signatures if one.claims(key)]


def parse_note(data: bytes) -> Note:
    """Read a note in its one spelling. Raises Refuted (``bad-note``, ``bad-base64``)."""
    if len(data) > MAX_NOTE:
        raise Refuted("bad-note", f"a note of {len(data)} bytes: expected at most {MAX_NOTE}")
    try:
        whole = data.decode()
    except UnicodeDecodeError as fault:
        raise Refuted("bad-note", f"the note is not UTF-8 at byte {fault.start}") from fault
    if any(char < " " and char != "\n" for char in whole):
        raise Refuted("bad-note", "the note holds a control character")
    text, blank, tail = whole.rpartition("\n\n")
    if not blank or not tail.endswith("\n"):
        raise Refuted("bad-note", "no blank line and signature lines at the end: expected a signed note")
    lines = tail[:-1].split("\n")
    if len(lines) > MAX_SIGNATURES:
        raise Refuted("bad-note", f"{len(lines)} signatures: expected at most {MAX_SIGNATURES}")
    return Note(text + "\n", tuple(map(_signature, lines)))


def _signature(line: str) -> Signature:
    name, space, encoded = line.removeprefix(_DASH).partition(" ")
    if not line.startswith(_DASH) or not space or not sound_name(name):
        raise Refuted("bad-note", f"{line[:80]!r} is no signature line: expected an em dash, a key name and base64")
    data = from_base64(encoded, f"the signature of {name}")
    if len(data) <= _ID:
        raise Refuted("bad-note", f"the signature of {name} has {len(data)} bytes: expected more than {_ID}")
    return Signature(name, data[:_ID], data[_ID:])


def sign(text: str, key: VerifierKey, signer: Signer) -> Signature:
    """Sign a note's text with an Ed25519 key of type 0x01. Raises KeyFault for a witness's key."""
    if key.kind != ED25519:
        raise KeyFault(f"the key of {key.name} makes witness cosignatures: it cannot sign as a log")
    return Signature(key.name, key.id, signer.sign(text.encode()))


def check_signature(note: Note, key: VerifierKey) -> None:
    """Check that this key signed the text. Raises Refuted.

    Reasons: ``unsigned`` (not by this key), ``bad-signature``, ``wrong-key`` (a key of another type).
    """
    if key.kind != ED25519:
        raise Refuted("wrong-key", f"the key of {key.name} makes witness cosignatures, not signatures of a log")
    found: Sequence[Signature] = note.by(key)
    if not found:
        others = ", ".join(one.name for one in note.signatures)
        raise Refuted("unsigned", f"no signature by {key}: found {others}")
    for one in found:
        if not key.signed(note.text.encode(), one.blob):
            raise Refuted("bad-signature", f"the signature of {key.name} is not over this text by this key")
