"""What one line's members say against each other and against the catalogue, and the finding that tells it (AS102).

Source: docs/spec/trace-v1.md, "Types".
"""

from typing import Any

from agent_saga.certify.history.compare import Known, Money, identical, known, money, same
from agent_saga.certify.history.saga import Saga
from agent_saga.certify.rule import Draft, at, withheld
from agent_saga.trace.events import ToolSpec
from agent_saga.trace.values import MISSING, resolve


def contradicts(event: Any, line: int, subject: str, why: str, expected: str, earlier: int = 0) -> Draft:
    """A finding about this line, and about the earlier one that it contradicts."""
    witness = (at(earlier, "said before"),) if earlier else ()
    return Draft(subject, f"line {line}: {why}", expected, (*witness, at(line, event.type)))


def sound_amount(saga: Saga, event: Any, amount: dict[str, Any] | None, line: int, subject: str) -> Draft | None:
    """An amount is a quantity of money: not less than nothing, and money also once it is opened."""
    if amount is None:
        return None
    minor = amount.get("minor")
    if type(minor) is int and minor >= 0 and type(amount.get("currency")) is str:
        return None
    value = money(amount, saga.disclosures)
    if isinstance(value, Money):
        why = f"the amount of {subject} is {value}, less than nothing" if value.minor < 0 else ""
    else:
        sealed = known(amount, saga.disclosures).sealed
        why = "" if sealed else f"the amount of {subject} is no money once it is opened"
    expected = "an amount of 0 or more in minor units; the tool says which way it moves"
    return contradicts(event, line, subject, why, expected) if why else None


def pointed(saga: Saga, event: Any, call: Any, line: int, subject: str) -> Draft | None:
    """Where the catalogue says that an argument is the amount or the resource, the member must say the same.

    call: the event itself, or the inverse call that it records.
    """
    spec: ToolSpec | None = saga.tools.get(call.tool) if saga.tools else None
    if spec is None or (spec.amount_from is None and spec.resource_from is None):
        return None
    for member, pointer in (("amount", spec.amount_from), ("resource", spec.resource_from)):
        if pointer is None or not hasattr(call, member):
            continue
        said, meant = getattr(call, member), resolve(pointer, call.args)
        if said is None or meant is MISSING or not identical(said, meant):
            draft = _equal(saga, event, call, line, subject, (member, pointer))
            if draft:
                return draft
    return None


def _equal(saga: Saga, event: Any, call: Any, line: int, subject: str, names: tuple[str, str]) -> Draft | None:
    """A second look at what is not written alike: sealed, equal as JSON, or different."""
    member, pointer = names
    said = getattr(call, member)
    expected = f"{member} equal to what stands at {pointer or 'the top'} of args"
    meant = resolve(pointer, saga.disclosures.open(call.args)[0])
    if said is None or meant is MISSING:
        lacking = f"has no {member}" if said is None else f"has nothing at {pointer} of args"
        where = f"{pointer or 'all'} of args"
        why = f"the catalogue takes the {member} of {call.tool} from {where}, and {subject} {lacking}"
        return contradicts(event, line, subject, why, expected)
    equal = same(_known(said, saga), _known(meant, saga))
    if equal is None:
        why = f"line {line}: whether the {member} of {subject} is that in its args cannot be told: one is concealed"
        return withheld(subject, why, f"disclosures of {member} and args", (at(line, event.type),))
    why = f"the {member} of {subject} is not what stands at {pointer or 'the top'} of its args"
    return None if equal else contradicts(event, line, subject, why, expected)


def _known(value: Any, saga: Saga) -> Known:
    return known(value, saga.disclosures)
