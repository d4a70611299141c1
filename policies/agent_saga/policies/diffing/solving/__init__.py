"""Decisions as formulas for the solver z3 (extra ``solver``). Only ``diffing.proving`` and ``linting`` come here.

- :mod:`~agent_saga.policies.diffing.solving.world`: the unknown call; ``terms``: values that may be missing
- :mod:`~agent_saga.policies.diffing.solving.encoding`: conditions; ``arithmetic``, ``calendar``, ``functions``
- :mod:`~agent_saga.policies.diffing.solving.saying`: what a policy says, and when one says less than another
- :mod:`~agent_saga.policies.diffing.solving.asking`: questions; ``reading``: the solver's call as JSON
"""
