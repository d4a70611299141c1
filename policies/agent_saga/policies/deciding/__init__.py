"""How an answer is made: conditions compiled for one tool, limits measured, what fired merged into one decision.

Source: docs/spec/policy-v1.md, "Deciding".
"""
