"""From a document without a fault to a policy."""

from collections.abc import Mapping
from typing import Any

from agent_saga.policies.digest import policy_digest
from agent_saga.policies.document import Node
from agent_saga.policies.loading.answers import approve, items, then
from agent_saga.policies.loading.checking import Found
from agent_saga.policies.loading.durations import seconds
from agent_saga.policies.loading.inverses import Terms
from agent_saga.policies.loading.places import place_of
from agent_saga.policies.loading.tools import Tool
from agent_saga.policies.model import Case, Limit, Policy, Rule, ToolRule


def build(root: Node, found: Found, source: str) -> Policy:
    """The policy. found: its tools and conditions, as they were checked. source: for messages."""
    plain = root.plain
    tools = root.at(["tools"]).members
    decide = root.get("decide")
    return Policy(
        policy=plain["policy"],
        version=plain["version"],
        owner=plain["owner"],
        digest=policy_digest(whole(plain, found.tools)),
        tools={name: _tool(name, member.node, found) for name, member in tools.items()},
        rules=tuple(_rule(node, found) for node in items(root, "rules")),
        limits=tuple(_limit(node, found) for node in items(root, "limits")),
        tests=tuple(_case(node) for node in items(root, "tests")),
        irreversible=approve(root.get("irreversible")),
        decide={word: approve(one.node) for word, one in decide.members.items()} if decide is not None else {},
        agents=tuple(plain.get("agents", ())),
        description=plain.get("description", ""),
        source=source,
        waive=approve(root.get("waive")),
    )


def whole(plain: Mapping[str, Any], tools: Mapping[str, Tool]) -> dict[str, Any]:
    """A policy's document in which each schema stands in place of the path to it: what its digest is over."""
    named = {
        name: tool | _schema(tools[name]) | _inverse(tool, tools[name].inverse) for name, tool in plain["tools"].items()
    }
    return {**plain, "tools": named}


def _schema(tool: Tool) -> dict[str, Any]:
    return {"args": tool.schema} if tool.schema is not None else {}


def _inverse(tool: Mapping[str, Any], inverse: Tool | None) -> dict[str, Any]:
    return {"inverse": tool["inverse"] | _schema(inverse)} if inverse is not None else {}


def _tool(name: str, node: Node, found: Found) -> ToolRule:
    given = {one: value for one, value in node.plain.items() if one not in ("args", "amount", "inverse")}
    terms = found.terms.get(name, Terms(None, None))
    schema, amount, inverse = found.tools[name].schema, terms.amount, terms.inverse
    return ToolRule(name, **given, args=schema, amount=amount, inverse=inverse, place=place_of(node))


def _rule(node: Node, found: Found) -> Rule:
    named = {name: node.plain[name] for name in ("id", "why", "enforcement") if name in node.members}
    return Rule(**named, when=found.of(node.at(["when"])), then=then(node.get("then")), place=place_of(node))


def _limit(node: Node, found: Found) -> Limit:
    named = {name: node.plain[name] for name in ("id", "why", "enforcement", "max") if name in node.members}
    measure = node.get("sum")
    return Limit(
        **named,
        of=found.of(node.at(["of"])),
        per=tuple(found.of(one) for one in items(node, "per")),
        measure=found.of(measure) if measure is not None else None,
        window=seconds(node.at(["window"]).value),
        then=then(node.get("then")),
        place=place_of(node),
    )


def _case(node: Node) -> Case:
    plain = node.plain
    rules = tuple(plain["rules"]) if "rules" in plain else None
    return Case(plain["name"], plain["given"], plain["expect"], plain.get("spent", {}), rules, place_of(node))
