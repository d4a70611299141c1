"""Whole calls on the boundaries of conditions, as the ``given`` of a policy's tests: JSON that a person can keep.

Every value is tried alone against an ordinary call; then sweeps: calls drawn at random, in each of which one value goes
through all it can be. So next to each call there are its neighbours, which differ from it in one value alone.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Final

from agent_saga.policies.cel import types
from agent_saga.policies.cel.syntax import Expression
from agent_saga.policies.model import Policy
from agent_saga.policies.sampling.constants import Path, constants
from agent_saga.policies.sampling.neighbours import near
from agent_saga.policies.sampling.plain import completed, named_values, plain
from agent_saga.policies.sampling.schemas import member
from agent_saga.policies.sampling.variables import CLASSES, CONSEQUENCES, variables

SWEEPS: Final = 160
"""Random calls of each tool, of which one value is swept: some thousand calls, a tenth of a second to decide."""

ABSENT: Final = object()
_WORDS: Final[Mapping[Path, Sequence[str]]] = {
    ("semantics",): CLASSES,
    ("chain", "semantics"): CLASSES,
    ("chain", "consequence"): CONSEQUENCES,
}

Given = dict[str, Any]


@dataclass(frozen=True)
class Space:
    """All that is tried for one tool. base: an ordinary call. kind, schema: of its args.

    choices: by path, what the value can be, or ABSENT.
    """

    tool: str
    base: Given
    kind: Any
    schema: Mapping[str, Any]
    choices: dict[Path, list[Any]] = field(default_factory=dict)

    def calls(self, sweeps: int = SWEEPS) -> Iterator[Given]:
        """The calls, always the same ones in the same order, a few of them more than once."""
        yield deepcopy(self.base)
        for path in self.choices:
            yield from self.sweep(self.base, path)
        drawn = random.Random(0)  # the same calls in every run
        paths = list(self.choices)
        for number in range(sweeps if len(paths) > 1 else 0):
            given = self.base
            for path in paths:
                given = put(given, path, drawn.choice(self.choices[path]))
            yield from self.sweep(given, paths[number % len(paths)])

    def sweep(self, given: Given, path: Path) -> Iterator[Given]:
        """One call with each of the values that one path can have."""
        for value in self.choices[path]:
            found = put(given, path, value)
            yield found | {"args": completed(found.get("args", {}), self.kind, self.schema)}


def space(policies: Sequence[Policy], tool: str, trees: Sequence[Expression]) -> Space:
    """What to try for a tool under policies with these conditions. Raises Disagreement."""
    kinds = variables(policies, tool)
    schema = _schema(policies, tool)
    base: Given = {"tool": tool, "args": plain(kinds["args"], schema)}
    found = Space(tool, base, kinds["args"], schema)
    for path, beside in constants(trees).items():
        if path[0] not in kinds or path == ("tool",):
            continue
        for step in _optional(kinds, path):
            found.choices.setdefault(step, []).append(ABSENT)
        values = _values(kinds, path, beside, schema)
        if values:
            found.choices[path] = [*values, *(one for one in found.choices.get(path, []) if one is ABSENT)]
    agents = [name for policy in policies for name in policy.agents]
    if agents:
        base["agent"] = agents[0]
        known = [one for one in found.choices.get(("agent",), []) if one not in agents]
        found.choices[("agent",)] = [*dict.fromkeys(agents), *known]
    return found


def _schema(policies: Sequence[Policy], tool: str) -> Mapping[str, Any]:
    found = [policy.tools[tool].args for policy in policies if tool in policy.tools]
    return next((schema for schema in reversed(found) if schema is not None), {})


def _values(kinds: Mapping[str, Any], path: Path, beside: Sequence[Any], schema: Mapping[str, Any]) -> list[Any]:
    if path in _WORDS:
        return [ABSENT, *CLASSES] if path == ("semantics",) else list(_WORDS[path])
    kind = type_at(kinds, path)
    if kind is None:
        return []
    listed = named_values(member(schema, path[1:])) if path[0] == "args" else []
    return [*listed, *(one for one in near(kind, beside) if one not in listed)]


def type_at(kinds: Mapping[str, Any], path: Path) -> Any:
    """The type of a value by its path; None where it has none."""
    kind: Any = kinds.get(path[0])
    for name in path[1:]:
        if isinstance(kind, types.MapType):
            kind = kind.value
        else:
            found = kind.fields.get(name) if isinstance(kind, types.ObjectType) else None
            kind = found.type if found is not None else None
    return kind


def _optional(kinds: Mapping[str, Any], path: Path) -> Iterator[Path]:
    """The steps of a path that may be missing."""
    kind: Any = kinds.get(path[0])
    for end, name in enumerate(path[1:], 2):
        if isinstance(kind, types.MapType):
            yield path[:end]
            kind = kind.value
        elif isinstance(kind, types.ObjectType) and name in kind.fields:
            if not kind.fields[name].required:
                yield path[:end]
            kind = kind.fields[name].type
        else:
            return


def put(given: Given, path: Path, value: Any) -> Given:
    """The call with another value at a path; the call itself stays as it is."""
    out = dict(given)
    where: dict[str, Any] = out
    for name in path[:-1]:
        inner = where.get(name)
        where[name] = dict(inner) if isinstance(inner, dict) else {}
        where = where[name]
    if value is ABSENT:
        where.pop(path[-1], None)
    else:
        where[path[-1]] = value
    if path[0] == "chain" and isinstance(out["chain"], dict):
        out["chain"] = {"semantics": "irreversible", "consequence": "critical"} | out["chain"]
    return out
