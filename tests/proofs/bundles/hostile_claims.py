"""Hostile bundles, second half: claims that their lines or the index do not bear out, and indexes that are forged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from attacking import Attack, change, forged, proven_again, read, unchecked, where
from bundle_samples import NONE, OPEN, SHORT, WIRE, MemoryLog, sealed, shop

from agent_saga.proofs.bundles.reading import Bundle, format_bundle
from agent_saga.proofs.entries import Entry, Placed, key_of
from agent_saga.proofs.hashing import leaf, root_of
from agent_saga.proofs.index import Index
from agent_saga.proofs.names import to_base64
from agent_saga.proofs.planning import inclusion
from agent_saga.proofs.tree import Leaves


def all_of_them() -> Iterator[Attack]:
    for group in (_cut, _shape, _entries, _stale, _forged, _absent):
        yield from group()


def _claim(name: str, reason: str, text: str, found: bytes) -> Attack:
    return name, reason, text, found, {}


def _shortened(log: MemoryLog, whole: Bundle, count: int) -> bytes:
    """The first lines, with the true proof of the last of them."""
    return proven_again(log, whole, lines=whole.lines[:count], anchors=((count - 1, where(log)[count - 1]),))


def _cut() -> Iterator[Attack]:
    log = sealed()
    whole = read(log)
    yield _claim("cut-last-line", "not-whole", "14 lines cut to 13 under the true root", _shortened(log, whole, 13))
    yield _claim("cut-to-three", "not-whole", "14 lines cut to 3 under the true root", _shortened(log, whole, 3))
    yield _claim("cut-to-one", "not-whole", "14 lines cut to the first one", _shortened(log, whole, 1))
    ends = (*whole.lines[:2], whole.lines[13])
    yield _claim("cut-to-ends", "gap", "14 lines cut to the first two and the last", forged(whole, lines=ends))
    part = change(read(log, lines=["4..6"]), claim="whole")
    yield _claim("cut-part-as-whole", "bad-claim", "a part that says it is whole", format_bundle(part))
    dressed = change(part, entries=whole.entries, log=whole.log)
    yield _claim("cut-part-dressed", "gap", "a part with the index entry of the whole", proven_again(log, dressed))
    entry = _entry(log)
    short = _placed(log, replace(entry, lines=3, head=leaf(log.lines[where(log)[2]]).hex(), last=where(log)[2]))
    text = "14 lines cut to 3, with an index entry that says 3"
    three = change(whole, lines=whole.lines[:3], anchors=((2, where(log)[2]),), entries=(short,))
    yield _claim("cut-with-entry", "not-in-index", text, proven_again(log, three))


def _entry(log: MemoryLog, saga: str = WIRE) -> Entry:
    return next(one for one in log.claimed.entries if one.key == key_of(saga))


def _placed(log: MemoryLog, entry: Entry, saga: str = WIRE) -> tuple[int, str, tuple[str, ...]]:
    """An entry where that of a saga stands, with the true path."""
    true = log.claimed.present(saga)
    return true.place, entry.text()[:-1], tuple(map(to_base64, true.path))


def _shape() -> Iterator[Attack]:
    log = sealed()
    whole, part, absent = read(log), read(log, lines=["4..6"]), read(log, NONE, absent=True)
    text = "a whole saga without a line"
    yield _claim("empty-whole", "empty", text, proven_again(log, whole, lines=(), anchors=()))
    yield _claim("empty-part", "empty", "a part without a line", proven_again(log, part, lines=(), anchors=()))
    yield _claim("claim-no-entry", "bad-claim", "a whole saga without its index entry", forged(whole, entries=()))
    two = (*whole.entries, *read(log, OPEN).entries)
    yield _claim("claim-two-entries", "bad-claim", "a whole saga with two index entries", forged(whole, entries=two))
    text = "a part with an index entry"
    yield _claim("claim-part-entry", "bad-claim", text, forged(part, entries=whole.entries))
    text = "a saga that is said to be absent, with its lines"
    yield _claim("claim-absent-lines", "bad-claim", text, forged(absent, saga=WIRE, lines=whole.lines))
    yield _claim(
        "claim-absent-as-whole", "bad-claim", "an absence that says it is whole", forged(absent, claim="whole")
    )
    text = "an absence with a disclosure"
    yield _claim("claim-absent-opened", "bad-claim", text, forged(absent, disclosures=tuple(log.disclosures[:1])))
    text = "the index is not shown"
    yield _claim("index-hidden", "no-index", text, proven_again(log, whole, log=()))
    opened = ((0, log.lines[0].decode()),)
    yield _claim(
        "index-other-line", "no-index", "log.opened in place of the index", proven_again(log, whole, log=opened)
    )


def _entries() -> Iterator[Attack]:
    log = sealed()
    whole = read(log)
    place, text, path = whole.entries[0]

    def bad(name: str, reason: str, says: str, entry: tuple[int, str, tuple[str, ...]]) -> Attack:
        return _claim(f"entry-{name}", reason, says, forged(whole, entries=(entry,)))

    says = "another saga's index entry"
    yield bad("other-saga", "wrong-entry", says, read(log, OPEN).entries[0])
    yield bad("moved", "not-in-index", "the entry at another place", (place + 1, text, path))
    yield bad("cut-path", "bad-path", "the entry's path without its last hash", (place, text, path[:-1]))
    yield bad("long-path", "bad-path", "the entry's path with a hash too many", (place, text, (*path, path[0])))
    yield bad("beyond", "not-in-index", "the entry at a place behind the last", (log.claimed.size + 3, text, path))
    yield bad("lf", "bad-index-entry", "an entry with a line feed", (place, text + "\n", path))
    yield bad("zero", "bad-index-entry", "an entry with a leading zero", (place, text.replace(" 14 ", " 014 "), path))
    yield bad("upper-case", "bad-index-entry", "an entry in upper case", (place, text.upper(), path))
    crossed = text.replace(" 14 ", " 99 ")
    yield bad("contradiction", "bad-index-entry", "more lines than there is room for", (place, crossed, path))
    says = "an entry in the place of a sentinel"
    yield bad("sentinel-place", "bad-index-entry", says, (0, text, path))


def _stale() -> Iterator[Attack]:
    log = shop()
    log.seal()
    old = log.size - 1
    early = log.claimed
    before = read(log, OPEN)
    log.write(OPEN, "rollback.started", cause="behind the first index")
    log.seal()
    indexed = ((old, log.lines[old].decode()),)
    stale = change(before, checkpoint=log.checkpoint().decode(), log=indexed)
    text = "an older index under a newer checkpoint: the saga's tail is missing"
    yield _claim("index-stale", "stale-index", text, proven_again(log, stale))
    text = "the older index in front of the newer one: the entry is checked against the newer"
    both = change(stale, log=(*indexed, (log.size - 1, log.lines[-1].decode())))
    yield _claim("index-stale-entry", "not-in-index", text, proven_again(log, both))
    plain = shop()
    plain.seal()
    grown = plain.size - 1
    plain.write(OPEN, "rollback.started", cause="behind the index")
    plain.claimed = early
    plain.sign()
    tail = change(before, checkpoint=plain.checkpoint().decode(), log=((grown, plain.lines[grown].decode()),))
    text = "a checkpoint that does not end with its index: the saga's tail is behind it"
    yield _claim("index-not-last", "stale-index", text, proven_again(plain, tail))
    late = shop()
    late.seal(keys={"digest": "0" * 64, "index": len(late.lines)})
    text = "an index that names a line behind it as in force"
    yield _claim("index-keys-later", "bad-log", text, format_bundle(unchecked(late)))
    wrong = shop()
    wrong.seal(keys={"digest": "0" * 64, "index": 0}, policy={"digest": "0" * 64, "index": len(wrong.lines) + 7})
    text = "an index that names a policy behind it as in force"
    yield _claim("index-policy-later", "bad-log", text, format_bundle(unchecked(wrong)))


class _Crooked(Index):
    """An index as an operator would forge it: entries in any order, some of them twice, some left out."""

    def __init__(self, entries: list[Entry]) -> None:
        self.entries = entries
        self._keys = [one.key for one in entries]
        self._leaves = [one.leaf() for one in entries]
        self._tree = Leaves(self._leaves)
        self.root = root_of(self._leaves)

    def placed(self, place: int) -> Placed:
        return Placed(self.entries[place], place, inclusion(self._tree, place, self.size))


def _forged() -> Iterator[Attack]:
    log = sealed()
    whole = read(log)
    other = sealed(seed="other")
    foreign = change(whole, log=((log.size - 1, other.lines[-1].decode()),))
    text = "another log's index in the place of this one's"
    yield _claim("index-foreign", "not-included", text, proven_again(log, foreign))
    edited = log.lines[-1].decode().replace(log.claimed.root.hex(), "0" * 64)
    text = "the root of the index changed on its line"
    yield _claim("index-edited", "not-included", text, forged(whole, log=((log.size - 1, edited),)))
    crooked = shop()
    true = list(Index(crooked.entries()).entries)
    at = next(i for i, one in enumerate(true) if one.key == key_of(WIRE))
    away = 1 if at > 2 else len(true) - 2
    shuffled = [*true[:at], *true[at + 1 :]]
    shuffled.insert(away, true[at])
    crooked.seal(_Crooked(shuffled))
    text = "an index that is not sorted: the neighbours shown stand in no order"
    yield _claim("index-unsorted", "not-absent", text, _hidden(crooked, away))
    moved = shop()
    middle = [true[1], true[0], *true[2:]]
    moved.seal(_Crooked(middle))
    text = "an index whose first sentinel stands inside"
    yield _claim("index-sentinel-inside", "bad-index-entry", text, _hidden(moved, 0))
    yield from _lied()


def _hidden(log: MemoryLog, place: int) -> bytes:
    """Claims that a saga is absent by two neighbours of a forged index."""
    pair = [log.claimed.placed(at) for at in (place, place + 1)]
    entries = tuple((one.place, one.entry.text()[:-1], tuple(map(to_base64, one.path))) for one in pair)
    template = read(sealed(), NONE, absent=True)
    indexed = ((log.size - 1, log.lines[-1].decode()),)
    made = change(template, saga=WIRE, checkpoint=log.checkpoint().decode(), log=indexed, entries=entries)
    return proven_again(log, made)


def _lied() -> Iterator[Attack]:
    """Indexes whose entry of a saga contradicts the lines that stand in the log."""
    for name, reason, text, lie in (
        ("head", "not-whole", "an index that names another last line", {"head": "0" * 64}),
        ("last", "wrong-entry", "an index that has the last line elsewhere", {"last": 30}),
        ("more", "not-whole", "an index that counts a line more than are shown", {"lines": 15, "last": 27}),
    ):
        log = shop()
        entries = [replace(one, **lie) if one.key == key_of(WIRE) else one for one in Index(log.entries()).entries]
        log.seal(_Crooked(entries))
        yield _claim(f"index-lied-{name}", reason, text, format_bundle(unchecked(log)))


def _absent() -> Iterator[Attack]:
    log = sealed()
    index = log.claimed
    place = index.present(WIRE).place
    template = read(log, NONE, absent=True)

    def bad(name: str, reason: str, text: str, first: int, second: int, saga: str = WIRE) -> Attack:
        pair = [index.placed(at) for at in (first, second)]
        entries = tuple((one.place, one.entry.text()[:-1], tuple(map(to_base64, one.path))) for one in pair)
        return _claim(f"absent-{name}", reason, text, forged(template, saga=saga, entries=entries))

    text = "a saga that is there: the entries on both of its sides"
    yield bad("present", "not-absent", text, place - 1, place + 1)
    yield bad("present-before", "not-absent", "a saga that is there: it and its neighbour", place - 1, place)
    other = index.present(SHORT).place
    text = "neighbours between which the saga does not belong"
    yield bad("elsewhere", "not-absent", text, *((0, 1) if index.entries[1].key < key_of(NONE) else (5, 6)), NONE)
    first = index.absent(NONE)[0].place
    yield bad("reversed", "not-absent", "the two neighbours exchanged", first + 1, first, NONE)
    yield bad("twice", "not-absent", "one neighbour twice", other, other, NONE)
    again = change(template, saga=WIRE)
    text = "the proof that one saga is absent, for another that is there"
    yield _claim("absent-other-saga", "not-absent", text, format_bundle(again))
