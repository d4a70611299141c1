"""Logs of the package ``agent-saga`` (0.3.1 to 2.3.11 on the Python package index) as a source of certify.

A log is JSON lines; each record is chained to the one before::

    {"seq": 2, "event": "STEP_INTENT", "ts": 1796022935.5297434, "saga_id": "order-b9213284",
     "step_id": "5d1619eebb104b0d966828334589450b", "tool": "inventory.reserve", "semantics": "COMPENSABLE",
     "kwargs": {"sku": "A1", "qty": 2}, "_s": "f37e...", "_cd": "1a8f...", "_ph": "82ca...", "_h": "740b..."}

The chain is verified with the writer's own rule, the Merkle root with ``--expect-root``. No summary that the log makes
of itself (``clean``, counts) is believed; each is compared with the records.

Source: docs/sources/agent-saga-log.md.
"""

from agent_saga.certify.importers.agent_saga_log.detect import explain_foreign_json, recognises
from agent_saga.certify.importers.agent_saga_log.limits import ASSUMPTIONS, NOT_ASSESSABLE
from agent_saga.certify.importers.agent_saga_log.parts import divides
from agent_saga.certify.importers.agent_saga_log.reading import read
from agent_saga.certify.source import SourceFormat

__all__ = ["FORMAT", "explain_foreign_json"]

FORMAT = SourceFormat(
    name="agent-saga log 0.3.1 to 2.3.11",
    recognises=recognises,
    read=read,
    not_assessable=NOT_ASSESSABLE,
    assumptions=ASSUMPTIONS,
    divides=divides,
    checks_root=True,
)
