"""Every rule says what it finds, why that is bad, how it looks, and what to do; every code of the tables is there."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

from agent_saga.certify import rules
from agent_saga.certify.rule import FAMILIES, Rule
from agent_saga.trace.events import EVENT_TYPES

NUMBERS = (*range(101, 116), *range(201, 220), *range(301, 313), *range(401, 409), *range(501, 508), *range(601, 605))
RULES = list(rules.all_rules().values())
FEATURES = {"pivot", "parent", "catalogue", "retry", "reads", "preview", "reversible", "compensable", "irreversible"}
FEATURES |= {"checkpoint", "policy", "branch"}


def test_every_rule_that_this_release_promises_is_there_once() -> None:
    assert [rule.code for rule in RULES] == [f"AS{number}" for number in NUMBERS]


def test_a_module_is_named_for_its_rule() -> None:
    for module in pkgutil.iter_modules(rules.__path__):
        rule: Rule = importlib.import_module(f"{rules.__name__}.{module.name}").RULE
        assert module.name == f"{rule.code.lower()}_{rule.name.replace('-', '_')}"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rule_has_all_its_words(rule: Rule) -> None:
    assert rule.name == "-".join(filter(str.isalpha, rule.name.split("-"))).lower()
    assert all((rule.what, rule.why, rule.bad.strip(), rule.good.strip(), rule.fix))
    for text in (rule.what, rule.why, rule.fix):
        assert text[0].isupper()
        assert text.endswith(".")
        assert "  " not in text
        assert "- " not in text
    assert rule.family in FAMILIES


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rule_names_only_lines_and_features_that_exist(rule: Rule) -> None:
    assert set(rule.on) <= set(EVENT_TYPES)
    assert set(rule.needs) <= set(EVENT_TYPES) | FEATURES
