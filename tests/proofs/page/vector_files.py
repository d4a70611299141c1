"""All vectors, in the form that answering.js and driving.js read."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

from opening import ROOT

VECTORS = ROOT / "fixtures" / "vectors"
NOT_OF_THE_PAGE = {"accumulated", "certificate"}
"""How proofs are made, and what `agent-saga verify` alone checks."""
OF_OTHERS = {"approvals", "policies"}
"""Folders of vectors of what the page does not judge: persons' signatures, and policies."""
Named = tuple[str, dict[str, Any]]


def all_vectors() -> Iterator[Named]:
    """Every vector with its name, those of single lines too."""
    for path in sorted(VECTORS.glob("*/*.json")):
        found = json.loads(path.read_text("utf-8"))
        if path.parent.name == "trace":
            yield from _of_lines(path.stem, found)
        elif path.parent.name not in OF_OTHERS and found["kind"] not in NOT_OF_THE_PAGE:
            yield f"{path.parent.name}/{path.stem}", found


def _of_lines(stem: str, found: list[dict[str, Any]]) -> Iterator[Named]:
    for number, one in enumerate(found):
        name = f"trace/{stem} {one.get('name', number)}"
        if stem == "conceal":
            yield name, {**one, "kind": "disclosure", "digest": one["placeholder"]["..."], "expect": {"ok": True}}
        else:
            yield name, {**one, "kind": "line", "expect": {"ok": True} if stem == "good" else {"reason": "bad-line"}}


def encoded(text: str | bytes) -> str:
    """In base64, as driving.js takes files."""
    return b64encode(text.encode() if isinstance(text, str) else text).decode()


def steps() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """What an auditor would do with each vector that is a file: its name, the step, and what to expect."""
    for name, vector in all_vectors():
        made = _MAKERS.get(vector["kind"])
        if made and "note_hex" not in vector and "note_parts" not in vector:
            yield name, made(vector), vector["expect"]


def certificates() -> Iterator[dict[str, Any]]:
    """Certificates, as steps: the page checks none."""
    for path in sorted((VECTORS / "certificates").glob("good-*.json")):
        vector = json.loads(path.read_text("utf-8"))
        yield {"pin": vector["pin"], "file": encoded(vector["certificate"])}


def _pin(vector: dict[str, Any]) -> str:
    pin = vector["pin"]
    witness = f"witness {pin['witness']}\n" if "witness" in pin else ""
    return f"agent-saga-pin-v1\norigin {pin['origin']}\nlog {pin['vkey']}\n{witness}"


def _bundle(vector: dict[str, Any]) -> dict[str, Any]:
    step = {"pin": vector["pin"], "file": vector.get("base64") or encoded(vector["bundle"])}
    if "earlier" in vector:
        step["kept"] = [encoded(vector["earlier"])]
    if "consistency" in vector:
        step["consistency"] = encoded(vector["consistency"])
    return step


def _note(vector: dict[str, Any]) -> dict[str, Any]:
    return {"pin": _pin(vector), "file": encoded(vector["note"])}


def _proof(vector: dict[str, Any]) -> dict[str, Any]:
    line = b64encode(bytes.fromhex(vector["entry"])).decode()
    return {"pin": _pin(vector), "file": encoded(vector["proof"]), "line": line}


_MAKERS = {"bundle": _bundle, "checkpoint": _note, "cosignature": _note, "tlog-proof": _proof}
