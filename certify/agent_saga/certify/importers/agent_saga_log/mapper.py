"""The state of an import and what every mapping needs: finding the saga, yielding an event, naming a fault."""

from collections.abc import Callable
from typing import Any, Final

from agent_saga.certify.importers.agent_saga_log.approvals import Approvals
from agent_saga.certify.importers.agent_saga_log.gaps import Gaps
from agent_saga.certify.importers.agent_saga_log.state import SagaState
from agent_saga.certify.importers.agent_saga_log.values import Clock, fit, fit_saga, fit_text
from agent_saga.certify.importers.agent_saga_log.withheld import Withheld
from agent_saga.certify.source import Fault, Observed
from agent_saga.trace.errors import LineError
from agent_saga.trace.events import EVENT_TYPES, Event, SagaStarted
from agent_saga.trace.limits import FORMAT, MAX_SAGA_ID

RUNTIME: Final = "runtime"
START: Final = "SAGA_START"
_TYPE_OF: Final = {cls: name for name, cls in EVENT_TYPES.items()}


class Mapper:
    """Everything that a later record may need. out: what the records so far gave and the reader has not yet taken."""

    def __init__(self, gaps: Gaps) -> None:
        self.out: list[Observed | Fault] = []
        self.sagas: dict[str, SagaState] = {}
        self.ended: dict[int, int] = {}
        """Of ended sagas, by the hash of their id: the hash of their first step's. Names would take more memory."""
        self.withheld = Withheld()
        self.approvals = Approvals()
        self.gaps = gaps
        self.clock = Clock()

    def saga(self, line: int, payload: dict[str, Any]) -> SagaState | None:
        """The saga that a record names, opened when it is new; None, with a fault, when it has ended."""
        raw = payload.get("saga_id")
        if type(raw) is str and raw in self.sagas:
            return self.sagas[raw]
        raw = text(payload, "saga_id")
        if hash(raw) in self.ended:
            found = f"saga {raw[:80]} ended before this record"
            self.fault(line, "AS107", found, fit_saga(raw), "after end", expected="no record after the saga's last")
            return None
        return self._headless(line, raw)

    def _headless(self, line: int, raw: str) -> SagaState:
        """Open a saga whose first record is not SAGA_START: it may be redacted, else it is missing."""
        state = self.sagas[raw] = SagaState(fit_saga(raw), raw, line)
        stub = self.withheld.claim(START)
        if stub:
            self.start(state, stub.line, stub.at, "")
        else:
            found = f"the first record of saga {raw[:80]} is not SAGA_START"
            self.fault(line, "AS106", found, state.id, "first line", expected="SAGA_START as the saga's first record")
        return state

    def open(self, line: int, raw: str) -> SagaState:
        """Open a saga at its SAGA_START. Ids are short and may recur: one used again gets an id of its own."""
        state = SagaState(fit(raw, MAX_SAGA_ID), raw, line)
        if hash(raw) in self.ended:
            state.suspect = self.ended[hash(raw)]
            state.id = fit(raw, MAX_SAGA_ID, f"again at line {line}")
            found = f"saga id {raw[:80]} is used again after the saga ended; judged as a saga of its own, {state.id}"
            self.out.append(Fault(line, "AS113", found, state.id, "id", "a saga id used once", START, severity="note"))
        self.sagas[raw] = state
        return state

    def start(self, state: SagaState, line: int, at: str, name: str) -> None:
        """Yield the saga's first event. The format records no catalogue of tools and no origin of the log."""
        seq = self.turn(state, line, at)
        event = SagaStarted(1, state.id, seq, "", at, "saga.started", RUNTIME, "", fit_text(name), FORMAT, {})
        self.out.append(Observed(line, event))

    def close(self, state: SagaState) -> None:
        """Forget a saga that ended."""
        first = hash(next(iter(state.steps), ""))
        for raw in (state.raw, *state.former):
            self.sagas.pop(raw, None)
            self.ended[hash(raw)] = first

    def turn(self, state: SagaState, line: int, at: str) -> int:
        """The seq of the saga's next event; names the fault when the clock went back since its record before."""
        if line > state.last:
            if at < state.at:
                self.fault(line, "AS108", f"this record is dated {at}, the one before it {state.at}", state.id, "clock")
            state.last, state.at = line, at
        seq = state.seq
        state.seq = seq + 1
        return seq

    def emit(
        self, state: SagaState, line: int, at: str, cls: Callable[..., Event], by: str, traits: int = 0, **members: Any
    ) -> None:
        """Yield one event of a saga, as its next. Frequent events are built where they arise: this costs a copy."""
        seq = self.turn(state, line, at)
        event = cls(v=1, saga=state.id, seq=seq, prev="", at=at, type=_TYPE_OF[cls], by=by, **members)  # type: ignore[index]
        self.out.append(Observed(line, event, traits))

    def fault(
        self, line: int, code: str, message: str, saga: str, subject: str, what: str = "", expected: str = ""
    ) -> None:
        """Yield one fault."""
        self.out.append(Fault(line, code, message, saga, subject, expected, what))


def text(payload: dict[str, Any], name: str) -> str:
    """A member that must be a text. Raises LineError (AS102)."""
    value = payload.get(name)
    if type(value) is str and value:
        return value
    raise missing(payload, name, "a text")


def missing(payload: dict[str, Any], name: str, expected: str) -> LineError:
    """The error for a member that is absent or of another kind. Never shows its value."""
    if name not in payload:
        return LineError("AS102", f"member {name!r} is missing; expected {expected}")
    kind = "null" if payload[name] is None else f"of type {type(payload[name]).__name__}"
    return LineError("AS102", f"member {name!r} is {kind}; expected {expected}")
