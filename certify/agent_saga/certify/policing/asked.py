"""What a policy asks of a call besides what is asked at its line: by limits, and where no limit asks for anything.

Source: docs/rules.md, "Policies".
"""

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from agent_saga.policies.model import Approve


class Then(NamedTuple):
    """What a limit asks of a call that goes beyond it. approve: None for a denial. waived: by which waiver, "" by none.

    lapsed: waivers that would have lifted it on another day.
    """

    approve: "Approve | None"
    waived: str = ""
    lapsed: tuple[str, ...] = ()


class Asked(NamedTuple):
    """What else is asked of a call. rules: the approval that rules ask for. default: where no limit asks for another.

    denied: it is denied in any case, and AS401 says so.
    """

    rules: "Approve | None" = None
    default: "Approve | None" = None
    denied: bool = False
