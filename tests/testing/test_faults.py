"""Whatever one provider does wrong in one call: nothing happens twice, and the trace tells it as it is."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from agent_saga.testing import assert_certified, assert_replays
from agent_saga.testing.providers import Fault
from agent_saga.testing.scenarios import Scenario, Shop
from agent_saga.testing.scenarios.playing import run

FORWARD = (("stock", "reserve"), ("payments", "charge"), ("delivery", "schedule"))
UNDOS = (("delivery", "cancel"), ("payments", "refund"), ("stock", "release"))
DONE, UNDONE, NOTHING = (1, 0), (1, 1), None
Ledger = list[tuple[int, int] | None]

# Which fault of the N-th forward call ends how: status, and what is left of the three effects.
FORWARD_ENDS = {
    Fault.LOST_REPLY: lambda n: ("succeeded_verified", [DONE] * 3),
    Fault.LOST_REQUEST: lambda n: ("succeeded_verified", [DONE] * 3),
    Fault.DECLINED: lambda n: (
        "compensated_verified" if n else "aborted_clean",
        [UNDONE] * n + [NOTHING] * (3 - n),
    ),
    Fault.REJECTED_LATER: lambda n: ("compensated_verified", [UNDONE] * 3),
    Fault.UNPROVABLE: lambda n: ("paused", [DONE] * (n + 1) + [NOTHING] * (2 - n)),
}
# The same for the N-th undo of a checkout whose shipment is rejected: newest first.
UNDO_ENDS = {
    Fault.LOST_REPLY: lambda n: ("compensated_verified", [UNDONE] * 3),
    Fault.LOST_REQUEST: lambda n: ("compensated_verified", [UNDONE] * 3),
    Fault.DECLINED: lambda n: ("paused", [DONE] * (3 - n) + [UNDONE] * n),
    Fault.UNPROVABLE: lambda n: ("paused", [DONE] * (2 - n) + [UNDONE] * (n + 1)),
}


def _play(faults: tuple[tuple[str, str, Fault], ...], store: Path) -> tuple[str, Ledger]:
    """Play the checkout with these faults; its status, and what its providers' ledgers say of the three effects."""
    scenario = Scenario("any", "", "", {}, faults)
    runnable = scenario(store)
    status = asyncio.run(run(runnable, store)).status
    assert_certified(store, findings=["AS504"] if status == "paused" else [])
    assert_replays(store, runnable)
    found = {one.action: (one.times, one.undone) for one in Shop.beside(store).ledger()}
    return status, [found.get(action) for _, action in FORWARD]


@pytest.mark.parametrize("fault", FORWARD_ENDS)
@pytest.mark.parametrize("number", range(3), ids=[action for _, action in FORWARD])
def test_a_forward_call_that_goes_wrong(number: int, fault: Fault, tmp_path: Path) -> None:
    assert _play(((*FORWARD[number], fault),), tmp_path / "saga.db") == FORWARD_ENDS[fault](number)


@pytest.mark.parametrize("fault", UNDO_ENDS)
@pytest.mark.parametrize("number", range(3), ids=[action for _, action in UNDOS])
def test_an_undo_that_goes_wrong(number: int, fault: Fault, tmp_path: Path) -> None:
    rejected = ("delivery", "schedule", Fault.REJECTED_LATER)
    assert _play((rejected, (*UNDOS[number], fault)), tmp_path / "saga.db") == UNDO_ENDS[fault](number)
