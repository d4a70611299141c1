"""Answers vectors with agent_saga.proofs: what each must come to, in the words of its `expect`."""

from __future__ import annotations

from base64 import b64decode
from binascii import unhexlify
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from agent_saga.proofs.checking import check_consistency, check_inclusion, check_leaves
from agent_saga.proofs.checkpoints import Checkpoint, Pin, open_checkpoint
from agent_saga.proofs.continuing import check_continues, parse_continuation
from agent_saga.proofs.cosigning import check_cosignature, witness
from agent_saga.proofs.entries import Placed, check_absent, check_placed, key_of, parse_entry
from agent_saga.proofs.errors import KeyFault, Refuted
from agent_saga.proofs.hashing import leaf, root_of
from agent_saga.proofs.notes import check_signature, parse_note
from agent_saga.proofs.planning import inclusion
from agent_saga.proofs.tlog_proof import check_tlog_proof
from agent_saga.proofs.tree import Leaves, consistency
from agent_saga.proofs.vkeys import parse_vkey

Vector = dict[str, Any]


def answer(vector: Vector) -> Vector:
    """``{"ok": True, ...}`` or ``{"reason": WORD}``; a key that cannot be read is ``bad-key``."""
    try:
        return {"ok": True, **(_KINDS[vector["kind"]](vector) or {})}
    except Refuted as refusal:
        return {"reason": refusal.reason}
    except KeyFault:
        return {"reason": "bad-key"}


def note_bytes(vector: Vector) -> bytes:
    """The bytes of a note: given as text, as hex, or as texts that are repeated."""
    if "note_hex" in vector:
        return bytes.fromhex(vector["note_hex"])
    parts = vector.get("note_parts") or [[vector["note"], 1]]
    return "".join(text * times for text, times in parts).encode()


def _hashes(texts: list[str]) -> list[bytes]:
    return [b64decode(text, validate=True) for text in texts]


def _leaf(entry: str) -> bytes:
    return leaf(unhexlify(entry))


def _root(vector: Vector) -> None:
    assert root_of([_leaf(one) for one in vector["entries"]]) == b64decode(vector["root"])


def _inclusion(vector: Vector) -> None:
    path, root = _hashes(vector["path"]), b64decode(vector["root"])
    check_inclusion(_leaf(vector["entry"]), vector["index"], vector["size"], path, root)


def _consistency(vector: Vector) -> None:
    old_root, new_root = b64decode(vector["old_root"]), b64decode(vector["new_root"])
    check_consistency(vector["old"], vector["new"], _hashes(vector["proof"]), old_root, new_root)


def _leaves(vector: Vector) -> None:
    leaves = {index: _leaf(entry) for index, entry in vector["leaves"]}
    check_leaves(leaves, vector["size"], _hashes(vector["proof"]), b64decode(vector["root"]))


def _accumulated(vector: Vector) -> None:
    leaves = [leaf(at.to_bytes(4, "big")) for at in range(vector["sizes"])]
    total = sha256()
    for size in range(1, vector["sizes"] + 1):
        nodes = Leaves(leaves[:size])
        total.update(root_of(leaves[:size]))
        for index in range(size):
            total.update(b"".join(inclusion(nodes, index, size)))
        for old in range(1, size):
            total.update(b"".join(consistency(nodes, old, size)))
    assert total.hexdigest() == vector["digest"]


def _note(vector: Vector) -> None:
    key = parse_vkey(vector["pin"]["vkey"])  # a verifier reads its pin before any evidence
    check_signature(parse_note(note_bytes(vector)), key)


def _pin(vector: Vector) -> Pin:
    return Pin(vector["pin"]["origin"], parse_vkey(vector["pin"]["vkey"]))


def _checkpoint(vector: Vector) -> Vector:
    pin = _pin(vector)
    checkpoint, _ = open_checkpoint(note_bytes(vector), pin)
    root = b64decode(vector["expect"].get("root", ""))
    return {"size": checkpoint.size, "root": vector["expect"].get("root") if root == checkpoint.root else None}


def _cosignature(vector: Vector) -> Vector:
    pin, witness_key = _pin(vector), parse_vkey(vector["pin"]["witness"])
    _, note = open_checkpoint(note_bytes(vector), pin)
    return {"time": check_cosignature(note, witness_key).at}


def _state(state: Vector, origin: str = "log.example/acme") -> Checkpoint:
    return Checkpoint(origin, state["size"], b64decode(state["root"]))


def _witness(vector: Vector) -> None:
    pin, seen = _pin(vector), _state(vector["seen"]) if vector["seen"] else None
    witness(note_bytes(vector), pin, seen, _hashes(vector["proof"]))


def _tlog_proof(vector: Vector) -> Vector:
    pin = _pin(vector)
    index, checkpoint = check_tlog_proof(vector["proof"].encode(), _leaf(vector["entry"]), pin)
    return {"index": index, "size": checkpoint.size}


def _continuation(vector: Vector) -> None:
    given = parse_continuation(vector["proof"].encode())
    check_continues(_state(vector["earlier"]), _state(vector["later"]), given)


def _key(vector: Vector) -> None:
    assert key_of(vector["saga"]) == vector["key"]


def _entry(vector: Vector) -> None:
    assert parse_entry(vector["entry"]).text() == vector["entry"]


def _placed(shown: Vector) -> Placed:
    return Placed(parse_entry(shown["entry"]), shown["place"], _hashes(shown["path"]))


def _present(vector: Vector) -> None:
    check_placed(_placed(vector), vector["size"], b64decode(vector["root"]))


def _absent(vector: Vector) -> None:
    before, after = map(_placed, vector["entries"])
    check_absent(vector["saga"], before, after, vector["size"], b64decode(vector["root"]))


_KINDS: dict[str, Callable[[Vector], Vector | None]] = {
    "root": _root,
    "inclusion": _inclusion,
    "consistency": _consistency,
    "leaves": _leaves,
    "accumulated": _accumulated,
    "note": _note,
    "checkpoint": _checkpoint,
    "cosignature": _cosignature,
    "witness": _witness,
    "tlog-proof": _tlog_proof,
    "consistency-file": _continuation,
    "index-key": _key,
    "index-entry": _entry,
    "present": _present,
    "absent": _absent,
}
