"""What is known of an input besides what the rules say, and whether it claims to be a bundle.

Apart from :mod:`agent_saga.certify.judging.bundling`, so that who has no bundle need not load how one is verified.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from agent_saga.certify.findings import Finding
from agent_saga.certify.report import Pinned
from agent_saga.certify.source import Fault


@dataclass(frozen=True, slots=True)
class Told:
    """What is known of an input besides what the rules say. nothing: why there is nothing to judge, "" otherwise."""

    format: str
    assumptions: tuple[str, ...] = ()
    pinned: Pinned | None = None
    faults: Sequence[Fault] = ()
    findings: Sequence[Finding] = ()
    nothing: str = ""
    lines: int = 0


def is_bundle(head: bytes) -> bool:
    """Whether an input that begins with these bytes claims to be a bundle."""
    return head.startswith(b'{"bundle":')
