"""What a policy asks of a call besides what is asked at its line: by limits, and where no limit asks for anything.

Source: docs/rules.md, "Policies".
"""

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from agent_saga.policies.model import Approve


class Then(NamedTuple):
    """What a limit asks of a call that goes beyond it. approve: None for a denial. waived: by which waiver, "" by none.

    lapsed: waivers that would have lifted it on another day. judged: False where another policy was in force at the
    call, so that the limit only counts it.
    """

    approve: "Approve | None"
    waived: str = ""
    lapsed: tuple[str, ...] = ()
    judged: bool = True


COUNTED: Final = Then(None, judged=False)
"""Of a call that a limit counts, and that was not judged by its policy."""


class Asked(NamedTuple):
    """What else is asked of a call. rules: the approval that rules ask for. default: where no limit asks for another.

    denied: it is denied in any case, and AS401 says so. policy: digest of the one that judged the call.
    """

    rules: "Approve | None" = None
    default: "Approve | None" = None
    denied: bool = False
    policy: str = ""
