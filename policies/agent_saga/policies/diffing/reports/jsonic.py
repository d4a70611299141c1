"""``json``: for programs. Members never change their meaning; new ones may come."""

import json
from typing import Any

from agent_saga.policies.answers import Decision
from agent_saga.policies.diffing.reports.words import examples, sureness
from agent_saga.policies.diffing.result import Change, Comparison, Example
from agent_saga.policies.model import Approve, Policy


def report(comparison: Comparison) -> str:
    """The comparison as one JSON object."""
    record = {
        "before": _policy(comparison.before),
        "after": _policy(comparison.after),
        "direction": comparison.direction,
        "proven": comparison.whole.finding.proven,
        "calls": comparison.calls,
        "whole": _change(comparison.whole),
        "changes": [_change(one) for one in comparison.changes],
    }
    return json.dumps(record, indent=2, ensure_ascii=True) + "\n"


def _policy(policy: Policy) -> dict[str, Any]:
    return {"policy": policy.policy, "version": policy.version, "digest": policy.digest}


def _change(change: Change) -> dict[str, Any]:
    return {
        "kind": change.kind,
        "id": change.id,
        "what": change.what,
        "direction": change.direction,
        "sure": sureness(change),
        "details": list(change.details),
        "examples": [{"way": way} | _example(example) for way, example in examples(change)],
    }


def _example(example: Example) -> dict[str, Any]:
    return {
        "call_before": dict(example.before),
        "call_after": dict(example.after),
        "before": decision(example.old),
        "after": decision(example.new),
        "note": example.note,
    }


def decision(found: Decision) -> dict[str, Any]:
    """A decision as JSON, without what fired."""
    return {
        "effect": found.effect,
        "code": found.code,
        "rule": found.rule,
        "approve": approval(found.approve) if found.approve is not None else None,
    }


def approval(asked: Approve) -> dict[str, Any]:
    """An approval as JSON. within: seconds."""
    return {
        "quorum": asked.quorum,
        "roles": list(asked.roles),
        "strength": asked.strength,
        "within": asked.within,
    }
