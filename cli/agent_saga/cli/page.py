"""``agent-saga verify --html``: the HTML verifier, opened in the browser or copied for an auditor."""

from pathlib import Path
from typing import Final

from agent_saga.cli.terminal import say, visible

HINT: Final = "compare the SHA-256 with the one that was published with the release, before you rely on it"


def hand_out(output: str) -> int:
    """Write a copy to a new file, or open the installed page in the browser; say where it is and its SHA-256.

    Raises StoreError when the new file exists or cannot be written.
    """
    from agent_saga.proofs.page import digest, location, page

    data = page()
    if output:
        _copy(output, data)
    opened = _open(location()) if not output else None
    rows = [("page", output or str(location())), ("sha256", digest(data)), ("check", HINT)]
    if opened is False:
        rows.append(("browser", "none could be started: open the page yourself"))
    say("".join(visible(f"{label + ':':<12}{text}") + "\n" for label, text in rows))
    return 0


def _copy(output: str, data: bytes) -> None:
    from agent_saga.trace.store.moving import new_file

    with new_file(output) as out:
        out.write(data)


def _open(path: Path) -> bool:
    import webbrowser

    return webbrowser.open(path.as_uri())
