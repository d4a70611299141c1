"""The published bundles get the answers that they expect; every reason has a bundle and a row in the specification."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import make_bundle_vectors as maker
import pytest
from answering_bundles import answer
from bundle_samples import WIRE, pins, sealed

from agent_saga.proofs.bundles import reading
from agent_saga.proofs.bundles.making import make_bundle
from agent_saga.proofs.bundles.verifying import verify_bundle
from agent_saga.proofs.errors import Refuted

ROOT = Path(__file__).resolve().parents[3]
PATHS = sorted(maker.FOLDER.glob("*.json"))
SOURCES = sorted((ROOT / "proofs" / "agent_saga" / "proofs" / "bundles").glob("*.py"))


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def test_the_files_are_what_their_maker_writes() -> None:
    assert maker.main(["--check"]) == 0, "run python tests/proofs/bundles/make_bundle_vectors.py"


@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem)
def test_a_bundle_gets_the_answer_that_it_expects(path: Path) -> None:
    vector = read(path)
    assert answer(vector) == vector["expect"], vector["description"]


def test_the_name_of_a_vector_says_what_to_expect() -> None:
    assert all(("reason" in read(path)["expect"]) == path.stem.startswith("bad-") for path in PATHS)


def test_every_reason_of_a_bundle_has_a_vector_and_a_row_in_the_specification() -> None:
    given = {word for path in SOURCES for word in re.findall(r'Refuted\(\s*"([\w-]+)"', path.read_text("utf-8"))}
    tried = {read(path)["expect"].get("reason") for path in PATHS} - {None}
    assert given - tried == {"too-large"}, "too large for a file: the test below"
    page = (ROOT / "docs" / "spec" / "bundle-v1.md").read_text("utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \|", page.partition("## Reasons")[2], re.M)
    assert len(rows) == len(set(rows))
    assert given | tried == set(rows)


def test_a_bundle_over_the_cap_is_refused_before_it_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Refuted) as found:
        verify_bundle(b"[" * (reading.MAX_BUNDLE + 1), pins())
    assert found.value.reason == "too-large"
    data = make_bundle(sealed(), WIRE)
    monkeypatch.setattr(reading, "MAX_BUNDLE", len(data))
    assert verify_bundle(data, pins()).claim == "whole"
    monkeypatch.setattr(reading, "MAX_BUNDLE", len(data) - 1)
    with pytest.raises(Refuted) as found:
        verify_bundle(data, pins())
    assert found.value.reason == "too-large"


def test_the_specification_shows_a_bundle_that_verifies() -> None:
    page = (ROOT / "docs" / "spec" / "bundle-v1.md").read_text("utf-8")
    shown = re.findall(r"<!-- vector: ([\w-]+) -->\n\n```json\n(.*?)```", page, re.S)
    pin = re.findall(r"<!-- pin -->\n\n```text\n(.*?)```", page, re.S)
    assert [name for name, _ in shown] == ["good-whole-one-line"]
    vector = read(maker.FOLDER / "good-whole-one-line.json")
    assert (shown[0][1], pin[0]) == (vector["bundle"], vector["pin"])
