"""What a reader of the verdict must accept about policies, in sentences; and which rules a policy makes possible.

Source: docs/rules.md, "Policies".
"""

from collections.abc import Iterable, Iterator
from typing import Final

from agent_saga.certify.policing.gathered import Policing
from agent_saga.certify.policing.trust import PolicyTrust

POLICED: Final = ("AS401", "AS403", "AS408")
"""Rules that need no more of a source than its calls with their arguments, once the user gives the policy."""

OPERATOR: Final = "tool classes are the operator's own statement: no policy is pinned"
_FIRST_USE: Final = "(--trust-on-first-use)"
_NO_CALL: Final = "no call was judged by"
_NO_UNDOS: Final = "the format records no arguments of undos: none was held to what the policy says under inverse"
_CLOCK: Final = "windows of limits are counted by the times of the lines, which the operator's clock asserts"


def policed(found: Policing, trust: PolicyTrust, *, foreign: bool) -> Iterator[str]:
    """The sentences about one input. foreign: its format records no arguments of undos."""
    if trust.policy is None:
        yield OPERATOR
        if trust.first_use and found.named:
            names = ", ".join(f"{one[:16]}..." for one in sorted(found.named))
            yield f"the policy {names} is named by the log itself {_FIRST_USE}: {_NO_CALL} it"
        return
    if not found.named_by:
        yield f"{len(trust.all)} policies were given, and the format cannot say which was in force: {_NO_CALL} any"
    for digest, named in found.named_by.items():
        judged = found.calls[digest]
        calls = f"{judged:,} call was" if judged == 1 else f"{judged:,} calls were"
        yield f"{calls} judged by {named} ({digest[:16]}...), which is the user's own copy"
        if found.untold[digest]:
            many = f"{found.untold[digest]:,}"
            yield f"{many} calls from before {named} count as nothing for its limits: what they took cannot be told"
    policies = [one.policy for one in trust.all if one.policy is not None]
    if foreign and any(tool.inverse is not None for one in policies for tool in one.tools.values()):
        yield _NO_UNDOS
    if found.spending.lines:
        yield _CLOCK
    for name, calls_waived in sorted(found.waived.items()):
        plural = "" if calls_waived == 1 else "s"
        yield f"waiver {name} let {calls_waived:,} call{plural} pass"


def first_use_of(assumptions: Iterable[str]) -> bool:
    """Whether these sentences say that a policy was taken from the log itself."""
    return any(_FIRST_USE in one for one in assumptions)


def opened_by(found: Policing) -> frozenset[str]:
    """Waivers that mattered: they let a call pass, or would have on another day."""
    return frozenset(found.waived) | found.lapsed
