"""The tests of a policy file: that each is about a call that could be made, and names rules and limits that there are.

Source: docs/spec/policy-v1.md, "Tests".
"""

from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from jsonschema import Draft202012Validator
from referencing import Registry

from agent_saga.policies.document import Fault, Node, did_you_mean, shown
from agent_saga.policies.loading.answers import duration_fault, items, twice
from agent_saga.policies.loading.instants import instant
from agent_saga.policies.loading.shape import told_of
from agent_saga.policies.loading.tools import Tool
from agent_saga.trace.printing import visible
from agent_saga.trace.values import is_concealed

_MANY: Final = 20
"""Faults told of one test's arguments."""


def case_faults(
    root: Node, tools: Mapping[str, Tool], limits: Collection[str], rules: Collection[str]
) -> Iterator[Fault]:
    """All that is wrong with the tests. limits, rules: ids that there are."""
    cases = items(root, "tests")
    yield from twice((name for case in cases if (name := case.get("name")) is not None), "the test")
    for case in cases:
        spent, given, expect = case.get("spent"), case.get("given"), case.get("expect")
        for member in spent.members.values() if spent is not None else ():
            if member.name.value not in limits:
                yield member.name.fault(f"no limit {shown(member.name.value)}{did_you_mean(member.name.value, limits)}")
        for node in items(case, "rules"):
            known = {*rules, *limits}
            if isinstance(node.value, str) and node.value not in known:
                yield node.fault(f"no rule or limit {shown(node.value)}{did_you_mean(node.value, known)}")
        asked = expect.get("approve") if expect is not None else None
        within = asked.get("within") if asked is not None else None
        if within is not None and isinstance(within.value, str):
            yield from duration_fault(within)
        at = given.get("at") if given is not None else None
        if at is not None and isinstance(at.value, str):
            yield from _time_fault(at)
        if given is not None and not (expect is not None and expect.value == "deny"):
            yield from _call_faults(given, tools)


def _time_fault(at: Node) -> Iterator[Fault]:
    try:
        instant(at.value)
    except ValueError as fault:
        yield at.fault(f"found {shown(at.value)}; {fault}")


def _call_faults(given: Node, tools: Mapping[str, Tool]) -> Iterator[Fault]:
    """A call that is not to be denied names a tool of the policy, and gives arguments that its schema allows."""
    named = given.get("tool")
    if named is None or not isinstance(named.value, str):
        return
    tool = tools.get(named.value)
    if tool is None:
        yield named.fault(f"the policy has no tool {shown(named.value)}{did_you_mean(named.value, tools)}")
    elif tool.schema is not None:
        args = given.get("args")
        yield from _argument_faults(args if args is not None else given, args is not None, tool)


def _argument_faults(node: Node, given: bool, tool: Tool) -> Iterator[Fault]:
    validator = Draft202012Validator(_without_patterns(tool.schema), registry=Registry())
    try:
        errors = validator.iter_errors(node.plain if given else {})
        for error in islice((one for one in errors if not is_concealed(one.instance)), _MANY):
            yield from told_of(error, node, f"the call of {visible(tool.name)}", {})
    except RecursionError:
        yield node.fault(f"the call of {visible(tool.name)}: the schema of its arguments has no end")


def _without_patterns(schema: Any) -> Any:
    """A schema without its regular expressions: one of them could take for ever, and no type depends on them."""
    if isinstance(schema, list):
        return [_without_patterns(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    free = "patternProperties" in schema
    left_out = {"patternProperties", "additionalProperties", "unevaluatedProperties"} if free else set()
    names = {"pattern": str} if isinstance(schema.get("pattern"), str) else {}
    return {name: _without_patterns(part) for name, part in schema.items() if name not in {*left_out, *names}}
