"""Whoever reaches the approval page can neither fill its memory nor keep all others out by being slow."""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from agent_saga.console import connections

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / folder) for folder in ("console", "approvals", "ports")]
from free_ports import free_port  # noqa: E402
from page_site import Site, registry  # noqa: E402
from signing_in import login  # noqa: E402
from soft_passkey import SoftPasskey  # noqa: E402

ANA = SoftPasskey("ana")
HEAD = "POST /sign-in HTTP/1.1\r\nHost: localhost:{port}\r\nOrigin: http://localhost:{port}\r\n"
FORM = "Content-Type: application/x-www-form-urlencoded\r\n"
BEGINNINGS = {
    "nothing": "",
    "half a head": HEAD,
    "half a form": f"{HEAD}{FORM}Content-Length: 60000\r\n\r\na=1&",
    "a form without end": f"{HEAD}{FORM}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\na=1&b\r\n",
}


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 0.5)
    port = free_port()
    found = Site(":memory:", port, registry(f"http://localhost:{port}", ANA.entry("p-ana")))
    yield found
    found.close()


def connected(site: Site, beginning: str) -> socket.socket:
    """A connection on which this much was sent."""
    found = socket.create_connection(("localhost", site.port), timeout=10)
    found.sendall(beginning.format(port=site.port).encode())
    return found


@pytest.mark.parametrize("beginning", BEGINNINGS.values(), ids=BEGINNINGS)
def test_slow_connections_are_let_go_and_others_are_answered(site: Site, beginning: str) -> None:
    with ExitStack() as slow:
        for _ in range(80):
            slow.enter_context(connected(site, beginning))
        end = time.monotonic() + 10
        while site.ask("/sign-in")[0] == 503:
            assert time.monotonic() < end, "nobody else was ever answered"
            time.sleep(0.1)
        assert site.ask("/sign-in", login(site, ANA))[0] == 303


def test_a_form_whose_end_is_told_by_its_chunks_is_not_read(site: Site) -> None:
    with connected(site, BEGINNINGS["a form without end"]) as visitor:
        assert visitor.recv(1000).startswith(b"HTTP/1.1 411 ")


def test_a_form_that_comes_in_time_is_taken(site: Site) -> None:
    body = b"a=1&b=2"
    with connected(site, f"{HEAD}{FORM}Content-Length: {len(body)}\r\n\r\n") as visitor:
        time.sleep(0.2)
        visitor.sendall(body)
        assert visitor.recv(1000).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize(
    "head, status",
    [
        (f"{HEAD}{FORM}Content-Length: 1e3\r\n\r\n", b"400"),
        (f"{HEAD}{FORM}Content-Length: 70000\r\n\r\n", b"413"),
        (f"{HEAD}Content-Length: 70000\r\n\r\n", b"415"),
    ],
    ids=["no length", "too long", "no form"],
)
def test_who_is_refused_while_still_sending_reads_why(site: Site, head: str, status: bytes) -> None:
    with connected(site, head) as visitor:
        time.sleep(0.2)  # the answer is there, and the server waits for the rest
        for _ in range(70):
            visitor.sendall(b"a" * 1000)
        answer = b""
        while data := visitor.recv(1000):
            answer += data
        assert answer.startswith(b"HTTP/1.1 " + status)


def test_who_was_answered_and_goes_on_sending_is_let_go(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "LEAVING_SECONDS", 0.2)
    with connected(site, f"{HEAD}{FORM}Content-Length: 1e3\r\n\r\n") as visitor, pytest.raises(OSError):
        send_on(visitor)


def send_on(visitor: socket.socket) -> None:
    """A byte every twentieth of a second, for half a minute."""
    for _ in range(600):
        visitor.sendall(b"a")
        time.sleep(0.05)
