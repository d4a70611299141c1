"""What a person at a terminal sees, and nobody else."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = str(Path(sys.executable).with_name("agent-saga"))


def _on_terminal(folder: Path, env: dict[str, str], *args: str) -> bytes:
    """Both outputs of one run as a terminal gets them."""
    ours, theirs = pty.openpty()
    surroundings = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "CI")}
    surroundings |= {"TERM": "xterm-256color"} | env
    process = subprocess.Popen(
        [COMMAND, "certify", "a.jsonl", *args], cwd=folder, env=surroundings, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    data = b""
    try:
        while chunk := os.read(ours, 65536):
            data += chunk
    except OSError:  # Linux says EIO where the other side is closed
        pass
    os.close(ours)
    process.wait(30)
    return data


COLOUR = b"\x1b[1;"


@pytest.fixture
def env(standin: dict[str, str]) -> dict[str, str]:
    return standin | {"STANDIN_MODE": "progress"}


def test_a_terminal_gets_colour_and_progress(folder: Path, env: dict[str, str]) -> None:
    seen = _on_terminal(folder, env)
    assert b"\r\x1b[Ka.jsonl: 1.2 MB\r\x1b[K" in seen
    assert b"m" in seen.replace(b"\x1b[K", b"").partition(b"\x1b[")[2]


def test_no_color_is_heard(folder: Path, env: dict[str, str]) -> None:
    seen = _on_terminal(folder, env | {"NO_COLOR": "1"})
    assert b"\x1b[" not in seen.replace(b"\x1b[K", b"")


def test_a_dumb_terminal_gets_neither(folder: Path, env: dict[str, str]) -> None:
    assert b"\x1b" not in _on_terminal(folder, env | {"TERM": "dumb"})


@pytest.mark.parametrize("args", [("-q",), ("--log-format", "json")])
def test_progress_can_be_silenced(folder: Path, env: dict[str, str], args: tuple[str, ...]) -> None:
    assert b"1.2 MB" not in _on_terminal(folder, env, *args)


def test_what_is_no_terminal_gets_neither(folder: Path, env: dict[str, str]) -> None:
    done = subprocess.run(
        [COMMAND, "certify", "a.jsonl"], cwd=folder, env=os.environ | env, capture_output=True, check=False
    )
    assert b"\x1b" not in done.stdout + done.stderr


def test_colour_can_be_forced(folder: Path, env: dict[str, str]) -> None:
    surroundings = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | env | {"FORCE_COLOR": "1"}
    done = subprocess.run(
        [COMMAND, "certify", "a.jsonl"], cwd=folder, env=surroundings, capture_output=True, check=False
    )
    assert b"\x1b[" in done.stdout
