"""Digests: of a job, which stands in the trace, and of a tool's entry in a catalogue, which stands in the job.

Both are over canonical JSON as in RFC 8785: members in the order of their names, no white space, UTF-8, integers only.
Both can be computed again by whoever holds the file and the trace: ``saga.started`` carries the catalogue.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

import msgspec

from agent_saga.runtime.tools import Tool
from agent_saga.trace.values import dumps

JOB: Final = b"agent-saga/job/v1\0"
TOOL: Final = b"agent-saga/tool/v1\0"


def canonical(value: Any) -> bytes:
    """The one spelling of a JSON value without floats."""
    return dumps(_ordered(value))


def _ordered(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _ordered(value[name]) for name in sorted(value, key=lambda text: text.encode("utf-16-be"))}
    return [_ordered(item) for item in value] if isinstance(value, list | tuple) else value


def job_digest(plain: Any) -> str:
    """SHA-256 of a job, 64 hex digits: the member ``spec`` of ``saga.started``. plain: what its file says."""
    return sha256(JOB + canonical(plain)).hexdigest()


def tool_digest(name: str, catalogue: Mapping[str, Mapping[str, Any]]) -> str:
    """``sha256:`` and the digest of a tool's entry and of its undo's. catalogue: as in ``saga.started``, ``tools``."""
    spec = dict(catalogue[name])
    undo = str(spec.get("undo"))
    inverse = {"inverse": dict(catalogue[undo])} if undo in catalogue else {}
    return "sha256:" + sha256(TOOL + canonical({"name": name, "spec": spec, **inverse})).hexdigest()


def tool_digests(tools: Mapping[str, Tool]) -> dict[str, str]:
    """The digests of a definition's ``catalogue``, by name: what ``tools`` of a job says."""
    catalogue = {name: msgspec.to_builtins(tool.spec) for name, tool in tools.items()}
    return {name: tool_digest(name, catalogue) for name in catalogue}
