"""Foreign sources: what each format is told by, and the register of them.

A format is a package here that exports ``FORMAT``. Detection looks at the first bytes of an input, never at its name;
what no format recognises is read as a trace of ours, so that every strange line is named.

Source: docs/sources/, one page a format.
"""

import importlib
from functools import cache
from typing import Final

from agent_saga.certify.source import SourceFormat

_PACKAGES: Final = ("agent_saga_log", "agentic_saga", "temporal")
"""In the order in which they are asked."""


@cache
def _format(package: str) -> SourceFormat:
    found: SourceFormat = importlib.import_module(f"{__name__}.{package}").FORMAT
    return found


def foreign_formats() -> tuple[SourceFormat, ...]:
    """Every format that can be imported."""
    return tuple(map(_format, _PACKAGES))


def recognise(head: bytes) -> SourceFormat | None:
    """The foreign format of an input, told from its first bytes; None for a trace of ours or something unknown."""
    if head.startswith(b'{"v":'):
        return None
    return next((found for found in map(_format, _PACKAGES) if found.recognises(head)), None)


def explain(head: bytes) -> str | None:
    """Why an input is no trace at all although it is well known what it is (a proof, a certificate); None otherwise."""
    if head.startswith(b'{"v":'):
        return None
    if head.startswith(b'{"payload":"'):
        return "this is a certificate, which says what was judged elsewhere: run `agent-saga verify` on it"
    from agent_saga.certify.importers.agent_saga_log import explain_foreign_json

    return explain_foreign_json(head)
