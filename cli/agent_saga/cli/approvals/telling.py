"""Telling somebody of each request as it begins to wait: a command of theirs, or a webhook with a signed body.

A notice carries no authority and no argument of the action: whoever is told opens the request itself.
"""

import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from agent_saga.cli.approvals.given import read_bytes
from agent_saga.cli.log import LOG

if TYPE_CHECKING:
    from agent_saga.runtime.approving import Pending
    from agent_saga.runtime.approving.notifying import Notify

Command = Annotated[
    str, typer.Option("--command", metavar="WORDS", help="Run this for each approval, its notice on standard input.")
]
Webhook = Annotated[
    str, typer.Option("--webhook", metavar="URL", help="Post the notice of each approval there, its body signed.")
]
Secret = Annotated[
    str, typer.Option("--secret-file", metavar="FILE", help="With --webhook: 16 bytes or more, for HMAC-SHA-256.")
]


def teller(command: str, url: str, secret: str) -> "Callable[[Pending], None]":
    """What tells of a request; a notice that nobody hears is a warning. Raises BadParameter, NotNotified."""
    from agent_saga.runtime.approving.notifying import NotNotified, notice

    ways = _ways(command, url, secret)

    def tell(pending: "Pending") -> None:
        for way in ways:
            try:
                way(notice(pending))
            except NotNotified as fault:
                LOG.warning("notice", f"saga {pending.saga} {pending.step} waits, and nobody was told: {fault}")

    return tell


def _ways(command: str, url: str, secret: str) -> "list[Notify]":
    from agent_saga.cli.posting import post
    from agent_saga.runtime.approving import notifying

    if bool(url) != bool(secret):
        raise typer.BadParameter("--webhook URL and --secret-file FILE go together: an unsigned notice tells nothing")
    try:
        words = shlex.split(command)
    except ValueError as fault:
        raise typer.BadParameter(f"--command: {fault}") from fault
    ways = [notifying.command(words)] if words else []
    if url:
        ways.append(notifying.webhook(url, notifying.by_hmac(read_bytes(secret).strip()), post))
    return ways
