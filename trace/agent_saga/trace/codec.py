"""One line, exactly: bytes to event and event to bytes.

A line is accepted only if it equals the compact re-encoding of what it parses to, so one event has one spelling, and
the hash of the bytes is the hash of the event::

    leaf = SHA-256(0x00 || line)          printf '\\0%s' "$line" | sha256sum

Decoding is one pass of a typed decoder and one re-encoding. Only a line that this refuses is looked at again, slowly,
by :mod:`agent_saga.trace.diagnose`, which finds the words for what is wrong.

Source: docs/spec/trace-v1.md, "Line form"; the leaf is RFC 9162, section 2.1.1.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from itertools import repeat
from operator import attrgetter
from typing import Any, Final, get_args

import msgspec

from agent_saga.trace.checks import Members
from agent_saga.trace.errors import CodecError, LineError
from agent_saga.trace.events import EVENT_TYPES, Event, may_stand_in
from agent_saga.trace.forms import Digest, Instant, SagaId, Salt
from agent_saga.trace.limits import LOG_SAGA, MAX_LINE, MAX_SAGA_ID


def _form(hint: Any) -> bytes:
    """The pattern of a form, for bytes: these forms hold nothing but ASCII."""
    pattern: str = get_args(hint)[1].pattern
    return pattern.encode()


def _only(one: bytes) -> bytes:
    """The characters that a pattern for one character allows."""
    match = re.compile(one).match
    return bytes(byte for byte in range(256) if match(bytes([byte])))


_HEAD = re.compile(
    rb'\{"v":1,"saga":"([^"]{1,%d})","seq":[0-9]{1,16},"prev":"([^"]{64})","at":"%b","type":"([^"]{1,32})","'
    % (MAX_SAGA_ID, _form(Instant))
).match
_TYPE = re.compile(rb'"type":"([^"]{1,32})","').search
_TYPE_AT: Final = len(b'{"v":1,"saga":"s","seq":0,"prev":"","at":"",') + 64 + 27
"""No type stands before this byte of a line."""
_TIMES = re.compile(f"(?:{_form(Instant).decode()})*").fullmatch
is_instant: Final = re.compile(_form(Instant).decode()).fullmatch
"""Whether a text has the form of an instant."""
_IN_SAGA, _IN_PREV = _only(_form(SagaId).partition(b"{")[0]), _only(_form(Digest).partition(b"{")[0])
_IN_SALT, _ENDS_SALT = map(_only, _form(Salt).split(b"{21}"))
"""Deleting these from a text, and seeing whether anything is left, is far quicker than matching a class."""
_TAIL = re.compile(rb',"salt":"%b"\}' % _form(Salt)).match
_TAIL_LENGTH: Final = len(b',"salt":"1234567890123456789012"}')
SALT: Final = slice(-len(b'1234567890123456789012"}'), -len(b'"}'))
"""Where the salt stands in the bytes of a line."""
_ON_EVERY_LINE: Final = ("saga", "prev", "at", "salt")
_of_every_line = attrgetter(*_ON_EVERY_LINE)


class _NoFloat(Exception):
    """Raised from inside the decoder when it meets a float."""


_REFUSALS: Final = (msgspec.MsgspecError, UnicodeError, RecursionError, _NoFloat, LineError)
"""What decoding and checking a line may raise: it is none."""


def _refuse_float(_literal: str) -> Any:
    raise _NoFloat


_Plan = tuple[Callable[[bytes], Event], Callable[[Event], int], bool]
"""What is done about a type: decoder, checks, and whether it stands in the log's own saga and nowhere else."""


def _plan(name: str, cls: type[Event]) -> _Plan:
    decoder = msgspec.json.Decoder(cls, float_hook=_refuse_float)
    return decoder.decode, Members(cls, frozenset(_ON_EVERY_LINE)).check, may_stand_in(LOG_SAGA, name)


_PLAN_OF: Final = {name: _plan(name, cls) for name, cls in EVENT_TYPES.items()}
_PLANS: Final = {name.encode(): plan for name, plan in _PLAN_OF.items()}
_encode = msgspec.json.Encoder().encode
_encode_lines = msgspec.json.Encoder().encode_lines


def leaf_hash(line: bytes) -> str:
    """Hash of a line's exact bytes, without its LF: lower-case hex of SHA-256(0x00 || line) (RFC 9162, 2.1.1)."""
    return sha256(b"\0" + line).hexdigest()


def leaf_hashes(lines: Iterable[bytes]) -> list[str]:
    """:func:`leaf_hash` of each line."""
    return [sha256(b"\0" + line).hexdigest() for line in lines]


def decode(line: bytes) -> tuple[Event, int]:
    """Parse one line, given without its LF, into its event and the traits of its payload (:mod:`~.values`).

    Raises LineError: AS101 when the bytes are not a line, AS102 when its members are not the type's, AS103 when its
    version or type is unknown. The message says what was found and what was expected.
    """
    head = _HEAD(line)
    if head and len(line) <= MAX_LINE and _TAIL(line, len(line) - _TAIL_LENGTH):
        saga, prev, name = head.groups()
        plan = _PLANS.get(name)
        if plan and not saga.translate(None, _IN_SAGA) and not prev.translate(None, _IN_PREV):
            try:
                event = plan[0](line)
                if _encode(event) == line and (saga == b"log") is plan[2]:
                    return event, plan[1](event)
            except _REFUSALS:
                pass
    from agent_saga.trace.diagnose import diagnose  # only bad lines pay for what it loads

    raise diagnose(line)


def decode_all(lines: Sequence[bytes]) -> tuple[list[Event], list[int]] | None:
    """:func:`decode` of many lines, faster than one by one: their events, and the traits of each.

    None when it would refuse any of them. An event that is written back as its line has the members of its type in
    their order, so where the type was found in the bytes need not be looked at. The forms of the members that every
    line has are asked of all lines at once.
    """
    try:
        plans = [_PLANS[found[1]] for found in map(_TYPE, lines, repeat(_TYPE_AT)) if found]
        events = [plan[0](line) for plan, line in zip(plans, lines, strict=True)]
        spelled = _encode_lines(events) == b"\n".join([*lines, b""]) and max(map(len, lines)) <= MAX_LINE
        if spelled and _sound(events) == [plan[2] for plan in plans]:
            return events, [plan[1](event) for event, plan in zip(events, plans, strict=True)]
    except (*_REFUSALS, ValueError, KeyError):
        pass
    return None


def _sound(events: list[Event]) -> list[bool] | None:
    """Whether each event stands in the log's own saga; None where a saga, prev, time or salt has not its form."""
    sagas, *others = zip(*map(_of_every_line, events), strict=True)
    if [set(map(len, texts)) for texts in others] != [{64}, {27}, {22}]:
        return None
    names = set(sagas)
    prevs, times, salts = map("".join, others)
    ends = salts[21::22]
    left = "".join(names).encode().translate(None, _IN_SAGA) + prevs.encode().translate(None, _IN_PREV)
    left += salts.encode().translate(None, _IN_SALT) + ends.encode().translate(None, _ENDS_SALT)
    if left or not _TIMES(times) or not 0 < min(map(len, names)) <= max(map(len, names)) <= MAX_SAGA_ID:
        return None
    return [saga == LOG_SAGA for saga in sagas]


def encode(event: Event) -> bytes:
    """Write one event as the bytes of its line, without LF.

    Raises CodecError when the event is none that :func:`decode` would accept back: a fault of the caller.
    """
    return written(event)[0]


def made(event: Event, known: bool) -> tuple[bytes, Event, int] | None:
    """:func:`written` by one look, where the bytes decode to the very event; None where it must be looked at again.

    known: saga, prev, at and salt are known to have their forms. What the encoder wrote is in its spelling, and what
    JSON has no word for decodes to something else.
    """
    decoder, check, of_log = _PLAN_OF[event.type]
    try:
        line = _encode(event)
        same = decoder(line)
        if same == event and len(line) <= MAX_LINE and (event.saga == LOG_SAGA) is of_log:
            return line, same, check(same) if known else decode(line)[1]
    except (*_REFUSALS, TypeError, OverflowError):
        pass
    return None


def written(event: Event) -> tuple[bytes, Event, int]:
    """The bytes of an event's line, and the event and the traits that they decode to. Raises as :func:`encode`."""
    try:
        _PLAN_OF[event.type][1](event)  # what JSON has no word for would be written as something else
        line = _encode(event)
        return line, *decode(line)
    except (LineError, KeyError, TypeError, OverflowError, UnicodeError, RecursionError) as fault:
        raise CodecError(f"this {event.type} event cannot be written as a line: {fault}") from fault
