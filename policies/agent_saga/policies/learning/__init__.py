"""A first policy out of traces: what an agent's tools are, with what was seen of each, and nothing allowed by it.

    observed = Observed()
    observed.take(events)
    text = skeleton(observed, "payments", "risk@example.com")

- :mod:`~agent_saga.policies.learning.observing`: events to what is kept of each tool
- :mod:`~agent_saga.policies.learning.shapes`: values to a JSON Schema
- :mod:`~agent_saga.policies.learning.skeleton`: the policy as text
"""

from agent_saga.policies.learning.observing import Observed
from agent_saga.policies.learning.skeleton import skeleton

__all__ = ["Observed", "skeleton"]
