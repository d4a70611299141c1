"""AS604 secret-in-clear."""

from agent_saga.certify.history.saga import Saga
from agent_saga.certify.members.secrets import find_secret
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.trace.events import Event


def _check(saga: Saga, event: Event, line: int) -> Draft | None:
    found = find_secret(event)
    if found is None:
        return None
    where, kind = found
    return Draft(
        f"{where} {kind}",
        f"{where} of {event.type} at line {line} holds what looks like {kind}, in clear",
        "no credentials in payloads; a concealed value where one cannot be avoided",
        (at(line, event.type),),
    )


RULE = Rule(
    code="AS604",
    name="secret-in-clear",
    what="A payload holds a value that is shaped like a credential.",
    why=("A trace is kept for years and shown to auditors. A key that stands in it is a key that is lost."),
    bad='args {"token":"sk_live_..."}',
    good='args {"token_ref":"vault:payments"}',
    fix=("Revoke the credential now. Pass references to secrets, and let the executor resolve them."),
    on_text=_check,
)
