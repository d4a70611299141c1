"""Notices tell people that something waits; they hold no argument, are signed, and approve nothing."""

from __future__ import annotations

import hmac
import json
import sys
import threading
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from runtime_approvers import AGENT, PEOPLE, WIRE, House

from agent_saga.cli.posting import post
from agent_saga.runtime import Engine, Proposal, ScriptedDriver
from agent_saga.runtime.approving.notifying import HEADER, NotNotified, by_hmac, by_key, command, notice, webhook
from agent_saga.trace.store import open_store

SECRET = b"a secret of sixteen bytes or more"


class Receiver(HTTPServer):
    """Keeps what it is sent. status: what it answers."""

    status = 204
    moved = ""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.got: list[tuple[bytes, str]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/hook"


class Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((body, self.headers[HEADER]))
        self.send_response(self.server.status)
        if self.server.moved:
            self.send_header("Location", self.server.moved)
        self.end_headers()

    def log_message(self, *args: Any) -> None:
        """Nothing is printed."""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    server = Receiver()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_each_new_request_is_told_once(run: Any) -> None:
    house, told = House(open_store(":memory:")), list[bytes]()

    async def main() -> None:
        driver = ScriptedDriver([Proposal("bank.wire", WIRE)], name=AGENT)
        engine = Engine(house.store, registry=PEOPLE.registry, notify=told.append)
        for _ in range(3):
            report = await engine.run(house.bank.definition(), driver, saga="s-1")
        assert report.status == "waiting_approval"
        assert told == [notice(await house.asked())]

    run(main())
    (body,) = map(json.loads, told)
    assert {name: body[name] for name in ("saga", "step", "quorum", "roles")} == {
        "saga": "s-1",
        "step": "wire",
        "quorum": 1,
        "roles": ["approver"],
    }
    about = {"v", "notice", "name", "about", "action", "leaf", "not_after"}
    assert set(body) == about | {"saga", "step", "quorum", "roles"}
    assert (body["name"], body["about"]) == ("house", "house wire: bank.wire (irreversible)")


def test_a_notice_that_nobody_hears_changes_nothing(run: Any, caplog: pytest.LogCaptureFixture) -> None:
    house = House(open_store(":memory:"))

    def deaf(body: bytes) -> None:
        raise NotNotified("nobody is there")

    async def main() -> None:
        driver = ScriptedDriver([Proposal("bank.wire", WIRE)], name=AGENT)
        engine = Engine(house.store, registry=PEOPLE.registry, notify=deaf)
        assert (await engine.run(house.bank.definition(), driver, saga="s-1")).status == "waiting_approval"

    run(main())
    assert "nobody is there" in caplog.text


def test_a_command_gets_the_body_on_its_input(tmp_path: Path) -> None:
    script = f"import sys; open({str(tmp_path / 'out')!r}, 'wb').write(sys.stdin.buffer.read())"
    command([sys.executable, "-c", script])(b"the body; $(touch here)")
    assert (tmp_path / "out").read_bytes() == b"the body; $(touch here)"


@pytest.mark.parametrize(
    "arguments, says",
    [
        ([sys.executable, "-c", "raise SystemExit(3)"], "ended with 3"),
        (["/there/is/no/such/program"], "No such file"),
        ([sys.executable, "-c", "import time; time.sleep(60)"], "timed out"),
    ],
)
def test_a_command_that_fails_is_told(arguments: list[str], says: str) -> None:
    with pytest.raises(NotNotified, match=says):
        command(arguments, patience=0.5)(b"body")


def test_a_webhook_is_posted_with_a_body_signed_by_hmac(receiver: Receiver) -> None:
    webhook(receiver.url, by_hmac(SECRET), post)(b"body")
    assert receiver.got == [(b"body", "sha256=" + hmac.new(SECRET, b"body", "sha256").hexdigest())]


def test_a_webhook_is_posted_with_a_body_signed_by_a_key(receiver: Receiver) -> None:
    private = Ed25519PrivateKey.from_private_bytes(b"\7" * 32)
    webhook(receiver.url, by_key("notices", private), post)(b"body")
    ((body, header),) = receiver.got
    name, _, signature = header.removeprefix("ed25519=").partition(":")
    public = private.public_key()
    public.verify(urlsafe_b64decode(signature + "=="), body)
    with pytest.raises(InvalidSignature):
        public.verify(urlsafe_b64decode(signature + "=="), body + b"!")
    assert name == "notices"


def test_a_short_secret_signs_nothing() -> None:
    with pytest.raises(NotNotified, match="15 bytes"):
        by_hmac(b"x" * 15)


@pytest.mark.parametrize("status", [301, 302, 307, 404, 500])
def test_another_answer_than_yes_is_told_and_no_redirect_followed(status: int, receiver: Receiver) -> None:
    receiver.status, receiver.moved = status, receiver.url + "/elsewhere"
    with pytest.raises(NotNotified, match=str(status)):
        webhook(receiver.url, by_hmac(SECRET), post)(b"body")
    assert len(receiver.got) == 1


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://there", "http://127.0.0.1:1/hook", "http://[", "hook"])
def test_what_cannot_be_posted_to_is_told(url: str) -> None:
    with pytest.raises(NotNotified):
        webhook(url, by_hmac(SECRET), post)(b"body")
