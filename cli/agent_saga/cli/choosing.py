"""A word out of a few: the error for any other is alike in every command."""

from collections.abc import Iterable

import typer


def require_known(what: str, given: str, known: Iterable[str]) -> None:
    """Raise BadParameter unless the word is known. what: such as ``format``."""
    words = list(known)
    if given not in words:
        from agent_saga.certify.settings.documents import did_you_mean

        hint = did_you_mean(given, words)
        raise typer.BadParameter(f"unknown {what} {given!r}; expected one of {', '.join(words)}{hint}")
