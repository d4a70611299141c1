"""A verifier in Go, over golang.org/x/mod/sumdb/note and tlog, comes to the same answers from the same files."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
VECTORS = HERE.parents[1] / "fixtures" / "vectors"
TOPICS = ("tree", "notes", "checkpoints", "cosignatures", "tlog-proof", "index")
PATHS = sorted(path for topic in TOPICS for path in (VECTORS / topic).glob("*.json"))

Foreign = Callable[..., tuple[int, Any]]


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


@pytest.fixture(scope="session")
def answers(foreign: Foreign) -> dict[str, Any]:
    code, found = foreign("vectors", *PATHS)
    assert code == 0
    answered: dict[str, Any] = found
    return answered


@pytest.mark.xdist_group("foreign")
@pytest.mark.parametrize("path", PATHS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_go_program_comes_to_what_a_vector_expects(path: Path, answers: dict[str, Any]) -> None:
    vector = read(path)
    assert answers[str(path)] == vector["expect"], vector["description"]


@pytest.mark.xdist_group("foreign")
def test_a_vector_that_was_turned_around_is_told_apart(foreign: Foreign, tmp_path: Path) -> None:
    good = read(VECTORS / "tree" / "inclusion_5_of_8.json")
    forged = tmp_path / "forged.json"
    forged.write_text(json.dumps(good | {"entry": b"forged".hex()}), "utf-8")
    assert foreign("vectors", forged) == (0, {str(forged): {"reason": "not-included"}})


@pytest.mark.xdist_group("foreign")
def test_what_is_no_vector_is_no_answer(foreign: Foreign, tmp_path: Path) -> None:
    for text in ("", "[]", '{"kind":"unheard-of"}'):
        wrong = tmp_path / "wrong.json"
        wrong.write_text(text, "utf-8")
        _, found = foreign("vectors", wrong)
        assert list(found[str(wrong)]) == ["fault"]


def test_the_go_files_are_formatted() -> None:
    gofmt = shutil.which("gofmt")
    if gofmt is None:
        pytest.skip("skipped: install golang-go golang-golang-x-mod-dev")
    done = subprocess.run([gofmt, "-l", "."], cwd=HERE, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
