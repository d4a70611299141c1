"""AgentKit: three verbs, and claims that are tried."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from runtime_approvers import AGENT, PEOPLE, WIRE, House
from runtime_world import DEAF, World, shop

from agent_saga.runtime import AgentKit, Engine, NotRecovered, PlanDriver, Proposal, ScriptedDriver, UnknownSaga
from agent_saga.runtime.approving import pending
from agent_saga.runtime.guarantees import PROBES
from agent_saga.runtime.times import instant, utc_now
from agent_saga.trace.store import open_store

DRIVER = PlanDriver(lambda step, view: {"item": step})


def test_it_wraps_runs_and_says_how_things_stand(run: Any, tmp_path: Path) -> None:
    async def main() -> None:
        kit = AgentKit(tmp_path / "trace.db")
        twice = kit.wrap(lambda: 2, name="two", semantics="preview")
        assert twice() == 2
        assert (await kit.run(shop(World()), DRIVER)).status == "succeeded_verified"
        paused = await kit.run(shop(World({"a": DEAF})), DRIVER)
        status = await kit.status()
        assert (status.ready, status.open, status.waiting) == (True, (paused.saga,), (paused.saga,))
        await kit.remember("note", b"after the weekend")
        await kit.close()
        again = AgentKit(tmp_path / "trace.db")
        assert await again.recall("note") == b"after the weekend"
        await again.close()

    run(main())


def test_status_fails_closed(run: Any) -> None:
    def unreadable(saga: str, name: str) -> str:
        raise OSError

    assert not run(AgentKit(":memory:", stop=unreadable).status()).ready
    assert not run(AgentKit(":memory:", stop=lambda saga, name: "quarantine").status()).ready


def test_every_claim_has_a_probe_that_passes(run: Any, tmp_path: Path) -> None:
    async def main() -> None:
        kit = AgentKit(tmp_path / "trace.db", stop=lambda saga, name: "", policy="fixtures/policies/payments.yaml")
        found = await kit.doctor()
        assert found == dict.fromkeys(PROBES, True)
        assert (await kit.status()).open == ()
        await kit.close()

    run(main())


def test_what_the_configuration_does_not_bear_is_not_claimed() -> None:
    found = AgentKit(":memory:").guarantees()
    claimed = {claim["id"] for part in ("enforced_before_an_effect", "guaranteed_after_it") for claim in found[part]}
    assert claimed == set(PROBES) - {"kill-switch", "durable", "policy-first"}
    assert any("in memory" in words for words in found["not_claimed"])
    assert any("kill switch" in words for words in found["not_claimed"])
    assert any("key registry" in words for words in found["not_claimed"])
    assert any("judged by a policy" in words for words in found["not_claimed"])
    signed = AgentKit(":memory:", registry=PEOPLE.registry).guarantees()
    assert not any("key registry" in words for words in signed["not_claimed"])


def test_a_kit_waits_for_the_person_who_signs(run: Any) -> None:
    house = House(open_store(":memory:"))

    async def main() -> None:
        kit = AgentKit(house.store, registry=PEOPLE.registry)
        driver = ScriptedDriver([Proposal("bank.wire", WIRE)], name=AGENT)
        assert (await kit.run(house.bank.definition(), driver, saga="s-1")).status == "waiting_approval"
        assert (await kit.status()).waiting == ("s-1",)
        (asked,) = pending(await house.lines())
        await kit.approve("s-1", PEOPLE.answer("ana", asked, now=instant(utc_now())))
        assert (await kit.run(house.bank.definition(), driver, saga="s-1")).status == "succeeded_verified"

    run(main())
    assert house.bank.calls == 1


def test_a_saga_goes_on_only_with_the_tools_that_it_began_with(run: Any) -> None:
    async def main() -> None:
        store = open_store(":memory:")
        report = await Engine(store).run(shop(World({"a": DEAF})), DRIVER)
        with pytest.raises(UnknownSaga, match="other tools"):
            await Engine(store).run(shop(World(), ("a", "b")), DRIVER, saga=report.saga)
        with pytest.raises(NotRecovered) as caught:
            await Engine(store).recover([(shop(World(), ("a", "b")), DRIVER)])
        assert list(caught.value.faults) == [report.saga]
        assert caught.value.reports == ()

    run(main())
