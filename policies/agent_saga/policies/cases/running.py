"""Runs the tests of a policy through the engine that the gate and the certifier use.

Source: docs/spec/policy-v1.md, "Tests".
"""

from dataclasses import dataclass
from typing import Any

from agent_saga.policies.answers import Call, Chain, Decision
from agent_saga.policies.cases.coverage import Coverage, cover
from agent_saga.policies.compiled import Compiled, compile_policy
from agent_saga.policies.loading.durations import seconds
from agent_saga.policies.loading.instants import DEFAULT, instant
from agent_saga.policies.model import Approve, Case, Policy


@dataclass(frozen=True, slots=True)
class Result:
    """One test. decision: what the policy answered. faults: how that differs from what is expected; none: passed."""

    case: Case
    decision: Decision
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """All tests of one policy, in the order of the file."""

    policy: Policy
    results: tuple[Result, ...]
    coverage: Coverage

    @property
    def failed(self) -> tuple[Result, ...]:
        """The tests that did not get what they expect."""
        return tuple(one for one in self.results if one.faults)


def run_cases(policy: Policy) -> Report:
    """Run every test of a policy, each by itself."""
    compiled = compile_policy(policy)
    calls = [call_of(case, policy) for case in policy.tests]
    results = tuple(_result(case, call, compiled) for case, call in zip(policy.tests, calls, strict=True))
    return Report(policy, results, cover(policy, calls, [one.decision for one in results]))


def call_of(case: Case, policy: Policy) -> Call:
    """The call of a test; what it leaves out is what the policy says, or nothing."""
    given = case.given
    tool = policy.tools.get(given["tool"])
    chain = given.get("chain")
    return Call(
        tool=given["tool"],
        args=given.get("args", {}),
        semantics=given.get("semantics", tool.semantics if tool is not None else "irreversible"),
        at=instant(given["at"]) if "at" in given else DEFAULT,
        agent=given.get("agent", next(iter(policy.agents), "")),
        saga=given.get("saga", ""),
        step=given.get("step", ""),
        chain=Chain(**chain) if chain is not None else None,
    )


def _result(case: Case, call: Call, compiled: Compiled) -> Result:
    used = {(one.limit, one.key): case.spent.get(one.limit, 0) for one in compiled.spends(call)}
    decision = compiled.decide(call, used, call.at[:10])
    return Result(case, decision, (*_answer(case.expect, decision), *_fired(case, decision)))


def _answer(expect: Any, decision: Decision) -> tuple[str, ...]:
    wanted = expect if isinstance(expect, str) else "approve"
    got = f"got {words(decision)}"
    if decision.effect != wanted:
        return (f"expected {wanted}; {got}",)
    if isinstance(expect, str) or decision.approve is None:
        return ()
    wrong = [name for name, value in expect["approve"].items() if not _equal(name, value, decision.approve)]
    named = ", ".join(f"{name} {_shown(expect['approve'][name])}" for name in wrong)
    return (f"expected approve with {named}; {got}",) if wrong else ()


def _equal(name: str, value: Any, found: Approve) -> bool:
    if name == "roles":
        return sorted(value) == sorted(found.roles)
    return bool((seconds(value) if name == "within" else value) == getattr(found, name))


def _shown(value: Any) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value)


def _fired(case: Case, decision: Decision) -> tuple[str, ...]:
    """How the rules and limits that fired differ from those that a test names."""
    if case.rules is None:
        return ()
    found = {one.id for one in decision.fired if one.kind in ("rule", "limit") and one.enforcement in ("soft", "hard")}
    missing, other = sorted({*case.rules} - found), sorted(found - {*case.rules})
    told = [f"{name} did not fire" for name in missing] + [
        f"{name} fired, and is not among its rules" for name in other
    ]
    return tuple(told)


def words(decision: Decision) -> str:
    """An answer in words: ``approve with quorum 2, roles treasury, strength A, within 900 s (wire-needs-two)``."""
    by = f" ({decision.rule})" if decision.rule else ""
    if decision.effect == "approve" and decision.approve is not None:
        one = decision.approve
        asked = f"quorum {one.quorum}, roles {', '.join(one.roles)}, strength {one.strength}, within {one.within} s"
        return f"approve with {asked}{by}"
    return f"{decision.effect}{f': {decision.reason or decision.code}' if decision.effect == 'deny' else ''}{by}"
