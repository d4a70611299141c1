"""Whatever a tool or a definition does, the error is clear, nothing is lost and nothing runs twice."""

from __future__ import annotations

import asyncio
import threading
import time
from datetime import date
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from agent_saga.runtime import (
    Absent,
    Call,
    DefinitionError,
    Engine,
    Finish,
    Found,
    GiveUp,
    Landed,
    Limits,
    NotDone,
    OutsideSaga,
    Proposal,
    Result,
    RuntimeFault,
    SagaDefinition,
    ScriptedDriver,
    StaticGate,
    Step,
    tool,
)
from agent_saga.trace.store import Store, open_store
from agent_saga.trace.store.errors import DiskFull

QUICK = Limits(backoff=0.0)


class Money(BaseModel):
    minor: int
    currency: str


EUR_42 = {"minor": 4200, "currency": "EUR"}


def yes(facts: Any) -> bool:
    return True


def no(facts: Any) -> bool:
    return False


def shop(misbehave: Any, *, timeout: float = 5.0, **options: Any) -> tuple[SagaDefinition, dict[str, int]]:
    """A charge whose tool does as it is told, and a provider that knows each key."""
    charged: dict[str, int] = {}

    @tool(name="refund", semantics="compensable", amount_from="/amount")
    async def refund(charge: str, amount: Money, call: Call) -> str:
        charged.pop(charge)
        return "refunded"

    @tool(name="void", semantics="compensable")
    async def void(charge: str) -> str:
        return "void"

    @tool(name="charge", semantics="compensable", undo=refund, amount_from="/amount", timeout=timeout)
    async def charge(amount: Money, call: Call) -> Any:
        charged[call.key] = charged.get(call.key, 0) + 1
        return await misbehave(call, amount, refund, void)

    @charge.reconcile
    async def _(call: Call) -> Found:
        if call.key not in charged:
            return Absent()
        return Landed({"charge": call.key}, undo=refund.call(charge=call.key, amount=call.args["amount"]))

    return SagaDefinition("pay", [charge, void_user(void)], [yes], [Step("pay", "charge")], QUICK, **options), charged


def void_user(void: Any) -> Any:
    @tool(name="other", semantics="compensable", undo=void)
    async def other() -> Result:
        return Result(None, undo=void.call(charge="c"))

    return other


async def good(call: Call, amount: Money, refund: Any, void: Any) -> Result:
    return Result({"charge": call.key}, undo=refund.call(charge=call.key, amount=amount.model_dump()))


async def no_json(call: Call, amount: Money, refund: Any, void: Any) -> Any:
    return Result(object())


async def a_float(call: Call, amount: Money, refund: Any, void: Any) -> Any:
    return Result({"rate": 1.5}, undo=refund.call(charge=call.key, amount=amount.model_dump()))


async def ten_megabytes(call: Call, amount: Money, refund: Any, void: Any) -> Any:
    return Result("x" * 10_000_000, undo=refund.call(charge=call.key, amount=amount.model_dump()))


async def raises(call: Call, amount: Money, refund: Any, void: Any) -> Any:
    raise ValueError("lost \ud800 it")


async def exits(call: Call, amount: Money, refund: Any, void: Any) -> Any:
    raise SystemExit(3)


async def hangs(call: Call, amount: Money, refund: Any, void: Any) -> Any:
    await asyncio.sleep(60)


async def no_undo(call: Call, amount: Money, refund: Any, void: Any) -> Any:
    return {"charge": call.key}


async def other_undo(call: Call, amount: Money, refund: Any, void: Any) -> Any:
    return Result({"charge": call.key}, undo=void.call(charge=call.key))


async def other_amount(call: Call, amount: Money, refund: Any, void: Any) -> Any:
    return Result({"charge": call.key}, undo=refund.call(charge=call.key, amount={"minor": 1, "currency": "EUR"}))


async def bad_undo_arguments(call: Call, amount: Money, refund: Any, void: Any) -> Any:
    return Result({"charge": call.key}, undo=refund.call(charge=call.key))


BAD = (no_json, a_float, ten_megabytes, raises, exits, hangs, no_undo, other_undo, other_amount, bad_undo_arguments)
PAY = [Proposal("charge", {"amount": EUR_42})]


async def lines_of(store: Store) -> list[bytes]:
    return [line for _, line in await store.lines()]


def codes(report: Any) -> list[str]:
    return sorted(finding.code for finding in report.findings)


@pytest.mark.parametrize("misbehave", [good, *BAD])
@pytest.mark.parametrize("goal", [True, False])
def test_a_tool_that_misbehaves_is_asked_about_and_called_once(
    run: Any, judge: Any, misbehave: Any, goal: bool
) -> None:
    async def main() -> None:
        definition, charged = shop(misbehave, timeout=0.05 if misbehave is hangs else 5.0)
        if not goal:
            definition = SagaDefinition("pay", definition.tools, [no], definition.steps, QUICK)
        store = open_store(":memory:")
        report = await Engine(store).run(definition, ScriptedDriver(PAY))
        assert report.status == ("succeeded_verified" if goal else "compensated_verified")
        assert list(charged.values()) == ([1] if goal else [])
        lines = await lines_of(store)
        assert any(b"effect.unknown" in line for line in lines) == (misbehave is not good)
        assert codes(judge(lines)) == []

    run(main())


def test_a_sync_tool_that_hangs_keeps_nobody_waiting(run: Any) -> None:
    go = threading.Event()

    @tool(name="look", semantics="preview", timeout=0.05, attempts=1)
    def look() -> None:
        go.wait(60)

    async def main() -> None:
        definition = SagaDefinition("look", [look], [yes], [Step("look", "look")], QUICK)
        report = await Engine(open_store(":memory:")).run(definition, ScriptedDriver([Proposal("look")]))
        assert report.status == "aborted_clean"

    begun = time.monotonic()
    try:
        run(main())
        assert time.monotonic() - begun < 30
    finally:
        go.set()


@pytest.mark.parametrize(
    "args, code",
    [
        ({}, "invalid_arguments"),
        ({"amount": EUR_42, "extra": 1}, "invalid_arguments"),
        ({"amount": 1.5}, "invalid_arguments"),
        ({"amount": {"minor": 2**60, "currency": "EUR"}}, "no_json"),
        ({"amount": {"minor": 1, "currency": "x" * 70_000}}, "too_large"),
        ({"amount": {"minor": 1, "currency": "euro"}}, "no_amount"),
        ({"amount": {"minor": -1, "currency": "EUR"}}, "no_amount"),
        ({"amount": {"minor": 1, "currency": "sk_" + "live_" + "a1B2" * 8}}, "secret"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_and_the_agent_is_told(
    run: Any, judge: Any, args: Any, code: str
) -> None:
    seen: list[Any] = []

    def again(view: Any) -> Proposal:
        seen.extend(view.refusals)
        return PAY[0]

    async def main() -> None:
        definition, charged = shop(good)
        store = open_store(":memory:")
        report = await Engine(store).run(definition, ScriptedDriver([Proposal("charge", args), again]))
        assert report.status == "succeeded_verified"
        assert [one.code for one in seen] == [code]
        assert list(charged.values()) == [1]
        lines = await lines_of(store)
        assert not any(b"sk_" + b"live_" in line for line in lines)
        assert codes(judge(lines)) == []

    run(main())


@pytest.mark.parametrize(
    "script, status",
    [
        ([Proposal("refund", {"charge": "c"})] * 3, "stopped"),
        ([Proposal("nothing")] * 3, "stopped"),
        (["no proposal"] * 3, "stopped"),
        ([GiveUp("no way")], "aborted_clean"),
        ([Finish()], "aborted_clean"),
        ([Proposal("\x00" * 200)], "aborted_clean"),
    ],
)
def test_an_agent_that_proposes_nonsense_is_refused_then_escalated(
    run: Any, judge: Any, script: Any, status: str
) -> None:
    async def main() -> None:
        definition, charged = shop(good)
        store = open_store(":memory:")
        report = await Engine(store).run(definition, ScriptedDriver(script))
        assert report.status == status
        assert not charged
        assert codes(judge(await lines_of(store))) == (["AS504"] if status == "stopped" else [])

    run(main())


def test_what_is_irreversible_waits_and_never_runs(run: Any, judge: Any) -> None:
    ran = []

    @tool(name="wire", semantics="irreversible", strict=True)
    async def wire(to: str) -> None:
        ran.append(to)

    async def main() -> None:
        store = open_store(":memory:")
        definition = SagaDefinition("wire", [wire], [yes], [Step("wire", "wire")], QUICK)
        report = await Engine(store).run(definition, ScriptedDriver([Proposal("wire", {"to": "x"})]))
        assert (report.status, report.about) == ("waiting_approval", ("wire",))
        assert codes(judge(await lines_of(store))) == ["AS504"]
        assert not ran

    run(main())
    with pytest.raises(OutsideSaga):
        asyncio.run(wire(to="x"))


def test_a_gate_that_refuses_is_heard(run: Any, judge: Any) -> None:
    async def main() -> None:
        definition, charged = shop(good)
        store = open_store(":memory:")
        gate = StaticGate(refuse={"charge": ("closed", "the shop is closed")})
        report = await Engine(store, gate=gate).run(definition, ScriptedDriver(PAY * 3))
        assert report.status == "stopped"
        assert not charged
        assert codes(judge(await lines_of(store))) == ["AS504"]

    run(main())


class FullStore:
    """A store whose disk is full from the N-th append on."""

    def __init__(self, store: Store, room: int) -> None:
        self._store, self.room = store, room

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def append(self, lines: Any, **options: Any) -> int:
        if self.room == 0:
            raise DiskFull("no space left")
        self.room -= 1
        return await self._store.append(lines, **options)


@pytest.mark.parametrize("room", range(3))
def test_a_full_disk_refuses_before_the_effect(run: Any, judge: Any, room: int) -> None:
    async def main() -> None:
        definition, charged = shop(good)
        store = open_store(":memory:")
        full = FullStore(store, room)
        with pytest.raises(DiskFull):
            await Engine(full).run(definition, ScriptedDriver(PAY), saga="s-1")  # type: ignore[arg-type]
        assert list(charged.values()) == ([1] if room else [])
        full.room = -1
        report = await Engine(full).run(definition, ScriptedDriver(PAY), saga="s-1")  # type: ignore[arg-type]
        assert report.status == "succeeded_verified"
        assert list(charged.values()) == [1]
        assert codes(judge(await lines_of(store))) == []

    run(main())


def test_a_secret_in_the_goal_is_refused(run: Any) -> None:
    definition, _ = shop(good)
    with pytest.raises(RuntimeFault, match="secret"):
        run(Engine(open_store(":memory:")).run(definition, ScriptedDriver(PAY), goal={"token": "ghp_" + "a1B2" * 9}))


def test_not_done_says_whether_trying_again_helps(run: Any, judge: Any) -> None:
    tries = []

    @tool(name="look", semantics="preview")
    async def look(call: Call) -> str:
        tries.append(call.key)
        if len(tries) < 3:
            raise NotDone("busy", retry=True)
        return "seen"

    async def main() -> None:
        store = open_store(":memory:")
        definition = SagaDefinition("look", [look], [yes], [Step("look", "look")], QUICK)
        assert (await Engine(store).run(definition, ScriptedDriver([Proposal("look")]))).status == "succeeded_verified"
        assert len(tries) == 3
        assert len(set(tries)) == 1
        assert codes(judge(await lines_of(store))) == []

    run(main())


@tool(name="back", semantics="reversible")
async def back() -> None:
    """Undoes."""


@tool(name="forth", semantics="reversible", undo=back)
async def forth() -> Result:
    """Does."""
    return Result(None, undo=back.call())


@tool(name="wire", semantics="irreversible")
async def wire() -> None:
    """Cannot be undone."""


def undone_by(other: Any) -> Any:
    return tool(name="odd", semantics="reversible", undo=other)(lambda: None)


DEFINITIONS = {
    "wait for each other": lambda: SagaDefinition(
        "s", [forth], [yes], [Step("a", "forth", after=("b",)), Step("b", "forth", after=("a",))]
    ),
    "is irreversible; expected another tool": lambda: SagaDefinition("s", [undone_by(wire)], [yes]),
    "undo is a function": lambda: undone_by(yes),
    "has no undo": lambda: SagaDefinition("s", [undone_by(None)], [yes]),
    "two tools are named forth": lambda: SagaDefinition(
        "s", [forth, tool(name="forth", semantics="preview")(lambda: None)], [yes]
    ),
    "two steps are named a": lambda: SagaDefinition("s", [forth], [yes], [Step("a", "forth"), Step("a", "forth")]),
    "tool nowhere is none": lambda: SagaDefinition("s", [forth], [yes], [Step("a", "nowhere")]),
    "undo nowhere is none": lambda: SagaDefinition("s", [undone_by("nowhere")], [yes]),
    "the runtime alone calls it": lambda: SagaDefinition("s", [forth], [yes], [Step("a", "back")]),
    "refers to z": lambda: SagaDefinition("s", [forth], [yes], [Step("a", "forth", after=("z",))]),
    "has no check": lambda: SagaDefinition("s", [forth], []),
    "pivot p is none": lambda: SagaDefinition("s", [forth], [yes], [Step("a", "forth")], pivot="p"),
    "pivot a is optional or has a fallback": lambda: SagaDefinition(
        "s", [forth], [yes], [Step("a", "forth"), Step("b", "forth", fallback_for="a")], pivot="a"
    ),
    "pivot b is optional": lambda: SagaDefinition("s", [forth], [yes], [Step("b", "forth", optional=True)], pivot="b"),
    "no annotation": lambda: tool(name="x", semantics="preview")(lambda a: None),
    "none of": lambda: tool(name="x", semantics="harmless")(lambda: None),  # type: ignore[arg-type]
    "no JSON Pointer": lambda: tool(name="x", semantics="preview", amount_from="amount")(lambda: None),
}


@pytest.mark.parametrize("words", DEFINITIONS)
def test_a_definition_that_could_not_be_undone_or_judged_is_refused(words: str) -> None:
    with pytest.raises(DefinitionError, match=words):
        DEFINITIONS[words]()


def test_a_tool_outside_of_a_saga_is_the_plain_function(run: Any) -> None:
    @tool(name="add", semantics="preview")
    def add(a: int, b: int = 2) -> int:
        """Adds."""
        return a + b

    assert add(1) == 3
    assert add.__doc__ == "Adds."
    assert isinstance(run(forth()), Result)


class Day(BaseModel):
    model_config = ConfigDict(strict=True)
    on: date


def test_strict_models_take_the_json_of_an_agent(run: Any, judge: Any) -> None:
    seen: list[Any] = []

    @tool(name="book", semantics="preview")
    async def book(day: Day) -> dict[str, Any]:
        seen.append(day.on)
        return {"on": day.on.isoformat()}

    async def main() -> None:
        store = open_store(":memory:")
        definition = SagaDefinition("book", [book], [yes], [Step("book", "book")], QUICK)
        report = await Engine(store).run(definition, ScriptedDriver([Proposal("book", {"day": {"on": "2026-11-30"}})]))
        assert report.status == "succeeded_verified"
        assert seen == [date(2026, 11, 30)]
        assert codes(judge(await lines_of(store))) == []

    run(main())


def test_arguments_that_pydantic_cannot_read_are_a_fault_of_the_definition() -> None:
    class Strange:
        pass

    def look(what: Strange) -> None:
        pass

    look.__annotations__["what"] = Strange
    with pytest.raises(DefinitionError, match="cannot read its arguments"):
        tool(name="look", semantics="preview")(look)
