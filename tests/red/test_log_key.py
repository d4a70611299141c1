"""The key that signs a log's checkpoints is no person's: whoever writes the log could approve with it."""

from __future__ import annotations

import json
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from rulelib.signing import KEYS, REGISTRY, WINDOW, private, unpadded

from agent_saga.approvals.errors import NotApproved, RegistryFault
from agent_saga.approvals.registry import parse_registry
from agent_saga.approvals.registry.history import NOBODY, History, check_log_key
from agent_saga.proofs.vkeys import ED25519, VerifierKey
from agent_saga.trace.events import LogOpened

COMMAND = str(Path(sys.executable).with_name("agent-saga"))
ORIGIN = "shop.example/audit"


def vkey(key: str) -> str:
    return str(VerifierKey(ORIGIN, ED25519, private(key).public_key().public_bytes_raw()))


def opened(signed_by: str, keys: Any = REGISTRY) -> History:
    at = "2026-01-05T08:00:00.000000Z"
    line = LogOpened(
        v=1, saga="log", seq=0, prev="0" * 64, at=at, type="log.opened", by="runtime", salt="A" * 22,
        origin=ORIGIN, vkey=vkey(signed_by), keys=keys,
    )  # fmt: skip
    return History(line, sha256(b"leaf").hexdigest())


def test_a_registry_that_holds_the_logs_key_is_nobodys() -> None:
    found = opened("ana-1")
    assert found.last.registry is NOBODY
    assert [(one.index, one.reason) for one in found.faults] == [(0, "bad-registry")]
    assert "ana-1 is the log's own" in found.faults[0].words
    other = opened("nobody")
    assert (set(other.last.registry.key), other.faults) == (set(KEYS), [])


def test_it_cannot_be_enrolled_later_either() -> None:
    raw = private("nobody").public_key().public_bytes_raw()
    more = {"id": "ana-9", "person": "p-ana", "scheme": "ed25519", "public": unpadded(raw), **WINDOW}
    following = REGISTRY | {"version": 2, "keys": [*REGISTRY["keys"], more]}
    with pytest.raises(NotApproved, match="ana-9 has the raw key of the log itself") as fault:
        opened("nobody").following(following)
    assert fault.value.reason == "key-reused"
    assert opened("other").following(following).version == 2
    with pytest.raises(RegistryFault):
        check_log_key(parse_registry(following), vkey("nobody"))


def test_no_log_is_opened_so(tmp_path: Path) -> None:
    env = {"AGENT_SAGA_KEY_PASSPHRASE": "x" * 12, "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([COMMAND, *words], cwd=tmp_path, env=env, capture_output=True, text=True, check=False)

    made = run("keys", "new", ORIGIN, "--purpose", "log", "-o", "log.key")
    assert made.returncode == 0, made.stderr
    shown = next(line for line in (tmp_path / "log.key").read_text().splitlines() if line.startswith("vkey: "))
    raw = unpadded(_raw(shown.removeprefix("vkey: ")))
    keys = [{**REGISTRY["keys"][0], "public": raw}, *REGISTRY["keys"][1:]]
    (tmp_path / "r.json").write_text(json.dumps(REGISTRY | {"keys": keys}))
    done = run("log", "open", "s.db", "--origin", ORIGIN, "--key", "log.key", "--registry", "r.json")
    assert done.returncode == 2, done.stdout + done.stderr
    assert "the log's own: a key serves one purpose; give p-ana another" in done.stderr
    assert not (tmp_path / "s.db").exists()


def _raw(text: str) -> bytes:
    from agent_saga.proofs.vkeys import parse_vkey

    return parse_vkey(text).raw
