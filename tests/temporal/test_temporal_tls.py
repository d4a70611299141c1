"""A server behind TLS that asks for a client's certificate or an API key is reached by Temporal's own settings."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from temporal_servers import DevServer
from temporal_tls import Authority, behind_tls

from agent_saga.runtime.temporal import connect
from agent_saga.runtime.temporal.errors import BadConnection, NoNamespace, NoServer

TLS = "TEMPORAL_TLS_"
COMMAND = [sys.executable, "-m", "agent_saga.cli"]
SAGA = "agent_saga.testing.scenarios:happy_path"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DevServer]:
    """A server of its own: other tests list what runs on theirs."""
    made = DevServer(tmp_path_factory.mktemp("temporal"), attributes=True).start()
    yield made
    made.stop()


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path / "authority")


@pytest.fixture
def mutual(authority: Authority) -> dict[str, str]:
    """The settings of a client that has a certificate."""
    certificate, key = authority.issue("client")
    return {
        f"{TLS}CLIENT_CERT_PATH": certificate,
        f"{TLS}CLIENT_KEY_PATH": key,
        f"{TLS}SERVER_CA_CERT_PATH": authority.path("ca.pem"),
    }


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("TEMPORAL_")]:
        monkeypatch.delenv(name)


def test_worker_and_saga_meet_over_mutual_tls(
    server: DevServer, authority: Authority, mutual: dict[str, str], tmp_path: Path
) -> None:
    async def played() -> tuple[int, str]:
        async with behind_tls(server.address, authority) as address:
            at = {**os.environ, **mutual, "TEMPORAL_ADDRESS": address}
            words = ["--store", str(tmp_path / "shop.db"), "--task-queue", str(tmp_path)]
            pipe = subprocess.PIPE
            worker = await asyncio.create_subprocess_exec(*COMMAND, "worker", SAGA, *words, env=at, stderr=pipe)
            run = await asyncio.create_subprocess_exec(
                *COMMAND, "run", SAGA, *words, "--engine", "temporal", env=at, stdout=pipe, stderr=pipe
            )
            told, _ = await asyncio.wait_for(run.communicate(), 120)
            worker.send_signal(signal.SIGTERM)
            await asyncio.wait_for(worker.communicate(), 60)
            assert run.returncode is not None
            return run.returncode, told.decode()

    code, told = asyncio.run(played())
    assert code == 0, told
    assert "succeeded_verified" in told


def test_an_api_key_goes_over_tls(server: DevServer, authority: Authority) -> None:
    async def played() -> str | None:
        async with behind_tls(server.address, authority, mutual=False) as address:
            ca = {f"{TLS}SERVER_CA_CERT_PATH": authority.path("ca.pem")}
            client = await connect(
                environment={"TEMPORAL_ADDRESS": address, "TEMPORAL_API_KEY": "a-key", "TEMPORAL_NAMESPACE": "default"}
                | ca
            )
            return client.service_client.config.api_key

    assert asyncio.run(played()) == "a-key"


WRONG = {
    "another authority": ({"SERVER_CA_CERT_PATH": "other.pem"}, BadConnection, "nobody who is trusted here"),
    "no authority": ({"SERVER_CA_CERT_PATH": ""}, BadConnection, "SERVER_CA_CERT_PATH"),
    "another name": ({"SERVER_NAME": "elsewhere.test"}, BadConnection, "TEMPORAL_TLS_SERVER_NAME"),
    "another's key": ({"CLIENT_KEY_PATH": "other.key"}, BadConnection, "the key of another certificate"),
    "no certificate in it": ({"CLIENT_CERT_PATH": "nothing"}, BadConnection, "holds no certificate in PEM"),
    "no such file": ({"CLIENT_CERT_PATH": "nowhere"}, BadConnection, "No such file"),
    "no key": ({"CLIENT_KEY_PATH": ""}, BadConnection, "private key"),
    "no certificate": ({"CLIENT_CERT_PATH": "", "CLIENT_KEY_PATH": ""}, NoServer, "a client's certificate"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_with_the_certificates_is_told(
    case: str, server: DevServer, authority: Authority, mutual: dict[str, str], tmp_path: Path
) -> None:
    change, error, words = WRONG[case]
    other = Authority(tmp_path / "other")
    places = {"other.pem": other.path("ca.pem"), "other.key": other.issue("client")[1], "nothing": os.devnull}
    changed = {TLS + name: places.get(value, value) for name, value in change.items()}
    settings = {name: value for name, value in (mutual | changed).items() if value}

    async def played() -> None:
        async with behind_tls(server.address, authority) as address:
            await asyncio.wait_for(connect(environment=settings | {"TEMPORAL_ADDRESS": address}), 60)

    with pytest.raises(error, match=words) as raised:
        asyncio.run(played())
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"TEMPORAL_TLS": "true"}, BadConnection, "it speaks no TLS"),
        ({"TEMPORAL_API_KEY": "a-key"}, BadConnection, "it speaks no TLS"),
        ({"TEMPORAL_API_KEY": "a-key\n"}, BadConnection, "TEMPORAL_API_KEY holds a line break"),
        ({"TEMPORAL_NAMESPACE": "nowhere"}, NoNamespace, "no namespace 'nowhere'"),
    ],
)
def test_settings_that_do_not_fit_the_server_are_told(
    settings: dict[str, str], error: type[Exception], words: str, server: DevServer
) -> None:
    with pytest.raises(error, match=words) as raised:
        asyncio.run(connect(environment={"TEMPORAL_ADDRESS": server.address} | settings))
    assert "a-key" not in str(raised.value)
