"""What an attacker can do who has the log, not its key: cut, splice, relabel, prove again under the true root."""

from __future__ import annotations

from typing import Any

import msgspec
from bundle_samples import WIRE, MemoryLog

from agent_saga.proofs.bundles.making import assemble, make_bundle
from agent_saga.proofs.bundles.reading import Bundle, format_bundle, parse_bundle
from agent_saga.proofs.names import to_base64
from agent_saga.proofs.tree import shared_paths

Attack = tuple[str, str, str, bytes, dict[str, Any]]
"""Name, the reason it must be refused with, description, the bundle, and more members of the vector."""


def read(log: MemoryLog, saga: str = WIRE, **choices: Any) -> Bundle:
    """An honest bundle to start from."""
    return parse_bundle(make_bundle(log, saga, disclosures=log.disclosures, **choices))


def unchecked(log: MemoryLog, saga: str = WIRE) -> Bundle:
    """The bundle of an operator who does not check it: the log's own claims, whatever they are."""
    return assemble(log, saga)


def change(bundle: Bundle, /, **members: Any) -> Bundle:
    return msgspec.structs.replace(bundle, **members)


def forged(bundle: Bundle, /, **members: Any) -> bytes:
    """The bytes of a changed bundle, its proof left as it was."""
    return format_bundle(change(bundle, **members))


def proven_again(source: MemoryLog, bundle: Bundle, /, **members: Any) -> bytes:
    """The bytes of a changed bundle, with the proof that the true tree gives for what it now places."""
    changed = change(bundle, **members)
    placed = sorted({index for _, index in changed.anchors} | {index for index, _ in changed.log})
    proof = tuple(map(to_base64, shared_paths(source.tree, placed, source.size))) if placed else ()
    return format_bundle(change(changed, proof=proof))


def where(log: MemoryLog, saga: str = WIRE) -> list[int]:
    """The global indices of a saga's lines."""
    return [index for index, _ in log.saga(saga)]
