"""Writing a trace: the event's place in its saga, its salt, and its line.

Time and randomness are arguments; the same calls give the same bytes.
"""

from collections.abc import Callable
from typing import IO, Any, NamedTuple

import msgspec

from agent_saga.trace.base64url import unpadded
from agent_saga.trace.codec import decode, leaf_hash, written
from agent_saga.trace.errors import CodecError, LineError
from agent_saga.trace.events import EVENT_TYPES, Event
from agent_saga.trace.limits import GENESIS, VERSION
from agent_saga.trace.values import dumps


def salt_of(random: bytes) -> str:
    """The salt of a line from 16 random bytes: 22 base64url characters."""
    if len(random) != 16:
        raise CodecError(f"a salt takes 16 random bytes; got {len(random)}")
    return unpadded(random)


class Written(NamedTuple):
    """A line as its writer knows it. event and traits: what its bytes decode to. leaf: their hash."""

    line: bytes
    event: Event
    traits: int
    leaf: str


class SagaWriter:
    """Writes the lines of one saga, one after another, chained.

    saga: its id. random: returns that many random bytes (``os.urandom`` outside of tests). The caller hands on each
    line to where lines are kept; nothing is remembered here but the head of the chain.
    """

    def __init__(self, saga: str, random: Callable[[int], bytes], *, seq: int = 0, head: str = GENESIS) -> None:
        self.saga, self.seq, self.head = saga, seq, head
        self._random = random

    def line(self, type: str, at: str, by: str = "runtime", **members: Any) -> bytes:
        """The next line, without LF. members: those of the type. Raises CodecError when they do not make one."""
        return self.write(type, at, by, members).line

    def write(self, type: str, at: str, by: str, members: dict[str, Any]) -> Written:
        """:meth:`line`, with what is known of it."""
        if type not in EVENT_TYPES:
            raise CodecError(f"{type!r} is no line type of trace format {VERSION}")
        head = {"v": VERSION, "saga": self.saga, "seq": self.seq, "prev": self.head, "at": at, "type": type, "by": by}
        if not head.keys().isdisjoint(members):
            raise CodecError(f"{', '.join(sorted(head.keys() & members))}: the writer's own members, not to be given")
        try:
            record = members | head | {"salt": salt_of(self._random(16))}
            event: Event = msgspec.convert(record, EVENT_TYPES[type])
        except msgspec.ValidationError as fault:
            raise CodecError(f"these members do not make a {type} line: {fault}") from fault
        line, event, traits = _line_of(event)
        self.seq, self.head = self.seq + 1, leaf_hash(line)
        return Written(line, event, traits, self.head)


def _line_of(event: Event) -> tuple[bytes, Event, int]:
    """:func:`~.codec.written`, told by one look where the bytes decode to the very event.

    What JSON has no word for decodes to something else, and is looked at again, as is all that decoding refuses.
    """
    try:
        line = dumps(event)
        same, traits = decode(line)
    except (LineError, TypeError, OverflowError, UnicodeError, RecursionError):
        return written(event)
    return (line, same, traits) if same == event else written(event)


class TraceWriter:
    """Writes the lines of many sagas, interleaved, to one stream."""

    def __init__(self, stream: IO[bytes], random: Callable[[int], bytes]) -> None:
        self._stream, self._random = stream, random
        self._sagas: dict[str, SagaWriter] = {}

    def write(self, saga: str, type: str, at: str, by: str = "runtime", **members: Any) -> str:
        """Append one line to the saga and return its leaf. Raises CodecError when the members do not make a line."""
        writer = self._sagas.get(saga) or self._sagas.setdefault(saga, SagaWriter(saga, self._random))
        self._stream.write(writer.line(type, at, by, **members) + b"\n")
        return writer.head
