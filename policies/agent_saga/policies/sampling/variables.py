"""The variables of conditions and their types, for the calls of one tool under several policies at once.

A call that fits the argument schemas of all policies has what any of them requires.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from agent_saga.policies.arguments import type_of
from agent_saga.policies.cel.types import STRING, TIMESTAMP, Field, ObjectType, Type
from agent_saga.policies.model import Policy, Semantics

CLASSES: Final[tuple[Semantics, ...]] = ("preview", "reversible", "compensable", "irreversible")
"""From the mildest."""
CONSEQUENCES: Final = ("low", "medium", "high", "critical")

_CHAIN: Final = ObjectType({"semantics": Field(STRING, True), "consequence": Field(STRING, True)}, open=False)


class Disagreement(Exception):
    """Two policies give one argument two types: no call fits both."""


def variables(policies: Sequence[Policy], tool: str) -> Mapping[str, Type]:
    """Each variable's type. Raises Disagreement."""
    schemas = [policy.tools[tool].args for policy in policies if tool in policy.tools]
    args: Type = ObjectType({}, open=True)
    for schema in schemas:
        if schema is not None:
            args = merged(args, type_of(schema), "args")
    text = dict.fromkeys(("tool", "semantics", "agent", "saga", "step"), STRING)
    return {**text, "args": args, "at": TIMESTAMP, "chain": _CHAIN}


def merged(one: Type, two: Type, name: str) -> Type:
    """One type that both sides fit. Raises Disagreement."""
    if isinstance(one, ObjectType) and isinstance(two, ObjectType):
        fields = dict(one.fields)
        for field, found in two.fields.items():
            known = fields.get(field)
            if known is None:
                fields[field] = found
            else:
                kind = merged(known.type, found.type, f"{name}.{field}")
                fields[field] = Field(kind, known.required or found.required)
        return ObjectType(fields, open=one.open and two.open)
    if one != two:
        raise Disagreement(f"{name} is {one} in one policy and {two} in the other")
    return one
