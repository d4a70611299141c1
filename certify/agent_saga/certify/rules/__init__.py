"""The rules of ``certify``, one small module each. The modules are the register; there is no other list.

Source: docs/rules.md.
"""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from hashlib import sha256

from agent_saga.certify.rule import Rule


@cache
def all_rules() -> Mapping[str, Rule]:
    """Every rule of this release by its code, in the order of the codes."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name.startswith("as"))
    rules = [importlib.import_module(f"{__name__}.{name}").RULE for name in names]
    return {rule.code: rule for rule in sorted(rules, key=lambda rule: rule.code)}


@cache
def rule_set_digest() -> str:
    """SHA-256 over code, name and severity of all rules: names the rule set a verdict was reached with."""
    rows = (f"{rule.code} {rule.name} {rule.severity}\n" for rule in all_rules().values())
    return sha256("".join(rows).encode()).hexdigest()
