"""``agent-saga approvals serve``: the page on which people read what waits and sign it with a passkey."""

import asyncio
from typing import Annotated, Any

import typer

from agent_saga.cli.terminal import note


def serve(
    store: Annotated[str, typer.Argument(metavar="STORE", help="A store: SQLite, or a .jsonl file.")],
    registry: Annotated[
        str,
        typer.Option(
            "--registry", metavar="FILE", help="The key registry; needed where the log was not opened with one."
        ),
    ] = "",
    host: Annotated[str, typer.Option("--host", metavar="HOST", help="Where to listen.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", metavar="PORT", min=1, max=65_535, help="Where to listen.")] = 8440,
    origin: Annotated[
        str,
        typer.Option("--origin", metavar="URL", help="Where browsers see the page. [http://localhost:PORT]"),
    ] = "",
) -> None:
    """Serve the approval page over a store, until interrupted.

    The registry's rp must list the origin. Behind a proxy that ends TLS, --origin is the proxy's, such as
    https://approve.example, and the proxy passes the Host on. A session approves nothing: only signatures count.
    """
    seen = origin or f"http://localhost:{port}"
    given = _read(registry) if registry else None
    served = _serving()
    try:
        asyncio.run(served(store, given, host, port, seen, lambda: note(f"{store}: the page is {seen}/ (^C ends it)")))
    except KeyboardInterrupt:
        note("the page is closed; what waits still waits")


def _serving() -> Any:
    """The function that serves, or words about the extra that has it. Raises BadParameter."""
    try:
        from agent_saga.console.serving import serve as served
    except ModuleNotFoundError as fault:
        if (fault.name or "").partition(".")[0] not in ("starlette", "uvicorn"):
            raise
        raise typer.BadParameter(
            "the page needs an extra: python -m pip install 'agent-saga-toolkit[console]'"
        ) from fault
    return served


def _read(path: str) -> Any:
    from agent_saga.approvals.errors import RegistryFault
    from agent_saga.approvals.limits import MAX_REGISTRY
    from agent_saga.approvals.strict import Unreadable, parse

    try:
        with open(path, "rb") as stream:
            return parse(stream.read(MAX_REGISTRY + 1), "the registry", MAX_REGISTRY)
    except (OSError, Unreadable) as fault:
        raise RegistryFault(f"{path}: {getattr(fault, 'strerror', None) or fault}") from fault
