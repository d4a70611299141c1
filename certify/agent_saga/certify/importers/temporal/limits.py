"""What a Temporal history cannot answer, decided once for the format, and what a reader of a verdict must accept."""

from collections.abc import Mapping
from typing import Final

MAX_BYTES: Final = 134_217_728
"""Bytes of a document: a server ends a workflow at 50 MB of history, and indented JSON is about twice its size."""

UNCHAINED: Final = (
    "Temporal histories have no hash chain, and --require-chain asks for one: an edited history cannot be told from "
    "the original"
)

ASSUMPTIONS: Final = (
    "integrity not assessable: a history has no digests and no chain; it is believed as exported",
    "which calls change the world, and which undo which, is the mapping file's statement",
    "attempts that a server made before the last one are told by its number alone",
)

_NO_CHAIN = "history events carry no hash"
_NO_CHECKPOINT = "the format has no checkpoints"
_NO_APPROVAL = "the format has no field for approvals"
_NO_POLICY = "the format names no policy in force"
_NO_CHOICE = "a workflow's code schedules activities; the format records no choice of an agent"

NOT_ASSESSABLE: Final[Mapping[str, str]] = {
    "AS104": _NO_CHAIN,
    "AS108": "a server writes buffered events, and the starts of activities, later than their time",
    "AS110": _NO_CHECKPOINT,
    "AS111": _NO_CHECKPOINT,
    "AS112": _NO_CHECKPOINT,
    "AS114": _NO_CHAIN,
    "AS115": _NO_CHECKPOINT,
    "AS206": "results do not record which call undoes them; the mapping file names it",
    "AS208": "results do not record how to undo them; amounts are judged where the mapping file points at them",
    "AS215": "the format has no field for a pivot",
    "AS216": "the format does not record what an activity read",
    "AS218": "the format does not name branches",
    **{f"AS{number}": _NO_APPROVAL for number in (*range(301, 313), 506, 507)},
    "AS401": _NO_POLICY,
    "AS402": _NO_POLICY,
    "AS403": _NO_POLICY,
    "AS405": _NO_POLICY,
    "AS408": _NO_POLICY,
    "AS501": "the format records no checks: a workflow that completed is taken as succeeded, unverified",
    "AS504": "the format does not tell a wait for a person from any other wait",
    "AS505": _NO_CHOICE,
    "AS601": "the format has no digests of values",
    "AS603": "values are not concealed: there are no salts",
}
"""Rule code to reason."""
