"""A report as the predicate of a certificate: plain JSON values, no path and no clock but ``now``.

The same report gives the same predicate, byte for byte, wherever its input lies.

Source: docs/spec/certificate-v1.md, "Predicate".
"""

from collections import Counter
from typing import Any

from agent_saga.certify.findings import Finding
from agent_saga.certify.report import Choices, InputReport, Pinned, Report
from agent_saga.certify.rules import all_rules

WAIVERS = "waivers_sha256"
"""The choice of waivers, by their digest; where there are none it is not there."""
EARLIER = "earlier_policies"
"""The policies that were in force before ``policy``, by their digests in that order; where there are none it is not
there."""
KINDS = ("error", "warning", "note", "inconclusive")


def predicate(report: Report, now: str) -> dict[str, Any]:
    """The predicate over a report of exactly one input. now: RFC 3339, UTC, six decimals."""
    (item,) = report.inputs
    return {
        "verdict": str(report.verdict),
        "headline": report.headline,
        "profile": profile(choices(report.choices)),
        "now": now,
        "choices": choices(report.choices),
        "input": _input(item),
        "checkpoint": checkpoint(item.checkpoint),
        "sagas": {"judged": report.saga_count, "excluded": 0},
        "counts": _counts(report.findings),
        "findings": _by_rule(report.findings),
        "exceptions": {"signed": report.exceptions, "suppressed": len(report.suppressed)},
        "waivers": [
            {"by": one.by, "code": one.finding.code, "fingerprint": one.finding.fingerprint}
            for one in report.suppressed
        ],
        "rules": _rules(report, item),
        "policy": item.policy or None,
        "registry": item.registry or None,
        "tool": {"name": "agent-saga", "version": report.tool_version},
        "assumptions": list(item.assumptions),
        **({EARLIER: list(item.earlier_policies)} if item.earlier_policies else {}),
        **({"policy_waivers": _waived(item)} if report.choices.waivers_sha256 else {}),
        **({"controls": _answers(report)} if report.controls else {}),
    }


def _answers(report: Report) -> dict[str, dict[str, str]]:
    """The answer for each control, by framework."""
    found: dict[str, dict[str, str]] = {}
    for one in report.controls:
        found.setdefault(one.framework, {})[one.control] = str(one.answer)
    return found


def _waived(item: InputReport) -> list[dict[str, Any]]:
    """The waivers of the policy that let calls pass, and how many."""
    return [{"waiver": name, "calls": calls} for name, calls in item.waived.items()]


def _input(item: InputReport) -> dict[str, Any]:
    """What was judged. Lines that were certified before are not read again, so their bytes have no digest."""
    found = {"format": item.format, "lines": item.lines, "bytes": item.bytes, "sha256": item.sha256 or None}
    return found | ({"since": item.since} if item.since else {})


def choices(made: Choices) -> dict[str, Any]:
    """The choices behind a verdict, the defaults too; files by their digests."""
    return {
        "fail_on": made.fail_on,
        "inconclusive": made.inconclusive,
        "open": made.open,
        "require_chain": made.require_chain,
        "selected": list(made.selected),
        "ignored": list(made.ignored),
        "baseline_sha256": made.baseline_sha256,
        "mapping_sha256": made.mapping_sha256,
        "expected_root": made.expected_root,
        "expected_size": made.expected_size,
    } | ({WAIVERS: made.waivers_sha256} if made.waivers_sha256 else {})


DEFAULTS = {key: value for key, value in choices(Choices()).items() if not key.startswith("expected_")}
"""What makes a profile ``default``. A root or size that was expected only adds to what must hold."""


def profile(made: dict[str, Any]) -> str:
    """``default``, or ``custom`` when any choice was another."""
    kept = all(made[key] == value for key, value in DEFAULTS.items())
    return "default" if kept and not made.get(WAIVERS) else "custom"


def checkpoint(pinned: Pinned | None) -> Any:
    """The checkpoint that the input was held against, or ``none``."""
    if pinned is None:
        return "none"
    return {
        "origin": pinned.origin,
        "size": pinned.size,
        "root": pinned.root,
        "note": pinned.note,
        "agrees": pinned.agrees,
        "earlier": list(pinned.earlier),
    }


def _kind(finding: Finding) -> str:
    return "inconclusive" if finding.inconclusive else str(finding.severity)


def _counts(findings: tuple[Finding, ...]) -> dict[str, int]:
    found = Counter(map(_kind, findings))
    return {kind: found[kind] for kind in KINDS}


def _by_rule(findings: tuple[Finding, ...]) -> dict[str, dict[str, int]]:
    """How many findings each rule gave, by kind; rules without any are left out."""
    codes = sorted({finding.code for finding in findings})
    return {code: _counts(tuple(one for one in findings if one.code == code)) for code in codes}


def _rules(report: Report, item: InputReport) -> dict[str, Any]:
    return {
        "digest": report.rule_set,
        "run": list(report.rules_run),
        "not_run": [code for code in all_rules() if code not in report.rules_run],
        "not_exercised": list(report.rules_not_exercised),
        "not_assessable": dict(sorted(item.not_assessable.items())),
    }
