"""A process that spends a budget which others spend too: ``policed_child.py STORE NAME``; tells what it took."""

from __future__ import annotations

import asyncio
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from agent_saga.runtime.times import utc_now
from agent_saga.trace.store import open_store

sys.path.insert(0, str(Path(__file__).parent))
import_module("conftest")  # makes the helpers importable by their names
POLICED: Any = import_module("runtime_policed_shop")


async def spend(place: str, name: str) -> int:
    """Run sagas of charges until nothing is left, large ones first."""
    till = POLICED.Till(open_store(place), options={"clock": utc_now})
    for number in range(40):
        before = sum(till.shop.ledger.values())
        charges = [POLICED.charge(minor) for minor in (37, 5, 1)]
        await till.go(*charges, saga=f"{name}-{number}")
        if sum(till.shop.ledger.values()) == before:
            break
    await till.store.close()
    return sum(till.shop.ledger.values())


if __name__ == "__main__":
    print(asyncio.run(spend(*sys.argv[1:3])))
