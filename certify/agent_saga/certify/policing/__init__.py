"""Calls judged by the policy that the user gave: the same compiled policy as the runtime's gate and the back-test.

- :mod:`~.trust`: the policy and its waivers, the user's own copies
- :mod:`~.police`: what the policy says of one call; :mod:`~.given`: the approvals that the call had
- :mod:`~.spending`: what calls take from limits; :mod:`~.exceeding`: which of them went beyond, over the whole log
- :mod:`~.gathered`: what is left to be told when all lines were seen

Source: docs/rules.md, "Policies"; docs/spec/policy-v1.md; docs/adr/0010-policies-are-judged-by-the-users-copy.md.
"""
