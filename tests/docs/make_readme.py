"""Writes the README's output block anew from what the command prints, up to the list of what was judged."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
COMMAND = ["agent-saga", "certify", "fixtures/demo/bad.jsonl"]
LINE = f"$ {' '.join(COMMAND)}  # exit: 1\n"


def main() -> int:
    """Replaces the block and leaves the rest as it is."""
    program = Path(sys.executable).with_name(COMMAND[0])
    env = {k: v for k, v in os.environ.items() if not k.startswith("AGENT_SAGA_")} | {"COLUMNS": "100", "NO_COLOR": "1"}
    done = subprocess.run([program, *COMMAND[1:]], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    if done.returncode != 1:
        print(f"expected exit 1, got {done.returncode}: {done.stderr}", file=sys.stderr)
        return 1
    shown = done.stdout.split("\nJudged\n")[0].strip("\n")
    before, _, rest = README.read_text("utf-8").partition(LINE)
    README.write_text(f"{before}{LINE}{shown}\n{rest[rest.index('```') :]}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
