"""The vectors of docs/spec/policy-v1.md: what the project makes today, and what it answers to them."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from make_policy_vectors import EXAMPLE, FOLDER, vectors, written_vector

from agent_saga.approvals.errors import NotApproved
from agent_saga.approvals.registry import parse_registry
from agent_saga.policies.loading import load_policy
from agent_saga.policies.signing import read_signatures, verify_policy
from agent_saga.policies.waiving import read_waivers

FILES = sorted(FOLDER.glob("*.json"))


def of(kind: str) -> list[Any]:
    found = [(one.stem, json.loads(one.read_text("utf-8"))) for one in FILES]
    return [pytest.param(content, id=name) for name, content in found if content["kind"] == kind]


def test_the_vectors_are_those_that_are_made_today() -> None:
    made = {f"{name}.json": written_vector(content) for name, content in vectors()}
    assert made == {one.name: one.read_text("utf-8") for one in FILES}


@pytest.mark.parametrize("vector", of("digest"))
def test_a_digest_is_over_the_canonical_text(vector: dict[str, Any], tmp_path: Path) -> None:
    assert sha256(b"agent-saga/policy/v1\0" + vector["canonical"].encode()).hexdigest() == vector["digest"]
    for name, schema in vector["schemas"].items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps(schema))
    document = {name: value for name, value in vector["document"].items() if name != "tests"}
    (tmp_path / "p.json").write_text(json.dumps(document))
    assert load_policy(str(tmp_path / "p.json")).digest == vector["digest"]


@pytest.mark.parametrize("vector", of("signatures"))
def test_signatures_are_answered_as_the_vector_says(vector: dict[str, Any]) -> None:
    policy = load_policy("mail.yaml", text=vector["policy"].encode())
    found, registry = json.dumps(vector["signatures"]).encode(), parse_registry(vector["registry"])
    try:
        verify_policy(policy, read_signatures(found), registry, vector["at"])
        answer = "ok"
    except NotApproved as fault:
        answer = fault.reason
    assert answer == vector["expect"]


@pytest.mark.parametrize("vector", of("waivers"))
def test_waivers_lift_as_the_vector_says(vector: dict[str, Any], tmp_path: Path) -> None:
    policy, path = load_policy("mail.yaml", text=vector["policy"].encode()), tmp_path / "mail.waivers.json"
    path.write_text(vector["waivers"])
    found = read_waivers(str(path), policy, parse_registry(vector["registry"]))
    assert [one.id for one in found.waivers] == vector["lift"]
    assert [one[one.index("(") + 1 : one.index(")")] for one in found.problems] == vector["reasons"]


def test_the_page_of_the_format_shows_the_example_and_its_digest(repo_root: Path) -> None:
    page = (repo_root / "docs" / "spec" / "policy-v1.md").read_text("utf-8")
    shown = re.findall(r"^```yaml\n(.*?)^```", page, re.M | re.S)[0]
    policy = load_policy(str(EXAMPLE), text=shown.encode())
    assert policy.digest == load_policy(str(EXAMPLE)).digest
    assert f"\n    {policy.digest}\n" in page
    assert EXAMPLE.read_text("utf-8").startswith(shown)


def test_the_page_names_every_member(repo_root: Path) -> None:
    from agent_saga.policies.schema import json_schema, waivers_schema

    page = (repo_root / "docs" / "spec" / "policy-v1.md").read_text("utf-8")
    for schema in (json_schema(), waivers_schema()):
        for part in [schema, *schema["$defs"].values()]:
            for name in part["properties"]:
                assert f"`{name}`" in page, name
