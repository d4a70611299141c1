"""``python tests/chaos``: kill every scenario at every append and print how many places there were."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from chaoslib import STAGES, all_points


def main() -> int:
    """Exit code 1 when anything is wrong anywhere."""
    total, faults = 0, []
    with tempfile.TemporaryDirectory() as folder:
        for name, stage, first in STAGES:
            tried, wrong = all_points(name, stage, first, Path(folder) / f"{name}-{stage}")
            which = f"{stage} after a kill {first}" if first else stage
            print(f"{name:<20}  {which:<28} {tried:>4} kill points, {len(wrong)} wrong", flush=True)
            total, faults = total + tried, faults + wrong
    print(f"{'in all':<50} {total:>4} kill points, {len(faults)} wrong", *faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
