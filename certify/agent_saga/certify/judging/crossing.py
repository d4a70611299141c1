"""What is judged across the sagas of one input: reads, children, salts, digests.

It keeps only what such a rule needs: nothing of a saga that reads nobody, has no parent and undid nothing, and 22
bytes a line for the salts. The salts are compared exactly, in slices, so that memory stays small.

Source: docs/rules.md, AS216, AS217 and AS603.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from operator import attrgetter, itemgetter

from agent_saga.certify.approving.uses import Uses
from agent_saga.certify.findings import Witness
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.judging.salts import Salts
from agent_saga.certify.policing.gathered import Policing
from agent_saga.certify.rule import Draft, at
from agent_saga.certify.words import intent_of, named

Found = tuple[str, str, Draft]
"""Rule code, saga ("" for the input as a whole), and the draft."""


@dataclass(slots=True)
class Child:
    """A saga that another saga's effect started, as it stood at its end."""

    saga: str
    line: int
    parent: str
    effect: str
    in_force: str
    """The first effect of the child that is in force, in words; "" when none is."""
    since: Witness
    """The line that intended it."""


@dataclass(slots=True)
class Crossing:
    """Facts gathered while an input is read. Two of them, of two halves of one input, can be merged."""

    reads: list[tuple[str, str, int, str, str]] = field(default_factory=list)
    """(reader saga, effect, line, saga read, effect read)"""
    gone: dict[tuple[str, str], int] = field(default_factory=dict)
    """(saga, effect) that was undone or proven absent, and the line that says so."""
    children: list[Child] = field(default_factory=list)
    salts: Salts = field(default_factory=Salts)
    uses: Uses = field(default_factory=Uses)
    policing: Policing = field(default_factory=Policing)
    digests: dict[str, int] = field(default_factory=dict)
    """DIGEST to the line where it was met."""
    repeated: list[tuple[str, int]] = field(default_factory=list)
    """(DIGEST, line) of each that was met again"""

    def conceal(self, digests: Iterable[str], line: int, copied: int = 0) -> None:
        """Note the digests of concealed values: each may stand once in a log.

        copied: the line whose digests may stand on this one as well; 0 for none.
        """
        for digest in digests:
            if copied and self.digests.get(digest) == copied:
                continue
            if digest in self.digests:
                self.repeated.append((digest, line))
            else:
                self.digests[digest] = line

    def close(self, saga: Saga) -> None:
        """Keep what other sagas may be judged by."""
        for name, line, read in saga.reads:
            self.reads.append((saga.id, name, line, read.saga, read.effect))
        for effect in saga.effects.values():
            if effect.undone or not (effect.landed or effect.unsettled or effect.preview):
                self.gone[saga.id, effect.id] = effect.undone or effect.outcome
        if saga.parent:
            self.children.append(_child(saga, saga.parent.saga, saga.parent.effect))

    def merge(self, other: "Crossing") -> None:
        """Take in what was gathered from the other part of the same input."""
        self.reads += other.reads
        self.gone |= other.gone
        self.children += other.children
        self.salts.merge(other.salts)
        self.uses.merge(other.uses)
        self.policing.merge(other.policing)
        self.repeated += other.repeated
        for digest, line in other.digests.items():
            self.conceal((digest,), line)

    def judge(self) -> Iterator[Found]:
        """What the whole input shows that no single saga does."""
        yield from self._dirty_reads()
        yield from self._stranded()
        yield from self.uses.judge()
        yield from self.policing.judge()
        yield from self._reused_salts()
        for digest, first, second in self._reused_digests():
            because = f"the digest {digest[:12]}... stands on line {first} and again on line {second}"
            yield "AS603", "", Draft(f"digest {digest}", because, "each digest once", _pair(first, second))

    def _dirty_reads(self) -> Iterator[Found]:
        for reader, effect, line, saga, name in sorted(self.reads, key=itemgetter(2)):
            gone = self.gone.get((saga, name))
            if not gone or (reader, effect) in self.gone:
                continue
            because = (
                f"effect {effect} relies, since line {line}, on effect {name} of saga {saga}, which is gone since "
                f"line {gone}"
            )
            witness = (at(line, f"effect.intended {effect} reads {name}"), at(gone, f"effect {name} undone or absent"))
            expected = f"effect {effect} undone as well, or effect {name} of saga {saga} in force"
            yield "AS216", reader, Draft(f"effect {effect}", because, expected, witness)

    def _stranded(self) -> Iterator[Found]:
        for child in sorted(self.children, key=attrgetter("line")):
            gone = self.gone.get((child.parent, child.effect))
            if gone and child.in_force:
                because = (
                    f"{child.in_force} of saga {child.saga} is in force, although effect {child.effect} of its parent "
                    f"{child.parent}, which started it, is gone since line {gone}"
                )
                started = at(child.line, f"saga.started with parent effect {child.effect}")
                witness = (started, child.since, at(gone, f"effect {child.effect} undone or absent"))
                yield "AS217", child.saga, Draft("saga", because, "the child's effects undone as well", witness)

    def _reused_salts(self) -> Iterator[Found]:
        for salt, first, second in self.salts.repeated():
            because = f"the salt {salt} stands on line {first} and again on line {second}"
            yield "AS603", "", Draft(f"salt {salt}", because, "a fresh random salt on each line", _pair(first, second))

    def _reused_digests(self) -> Iterator[tuple[str, int, int]]:
        """Each digest that stands on another line too: the line of its first use, and the other."""
        first = {digest: self.digests[digest] for digest, _ in self.repeated}
        places = [*first.items(), *self.repeated]
        for digest, line in self.repeated:
            first[digest] = min(first[digest], line)
        for digest, line in sorted(places, key=itemgetter(1)):
            if line != first[digest]:
                yield digest, first[digest], line


def _pair(first: int, second: int) -> tuple[Witness, ...]:
    return at(first, "first use"), at(second, "second use")


def _child(saga: Saga, parent: str, effect: str) -> Child:
    left = next((one for one in saga.effects.values() if one.stands), None)
    since = intent_of(left) if left else at(saga.last_line, saga.last_type)
    return Child(saga.id, saga.first_line, parent, effect, named(left) if left else "", since)
