"""Everything that the guide tells a person to type, in its order; a wire waits between enrolling and signing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import wires

PAGE = Path(__file__).resolve().parents[3] / "docs" / "guide" / "approve-with-a-hardware-key.md"


def typed(folder: Path, word: str) -> str:
    """Type all blocks of this kind; what they printed."""
    blocks = re.findall(rf"^```sh{word}\n(.*?)^```", PAGE.read_text("utf-8"), re.M | re.S)
    assert blocks
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", "set -euo pipefail\n" + "".join(blocks)],
        cwd=folder,
        env={"PATH": path, "HOME": str(folder), "AGENT_SAGA_KEY_PASSPHRASE": "for this page only"},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_everything_in_the_guide_runs_in_its_order(tmp_path: Path) -> None:
    assert "+ key" in typed(tmp_path, "")
    assert wires.run(tmp_path / "pay.db", tmp_path / "registry-3.json", quorum=2) == "waiting_approval"
    shown = typed(tmp_path, " next")
    assert "recorded: approve by p-ben" in shown
    assert "recorded: approve by p-ana" in shown
    bank = wires.Bank()
    assert wires.run(tmp_path / "pay.db", tmp_path / "registry-3.json", quorum=2, bank=bank) == "succeeded_verified"
    assert len(bank) == 1
    assert "CERTIFIED" in typed(tmp_path, " last")
