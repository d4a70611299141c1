"""What a saga's events tell so far, and nothing but that: records, and the fold that makes them.

- ``effects``: effects and undos; ``saga``: these, steps and approvals
- ``fold``: one event makes one change (``attempts``: of calls); ``calls``: outcomes
- ``common``: what all sagas of an input share
- ``compare``: payloads that may be sealed; ``matching``: whether an undo is the recorded one
- ``order``: what depends on what; ``closing``: what is left in force at the end

Source: docs/rules.md, "An effect, formally".
"""
