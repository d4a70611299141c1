"""Telling a log by its first bytes, and telling what is no log although it comes from the same package."""

import re
from typing import Any, Final

import msgspec

from agent_saga.certify.importers.agent_saga_log.records import ENCRYPTED

_LOOKED_AT: Final = 64
"""Lines of the head that may be damaged before the format is given up."""
_CUT_RECORD = re.compile(rb'\s*\{\s*"seq"\s*:\s*\d+\s*,\s*"(?:event|ts)"\s*:').match
_PROOF = re.compile(rb'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"algorithm"\s*:\s*"[a-z0-9-]*merkle').match
_CERTIFICATE = re.compile(rb'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"safe"\s*:\s*(?:true|false)').match
_APPROVAL = re.compile(rb'\s*\{\s*"approver"\s*:[^{}]*"break_glass"\s*:').match

_decode = msgspec.json.Decoder().decode


def recognises(head: bytes) -> bool:
    """Tell whether an input is a log: some line among its first is a record of one."""
    if explain_foreign_json(head):
        return False
    lines = head.split(b"\n")
    return head.startswith(ENCRYPTED) or any(map(_is_record, lines[:_LOOKED_AT]))


def _is_record(line: bytes) -> bool:
    try:
        fields: Any = _decode(line)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return _CUT_RECORD(line) is not None
    return type(fields) is dict and "event" in fields and ("ts" in fields or "seq" in fields) and "v" not in fields


def explain_foreign_json(head: bytes) -> str | None:
    """Say what a document of the same package is, and what to certify instead; None when it is none of those known."""
    if _PROOF(head):
        return "a proof, not a trace: it discloses some records of a log; certify the log itself"
    if _CERTIFICATE(head):
        return "a certificate, not a trace: it is somebody's verdict on a log; certify the log itself"
    if _APPROVAL(head):
        return "an approval record, not a trace; certify the log whose step it approved"
    return None
