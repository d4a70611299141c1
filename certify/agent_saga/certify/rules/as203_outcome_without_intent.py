"""AS203 outcome-without-intent."""

from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, OnEvent, Rule, at
from agent_saga.trace.events import Event


def _outcome(kind: str) -> OnEvent:
    def check(saga: Saga, event: Event, line: int) -> Draft | None:
        name = getattr(event, kind)
        call = (saga.effects if kind == "effect" else saga.undos).get(name)
        attempt = getattr(event, "attempt", 1)
        if call and attempt <= call.highest:
            return None
        missing = f"attempt {attempt} of {kind} {name}" if call else f"{kind} {name}"
        return Draft(
            f"{kind} {name}",
            f"line {line} ({event.type}) tells the outcome of {missing}, which no earlier line intended",
            f"{kind}.intended {name}, written before the call was made",
            (at(line, f"{event.type} {name}"),),
        )

    return check


_KINDS = ("succeeded", "failed", "unknown", "reconciled")


RULE = Rule(
    code="AS203",
    name="outcome-without-intent",
    what="An outcome stands in the trace for a call that was never announced.",
    why=(
        "The intent is written before the call so that a crash in between leaves a trace. An "
        "outcome without one means that calls were made unrecorded."
    ),
    bad="effect.succeeded e1",
    good="""\
effect.intended e1
effect.succeeded e1
""",
    fix=("Write effect.intended (and undo.intended) durably before the call; never add outcomes afterwards."),
    on={f"{kind}.{what}": _outcome(kind) for kind in ("effect", "undo") for what in _KINDS},
)
