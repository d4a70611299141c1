"""What a vector comes to: the whole way from its JSON to a verdict, by the public functions alone."""

from __future__ import annotations

from typing import Any

import msgspec

from agent_saga.approvals.burning import Burned, Use
from agent_saga.approvals.calls import check_call
from agent_saga.approvals.counters import Counters
from agent_saga.approvals.digests import fingerprint
from agent_saga.approvals.errors import NotApproved, RegistryFault
from agent_saga.approvals.proofs import Signed, verify_approval, verify_decision
from agent_saga.approvals.quorum import (
    Wanted,
    WantedDecision,
    check_answer,
    check_decision,
    count,
)
from agent_saga.approvals.registry import parse_registry
from agent_saga.approvals.registry.history import History
from agent_saga.approvals.requests import Content
from agent_saga.approvals.windows import Moment
from agent_saga.trace.codec import decode, leaf_hash


def answer(vector: dict[str, Any]) -> dict[str, Any]:
    """As in the vector's `expect`."""
    try:
        return {"ok": True} | {"approval": _approval, "decision": _decision, "log": _log}[vector["kind"]](vector)
    except NotApproved as fault:
        return {"reason": fault.reason}
    except RegistryFault:
        return {"reason": "bad-registry"}


def _approval(vector: dict[str, Any]) -> dict[str, Any]:
    registry, counters, burned = parse_registry(vector["registry"]), Counters(), Burned()
    answers = []
    for proof in vector["proofs"]:
        signed = verify_approval(proof, registry)
        if "call" in vector:
            check_call(signed.about, msgspec.convert(vector["call"], Content))
        check_answer(signed, Wanted(**vector["wanted"]), registry, vector["at"])
        counters.check(signed)
        answers.append(signed)
    for use in vector.get("uses", []):
        burned.use(Use(**use), [(str(at), one.digest) for at, one in enumerate(answers)])
    outcome, wanted = count(answers), Wanted(**vector["wanted"])
    told = {"enough": outcome.enough(wanted), "by_exception": outcome.by_exception(wanted)}
    return told | {"signatures": [_told(one) for one in answers]}


def _told(signed: Signed[Any]) -> dict[str, Any]:
    evidence = signed.evidence
    shown = {"present": evidence.present, "verified": evidence.verified, "counter": evidence.counter}
    found = {"digest": signed.digest.hex(), "fingerprint": fingerprint(signed.digest), "strength": signed.strength}
    return found | shown


def _decision(vector: dict[str, Any]) -> dict[str, Any]:
    registry = parse_registry(vector["registry"])
    (proof,) = vector["proofs"]
    signed = verify_decision(proof, registry)
    check_decision(signed, WantedDecision(**vector["wanted"]), registry, vector["at"])
    return {"signatures": [_told(signed)]}


def _log(vector: dict[str, Any]) -> dict[str, Any]:
    """The log's own lines by index; what is in force after them, and what had no effect."""
    history = None
    for index, text in vector["lines"]:
        line = text.encode()
        event, _ = decode(line)
        if history is None:
            history = History(event, leaf_hash(line))  # type: ignore[arg-type]
        else:
            history.add(index, leaf_hash(line), event)
    assert history is not None
    for ask in vector.get("uses", []):
        history.check_key(ask["key"], ask["index"], Moment(**ask["recorded"]))
    last = history.last
    in_force = {"keys": {"digest": last.digest, "index": last.keys_index}, "revoked": sorted(last.revoked)}
    faults = [[one.index, one.reason] for one in history.faults]
    return in_force | {"policy": last.policy, "without_effect": faults}
