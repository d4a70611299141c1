"""AS408 policy-undecidable."""

from collections.abc import Iterator

from agent_saga.certify.policing.police import Ruling
from agent_saga.certify.rule import Draft, Rule, at


def _check(ruling: Ruling) -> Iterator[Draft]:
    """Where something else denies the call for certain, AS401 has said so."""
    if ruling.decision.effect != "deny" or ruling.decision.code != "undecidable":
        return
    event = ruling.event
    fired = [one for one in ruling.decision.fired if one.binds and one.outcome == "undecidable"]
    concealed = all(one.concealed for one in fired)
    names = ", ".join(dict.fromkeys(one.id for one in fired))
    why = "concealed" if concealed else "missing or not what it must be"
    yield Draft(
        f"effect {event.effect}",
        f"{names} of {ruling.statute.named} cannot be decided for {event.tool} "
        f"(effect {event.effect}) at line {ruling.line}: a value is {why}",
        "disclosures of the arguments" if concealed else "a call with the values that the policy asks about",
        (at(ruling.line, f"effect.intended {event.effect} {event.tool}"),),
        inconclusive=concealed,
    )


RULE = Rule(
    code="AS408",
    name="policy-undecidable",
    what=(
        "The policy asks about a value that the call has not, or has in another form. Undecided where the value is "
        "concealed and no disclosure opens it."
    ),
    why="What cannot be decided is not allowed: a call without an amount would slip below every bound.",
    bad="""\
policy: deny when args.amount.minor > 500000
effect.intended e1 bank.wire {"to":"supplier-3"}
""",
    good="""\
policy: deny when args.amount.minor > 500000
effect.intended e1 bank.wire {"to":"supplier-3","amount":{"minor":4200,"currency":"EUR"}}
""",
    fix="Give the tool a schema that requires the value, or give certify the disclosures (--disclosures FILE).",
    on_call=_check,
    needs=("policy",),
)
