"""Every bound of the runtime, with its reason."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

MAX_PAYLOAD: Final = 65_536
"""Bytes of the arguments or the result of one call, as compact JSON: a quarter of a line, so that a line holds both."""

MAX_MESSAGE: Final = 500
"""Characters of an exception's message that are kept: enough to act on, short enough not to leak a page."""

DRIVER_PATIENCE: Final = 30.0
"""Seconds between two questions to a busy driver, at most."""

LAST_WORDS: Final = 5.0
"""Seconds that a cancelled async tool, hook or driver has to end: to close a connection takes less, and on Temporal
an activity has a minute beyond its tool's time."""

LEASE: Final = 30.0
"""Seconds that a saga is held without a sign of life: longer than any pause of a healthy process."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one saga may spend.

    turns: proposals of the agent. calls: attempts of forward calls. refusals: proposals refused before a person is
    asked. deadline: seconds from the start after which nothing new is begun; None for none. reconciles: questions to a
    provider about one unknown call. undo_attempts: calls of one undo. backoff: seconds before the second attempt,
    doubled with each further one. money: minor units that its calls may move, by ISO 4217 currency; what was undone
    counts too, and once there is a limit, no other currency moves. Empty for none.
    """

    turns: int = 50
    calls: int = 200
    refusals: int = 3
    deadline: float | None = None
    reconciles: int = 3
    undo_attempts: int = 3
    backoff: float = 0.2
    money: Mapping[str, int] = field(default_factory=dict)


DEFAULT_LIMITS: Final = Limits()
"""What a saga may spend when its definition says nothing: room for a working day of one agent, and no more."""
