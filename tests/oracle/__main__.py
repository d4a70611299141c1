"""`python tests/oracle [EVERY]`: ask both judges about every EVERY-th small saga (10 by default; 1 takes
minutes)."""

from __future__ import annotations

import sys
from itertools import islice

from oraclelib.cases import counts, parallel, sample, small
from oraclelib.compare import compare


def main(every: int) -> int:
    """Print what was compared; 1 when the judges disagree."""
    print("alphabet:", ", ".join(f"{number} {name}" for name, number in counts().items()))
    groups = {
        "sequential, up to three effects": islice(small(), 0, None, every),
        "two parallel effects, interleaved": islice(parallel(), 0, None, every),
        "four effects, sampled": sample(every),
    }
    wrong = 0
    for name, cases in groups.items():
        tally = compare(cases)
        wrong += len(tally.disagreements)
        print(f"{name}: {tally}", *tally.disagreements[:10], sep="\n    ", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10))
