"""What undos must be, a sentence for each tool whose undos the policy says something of."""

from collections.abc import Iterator

from agent_saga.policies.cel.syntax import Literal
from agent_saga.policies.model import Amount, Inverse, Policy, ToolRule
from agent_saga.policies.rendering.blocks import Block, Paragraph
from agent_saga.policies.rendering.prose import Code, Prose, codes


def undos(policy: Policy) -> Iterator[Block]:
    """A paragraph a tool; and one on the others, since nobody else bounds their undos."""
    told = [tool for tool in policy.tools.values() if tool.inverse is not None]
    for tool in told:
        assert tool.inverse is not None
        yield Paragraph(("An undo of ", Code(tool.name), *_says(tool, tool.inverse), "."))
    free = [tool.name for tool in policy.tools.values() if tool.undo and tool.inverse is None]
    if told and free:
        yield Paragraph(("The policy asks nothing of the undos of ", *codes(free, "and"), "."), quiet=True)


def _says(tool: ToolRule, inverse: Inverse) -> Prose:
    money: Prose = ()
    if tool.amount is not None and inverse.amount is not None:
        fee = f" (of which {tool.fee:,} minor units may be kept back)" if tool.fee else ""
        money = (" gives back at ", *_amount(inverse.amount), " what was taken at ", *_amount(tool.amount), fee)
    if inverse.must is None:
        return money
    both = ", and is made only where " if money else " is made only where "
    return (*money, both, Code(" ".join(inverse.must.text.split())), " holds")


def _amount(amount: Amount) -> Prose:
    currency = amount.currency.tree
    named = (currency.value,) if isinstance(currency, Literal) else (Code(amount.currency.text),)
    return (Code(amount.minor.text), " in ", *named)
