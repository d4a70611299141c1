"""Signing a report: the certificate as bytes. Same report, time and key: same bytes.

Source: docs/spec/certificate-v1.md, "Subject".
"""

import os

from agent_saga.certify.certificate.predicate import predicate
from agent_saga.certify.report import InputReport, Report, Verdict
from agent_saga.proofs.dsse import seal
from agent_saga.proofs.notes import Signer
from agent_saga.proofs.statement import FileSubject, LogSubject, Statement, Subject, format_statement
from agent_saga.proofs.vkeys import VerifierKey
from agent_saga.trace.errors import AgentSagaError


class Uncertifiable(AgentSagaError):
    """There is no certificate of this report: it is about no input, or several, or nothing was judged."""


def make_certificate(report: Report, now: str, key: VerifierKey, signer: Signer) -> bytes:
    """The signed certificate of a report.

    now: RFC 3339 in UTC with six decimals. key: of the purpose ``certificate``. Raises Uncertifiable, KeyFault.
    """
    return seal(format_statement(statement(report, now)), key, signer)


def statement(report: Report, now: str) -> Statement:
    """What a certificate of this report says. Raises Uncertifiable."""
    if len(report.inputs) != 1:
        raise Uncertifiable(f"{len(report.inputs)} inputs: a certificate is about exactly one; name one log or file")
    (item,) = report.inputs
    if report.verdict is Verdict.NOTHING or item.error:
        raise Uncertifiable(f"{item.path}: nothing was judged ({item.error or 'no saga'}); there is nothing to certify")
    return Statement(subject(item), predicate(report, now))


def subject(item: InputReport) -> Subject:
    """The log at its checkpoint, where the lines of the log itself stand under it; else the file."""
    pinned = item.checkpoint
    if pinned is not None and pinned.agrees and item.format.startswith("agent-saga trace "):
        return LogSubject(pinned.origin, pinned.size, pinned.root)
    return FileSubject(os.path.basename(item.path) or item.path, item.sha256)
