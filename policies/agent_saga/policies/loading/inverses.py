"""What a policy says of undos: where their amounts stand, and what must hold of them, checked against both schemas.

An amount is looked up and never computed, so that what a reader of a trace compares is what stands on its lines.

Source: docs/spec/policy-v1.md, "Undos".
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from agent_saga.policies.cel import CelError, CelFault, check, parse, text_of
from agent_saga.policies.cel.syntax import Expression, Literal, Name, Select
from agent_saga.policies.cel.types import BOOL, INT, STRING, Field, ObjectType, Type
from agent_saga.policies.cel.walking import names_in
from agent_saga.policies.document import Fault, Node, did_you_mean
from agent_saga.policies.loading.conditions import gaps_of
from agent_saga.policies.loading.money import money_faults
from agent_saga.policies.loading.places import text_place
from agent_saga.policies.loading.tools import Tool
from agent_saga.policies.model import Amount, Condition, Inverse

UNDO: Final = "undo"
"""The variable that holds the arguments of an undo."""
_EMPTY: Final = ObjectType({}, open=False)
_PATH: Final = "expected an argument such as {}.amount: an amount is looked up, not computed"


@dataclass(frozen=True, slots=True)
class Terms:
    """What was read of one tool."""

    amount: Amount | None
    inverse: Inverse | None


@dataclass
class Inverses:
    """Reads ``amount`` and ``inverse`` of all tools. faults: what is wrong. terms: of tools that have either."""

    tools: Mapping[str, Tool]
    faults: list[Fault] = field(default_factory=list)
    terms: dict[str, Terms] = field(default_factory=dict)

    def read(self, root: Node) -> "Inverses":
        """Read them from a policy's document."""
        nodes = root.get("tools")
        for name, member in (nodes.members if nodes is not None else {}).items():
            if "amount" in member.node.members or "inverse" in member.node.members:
                self._tool(self.tools[name], member.node)
        return self

    def _tool(self, tool: Tool, node: Node) -> None:
        amount, inverse = node.get("amount"), node.get("inverse")
        given = inverse.get("amount") if inverse is not None else None
        self.faults += _alone(node, amount, inverse, given)
        undo = self._undo(tool, node, inverse)
        moves = self._amount(amount, tool, "args") if amount is not None else None
        if inverse is None or undo is None:
            return
        gives = self._amount(given, undo, UNDO) if given is not None else None
        must = self._must(inverse.get("must"), tool, undo)
        self.terms[tool.name] = Terms(moves, Inverse(undo.schema or {}, gives, must))

    def _undo(self, tool: Tool, node: Node, inverse: Node | None) -> Tool | None:
        """The tool that undoes, with a schema of its arguments: given here, or where it is declared itself."""
        if inverse is None or tool.inverse is None or node.get("undo") is None:
            return None
        undo = tool.inverse
        if undo.schema is None and not undo.broken:
            undo = self.tools.get(undo.name, undo)
        if undo.broken or tool.broken:
            return None
        if undo.schema is None:
            self.faults.append(inverse.fault(f"nothing is known of the arguments of {undo.name!r}; add args: here"))
            return None
        return undo

    def _amount(self, node: Node, tool: Tool, root: str) -> Amount | None:
        if isinstance(node.value, str):
            tree = self._path(node, root)
            if tree is None or tool.broken:
                return None
            both = [Select(tree, name, at=tree.at) for name in ("minor", "currency")]
            return self._placed([(node, both[0], INT), (node, both[1], STRING)], tool, root)
        minor, currency = node.get("minor"), node.get("currency")
        if minor is None or currency is None:
            return None  # its shape tells
        found = [(minor, self._path(minor, root), INT), (currency, self._path(currency, root, text=True), STRING)]
        known = [(one, tree, type_) for one, tree, type_ in found if tree is not None]
        return self._placed(known, tool, root) if len(known) == 2 and not tool.broken else None

    def _placed(self, found: Sequence[tuple[Node, Expression, Type]], tool: Tool, root: str) -> Amount | None:
        faults = [(node, fault) for node, tree, type_ in found for fault in _misplaced(tree, type_, tool, root)]
        told = dict.fromkeys(node.fault_inside(fault.at, fault.message) for node, fault in faults)
        self.faults += list(told)[:1] if len({node.line for node, _, _ in found}) == 1 else list(told)
        if faults:
            return None
        minor, currency = (Condition(text_of(tree), tree, text_place(node)) for node, tree, _ in found)
        return Amount(minor, currency)

    def _path(self, node: Node, root: str, text: bool = False) -> Expression | None:
        """The argument that a text names. text: a text in quotes may stand there instead."""
        if not isinstance(node.value, str):
            return None  # its shape tells
        tree = self._parsed(node)
        if tree is None or (text and isinstance(tree, Literal) and isinstance(tree.value, str)):
            return tree
        inner = tree
        while isinstance(inner, Select) and not inner.test:
            inner = inner.of
        if isinstance(inner, Name) and inner.name == root and inner is not tree:
            return tree
        self.faults.append(node.fault_inside(tree.at, _PATH.format(root)))
        return None

    def _parsed(self, node: Node) -> Expression | None:
        try:
            return parse(node.value)
        except CelError as error:
            self.faults += [node.fault_inside(one.at, one.message) for one in error.faults]
            return None

    def _must(self, node: Node | None, tool: Tool, undo: Tool) -> Condition | None:
        tree = self._parsed(node) if node is not None and isinstance(node.value, str) else None
        if node is None or tree is None:
            return None
        faults = [*gaps_of(tree, tool), *gaps_of(tree, undo, UNDO), *(one for one, _ in money_faults(tree))]
        if not faults:
            found, faults = check(tree, {"args": _type(tool), UNDO: _type(undo)})
            if not faults and found != BOOL:
                faults = [CelFault(tree.at, f"a condition is of type {found}; expected bool")]
            elif not faults and UNDO not in names_in(tree):
                faults = [CelFault(tree.at, "it says nothing of the undo, whose arguments are called undo, as undo.to")]
        self.faults += [node.fault_inside(one.at, one.message) for one in faults]
        return None if faults else Condition(node.value, tree, text_place(node))


def _alone(node: Node, amount: Node | None, inverse: Node | None, given: Node | None) -> Iterator[Fault]:
    """What says nothing without another member."""
    if inverse is not None and node.get("undo") is None:
        yield inverse.fault("inverse says what its undo must be, and the tool names none; add undo: TOOL")
    elif inverse is not None and given is None and inverse.get("must") is None:
        yield inverse.fault("inverse says nothing; add amount: undo.amount, or must: CONDITION")
    if amount is not None and given is None:
        yield amount.fault("an amount is compared with what undos give back; add inverse: {amount: undo.amount}")
    elif amount is None and given is not None:
        yield given.fault("what an undo gives back is compared with what the tool took; add amount: args.amount to it")


def _type(tool: Tool) -> ObjectType:
    return tool.arguments.type if tool.arguments is not None else _EMPTY


def _misplaced(tree: Expression, wanted: Type, tool: Tool, root: str) -> Iterator[CelFault]:
    """Why nothing of this type surely stands at a path."""
    if isinstance(tree, Literal):
        return
    gaps = list(gaps_of(tree, tool, root))
    yield from gaps
    if gaps:
        return
    path: list[Select] = []
    part: Expression = tree
    while isinstance(part, Select):
        path.append(part)
        part = part.of
    found = Field(_type(tool))
    for step in reversed(path):
        known = found.type.fields if isinstance(found.type, ObjectType) else {}
        if step.field not in known:
            yield CelFault(step.at, f"there is no `{text_of(step)}` of a known type{did_you_mean(step.field, known)}")
            return
        found = known[step.field]
        if not found.required:
            yield CelFault(step.at, f"`{text_of(step)}` may be missing; require it in the schema of {tool.name}")
            return
    if found.type != wanted:
        yield CelFault(tree.at, f"`{text_of(tree)}` is of type {found.type}; expected {wanted}")
