"""Calls and refusals out of the lines of a trace. Of most lines only the first bytes are looked at.

A line is decoded when its head names one of the few types that matter. Up to its type the form of a line is fixed, so
that its first ``"type":"`` is its own, and must stand where a head of that form ends; other lines count as unread.
Only the members that a policy can ask about are decoded; the chain, the salts and the form of the rest are not.

Source: docs/spec/trace-v1.md, "Members of every line" and "Types".
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from agent_saga.policies.backtesting.members import (
    Proposed,
    Tool,
    intent,
    outcome,
    pointed,
    proposed,
    refused,
    started,
)
from agent_saga.policies.backtesting.revoking import OWN, Revoking
from agent_saga.policies.backtesting.undos import Recorded
from agent_saga.trace.conceal import Disclosures
from agent_saga.trace.forms import Semantics
from agent_saga.trace.instants import micros
from agent_saga.trace.limits import MAX_SAGA_ID

PREFIX: Final = b'{"v":1,"saga":"'
_MARK: Final = b'"type":"'
_START: Final = len(PREFIX)
_FIRST_TYPE: Final = _START + 1 + len(b'","seq":0,"prev":"","at":"",') + 64 + 27 + len(_MARK)
_LAST_TYPE: Final = _FIRST_TYPE + MAX_SAGA_ID + 16
"""Between these the type of a line begins."""
_CURRENCY = re.compile(r"[A-Z]{3}").fullmatch
"""The form of ISO 4217; what has another is no amount that could be summed."""
_OUTCOMES: Final = (b"effect.succeeded", b"effect.unknown", b"effect.reconciled")
_STEP: Final = b',"step":"'

POLICY_CODES: Final = frozenset(
    {"undeclared_tool", "wrong_class", "wrong_agent", "denied", "limit", "undecidable", "irreconcilable"}
)
"""Codes of step.refused that a policy gave (docs/spec/policy-v1.md, "Deciding"); other refusals are none of its own."""


class Event(msgspec.Struct, frozen=True, gc=False):
    """A call that was made, or one that a policy refused. line: 1-based. refused: the code; "" for a call.

    approvals: how many different approvals it names. tools: the classes of the saga's catalogue, where they are wanted.
    amount: minor units and currency; None where it has none, or conceals it.
    """

    line: int
    saga: str
    effect: str
    step: str
    tool: str
    semantics: Semantics
    args: dict[str, Any]
    at: str
    agent: str = ""
    approvals: int = 0
    refused: str = ""
    tools: dict[str, Semantics] | None = None
    amount: tuple[int, str] | None = None


@dataclass(slots=True)
class _Open:
    """What is known of a saga that has not ended."""

    tools: dict[str, Tool] = field(default_factory=dict)
    classes: dict[str, Semantics] | None = None
    agent: str = ""
    proposals: list[bytes] = field(default_factory=list)
    """Undecoded lines."""
    calls: dict[str, tuple[str, dict[str, Any]]] = field(default_factory=dict)
    """Effect to tool and arguments, of calls whose undos are judged and were not recorded yet."""

    def proposal(self, step: str) -> Proposed | None:
        """What was proposed as a step, the latest of that name."""
        mark = _STEP + step.encode() + b'"'
        line = next((one for one in reversed(self.proposals) if one.find(mark, _FIRST_TYPE) >= 0), None)
        return proposed(line) if line is not None else None


class Reader:
    """Reads inputs one after another, as one log: a saga may begin in one and go on in the next.

    lines: taken in. unread: lines that are none of a trace, or that could not be decoded.

    agents: whether the policy asks who called; chains: whether it asks what the saga may do in all. undone: the tools
    of whose undos it says something. revoking: whether waivers are given, which keys that are revoked do not sign.
    """

    def __init__(
        self,
        disclosures: Disclosures,
        *,
        agents: bool = True,
        chains: bool = True,
        undone: frozenset[str] = frozenset(),
        revoking: bool = False,
    ) -> None:
        self.lines = self.unread = 0
        self._disclosures, self._agents, self._chains = disclosures, agents, chains
        self._undone = undone
        self._revoking = Revoking()
        self._open: dict[bytes, _Open] = {}
        self._handlers: dict[bytes, Callable[[bytes, int], Event | Recorded | None]] = {
            b"effect.intended": self._call,
            b"saga.started": self._start,
            b"step.proposed": self._propose,
            b"step.refused": self._refuse,
            b"saga.ended": self._end,
        }
        if undone:
            self._handlers |= dict.fromkeys(_OUTCOMES, self._outcome)
        if revoking:
            self._handlers |= dict.fromkeys(OWN, self._own)

    @property
    def revoked(self) -> Collection[str]:
        """Ids of keys that the log had revoked by the line that was read last."""
        return self._revoking.revoked

    def events(self, blocks: Iterable[list[bytes]]) -> Iterator[Event | Recorded]:
        """The calls, refusals and recorded inverses of one input, in their order; its lines are counted from 1."""
        handler, before = self._handlers.get, self.lines
        for block in blocks:
            for number, line in enumerate(block, self.lines - before + 1):
                at = line.find(_MARK, _START) + len(_MARK)
                handle = handler(line[at : line.find(b'"', at)])
                if not (line.startswith(PREFIX) and _FIRST_TYPE <= at <= _LAST_TYPE):
                    self.unread += 1
                elif handle is not None:
                    event = self._read(handle, line, number)
                    if event is not None:
                        yield event
            self.lines += len(block)

    def _read(
        self, handle: Callable[[bytes, int], Event | Recorded | None], line: bytes, number: int
    ) -> Event | Recorded | None:
        """What a line says; one that does not decode, or has no instant, is counted."""
        try:
            return handle(line, number)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            self.unread += 1
            return None

    def _call(self, line: bytes, number: int) -> Event | None:
        made = intent(line)
        if made.type != "effect.intended" or made.attempt != 1:
            return None
        micros(made.at)
        saga = self._open.get(_saga_of(line)) if self._agents or self._chains or self._undone else None
        args = self._disclosures.open(made.args)[0]
        if saga is not None and made.tool in self._undone:
            saga.calls[made.effect] = made.tool, args
        return Event(
            line=number,
            saga=made.saga,
            effect=made.effect,
            step=made.step,
            tool=made.tool,
            semantics=made.semantics,
            args=args,
            at=made.at,
            agent=self._agent(saga, made.step) if saga is not None and self._agents else "",
            approvals=len(set(made.approvals)),
            tools=self._classes(saga) if self._chains else None,
            amount=self._money(made.amount),
        )

    def _start(self, line: bytes, number: int) -> None:
        made = started(line)
        if made.type == "saga.started":
            self._open[_saga_of(line)] = _Open(made.tools, agent=made.agent or "")

    def _propose(self, line: bytes, number: int) -> None:
        saga = self._open.get(_saga_of(line))
        if saga is not None:
            saga.proposals.append(line)

    def _refuse(self, line: bytes, number: int) -> Event | None:
        made = refused(line)
        saga = self._open.get(_saga_of(line))
        if made.type != "step.refused" or made.code not in POLICY_CODES or saga is None:
            return None
        asked = saga.proposal(made.step)
        if asked is None:
            return None
        micros(made.at)
        spec = saga.tools.get(asked.tool)
        args = self._disclosures.open(asked.args)[0]
        return Event(
            line=number,
            saga=made.saga,
            effect="",
            step=made.step,
            tool=asked.tool,
            semantics=spec.semantics if spec else "irreversible",
            args=args,
            at=made.at,
            agent=self._agent(saga, made.step) if self._agents else "",
            refused=made.code,
            tools=self._classes(saga) if self._chains else None,
            amount=self._money(pointed(args, spec.amount_from if spec else None)),
        )

    def _outcome(self, line: bytes, number: int) -> Recorded | None:
        """The first inverse that is recorded of a call; later ones are the same."""
        made, saga = outcome(line), self._open.get(_saga_of(line))
        if made.undo is None or saga is None or made.effect not in saga.calls or made.type.encode() not in _OUTCOMES:
            return None
        tool, args = saga.calls.pop(made.effect)
        undo = self._disclosures.open(made.undo.args)[0]
        return Recorded(number, made.saga, made.effect, tool, args, made.undo.tool, undo)

    def _own(self, line: bytes, number: int) -> None:
        self._revoking.hear(line, self.lines + number)

    def _end(self, line: bytes, number: int) -> None:
        self._open.pop(_saga_of(line), None)

    def _agent(self, saga: _Open, step: str) -> str:
        asked = saga.proposal(step)
        by = asked.by if asked is not None else ""
        return by.removeprefix("agent:") if by.startswith("agent:") else saga.agent

    def _classes(self, saga: _Open | None) -> dict[str, Semantics] | None:
        if saga is not None and saga.classes is None:
            saga.classes = {name: spec.semantics for name, spec in saga.tools.items()}
        return saga.classes if saga is not None else None

    def _money(self, amount: Any) -> tuple[int, str] | None:
        opened = self._disclosures.open(amount)[0] if amount is not None else None
        if not isinstance(opened, dict):
            return None
        minor, currency = opened.get("minor"), opened.get("currency")
        if type(minor) is int and type(currency) is str and _CURRENCY(currency):
            return minor, currency
        return None


def _saga_of(line: bytes) -> bytes:
    return line[len(PREFIX) : line.find(b'"', len(PREFIX))]
