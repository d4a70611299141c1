"""The application: which path does what, for whom, and behind which guard.

    app = make_app(desk, registry, "https://approve.example", clock, random)         # any ASGI server runs it

Source: docs/guide/approval-page.md.
"""

from collections.abc import Callable
from datetime import datetime
from importlib.resources import files
from typing import Final
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from agent_saga.approvals.errors import RegistryFault
from agent_saga.approvals.registry import Registry
from agent_saga.console.answering import Answering
from agent_saga.console.desk import Desk
from agent_saga.console.entering import Entering
from agent_saga.console.faults import HANDLERS
from agent_saga.console.guard import Guard
from agent_saga.console.sessions import Sessions
from agent_saga.console.tickets import Tickets
from agent_saga.console.visitors import Visitors

_ASSETS: Final = {"style.css": "text/css", "passkey.js": "text/javascript", "icon.svg": "image/svg+xml"}


def make_app(
    desk: Desk, registry: Registry, origin: str, clock: Callable[[], datetime], random: Callable[[int], bytes]
) -> ASGIApp:
    """The page as an ASGI application. origin: where browsers see it. clock, random: as of :class:`Desk`.

    Raises RegistryFault when no passkey of the registry may sign on this origin.
    """
    check_origin(registry, origin)
    visitors = Visitors(desk, Sessions(clock, random), origin)
    entering = Entering(desk, visitors, Tickets(clock, random), random)
    answering = Answering(desk, visitors)
    routes = [
        Route("/", answering.listing),
        Route("/request/{leaf}", answering.request),
        Route("/request/{leaf}", answering.review, methods=["POST"]),
        Route("/request/{leaf}/sign", answering.sign, methods=["POST"]),
        Route("/sign-in", entering.ask),
        Route("/sign-in", entering.sign_in, methods=["POST"]),
        Route("/sign-out", entering.sign_out, methods=["POST"]),
        Route("/enrol", entering.ask_new),
        Route("/enrol", entering.enrol, methods=["POST"]),
        *(Route(f"/assets/{name}", _asset(name, media)) for name, media in _ASSETS.items()),
    ]
    return Guard(Starlette(routes=routes, exception_handlers=dict(HANDLERS)), origin)


def check_origin(registry: Registry, origin: str) -> None:
    """Raises RegistryFault for an origin on which no passkey of the registry may sign, or no browser would let it."""
    parts = urlsplit(origin)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname == "localhost"):
        raise RegistryFault(f"origin {origin}: browsers have passkeys on https://... and http://localhost:PORT only")
    if f"{parts.scheme}://{parts.netloc}" != origin:
        raise RegistryFault(f"origin {origin}: expected scheme, host and port only, such as https://approve.example")
    if registry.rp is None or origin not in registry.rp.origins:
        raise RegistryFault(f"the registry's rp does not list the origin {origin}: no passkey may sign there")


def _asset(name: str, media: str) -> Callable[[Request], Response]:
    data = (files("agent_saga.console") / "assets" / name).read_bytes()
    return lambda request: Response(data, media_type=media)
