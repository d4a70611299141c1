"""What ``agent-saga verify`` is asked of a piece of evidence, whatever its kind, and what it answers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from agent_saga.proofs.bundles.verifying import Earlier
    from agent_saga.proofs.continuing import Continuation
    from agent_saga.proofs.pins import Pins


class Undecided(Exception):
    """What was asked cannot be told from what was given; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What to verify against. line: the bytes of ``--line`` without LF. saga: the one that it must be.

    retrial: what was given to judge a certificate by (:class:`agent_saga.cli.certificates.Retrial`); None otherwise.
    """

    pins: "Pins"
    checkpoints: Sequence[bytes] = ()
    continuation: "Continuation | None" = None
    line: bytes | None = None
    saga: str = ""
    retrial: object = None

    def earlier(self) -> "Earlier | None":
        """The one checkpoint that the auditor kept, if any."""
        from agent_saga.proofs.bundles.verifying import Earlier

        if len(self.checkpoints) > 1:
            raise typer.BadParameter("--checkpoint: one is enough here; two go with a consistency proof")
        if self.continuation is not None and not self.checkpoints:
            raise typer.BadParameter("--consistency: says from which size on; give --checkpoint as well")
        return Earlier(self.checkpoints[0], self.continuation) if self.checkpoints else None


@dataclass(frozen=True, slots=True)
class Answer:
    """What was proven. words: for people, escaped. record: for programs.

    lines: exact bytes that were proven; disclosures: the Ds that opened values on them. For ``certify``.
    code: the exit code; other than 0 where what was verified says no.
    """

    words: Sequence[str]
    record: dict[str, Any]
    lines: Sequence[bytes] = ()
    disclosures: Sequence[str] = ()
    code: int = 0


def decided(asked: Asked, check: Callable[["Earlier | None"], Any]) -> Any:
    """Run a check; that the proof from the kept checkpoint is missing refutes nothing, and leaves it open."""
    from agent_saga.proofs.errors import Refuted

    try:
        return check(asked.earlier())
    except Refuted as fault:
        if fault.reason == "wrong-sizes" and asked.continuation is None:
            raise Undecided(f"{fault}: give --consistency FILE (`agent-saga log consistency` makes it)") from fault
        raise
