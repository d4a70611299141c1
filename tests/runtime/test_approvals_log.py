"""The registry that the log itself holds: who approves is judged by it, and a revoked key counts no more."""

from __future__ import annotations

import asyncio
from base64 import urlsafe_b64encode
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from runtime_approvers import AGENT, House

from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.registry import registry_digest
from agent_saga.proofs.keys import key_from_seed
from agent_saga.proofs.log import open_log
from agent_saga.runtime import NotEntitled, PersonDecision, Proposal, ScriptedDriver, StaleDecision
from agent_saga.runtime.approving import paused, pending
from agent_saga.runtime.approving.standing import standings
from agent_saga.runtime.kernel.deciding import of_proof
from agent_saga.testing.approving import People, key_id
from agent_saga.trace.codec import leaf_hash
from agent_saga.trace.limits import LOG_SAGA
from agent_saga.trace.store import NewLine, open_store
from agent_saga.trace.writer import SagaWriter

ORIGIN = "log.example/house"
CHANGES = {"roles": ["approver"], "quorum": 1, "strength": "D"}
ROLES = {"ana": ["approver"], "ben": ["approver", "decider"]}
PEOPLE = People(ROLES, agents={AGENT: "own"}, changes=CHANGES)
MORE = People({**ROLES, "new": ["approver"]}, agents={AGENT: "own"}, changes=CHANGES)


@pytest.fixture
def house(tmp_path: Path) -> House:
    """Over a store whose first line is log.opened."""
    path, key = tmp_path / "s.db", key_from_seed(ORIGIN, "log", bytes(32))
    made = House(open_store(path), registry=None)
    asyncio.run(made.store.close())  # type: ignore[attr-defined]
    path.unlink()
    now = made.clock.at.timestamp() - 60
    open_log(str(path), key, origin=ORIGIN, now=now, random=bytes, registry=PEOPLE.registry)
    made.store = open_store(path)
    return made


async def change(house: House, what: str, subject: str, kind: str, **members: Any) -> None:
    """Append a change of the registry that ana signed."""
    own = await house.store.read(LOG_SAGA)
    about = {
        "v": 1,
        "log": ORIGIN,
        "change": what,
        "subject": subject,
        "registry": PEOPLE.digest,
        "prev": leaf_hash(own[-1]),
        "person": "ana",
        "key_id": key_id("ana"),
        "nonce": urlsafe_b64encode(bytes([len(own)]) * 16).rstrip(b"=").decode(),
        "issued_at": house.clock.now,
        "not_after": "2026-11-30T08:00:00.000000Z",
    }
    proof = {"signatures": [PEOPLE.signed(about)]}
    writer = SagaWriter(LOG_SAGA, bytes, seq=len(own), head=leaf_hash(own[-1]))
    line = writer.line(kind, house.clock.now, **members, proof=proof)
    await house.store.append([NewLine(LOG_SAGA, len(own), line)])
    assert len(standings([*own, line])) == len(own) + 1


def test_the_log_says_who_approves_and_the_saga_names_its_registry(run: Any, house: House) -> None:
    async def main() -> None:
        await house.go()
        await house.engine().approve("s-1", await house.proof("ana", people=PEOPLE))
        await house.engine().approve("s-1", await house.proof("ben", people=PEOPLE))
        report = await house.go()
        assert report.status == "succeeded_verified"
        assert report.state.started is not None
        assert report.state.started.keys == PEOPLE.digest

    run(main())
    assert house.bank.calls == 1


def test_a_key_that_was_revoked_meanwhile_counts_no_more(run: Any, house: House) -> None:
    async def main() -> None:
        await house.go()
        await house.engine().approve("s-1", await house.proof("ana", people=PEOPLE))
        await house.engine().approve("s-1", await house.proof("ben", people=PEOPLE))
        await change(house, "revoke", key_id("ben"), "keys.revoked", key_id=key_id("ben"))
        assert (await house.go()).status == "waiting_approval"

    run(main())
    assert house.bank.calls == 0


def test_a_revoked_key_answers_nothing(run: Any, house: House) -> None:
    async def main() -> None:
        await house.go()
        await change(house, "revoke", key_id("ben"), "keys.revoked", key_id=key_id("ben"))
        with pytest.raises(NotApproved) as refused:
            await house.engine().approve("s-1", await house.proof("ben", people=PEOPLE))
        assert refused.value.reason == "revoked"

    run(main())


def test_who_was_enrolled_later_answers_only_what_was_asked_later(run: Any, house: House) -> None:
    house.quorum = 1

    async def main() -> None:
        await house.go("s-1")
        await change(house, "enroll", registry_digest(version_2()), "keys.enrolled", registry=version_2())
        with pytest.raises(NotApproved) as refused:
            await house.engine().approve("s-1", await house.proof("new", people=MORE))
        assert refused.value.reason == "unknown-key"
        await house.engine().approve("s-1", await house.proof("ana", people=PEOPLE))
        assert (await house.go("s-1")).status == "succeeded_verified"
        await house.go("s-2")
        (asked,) = pending(await house.lines())
        assert (asked.saga, asked.wrong, asked.content.keys) == ("s-2", "", registry_digest(version_2()))
        await house.engine().approve("s-2", MORE.answer("new", asked, now=house.clock.now))
        assert (await house.go("s-2")).status == "succeeded_verified"

    run(main())
    assert house.bank.calls == 2


def version_2() -> dict[str, Any]:
    return MORE.registry | {"version": 2}


def test_own_lines_that_cannot_be_read_deny(run: Any, house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        await house.go()
        await house.engine().approve("s-1", await house.proof("ana", people=PEOPLE))
        late = await house.proof("ben", people=PEOPLE)
        read = house.store.read

        async def torn(saga: str, since: int = 0) -> list[bytes]:
            return [b"torn"] if saga == LOG_SAGA else await read(saga, since)

        monkeypatch.setattr(house.store, "read", torn)
        with pytest.raises(NotApproved):
            await house.engine().approve("s-1", late)
        assert (await house.go()).status == "waiting_approval"

    run(main())
    assert house.bank.calls == 0


async def stuck(house: House) -> Any:
    """The wire's reply is lost and the bank does not say: a person must."""
    house.bank.deaf = True
    house.quorum = 1
    await house.go()
    await house.engine().approve("s-1", await house.proof("ana", people=PEOPLE))
    report = await house.go()
    assert report.status == "paused"
    (waits,) = paused(await house.lines())
    return waits


@pytest.mark.parametrize("person, reason", [("ana", "wrong-role"), ("own", "self-approval")])
def test_a_decision_needs_a_signature_and_the_role(person: str, reason: str, run: Any, house: House) -> None:
    async def main() -> None:
        waits = await stuck(house)
        bare = PersonDecision("e1", "landed", "ben", "the bank's books show it", waits.prev)
        with pytest.raises(NotEntitled):
            await house.engine().decide("s-1", bare)
        with pytest.raises(NotApproved):
            await house.engine().decide("s-1", replace(bare, proof={"request": {}}))
        proof = PEOPLE.decision(person, waits, "e1", "landed", "the books", now=house.clock.now)
        with pytest.raises(NotApproved) as refused:
            await house.engine().decide("s-1", of_proof(proof))
        assert refused.value.reason == reason
        proof = PEOPLE.decision("ben", waits, "e1", "landed", "the books", now=house.clock.now)
        with pytest.raises((NotApproved, NotEntitled, StaleDecision)):
            await house.engine().decide("s-1", replace(of_proof(proof), verdict="absent"))
        await house.engine().decide("s-1", of_proof(proof))
        assert (await house.go()).status == "succeeded_verified"
        with pytest.raises(StaleDecision):
            await house.engine().decide("s-1", of_proof(proof))

    run(main())
    assert house.bank.calls == 1


def test_a_halted_saga_is_resumed_by_a_signed_decision(run: Any, house: House) -> None:
    async def main() -> None:
        engine = house.engine()
        engine._around = replace(engine._around, stop=lambda saga, name: "kill_switch")
        driver = ScriptedDriver([Proposal("bank.wire", house.args)], name=AGENT)
        report = await engine.run(house.bank.definition(), driver, saga="s-1")
        assert report.status == "stopped"
        (waits,) = paused(await house.lines())
        proof = PEOPLE.decision("ben", waits, "s-1", "kept", "a false alarm", now=house.clock.now)
        await house.engine().decide("s-1", of_proof(proof))
        assert (await house.go()).status == "waiting_approval"

    run(main())


def test_the_certifier_finds_a_forged_intent_of_another_amount(run: Any, judge: Any) -> None:
    """A wire of ten was approved; whoever holds the store writes that a fortune was, and chains it anew."""
    house = House(open_store(":memory:"), quorum=1, registry=PEOPLE.registry)

    async def main() -> list[bytes]:
        await house.go()
        await house.engine().approve("s-1", await house.proof("ana", people=PEOPLE))
        assert (await house.go()).status == "succeeded_verified"
        return await house.lines()

    lines = run(main())
    assert judge(lines, PEOPLE.registry).verdict == "certified"
    assert "AS303" in {one.code for one in judge(forged(lines), PEOPLE.registry).findings}


def forged(lines: list[bytes]) -> list[bytes]:
    """The same saga, in which 9,999,999 were wired."""
    at = next(n for n, line in enumerate(lines) if b'"type":"effect.intended"' in line)
    writer = SagaWriter("s-1", bytes, seq=at, head=leaf_hash(lines[at - 1]))
    made = lines[:at]
    for line in lines[at:]:
        event = msgspec.json.decode(line.replace(b'"minor":1000', b'"minor":999999900'))
        members = {k: v for k, v in event.items() if k not in ("v", "saga", "seq", "prev", "at", "type", "by", "salt")}
        made.append(writer.line(event["type"], event["at"], event["by"], **members))
    return made
