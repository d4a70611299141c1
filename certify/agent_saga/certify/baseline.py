"""The baseline: findings that a team has seen and chose not to count, until they go away or grow.

A baseline is a JSON file that people review, so it names each finding in words besides its fingerprint:

    {
      "agent-saga-baseline": 1,
      "findings": [
        {"fingerprint": "5f0c...", "code": "AS201", "saga": "k3Jx", "subject": "effect e1", "count": 1}
      ]
    }

Line numbers are not part of it: a log that grows keeps its baseline. A finding that concerns an input as a whole
carries ``source`` for ``saga``. The fingerprint must be that of the words beside it, so that nobody hides one finding
behind the words of another. A finding that happens more often than ``count`` is counted again. The same findings
give the same bytes, and the file's SHA-256 stands in every report.

Source: docs/rules.md, "A finding".
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Final

from agent_saga.certify.findings import Finding, Severity
from agent_saga.certify.settings.documents import did_you_mean, parse_json, read_document
from agent_saga.trace.errors import AgentSagaError

MARK: Final = "agent-saga-baseline"
VERSION: Final = 1
_ORDER: Final = ("fingerprint", "code", "saga", "source", "subject", "count")


class BaselineError(AgentSagaError):
    """A file is not a baseline: another format or version, a damaged or doubled entry."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One finding of a baseline. saga: "" when it concerns the input ``source`` as a whole."""

    code: str
    saga: str
    source: str
    subject: str
    count: int

    @property
    def fingerprint(self) -> str:
        """That of the finding in these words."""
        return _finding(self).fingerprint

    @property
    def order(self) -> tuple[str, str, str, str]:
        """Sort key of the file."""
        return (self.code, self.saga, self.source, self.subject)


@dataclass(frozen=True, slots=True)
class Baseline:
    """A baseline as read. path: as the user named it. sha256: of the file's bytes. entries: by fingerprint."""

    path: str
    sha256: str
    entries: Mapping[str, Entry]

    def matches(self, finding: Finding) -> bool:
        """Whether the baseline covers this finding: the same one, and no more often than when it was written."""
        entry = self.entries.get(finding.fingerprint)
        return entry is not None and finding.count <= entry.count

    def stale(self, used: Iterable[str]) -> tuple[str, ...]:
        """Fingerprints that are not among those ``used``, in the order of the file: entries to remove."""
        seen = frozenset(used)
        return tuple(fingerprint for fingerprint in self.entries if fingerprint not in seen)


def render_baseline(findings: Iterable[Finding]) -> bytes:
    """The file for these findings, an entry a line. Findings of one fingerprint become one entry; counts add up."""
    entries: dict[str, Entry] = {}
    for finding in findings:
        key = finding.fingerprint
        known = entries.get(key)
        entries[key] = replace(known, count=known.count + finding.count) if known else _entry(finding)
    lines = [json.dumps(_members(e), ensure_ascii=True) for e in sorted(entries.values(), key=lambda e: e.order)]
    body = ",\n    ".join(lines)
    findings_text = f"[\n    {body}\n  ]" if lines else "[]"
    return f'{{\n  "{MARK}": {VERSION},\n  "findings": {findings_text}\n}}\n'.encode()


def read_baseline(path: str) -> Baseline:
    """Read a baseline file. Raises BaselineError or DocumentError, each with file and what to do."""
    return parse_baseline(read_document(path), path)


def parse_baseline(data: bytes, path: str) -> Baseline:
    """A baseline from its bytes. path: for messages and reports. Raises BaselineError or DocumentError."""
    document = parse_json(data, path)
    found = document.get(MARK) if isinstance(document, dict) else None
    if found is None or set(document) != {MARK, "findings"} or not isinstance(document["findings"], list):
        raise BaselineError(f'{path}: not a baseline: expected the members "{MARK}" and "findings"; {_REDO}')
    if found is True or found != VERSION:
        raise BaselineError(f"{path}: baseline version {found!r}; this release reads version {VERSION}; {_REDO}")
    entries: dict[str, Entry] = {}
    for place, item in enumerate(document["findings"], 1):
        fingerprint, entry = _parsed(item, f"{path}: entry {place}")
        if fingerprint in entries:
            raise BaselineError(f"{path}: entry {place}: {entry.code} {entry.subject!r} stands twice; remove one")
        entries[fingerprint] = entry
    return Baseline(path, sha256(data).hexdigest(), entries)


_REDO: Final = "write it anew with --write-baseline"


def _parsed(item: Any, where: str) -> tuple[str, Entry]:
    if not isinstance(item, dict):
        raise BaselineError(f"{where}: not an object; {_REDO}")
    for name in item:
        if name not in _ORDER:
            raise BaselineError(f"{where}: unknown member {name!r}{did_you_mean(name, _ORDER)}")
    texts = {n: item.get(n, "") for n in ("fingerprint", "code", "saga", "source", "subject")}
    wrong = [n for n, value in texts.items() if not isinstance(value, str)]
    count = item.get("count")
    if wrong or type(count) is not int or count < 1 or not re.fullmatch(r"AS\d{3}", texts["code"]):
        raise BaselineError(f"{where}: {(wrong or ['code or count'])[0]} is missing or not what it must be; {_REDO}")
    fingerprint = texts.pop("fingerprint")
    entry = Entry(**texts, count=count)
    if fingerprint != entry.fingerprint:
        raise BaselineError(f"{where}: the fingerprint is not that of {entry.code} {entry.subject!r}; {_REDO}")
    return fingerprint, entry


def _entry(finding: Finding) -> Entry:
    source = "" if finding.saga else finding.source  # a moved log keeps its baseline
    return Entry(finding.code, finding.saga, source, finding.subject, finding.count)


def _members(entry: Entry) -> dict[str, object]:
    values = {name: getattr(entry, name) for name in _ORDER}
    return {name: value for name, value in values.items() if value != ""}


def _finding(entry: Entry) -> Finding:
    words = {"name": "", "because": "", "expected": "", "fix": "", "witness": ()}
    return Finding(
        code=entry.code,
        severity=Severity.ERROR,
        source=entry.source,
        saga=entry.saga,
        subject=entry.subject,
        **words,  # type: ignore[arg-type]
    )


def json_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of a baseline file."""
    text = {"type": "string"}
    members: dict[str, Any] = {
        "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        "code": {"type": "string", "pattern": "^AS[0-9]{3}$"},
        "saga": text,
        "source": text,
        "subject": text,
        "count": {"type": "integer", "minimum": 1},
    }
    required = ["fingerprint", "code", "count"]
    entry = {"type": "object", "additionalProperties": False, "required": required, "properties": members}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:agent-saga:baseline:v1",
        "title": "A baseline of agent-saga certify, version 1",
        "type": "object",
        "additionalProperties": False,
        "required": [MARK, "findings"],
        "properties": {MARK: {"const": VERSION}, "findings": {"type": "array", "items": entry}},
    }
