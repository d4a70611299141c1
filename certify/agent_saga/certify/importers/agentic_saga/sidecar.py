"""The index beside a folder of Agentic Saga traces: ``index.json`` names each trace and pins it by its SHA-256.

The index is no trace. Met as an input it is skipped, with a note; what it lists and the folder lacks is an error.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from agent_saga.certify.importers.document import Document
from agent_saga.certify.importers.strict_json import has_surrogate, strict_decoder
from agent_saga.certify.source import Fault
from agent_saga.trace.reader import COMPRESSED, STDIN

NAME: Final = "index.json"
MAX_INDEX: Final = 4_194_304
"""Bytes of an index that are read: ten thousand runs of 400 bytes each."""


def is_index(document: Document) -> bool:
    """Tell an index from a trace by its shape."""
    runs = document.members.get("runs")
    return "events" not in document.lines and isinstance(runs, list) and all(isinstance(run, dict) for run in runs)


def read_index(path: str, document: Document) -> Iterator[Fault]:
    """The note that an index is no trace, and an error for each trace that it lists and the folder lacks."""
    runs = document.members["runs"]
    note = f"an index of {len(runs)} traces, not a trace: skipped; each trace beside it is checked against it"
    yield Fault(1, "AS601", note, subject="index", what="index", severity="note")
    for run in runs:
        name = run.get("trace_ref")
        if path != STDIN and isinstance(name, str) and not _beside(path, name):
            message = f"the index lists the trace {name[:200]!r}, which is not beside it"
            yield Fault(document.lines["runs"], "AS601", message, subject=f"trace {name[:200]}", what="index")


def _beside(path: str, name: str) -> bool:
    if "/" in name or "\\" in name or "\0" in name:
        return False
    folder = Path(path).parent
    try:
        return any((folder / (name + suffix)).is_file() for suffix in ("", *COMPRESSED))
    except OSError:
        return False


def check_listed(path: str, document: Document) -> Iterator[Fault]:
    """Compare a trace with the index beside it, if there is one. The digest is of the decompressed bytes."""
    if path == STDIN:
        return
    runs = _runs(Path(path).parent / NAME)
    if isinstance(runs, str):
        yield Fault(1, "AS601", f"{NAME} beside the trace was not used: {runs}", subject="index", severity="warning")
        return
    if runs is None:
        return
    listed = [run.get("trace_sha256") for run in runs if run.get("trace_ref") == _name(path)]
    if not listed:
        message = f"{NAME} beside the trace does not list it"
        yield Fault(1, "AS601", message, subject="index", what="trace", severity="warning")
    for pinned in listed:
        if pinned != document.sha256:
            message = (
                f"the file is not the one that {NAME} lists: its SHA-256 is {document.sha256[:16]}..., "
                f"listed is {str(pinned)[:16]}...; the trace was changed after it was indexed"
            )
            yield Fault(1, "AS601", message, subject="index", what="trace", expected=f"SHA-256 {pinned!s:.64}")


def _name(path: str) -> str:
    name = Path(path).name
    for suffix in COMPRESSED:
        name = name.removesuffix(suffix)
    return name


def _runs(path: Path) -> list[dict[str, Any]] | str | None:
    """The runs of an index; None when there is no index of this kind; a reason when it cannot be read."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as stream:
            raw = stream.read(MAX_INDEX + 1)
    except OSError as fault:
        return fault.strerror or str(fault)
    if len(raw) > MAX_INDEX:
        return f"it has more than {MAX_INDEX} bytes"
    problems: list[str] = []
    try:
        value = strict_decoder(problems).decode(raw.decode())
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as fault:
        return f"it is not JSON ({type(fault).__name__})"
    if problems or has_surrogate(value):
        return f"it is not strict JSON ({(problems or ['a lone surrogate'])[0]})"
    runs = value.get("runs") if isinstance(value, dict) else None
    if not isinstance(runs, list) or not all(isinstance(run, dict) for run in runs):
        return None
    return runs
