"""What two policies ask of the undos of a tool, and which way that goes: to ask for nothing lets most through."""

from collections.abc import Iterator

from agent_saga.policies.cel import text_of
from agent_saga.policies.diffing.directions import Direction
from agent_saga.policies.diffing.schemas import bare
from agent_saga.policies.model import Amount, Condition, ToolRule


def inverse_changes(old: ToolRule, new: ToolRule) -> Iterator[tuple[Direction, str]]:
    """Each thing that is asked of undos by one of both, or otherwise by both."""
    before, after = old.inverse, new.inverse
    pairs = (
        ("amount", _amount(old.amount), _amount(new.amount)),
        ("inverse.amount", _amount(before.amount if before else None), _amount(after.amount if after else None)),
        ("inverse.must", _text(before.must if before else None), _text(after.must if after else None)),
    )
    for name, one, other in pairs:
        if one != other:
            yield _way(one, other), f"{name} {one or 'not given'} -> {other or 'not given'}"
    if before and after and bare(before.args) != bare(after.args):
        yield "incomparable", "the schema of the undo's arguments says something else"


def _way(old: str, new: str) -> Direction:
    return "incomparable" if old and new else "stricter" if new else "looser"


def _amount(amount: Amount | None) -> str:
    return f"{text_of(amount.minor.tree)} in {text_of(amount.currency.tree)}" if amount else ""


def _text(condition: Condition | None) -> str:
    """A condition as it is understood, whatever its spaces."""
    return text_of(condition.tree) if condition else ""
