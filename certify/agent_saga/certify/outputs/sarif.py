"""``sarif``: SARIF 2.1.0 with what GitHub code scanning asks for.

- A rule carries help as text and Markdown, its level and tags; a result its line, a fingerprint without line numbers
  and the witness as a code flow, so that the lines can be stepped through.
- ``primaryLocationLineHash`` is the one fingerprint that GitHub reads; it is cut from ours.
- A location always has a line: one about the input as a whole points at line 1.
- Suppressed findings stand in it only on request, because GitHub opens an alert for a suppressed result too.
- What is undecided has ``kind: open`` and therefore ``level: none`` (section 3.27.10).
- ``executionSuccessful`` is false when an input could not be judged or there was nothing to check: no results must
  then not be read as all clear.

Source: OASIS SARIF 2.1.0, errata 01.
"""

from typing import Any, Final

from agent_saga.certify.findings import Finding
from agent_saga.certify.outputs.base import Options, RuleInfo, rules_of
from agent_saga.certify.outputs.escape import dumps, sarif, shown, uri
from agent_saga.certify.outputs.facts import (
    EXIT_MEANING,
    assumptions,
    not_assessable,
    unique_fingerprints,
    unread,
    verdict_line,
)
from agent_saga.certify.outputs.json_report import choices
from agent_saga.certify.report import Exit, Report, Suppressed, Verdict

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MAX_DESCRIPTION: Final = 1024
"""Characters of a short or full description that GitHub takes."""
_PROBLEM: Final = {"error": "error", "warning": "warning", "note": "recommendation"}


def render(report: Report, options: Options) -> str:
    """Write the report as one SARIF run."""
    rules = rules_of(report, options.rules)
    hidden = report.suppressed if options.show_suppressed else ()
    run = {
        "tool": {"driver": _driver(report, rules)},
        "automationDetails": {"id": "agent-saga/certify/"},
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The folder that certify was run in."}}},
        "invocations": [_invocation(report)],
        "artifacts": [_artifact(item.path, item.bytes, item.sha256) for item in report.inputs],
        "results": _results(report, rules, hidden),
        "properties": _properties(report),
    }
    return dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _driver(report: Report, rules: dict[str, RuleInfo]) -> dict[str, Any]:
    return {
        "name": "agent-saga",
        "semanticVersion": report.tool_version,
        "rules": [_rule(rule) for rule in rules.values()],
        "properties": {"ruleSet": report.rule_set},
    }


def _rule(rule: RuleInfo) -> dict[str, Any]:
    summary = sarif(rule.what)[:MAX_DESCRIPTION]
    full = sarif(f"{rule.what} {rule.why}".strip())[:MAX_DESCRIPTION]
    return {
        "id": shown(rule.code),
        "name": shown(rule.name),
        "shortDescription": {"text": f"{rule.name.replace('-', ' ').capitalize()}"},
        "fullDescription": {"text": full or summary},
        "help": {"text": _help_text(rule), "markdown": _help_markdown(rule)},
        "defaultConfiguration": {"level": str(rule.severity)},
        "properties": {
            "tags": ["agent-saga", shown(rule.family)],
            "precision": "very-high",
            "problem.severity": _PROBLEM[str(rule.severity)],
        },
    }


def _help_parts(rule: RuleInfo) -> list[tuple[str, str]]:
    parts = [("What it finds", rule.what), ("Why it matters", rule.why), ("How to fix it", rule.fix)]
    return [(name, text.strip()) for name, text in parts if text.strip()]


def _help_text(rule: RuleInfo) -> str:
    parts = [f"{name}: {text}" for name, text in _help_parts(rule)]
    return "\n\n".join([*parts, f"More: agent-saga explain {rule.code}"])


def _help_markdown(rule: RuleInfo) -> str:
    parts = [f"**{name}.** {text}" for name, text in _help_parts(rule)]
    for name, example in (("Bad", rule.bad), ("Good", rule.good)):
        if example.strip():
            parts.append(f"**{name}**\n\n{_fenced(example)}")
    return "\n\n".join([*parts, f"More: `agent-saga explain {rule.code}`"])


def _fenced(example: str) -> str:
    body = example.strip("\n")
    return body if "```" in body else f"```text\n{body}\n```"


def _results(report: Report, rules: dict[str, RuleInfo], hidden: tuple[Suppressed, ...]) -> list[dict[str, Any]]:
    index = {code: number for number, code in enumerate(rules)}
    inputs = {item.path: number for number, item in reversed(list(enumerate(report.inputs)))}
    found = [*report.findings, *(item.finding for item in hidden)]
    by: list[str | None] = [*(None for _ in report.findings), *(item.by for item in hidden)]
    marks = unique_fingerprints(found)
    return [_result(f, index, inputs, mark, b) for f, mark, b in zip(found, marks, by, strict=True)]


def _result(
    finding: Finding, rules: dict[str, int], inputs: dict[str, int], mark: str, by: str | None
) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": shown(finding.code),
        "ruleIndex": rules[finding.code],
        "kind": "open" if finding.inconclusive else "fail",
        "level": "none" if finding.inconclusive else str(finding.severity),
        "message": {"text": _message(finding)},
        "locations": [_location(finding, finding.line, inputs) | _logical(finding)],
        "partialFingerprints": {
            "agentSaga/v1": finding.fingerprint,
            "primaryLocationLineHash": f"{mark[:16]}:{mark[65:] or '1'}",
        },
        "occurrenceCount": finding.count,
        "properties": {
            "saga": finding.saga,
            "subject": finding.subject,
            "expected": finding.expected,
            "fix": finding.fix,
        },
    }
    if finding.witness:
        result["codeFlows"] = [_flow(finding, inputs)]
    if by is not None:
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": shown(by)}]
    return result


def _message(finding: Finding) -> str:
    parts = [sarif(finding.because)]
    if finding.expected:
        parts.append(f"Expected next: {sarif(finding.expected)}")
    if finding.fix:
        parts.append(f"Fix: {sarif(finding.fix)}")
    return "\n".join(parts)


def _logical(finding: Finding) -> dict[str, Any]:
    if not finding.saga:
        return {}
    return {"logicalLocations": [{"name": shown(finding.saga), "kind": "object"}]}


def _location(finding: Finding, line: int, inputs: dict[str, int]) -> dict[str, Any]:
    artifact = _uri(finding.source)
    if finding.source in inputs:
        artifact["index"] = inputs[finding.source]
    return {"physicalLocation": {"artifactLocation": artifact, "region": {"startLine": max(line, 1)}}}


def _flow(finding: Finding, inputs: dict[str, int]) -> dict[str, Any]:
    steps = [
        {
            "location": _location(finding, w.line, inputs) | {"message": {"text": sarif(w.what)}},
            "importance": "essential",
        }
        for w in finding.witness
    ]
    return {"message": {"text": "The lines that carry the finding."}, "threadFlows": [{"locations": steps}]}


def _uri(path: str) -> dict[str, Any]:
    return {"uri": uri(path)} if path.startswith("/") else {"uri": uri(path), "uriBaseId": "%SRCROOT%"}


def _artifact(path: str, size: int, sha256: str) -> dict[str, Any]:
    known = {"length": size, "hashes": {"sha-256": sha256}} if sha256 else {}
    return {"location": _uri(path), "roles": ["analysisTarget"]} | known


def _invocation(report: Report) -> dict[str, Any]:
    notes = [_notification(unread(item), item.path) for item in report.inputs if item.error]
    if report.verdict is Verdict.NOTHING:
        notes.append(_notification("There was nothing to check; this is not a pass.", ""))
    judged = report.exit_code in (Exit.CERTIFIED, Exit.NOT_CERTIFIED, Exit.INCONCLUSIVE)
    return {
        "executionSuccessful": judged and not notes,
        "exitCode": int(report.exit_code),
        "exitCodeDescription": EXIT_MEANING[report.exit_code],
        "toolExecutionNotifications": notes,
    }


def _notification(text: str, path: str) -> dict[str, Any]:
    place = {"locations": [{"physicalLocation": {"artifactLocation": _uri(path)}}]} if path else {}
    return {"level": "error", "message": {"text": sarif(text)}} | place


def _properties(report: Report) -> dict[str, Any]:
    return {
        "verdict": str(report.verdict),
        "headline": verdict_line(report),
        "profile": report.choices.profile,
        "choices": choices(report.choices),
        "sagasJudged": report.saga_count,
        "suppressed": len(report.suppressed),
        "staleBaseline": list(report.stale_baseline),
        "rulesNotExercised": list(report.rules_not_exercised),
        "notAssessable": [
            {"format": name, "rules": list(codes), "reason": reason} for reason, name, codes in not_assessable(report)
        ],
        "assumptions": assumptions(report),
    }
