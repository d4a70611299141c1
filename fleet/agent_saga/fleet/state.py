"""What one certification leaves for the next one over the same log: where it ended, and what stays to be said.

It lies in the file of the :class:`~agent_saga.fleet.memory.Memory` and changes in one commit with it. That file is the
certifier's own, like a baseline: whoever is judged must not be able to write it. It is used only for the same log,
rules and choices; anything else is a :class:`~agent_saga.fleet.errors.StateFault`, and the log is judged whole.

Source: docs/guide/nightly.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import msgspec

from agent_saga.certify.findings import Finding
from agent_saga.certify.report import SagaReport
from agent_saga.fleet.errors import StateFault
from agent_saga.proofs.hashing import Frontier

VERSION: Final = 5
AGAIN: Final = "certify the whole log once more, into a new file"


@dataclass(frozen=True, slots=True)
class Counts:
    """What is counted over all lines. exceptions: verified decisions that something is undone, or kept.

    calls, untold: how many were judged, and how many count as nothing, by digest of the policy. waived: waiver to how
    many of them it let pass. sealed: what limits count of calls and nobody knows: policy, limit, first line, latest
    instant, calls.
    """

    exceptions: int = 0
    calls: Mapping[str, int] = field(default_factory=dict)
    untold: Mapping[str, int] = field(default_factory=dict)
    waived: Mapping[str, int] = field(default_factory=dict)
    sealed: Sequence[tuple[str, str, int, int, int]] = ()


@dataclass(frozen=True, slots=True)
class State:
    """size: lines of the log that were certified. root: over them, 64 hex digits. edge: the perfect subtrees there.

    last: leaf hash of the last of them, "" before the first.
    judged_by: digest of the rules, the release and the choices. now: when it was certified, RFC 3339. bytes: of the
    lines, LF included. sagas: judged to their ends. findings, reports: of those, and of the log as a whole; they stay
    true. met: what the rules met. named, lapsed: policies that were named, waivers that were met and did not count.
    """

    origin: str
    size: int
    root: str
    edge: list[str]
    last: str
    judged_by: str
    now: str
    bytes: int = 0
    sagas: int = 0
    counts: Counts = field(default_factory=Counts)
    findings: list[Finding] = field(default_factory=list)
    reports: list[SagaReport] = field(default_factory=list)
    met: list[str] = field(default_factory=list)
    named: list[str] = field(default_factory=list)
    lapsed: list[str] = field(default_factory=list)
    v: int = VERSION

    def frontier(self) -> Frontier:
        """The right edge of the tree over these lines. Raises StateFault when it does not give their root."""
        edge = Frontier(self.size, [bytes.fromhex(one) for one in self.edge])
        if len(edge.subtrees) != self.size.bit_count() or edge.root().hex() != self.root:
            raise StateFault(f"the state's tree does not give its root; {AGAIN}")
        return edge


def read_state(text: bytes) -> State:
    """The state that a memory holds. Raises StateFault."""
    try:
        state = msgspec.json.decode(text, type=State)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as fault:
        raise StateFault(f"holds no state of a certification ({fault}); {AGAIN}") from fault
    if state.v != VERSION:
        raise StateFault(f"is a state of version {state.v}; this release knows {VERSION}; {AGAIN}")
    return state
