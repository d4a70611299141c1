"""People in a walk: what waits for them, and what they decide and sign.

Keys and signatures are those of `rulelib.signing`, which uses nothing of the toolkit.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from oraclelib.sagas import AT, written
from rulelib.signing import STRANGER, nonce, proof

Line = dict[str, Any]
KEY, PERSON = "ana-1", "p-ana"
LOG = "l"
UNTIL = "2026-01-05T09:10:00.000000Z"
VERDICTS = ("landed", "absent", "undone", "kept")


def decided(saga: str, lines: list[Line], target: str, verdict: str, forged: bool) -> Line:
    """The members of a person's decision as the next line. lines: those before it. forged: signed by a stranger."""
    reason = {"note": "seen"}
    about = {"log": LOG, "start": _leaf(saga, lines, "saga.started"), "saga": saga, "target": target}
    about |= {"verdict": verdict, "reason": reason, "prev": _leaf(saga, lines, "saga.paused")}
    about |= {"person": PERSON, "key_id": KEY, "nonce": nonce(saga, len(lines)), "issued_at": AT, "not_after": UNTIL}
    signed = proof("decision", {"v": 1} | about, by=STRANGER if forged else "")
    return {"target": target, "verdict": verdict, "reason": reason, "person": PERSON, "proof": signed}


def signed_by_its_person(decision: Line) -> bool:
    """Whether a decision carries the signature of the person whom it names, over what it says."""
    request = decision["proof"]["request"]
    same = all(request[name] == decision[name] for name in ("target", "verdict", "reason", "person"))
    return bool(same and proof("decision", request)["signature"] == decision["proof"]["signature"])


def _leaf(saga: str, lines: list[Line], kind: str) -> str:
    """The leaf of the latest line of this type."""
    place = max(at for at, line in enumerate(lines) if line["type"] == kind)
    line = written(saga, lines[: place + 1]).splitlines()[place]
    return sha256(b"\0" + line).hexdigest()
