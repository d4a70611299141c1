"""Writes fixtures/vectors/{tree,notes,checkpoints,cosignatures,tlog-proof,index}: one JSON file a vector.

    python tests/proofs/core/make_proof_vectors.py            writes them
    python tests/proofs/core/make_proof_vectors.py --check    exits 1 when they are not what would be written

A vector says what it shows (description), what a verifier trusts (pin), the input, and what must come of it (expect):
``{"ok": true, ...}`` or ``{"reason": WORD}``, a word of docs/spec/log-v1.md. Hashes are base64, entries hex.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import vectors_index
import vectors_notes
import vectors_signed
import vectors_tree

FOLDER = Path(__file__).resolve().parents[3] / "fixtures" / "vectors"
TOPICS = {
    "tree": vectors_tree.named,
    "notes": vectors_notes.named,
    "checkpoints": vectors_signed.checkpoints,
    "cosignatures": vectors_signed.cosignatures,
    "tlog-proof": vectors_signed.proof_files,
    "index": vectors_index.named,
}


def files() -> dict[Path, str]:
    """The text of every file of vectors."""
    found: dict[Path, str] = {}
    for topic, named in TOPICS.items():
        for name, vector in named():
            path = FOLDER / topic / f"{name}.json"
            if path in found:
                raise SystemExit(f"{path.name}: two vectors of one name")
            found[path] = json.dumps(vector, indent=1, ensure_ascii=False) + "\n"
    return found


def stale(due: dict[Path, str]) -> list[str]:
    """Files that are missing, different, or not written by this maker."""
    there = {path for topic in TOPICS for path in (FOLDER / topic).glob("*")}
    wrong = [path for path, text in due.items() if path not in there or path.read_text("utf-8") != text]
    return sorted(str(path.relative_to(FOLDER)) for path in {*wrong, *(there - set(due))})


def main(arguments: list[str]) -> int:
    """Write the files, or with --check say whether they are up to date."""
    due = files()
    if arguments == ["--check"]:
        print("\n".join(stale(due)))
        return 1 if stale(due) else 0
    for old in stale(due):
        (FOLDER / old).unlink(missing_ok=True)
    for path, text in due.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    print(f"{len(due)} vectors")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
