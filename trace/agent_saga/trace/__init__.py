"""The trace: what an agent's runtime writes before and after everything it does.

A trace is UTF-8 text, one JSON object a line, each line ended by one LF; the bytes of a line are what is hashed, and
nobody ever re-serialises to verify::

    {"v":1,"saga":"k3JxQ0m7y2aTt5v9WcZ1eA","seq":3,"prev":"9f0c...","at":"2026-11-30T07:00:00.000000Z",
     "type":"effect.succeeded","by":"tool:payments.charge","effect":"e1","attempt":1,"result":{"charge":"ch_1"},
     "undo":{"tool":"payments.refund","args":{"charge":"ch_1"}},"salt":"Zk9mQ2hXb0pRc1R2VXd4eQ"}

(one line in a file; broken here for reading). Each line names the hash of the saga's line before it; ``seq`` counts
without gaps; members stand in one order and one spelling. The full text is docs/spec/trace-v1.md.

- :mod:`~agent_saga.trace.events`: the event objects, the one description of the format
- :mod:`~agent_saga.trace.forms`: what a string, a number or a payload on a line may be
- :mod:`~agent_saga.trace.codec`: a line's bytes to an event and back; the leaf hash
- :mod:`~agent_saga.trace.models`: pydantic models and the JSON Schema made from the events
- :mod:`~agent_saga.trace.reader`: files, directories, globs, standard input, compressed or not, as a stream of lines
- :mod:`~agent_saga.trace.writer`: chained lines from events
- :mod:`~agent_saga.trace.conceal`: values replaced by salted digests, and their disclosures
- :mod:`~agent_saga.trace.secrets`: the forms of credentials, which no line may hold in clear
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agent_saga.trace.codec import decode, encode, leaf_hash
    from agent_saga.trace.errors import AgentSagaError, CodecError, DisclosureError, LineError, SourceError
    from agent_saga.trace.events import EVENT_TYPES, Event
    from agent_saga.trace.writer import SagaWriter, TraceWriter

__all__ = [
    "EVENT_TYPES",
    "AgentSagaError",
    "CodecError",
    "DisclosureError",
    "Event",
    "LineError",
    "SagaWriter",
    "SourceError",
    "TraceWriter",
    "decode",
    "encode",
    "leaf_hash",
]


_HOMES = {
    "codec": ("decode", "encode", "leaf_hash"),
    "errors": ("AgentSagaError", "CodecError", "DisclosureError", "LineError", "SourceError"),
    "events": ("EVENT_TYPES", "Event"),
    "writer": ("SagaWriter", "TraceWriter"),
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names:  # loaded when asked for: the codec takes longer to start than a command's --help
            return getattr(import_module(f"agent_saga.trace.{home}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
