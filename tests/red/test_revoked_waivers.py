"""A waiver lifts nothing any more once the log has revoked the key that signed it, at the gate and at the certifier.

The day that a waiver says it was made on is its signer's word: whoever stole a key could have made it yesterday.
"""

from __future__ import annotations

import asyncio
import json
from base64 import urlsafe_b64encode
from collections.abc import Callable
from pathlib import Path
from random import randbytes
from typing import Any

import pytest
from rulelib.lines import chain, written
from rulelib.policies import DIGEST, POLICY_FILES, SHOP_NAME, waiver, waivers
from rulelib.signed_script import SignedScript
from rulelib.signing import REGISTRY_FILE
from runtime_approvers import AGENT
from runtime_policed_shop import Till, charge, policy

from agent_saga.approvals.registry import read_registry
from agent_saga.certify.judging import dividing
from agent_saga.certify.report import Choices
from agent_saga.certify.run import Options, certify
from agent_saga.policies.backtesting import backtest
from agent_saga.policies.loading import load_policy
from agent_saga.policies.model import Waiver, Waivers
from agent_saga.policies.waiving import read_waivers
from agent_saga.proofs.keys import key_from_seed
from agent_saga.proofs.log import open_log
from agent_saga.testing.approving import People, key_id
from agent_saga.trace.codec import leaf_hash
from agent_saga.trace.limits import LOG_SAGA
from agent_saga.trace.store import NewLine, open_store
from agent_saga.trace.writer import SagaWriter

REVOKED = "revoke ana-1 ana-1"
MANY_LAMPS = "do e1 stock.reserve arg.count=11"
MANY_BOOKED = "\n".join(f"do e{number} shipping.book" for number in (1, 2, 3))


def judged(folder: Path, script: str, rule: str, jobs: int = 1) -> list[str]:
    """The codes of the findings on a script, with a waiver of this rule that Ana signed."""
    given = {"registry.json": REGISTRY_FILE, SHOP_NAME: POLICY_FILES[SHOP_NAME], "w.json": waivers(waiver(rule))}
    given["t.jsonl"] = written(chain(SignedScript(script).run(script)))
    for name, data in given.items():
        (folder / name).write_bytes(data)
    registry, path = str(folder / "registry.json"), str(folder / SHOP_NAME)
    choices = Choices(registry=registry, policies=(path,), waivers=str(folder / "w.json"))
    return [one.code for one in certify([str(folder / "t.jsonl")], Options(choices=choices, jobs=jobs)).findings]


@pytest.mark.parametrize(
    "call, rule, codes",
    [(MANY_LAMPS, "few-lamps", ["AS401", "AS406"]), (MANY_BOOKED, "booking-rate", ["AS403", "AS406"])],
)
def test_the_certifier_counts_a_revocation_from_its_line_on(
    call: str, rule: str, codes: list[str], tmp_path: Path
) -> None:
    begin, end = f"opened\nbegin policy={DIGEST}", "success e1 e2 e3" if rule == "booking-rate" else "success e1"
    assert judged(tmp_path, f"{begin}\n{call}\n{end}", rule) == []
    assert judged(tmp_path, f"{begin}\n{call}\n{end}\n{REVOKED}", rule) == []
    assert sorted(judged(tmp_path, f"{begin}\n{REVOKED}\n{call}\n{end}", rule)) == codes
    assert judged(tmp_path, f"{begin}\nrevoke ben-1 ben-1\n{call}\n{end}", rule) == []


@pytest.mark.parametrize("call, rule", [(MANY_LAMPS, "few-lamps"), (MANY_BOOKED, "booking-rate")])
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_key_that_was_in_other_hands_lifted_nothing_from_then_on(
    call: str, rule: str, jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dividing, "SPLIT", 1)
    begin, end = f"opened\nbegin policy={DIGEST}", "success e1 e2 e3" if rule == "booking-rate" else "success e1"
    for since, expected in (("08:00:00", ["AS406"]), ("09:00:59", []), ("11:00:00", [])):
        lost = f"revoke ana-1 ana-1 ben-1 compromised_since=2026-01-05T{since}.000000Z"
        assert judged(tmp_path, f"{begin}\n{call}\n{end}\n{lost}", rule, jobs) == expected, since
        by_another = lost.replace("revoke ana-1", "revoke dan-1")
        assert judged(tmp_path, f"{begin}\n{call}\n{end}\n{by_another}", rule, jobs) == []


def test_a_back_test_lets_waivers_of_revoked_keys_lift_nothing(tmp_path: Path) -> None:
    def tried(script: str) -> tuple[int, int]:
        files = {"p.json": POLICY_FILES[SHOP_NAME], "w.json": waivers(waiver("few-lamps"))}
        for name, data in files.items():
            (tmp_path / name).write_bytes(data)
        (tmp_path / "t.jsonl").write_bytes(written(chain(SignedScript(script).run(script))))
        by = load_policy(str(tmp_path / "p.json"))
        registry, _ = read_registry(REGISTRY_FILE)
        found = backtest(by, [str(tmp_path / "t.jsonl")], waivers=read_waivers(str(tmp_path / "w.json"), by, registry))
        return found.tally("deny").calls, found.waived["W-3"]

    begin, end = f"opened\nbegin policy={DIGEST}", "success e1"
    assert tried(f"{begin}\n{MANY_LAMPS}\n{end}") == (0, 1)
    assert tried(f"{begin}\n{MANY_LAMPS}\n{end}\n{REVOKED}") == (0, 1)
    assert tried(f"{begin}\n{REVOKED}\n{MANY_LAMPS}\n{end}") == (1, 0)
    assert tried(f"{begin}\nrevoke ana-1 dan-1\n{MANY_LAMPS}\n{end}") == (0, 1), "a line without a valid proof"


def test_a_back_test_gives_each_policy_its_own_waivers(tmp_path: Path, run_cli: Callable[..., Any]) -> None:
    """The new policy has no such rule any more, and no waiver of it: by the old one the call passed all the same."""
    new = json.loads(POLICY_FILES[SHOP_NAME])
    new["rules"] = [one for one in new["rules"] if one["id"] != "few-lamps"]
    made = {"old": POLICY_FILES[SHOP_NAME], "new": json.dumps(new).encode(), "registry": REGISTRY_FILE}
    made |= {"waivers": waivers(waiver("few-lamps"))}
    made |= {"trace": written(chain(SignedScript("x").run(f"opened\nbegin policy={DIGEST}\n{MANY_LAMPS}")))}
    paths = {name: str(tmp_path / f"{name}.json") for name in made}
    for name, data in made.items():
        Path(paths[name]).write_bytes(data)
    given = ["policy", "backtest", paths["new"], paths["trace"], "--against", paths["old"]]
    given += ["--registry", paths["registry"]]
    assert "would allow             1 call" in run_cli(*given).stdout
    assert "would allow             0 calls" in run_cli(*given, "--waivers", paths["waivers"]).stdout


def test_the_gate_asks_no_waiver_of_a_revoked_key(tmp_path: Path) -> None:
    path, origin = tmp_path / "s.db", "log.example/shop"
    people = People({"ana": ["approver"]}, agents={AGENT: "own"})
    till = Till(open_store(":memory:"), people=people, options={"registry": None})
    begun = till.clock.at.timestamp() - 60
    open_log(str(path), key_from_seed(origin, "log", bytes(32)), origin=origin, now=begun, random=bytes,
             policy=policy().digest, registry=people.registry)  # fmt: skip
    till.store = open_store(path)
    lifted = Waiver("W", "daily", "a move", "own", "ana", "2026-01-01", "2026-12-31", key=key_id("ana"))
    till.options["waivers"] = Waivers((lifted,))

    async def main() -> None:
        assert (await till.go(charge(2000), saga="before")).status == "succeeded_verified"
        own = await till.store.read(LOG_SAGA)
        about = {"v": 1, "log": origin, "change": "revoke", "subject": key_id("ana"), "registry": people.digest}
        about |= {"prev": leaf_hash(own[-1]), "person": "ana", "key_id": key_id("ana")}
        about |= {"nonce": urlsafe_b64encode(bytes(16)).rstrip(b"=").decode(), "issued_at": till.clock.now}
        signed = people.signed(about | {"not_after": "2026-11-30T08:00:00.000000Z"})
        writer = SagaWriter(LOG_SAGA, randbytes, seq=len(own), head=leaf_hash(own[-1]))
        line = writer.line("keys.revoked", till.clock.now, key_id=key_id("ana"), proof={"signatures": [signed]})
        await till.store.append([NewLine(LOG_SAGA, len(own), line)])
        await till.go(charge(2000), saga="after")

    asyncio.run(main())
    assert list(till.shop.ledger.values()) == [2000]
