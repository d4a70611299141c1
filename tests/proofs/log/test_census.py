"""The census, which looks lines up by a guess, against counting one line at a time."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from samples import Writer

from agent_saga.proofs.entries import HIGHEST, LOWEST, Entry, key_of, sentinel
from agent_saga.proofs.hashing import leaf, leaf_hashes
from agent_saga.proofs.log.census import BrokenChain, Census

SAGAS = ["a", "ab", "abc", "b", "saga-1", "saga-2", "saga-10", "x" * 128]


def mixed(seed: int) -> list[tuple[str, bytes]]:
    """Sagas of many lengths, interleaved; some ids begin as others do."""
    rng = random.Random(seed)
    writers = [Writer(saga) for saga in SAGAS]
    return [(writer.saga, writer.next().line) for writer in rng.choices(writers, k=200)]


def counted(lines: list[tuple[str, bytes]]) -> list[bytes]:
    """The entries, by definition."""
    found = [sentinel(LOWEST), sentinel(HIGHEST)]
    for saga in {saga for saga, _ in lines}:
        own = [(index, line) for index, (of, line) in enumerate(lines) if of == saga]
        found.append(Entry(key_of(saga), own[0][0], own[-1][0], len(own), leaf(own[-1][1]).hex()))
    return [entry.text().encode() for entry in sorted(found, key=lambda entry: entry.key)]


def add(census: Census, start: int, lines: list[bytes]) -> None:
    census.add(start, lines, leaf_hashes(lines))


@pytest.mark.parametrize("batch", [1, 2, 7, 64, 200])
@pytest.mark.parametrize("seed", range(4))
def test_the_census_counts_as_one_would_by_hand(seed: int, batch: int) -> None:
    named = mixed(seed)
    lines, census = [line for _, line in named], Census()
    for start in range(0, len(lines), batch):
        add(census, start, lines[start : start + batch])
    assert census.entries() == counted(named)
    half = Census()
    add(half, 0, lines[:100])
    later = Census(b"".join(half.entries()))
    add(later, 100, lines[100:])
    assert later.entries() == counted(named)


def test_a_saga_may_be_of_any_number_of_lines() -> None:
    lines, census = [new.line for new in Writer("long").some(1500)], Census()
    add(census, 0, lines)
    assert census.entries() == counted([("long", line) for line in lines])


@pytest.mark.parametrize("cut", [1, 2, 3, 4])
@pytest.mark.parametrize("read_back", [False, True])
def test_a_saga_that_begins_twice_is_refused(cut: int, read_back: bool) -> None:
    """Whether its second beginning comes in the batch of the first or later, and whatever was guessed there."""
    other, first, again = Writer("other").some(2), Writer("saga-1").some(3), Writer("saga-1").some(1)
    lines = [new.line for new in (other[0], *first, *again, other[1])]
    census = Census()
    add(census, 0, lines[:cut])
    if read_back:
        census = Census(b"".join(census.entries()))
    with pytest.raises(BrokenChain, match="line 4: is not line 3 of its saga"):
        add(census, cut, lines[cut:])


def other_seq(line: bytes) -> bytes:
    return line.replace(b'"seq":3,', b'"seq":4,')


def other_prev(line: bytes) -> bytes:
    return line.replace(b'"prev":"', b'"prev":"0', 1)


def longer_prev(line: bytes) -> bytes:
    return line.replace(b'","at"', b'0","at"', 1)


def other_version(line: bytes) -> bytes:
    return line.replace(b'{"v":1', b'{"v":2', 1)


def other_saga(line: bytes) -> bytes:
    return line.replace(b'"ab"', b'"b"', 1)


def unknown_saga(line: bytes) -> bytes:
    return line.replace(b'"ab"', b'"abx"', 1)


def cut_in_saga(line: bytes) -> bytes:
    return line[: line.index(b'ab"') + 2]


def nothing(line: bytes) -> bytes:
    return b""


@pytest.mark.parametrize(
    "spoil",
    [other_seq, other_prev, longer_prev, other_version, other_saga, unknown_saga, cut_in_saga, nothing],
    ids=lambda spoil: spoil.__name__,
)
@pytest.mark.parametrize("before", ["ab", "a", "saga-1"])
def test_a_line_that_does_not_continue_its_saga_is_refused(spoil: Callable[[bytes], bytes], before: str) -> None:
    """Whichever line it comes after in its batch, and so whatever was guessed."""
    sagas = {saga: [new.line for new in Writer(saga).some(4)] for saga in ("a", "ab", "saga-1", "b")}
    census = Census()
    known = [line for saga in sagas.values() for line in saga[:3]]
    add(census, 0, known)
    good = sagas["ab"][3]
    bad = spoil(good)
    assert bad != good
    lead = [] if before == "ab" else [sagas[before][3]]
    with pytest.raises(BrokenChain, match=f"line {len(known) + len(lead)}: is no"):
        add(census, len(known), [*lead, bad])
