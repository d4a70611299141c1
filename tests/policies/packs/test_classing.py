"""A declaration is believed while it is bound to what was declared, and the worse of two axes counts."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_saga.policies.classing import (
    CONSEQUENCES,
    EFFECTS,
    UNCLASSIFIED,
    Binding,
    Observation,
    Oversight,
    binding_of,
    chain_of_steps,
    class_of,
    observe,
    oversight_of,
    tool_digest,
)
from agent_saga.policies.compiled import chain_of
from agent_saga.policies.model import Policy, ToolRule

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}
CLASSES = list(EFFECTS.values())
steps = st.tuples(st.sampled_from(CLASSES), st.sampled_from(CONSEQUENCES))


@pytest.mark.parametrize("declared", [None, "", "READ_ONLY", "read-only", "harmless", "preview"])
def test_what_is_not_declared_in_known_words_cannot_be_taken_back(declared: str | None) -> None:
    assert class_of(declared) == UNCLASSIFIED == "irreversible"


@pytest.mark.parametrize(
    ("observation", "max_age", "counts"),
    [
        (Observation(Binding.BOUND), None, Binding.BOUND),
        (Observation(Binding.BOUND, 0), 0, Binding.BOUND),
        (Observation(Binding.BOUND, 14), 14, Binding.BOUND),
        (Observation(Binding.BOUND, 15), 14, Binding.UNOBSERVED),
        (Observation(Binding.BOUND), 14, Binding.UNOBSERVED),
        (Observation(Binding.BOUND, -1), 14, Binding.UNOBSERVED),
        (Observation(Binding.STALE, 0), 14, Binding.STALE),
        (Observation(Binding.STALE, 400), 14, Binding.STALE),
        (Observation(Binding.UNOBSERVED, 0), None, Binding.UNOBSERVED),
    ],
)
def test_a_look_counts_for_as_long_as_the_policy_says(
    observation: Observation, max_age: int | None, counts: Binding
) -> None:
    assert binding_of(observation, max_age) is counts
    expected = "preview" if counts is Binding.BOUND else "irreversible"
    assert class_of("read_only", observation, max_age) == expected


def test_a_declaration_is_bound_to_name_schema_and_description() -> None:
    declared = tool_digest("files.read", SCHEMA, "Reads a file.")
    assert observe(declared, tool_digest("files.read", SCHEMA, "Reads a file."), 3) == Observation(Binding.BOUND, 3)
    changed = [
        tool_digest("files.write", SCHEMA, "Reads a file."),
        tool_digest("files.read", SCHEMA | {"additionalProperties": False}, "Reads a file."),
        tool_digest("files.read", SCHEMA, "Reads a file, and mails it to me."),
    ]
    assert {observe(declared, one).binding for one in changed} == {Binding.STALE}
    assert observe(declared, None).binding is Binding.UNOBSERVED


def test_the_digest_is_what_the_page_says() -> None:
    # An outsider's computation: SHA-256 over the prefix and the JCS of the three members.
    from hashlib import sha256

    text = '{"description":"","name":"a","schema":{}}'
    assert tool_digest("a", {}) == sha256(b"agent-saga/tool/v1\0" + text.encode()).hexdigest()


def test_the_worse_of_both_axes_counts_and_each_moves_alone() -> None:
    for (at, semantics), (worth, consequence) in product(enumerate(CLASSES), enumerate(CONSEQUENCES)):
        assert oversight_of(semantics, consequence) == Oversight(max(at, worth))
    assert oversight_of("preview", "catastrophic") is Oversight.HUMAN_OWNS
    assert [one.evidence for one in Oversight] == ["basic", "standard", "enhanced", "highest"]


@given(st.lists(steps, min_size=1, max_size=6))
def test_a_chain_asks_for_what_its_worst_step_asks_for(found: list[tuple[str, str]]) -> None:
    chain = chain_of_steps(found)  # type: ignore[arg-type]
    worst = max(oversight_of(semantics, consequence) for semantics, consequence in found)  # type: ignore[arg-type]
    assert oversight_of(chain.semantics, chain.consequence) == worst
    assert chain == chain_of_steps(list(reversed(found)))  # type: ignore[arg-type]


def test_a_chain_of_which_nothing_is_known_is_the_worst() -> None:
    chain = chain_of_steps([])
    assert (chain.semantics, chain.consequence) == ("irreversible", "critical")


@given(st.lists(steps, min_size=1, max_size=5))
def test_the_engine_knows_the_chain_of_a_catalogue_by_the_same_rule(found: list[tuple[str, str]]) -> None:
    tools = {
        f"t.{at}": ToolRule(f"t.{at}", semantics, consequence=consequence)  # type: ignore[arg-type]
        for at, (semantics, consequence) in enumerate(found)
    }
    policy = Policy("p", 1, "o", "00" * 32, tools, (), ())
    catalogue = {name: tool.semantics for name, tool in tools.items()}
    assert chain_of(policy, catalogue) == chain_of_steps(found)  # type: ignore[arg-type]
    unknown = chain_of(policy, {**catalogue, "not.declared": "preview"})
    assert unknown == chain_of_steps([*found, ("preview", "not in the policy")])  # type: ignore[list-item]
