"""What is in force in a log, by its own lines: handed to those who sign and check its index, and know no approvals.

Source: docs/spec/log-v1.md, "The log's own lines"; docs/spec/approval-v1.md, "Changes".
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent_saga.proofs.log.opened import InForce


def standing(own: Sequence[tuple[int, bytes]]) -> "InForce":
    """What is in force after all of the log's own lines. own: each with its index, log.opened first.

    A change without enough valid signatures has no effect here, as for every reader. Raises LogFault, LineError.
    """
    from agent_saga.approvals.registry.history import History
    from agent_saga.proofs.errors import LogFault
    from agent_saga.proofs.log.opened import InForce, opening_of
    from agent_saga.trace.codec import decode, leaf_hash

    opened = opening_of(own[0][1]) if own else None
    if opened is None:
        raise LogFault("the log's own lines do not begin with log.opened")
    history = History(opened, leaf_hash(own[0][1]))
    last = history.extend((index, leaf_hash(line), decode(line)[0]) for index, line in own[1:]).last
    policy = {"digest": last.policy, "index": last.policy_index} if last.policy else None
    return InForce({"digest": last.digest, "index": last.keys_index}, policy)
