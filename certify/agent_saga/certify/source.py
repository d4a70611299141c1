"""What a reader hands to the judge: events with their place, or faults of the source; and what a format declares.

The judge sees no difference between a trace of ours and an imported log, except what the format says it cannot answer.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from agent_saga.trace.events import Event
from agent_saga.trace.reader import Opened


class Observed(NamedTuple):
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


@dataclass(frozen=True, slots=True)
class ImportChoices:
    """What the user said about the sources. mapping: the parsed mapping file (Temporal), or None."""

    expected_root: str = ""
    mapping: Mapping[str, object] | None = None
    require_chain: bool = False


@dataclass(frozen=True, slots=True)
class SourceFormat:
    """A format that certify can judge.

    recognises: told from the first bytes of the input (up to 64 KiB, decompressed).
    read: yields events in the order of the source, and faults; it never raises for what the bytes hold.
    not_assessable: rules that the format has no field for, with the reason; decided here, never per file.
    """

    name: str
    recognises: Callable[[bytes], bool]
    read: Callable[[Opened, ImportChoices], Iterator[Observed | Fault]]
    not_assessable: Mapping[str, str]
    assumptions: tuple[str, ...] = ()
