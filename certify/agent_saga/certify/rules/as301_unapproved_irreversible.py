"""AS301 unapproved-irreversible."""

from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, Rule, at
from agent_saga.trace.events import EffectIntended


def _check(saga: Saga, event: EffectIntended, line: int) -> Draft | None:
    if event.semantics != "irreversible" or event.effect in saga.effects:
        return None
    missing = _missing(saga, event)
    if not missing:
        return None
    return Draft(
        f"effect {event.effect}",
        f"{event.tool} (effect {event.effect}) is irreversible, and line {line} {missing}",
        f"approval.recorded for step {event.step} before it, named in approvals of effect.intended",
        (at(line, f"effect.intended {event.effect} {event.tool}"),),
    )


def _missing(saga: Saga, event: EffectIntended) -> str:
    if saga.foreign:
        answers = saga.answers.get(event.step, ())
        return "" if any(answer.decision != "deny" for answer in answers) else "follows no approval of its step"
    if not event.approvals:
        return "names no approval"
    used = saga.named(event)
    if len(used) < len(event.approvals):
        return "names an approval that no earlier line of the saga records"
    return "names only a denial" if {answer.event.decision for answer in used} == {"deny"} else ""


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
