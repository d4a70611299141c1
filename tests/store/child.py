"""What tests run in a process of its own: `python child.py WHAT PLACE ...`."""

from __future__ import annotations

import asyncio
import os
import resource
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from samples import Writer, whole

from agent_saga.trace.store import Spending, StoreError, open_store
from agent_saga.trace.store.choosing import Choice
from agent_saga.trace.store.erasing import erase
from agent_saga.trace.store.errors import LimitReached
from agent_saga.trace.store.opening import open_engine


def tell(*words: object) -> None:
    """One line to the parent, at once."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


async def append(place: str, name: str, appenders: int, each: int) -> None:
    """Append for ever, `each` lines at a time and `appenders` at once; tell what was acknowledged."""
    store = open_store(place)

    async def go(number: int) -> None:
        writer = Writer(f"{name}-{number}", size=300)
        while True:
            lines = writer.some(each)
            await store.append(lines)
            tell(lines[-1].saga, lines[-1].seq)

    await asyncio.gather(*map(go, range(appenders)))


async def run_sagas(place: str, name: str, count: int) -> None:
    """Run each of the sagas that nobody else runs, under a lease; tell which ones."""
    store = open_store(place)
    for number in range(count):
        saga = f"saga-{number}"
        lease = await store.acquire(saga, name, ttl=600, now=0)
        if lease:
            for new in whole(saga, 3):
                await store.append([new], lease=lease)
            tell(saga)
    await store.close()


async def spend_until_refused(place: str, name: str, most: int) -> None:
    """Take three units with each line of a budget that others take from, then one at a time; tell how many."""
    store, writer, taken = open_store(place), Writer(name), 0
    await store.append(writer.some(1))
    new = writer.next()
    for amount in (3, 1):
        while True:
            spend = Spending(name, new.seq, "budget", "[]", amount, 1000 + taken, 10**9, most)
            try:
                await store.append([new], spends=[spend])
            except LimitReached:
                break
            taken, new = taken + amount, writer.next()
    await store.close()
    tell(taken)


async def append_until_refused(place: str) -> None:
    """Append until the store refuses; tell the last index, the error, and whether it went on after the limit rose."""
    store = open_store(place)
    writer, last = Writer("a", size=2000), -1
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    new = writer.next()
    try:
        while True:
            last = await store.append([new])
            new = writer.next()
    except StoreError as fault:
        tell(last, type(fault).__name__, fault)
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    try:
        tell(await store.append([new]))
    except StoreError as fault:
        tell(type(fault).__name__, fault)
    await store.close()


def open_as_stranger(place: str) -> None:
    """Open as a user who may not write; tell the error."""
    if os.getuid() == 0:
        os.setgid(65534)
        os.setuid(65534)
    try:
        open_store(place)
        tell("opened")
    except StoreError as fault:
        tell(type(fault).__name__, fault)


def erase_as_stranger(place: str) -> None:
    """Erase as a user who may not write; tell the error."""
    if os.getuid() == 0:
        os.setgid(65534)
        os.setuid(65534)
    try:
        engine = open_engine(place, create=False)
        erase(engine, "a", Choice(every=True), now=5.0)
        tell("erased")
    except StoreError as fault:
        tell(type(fault).__name__, fault)


def main(what: str, *words: str) -> None:
    """Do what the parent asked for."""
    if what == "append":
        asyncio.run(append(words[0], words[1], int(words[2]), int(words[3])))
    elif what == "run":
        asyncio.run(run_sagas(words[0], words[1], int(words[2])))
    elif what == "spend":
        asyncio.run(spend_until_refused(words[0], words[1], int(words[2])))
    elif what == "fill":
        asyncio.run(append_until_refused(words[0]))
    elif what == "erase":
        erase_as_stranger(words[0])
    else:
        open_as_stranger(words[0])


if __name__ == "__main__":
    main(*sys.argv[1:])
