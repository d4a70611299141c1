"""One line's inclusion as a text that any C2SP tool verifies: index, path, checkpoint.

    c2sp.org/tlog-proof@v1
    index 73894
    gSKyXoYZUgZ6jduWYrkDOARinOMGJveXjgMkBTcdPlQ=

    log.example/acme
    ...

Source: C2SP tlog-proof; docs/spec/log-v1.md, "Proof files".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from agent_saga.proofs.checking import check_inclusion
from agent_saga.proofs.checkpoints import Checkpoint, Pin, open_checkpoint
from agent_saga.proofs.errors import Refuted
from agent_saga.proofs.limits import MAX_NOTE, MAX_PATH
from agent_saga.proofs.names import from_base64, to_base64

HEADER: Final = "c2sp.org/tlog-proof@v1"
_INDEX = re.compile(r"index (0|[1-9][0-9]{0,15})").fullmatch
_MOST: Final = MAX_NOTE + 64 * MAX_PATH


@dataclass(frozen=True, slots=True)
class TlogProof:
    """An inclusion proof as it was read: unverified. note: the bytes of the signed checkpoint."""

    index: int
    path: Sequence[bytes]
    note: bytes


def format_tlog_proof(proof: TlogProof) -> bytes:
    """The text of a proof file."""
    hashes = "".join(to_base64(one) + "\n" for one in proof.path)
    return f"{HEADER}\nindex {proof.index}\n{hashes}\n".encode() + proof.note


def parse_tlog_proof(data: bytes) -> TlogProof:
    """Read a proof file; one with extra data is refused, we give it no meaning. Raises Refuted (``bad-proof``)."""
    if len(data) > _MOST:
        raise Refuted("bad-proof", f"a proof of {len(data)} bytes: expected at most {_MOST}")
    head, blank, note = data.partition(b"\n\n")
    lines = head.decode("utf-8", "replace").split("\n")
    index = _INDEX(lines[1]) if len(lines) > 1 else None
    if lines[0] != HEADER or index is None or not blank:
        raise Refuted("bad-proof", f"expected {HEADER!r} and an index; found {lines[0][:60]!r}")
    if len(lines) - 2 > MAX_PATH:
        raise Refuted("bad-proof", f"a path of {len(lines) - 2} hashes: expected at most {MAX_PATH}")
    return TlogProof(int(index[1]), [from_base64(line, "a hash of the path") for line in lines[2:]], note)


def check_tlog_proof(data: bytes, leaf_hash: bytes, pin: Pin) -> tuple[int, Checkpoint]:
    """Check that the line stands in the pinned log; returns its index and the checkpoint. Raises Refuted."""
    proof = parse_tlog_proof(data)
    checkpoint, _ = open_checkpoint(proof.note, pin)
    check_inclusion(leaf_hash, proof.index, checkpoint.size, proof.path, checkpoint.root)
    return proof.index, checkpoint
