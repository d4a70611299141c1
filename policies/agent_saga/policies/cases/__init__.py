"""The tests that stand in a policy file: each a call and the answer that it must get, and what all of them cover.

    report = run_cases(policy)
    report.passed, report.coverage.percent

- :mod:`~agent_saga.policies.cases.running`: asks the compiled policy, as the runtime's gate does, and compares
- :mod:`~agent_saga.policies.cases.coverage`: which rules and which parts of conditions were seen true, and false
- :mod:`~agent_saga.policies.cases.reporting`: the same for programs and for a CI system

Source: docs/spec/policy-v1.md, "Tests".
"""

from agent_saga.policies.cases.coverage import Coverage, Gap
from agent_saga.policies.cases.running import Report, Result, run_cases

__all__ = ["Coverage", "Gap", "Report", "Result", "run_cases"]
