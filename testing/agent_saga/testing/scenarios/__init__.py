"""Scenarios over a checkout: the providers misbehave, and what must have come of it is known beforehand.

Each is a runnable for ``MODULE:SAGA``: ``agent-saga recover demo.db agent_saga.testing.scenarios:crash``.

- :mod:`~agent_saga.testing.scenarios.table`: the scenarios and what each must come to
- :mod:`~agent_saga.testing.scenarios.checkout`, ``payout``, ``policed``: the sagas they play
- :mod:`~agent_saga.testing.scenarios.shop`: the providers, beside the store
- :mod:`~agent_saga.testing.scenarios.playing`: run, recover and decide until the saga rests
"""

from agent_saga.testing.scenarios.shop import Shop
from agent_saga.testing.scenarios.table import (
    SCENARIOS,
    Scenario,
    business_failure,
    compensation_failure,
    crash,
    happy_path,
    irreversible,
    irreversible_approved,
    lost_response,
    policy,
)

__all__ = [
    "SCENARIOS",
    "Scenario",
    "Shop",
    "business_failure",
    "compensation_failure",
    "crash",
    "happy_path",
    "irreversible",
    "irreversible_approved",
    "lost_response",
    "policy",
]
