"""The lexical forms of members: what a string, a number or a payload on a line may be.

A :class:`Form` is a pattern and the words for it. The codec, the pydantic models, the JSON Schema and the tables of
docs/spec/trace-v1.md all read it from here. Patterns keep to what every regular expression engine reads alike: no
look-around, no ``\\d`` (which is more than ASCII in some).

Source: docs/spec/trace-v1.md, "Forms".
"""

from typing import Annotated, Any, Final, Literal

import msgspec

from agent_saga.trace.limits import MAX_ID, MAX_INT, MAX_KEY, MAX_SAGA_ID


class Form(msgspec.Struct, frozen=True):
    """The lexical form of a string member: a full-match pattern and the words for it in messages."""

    pattern: str
    says: str


def anchored(form: Form) -> str:
    """The pattern with its ends named, for engines that search."""
    return f"^(?:{form.pattern})$"


def proposes(step: str, named: str) -> bool:
    """Whether a step's id is that of the named step, or of its being proposed again: ``NAME.2``, ``NAME.3``.

    Source: docs/spec/trace-v1.md, "Ids".
    """
    number = step.removeprefix(f"{named}.")
    return step == named or (number != step and number.isascii() and number.isdigit() and number[0] != "0")


class Payload(msgspec.Struct, frozen=True):
    """Marks a member whose value is the agent's data: any JSON value, and any part of it may be concealed."""

    says: str


def _id(limit: int, says: str) -> Form:
    return Form(rf"[A-Za-z0-9._-]{{1,{limit}}}", says)


_NO_CONTROL: Final = r"[^\x00-\x1f\x7f-\x9f]{1,128}"
_COMMON_DATE: Final = (
    r"[1-9][0-9]{3}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])"
    r"|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))"
)
_LEAP_DAY: Final = r"(?:[1-9][0-9](?:0[48]|[2468][048]|[13579][26])|(?:[2468][048]|[13579][26])00)-02-29"

SagaId = Annotated[str, Form(rf"[A-Za-z0-9._:-]{{1,{MAX_SAGA_ID}}}", "1-128 of A-Z a-z 0-9 . _ : -")]
Id = Annotated[str, _id(MAX_ID, "1-64 of A-Z a-z 0-9 . _ -")]
ToolName = Annotated[str, Form(_NO_CONTROL, "1-128 characters, none of them a control character")]
Digest = Annotated[str, Form(r"[0-9a-f]{64}", "64 lower-case hex digits (SHA-256)")]
Instant = Annotated[
    str,
    Form(
        rf"(?:{_COMMON_DATE}|{_LEAP_DAY})T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{{6}}Z",
        "RFC 3339 UTC with six decimals and Z, such as 2026-11-30T07:00:00.000000Z, on a day that exists",
    ),
]
Salt = Annotated[str, Form(r"[A-Za-z0-9_-]{21}[AQgw]", "22 base64url characters (128 bits, unpadded, canonical)")]
Speaker = Annotated[
    str,
    Form(
        rf"runtime|(?:agent|person|tool):{_NO_CONTROL}",
        "runtime, agent:ID, person:ID or tool:NAME",
    ),
]
Text = Annotated[str, Form(r"[^\x00]{0,4096}", "at most 4096 characters, none of them U+0000")]
Key = Annotated[str, Form(rf"[\x20-\x7e]{{1,{MAX_KEY}}}", f"1-{MAX_KEY} printable ASCII characters")]
Decimal = Annotated[
    str, Form(r"0(?:\.[0-9]{1,18})?|1(?:\.0{1,18})?", "a decimal from 0 to 1 as a string, such as 0.85")
]
FormatName = Annotated[str, Form(r"[1-9][0-9]{0,3}\.(?:0|[1-9][0-9]{0,3})", "MAJOR.MINOR, such as 1.0")]
Pointer = Annotated[str, Form(r"(?:/(?:[^/~]|~[01])*)*", "a JSON Pointer into args (RFC 6901)")]
BranchPath = Annotated[str, Form(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*", "GROUP, or GROUP.OPTION.GROUP when nested")]
OptionPath = Annotated[str, Form(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+", "GROUP.OPTION, longer when nested")]
OptionName = Annotated[str, Form(r"[A-Za-z0-9_-]{1,64}", "1-64 of A-Z a-z 0-9 _ -")]
Status = Annotated[
    str,
    Form(
        "succeeded_verified|compensated_verified|aborted_clean|closed_with_exceptions",
        "succeeded_verified, compensated_verified, aborted_clean or closed_with_exceptions",
    ),
]
Seq = Annotated[int, msgspec.Meta(ge=0, le=MAX_INT)]
Count = Annotated[int, msgspec.Meta(ge=1, le=MAX_INT)]
Semantics = Literal["preview", "reversible", "compensable", "irreversible"]
Found = Literal["landed", "absent", "unresolved"]
Verdict = Literal["landed", "absent", "undone", "kept"]
Decision = Literal["approve", "deny", "break_glass"]

Json = Annotated[Any, Payload("any JSON value")]
JsonObject = Annotated[dict[str, Any], Payload("a JSON object")]
Amount = Annotated[dict[str, Any], Payload('money as {"minor":4200,"currency":"EUR"}')]
