"""What was proven. These types are made by :mod:`~.verifying` alone; nothing unverified ever stands in them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from agent_saga.proofs.checkpoints import Checkpoint
from agent_saga.proofs.cosigning import Cosigned
from agent_saga.proofs.vkeys import VerifierKey

Claim = Literal["whole", "part", "absent"]


@dataclass(frozen=True, slots=True)
class ProvenLine:
    """A line that stands in the log, or is chained to one that does. line: its exact bytes, without LF."""

    seq: int
    type: str
    line: bytes


@dataclass(frozen=True, slots=True)
class Stretch:
    """Lines without a gap. first, last: their seqs. first_index, last_index: where these two stand in the log.

    first_index is None where only the last line was placed: in a whole saga.
    """

    first: int
    last: int
    first_index: int | None
    last_index: int


@dataclass(frozen=True, slots=True)
class Withheld:
    """A concealed value that stays closed. pointer: where it stands on its line (RFC 6901)."""

    seq: int
    pointer: str
    digest: str


@dataclass(frozen=True, slots=True)
class Opened:
    """A concealed value that a disclosure opened: the value that the line committed to when it was written."""

    seq: int
    pointer: str
    digest: str
    value: Any


@dataclass(frozen=True, slots=True)
class Signed:
    """Whose signatures on the checkpoint were verified, all of them pinned. silent: pinned cosigners without one."""

    log: VerifierKey
    witnesses: Sequence[Cosigned]
    monitors: Sequence[Cosigned]
    silent: Sequence[str]


@dataclass(frozen=True, slots=True)
class Proven:
    """What a bundle proved. own: index to exact bytes of the log's own lines that were shown.

    status: what ``saga.ended`` says where it is the last line shown of a whole saga; it is the runtime's own word.
    span: indices of a whole saga's first and last line, as the index has them. disclosures: the Ds behind ``opened``.
    earlier: the checkpoint that this one was shown to continue.
    """

    claim: Claim
    saga: str
    checkpoint: Checkpoint
    signed: Signed
    lines: Sequence[ProvenLine]
    stretches: Sequence[Stretch]
    own: Mapping[int, bytes]
    status: str | None
    opened: Sequence[Opened]
    withheld: Sequence[Withheld]
    span: tuple[int, int] | None
    disclosures: Sequence[str]
    earlier: Checkpoint | None

    @property
    def indexed(self) -> bool:
        """Whether the claim rests on the saga index, which the log claims and a monitor audits."""
        return self.claim != "part"
