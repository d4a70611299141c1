"""The kinds of evidence that ``agent-saga verify`` knows: how each is recognised, and what checks it.

One more kind is one more row of :data:`KINDS`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import typer

from agent_saga.cli.answers import Answer, Asked, decided
from agent_saga.cli.certificates import verify_certificate

if TYPE_CHECKING:
    from agent_saga.proofs.bundles.model import Proven


CERTIFICATE: Final = "certificate"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of evidence. matches: told from its bytes. run: raises Refuted, Undecided, or BadParameter."""

    name: str
    matches: Callable[[bytes], bool]
    run: Callable[[bytes, Asked], Answer]


def recognise(data: bytes, name: str) -> Kind:
    """The kind of evidence that these bytes claim to be. Raises BadParameter when they are of none."""
    for kind in KINDS:
        if kind.matches(data):
            return kind
    known = ", ".join(kind.name for kind in KINDS)
    raise typer.BadParameter(f"{name}: nothing in it can be verified: expected one of {known}")


def _bundle(data: bytes, asked: Asked) -> Answer:
    from agent_saga.proofs.bundles.verifying import verify_bundle
    from agent_saga.proofs.bundles.words import record, words
    from agent_saga.proofs.errors import Refuted

    proven: Proven = decided(asked, lambda earlier: verify_bundle(data, asked.pins, earlier))
    if asked.saga not in ("", proven.saga):
        raise Refuted("other-saga", f"a bundle of the saga {proven.saga}: asked was for {asked.saga}")
    return Answer(words(proven), record(proven), [one.line for one in proven.lines], proven.disclosures)


def _checkpoint(data: bytes, asked: Asked) -> Answer:
    from agent_saga.proofs.bundles.verifying import check_earlier, signatures
    from agent_saga.proofs.bundles.words import of_checkpoint, record_of_checkpoint
    from agent_saga.proofs.checkpoints import open_checkpoint

    checkpoint, note = open_checkpoint(data, asked.pins.log)
    signed = signatures(note, asked.pins)
    before = decided(asked, lambda earlier: check_earlier(checkpoint, asked.pins, earlier))
    return Answer(of_checkpoint(checkpoint, signed, before), record_of_checkpoint(checkpoint, signed, before))


def _tlog_proof(data: bytes, asked: Asked) -> Answer:
    from agent_saga.proofs.bundles.verifying import check_earlier, signatures
    from agent_saga.proofs.bundles.words import of_checkpoint, record_of_checkpoint
    from agent_saga.proofs.checkpoints import open_checkpoint
    from agent_saga.proofs.hashing import leaf
    from agent_saga.proofs.tlog_proof import check_tlog_proof, parse_tlog_proof

    if asked.line is None:
        raise typer.BadParameter("a tlog-proof is about one line: give its exact bytes with --line FILE")
    index, checkpoint = check_tlog_proof(data, leaf(asked.line), asked.pins.log)
    _, note = open_checkpoint(parse_tlog_proof(data).note, asked.pins.log)
    signed = signatures(note, asked.pins)
    before = decided(asked, lambda earlier: check_earlier(checkpoint, asked.pins, earlier))
    told = of_checkpoint(checkpoint, signed, before)
    head = f"{'proven:':<12}ONE LINE: it is line {index} of the log"
    return Answer(
        [head, *told[1:]], record_of_checkpoint(checkpoint, signed, before) | {"claim": "line", "index": index}
    )


def _consistency(data: bytes, asked: Asked) -> Answer:
    from agent_saga.proofs.bundles.verifying import Earlier, check_earlier, signatures
    from agent_saga.proofs.bundles.words import of_checkpoint, record_of_checkpoint
    from agent_saga.proofs.checkpoints import Checkpoint, open_checkpoint
    from agent_saga.proofs.continuing import parse_continuation

    if len(asked.checkpoints) != 2:
        raise typer.BadParameter("a consistency proof is about two checkpoints: give --checkpoint twice")

    def size(note: bytes) -> int:
        found: Checkpoint = open_checkpoint(note, asked.pins.log)[0]
        return found.size

    old, new = sorted(asked.checkpoints, key=size)
    checkpoint, note = open_checkpoint(new, asked.pins.log)
    before = check_earlier(checkpoint, asked.pins, Earlier(old, parse_continuation(data)))
    signed = signatures(note, asked.pins)
    return Answer(of_checkpoint(checkpoint, signed, before), record_of_checkpoint(checkpoint, signed, before))


def _trace(_data: bytes, _asked: Asked) -> Answer:
    raise typer.BadParameter(
        "this is a trace or a store, which proves nothing by itself: run `agent-saga certify` on it"
    )


def _pin(_data: bytes, _asked: Asked) -> Answer:
    raise typer.BadParameter("this is a pin: it says whom to trust, and is given with --pin")


def _starts(*heads: bytes) -> Callable[[bytes], bool]:
    return lambda data: data.startswith(heads)


KINDS: Final[Sequence[Kind]] = (
    Kind("bundle", _starts(b'{"bundle":'), _bundle),
    Kind("tlog-proof", _starts(b"c2sp.org/tlog-proof@"), _tlog_proof),
    Kind("consistency proof", _starts(b"agent-saga-consistency-"), _consistency),
    Kind("pin", _starts(b"agent-saga-pin-"), _pin),
    Kind("trace", _starts(b'{"v":', b"SQLite format 3\0", b"\x1f\x8b", b"\x28\xb5\x2f\xfd"), _trace),
    Kind(CERTIFICATE, lambda data: data.lstrip()[:1] == b"{" and b'"payloadType"' in data, verify_certificate),
    Kind("checkpoint", lambda data: "\n\n— ".encode() in data, _checkpoint),
)
"""The first that matches counts; a checkpoint has no magic of its own and stands last."""
