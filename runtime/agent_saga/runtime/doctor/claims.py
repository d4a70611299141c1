"""The claims of a live configuration, each tried by its probe, within a time.

The probes run in a thread of their own: a tool of the user's that hangs (a kill switch that reads from a dead file
server) must not hang the doctor, and no thread can be stopped from outside.
"""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Final

from agent_saga.runtime.doctor.trial import Outcome, Trial, judged
from agent_saga.runtime.guarantees import REMEDIES
from agent_saga.runtime.kit import AgentKit
from agent_saga.trace.errors import AgentSagaError

PATIENCE: Final = 45.0
"""Seconds for one probe: longer than a store waits for another process's transaction (30 s), which it then tells."""
_PARTING: Final = 5.0
"""Seconds for a store to close: it has nothing left to write."""
_AGAIN: Final = "mend that and run the doctor again: what was not tried is not held"


def try_claims(kit: AgentKit, patience: float = PATIENCE) -> list[Trial]:
    """Try every claim of the kit, in the order of its manifest, and close the kit. patience: seconds for one probe."""
    made = kit.guarantees()
    claims = {claim["id"]: claim["says"] for claim in made["enforced_before_an_effect"] + made["guaranteed_after_it"]}
    tried: SimpleQueue[Trial] = SimpleQueue()
    work = _try_each(kit, claims, patience, tried.put)
    thread = threading.Thread(target=lambda: asyncio.run(work), name="agent-saga doctor", daemon=True)
    thread.start()
    found = _gathered(tried, len(claims), patience)
    left = [
        Trial(id, says, Outcome.UNPROBED, _late(patience), _AGAIN) for id, says in list(claims.items())[len(found) :]
    ]
    thread.join(0 if left else _PARTING)
    return [*found, *left]


def _gathered(tried: "SimpleQueue[Trial]", number: int, patience: float) -> list[Trial]:
    found: list[Trial] = []
    with contextlib.suppress(Empty):
        while len(found) < number:
            found.append(tried.get(timeout=patience + 1))  # the probe's own end comes first, where it has one
    return found


async def _try_each(kit: AgentKit, claims: dict[str, str], patience: float, put: Callable[[Trial], None]) -> None:
    for id, says in claims.items():
        put(await _try_one(kit, id, says, patience))
    with contextlib.suppress(Exception):  # what was tried stands, whatever the end of the store says
        await kit.close()


async def _try_one(kit: AgentKit, id: str, says: str, patience: float) -> Trial:
    try:
        held = await asyncio.wait_for(kit.probe(id), patience)
    except TimeoutError:
        return Trial(id, says, Outcome.UNPROBED, _late(patience), _AGAIN)
    except AgentSagaError as fault:
        return Trial(id, says, Outcome.UNPROBED, str(fault), _AGAIN)
    except Exception as fault:  # of the user's own code; its text may quote a secret
        return Trial(id, says, Outcome.UNPROBED, f"the probe raised {type(fault).__name__}", _AGAIN)
    return judged(id, says, held is True, "" if held is True else "the probe found that it does not hold", REMEDIES[id])


def _late(patience: float) -> str:
    return f"no answer within {patience:g} seconds, here or in the probe before"
