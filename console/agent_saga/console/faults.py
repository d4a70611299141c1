"""What the person is told when something was not done: in words, with a stable reason, never with a traceback."""

from collections.abc import Mapping
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from agent_saga.approvals.errors import NotApproved
from agent_saga.console.errors import Refused
from agent_saga.console.pages import refused
from agent_saga.runtime import SagaBusy, StaleDecision
from agent_saga.trace.errors import AgentSagaError


def _page(status: int, title: str, reason: str, words: str) -> Response:
    return HTMLResponse(refused(title, reason, words), status)


async def _refused(request: Request, fault: Exception) -> Response:
    assert isinstance(fault, Refused)
    return _page(fault.status, "Not done", fault.reason, str(fault))


async def _not_approved(request: Request, fault: Exception) -> Response:
    assert isinstance(fault, NotApproved)
    return _page(403, "Not accepted", fault.reason, str(fault))


async def _busy(request: Request, fault: Exception) -> Response:
    return _page(409, "Not now", "busy", f"{fault}; nothing was recorded, try again")


async def _stale(request: Request, fault: Exception) -> Response:
    return _page(409, "Not done", "stale", f"{fault}; nothing was recorded")


async def _surroundings(request: Request, fault: Exception) -> Response:
    return _page(503, "Not possible", "unavailable", f"{fault}; nothing is approved by that")


async def _http(request: Request, fault: Exception) -> Response:
    assert isinstance(fault, HTTPException)
    return _page(fault.status_code, "Not here", "no-page", "there is no such page here")


async def _bug(request: Request, fault: Exception) -> Response:
    return _page(500, "Our fault", "bug", "this is a bug of agent-saga; nothing is approved by that")


HANDLERS: Final[Mapping[Any, Any]] = {
    Refused: _refused,
    NotApproved: _not_approved,
    SagaBusy: _busy,
    StaleDecision: _stale,
    AgentSagaError: _surroundings,
    HTTPException: _http,
    Exception: _bug,
}
