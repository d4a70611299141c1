"""The baseline: findings that a team has seen and chose not to count, until they go away or grow.

A baseline is a JSON file that people review, so it names each finding in words besides its fingerprint:

    {
      "agent-saga-baseline": 1,
      "findings": [
        {"fingerprint": "5f0c...", "code": "AS201", "saga": "k3Jx", "subject": "effect e1",
         "because": "payments.charge took effect (e1, 42.00 EUR) and was not undone, yet ...", "count": 1}
      ]
    }

Line numbers are not part of it: a log that grows keeps its baseline. Its sentence is, with tools and amounts: whoever
is judged chooses the ids, and could else give those of an accepted finding to a worse one. A finding that concerns an
input as a whole carries ``source`` for ``saga``. The fingerprint must be that of the words beside it, so that nobody
hides one finding behind the words of another. A finding that happens more often than ``count``, in all inputs together,
is counted again. The same findings give the same bytes, and the file's SHA-256 stands in every report.

Source: docs/rules.md, "A finding".
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Final

from agent_saga.certify.findings import Finding, Severity
from agent_saga.certify.settings.documents import did_you_mean, parse_json, read_document
from agent_saga.trace.errors import AgentSagaError

MARK: Final = "agent-saga-baseline"
VERSION: Final = 1
_ORDER: Final = ("fingerprint", "code", "saga", "source", "subject", "because", "count")
_LINE = re.compile(r"\bline \d+")
Key = tuple[str, str, str, str, str]
"""Code, saga, source, subject and sentence: what two findings share that a baseline takes for one."""


class BaselineError(AgentSagaError):
    """A file is not a baseline: another format or version, a damaged or doubled entry."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One finding of a baseline. saga: "" when it concerns the input ``source`` as a whole. because: without lines."""

    code: str
    saga: str
    source: str
    subject: str
    because: str
    count: int

    @property
    def fingerprint(self) -> str:
        """That of the finding in these words."""
        return _finding(self).fingerprint

    @property
    def key(self) -> Key:
        """Sort key of the file, and what tells entries apart."""
        return (self.code, self.saga, self.source, self.subject, self.because)


@dataclass(frozen=True, slots=True)
class Baseline:
    """A baseline as read. path: as the user named it. sha256: of the file's bytes. entries: by their keys."""

    path: str
    sha256: str
    entries: Mapping[Key, Entry]

    def covered(self, findings: Iterable[Finding]) -> frozenset[Key]:
        """Which of these the baseline covers: the same ones, all together no more often than when it was written."""
        found: Counter[Key] = Counter()
        for finding in findings:
            found[key_of(finding)] += finding.count
        return frozenset(
            key for key, count in found.items() if key in self.entries and count <= self.entries[key].count
        )

    def stale(self, used: Iterable[Key]) -> tuple[str, ...]:
        """Fingerprints of entries that are not among those ``used``, in the order of the file: entries to remove."""
        seen = frozenset(used)
        return tuple(entry.fingerprint for key, entry in self.entries.items() if key not in seen)


def key_of(finding: Finding) -> Key:
    """What tells this finding from others in a baseline."""
    return _entry(finding).key


def render_baseline(findings: Iterable[Finding]) -> bytes:
    """The file for these findings, an entry a line. Findings of one key become one entry; counts add up."""
    entries: dict[Key, Entry] = {}
    for finding in findings:
        entry = _entry(finding)
        known = entries.get(entry.key)
        entries[entry.key] = replace(known, count=known.count + finding.count) if known else entry
    lines = [json.dumps(_members(e), ensure_ascii=True) for e in sorted(entries.values(), key=lambda e: e.key)]
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
    entries: dict[Key, Entry] = {}
    for place, item in enumerate(document["findings"], 1):
        entry = _parsed(item, f"{path}: entry {place}")
        if entry.key in entries:
            raise BaselineError(f"{path}: entry {place}: {entry.code} {entry.subject!r} stands twice; remove one")
        entries[entry.key] = entry
    return Baseline(path, sha256(data).hexdigest(), entries)


_REDO: Final = "write it anew with --write-baseline"


def _parsed(item: Any, where: str) -> Entry:
    if not isinstance(item, dict):
        raise BaselineError(f"{where}: not an object; {_REDO}")
    for name in item:
        if name not in _ORDER:
            raise BaselineError(f"{where}: unknown member {name!r}{did_you_mean(name, _ORDER)}")
    texts = {name: item.get(name, "") for name in _ORDER if name != "count"}
    wrong = [n for n, value in texts.items() if not isinstance(value, str)]
    count = item.get("count")
    if wrong or type(count) is not int or count < 1 or not re.fullmatch(r"AS\d{3}", texts["code"]):
        raise BaselineError(f"{where}: {(wrong or ['code or count'])[0]} is missing or not what it must be; {_REDO}")
    if "because" not in item:
        raise BaselineError(f"{where}: because is missing: an entry says what was accepted; {_REDO}")
    fingerprint = texts.pop("fingerprint")
    entry = Entry(**texts, count=count)
    if fingerprint != entry.fingerprint:
        raise BaselineError(f"{where}: the fingerprint is not that of {entry.code} {entry.subject!r}; {_REDO}")
    return entry


def _entry(finding: Finding) -> Entry:
    source = "" if finding.saga else finding.source  # a moved log keeps its baseline
    return Entry(
        finding.code, finding.saga, source, finding.subject, _LINE.sub("line #", finding.because), finding.count
    )


def _members(entry: Entry) -> dict[str, object]:
    values = {name: getattr(entry, name) for name in _ORDER}
    return {name: value for name, value in values.items() if value != "" or name == "because"}


def _finding(entry: Entry) -> Finding:
    words = {"name": "", "expected": "", "fix": "", "witness": ()}
    return Finding(
        code=entry.code,
        severity=Severity.ERROR,
        source=entry.source,
        saga=entry.saga,
        subject=entry.subject,
        because=entry.because,
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
        "because": text,
        "count": {"type": "integer", "minimum": 1},
    }
    required = ["fingerprint", "code", "because", "count"]
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
