"""Calls made from a policy's own constants: on each boundary, just below and just above it, with members left out.

A threshold that moved shows at the threshold. So each value that a condition reads takes the constants that it is
compared with, their neighbours, and what can be computed of two of them; strings take their neighbours in order and in
length. All of it is the same in every run.

- :mod:`~agent_saga.policies.sampling.constants`: which constants meet which value of the call
- :mod:`~agent_saga.policies.sampling.neighbours`: the values near a constant, by type
- :mod:`~agent_saga.policies.sampling.plain`: a plain value for what a schema demands and no condition reads
- :mod:`~agent_saga.policies.sampling.calls`: whole calls, as the ``given`` of a policy's tests
"""
