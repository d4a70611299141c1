"""Strength classes in their order: A is the most, D the least.

Source: docs/spec/approval-v1.md, "Strengths".
"""

from typing import Final

from agent_saga.approvals.schemes.evidence import Strength

_ORDER: Final = "DCBA"


def reaches(found: Strength, least: Strength) -> bool:
    """Whether a signature of one class satisfies who asks for another at least."""
    return _ORDER.index(found) >= _ORDER.index(least)
