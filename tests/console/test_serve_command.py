"""``agent-saga approvals serve``, as a process of its own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from http.client import HTTPConnection
from pathlib import Path

import pytest
from free_ports import free_port
from page_site import Site, registry
from soft_passkey import SoftPasskey

ANA = SoftPasskey("ana")
COMMAND = [sys.executable, "-m", "agent_saga.cli", "approvals", "serve"]


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def place(tmp_path: Path, port: int) -> Path:
    """A folder with a store in which something waits, and its registry."""
    value = registry(f"http://localhost:{port}", ANA.entry("p-ana"))
    site = Site(tmp_path / "saga.db", port, value)
    site.begin()
    site.close()
    (tmp_path / "registry.json").write_text(json.dumps(value), "utf-8")
    return tmp_path


def test_it_serves_until_it_is_interrupted_and_ends_well(place: Path, port: int) -> None:
    options = ["--registry", str(place / "registry.json"), "--port", str(port)]
    with subprocess.Popen([*COMMAND, str(place / "saga.db"), *options], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        try:
            assert f"http://localhost:{port}/" in process.stderr.readline()
            connection = HTTPConnection("localhost", port, timeout=20)
            connection.request("GET", "/sign-in")
            answer = connection.getresponse()
            assert answer.status == 200
            assert "Sign in with a passkey" in answer.read().decode()
            connection.close()
        finally:
            process.send_signal(signal.SIGINT)
        assert "what waits still waits" in process.stderr.read()
        begun = time.monotonic()
        assert process.wait(20) == 0
        assert time.monotonic() - begun < 15


@pytest.mark.parametrize(
    "options, words",
    [
        (["{store}", "--port", "{port}"], "give it with --registry FILE"),
        (["{store}", "--registry", "{registry}", "--port", "1"], "does not list the origin http://localhost:1"),
        (["{store}", "--registry", "{registry}", "--port", "{port}", "--host", "192.0.2.1"], "name another --port"),
        (["{store}", "--registry", "{store}", "--port", "{port}"], "the registry is not JSON"),
        (["{store}", "--registry", "{store}.no", "--port", "{port}"], "No such file"),
        (["{store}.no", "--registry", "{registry}", "--port", "{port}"], "no such store"),
        (["{registry}", "--registry", "{registry}", "--port", "{port}"], "name a store"),
    ],
)
def test_what_cannot_be_served_is_told_in_one_line(place: Path, port: int, options: list[str], words: str) -> None:
    names = {"store": place / "saga.db", "registry": place / "registry.json", "port": port}
    given = [one.format(**names) for one in options]
    found = subprocess.run([*COMMAND, *given], capture_output=True, text=True, timeout=60)
    assert found.returncode == 2
    assert words in found.stderr
    assert len(found.stderr.strip().splitlines()) == 1


def test_without_its_extra_it_says_what_to_install(place: Path, port: int) -> None:
    hidden = "import sys; sys.modules['starlette'] = None; from agent_saga.cli import main; sys.exit(main())"
    found = subprocess.run(
        [sys.executable, "-c", hidden, "approvals", "serve", str(place / "saga.db"), "--port", str(port)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert found.returncode == 2
    assert "agent-saga-toolkit[console]" in found.stderr
