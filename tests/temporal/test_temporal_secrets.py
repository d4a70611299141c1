"""What a server keeps of a secret: nothing, when payloads are sealed; and the test would see it if it were there."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any

import pytest
from temporal_sagas import World, at_work, take_back
from temporal_servers import DevServer
from temporalio.api.common.v1 import Payload

from agent_saga.runtime import Call, PlanDriver, Result, SagaDefinition, Step, tool
from agent_saga.runtime.runnable import Runnable
from agent_saga.runtime.temporal import BadKeys, PayloadKeys, TooLarge, connect, read_keys
from agent_saga.runtime.temporal.names import workflow_id
from agent_saga.runtime.temporal.payloads import LARGEST, SEALED, Guard, Sealing, converter
from agent_saga.trace.store import open_store

ARGUMENT, RESULT, ERROR, GOAL, FRAME = (f"zq{word}7f3a" for word in ("argument", "result", "error", "goal", "frame"))
KEYS = PayloadKeys("2026-11", {"2026-11": bytes(range(32)), "2026-10": bytes(range(1, 33))})


@tool(name="keep", semantics="compensable", undo=take_back)
def keep(what: str, *, call: Call) -> Result:
    call.provider("world").made[call.key] = what
    return Result({"kept": RESULT}, take_back.call(what=what))


class Stumbling(PlanDriver):
    """Fails twice with a secret in its message, from a function whose name is one."""

    def __init__(self) -> None:
        super().__init__(lambda step, view: {"what": ARGUMENT}, name="stumbling")
        self.left = 2

    async def propose(self, view: Any) -> Any:
        if self.left:
            self.left -= 1
            exec(f"def {FRAME}():\n    raise RuntimeError({ERROR!r})\n{FRAME}()")
        return await super().propose(view)


def kept_all(facts: Any) -> bool:
    return bool(facts.results)


def secretive() -> Runnable:
    definition = SagaDefinition("secretive", tools=[keep], checks=[kept_all], steps=[Step("keep", "keep")])
    return Runnable(definition, Stumbling(), {"world": World()})


async def kept_by_the_server(folder: Path, keys: PayloadKeys | None) -> tuple[bytes, dict[str, bool]]:
    """All bytes of the server's database after a saga full of secrets, and what its own client reads of them."""
    server = DevServer(folder, database=folder / "temporal.db").start()
    try:
        client, store = await connect(target_host=server.address, keys=keys), open_store(folder / "saga.db")
        async with at_work(client, store, secretive(), queue="secrets") as sagas:
            report = await sagas.run("secretive", goal={"about": GOAL}, saga="s-1")
            assert report.status == "succeeded_verified"
            history = await client.get_workflow_handle(workflow_id("s-1")).fetch_history()
        trace = b"".join(await store.read("s-1"))
        await store.close()
    finally:
        server.stop()
    assert {one for one in (ARGUMENT, RESULT, GOAL) if one.encode() in trace} == {ARGUMENT, RESULT, GOAL}
    assert history.events
    files = [path.read_bytes() for path in folder.glob("temporal.db*")]
    return b"".join(files), {word: any(seen(word, data) for data in files) for word in (GOAL, ERROR, FRAME)}


def seen(word: str, data: bytes) -> bool:
    """Whether it stands there, in clear or as base64 at any offset."""
    forms = [base64.b64encode(b"x" * n + word.encode())[4:-4] for n in range(3)]
    return word.encode() in data or any(form in data for form in forms)


def test_a_server_keeps_nothing_that_is_secret_when_payloads_are_sealed(tmp_path: Path, run: Any) -> None:
    data, found = run(kept_by_the_server(tmp_path, KEYS))
    assert b"agent-saga.execute" in data
    assert b"2026-11" in data
    assert not [word for word in (ARGUMENT, RESULT, ERROR, GOAL, FRAME) if seen(word, data)]
    assert found == {GOAL: False, ERROR: False, FRAME: False}


def test_without_keys_goal_and_failures_stand_in_its_file_and_arguments_and_results_do_not(
    tmp_path: Path, run: Any
) -> None:
    """So the search above finds what there is; and only the store has what the tools were given and answered."""
    data, found = run(kept_by_the_server(tmp_path, None))
    assert found[GOAL]
    assert found[FRAME] or found[ERROR]
    assert not seen(ARGUMENT, data)
    assert not seen(RESULT, data)


def test_payloads_open_with_any_key_that_is_kept_and_with_no_other(run: Any) -> None:
    inner = Payload(metadata={"encoding": b"json/plain"}, data=b'"secret"')
    old = Sealing(PayloadKeys("2026-10", {"2026-10": KEYS.keys["2026-10"]}))
    (sealed,) = run(old.encode([inner]))
    assert (sealed.metadata["encoding"], sealed.metadata["key"]) == (SEALED, b"2026-10")
    assert b"secret" not in sealed.data
    assert run(Sealing(KEYS).decode([sealed])) == [inner]
    (anew,) = run(Sealing(KEYS).encode([inner]))
    assert anew.metadata["key"] == b"2026-11"
    with pytest.raises(BadKeys, match="none of this id"):
        run(old.decode([anew]))
    with pytest.raises(BadKeys, match="start with the file of payload keys"):
        run(Guard().decode([anew]))
    assert run(Sealing(KEYS).decode([inner])) == [inner]


@pytest.mark.parametrize("place", [0, 11, 12, -1])
def test_a_payload_that_was_changed_does_not_open(place: int, run: Any) -> None:
    sealing = Sealing(KEYS)
    (sealed,) = run(sealing.encode([Payload(data=b"secret")]))
    data = bytearray(sealed.data)
    data[place] ^= 1
    with pytest.raises(BadKeys, match="it was changed"):
        run(sealing.decode([Payload(metadata=sealed.metadata, data=bytes(data))]))
    moved = {"encoding": SEALED, "key": b"2026-10"}
    with pytest.raises(BadKeys, match="it was changed"):
        run(sealing.decode([Payload(metadata=moved, data=sealed.data)]))


def test_no_two_payloads_share_a_nonce(run: Any) -> None:
    sealed = run(Sealing(KEYS).encode([Payload(data=b"same")] * 50))
    assert len({one.data[:12] for one in sealed}) == 50


def test_what_is_too_large_is_refused_before_it_is_sent(server: DevServer, tmp_path: Path, run: Any) -> None:
    with pytest.raises(TooLarge, match="hand over a reference"):
        run(Sealing(KEYS).encode([Payload(data=b"x" * (LARGEST + 1))]))
    with pytest.raises(TooLarge):
        run(converter().encode(["x" * LARGEST]))


def test_a_file_of_keys_is_read_or_told_what_is_wrong(tmp_path: Path) -> None:
    path, key = tmp_path / "keys.json", base64.b64encode(os.urandom(32)).decode()
    path.write_text(json.dumps({"current": "a", "keys": {"a": key}}), encoding="utf-8")
    keys = read_keys(path)
    assert keys.current == "a"
    assert key not in repr(keys)
    for wrong in (
        "",
        "[]",
        '{"current":"a"}',
        '{"current":"b","keys":{"a":"' + key + '"}}',
        '{"current":"a","keys":{"a":"c2hvcnQ="}}',
        '{"current":"a","keys":{"a":"' + key + '!"}}',
        '{"current":["a"],"keys":{"a":"' + key + '"}}',
        "[" * 100_000,
    ):
        path.write_text(wrong, encoding="utf-8")
        with pytest.raises(BadKeys):
            read_keys(path)
    with pytest.raises(BadKeys, match="cannot be read"):
        read_keys(tmp_path / "absent.json")
