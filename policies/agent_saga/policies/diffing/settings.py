"""What stands otherwise in two policies outside of rules and limits, and which way that goes.

A milder class, a smaller consequence, a greater fee, one more who may decide: each lets more through. A change that has
no direction, such as another tool that undoes, is called incomparable: a person must look.
"""

from collections.abc import Iterator
from typing import Any

from agent_saga.policies.diffing.directions import Direction, compare_approvals, direction, joined
from agent_saga.policies.diffing.result import Change, Finding
from agent_saga.policies.diffing.schemas import bare
from agent_saga.policies.diffing.undos import inverse_changes
from agent_saga.policies.model import Approve, Policy, ToolRule
from agent_saga.policies.rendering.prose import duration
from agent_saga.policies.sampling.variables import CLASSES, CONSEQUENCES


def tool_changes(before: Policy, after: Policy) -> Iterator[Change]:
    """Each tool that was added, removed, or is declared otherwise."""
    for name in dict.fromkeys([*after.tools, *before.tools]):
        old, new = before.tools.get(name), after.tools.get(name)
        if old is None:
            yield _change("tool", name, "added", "looser", (f"declared as {after.tools[name].semantics}",))
        elif new is None:
            yield _change("tool", name, "removed", "stricter", ("no longer declared: every call is refused",))
        elif found := [*_tool(old, new)]:
            yield _change("tool", name, "changed", joined(way for way, _ in found), tuple(text for _, text in found))


def _change(kind: Any, name: str, what: Any, beyond: Direction, details: tuple[str, ...]) -> Change:
    return Change(kind, name, what, Finding("equivalent", True), details, beyond)


def _tool(old: ToolRule, new: ToolRule) -> Iterator[tuple[Direction, str]]:
    if old.semantics != new.semantics:
        yield _ordered(CLASSES, old.semantics, new.semantics), f"class {old.semantics} -> {new.semantics}"
    if old.consequence != new.consequence:
        one, two = old.consequence or "critical", new.consequence or "critical"
        way = _ordered(CONSEQUENCES, one, two)
        yield way, f"consequence {old.consequence or 'not given'} -> {new.consequence or 'not given'}"
    if old.undo != new.undo:
        yield "incomparable", f"undone by {old.undo or 'nothing'} -> {new.undo or 'nothing'}"
    if old.fee != new.fee:
        yield direction(new.fee > old.fee, new.fee < old.fee), f"fee of an undo {old.fee:,} -> {new.fee:,} minor units"
    yield from inverse_changes(old, new)
    if bare(old.args) != bare(new.args):
        yield "incomparable", "the schema of the arguments says something else"


def _ordered(order: tuple[str, ...], old: str, new: str) -> Direction:
    """From a mild end to a strict one."""
    return direction(order.index(new) < order.index(old), order.index(new) > order.index(old))


def setting_changes(before: Policy, after: Policy) -> Iterator[Change]:
    """Who decides, what an irreversible call needs where no rule says, who approves waivers, which agents may call."""
    for name, old, new in (
        ("irreversible", before.irreversible, after.irreversible),
        ("waive", before.waive, after.waive),
    ):
        if old != new:
            yield _change("setting", name, "changed", compare_approvals(old, new), approval_details(old, new))
    for verdict in sorted({*before.decide, *after.decide}):
        one, two = before.decide.get(verdict), after.decide.get(verdict)
        if one != two:
            yield _decide(verdict, one, two)
    if set(before.agents) != set(after.agents):
        yield _agents(set(before.agents), set(after.agents))


def _decide(verdict: str, old: Approve | None, new: Approve | None) -> Change:
    name = f"decide.{verdict}"
    if old is None:
        return _change("setting", name, "added", "looser", ("nobody could decide this; now somebody may",))
    if new is None:
        return _change("setting", name, "removed", "stricter", ("nobody may decide this any more",))
    return _change("setting", name, "changed", compare_approvals(old, new), approval_details(old, new))


def _agents(old: set[str], new: set[str]) -> Change:
    way = direction(bool(new - old) if new and old else not new, bool(old - new) if new and old else bool(new))
    lines = [f"may call now: {', '.join(sorted(new - old))}"] if old and new - old else []
    lines += [f"may call no more: {', '.join(sorted(old - new))}"] if new and old - new else []
    lines += ["any agent may call now"] if not new else []
    lines += [f"only these may call now: {', '.join(sorted(new))}"] if not old else []
    return _change("setting", "agents", "changed", way, tuple(lines))


def approval_details(old: Approve, new: Approve) -> tuple[str, ...]:
    """What of an approval stands otherwise, a line each."""
    pairs = (
        ("quorum", str(old.quorum), str(new.quorum)),
        ("roles", ", ".join(sorted(old.roles)), ", ".join(sorted(new.roles))),
        ("strength", old.strength, new.strength),
        ("within", duration(old.within), duration(new.within)),
    )
    return tuple(f"{name} {one} -> {two}" for name, one, two in pairs if one != two)
