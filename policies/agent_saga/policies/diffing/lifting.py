"""An example for what no call shows as long as there is no waiver: that one may lift the rule, or may no more."""

from dataclasses import replace

from agent_saga.policies.compiled import compile_policy
from agent_saga.policies.diffing.directions import Direction
from agent_saga.policies.diffing.result import Example, Finding
from agent_saga.policies.diffing.searching import Search
from agent_saga.policies.diffing.spending import Relations
from agent_saga.policies.diffing.subjects import Part
from agent_saga.policies.explaining.calls import decided, read_call
from agent_saga.policies.model import Waiver, Waivers


def lifted_example(
    search: Search, relations: Relations, part: Part, way: Direction, finding: Finding, sweeps: int
) -> Finding:
    """The finding with a call that a waiver lets through under one policy and not under the other."""
    waiver = Waiver("example", part.id, "an example", "", "", "0001-01-01", "9999-12-31")
    compiled = [compile_policy(policy, Waivers(waivers=(waiver,))) for policy in search.policies]
    for space in search.spaces.values():
        for given in space.calls(sweeps):
            for plain in search.examples(given, relations):
                if part.id not in {one.id for one in plain.new.fired}:
                    continue
                given_to = zip((plain.before, plain.after), search.policies, strict=True)
                calls = [read_call(one, policy) for one, policy in given_to]
                old, new = (decided(one, call, told=False) for one, call in zip(compiled, calls, strict=True))
                if old.effect != new.effect:
                    note = f"with a signed waiver for {part.id} in force"
                    example = Example(plain.before, plain.after, old, new, note)
                    return replace(finding, looser=example) if way == "looser" else replace(finding, stricter=example)
    return finding
