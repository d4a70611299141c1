"""AS113 saga-forked."""

from agent_saga.certify.history import Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.trace.events import Event


def _check(saga: Saga, event: Event, line: int, leaf: str) -> Draft | None:
    if event.seq >= saga.next_seq or (event.seq == saga.next_seq - 1 and leaf == saga.head):
        return None
    return Draft(
        "fork",
        f"line {line} claims seq {event.seq} of saga {saga.id}, which line {_earlier(saga, event)} already has: "
        "two histories of one saga",
        f"a line with seq {saga.next_seq}",
        (at(saga.last_line, f"{saga.last_type} seq {saga.next_seq - 1}"), at(line, f"{event.type} seq {event.seq}")),
        skip=True,
    )


def _earlier(saga: Saga, event: Event) -> str:
    return str(saga.last_line) if event.seq == saga.next_seq - 1 else f"{saga.first_line} or a later one"


RULE = Rule(
    code="AS113",
    name="saga-forked",
    what="Two different lines claim the same place in a saga.",
    why=(
        "Somebody holds two histories and can show the one that suits. Also two processes may "
        "have run the same saga, and charged twice."
    ),
    bad="""\
effect.intended e2   seq 4
step.refused s2      seq 4
""",
    good="one line for each seq",
    fix=(
        "Find out which process wrote which line; make sure that only one process can run a saga "
        "(a lease)."
    ),
    on_chain=_check,
)
