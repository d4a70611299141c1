"""Undos, reconcile hooks and checks that misbehave: never taken for a proof, nothing done twice, nothing lost."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from agent_saga.runtime import (
    Absent,
    Call,
    Checked,
    Engine,
    Facts,
    Found,
    Landed,
    Limits,
    NotDone,
    PersonDecision,
    PlanDriver,
    Result,
    SagaDefinition,
    StaticGate,
    Step,
    tool,
)
from agent_saga.trace.store import open_store

DRIVER = PlanDriver(lambda step, view: {})
GATE = StaticGate(persons=frozenset({"p-1"}))


async def no_json() -> Any:
    return object()


async def a_float() -> Any:
    return 1.5


async def ten_megabytes() -> Any:
    return "x" * 10_000_000


async def deep() -> Any:
    value: Any = None
    for _ in range(100_000):
        value = [value]
    return value


async def raises() -> Any:
    raise ValueError("lost \ud800 it")


async def exits() -> Any:
    raise SystemExit(3)


async def hangs() -> Any:
    await asyncio.sleep(60)


def hangs_in_a_thread() -> Any:
    time.sleep(3)


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


async def raises_what_has_no_words() -> Any:
    raise Unspeakable


class Opaque(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)
    what: Any


async def a_model_of_no_json() -> Any:
    return Opaque(what=object())


BAD = (
    no_json,
    a_float,
    ten_megabytes,
    deep,
    raises,
    raises_what_has_no_words,
    a_model_of_no_json,
    exits,
    hangs,
    hangs_in_a_thread,
)


class Book:
    """A provider's book: what stands, which keys it knows, how often it was told to undo."""

    def __init__(self) -> None:
        self.standing: set[str] = set()
        self.keys: set[str] = set()
        self.undone = 0


def saga(book: Book, *, undo: Any = None, found: Any = None, lost: bool = False, check: Any = None) -> SagaDefinition:
    """One effect. undo, found, check: what goes wrong there after the deed; lost: the effect's own reply is lost."""

    async def back(key: str, call: Call) -> Any:
        book.undone += 1
        book.standing.discard(key)
        book.keys.add(call.key)
        return await undo() if undo and undo is not hangs_in_a_thread else "undone"

    def back_in_a_thread(key: str, call: Call) -> Any:
        asyncio.run(back(key, call))
        hangs_in_a_thread()

    made = back_in_a_thread if undo is hangs_in_a_thread else back
    undoing = tool(name="back", semantics="compensable", timeout=0.2)(made)

    @undoing.reconcile
    async def _(call: Call) -> Found:
        return Landed("undone") if call.key in book.keys else Absent()

    @tool(name="forth", semantics="compensable", undo=undoing, timeout=0.2)
    async def forth(call: Call) -> Result:
        book.standing.add(call.key)
        book.keys.add(call.key)
        if lost:
            raise OSError("no reply")
        return Result({}, undo=undoing.call(key=call.key))

    def known(call: Call) -> Found:
        return Landed({}, undo=undoing.call(key=call.key)) if call.key in book.keys else Absent()

    if found is hangs_in_a_thread:
        forth.reconcile(lambda call: found())
    else:
        forth.reconcile((lambda call: found()) if found else known)

    async def reached(facts: Facts) -> Any:
        return await check() if check else Checked(undo is None)

    return SagaDefinition("one", [forth], [reached], [Step("forth", "forth")], Limits(backoff=0.0, reconciles=2))


async def lines_of(store: Any) -> list[bytes]:
    return [line for _, line in await store.lines()]


def codes(report: Any) -> set[str]:
    return {finding.code for finding in report.findings}


@pytest.mark.parametrize("undo", BAD)
def test_an_undo_whose_answer_is_no_good_is_asked_about_and_not_made_again(run: Any, judge: Any, undo: Any) -> None:
    async def main() -> None:
        book, store = Book(), open_store(":memory:")
        report = await Engine(store).run(saga(book, undo=undo), DRIVER)
        assert report.status == "compensated_verified"
        assert (book.standing, book.undone) == (set(), 1)
        lines = await lines_of(store)
        assert any(b'"type":"undo.unknown"' in line for line in lines)
        assert codes(judge(lines)) == set()

    run(main())


async def an_answer_of_another_kind() -> Any:
    return "landed"


async def no_such_undo() -> Any:
    return Landed({}, undo=None)


async def a_lie() -> Any:
    raise NotDone("declined")


@pytest.mark.parametrize("found", [*BAD, an_answer_of_another_kind, no_such_undo, a_lie])
def test_a_question_that_brings_no_answer_waits_for_a_person(run: Any, judge: Any, found: Any) -> None:
    async def main() -> None:
        book, store = Book(), open_store(":memory:")
        engine, definition = Engine(store, gate=GATE), saga(book, found=found, lost=True)
        report = await engine.run(definition, DRIVER, saga="s-1")
        assert (report.status, report.about) == ("paused", ("e1",))
        assert len(book.standing) == 1
        assert codes(judge(await lines_of(store))) == {"AS504"}
        await engine.decide("s-1", PersonDecision("e1", "landed", "p-1", "it is in the book", report.pause))
        report = await engine.run(definition, DRIVER, saga="s-1")
        assert (report.status, report.held) == ("succeeded_verified", ("e1",))
        assert len(book.standing) == 1

    run(main())


@pytest.mark.parametrize("check", [check for check in BAD if check is not hangs and check is not hangs_in_a_thread])
def test_a_check_that_proves_nothing_undoes_everything(run: Any, judge: Any, check: Any) -> None:
    async def main() -> None:
        book, store = Book(), open_store(":memory:")
        report = await Engine(store).run(saga(book, check=check), DRIVER)
        assert report.status == "compensated_verified"
        assert (book.standing, book.undone) == (set(), 1)
        assert codes(judge(await lines_of(store))) == set()

    run(main())
