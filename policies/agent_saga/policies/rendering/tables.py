"""Tables of the tools by class, and of who approves what."""

from collections.abc import Iterator

from agent_saga.policies.model import Approve, Policy, Then, ToolRule
from agent_saga.policies.rendering.blocks import Block, Paragraph, Table
from agent_saga.policies.rendering.prose import Code, Prose, codes, duration, join
from agent_saga.policies.rendering.sentences import STRENGTHS
from agent_saga.policies.rendering.undos import undos
from agent_saga.policies.sampling.variables import CLASSES

_MEANING = {
    "preview": "only looks",
    "reversible": "is undone completely by nothing more than another call",
    "compensable": "is made good by another call",
    "irreversible": "cannot be undone",
}
_VERDICTS = {
    "undone": "the effect was undone",
    "kept": "the effect is kept",
    "landed": "the effect took place",
    "absent": "the effect never took place",
}


def tools_table(policy: Policy) -> Iterator[Block]:
    """The tools, from the class that cannot be undone to the one that only looks."""
    rows = [
        _tool(tool)
        for word in reversed(CLASSES)
        for tool in sorted(policy.tools.values(), key=lambda one: one.name)
        if tool.semantics == word
    ]
    fees = any(tool.fee for tool in policy.tools.values())
    heads = ("Tool", "Class", "Undone by", "Consequence of a wrong call", *(("Fee of an undo",) if fees else ()))
    yield Table(heads, tuple(row if fees else row[:-1] for row in rows))
    yield from undos(policy)
    used = [word for word in reversed(CLASSES) if any(tool.semantics == word for tool in policy.tools.values())]
    yield Paragraph((f"{'; '.join(f'{word}: {_MEANING[word]}' for word in used)}.",), quiet=True)


def _tool(tool: ToolRule) -> tuple[Prose, ...]:
    undo: Prose = (Code(tool.undo),) if tool.undo else ("-",)
    fee: Prose = (f"{tool.fee:,} minor units",) if tool.fee else ("-",)
    return (Code(tool.name),), (tool.semantics,), undo, (tool.consequence or "critical (not given)",), fee


def approvals_table(policy: Policy) -> Iterator[Block]:
    """Every approval that the policy knows: who, how many, how surely, how soon, and for what."""
    found: dict[Approve, list[Prose]] = {}
    says: list[tuple[str, Then]] = [*((rule.id, rule.then) for rule in policy.rules)]
    says += [(limit.id, limit.then) for limit in policy.limits]
    for ident, then in says:
        if isinstance(then, Approve):
            found.setdefault(then, []).append((Code(ident),))
    found.setdefault(policy.irreversible, []).append(("any irreversible call that nothing else asks about",))
    for verdict, asked in policy.decide.items():
        found.setdefault(asked, []).append((f"deciding that {_VERDICTS.get(verdict, verdict)}",))
    rows = tuple(_approval(asked, what) for asked, what in found.items())
    yield Table(("Needed for", "People", "Role", "Key", "Within"), rows, right=(1,))
    undecided = [words for verdict, words in _VERDICTS.items() if verdict not in policy.decide]
    if undecided:
        yield Paragraph((f"Where it cannot be proven, nobody may decide that {' or '.join(undecided)}.",), quiet=True)
    signed = f", strength {policy.waive.strength}."
    yield Paragraph(("A waiver needs the signature of ", *codes(policy.waive.roles), signed))


def _approval(asked: Approve, what: list[Prose]) -> tuple[Prose, ...]:
    key = f"{STRENGTHS[asked.strength]} ({asked.strength})"
    return join(what, ", "), (str(asked.quorum),), codes(asked.roles), (key,), (duration(asked.within),)
