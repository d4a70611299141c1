"""AS507 unsigned-person-decision."""

from agent_saga.certify.approving.deciding import judge_decision
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.policing.statute import Statute
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.trace.events import PersonDecided


def _check(saga: Saga, event: PersonDecided, line: int) -> Draft | None:
    statute: Statute | None = saga.common.police.at(line)
    judged = judge_decision(saga, event, line, statute.policy if statute else None)
    if not judged.because:
        return None
    return Draft(
        f"decision {event.target}",
        f"line {line} says that {event.person or 'a person'} decided {event.target} is {event.verdict}, "
        f"and {judged.because}",
        "a signature over the decision, by a key of the pinned registry",
        (at(line, f"person.decided {event.target} {event.verdict}"),),
        inconclusive=judged.open,
    )


RULE = Rule(
    code="AS507",
    name="unsigned-person-decision",
    what="A person's decision about a paused saga carries no signature that can be verified.",
    why=("A decision can declare a lost refund as done. Anybody who can write the log could write it."),
    bad="person.decided u1 landed, no signature",
    good="person.decided u1 landed with a proof that verifies against the pinned registry",
    fix=(
        "Sign decisions with a passkey or hardware key, and give the registry that says whose keys count (--registry)."
    ),
    on={"person.decided": _check},
)
