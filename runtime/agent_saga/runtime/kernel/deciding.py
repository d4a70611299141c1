"""A person's decision about what the machine could not prove: accepted, or refused before it becomes a line."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agent_saga.approvals.requests import parse_decision
from agent_saga.runtime.errors import NotEntitled, StaleDecision
from agent_saga.runtime.gate import Gate
from agent_saga.runtime.kernel.actions import Draft
from agent_saga.runtime.kernel.state import UNKNOWN, Effect, State
from agent_saga.trace.forms import Verdict


@dataclass(frozen=True, slots=True)
class PersonDecision:
    """What a person decided.

    target: the effect or undo that waits, or the saga's id when it was halted or escalated ("kept" goes on, "undone"
    rolls back). pause: leaf of the saga.paused line that the person looked at ("" for a halted saga). proof: with the
    signature; empty where no key registry is in force.
    """

    target: str
    verdict: Verdict
    person: str
    reason: Any
    pause: str = ""
    proof: dict[str, Any] = field(default_factory=dict)


def of_proof(proof: Mapping[str, Any]) -> PersonDecision:
    """The decision that a person signed. proof: as on a person.decided line; not verified. Raises NotApproved."""
    signed = parse_decision(proof.get("request"))
    pause = "" if signed.target == signed.saga else signed.prev
    return PersonDecision(signed.target, signed.verdict, signed.person, signed.reason, pause, dict(proof))


def judge(state: State, gate: Gate, decision: PersonDecision, signed: bool = False) -> Draft:
    """The line of a decision. signed: its proof is to be verified, and the gate may rely on it.

    Raises StaleDecision or NotEntitled; then nothing is written.
    """
    _check_waiting(state, decision)
    if not gate.may_decide(decision.person, decision.target, decision.verdict, decision.proof if signed else {}):
        raise NotEntitled(f"{decision.person} may not decide {decision.target} is {decision.verdict}")
    _check_record(state, decision)
    members = {
        "target": decision.target,
        "verdict": decision.verdict,
        "reason": decision.reason,
        "person": decision.person,
        "proof": decision.proof,
    }
    return Draft("person.decided", members, f"person:{decision.person}")


def _check_waiting(state: State, decision: PersonDecision) -> None:
    if state.ended:
        raise StaleDecision(f"saga {state.saga} has ended")
    if decision.target == state.saga:
        if state.stopped is None:
            raise StaleDecision(f"saga {state.saga} is neither halted nor escalated")
        return
    if decision.target not in state.waiting:
        raise StaleDecision(
            f"{decision.target} does not wait for a person; waiting: {', '.join(state.waiting) or 'none'}"
        )
    if decision.pause != state.pause:
        raise StaleDecision(
            f"the decision is about an older pause ({decision.pause[:12]}), now it is {state.pause[:12]}"
        )


def _check_record(state: State, decision: PersonDecision) -> None:
    """A person's word resolves what is unknown, and never overturns what is recorded."""
    call = state.undos.get(decision.target) or state.effects.get(decision.target)
    if call is None:
        if decision.verdict not in ("kept", "undone"):
            raise StaleDecision(f"a halted saga is kept or undone, not {decision.verdict}")
        return
    again = decision.verdict == "absent" and call.absent and not isinstance(call, Effect)
    if decision.verdict in ("landed", "absent") and call.state != UNKNOWN and not again:
        raise StaleDecision(
            f"{decision.target} is {call.state} on record; a person cannot say it is {decision.verdict}"
        )
