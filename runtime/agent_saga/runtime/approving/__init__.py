"""What waits for a person: the requests and paused calls of a store, and what a person signs about each of them.

- :mod:`~agent_saga.runtime.approving.waits`: what waits, rebuilt from the lines of a store
- :mod:`~agent_saga.runtime.approving.opening`: the request or decision that one person would sign
- :mod:`~agent_saga.runtime.approving.recording`: a signed answer, verified before it becomes a line
- :mod:`~agent_saga.runtime.approving.counting`: counters of security keys, over all sagas of a store
- :mod:`~agent_saga.runtime.approving.standing`: the key registry in force
- :mod:`~agent_saga.runtime.approving.notifying`: telling people, by a command or a signed webhook

Nothing here has authority: a request becomes an answer only by a signature, which the engine verifies.
"""

from agent_saga.runtime.approving.notifying import NotNotified, by_hmac, by_key, command, notice, webhook
from agent_saga.runtime.approving.opening import open_decision, open_request
from agent_saga.runtime.approving.waits import Paused, Pending, paused, pending
from agent_saga.runtime.kernel.deciding import of_proof

__all__ = [
    "NotNotified",
    "Paused",
    "Pending",
    "by_hmac",
    "by_key",
    "command",
    "notice",
    "of_proof",
    "open_decision",
    "open_request",
    "paused",
    "pending",
    "webhook",
]
