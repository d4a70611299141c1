"""What a reader hands to the judge: events with their place, or faults of the source; and what a format declares.

The judge sees no difference between a trace of ours and an imported log, except what the format says it cannot answer.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from msgspec import Struct

from agent_saga.trace.events import Event
from agent_saga.trace.reader import Opened


class Observed(Struct, frozen=True, gc=False):
    """One event. line: 1-based in the source; traits: of its payload (:mod:`agent_saga.trace.values`)."""

    line: int
    event: Event
    traits: int = 0


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of the source that a rule names. inconclusive: the source leaves a question open (AS602, gaps)."""

    line: int
    code: str
    message: str
    saga: str = ""
    subject: str = "line"
    expected: str = ""
    what: str = ""
    """The line in a few words for the witness; "" says ``line``."""
    inconclusive: bool = False
    severity: str = ""
    """Overrides the rule's own severity: ``note`` for a documented oddity; "" keeps it."""


class Entangled(Exception):
    """What a part of an input holds cannot be judged without the other parts: the input must be judged whole."""


@dataclass(frozen=True, slots=True)
class ImportChoices:
    """What the user said about the sources. mapping: the parsed mapping file (Temporal), or None.

    part, parts: which part of an input to read, where its format divides; the parts together give what the whole gives.
    """

    expected_root: str = ""
    mapping: Mapping[str, object] | None = None
    require_chain: bool = False
    part: int = 0
    parts: int = 1


def _whole(_head: bytes, _choices: ImportChoices) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class SourceFormat:
    """A format that certify can judge.

    recognises: told from the first bytes of the input (up to 64 KiB, decompressed).
    read: yields events in the order of the source, and faults; it never raises for what the bytes hold, except that
    a part may turn out to be :class:`Entangled` with others.
    divides: told from the first bytes, whether it is worth reading an input in parts.
    checks_root: whether its reader compares :attr:`ImportChoices.expected_root`.
    not_assessable: rules that the format has no field for, with the reason; decided here, never per file.
    """

    name: str
    recognises: Callable[[bytes], bool]
    read: Callable[[Opened, ImportChoices], Iterator[Observed | Fault]]
    not_assessable: Mapping[str, str]
    assumptions: tuple[str, ...] = ()
    divides: Callable[[bytes, ImportChoices], bool] = _whole
    checks_root: bool = False
