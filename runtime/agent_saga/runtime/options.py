"""The options of :class:`~agent_saga.runtime.engine.Engine`, for those who pass them on."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any, TypedDict

from agent_saga.runtime.approving.notifying import Notify
from agent_saga.runtime.gate import Gate
from agent_saga.runtime.journal import Random
from agent_saga.runtime.policing.given import Given, GivenWaivers
from agent_saga.runtime.policing.records import Sink


class EngineOptions(TypedDict, total=False):
    """The options of :class:`Engine`, for those who pass them on."""

    gate: Gate
    policy: Given
    waivers: GivenWaivers
    records: Sink
    providers: Mapping[str, Any]
    registry: Any
    notify: Notify
    log: str
    stop: Callable[[str, str], str]
    lease: float
    holder: str
    clock: Callable[[], datetime]
    sleep: Callable[[float], Awaitable[None]]
    random: Random


def never(saga: str, name: str) -> str:
    """The kill switch that is never on."""
    return ""
