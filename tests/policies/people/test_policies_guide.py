"""Everything that the guide tells a person to type, in its order."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "guide" / "policies.md"


def test_everything_in_the_guide_runs_in_its_order(tmp_path: Path) -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)
    assert len(blocks) >= 9
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    (tmp_path / "pyproject.toml").touch()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", "set -euo pipefail\n" + "".join(blocks)],
        cwd=tmp_path,
        env={"PATH": path, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for words in (
        "200,001, more than 200,000 in 24 hours",
        "LOOSER: it lets more through",
        "6 tests: 6 passed",
        "adopted: payments version 2",
    ):
        assert words in done.stdout, done.stdout
    assert (tmp_path / "payments.html").read_text("utf-8").startswith("<!DOCTYPE html>")
    assert "looser" in (tmp_path / "comment.md").read_text("utf-8")
