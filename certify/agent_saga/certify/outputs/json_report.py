"""``json``: the whole report for programs, with exact values. Schema: ``report.schema.json`` beside this module.

Suppressed findings always stand in it. The names stay as they are for as long as the id ends in ``v1``; new ones may
be added.
"""

from importlib.resources import files
from typing import Any, Final

from agent_saga.certify.controls.results import ControlResult
from agent_saga.certify.findings import Finding
from agent_saga.certify.outputs.base import Options
from agent_saga.certify.outputs.escape import dumps
from agent_saga.certify.outputs.facts import counts, verdict_line
from agent_saga.certify.report import Choices, InputReport, Report, SagaReport

SCHEMA_ID: Final = "urn:agent-saga:report:v1"
SAGA_COUNTS: Final = ("first_line", "last_line", "lines", "applied", "undone", "in_force", "unknown")


def schema() -> str:
    """The text of the published JSON Schema."""
    return (files("agent_saga.certify.outputs") / "report.schema.json").read_text("utf-8")


def render(report: Report, options: Options) -> str:
    """Write the report as JSON."""
    return dumps(as_json(report))


def as_json(report: Report) -> dict[str, Any]:
    """The report as plain JSON values."""
    return {
        "schema": SCHEMA_ID,
        "tool": {"name": "agent-saga", "version": report.tool_version, "rule_set": report.rule_set},
        "verdict": str(report.verdict),
        "exit_code": int(report.exit_code),
        "headline": verdict_line(report),
        "profile": report.choices.profile,
        "choices": choices(report.choices),
        "counts": counts(report) | {"sagas": report.saga_count, "signed_exceptions": report.exceptions},
        "inputs": [_input(item) for item in report.inputs],
        "sagas": [_saga(item) for item in report.sagas],
        "findings": [finding_json(item) for item in report.findings],
        "suppressed": [finding_json(item.finding) | {"suppressed_by": item.by} for item in report.suppressed],
        "stale_baseline": list(report.stale_baseline),
        "rules_run": list(report.rules_run),
        "rules_not_exercised": list(report.rules_not_exercised),
        "checkpoint": checkpoint(report),
        "controls": [_control(item) for item in report.controls],
    }


def checkpoint(report: Report) -> str:
    """The checkpoints that the inputs stand under, ``ORIGIN SIZE ROOT``; ``none`` where one of them has none."""
    pinned = [item.checkpoint for item in report.inputs]
    if not pinned or not all(one and one.agrees for one in pinned):
        return "none"
    return ", ".join(dict.fromkeys(f"{one.origin} {one.size} {one.root}" for one in pinned if one))


def choices(made: Choices) -> dict[str, Any]:
    """All choices behind the verdict, the defaults too."""
    return {
        "fail_on": made.fail_on,
        "inconclusive": made.inconclusive,
        "open": made.open,
        "require_chain": made.require_chain,
        "selected": list(made.selected),
        "ignored": list(made.ignored),
        "expected_root": made.expected_root,
        "expected_size": made.expected_size,
        "checkpoints": list(made.checkpoints),
        "pin": made.pin,
        "registry": made.registry,
        "registry_digest": made.registry_digest,
        "trust_on_first_use": made.trust_on_first_use,
        "policies": list(made.policies),
        "policy_digest": made.policy_digest,
        "waivers": made.waivers,
        "waivers_sha256": made.waivers_sha256,
        "mapping_sha256": made.mapping_sha256,
        "controls": list(made.controls),
        "now": made.now,
        "config": made.config,
        "baseline": made.baseline,
        "baseline_sha256": made.baseline_sha256,
    }


def finding_json(finding: Finding) -> dict[str, Any]:
    """One finding; ``line`` and the witness lines are null where the source has no lines."""
    return {
        "code": finding.code,
        "name": finding.name,
        "severity": str(finding.severity),
        "inconclusive": finding.inconclusive,
        "source": finding.source,
        "line": finding.line or None,
        "saga": finding.saga,
        "subject": finding.subject,
        "count": finding.count,
        "because": finding.because,
        "expected": finding.expected,
        "fix": finding.fix,
        "witness": [{"line": w.line or None, "what": w.what} for w in finding.witness],
        "fingerprint": finding.fingerprint,
    }


def _control(item: ControlResult) -> dict[str, Any]:
    return {
        "framework": item.framework,
        "control": item.control,
        "title": item.title,
        "answer": str(item.answer),
        "reasons": list(item.reasons),
        "rules": list(item.rules),
        "findings": [finding.fingerprint for finding in item.findings],
        "not_covered": item.not_covered,
    }


def _input(item: InputReport) -> dict[str, Any]:
    return {
        "path": item.path,
        "format": item.format,
        "lines": item.lines,
        "bytes": item.bytes,
        "sha256": item.sha256,
        "sagas": item.sagas,
        "not_assessable": dict(sorted(item.not_assessable.items())),
        "assumptions": list(item.assumptions),
        "own_word": list(item.own_word),
        "policy": item.policy,
        "earlier_policies": list(item.earlier_policies),
        "waived": dict(item.waived),
        "error": item.error,
    }


def _saga(item: SagaReport) -> dict[str, Any]:
    head = {"source": item.source, "saga": item.saga, "name": item.name, "status": item.status}
    return head | {"verdict": str(item.verdict)} | {name: getattr(item, name) for name in SAGA_COUNTS}
