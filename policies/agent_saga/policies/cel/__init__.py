"""Conditions: a strict subset of the Common Expression Language that always ends.

Source: docs/spec/policy-cel-v1.md; CEL language definition (cel-spec).
"""
