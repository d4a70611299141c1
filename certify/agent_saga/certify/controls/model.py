"""The control map: which rules and which evidence bear on a control of a published framework.

The map is data, one file a framework in ``frameworks/``; :mod:`agent_saga.certify.controls.reading` reads them.

Source: docs/controls.md.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Control:
    """One control. id and the framework's name are the publisher's; title and the sentences are our own.

    rules: must have met a case and found nothing. also: need have met no case, but a finding refuses. Both empty:
    nothing in a trace speaks of it. evidence: names of :data:`agent_saga.certify.controls.evidence.EVIDENCE`.
    shows: what is evidenced; not_covered: what stays for others to show. since: release that first mapped it so.
    """

    id: str
    title: str
    rules: tuple[str, ...]
    also: tuple[str, ...]
    evidence: tuple[str, ...]
    shows: str
    not_covered: str
    since: str
    token: str


@dataclass(frozen=True, slots=True)
class Framework:
    """A published framework in one version. id: as ``--controls`` takes it. source: where the publisher has it.

    not_covered: what of the whole framework no trace can speak of.
    """

    id: str
    name: str
    version: str
    publisher: str
    source: str
    not_covered: str
    controls: tuple[Control, ...]


def token_of(control: str) -> str:
    """A control's id as OSCAL allows it (a letter or ``_`` first, then letters, digits, ``.``, ``-``, ``_``).

    ``CP-10(2)`` becomes ``cp-10.2``, as NIST's own OSCAL catalogue of SP 800-53 has it. Source: OSCAL 1.2, token.
    """
    text = re.sub(r"[()\[\]]+", ".", control.lower()).replace(" ", "-").strip(".")
    text = re.sub(r"\.{2,}", ".", text)
    return text if text[:1].isalpha() else f"c-{text}"
