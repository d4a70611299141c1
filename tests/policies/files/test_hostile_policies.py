"""Whatever stands in a file of a policy, of waivers or of signatures: it loads, or it is refused in words."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
import signers
import yaml

from agent_saga.approvals.errors import NotApproved
from agent_saga.policies.cases import run_cases
from agent_saga.policies.loading import PolicyError, load_policy
from agent_saga.policies.model import Policy
from agent_saga.policies.signing import read_signatures
from agent_saga.policies.waiving import read_waivers

T = TypeVar("T")
ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "fixtures" / "policies"
VECTORS = ROOT / "fixtures" / "vectors" / "policies"
WORDS = (
    "{ } [ ] : - ' \" \\ &a *a !!int <<: | > # --- null true 1e400 .nan -0 1.5 99999999999999999999 0x7fffffffffffffff"
)
MORE = "when args tool has( ( && ? anyOf enum PT0S P1D preview .. / minor \u2028 \ufeff \U0001f600"
SCRAPS = [*map(str.encode, f"{WORDS} {MORE}".split(" ")), b"\n", b"  ", b"\t", b"\x00", b"\xff", b"\xed\xa0\x80"]


def mutated(data: bytes, seed: int) -> bytes:
    """The same with a few places overwritten, by scraps of the languages or by other parts of it."""
    chance = random.Random(seed)
    made = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at, size, begin = chance.randrange(len(made)), chance.choice((0, 0, 1, 3, 20)), chance.randrange(len(made))
        piece = chance.choice(SCRAPS) if chance.random() < 0.7 else bytes(made[begin : begin + chance.randint(1, 60)])
        made[at : at + size] = piece
    return bytes(made)


def outcome(make: Callable[[], T]) -> T | PolicyError | NotApproved:
    """What a reader made, or how it refused; anything else that it raises is a bug."""
    try:
        return make()
    except (PolicyError, NotApproved) as fault:
        return fault


@pytest.mark.parametrize("name", ["changed.yaml", "changed.json"])
def test_a_mutated_policy_loads_or_is_refused_in_words(example: str, long_run: bool, name: str) -> None:
    data = example.encode() if name.endswith("yaml") else json.dumps(yaml.safe_load(example)).encode()
    loaded = 0
    for seed in range(4_000 if long_run else 150):
        found = outcome(lambda seed=seed: load_policy(str(FOLDER / name), text=mutated(data, seed)))
        if isinstance(found, Policy):
            loaded += 1
            run_cases(found)
            continue
        assert isinstance(found, PolicyError)
        assert found.faults, seed
        assert all(one.line > 0 and one.column > 0 and one.message.isprintable() for one in found.faults), seed
    assert loaded, "no mutation was harmless: nothing is shown of policies that load"


def test_a_mutated_file_of_waivers_never_lifts_more(long_run: bool, tmp_path: Path) -> None:
    vector = json.loads((VECTORS / "waivers.json").read_text("utf-8"))
    policy, path = load_policy("mail.yaml", text=vector["policy"].encode()), tmp_path / "mail.waivers.json"
    for seed in range(3_000 if long_run else 150):
        path.write_bytes(mutated(vector["waivers"].encode(), seed))
        found = outcome(lambda: read_waivers(str(path), policy, signers.parsed()))
        for one in () if isinstance(found, PolicyError | NotApproved) else found.waivers:
            assert (one.id, one.rule, one.expires, one.reason) == ("W-1", "at-home", "2026-12-15", "a press release"), (
                seed
            )


def test_a_mutated_file_of_signatures_is_read_or_refused(long_run: bool) -> None:
    vector = json.loads((VECTORS / "signatures-good.json").read_text("utf-8"))
    data = json.dumps(vector["signatures"]).encode()
    for seed in range(3_000 if long_run else 300):
        found = outcome(lambda seed=seed: read_signatures(mutated(data, seed)))
        assert not isinstance(found, NotApproved) or found.reason in ("bad-proof", "bad-request", "wrong-policy"), seed
