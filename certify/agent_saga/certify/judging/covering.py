"""Holding an input's lines against a signed checkpoint, or a root and size that the user expects.

The lines are hashed once more while they stream by, up to the largest size that is asked about, and not at all when
nothing is; with several processes only the first one does it. What an input holds never raises here.

Source: docs/rules.md, "Checkpoints" (AS110, AS111, AS112, AS115).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from agent_saga.certify.report import Pinned
from agent_saga.certify.source import Fault, SourceFormat
from agent_saga.proofs.errors import Refuted
from agent_saga.proofs.rooting import Roots
from agent_saga.trace.limits import MAX_LINE

if TYPE_CHECKING:
    from agent_saga.proofs.checkpoints import Checkpoint
    from agent_saga.proofs.pins import Pins

NO_CHECKPOINT: Final = (
    "no checkpoint is pinned: that no line or saga was cut off the end of this trace cannot be seen from it"
)
SUBJECT: Final = "checkpoint"
"""Of findings about checkpoints and what the user expects: they are about this run, not about a line."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the lines must come to. pins: whose signatures count; None when there is no checkpoint.

    notes: signed checkpoints, as bytes. root: 64 hex digits of all lines, "" for any. size: their number, 0 for any.
    """

    pins: "Pins | None" = None
    notes: tuple[bytes, ...] = ()
    root: str = ""
    size: int = 0

    def __bool__(self) -> bool:
        return bool(self.notes or self.root or self.size)


@dataclass(slots=True)
class Read:
    """The checkpoints of a :class:`Wanted`, ascending by size, and what is wrong with those that do not count."""

    checkpoints: "list[tuple[Checkpoint, str]]" = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    unseen: bool = True
    """Whether no pinned witness signed the largest checkpoint."""

    @property
    def largest(self) -> int | None:
        """Lines that the largest checkpoint covers; None when there is none that counts."""
        return self.checkpoints[-1][0].size if self.checkpoints else None


@dataclass(frozen=True, slots=True)
class Seen:
    """What the lines came to. at: root by size. root: of all lines, b"" where it was not wanted."""

    lines: int
    at: dict[int, bytes]
    root: bytes


@dataclass(frozen=True, slots=True)
class Cover:
    """What the comparison came to. assumptions: sentences for the report."""

    faults: Sequence[Fault]
    assumptions: tuple[str, ...]
    pinned: Pinned | None = None


def read_wanted(wanted: Wanted) -> Read:
    """Open the signed checkpoints under the pin; what its key did not sign is a fault."""
    read = Read()
    seen = set()
    for note in wanted.notes:
        from agent_saga.proofs.bundles.verifying import signatures  # only checkpoints pay for what they load
        from agent_saga.proofs.checkpoints import open_checkpoint

        assert wanted.pins is not None
        try:
            checkpoint, opened = open_checkpoint(note, wanted.pins.log)
            signed = signatures(opened, wanted.pins)
        except Refuted as fault:
            read.faults.append(_fault("AS112", f"{fault} ({fault.reason})", f"signed by {wanted.pins.log.vkey}"))
            continue
        read.checkpoints.append((checkpoint, note.decode()))
        seen |= {checkpoint} if signed.witnesses else set()
    read.checkpoints.sort(key=lambda one: one[0].size)
    read.unseen = not read.checkpoints or read.checkpoints[-1][0] not in seen
    return read


def _fault(code: str, message: str, expected: str) -> Fault:
    return Fault(0, code, message, subject=SUBJECT, expected=expected)


class Watch:
    """Sees an input's bytes stream by and computes the roots of its lines."""

    def __init__(self, wanted: Wanted, read: Read) -> None:
        self._roots = Roots((one.size for one, _ in read.checkpoints), whole=bool(wanted.root))
        self._whole = bool(wanted.root)
        self._rest = b""
        self._long: Any = None

    def through(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """The same chunks, looked at."""
        for chunk in chunks:
            self._take(chunk)
            yield chunk

    def _take(self, chunk: bytes) -> None:
        first, *others = chunk.split(b"\n")
        if self._long is not None:
            self._long.update(first)
            if not others:
                return
            self._roots.add_leaf(self._long.digest())
            self._long, self._rest, (first, *others) = None, b"", others
        lines = [self._rest + first, *others]
        self._rest = lines.pop()
        self._roots.add(lines)
        if len(self._rest) > MAX_LINE:  # no line of a log, but it is hashed as it stands, in bounded memory
            self._long, self._rest = sha256(b"\0" + self._rest), b""

    def seen(self) -> Seen:
        """What was seen, once all chunks have passed."""
        return Seen(self._roots.size, self._roots.at, self._roots.root() if self._whole else b"")


def compare(wanted: Wanted, read: Read, seen: Seen) -> Cover:
    """Hold the lines against the checkpoints and what the user expects."""
    wrong = [*_wrong_roots(read, seen), *_forks(read)]
    largest = read.checkpoints[-1] if read.checkpoints else None
    if largest is None:
        pinned = None
    else:
        (point, note), earlier = largest, tuple(text for _, text in read.checkpoints[:-1])
        pinned = Pinned(point.origin, point.size, point.root.hex(), note, not wrong, earlier)
    faults = [*read.faults, *wrong, *_unexpected(wanted, seen)]
    return Cover(faults, tuple(_told(wanted, read, seen, agrees=not faults)), pinned)


def foreign(wanted: Wanted, source: SourceFormat) -> Cover:
    """No checkpoint of ours covers the records of another format; some of those compare a root by themselves."""
    if not (wanted.notes or wanted.size or (wanted.root and not source.checks_root)):
        return Cover((), (NO_CHECKPOINT,))
    message = f"this is {source.name}: a checkpoint or root covers the lines of an agent-saga trace, and none of these"
    return Cover((_fault("AS110", message, "the log that the checkpoint is of"),), (NO_CHECKPOINT,))


def _wrong_roots(read: Read, seen: Seen) -> Iterator[Fault]:
    for point, _ in read.checkpoints:
        if point.size > seen.lines:
            message = f"the log has {seen.lines} lines: the checkpoint of {point.origin} covers {point.size}"
            yield _fault("AS115", message, f"at least {point.size} lines, as when the checkpoint was signed")
        elif seen.at[point.size] != point.root:
            message = (
                f"the first {point.size} lines have the root {seen.at[point.size].hex()[:16]}...: "
                f"the checkpoint of {point.origin} has {point.root.hex()[:16]}..."
            )
            yield _fault("AS111", message, "the lines as they stood when the checkpoint was signed")


def _forks(read: Read) -> Iterator[Fault]:
    roots: dict[int, bytes] = {}
    for point, _ in read.checkpoints:
        if roots.setdefault(point.size, point.root) != point.root:
            message = f"two checkpoints of {point.size} lines have two roots: the log {point.origin} was forked"
            yield _fault("AS111", message, "one root for one size")


def _unexpected(wanted: Wanted, seen: Seen) -> Iterator[Fault]:
    if wanted.size and seen.lines < wanted.size:
        message = f"the log has {seen.lines} lines: {wanted.size} were expected (--expect-size)"
        yield _fault("AS115", message, f"{wanted.size} lines")
    elif wanted.size and seen.lines > wanted.size:
        message = f"the log has {seen.lines} lines: {wanted.size} were expected (--expect-size)"
        yield _fault("AS110", message, f"{wanted.size} lines, and none behind them")
    if wanted.root and seen.root.hex() != wanted.root:
        message = f"all lines have the root {seen.root.hex()[:16]}...: {wanted.root[:16]}... was expected"
        yield _fault("AS111", message, "the root that --expect-root names")


def _told(wanted: Wanted, read: Read, seen: Seen, *, agrees: bool) -> Iterator[str]:
    if not read.checkpoints:
        yield NO_CHECKPOINT
        if agrees and (wanted.root or wanted.size):
            yield f"all {seen.lines} lines are what --expect-root and --expect-size name, on the word of who gave them"
        return
    point = read.checkpoints[-1][0]
    if agrees:
        yield f"the first {point.size} lines stand under the pinned checkpoint of {point.origin}: none is missing there"
        if read.unseen:
            yield "no pinned witness signed this checkpoint: that there is a second copy of the log is not excluded"
    else:
        yield "the lines do not stand under the pinned checkpoint: what it says is no word about them"
    beyond = seen.lines - point.size
    if beyond > 0:
        are = "line is" if beyond == 1 else "lines are"
        yield f"{beyond} {are} not yet under a checkpoint: that none was cut off behind cannot be seen"
