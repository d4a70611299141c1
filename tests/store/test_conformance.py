"""What every store does: one suite over all of them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

import pytest
from samples import Writer, concealed, whole

from agent_saga.trace import leaf_hash
from agent_saga.trace.limits import GENESIS
from agent_saga.trace.store import Disclosure, NewLine, SagaRow, Store
from agent_saga.trace.store.base import MAX_VALUE
from agent_saga.trace.store.errors import BadLine, Closed, Conflict, OutOfOrder, Overtaken, Refusal, StaleLease
from agent_saga.trace.store.local import LocalStore
from agent_saga.trace.writer import SagaWriter

Make = Callable[[], LocalStore]


@contextlib.asynccontextmanager
async def opened(make: Make) -> AsyncIterator[Store]:
    store = make()
    try:
        yield store
    finally:
        await store.close()


def test_what_was_appended_is_read_byte_for_byte(make: Make) -> None:
    a, b = whole("a"), Writer("b").some(2)

    async def use() -> None:
        async with opened(make) as store:
            assert [await store.append(part) for part in (a[:1], b, a[1:])] == [0, 1, 3]
            assert await store.read("a") == [new.line for new in a]
            assert await store.read("a", since=2) == [new.line for new in a[2:]]
            assert await store.read("nobody") == []
            order = [a[0], *b, *a[1:]]
            assert await store.lines() == list(enumerate(new.line for new in order))
            assert await store.lines(since=1, limit=2) == [(1, b[0].line), (2, b[1].line)]
            rows = [SagaRow("a", 4, leaf_hash(a[-1].line), True), SagaRow("b", 2, leaf_hash(b[-1].line), False)]
            assert await store.sagas() == rows
            assert await store.sagas(open_only=True) == rows[1:]

    asyncio.run(use())


def test_one_append_may_hold_lines_of_several_sagas(make: Make) -> None:
    a, b = Writer("a").some(3), Writer("b").some(3)

    async def use() -> None:
        async with opened(make) as store:
            assert await store.append([new for pair in zip(a, b, strict=True) for new in pair]) == 0
            assert await store.read("b") == [new.line for new in b]

    asyncio.run(use())


def test_the_same_lines_again_change_nothing(make: Make) -> None:
    a = Writer("a").some(4)

    async def use() -> None:
        async with opened(make) as store:
            await store.append(Writer("first").some(2))
            assert await store.append(a[:2]) == 2
            assert await store.append(a[:2]) == 2
            assert await store.append(a[1:]) == 3  # some there, some new
            assert await store.append([a[3], a[3]]) == 5
            assert [line for _, line in await store.lines(2)] == [new.line for new in a]
            assert await store.append([]) == 6

    asyncio.run(use())


def test_lines_that_are_repeated_in_one_group_are_known_in_it_and_between_those_of_others(make: Make) -> None:
    a, b = Writer("a").some(5), Writer("b").some(3)
    other = NewLine("a", 4, Writer("a", size=3).some(5)[4].line)

    async def use() -> None:
        async with opened(make) as store:
            await store.append(a[:2])
            given = [a[2:4], [a[2]], b[:2], [a[3]], [a[3], a[4]], [b[1], b[2]], [a[1]], [a[4], b[2]], [other]]
            *answers, refused = await asyncio.gather(*map(store.append, given), return_exceptions=True)
            assert answers == [2, 2, 4, 3, 3, 5, 1, 6]
            assert isinstance(refused, Conflict)
            assert [line for _, line in await store.lines()] == [new.line for new in (*a[:4], *b[:2], a[4], b[2])]

    asyncio.run(use())


def test_an_append_may_be_meant_for_one_index(make: Make) -> None:
    a, b = Writer("a").some(4), Writer("b").some(2)

    async def use() -> None:
        async with opened(make) as store:
            assert await store.append(a[:2], at=0) == 0
            before = await store.lines(), await store.sagas()
            for index in (0, 1, 3):
                with pytest.raises(Overtaken, match=f"index 2, not {index}"):
                    await store.append(b, at=index)
            assert (await store.lines(), await store.sagas()) == before
            assert await store.append(b, at=2) == 2
            assert await store.append(b, at=2) == 2  # it stands there already
            with pytest.raises(Overtaken, match="index 2, not 4"):
                await store.append(b, at=4)
            answers = await asyncio.gather(
                *(store.append([line], at=4) for line in (a[2], *Writer("c").some(1))), return_exceptions=True
            )
            assert [answer if answer == 4 else type(answer) for answer in answers] in ([4, Overtaken], [Overtaken, 4])
            assert await store.append([], at=5) == 5
            with pytest.raises(Overtaken):
                await store.append([], at=4)

    asyncio.run(use())


def _refused() -> dict[str, tuple[list[NewLine], type[Refusal]]]:
    a, other = Writer("a").some(4), SagaWriter("a", bytes)
    fork = NewLine("a", 0, other.line("saga.started", "2026-11-30T07:00:00.000000Z", **{**START, "name": "fork"}))
    second = NewLine("a", 1, other.line("check.evaluated", AT, check="c", passed=True, evidence=1))
    third = NewLine("a", 2, other.line("check.evaluated", AT, check="d", passed=True, evidence=1))
    return {
        "other bytes at the start": ([fork], Conflict),
        "other bytes at the end": ([second], Conflict),
        "a gap": ([a[3]], OutOfOrder),
        "a new saga that does not begin at 0": ([NewLine("b", 1, Writer("b").some(2)[1].line)], OutOfOrder),
        "a prev that is not the head": ([third], OutOfOrder),
        "one good line and one bad": ([a[2], third], Conflict),
        "a line of another saga": ([NewLine("b", 2, a[2].line)], BadLine),
        "a line of another seq": ([NewLine("a", 3, a[2].line)], BadLine),
        "no line": ([NewLine("a", 2, b'{"v":1}')], BadLine),
        "a line with its LF": ([NewLine("a", 2, a[2].line + b"\n")], BadLine),
        "nothing": ([NewLine("a", 2, b"")], BadLine),
    }


START = {"log": "log.example/acme", "name": "order", "format": "1.0", "tools": {}}
AT = "2026-11-30T07:00:01.000000Z"


@pytest.mark.parametrize("case", _refused())
def test_what_does_not_follow_is_refused_and_leaves_nothing(case: str, make: Make) -> None:
    lines, error = _refused()[case]

    async def use() -> None:
        async with opened(make) as store:
            await store.append(Writer("a").some(2))
            before = await store.lines(), await store.sagas()
            with pytest.raises(error) as told:
                await store.append(lines)
            assert f"saga {lines[0].saga}" in str(told.value)
            assert (await store.lines(), await store.sagas()) == before
            assert await store.append(Writer("a").some(3)[2:]) == 2

    asyncio.run(use())


def test_a_saga_is_held_by_one(make: Make) -> None:
    async def use() -> None:
        async with opened(make) as store:
            first = await store.acquire("a", "worker-1", ttl=30, now=100)
            assert first is not None
            assert (first.saga, first.holder, first.until) == ("a", "worker-1", 130)
            for holder in ("worker-2", "worker-1"):
                assert await store.acquire("a", holder, ttl=30, now=129.9) is None
            later = await store.renew(first, ttl=30, now=120)
            assert later == replace(first, until=150)
            assert await store.acquire("a", "worker-2", ttl=30, now=140) is None
            await store.release(first)
            second = await store.acquire("a", "worker-2", ttl=30, now=140)
            assert second is not None
            assert second.token > first.token

    asyncio.run(use())


def test_a_lease_that_tells_lines_tells_all_that_stand_there(make: Make) -> None:
    a, b = Writer("a").some(2), Writer("b").some(3)

    async def use() -> None:
        async with opened(make) as store:
            new = await store.acquire("a", "worker-1", ttl=30, now=0)
            assert new is not None
            assert new.lines in (0, None)  # None: not told, as over a network
            await store.append(a, lease=new)
            _, begun = await asyncio.gather(store.append(b), store.acquire("b", "worker-1", ttl=30, now=0))
            assert begun is not None
            assert begun.lines in (3, None)  # those of the same commit as well
            await store.release(new)
            again = await store.acquire("a", "worker-2", ttl=30, now=0)
            assert again is not None
            assert again.lines == (None if new.lines is None else 2)
            assert (await store.renew(again, ttl=60, now=0)) == replace(again, until=60)

    asyncio.run(use())


def test_an_append_may_let_go_of_its_lease_and_is_repeated_like_any_other(make: Make) -> None:
    a = Writer("a").some(4)

    async def use() -> None:
        async with opened(make) as store:
            first = await store.acquire("a", "worker-1", ttl=30, now=100)
            assert first
            with pytest.raises(OutOfOrder):
                await store.append(a[1:2], lease=first, release=True)
            assert await store.acquire("a", "worker-2", ttl=30, now=101) is None  # what was refused let go of nothing
            assert await store.append(a[:2], lease=first, release=True) == 0
            assert await store.append(a[:2], lease=first, release=True) == 0  # as after a connection that broke
            for again, release in ((a[:2], False), (a[1:3], True), ([], True)):
                with pytest.raises(StaleLease, match="nobody"):
                    await store.append(again, lease=first, release=release)
            second = await store.acquire("a", "worker-2", ttl=30, now=101)
            assert second
            assert second.token > first.token
            with pytest.raises(StaleLease, match="worker-2"):
                await store.append(a[:2], lease=first, release=True)
            assert await store.acquire("a", "worker-3", ttl=30, now=102) is None
            assert await store.append(a[2:], lease=second) == 2

    asyncio.run(use())


def test_who_lost_the_lease_can_neither_append_renew_nor_release(make: Make) -> None:
    a = Writer("a").some(4)

    async def use() -> None:
        async with opened(make) as store:
            old = await store.acquire("a", "worker-1", ttl=30, now=100)
            assert old
            await store.append(a[:1], lease=old)
            await store.append(a[1:2], lease=old)  # it ran out long ago, but nobody took the saga
            new = await store.acquire("a", "worker-2", ttl=30, now=131)
            assert new
            for lines in (a[2:3], a[:1]):
                with pytest.raises(StaleLease, match="worker-1"):
                    await store.append(lines, lease=old)
            with pytest.raises(StaleLease):
                await store.renew(old, ttl=30, now=131)
            await store.release(old)
            assert await store.acquire("a", "worker-3", ttl=30, now=132) is None
            assert await store.append(a[2:3], lease=new) == 2
            with pytest.raises(StaleLease, match="saga b"):
                await store.append(Writer("b").some(1), lease=new)
            await store.release(new)
            with pytest.raises(StaleLease, match="nobody"):
                await store.append(a[3:], lease=new)

    asyncio.run(use())


def test_open_sagas_that_nobody_holds_are_to_be_recovered(make: Make) -> None:
    async def use() -> None:
        async with opened(make) as store:
            for saga in ("held", "ran-out", "never-taken", "released"):
                await store.append(Writer(saga).some(2))
            await store.append(whole("ended"))
            log = SagaWriter("log", bytes)
            opening = {"origin": "log.example/acme", "vkey": "k", "keys": {}}
            await store.append([NewLine("log", 0, log.line("log.opened", AT, **opening))])
            await store.acquire("held", "w", ttl=100, now=0)
            await store.acquire("ran-out", "w", ttl=10, now=0)
            lease = await store.acquire("released", "w", ttl=100, now=0)
            assert lease
            await store.release(lease)
            assert await store.expired(50) == ["ran-out", "never-taken", "released"]
            assert await store.expired(5) == ["never-taken", "released"]

    asyncio.run(use())


def test_disclosures_come_with_the_line_that_they_open(make: Make) -> None:
    lines, disclosure = concealed("a")

    async def use() -> None:
        async with opened(make) as store:
            await store.append(lines, disclosures=[disclosure])
            await store.append(lines, disclosures=[disclosure])
            assert await store.disclosures("a") == [disclosure.text]
            assert await store.disclosures("b") == []
            for wrong in (Disclosure("b", disclosure.text), Disclosure("a", "bm90aGluZw"), Disclosure("a", "é")):
                with pytest.raises(BadLine, match="opens no concealed value"):
                    await store.append(lines, disclosures=[wrong])

    asyncio.run(use())


def test_what_was_remembered_last_is_recalled(make: Make) -> None:
    async def use() -> None:
        async with opened(make) as store:
            assert await store.recall("key") is None
            for value in (b"\x00\n\xff", b"", b"last"):
                await store.remember("key", value)
                assert await store.recall("key") == value
            assert await store.lines() == []

    asyncio.run(use())


def test_many_appenders_share_commits_and_each_gets_its_own_answer(make: Make) -> None:
    async def use() -> None:
        store = make()
        commits = 0
        commit = store._engine.commit

        def counted(draft: object) -> None:
            nonlocal commits
            commits += 1
            commit(draft)  # type: ignore[arg-type]

        store._engine.commit = counted  # type: ignore[method-assign]

        async def saga(number: int) -> list[int]:
            return [await store.append([new]) for new in Writer(f"saga-{number}").some(4)]

        async def stray() -> None:
            await store.append(Writer("stray").some(3)[2:])

        *found, refused = await asyncio.gather(*map(saga, range(32)), stray(), return_exceptions=True)
        assert isinstance(refused, OutOfOrder)
        indices = sorted(index for answer in found for index in answer)  # type: ignore[union-attr]
        assert indices == list(range(32 * 4))
        assert commits < 64
        for index, line in await store.lines():
            number = next(n for n, answer in enumerate(found) if index in answer)  # type: ignore[operator]
            assert f'"saga":"saga-{number}"'.encode() in line
        await store.close()

    asyncio.run(use())


def test_readers_see_whole_appends_while_others_write(make: Make) -> None:
    async def use() -> None:
        async with opened(make) as store:
            writer = Writer("a")

            async def write() -> None:
                for _ in range(20):
                    await store.append(writer.some(3))

            writing = asyncio.create_task(write())
            while not writing.done():
                lines = [line for _, line in await store.lines()]
                assert len(lines) % 3 == 0
                assert [leaf_hash(line) for line in lines[:-1]] == [_prev(line) for line in lines[1:]]
            await writing

    asyncio.run(use())


def _prev(line: bytes) -> str:
    return line.partition(b'"prev":"')[2][: len(GENESIS)].decode()


def test_a_cancelled_append_harms_nobody(make: Make) -> None:
    async def use() -> None:
        async with opened(make) as store:
            task = asyncio.create_task(store.append(Writer("a").some(1)))
            await asyncio.sleep(0)
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
            await store.append(Writer("a").some(2))
            assert len(await store.read("a")) == 2

    asyncio.run(use())


def test_a_closed_store_says_so(make: Make) -> None:
    async def use() -> None:
        store = make()
        await store.append(Writer("a").some(1))
        await store.close()
        await store.close()
        for call in (store.append(Writer("a").some(1)), store.read("a")):
            with pytest.raises(Closed, match="open it again"):
                await call

    asyncio.run(use())


def test_several_event_loops_may_use_one_store(make: Make) -> None:
    store = make()
    for number in range(3):
        assert asyncio.run(store.append(Writer(f"saga-{number}").some(1))) == number
    asyncio.run(store.close())


def test_names_times_and_sizes_have_bounds_and_cost_nobody_else(make: Make) -> None:
    async def use() -> None:
        async with opened(make) as store:
            wrong = [
                store.remember("\ud800", b""),
                store.remember("", b""),
                store.remember("big", bytes(MAX_VALUE + 1)),
                store.acquire("a", "", ttl=1, now=0),
                store.acquire("a", "\ud800", ttl=1, now=0),
                store.acquire("", "w", ttl=1, now=0),
                store.acquire("a", "w", ttl=0, now=0),
                store.acquire("a", "w", ttl=float("nan"), now=0),
                store.acquire("a", "w", ttl=float("inf"), now=0),
            ]
            right = store.remember("key", bytes(MAX_VALUE)), store.append(Writer("a").some(2))
            *refused, kept, index = await asyncio.gather(*wrong, *right, return_exceptions=True)
            assert [type(fault) for fault in refused] == [Refusal] * len(wrong)
            assert (kept, index) == (None, 0)
            assert await store.recall("key") == bytes(MAX_VALUE)

    asyncio.run(use())
