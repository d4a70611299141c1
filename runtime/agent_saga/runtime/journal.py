"""The journal of one saga: drafts become chained lines, are folded at once, and become durable together.

What is written is gathered until somebody is about to act on it; then it is flushed in one commit. So the outcome of
one call and the intent of the next are one commit, and no call is made before its intent is durable.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

from agent_saga.runtime.failpoint import Failpoint
from agent_saga.runtime.kernel.action import content_of
from agent_saga.runtime.kernel.actions import FRESH, Draft
from agent_saga.runtime.kernel.consent import Digests
from agent_saga.runtime.kernel.fold import change, fold
from agent_saga.runtime.kernel.hiding import declared
from agent_saga.runtime.kernel.state import State
from agent_saga.runtime.policing.counting import spending
from agent_saga.runtime.policing.records import Sink
from agent_saga.runtime.times import instant
from agent_saga.runtime.veil import Veil
from agent_saga.trace.base64url import unpadded
from agent_saga.trace.conceal import digest_of
from agent_saga.trace.errors import CodecError
from agent_saga.trace.limits import GENESIS
from agent_saga.trace.store import Disclosure, Lease, NewLine, Spending, Store
from agent_saga.trace.store.ledger import digests_on
from agent_saga.trace.values import SUSPECT
from agent_saga.trace.writer import SagaWriter, Written

Random = Callable[[int], bytes]


class Journal:
    """Writes one saga into a store, under a lease."""

    def __init__(
        self, store: Store, saga: str, clock: Callable[[], datetime], random: Random, failpoint: Failpoint
    ) -> None:
        self.store, self.saga = store, saga
        self.state = State(saga=saga)
        self.lease: Lease | None = None
        self.lets_go = False
        """Whether the commit of the line that ends the saga lets go of its lease as well."""
        self._clock, self._random, self._failpoint = clock, random, failpoint
        self._writer = SagaWriter(saga, random, seq=0, head=GENESIS)
        self._pending: list[NewLine] = []
        self._drafts: list[Draft] = []
        self.spends: list[Spending] = []
        """What the lines that are not durable yet take from limits."""
        self._veil = Veil(saga, random)
        self._disclosures: list[Disclosure] = []
        self.records: Sink | None = None
        """Told the records of decisions, before what follows from them is durable."""
        self.in_force: Digests | None = None
        """Digests of policy and registry now; None: those that the saga began with."""
        self.waited = ""
        """An instant that was waited for: it has come, though a clock that was put back says otherwise."""
        self.conceals: Mapping[str, tuple[str, ...]] = {}
        """What the saga's tools declared to be concealed, as JSON Pointers by tool."""

    @property
    def ending(self) -> bool:
        """Whether what is flushed next lets go of the lease; that it was lost before, the store tells then."""
        return self.lets_go and self.state.ended is not None

    async def load(self) -> None:
        """Fold what the store holds of the saga."""
        lines = await self.store.read(self.saga)
        if lines:
            if any(map(digests_on, lines)):
                self._veil = Veil(self.saga, self._random, await self.store.disclosures(self.saga))
            self.state = fold(lines, self._veil.disclosures)
            self._writer = SagaWriter(self.saga, self._random, seq=self.state.seq, head=self.state.head)

    def now(self) -> str:
        """The time for the next line: never before the line it follows, nor before what was waited for."""
        return max(instant(self._clock()), self.state.at, self.waited)

    def write(self, drafts: Iterable[Draft], at: str = "") -> None:
        """Make lines of the drafts and fold them; not durable before :meth:`flush`. Raises CodecError.

        at: the instant by which they were decided, which stands on them; "" for now.
        """
        for draft in drafts:
            at = max(at, self.state.at) if at else self.now()
            seq = self._writer.seq
            written = self._written(draft, at)
            change(self.state, written, self._veil.disclosures)
            self._pending.append(NewLine(self.saga, seq, written.line, written))
            self._drafts.append(draft)
            if draft.takes:
                self.spends += [spending(self.saga, seq, at, take) for take in draft.takes]

    def _written(self, draft: Draft, at: str) -> Written:
        """The draft's line, complete, and without what must not stand in clear."""
        members = self._complete(draft.members)
        if not self.conceals and not self.state.concealed and (clear := self._in_clear(draft, at, members)):
            return clear
        members = self._veil.cover(members, declared(members, self.state, self.conceals), self.state.concealed)
        self._disclosures += self._veil.fresh()
        return self._writer.write(draft.type, at, draft.by, members)

    def _in_clear(self, draft: Draft, at: str, members: dict[str, Any]) -> Written | None:
        """The line where nothing was declared or concealed before; None where something of it must not stand in clear.

        That can only be what looks like a credential, and the line's traits tell it; or the line is none, or too long
        as long as nothing is concealed.
        """
        try:
            written = self._writer.write(draft.type, at, draft.by, members)
        except CodecError:
            return None
        if not written.traits & SUSPECT:
            return written
        self._writer = SagaWriter(self.saga, self._random, seq=self.state.seq, head=self.state.head)
        return None

    def _complete(self, members: dict[str, Any]) -> dict[str, Any]:
        """With a number for a new effect, fresh random bits for a new key, the digest of an action to be approved."""
        fresh: dict[str, str] = {}
        if members.get("effect") == FRESH:
            fresh["effect"] = f"e{len(self.state.effects) + 1}"
        if members.get("key") == FRESH:
            fresh["key"] = token(self._random)
        if members.get("action") == FRESH:
            fresh["action"] = self._action(members["step"])
        return members | fresh if fresh else members

    def _action(self, step: str) -> str:
        started = self.state.started
        policy, keys = self.in_force or ((started.policy, started.keys) if started else (None, None))
        return content_of(self.state, step, policy, keys).action()

    async def flush(self) -> None:
        """Make everything written durable, with what it takes from limits, in one commit.

        Raises LimitReached where one has no room for it any more (:meth:`rewind`), StoreError; then nothing may be
        acted on.
        """
        if not self._pending:
            return
        if self.records is not None:
            for draft in self._drafts:
                if draft.record:
                    self.records(draft.record)
        self._failpoint.before()
        more: dict[str, Any] = {"spends": self.spends} if self.spends else {}
        if self.ending and self.lease is not None:
            more["release"] = True
        await self.store.append(self._pending, disclosures=self._disclosures, lease=self.lease, **more)
        if "release" in more:
            self.lease = None
        self._pending, self._drafts, self.spends, self._disclosures = [], [], [], []
        self._failpoint.after()

    async def rewind(self, number: int) -> list[Draft]:
        """Take back what is not durable, from the line on whose spend has this number; returns its drafts.

        The saga is then what the store and the lines before it tell. Raises StoreError.
        """
        seq = self.spends[number].seq
        cut = next(place for place, new in enumerate(self._pending) if new.seq == seq)
        dropped, kept = self._drafts[cut:], self._pending[:cut]
        stored = await self.store.read(self.saga)
        self.state = fold([*stored, *(new.line for new in kept)], self._veil.disclosures)
        self._writer = SagaWriter(self.saga, self._random, seq=self.state.seq, head=self.state.head)
        self._pending, self._drafts = kept, self._drafts[:cut]
        self.spends = [one for one in self.spends if one.seq < seq]
        due = {digest for new in kept for digest in digests_on(new.line)}
        self._disclosures = [one for one in self._disclosures if digest_of(one.text) in due]
        return dropped


def token(random: Random) -> str:
    """128 random bits as 22 base64url characters."""
    return unpadded(random(16))
