"""What a policy says of one call, and why.

    found = explain(policy, read_call(json.load(file), policy))
    print(text(found))

- :mod:`~agent_saga.policies.explaining.calls`: a call as people write it down
- :mod:`~agent_saga.policies.explaining.explained`: every rule and limit with what it saw
- :mod:`~agent_saga.policies.explaining.reports`: as text and as JSON
"""

from agent_saga.policies.explaining.calls import Asked, CallError, read_call
from agent_saga.policies.explaining.explained import Explanation, explain

__all__ = ["Asked", "CallError", "Explanation", "explain", "read_call"]
