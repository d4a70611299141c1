"""Temporal workflow histories, as the command-line tool, the SDKs and the web page export them.

A history is one JSON document, ``{"events": [...]}``, or the array alone::

    {"eventId": "5", "eventTime": "2025-06-30T16:01:58.297147Z", "eventType": "EVENT_TYPE_ACTIVITY_TASK_SCHEDULED",
     "activityTaskScheduledEventAttributes": {"activityType": {"name": "charge_card"}, "input": {"payloads": [...]}}}

One history is one saga. Its calls (activities, local activities, child workflows, signals sent, Nexus operations)
become effects, undos or previews as a mapping file says (:mod:`.mapping`); without one nothing is judged, and
:class:`MappingNeeded` carries a skeleton of it.

Source: docs/sources/temporal.md.
"""

import re
from collections.abc import Iterator
from typing import Final

from agent_saga.certify.importers.document import read_document
from agent_saga.certify.importers.temporal.errors import MappingError, MappingNeeded
from agent_saga.certify.importers.temporal.history import Record, records
from agent_saga.certify.importers.temporal.limits import ASSUMPTIONS, MAX_BYTES, NOT_ASSESSABLE, UNCHAINED
from agent_saga.certify.importers.temporal.mapping import check_mapping
from agent_saga.certify.importers.temporal.skeleton import skeleton
from agent_saga.certify.importers.temporal.translate import Translator
from agent_saga.certify.source import Fault, ImportChoices, Observed, SourceFormat
from agent_saga.trace.reader import Opened

_TYPE = re.compile(rb'"eventType"\s*:\s*"(?:EVENT_TYPE_[A-Z_]+|(?:Workflow|Activity|Timer)[A-Za-z]+)"').search
_ID = re.compile(rb'"eventId"\s*:').search


def recognises(head: bytes) -> bool:
    """Tell a history from the first bytes of an input."""
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return text.startswith((b"{", b"[")) and bool(_TYPE(text) and _ID(text))


def read(opened: Opened, choices: ImportChoices) -> Iterator[Observed | Fault]:
    """Read one history. Raises MappingNeeded without a mapping and MappingError for a wrong one, before it yields."""
    mapping = check_mapping(choices.mapping) if choices.mapping is not None else None
    document = read_document(opened, "events", MAX_BYTES)
    found = list(records(document.elements))
    sound = [record for record in found if isinstance(record, Record)]
    if mapping is None:
        raise MappingNeeded(opened.path, skeleton(sound))
    yield from document.faults
    if choices.require_chain:
        yield Fault(1, "AS114", UNCHAINED, what="history")
    translator = Translator(mapping, sound)
    for record in found:
        if isinstance(record, Record):
            yield from translator.translate(record)
        else:
            yield record


FORMAT: Final = SourceFormat(
    name="Temporal workflow history",
    recognises=recognises,
    read=read,
    not_assessable=NOT_ASSESSABLE,
    assumptions=ASSUMPTIONS,
)

__all__ = ["FORMAT", "MappingError", "MappingNeeded", "check_mapping", "recognises", "skeleton"]
