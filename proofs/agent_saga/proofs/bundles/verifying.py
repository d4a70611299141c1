"""Verifying a bundle: from unverified bytes and a pin to what is proven. All that an auditor has to trust stands here.

It uses hashlib, cryptography, msgspec and the trace format; it reads no file, no log and no clock.

Source: docs/spec/bundle-v1.md, "Verification", in this order; the first refusal wins.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent_saga.proofs.bundles.chaining import Shown, own_lines, saga_lines, stretches
from agent_saga.proofs.bundles.claiming import (
    check_anchors,
    check_claim,
    check_entries,
    check_indexed,
    check_own,
    check_signers,
)
from agent_saga.proofs.bundles.disclosing import open_places, places
from agent_saga.proofs.bundles.model import Proven, ProvenLine, Signed, Stretch
from agent_saga.proofs.bundles.reading import Bundle, hashes, parse_bundle
from agent_saga.proofs.checking import check_leaves
from agent_saga.proofs.checkpoints import Checkpoint, open_checkpoint
from agent_saga.proofs.continuing import Continuation, check_continues
from agent_saga.proofs.cosigning import Cosigned, check_cosignature
from agent_saga.proofs.entries import parse_entry
from agent_saga.proofs.errors import Refuted
from agent_saga.proofs.limits import MAX_PATH
from agent_saga.proofs.notes import Note
from agent_saga.proofs.pins import Pins
from agent_saga.proofs.vkeys import VerifierKey
from agent_saga.trace.events import SagaEnded


@dataclass(frozen=True, slots=True)
class Earlier:
    """A checkpoint that the auditor kept, as bytes of its note, and the proof that the bundle's log continues it.

    continuation: may be None when both are of one size.
    """

    note: bytes
    continuation: Continuation | None


def verify_bundle(data: bytes, pins: Pins, earlier: Earlier | None = None) -> Proven:
    """What this bundle proves under these pins. Raises Refuted with the reason why it proves nothing."""
    bundle = parse_bundle(data)
    checkpoint, note = open_checkpoint(bundle.checkpoint.encode(), pins.log)
    signed = signatures(note, pins)
    before = check_earlier(checkpoint, pins, earlier)
    shown, own = check_contents(bundle, checkpoint, pins.log.vkey)
    return _proven(bundle, checkpoint, signed, before, shown, own)


def check_contents(
    bundle: Bundle, checkpoint: Checkpoint, vkey: VerifierKey | None
) -> tuple[Sequence[Shown], Sequence[Shown]]:
    """Check all of a bundle but its signatures; returns the saga's lines and the log's own. Raises Refuted."""
    shown, own = saga_lines(bundle), own_lines(bundle)
    check_claim(bundle, shown)
    placed = check_anchors(bundle, shown)
    _check_leaves(bundle, placed, own, checkpoint)
    check_own(own, checkpoint, vkey)
    if bundle.claim != "part":
        indexed = check_indexed(own, checkpoint)
        check_signers(shown, own, indexed)
        check_entries(bundle, shown, indexed)
    return shown, own


def signatures(note: Note, pins: Pins) -> Signed:
    """Whose signatures the checkpoint carries, of those pinned; the log's own was checked when it was opened.

    Raises Refuted (``bad-signature``) where a signature of a pinned cosigner does not verify.
    """
    witnesses, silent = _cosigned(note, pins.witnesses)
    monitors, quiet = _cosigned(note, pins.monitors)
    return Signed(pins.log.vkey, witnesses, monitors, [*silent, *quiet])


def _cosigned(note: Note, keys: Sequence[VerifierKey]) -> tuple[list[Cosigned], list[str]]:
    there = [key for key in keys if note.by(key)]
    return [check_cosignature(note, key) for key in there], [key.name for key in keys if key not in there]


def check_earlier(checkpoint: Checkpoint, pins: Pins, earlier: Earlier | None) -> Checkpoint | None:
    """Check that the log continues what the auditor kept. Raises Refuted (``rolled-back`` and others)."""
    if earlier is None:
        return None
    before, _ = open_checkpoint(earlier.note, pins.log)
    check_continues(before, checkpoint, earlier.continuation)
    return before


def _check_leaves(bundle: Bundle, placed: Mapping[int, Shown], own: Sequence[Shown], checkpoint: Checkpoint) -> None:
    at = {one.number: one for one in own}
    both = at.keys() & placed.keys()
    if both:
        raise Refuted("bad-anchors", f"two lines are said to be line {min(both)} of the log")
    leaves = {index: bytes.fromhex(one.leaf) for index, one in {**at, **placed}.items()}
    proof = hashes(bundle.proof, "a hash of the proof", MAX_PATH * max(1, len(leaves)))
    check_leaves(leaves, checkpoint.size, proof, checkpoint.root)


def _span(bundle: Bundle) -> tuple[int, int] | None:
    """Of a whole saga, by its index entry, which was checked."""
    if bundle.claim != "whole":
        return None
    entry = parse_entry(bundle.entries[0][1] + "\n")
    return entry.first, entry.last


def _proven(
    bundle: Bundle,
    checkpoint: Checkpoint,
    signed: Signed,
    earlier: Checkpoint | None,
    shown: Sequence[Shown],
    own: Sequence[Shown],
) -> Proven:
    found = [place for one in shown for place in places(one.number, one.line)]
    opened, withheld = open_places(found, bundle.disclosures)
    index = dict(bundle.anchors)
    runs = [(first.number, last.number) for first, last in stretches(shown)]
    last = shown[-1].event if shown and bundle.claim == "whole" else None
    return Proven(
        claim=bundle.claim,
        saga=bundle.saga,
        checkpoint=checkpoint,
        signed=signed,
        lines=tuple(ProvenLine(one.number, one.event.type, one.line) for one in shown),
        stretches=tuple(Stretch(first, end, index.get(first), index[end]) for first, end in runs),
        own={one.number: one.line for one in own},
        status=last.status if isinstance(last, SagaEnded) else None,
        opened=tuple(opened),
        withheld=tuple(withheld),
        span=_span(bundle),
        disclosures=bundle.disclosures,
        earlier=earlier,
    )
