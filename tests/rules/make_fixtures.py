"""Writes fixtures/rules: for each rule a bad trace and the nearest good one; with --check only compares."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
FIXTURES = HERE.parents[1] / "fixtures" / "rules"
sys.path.insert(0, str(HERE))

from rulelib.corpus import files  # noqa: E402


def stale() -> list[str]:
    """Files that are missing, that differ, or that nothing makes."""
    wanted = dict(files())
    there = {str(path.relative_to(FIXTURES)): path for path in FIXTURES.rglob("*") if path.is_file()}
    wrong = [name for name, data in wanted.items() if name not in there or there[name].read_bytes() != data]
    return sorted({*wrong, *(there.keys() - wanted.keys())})


def main(arguments: list[str]) -> int:
    """Writes the files, or says with --check which are not what the scripts make."""
    if arguments == ["--check"]:
        for name in stale():
            print(f"fixtures/rules/{name} is not what tests/rules/make_fixtures.py makes", file=sys.stderr)
        return 1 if stale() else 0
    shutil.rmtree(FIXTURES, ignore_errors=True)
    for name, data in files():
        path = FIXTURES / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
