"""Mutants of a bundle: every byte changed, every line and member dropped, doubled, swapped or renumbered, every cut.

A mutant that is byte for byte the bundle is none. Whatever else verifies is a hole.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from agent_saga.proofs.bundles.verifying import verify_bundle
from agent_saga.proofs.errors import Refuted
from agent_saga.proofs.pins import Pins

Mutant = tuple[str, bytes]


def bytes_changed(data: bytes, every: int = 1, *, all_values: bool = False) -> Iterator[Mutant]:
    """Each ``every``-th byte changed: to all other values, or to a few that matter."""
    for at in range(0, len(data), every):
        was = data[at]
        if all_values:
            values: Iterable[int] = range(256)
        else:
            values = {was ^ 0x01, was ^ 0x20, was ^ 0x80, (was + 1) % 256, ord('"'), ord(" "), ord("0")}
        for value in values:
            if value != was:
                yield f"byte {at} to {value:#04x}", data[:at] + bytes([value]) + data[at + 1 :]


def lengths_changed(data: bytes, every: int = 1) -> Iterator[Mutant]:
    """Cut at each length; each byte left out, each byte doubled."""
    for at in range(0, len(data), every):
        yield f"cut to {at}", data[:at]
        yield f"without byte {at}", data[:at] + data[at + 1 :]
        yield f"byte {at} twice", data[: at + 1] + data[at:]


def _written(record: Any) -> bytes:
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def members_changed(data: bytes) -> Iterator[Mutant]:
    """Each member left out, doubled, renamed, emptied; each pair of neighbours exchanged."""
    pairs = list(json.loads(data).items())
    texts = [f"{json.dumps(name)}:{_written(value).decode()[:-1]}" for name, value in pairs]

    def joined(found: list[str]) -> bytes:
        return ("{" + ",".join(found) + "}\n").encode()

    assert joined(texts) == data
    for at, (name, value) in enumerate(pairs):
        yield f"without {name}", joined(texts[:at] + texts[at + 1 :])
        yield f"{name} twice", joined([*texts[: at + 1], *texts[at:]])
        yield f"{name} twice at the end", joined([*texts, texts[at]])
        yield f"{name} renamed", joined([*texts[:at], texts[at].replace(name, name + "s", 1), *texts[at + 1 :]])
        empty = json.dumps(type(value)())
        yield f"{name} emptied", joined([*texts[:at], f"{json.dumps(name)}:{empty}", *texts[at + 1 :]])
        if at:
            yield f"{name} moved up", joined([*texts[: at - 1], texts[at], texts[at - 1], *texts[at + 1 :]])


def items_changed(data: bytes, member: str) -> Iterator[Mutant]:
    """Each item of a list left out, doubled, exchanged with each other one, and renumbered where it has a number."""
    record = json.loads(data)
    items = record[member]

    def with_items(found: list[Any]) -> bytes:
        return _written({**record, member: found})

    for at, item in enumerate(items):
        yield f"{member} without {at}", with_items(items[:at] + items[at + 1 :])
        yield f"{member} with {at} twice", with_items(items[: at + 1] + items[at:])
        yield f"{member} ends at {at}", with_items(items[:at])
        for to in range(at + 1, len(items)):
            swapped = [*items[:at], items[to], *items[at + 1 : to], item, *items[to + 1 :]]
            yield f"{member} {at} and {to} exchanged", with_items(swapped)
            if isinstance(item, list):
                texts = [*items[:at], [item[0], *items[to][1:]], *items[at + 1 : to], [items[to][0], *item[1:]]]
                yield f"{member} {at} and {to} exchanged, numbers kept", with_items([*texts, *items[to + 1 :]])
        if isinstance(item, list):
            for number in {0, item[0] - 1, item[0] + 1, item[0] + len(items)} - {item[0], -1}:
                yield (
                    f"{member} {at} numbered {number}",
                    with_items([*items[:at], [number, *item[1:]], *items[at + 1 :]]),
                )
    yield from _renumbered(items, member, with_items)


def _renumbered(items: list[Any], member: str, with_items: Any) -> Iterator[Mutant]:
    if member != "lines":
        return
    for at in range(len(items)):
        rest = [[seq - 1, text] for seq, text in items[at + 1 :]]
        yield f"line {at} left out, the rest counted anew", with_items(items[:at] + rest)
        inside = [[seq - 1, text.replace(f'"seq":{seq},', f'"seq":{seq - 1},', 1)] for seq, text in items[at + 1 :]]
        yield f"line {at} left out, the rest counted anew in its bytes", with_items(items[:at] + inside)


LISTS = ("lines", "anchors", "log", "proof", "entries", "disclosures")


def structure_changed(data: bytes) -> Iterator[Mutant]:
    """All that is not a change of single bytes; each mutant once."""
    yield from members_changed(data)
    for member in LISTS:
        yield from items_changed(data, member)


def survivors(data: bytes, pins: Pins, mutants: Iterable[Mutant]) -> tuple[int, list[str]]:
    """How many mutants were tried, and those that verify. Any exception but Refuted breaks the loop.

    Two neighbours in the index prove every id between them absent: a mutant that names another one says something else,
    and it is true. It counts where it is not.
    """
    tried, alive, saga = 0, [], json.loads(data)["saga"]
    for name, mutant in mutants:
        if mutant == data:
            continue
        tried += 1
        try:
            proven = verify_bundle(mutant, pins)
        except Refuted:
            continue
        if proven.claim != "absent" or proven.saga == saga:
            alive.append(name)
    return tried, alive
