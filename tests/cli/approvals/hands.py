"""What a person does: enrol a key, carry a file, look at a terminal and type."""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import wires

PROVIDER = Path("/usr/lib/openssh/regress/misc/sk-dummy/sk-dummy.so")
ENV = {"AGENT_SAGA_KEY_PASSPHRASE": wires.SECRET}
Run = Callable[..., Any]


def enroll(run: Run, person: str, key: str, *what: str, old: int, **more: Any) -> Any:
    """Enrol a key: the registry's version after ``old``."""
    files = ("--registry", f"registry-{old}.json", "-o", f"registry-{old + 1}.json")
    window = ("--from", "2026-01-01T00:00:00Z", "--days", "27000")
    done = run("enroll", person, "--id", key, *what, *window, *files, **more)
    assert done.returncode == 0, done.output
    return done


def environment(**more: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return kept | {"SSH_SK_PROVIDER": str(PROVIDER)} | more


def keygen(folder: Path, *words: str, stdin: bytes = b"") -> None:
    """The real ssh-keygen."""
    if shutil.which("ssh-keygen") is None:
        pytest.skip("install openssh-client")
    if "ed25519-sk" in words and not PROVIDER.exists():
        pytest.skip("install openssh-tests (Debian), which holds sk-dummy.so")
    done = subprocess.run(
        ["ssh-keygen", *words], input=stdin, cwd=folder, env=environment(), capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr


def fingerprint(text: str) -> str:
    """The fingerprint that was shown."""
    found = re.search(r"^fingerprint  ([A-Z2-7 ]+?)\r?$", text, re.M)
    assert found, text
    return found[1]


def exported(run: Run, key: str, *options: str, name: str = "request.json", registry: int = 3) -> str:
    """Export the request of this key; its fingerprint."""
    given = ("--registry", f"registry-{registry}.json", "-o", name)
    done = run("export", "pay.db", "--key", key, *given, *options)
    assert done.returncode == 0, done.output
    return fingerprint(done.stderr)


def first_group(shown: str) -> str:
    """What is typed by who looks at the fingerprint."""
    return fingerprint(shown).split(" ")[0]


def at_a_terminal(folder: Path, *words: str, types: Callable[[str], str], **more: str) -> tuple[int, str]:
    """Run a command at a terminal and type one line when it asks; exit code, and all that it showed.

    types: what to type, from what was shown until then.
    """
    program = Path(sys.executable).with_name("agent-saga")
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        env = environment() | ENV | {"TERM": "xterm"} | more
        os.execve(program, ["agent-saga", "approvals", *words], env)
    shown, typed, until = b"", False, time.monotonic() + 60
    while time.monotonic() < until:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                data = os.read(terminal, 65536)
            except OSError:
                break
            if not data:
                break
            shown += data
        if not typed and b" to sign" in shown:
            os.write(terminal, types(shown.decode()).encode() + b"\n")
            typed = True
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), shown.decode()
