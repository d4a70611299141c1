"""Fuzzes the codec and the certifier for as long as wanted.

    python tests/fuzz --lines 1000000 --files 5000 --seed 7

The same numbers give the same inputs. A failing file stays in the folder that the message names.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "trace"), str(HERE.parent / "bench")]

from fuzzer import fuzz_codec, fuzz_files  # noqa: E402
from traces import Trace  # noqa: E402


def main(arguments: list[str]) -> int:
    """Run both and print the counts."""
    parser = argparse.ArgumentParser(prog="python tests/fuzz", description="Fuzz the trace codec and the certifier.")
    parser.add_argument("--lines", type=int, default=200_000, metavar="N", help="edited lines for the codec")
    parser.add_argument("--files", type=int, default=1_000, metavar="N", help="damaged files for the certifier")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    print("lines:", dict(fuzz_codec(chosen.lines, chosen.seed)))
    folder = Path(tempfile.mkdtemp(prefix="agent-saga-fuzz-"))
    good = b"".join(line + b"\n" for line in Trace(60, 4).lines())
    print("files:", dict(fuzz_files(chosen.files, chosen.seed, good, folder)))
    folder.rmdir()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
