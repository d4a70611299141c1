"""The tools of a policy: their classes and undos, and the schemas of their arguments, inline or in files beside it."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from jsonschema import Draft202012Validator, SchemaError

from agent_saga.policies.arguments import Arguments, NotTyped, arguments_of
from agent_saga.policies.document import DocumentError, Fault, Node, parse, read
from agent_saga.policies.loading.errors import SCHEMA
from agent_saga.policies.loading.money import fractions_of_money
from agent_saga.trace.printing import visible


@dataclass(frozen=True)
class Tool:
    """A tool as far as it could be read. schema: None where the policy gives none. broken: it gives one, of no use.

    inverse: what ``inverse`` says of the tool that undoes it; None where there is none.
    """

    name: str
    semantics: str
    schema: Mapping[str, Any] | None = None
    broken: bool = False
    inverse: "Tool | None" = None

    @cached_property
    def arguments(self) -> Arguments | None:
        """The types of its arguments; None where nothing is known of them."""
        return arguments_of(self.schema) if self.schema is not None else None


class Tools:
    """Reads the tools of a policy. folder: where the policy stands. faults: what is wrong, once all were read."""

    def __init__(self, root: Node, folder: str) -> None:
        self._folder = folder
        self.faults: list[Fault] = []
        nodes = root.get("tools")
        members = nodes.members if nodes is not None else {}
        self.known = {name: self._tool(name, member.node) for name, member in members.items()}
        for name, member in members.items():
            self.faults += _undo(name, member.node, member.name)

    def _tool(self, name: str, node: Node) -> Tool:
        semantics, inverse = node.get("semantics"), node.get("inverse")
        word = semantics.value if semantics is not None and isinstance(semantics.value, str) else ""
        found = self._with_args(name, word, node.get("args"))
        if inverse is None:
            return found
        undo = node.get("undo")
        named = undo.value if undo is not None and isinstance(undo.value, str) else ""
        return replace(found, inverse=self._with_args(named, "", inverse.get("args")))

    def _with_args(self, name: str, word: str, args: Node | None) -> Tool:
        """A tool with the schema that this node gives or names. word: its class."""
        if args is None:
            return Tool(name, word)
        try:
            schema = self._schema(args)
            wrong = next(fractions_of_money(arguments_of(schema).type), None)
            if wrong is not None:
                raise NotTyped(f"{wrong} is a number; money is counted in whole minor units: give it the type integer")
            return Tool(name, word, schema)
        except (DocumentError, NotTyped) as fault:
            if str(fault):
                self.faults.append(args.fault(f"the schema of {visible(name)[:80]}: {_brief(str(fault))}"))
            return Tool(name, word, broken=True)

    def _schema(self, args: Node) -> Mapping[str, Any]:
        """The schema itself. Raises NotTyped, without words where the shape of the policy tells what is wrong."""
        if isinstance(args.value, str):
            return self._checked(self._from_file(args.value))
        if not isinstance(args.value, dict):
            raise NotTyped("")
        return self._checked(args.plain)

    def _from_file(self, name: str) -> Any:
        path = os.path.join(self._folder, name)
        if not name or os.path.isabs(name) or ".." in name.replace("\\", "/").split("/") or self._leaves(path):
            raise NotTyped(f"{visible(name)[:200]!r} leaves the policy's folder; expected a path in it or below")
        try:
            root, faults = parse(read(path, SCHEMA), name, SCHEMA)
        except DocumentError as fault:
            raise DocumentError(name, fault.faults) from fault
        if faults:
            raise DocumentError(name, faults)
        return root.plain

    def _leaves(self, path: str) -> bool:
        """Whether a path leads out by a symbolic link."""
        try:
            folder = os.path.realpath(self._folder)
            return os.path.commonpath([folder, os.path.realpath(path)]) != folder
        except ValueError:  # a NUL in the name, or another drive
            return True

    def _checked(self, schema: Any) -> Mapping[str, Any]:
        if not isinstance(schema, Mapping):
            raise NotTyped("expected an object")
        try:
            Draft202012Validator.check_schema(schema)
        except SchemaError as fault:
            raise NotTyped(f"no JSON Schema: {fault.json_path}: {visible(fault.message)[:200]}") from fault
        foreign = next((ref for ref in _references(schema) if not ref.startswith("#/")), None)
        if foreign is not None:
            raise NotTyped(f"refers to {visible(foreign)[:80]!r}; expected references inside of it: #/$defs/NAME")
        return schema


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, list):
        for part in schema:
            yield from _references(part)
    elif isinstance(schema, Mapping):
        for name, part in schema.items():
            if name in ("$ref", "$dynamicRef") and isinstance(part, str):
                yield part
            yield from _references(part)


def _brief(words: str) -> str:
    """The first line of a message, and how many there are."""
    lines = words.splitlines()
    return lines[0] + (f" (and {len(lines) - 1} more)" if len(lines) > 1 else "")


def _undo(name: str, tool: Node, place: Node) -> Iterator[Fault]:
    """A compensable tool has an undo, one that cannot be undone has none, and none undoes itself."""
    semantics, undo = tool.get("semantics"), tool.get("undo")
    word = semantics.value if semantics is not None else None
    if word == "compensable" and undo is None:
        yield place.fault(f"the tool {name!r} is compensable and names no undo; add undo: TOOL")
    elif word in ("irreversible", "preview") and undo is not None:
        yield undo.fault(f"the tool {name!r} is {word} and has an undo; leave it out, or change its semantics")
    elif undo is not None and undo.value == name:
        yield undo.fault(f"the tool {name!r} undoes itself; name the tool that does")
