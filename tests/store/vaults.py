"""Sagas with concealed values, and the files that a store keeps of them."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

from samples import Writer

from agent_saga.trace.conceal import conceal, digest_of
from agent_saga.trace.store import Disclosure, NewLine, open_store

CARD, IBAN, NOTE = "4929 1234 5678 9012", "DE02 1203 0000 0000 2020 51", "x" * 9000 + "Ada Lovelace" + "y" * 9000
VALUES = (CARD, IBAN, NOTE)


def salt(number: int, saga: str) -> str:
    """22 base64url characters, other ones for each saga and number."""
    return f"{saga}-{number}".ljust(21, "x")[:21] + "A"


def sealed_saga(
    saga: str, subjects: tuple[str, ...] = ("", "", ""), *, ended: bool = True
) -> tuple[list[NewLine], list[Disclosure]]:
    """A saga whose lines 1, 2 and 3 hold VALUES, concealed, at /evidence/card, /evidence/iban and /evidence/note."""
    writer = Writer(saga)
    lines, disclosures = [writer.next()], []
    for number, (name, value) in enumerate(zip(("card", "iban", "note"), VALUES, strict=True)):
        hidden, text = conceal(value, salt(number, saga))
        lines.append(writer.check({name: hidden}))
        disclosures.append(Disclosure(saga, text, subjects[number]))
    return [*lines, writer.end()] if ended else lines, disclosures


def keep(place: str, *sagas: tuple[list[NewLine], list[Disclosure]]) -> None:
    """Put sagas into a store, and close it."""

    async def go() -> None:
        store = open_store(place)
        try:
            for lines, disclosures in sagas:
                await store.append(lines, disclosures=disclosures)
        finally:
            await store.close()

    asyncio.run(go())


def texts(place: str, saga: str) -> list[str]:
    """The Ds that a store gives out."""

    async def go() -> list[str]:
        store = open_store(place)
        try:
            return await store.disclosures(saga)
        finally:
            await store.close()

    return asyncio.run(go())


def tells(folder: Path, disclosures: list[Disclosure], *, but: str = "\0") -> list[str]:
    """The files in a folder in which a part of a D, or a value, can be read. but: left out, by a part of the name."""
    pieces = [
        text[start : start + 40].encode() for _, text, _ in disclosures for start in range(0, len(text) - 40, 200)
    ]
    needles = [*pieces, CARD.encode(), IBAN.encode(), b"Ada Lovelace"]
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and but not in path.name]
    return [path.name for path in files if any(needle in path.read_bytes() for needle in needles)]


def make_old(place: str, disclosures: list[Disclosure]) -> None:
    """Make the disclosures of a SQLite store what version 1 had: in clear."""
    Path(f"{place}.keys").unlink(missing_ok=True)
    Path(f"{place}.disclosures").unlink()
    with closing(sqlite3.connect(f"{place}.disclosures")) as old:
        old.executescript(VERSION_1)
        rows = [(digest_of(text), saga, text) for saga, text, _ in disclosures]
        old.executemany("INSERT INTO disclosures (digest, saga, text) VALUES (?, ?, ?)", rows)
        old.execute("INSERT INTO memory VALUES ('key', x'01')")
        old.commit()


VERSION_1 = """PRAGMA journal_mode = WAL;
CREATE TABLE disclosures (
  n INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,
  saga TEXT NOT NULL,
  text TEXT NOT NULL
);
CREATE INDEX disclosures_saga ON disclosures (saga);
CREATE TABLE memory (
  key TEXT PRIMARY KEY,
  value BLOB NOT NULL
);
PRAGMA application_id = 1095985008;
PRAGMA user_version = 1;
"""
