"""Finds every mistake of a condition before it runs: types, names, fields, and fields that may be missing.

Source: docs/spec/policy-cel-v1.md, "Types" and "Guards".
"""

from agent_saga.policies.cel.checking.checker import check as check
