"""What docs/guide/temporal.md shows runs."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from temporal_servers import DevServer

from agent_saga.testing.scenarios import happy_path

GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "guide" / "temporal.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```", GUIDE, re.M | re.S)
COMMAND = str(Path(sys.executable).with_name("agent-saga"))


def words(line: str) -> tuple[list[str], int]:
    text, _, code = line.partition("  # exit: ")
    return [COMMAND, *shlex.split(text)[1:]], int(code or 0)


def test_the_first_commands_of_the_guide_run(server: DevServer, tmp_path: Path) -> None:
    surroundings = os.environ | {"TEMPORAL_ADDRESS": server.address}
    worker = subprocess.Popen(words(BLOCKS[1].strip())[0], cwd=tmp_path, env=surroundings, stderr=subprocess.DEVNULL)
    try:
        for line in BLOCKS[2].strip().splitlines():
            command, code = words(line)
            done = subprocess.run(command, cwd=tmp_path, env=surroundings, capture_output=True, text=True, timeout=90)
            assert done.returncode == code, f"{line}: {done.stdout}{done.stderr}"
    finally:
        worker.kill()
        worker.wait()


def test_the_line_that_makes_keys_makes_keys(tmp_path: Path) -> None:
    from agent_saga.runtime.temporal import read_keys

    line = next(line for line in BLOCKS[3].splitlines() if "urandom" in line)
    made = subprocess.run(
        line.replace("python", shlex.quote(sys.executable), 1), shell=True, cwd=tmp_path, check=True, timeout=60
    )
    assert made.returncode == 0
    assert read_keys(tmp_path / "keys.json").current == "k1"


def test_the_example_in_python_runs(server: DevServer, tmp_path: Path, run: Any, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TEMPORAL_ADDRESS", server.address)
    names: dict[str, Any] = {}
    exec(re.findall(r"^```python\n(.*?)^```", GUIDE, re.M | re.S)[0], names)
    happy_path.prepare(tmp_path / "shop.db")
    run(names["main"](happy_path(tmp_path / "shop.db")))
    assert capsys.readouterr().out == "succeeded_verified ('e1', 'e2', 'e3')\n"
