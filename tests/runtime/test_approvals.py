"""What waits for persons: who counts, for how long, for which call, and how often."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from runtime_approvers import AGENT, PEOPLE, WIRE, Bank, House

from agent_saga.approvals.errors import NotApproved, RegistryFault
from agent_saga.approvals.requests import as_written
from agent_saga.certify.report import Choices
from agent_saga.runtime import Engine, StaleDecision
from agent_saga.runtime.approving import open_request, pending
from agent_saga.runtime.kernel.actions import Draft
from agent_saga.testing.approving import People
from agent_saga.testing.asserting import assert_certified
from agent_saga.trace.store import open_store

FORTUNE = {"to": "DE02", "amount": {"minor": 999_999_900, "currency": "EUR"}}


@pytest.fixture
def house() -> House:
    return House(open_store(":memory:"))


def types(lines: list[bytes]) -> list[str]:
    return [msgspec.json.decode(line)["type"] for line in lines]


async def forge(house: House, step: str, proof: Any, person: str = "ana", **changed: Any) -> None:
    """Write an answer past all checks, as somebody would who can write into the store."""
    engine = house.engine()
    journal = await engine.take("s-1")
    action = journal.state.requests[step].event.action
    members = {"step": step, "action": action, "decision": "approve", "person": person, "proof": proof} | changed
    journal.write((Draft("approval.recorded", members, f"person:{person}"),))
    await journal.flush()
    await engine.release(journal)


def test_a_wire_waits_for_two_persons_over_restarts_and_is_made_once(run: Any, house: House, judge: Any) -> None:
    async def main() -> list[bytes]:
        assert (await house.go()).status == "waiting_approval"
        await house.approve("ana")
        report = await house.go()
        assert (report.status, house.bank.calls) == ("waiting_approval", 0)
        assert (await house.asked()).answered == ("ana",)
        await house.approve("ben")
        report = await house.go()
        assert report.status == "succeeded_verified"
        (effect,) = report.state.effects.values()
        assert effect.approvals == tuple(one.leaf for one in report.state.answers["wire"])
        assert effect.key in house.bank.wired
        assert (await house.go()).status == "succeeded_verified"
        return await house.lines()

    lines = run(main())
    assert house.bank.calls == 1
    assert judge(lines, PEOPLE.registry).verdict == "certified"
    assert types(lines)[:6] == [
        "saga.started",
        "step.proposed",
        "approval.requested",
        "approval.recorded",
        "approval.recorded",
        "effect.intended",
    ]
    assert msgspec.json.decode(lines[0])["keys"] == PEOPLE.digest
    speakers = [msgspec.json.decode(line)["by"] for line in lines[3:5]]
    assert speakers == ["person:ana", "person:ben"]


@pytest.mark.parametrize(
    "person, decision, reason",
    [
        ("cyd", "approve", "wrong-role"),
        ("own", "approve", "self-approval"),
        ("cyd", "break_glass", "wrong-role"),
    ],
)
def test_who_may_not_answer_is_refused_and_nothing_is_written(
    person: str, decision: Any, reason: str, run: Any, house: House
) -> None:
    async def main() -> None:
        await house.go()
        before = await house.lines()
        with pytest.raises(NotApproved) as refused:
            await house.engine().approve("s-1", await house.proof(person, decision, reason="because"))
        assert refused.value.reason == reason
        assert await house.lines() == before

    run(main())


@pytest.mark.parametrize(
    "people, reason",
    [
        (People({"zoe": ["approver"]}, agents={AGENT: "own"}), "unknown-key"),
        (People({"ana": ["approver"]}, agents={"another": "own"}), "unknown-agent"),
    ],
)
def test_an_unknown_approver_and_an_unknown_agent_deny(people: People, reason: str, run: Any, house: House) -> None:
    person = "zoe" if reason == "unknown-key" else "ana"
    if reason == "unknown-agent":
        house.registry = people.registry

    async def main() -> None:
        await house.go()
        with pytest.raises(NotApproved) as refused:
            await house.engine().approve("s-1", await house.proof(person, people=people))
        assert refused.value.reason == reason
        assert (await house.go()).status == "waiting_approval"

    run(main())
    assert house.bank.calls == 0


def test_one_person_is_one_however_often_they_sign(run: Any, house: House) -> None:
    async def main() -> None:
        await house.go()
        await house.approve("ana")
        with pytest.raises(StaleDecision, match="counts persons"):
            await house.approve("ana")
        await forge(house, "wire", await house.proof("ana"))
        assert (await house.go()).status == "waiting_approval"

    run(main())
    assert house.bank.calls == 0


def test_a_deny_ends_it_for_good_and_asking_again_is_another_step(run: Any, house: House) -> None:
    async def main() -> None:
        await house.go()
        first = await house.proof("ana")
        await house.approve("ben")
        await house.engine().approve("s-1", await house.proof("cyd", "deny"))
        assert (await house.asked()).denied == "cyd"
        with pytest.raises(StaleDecision, match="denied by cyd"):
            await house.engine().approve("s-1", first)
        report = await house.go()
        assert [one.code for one in report.state.refusals] == ["denied"]
        assert report.about == ("wire.2",)
        with pytest.raises(StaleDecision, match="waits for no approval"):
            await house.engine().approve("s-1", first)
        assert "effect.intended" not in types(await house.lines())

    run(main())
    assert house.bank.calls == 0


def test_time_out_denies(run: Any, house: House) -> None:
    async def main() -> None:
        await house.go()
        await house.approve("ana")
        late = await house.proof("ben")
        house.clock.turn(901)
        with pytest.raises(NotApproved) as refused:
            await house.engine().approve("s-1", late)
        assert refused.value.reason == "late"
        with pytest.raises(NotApproved, match="the wait"):
            await house.proof("ben")
        report = await house.go()
        assert [one.code for one in report.state.refusals] == ["approval_expired"]

    run(main())
    assert house.bank.calls == 0


def test_an_approval_that_ran_out_before_the_second_came_counts_for_nothing(run: Any, house: House) -> None:
    house.seconds = 3600.0

    async def main() -> None:
        await house.go()
        await house.approve("ana")
        house.clock.turn(901)
        await house.approve("ben")
        assert (await house.go()).status == "waiting_approval"

    run(main())
    assert house.bank.calls == 0


def test_a_wire_of_ten_is_approved_and_the_agent_wires_a_fortune(run: Any, house: House) -> None:
    """The approval binds one call: for every other one persons are asked anew, and the old signature is refused."""
    house.quorum = 1
    house.options = {"steps": ("wire", "again")}

    async def main() -> None:
        await house.go()
        ten = await house.proof("ana")
        await house.engine().approve("s-1", ten)
        house.args = FORTUNE
        report = await house.go()
        assert (report.status, report.about) == ("waiting_approval", ("again",))
        assert list(house.bank.wired.values()) == [1000]
        with pytest.raises(StaleDecision):
            await house.engine().approve("s-1", ten)
        moved = copy.deepcopy(ten)
        moved["request"]["content"]["step"] = "again"
        with pytest.raises(NotApproved) as refused:
            await house.engine().approve("s-1", moved)
        assert refused.value.reason == "wrong-action"
        await forge(house, "again", ten)
        assert (await house.go()).status == "waiting_approval"

    run(main())
    assert list(house.bank.wired.values()) == [1000]


def changed(**members: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda content: content | members


@pytest.mark.parametrize(
    "change, reason",
    [
        (changed(args=FORTUNE), "wrong-args"),
        (changed(saga="s-2"), "wrong-saga"),
        (changed(tool={"name": "bank.wire", "version": "2", "schema": None}), "wrong-tool"),
        (changed(policy="1" * 64), "wrong-policy"),
        (changed(keys="1" * 64), "wrong-keys"),
        (changed(key="another-key"), "wrong-key"),
        (changed(semantics="compensable"), "wrong-semantics"),
        (changed(start="1" * 64), "wrong-start"),
        (changed(log="another"), "wrong-log"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_signature_over_another_action_is_refused_and_counts_for_nothing(
    change: Any, reason: str, run: Any, house: House
) -> None:
    from agent_saga.approvals.digests import ACTION, digest

    house.quorum = 1

    async def main() -> None:
        await house.go()
        asked = await house.asked()
        request = as_written(open_request(asked, "ana", "ana-software", "approve", "A" * 22, house.clock.now))
        request["content"] = change(request["content"])
        request["action"] = digest(ACTION, request["content"]).hex()
        proof = PEOPLE.signed(request)
        with pytest.raises((NotApproved, StaleDecision)) as refused:
            await house.engine().approve("s-1", proof)
        assert getattr(refused.value, "reason", "wrong-saga") == reason
        await forge(house, "wire", proof)
        assert (await house.go()).status == "waiting_approval"
        await forge(house, "wire", proof, action=request["action"])
        assert (await house.go()).status == "waiting_approval"

    run(main())
    assert house.bank.calls == 0


def test_an_answer_without_a_signature_counts_for_nothing(run: Any, house: House) -> None:
    house.quorum = 1

    async def main() -> None:
        await house.go()
        await forge(house, "wire", {})
        stolen = await house.proof("ana")
        await forge(house, "wire", stolen | {"signature": "A" * 86})
        await forge(house, "wire", stolen, person="ben")
        assert (await house.go()).status == "waiting_approval"

    run(main())
    assert house.bank.calls == 0


def test_whose_action_the_line_misstates_cannot_be_opened(run: Any, house: House) -> None:
    """Somebody who writes into the store asks about a wire of ten, and means a fortune."""

    async def main() -> None:
        await house.go()
        lines = await house.lines()
        ten = msgspec.json.decode(lines[1])
        lines[1] = lines[1].replace(b'"minor":1000', b'"minor":999999900')
        assert lines[1] != msgspec.json.encode(ten)
        (one,) = pending(lines)
        assert one.wrong
        with pytest.raises(NotApproved) as refused:
            open_request(one, "ana", "ana-software", "approve", "A" * 22, house.clock.now)
        assert refused.value.reason == "wrong-action"

    run(main())


def test_a_reply_that_was_lost_uses_the_approval_once(run: Any, house: House) -> None:
    house.bank.lost = True

    async def main() -> None:
        await house.go()
        await house.approve("ana", "ben")
        report = await house.go()
        assert report.status == "succeeded_verified"
        assert types(await house.lines()).count("effect.intended") == 1

    run(main())
    assert (house.bank.calls, len(house.bank.wired)) == (1, 1)


@pytest.mark.parametrize("registry", [None, "other"])
def test_without_the_registry_that_it_began_under_nobody_may_approve(registry: Any, run: Any, house: House) -> None:
    other = People({"ana": ["approver"], "ben": ["approver"]}, agents={AGENT: "omar"}).registry

    async def main() -> None:
        await house.go()
        await house.approve("ana")
        late = await house.proof("ben")
        await forge(house, "wire", late, person="ben")
        house.registry = other if registry else None
        with pytest.raises(NotApproved):
            await house.engine().approve("s-1", late)
        assert (await house.go()).status == "waiting_approval"
        house.clock.turn(901)
        assert (await house.go()).state.refusals[0].code == "approval_expired"

    run(main())
    assert house.bank.calls == 0


def test_a_registry_that_cannot_work_is_refused_before_anything_runs(run: Any) -> None:
    with pytest.raises(RegistryFault):
        Engine(open_store(":memory:"), registry={"v": 1, "version": 1, "keys": [{}]})


def test_breaking_the_glass_goes_without_the_quorum_and_needs_a_reason(run: Any, house: House) -> None:
    async def main() -> None:
        await house.go()
        with pytest.raises(NotApproved, match="reason"):
            await house.proof("eve", "break_glass")
        await house.engine().approve("s-1", await house.proof("eve", "break_glass", reason="the bank closes"))
        assert (await house.go()).status == "succeeded_verified"

    run(main())
    assert house.bank.calls == 1


def test_what_is_concealed_is_approved_by_who_opens_it(run: Any, tmp_path: Path) -> None:
    """The store opens what certify has to compare; everybody else sees digests, also in what was signed."""
    house = House(open_store(tmp_path / "s.db"), options={"conceal": ("/args/to",)}, quorum=1)

    async def main() -> list[bytes]:
        await house.go()
        with pytest.raises(NotApproved) as refused:
            await house.proof("ana", disclosures=())
        assert refused.value.reason == "withheld"
        await house.approve("ana")
        assert (await house.go()).status == "succeeded_verified"
        lines = await house.lines()
        await house.store.close()  # type: ignore[attr-defined]
        return lines

    lines = run(main())
    assert not any(b'"DE02"' in line for line in lines)  # with its marks: four letters stand in a random salt as well
    proposal, intent = (
        next(one for one in map(msgspec.json.decode, lines) if one["type"] == kind)
        for kind in ("step.proposed", "effect.intended")
    )
    assert proposal["args"] == intent["args"]
    known = tmp_path / "registry.json"
    known.write_text(json.dumps(PEOPLE.registry))
    report = assert_certified(tmp_path / "s.db", choices=Choices(registry=str(known)))
    assert report.verdict == "certified", report
    assert "..." in proposal["args"]["to"]
    assert house.bank.calls == 1


def test_a_second_attempt_is_the_same_use_in_the_form_that_was_signed(run: Any, tmp_path: Path) -> None:
    house = House(open_store(tmp_path / "s.db"), options={"conceal": ("/args/to",)}, quorum=1)
    house.bank.busy = True

    async def main() -> list[bytes]:
        await house.go()
        await house.approve("ana")
        assert (await house.go()).status == "succeeded_verified"
        lines = await house.lines()
        await house.store.close()  # type: ignore[attr-defined]
        return lines

    intents = [one for one in map(msgspec.json.decode, run(main())) if one["type"] == "effect.intended"]
    assert [one["attempt"] for one in intents] == [1, 2]
    for member in ("key", "args", "action", "approvals"):
        assert intents[0][member] == intents[1][member]
    known = tmp_path / "registry.json"
    known.write_text(json.dumps(PEOPLE.registry))
    assert assert_certified(tmp_path / "s.db", choices=Choices(registry=str(known))).verdict == "certified"


def test_what_was_erased_meanwhile_is_not_called(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    house = House(open_store(":memory:"), options={"conceal": ("/args/to",)}, quorum=1)

    async def main() -> None:
        await house.go()
        await house.approve("ana")

        async def none(saga: str) -> list[str]:
            return []

        monkeypatch.setattr(house.store, "disclosures", none)
        report = await house.go()
        assert report.state.refusals[0].code == "concealed"

    run(main())
    assert house.bank.calls == 0


def test_the_wait_survives_the_engine_and_recovery_goes_on(run: Any, house: House) -> None:
    from agent_saga.runtime import Proposal, ScriptedDriver

    async def main() -> None:
        await house.go()
        await house.approve("ana", "ben")
        driver = ScriptedDriver([Proposal("bank.wire", WIRE)], name=AGENT)
        (report,) = await house.engine().recover([(house.bank.definition(), driver)])
        assert report.status == "succeeded_verified"

    run(main())
    assert house.bank.calls == 1


@pytest.mark.parametrize("proof", [{}, {"request": 7}, {"request": {"v": 1}}, {"request": {"content": {"step": []}}}])
def test_what_is_no_proof_is_refused(proof: Any, run: Any, house: House) -> None:
    async def main() -> None:
        await house.go()
        with pytest.raises(NotApproved) as refused:
            await house.engine().approve("s-1", proof)
        assert refused.value.reason == "bad-request"

    run(main())
    assert isinstance(house.bank, Bank)
