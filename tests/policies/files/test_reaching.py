"""What a policy asks of people is held against the registry: what nobody could give is told where it is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import signers

from agent_saga.policies.loading import PolicyError, load_policy
from agent_saga.policies.loading.reaching import unreachable

FOLDER = Path(__file__).resolve().parents[3] / "fixtures" / "policies"

SHORT = " have a valid key: nobody could ever approve"


def told(text: str, at: str = signers.NOW, **changed: Any) -> list[str]:
    policy = load_policy(str(FOLDER / "changed.yaml"), text=text.encode())
    try:
        unreachable(policy, signers.parsed(**changed), at, text.encode())
    except PolicyError as error:
        return [f"{one.line}:{one.column}: {one.message}" for one in error.faults]
    return []


def test_what_the_registry_can_give_is_no_fault(example: str) -> None:
    assert told(example) == []


@pytest.mark.parametrize(
    ("old", "new", "faults"),
    [
        ("quorum: 2, roles", "quorum: 3, roles",
         ["12:30: the rule wire-needs-two: 3 persons in the roles treasury are asked for, and 2" + SHORT]),
        ("roles: [treasury]", "roles: [tresury]",
         ["12:41: the rule wire-needs-two: nobody in the registry has the role 'tresury'; did you mean 'treasury'?"]),
        ("roles: [risk]}}\ntests", "roles: [risk, clerks]}}\ntests",
         ["24:47: the limit daily-spend: nobody in the registry has the role 'clerks'; did you mean 'clerk'?"]),
        ("rules:\n  - id: wire", "irreversible: {quorum: 2}\nrules:\n  - id: wire",
         ["8:24: irreversible: 2 persons in the roles approver are asked for, and 1" + SHORT]),
        ("rules:\n  - id: wire", "decide: {kept: {roles: [judge]}}\nrules:\n  - id: wire",
         ["8:25: decide.kept: nobody in the registry has the role 'judge'"]),
        ("tools:\n", "agents: [byer]\ntools:\n", ["4:10: the registry knows no agent 'byer'; did you mean 'buyer'?"]),
    ],
)  # fmt: skip
def test_what_nobody_could_give_is_told_at_its_place(example: str, old: str, new: str, faults: list[str]) -> None:
    assert old in example
    assert told(example.replace(old, new, 1)) == faults


def test_who_owns_an_agent_does_not_count(example: str) -> None:
    agents = [{"id": "buyer", "owner": "p-ana"}]
    [line] = told(example, agents=agents)
    assert line.startswith(
        "12:30: the rule wire-needs-two: agent buyer, whose owner p-ana may not approve: 2 persons in"
    )
    other = [*agents, {"id": "seller", "owner": "p-dan"}]
    assert told(example.replace("tools:\n", "agents: [seller]\ntools:\n", 1), agents=other) == []


def test_keys_that_are_not_valid_then_count_as_none(example: str) -> None:
    assert len(told(example, at="2028-01-01T00:00:00.000000Z")) == 3


def test_advice_and_trials_ask_nobody(example: str) -> None:
    for word in ("advisory", "evaluate"):
        assert (
            told(example.replace("enforcement: hard", f"enforcement: {word}").replace("[treasury]", "[nobody]")) == []
        )
