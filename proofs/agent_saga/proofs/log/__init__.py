"""The log of a store on disk: reading it, and making its checkpoints.

    orders.db               the store: line i of it is leaf i of the log
    orders.db.log/          tiles, saga index, signed checkpoints (:mod:`~agent_saga.proofs.log.folder`)

::

    open_log("orders.db", key, origin="log.example/acme", now=time.time(), random=os.urandom)
    ...                                             # sagas run and append their lines
    written = write_checkpoint("orders.db", key, now=time.time(), random=os.urandom)
    with Log.open("orders.db") as log:
        log.checkpoint(), log.inclusion(7, log.latest.size)

Source: docs/spec/log-v1.md, "On disk".
"""

from agent_saga.proofs.log.beginning import open_log
from agent_saga.proofs.log.folder import NoLog
from agent_saga.proofs.log.lock import Locked
from agent_saga.proofs.log.reading import Log
from agent_saga.proofs.log.writing import Written, write_checkpoint

__all__ = ["Locked", "Log", "NoLog", "Written", "open_log", "write_checkpoint"]
