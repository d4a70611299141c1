"""What a policy says of one call, and why.

- :mod:`~agent_saga.policies.explaining.calls`: a call as people write it down
"""
