"""Puts the proof of a waiver into its file, and leaves every other character of the file as it was.

Source: docs/spec/policy-v1.md, "Waivers".
"""

import json
from collections.abc import Mapping
from typing import Any

from agent_saga.approvals.errors import SigningFault
from agent_saga.policies.document import Node, parse
from agent_saga.policies.loading.errors import WAIVERS


def with_proof(data: bytes, path: str, waiver: Node, proof: Mapping[str, Any]) -> bytes:
    """The file with the proof as a member of the waiver. data: its bytes, of which the waiver was read.

    Raises SigningFault when the file would then say anything else as well.
    """
    text = data.decode().replace("\r\n", "\n")
    written = json.dumps(proof)
    if text[_index(text, waiver)] == "{":
        at = _index(text, waiver) + 1
        name = '"proof"' if path.lower().endswith(".json") else "proof"
        text = f"{text[:at]}{name}: {written}, {text[at:]}"
    else:
        second = [*waiver.members.values()][1].name
        at = _index(text, second)
        text = f"{text[:at]}proof: {written}\n{' ' * (second.column - 1)}{text[at:]}"
    made = text.replace("\n", "\r\n").encode() if b"\r\n" in data else text.encode()
    _check(data, made, path, waiver.plain | {"proof": dict(proof)})
    return made


def _index(text: str, node: Node) -> int:
    """The offset of a node's first character."""
    lines = text.split("\n")
    return sum(len(line) + 1 for line in lines[: node.line - 1]) + node.column - 1


def _check(before: bytes, after: bytes, path: str, waiver: Mapping[str, Any]) -> None:
    (old, _), (new, faults) = parse(before, path, WAIVERS), parse(after, path, WAIVERS)
    due = old.plain
    due["waivers"] = [waiver if one["id"] == waiver["id"] else one for one in due["waivers"]]
    if faults or new.plain != due:
        raise SigningFault(f"{path}: the proof cannot be put in: write the waiver as members in lines of their own")
