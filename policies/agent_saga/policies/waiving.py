"""Waivers: rules and limits lifted for a while, in a file beside the policy, each signed by who approved it.

What is wrong with one waiver stops that one, and is told; what is wrong with the file as a whole is an error.

Source: docs/spec/policy-v1.md, "Waivers".
"""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.registry import Registry
from agent_saga.policies.cel.types import BOOL
from agent_saga.policies.digest import waivers_digest
from agent_saga.policies.document import DocumentError, Fault, Node, did_you_mean, parse, read, shown
from agent_saga.policies.document.nodes import told
from agent_saga.policies.loading.answers import items, twice
from agent_saga.policies.loading.conditions import Checker
from agent_saga.policies.loading.errors import WAIVERS, PolicyError
from agent_saga.policies.loading.places import place_of
from agent_saga.policies.loading.shape import fractions, nothing, shape_faults
from agent_saga.policies.loading.tools import Tool
from agent_saga.policies.model import Condition, Policy, Waiver, Waivers
from agent_saga.policies.schema import waivers_schema
from agent_saga.policies.signing.waivers import check_waiver


def waivers_path(policy: str) -> str:
    """Where the waivers of a policy stand: ``payments.waivers.yaml`` beside ``payments.yaml``."""
    stem, dot, ending = policy.rpartition(".")
    return f"{stem if dot else policy}.waivers.{ending if dot else 'yaml'}"


def read_waivers(path: str, policy: Policy, registry: Registry | None, today: str = "") -> Waivers:
    """The waivers in a file. registry: who may sign; without it none can be verified, and none lifts anything.

    today: the day (UTC, YYYY-MM-DD) by which ended ones are told, "" tells none; they stay among the waivers, since
    each call is judged by its own day. Raises PolicyError: the file cannot be read, or is about another policy.
    """
    root, faults = document(path)
    apart = items(root, "waivers")
    inside = {(part.line, part.column) for one in apart for part in one.parts()}
    faults += [one for one in _shape(root) if (one.line, one.column) not in inside]
    named = root.get("policy")
    if named is not None and named.value != policy.policy:
        faults.append(named.fault(f"waivers of {shown(named.value)}; the policy beside is {shown(policy.policy)}"))
    if faults:
        raise PolicyError(path, faults)
    reader = _Reader(path, root, policy, registry, today)
    found = tuple(one for node in apart if (one := reader.waiver(node)) is not None)
    return Waivers(found, tuple(reader.problems), waivers_digest(root.plain), path)


def unsigned(path: str, policy: Policy, id: str) -> Node:
    """A waiver that is to be signed: well formed, and without a proof. Raises PolicyError."""
    root, faults = document(path)
    node = next((one for one in items(root, "waivers") if one.get("id") and one.at(["id"]).value == id), None)
    if node is None:
        known = [str(one.value) for one in _ids(root)]
        raise PolicyError(path, [*faults, root.fault(f"no waiver {shown(id)}{did_you_mean(id, known)}")])
    reader = _Reader(path, root, policy, None, "")
    faults += reader.faults(node)[1]
    if node.get("proof") is not None:
        faults.append(node.at(["proof"]).fault(f"{shown(id)} is signed already; take its proof out to sign it anew"))
    if faults:
        raise PolicyError(path, faults)
    return node


def document(path: str) -> tuple[Node, list[Fault]]:
    """The document in a file of waivers and the faults of its spelling. Raises PolicyError."""
    try:
        return parse(read(path, WAIVERS), path, WAIVERS)
    except DocumentError as fault:
        raise PolicyError(path, fault.faults) from fault


def _shape(root: Node) -> Iterator[Fault]:
    yield from shape_faults(root, waivers_schema, "the file")
    yield from nothing(root)
    yield from fractions(root)


class _Reader:
    """Reads waivers one by one. problems: what stops which of them."""

    def __init__(self, path: str, root: Node, policy: Policy, registry: Registry | None, today: str) -> None:
        self._path, self._policy, self._registry, self._today = path, policy, registry, today
        self._tools = {one.name: Tool(one.name, one.semantics, one.args) for one in policy.tools.values()}
        self._rules = {one.id: one.enforcement for one in policy.rules} | {
            one.id: one.enforcement for one in policy.limits
        }
        self._about = {one.id: one.when for one in policy.rules} | {one.id: one.of for one in policy.limits}
        faults = [*_shape(root), *twice(_ids(root), "the waiver")]
        self._faults = {(one.line, one.column): one for one in reversed(faults)}
        self.problems: list[str] = []

    def waiver(self, node: Node) -> Waiver | None:
        """One waiver; None, with a problem told, when it lifts nothing."""
        scope, wrong = self.faults(node)
        plain = node.plain
        if wrong:
            self._tell(node, told(self._path, sorted(wrong)).splitlines())
            return None
        reason = self._unsigned(plain)
        if reason:
            self._tell(node, [f"{self._path}:{node.line}:{node.column}: {reason}"])
            return None
        if self._today > plain["expires"]:
            self._tell(node, [f"{self._path}:{node.line}:{node.column}: it ended on {plain['expires']}"])
        members = {name: value for name, value in plain.items() if name not in ("scope", "proof")}
        return Waiver(**members, scope=scope, place=place_of(node), key=plain["proof"]["key_id"])

    def faults(self, node: Node) -> tuple[Condition | None, list[Fault]]:
        """The scope of a waiver, and all that is wrong with it but its signature."""
        places = {(part.line, part.column): None for part in node.parts()}
        wrong = [self._faults[place] for place in places if place in self._faults]
        if wrong:
            return None, wrong
        checker = Checker(self._tools, self._policy.agents)
        about = self._about.get(node.at(["rule"]).value)  # a scope is asked only of calls that its rule is about
        scope = checker.condition(node.get("scope"), (BOOL,), "a scope", about)
        return scope, [*checker.faults, *self._meaning(node)]

    def _tell(self, node: Node, reasons: list[str]) -> None:
        named = node.get("id")
        what = shown(named.value) if named is not None else "without an id"
        self.problems += [f"{one} (the waiver {what} lifts nothing)" for one in reasons]

    def _meaning(self, node: Node) -> Iterator[Fault]:
        """What the shape of a waiver cannot say."""
        rule, days = node.at(["rule"]), [node.at([name]) for name in ("created", "expires")]
        if rule.value not in self._rules:
            yield rule.fault(f"no rule or limit {shown(rule.value)}{did_you_mean(rule.value, self._rules)}")
        elif self._rules[rule.value] == "hard":
            yield rule.fault(f"{shown(rule.value)} is hard: no waiver lifts it")
        for day in days:
            if not _exists(day.value):
                yield day.fault(f"found {shown(day.value)}; expected a day that exists")
        if days[0].value > days[1].value:
            yield days[1].fault(f"it ends on {days[1].value}, before it begins on {days[0].value}")
        if node.at(["owner"]).value == node.at(["approved_by"]).value:
            yield node.at(["approved_by"]).fault("who asks for a waiver cannot approve it: name another person")

    def _unsigned(self, waiver: Mapping[str, Any]) -> str:
        """Why a waiver is not signed as it should be; "" when it is."""
        if self._registry is None:
            return "no key registry is given, by which its signature could be verified"
        try:
            check_waiver(waiver, self._policy, self._registry)
        except NotApproved as fault:
            return f"{fault} ({fault.reason})"
        return ""


def _ids(root: Node) -> Iterator[Node]:
    return (found for node in items(root, "waivers") if (found := node.get("id")) is not None)


def _exists(day: str) -> bool:
    try:
        date.fromisoformat(day)
    except ValueError:
        return False
    return True
