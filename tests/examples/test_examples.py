"""Every example runs as it stands; a first comment `# exit: N` says when it ends with another code than 0."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted([*(ROOT / "examples").glob("*.py"), *(ROOT / "examples").glob("*.sh")])


def test_there_is_an_example() -> None:
    assert EXAMPLES


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.name)
def test_an_example_runs(example: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    (tmp_path / "pyproject.toml").touch()
    bin_dir = Path(sys.executable).parent
    env = os.environ | {"PATH": f"{bin_dir}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)}
    program = [sys.executable] if example.suffix == ".py" else ["sh"]
    done = subprocess.run(
        [*program, str(copy / example.name)],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    head = "\n".join(example.read_text("utf-8").splitlines()[:2])
    noted = re.search(r"^# exit: (\d+)", head, re.M)
    assert done.returncode == (int(noted[1]) if noted else 0), done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.name)
def test_an_example_is_described(example: Path) -> None:
    assert f"`{example.name}`" in (ROOT / "examples" / "README.md").read_text("utf-8")
