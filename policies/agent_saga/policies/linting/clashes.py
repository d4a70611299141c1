"""Rules whose approvals nobody could give together: such calls are denied, though each rule only asks.

Source: docs/spec/policy-v1.md, "Deciding".
"""

from collections.abc import Iterator
from typing import Final

from agent_saga.policies.compiled import Compiled, compile_policy
from agent_saga.policies.explaining.calls import Asked, asked
from agent_saga.policies.linting.looking import Look
from agent_saga.policies.linting.notes import Note

_FULL: Final = 2**53 - 1
"""What a window is taken to hold, so that every limit that asks for an approval asks."""


def clashing(look: Look) -> Iterator[Note]:
    """A note for each rule or limit that meets, for a call that was tried, another one of no common role."""
    compiled = compile_policy(look.policy)
    told: dict[tuple[str, ...], None] = {}
    for tool in look.policy.tools:
        for given in look.calls(tool):
            names = _asking(compiled, asked(given, look.policy))
            if names:
                told.setdefault(names)
    by_id = {part.id: part for part in look.parts}
    for names in told:
        smaller = any(set(other) < set(names) for other in told)
        if not smaller and names[0] in by_id:
            both = " and ".join(names)
            text = f"{both} ask for approvals by persons of no common role: a call that all of them are about is denied"
            yield Note(by_id[names[0]].place, "no-common-role", f"{text}; name a role that all of them have")


def _asking(compiled: Compiled, one: Asked) -> tuple[str, ...]:
    """Ids of what asks for approvals that cannot be given together, with all windows full; () where they can."""
    used = {(spend.limit, spend.key): _FULL for spend in compiled.spends(one.call)}
    for known in ({}, used):
        decision = compiled.decide(one.call, known, one.call.at[:10], told=False)
        if decision.code == "irreconcilable":
            return tuple(part.id for part in decision.fired if part.binds and part.effect == "approve")
    return ()
