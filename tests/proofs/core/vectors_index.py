"""Vectors of the saga index: keys, entries, presence, absence."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

import naive_tree as naive
from vector_kit import OK, Named, Vector, b64, hashes, labelled, reason

SAGAS = [f"saga-{at:02}" for at in range(9)]
LOW, HIGH = "0" * 64, "f" * 64
Made = Iterator[tuple[str, str, Vector]]


def key(saga: str) -> str:
    """KEY of a saga."""
    return sha256(b"agent-saga/index/v1\0" + saga.encode()).hexdigest()


def text(key: str, first: int, last: int, lines: int, head: str) -> str:
    """An entry."""
    return f"agent-saga-index-v1 {key} {first} {last} {lines} {head}\n"


def entry(saga: str, lines: int = 3) -> str:
    """The entry of a saga whose lines stand behind each other."""
    first = 1 + 10 * SAGAS.index(saga)
    last = first + (4 if lines > 1 else 0)
    return text(key(saga), first, last, lines, sha256(saga.encode()).hexdigest())


ENDS = text(LOW, 0, 0, 0, LOW), text(HIGH, 0, 0, 0, LOW)
TABLE = [ENDS[0], *sorted(map(entry, SAGAS)), ENDS[1]]
DATA = [one.encode() for one in TABLE]
SIZE, ROOT = len(TABLE), b64(naive.mth(DATA))


def named() -> Iterator[Named]:
    """Every vector of this topic."""
    yield from labelled(_keys(), kind="index-key")
    yield from labelled(_entries(), kind="index-entry")
    yield from labelled(_present(), kind="present")
    yield from labelled(_absent(), kind="absent")


def _keys() -> Made:
    for name, saga in [("key", "k3JxQ0m7y2aTt5v9WcZ1eA"), ("key_of_the_log", "log"), ("key_not_ascii", "Überweisung")]:
        yield name, f"the KEY of the saga {saga}", {"saga": saga, "key": key(saga), "expect": OK}


def _entries() -> Made:
    some, head = key("saga-01"), "ab" * 32
    for name, description, found in [
        ("entry_good", "three lines between 5 and 9", text(some, 5, 9, 3, head)),
        ("entry_good_lone_line", "one line", text(some, 5, 5, 1, head)),
        ("entry_good_lowest", "the sentinel at the beginning", ENDS[0]),
        ("entry_good_highest", "the sentinel at the end", ENDS[1]),
    ]:
        yield name, description, {"entry": found, "expect": OK}
    for name, description, found in [
        ("no_lines", "a saga without lines", text(some, 5, 9, 0, head)),
        ("too_many_lines", "six lines where five have room", text(some, 5, 9, 6, head)),
        ("lone_line_in_two_places", "one line, but two indices", text(some, 5, 9, 1, head)),
        ("last_before_first", "the last line before the first", text(some, 9, 5, 1, head)),
        ("index_over_the_cap", "an index of 2^53", text(some, 5, 2**53, 3, head)),
        ("capitals", "hex in capitals", text(some.upper(), 5, 9, 3, head)),
        ("head_cut", "a head of 31 bytes", text(some, 5, 9, 3, head[2:])),
        ("leading_zero", "a leading zero", text(some, 5, 9, 3, head).replace(" 5 ", " 05 ")),
        ("without_newline", "no line feed at the end", text(some, 5, 9, 3, head)[:-1]),
        ("two_lines", "two entries", text(some, 5, 9, 3, head) * 2),
        ("two_spaces", "two spaces", text(some, 5, 9, 3, head).replace(" 5 ", "  5 ")),
        ("other_version", "another version", text(some, 5, 9, 3, head).replace("-v1", "-v2")),
        ("sentinel_with_lines", "a sentinel that claims a line", text(LOW, 0, 0, 1, LOW)),
    ]:
        yield f"entry_bad_{name}", description, {"entry": found, "expect": reason("bad-index-entry")}


def placed(place: int, table: list[str] = TABLE, /, **other: object) -> Vector:
    """An entry with its place and path."""
    found = {"entry": table[place], "place": place, "path": hashes(naive.path(place, [one.encode() for one in table]))}
    return {**found, **other}


def _present() -> Made:
    under = {"size": SIZE, "root": ROOT}
    for place in (0, 4, SIZE - 1):
        yield f"present_{place}_of_{SIZE}", f"the entry at place {place}", {**placed(place), **under, "expect": OK}
    cut = TABLE[4].replace(" 3 ", " 2 ")
    newer = sorted([*TABLE, entry("saga-03", 1).replace(key("saga-03"), key("a later saga"))])
    unframed = TABLE[1:-1]
    doubled = [TABLE[0], TABLE[0], *TABLE[1:]]
    for name, description, found, word in [
        (
            "attack_fewer_lines",
            "an entry that says one line less: a tail cut off",
            placed(4, entry=cut),
            "not-included",
        ),
        ("attack_other_place", "an entry at its neighbour's place", placed(4, place=5), "not-included"),
        (
            "attack_stale",
            "the entry of an older index under the newer root",
            {**placed(4), "size": len(newer), "root": b64(naive.mth([one.encode() for one in newer]))},
            "not-included",
        ),
        (
            "attack_without_sentinels",
            "an index that begins with a saga",
            {**placed(0, unframed), **_under(unframed)},
            "bad-index-entry",
        ),
        (
            "attack_sentinel_inside",
            "a sentinel at place 1",
            {**placed(1, doubled), **_under(doubled)},
            "bad-index-entry",
        ),
        ("bad_place", "a place outside of the index", placed(4, place=SIZE), "bad-index"),
        ("bad_path_short", "a hash is left out", placed(4, path=placed(4)["path"][:-1]), "bad-path"),
    ]:
        yield f"present_{name}", description, {**under, **found, "expect": reason(word)}


def _under(table: list[str]) -> Vector:
    return {"size": len(table), "root": b64(naive.mth([one.encode() for one in table]))}


def _absent() -> Made:
    under = {"size": SIZE, "root": ROOT}
    keys = [one.split(" ")[1] for one in TABLE]

    def between(saga: str) -> int:
        return sum(one < key(saga) for one in keys)

    missing = "saga-77"
    at = between(missing)
    two = [placed(at - 1), placed(at)]
    yield "absent", "two neighbours with no room between them", {"saga": missing, "entries": two, **under, "expect": OK}
    ends = next(s for s in (f"missing-{n}" for n in range(10_000)) if between(s) == 1)
    found = {"saga": ends, "entries": [placed(0), placed(1)], **under, "expect": OK}
    yield "absent_at_the_beginning", "between the sentinel and the first saga", found
    here = next(saga for saga in SAGAS if key(saga) == keys[4])
    unframed = _under(TABLE[1:-1])
    for name, description, saga, shown, word in [
        ("attack_present", "the saga is the left of the two", here, [placed(4), placed(5)], "not-absent"),
        ("attack_present_right", "the saga is the right of the two", here, [placed(3), placed(4)], "not-absent"),
        ("attack_no_neighbours", "an entry is left out between the two", here, [placed(3), placed(5)], "not-absent"),
        (
            "attack_elsewhere",
            "neighbours, but not around the saga",
            missing,
            [placed(at - 2), placed(at - 1)],
            "not-absent",
        ),
        ("attack_exchanged", "the two are exchanged", missing, two[::-1], "not-absent"),
        ("attack_one_twice", "the same entry twice", missing, [two[0], two[0]], "not-absent"),
        (
            "attack_forged_neighbour",
            "a neighbour's key was altered",
            missing,
            [two[0], placed(at, entry=TABLE[at].replace(keys[at], "e" * 64))],
            "not-included",
        ),
    ]:
        yield f"absent_{name}", description, {"saga": saga, "entries": shown, **under, "expect": reason(word)}
    bare = TABLE[1:-1]
    start = {"saga": ends, "entries": [placed(0, bare), placed(1, bare)], **unframed}
    text = "an index without sentinels proves no absence at its beginning"
    yield "absent_attack_without_sentinels", text, {**start, "expect": reason("bad-index-entry")}
