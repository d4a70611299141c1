"""The page of a policy that people sign, made of the policy alone: same policy, same bytes.

- :mod:`~agent_saga.policies.rendering.prose`: sentences out of words and code
- :mod:`~agent_saga.policies.rendering.naming`, ``terms``, ``conditions``: conditions in words
- :mod:`~agent_saga.policies.rendering.sentences`: a sentence for each rule and limit
"""
