"""The Go program reads bundles: good ones verify, and none whose fault lies in note, chain or tree."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "vectors" / "bundles"
PATHS = sorted(FOLDER.glob("*.json"))
LEFT_OPEN = [
    "bad-disclosure-*",  # what opens concealed values
    "bad-earlier-*",  # an earlier checkpoint, which is not part of the bundle
    "bad-form-*",  # the one spelling of JSON
    "bad-claim-absent-opened",  # a disclosure without a line
    "bad-key-monitor",  # signatures of others than the log
    "bad-key-witness",
    "bad-key-reused",  # a fault of the pin file
    "bad-key-opened-under-other",  # what the log's own lines say of it
    "bad-own-no-keys",
    "bad-own-opened-*",
    "bad-index-keys-later",
    "bad-index-policy-later",
]
"""Vectors whose fault is none of note, chain, shared paths and index entries."""

Foreign = Callable[..., tuple[int, Any]]
pytestmark = pytest.mark.xdist_group("foreign")


def answer(foreign: Foreign, vector: dict[str, Any], folder: Path) -> tuple[int, Any]:
    data = b64decode(vector["base64"]) if "base64" in vector else vector["bundle"].encode()
    path = folder / "it.bundle.json"
    path.write_bytes(data)
    pin = dict(row.split(" ", 1) for row in vector["pin"].splitlines() if row.startswith(("origin ", "log ")))
    return foreign("verify-bundle", path, pin["log"], pin["origin"])


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_bundle_comes_to_what_its_vector_expects(path: Path, foreign: Foreign, tmp_path: Path) -> None:
    vector = json.loads(path.read_text("utf-8"))
    expect = vector["expect"]
    code, found = answer(foreign, vector, tmp_path)
    if "reason" not in expect:
        assert (code, found["ok"], found["claim"], found["lines"]) == (0, True, expect["claim"], expect["lines"])
    elif not any(fnmatch(path.stem, pattern) for pattern in LEFT_OPEN):
        assert code == 1
        assert found["reason"], vector["description"]


def test_a_bundle_under_another_key_or_origin_is_refused(foreign: Foreign, tmp_path: Path) -> None:
    vector = json.loads((FOLDER / "good-whole.json").read_text("utf-8"))
    assert answer(foreign, vector, tmp_path)[0] == 0
    other = vector["pin"].replace("origin log.", "origin lag.")
    assert answer(foreign, vector | {"pin": other}, tmp_path) == (1, {"reason": "wrong-origin"})
    strange = json.loads((FOLDER / "bad-key-other.json").read_text("utf-8"))
    assert answer(foreign, strange, tmp_path)[0] == 1
