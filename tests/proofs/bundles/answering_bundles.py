"""What the Python verifier says to a vector."""

from __future__ import annotations

from base64 import b64decode
from typing import Any

from agent_saga.proofs.bundles.verifying import Earlier, verify_bundle
from agent_saga.proofs.continuing import parse_continuation
from agent_saga.proofs.errors import KeyFault, Refuted
from agent_saga.proofs.pins import parse_pins


def answer(vector: dict[str, Any]) -> dict[str, Any]:
    """In the form of a vector's ``expect``."""
    data = b64decode(vector["base64"]) if "base64" in vector else vector["bundle"].encode()
    try:
        earlier = None
        if "earlier" in vector:
            given = parse_continuation(vector["consistency"].encode()) if "consistency" in vector else None
            earlier = Earlier(vector["earlier"].encode(), given)
        proven = verify_bundle(data, parse_pins(vector["pin"]), earlier)
    except KeyFault:
        return {"reason": "bad-key"}
    except Refuted as fault:
        return {"reason": fault.reason}
    return {
        "ok": True,
        "claim": proven.claim,
        "lines": len(proven.lines),
        "withheld": len(proven.withheld),
        "opened": len(proven.opened),
        "audited": bool(proven.signed.monitors),
    }
