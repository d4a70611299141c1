"""The published vectors of logs hold, and every reason that the core gives has one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import make_proof_vectors as maker
import pytest
from answering import answer

ROOT = Path(__file__).resolve().parents[3]
PATHS = sorted(path for topic in maker.TOPICS for path in (maker.FOLDER / topic).glob("*.json"))
SPEC = (ROOT / "docs" / "spec" / "log-v1.md").read_text("utf-8")
CORE = ["checking", "checkpoints", "continuing", "cosigning", "entries", "names", "notes", "tlog_proof"]


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def label(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def test_the_files_are_what_their_maker_writes() -> None:
    assert maker.main(["--check"]) == 0, "run tests/proofs/core/make_proof_vectors.py"


@pytest.mark.parametrize("path", PATHS, ids=label)
def test_a_vector_comes_to_what_it_expects(path: Path) -> None:
    vector = read(path)
    assert answer(vector) == vector["expect"], vector["description"]


def test_every_vector_says_what_it_shows_and_an_attack_is_refused() -> None:
    for path in PATHS:
        vector = read(path)
        assert next(iter(vector)) == "description", path.name
        assert ("reason" in vector["expect"]) == (("attack" in path.stem) or ("bad" in path.stem)), path.name


def reasons(*paths: Path) -> set[str]:
    return {word for path in paths for word in re.findall(r'Refuted\(\s*"([\w-]+)"', path.read_text("utf-8"))}


def test_every_reason_has_a_vector_and_a_row_in_the_specification() -> None:
    folder = ROOT / "proofs" / "agent_saga" / "proofs"
    core = reasons(*(folder / f"{name}.py" for name in CORE)) | {"bad-key"}
    tried = {read(path)["expect"].get("reason") for path in PATHS} - {None}
    assert core == tried
    rows = set(re.findall(r"^\| `([\w-]+)` \|", SPEC.partition("## Reasons")[2].partition("\n## ")[0], re.M))
    assert rows == core | reasons(*(folder / "log").glob("*.py"))
