"""Writes fixtures/vectors/policies/: digests, signatures and waivers, good and bad, from keys that everybody knows.

python tests/policies/files/make_policy_vectors.py
"""

from __future__ import annotations

import copy
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import rfc8785

sys.path.insert(0, str(Path(__file__).parent))

import signers

from agent_saga.approvals.registry import parse_registry
from agent_saga.policies.digest import policy_digest
from agent_saga.policies.document import parse
from agent_saga.policies.loading import load_policy
from agent_saga.policies.loading.errors import POLICY
from agent_saga.policies.signing import read_signatures, statement_for
from agent_saga.policies.signing.files import written
from agent_saga.policies.signing.making import sign_statement
from agent_saga.policies.signing.waivers import sign_waiver

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "fixtures" / "vectors" / "policies"
EXAMPLE = ROOT / "fixtures" / "policies" / "payments.yaml"
SMALL = """policy: mail
version: 2
owner: risk@example.com
tools:
  mail.send: {semantics: irreversible, args: {type: object, properties: {to: {type: string}}, required: [to]}}
rules:
  - {id: at-home, when: '!args.to.endsWith("@example.com")', then: deny}
"""
WAIVER = {
    "id": "W-1",
    "rule": "at-home",
    "scope": 'args.to == "press@example.org"',
    "reason": "a press release",
    "owner": "p-dan",
    "approved_by": "p-cyd",
    "created": "2026-11-01",
    "expires": "2026-12-15",
}
Vector = tuple[str, dict[str, Any]]


def vectors() -> Iterator[Vector]:
    """Name and content of every vector."""
    yield from _digests()
    yield from _signatures()
    yield from _waivers()


def _digests() -> Iterator[Vector]:
    schemas = {
        f"schemas/{one.name}": json.loads(one.read_text("utf-8")) for one in sorted(EXAMPLE.parent.glob("schemas/*"))
    }
    example = parse(EXAMPLE.read_bytes(), "payments.yaml", POLICY)[0].plain
    yield "digest-example", _digest("The example of the specification.", example, schemas)
    fractions = copy.deepcopy(parse(SMALL.encode(), "mail.yaml", POLICY)[0].plain)
    part = {"type": "number", "minimum": 0.1, "maximum": 1e21, "multipleOf": 1e-7}
    fractions["tools"]["mail.send"]["args"]["properties"]["ratio"] = part
    yield "digest-fractions", _digest("Fractions in a schema are written as ECMAScript writes them.", fractions, {})
    names = copy.deepcopy(fractions) | {"owner": '\u20ac \U0001f600 \u00e9 "\\', "tests": [{"name": "left out"}]}
    names["tools"]["mail.send"]["args"]["properties"] |= {
        "\U0001f600": {"type": "string"},
        "\ufb01": {"type": "string"},
    }
    yield "digest-names", _digest("Names in the order of UTF-16; the tests are no part of it.", names, {})


def _digest(description: str, document: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    whole = {name: value for name, value in copy.deepcopy(document).items() if name != "tests"}
    for tool in whole["tools"].values():
        if isinstance(tool.get("args"), str):
            tool["args"] = schemas[tool["args"]]
    named = {"description": description, "kind": "digest", "document": document, "schemas": schemas}
    return named | {"canonical": rfc8785.dumps(whole).decode(), "digest": policy_digest(whole)}


def _signatures() -> Iterator[Vector]:
    registry = signers.registry(changes={"roles": ["registrar"], "quorum": 2, "strength": "D"})
    both = _signed(SMALL, registry, "ana-1", "ben-1")
    yield "signatures-good", _case("Two persons sign; two are asked for.", SMALL, both, registry, "ok")
    yield "signatures-one", _case("One person alone.", SMALL, _signed(SMALL, registry, "ana-1"), registry, "too-few")
    raised = SMALL.replace("version: 2", "version: 3").replace("irreversible", "preview")
    follows = _signed(raised, registry, "ana-1", "ben-1", before=both)
    yield "signatures-follows", _case("A version that follows another.", raised, follows, registry, "ok")
    other = SMALL.replace("example.com", "example.org")
    yield "signatures-other-text", _case("Another text than what is signed.", other, both, registry, "wrong-policy")
    clerk = _signed(SMALL, registry, "ana-1", "dan-1")
    yield "signatures-wrong-role", _case("One of them may not.", SMALL, clerk, registry, "wrong-role")
    late = copy.deepcopy(both)
    late["signatures"][1]["request"]["signed_at"] = signers.BEFORE
    yield "signatures-changed", _case("A changed time of signing.", SMALL, late, registry, "bad-signature")


def _signed(text: str, registry: dict[str, Any], *keys: str, before: dict[str, Any] | None = None) -> dict[str, Any]:
    policy, known = load_policy("mail.yaml", text=text.encode()), parse_registry(registry)
    found = read_signatures(json.dumps(before).encode()) if before else None
    proofs: list[dict[str, Any]] = []
    for id in keys:
        statement = statement_for(policy, known.key[id], "0" * 64, signers.NOW, found)
        proofs.append(sign_statement(statement, known, signers.Seed(id)))
        found = read_signatures(written(tuple(proofs)))
    made: dict[str, Any] = json.loads(written(tuple(proofs)))
    return made


def _case(description: str, text: str, signed: Any, registry: Any, expect: str) -> dict[str, Any]:
    named = {"description": description, "kind": "signatures", "policy": text, "signatures": signed}
    return named | {"registry": registry, "at": signers.NOW, "expect": expect}


def _waivers() -> Iterator[Vector]:
    good = WAIVER | {"proof": _proof(WAIVER)}
    unsigned, dan = WAIVER | {"id": "W-2"}, WAIVER | {"id": "W-3", "approved_by": "p-dan", "owner": "p-ana"}
    forged = WAIVER | {"id": "W-4", "proof": good["proof"]}
    elsewhere = WAIVER | {"id": "W-5"}
    elsewhere |= {"proof": _proof(elsewhere, name="letters")}
    several = [good, unsigned, dan | {"proof": _proof(dan, "dan-1")}, forged, elsewhere]
    yield (
        "waivers",
        {
            "description": "One lifts; one is unsigned, one by a clerk, one of another waiver, one of another policy.",
            "kind": "waivers",
            "policy": SMALL,
            "registry": signers.registry(),
            "waivers": json.dumps({"policy": "mail", "waivers": several}, indent=1),
            "lift": ["W-1"],
            "reasons": ["unsigned", "wrong-role", "bad-signature", "bad-signature"],
        },
    )


def _proof(waiver: dict[str, Any], key: str = "cyd-1", name: str = "mail") -> dict[str, Any]:
    return sign_waiver(waiver, name, key, signers.parsed(), signers.Seed(key))


def written_vector(content: dict[str, Any]) -> str:
    """The text of a vector's file."""
    return json.dumps(content, indent=1) + "\n"


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, content in vectors():
        (FOLDER / f"{name}.json").write_text(written_vector(content), "utf-8")
