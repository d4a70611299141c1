"""Writes fixtures/vectors/approvals: one JSON file a vector.

    python tests/approvals/make_approval_vectors.py            writes them
    python tests/approvals/make_approval_vectors.py --check    exits 1 when they are not what would be written

A vector says what it shows (description), of which kind it is, what is given, and what must come of it (expect):
``{"ok": true, ...}`` or ``{"reason": WORD}``, a word of docs/spec/approval-v1.md. All keys come from seeds that
everybody knows, and ECDSA signs deterministically, so the files are the same each time.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import vectors_good
import vectors_registry
import vectors_requests
import vectors_schemes
from approval_answers import answer

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "vectors" / "approvals"
TOPICS = (
    vectors_good.named,
    vectors_schemes.webauthn,
    vectors_schemes.ssh,
    vectors_schemes.raw,
    vectors_requests.other_actions,
    vectors_requests.times,
    vectors_requests.persons,
    vectors_requests.again,
    vectors_requests.forms,
    vectors_requests.decisions,
    vectors_registry.registries,
    vectors_registry.good_logs,
    vectors_registry.bad_uses,
    vectors_registry.logs_without_effect,
)


def vectors() -> dict[str, dict[str, Any]]:
    """Every vector by name, without what it is expected to come to."""
    found: dict[str, dict[str, Any]] = {}
    for topic in TOPICS:
        for name, vector in topic():
            if name in found:
                raise SystemExit(f"{name}: two vectors of one name")
            found[name] = vector
    return found


def files() -> dict[Path, str]:
    """The text of every file of vectors."""
    return {
        FOLDER / f"{name}.json": json.dumps(vector | {"expect": answer(vector)}, indent=1, ensure_ascii=False) + "\n"
        for name, vector in vectors().items()
    }


def stale(due: dict[Path, str]) -> list[str]:
    """Files that are missing, different, or not written by this maker."""
    there = set(FOLDER.glob("*"))
    wrong = [path for path, text in due.items() if path not in there or path.read_text("utf-8") != text]
    return sorted(path.name for path in {*wrong, *(there - set(due))})


def main(arguments: list[str]) -> int:
    """Write the files, or with --check say whether they are up to date."""
    due = files()
    if arguments == ["--check"]:
        print("\n".join(stale(due)))
        return 1 if stale(due) else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in stale(due):
        (FOLDER / name).unlink(missing_ok=True)
    for path, text in due.items():
        path.write_text(text, "utf-8")
    print(f"{len(due)} vectors")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
