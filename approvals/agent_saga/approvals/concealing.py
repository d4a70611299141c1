"""Concealed values: what an approver and the executor must open before anything is signed or done.

The action is over the line's own form, placeholders and all, so erasing a value later voids no signature. Nobody signs
what they cannot see: one that is missing, or differs from its DIGEST, is refused.

Source: docs/spec/approval-v1.md, "Concealed values"; docs/spec/trace-v1.md, same heading.
"""

from collections.abc import Iterable
from typing import Any

from agent_saga.approvals.errors import NotApproved
from agent_saga.trace.conceal import Disclosures, digests_in


def open_all(value: Any, disclosures: Iterable[str]) -> Any:
    """The value with every concealed part opened. disclosures: the texts D, in any order, more than needed is no fault.

    Raises NotApproved (``withheld``): some part cannot be opened, or a disclosure is malformed.
    """
    known = Disclosures(("a disclosure", text) for text in disclosures)
    if known.faults:
        raise NotApproved("withheld", f"{known.faults[0][0]} {known.faults[0][1]}")
    opened, sealed = known.open(value)
    if sealed:
        missing = next(one for one in digests_in(value) if one not in known.values)
        raise NotApproved("withheld", f"the concealed value {missing} cannot be opened: nobody can approve it unseen")
    return opened
