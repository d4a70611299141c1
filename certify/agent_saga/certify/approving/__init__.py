"""Approvals and decisions of people, judged from the trace, the key registry and the pinned checkpoint alone.

- :mod:`~.use`: an intent and the approvals that it names; :mod:`~.using`: verified; :mod:`~.telling`: what the rules
  say of them
- :mod:`~.deciding`: what a person decided about a paused saga; :mod:`~.uses`: what only the whole log shows

Source: docs/spec/approval-v1.md; docs/rules.md, "Approvals".
"""
