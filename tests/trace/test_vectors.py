"""The published vectors hold, read with nothing but the standard library on one side and the codec on the other."""

from __future__ import annotations

import json
from base64 import b64decode, urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256
from pathlib import Path
from typing import Any

import make_vectors
import pytest

from agent_saga.trace import LineError, decode, leaf_hash
from agent_saga.trace.conceal import digest_of, parse_disclosure

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "vectors" / "trace"


def vectors(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((FOLDER / name).read_text("utf-8"))
    return found


def test_the_files_are_what_their_maker_writes() -> None:
    assert make_vectors.main(["--check"]) == 0


@pytest.mark.parametrize("vector", vectors("good.json"), ids=lambda v: json.loads(v["line"])["type"])
def test_a_good_vector_is_accepted_and_its_leaf_is_right(vector: dict[str, str]) -> None:
    line = vector["line"].encode()
    assert decode(line)
    assert leaf_hash(line) == vector["leaf"] == sha256(b"\0" + line).hexdigest()


def test_the_good_lines_of_one_saga_are_chained() -> None:
    heads: dict[str, str] = {}
    for vector in vectors("good.json"):
        record = json.loads(vector["line"])
        assert record["prev"] == heads.get(record["saga"], "0" * 64)
        heads[record["saga"]] = vector["leaf"]


def test_the_standard_library_writes_the_same_compact_form() -> None:
    for vector in vectors("good.json"):
        record = json.loads(vector["line"])
        assert json.dumps(record, ensure_ascii=False, separators=(",", ":")) == vector["line"]


@pytest.mark.parametrize("vector", vectors("bad.json"), ids=lambda v: v["name"])
def test_a_bad_vector_is_refused_with_its_code(vector: dict[str, Any]) -> None:
    if "parts" in vector:
        line = "".join(text * count for text, count in vector["parts"]).encode()
    else:
        line = vector["line"].encode() if "line" in vector else b64decode(vector["base64"])
    with pytest.raises(LineError) as refused:
        decode(line)
    assert refused.value.code == vector["code"]


@pytest.mark.parametrize("vector", vectors("conceal.json"), ids=lambda v: json.dumps(v["value"])[:20])
def test_a_concealed_value_is_worked_out_with_the_standard_library(vector: dict[str, Any]) -> None:
    text = urlsafe_b64decode(vector["disclosure"] + "=" * (-len(vector["disclosure"]) % 4))
    assert json.loads(text) == [vector["salt"], vector["value"]]
    digest = urlsafe_b64encode(sha256(vector["disclosure"].encode()).digest()).rstrip(b"=").decode()
    assert vector["placeholder"] == {"...": digest} == {"...": digest_of(vector["disclosure"])}
    assert parse_disclosure(vector["disclosure"]) == (vector["salt"], vector["value"])
