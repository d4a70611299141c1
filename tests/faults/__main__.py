"""`python tests/faults`: spoil good traces in every known way and print what the certifier catches.

--write writes fixtures/demo, fixtures/good and fixtures/faults anew; --write-docs writes docs/faults.md.
Exits 1 if any fault is missed or any good trace is refused.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from faultlib import corpus, tables
from faultlib.judge import all_bases, all_mutants, judge_bases, judge_mutants

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Run, print, write what was asked for."""
    parser = argparse.ArgumentParser(prog="python tests/faults", description="Inject faults, count what is caught.")
    parser.add_argument("--write", action="store_true", help="write the checked-in corpus anew, judge nothing")
    parser.add_argument("--write-docs", action="store_true", help="write docs/faults.md from this run")
    asked = parser.parse_args()
    bases = all_bases()
    if asked.write:
        made = corpus.files(bases, all_mutants(bases))
        corpus.write(ROOT / "fixtures", made)
        print(f"{len(made)} files written under fixtures/")
        return 0
    seen = tables.figures(judge_bases(bases), judge_mutants(all_mutants(bases)))
    print(*tables.table(seen), "", *tables.summary(seen), sep="\n")
    print(*tables.faults(seen), sep="\n", file=sys.stderr)
    if asked.write_docs:
        (ROOT / "docs" / "faults.md").write_text(tables.page(seen), "utf-8")
    return 0 if seen.clean else 1


if __name__ == "__main__":
    sys.exit(main())
