"""``oscal``: the answers for controls as OSCAL assessment results, JSON.

Every uuid is version 5 over the content that it names, and every time is ``now`` of the report: the same report gives
the same document. A PASS stands as ``satisfied`` by this one assessment of one log; the words of every finding say
"provides evidence for". NOT ASSESSABLE is ``not-satisfied`` with the reason ``other``, never left out.

Source: OSCAL 1.2, assessment results model (NIST).
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

from agent_saga.certify.controls.assessing import MOST
from agent_saga.certify.controls.model import token_of
from agent_saga.certify.controls.reading import framework
from agent_saga.certify.controls.results import Answer, ControlResult
from agent_saga.certify.findings import Finding
from agent_saga.certify.outputs.base import Options
from agent_saga.certify.outputs.escape import dumps, shown
from agent_saga.certify.outputs.facts import assumptions, choices_made, place, verdict_line
from agent_saga.certify.report import InputReport, Report
from agent_saga.trace.errors import AgentSagaError

OSCAL_VERSION: Final = "1.2.1"
PROPERTIES: Final = "urn:agent-saga:oscal:v1"
"""Namespace of our own properties."""
NAMESPACE: Final = uuid5(NAMESPACE_URL, PROPERTIES)
"""Of all uuids of this module (RFC 9562, section 5.5)."""
_REASON: Final = {Answer.PASS: "pass", Answer.FAIL: "fail", Answer.NOT_ASSESSABLE: "other"}


class OscalError(AgentSagaError):
    """The report has no controls, or no time that the document could bear."""


def render(report: Report, options: Options) -> str:
    """Write the answers as OSCAL. Raises OscalError for a report without controls or without ``now``."""
    if not report.controls:
        raise OscalError("oscal: the report answers no controls: give --controls FRAMEWORK")
    if not report.choices.now:
        raise OscalError("oscal: every OSCAL document bears a time: give --now TIME, or set SOURCE_DATE_EPOCH")
    return dumps({"assessment-results": _document(report)})


def _document(report: Report) -> dict[str, Any]:
    seed = _seed(report)
    now = report.choices.now
    plan = _uuid("plan", seed)
    return {
        "uuid": _uuid("document", seed),
        "metadata": {
            "title": "Controls that a judged log of an AI agent provides evidence for",
            "last-modified": now,
            "version": shown(report.tool_version),
            "oscal-version": OSCAL_VERSION,
            "remarks": "Evidence from one log. No statement that any party complies with any framework.",
        },
        "import-ap": {"href": f"#{plan}", "remarks": "The control map of this release takes the plan's place."},
        "results": [_result(report, ident, seed) for ident in _frameworks(report)],
        "back-matter": {"resources": [_plan(plan, report), *(_evidence(item, seed) for item in report.inputs)]},
    }


def _frameworks(report: Report) -> list[str]:
    return list(dict.fromkeys(item.framework for item in report.controls))


def _seed(report: Report) -> str:
    """What makes two reports different documents: the inputs, the rules, the choices and the answers."""
    parts = [report.tool_version, report.rule_set, verdict_line(report)]
    parts += [f"{item.path} {item.sha256}" for item in report.inputs]
    parts += [f"{name} {value}" for name, value in choices_made(report.choices)]
    parts += ["\n".join((item.framework, item.control, item.answer, *item.reasons)) for item in report.controls]
    return sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()


def _uuid(*parts: str) -> str:
    return str(uuid5(NAMESPACE, "\0".join(shown(part) for part in parts)))


def _result(report: Report, ident: str, seed: str) -> dict[str, Any]:
    found = framework(ident)
    items = [item for item in report.controls if item.framework == ident]
    observations = [_observation(item, report, seed) for item in items]
    return {
        "uuid": _uuid("result", ident, seed),
        "title": f"{found.name}, {found.version}",
        "description": f"{verdict_line(report)}. What no trace can speak of: {found.not_covered}",
        "start": report.choices.now,
        "end": report.choices.now,
        "props": [
            _prop("verdict", str(report.verdict)),
            _prop("profile", report.choices.profile),
            _prop("rule-set", report.rule_set or "none"),
            _prop("framework", ident),
        ],
        "reviewed-controls": {
            "description": f"The controls of {found.publisher} that the control map names.",
            "control-selections": [{"include-controls": [{"control-id": token_of(item.control)} for item in items]}],
        },
        "observations": observations,
        "findings": [_finding(item, seen["uuid"], seed) for item, seen in zip(items, observations, strict=True)],
        "remarks": shown(" ".join(assumptions(report))) or "no assumptions",
    }


def _observation(item: ControlResult, report: Report, seed: str) -> dict[str, Any]:
    evidence = [*_inputs(report, seed), *(_line(finding) for finding in item.findings[:MOST])]
    made: dict[str, Any] = {
        "uuid": _uuid("observation", item.framework, item.control, seed),
        "title": f"{item.control} {item.title}",
        "description": shown(" ".join(item.reasons)),
        "methods": ["EXAMINE"],
        "types": ["finding" if item.answer is Answer.FAIL else "control-objective"],
        "collected": report.choices.now,
    }
    if item.rules:
        made["props"] = [_prop("rule", code) for code in item.rules]
    return made | ({"relevant-evidence": evidence} if evidence else {})


def _inputs(report: Report, seed: str) -> Iterator[dict[str, Any]]:
    for item in report.inputs:
        yield {"href": f"#{_resource(item, seed)}", "description": shown(f"{item.path}: {item.format}")}


def _line(finding: Finding) -> dict[str, Any]:
    where = place(finding.source, finding.line)
    return {
        "description": shown(f"{finding.code} {finding.name} at {where}: {finding.because}"),
        "props": [_prop("rule", finding.code), _prop("fingerprint", finding.fingerprint)],
    }


def _finding(item: ControlResult, observation: str, seed: str) -> dict[str, Any]:
    state = "satisfied" if item.answer is Answer.PASS else "not-satisfied"
    return {
        "uuid": _uuid("finding", item.framework, item.control, seed),
        "title": f"{item.answer}: {item.control} {item.title}",
        "description": shown(item.reasons[0]),
        "target": {
            "type": "objective-id",
            "target-id": token_of(item.control),
            "status": {"state": state, "reason": _REASON[item.answer], "remarks": shown(" ".join(item.reasons))},
            "remarks": f"Not covered: {item.not_covered}",
        },
        "related-observations": [{"observation-uuid": observation}],
    }


def _prop(name: str, value: str) -> dict[str, str]:
    return {"name": name, "ns": PROPERTIES, "value": shown(value)}


def _plan(uuid: str, report: Report) -> dict[str, Any]:
    idents = ", ".join(_frameworks(report))
    return {
        "uuid": uuid,
        "title": "Control map",
        "description": f"The control map of agent-saga {shown(report.tool_version)} for {idents}: docs/controls.md.",
    }


def _resource(item: InputReport, seed: str) -> str:
    return _uuid("input", item.path, item.sha256, seed)


def _evidence(item: InputReport, seed: str) -> dict[str, Any]:
    told = item.error or f"{item.format}, {item.lines} lines, {item.sagas} sagas, {item.bytes} bytes"
    made: dict[str, Any] = {"uuid": _resource(item, seed), "title": shown(item.path), "description": shown(told)}
    return made | ({"props": [_prop("sha-256", item.sha256)]} if item.sha256 else {})
