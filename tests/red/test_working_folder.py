"""Modules that lie in the folder where certify runs, which may be the judged party's, are never loaded."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TAKEN = ("multiprocessing", "venv", "pip", "runpy", "random", "struct")
START = """
import multiprocessing, sys
from agent_saga.certify.judging import dividing
from agent_saga.cli import main

if __name__ == "__main__":
    dividing.SPLIT = 1
    multiprocessing.set_start_method(sys.argv.pop(1))
    main()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder whose modules say that they were loaded."""
    found = tmp_path / "judged"
    found.mkdir()
    for name in TAKEN:
        (found / f"{name}.py").write_text(
            f"open({str(found / 'loaded')!r}, 'a').write({name!r})\nraise SystemExit(0)\n"
        )
    return found


@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_processes_that_share_the_work_load_none_however_they_are_started(
    method: str, folder: Path, tmp_path: Path
) -> None:
    start = tmp_path / "tools" / "start.py"
    start.parent.mkdir()
    start.write_text(START)
    logs = [str(ROOT / "fixtures" / "demo" / name) for name in ("good.jsonl", "bad.jsonl")]
    done = subprocess.run(
        [sys.executable, str(start), method, "certify", "--no-config", "--jobs", "2", *logs],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTHON")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert not (folder / "loaded").exists(), (folder / "loaded").read_text()
    assert done.returncode == 1, done.stdout + done.stderr
    assert "NOT CERTIFIED: 4 sagas judged, 2 errors" in done.stdout


def test_the_action_and_the_shell_of_the_ci_page_install_beside_them(folder: Path) -> None:
    action = (ROOT / "action.yml").read_text("utf-8")
    page = (ROOT / "docs" / "ci.md").read_text("utf-8")
    started = re.findall(r'^.*(?:"\$PYTHON"|bin/python"?|python3) .*-m .*$', action + page, re.M)
    assert len(started) == 3
    for line in started:
        words = shlex.split(line.partition("=(")[2].strip(") ") or line.strip(), comments=True)
        command = [sys.executable, *words[1 : words.index("-m") + 2], "--help"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
        assert not (folder / "loaded").exists(), line
        assert "usage" in done.stdout.lower(), textwrap.shorten(done.stderr, 300)
