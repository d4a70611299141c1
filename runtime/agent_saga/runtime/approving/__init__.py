"""What waits for a person: the requests and paused calls of a store, and what a person signs about each of them.

- :mod:`~agent_saga.runtime.approving.pending`: what waits, rebuilt from the lines of a store
- :mod:`~agent_saga.runtime.approving.opening`: the request or decision that one person would sign
- :mod:`~agent_saga.runtime.approving.standing`: the key registry in force

Nothing here has authority: a request becomes an answer only by a signature, which the engine verifies.
"""

from agent_saga.runtime.approving.opening import open_decision, open_request
from agent_saga.runtime.approving.pending import Paused, Pending, paused, pending

__all__ = ["Paused", "Pending", "open_decision", "open_request", "paused", "pending"]
