"""What an Agentic Saga trace cannot answer, decided once for the format, and what a reader of a verdict must accept."""

from collections.abc import Mapping
from typing import Final

MAX_BYTES: Final = 33_554_432
"""Bytes of a document: that project's own exporter stops at 8 MiB of compact JSON; indentation may quadruple it."""

UNCHAINED: Final = (
    "Agentic Saga traces 1.0 have no hash chain, and --require-chain asks for one: an event whose digests were "
    "recomputed after an edit cannot be told from the original"
)

ASSUMPTIONS: Final = (
    "integrity not assessable: the format has digests of inputs and outputs but no chain, so a change whose digests "
    "were recomputed shows only against a sidecar index.json",
    "final_projection_hash was not checked: it covers the recorder's internal state, which the trace does not hold",
    "one event stands for all delivery attempts of an operation",
    "an undo was asked to use the arguments of its effect, as that project's runtime does",
)

_NO_CHAIN = "events carry no hash of the event before"
_NO_CHECKPOINT = "the format has no checkpoints"
_NO_APPROVAL = "the format has no field for approvals"
_NO_SIGNATURE = "the format has no field for signed approvals"
_NO_POLICY = "the format names no policy in force"
_NO_CATALOGUE = "the format has no catalogue of tools and their classes"

NOT_ASSESSABLE: Final[Mapping[str, str]] = {
    "AS104": _NO_CHAIN,
    "AS110": _NO_CHECKPOINT,
    "AS111": _NO_CHECKPOINT,
    "AS112": _NO_CHECKPOINT,
    "AS114": _NO_CHAIN,
    "AS115": _NO_CHECKPOINT,
    "AS203": "the recorder may write outcomes alone; an intent is made up at the same line",
    "AS204": "one event stands for all attempts of an operation",
    "AS206": "outcomes do not record which call undoes them",
    "AS208 (tool)": "outcomes do not name the undo's tool; its arguments are judged",
    "AS215": "the format has no field for a pivot",
    "AS216": "the format does not record what an effect read",
    "AS217": "the format has no field for a parent saga",
    "AS218": "the format has no branches",
    "AS219": _NO_CATALOGUE,
    "AS301": _NO_APPROVAL,
    "AS302": _NO_SIGNATURE,
    "AS303": _NO_SIGNATURE,
    "AS304": _NO_SIGNATURE,
    "AS305": _NO_SIGNATURE,
    "AS306": _NO_SIGNATURE,
    "AS307": _NO_SIGNATURE,
    "AS308": _NO_SIGNATURE,
    "AS309": _NO_SIGNATURE,
    "AS310": _NO_SIGNATURE,
    "AS311": _NO_SIGNATURE,
    "AS401": _NO_POLICY,
    "AS402": _NO_POLICY,
    "AS403": _NO_POLICY,
    "AS404": _NO_CATALOGUE,
    "AS405": _NO_CATALOGUE,
    "AS408": _NO_POLICY,
    "AS505": "decisions do not record which tools were allowed",
    "AS603": "values are redacted, not concealed: there are no salts",
}
"""Rule code to reason. A code with a word behind it is a part of a rule; the rest of that rule is judged."""
