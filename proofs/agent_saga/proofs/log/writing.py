"""Making a checkpoint: count what is new, append the index line, bring the tiles up to it, sign, publish.

A process may be killed anywhere. What it leaves is either not yet published, and then made again from the lines, or a
checkpoint that stands. One size never gets two roots: a signed text is linked into its place and never written over.

Source: docs/spec/log-v1.md, "On disk".
"""

import contextlib
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from agent_saga.proofs.checkpoints import Checkpoint, Pin, open_checkpoint, sign_checkpoint
from agent_saga.proofs.errors import KeyFault, LogFault, Refuted
from agent_saga.proofs.keys import SigningKey
from agent_saga.proofs.limits import MAX_NOTE
from agent_saga.proofs.log.census import Census
from agent_saga.proofs.log.folder import LogFolder, place_of
from agent_saga.proofs.log.growing import Growth
from agent_saga.proofs.log.indexing import Claims, append_at, append_held, claimed_by, claims, make_line
from agent_saga.proofs.log.lines import open_lines
from agent_saga.proofs.log.lock import locked
from agent_saga.proofs.log.offsets import read_offsets, write_offsets
from agent_saga.proofs.log.opened import Standing, changes, event_of, indexed_of, opening_of, pin_of
from agent_saga.proofs.log.storing import StoredTiles
from agent_saga.trace.collector import without_collector
from agent_saga.trace.events import LogOpened
from agent_saga.trace.limits import LOG_SAGA
from agent_saga.trace.store.base import NewLine
from agent_saga.trace.store.errors import Overtaken

Random = Callable[[int], bytes]
_TRIES = 3
"""Times that the index line is made anew because others appended in between, before they are made to wait."""


@dataclass(frozen=True, slots=True)
class Written:
    """What came of it. lines: new since the checkpoint before. indexed: it proves whole sagas. new: it was made now."""

    checkpoint: Checkpoint
    note: bytes
    lines: int
    indexed: bool
    new: bool


def write_checkpoint(
    store: str,
    key: SigningKey,
    *,
    now: float,
    random: Random,
    origin: str = "",
    rebuild: bool = False,
    standing: Standing | None = None,
) -> Written:
    """Sign the log of a store as it stands. Signs nothing when no line is new.

    now: POSIX seconds. random: as ``os.urandom``, for the salt of the index line. origin: of a store without
    ``log.opened``, whose checkpoints have no saga index. rebuild: make tiles and index again from all lines.
    standing: tells what is in force where lines of the log's own changed it; without one such a log is not signed.
    Raises KeyFault (not the log's key), LogFault, Locked, SourceError, StoreError.
    """
    opened = opening(store)
    pin = _pin(opened, key, origin, store)
    folder = LogFolder(place_of(store))
    folder.make()
    with locked(folder), without_collector():
        folder.sweep()
        return _Writer(store, folder, key, pin, opened, random, now, standing).run(rebuild)


def opening(store: str) -> LogOpened | None:
    """The store's ``log.opened``; None when it begins with another line. Raises LogFault when it holds none."""
    lines = open_lines(store)
    try:
        for batch in lines.batches(0):
            return opening_of(batch[0])
    finally:
        lines.close()
    raise LogFault(f"{store}: holds no line: begin its log with `agent-saga log open`")


def _pin(opened: LogOpened | None, key: SigningKey, origin: str, store: str) -> Pin:
    """Whose log it is. Raises KeyFault when the key is not the log's."""
    if key.purpose != "log":
        raise KeyFault(f"{key.name}: a key for {key.purpose}: a log is signed by a key for log")
    if opened is None:
        return Pin(origin or key.name, key.vkey)
    pin = pin_of(opened)
    if origin not in ("", pin.origin):
        raise KeyFault(f"{store}: is the log {pin.origin!r}, not {origin!r}: leave --origin out")
    if pin.vkey != key.vkey:
        raise KeyFault(f"{store}: its log is signed by {pin.vkey}, not by {key.vkey}: use the key of log.opened")
    return pin


@dataclass(frozen=True, slots=True)
class _Writer:
    """The holder of the lock, at work on one checkpoint."""

    store: str
    folder: LogFolder
    key: SigningKey
    pin: Pin
    opened: LogOpened | None
    random: Random
    now: float
    standing: Standing | None

    def run(self, rebuild: bool) -> Written:
        latest = self._latest()
        old = latest.size if latest else 0
        offsets = array("Q", [0]) if rebuild or not latest else read_offsets(self.folder)
        growth = Growth(self.folder, latest, indexed=self.opened is not None, rebuild=rebuild)
        self._read(growth, offsets)
        if latest and growth.held is None:
            return Written(latest, self.folder.note(old), 0, self.opened is not None, new=False)
        index = self._indexed(growth, offsets) if self.opened else None
        growth.take_held()
        growth.keep_tiles()
        write_offsets(self.folder, offsets)
        if index is not None:
            index.keep(self.folder, growth.size)
        return self._publish(Checkpoint(self.pin.origin, growth.size, growth.root()), old, kept=1 if rebuild else 2)

    def _latest(self) -> Checkpoint | None:
        """The largest signed checkpoint; one that a killed writer had signed and not yet told is published now."""
        sizes = self.folder.sizes("checkpoints")
        if not sizes:
            return None
        note = self.folder.note(sizes[-1])
        try:
            latest, _ = open_checkpoint(note, self.pin)
        except Refuted as fault:
            raise LogFault(
                f"{self.folder.path}/checkpoints/{sizes[-1]}: is not signed by this log's key ({fault}); "
                "nothing is signed after it: find out who put it there"
            ) from fault
        if latest.size != sizes[-1]:
            raise LogFault(f"{self.folder.path}/checkpoints/{sizes[-1]}: is a checkpoint of {latest.size} lines")
        if not self.folder.has("checkpoint") or self.folder.read("checkpoint", MAX_NOTE + 1) != note:
            self.folder.replace("checkpoint", note, durable=True)
        return latest

    def _read(self, growth: Growth, offsets: "array[int]") -> None:
        lines = open_lines(self.store, offsets)
        try:
            growth.read(lines)
        finally:
            lines.close()

    def _indexed(self, growth: Growth, offsets: "array[int]") -> Claims:
        """End with an index line; returns the index.

        One that stands there already is taken: a writer was killed before it signed. When others append in between
        again and again, they are made to wait.
        """
        for _ in range(_TRIES):
            there = self._there(growth)
            if there is not None:
                return there
            index = self._claims(growth)
            line = self._line(growth, index)
            with contextlib.suppress(Overtaken):
                append_at(self.store, line, growth.size)
                growth.take([line.line])
                return index
            self._read(growth, offsets)

        def last() -> tuple[NewLine, int]:
            nonlocal index
            self._read(growth, offsets)
            growth.take_held()
            index = self._claims(growth)
            return self._line(growth, index), growth.size

        growth.take([append_held(self.store, last).line])
        return index

    def _there(self, growth: Growth) -> Claims | None:
        """Take in the last line; the index when it is the very index line that is to be written."""
        there = claimed_by(growth.held) if growth.held else None
        index = self._claims(growth) if there else None
        growth.take_held()
        return index if index is not None and index.members == there else None

    def _claims(self, growth: Growth) -> Claims:
        """The index over what was taken in; the log's own lines are all read where one of them changed anything."""
        before = indexed_of(growth.before) if growth.before else None
        since = before is not None and (before.keys.index or (before.policy.index if before.policy else 0))
        if self.standing is None or not (since or any(changes(line) for _, line in _census(growth).own)):
            return claims(_census(growth), self._log())
        lines = open_lines(self.store)
        try:
            own = list(lines.of(LOG_SAGA, 0, growth.size))
        finally:
            lines.close()
        return claims(_census(growth), self._log(), self.standing(own))

    def _line(self, growth: Growth, index: Claims) -> NewLine:
        return make_line(_census(growth), self._at(growth), index.members, self.random)

    def _log(self) -> LogOpened:
        assert self.opened is not None
        return self.opened

    def _at(self, growth: Growth) -> str:
        """The present as it stands on a line. Raises LogFault when the clock is before the lines."""
        at = instant(self.now)
        for line in growth.ends():
            event = event_of(line)
            if event is not None and event.at > at:
                raise LogFault(f"the clock says {at}, but a line of the log says {event.at}: set the clock right")
        return at

    def _publish(self, checkpoint: Checkpoint, old: int, kept: int) -> Written:
        """Sign and tell. kept: saga indices that stay; that of the checkpoint before serves who is just reading it."""
        data = str(sign_checkpoint(checkpoint, self.pin.vkey, self.key)).encode()
        self.folder.put_once(f"checkpoints/{checkpoint.size}", data)
        self.folder.replace("checkpoint", data, durable=True)
        StoredTiles(self.folder).forget(old, checkpoint.size)
        for size in self.folder.sizes("index")[:-kept]:
            self.folder.remove(f"index/{size}")
            self.folder.remove(f"index/{size}.tree")
        return Written(checkpoint, data, checkpoint.size - old, self.opened is not None, new=checkpoint.size != old)


def _census(growth: Growth) -> Census:
    assert growth.census is not None
    return growth.census


def instant(now: float) -> str:
    """POSIX seconds as they stand on a line: RFC 3339 UTC with six decimals."""
    try:
        return datetime.fromtimestamp(now, UTC).isoformat(timespec="microseconds").removesuffix("+00:00") + "Z"
    except (ValueError, OverflowError, OSError) as fault:
        raise LogFault(f"the clock says {now} seconds, which is no time") from fault
