"""AS105 sequence-gap-or-duplicate."""

from agent_saga.certify.findings import Witness
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.trace.events import Event


def _check(saga: Saga, event: Event, line: int, leaf: str) -> Draft | None:
    if event.seq > saga.next_seq and saga.lines:
        found = f"line {line} has seq {event.seq} after seq {saga.next_seq - 1}: {event.seq - saga.next_seq} missing"
        return Draft("seq", found, f"a line with seq {saga.next_seq}", _witness(saga, event, line))
    if event.seq == saga.next_seq - 1 and leaf == saga.head:
        found = f"line {line} repeats the line with seq {event.seq} of saga {saga.id} byte for byte"
        return Draft("seq", found, f"a line with seq {saga.next_seq}", _witness(saga, event, line), skip=True)
    return None


def _witness(saga: Saga, event: Event, line: int) -> tuple[Witness, ...]:
    return at(saga.last_line, f"{saga.last_type} seq {saga.next_seq - 1}"), at(line, f"{event.type} seq {event.seq}")


RULE = Rule(
    code="AS105",
    name="sequence-gap-or-duplicate",
    what="The numbers of a saga's lines leave one out, or a line stands twice.",
    why="A missing number is a missing line, and the missing line may be the wire.",
    bad="seq 0, seq 1, seq 3",
    good="seq 0, seq 1, seq 2",
    fix=("Get the complete log. If lines were removed on purpose, disclose a proof of the part instead."),
    on_chain=_check,
)
