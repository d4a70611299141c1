"""Making a bundle out of a log. What is made is checked as an auditor checks it before it is handed out.

Source: docs/spec/bundle-v1.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from agent_saga.proofs.bundles.choosing import chosen, parse_choice, parse_ranges
from agent_saga.proofs.bundles.claiming import REGISTRY, SIGNED
from agent_saga.proofs.bundles.disclosing import Place, places
from agent_saga.proofs.bundles.model import Claim
from agent_saga.proofs.bundles.reading import MAX_BUNDLE, VERSION, Bundle, format_bundle
from agent_saga.proofs.bundles.verifying import check_contents
from agent_saga.proofs.checking import check_inclusion
from agent_saga.proofs.checkpoints import parse_checkpoint
from agent_saga.proofs.entries import Placed
from agent_saga.proofs.errors import LogFault, Refuted, Unprovable
from agent_saga.proofs.hashing import leaf
from agent_saga.proofs.index import Index
from agent_saga.proofs.names import to_base64
from agent_saga.proofs.notes import parse_note
from agent_saga.proofs.planning import inclusion
from agent_saga.proofs.tlog_proof import TlogProof, format_tlog_proof
from agent_saga.proofs.tree import Nodes, shared_paths
from agent_saga.trace.codec import decode
from agent_saga.trace.conceal import digest_of, parse_disclosure
from agent_saga.trace.limits import LOG_SAGA
from agent_saga.trace.values import dumps

_ALSO = REGISTRY | {"policy.adopted"}
"""The log's own lines that go with a saga whose lines people signed."""


class Source(Protocol):
    """A log to make bundles from: :class:`agent_saga.proofs.log.Log`."""

    def checkpoint(self) -> bytes:
        """The latest signed checkpoint."""
        ...

    def nodes(self, size: int) -> Nodes:
        """The hashes of its tree."""
        ...

    def index(self, size: int) -> Index:
        """The saga index of the indexed checkpoint of this size. Raises Unprovable or LogFault when there is none."""
        ...

    def line(self, index: int) -> bytes:
        """A line by its global index, without LF."""
        ...

    def saga(self, saga: str) -> Sequence[tuple[int, bytes]]:
        """The lines of a saga in order, with their global indices."""
        ...


def make_bundle(
    log: Source,
    saga: str,
    *,
    reveal: Sequence[str] = (),
    conceal: Sequence[str] = (),
    lines: Sequence[str] = (),
    absent: bool = False,
    disclosures: Iterable[str] = (),
) -> bytes:
    """The bundle of one saga as of the log's latest checkpoint: whole, or a part when ``lines`` are named.

    reveal, conceal: see :mod:`~.choosing`; nothing is revealed by default. lines: ``A..B``; line 0 is always shown.
    absent: prove that the log has no such saga. disclosures: the Ds that are kept, of this saga at least.
    Raises Unprovable for what cannot be proven, and LogFault where the log's files do not bear it out.
    """
    if saga == LOG_SAGA:
        raise Unprovable("the log's own lines are no saga: name a saga of an agent")
    bundle = assemble(log, saga, reveal, conceal, lines, disclosures, absent=absent)
    _require_sound(bundle)
    data = format_bundle(bundle)
    if len(data) > MAX_BUNDLE:
        raise Unprovable(f"saga {saga!r}: a bundle of {len(data)} bytes; at most {MAX_BUNDLE} are read: name --lines")
    return data


def assemble(
    log: Source,
    saga: str,
    reveal: Sequence[str] = (),
    conceal: Sequence[str] = (),
    lines: Sequence[str] = (),
    disclosures: Iterable[str] = (),
    *,
    absent: bool = False,
) -> Bundle:
    """What :func:`make_bundle` puts together, unchecked. Raises the same, but for what only the check finds."""
    note = log.checkpoint()
    checkpoint = parse_checkpoint(parse_note(note).text)
    claim: Claim = "absent" if absent else "part" if lines else "whole"
    shown = {} if absent else _shown(log, saga, checkpoint.size, lines)
    own = {} if claim == "part" else _own(log, checkpoint.size, [line for _, line in shown.values()])
    anchors = _anchors(claim, shown)
    placed = sorted({index for _, index in anchors} | set(own))
    return Bundle(
        bundle=VERSION,
        claim=claim,
        saga=saga,
        checkpoint=note.decode(),
        lines=tuple((seq, line.decode()) for seq, (_, line) in shown.items()),
        anchors=anchors,
        log=tuple((index, own[index].decode()) for index in sorted(own)),
        proof=tuple(map(to_base64, shared_paths(log.nodes(checkpoint.size), placed, checkpoint.size))),
        entries=_entries(log, claim, saga, checkpoint.size),
        disclosures=_disclosed({seq: line for seq, (_, line) in shown.items()}, reveal, conceal, disclosures),
    )


def make_tlog_proof(log: Source, index: int) -> bytes:
    """The inclusion of one line as a C2SP proof file, as of the latest checkpoint. Raises Unprovable, LogFault."""
    note = log.checkpoint()
    checkpoint = parse_checkpoint(parse_note(note).text)
    path = inclusion(log.nodes(checkpoint.size), index, checkpoint.size)
    try:
        check_inclusion(leaf(log.line(index)), index, checkpoint.size, path, checkpoint.root)
    except Refuted as fault:
        raise _faulty(fault) from fault
    return format_tlog_proof(TlogProof(index, path, note))


def placed_lines(log: Source, saga: str) -> dict[int, tuple[int, bytes]]:
    """A saga's lines under the latest checkpoint: seq to global index and exact bytes. Raises Unprovable."""
    return _under(log, saga, parse_checkpoint(parse_note(log.checkpoint()).text).size)


def _under(log: Source, saga: str, size: int) -> dict[int, tuple[int, bytes]]:
    every = log.saga(saga)
    found = [(index, line) for index, line in every if index < size]
    if not found and every:
        raise Unprovable(f"saga {saga!r}: begins behind the latest checkpoint: run `agent-saga log checkpoint` first")
    if not found:
        raise Unprovable(f"saga {saga!r}: no line of it stands in the log; `agent-saga prove --absent` proves that")
    return dict(enumerate(found))


def _shown(log: Source, saga: str, size: int, lines: Sequence[str]) -> dict[int, tuple[int, bytes]]:
    every = _under(log, saga, size)
    wanted = {0, *parse_ranges(lines, len(every))} if lines else set(every)
    return {seq: every[seq] for seq in sorted(wanted)}


def _own(log: Source, size: int, shown: Sequence[bytes]) -> dict[int, bytes]:
    """The log's own lines that belong to a whole saga or to an absent one, by index."""
    own = {size - 1: log.line(size - 1)}
    if SIGNED & {decode(line)[0].type for line in shown}:
        ours = [(index, line) for index, line in log.saga(LOG_SAGA) if index < size]
        own |= {index: line for index, line in ours if decode(line)[0].type in _ALSO}
    return own


def _anchors(claim: Claim, shown: Mapping[int, tuple[int, bytes]]) -> tuple[tuple[int, int], ...]:
    """The last line of a whole saga; of a part, the first and the last line of each stretch, be they one."""
    if claim == "whole":
        return ((max(shown), shown[max(shown)][0]),)
    firsts = [seq for seq in shown if seq - 1 not in shown]
    lasts = [seq for seq in shown if seq + 1 not in shown]
    return tuple((seq, shown[seq][0]) for seq in sorted([*firsts, *lasts]))


def _entries(log: Source, claim: Claim, saga: str, size: int) -> tuple[tuple[int, str, tuple[str, ...]], ...]:
    if claim == "part":
        return ()
    index = log.index(size)
    found = index.absent(saga) if claim == "absent" else (index.present(saga),)
    return tuple(map(_entry, found))


def _entry(placed: Placed) -> tuple[int, str, tuple[str, ...]]:
    return placed.place, placed.entry.text().removesuffix("\n"), tuple(map(to_base64, placed.path))


def _disclosed(
    lines: Mapping[int, bytes], reveal: Sequence[str], conceal: Sequence[str], disclosures: Iterable[str]
) -> tuple[str, ...]:
    found = [place for seq, line in lines.items() for place in places(seq, line)]
    named, closed = [parse_choice(text) for text in reveal], [parse_choice(text) for text in conceal]
    wanted = chosen(found, lines, named, closed)
    kept = {digest_of(text): text for text in disclosures} if wanted else {}
    explicit = [one for one in found if one.digest in wanted and any(c.seq is not None and c.names(one) for c in named)]
    for one in explicit:
        if one.digest not in kept:
            raise Unprovable(f"{one.seq}:{one.pointer}: what opens it is not in the store: erased, or kept elsewhere")
    shut = [one for one in found if one.digest in kept and any(c.names(one) for c in closed)]
    _refuse_twins(shut, [one for one in found if one.digest in wanted & kept.keys()], kept)
    return tuple(kept[digest] for digest in sorted(wanted & kept.keys()))


def _refuse_twins(shut: Sequence[Place], opened: Sequence[Place], kept: Mapping[str, str]) -> None:
    """A value that is to stay closed may stand elsewhere under another digest: opening that would tell it."""
    values = {dumps(parse_disclosure(kept[one.digest])[1]): one for one in shut}
    for one in opened:
        value = dumps(parse_disclosure(kept[one.digest])[1])
        twin = values.get(value)
        if twin is not None and value not in (b"null", b"true", b"false"):
            raise Unprovable(
                f"{one.seq}:{one.pointer} holds the same value as {twin.seq}:{twin.pointer}, which is to stay "
                "concealed: conceal it as well, or both would be known"
            )


def _require_sound(bundle: Bundle) -> None:
    try:
        check_contents(bundle, parse_checkpoint(parse_note(bundle.checkpoint.encode()).text), None)
    except Refuted as fault:
        if fault.reason in ("bad-line", "log-type", "wrong-saga", "wrong-seq", "broken-chain", "wrong-order"):
            raise Unprovable(f"the saga itself is not sound: {fault}; `agent-saga certify STORE` says more") from fault
        if fault.reason == "no-index":
            raise Unprovable("this checkpoint has no index, so no saga can be proven whole: name --lines") from fault
        raise _faulty(fault) from fault


def _faulty(fault: Refuted) -> LogFault:
    return LogFault(f"the log's files do not bear out its own checkpoint ({fault.reason}): {fault}")


__all__ = ["Source", "make_bundle", "make_tlog_proof", "placed_lines"]
