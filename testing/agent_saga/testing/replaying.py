"""Replaying a saga: its definition and driver, fed with the outcomes on record, must write the same lines again.

No tool, provider or check is called. What the outside world said (outcomes, findings of reconciliations and checks,
answers of persons) is taken from the trace; what the runtime and the agent said is made anew and compared, byte by
byte. It fails when a driver or a definition is not what wrote the trace: changed, random, or bound to a clock.
"""

import asyncio
from base64 import urlsafe_b64decode
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from agent_saga.runtime.approving.standing import Standing
from agent_saga.runtime.beginning import started
from agent_saga.runtime.failpoint import Failpoint
from agent_saga.runtime.journal import Journal
from agent_saga.runtime.kernel.actions import (
    FRESH,
    Ask,
    CallEffects,
    CallUndo,
    Draft,
    Reconcile,
    ReconcileUndo,
    RunCheck,
)
from agent_saga.runtime.kernel.consent import Authority
from agent_saga.runtime.policing.given import Policing
from agent_saga.runtime.runnable import Runnable
from agent_saga.runtime.session import Session
from agent_saga.runtime.surroundings import Surroundings
from agent_saga.testing.asserting import demand, lines_of
from agent_saga.trace.codec import decode
from agent_saga.trace.conceal import Disclosures
from agent_saga.trace.events import EffectRef
from agent_saga.trace.limits import LOG_SAGA
from agent_saga.trace.reader import open_input
from agent_saga.trace.store import Store, open_store
from agent_saga.trace.store.ledger import digests_on
from agent_saga.trace.store.moving import disclosures_of

OUTSIDE: Final = frozenset({"person.decided", "approval.recorded"})
"""Lines that come when the saga waits, from whoever acts on it."""
OWN_STOPS: Final = frozenset({"deadline", "budget"})
"""Reasons for saga.halted that the runtime finds by itself; the others are the kill switch's."""
_CHAIN: Final = frozenset({"v", "saga", "seq", "prev", "at", "type", "by", "salt"})


def assert_replays(trace: str | Path | Store, runnable: Runnable) -> int:
    """Fail unless every saga of its name in a trace or store replays to the same lines. Returns how many did.

    runnable: the definition, driver and gate that wrote it; providers are not used.
    """
    found = dict(_by_saga(trace))
    own = found.pop(LOG_SAGA, [])
    sagas = [lines for lines in found.values() if _event(lines[0])["name"] == runnable.definition.name]
    demand(sagas, f"no saga named {runnable.definition.name} to replay")
    disclosures = _disclosures(trace, (_event(lines[0])["saga"] for lines in sagas))
    for lines in sagas:
        asyncio.run(_replay(lines, runnable, disclosures, own))
    return len(sagas)


def _by_saga(trace: str | Path | Store) -> Mapping[str, list[bytes]]:
    lines = list(open_input(str(trace)).lines()) if isinstance(trace, str | Path) else lines_of(trace)
    sagas: dict[str, list[bytes]] = {}
    for line in filter(None, lines):
        sagas.setdefault(decode(line)[0].saga, []).append(line)
    return sagas


def _disclosures(trace: str | Path | Store, sagas: Iterable[str]) -> Disclosures:
    """What opens the concealed values: what was made of one is made anew from its value."""
    if isinstance(trace, str | Path):
        return Disclosures((str(trace), text) for text in disclosures_of(str(trace)))
    return Disclosures((saga, text) for saga in sagas for text in asyncio.run(trace.disclosures(saga)))


def _event(line: bytes) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.json.decode(line)
    return found


async def _replay(lines: list[bytes], runnable: Runnable, disclosures: Disclosures, own: list[bytes]) -> None:
    """One saga. own: the log's own lines. Raises AssertionError at the first line that differs."""
    tape = _Tape(lines, disclosures)
    gate = runnable.gate if runnable.policy is None else None
    policing = Policing(runnable.policy, runnable.waivers, runnable.registry, gate, None)
    standing = Standing(_Own(own), runnable.registry, policing.digest)
    tape.conceals = runnable.definition.conceals
    _begin(tape, runnable)
    around = Surroundings(policing.gate, {}, tape.stopped, _at_once, tape.parent, standing.of)
    session = _Session(tape, runnable.definition, runnable.driver, around)
    try:
        while tape.due is not None:
            await session.drive()
            if tape.due is not None and tape.due["type"] not in OUTSIDE:
                raise AssertionError(tape.differs("nothing: the saga rests here"))
            tape.take()
    except _EndOfTape:
        pass


def _begin(tape: "_Tape", runnable: Runnable) -> None:
    """The first line, made of the definition and what the saga was asked for."""
    due = _event(tape.lines[0])
    parent = EffectRef(**due["parent"]) if due.get("parent") else None
    in_force = Authority(due.get("policy"), due.get("keys"))
    tape.write((started(due["log"], runnable.definition, runnable.driver.name, due.get("goal"), parent, in_force),))


async def _at_once(seconds: float) -> None:
    """The record knows how long was waited."""


class _Own:
    """Where the registry in force is looked for: the log's own lines, which were read before."""

    def __init__(self, lines: list[bytes]) -> None:
        self._lines = lines

    async def read(self, saga: str, since: int = 0) -> list[bytes]:
        """The log's own lines."""
        return self._lines[since:]


class _EndOfTape(Exception):
    """The record ends before the saga does: its process was killed there, or it is still at work."""


class _Tape(Journal):
    """A journal that keeps nothing: it compares each line with the one on record, under that one's time and salt."""

    def __init__(self, lines: list[bytes], disclosures: Disclosures) -> None:
        self.lines, self._draws, self._opens = lines, [""], disclosures
        self._salts = {digest: salt for salt, digest in disclosures.salts.items()}
        super().__init__(open_store(":memory:"), _event(lines[0])["saga"], self._clock, self._drawn, Failpoint())

    @property
    def due(self) -> dict[str, Any] | None:
        """The recorded line whose turn it is; None after the last."""
        return _event(self.lines[self.state.seq]) if self.state.seq < len(self.lines) else None

    def write(self, drafts: Iterable[Draft], at: str = "") -> None:
        """Make each line anew, under the time on record, and compare it."""
        for draft in drafts:
            due = self._expected()
            demand(draft.type == due["type"], self.differs(f"{draft.type} {draft.members}"))
            draft = _in_time(draft, due)
            self._draws = [due["key"]] if draft.members.get("key") == FRESH else []
            seq, recorded = self.state.seq, self.lines[self.state.seq]
            self._draws += [self._salts[one] for one in digests_on(recorded) if one in self._salts]
            self._draws.append(due["salt"])
            super().write((draft,))
            made = self._pending.pop().line
            demand(made == recorded, f"saga {self.saga} seq {seq}: replayed\n  {made!r}\nrecorded\n  {recorded!r}")

    async def flush(self) -> None:
        """Nothing is kept."""

    def taken(self, kinds: Mapping[str, str], ids: Iterable[str]) -> Draft:
        """What the outside world said, as it is on record. kinds: line types that may come here, and their id."""
        due = self._expected()
        member = kinds.get(due["type"], "")
        demand(due.get(member) in tuple(ids), self.differs(f"an outcome of {', '.join(ids)}"))
        return self._draft(due)

    def take(self) -> None:
        """Write the line whose turn it is as it is on record."""
        if self.due is not None:
            self.write((self._draft(self.due),))

    def stopped(self, saga: str, name: str) -> str:
        """The kill switch as it stood."""
        due = self.due
        reason = due.get("reason") if due and due["type"] == "saga.halted" else None
        code = reason.get("code", "") if isinstance(reason, dict) else ""
        return "" if code in OWN_STOPS else str(code)

    async def parent(self, of: EffectRef) -> str:
        """Where the parent's effect stood, as far as the next line tells."""
        due = self.due or {}
        cause = due.get("cause")
        gone = isinstance(cause, dict) and cause.get("code") == "parent_undone"
        return "gone" if gone else "kept" if due.get("type") == "saga.ended" else "open"

    def differs(self, replayed: str) -> str:
        """The words for a difference."""
        return f"saga {self.saga} seq {self.state.seq}: replayed {replayed}; recorded {self.due}"

    def _draft(self, due: dict[str, Any]) -> Draft:
        """A recorded line as it was before anything in it was concealed, as far as that can be opened."""
        members, _ = self._opens.open({name: due[name] for name in due if name not in _CHAIN})
        return Draft(due["type"], members | {name: due[name] for name in ("proof",) if name in due}, due["by"])

    def _expected(self) -> dict[str, Any]:
        due = self.due
        if due is None:
            raise _EndOfTape
        return due

    def _clock(self) -> datetime:
        return datetime.fromisoformat((self.due or _event(self.lines[-1]))["at"])

    def _drawn(self, count: int) -> bytes:
        demand(self._draws, f"saga {self.saga}: concealed values can only be replayed with all that opens them")
        return urlsafe_b64decode(self._draws.pop(0) + "==")[:count]


def _in_time(draft: Draft, due: dict[str, Any]) -> Draft:
    """A request ends so long after the moment of its judgement, just before its line, which is not on record."""
    recorded = due.get("not_after", "")
    if not recorded or draft.members.get("not_after", "") < recorded:
        return draft
    return Draft(draft.type, draft.members | {"not_after": recorded}, draft.by)


_EFFECT: Final = {f"effect.{word}": "effect" for word in ("succeeded", "failed", "unknown")}
_UNDO: Final = {f"undo.{word}": "undo" for word in ("succeeded", "failed", "unknown")}


class _Session(Session):
    """A session whose calls, questions and checks are answered by the record."""

    journal: _Tape

    async def _do(self, action: Any) -> tuple[Draft, ...]:
        match action:
            case Ask() | CallEffects() | RunCheck():
                return await super()._do(action)
            case CallUndo():
                return (self.journal.taken(_UNDO, (action.undo,)),)
            case Reconcile():
                return (self.journal.taken({"effect.reconciled": "effect"}, (action.effect,)),)
            case ReconcileUndo():
                return (self.journal.taken({"undo.reconciled": "undo"}, (action.undo,)),)
            case _:
                return ()

    async def _call(self, action: CallEffects) -> tuple[Draft, ...]:
        return (self.journal.taken(_EFFECT, action.effects),)

    async def _check(self, action: RunCheck) -> tuple[Draft, ...]:
        return (self.journal.taken({"check.evaluated": "check"}, (action.id,)),)
