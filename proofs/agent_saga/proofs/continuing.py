"""A consistency proof as a text: what an auditor who kept an earlier checkpoint is given with a later one.

    agent-saga-consistency-v1
    700 9000
    gSKyXoYZUgZ6jduWYrkDOARinOMGJveXjgMkBTcdPlQ=

The header, the two sizes, and the hashes in the order of RFC 9162, one a line.

Source: docs/spec/log-v1.md, "Proof files"; RFC 9162, section 2.1.4.1.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from agent_saga.proofs.checking import check_consistency
from agent_saga.proofs.checkpoints import Checkpoint
from agent_saga.proofs.errors import Refuted
from agent_saga.proofs.limits import MAX_CONSISTENCY
from agent_saga.proofs.names import from_base64, to_base64

HEADER: Final = "agent-saga-consistency-v1"
_SIZES = re.compile(r"(0|[1-9][0-9]{0,15}) (0|[1-9][0-9]{0,15})").fullmatch
_MOST: Final = 64 * (MAX_CONSISTENCY + 2)


@dataclass(frozen=True, slots=True)
class Continuation:
    """A consistency proof as it was read: unverified. old, new: sizes in lines. proof: hashes in RFC order."""

    old: int
    new: int
    proof: Sequence[bytes]


def format_continuation(one: Continuation) -> bytes:
    """The text of a consistency proof."""
    return f"{HEADER}\n{one.old} {one.new}\n{''.join(to_base64(h) + chr(10) for h in one.proof)}".encode()


def parse_continuation(data: bytes) -> Continuation:
    """Read a consistency proof in its one spelling. Raises Refuted (``bad-proof``, ``bad-base64``)."""
    if len(data) > _MOST:
        raise Refuted("bad-proof", f"a consistency proof of {len(data)} bytes: expected at most {_MOST}")
    lines = data.decode("utf-8", "replace").split("\n")
    sizes = _SIZES(lines[1]) if len(lines) > 2 else None
    if lines[0] != HEADER or sizes is None or lines[-1]:
        raise Refuted("bad-proof", f"expected {HEADER!r}, two sizes and hashes; found {lines[0][:60]!r}")
    proof = [from_base64(line, "a hash of the consistency proof") for line in lines[2:-1]]
    return Continuation(int(sizes[1]), int(sizes[2]), proof)


def check_continues(earlier: Checkpoint, later: Checkpoint, given: Continuation | None) -> None:
    """Check that the later checkpoint continues the earlier one of the same log.

    given: may be left out for two checkpoints of one size. Raises Refuted (``rolled-back``, ``wrong-sizes`` for a
    proof between other sizes or none, ``inconsistent``, ``bad-path``).
    """
    if later.size < earlier.size:
        raise Refuted("rolled-back", f"a checkpoint of {later.size} lines: you hold one of {earlier.size} already")
    if given is None and earlier.size != later.size:
        raise Refuted("wrong-sizes", f"no consistency proof from {earlier.size} to {later.size} lines was given")
    if given is not None and (given.old, given.new) != (earlier.size, later.size):
        between = f"{given.old} and {given.new}"
        raise Refuted("wrong-sizes", f"a proof between {between}: expected {earlier.size} and {later.size}")
    check_consistency(earlier.size, later.size, given.proof if given else (), earlier.root, later.root)
