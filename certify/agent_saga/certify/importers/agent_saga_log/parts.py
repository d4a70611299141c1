"""One part of a log: the records of its sagas, each verified against the record before it, whosever that is.

The chain runs through all sagas, so a part needs two things of a record that is not its own: its ``_h`` and its number,
which it takes from the bytes where the writer puts them. The part whose record that is verifies it, and where the next
record is another part's, also that its bytes say what the record says. So if every part finds its own records linked
and regular, the whole log is. A log that is not, or that holds what concerns more than one saga (approvals, redacted
records, compaction, a saga under a new id), is :class:`~agent_saga.certify.source.Entangled` and judged whole.

Source: docs/sources/agent-saga-log.md, "The chain".
"""

import re
from collections.abc import Iterator
from typing import Final
from zlib import crc32

from agent_saga.certify.importers.agent_saga_log import ends, others
from agent_saga.certify.importers.agent_saga_log.chain import Chain
from agent_saga.certify.importers.agent_saga_log.endings import CUT_OFF, unfinished, unread
from agent_saga.certify.importers.agent_saga_log.limits import AT_ONCE
from agent_saga.certify.importers.agent_saga_log.mapper import Mapper
from agent_saga.certify.importers.agent_saga_log.mapping import HANDLERS, take
from agent_saga.certify.importers.agent_saga_log.records import Record, parse
from agent_saga.certify.importers.agent_saga_log.usual import take_usual
from agent_saga.certify.source import Entangled, Fault, ImportChoices, Observed
from agent_saga.trace.errors import LineError
from agent_saga.trace.reader import Opened

_SHARED: Final = (others.requested, others.granted, others.denied, others.failed, others.gap, ends.continued)
_CONCERNS_OTHERS: Final = frozenset(name for name, handler in HANDLERS.items() if handler in _SHARED)
"""Records that concern more than the saga that they name."""
_ALONE: Final = {name: handler for name, handler in HANDLERS.items() if handler not in _SHARED}
_MARKS: Final = (b'"_redacted"', *(b'"event": "%b"' % name.encode() for name in _CONCERNS_OTHERS))

_SAGA: Final = b'"saga_id": "'
_NUMBER = re.compile(rb'\{"seq": ([1-9][0-9]{0,15}), ').match
_HASH: Final = b', "_h": "'
_HASH_AT: Final = -len(b'"}') - 64
Link = tuple[str, int]
"""What the next record of a chain must name: ``_h``, and the number that it must follow."""


def divides(head: bytes, choices: ImportChoices) -> bool:
    """Whether a log looks as if its sagas could be judged apart; a Merkle root is taken over all records."""
    return not choices.expected_root and not any(mark in head for mark in _MARKS)


def read_part(opened: Opened, part: int, parts: int) -> Iterator[Observed | Fault]:
    """Yield what the sagas of this part hold. Records that name no saga are the first part's. Raises Entangled."""
    chain = Chain()
    mapper, number = Mapper(chain.gaps), 0
    out = mapper.out
    before, following, token, name, mine = b"", False, b"", "", part == 0
    for block in opened.blocks():
        for line in block:
            number += 1
            at = line.find(_SAGA)
            # a record mostly names the saga that the one before it names
            if not token or not line.startswith(token, at):
                token, saga = _named(line, at)
                name, mine = saga.decode(errors="replace"), crc32(saga) % parts == part if saga else part == 0
            if mine:
                if not following and number > 1:
                    chain.head, chain.seq = _link(before)
                following = True
                _own(mapper, chain, line, number, name)
                if len(out) >= AT_ONCE:
                    yield from out
                    out.clear()
            elif following:
                if _link(before) != (chain.head, chain.seq):
                    raise Entangled
                following = False
            before = line
    yield from out
    if part == 0:
        yield from _ending(opened, number + 1)


def _named(line: bytes, at: int) -> tuple[bytes, bytes]:
    """The saga that a record's bytes name at a place, as it stands there and its id; nothing when they name none."""
    if at < 0:
        return b"", b""
    end = line.find(b'"', at + len(_SAGA))
    return line[at : end + 1], line[at + len(_SAGA) : end]


def _link(line: bytes) -> Link:
    """The hash and number of a record, from its bytes. Raises Entangled where they do not stand as usual."""
    number = _NUMBER(line)
    if number is None or line[_HASH_AT - len(_HASH) : _HASH_AT] != _HASH:
        raise Entangled
    return line[_HASH_AT:-2].decode(errors="replace"), int(number[1])


def _own(mapper: Mapper, chain: Chain, line: bytes, number: int, name: str) -> None:
    """Take a record of this part. name: of the saga that its bytes name. Raises Entangled as :func:`_other` does."""
    payload = take_usual(mapper, chain, _ALONE, line, number)
    if payload is None:
        take(mapper, _other(chain, line, number, name), number)
    elif payload.get("saga_id", "") != name:
        raise Entangled


def _other(chain: Chain, line: bytes, number: int, name: str) -> Record:
    """A record of this part that is spelled in another way than usual.

    Raises Entangled when it is none, concerns other sagas than its bytes say, or does not simply continue the chain:
    only the whole can say why.
    """
    try:
        record = parse(line)
    except LineError:
        raise Entangled from None
    named = record.payload.get("saga_id", "")
    if type(named) is not str or named != name:
        raise Entangled
    if record.redacted is not None or type(record.event) is not str or record.event in _CONCERNS_OTHERS:
        raise Entangled
    if record.prev != chain.head or record.seq != chain.seq + 1 or chain.check(record, number):
        raise Entangled
    return record


def _ending(opened: Opened, number: int) -> Iterator[Fault]:
    if opened.truncated:
        yield unread(opened)
    elif opened.rest:
        try:
            parse(opened.rest)
        except LineError:
            yield unfinished(number, CUT_OFF)
        else:
            raise Entangled
