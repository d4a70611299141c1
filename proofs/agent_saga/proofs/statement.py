"""In-toto statements: what is said (the predicate) about what (the subject). Ours have one subject and one type each.

    {"_type":"https://in-toto.io/Statement/v1",
     "predicate":{...},
     "predicateType":"urn:agent-saga:certificate:v1",
     "subject":[{"annotations":{"size":34},"digest":{"rfc9162-sha256":"d28be3..."},"name":"log.example/shop"}]}

(one line, without spaces). A subject is a log at a size, named by its origin and root, or a file, named by its SHA-256.
A statement is in canonical JSON, so it has one spelling.

Source: in-toto attestation framework v1, "Statement" and "ResourceDescriptor"; RFC 8785;
docs/spec/certificate-v1.md, "Statement".
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import rfc8785

from agent_saga.proofs.errors import Refuted
from agent_saga.proofs.limits import MAX_NAME, MAX_SIZE

STATEMENT_TYPE: Final = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE: Final = "urn:agent-saga:certificate:v1"
LOG_DIGEST: Final = "rfc9162-sha256"
"""Names the digest of a log's subject: the RFC 9162 root, which is the SHA-256 of no file."""
FILE_DIGEST: Final = "sha256"

_HEX = re.compile(r"[0-9a-f]{64}").fullmatch
_MAX_FILE_NAME: Final = 4_096


@dataclass(frozen=True, slots=True)
class LogSubject:
    """A log at a size. root: 64 hex digits."""

    origin: str
    size: int
    root: str

    def descriptor(self) -> dict[str, Any]:
        """Its ResourceDescriptor."""
        return {"name": self.origin, "digest": {LOG_DIGEST: self.root}, "annotations": {"size": self.size}}

    def __str__(self) -> str:
        return f"the log {self.origin} of {self.size} lines, root {self.root}"


@dataclass(frozen=True, slots=True)
class FileSubject:
    """A file. name: for people; sha256: of its bytes, 64 hex digits, what counts."""

    name: str
    sha256: str

    def descriptor(self) -> dict[str, Any]:
        """Its ResourceDescriptor."""
        return {"name": self.name, "digest": {FILE_DIGEST: self.sha256}}

    def __str__(self) -> str:
        return f"the file {self.name}, SHA-256 {self.sha256}"


Subject = LogSubject | FileSubject


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement in the right form; what it says of the subject is still to be judged."""

    subject: Subject
    predicate: Mapping[str, Any]


def format_statement(statement: Statement) -> bytes:
    """The one spelling of a statement: canonical JSON (RFC 8785)."""
    return rfc8785.dumps(
        {
            "_type": STATEMENT_TYPE,
            "predicateType": PREDICATE_TYPE,
            "subject": [statement.subject.descriptor()],
            "predicate": dict(statement.predicate),
        }
    )


def parse_statement(payload: bytes) -> Statement:
    """Read a statement. Raises Refuted.

    Reasons: ``bad-statement``, ``bad-spelling``, ``wrong-type``, ``wrong-predicate-type``, ``bad-subject``.
    """
    found = _document(payload)
    if not isinstance(found, dict) or set(found) != {"_type", "predicate", "predicateType", "subject"}:
        raise Refuted("bad-statement", "expected an object of _type, predicate, predicateType and subject alone")
    if found["_type"] != STATEMENT_TYPE:
        raise Refuted("wrong-type", f"a statement of type {found['_type']!r:.80}: expected {STATEMENT_TYPE}")
    if found["predicateType"] != PREDICATE_TYPE:
        raise Refuted(
            "wrong-predicate-type", f"a predicate of type {found['predicateType']!r:.80}: expected {PREDICATE_TYPE}"
        )
    if not isinstance(found["predicate"], dict):
        raise Refuted("bad-statement", "the predicate is no object")
    return Statement(_subject(found["subject"]), found["predicate"])


def _document(payload: bytes) -> Any:
    try:
        found = json.loads(payload.decode())
        spelled = rfc8785.dumps(found)
    except (ValueError, RecursionError) as fault:
        raise Refuted("bad-statement", f"the payload is not JSON that can be used: {str(fault)[:200]}") from fault
    if spelled != payload:
        raise Refuted("bad-spelling", "the payload is not canonical JSON (RFC 8785): it has another spelling")
    return found


def _subject(found: Any) -> Subject:
    if not isinstance(found, list) or len(found) != 1 or not isinstance(found[0], dict):
        raise Refuted("bad-subject", "expected exactly one subject")
    one = found[0]
    digest, name = one.get("digest"), one.get("name")
    if isinstance(digest, dict) and isinstance(name, str) and len(digest) == 1:
        ((kind, value),) = digest.items()
        if isinstance(value, str) and _HEX(value):
            if kind == LOG_DIGEST and set(one) == {"name", "digest", "annotations"} and 0 < len(name) <= MAX_NAME:
                return LogSubject(name, _size(one["annotations"]), value)
            if kind == FILE_DIGEST and set(one) == {"name", "digest"} and 0 < len(name) <= _MAX_FILE_NAME:
                return FileSubject(name, value)
    raise Refuted("bad-subject", "expected a log (name, rfc9162-sha256, size) or a file (name, sha256)")


def _size(annotations: Any) -> int:
    size = annotations.get("size") if isinstance(annotations, dict) and len(annotations) == 1 else None
    if type(size) is not int or not 0 < size <= MAX_SIZE:
        raise Refuted("bad-subject", f"a log of the size {size!s:.40}: expected 1 to 2^53 - 1")
    return size
