"""The command ``agent-saga``: parses options, calls one function of a part below, prints what it gives back.

``app`` is the Typer application; ``main`` runs it as the console script does. Both are loaded when they are used, so
that an interrupt during start-up is as quiet as any other.

Exit codes: docs/exit-codes.md.
"""

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agent_saga.cli.commands import app

__all__ = ["app", "main"]


def main() -> None:
    """Run the command with the arguments of this process, and end the process with its exit code."""
    try:
        from agent_saga.cli.program import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130
    sys.exit(code)


def __getattr__(name: str) -> Any:
    if name == "app":
        from agent_saga.cli.commands import app

        return app
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
