"""The waivers beside a policy: which rule each lifts, for whom, until when, and whether it is in force on a day."""

from collections.abc import Iterator

from agent_saga.policies.model import Policy, Waiver, Waivers
from agent_saga.policies.rendering.blocks import Block, Paragraph, Section, Table
from agent_saga.policies.rendering.conditions import condition
from agent_saga.policies.rendering.naming import names_for
from agent_saga.policies.rendering.prose import Code, Prose


def waivers_section(policy: Policy, waivers: Waivers | None, day: str) -> Section:
    """The section of the waivers; it says so where no file of them was given."""
    return Section("waivers", "Waivers", tuple(_blocks(policy, waivers, day)))


def _blocks(policy: Policy, waivers: Waivers | None, day: str) -> Iterator[Block]:
    if waivers is None:
        yield Paragraph(("No file of waivers was given for this page.",), quiet=True)
        return
    if waivers.waivers:
        heads = ("Waiver", "Lifts", "For", "Reason", "Owner, approved by", "From, to", *(("State",) if day else ()))
        yield Table(heads, tuple(_row(policy, one, day) for one in waivers.waivers))
    else:
        yield Paragraph(("None is in force.",))
    if day:
        yield Paragraph((f"As of {day} (UTC). The last day still counts.",), quiet=True)
    for problem in waivers.problems:
        yield Paragraph(("Lifts nothing: ", problem))
    if waivers.digest:
        yield Paragraph(("Digest of the file of waivers: ", Code(waivers.digest)), quiet=True)


def _row(policy: Policy, one: Waiver, day: str) -> tuple[Prose, ...]:
    scope: Prose = ("every call",)
    if one.scope is not None:
        scope = ("calls where ", *condition(one.scope.tree, names_for(policy, (), [one.scope.tree])))
    cells: tuple[Prose, ...] = (
        (Code(one.id),),
        (Code(one.rule),),
        scope,
        (one.reason,),
        (Code(one.owner), ", ", Code(one.approved_by)),
        (f"{one.created} to {one.expires}",),
    )
    return (*cells, (_state(one, day),)) if day else cells


def _state(one: Waiver, day: str) -> str:
    if day < one.created:
        return "not yet in force"
    return "in force" if day <= one.expires else "ended"
