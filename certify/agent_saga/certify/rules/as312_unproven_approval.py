"""AS312 unproven-approval."""

from agent_saga.certify.history.saga import Approval, Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.trace.events import EffectIntended, Event


def _check(saga: Saga, event: EffectIntended, line: int) -> Draft | None:
    if event.semantics != "irreversible" or event.effect in saga.effects:
        return None
    approval = _used(saga, event)
    if approval is None:
        return None
    return Draft(
        f"effect {event.effect}",
        f"line {approval.line} claims that {approval.person or 'a person'} approved {event.tool} (effect "
        f"{event.effect}), and nothing in it can be verified as that person's signature",
        "a signature over this exact action, by a key of the pinned registry",
        (at(approval.line, "approval.recorded"), at(line, f"effect.intended {event.effect} {event.tool}")),
    )


def _used(saga: Saga, event: EffectIntended) -> Approval | None:
    """The first approval that the effect relies on; a denial is none."""
    if saga.foreign:
        relied = iter(saga.answers.get(event.step, ()))
    else:
        relied = (saga.approvals[leaf] for leaf in event.approvals if leaf in saga.approvals)
    return next((approval for approval in relied if approval.decision != "deny"), None)


def _registry(saga: Saga, event: Event, line: int) -> Draft | None:
    return Draft(
        event.type,
        f"line {line} changes what is in force in the log ({event.type}), and its proof cannot be verified: it has no "
        "effect",
        "a signed request by persons whom the registry before it entitles",
        (at(line, event.type),),
    )


RULE = Rule(
    code="AS312",
    name="unproven-approval",
    what="An approval is claimed, and nothing proves that the person gave it.",
    why=(
        "Whoever writes the log can write that Alice said yes. Only Alice's key can show that she "
        "did."
    ),
    bad="approval.recorded s1 approve by alice, no signature",
    good="approval.recorded s1 approve with a proof that verifies against the pinned registry",
    fix=(
        "Use approvals that are signed with a passkey or hardware key. This release verifies no "
        "signatures yet, so every approval is unproven."
    ),
    on={
        "effect.intended": _check,
        "keys.enrolled": _registry,
        "keys.revoked": _registry,
        "policy.adopted": _registry,
    },
    needs=("approval.recorded", "keys.enrolled", "keys.revoked", "policy.adopted"),
)
