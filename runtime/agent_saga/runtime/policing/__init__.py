"""A policy in the engine: the same compiled policy that ``certify`` and the back-test ask answers before every effect.

- :mod:`~agent_saga.runtime.policing.given`: from a file to what the engine works with
- :mod:`~agent_saga.runtime.policing.gate`: the policy as a gate
- :mod:`~agent_saga.runtime.policing.starting`: what must fit before a saga begins
- :mod:`~agent_saga.runtime.policing.counting`: what is used of limits, over all sagas of the store
- :mod:`~agent_saga.runtime.policing.overtaking`: when somebody else took the rest of a budget meanwhile

Source: docs/spec/policy-v1.md, "In the runtime".
"""
