"""Testing sagas: simulated providers that count what really happened, ready-made scenarios, kills at every line.

    @pytest.mark.chaos("shop.sagas:checkout")
    def test_a_checkout_survives_a_kill_anywhere(chaos):
        end = chaos()                              # killed at one append, recovered by another process
        assert_certified(end.store)
        assert_replays(end.store, end.runnable)

- :mod:`~agent_saga.testing.providers`: stock, payments, delivery and a bank, with ledgers of their own
- :mod:`~agent_saga.testing.scenarios`: a checkout that goes well, fails, loses a reply, is killed, waits
- :mod:`~agent_saga.testing.approving`: people with keys that everybody knows, who sign
- :mod:`~agent_saga.testing.chaos`: SIGKILL at an append, recovery by another process
- :mod:`~agent_saga.testing.asserting`, ``replaying``: what a test may demand of a trace
- :mod:`~agent_saga.testing.plugin`: the pytest plugin; it loads nothing before a test asks for it
- :mod:`~agent_saga.testing.demo`: what ``agent-saga demo`` tells

The guide is docs/guide/testing.md.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agent_saga.runtime.runnable import Runnable
    from agent_saga.testing.approving import People
    from agent_saga.testing.asserting import assert_certified
    from agent_saga.testing.chaos import KillPoint, Survivor, kill_and_recover, kill_points
    from agent_saga.testing.replaying import assert_replays

_HOMES = {
    "Runnable": "agent_saga.runtime.runnable",
    "KillPoint": "agent_saga.testing.chaos",
    "People": "agent_saga.testing.approving",
    "Survivor": "agent_saga.testing.chaos",
    "assert_certified": "agent_saga.testing.asserting",
    "assert_replays": "agent_saga.testing.replaying",
    "kill_and_recover": "agent_saga.testing.chaos",
    "kill_points": "agent_saga.testing.chaos",
}

__all__ = [
    "KillPoint",
    "People",
    "Runnable",
    "Survivor",
    "assert_certified",
    "assert_replays",
    "kill_and_recover",
    "kill_points",
]


def __getattr__(name: str) -> Any:
    """Load a name when it is asked for: pytest imports this package in every run that has the plugin installed."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
