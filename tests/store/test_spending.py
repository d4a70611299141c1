"""What lines take from limits: kept with them, refused with them, and shared by everybody who writes."""

from __future__ import annotations

import asyncio
import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from samples import Writer

from agent_saga.trace.limits import MAX_LINE
from agent_saga.trace.reader import open_input
from agent_saga.trace.store import NewLine, Spending, Window, open_store
from agent_saga.trace.store.errors import LimitReached, OutOfOrder, Refusal, WrongVersion
from agent_saga.trace.store.inspecting import inspect
from agent_saga.trace.store.local import LocalStore
from agent_saga.trace.store.migrating import migrate
from agent_saga.trace.store.opening import open_engine
from agent_saga.trace.store.schema import LINES
from agent_saga.trace.store.spending import MOST

Make = Callable[[], LocalStore]
CHILD = Path(__file__).with_name("child.py")


def take(new: NewLine, amount: int, at: int = 1000, key: str = '["c1"]', most: int | None = 10) -> Spending:
    return Spending(new.saga, new.seq, "daily", key, amount, at, 100, most)


async def held(store: LocalStore, at: int = 1000, key: str = '["c1"]') -> int:
    return (await store.spent([Window("daily", key, at - 100)]))[0]


def test_a_line_is_kept_with_what_it_takes_or_not_at_all(make: Make) -> None:
    async def use() -> None:
        store, writer = make(), Writer("a")
        first, second, third = writer.some(3)
        await store.append([first], spends=[take(first, 7)])
        with pytest.raises(LimitReached, match="7 of 10 is used, and this adds 4") as refused:
            await store.append([second], spends=[take(second, 4)])
        assert (refused.value.number, refused.value.used) == (0, 7)
        assert len(await store.read("a")) == 1
        assert await held(store) == 7
        await store.append([second], spends=[take(second, 3)])
        with pytest.raises(LimitReached):
            await store.append([third], spends=[take(third, 1)])
        await store.append([third], spends=[take(third, 5, most=None)])
        assert await held(store) == 15, "what persons approved is counted beyond the bound"
        await store.close()

    asyncio.run(use())


def test_all_limits_of_an_append_or_none(make: Make) -> None:
    async def use() -> None:
        store = make()
        (line,) = Writer("a").some(1)
        wanted = [take(line, 10, key="[1]"), take(line, 6, key="[2]"), take(line, 5, key="[2]")]
        with pytest.raises(LimitReached) as refused:
            await store.append([line], spends=wanted)
        assert (refused.value.number, refused.value.used) == (2, 0)
        assert [await held(store, key=key) for key in ("[1]", "[2]")] == [0, 0]
        assert await store.read("a") == []
        await store.close()

    asyncio.run(use())


def test_an_append_that_is_repeated_takes_nothing_again(make: Make) -> None:
    async def use() -> None:
        store = make()
        (line,) = Writer("a").some(1)
        for _ in range(3):
            await store.append([line], spends=[take(line, 7)])
        assert await held(store) == 7
        (other,) = Writer("b").some(1)
        with pytest.raises(OutOfOrder):
            await store.append([replace_seq(other)], spends=[take(other, 1)])
        assert await held(store) == 7
        await store.close()

    asyncio.run(use())


def replace_seq(new: NewLine) -> NewLine:
    line = Writer(new.saga).some(2)[1]
    return NewLine(new.saga, 1, line.line)


def test_a_window_slides_exactly_and_a_clock_that_goes_back_earns_nothing(make: Make) -> None:
    async def use() -> None:
        store, lines = make(), iter(Writer("a").some(20))

        async def tried(amount: int, at: int) -> bool:
            line = next(lines)
            try:
                await store.append([line], spends=[take(line, amount, at)])
            except LimitReached:
                await store.append([line])
                return False
            return True

        assert await tried(10, 1000)
        assert not await tried(1, 1099), "99 microseconds later it still counts"
        assert await tried(10, 1100), "100 later it does not"
        assert not await tried(1, 1050), "the one at 1100 counts for an earlier clock, too"
        assert not await tried(1, 1), "and for a much earlier one"
        assert await tried(0, 1100), "what adds nothing exceeds nothing"
        assert await tried(10, 1200)
        await store.close()

    asyncio.run(use())


def test_sums_beyond_64_bits_are_exact(make: Make) -> None:
    async def use() -> None:
        store = make()
        lines = Writer("a").some(3)
        for line in lines:
            await store.append([line], spends=[take(line, MOST, most=None)])
        assert await held(store) == 3 * MOST
        await store.close()

    asyncio.run(use())


def test_what_no_store_can_keep_is_refused(make: Make) -> None:
    async def use() -> None:
        store = make()
        (line,) = Writer("a").some(1)
        good = take(line, 1)
        for bad in ({"amount": -1}, {"amount": MOST + 1}, {"limit": ""}, {"key": "x" * (MAX_LINE + 1)}):
            with pytest.raises(Refusal):
                await store.append([line], spends=[good._replace(**bad)])
        assert await store.read("a") == []
        await store.close()

    asyncio.run(use())


@pytest.mark.parametrize("key", ["", "k\0x", "\ud800", "\N{GREEK SMALL LETTER ALPHA}" * 1000])
def test_any_text_is_a_key(make: Make, key: str) -> None:
    async def use() -> None:
        store, (line,) = make(), Writer("a").some(1)
        await store.append([line], spends=[take(line, 7, key=key)])
        assert [await held(store, key=one) for one in (key, key + "x", "k")] == [7, 0, 0]
        await store.close()

    asyncio.run(use())


def test_random_appends_hold_what_a_list_says(make: Make) -> None:
    """Against the definition itself: the sum of all that was taken before at instants later than at - window."""

    async def use(seed: int) -> None:
        rng, store, taken = random.Random(seed), make(), list[tuple[str, int, int]]()
        writer, name = Writer(f"s{seed}"), f"n{seed}"
        for line in writer.some(120):
            at, amount, key = rng.randrange(500), rng.randrange(6), rng.choice("ab")
            used = sum(a for k, t, a in taken if k == key and t > at - 100)
            spend = Spending(line.saga, line.seq, name, key, amount, at, 100, 10)
            assert await store.spent([Window(name, key, at - 100)]) == [used]
            if amount and used + amount > 10:
                with pytest.raises(LimitReached):
                    await store.append([line], spends=[spend])
                await store.append([line])
            else:
                await store.append([line], spends=[spend])
                taken.append((key, at, amount))
        await store.close()

    for seed in range(3):
        asyncio.run(use(seed))


def test_what_was_spent_outlives_the_process(kept: str) -> None:
    async def use() -> None:
        store = open_store(kept)
        lines = Writer("a").some(2)
        for line in lines:
            await store.append([line], spends=[take(line, 4)])
        await store.close()
        store = open_store(kept)
        assert await held(store) == 8
        await store.append([lines[1]], spends=[take(lines[1], 4)])
        assert await held(store) == 8
        await store.close()

    asyncio.run(use())


def test_a_spend_of_a_file_store_whose_line_never_came_is_none(tmp_path: Path) -> None:
    """A kill between the two files, and the same place in the saga taken by another line afterwards."""
    place = tmp_path / "s.jsonl"

    async def use() -> None:
        store, writer = open_store(place), Writer("a")
        first, second = writer.some(2)
        await store.append([first], spends=[take(first, 4)])
        size = place.stat().st_size
        await store.append([second], spends=[take(second, 5)])
        await store.close()
        with place.open("r+b") as trace:
            trace.truncate(size)
        for _ in range(2):
            store = open_store(place)
            assert await held(store) == 4
            await store.close()
        store = open_store(place)
        await store.append([NewLine("a", 1, second.line.replace(b"true", b"false"))])
        assert await held(store) == 4
        await store.close()

    asyncio.run(use())


def test_eight_processes_spend_one_budget_to_the_last_unit(tmp_path: Path) -> None:
    place = tmp_path / "s.db"
    asyncio.run(open_store(place).close())
    words = [sys.executable, str(CHILD), "spend", str(place)]
    children = [subprocess.Popen([*words, f"p{n}", "1200"], stdout=subprocess.PIPE, text=True) for n in range(8)]
    taken = [int(child.communicate(timeout=120)[0]) for child in children]
    assert sum(taken) == 1200
    with closing(sqlite3.connect(place)) as connection:
        rows, total = connection.execute("SELECT count(*), sum(amount) FROM spends").fetchone()
        lines = connection.execute("SELECT count(*) FROM lines WHERE seq > 0").fetchone()[0]
    assert total == 1200
    assert rows == lines, "every line that was kept has spent, and nothing else has"
    assert sum(1 for one in taken if one) > 1, "one process alone had it all"


def test_a_store_of_version_1_is_read_as_it_is_and_migrated_to_be_written(tmp_path: Path) -> None:
    place = str(tmp_path / "s.db")
    lines = Writer("a").some(3)
    engine = open_engine(place)
    engine.close()
    with closing(sqlite3.connect(place)) as connection:
        for name in ("spends_of_lines", "spends_no_update", "spends_no_delete"):
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("DROP TABLE spends")
        connection.execute("PRAGMA user_version = 1")
        for index, line in enumerate(lines):
            connection.execute("INSERT INTO lines VALUES (?, 'a', ?, ?)", (index, index, line.line))
        connection.execute("INSERT INTO sagas (first, saga) VALUES (0, 'a')")
        connection.commit()
    assert list(open_input(place).lines())[:3] == [line.line for line in lines]
    assert inspect(place, 0).schema == 1
    with pytest.raises(WrongVersion, match="store migrate"):
        open_store(place)
    assert migrate(place, dry_run=True) == migrate(place, dry_run=False)
    assert inspect(place, 0).schema == LINES.version == 2

    async def use() -> None:
        store, new = open_store(place), Writer("b").next()
        await store.append([new], spends=[take(new, 1)])
        assert await held(store) == 1
        await store.close()

    asyncio.run(use())


@pytest.mark.parametrize("statement", ["UPDATE spends SET amount = 0", "DELETE FROM spends"])
def test_hands_cannot_give_back_what_was_spent(tmp_path: Path, statement: str) -> None:
    place = tmp_path / "s.db"

    async def use() -> None:
        store, (line,) = open_store(place), Writer("a").some(1)
        await store.append([line], spends=[take(line, 4)])
        await store.close()

    asyncio.run(use())
    with closing(sqlite3.connect(place)) as connection, pytest.raises(sqlite3.IntegrityError, match="stays spent"):
        connection.execute(statement)
    row = "INSERT INTO spends VALUES ('daily', '', 0, 'nobody', 0, 1)"
    with closing(sqlite3.connect(place)) as connection, pytest.raises(sqlite3.IntegrityError, match="line that is"):
        connection.execute(row)
