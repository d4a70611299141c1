"""AS312 unproven-approval."""

from collections.abc import Iterable, Iterator

from agent_saga.certify.approving.telling import intent, subject
from agent_saga.certify.approving.use import Answer, Use
from agent_saga.certify.history.people import Approval
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.certify.standing.authority import Authority
from agent_saga.trace.events import EffectIntended
from agent_saga.trace.limits import LOG_SAGA

_EXPECTED = "a signature over this exact action, by a key of the pinned registry"


def _check(saga: Saga, event: EffectIntended, line: int) -> Draft | None:
    if not saga.claims or event.effect in saga.effects:
        return None
    approval = _used(saga, event)
    if approval is None:
        return None
    return Draft(
        f"effect {event.effect}",
        f"line {approval.line} claims that {approval.person or 'a person'} approved {event.tool} (effect "
        f"{event.effect}), and nothing in it can be verified as that person's signature",
        _EXPECTED,
        (at(approval.line, "approval.recorded"), at(line, f"effect.intended {event.effect} {event.tool}")),
    )


def _used(saga: Saga, event: EffectIntended) -> Approval | None:
    """The first approval without a signature that the effect relies on; a denial is none."""
    if saga.foreign:
        relied = saga.answers.get(event.step, []) if event.semantics == "irreversible" else []
    else:
        relied = saga.named(event)
    return next((one for one in relied if one.decision != "deny" and (saga.foreign or not one.signed)), None)


def _unpinned(use: Use, answer: Answer) -> Draft | None:
    """An approval that is signed, and nobody said whose keys count."""
    if answer.code != "AS312" or not answer.open:
        return None
    return Draft(
        subject(use, answer),
        f"whether {answer.approval.person} signed the approval at line {answer.approval.line}, on which "
        f"{use.event.tool} (effect {use.event.effect}) relies, cannot be told: {answer.because}",
        _EXPECTED,
        (at(answer.approval.line, "approval.recorded"), intent(use)),
        inconclusive=True,
    )


def _of_the_log(saga: Saga) -> Iterable[Draft]:
    return _without_effect(saga.common.authority) if saga.id == LOG_SAGA else ()


def _without_effect(authority: Authority) -> Iterator[Draft]:
    """Lines that would have changed who may approve, or what policy holds, and have no effect."""
    history = authority.history
    if history is None:
        return
    for fault in (one for one in history.faults if one.index):  # under a registry that is none, nobody may approve
        yield Draft(
            f"line of the log: {fault.reason}",
            f"line {fault.index + 1} changes what is in force in the log, and its proof does not hold: it has no "
            f"effect ({fault.words}; {fault.reason})",
            "a signed request by persons whom the registry before it entitles",
            (at(fault.index + 1, "line of the log"),),
        )


RULE = Rule(
    code="AS312",
    name="unproven-approval",
    what="An approval is claimed, and nothing proves that the person gave it.",
    why=("Whoever writes the log can write that Alice said yes. Only Alice's key can show that she did."),
    bad="approval.recorded s1 approve by alice, no signature",
    good="approval.recorded s1 approve with a proof that verifies against the pinned registry",
    fix=(
        "Use approvals that are signed with a passkey or hardware key, and give the registry that "
        "says whose keys count (--registry)."
    ),
    on={"effect.intended": _check},
    only_after={"effect.intended": ("approval.recorded",)},
    on_answer=_unpinned,
    at_end=_of_the_log,
    at_open=_of_the_log,
    needs=("approval.recorded", "keys.enrolled", "keys.revoked", "policy.adopted"),
)
