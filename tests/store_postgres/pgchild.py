"""One process of an experiment: `python pgchild.py run|recover SCENARIO FOLDER/saga.db ADDRESS LEASE`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from agent_saga.testing.scenarios import SCENARIOS
from agent_saga.testing.scenarios.playing import recover, run


def main(what: str, name: str, path: str, address: str, lease: str) -> None:
    """Do what the arguments say."""
    runnable = SCENARIOS[name](Path(path))
    work = run if what == "run" else recover
    asyncio.run(work(runnable, address, lease=float(lease)))  # type: ignore[arg-type]


if __name__ == "__main__":
    main(*sys.argv[1:])
