"""The store that is a plain trace: one JSONL file, written by one process at a time.

Beside ``orders.jsonl`` stand ``.disclosures`` and ``.keys`` (the vault, once something is concealed), ``.memory`` (what
was remembered), ``.spends`` (what lines took from limits) and, while several lines become durable together,
``.pending``: where they begin and end. Leases live in the process, since the file's lock keeps every other one out.

Source: docs/spec/store-v1.md, "The file store".
"""

import contextlib
import json
import os
import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

from agent_saga.trace.errors import LineError
from agent_saga.trace.heads import claimed
from agent_saga.trace.store.base import NewLine
from agent_saga.trace.store.draft import Draft, Parsed
from agent_saga.trace.store.errors import Damaged, Refusal
from agent_saga.trace.store.journal import Journal, told
from agent_saga.trace.store.ledger import append as draft_lines
from agent_saga.trace.store.ledger import parse
from agent_saga.trace.store.memory import MemoryEngine

if TYPE_CHECKING:
    from agent_saga.trace.store.vault import Vault

DISCLOSURES: Final = ".disclosures"
MEMORY: Final = ".memory"
PENDING: Final = ".pending"
SPENDS: Final = ".spends"
_Spent = tuple[str, str, str, int, int]
"""A line of SPENDS: leaf of the line that took it, limit, key, instant in microseconds, amount."""
_NOTE: Final = re.compile(rb"([0-9]{1,18}) ([0-9]{1,18})").fullmatch


class FileEngine(MemoryEngine):
    """Heads and places in memory, bytes in the file."""

    def __init__(self, path: str, random: Callable[[int], bytes] = os.urandom) -> None:
        """Open or create. Raises Busy, ReadOnly, Damaged (a line inside the file is none, or a chain is broken).

        WrongVersion: its disclosures stand there in clear. random: for keys and nonces of what is kept encrypted.
        """
        super().__init__(path, random)
        self._places: list[tuple[int, int]] = []
        with contextlib.ExitStack() as stack:
            self._trace = _opened(stack, path, alone=True)
            stack.callback(super().close)
            if os.path.exists(os.path.realpath(path) + DISCLOSURES):
                self.notices = self.vault().notices()
            self._values = _opened(stack, path + MEMORY, private=True)
            self._pending = _opened(stack, path + PENDING)
            self._spends = _opened(stack, path + SPENDS)
            self._mend()
            self._load()
            self._files = stack.pop_all()

    def _mend(self) -> None:
        torn = self._unfinished() + self._trace.settle()
        if torn:
            cut = f"{self.place}: {torn} bytes of lines that were never acknowledged were cut off its end"
            self.notices = (*self.notices, cut)
        self._values.settle()
        self._spends.settle()

    def _unfinished(self) -> int:
        """Cut off lines of which only some were written; returns the bytes cut off."""
        noted = [found for _, line in self._pending.lines() if (found := _NOTE(line))]
        start, end = map(int, noted[0].groups()) if noted else (0, 0)
        if not start < self._trace.size < end:
            return 0
        cut = self._trace.size - start
        try:
            self._trace.cut(start)
        except OSError as fault:
            raise told(self.place, fault) from fault
        return cut

    def _load(self) -> None:
        """Read what is there: the heads of all sagas, what was remembered and spent."""
        spends: dict[str, list[_Spent]] = {}
        for _, record in self._spends.lines():
            one = tuple(json.loads(record))
            spends.setdefault(one[0], []).append(one)
        for number, (start, line) in enumerate(self._trace.lines(), 1):
            self._places.append((start, len(line)))
            draft = Draft(self)
            parsed = self._checked(line, number)
            draft._first = number - 1
            self._accept(draft, parsed, number)
            self._apply(draft)
            for spent in dict.fromkeys(spends.pop(parsed.leaf, ())):  # one whose line never came is none
                self._spend(*spent[1:])
        for _, record in self._values.lines():
            key, value = msgspec.json.decode(record, type=tuple[str, str])
            self._memory[key] = b64decode(value)

    def _checked(self, line: bytes, number: int) -> Parsed:
        head = claimed(line)
        try:
            return parse(NewLine(*(head or ("", 0)), line))
        except (Refusal, LineError) as fault:
            raise Damaged(f"{self.place}: line {number}: {fault}; certify says more about it") from fault

    def _accept(self, draft: Draft, one: Parsed, number: int) -> None:
        try:
            draft_lines(draft, [one], (), None)
        except Refusal as fault:
            raise Damaged(f"{self.place}: line {number}: {fault}; certify says more about it") from fault
        if not draft.lines:
            raise Damaged(f"{self.place}: line {number}: saga {one.saga} seq {one.seq} stands twice in the file")

    def count(self) -> int:
        """Lines that there are."""
        return len(self._places)

    def _body(self, index: int) -> bytes:
        return self._trace.at(*self._places[index])

    def _keep(self, lines: Sequence[bytes]) -> None:
        start = self._trace.size - sum(map(len, lines)) - len(lines)
        for line in lines:
            self._places.append((start, len(line)))
            start += len(line) + 1

    def commit(self, draft: Draft) -> None:
        """Sync the disclosures and what is spent, then the lines, then show all to readers."""
        if draft.disclosures:
            self.vault().add(draft.disclosures)
        if draft.memory:
            self._values.append([_record(key, value) for key, value in draft.memory.items()])
        if draft.spends:
            leaves = {(line.saga, line.seq): line.leaf for line in draft.lines}
            spends = [(leaves[x.saga, x.seq], x.limit, x.key, x.at, x.amount) for x in draft.spends]
            self._spends.append([json.dumps(one).encode() for one in spends])
        if draft.lines:
            self._write([line.line for line in draft.lines])
        self._show(draft)

    def _write(self, lines: Sequence[bytes]) -> None:
        """One line is whole when its LF is there; several need a note of where they end, synced before them."""
        if len(lines) > 1:
            end = self._trace.size + sum(map(len, lines)) + len(lines)
            self._pending.replace(b"%d %d" % (self._trace.size, end))
        self._trace.append(lines)

    def vault(self) -> "Vault":
        """Where the disclosures are; the files are made when it is first asked for."""
        if self._vault is None:
            from agent_saga.trace.store.vault import open_vault

            self._vault = open_vault(os.path.realpath(self.place), self._random)
        return self._vault

    def close(self) -> None:
        """Let go of the files and of the lock."""
        self._files.close()


def _opened(stack: contextlib.ExitStack, path: str, **how: Any) -> Journal:
    journal = Journal(path, **how)
    stack.callback(journal.close)
    return journal


def _record(key: str, value: bytes) -> bytes:
    return msgspec.json.encode([key, b64encode(value).decode()])


def is_file_store(head: bytes) -> bool:
    """Whether a file with these first bytes may be one: empty, or a line of a trace."""
    return not head or head.startswith(b'{"v":1,')
