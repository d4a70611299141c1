"""Traces of the project Agentic Saga, schema 1.0: its "flight recorder", one JSON document a saga.

A document has a header (saga_id, run_id, definition_version, started_at, finished_at, outcome), ``events`` with
``saga_seq`` 1, 2, 3 ..., ``proofs`` and ``final_projection_hash``. An event looks like this, abridged::

    {"event_id": "evt_...", "saga_seq": 5, "event_type": "effect_outcome_recorded", "operation_id": "op_...",
     "redacted_input": {"amount_minor": 7900, "currency": "USD"}, "input_hash": "SHA-256 of it",
     "redacted_output": {"kind": "effect_confirmed"}, "output_hash": "SHA-256 of it", ...}

There is no chain. Digests bind the public input and output of an event; event, run and operation ids are digests of
what they name. All are recomputed (:mod:`.integrity`); the header and the proofs are compared with the events
(:mod:`.summary`); a sidecar ``index.json`` pins whole files (:mod:`.sidecar`); :mod:`.translate` makes our events.

Source: docs/sources/agentic-saga.md; schema 1.0 as published by that project.
"""

import re
from collections.abc import Iterator
from typing import Final

from agent_saga.certify.importers.agentic_saga.form import VERSION, check_event, check_header, completed
from agent_saga.certify.importers.agentic_saga.integrity import Integrity
from agent_saga.certify.importers.agentic_saga.limits import ASSUMPTIONS, MAX_BYTES, NOT_ASSESSABLE, UNCHAINED
from agent_saga.certify.importers.agentic_saga.sidecar import check_listed, is_index, read_index
from agent_saga.certify.importers.agentic_saga.summary import check_summary
from agent_saga.certify.importers.agentic_saga.translate import Translator
from agent_saga.certify.importers.document import Document, read_document
from agent_saga.certify.source import Fault, ImportChoices, Observed, SourceFormat
from agent_saga.trace.reader import Opened

_EVENTS = re.compile(rb'"saga_seq"\s*:').search
_INPUTS = re.compile(rb'"(?:redacted_input|input_hash)"\s*:').search
_HEADER = re.compile(rb'"schema_version"\s*:').search
_NAMES = re.compile(rb'"(?:saga_id|final_projection_hash)"\s*:').search
_INDEX = re.compile(rb'"trace_(?:ref|sha256)"\s*:').search


def recognises(head: bytes) -> bool:
    """Tell a trace, or the index of a folder of traces, from the first bytes of an input."""
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not text.startswith(b"{"):
        return False
    trace = (_EVENTS(text) and _INPUTS(text)) or (_HEADER(text) and _NAMES(text))
    return bool(trace or (_HEADER(text) and _INDEX(text)))


def read(opened: Opened, choices: ImportChoices) -> Iterator[Observed | Fault]:
    """Read one trace: faults of the document first, then each event's faults and the events made from it."""
    document = read_document(opened, "events", MAX_BYTES)
    yield from document.faults
    if is_index(document):
        yield from read_index(opened.path, document)
        return
    version = document.members.get("schema_version")
    if version != VERSION:
        if not document.faults or version is not None:
            yield Fault(document.lines.get("schema_version", 1), "AS103", _version(version), what="schema_version")
        return
    if choices.require_chain:
        yield Fault(1, "AS114", UNCHAINED, what="schema_version 1.0")
    yield from check_listed(opened.path, document)
    yield from _saga(document)


def _version(found: object) -> str:
    shown = repr(found)[:40] if found is not None else "missing"
    return f"schema_version is {shown}; this release reads Agentic Saga traces {VERSION}"


def _saga(document: Document) -> Iterator[Observed | Fault]:
    yield from check_header(document)
    checked = [(element, list(check_event(element))) for element in document.elements]
    sound = [completed(element) for element, faults in checked if not faults]
    translator = Translator(document.members, sound)
    integrity = Integrity(document.members)
    for element, faults in checked:
        yield from faults
        yield from integrity.check(element)
        if not faults:
            yield from translator.translate(completed(element))
    yield from check_summary(document, sound)


FORMAT: Final = SourceFormat(
    name=f"Agentic Saga trace {VERSION}",
    recognises=recognises,
    read=read,
    not_assessable=NOT_ASSESSABLE,
    assumptions=ASSUMPTIONS,
)

__all__ = ["FORMAT", "read", "recognises"]
