"""Writing a trace: the event's place in its saga, its salt, and its line.

Time and randomness are arguments; the same calls give the same bytes.
"""

from collections.abc import Callable
from typing import IO, Any, NamedTuple

import msgspec

from agent_saga.trace.base64url import unpadded
from agent_saga.trace.codec import is_instant, leaf_hash, made, written
from agent_saga.trace.errors import CodecError
from agent_saga.trace.events import EVENT_TYPES, Event
from agent_saga.trace.limits import GENESIS, VERSION


def salt_of(random: bytes) -> str:
    """The salt of a line from 16 random bytes: 22 base64url characters."""
    salt = unpadded(random)
    if len(salt) != 22:
        raise CodecError(f"a salt takes 16 random bytes; got {len(memoryview(random).cast('B'))}")
    return salt


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
        self._saga, self._seq, self._head = saga, seq, head
        self._random = random
        self._known = False
        """Whether saga and head are known to have their forms: once a line with them was looked at."""

    @property
    def saga(self) -> str:
        """The id of the saga."""
        return self._saga

    @property
    def seq(self) -> int:
        """The number of the next line."""
        return self._seq

    @property
    def head(self) -> str:
        """The leaf of the line before it."""
        return self._head

    def line(self, type: str, at: str, by: str = "runtime", **members: Any) -> bytes:
        """The next line, without LF. members: those of the type. Raises CodecError when they do not make one."""
        return self.write(type, at, by, members).line

    def write(self, type: str, at: str, by: str, members: dict[str, Any]) -> Written:
        """:meth:`line`, with what is known of it."""
        event = self._event(type, at, by, members)
        line, event, traits = made(event, self._known and is_instant(at) is not None) or written(event)
        leaf = leaf_hash(line)
        self._seq, self._head, self._known = self._seq + 1, leaf, True
        return Written(line, event, traits, leaf)

    def _event(self, type: str, at: str, by: str, members: dict[str, Any]) -> Event:
        cls = EVENT_TYPES.get(type)
        if cls is None:
            raise CodecError(f"{type!r} is no line type of trace format {VERSION}")
        own = {"v": VERSION, "saga": self._saga, "seq": self._seq, "prev": self._head, "at": at, "type": type, "by": by}
        own["salt"] = salt_of(self._random(16))
        record = members | own
        if len(record) < len(members) + len(own):
            raise CodecError(f"{', '.join(sorted(own.keys() & members))}: the writer's own members, not to be given")
        try:
            return msgspec.convert(record, cls)
        except msgspec.ValidationError as fault:
            raise CodecError(f"these members do not make a {type} line: {fault}") from fault


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
