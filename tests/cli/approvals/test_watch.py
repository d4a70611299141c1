"""`approvals watch` tells people by a command or a webhook; a notice carries no argument and no authority."""

from __future__ import annotations

import hmac
import json
import threading
from collections.abc import Callable, Iterator
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
import wires

Run = Callable[..., Any]
BRIEFLY = ("watch", "pay.db", "--for", "0.5", "--every", "0.1")


def test_a_command_is_given_each_notice_once(run: Run, store: Path, tmp_path: Path) -> None:
    (tmp_path / "told.sh").write_text('#!/bin/sh\ncat >> "told $1"; echo >> "told $1"\n')
    done = run(*BRIEFLY, "--command", "sh told.sh 'by mail'")
    assert (done.returncode, done.stderr.count("warning")) == (0, 0), done.output
    (told,) = (tmp_path / "told by mail").read_text().splitlines()
    assert (json.loads(told)["saga"], json.loads(told)["notice"]) == (wires.SAGA, "approval.requested")
    assert "DE0212" not in told


@pytest.fixture
def receiver() -> Iterator[tuple[str, list[tuple[str, bytes]]]]:
    """A receiver of webhooks: its address, and what it was sent."""
    got: list[tuple[str, bytes]] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            got.append((self.headers["Agent-Saga-Signature"], body))
            self.send_response(500 if self.path == "/broken" else 204)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            """Quiet."""

    server = HTTPServer(("127.0.0.1", 0), Receiver)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", got
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_webhook_gets_a_signed_body(
    run: Run, store: Path, tmp_path: Path, receiver: tuple[str, list[tuple[str, bytes]]]
) -> None:
    url, got = receiver
    (tmp_path / "secret").write_bytes(b"0123456789abcdef\n")
    assert run(*BRIEFLY, "--webhook", url, "--secret-file", "secret").returncode == 0
    ((signature, body),) = got
    assert signature == "sha256=" + hmac.new(b"0123456789abcdef", body, sha256).hexdigest()
    assert json.loads(body)["step"] == "wire"
    broken = run(*BRIEFLY, "--webhook", f"{url}/broken", "--secret-file", "secret")
    assert (broken.returncode, "nobody was told" in broken.stderr) == (0, True), broken.output


def test_what_cannot_tell_anybody_is_refused(run: Run, store: Path, tmp_path: Path) -> None:
    (tmp_path / "short").write_bytes(b"short\n")
    assert run(*BRIEFLY, "--webhook", "http://127.0.0.1:1").returncode == 2
    assert run(*BRIEFLY, "--webhook", "http://127.0.0.1:1", "--secret-file", "short").returncode == 2
    assert run(*BRIEFLY, "--command", "unclosed 'quote").returncode == 2
    done = run(*BRIEFLY, "--command", "no-such-program-anywhere")
    assert (done.returncode, "nobody was told" in done.stderr) == (0, True), done.output
