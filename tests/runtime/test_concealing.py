"""No credential, and nothing that a tool declared, stands in clear; the agent and the undo get it all the same."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from agent_saga.certify.run import Options, certify
from agent_saga.runtime import (
    Absent,
    Call,
    Candidate,
    Checked,
    DefinitionError,
    Engine,
    Facts,
    Found,
    Landed,
    Limits,
    NotDone,
    PersonDecision,
    Proposal,
    Result,
    SagaDefinition,
    ScriptedDriver,
    StaticGate,
    Step,
    tool,
)
from agent_saga.runtime.kernel.hiding import MAX_PARTS
from agent_saga.runtime.veil import Veil
from agent_saga.testing import Runnable, assert_replays
from agent_saga.trace.store import open_store
from agent_saga.trace.store.moving import disclosures_of, export

TOKEN = "gh" + "p_" + "Ab3" * 12
CARD = "4111-1111-1111-1111"
GATE = StaticGate(persons=frozenset({"p-1"}))


class Died(BaseException):
    """The process ends here."""


@dataclass
class Shop:
    """A provider that opens sessions by a token and closes them by it; the token is known nowhere else."""

    goal: bool = True
    open: set[str] = field(default_factory=set)
    keys: set[str] = field(default_factory=set)
    seen: list[Any] = field(default_factory=list)
    fails: int = 0

    def definition(self, *, conceal: tuple[str, ...] = (), token: str = TOKEN) -> SagaDefinition:
        @tool(name="close", semantics="compensable")
        async def close(token: str, call: Call) -> str:
            if self.fails:
                self.fails -= 1
                raise NotDone(f"{token} is busy", retry=True)
            self.open.discard(token)
            self.keys.add(call.key)
            return f"closed {token}"

        @close.reconcile
        async def _(call: Call) -> Found:
            return Landed("closed") if call.key in self.keys else Absent()

        @tool(name="open", semantics="compensable", undo=close, conceal=conceal)
        async def open_(card: str, call: Call) -> Result:
            self.seen.append(card)
            self.open.add(token)
            self.keys.add(call.key)
            return Result({"token": token, "who": "me"}, undo=close.call(token=token))

        @open_.reconcile
        async def _(call: Call) -> Found:
            self.seen.append(call.args["card"])
            return Landed({"token": token}, undo=close.call(token=token)) if call.key in self.keys else Absent()

        @tool(name="look", semantics="preview")
        async def look() -> str:
            return "nothing"

        def held(facts: Facts) -> Checked:
            self.seen.append(facts.results["open"])
            return Checked(self.goal, {"held": facts.results["open"]["token"]})

        steps = [Step("open", "open"), Step("look", "look")]
        return SagaDefinition("session", [open_, look], [held], steps, Limits(backoff=0.0))


def script(shop: Shop) -> ScriptedDriver:
    def second(view: Any) -> Proposal:
        shop.seen.append(view.facts["open"]["token"])
        return Proposal("look", why=f"now that {view.facts['open']['token']} is open")

    return ScriptedDriver([Proposal("open", {"card": CARD}), second])


def in_clear(folder: Path, *values: str) -> list[str]:
    """The values that stand in the lines' files, log included. The disclosures are a database of their own."""
    held = b"".join(p.read_bytes() for p in folder.iterdir() if ".disclosures" not in p.name)
    assert held
    return [value for value in values if value.encode() in held]


def judged(path: Path) -> tuple[str, list[str]]:
    """Verdict and codes of a store, judged with what opens it."""
    lines, opens = path.with_suffix(".jsonl"), path.with_suffix(".opens")
    with lines.open("wb") as stream:
        export(str(path), stream)
    opens.write_text("".join(f"{text}\n" for text in disclosures_of(str(path))), "ascii")
    report = certify([str(lines)], Options(disclosures=(str(opens),)))
    return report.verdict, sorted(finding.code for finding in report.findings)


@pytest.mark.parametrize("goal", [True, False])
def test_a_credential_in_a_result_is_concealed_and_serves_agent_check_and_undo(
    run: Any, tmp_path: Path, goal: bool
) -> None:
    shop = Shop(goal)

    async def main() -> Any:
        store = open_store(tmp_path / "s.db")
        report = await Engine(store).run(shop.definition(), script(shop))
        await store.close()
        return report

    report = run(main())
    assert report.status == ("succeeded_verified" if goal else "compensated_verified")
    assert shop.open == ({TOKEN} if goal else set())
    assert TOKEN in shop.seen
    assert {"token": TOKEN, "who": "me"} in shop.seen
    assert in_clear(tmp_path, TOKEN) == []
    assert in_clear(tmp_path, CARD, '"who":"me"') == [CARD, '"who":"me"']
    assert judged(tmp_path / "s.db") == ("certified", [])
    assert certify([str(tmp_path / "s.db")]).verdict == "certified"
    alone = {finding.code for finding in certify([str(tmp_path / "s.jsonl")]).findings}
    assert alone == (set() if goal else {"AS602"})


class Dying:
    """A store whose process dies right before, or after, its N-th append."""

    def __init__(self, store: Any, left: int, after: bool) -> None:
        self._store, self.left, self.after = store, left, after

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def append(self, lines: Any, **options: Any) -> int:
        self.left -= 1
        if self.left == 0 and not self.after:
            raise Died
        index: int = await self._store.append(lines, **options)
        if self.left == 0:
            raise Died
        return index


@pytest.mark.parametrize("after", [True, False])
@pytest.mark.parametrize("left", range(1, 20))
def test_a_process_that_recovers_it_undoes_with_the_real_value(
    run: Any, tmp_path: Path, left: int, after: bool
) -> None:
    shop = Shop(goal=False, fails=1)

    async def attempt(left: int) -> Any:
        store = Dying(open_store(tmp_path / "s.db"), left, after)
        definition = shop.definition(conceal=("/args/card", "/result/token"))
        try:
            return await Engine(store).run(definition, script(shop), saga="s-1")  # type: ignore[arg-type]
        finally:
            await store.close()

    try:
        run(attempt(left))
    except Died:
        assert run(attempt(-1)).status in ("compensated_verified", "aborted_clean")
    else:
        assert left > 6
    assert shop.open == set()
    assert set(map(str, shop.seen)) <= {CARD, TOKEN, str({"token": TOKEN, "who": "me"}), str({"token": TOKEN})}
    assert in_clear(tmp_path, TOKEN, CARD) == []
    assert judged(tmp_path / "s.db") == ("certified", [])


def test_what_needs_an_erased_value_waits_for_a_person(run: Any, tmp_path: Path) -> None:
    shop, path = Shop(goal=False), tmp_path / "s.db"

    async def begin() -> None:
        store = Dying(open_store(path), 3, True)
        try:
            with pytest.raises(Died):
                await Engine(store).run(shop.definition(), script(shop), saga="s-1")  # type: ignore[arg-type]
        finally:
            await store.close()

    async def go_on() -> None:
        store = open_store(path)
        engine = Engine(store, gate=GATE)
        report = await engine.run(shop.definition(), script(shop), saga="s-1")
        assert (report.status, report.about) == ("paused", ("e1",))
        word = PersonDecision("e1", "undone", "p-1", "closed by hand", report.pause)
        await engine.decide("s-1", word)
        report = await engine.run(shop.definition(), script(shop), saga="s-1")
        assert report.status == "closed_with_exceptions"
        await store.close()

    run(begin())
    assert shop.open == {TOKEN}
    for beside in tmp_path.glob("s.db.disclosures*"):
        beside.unlink()
    run(go_on())
    assert shop.open == {TOKEN}
    assert in_clear(tmp_path, TOKEN) == []


def test_declared_arguments_are_concealed_wherever_the_agent_puts_them(run: Any, tmp_path: Path) -> None:
    definition = Shop().definition(conceal=("/args/card", "/result/token"), token="session-0815-4711")
    misplaced = Proposal("open", {"kard": CARD})
    offers = (Candidate("one", "open", {"card": CARD}, "1"), Candidate("two", "open", {"card": "5500-0000-0004"}, "0"))
    chosen = Proposal("open", {"card": CARD}, options=offers, choice="one", confidence="1", why=f"{CARD} is the card")

    async def main() -> Any:
        store = open_store(tmp_path / "s.db")
        report = await Engine(store).run(definition, ScriptedDriver([misplaced, chosen, Proposal("look")]))
        await store.close()
        return report

    assert run(main()).status == "succeeded_verified"
    assert in_clear(tmp_path, CARD, "5500-0000-0004", "session-0815-4711") == []
    assert judged(tmp_path / "s.db") == ("certified", [])


@pytest.mark.parametrize(
    "options, words",
    [
        ({"conceal": ("card",)}, "expected such as /args/card"),
        ({"conceal": ("/args",)}, "expected such as /args/card"),
        ({"conceal": ("/args/amount/minor",), "amount_from": "/amount"}, "its amount or resource"),
        ({"conceal": ("/args/box",), "resource_from": "/box/name"}, "its amount or resource"),
    ],
)
def test_what_a_rule_or_a_person_must_see_cannot_be_concealed(options: dict[str, Any], words: str) -> None:
    with pytest.raises(DefinitionError, match=words):
        tool(**{"name": "x", "semantics": "preview"} | options)(lambda: None)


def test_what_is_concealed_is_part_of_what_was_reviewed() -> None:
    plain = tool(name="x", semantics="preview")(lambda: None)
    hiding = tool(name="x", semantics="preview", conceal=("/result",))(lambda: None)
    assert plain.spec.schema != hiding.spec.schema


def covered(result: Any, *pointers: str, known: frozenset[str] = frozenset()) -> tuple[Any, Veil]:
    salts = iter(range(1, 10_000))
    veil = Veil("s", lambda count: next(salts).to_bytes(count, "big"))
    return veil.cover({"effect": "e1", "result": result}, pointers, known)["result"], veil


@pytest.mark.parametrize(
    "value, places",
    [
        (TOKEN, 1),
        ({"a": [1, {"b": f"it is {TOKEN}"}], "c": "clear"}, 1),
        ({"c": {TOKEN: 1}, "d": "clear"}, 1),
        ([TOKEN] * MAX_PARTS, MAX_PARTS),
        ([TOKEN] * (MAX_PARTS + 1), 1),
        ({"c": "clear"}, 0),
    ],
)
def test_as_little_as_possible_is_concealed_and_all_of_it_opens(value: Any, places: int) -> None:
    found, veil = covered(value)
    assert len(veil.fresh()) == places
    assert TOKEN not in str(found)
    assert veil.disclosures.open(found) == (value, False)
    assert ("clear" in str(found)) == ("clear" in str(value))


def test_a_short_text_is_concealed_at_its_place_only() -> None:
    found, _ = covered(
        {"pin": "12", "floor": "12", "card": CARD, "note": f"card {CARD}"}, "/result/pin", "/result/card"
    )
    assert found["floor"] == "12"
    assert [set(found[name]) for name in ("pin", "card", "note")] == [{"..."}] * 3


@pytest.mark.parametrize("goal", [True, False])
def test_a_saga_with_concealed_values_replays_to_the_same_lines(run: Any, tmp_path: Path, goal: bool) -> None:
    shop = Shop(goal, fails=1)
    definition = shop.definition(conceal=("/args/card",))

    async def main() -> None:
        store = open_store(tmp_path / "s.db")
        await Engine(store).run(definition, script(shop))
        await store.close()

    run(main())
    assert assert_replays(tmp_path / "s.db", Runnable(definition, script(shop))) == 1
