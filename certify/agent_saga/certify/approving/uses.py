"""What only the whole log shows of approvals: one used twice, a counter that went back, a key lost before it signed.

Kept small: a few values for each use. Parts of one log are put together and judged in the order of the lines.

Source: docs/rules.md, "Approvals"; docs/spec/approval-v1.md, "One use" and "Counters".
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from operator import itemgetter
from sys import intern
from typing import TYPE_CHECKING, Any, NamedTuple

from agent_saga.certify.approving.use import Use
from agent_saga.certify.draft import Draft, at
from agent_saga.certify.history.people import Approval
from agent_saga.trace.events import PersonDecided

if TYPE_CHECKING:
    from agent_saga.approvals.registry.history import History

Found = tuple[str, str, Draft]
"""Rule code, saga, and the draft."""


class Burnt(NamedTuple):
    """An approval that an intent names. leaf: of its line. digest: of what was signed, b"" where nothing was."""

    line: int
    recorded: int
    saga: str
    effect: str
    tool: str
    leaf: bytes
    digest: bytes

    @property
    def names(self) -> tuple[str, ...]:
        """What no other effect may use, in hex."""
        return (self.leaf.hex(), *([self.digest.hex()] if self.digest else ()))


class Signature(NamedTuple):
    """A verified signature. line: where it stands. used: the line that relies on it. enrolled: counter at enrolment."""

    line: int
    used: int
    saga: str
    subject: str
    key: str
    at: str
    digest: bytes
    counter: int | None
    enrolled: int
    code: str


@dataclass(slots=True)
class Uses:
    """Gathered while an input is read. exceptions: verified decisions that something is undone, or kept.

    Words that most of them share are kept once.
    """

    burnt: list[Burnt] = field(default_factory=list)
    signatures: list[Signature] = field(default_factory=list)
    exceptions: int = 0

    def __reduce__(self) -> tuple[Any, ...]:
        """Columns are handed from one process to another in a fraction of the time that rows take."""
        return _handed, (_columns(self.burnt), _columns(self.signatures), self.exceptions)

    def used(self, use: Use) -> None:
        """Note the approvals that an intent burns."""
        event, saga = use.event, use.saga.id
        for answer in use.answers:
            approval, signed = answer.approval, answer.signed
            digest = signed.digest if signed is not None else _claimed(approval)
            leaf, effect, tool = bytes.fromhex(approval.leaf), intern(event.effect), intern(event.tool)
            self.burnt.append(Burnt(use.line, approval.line, saga, effect, tool, leaf, digest))
            if signed is not None and not answer.code:
                about = intern(f"effect {effect} by {approval.person}")
                self._note(saga, about, approval.line, use.line, approval.event.at, signed, "AS306")

    def decided(self, saga: str, event: PersonDecided, line: int, signed: Any) -> None:
        """Note a decision that was verified."""
        self._note(saga, f"decision {event.target}", line, line, event.at, signed, "AS507")

    def _note(self, saga: str, about: str, line: int, used: int, at: str, signed: Any, code: str) -> None:
        key = signed.key
        self.signatures.append(
            Signature(line, used, saga, about, key.id, at, signed.digest, signed.evidence.counter, key.counter, code)
        )

    def merge(self, other: "Uses") -> None:
        """Take in what was gathered from the other part of the same input."""
        self.burnt += other.burnt
        self.signatures += other.signatures
        self.exceptions += other.exceptions

    def judge(self) -> Iterator[Found]:
        """What the uses show together."""
        yield from self._used_twice()
        yield from self._counted_back()

    def lost(self, history: "History", begins: int = 0) -> Iterator[Found]:
        """Signatures of keys that were later said to have been in other hands by then. begins: index of line 1."""
        from agent_saga.approvals.errors import NotApproved
        from agent_saga.approvals.windows import Moment

        lost = {key: one for key, one in history.last.revoked.items() if one.since}
        for one in self.signatures if lost else ():
            if one.key not in lost or lost[one.key].index < one.used - 1 + begins:
                continue
            try:
                history.check_key(one.key, one.used - 1 + begins, Moment(one.at))
            except NotApproved as fault:
                because = f"the signature at line {one.line} counts for nothing: {fault} ({fault.reason})"
                revoked = at(lost[one.key].index + 1 - begins, "keys.revoked")
                expected = "a signature that was surely made before the key was lost"
                yield one.code, one.saga, Draft(one.subject, because, expected, (at(one.line, "signature"), revoked))

    def _used_twice(self) -> Iterator[Found]:
        if _differ(one.leaf for one in self.burnt) and _differ(one.digest for one in self.burnt if one.digest):
            return
        first: dict[str, Burnt] = {}
        for one in sorted(self.burnt, key=itemgetter(0, 1)):
            others = [first.setdefault(name, one) for name in one.names]
            other = next((o for o in others if o is not one), None)
            if other is not None:
                yield "AS304", one.saga, _reused(one, other)

    def _counted_back(self) -> Iterator[Found]:
        last: dict[str, tuple[int, bytes, int]] = {}
        for one in sorted((s for s in self.signatures if s.counter is not None), key=itemgetter(0)):
            assert one.counter is not None
            before, digest, line = last.get(one.key, (one.enrolled, b"", 0))
            if digest == one.digest:
                continue
            last[one.key] = (max(before, one.counter), one.digest, one.line)
            if one.counter <= before and (one.counter or before):
                because = (
                    f"key {one.key} had counted to {before} {f'at line {line}' if line else 'at its enrolment'}, and "
                    f"line {one.line} says {one.counter}: it may have been copied"
                )
                earlier = (at(line, "signature"),) if line else ()
                witness = (*earlier, at(one.line, "signature"))
                yield "AS311", one.saga, Draft(one.subject, because, "a counter that grows", witness)


def _columns(rows: Iterable[tuple[Any, ...]]) -> tuple[tuple[Any, ...], ...]:
    return tuple(zip(*rows, strict=True))


def _handed(burnt: Iterable[Any], signatures: Iterable[Any], exceptions: int) -> Uses:
    rows = _columns(burnt), _columns(signatures)
    return Uses(list(map(Burnt._make, rows[0])), list(map(Signature._make, rows[1])), exceptions)


def _differ(names: Iterable[bytes]) -> bool:
    """Whether no two of them are equal."""
    listed = list(names)
    return len(set(listed)) == len(listed)


def _claimed(approval: Approval) -> bytes:
    """What is said to have been signed, b"" for nothing: a signature that does not hold may not serve twice either."""
    from agent_saga.approvals.digests import APPROVAL, digest

    return digest(APPROVAL, approval.event.proof["request"]) if approval.signed else b""


def _reused(one: Burnt, other: Burnt) -> Draft:
    where = f"effect {other.effect}" + (f" of saga {other.saga}" if other.saga != one.saga else "")
    because = (
        f"{one.tool} (effect {one.effect}) at line {one.line} relies on the approval at line {one.recorded}, which "
        f"{where} used up at line {other.line}"
    )
    witness = (
        at(one.recorded, "approval.recorded"),
        at(other.line, f"effect.intended {other.effect} {other.tool}"),
        at(one.line, f"effect.intended {one.effect} {one.tool}"),
    )
    return Draft(
        f"effect {one.effect}", because, "an approval of its own for each effect", tuple(dict.fromkeys(witness))
    )
