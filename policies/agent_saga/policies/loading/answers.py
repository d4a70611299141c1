"""What a policy asks of persons: approvals, with their defaults, durations and roles."""

from collections.abc import Iterable, Iterator
from typing import Any

from agent_saga.policies.document import Fault, Node, shown
from agent_saga.policies.loading.durations import NoDuration, seconds
from agent_saga.policies.model import Approve, Then


def approve(node: Node | None) -> Approve:
    """The approval that a node of the right shape asks for; what it leaves out has its default."""
    given: dict[str, Any] = dict(node.plain) if node is not None else {}
    if "roles" in given:
        given["roles"] = tuple(given["roles"])
    if "within" in given:
        given["within"] = seconds(given["within"])
    return Approve(**given)


def then(node: Node | None, default: Then = "deny") -> Then:
    """The answer that a node of the right shape gives."""
    if node is None:
        return default
    asked = node.get("approve")
    return approve(asked) if asked is not None else node.value


def asked(root: Node) -> Iterator[Node]:
    """Every approval that a policy asks for, anywhere but in its tests."""
    irreversible, decide = root.get("irreversible"), root.get("decide")
    yield from (irreversible,) if irreversible is not None else ()
    yield from (member.node for member in decide.members.values()) if decide is not None else ()
    for name in ("rules", "limits"):
        for rule in items(root, name):
            answer = rule.get("then")
            found = answer.get("approve") if answer is not None else None
            yield from (found,) if found is not None else ()


def items(root: Node, name: str) -> list[Node]:
    """The items of a member that is a list."""
    node = root.get(name)
    return node.items if node is not None else []


def asking_faults(root: Node) -> Iterator[Fault]:
    """Durations that are none, and roles that stand twice in one list."""
    durations = [node for one in asked(root) for node in (one.get("within"),)]
    durations += [limit.get("window") for limit in items(root, "limits")]
    for node in durations:
        if node is not None and isinstance(node.value, str):
            yield from duration_fault(node)
    waive = root.get("waive")
    for one in [*asked(root), *([waive] if waive is not None else [])]:
        yield from twice(items(one, "roles"), "the role")


def duration_fault(node: Node) -> Iterator[Fault]:
    """What is wrong with a duration."""
    try:
        seconds(node.value)
    except NoDuration as fault:
        yield node.fault(f"found {shown(node.value)}; {fault}")


def twice(nodes: Iterable[Node], word: str) -> Iterator[Fault]:
    """Texts that stand twice in a list. word: what they are, such as ``the role``."""
    seen: dict[str, Node] = {}
    for node in nodes:
        if isinstance(node.value, str):
            first = seen.setdefault(node.value, node)
            if first is not node:
                yield node.fault(f"{word} {shown(node.value)} stands twice; it stood on line {first.line} already")
