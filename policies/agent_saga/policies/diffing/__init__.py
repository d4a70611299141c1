"""Comparing two policies: what the second lets through that the first did not, with a call that shows it.

    found = compare_policies(load_policy("old.yaml"), load_policy("new.yaml"))
    found.direction                      # "looser"
    found.whole.finding.looser.after     # {"tool": "payments.wire", "args": {"amount": {"minor": 500001, ...}}}

- :mod:`~agent_saga.policies.diffing.comparing`: the comparison; :mod:`~.result`: what it finds
- :mod:`~agent_saga.policies.diffing.directions`: which of two answers is stricter
- :mod:`~agent_saga.policies.diffing.searching`: sampled calls; :mod:`~.proving`, ``solving``: proofs by z3
- :mod:`~agent_saga.policies.diffing.meters`, ``spending``: what limits count, and what their windows may hold
- :mod:`~agent_saga.policies.diffing.settings`, ``details``, ``lifting``: what stands otherwise, in words
"""

from agent_saga.policies.diffing.comparing import Effort, compare_policies, failing
from agent_saga.policies.diffing.result import Change, Comparison, Example, Finding

__all__ = ["Change", "Comparison", "Effort", "Example", "Finding", "compare_policies", "failing"]
