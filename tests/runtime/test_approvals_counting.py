"""A security key whose counter goes back was copied, or is a copy: it approves nothing more in this store."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "approvals"))

import sshsigs
from runtime_approvers import PEOPLE, House

from agent_saga.approvals.digests import APPROVAL, digest, message
from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.requests import as_written
from agent_saga.runtime.approving import open_request, pending
from agent_saga.trace.base64url import unpadded
from agent_saga.trace.store import open_store

PRIVATE = Ed25519PrivateKey.from_private_bytes(b"\5" * 32)
WINDOW = {"not_before": "2026-01-01T00:00:00.000000Z", "not_after": "2099-01-01T00:00:00.000000Z"}
TOUCHED = {
    "id": "ana-touched",
    "person": "ana",
    "scheme": "sshsig-sk",
    "public": unpadded(PRIVATE.public_key().public_bytes_raw()),
    "application": "ssh:",
    "counter": 3,
} | WINDOW
REGISTRY = PEOPLE.registry | {"keys": [*PEOPLE.registry["keys"], TOUCHED]}


async def touched(house: House, saga: str, counter: int, decision: Any = "approve") -> dict[str, Any]:
    """Ana's answer, by the key that counts."""
    asked = next(one for one in pending(await house.lines()) if one.saga == saga)
    nonce = unpadded(f"{saga} {counter}".encode().ljust(16))
    request = as_written(open_request(asked, "ana", TOUCHED["id"], decision, nonce, house.clock.now))
    line = message(APPROVAL, digest(APPROVAL, request))
    signature = unpadded(sshsigs.made(PRIVATE, line, application="ssh:", counter=counter))
    return {"scheme": "sshsig-sk", "key_id": TOUCHED["id"], "request": request, "signature": signature}


@pytest.mark.parametrize(
    "first, second, refused", [(7, 8, False), (7, 7, True), (7, 6, True), (2, 9, True), (4, 2**32 - 1, False)]
)
def test_over_all_sagas_of_a_store_a_counter_only_grows(first: int, second: int, refused: bool, run: Any) -> None:
    house = House(open_store(":memory:"), registry=REGISTRY, quorum=1)

    async def main() -> str:
        try:
            for saga, counter in (("s-1", first), ("s-2", second)):
                await house.go(saga)
                await house.engine().approve(saga, await touched(house, saga, counter))
                assert (await house.go(saga)).status == "succeeded_verified"
        except NotApproved as fault:
            return fault.reason
        return ""

    assert run(main()) == ("counter-back" if refused else "")


def test_the_same_signature_after_a_crash_is_no_new_use_and_a_denial_is_always_heard(run: Any) -> None:
    house = House(open_store(":memory:"), registry=REGISTRY, quorum=1)

    async def main() -> None:
        await house.go()
        proof = await touched(house, "s-1", 7)
        append = house.store.append

        async def broken(*args: Any, **more: Any) -> int:
            raise OSError("the power went")

        house.store.append = broken  # type: ignore[method-assign]
        with pytest.raises(OSError):
            await house.engine().approve("s-1", proof)
        house.store.append = append  # type: ignore[method-assign]
        await house.engine().approve("s-1", proof)
        await house.engine().approve("s-1", await touched(house, "s-1", 5, "deny"))
        assert (await house.go()).state.refusals[0].code == "denied"

    run(main())
    assert house.bank.calls == 0
