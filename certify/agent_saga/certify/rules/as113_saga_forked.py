"""AS113 saga-forked."""

from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.trace.events import Event


def _check(saga: Saga, event: Event, line: int, leaf: str) -> Draft | None:
    last = saga.next_seq - 1
    if event.seq > last or (event.seq == last and leaf == saga.head):
        return None
    if event.seq == last:
        taken = f"which line {saga.last_line} already has: two histories of one saga"
    else:
        stands = f"the saga stands at seq {last} since line {saga.last_line}"
        taken = f"but {stands}: another history of it, or an old line again"
    return Draft(
        "fork",
        f"line {line} claims seq {event.seq} of saga {saga.id}, {taken}",
        f"a line with seq {saga.next_seq}",
        (at(saga.last_line, f"{saga.last_type} seq {last}"), at(line, f"{event.type} seq {event.seq}")),
        skip=True,
    )


RULE = Rule(
    code="AS113",
    name="saga-forked",
    what="Two different lines claim the same place in a saga, in one input or in two of one run.",
    why=(
        "Somebody holds two histories and can show the one that suits. Also two processes may "
        "have run the same saga, and charged twice."
    ),
    bad="""\
effect.intended e2   seq 4
step.refused s2      seq 4
""",
    good="one line for each seq",
    fix=("Find out which process wrote which line; make sure that only one process can run a saga (a lease)."),
    on_chain=_check,
)
