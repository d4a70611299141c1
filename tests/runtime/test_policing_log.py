"""A log whose own lines say which policy is in force: no engine goes on under another one."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from pathlib import Path
from random import randbytes
from typing import Any

import pytest
from runtime_approvers import AGENT
from runtime_policed_shop import BUDGET, TOOLS, Till, charge, policy, wire

from agent_saga.certify.report import Choices
from agent_saga.certify.run import Options, certify
from agent_saga.proofs.keys import key_from_seed
from agent_saga.proofs.log import open_log
from agent_saga.runtime import Engine, PolicyMismatch, RuntimeFault, ScriptedDriver
from agent_saga.runtime.approving.standing import standings
from agent_saga.testing.approving import People, key_id
from agent_saga.trace.codec import decode, leaf_hash
from agent_saga.trace.limits import LOG_SAGA
from agent_saga.trace.store import NewLine, open_store
from agent_saga.trace.writer import SagaWriter

ORIGIN = "log.example/shop"
CHANGES = {"roles": ["approver"], "quorum": 1, "strength": "D"}
PEOPLE = People({"ana": ["approver"]}, agents={AGENT: "own"}, changes=CHANGES)
WIDER_BUDGET = BUDGET.replace("1000", "2000")
WIDER = policy(WIDER_BUDGET)


@pytest.fixture
def till(tmp_path: Path) -> Till:
    """Over a log that was opened without a policy."""
    path, made = tmp_path / "s.db", Till(open_store(":memory:"), people=PEOPLE, options={"registry": None})
    now = made.clock.at.timestamp() - 60
    open_log(str(path), key_from_seed(ORIGIN, "log", bytes(32)), origin=ORIGIN, now=now, random=bytes,
             registry=PEOPLE.registry)  # fmt: skip
    made.store = open_store(path)
    return made


async def adopt(till: Till, digest: str) -> None:
    """Append the line that puts a policy in force, which ana signed."""
    own = await till.store.read(LOG_SAGA)
    about = {
        "v": 1,
        "log": ORIGIN,
        "change": "adopt",
        "subject": digest,
        "registry": PEOPLE.digest,
        "prev": leaf_hash(own[-1]),
        "person": "ana",
        "key_id": key_id("ana"),
        "nonce": urlsafe_b64encode(bytes([len(own)]) * 16).rstrip(b"=").decode(),
        "issued_at": till.clock.now,
        "not_after": "2026-11-30T08:00:00.000000Z",
    }
    writer = SagaWriter(LOG_SAGA, randbytes, seq=len(own), head=leaf_hash(own[-1]))
    proof = {"signatures": [PEOPLE.signed(about)]}
    line = writer.line("policy.adopted", till.clock.now, policy=digest, proof=proof)
    await till.store.append([NewLine(LOG_SAGA, len(own), line)])
    assert standings([*own, line])[-1].policy == digest


def judged(folder: Path, *budgets: str) -> tuple[int, list[str]]:
    """Exit code and findings of the certifier about the store, by policies with these budgets."""
    paths = [folder / f"{number}.yaml" for number in range(len(budgets))]
    for path, budget in zip(paths, budgets, strict=True):
        path.write_text(TOOLS + budget, "utf-8")
    (folder / "registry.json").write_text(json.dumps(PEOPLE.registry), "utf-8")
    choices = Choices(policies=tuple(map(str, paths)), registry=str(folder / "registry.json"))
    report = certify([str(folder / "s.db")], Options(choices=choices))
    return int(report.exit_code), [one.code for one in report.findings]


def test_an_engine_whose_policy_the_log_did_not_adopt_begins_nothing(run: Any, till: Till) -> None:
    async def main() -> None:
        with pytest.raises(PolicyMismatch, match="in force is none, the engine's is"):
            await till.go(charge(1))
        await adopt(till, WIDER.digest)
        with pytest.raises(PolicyMismatch, match="have this one adopted"):
            await till.go(charge(1))
        await adopt(till, policy().digest)
        assert (await till.go(charge(1))).status == "succeeded_verified"

    run(main())
    assert list(till.shop.ledger.values()) == [1]


def test_a_saga_goes_on_under_the_policy_that_was_adopted_meanwhile(run: Any, till: Till, tmp_path: Path) -> None:
    """Its budgets go on as well; the request that waited keeps the digest that was in force at its line.

    The certifier comes to the same, once it is given both.
    """

    async def main() -> None:
        await adopt(till, policy().digest)
        assert (await till.go(charge(900), wire(5))).status == "waiting_approval"
        await adopt(till, WIDER.digest)
        with pytest.raises(PolicyMismatch):
            await till.go()
        till.policy = WIDER
        await till.approve("ana")
        assert (await till.go(charge(900), wire(5), charge(900), charge(300))).status == "succeeded_verified"
        refused = [one for one in (decode(line)[0] for line in await till.lines()) if one.type == "step.refused"]
        assert [one.reason for one in refused] == ["limit daily: 1800 of 2000 is used, and this call adds 300"]  # type: ignore[union-attr]

    run(main())
    assert sorted(till.shop.ledger.values()) == [5, 900, 900]
    assert judged(tmp_path, BUDGET, WIDER_BUDGET) == (0, [])
    for one in (BUDGET, WIDER_BUDGET):
        assert "AS402" in judged(tmp_path, one)[1]


def test_a_saga_is_of_the_log_that_its_store_holds_and_of_no_other(run: Any, till: Till) -> None:
    """What persons sign names the log: under another name their approvals would count for nothing."""

    async def main() -> None:
        await adopt(till, policy().digest)
        till.options |= {"log": "log.example/other"}
        with pytest.raises(RuntimeFault, match="and this engine is of"):
            await till.go(charge(1))
        del till.options["log"]
        await till.go(charge(1))
        began = next(one for one in (decode(line)[0] for line in await till.lines()) if one.type == "saga.started")
        assert began.log == ORIGIN  # type: ignore[union-attr]

    run(main())


def test_without_its_policy_an_engine_does_not_go_on(run: Any, till: Till) -> None:
    async def main() -> None:
        await adopt(till, policy().digest)
        with pytest.raises(PolicyMismatch, match="the engine has none"):
            await Engine(till.store, clock=till.clock).run(till.shop.definition(), ScriptedDriver([charge(1)]))

    run(main())
    assert not till.shop.ledger
