"""The scenarios of OWASP AISVS 1.0, chapter C9, through the engine, with the rules of the shipped pack.

The rules name no tool. A scenario's tools are declared in front of them, as a user would declare their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from agent_saga.policies.answers import Call, Decision
from agent_saga.policies.classing import (
    EFFECTS,
    Binding,
    Observation,
    Oversight,
    chain_of_steps,
    class_of,
    oversight_of,
)
from agent_saga.policies.compiled import Compiled, compile_policy
from agent_saga.policies.loading import load_policy
from agent_saga.policies.packs import POLICY, pack

AT = "2026-11-30T07:00:00.000000Z"
OURS = Path(__file__).with_name("aisvs_scenarios.yaml")
FILES = {"scenarios.yaml": 13, "real.yaml": 7}
"""The files of ../shared/inputs/aisvs-c9, and how many scenarios each holds."""
RULES = {"supervised": Oversight.SUPERVISED, "approval-required": Oversight.APPROVAL_REQUIRED}
REVERSIBILITY = {
    "READ_ONLY": "preview",
    "REVERSIBLE": "reversible",
    "EXTERNALLY_REVERSIBLE": "compensable",
    "IRREVERSIBLE": "irreversible",
}
UNDO = "undo.anything"


@dataclass(frozen=True)
class Step:
    """One declared action. observation: None where the scenario has no layer that observes."""

    declared: str | None
    consequence: str
    observation: Observation | None


def steps_of(scenario: dict[str, Any]) -> list[Step]:
    """The steps of a scenario: one, or those of its chain."""
    chain = scenario.get("chain")
    if chain is None:
        found = [(scenario["declared_effect"], scenario["consequence"], scenario.get("observation"))]
    else:
        effects = chain["declared_effects"]
        observations = chain.get("observations", [None] * len(effects))
        found = list(zip(effects, chain["consequences"], observations, strict=True))
    return [Step(effect, consequence.lower(), _observation(seen)) for effect, consequence, seen in found]


def _observation(seen: dict[str, Any] | None) -> Observation | None:
    return Observation(Binding(seen["binding"]), seen.get("age_days")) if seen is not None else None


def policy_for(steps: list[Step], folder: Path) -> Compiled:
    """The pack's rules over the tools of the steps, as they declare themselves."""
    document = yaml.safe_load(pack("aisvs-c9").files[POLICY])
    del document["tools"], document["tests"]
    document["tools"] = {f"step.{at}": _tool(step) for at, step in enumerate(steps)}
    document["tools"] |= {UNDO: {"semantics": "compensable", "undo": "step.0", "consequence": "low"}}
    path = folder / "policy.yaml"
    path.write_text(yaml.safe_dump(document, sort_keys=False), "utf-8")
    return compile_policy(load_policy(str(path)))


def _tool(step: Step) -> dict[str, Any]:
    semantics = class_of(step.declared)
    undo = {"undo": UNDO} if semantics in ("reversible", "compensable") else {}
    return {"semantics": semantics, "consequence": step.consequence, **undo}


def oversight_of_decision(decision: Decision) -> Oversight:
    """What the answer makes a person do, by what persons are asked for and not by a rule's name alone."""
    if decision.effect == "allow":
        fired = {one.id for one in decision.fired}
        return Oversight.SUPERVISED if "supervised" in fired else Oversight.UNATTENDED
    assert decision.effect == "approve", decision.reason
    assert decision.approve is not None
    owner = decision.approve.roles == ("owner",) and decision.approve.strength == "A"
    return Oversight.HUMAN_OWNS if owner else Oversight.APPROVAL_REQUIRED


def run(scenario: dict[str, Any], folder: Path) -> tuple[str, Oversight]:
    """The class and the oversight that a scenario comes to; of a chain, at its very first step."""
    steps, max_age = steps_of(scenario), scenario.get("policy", {}).get("max_age_days")
    compiled = policy_for(steps, folder)
    classes = [class_of(step.declared, step.observation, max_age) for step in steps]
    chain = chain_of_steps(list(zip(classes, (step.consequence for step in steps), strict=True)))
    found = []
    for at, semantics in enumerate(classes):
        call = Call(f"step.{at}", {}, semantics, AT, chain=chain if len(steps) > 1 else None)
        found.append(oversight_of_decision(compiled.decide(call, {}, AT[:10])))
    assert len(set(found)) == 1, "a chain is gated the same from its first step to its last"
    assert found[0] == oversight_of(chain.semantics, chain.consequence)
    return chain.semantics, found[0]


def _check(scenario: dict[str, Any], folder: Path) -> None:
    semantics, oversight = run(scenario, folder)
    expect = scenario["expect"]
    assert semantics == REVERSIBILITY[expect["reversibility"]]
    assert oversight.name == expect["oversight"]
    assert oversight.evidence == expect["evidence_tier"]


OWN = yaml.safe_load(OURS.read_text("utf-8"))


@pytest.mark.parametrize("scenario", OWN, ids=lambda one: one["id"])
def test_our_own_scenarios_come_out_as_they_should(scenario: dict[str, Any], tmp_path: Path) -> None:
    _check(scenario, tmp_path)


def test_our_own_scenarios_reach_every_class_oversight_and_binding() -> None:
    assert {one["expect"]["reversibility"] for one in OWN} == set(REVERSIBILITY)
    assert {one["expect"]["oversight"] for one in OWN} == {one.name for one in Oversight}
    seen = [step for one in OWN for step in steps_of(one)]
    assert {step.declared for step in seen} == {*EFFECTS, None}
    assert {step.observation.binding for step in seen if step.observation} == set(Binding)


@pytest.mark.parametrize("name", FILES)
def test_the_scenarios_of_aisvs_come_out_as_they_should(name: str, inputs_dir: Path, tmp_path: Path) -> None:
    path = inputs_dir / "aisvs-c9" / name
    if not path.is_file():
        pytest.skip(f"no {name} here: set AGENT_SAGA_INPUTS to a folder with aisvs-c9/{name}")
    scenarios = yaml.safe_load(path.read_text("utf-8"))
    assert len(scenarios) == FILES[name]
    wrong = []
    for scenario in scenarios:
        folder = tmp_path / scenario["id"]
        folder.mkdir()
        try:
            _check(scenario, folder)
        except AssertionError as fault:
            wrong.append(f"{scenario['id']}: {fault}")
    assert not wrong
    print(f"{name}: {len(scenarios)} scenarios of AISVS 1.0 C9 conform")


def test_a_tool_that_nobody_declared_is_refused_which_is_stricter_than_an_owner(tmp_path: Path) -> None:
    compiled = policy_for([Step("read_only", "low", None)], tmp_path)
    decision = compiled.decide(Call("step.9", {}, "irreversible", AT), {}, AT[:10])
    assert (decision.effect, decision.code) == ("deny", "undeclared_tool")


def test_a_call_may_claim_a_stricter_class_than_declared_and_never_a_milder_one(tmp_path: Path) -> None:
    compiled = policy_for([Step("externally_recoverable", "low", None)], tmp_path)
    for semantics, code in (("preview", "wrong_class"), ("reversible", "wrong_class"), ("irreversible", "")):
        decision = compiled.decide(Call("step.0", {}, semantics, AT), {}, AT[:10])  # type: ignore[arg-type]
        assert decision.code == code
        assert decision.effect == ("deny" if code else "approve")


def test_a_tool_without_a_consequence_counts_as_critical(tmp_path: Path) -> None:
    document = yaml.safe_load(pack("aisvs-c9").files[POLICY])
    document["tools"] = {"a.b": {"semantics": "preview"}}
    del document["tests"]
    path = tmp_path / "policy.yaml"
    path.write_text(yaml.safe_dump(document, sort_keys=False), "utf-8")
    decision = compile_policy(load_policy(str(path))).decide(Call("a.b", {}, "preview", AT), {}, AT[:10])
    assert oversight_of_decision(decision) is Oversight.HUMAN_OWNS
