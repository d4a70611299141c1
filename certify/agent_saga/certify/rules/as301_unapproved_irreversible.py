"""AS301 unapproved-irreversible."""

from agent_saga.certify.history import Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.trace.events import EffectIntended


def _check(saga: Saga, event: EffectIntended, line: int) -> Draft | None:
    if event.semantics != "irreversible" or event.effect in saga.effects:
        return None
    recorded = [approval for approval in saga.approvals if approval.step == event.step]
    if saga.foreign:
        if any(approval.decision == "approve" for approval in recorded):
            return None  # AS312: claimed, not signed
    elif event.approvals:
        leaves = {approval.leaf for approval in saga.approvals}
        if all(leaf in leaves for leaf in event.approvals):
            return None
    found = "names an approval that no earlier line of the saga records" if event.approvals else "names no approval"
    return Draft(
        f"effect {event.effect}",
        f"{event.tool} (effect {event.effect}) is irreversible, and line {line} {found}",
        f"approval.recorded for step {event.step}, named in approvals of effect.intended",
        (at(line, f"effect.intended {event.effect} {event.tool}"),),
    )


RULE = Rule(
    code="AS301",
    name="unapproved-irreversible",
    what="An irreversible effect was started without an approval.",
    why="Nothing undoes a wire. A person must have said yes to this one, before it was made.",
    bad="effect.intended e1 bank.wire irreversible",
    good="""\
approval.requested s1
approval.recorded s1 approve
effect.intended e1 bank.wire irreversible approvals [leaf]
""",
    fix="Gate every irreversible tool; find out who let this call pass.",
    on={"effect.intended": _check},
    needs=("irreversible",),
)
