"""The chain of an agent-saga log, verified with the rule that its writer states, and its Merkle root.

::

    _cd = SHA-256(ascii(_s) || canonical(payload))
    _h  = SHA-256(canonical({"cd":_cd,"event":event,"prev":_ph,"seq":seq,"ts":ts}))

``_ph`` is the ``_h`` of the record before, 64 zeros at the start. The salt of a redacted record is gone, so its ``_cd``
cannot be recomputed; its ``_h`` still can.

Source: docs/sources/agent-saga-log.md, "The chain".
"""

import json
import re
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Final

import msgspec

from agent_saga.certify.importers.agent_saga_log.gaps import Break, Gaps
from agent_saga.certify.importers.agent_saga_log.records import HEADER, Record, canonical
from agent_saga.certify.importers.agent_saga_log.typed import as_stamped
from agent_saga.certify.source import Fault
from agent_saga.trace.limits import GENESIS

START: Final = "SAGA_START"
_HEX64 = re.compile(r"[0-9a-f]{64}").fullmatch


class Chain:
    """Verifies record after record. It continues from what a record claims, so one break gives one finding."""

    def __init__(self) -> None:
        self.head = GENESIS
        self.seq = 0
        self.line = 0
        self.gaps = Gaps()
        self._unchained = False
        self._lost = 0

    def lose(self) -> None:
        """Pass over a line that is no record. It has its own fault; the record after it is not blamed for it."""
        self._lost += 1

    def advance(self, head: str, seq: int, line: int) -> None:
        """Go on from a record that simply continued the chain. head: its own hash."""
        self.head, self.seq, self.line, self._unchained, self._lost = head, seq, line, False, 0

    def check(self, record: Record, line: int) -> tuple[Fault, ...]:
        """Verify one record against the one before; the faults of a record that does not simply continue the chain."""
        seq, ts, digest, head = record.seq, record.ts, record.digest, record.hash
        if (
            record.prev == self.head
            and seq == self.seq + 1
            and type(seq) is int
            and type(ts) is float
            and record.redacted is None
            and type(record.salt) is str
        ):
            content = sha256(record.salt.encode() + record.canonical).hexdigest()
            header = f'{{"cd":"{content}","event":"{record.event}","prev":"{self.head}","seq":{seq},"ts":{ts!r}}}'
            if content == digest and sha256(header.encode()).hexdigest() == head:
                self.advance(head, seq, line)
                return ()
        return tuple(self._examine(record, line))

    def _examine(self, record: Record, line: int) -> Iterator[Fault]:
        linked, before, gap = True, self.head, None
        if record.chained:
            self._unchained = False
            fault = _content(record, line) or _header(record, line)
            linked = record.prev == self.head
            if self._lost and not linked:
                self.seq, linked = self.seq + self._lost, True
            self._lost = 0
            self.head = record.hash if isinstance(record.hash, str) and _HEX64(record.hash) else self.head
            if fault:
                yield fault
            elif not linked:
                gap = Break(line, self.line, self.seq, record.seq, record.prev, first=self.line == 0)
        elif not self._unchained:
            self._unchained = True
            yield _unchained(line, before == GENESIS)
        if gap is None or not self.gaps.hold(gap):
            yield from self._number(record, line, linked, gap)
        elif type(record.seq) is int:
            self.seq = record.seq
        self.line = line

    def _number(self, record: Record, line: int, linked: bool, gap: Break | None) -> Iterator[Fault]:
        if gap:
            yield gap.fault()
        seq, expected = record.seq, self.seq + 1
        if type(seq) is not int or seq < 1:
            yield Fault(line, "AS102", f"seq is {_show(seq)}; expected the number {expected}", subject="seq")
            return
        if gap or seq == expected:
            self.seq = seq
            return
        if seq == 1 and linked and record.chained and record.event == START:
            yield _restart(line)
        else:
            yield _misnumbered(line, seq, self.seq)
        # a record that repeats a number takes no place: the next one is still expected
        self.seq = seq if record.chained else max(self.seq, seq)


def _content(record: Record, line: int) -> Fault | None:
    """The fault of a record whose payload is not what its digest says, as far as the log still lets one tell."""
    missing = [name for name, value in (("_h", record.hash), ("_cd", record.digest), ("_ph", record.prev)) if not value]
    if missing:
        return _broken(line, f"the record carries a part of a chain only: {', '.join(missing)} is missing")
    if record.redacted is not None:
        if record.salt is None and not record.payload:
            return None
        return _broken(line, "the record says that it was redacted and still holds a payload that nothing vouches for")
    if type(record.salt) is not str:
        return _broken(line, "the salt _s is missing and the record is not marked as redacted")
    if record.digest in _digests(record):
        return None
    return _broken(line, f"the payload of {_show(record.event)} is not what its digest _cd says: a member was changed")


def _digests(record: Record) -> Iterator[str]:
    salt = record.salt.encode(errors="surrogatepass")
    yield sha256(salt + record.canonical).hexdigest()
    yield sha256(salt + canonical(record.payload)).hexdigest()
    yield sha256(salt + canonical(as_stamped(record.payload))).hexdigest()


def _header(record: Record, line: int) -> Fault | None:
    """The fault of a record whose own hash does not follow from its header."""
    header = {"prev": record.prev, "seq": record.seq, "ts": record.ts, "event": record.event, "cd": record.digest}
    try:
        bound = sha256(canonical(header)).hexdigest() == record.hash
    except UnicodeEncodeError:
        bound = False
    if bound:
        return None
    event = _show(record.event)
    return _broken(line, f"_h of {event} does not follow from _ph, seq, ts, event and _cd: one of them was changed")


def _broken(line: int, message: str) -> Fault:
    return Fault(line, "AS104", message, subject="chain", expected="the record as it was written")


def _unchained(line: int, never: bool) -> Fault:
    where = "the log starts without a chain" if never else "the records before it are chained, this one is not"
    return Fault(
        line,
        "AS114",
        f"the record carries none of _h, _ph, _cd, _s: {where}",
        subject="chain",
        expected="a record that carries the hash of the one before it",
    )


def _restart(line: int) -> Fault:
    return Fault(
        line,
        "AS105",
        "seq starts again at 1 under an unbroken chain: a new process continued the log",
        subject="seq",
        expected="nothing; the chain shows that no record is missing here",
        severity="note",
    )


def _misnumbered(line: int, seq: int, last: int) -> Fault:
    found = f"{seq - last - 1} missing" if seq > last else "the number was used before, or runs backwards"
    found = f"seq {seq} stands after seq {last}: {found}"
    return Fault(line, "AS105", found, subject="seq", expected=f"seq {last + 1}")


def _show(value: object) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= 80 else text[:80] + "..."


class Tree:
    """The log's Merkle root, streamed: one pending hash a level. An odd last node is paired with itself.

    leaf = SHA-256(0x00 || canonical(record)), node = SHA-256(0x01 || left || right); empty: 64 zeros.
    """

    def __init__(self) -> None:
        self.size = 0
        self._pending: list[bytes | None] = []

    def add(self, record: Record) -> None:
        """Append one record."""
        fields = msgspec.structs.astuple(record)[: len(HEADER)]
        header = {name: value for name, value in zip(HEADER, fields, strict=True) if value is not None}
        whole: dict[str, Any] = header | record.payload
        node = sha256(b"\0" + canonical(as_stamped(whole))).digest()
        self.size += 1
        for level, left in enumerate(self._pending):
            if left is None:
                self._pending[level] = node
                return
            self._pending[level] = None
            node = sha256(b"\1" + left + node).digest()
        self._pending.append(node)

    def root(self) -> str:
        """Root over all records so far, lower-case hex."""
        if not self.size:
            return GENESIS
        node: bytes | None = None
        for level, left in enumerate(self._pending):
            if left is None:
                node = node and sha256(b"\1" + node + node).digest()
            elif node:
                node = sha256(b"\1" + left + node).digest()
            elif level < len(self._pending) - 1:
                node = sha256(b"\1" + left + left).digest()
            else:
                node = left
        return node.hex() if node else GENESIS
