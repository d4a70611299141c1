"""What a bundle claims, and whether the index under its checkpoint bears it out.

Source: docs/spec/bundle-v1.md, "Claims", "Index".
"""

from collections.abc import Sequence
from typing import Final

from agent_saga.proofs.bundles.chaining import Shown, stretches
from agent_saga.proofs.bundles.reading import Bundle, hashes
from agent_saga.proofs.checkpoints import Checkpoint
from agent_saga.proofs.entries import Entry, Placed, check_absent, check_placed, key_of, parse_entry
from agent_saga.proofs.errors import Refuted
from agent_saga.proofs.limits import MAX_PATH
from agent_saga.proofs.vkeys import VerifierKey
from agent_saga.trace.events import LogIndexed, LogOpened

ENTRIES: Final = {"whole": 1, "part": 0, "absent": 2}
"""How many index entries belong to a claim."""

SIGNED: Final = frozenset({"approval.recorded", "person.decided"})
"""Types of lines that a person signed: who may sign stands on the log's own lines, so these are shown with them."""

REGISTRY: Final = frozenset({"log.opened", "keys.enrolled", "keys.revoked"})


def check_claim(bundle: Bundle, shown: Sequence[Shown]) -> None:
    """Check that what is shown has the shape of the claim. Raises Refuted: ``empty``, ``gap``, ``bad-claim``."""
    count, due = len(bundle.entries), ENTRIES[bundle.claim]
    if count != due:
        raise Refuted("bad-claim", f"{count} index entries for the claim {bundle.claim!r}: expected {due}")
    if bundle.claim == "absent":
        if bundle.lines or bundle.disclosures:
            raise Refuted("bad-claim", f"{len(shown)} lines of a saga that is said to be absent")
    elif not shown:
        raise Refuted("empty", f"a bundle without lines proves nothing about the saga {bundle.saga}")
    runs = list(stretches(shown))
    if bundle.claim == "whole" and len(runs) > 1:
        raise Refuted("gap", f"line {runs[0][1].number + 1} of a saga that is said to be whole is not shown")


def check_anchors(bundle: Bundle, shown: Sequence[Shown]) -> dict[int, Shown]:
    """The saga's lines that the proof places, by global index. Raises Refuted (``bad-anchors``).

    A whole saga places its last line. A part places two lines a stretch, the first and the last, also where these are
    one: so a line cannot be taken out of a stretch without a trace. Later lines stand later in the log.
    """
    ends = [shown[-1]] if bundle.claim == "whole" else [one for run in stretches(shown) for one in run]
    if [seq for seq, _ in bundle.anchors] != [one.number for one in ends]:
        due = [one.number for one in ends[:9]]
        raise Refuted("bad-anchors", f"the lines placed are {[s for s, _ in bundle.anchors[:9]]}: expected {due}")
    before = (-1, -1)
    for seq, index in bundle.anchors:
        if index - before[1] < seq - before[0] or (seq == before[0] and index != before[1]):
            raise Refuted("bad-anchors", f"line {seq} at {index} of the log: no room for the lines before it")
        before = (seq, index)
    return {index: one for (_, index), one in zip(bundle.anchors, ends, strict=True)}


def check_own(own: Sequence[Shown], checkpoint: Checkpoint, vkey: VerifierKey | None) -> None:
    """Check what the log's own lines say of the log. Raises Refuted: ``bad-log``, ``wrong-origin``, ``wrong-key``.

    vkey: the pinned key of the log; None for who makes a bundle and pins nothing.
    """
    for one in own:
        if isinstance(one.event, LogOpened) != (one.number == 0):
            raise Refuted("bad-log", f"line {one.number} of the log is {one.event.type}: a log is opened by its line 0")
        if isinstance(one.event, LogOpened):
            if one.event.origin != checkpoint.origin:
                raise Refuted("wrong-origin", f"the log was opened as {one.event.origin!r}: it is not this one")
            if vkey is not None and one.event.vkey != str(vkey):
                raise Refuted("wrong-key", "the log was opened under another key than the one pinned")


def check_indexed(own: Sequence[Shown], checkpoint: Checkpoint) -> LogIndexed:
    """The index that the checkpoint ends with. Raises Refuted: ``no-index``, ``stale-index``, ``bad-log``."""
    if not own or not isinstance(own[-1].event, LogIndexed):
        raise Refuted("no-index", "no index is shown: only the log's own index says how many lines a saga has")
    if own[-1].number != checkpoint.size - 1:
        raise Refuted(
            "stale-index",
            f"the index shown is line {own[-1].number}, the checkpoint ends with line {checkpoint.size - 1}",
        )
    indexed = own[-1].event
    in_force = [indexed.keys.index, *([indexed.policy.index] if indexed.policy else [])]
    if max(in_force) >= own[-1].number:
        raise Refuted("bad-log", f"the index names line {max(in_force)} as in force, which comes after it")
    return indexed


def check_signers(shown: Sequence[Shown], own: Sequence[Shown], indexed: LogIndexed) -> None:
    """Check that a saga with signed lines shows who may sign. Raises Refuted (``no-keys``, ``bad-log``)."""
    types = {one.number: one.event.type for one in own}
    if types.get(indexed.keys.index, "log.opened") not in REGISTRY:
        raise Refuted(
            "bad-log", f"line {indexed.keys.index} of the log sets no keys: it is {types[indexed.keys.index]}"
        )
    if SIGNED & {one.event.type for one in shown} and not {0, indexed.keys.index} <= set(types):
        raise Refuted("no-keys", "the saga has signed lines; the log's lines that say who may sign are not shown")


def check_entries(bundle: Bundle, shown: Sequence[Shown], indexed: LogIndexed) -> None:
    """Check the claim against the index. Raises Refuted.

    ``bad-index-entry``, ``bad-path``, ``not-in-index``, ``not-absent``, ``wrong-entry``, ``not-whole``.
    """
    placed = [
        Placed(parse_entry(text + "\n"), at, hashes(path, "a hash of a path", MAX_PATH))
        for at, text, path in bundle.entries
    ]
    root = bytes.fromhex(indexed.root)
    try:
        if bundle.claim == "absent":
            check_absent(bundle.saga, placed[0], placed[1], indexed.size, root)
            return
        entry = check_placed(placed[0], indexed.size, root)
    except Refuted as fault:
        if fault.reason in ("not-included", "bad-index"):
            raise Refuted("not-in-index", f"an entry shown does not stand in the log's index: {fault}") from fault
        raise
    _check_whole(bundle, shown[-1], entry)


def _check_whole(bundle: Bundle, last: Shown, entry: Entry) -> None:
    if entry.key != key_of(bundle.saga):
        raise Refuted("wrong-entry", f"the index entry shown is not that of the saga {bundle.saga}")
    if (entry.lines, entry.head) != (last.number + 1, last.leaf):
        raise Refuted(
            "not-whole",
            f"the index has {entry.lines} lines of this saga, the last of them {entry.head[:16]}...; "
            f"shown are {last.number + 1}, the last of them {last.leaf[:16]}...",
        )
    if entry.last != bundle.anchors[0][1]:
        raise Refuted("wrong-entry", f"the index has the last line at {entry.last}: shown at {bundle.anchors[0][1]}")
