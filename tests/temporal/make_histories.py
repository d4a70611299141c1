"""Writes fixtures/temporal/histories/*.json: what a server kept of sagas that ran under this release.

A later release must still be able to go on with them, so the saved ones are never written anew, only added to:
``.venv/bin/python tests/temporal/make_histories.py NAME`` writes one that is not there yet.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from temporal_sagas import World, at_work, long_one, two_steps
from temporal_servers import DevServer

from agent_saga.runtime.temporal import SagaClient, connect
from agent_saga.runtime.temporal.names import workflow_id
from agent_saga.testing.scenarios import SCENARIOS
from agent_saga.testing.scenarios.playing import WAITING, hand_in
from agent_saga.trace.store import open_store

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "temporal" / "histories"
QUEUE = "histories"
SAVED = (
    "happy-path",
    "business-failure",
    "lost-response",
    "compensation-failure",
    "irreversible",
    "irreversible-approved",
    "policy",
)
Story = Callable[[Any, Path], Awaitable[str]]


def scenario(name: str) -> Story:
    async def told(client: Any, folder: Path) -> str:
        store, one = open_store(folder / "saga.db"), SCENARIOS[name]
        one.prepare(folder / "saga.db")
        runnable = one(folder / "saga.db")
        async with at_work(client, store, runnable, queue=QUEUE) as sagas:
            report = await sagas.run(runnable.definition.name, goal=runnable.goal, saga=name)
            for _ in range(5):
                if report.status not in WAITING or not one.decides:
                    break
                await hand_in(runnable, sagas, report, await store.read(name))
                report = await sagas.settled(name)
        await store.close()
        return name

    return told


async def cancelled(client: Any, folder: Path) -> str:
    store, world = open_store(folder / "saga.db"), World(gate=asyncio.Event())
    async with at_work(client, store, two_steps(world), queue=QUEUE) as sagas:
        await sagas.start("two", saga="cancelled")
        await world.begun.wait()
        await sagas.cancel("cancelled")
        assert world.gate is not None
        await asyncio.sleep(0.5)
        world.gate.set()
        await sagas.settled("cancelled")
    return "cancelled"


async def continued(client: Any, folder: Path) -> str:
    store = open_store(folder / "saga.db")
    async with at_work(client, store, long_one(World(), 8), queue=QUEUE, many=5) as sagas:
        assert isinstance(sagas, SagaClient)
        await sagas.run("long", saga="continued")
    return "continued"


STORIES: dict[str, Story] = {
    **{name: scenario(name) for name in SAVED},
    "cancelled": cancelled,
    "continued": continued,
}


def cleaned(history: str) -> Any:
    """Without the name of the machine that made it, and the places of files on it."""
    text = re.sub(r'"identity":\s*"[^"]*"', '"identity": "worker"', history)
    text = re.sub(r'"workerName":\s*"[^"]*"', '"workerName": "worker"', text)
    return traceless(json.loads(re.sub(r'"name":\s*"[0-9]+@[^"]*"', '"name": "sticky"', text)))


def traceless(value: Any) -> Any:
    """The same without stack traces, which stand in the encoded attributes of failures."""
    if isinstance(value, list):
        return [traceless(one) for one in value]
    if not isinstance(value, dict):
        return value
    found = {name: traceless(one) for name, one in value.items()}
    if "encodedAttributes" in found:
        payload = found["encodedAttributes"]
        attributes = json.loads(base64.b64decode(payload["data"])) | {"stack_trace": ""}
        found["encodedAttributes"] = payload | {"data": base64.b64encode(json.dumps(attributes).encode()).decode()}
    return found


async def main(name: str) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        server = DevServer(Path(scratch)).start()
        try:
            client = await connect(target_host=server.address)
            saga = await STORIES[name](client, Path(scratch))
            history = await client.get_workflow_handle(workflow_id(saga)).fetch_history()
        finally:
            server.stop()
    path = FOLDER / f"{name}.json"
    with path.open("x", encoding="utf-8") as stream:
        json.dump(cleaned(history.to_json()), stream, indent=1, sort_keys=True)
        stream.write("\n")
    print(f"{path.name}: {len(history.events)} events")


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for one in sys.argv[1:] or [name for name in STORIES if not (FOLDER / f"{name}.json").exists()]:
        asyncio.run(main(one))
    sys.stdout.flush()
    os._exit(0)
