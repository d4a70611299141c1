"""One remark on a policy."""

from dataclasses import dataclass
from typing import Literal

from agent_saga.policies.model import Place

Code = Literal[
    "always-true",
    "never-true",
    "shadowed",
    "uncountable-limit",
    "allow-changes-nothing",
    "approval-for-preview",
    "judges-no-undo",
    "null-slips-past",
    "no-common-role",
    "decide-by-several",
]


@dataclass(frozen=True, slots=True)
class Note:
    """place: of the rule or limit, or of its condition. message: what is odd, and what to do about it."""

    place: Place
    code: Code
    message: str
