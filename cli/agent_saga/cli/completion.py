"""``agent-saga completion``: the script that lets a shell complete commands, options and their values."""

from typing import Annotated, Final

import typer

from agent_saga.cli.choosing import require_known
from agent_saga.cli.terminal import say

PROGRAM: Final = "agent-saga"
COMPLETE_VARIABLE: Final = "_AGENT_SAGA_COMPLETE"
SHELLS: Final = ("bash", "zsh", "fish")


def completion(
    shell: Annotated[str, typer.Argument(metavar="|".join(SHELLS), autocompletion=lambda: list(SHELLS))],
) -> None:
    """Print a completion script: for bash, `source <(agent-saga completion bash)` in ~/.bashrc."""
    require_known("shell", shell, SHELLS)
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    script = get_completion_script(prog_name=PROGRAM, complete_var=COMPLETE_VARIABLE, shell=shell)
    say(script + "\n")


def enable() -> None:
    """Let this process answer a shell that asks for completions."""
    from typer.completion import completion_init  # type: ignore[attr-defined]

    completion_init()
