"""The members of one line: against each other, the catalogue and what the saga said before; and what they give away.

- ``conformance``: intents, checks, decisions; ``agreement``: outcomes; ``contradiction``: amounts and pointers
- ``secrets``: values shaped like credentials

Source: docs/spec/trace-v1.md, "Types"; docs/rules.md, AS102 and AS604.
"""
