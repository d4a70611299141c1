"""More good traces: branches, fallbacks, several sagas, the log's own lines, and values that are
concealed."""

from __future__ import annotations

from hashlib import sha256

from .lines import dumps, salt, unpadded
from .script import Script
from .shapes import failing_order, order, shape
from .shop import ACTION, BOOK, FULFIL, RESERVE, charge


@shape
def parallel_success(script: Script) -> None:
    """Two effects at once after a first one, and a last one after both."""
    saga = script.saga()
    saga.effect("e1", "stock.reserve", RESERVE)
    saga.begin("e2", "payments.charge", charge(), after=["e1"])
    saga.begin("e3", "shipping.book", BOOK, after=["e1"])
    saga.succeed("e3")
    saga.succeed("e2")
    saga.effect("e4", "orders.fulfil", FULFIL, after=["e2", "e3"])
    saga.succeeded("e1", "e2", "e3", "e4")


@shape
def parallel_compensated(script: Script) -> None:
    """The same, undone in an order that reverses `after` but not time."""
    saga = script.saga()
    saga.effect("e1", "stock.reserve", RESERVE, after=[])
    saga.begin("e2", "payments.charge", charge(), after=["e1"])
    saga.begin("e3", "shipping.book", BOOK, after=["e1"])
    saga.succeed("e2")
    saga.succeed("e3")
    saga.rollback()
    saga.begin_undo("u2", "e2")
    saga.begin_undo("u3", "e3")
    saga.end_undo("u3")
    saga.end_undo("u2")
    saga.undo("u1", "e1")
    saga.compensated()


@shape
def branch_losers_undone(script: Script) -> None:
    """Two offers taken in parallel; one wins and the effect of the other is undone."""
    saga = script.saga()
    saga.effect("e1", "stock.reserve", RESERVE)
    saga.begin("e2", "shipping.book", BOOK, after=["e1"], branch="carrier.fast")
    saga.begin("e3", "shipping.book", BOOK, after=["e1"], branch="carrier.cheap")
    saga.succeed("e2")
    saga.succeed("e3")
    saga.put("branch.chosen", branch="carrier", winner="cheap")
    saga.undo("u2", "e2")
    saga.succeeded("e1", "e3")


@shape
def fallback_after_failure(script: Script) -> None:
    """A card is declined and another tool of the same step takes its place."""
    saga = script.saga()
    saga.begin("e1", "payments.charge", charge())
    saga.fail("e1")
    saga.effect("e2", "payments.charge", charge(), step="s1", fallback_of="e1")
    saga.succeeded("e2")


@shape
def child_saga(script: Script) -> None:
    """An effect that is a saga of its own."""
    parent = script.saga("order")
    parent.effect("e1", "payments.charge", charge())
    parent.begin("e2", "orders.fulfil", FULFIL)
    child = script.saga("fulfil", parent={"saga": parent.saga, "effect": "e2"})
    child.effect("e1", "stock.reserve", RESERVE)
    child.effect("e2", "shipping.book", BOOK)
    child.succeeded("e1", "e2")
    parent.succeed("e2")
    parent.succeeded("e1", "e2")


@shape
def child_saga_compensated(script: Script) -> None:
    """An effect that is a saga of its own, undone by a saga that undid its own effects."""
    parent = script.saga("order")
    parent.begin("e1", "orders.fulfil", FULFIL)
    child = script.saga("fulfil", parent={"saga": parent.saga, "effect": "e1"})
    failing_order(child)
    child.undo("u2", "e2")
    child.undo("u1", "e1")
    child.compensated()
    parent.fail("e1")
    parent.end("aborted_clean")


@shape
def reads_another_saga(script: Script) -> None:
    """A saga that builds on what another one did, and that stays."""
    first = script.saga("stock")
    first.effect("e1", "stock.reserve", RESERVE)
    second = script.saga("order")
    second.effect("e1", "payments.charge", charge(), reads=[{"saga": first.saga, "effect": "e1"}])
    second.succeeded("e1")
    first.succeeded("e1")


@shape
def aborted_before_effects(script: Script) -> None:
    """Proposed, and given up before anything was called."""
    saga = script.saga()
    saga.propose("s1", "payments.charge", charge())
    saga.end("aborted_clean")


@shape
def step_refused(script: Script) -> None:
    """A step is refused before any effect; the agent proposes another one."""
    saga = script.saga()
    saga.propose("s0", "payments.charge", charge(990000))
    saga.put("step.refused", step="s0", code="limit", reason={"limit": 500000})
    order(saga)
    saga.succeeded("e1", "e2", "e3")


@shape
def denied_then_aborted(script: Script) -> None:
    """A person is asked and says no; nothing is done."""
    saga = script.saga()
    saga.propose("s1", "payments.charge", charge())
    saga.request("s1", ACTION)
    saga.record("s1", ACTION, "deny")
    saga.end("aborted_clean")


@shape
def halted_then_compensated(script: Script) -> None:
    """Stopped by the kill switch; what was done is undone."""
    saga = script.saga()
    saga.effect("e1", "stock.reserve", RESERVE)
    saga.put("saga.halted", reason={"code": "kill_switch"})
    saga.rollback()
    saga.undo("u1", "e1")
    saga.compensated()


@shape
def closed_with_nothing_held(script: Script) -> None:
    """Closed with exceptions, and none of them left in force."""
    saga = script.saga()
    failing_order(saga)
    saga.undo("u2", "e2")
    saga.undo("u1", "e1")
    saga.end("closed_with_exceptions")


@shape
def checked_twice(script: Script) -> None:
    """A check that failed, more work, and a check that passed."""
    saga = script.saga()
    saga.effect("e1", "stock.reserve", RESERVE)
    saga.check("first", passed=False)
    saga.effect("e2", "payments.charge", charge())
    saga.succeeded("e1", "e2")


@shape
def three_interleaved(script: Script) -> None:
    """A success, a compensation and an abort, line by line among each other."""
    sagas = [script.saga("order"), script.saga("return"), script.saga("idle")]
    good, back, idle = sagas
    for saga in (good, back):
        saga.begin("e1", "payments.charge", charge())
    idle.propose("s1", "shipping.book", BOOK)
    for saga in (back, good):
        saga.succeed("e1")
    back.rollback()
    good.effect("e2", "shipping.book", BOOK)
    back.begin_undo("u1", "e1")
    good.check("goal")
    back.end_undo("u1")
    idle.end("aborted_clean")
    back.compensated()
    good.end("succeeded_verified", "e1", "e2")


@shape
def with_the_logs_own_lines(script: Script) -> None:
    """The log's opening and index stand beside the sagas, in the reserved saga `log`."""
    digest = sha256(b"registry 0").hexdigest()
    opened = {
        "origin": "shop.example/audit",
        "vkey": "shop.example/audit+00000000+AAAA",
        "keys": {"version": 0},
    }
    script.put("log", "log.opened", "runtime", opened)
    saga = script.saga()
    order(saga)
    saga.succeeded("e1", "e2", "e3")
    size = len(script.lines) + 1
    indexed = {"size": size, "root": sha256(b"index").hexdigest(), "keys": {"digest": digest, "index": 0}}
    script.put("log", "log.indexed", "runtime", indexed)


def conceal(script: Script, value: object) -> dict[str, str]:
    """The placeholder of a value; its disclosure is kept beside the lines."""
    pair = [salt(script.seed, "disclosure", len(script.disclosures)), value]
    disclosure = unpadded(dumps(pair))
    script.disclosures.append(disclosure)
    return {"...": unpadded(sha256(disclosure.encode()).digest())}


@shape
def concealed_values(script: Script) -> None:
    """Who paid and what is given back stand concealed, under a new salt each time; the disclosures are at
    hand."""
    saga = script.saga()
    saga.propose("s1", "payments.charge", {**charge(), "payer": conceal(script, "customer 17")})
    saga.begin("e1", "payments.charge", {**charge(), "payer": conceal(script, "customer 17")}, step="s1")
    call = saga.calls["e1"]
    assert call.undo is not None
    call.undo = {**call.undo, "args": {**call.undo["args"], "charge": conceal(script, "ch_e1")}}
    saga.succeed("e1")
    saga.rollback()
    call.undo = {**call.undo, "args": {**call.undo["args"], "charge": conceal(script, "ch_e1")}}
    saga.undo("u1", "e1")
    saga.put("check.evaluated", check="restored", passed=True, evidence=conceal(script, {"balance": 0}))
    saga.end("compensated_verified")
