"""``python -m agent_saga.testing.child run|recover|decide MODULE:SAGA STORE LEASE``: one process of an experiment.

Prints JSON: what became of each saga, and how many appends the engine made, which are the places to kill it.
"""

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agent_saga.runtime import Report
from agent_saga.runtime.runnable import load
from agent_saga.testing.scenarios.playing import decide, recover, run
from agent_saga.trace.store.local import LocalStore


def main(arguments: Sequence[str]) -> int:
    """Do what the arguments say."""
    what, saga, store, lease = arguments[0], arguments[1], Path(arguments[2]), float(arguments[3])
    runnable = load(saga, store)
    appends = _counted()
    if what == "run":
        reports = [asyncio.run(run(runnable, store, lease=lease))]
    else:
        reports = asyncio.run(recover(runnable, store, lease=lease))
    if what == "decide":
        reports = [asyncio.run(decide(runnable, store, report, lease=lease))[0] for report in reports]
    print(json.dumps({"appends": appends[0], "reports": [_plain(report) for report in reports]}))
    return 0


def _counted() -> list[int]:
    """Count the appends of every store that is opened from here on."""
    count, append = [0], LocalStore.append

    async def counting(self: LocalStore, *args: Any, **kwargs: Any) -> int:
        count[0] += 1
        return await append(self, *args, **kwargs)

    LocalStore.append = counting  # type: ignore[method-assign]
    return count


def _plain(report: Report) -> dict[str, Any]:
    return {"saga": report.saga, "status": report.status, "about": list(report.about), "held": list(report.held)}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
